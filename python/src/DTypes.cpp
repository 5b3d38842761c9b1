//===- DTypes.cpp - element types -----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Convert.h"

#include "TinyGrad/Runtime/DefaultFloat.h"

#include <array>
#include <limits>

using namespace tinygrad;
using namespace tinygrad::python;

namespace {
/// An element type as a Python object, of which there is one for each.
struct TypeObject {
  DType dtype;
};
/// How Python names a type, its C name, and the code of the module `struct`.
struct TypeNames {
  const char *attribute, *cName;
  char format;
};
} // namespace

static TypeNames getNames(DType dtype) {
  switch (dtype) {
  case DType::Bool:
    return {"bool", "bool", '?'};
  case DType::Int8:
    return {"char", "signed char", 'b'};
  case DType::UInt8:
    return {"uchar", "unsigned char", 'B'};
  case DType::Int16:
    return {"short", "short", 'h'};
  case DType::UInt16:
    return {"ushort", "unsigned short", 'H'};
  case DType::Int32:
    return {"int", "int", 'i'};
  case DType::UInt32:
    return {"uint", "unsigned int", 'I'};
  case DType::Int64:
    return {"long", "long", 'q'};
  case DType::UInt64:
    return {"ulong", "unsigned long", 'Q'};
  case DType::Float8E4M3:
    return {"fp8e4m3", "float8_e4m3", 0};
  case DType::Float8E5M2:
    return {"fp8e5m2", "float8_e5m2", 0};
  case DType::Float8E4M3FNUZ:
    return {"fp8e4m3fnuz", "float8_e4m3fnuz", 0};
  case DType::Float8E5M2FNUZ:
    return {"fp8e5m2fnuz", "float8_e5m2fnuz", 0};
  case DType::Float16:
    return {"half", "half", 'e'};
  case DType::BFloat16:
    return {"bfloat16", "__bf16", 0};
  case DType::Float32:
    return {"float", "float", 'f'};
  case DType::Float64:
    break;
  }
  return {"double", "double", 'd'};
}

/// Live as long as the process, as the module does.
static std::array<nb::handle, kNumDTypes> objects;

bool nb::detail::type_caster<DType>::from_python(handle object, uint32_t,
                                                 cleanup_list *) noexcept {
  TypeObject *type;
  if (!nb::try_cast(object, type) || !type)
    return false;
  value = type->dtype;
  return true;
}

nb::handle nb::detail::type_caster<DType>::from_cpp(DType dtype, rv_policy,
                                                    cleanup_list *) noexcept {
  return objects[unsigned(dtype)].inc_ref();
}

/// Names in tinygrad's and in NumPy's style.
static std::optional<DType> find(std::string_view text) {
  for (unsigned i = 0; i < kNumDTypes; ++i)
    if (text == getNames(DType(i)).attribute || text == name(DType(i)))
      return DType(i);
  return dtypeFromName(text);
}

DType tinygrad::python::toDType(nb::handle object) {
  DType dtype;
  if (nb::try_cast(object, dtype))
    return dtype;
  if (object.is(&PyBool_Type))
    return DType::Bool;
  if (object.is(&PyLong_Type))
    return defaultInt();
  if (object.is(&PyFloat_Type))
    return defaultFloat();
  if (nb::isinstance<nb::str>(object)) {
    const auto text = nb::cast<std::string>(object);
    std::string lower = text;
    for (char &letter : lower)
      letter = char(std::tolower(static_cast<unsigned char>(letter)));
    if (lower.starts_with("dtypes."))
      lower.erase(0, 7);
    if (auto found = find(lower))
      return *found;
    // As getattr() does, whose error tinygrad's users see.
    throw nb::attribute_error(
        ("there is no dtype \"" + text +
         "\": it is one of bool, int8, uint8, int16, uint16, int32, uint32, "
         "int64, uint64, fp8e4m3, fp8e5m2, fp8e4m3fnuz, fp8e5m2fnuz, float16, "
         "bfloat16, float32, float64, or a C name such as half, float, int")
            .c_str());
  }
  // A NumPy dtype, or the class of its scalars.
  if (nb::hasattr(object, "str") && nb::hasattr(object, "kind"))
    if (auto found =
            dtypeFromTypeString(nb::cast<std::string>(object.attr("str"))))
      return *found;
  // As for a name of none: tinygrad looks for the text of the object.
  throw nb::attribute_error(
      ("a dtype is a member of dtypes, its name, or bool, "
       "int or float, not an object of type " +
       typeName(object))
          .c_str());
}

std::optional<DType>
tinygrad::python::dtypeFromTypeString(std::string_view text) {
  if (text.size() < 3 || text[0] == '>')
    return std::nullopt;
  const std::string_view kind = text.substr(1);
  if (kind == "b1")
    return DType::Bool;
  for (DType dtype : {DType::Int8, DType::Int16, DType::Int32, DType::Int64,
                      DType::UInt8, DType::UInt16, DType::UInt32, DType::UInt64,
                      DType::Float16, DType::Float32, DType::Float64}) {
    const char letter = isFloat(dtype) ? 'f' : isUnsigned(dtype) ? 'u' : 'i';
    if (kind[0] == letter && kind.substr(1) == std::to_string(itemSize(dtype)))
      return dtype;
  }
  return std::nullopt;
}

/// Of two types in tinygrad's promotion, the larger one wins; equal ones give
/// the next larger type.
static int getPriority(DType dtype) {
  switch (dtype) {
  case DType::Float8E4M3FNUZ:
    return getPriority(DType::Float8E4M3);
  case DType::Float8E5M2FNUZ:
    return getPriority(DType::Float8E5M2);
  default:
    break;
  }
  if (isFloat(dtype))
    return dtype == DType::Float8E4M3   ? 10
           : dtype == DType::Float8E5M2 ? 11
                                        : 12 + int(dtype) - int(DType::Float16);
  return int(dtype);
}

Scalar tinygrad::python::getExtreme(DType dtype, bool isLargest) {
  if (isFloat(dtype))
    return isLargest ? std::numeric_limits<double>::infinity()
                     : -std::numeric_limits<double>::infinity();
  return dispatch(dtype, [&](auto zero) -> Scalar {
    using E = decltype(zero);
    if constexpr (std::is_integral_v<E>)
      return isLargest ? std::numeric_limits<E>::max()
                       : std::numeric_limits<E>::lowest();
    else
      return 0;
  });
}

static nb::object toNumber(const Scalar &value) {
  if (value.kind() == Scalar::Kind::Bool)
    return nb::bool_(value.toBits() != 0);
  if (value.kind() == Scalar::Kind::Float)
    return nb::float_(value.toDouble());
  if (value.isNegative())
    return nb::int_(int64_t(value.toBits()));
  return nb::int_(value.toBits());
}

void tinygrad::python::bindDTypes(nb::module_ &module) {
  nb::class_<TypeObject>(module, "DType",
                         "The type of a tensor's elements: a member of dtypes.")
      .def_prop_ro(
          "name",
          [](const TypeObject &type) { return getNames(type.dtype).cName; })
      .def_prop_ro("itemsize",
                   [](const TypeObject &type) { return itemSize(type.dtype); })
      .def_prop_ro("bitsize",
                   [](const TypeObject &type) {
                     return type.dtype == DType::Bool
                                ? std::size_t(1)
                                : 8 * itemSize(type.dtype);
                   })
      .def_prop_ro(
          "priority",
          [](const TypeObject &type) { return getPriority(type.dtype); })
      .def_prop_ro(
          "fmt",
          [](const TypeObject &type) -> std::optional<std::string> {
            const char format = getNames(type.dtype).format;
            return format ? std::optional(std::string(1, format))
                          : std::nullopt;
          },
          "The code of this type for struct and memoryview, or None.")
      .def_prop_ro(
          "min",
          [](const TypeObject &type) {
            return toNumber(getExtreme(type.dtype, false));
          },
          "The smallest value: minus infinity for floats.")
      .def_prop_ro(
          "max",
          [](const TypeObject &type) {
            return toNumber(getExtreme(type.dtype, true));
          },
          "The largest value: infinity for floats.")
      .def(
          "const",
          [](const TypeObject &type, nb::object value) -> nb::object {
            if (type.dtype == DType::Bool)
              return nb::bool_(nb::cast<bool>(
                  nb::module_::import_("builtins").attr("bool")(value)));
            if (!isFloat(type.dtype))
              return nb::int_(value);
            return nb::module_::import_("tinygrad_mlir.dtype")
                .attr("truncate")[nb::cast(type.dtype)](nb::float_(value));
          },
          nb::arg("val"), "A number as a value of this type.")
      .def("__repr__",
           [](const TypeObject &type) {
             return std::string("dtypes.") + getNames(type.dtype).attribute;
           })
      .def("__lt__",
           [](const TypeObject &a, const TypeObject &b) {
             return getPriority(a.dtype) < getPriority(b.dtype);
           })
      .def("__reduce__", [](const TypeObject &type) {
        return nb::make_tuple(
            nb::module_::import_("tinygrad_mlir.dtype").attr("to_dtype"),
            nb::make_tuple(getNames(type.dtype).attribute));
      });
  nb::dict names;
  for (unsigned i = 0; i < kNumDTypes; ++i) {
    nb::object object = nb::cast(TypeObject{DType(i)});
    // Which the dictionary keeps alive.
    objects[i] = object;
    names[getNames(DType(i)).attribute] = object;
    names[name(DType(i))] = object;
  }
  module.attr("dtype_names") = names;
  module.def("to_dtype", &toDType, nb::arg("dtype"));
  module.def("promote", [](const std::vector<DType> &dtypes) {
    DType result = dtypes.at(0);
    for (DType dtype : dtypes)
      result = promote(result, dtype);
    return result;
  });
  module.def("promote_to_float",
             [](DType dtype) { return promoteToFloat(dtype); });
  module.def("sum_accumulation_dtype",
             [](DType dtype) { return sumAccumulationDType(dtype); });
  module.def("is_lossless_cast", &isLosslessCast);
  module.def("is_float", [](DType dtype) { return isFloat(dtype); });
  module.def("is_int", [](DType dtype) { return isInteger(dtype); });
  module.def("is_unsigned", [](DType dtype) { return isUnsigned(dtype); });
  module.def("default_float", &defaultFloat);
  module.def("set_default_float", &setDefaultFloat, nb::arg("dtype"));
  module.def("default_int", &defaultInt);
  module.def("set_default_int", &setDefaultInt, nb::arg("dtype"));
}
