//===- Convert.h - Python objects as arguments ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The types of parameters that several kinds of Python objects can be given
/// for. Their casters accept every object; get() converts it, and throws a
/// TypeError or ValueError that says what would be right.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_PYTHON_CONVERT_H
#define TINYGRAD_PYTHON_CONVERT_H

#include "StableAbi.h"
#include "TinyGrad/Tensor/Tensor.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <list>
#include <optional>
#include <string>
#include <vector>

namespace tinygrad {
struct ProgramStep;
} // namespace tinygrad

namespace tinygrad::python {

namespace nb = nanobind;

/// A Python object whose type is checked when it is converted.
struct Argument {
  nb::handle object;
  bool isNone() const { return !object.is_valid() || object.is_none(); }
};

/// A tensor, a number, a variable, or what a tensor can be made of.
struct OperandArgument : Argument {
  /// The operand refers to a tensor that this keeps.
  Operand get();
  /// The same for an operation with \p other. An integer that the integers of
  /// its type do not have wraps around, as in C.
  Operand get(const Tensor &other);
  /// The same, but such an integer becomes a tensor of a type that has it.
  Operand getWide(const Tensor &other);
  /// The same, but of such an integer the nearest one of the type.
  Operand getNearest(const Tensor &other);
  /// A tensor: a number is one without axes, of the type of \p other where
  /// that can hold numbers of its kind.
  Tensor tensor(const Tensor &other);
  Scalar scalar() const;

private:
  std::optional<Tensor> made;
};

/// None, a DType, its name, or Python's bool, int or float.
struct DTypeArgument : Argument {
  std::optional<DType> get() const;
  DType required() const;
};

/// A number of elements, or a sequence of them.
struct ShapeArgument : Argument {
  Shape get() const;
};

/// None for all axes, an axis, or a sequence of axes.
struct AxesArgument : Argument {
  Axes get() const;
};

/// A number for all axes or a sequence with one for each.
struct PerAxisArgument : Argument {
  PerAxis get() const;
};

/// None, or the name of a device; a tuple or list with one name.
struct DeviceArgument : Argument {
  std::string get() const;
  /// The names, if it is a tuple or list of several.
  std::optional<std::vector<std::string>> getSeveral() const;
};

/// An int or an expression over variables.
struct SizeArgument : Argument {
  SymInt get() const;
};

/// A level of lists or tuples, which may contain themselves: RecursionError if
/// there are too many.
class Recursion {
public:
  /// What follows the interpreter's words in the message.
  explicit Recursion(const char *where);
  ~Recursion();
  Recursion(const Recursion &) = delete;
  Recursion &operator=(const Recursion &) = delete;
};

inline bool isTensor(PyObject *object) {
  return nb::isinstance<Tensor>(nb::handle(object));
}

/// A tensor as the object of Python that it is.
class TensorObject : public nb::object {
  NB_OBJECT(TensorObject, nb::object, "tinygrad_mlir._core.Tensor", isTensor)
};

Scalar toScalar(nb::handle object);
/// OverflowError for an int that has more than 64 bits with its sign.
SymInt toSize(nb::handle object);
/// \p result, or the tensor \p self itself if it is the same: programs for
/// tinygrad compare with `is`, and set `grad` of one and read that of the
/// other.
nb::object unlessSame(nb::object self, bool isSame, const Tensor &result);
/// An int if the size is a number.
nb::object toPython(const SymInt &size);
/// The same; TypeError for what is no int. \p what is for messages.
int64_t toInt(nb::handle object, const char *what);
/// The sizes that a method with `*args` was given, as numbers or as one
/// sequence of them.
Shape toShape(const nb::args &arguments);
std::vector<int64_t> toInts(const nb::args &arguments, const char *what);
DType toDType(nb::handle object);
/// The smallest or largest value of a type.
Scalar getExtreme(DType dtype, bool isLargest);
/// The values of `*args`, or of the keyword \p name in their place, of a method
/// with no other keywords. Throws a TypeError if there are none.
nb::args takeArguments(const char *method, const char *name,
                       const nb::args &arguments, const nb::kwargs &keywords);
/// The dtype of an object that NumPy describes by a type string such as "<f4".
std::optional<DType> dtypeFromTypeString(std::string_view text);

/// A tensor of a number, bytes, (nested) lists and tuples, an array, a file
/// (pathlib.Path) or another tensor.
Tensor toTensor(nb::handle object, const TensorOptions &options = {});
inline TensorOptions toOptions(const DTypeArgument &dtype,
                               const DeviceArgument &device) {
  return TensorOptions(dtype.get(), device.get());
}
inline OptionalTensor optional(const Tensor *tensor) {
  return tensor ? OptionalTensor(*tensor) : OptionalTensor();
}

/// Throws an exception of a built-in type.
[[noreturn]] void throwPython(PyObject *type, const std::string &message);

/// The name of the Python type, for messages.
std::string typeName(nb::handle object);

/// An index of a tensor, and the tensors that were made of lists in it. As in
/// tinygrad, a list of anything but ints (or bools) is a tuple.
struct IndexList {
  explicit IndexList(nb::handle index);
  std::vector<Index> entries;

private:
  void add(nb::handle entry);
  std::list<Tensor> made;
};

/// DLPack's name of an element type.
nb::dlpack::dtype toDlpack(DType dtype);

/// Throws a ValueError if the tensor's shape has variables without a value.
void checkHasValues(const Tensor &tensor);

/// From pixels, of UInt8, to others by weights of 7 bits, as in tinygrad.
Tensor lerpPixels(const Tensor &x, const Tensor &end, const Tensor &weight);

/// The elements of a host tensor as Python objects.
nb::object toList(const Tensor &tensor);

/// The tensors among the arguments of a method with `*args`; one list of them
/// counts as its elements.
std::vector<Tensor> toTensors(nb::handle arguments);

using TensorClass = nb::class_<Tensor>;
void bindErrors(nb::module_ &module);
void bindInterrupts();
/// Explains wrong arguments of all functions of the module, called last.
void explainArguments(nb::module_ &module);
void bindProcess(nb::module_ &module);
void bindDTypes(nb::module_ &module);
void bindSizes(nb::module_ &module);
void bindCreation(TensorClass &tensor);
void bindElementwise(TensorClass &tensor);
void bindMovement(TensorClass &tensor);
void bindNeighbours(TensorClass &tensor);
/// The slots of the type for Python's buffer protocol.
PyType_Slot *getNeighbourSlots();
void bindIndexing(TensorClass &tensor);
void bindReductions(TensorClass &tensor);
void bindNetworks(TensorClass &tensor);
void bindValues(TensorClass &tensor);
void bindCustomGradients(TensorClass &tensor);
void bindJit(nb::module_ &module);
void bindNodes(nb::module_ &module, TensorClass &tensor);
void bindRuntime(nb::module_ &module);
/// After bindNodes().
void bindMemory(nb::module_ &module);
void bindState(nb::module_ &module);

/// The fields of each step, which are those of tinygrad_mlir.kernels.Kernel.
nb::list toObjects(const std::vector<ProgramStep> &steps);

} // namespace tinygrad::python

#define TINYGRAD_ARGUMENT_CASTER(TYPE, NAME)                                   \
  template <> struct type_caster<tinygrad::python::TYPE> {                     \
    NB_TYPE_CASTER(tinygrad::python::TYPE, const_name(NAME))                   \
    bool from_python(handle object, uint32_t, cleanup_list *) noexcept {       \
      value.object = object;                                                   \
      return true;                                                             \
    }                                                                          \
    static handle from_cpp(const tinygrad::python::TYPE &argument, rv_policy,  \
                           cleanup_list *) noexcept {                          \
      return argument.object.inc_ref();                                        \
    }                                                                          \
  };

namespace nanobind::detail {
TINYGRAD_ARGUMENT_CASTER(OperandArgument, "Tensor | bool | int | float")
TINYGRAD_ARGUMENT_CASTER(DTypeArgument, "DType | str | type | None")
TINYGRAD_ARGUMENT_CASTER(ShapeArgument, "int | collections.abc.Sequence[int]")
TINYGRAD_ARGUMENT_CASTER(AxesArgument,
                         "int | collections.abc.Sequence[int] | None")
TINYGRAD_ARGUMENT_CASTER(PerAxisArgument, "int | collections.abc.Sequence[int]")
TINYGRAD_ARGUMENT_CASTER(DeviceArgument, "str | None")
TINYGRAD_ARGUMENT_CASTER(SizeArgument, "int")

/// Types of elements are the members of `dtypes`, one object for each.
template <> struct type_caster<tinygrad::DType> {
  NB_TYPE_CASTER(tinygrad::DType, const_name("DType"))
  bool from_python(handle object, uint32_t, cleanup_list *) noexcept;
  static handle from_cpp(tinygrad::DType dtype, rv_policy,
                         cleanup_list *) noexcept;
};
} // namespace nanobind::detail

#endif // TINYGRAD_PYTHON_CONVERT_H
