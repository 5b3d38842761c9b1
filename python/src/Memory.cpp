//===- Memory.cpp - memory of devices -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Memory of devices, which tinygrad_mlir.device.Buffer shows with tinygrad's
/// names.
///
//===----------------------------------------------------------------------===//

#include "Convert.h"
#include "Interrupts.h"
#include "MappedFiles.h"

#include "TinyGrad/Runtime/BufferObserver.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Tensor/External.h"
#include "TinyGrad/Tensor/GraphNode.h"

#include <string>
#include <vector>

using namespace tinygrad;
using namespace tinygrad::python;
using nb::arg;

namespace {
/// Bytes of an object with the buffer protocol.
struct Bytes {
  explicit Bytes(nb::handle object) {
    if (PyObject_GetBuffer(object.ptr(), &view, PyBUF_SIMPLE) != 0)
      throw nb::python_error();
  }
  ~Bytes() { PyBuffer_Release(&view); }
  Bytes(const Bytes &) = delete;
  Bytes &operator=(const Bytes &) = delete;

  Py_buffer view;
};
} // namespace

static void checkSize(std::size_t source, std::size_t destination) {
  if (source != destination)
    throw Error("copy: " + std::to_string(source) + " bytes to memory of " +
                std::to_string(destination) +
                " bytes: the sizes have to be equal");
}

static void copyIn(BufferObserver &self, nb::object source) {
  const Bytes bytes(source);
  const auto count = std::size_t(bytes.view.len);
  checkSize(count, self.buffer().size());
  Buffer memory = self.buffer();
  const Unlocked unlocked;
  memory.copyIn(bytes.view.buf, count);
}

static nb::bytearray copyOut(const BufferObserver &self) {
  nb::bytearray result;
  const Buffer &memory = self.buffer();
  result.resize(memory.size());
  void *data = result.data();
  {
    const Unlocked unlocked;
    memory.copyOut(data, memory.size());
  }
  return result;
}

static void copyFrom(BufferObserver &self, const BufferObserver &source) {
  const Buffer &to = self.buffer(), &from = source.buffer();
  checkSize(from.size(), to.size());
  const Unlocked unlocked;
  if (from.size() == 0 || from.address() == to.address())
    return;
  if (from.sharesMemoryWith(to)) { // parts that may overlap
    std::vector<char> bytes(from.size());
    from.copyOut(bytes.data(), bytes.size());
    Buffer(to).copyIn(bytes.data(), bytes.size());
    return;
  }
  to.device().copyAcross(to.address(), from.device(), from.address(),
                         from.size());
}

void tinygrad::python::bindMemory(nb::module_ &module) {
  nb::class_<BufferObserver>(module, "Memory",
                             "Memory of a device; tinygrad_mlir.device.Buffer "
                             "has tinygrad's names for it.")
      .def_static(
          "allocate",
          [](const std::string &device, std::size_t bytes) {
            return BufferObserver(Buffer::allocate(Device::get(device), bytes));
          },
          arg("device"), arg("bytes"),
          "New memory, whose contents are undefined.")
      .def_prop_ro("device",
                   [](const BufferObserver &self) {
                     return self.buffer().device().name();
                   })
      .def_prop_ro("is_host_visible",
                   [](const BufferObserver &self) {
                     return self.buffer().device().information().hostVisible;
                   })
      .def_prop_ro("address",
                   [](const BufferObserver &self) {
                     return reinterpret_cast<uintptr_t>(
                         self.buffer().address());
                   })
      .def_prop_ro(
          "size",
          [](const BufferObserver &self) { return self.buffer().size(); },
          "In bytes.")
      .def(
          "view",
          [](const BufferObserver &self, std::size_t offset,
             std::size_t bytes) {
            return BufferObserver(self.buffer().view(offset, bytes));
          },
          arg("offset"), arg("bytes"))
      .def("copy_in", &copyIn, arg("source"),
           "Writes the bytes of an object with the buffer protocol.")
      .def("copy_out", &copyOut, "A copy of the bytes.")
      .def("copy_from", &copyFrom, arg("source"),
           "Writes the bytes of other memory.")
      .def(
          "tensor",
          [](const BufferObserver &self, DTypeArgument dtype) {
            const DType type = dtype.required();
            const Buffer &memory = self.buffer();
            const Buffer typed = memory.view(0, memory.size(), type);
            return fromStrided({typed,
                                type,
                                {int64_t(memory.size() / itemSize(type))},
                                {1},
                                0});
          },
          arg("dtype"), "A tensor in this memory.");
  module.def("is_in_file", &isInFile, arg("tensor"),
             "Whether a tensor is in the memory of a file that is written by "
             "assignments to it.");
  module.def(
      "memory_of",
      [](const GraphNode &node) -> std::optional<BufferObserver> {
        std::optional<Buffer> memory;
        {
          const Unlocked unlocked;
          memory = node.memory();
        }
        if (!memory)
          return std::nullopt;
        return BufferObserver(std::move(*memory));
      },
      arg("node"), "The memory that has the elements of a node, or None.");
}
