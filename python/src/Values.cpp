//===- Values.cpp - facts, values, gradients ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallSite.h"
#include "Convert.h"
#include "Interrupts.h"
#include "MappedFiles.h"

#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Tensor/External.h"
#include "TinyGrad/Tensor/KeptOrigins.h"

#include <nanobind/ndarray.h>

#include <algorithm>

using namespace tinygrad;
using namespace tinygrad::python;
using nb::arg;

nb::object tinygrad::python::toPython(const SymInt &size) {
  if (size.isSymbolic())
    return nb::cast(size);
  return nb::int_(size.value());
}

static nb::tuple toPython(const Shape &shape) {
  nb::object tuple = nb::steal(PyTuple_New(Py_ssize_t(shape.size())));
  for (std::size_t i = 0; i < shape.size(); ++i)
    PyTuple_SET_ITEM(tuple.ptr(), Py_ssize_t(i),
                     toPython(shape[i]).release().ptr());
  return nb::borrow<nb::tuple>(tuple);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

void tinygrad::python::checkHasValues(const Tensor &tensor) {
  if (tensor.isSymbolic() &&
      !std::all_of(tensor.shape().begin(), tensor.shape().end(),
                   [](const SymInt &size) { return size.hasValue(); }))
    throw nb::builtin_exception(nb::exception_type::value_error,
                                ("a tensor of shape " +
                                 toString(tensor.shape()) +
                                 " has no values until its variables are bound")
                                    .c_str());
}

/// The values in host memory. Other threads of Python run meanwhile.
static HostArray read(const Tensor &tensor) {
  checkHasValues(tensor);
  const PythonCallSite site;
  const detail::KeptOrigins kept;
  const Unlocked unlocked;
  return tensor.toHost();
}

static nb::object toNumpy(const Tensor &tensor) {
  const DType dtype = tensor.dtype();
  // NumPy has no such types.
  if (dtype == DType::BFloat16 || isFloat8(dtype))
    return toNumpy(tensor.toFloat());
  // Where there is no NumPy, this says so.
  nb::module_::import_("numpy");
  auto *array = new HostArray(read(tensor));
  nb::capsule owner(array, [](void *pointer) noexcept {
    delete static_cast<HostArray *>(pointer);
  });
  std::vector<std::size_t> shape(array->shape.begin(), array->shape.end());
  // An empty buffer has no address, and NumPy takes none for an error.
  static char nothing[16];
  void *data = array->data.address() ? array->data.address() : nothing;
  return nb::cast(nb::ndarray<nb::numpy>(data, shape.size(), shape.data(),
                                         owner, nullptr, toDlpack(dtype)));
}

static nb::object toElement(const void *data, DType dtype) {
  return dispatch(dtype, [&](auto zero) -> nb::object {
    using E = decltype(zero);
    const E value = *static_cast<const E *>(data);
    if constexpr (std::is_same_v<E, bool>)
      return nb::bool_(value);
    else if constexpr (std::is_unsigned_v<E>)
      return nb::int_(uint64_t(value));
    else if constexpr (std::is_integral_v<E>)
      return nb::int_(int64_t(value));
    else
      return nb::float_(double(value));
  });
}

static nb::object toNestedList(const HostArray &array, std::size_t axis,
                               const char *&data) {
  if (axis == array.shape.size()) {
    nb::object element = toElement(data, array.dtype);
    data += itemSize(array.dtype);
    return element;
  }
  nb::object list = nb::steal(PyList_New(Py_ssize_t(array.shape[axis])));
  for (int64_t i = 0; i < array.shape[axis]; ++i)
    PyList_SET_ITEM(list.ptr(), Py_ssize_t(i),
                    toNestedList(array, axis + 1, data).release().ptr());
  return list;
}

nb::object tinygrad::python::toList(const Tensor &tensor) {
  const HostArray array = read(tensor);
  const char *data = static_cast<const char *>(array.data.address());
  return toNestedList(array, 0, data);
}

static nb::object toItem(const Tensor &tensor) {
  if (!(tensor.numel() == 1))
    throw ShapeError("item: a tensor of shape " + toString(tensor.shape()) +
                     " has not one element, but " + tensor.numel().str());
  const HostArray array = read(tensor);
  return toElement(array.data.address(), array.dtype);
}

/// "CPU", or "('CPU:1', 'CPU:2')".
static std::string placeOf(const Tensor &x) {
  const std::vector<std::string> names = x.devices();
  return names.size() == 1
             ? names.front()
             : nb::cast<std::string>(nb::repr(nb::tuple(nb::cast(names))));
}

static void bindFacts(TensorClass &tensor) {
  tensor.def_prop_ro(
      "shape", [](const Tensor &self) { return toPython(self.shape()); },
      "The sizes of all axes, as a tuple.");
  tensor.def_prop_ro(
      "dtype", [](const Tensor &self) { return self.dtype(); },
      "The type of the elements: a member of dtypes.");
  tensor.def_prop_ro(
      "device",
      [](const Tensor &self) -> nb::object {
        const std::vector<std::string> names = self.devices();
        if (names.size() == 1)
          return nb::cast(names.front());
        return nb::tuple(nb::cast(names));
      },
      "The name of the device, such as \"CPU\", or a tuple of the names of "
      "several.");
  tensor.def_prop_ro(
      "shard_axis", [](const Tensor &self) { return self.shardAxis(); },
      "The axis along which several devices have equal parts; None if each of "
      "them has all of it.");
  tensor.def_prop_ro(
      "shards",
      [](const Tensor &self) { return nb::tuple(nb::cast(self.shards())); },
      "The tensors on its devices, as a tuple.");
  tensor.def_prop_ro(
      "ndim", [](const Tensor &self) { return self.ndim(); },
      "The number of axes.");
  tensor.def_prop_ro(
      "max_shape",
      [](const Tensor &self) {
        Shape largest;
        for (const SymInt &size : self.shape())
          largest.push_back(size.max());
        return toPython(largest);
      },
      "The shape for the largest values of all variables.");
  tensor.def(
      "max_numel", [](const Tensor &self) { return self.numel().max(); },
      "The number of elements for the largest values of all variables.");
  tensor.def(
      "numel", [](const Tensor &self) { return toPython(self.numel()); },
      "The number of elements.");
  tensor.def(
      "element_size", [](const Tensor &self) { return self.itemsize(); },
      "The size of an element in bytes.");
  tensor.def(
      "nbytes", [](const Tensor &self) { return self.nbytes(); },
      "The size of all elements in bytes.");
  tensor.def(
      "size",
      [](const Tensor &self, std::optional<int64_t> dim) -> nb::object {
        if (dim)
          return toPython(self.size(*dim));
        return toPython(self.shape());
      },
      arg("dim") = nb::none(), "The shape, or the size of one axis.");
  tensor.def(
      "is_floating_point",
      [](const Tensor &self) { return self.isFloatingPoint(); },
      "Whether the elements are floats.");
  tensor.def("__len__", [](const Tensor &self) {
    if (self.ndim() == 0)
      throw nb::type_error("len() of a tensor without axes");
    return self.size(0).value();
  });
  tensor.def("__bool__", [](const Tensor &) -> bool {
    throw nb::type_error("a tensor is neither true nor false: use .item() of "
                         "one element, or .all() or .any()");
  });
  // Python would take the bytes of the memory for a text otherwise.
  for (const char *method : {"__int__", "__float__", "__complex__"})
    tensor.def(method, [](const Tensor &) -> nb::object {
      throw nb::type_error("a tensor is not a number: use .item() of one "
                           "element");
    });
  tensor.def("__repr__", [](const Tensor &self) {
    auto describe = [](const Tensor &x) {
      return "<UOp " + placeOf(x) + " " +
             nb::cast<std::string>(nb::repr(toPython(x.shape()))) + " " +
             nb::cast<std::string>(nb::repr(nb::cast(x.dtype()))).substr(7) +
             ">";
    };
    const Tensor gradient = self.grad();
    return "<Tensor " + describe(self) + " on " + placeOf(self) +
           " with grad " +
           (gradient.defined() ? describe(gradient) : std::string("None")) +
           ">";
  });
}

static void bindReading(TensorClass &tensor) {
  tensor.def("numpy", &toNumpy,
             "The values as a NumPy array; bfloat16 and fp8 as float32.");
  tensor.def("tolist", &toList, "The values as nested lists.");
  tensor.def("item", &toItem, "The only element, as a Python number.");
  tensor.def(
      "data",
      [](const Tensor &self) {
        nb::object array = toNumpy(self);
        // Python's memoryview lists no elements of several axes.
        if (self.ndim() > 1 && nb::cast<int64_t>(array.attr("size")) == 0)
          array = array.attr("reshape")(0);
        return nb::module_::import_("builtins").attr("memoryview")(array);
      },
      "The values as a memoryview; of no elements, one of shape (0,).");
  tensor.def("__array__",
             [](const Tensor &self, nb::args, nb::kwargs keywords) {
               nb::object array = toNumpy(self);
               if (keywords.contains("dtype") && !keywords["dtype"].is_none())
                 return nb::object(array.attr("astype")(keywords["dtype"]));
               return array;
             });
  tensor.def(
      "realize",
      [](TensorObject self, nb::args others, nb::kwargs) {
        std::vector<Tensor> tensors = {nb::cast<Tensor>(self)};
        for (nb::handle other : others)
          tensors.push_back(nb::cast<Tensor>(other));
        {
          const PythonCallSite site;
          const Unlocked unlocked;
          realize(tensors);
        }
        return self;
      },
      "Computes the values, and those of further tensors, in one program.");
}

//===----------------------------------------------------------------------===//
// Element type, place, assignment
//===----------------------------------------------------------------------===//

/// The type of unsigned integers of a size in bytes.
static DType unsignedOfSize(std::size_t size) {
  return size == 1   ? DType::UInt8
         : size == 2 ? DType::UInt16
         : size == 4 ? DType::UInt32
                     : DType::UInt64;
}

/// The first of several elements in the place of a large one has its low bits.
/// A bool is a byte, 0 or 1; others are true, too.
static Tensor bitcast(const Tensor &x, DType dtype) {
  if (x.dtype() == DType::Bool && dtype != DType::Bool)
    return bitcast(x.cast(DType::UInt8), dtype);
  if (dtype == DType::Bool && x.dtype() != DType::Bool)
    return bitcast(x, DType::UInt8).cast(DType::Bool);
  const auto from = int64_t(itemSize(x.dtype())), to = int64_t(itemSize(dtype));
  if (from == to)
    return x.bitcast(dtype);
  if (x.ndim() == 0)
    throw DTypeError(std::string("bitcast: ") + name(x.dtype()) + " and " +
                     name(dtype) +
                     " differ in size, and the tensor has no axis that could");
  const DType wide = unsignedOfSize(std::size_t(std::max(from, to))),
              narrow = unsignedOfSize(std::size_t(std::min(from, to)));
  const int64_t ratio = std::max(from, to) / std::min(from, to);
  const Tensor shifts = (Tensor::arange(0, ratio, 1) * (8 * std::min(from, to)))
                            .cast(wide)
                            .to(x.device());
  Shape shape = x.shape();
  if (from > to) {
    shape.back() = shape.back() * ratio;
    return (x.bitcast(wide).unsqueeze(-1) >> shifts)
        .cast(narrow)
        .reshape(shape)
        .bitcast(dtype);
  }
  if (!(shape.back() % ratio == 0))
    throw ShapeError("bitcast: the last axis of " + toString(shape) + " " +
                     name(x.dtype()) + " is no multiple of " +
                     std::to_string(ratio) + ", how many make a " +
                     name(dtype));
  shape.back() = shape.back() / ratio;
  shape.push_back(ratio);
  return (x.bitcast(narrow).cast(wide).reshape(shape) << shifts)
      .sum(-1, false, wide)
      .bitcast(dtype);
}

/// The names of a tuple or list.
static std::vector<std::string> toDevices(nb::handle devices) {
  DeviceArgument argument;
  argument.object = devices;
  if (std::optional<std::vector<std::string>> names = argument.getSeveral())
    return *names;
  if (nb::isinstance<nb::str>(devices) || devices.is_none())
    throw nb::type_error("shard() takes a tuple of the names of devices");
  return {argument.get()};
}

static bool isAt(const Tensor &x, const DeviceArgument &device) {
  if (device.isNone())
    return true;
  if (const auto names = device.getSeveral())
    return x.devices() == *names;
  if (getFilePath(device.get()))
    return false;
  return x.devices() ==
         std::vector<std::string>{Device::canonicalName(device.get())};
}

static Tensor moved(const Tensor &x, const DeviceArgument &device) {
  if (const auto names = device.getSeveral())
    return x.shard(*names);
  if (const auto path = getFilePath(device.get()))
    return copyToFile(*path, x);
  return x.to(device.get());
}

static void bindConversions(TensorClass &tensor) {
  tensor.def(
      "cast",
      [](TensorObject self, DTypeArgument dtype) {
        const Tensor &x = *nb::inst_ptr<Tensor>(self);
        const DType type = dtype.required();
        return unlessSame(self, type == x.dtype(), x.cast(type));
      },
      arg("dtype"), "The values as another element type.");
  tensor.def(
      "bitcast",
      [](TensorObject self, DTypeArgument dtype) {
        const Tensor &x = *nb::inst_ptr<Tensor>(self);
        const DType type = dtype.required();
        if (type != x.dtype())
          if (const std::optional<Tensor> part = bitcastInFile(x, type))
            return nb::cast(*part);
        return unlessSame(self, type == x.dtype(), bitcast(x, type));
      },
      arg("dtype"),
      "The same bits as another element type. If its size is another one, so "
      "is that of the last axis.");
  struct Cast {
    const char *name;
    DType dtype;
    const char *text;
  };
  static constexpr Cast kCasts[] = {
      {"float", DType::Float32, "The values as float32."},
      {"half", DType::Float16, "The values as float16."},
      {"bfloat16", DType::BFloat16, "The values as bfloat16."},
      {"double", DType::Float64, "The values as float64."},
      {"int", DType::Int32, "The values as int32."},
      {"long", DType::Int64, "The values as int64."},
      {"short", DType::Int16, "The values as int16."},
      {"bool", DType::Bool, "Whether each element is not 0."}};
  for (const Cast &cast : kCasts)
    tensor.def(
        cast.name,
        [dtype = cast.dtype](TensorObject self) {
          const Tensor &x = *nb::inst_ptr<Tensor>(self);
          return unlessSame(self, dtype == x.dtype(), x.cast(dtype));
        },
        cast.text);
  tensor.def(
      "contiguous",
      [](const Tensor &self, nb::kwargs) { return self.contiguous(); },
      "The same values in a buffer; ends fusion.");
  tensor.def(
      "contiguous_backward",
      [](const Tensor &self) {
        return isFloat(self.dtype()) ? self.contiguousBackward() : self;
      },
      "The same values, whose gradient is computed into a buffer.");
  tensor.def(
      "detach", [](const Tensor &self) { return self.detach(); },
      "The same values with no gradient through them.");
  tensor.def(
      "clone",
      [](const Tensor &self, DeviceArgument device) {
        auto copy = [&](const Tensor &x) {
          return device.isNone() ? x.clone() : moved(x.clone(), device);
        };
        Tensor result = copy(self);
        if (const Tensor gradient = self.grad(); gradient.defined())
          result.setGrad(copy(gradient));
        return result;
      },
      arg("device") = nb::none(),
      "The same values, which assignments to this do not change, with a copy "
      "of .grad.");
  tensor.def(
      "to",
      [](TensorObject self, DeviceArgument device) -> nb::object {
        const auto &x = *nb::inst_ptr<Tensor>(self);
        return isAt(x, device) ? self : nb::cast(moved(x, device));
      },
      arg("device").none(),
      "The values on another device, or copies of them on several.");
  tensor.def(
      "to_",
      [](TensorObject self, DeviceArgument device) {
        auto &x = *nb::inst_ptr<Tensor>(self);
        if (isAt(x, device))
          return self;
        const Tensor gradient = x.grad();
        x.replace(moved(x, device));
        if (gradient.defined())
          x.setGrad(moved(gradient, device));
        return self;
      },
      arg("device").none(), "Moves this tensor to another device, or several.");
  tensor.def(
      "shard",
      [](const Tensor &self, nb::object devices, std::optional<int64_t> axis) {
        return self.shard(toDevices(devices), axis);
      },
      arg("devices"), arg("axis") = nb::none(),
      "Equal parts along an axis on several devices, or copies of it all.");
  tensor.def(
      "shard_",
      [](TensorObject self, nb::object devices, std::optional<int64_t> axis) {
        auto &x = *nb::inst_ptr<Tensor>(self);
        x.replace(x.shard(toDevices(devices), axis));
        return self;
      },
      arg("devices"), arg("axis") = nb::none(),
      "Moves this tensor to several devices, see shard().");
  tensor.def(
      "shard_like",
      [](TensorObject self, const Tensor &y) {
        const auto &x = *nb::inst_ptr<Tensor>(self);
        const bool isThere =
            x.devices() == y.devices() && x.shardAxis() == y.shardAxis();
        return isThere ? self : nb::cast(x.shardLike(y));
      },
      arg("y"),
      "The values on the devices of y, in parts along the same axis.");
  tensor.def(
      "assign",
      [](TensorObject self, OperandArgument x) {
        auto &target = *nb::inst_ptr<Tensor>(self);
        // A list has the type of the tensor.
        if (nb::isinstance<nb::list>(x.object) ||
            nb::isinstance<nb::tuple>(x.object))
          assignOrWrite(
              target, toTensor(x.object,
                               TensorOptions(target.dtype(), target.device())));
        else
          assignOrWrite(target, x.get());
        return self;
      },
      arg("x"), "Overwrites the values, for all that share them.");
  tensor.def(
      "replace",
      [](TensorObject self, const Tensor &x) {
        auto &target = *nb::inst_ptr<Tensor>(self);
        if (target.shape() != x.shape())
          throw ShapeError("replace: a tensor of shape " +
                           toString(target.shape()) + " by one of shape " +
                           toString(x.shape()));
        target.replace(x);
        return self;
      },
      arg("x"), "Makes this object another tensor.");
}

//===----------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------===//

static void bindGradients(TensorClass &tensor) {
  tensor.def(
      "backward",
      [](TensorObject self, const Tensor *gradient) {
        detail::backwardToAll(nb::cast<Tensor>(self), optional(gradient));
        return self;
      },
      arg("gradient") = nb::none(),
      "Adds to .grad of each tensor of floats that this was computed from.");
  tensor.def(
      "gradient",
      [](const Tensor &self, nb::args targets, nb::kwargs keywords) {
        OptionalTensor cotangent;
        for (auto [name, value] : keywords) {
          if (nb::cast<std::string>(name) != "gradient")
            throw nb::type_error(("gradient() got an unexpected keyword "
                                  "argument '" +
                                  nb::cast<std::string>(name) +
                                  "': it has gradient")
                                     .c_str());
          if (!value.is_none() && !nb::isinstance<Tensor>(value))
            throw nb::type_error(("gradient(): gradient is a Tensor or None, "
                                  "not an object of type " +
                                  typeName(value))
                                     .c_str());
          if (!value.is_none())
            cotangent = *nb::inst_ptr<Tensor>(value);
        }
        return self.gradient(toTensors(targets), cotangent, true);
      },
      "The gradients of this by each of the tensors.");
  tensor.def_prop_rw(
      "grad",
      [](const Tensor &self) -> std::optional<Tensor> {
        const Tensor gradient = self.grad();
        return gradient.defined() ? std::optional(gradient) : std::nullopt;
      },
      [](Tensor &self, const Tensor *gradient) {
        self.setGrad(optional(gradient));
      },
      nb::for_setter(nb::arg("gradient").none()),
      "What backward() has computed, or None.");
  tensor.def_prop_rw(
      "requires_grad", [](const Tensor &self) { return self.requiresGrad(); },
      [](Tensor &self, std::optional<bool> value) {
        self.setRequiresGrad(value.value_or(false));
      },
      nb::for_setter(nb::arg("value").none()),
      "Whether this is a parameter, which optimizers change.");
  tensor.def(
      "requires_grad_",
      [](TensorObject self, bool value) {
        nb::inst_ptr<Tensor>(self)->setRequiresGrad(value);
        return self;
      },
      arg("requires_grad") = true, "Sets requires_grad.");
  tensor.def_prop_rw_static(
      "training", [](nb::handle) { return TrainingScope::isActive(); },
      [](nb::handle, bool value) { TrainingScope::set(value); },
      "Whether dropout and normalizations are those of training.");
  tensor.def_prop_rw_static(
      "no_grad",
      [](nb::handle) {
        return nb::module_::import_("tinygrad_mlir.tensor").attr("no_grad");
      },
      [](nb::handle, bool value) { NoGradScope::set(value); });
  tensor.def_prop_rw_static(
      "_no_grad", [](nb::handle) { return NoGradScope::isActive(); },
      [](nb::handle, bool value) { NoGradScope::set(value); });
}

void tinygrad::python::bindValues(TensorClass &tensor) {
  bindFacts(tensor);
  bindReading(tensor);
  bindConversions(tensor);
  bindGradients(tensor);
}
