//===- TextFile.cpp - whole files as text ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads a file into a string.
///
//===----------------------------------------------------------------------===//

#include "TextFile.h"
#include "TinyGrad/Runtime/Error.h"

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <system_error>

using namespace tinygrad;

namespace {
struct FileCloser {
  void operator()(std::FILE *file) const { std::fclose(file); }
};
} // namespace

std::string data::detail::errnoText(int number) {
  return std::generic_category().message(number);
}

std::string data::detail::readTextFile(const std::string &path) {
  const std::unique_ptr<std::FILE, FileCloser> file(
      std::fopen(path.c_str(), "rbe"));
  if (!file)
    throw IoError(path + ": cannot open: " + errnoText(errno));
  std::string text;
  constexpr std::size_t block = std::size_t(1) << 20;
  std::size_t count = 0;
  do {
    const std::size_t old = text.size();
    text.resize(old + block);
    count = std::fread(text.data() + old, 1, block, file.get());
    text.resize(old + count);
  } while (count == block);
  if (std::ferror(file.get()))
    throw IoError(path + ": cannot read: " + errnoText(errno));
  return text;
}
