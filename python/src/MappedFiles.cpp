//===- MappedFiles.cpp - tensors in files that are written ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Mappings of files, and assignments to them.
///
//===----------------------------------------------------------------------===//

#include "MappedFiles.h"
#include "Convert.h"
#include "Interrupts.h"

#include "TinyGrad/Runtime/Buffer.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Tensor/External.h"
#include "TinyGrad/Tensor/GraphNode.h"
#include "TinyGrad/Tensor/Jit.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tinygrad;
using namespace tinygrad::python;

//===----------------------------------------------------------------------===//
// Mappings
//===----------------------------------------------------------------------===//

namespace {
/// Where the mapped files begin in memory, and their sizes.
struct Mappings {
  std::mutex mutex;
  std::map<const char *, std::size_t> sizes;
  /// The number of them, 0 in most programs.
  std::atomic<std::size_t> count = 0;
};

/// Closes a file.
struct File {
  int number;
  ~File() {
    if (number >= 0)
      ::close(number);
  }
};
} // namespace

static Mappings &getMappings() {
  static auto *mappings = new Mappings();
  return *mappings;
}

static bool isMapped(const void *address) {
  Mappings &mappings = getMappings();
  const std::lock_guard<std::mutex> lock(mappings.mutex);
  const auto *place = static_cast<const char *>(address);
  auto it = mappings.sizes.upper_bound(place);
  if (it == mappings.sizes.begin())
    return false;
  --it;
  return place < it->first + it->second;
}

static void unmap(char *data, std::size_t bytes) {
  Mappings &mappings = getMappings();
  {
    const std::lock_guard<std::mutex> lock(mappings.mutex);
    mappings.sizes.erase(data);
    mappings.count = mappings.sizes.size();
  }
  ::munmap(data, bytes);
}

[[noreturn]] static void fail(const std::string &path, const char *what) {
  throw IoError(path + ": cannot " + what + ": " + std::strerror(errno));
}

/// At least as many bytes of a file, which may be written.
static char *map(const std::string &path, std::size_t bytes) {
  const File file{::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)};
  if (file.number < 0)
    fail(path, "be opened for writing");
  struct stat status{};
  if (::fstat(file.number, &status) != 0)
    fail(path, "be read");
  if (std::size_t(status.st_size) < bytes &&
      ::ftruncate(file.number, off_t(bytes)) != 0)
    fail(path, "be extended");
  if (bytes == 0)
    return nullptr;
  void *data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                      file.number, 0);
  if (data == MAP_FAILED) // NOLINT
    fail(path, "be mapped");
  Mappings &mappings = getMappings();
  const std::lock_guard<std::mutex> lock(mappings.mutex);
  mappings.sizes[static_cast<char *>(data)] = bytes;
  mappings.count = mappings.sizes.size();
  return static_cast<char *>(data);
}

/// Those of elements that follow one another.
static std::vector<int64_t> getStrides(const std::vector<int64_t> &sizes) {
  std::vector<int64_t> strides(sizes.size(), 1);
  for (std::size_t axis = sizes.size(); axis-- > 1;)
    strides[axis - 1] = strides[axis] * std::max<int64_t>(sizes[axis], 1);
  return strides;
}

std::optional<std::string>
tinygrad::python::getFilePath(const std::string &device) {
  constexpr std::string_view prefix = "disk:";
  if (device.size() <= prefix.size() ||
      !std::equal(prefix.begin(), prefix.end(), device.begin(),
                  [](char a, char b) { return a == b || a == b - 'A' + 'a'; }))
    return std::nullopt;
  return device.substr(prefix.size());
}

Tensor tinygrad::python::mapFile(const std::string &path, const Shape &shape,
                                 DType dtype) {
  std::vector<int64_t> sizes;
  for (const SymInt &size : shape) {
    if (size.isSymbolic() || size.value() < 0)
      throw ShapeError(path +
                       ": the sizes of a tensor in a file are numbers, "
                       "not " +
                       toString(shape));
    sizes.push_back(size.value());
  }
  const std::optional<int64_t> bytes = denseByteSize(dtype, sizes);
  if (!bytes)
    throw ShapeError(path + ": no file has the shape " + toString(shape));
  char *data = map(path, std::size_t(*bytes));
  static char nothing[kMemoryAlignment];
  const Buffer buffer = Buffer::external(
      Device::get("CPU"), data ? data : nothing, std::size_t(*bytes),
      [data, count = std::size_t(*bytes)] {
        if (data)
          unmap(data, count);
      },
      dtype);
  return fromStrided({buffer, dtype, sizes, getStrides(sizes), 0});
}

Tensor tinygrad::python::copyToFile(const std::string &path,
                                    const Tensor &values) {
  Tensor tensor = mapFile(path, values.shape(), values.dtype());
  writeToFile(tensor, values);
  return tensor;
}

//===----------------------------------------------------------------------===//
// Assignments
//===----------------------------------------------------------------------===//

bool tinygrad::python::isInFile(const Tensor &tensor) {
  if (getMappings().count == 0 || tensor.devices().size() > 1)
    return false;
  GraphNode node(tensor);
  while (true) {
    const std::string operation = node.operation();
    if (operation == "tg.buffer")
      break;
    if (operation != "tg.reshape" && operation != "tg.shrink" &&
        operation != "tg.permute" && operation != "tg.expand" &&
        operation != "tg.flip" && operation != "tg.bitcast" &&
        operation != "tg.detach" && operation != "tg.strided")
      return false;
    node = node.sources().front();
  }
  const std::optional<Buffer> memory = node.memory();
  return memory && isMapped(memory->address());
}

std::optional<Tensor> tinygrad::python::bitcastInFile(const Tensor &tensor,
                                                      DType dtype) {
  const std::size_t size = itemSize(dtype);
  std::optional<Buffer> memory;
  if (tensor.ndim() != 0 && isInFile(tensor))
    memory = GraphNode(tensor).memory();
  if (!memory || reinterpret_cast<uintptr_t>(memory->address()) % size != 0)
    return std::nullopt;
  std::vector<int64_t> shape;
  for (const SymInt &extent : tensor.shape()) {
    if (extent.isSymbolic())
      return std::nullopt;
    shape.push_back(extent.value());
  }
  const auto bytes = std::size_t(shape.back()) * itemSize(tensor.dtype());
  if (bytes % size != 0)
    return std::nullopt;
  shape.back() = int64_t(bytes / size);
  return fromStrided({memory->view(0, memory->size(), dtype), dtype, shape,
                      getStrides(shape), 0});
}

void tinygrad::python::writeToFile(const Tensor &tensor, const Operand &value) {
  if (tinygrad::detail::JitCore::isInside())
    throw Error("jit: a captured function cannot write to a file; assign what "
                "it returns");
  const std::optional<Buffer> memory = GraphNode(tensor).memory();
  if (!memory)
    throw Error("assign: a part of shape " + toString(tensor.shape()) +
                " whose elements do not follow one another in the file "
                "cannot be written; assign to contiguous parts");
  Tensor values;
  if (const Tensor *given = value.tensor()) {
    if (given->dtype() != tensor.dtype())
      throw DTypeError(std::string("assign: a value of ") +
                       name(given->dtype()) + " to a tensor of " +
                       name(tensor.dtype()) + "; cast it first");
    values = *given;
  } else {
    values =
        Tensor::full({}, value.scalar(), TensorOptions(tensor.dtype(), "CPU"));
  }
  values = values.to("CPU").expand(tensor.shape()).contiguous();
  const Unlocked unlocked;
  // Elements of the same file may be among the values.
  const StridedView source = toStrided(values);
  if (memory->size() != 0)
    std::memmove(memory->address(), source.data(), memory->size());
}

void tinygrad::python::assignOrWrite(Tensor &target, const Operand &value) {
  if (isInFile(target))
    writeToFile(target, value);
  else
    target.assign(value);
}
