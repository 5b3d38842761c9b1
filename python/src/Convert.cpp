//===- Convert.cpp - Python objects as arguments --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Convert.h"

#include "TinyGrad/Runtime/DefaultFloat.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/State/MapFile.h"
#include "TinyGrad/Tensor/GraphNode.h"

#include <filesystem>
#include <system_error>

using namespace tinygrad;
using namespace tinygrad::python;

std::string tinygrad::python::typeName(nb::handle object) {
  return nb::cast<std::string>(object.type().attr("__name__"));
}

void tinygrad::python::throwPython(PyObject *type, const std::string &message) {
  PyErr_SetString(type, message.c_str());
  throw nb::python_error();
}

Recursion::Recursion(const char *where) {
  if (Py_EnterRecursiveCall(where))
    throw nb::python_error();
}

Recursion::~Recursion() { Py_LeaveRecursiveCall(); }

/// A TypeError and, as in tinygrad, a RuntimeError.
[[noreturn]] static void throwType(const std::string &message) {
  throw DTypeError(message);
}

/// An integer of Python or NumPy, but no bool.
static bool isInt(nb::handle object) {
  return !PyBool_Check(object.ptr()) &&
         (PyLong_Check(object.ptr()) || PyIndex_Check(object.ptr()));
}

static bool isSequence(nb::handle object) {
  return PyTuple_Check(object.ptr()) || PyList_Check(object.ptr());
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static Scalar toInteger(nb::handle object) {
  nb::object number = nb::steal(PyNumber_Index(object.ptr()));
  if (!number.is_valid())
    throw nb::python_error();
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow == 0) {
    if (value == -1 && PyErr_Occurred())
      throw nb::python_error();
    return Scalar(int64_t(value));
  }
  const unsigned long long large = PyLong_AsUnsignedLongLong(number.ptr());
  if (large == ~0ULL && PyErr_Occurred()) {
    PyErr_Clear();
    throwPython(PyExc_OverflowError,
                "the integer " + nb::cast<std::string>(nb::str(number)) +
                    " does not fit 64 bits");
  }
  return Scalar(uint64_t(large));
}

/// An integer as a size or a position, which have a sign and 64 bits.
static int64_t toInt64(nb::handle object, const char *what) {
  const Scalar value = toInteger(object);
  if (!value.fits(DType::Int64))
    throwPython(PyExc_OverflowError,
                std::string(what) + " of " + value.str() +
                    " is not possible: it is at most 2**63 - 1");
  return int64_t(value.toBits());
}

static bool isNumber(nb::handle object) {
  return PyBool_Check(object.ptr()) || PyFloat_Check(object.ptr()) ||
         PyLong_Check(object.ptr()) || nb::isinstance<SymInt>(object);
}

/// A scalar of NumPy, or of another library with its protocol.
static bool isForeignNumber(nb::handle object) {
  return !PyType_Check(object.ptr()) && nb::hasattr(object, "dtype") &&
         nb::hasattr(object, "item") && nb::hasattr(object, "ndim") &&
         !nb::isinstance<Tensor>(object) &&
         nb::cast<int64_t>(object.attr("ndim")) == 0;
}

Scalar tinygrad::python::toScalar(nb::handle object) {
  if (PyBool_Check(object.ptr()))
    return Scalar(object.is(Py_True));
  if (PyFloat_Check(object.ptr()))
    return Scalar(PyFloat_AS_DOUBLE(object.ptr()));
  if (PyLong_Check(object.ptr()))
    return toInteger(object);
  if (nb::isinstance<SymInt>(object))
    return Scalar(nb::cast<SymInt>(object));
  if (isForeignNumber(object))
    return toScalar(nb::object(object.attr("item")()));
  throwType("a number is needed, not an object of type " + typeName(object));
}

SymInt tinygrad::python::toSize(nb::handle object) {
  if (nb::isinstance<SymInt>(object))
    return nb::cast<SymInt>(object);
  if (isInt(object))
    return toInt64(object, "a size");
  if (PyBool_Check(object.ptr()))
    return int64_t(object.is(Py_True));
  throwType("a size is an int or a variable, not an object of type " +
            typeName(object));
}

int64_t tinygrad::python::toInt(nb::handle object, const char *what) {
  if (isInt(object))
    return toInt64(object, what);
  throwType(std::string(what) + " is an int, not an object of type " +
            typeName(object));
}

//===----------------------------------------------------------------------===//
// Shapes and axes
//===----------------------------------------------------------------------===//

static Shape toShapeOf(nb::handle object) {
  Shape shape;
  if (!isSequence(object) && !nb::hasattr(object, "__iter__")) {
    shape.push_back(toSize(object));
    return shape;
  }
  for (nb::handle size : object)
    shape.push_back(toSize(size));
  return shape;
}

Shape tinygrad::python::toShape(const nb::args &arguments) {
  if (arguments.size() == 1)
    return toShapeOf(arguments[0]);
  Shape shape;
  for (nb::handle size : arguments)
    shape.push_back(toSize(size));
  return shape;
}

nb::args tinygrad::python::takeArguments(const char *method, const char *name,
                                         const nb::args &arguments,
                                         const nb::kwargs &keywords) {
  for (auto [key, value] : keywords)
    if (nb::cast<std::string>(key) != name || arguments.size() != 0)
      throw nb::type_error((std::string(method) +
                            "() got an unexpected keyword argument '" +
                            nb::cast<std::string>(key) + "': it has " + name)
                               .c_str());
  if (keywords.size() != 0)
    return nb::borrow<nb::args>(nb::make_tuple(keywords[name]));
  if (arguments.size() == 0)
    throw nb::type_error((std::string(method) + "() needs the argument '" +
                          name + "': numbers, or one tuple of them")
                             .c_str());
  return arguments;
}

Shape ShapeArgument::get() const { return toShapeOf(object); }

static std::vector<int64_t> toIntsOf(nb::handle object, const char *what) {
  std::vector<int64_t> values;
  if (!isSequence(object) && !nb::hasattr(object, "__iter__"))
    return {toInt(object, what)};
  for (nb::handle value : object)
    values.push_back(toInt(value, what));
  return values;
}

std::vector<int64_t> tinygrad::python::toInts(const nb::args &arguments,
                                              const char *what) {
  if (arguments.size() == 1)
    return toIntsOf(arguments[0], what);
  std::vector<int64_t> values;
  for (nb::handle value : arguments)
    values.push_back(toInt(value, what));
  return values;
}

Axes AxesArgument::get() const {
  if (isNone())
    return {};
  return Axes(toIntsOf(object, "an axis"));
}

PerAxis PerAxisArgument::get() const {
  return PerAxis(toIntsOf(object, "a number for each axis"));
}

SymInt SizeArgument::get() const { return toSize(object); }

std::string DeviceArgument::get() const {
  if (isNone())
    return {};
  if (nb::isinstance<nb::str>(object))
    return nb::cast<std::string>(object);
  if (isSequence(object) && nb::len(object) == 1)
    return nb::cast<std::string>(nb::object(object[0]));
  if (isSequence(object))
    throw Error("the tensor is made on one device: its shard() is on several");
  throwType("a device is a name such as \"CPU\", not an object of type " +
            typeName(object));
}

std::optional<std::vector<std::string>> DeviceArgument::getSeveral() const {
  if (isNone() || nb::isinstance<nb::str>(object) || !isSequence(object) ||
      nb::len(object) < 2)
    return std::nullopt;
  std::vector<std::string> names;
  for (nb::handle name : object) {
    if (!nb::isinstance<nb::str>(name))
      throwType("the name of a device is a string such as \"CPU:1\", not an "
                "object of type " +
                typeName(name));
    names.push_back(Device::canonicalName(nb::cast<std::string>(name)));
  }
  return names;
}

std::optional<DType> DTypeArgument::get() const {
  if (isNone())
    return std::nullopt;
  return toDType(object);
}

DType DTypeArgument::required() const { return toDType(object); }

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

Operand OperandArgument::get() {
  if (nb::isinstance<Tensor>(object))
    return Operand(*nb::inst_ptr<Tensor>(object));
  if (isNumber(object))
    return Operand(toScalar(object));
  if (isNone())
    throwType("an operand is a tensor or a number, not None");
  made = toTensor(object);
  return Operand(*made);
}

/// Whether the integers of an operand's type do not have the scalar.
static bool isTooLarge(const Operand &operand, const Tensor &other) {
  return !operand.tensor() && isInteger(other.dtype()) &&
         operand.scalar().kind() == Scalar::Kind::Int &&
         !operand.scalar().isSymbolic() &&
         !operand.scalar().fits(other.dtype());
}

static Scalar wrap(const Scalar &value, DType dtype) {
  const auto shift = unsigned(64 - 8 * itemSize(dtype));
  const uint64_t bits = value.toBits() << shift;
  if (isUnsigned(dtype))
    return Scalar(bits >> shift);
  return Scalar(int64_t(bits) >> shift);
}

Operand OperandArgument::get(const Tensor &other) {
  Operand operand = get();
  if (isTooLarge(operand, other))
    return Operand(wrap(operand.scalar(), other.dtype()));
  return operand;
}

Operand OperandArgument::getWide(const Tensor &other) {
  Operand operand = get();
  if (!isTooLarge(operand, other))
    return operand;
  made = Tensor(operand.scalar());
  return Operand(*made);
}

Operand OperandArgument::getNearest(const Tensor &other) {
  Operand operand = get();
  if (!isTooLarge(operand, other))
    return operand;
  return Operand(
      getExtreme(other.dtype(), /*isLargest=*/!operand.scalar().isNegative()));
}

Tensor OperandArgument::tensor(const Tensor &other) {
  const Operand operand = get(other);
  if (operand.tensor())
    return *operand.tensor();
  const Scalar &value = operand.scalar();
  if (value.isSymbolic())
    return Tensor(value);
  DType dtype = other.dtype();
  if (value.kind() == Scalar::Kind::Float && !isFloat(dtype))
    dtype = defaultFloat();
  else if (value.kind() == Scalar::Kind::Int && dtype == DType::Bool)
    dtype = value.defaultDType();
  return Tensor(value, TensorOptions(dtype, other.device()));
}

Scalar OperandArgument::scalar() const { return toScalar(object); }

std::vector<Tensor> tinygrad::python::toTensors(nb::handle arguments) {
  nb::object list = nb::borrow(arguments);
  if (nb::len(arguments) == 1)
    if (nb::object only =
            nb::borrow(PySequence_Fast_GET_ITEM(arguments.ptr(), 0));
        isSequence(only))
      list = only;
  std::vector<Tensor> tensors;
  for (nb::handle entry : list) {
    if (!nb::isinstance<Tensor>(entry))
      throwType("the arguments are tensors, or one list of tensors, not an "
                "object of type " +
                typeName(entry) + " among others");
    tensors.push_back(*nb::inst_ptr<Tensor>(entry));
  }
  return tensors;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

namespace {
/// Reads nested lists of numbers into the elements of one type.
class NestedList {
public:
  explicit NestedList(nb::handle list) { measure(list, 0); }

  Tensor makeTensor(const TensorOptions &options);
  /// Whether some elements are arrays of NumPy.
  bool hasArrays() const { return hasArray; }

private:
  void measure(nb::handle object, std::size_t depth);
  void checkElement(nb::handle object, std::size_t depth);

  Shape shape;
  bool isShapeKnown = false;
  std::vector<nb::handle> elements;
  bool hasFloat = false, hasInt = false, hasTensor = false, hasArray = false;
};
} // namespace

void NestedList::measure(nb::handle object, std::size_t depth) {
  if (!isSequence(object)) {
    checkElement(object, depth);
    return;
  }
  const Recursion recursion(" in the lists of a tensor's data");
  const auto size = int64_t(nb::len(object));
  if (depth == shape.size() && !isShapeKnown) {
    shape.push_back(size);
  } else if (depth >= shape.size() || !(shape[depth] == SymInt(size))) {
    throw ShapeError("the lists of a tensor's data have different lengths: " +
                     (depth >= shape.size()
                          ? "a list where others of its depth " +
                                std::to_string(depth) + " are numbers"
                          : std::to_string(size) + " elements at depth " +
                                std::to_string(depth) +
                                ", where the first list has " +
                                std::to_string(shape[depth].value())));
  }
  if (size == 0)
    isShapeKnown = true;
  for (int64_t i = 0; i < size; ++i)
    measure(PyList_Check(object.ptr()) ? PyList_GET_ITEM(object.ptr(), i)
                                       : PyTuple_GET_ITEM(object.ptr(), i),
            depth + 1);
}

void NestedList::checkElement(nb::handle object, std::size_t depth) {
  if (depth != shape.size())
    throw ShapeError("the lists of a tensor's data have different depths: a "
                     "number at depth " +
                     std::to_string(depth) + ", where others are lists");
  isShapeKnown = true;
  if (PyFloat_Check(object.ptr()))
    hasFloat = true;
  else if (nb::isinstance<Tensor>(object) || nb::isinstance<SymInt>(object))
    hasTensor = true;
  else if (typeName(object) == "ndarray")
    hasArray = true;
  else if (!PyBool_Check(object.ptr()))
    hasInt = true;
  elements.push_back(object);
}

Tensor NestedList::makeTensor(const TensorOptions &options) {
  if (hasTensor) {
    std::vector<Tensor> tensors;
    for (nb::handle element : elements)
      tensors.push_back(toTensor(element));
    Tensor stacked = Tensor::stack(tensors);
    Shape whole = shape;
    for (const SymInt &size : tensors.front().shape())
      whole.push_back(size);
    stacked = stacked.reshape(whole);
    if (options.dtype)
      stacked = stacked.cast(*options.dtype);
    return options.device.empty() ? stacked : stacked.to(options.device);
  }
  if (elements.empty())
    return Tensor::empty(
        shape,
        TensorOptions(options.dtype.value_or(defaultFloat()), options.device));
  // Numbers of other libraries say themselves which kind they are.
  std::vector<Scalar> values;
  values.reserve(elements.size());
  const DType usual = defaultInt();
  bool isUnusual = false, isLarge = false, isUnsigned = false;
  for (nb::handle element : elements) {
    values.push_back(toScalar(element));
    const Scalar &value = values.back();
    hasFloat |= value.kind() == Scalar::Kind::Float;
    isUnusual |= value.kind() == Scalar::Kind::Int && !value.fits(usual);
    isLarge |= value.kind() == Scalar::Kind::Int && !value.fits(DType::Int32);
    isUnsigned |=
        value.kind() == Scalar::Kind::Int && !value.fits(DType::Int64);
  }
  const DType wanted =
      options.dtype.value_or(hasFloat ? defaultFloat()
                             : hasInt ? (!isUnusual   ? usual
                                         : isUnsigned ? DType::UInt64
                                         : isLarge    ? DType::Int64
                                                      : DType::Int32)
                                      : DType::Bool);
  if (hasFloat || isFloat(wanted)) {
    std::vector<double> numbers;
    numbers.reserve(values.size());
    for (const Scalar &value : values)
      numbers.push_back(value.toDouble());
    if (wanted == DType::Float64)
      return Tensor::fromBytes(numbers.data(), shape, DType::Float64, options);
    if (wanted == DType::Float32) {
      std::vector<float> singles(numbers.begin(), numbers.end());
      return Tensor::fromBytes(singles.data(), shape, DType::Float32,
                               TensorOptions(wanted, options.device));
    }
    return Tensor::fromBytes(numbers.data(), shape, DType::Float64,
                             TensorOptions(wanted, options.device));
  }
  std::vector<uint64_t> numbers;
  numbers.reserve(values.size());
  for (const Scalar &value : values)
    numbers.push_back(value.toBits());
  return dispatch(wanted, [&](auto zero) -> Tensor {
    using E = decltype(zero);
    if constexpr (std::is_integral_v<E>) {
      // No std::vector, which has no array of bools.
      auto converted = std::make_unique<E[]>(numbers.size());
      for (std::size_t i = 0; i < numbers.size(); ++i)
        converted[i] = static_cast<E>(numbers[i]);
      return Tensor::fromBytes(converted.get(), shape, wanted,
                               TensorOptions(wanted, options.device));
    } else {
      return {};
    }
  });
}

/// A contiguous copy of what the array interface of NumPy describes.
static std::optional<Tensor> fromArray(nb::handle object,
                                       const TensorOptions &options) {
  if (!nb::hasattr(object, "__array_interface__"))
    return std::nullopt;
  nb::object interface = object.attr("__array_interface__");
  const auto type = nb::cast<std::string>(interface["typestr"]);
  std::optional<DType> dtype = dtypeFromTypeString(type);
  if (!dtype)
    throwType("arrays of dtype " + type +
              " cannot become tensors: convert it with astype() to bool, an "
              "integer or a float type");
  const Shape shape = toShapeOf(nb::object(interface["shape"]));
  // The protocol allows to leave out strides, and bytes instead of an address.
  nb::object array = nb::borrow(object), get = interface.attr("get");
  if (!get("strides").is_none() || !PyTuple_Check(get("data").ptr())) {
    array = nb::module_::import_("numpy").attr("ascontiguousarray")(object);
    interface = array.attr("__array_interface__");
  }
  const auto address =
      nb::cast<std::uintptr_t>(nb::object(interface["data"][0]));
  return Tensor::fromBytes(reinterpret_cast<const void *>(address), shape,
                           *dtype, options);
}

/// The contents of a file that is mapped into memory, if it can be.
static std::optional<Tensor> mapPath(nb::handle path,
                                     const TensorOptions &options) {
  if (!nb::hasattr(path, "__fspath__"))
    return std::nullopt;
  const nb::bytes encoded(nb::module_::import_("os").attr("fsencode")(path));
  const std::string file(encoded.c_str(), encoded.size());
  // Others, such as pipes and the files of /proc, have no size and are read.
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error) ||
      std::filesystem::file_size(file, error) == 0 || error)
    return std::nullopt;
  try {
    return state::mapFile(file, {.dtype = options.dtype.value_or(DType::UInt8),
                                 .device = options.device.empty()
                                               ? Device::getDefault().name()
                                               : options.device});
  } catch (const IoError &) {
    return std::nullopt; // Python's own error if it cannot be read, either
  }
}

Tensor tinygrad::python::toTensor(nb::handle object,
                                  const TensorOptions &options) {
  // As in tinygrad, no data is the number 0.
  if (object.is_none())
    return Tensor(Scalar(0.0), options);
  if (isNumber(object))
    return Tensor(toScalar(object), options);
  if (nb::isinstance<Tensor>(object)) {
    Tensor tensor = *nb::inst_ptr<Tensor>(object);
    if (options.dtype)
      tensor = tensor.cast(*options.dtype);
    return options.device.empty() ? tensor : tensor.to(options.device);
  }
  if (nb::object node = nb::getattr(object, "node", nb::none());
      nb::isinstance<GraphNode>(node)) // a UOp
    return toTensor(nb::cast(nb::inst_ptr<GraphNode>(node)->tensor()), options);
  if (nb::object tensor = nb::getattr(object, "_tensor", nb::none());
      nb::isinstance<Tensor>(tensor)) // a UOp on several devices
    return toTensor(tensor, options);
  if (isSequence(object)) {
    NestedList list(object);
    if (list.hasArrays())
      return toTensor(
          nb::object(nb::module_::import_("numpy").attr("array")(object).attr(
              "tolist")()),
          options);
    return list.makeTensor(options);
  }
  if (PyBytes_Check(object.ptr())) {
    // They are the memory of the elements.
    const DType dtype = options.dtype.value_or(DType::UInt8);
    const auto size = int64_t(itemSize(dtype));
    const auto bytes = int64_t(PyBytes_GET_SIZE(object.ptr()));
    if (bytes % size != 0)
      throw ShapeError(std::to_string(bytes) +
                       " bytes are no whole number of elements of type " +
                       name(dtype) + ", which have " + std::to_string(size));
    return Tensor::fromBytes(PyBytes_AS_STRING(object.ptr()), {bytes / size},
                             dtype, options);
  }
  if (std::optional<Tensor> made = fromArray(object, options))
    return *made;
  if (isForeignNumber(object))
    return Tensor(toScalar(object), options);
  if (nb::hasattr(object, "read_bytes")) {
    if (std::optional<Tensor> mapped = mapPath(object, options))
      return *mapped;
    return toTensor(nb::object(object.attr("read_bytes")()), options);
  }
  if (PyObject_CheckBuffer(object.ptr()))
    return toTensor(nb::bytes(nb::module_::import_("builtins")
                                  .attr("memoryview")(object)
                                  .attr("tobytes")()),
                    options);
  if (nb::hasattr(object, "__array__"))
    return toTensor(nb::object(object.attr("__array__")()), options);
  throwType("a tensor can be made of a number, bytes, a list or tuple, an "
            "array, a pathlib.Path or None, not of an object of type " +
            typeName(object));
}

nb::object tinygrad::python::unlessSame(nb::object self, bool isSame,
                                        const Tensor &result) {
  return isSame ? self : nb::cast(result);
}
