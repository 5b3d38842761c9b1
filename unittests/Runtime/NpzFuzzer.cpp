//===- NpzFuzzer.cpp - random archives of arrays --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A libFuzzer target for the reader of .npz files, and with it for .npy files:
/// it returns arrays whose elements can be read, or throws IoError.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Runtime/Npz.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

using namespace tinygrad;

static void require(bool condition) {
  if (!condition)
    std::abort();
}

namespace {
/// A file in memory.
class MemoryFile {
public:
  MemoryFile() : descriptor(::memfd_create("fuzzer", MFD_CLOEXEC)) {
    require(descriptor >= 0);
  }
  MemoryFile(const MemoryFile &) = delete;
  ~MemoryFile() { ::close(descriptor); }

  void write(const uint8_t *data, std::size_t size) {
    require(::ftruncate(descriptor, 0) == 0);
    require(::pwrite(descriptor, data, size, 0) == ssize_t(size));
  }
  std::string path() const {
    return "/proc/self/fd/" + std::to_string(descriptor);
  }

private:
  const int descriptor;
};
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, std::size_t size) {
  static MemoryFile file;
  file.write(data, size);
  try {
    for (const auto &[name, array] : readNpz(file.path())) {
      require(denseByteSize(array.dtype, array.shape) ==
              int64_t(array.data.size()));
      const auto *bytes = array.as<uint8_t>();
      require(array.dtype != DType::Bool ||
              std::all_of(bytes, bytes + array.data.size(),
                          [](uint8_t byte) { return byte <= 1; }));
    }
  } catch (const IoError &) {
  }
  return 0;
}
