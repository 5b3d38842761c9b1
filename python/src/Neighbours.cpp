//===- Neighbours.cpp - memory shared with others, copies -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Tensors of the memory of other libraries and theirs of a tensor's: DLPack
/// and the buffer protocol. Pickles and copies of tensors.
///
//===----------------------------------------------------------------------===//

#include "CallSite.h"
#include "Convert.h"
#include "Interrupts.h"

#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Runtime/HostArray.h"
#include "TinyGrad/Tensor/External.h"
#include "TinyGrad/Tensor/KeptOrigins.h"

#include <nanobind/ndarray.h>

#include <algorithm>
#include <memory>
#include <mutex>

using namespace tinygrad;
using namespace tinygrad::python;
using nb::arg;

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

/// DLPack's codes of types of 8 bits that NumPy does not have.
static constexpr std::pair<DType, uint8_t> kFloat8Codes[] = {
    {DType::Float8E4M3, 10},
    {DType::Float8E4M3FNUZ, 11},
    {DType::Float8E5M2, 12},
    {DType::Float8E5M2FNUZ, 13}};

nb::dlpack::dtype tinygrad::python::toDlpack(DType dtype) {
  using Code = nb::dlpack::dtype_code;
  nb::dlpack::dtype type{};
  type.lanes = 1;
  type.bits = uint8_t(8 * itemSize(dtype));
  type.code = uint8_t(dtype == DType::Bool       ? Code::Bool
                      : dtype == DType::BFloat16 ? Code::Bfloat
                      : isFloat(dtype)           ? Code::Float
                      : isUnsigned(dtype)        ? Code::UInt
                                                 : Code::Int);
  for (const auto &[float8, code] : kFloat8Codes)
    if (float8 == dtype)
      type.code = code;
  return type;
}

static DType fromDlpack(nb::dlpack::dtype type) {
  for (unsigned i = 0; i < kNumDTypes; ++i)
    if (toDlpack(DType(i)) == type)
      return DType(i);
  throw DTypeError("from_dlpack: no dtype of a tensor has DLPack's type code " +
                   std::to_string(type.code) + ", " +
                   std::to_string(type.bits) + " bits and " +
                   std::to_string(type.lanes) +
                   " lanes: convert the array to bool, an integer or a float "
                   "type");
}

//===----------------------------------------------------------------------===//
// From memory of others
//===----------------------------------------------------------------------===//

using Array = nb::ndarray<nb::ro>;

namespace {
/// Arrays that no tensor needs any more. The last handle may go while the lock
/// of a graph is held, by a thread without Python's lock: waiting for that
/// could wait for a thread that waits for the graph. Python's main thread frees
/// them soon.
struct ReleasedArrays {
  std::mutex mutex;
  std::vector<std::unique_ptr<Array>> arrays;
};
} // namespace

static ReleasedArrays &getReleased() {
  static auto *released = new ReleasedArrays();
  return *released;
}

/// With Python's lock.
static int freeReleased(void *) {
  std::vector<std::unique_ptr<Array>> arrays;
  {
    ReleasedArrays &released = getReleased();
    const std::lock_guard<std::mutex> lock(released.mutex);
    arrays.swap(released.arrays);
  }
  return 0;
}

static void release(std::unique_ptr<Array> array) {
  {
    ReleasedArrays &released = getReleased();
    const std::lock_guard<std::mutex> lock(released.mutex);
    released.arrays.push_back(std::move(array));
  }
  // Not when the interpreter has ended. If too many calls wait already, the
  // next of from_dlpack() does it.
  if (nb::is_alive())
    (void)Py_AddPendingCall(&freeReleased, nullptr);
}

/// A tensor with memory of its own; a clone could share it. Without Python's
/// lock.
static Tensor copyMemory(const Tensor &tensor) {
  const HostArray array = tensor.toHost();
  return Tensor::fromBytes(
      array.data.address(), Shape(array.shape.begin(), array.shape.end()),
      array.dtype, TensorOptions(array.dtype, tensor.device()));
}

/// Assignments write into contiguous memory from the beginning, and never into
/// memory that is only read.
static Tensor finish(Tensor tensor, const StridedView &view, bool isReadOnly) {
  int64_t stride = 1;
  bool isContiguous = true;
  for (std::size_t axis = view.shape.size(); axis-- > 0;) {
    isContiguous &= view.shape[axis] == 1 || view.strides[axis] == stride;
    stride *= view.shape[axis];
  }
  if (!isReadOnly && !isContiguous)
    return tensor;
  const PythonCallSite site;
  const Unlocked unlocked;
  if (!isReadOnly)
    return tensor.realize();
  return copyMemory(tensor);
}

static Tensor fromDlpackObject(nb::handle object) {
  freeReleased(nullptr);
  Array array;
  bool isReadOnly = false;
  if (nb::ndarray<> writable; nb::try_cast(object, writable))
    array = Array(writable);
  else if (isReadOnly = nb::try_cast(object, array); !isReadOnly)
    throw nb::type_error(
        ("from_dlpack: an object with __dlpack__() is needed, such as an array "
         "of NumPy or a tensor of PyTorch on the CPU, not one of type " +
         typeName(object))
            .c_str());
  if (array.device_type() != nb::device::cpu::value)
    throwPython(PyExc_BufferError,
                "from_dlpack: the memory of the array is on a device of kind " +
                    std::to_string(array.device_type()) +
                    " of DLPack, and has to be the CPU's: copy it there first");
  StridedView view;
  view.dtype = fromDlpack(array.dtype());
  // The elements before and after the first one, whose address is known.
  int64_t before = 0, after = 0;
  for (std::size_t axis = 0; axis < array.ndim(); ++axis) {
    const auto size = int64_t(array.shape(axis));
    const int64_t stride = array.stride(axis);
    view.shape.push_back(size);
    view.strides.push_back(stride);
    (stride < 0 ? before : after) += (size - 1) * stride;
  }
  const auto size = int64_t(itemSize(view.dtype));
  const bool isEmpty = array.size() == 0;
  const int64_t bytes = isEmpty ? 0 : (after - before + 1) * size;
  const char *first = static_cast<const char *>(array.data());
  view.offset = isEmpty ? 0 : -before;
  // Kernels only read it.
  auto *memory = const_cast<char *>(isEmpty ? first : first + before * size);
  // A function that can be copied, as std::function wants it.
  auto *owner = new Array(std::move(array));
  try {
    view.buffer = Buffer::external(
        Device::get("CPU"), memory, std::size_t(bytes),
        [owner] { release(std::unique_ptr<Array>(owner)); }, view.dtype);
  } catch (...) {
    delete owner;
    throw;
  }
  return finish(fromStrided(view), view, isReadOnly);
}

static Tensor fromBlob(std::uintptr_t address, ShapeArgument shape,
                       DTypeArgument dtype, DeviceArgument device) {
  StridedView view;
  view.dtype = dtype.get().value_or(DType::Float32);
  for (const SymInt &size : shape.get()) {
    if (size.isSymbolic())
      throw ShapeError("from_blob: sizes are numbers, not " + size.str());
    view.shape.push_back(size.value());
  }
  const std::optional<int64_t> bytes = denseByteSize(view.dtype, view.shape);
  if (!bytes)
    throw ShapeError("from_blob: no memory has the shape " +
                     toString(shape.get()));
  if (address == 0 && *bytes != 0)
    throwPython(PyExc_ValueError, "from_blob: the address is 0");
  view.strides.resize(view.shape.size());
  for (int64_t axis = int64_t(view.shape.size()) - 1, stride = 1; axis >= 0;
       --axis) {
    view.strides[std::size_t(axis)] = stride;
    stride *= std::max<int64_t>(view.shape[std::size_t(axis)], 1);
  }
  const std::string name = device.get();
  Device &place = name.empty() ? Device::getDefault() : Device::get(name);
  view.buffer = Buffer::external(
      place, reinterpret_cast<void *>(address), // NOLINT
      std::size_t(*bytes), [] {}, view.dtype);
  return finish(fromStrided(view), view, false);
}

//===----------------------------------------------------------------------===//
// Memory for others
//===----------------------------------------------------------------------===//

/// An object of nanobind that has the protocols for the tensor's memory, which
/// it keeps. With nb::ro, others are asked not to write.
template <typename... Traits> static nb::object share(const Tensor &tensor) {
  checkHasValues(tensor);
  auto view = std::make_unique<StridedView>();
  {
    const PythonCallSite site;
    const detail::KeptOrigins kept;
    const Unlocked unlocked;
    *view = toStrided(tensor);
  }
  // An empty buffer has no address, which others take for an error.
  static char nothing[16];
  void *data = view->buffer.address() ? view->data() : nothing;
  std::vector<std::size_t> shape(view->shape.begin(), view->shape.end());
  const std::vector<int64_t> strides = view->strides;
  const nb::dlpack::dtype type = toDlpack(view->dtype);
  nb::capsule owner(view.release(), [](void *pointer) noexcept {
    delete static_cast<StridedView *>(pointer);
  });
  return nb::cast(nb::ndarray<nb::array_api, Traits...>(
      data, shape.size(), shape.data(), owner, strides.data(), type));
}

static void checkIsOnHost(const Tensor &tensor, const char *function) {
  if (!Device::get(tensor.device()).information().hostVisible)
    throwPython(PyExc_BufferError,
                std::string(function) + ": the memory of device " +
                    tensor.device() +
                    " is not the CPU's: use .to(\"CPU\") first");
}

static int getBuffer(PyObject *self, Py_buffer *buffer, int flags) noexcept {
  buffer->obj = nullptr;
  try {
    const Tensor &tensor = *nb::inst_ptr<Tensor>(self);
    const DType dtype = tensor.dtype();
    if (dtype == DType::BFloat16 || isFloat8(dtype))
      throwPython(PyExc_BufferError,
                  std::string("the buffer protocol has no type for elements of "
                              "dtype ") +
                      name(dtype) + ": use .float() first");
    checkIsOnHost(tensor, "the buffer protocol");
    // Fills `buffer`, which then refers to the shared object.
    return PyObject_GetBuffer(share<nb::ro>(tensor).ptr(), buffer, flags);
  } catch (nb::python_error &error) {
    error.restore();
  } catch (const std::exception &error) {
    PyErr_SetString(PyExc_BufferError, error.what());
  }
  return -1;
}

static PyType_Slot slots[] = {
    {Py_bf_getbuffer, reinterpret_cast<void *>(&getBuffer)}, {0, nullptr}};

PyType_Slot *tinygrad::python::getNeighbourSlots() { return slots; }

//===----------------------------------------------------------------------===//
// Pickles and copies
//===----------------------------------------------------------------------===//

static nb::tuple getState(const Tensor &self) {
  checkHasValues(self);
  HostArray array;
  {
    const PythonCallSite site;
    const Unlocked unlocked;
    array = self.toHost();
  }
  const nb::bytes bytes(array.data.address(), std::size_t(array.numElements()) *
                                                  itemSize(array.dtype));
  const Tensor gradient = self.grad();
  return nb::make_tuple(bytes, array.shape, name(array.dtype), self.device(),
                        self.requiresGrad(),
                        gradient.defined() ? nb::cast(gradient) : nb::none());
}

static void setState(Tensor &self, const nb::tuple &state) {
  if (nb::len(state) != 6)
    throw nb::value_error("not the pickle of a tensor of this version");
  const auto bytes = nb::cast<nb::bytes>(state[0]);
  const auto sizes = nb::cast<std::vector<int64_t>>(state[1]);
  const auto dtype = dtypeFromName(nb::cast<std::string>(state[2]));
  const std::optional<int64_t> expected =
      dtype ? denseByteSize(*dtype, sizes) : std::nullopt;
  if (!expected || std::size_t(*expected) != bytes.size())
    throw nb::value_error("the pickle of a tensor is damaged");
  // Where there is no such device, the default one takes its place.
  auto device = nb::cast<std::string>(state[3]);
  const std::vector<std::string> present = Device::available();
  if (std::find(present.begin(), present.end(),
                device.substr(0, device.find(':'))) == present.end())
    device.clear();
  new (&self)
      Tensor(Tensor::fromBytes(bytes.data(), Shape(sizes.begin(), sizes.end()),
                               *dtype, TensorOptions(dtype, device)));
  if (nb::cast<bool>(state[4]))
    self.setRequiresGrad(true);
  if (!state[5].is_none())
    self.setGrad(nb::cast<Tensor>(nb::object(state[5])));
}

static Tensor copyDeeply(const Tensor &self) {
  Tensor copy = self.detach().clone();
  if (self.requiresGrad())
    copy.setRequiresGrad(true);
  if (const Tensor gradient = self.grad(); gradient.defined())
    copy.setGrad(gradient.clone());
  return copy;
}

void tinygrad::python::bindNeighbours(TensorClass &tensor) {
  tensor.def_static("from_dlpack", &fromDlpackObject, arg("x"),
                    "A tensor of an array's memory, which stays where it is: "
                    "what its owner writes there is seen by later "
                    "computations, and assignments write into it if it is "
                    "contiguous. Of a read-only array it is a copy. Any shape "
                    "and strides on the CPU.");
  tensor.def_static("from_blob", &fromBlob, arg("ptr"), arg("shape"),
                    arg("dtype") = nb::none(), arg("device") = nb::none(),
                    "A tensor of the memory at an address, which has to stay "
                    "valid as long as the tensor; float32 unless a dtype is "
                    "given.");
  tensor.def(
      "__dlpack__",
      [](const Tensor &self, nb::kwargs keywords) {
        checkIsOnHost(self, "__dlpack__");
        // nanobind's objects do not copy.
        nb::dict others;
        bool isCopy = false;
        for (auto [key, value] : keywords) {
          if (nb::cast<std::string>(key) == "copy" && value.is(Py_True))
            isCopy = true;
          else
            others[key] = value;
        }
        Tensor tensor = self;
        if (isCopy) {
          checkHasValues(self);
          const PythonCallSite site;
          const Unlocked unlocked;
          tensor = copyMemory(self);
        }
        return nb::object(share<>(tensor).attr("__dlpack__")(**others));
      },
      "The tensor's memory for another library: what that writes into it "
      "changes the tensor.");
  tensor.def(
      "__dlpack_device__",
      [](const Tensor &self) {
        checkIsOnHost(self, "__dlpack_device__");
        return std::pair(int(nb::device::cpu::value), 0);
      },
      "DLPack's number of the CPU, and 0.");
  tensor.def("__getstate__", &getState);
  tensor.def("__setstate__", &setState);
  tensor.def(
      "__copy__", [](const Tensor &self) { return Tensor(self); },
      "Another object for the same tensor.");
  tensor.def(
      "__deepcopy__",
      [](const Tensor &self, nb::handle) { return copyDeeply(self); },
      arg("memo"), "A tensor with the same values and gradient.");
}
