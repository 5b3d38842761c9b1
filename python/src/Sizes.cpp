//===- Sizes.cpp - symbolic sizes -----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BoundSizes.h"
#include "Convert.h"

#include "TinyGrad/Tensor/Jit.h"
#include "TinyGrad/Tensor/Margins.h"
#include "TinyGrad/Tensor/SymValues.h"

using namespace tinygrad;
using namespace tinygrad::python;
using nb::arg;

template <typename Function>
static void bindOperator(nb::class_<SymInt> &size, const char *name,
                         const char *reflected, Function function) {
  size.def(name, [function](const SymInt &a, SizeArgument b) {
    return toPython(function(a, b.get()));
  });
  size.def(reflected, [function](const SymInt &a, SizeArgument b) {
    return toPython(function(b.get(), a));
  });
}

/// The name, if the size is a variable, with a value or without.
static std::optional<std::string> findName(const SymInt &size) {
  const std::vector<SymVariable> variables = size.variables();
  if (variables.size() != 1)
    return std::nullopt;
  const SymVariable &only = variables[0];
  const Variable variable(only.name, only.min, only.max);
  if (only.value ? variable.bind(*only.value) == size : variable == size)
    return only.name;
  return std::nullopt;
}

static SymInt bind(const SymInt &size, int64_t value) {
  if (!findName(size) || size.hasValue())
    throwPython(PyExc_AssertionError,
                "bind: " + size.str() + " is not a variable without a value");
  const SymVariable variable = size.variables()[0];
  return Variable(variable.name, variable.min, variable.max).bind(value);
}

/// The variable and the value of the result of bind().
static nb::tuple unbind(const SymInt &size) {
  if (findName(size) && size.hasValue()) {
    const SymVariable bound = size.variables()[0];
    const SymInt variable = Variable(bound.name, bound.min, bound.max);
    return nb::make_tuple(variable, *bound.value);
  }
  throwPython(PyExc_AssertionError,
              size.str() + " is not a variable with a value: use bind()");
}

/// Whether a < b, or a <= b, for all values of the variables. Throws if that
/// depends on them.
static bool isLess(const SymInt &a, const SymInt &b, bool orEqual) {
  const SymInt difference = b - a;
  const int64_t least = orEqual ? 0 : 1;
  if (difference.min() >= least)
    return true;
  if (difference.max() < least)
    return false;
  throw nb::value_error((std::string("whether ") + a.str() +
                         (orEqual ? " <= " : " < ") + b.str() +
                         " depends on the values of variables; compare .val")
                            .c_str());
}

//===----------------------------------------------------------------------===//
// Bound variables as numbers
//===----------------------------------------------------------------------===//

std::optional<Tensor> tinygrad::python::withNumbers(const Tensor &x) {
  if (detail::JitCore::isInside())
    return std::nullopt;
  // The largest sizes, then those that the variables are bound to: cutting off
  // what is left alone is not possible for all values.
  std::vector<PadAmount> amounts;
  Parts parts;
  bool isSymbolic = false;
  for (const SymInt &size : x.shape()) {
    if (!size.hasValue())
      return std::nullopt;
    isSymbolic |= size.isSymbolic();
    amounts.push_back({0, size.isSymbolic() ? size.max() - size : SymInt(0)});
    parts.push_back(size.isSymbolic() ? Part(0, size.value()) : Part());
  }
  if (!isSymbolic)
    return std::nullopt;
  return x.pad(Padding(std::move(amounts))).shrink(parts);
}

std::optional<Scalar> tinygrad::python::withNumbers(const Scalar &x) {
  if (detail::JitCore::isInside())
    return std::nullopt;
  if (!x.isSymbolic())
    return x;
  const SymInt size = x.toSymInt();
  return size.hasValue() ? std::optional<Scalar>(size.value()) : std::nullopt;
}

/// The entry of an index; sets \p isChanged if it has a bound variable.
static nb::object toNumbers(nb::handle entry, bool &isChanged) {
  if (nb::isinstance<SymInt>(entry)) {
    const SymInt &size = *nb::inst_ptr<SymInt>(entry);
    if (!size.isSymbolic() || !size.hasValue())
      return nb::borrow(entry);
    isChanged = true;
    return nb::int_(size.value());
  }
  if (PySlice_Check(entry.ptr())) {
    const nb::object begin = toNumbers(entry.attr("start"), isChanged),
                     end = toNumbers(entry.attr("stop"), isChanged),
                     step = toNumbers(entry.attr("step"), isChanged);
    return nb::steal(PySlice_New(begin.ptr(), end.ptr(), step.ptr()));
  }
  if (!nb::isinstance<nb::tuple>(entry))
    return nb::borrow(entry);
  nb::list entries;
  for (nb::handle other : nb::borrow<nb::tuple>(entry))
    entries.append(toNumbers(other, isChanged));
  return nb::tuple(entries);
}

nb::object tinygrad::python::withNumbers(nb::handle index) {
  if (detail::JitCore::isInside())
    return {};
  bool isChanged = false;
  nb::object numbers = toNumbers(index, isChanged);
  return isChanged ? numbers : nb::object();
}

//===----------------------------------------------------------------------===//
// Parts that lie beyond an axis for some values
//===----------------------------------------------------------------------===//

/// Whether a bound value is negative. False in a captured step, which must not
/// read it: the calls before it was captured have checked theirs.
static bool isNegative(const SymInt &size) {
  if (size.min() >= 0 || size.max() < 0)
    return size.max() < 0;
  try {
    return size.value() < 0;
  } catch (const Error &) {
    return false;
  }
}

Tensor tinygrad::python::padBeyond(const Tensor &x, Parts &parts) {
  if (int64_t(parts.size()) != x.ndim())
    return x;
  Shape low(parts.size(), 0), high = low;
  bool isBeyond = false;
  for (std::size_t axis = 0; axis < parts.size(); ++axis) {
    const SymInt size = x.shape()[axis], begin = parts[axis].begin(),
                 end = parts[axis].end(size);
    if (parts[axis].isAll() ||
        (!begin.isSymbolic() && !end.isSymbolic() && !size.isSymbolic()))
      continue;
    const SymInt left = size - end;
    if (begin.min() >= 0 && left.min() >= 0)
      continue;
    // Otherwise, shrink() has the error.
    if (!begin.hasValue() || !end.hasValue() || !size.hasValue() ||
        isNegative(begin) || isNegative(left) || isNegative(end - begin))
      return x;
    const int64_t before = std::max<int64_t>(-begin.min(), 0);
    low[axis] = before;
    high[axis] = std::max<int64_t>(-left.min(), 0);
    parts[axis] = Part(begin + before, end + before);
    isBeyond = true;
  }
  return isBeyond ? detail::withMargins(x, low, high) : x;
}

Tensor tinygrad::python::padBeyond(const Tensor &x,
                                   const std::vector<Index> &entries) {
  int64_t taken = 0;
  auto axesOf = [](const Index &entry) -> int64_t {
    if (auto *positions = std::get_if<const Tensor *>(&entry.get()))
      return (*positions)->dtype() == DType::Bool ? (*positions)->ndim() : 1;
    return std::holds_alternative<SymInt>(entry.get()) ||
           std::holds_alternative<Slice>(entry.get());
  };
  for (const Index &entry : entries)
    taken += axesOf(entry);
  if (taken > x.ndim())
    return x;
  Shape low(std::size_t(x.ndim()), 0), high = low;
  bool isBeyond = false;
  int64_t axis = 0;
  for (const Index &entry : entries) {
    const Slice *slice = std::get_if<Slice>(&entry.get());
    if (slice && slice->start.get() && slice->stop.get() &&
        (!slice->step.get() || *slice->step.get() == 1)) {
      const SymInt begin = *slice->start.get(), end = *slice->stop.get(),
                   left = x.shape()[axis] - end;
      if (begin.isSymbolic() && begin.hasValue() && begin.min() >= 0 &&
          !(end - begin).isSymbolic() && !isNegative(end - begin) &&
          left.hasValue() && left.min() < 0 && !isNegative(left)) {
        high[axis] = -left.min();
        isBeyond = true;
      }
    }
    axis += std::holds_alternative<EllipsisType>(entry.get()) ? x.ndim() - taken
                                                              : axesOf(entry);
  }
  return isBeyond ? detail::withMargins(x, low, high) : x;
}

namespace {
/// The value of a size in a captured step, which is replayed with others:
/// nothing may depend on it but comparisons that are the same for all values.
struct UnreadValue {
  SymInt size;
};
} // namespace

static void bindUnreadValue(nb::module_ &module) {
  nb::class_<UnreadValue> value(module, "UnreadValue",
                                "The value of a size in a captured step.");
  const auto read = [](const UnreadValue &self) { return self.size.value(); };
  const auto isEqual = [](const UnreadValue &self, nb::object other) {
    if (!PyLong_Check(other.ptr()) && !PyFloat_Check(other.ptr()))
      return false;
    // Any number of Python, also one of more than 64 bits.
    return !(other < nb::int_(self.size.min())) &&
           !(other > nb::int_(self.size.max())) &&
           other.equal(nb::int_(self.size.value()));
  };
  value.def("__eq__", isEqual);
  value.def("__ne__", [=](const UnreadValue &self, nb::object other) {
    return !isEqual(self, other);
  });
  value.def("__hash__", read);
  value.def("__int__", read);
  value.def("__index__", read);
  value.def("__bool__", [](const UnreadValue &self) {
    return self.size.min() > 0 || self.size.max() < 0 || self.size.value() != 0;
  });
  value.def("__repr__",
            [](const UnreadValue &self) { return self.size.str() + ".val"; });
  const auto compare = [&](const char *name, auto function) {
    value.def(name, [=](const UnreadValue &self, nb::object other) {
      const bool least = function(nb::int_(self.size.min()), other);
      return least == function(nb::int_(self.size.max()), other)
                 ? least
                 : function(nb::int_(self.size.value()), other);
    });
  };
  compare("__lt__", [](nb::object a, nb::object b) { return a < b; });
  compare("__le__", [](nb::object a, nb::object b) { return a <= b; });
  compare("__gt__", [](nb::object a, nb::object b) { return a > b; });
  compare("__ge__", [](nb::object a, nb::object b) { return a >= b; });
  // What reads it: if that is an error, it says which size.
  for (const char *name :
       {"add", "sub", "mul", "floordiv", "mod", "truediv", "pow"}) {
    const auto apply = [=](nb::handle a, nb::handle b) {
      return nb::object(nb::module_::import_("operator").attr(name)(a, b));
    };
    value.def(("__" + std::string(name) + "__").c_str(),
              [=](const UnreadValue &self, nb::object other) {
                return apply(nb::int_(read(self)), other);
              });
    value.def(("__r" + std::string(name) + "__").c_str(),
              [=](const UnreadValue &self, nb::object other) {
                return apply(other, nb::int_(read(self)));
              });
  }
  for (const char *name : {"__neg__", "__float__", "__abs__"})
    value.def(name, [=](const UnreadValue &self) {
      return nb::object(nb::int_(read(self)).attr(name)());
    });
}

void tinygrad::python::bindSizes(nb::module_ &module) {
  bindUnreadValue(module);
  // One class for all expressions, as in tinygrad: programs ask whether a size
  // is an instance of it.
  nb::class_<SymInt> size(
      module, "Variable",
      "An integer that is known when a program runs, or an expression over "
      "such variables. Sizes and indices of tensors can be one.");
  size.def(
      "__init__",
      [](SymInt *self, std::string_view name, int64_t min, int64_t max) {
        new (self) SymInt(Variable(name, min, max));
      },
      arg("name"), arg("min_val"), arg("max_val"));
  size.def_prop_ro(
      "expr",
      [](const SymInt &self) {
        if (std::optional<std::string> name = findName(self))
          return *name;
        throwPython(PyExc_AssertionError,
                    self.str() + " is not a variable, which has a name");
      },
      "The name of a variable.");
  size.def("bind", &bind, arg("value"),
           "The variable with a value. Programs are compiled for the variable, "
           "so that all values share one.");
  bindOperator(size, "__add__", "__radd__",
               [](const SymInt &a, const SymInt &b) { return a + b; });
  bindOperator(size, "__sub__", "__rsub__",
               [](const SymInt &a, const SymInt &b) { return a - b; });
  bindOperator(size, "__mul__", "__rmul__",
               [](const SymInt &a, const SymInt &b) { return a * b; });
  bindOperator(size, "__floordiv__", "__rfloordiv__",
               [](const SymInt &a, const SymInt &b) { return a / b; });
  bindOperator(size, "__mod__", "__rmod__",
               [](const SymInt &a, const SymInt &b) { return a % b; });
  size.def("__lt__", [](const SymInt &a, SizeArgument b) {
    return isLess(a, b.get(), false);
  });
  size.def("__le__", [](const SymInt &a, SizeArgument b) {
    return isLess(a, b.get(), true);
  });
  size.def("__gt__", [](const SymInt &a, SizeArgument b) {
    return isLess(b.get(), a, false);
  });
  size.def("__ge__", [](const SymInt &a, SizeArgument b) {
    return isLess(b.get(), a, true);
  });
  size.def("__neg__", [](const SymInt &a) { return toPython(-a); });
  size.def("__eq__", [](const SymInt &a, nb::object b) {
    if (!nb::isinstance<SymInt>(b) && !PyLong_Check(b.ptr()))
      return false;
    return a == toSize(b);
  });
  size.def("__hash__", [](const SymInt &a) {
    return Py_hash_t(std::hash<std::string>()(a.str()) >> 1);
  });
  size.def("__repr__", &SymInt::str);
  size.def("__int__", &SymInt::value);
  size.def("unbind", &unbind, "The variable and the value of a bound one.");
  size.def_prop_ro("min", &SymInt::min);
  size.def_prop_ro("max", &SymInt::max);
  size.def_prop_ro("vmin", &SymInt::min);
  size.def_prop_ro("vmax", &SymInt::max);
  size.def(
      "substitute",
      [](const SymInt &self, const nb::dict &values) {
        for (const SymVariable &variable : self.variables())
          if (const nb::str key(variable.name.c_str()); values.contains(key)) {
            const int64_t value = toInt(values[key], "the value of a variable");
            if (value < variable.min || value > variable.max)
              throw ShapeError("variable " + variable.name + " is in [" +
                               std::to_string(variable.min) + ", " +
                               std::to_string(variable.max) + "], not " +
                               std::to_string(value));
          }
        return toPython(detail::withValues(
            self.expression(),
            [&](const std::string &name) -> std::optional<int64_t> {
              const nb::str key(name.c_str());
              if (!values.contains(key))
                return std::nullopt;
              return toInt(values[key], "the value of a variable");
            }));
      },
      arg("values"),
      "The expression with other values for variables, by their names.");
  size.def_prop_ro(
      "val",
      [](const SymInt &self) -> nb::object {
        return detail::JitCore::isInside() && self.isSymbolic()
                   ? nb::cast(UnreadValue{self})
                   : nb::int_(self.value());
      },
      "The value, if all variables have one. In a captured step, it can only "
      "be "
      "compared, if the result is the same for all values.");
}
