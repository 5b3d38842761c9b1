//===- Npz.cpp - archives of NumPy arrays ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An .npz file is a zip archive; the array `x` is its entry `x.npy`.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Runtime/Npz.h"
#include "TinyGrad/Runtime/AtomicFile.h"
#include "TinyGrad/Runtime/Error.h"
#include "Zip.h"

#include <cstddef>
#include <string_view>
#include <vector>

using namespace tinygrad;
using namespace tinygrad::detail;

static constexpr std::string_view kSuffix = ".npy";
/// The largest value of the field for the length of a name.
static constexpr std::size_t kLongestName = 0xffff;

NamedArrays tinygrad::readNpz(const std::string &path) {
  const ZipReader reader(path);
  NamedArrays arrays;
  for (const ZipEntry &entry : reader.entries()) {
    if (!entry.name.ends_with(kSuffix))
      continue;
    ZipEntrySource source(reader, entry);
    HostArray array =
        readNpyArray(source, path + ": entry '" + entry.name + "'");
    source.finish();
    arrays.emplace(entry.name.substr(0, entry.name.size() - kSuffix.size()),
                   std::move(array));
  }
  return arrays;
}

/// The first bytes of an array's entry.
static std::string headerOf(const HostArray &array, const std::string &path,
                            const std::string &name) {
  if (name.size() > kLongestName - kSuffix.size())
    throw IoError(path + ": cannot write an array whose name has " +
                  std::to_string(name.size()) + " bytes");
  return npyHeader(array, path + ": array '" + name + "'");
}

void tinygrad::writeNpz(const std::string &path, const NamedArrays &arrays,
                        NpzCompression compression) {
  std::vector<std::string> headers;
  for (const auto &[name, array] : arrays)
    headers.push_back(headerOf(array, path, name));
  AtomicFile file(path);
  ZipWriter writer(file);
  auto header = headers.begin();
  for (const auto &[name, array] : arrays) {
    const Buffer elements = npyElements(array);
    writer.add(
        name + std::string(kSuffix),
        {*header++,
         {static_cast<const char *>(elements.address()), elements.size()}},
        compression == NpzCompression::Deflate);
  }
  writer.finish();
  file.commit();
}
