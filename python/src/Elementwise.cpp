//===- Elementwise.cpp - elementwise methods ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Convert.h"
#include "MappedFiles.h"

using namespace tinygrad;
using namespace tinygrad::python;
using detail::BinaryOperator;
using nb::arg;

using UnaryMethod = Tensor (Tensor::*)() const;
using BinaryMethod = Tensor (Tensor::*)(const Operand &) const;

Tensor tinygrad::python::lerpPixels(const Tensor &x, const Tensor &end,
                                    const Tensor &weight) {
  const Tensor parts = (weight * 128 + 0.5).toInt();
  return (x + (((end.toInt() - x) * parts + 64) >> 7)).cast(DType::UInt8);
}

static void bindUnary(TensorClass &tensor) {
  struct Entry {
    const char *name;
    UnaryMethod method;
    const char *documentation;
  };
  static const Entry kEntries[] = {
#define TINYGRAD_UNARY(METHOD, NAME, TEXT) {NAME, &Tensor::METHOD, TEXT},
#include "TinyGrad/Tensor/Methods.def"
  };
  for (const Entry &entry : kEntries)
    tensor.def(
        entry.name,
        [method = entry.method](const Tensor &x) { return (x.*method)(); },
        entry.documentation);
}

/// What a method does with an integer that its tensor's type does not have.
static Operand (OperandArgument::*getConversion(std::string_view name))(
    const Tensor &) {
  for (std::string_view comparison : {"eq", "ne", "lt", "le", "gt", "ge"})
    if (name == comparison)
      return &OperandArgument::getWide;
  if (name == "maximum" || name == "minimum")
    return &OperandArgument::getNearest;
  return &OperandArgument::get;
}

/// tinygrad's name of the other operand.
static const char *getParameter(std::string_view name) {
  return name == "copysign" || name == "logaddexp" ? "other" : "x";
}

static void bindBinary(TensorClass &tensor) {
  struct Entry {
    const char *name;
    BinaryMethod method;
    bool isReversible;
    const char *documentation;
  };
  static const Entry kEntries[] = {
#define TINYGRAD_BINARY(METHOD, NAME, REVERSIBLE, TEXT)                        \
  {NAME, &Tensor::METHOD, REVERSIBLE, TEXT},
#include "TinyGrad/Tensor/Methods.def"
  };
  for (const Entry &entry : kEntries) {
    const BinaryMethod method = entry.method;
    if (entry.isReversible)
      tensor.def(
          entry.name,
          [method](const Tensor &self, OperandArgument x, bool reverse) {
            if (!reverse)
              return (self.*method)(x.get(self));
            return (x.tensor(self).*method)(self);
          },
          arg("x").none(), arg("reverse") = false, entry.documentation);
    else
      tensor.def(
          entry.name,
          [method, convert = getConversion(entry.name)](const Tensor &self,
                                                        OperandArgument x) {
            return (self.*method)((x.*convert)(self));
          },
          arg(getParameter(entry.name)).none(), entry.documentation);
  }
}

static void bindInPlace(TensorClass &tensor, const char *name,
                        BinaryMethod method) {
  tensor.def(
      name,
      [method](TensorObject self, OperandArgument x) {
        auto &target = *nb::inst_ptr<Tensor>(self);
        assignOrWrite(target, (target.*method)(x.get(target)));
        return self;
      },
      arg("x").none());
}

static void bindOperators(TensorClass &tensor) {
  struct Entry {
    const char *name, *reflected, *inPlace;
    BinaryOperator op;
  };
  static const Entry kEntries[] = {
      {"__add__", "__radd__", "__iadd__", BinaryOperator::Add},
      {"__sub__", "__rsub__", "__isub__", BinaryOperator::Sub},
      {"__mul__", "__rmul__", "__imul__", BinaryOperator::Mul},
      {"__truediv__", "__rtruediv__", "__itruediv__", BinaryOperator::Div},
      {"__mod__", "__rmod__", nullptr, BinaryOperator::Mod},
      {"__and__", "__rand__", "__iand__", BinaryOperator::And},
      {"__or__", "__ror__", "__ior__", BinaryOperator::Or},
      {"__xor__", "__rxor__", "__ixor__", BinaryOperator::Xor},
      {"__lshift__", "__rlshift__", "__ilshift__", BinaryOperator::Shl},
      {"__rshift__", "__rrshift__", "__irshift__", BinaryOperator::Shr},
      {"__eq__", nullptr, nullptr, BinaryOperator::Eq},
      {"__ne__", nullptr, nullptr, BinaryOperator::Ne},
      {"__lt__", nullptr, nullptr, BinaryOperator::Lt},
      {"__le__", nullptr, nullptr, BinaryOperator::Le},
      {"__gt__", nullptr, nullptr, BinaryOperator::Gt},
      {"__ge__", nullptr, nullptr, BinaryOperator::Ge},
  };
  for (const Entry &entry : kEntries) {
    const BinaryOperator op = entry.op;
    // Quotients are floats, and comparisons bools: all numbers are allowed.
    const bool isWide = op >= BinaryOperator::Eq || op == BinaryOperator::Div;
    tensor.def(
        entry.name,
        [op, isWide](const Tensor &self, OperandArgument x) {
          return detail::apply(op, self,
                               isWide ? x.getWide(self) : x.get(self));
        },
        arg("x").none());
    if (entry.reflected)
      tensor.def(
          entry.reflected,
          [op, isWide](const Tensor &self, OperandArgument x) {
            return detail::apply(op, isWide ? x.getWide(self) : x.get(self),
                                 self);
          },
          arg("x").none());
    // x += y writes to x, as in tinygrad and NumPy.
    if (entry.inPlace)
      tensor.def(
          entry.inPlace,
          [op](TensorObject self, OperandArgument x) {
            auto &target = *nb::inst_ptr<Tensor>(self);
            assignOrWrite(target, detail::apply(op, target, x.get(target)));
            return self;
          },
          arg("x").none());
  }
  tensor.def(
      "__floordiv__",
      [](const Tensor &self, OperandArgument x) {
        return self.floordiv(x.get(self));
      },
      arg("x").none());
  tensor.def(
      "__rfloordiv__",
      [](const Tensor &self, OperandArgument x) {
        return x.tensor(self).floordiv(self);
      },
      arg("x").none());
  tensor.def(
      "__pow__",
      [](const Tensor &self, OperandArgument x) {
        return self.pow(x.get(self));
      },
      arg("x").none());
  tensor.def(
      "__rpow__",
      [](const Tensor &self, OperandArgument x) {
        return x.tensor(self).pow(self);
      },
      arg("x").none());
  bindInPlace(tensor, "__ifloordiv__", &Tensor::floordiv);
  bindInPlace(tensor, "__ipow__", &Tensor::pow);
  tensor.def("__imatmul__", [](TensorObject self, const Tensor &x) {
    auto &target = *nb::inst_ptr<Tensor>(self);
    target.assign(target.matmul(x));
    return self;
  });
  tensor.def("__rmatmul__", [](const Tensor &self, OperandArgument x) {
    return x.tensor(self).matmul(self);
  });
  tensor.def("__matmul__", [](const Tensor &self, const Tensor &x) {
    return self.matmul(x);
  });
  tensor.def("__neg__", &Tensor::neg);
  tensor.def("__abs__", &Tensor::abs);
  tensor.def("__invert__", &Tensor::bitwiseNot);
  // Comparison gives a tensor, so that equality cannot be what a dictionary
  // needs: a tensor is equal to itself alone.
  tensor.def("__hash__", [](nb::handle self) {
    return Py_hash_t(reinterpret_cast<std::uintptr_t>(self.ptr()) >> 4);
  });
}

static void bindOthers(TensorClass &tensor) {
  tensor.def(
      "div",
      [](const Tensor &self, OperandArgument x, bool reverse,
         std::optional<std::string> rounding) {
        const Operand other = x.getWide(self);
        auto apply = [&](const Tensor &a, const Operand &b) {
          if (!rounding)
            return a.div(b);
          if (*rounding == "floor")
            return a.floordiv(b);
          if (*rounding != "trunc")
            throw Error("div: the rounding mode is \"trunc\" or \"floor\", not "
                        "\"" +
                        *rounding + "\"");
          // Exact also for integers that no float holds.
          if (!isFloat(a.dtype()))
            return (a - a.fmod(b)).floordiv(b);
          return a.div(b).trunc();
        };
        return reverse ? apply(x.tensor(self), Operand(self))
                       : apply(self, other);
      },
      arg("x").none(), arg("reverse") = false,
      arg("rounding_mode") = nb::none(),
      "True division; rounded towards zero or down for the modes \"trunc\" and "
      "\"floor\".");
  tensor.def(
      "where",
      [](const Tensor &self, OperandArgument x, OperandArgument y) {
        return self.where(x.get(), y.get());
      },
      arg("x"), arg("y"), "x where this is true (not 0), else y.");
  tensor.def(
      "lerp",
      [](const Tensor &self, OperandArgument end, OperandArgument weight) {
        Operand target = end.get(), amount = weight.get();
        if (self.dtype() != DType::UInt8 || !target.tensor() ||
            target.tensor()->dtype() != DType::UInt8)
          return self.lerp(target, amount);
        // Pixels stay pixels.
        const Tensor *weights = amount.tensor();
        return lerpPixels(self, *target.tensor(),
                          weights ? *weights
                                  : self.toFloat().fullLike(amount.scalar()));
      },
      arg("end"), arg("weight"), "self + (end - self) * weight.");
  tensor.def(
      "isclose",
      [](const Tensor &self, OperandArgument other, double rtol, double atol,
         bool equalNan) {
        return self.isclose(other.get(), rtol, atol, equalNan);
      },
      arg("other"), arg("rtol") = 1e-5, arg("atol") = 1e-8,
      arg("equal_nan") = false,
      "Whether |self - other| <= atol + rtol * |other|, element by element.");
  tensor.def(
      "allclose",
      [](const Tensor &self, OperandArgument other, double rtol, double atol,
         bool equalNan) {
        return self.isclose(other.get(), rtol, atol, equalNan).all();
      },
      arg("other"), arg("rtol") = 1e-5, arg("atol") = 1e-8,
      arg("equal_nan") = false, "Whether isclose() holds for all elements.");
  auto clamp = [](const Tensor &self, OperandArgument low,
                  OperandArgument high) {
    if (low.isNone() && high.isNone())
      throw Error("clamp: a minimum or a maximum is needed");
    std::optional<Operand> min, max;
    if (!low.isNone())
      min = low.getNearest(self);
    if (!high.isNone())
      max = high.getNearest(self);
    return self.clamp(min, max);
  };
  for (const char *name : {"clamp", "clip"})
    tensor.def(name, clamp, arg("min_") = nb::none(), arg("max_") = nb::none(),
               "At least min_ and at most max_, of which one may be None.");
  tensor.def(
      "isinf",
      [](const Tensor &self, bool positive, bool negative) {
        return self.isinf(positive, negative);
      },
      arg("detect_positive") = true, arg("detect_negative") = true,
      "Whether each element is an infinity.");
  tensor.def(
      "gelu",
      [](const Tensor &self, const std::string &approximate) {
        if (approximate == "tanh")
          return self.gelu();
        if (approximate == "none")
          return 0.5 * self * (1 + (self * 0.7071067811865476).erf());
        throw Error("gelu: approximate is \"tanh\" or \"none\", not \"" +
                    approximate + "\"");
      },
      arg("approximate") = "tanh",
      "x times the share of a normal distribution below x: by tanh, or exactly "
      "for \"none\".");
  auto bindSum = [&](const char *name, BinaryMethod method, const char *text) {
    tensor.def(
        name,
        [method](const Tensor &self, nb::args others) {
          Tensor result = self;
          for (nb::handle other : others) {
            OperandArgument operand;
            operand.object = other;
            result = (result.*method)(operand.get(result));
          }
          return result;
        },
        text);
  };
  bindSum("usum", &Tensor::add, "The sum of this and all arguments.");
  bindSum("uprod", &Tensor::mul, "The product of this and all arguments.");
#define TINYGRAD_PARAMETER(METHOD, NAME, PARAMETER, VALUE, TEXT)               \
  tensor.def(                                                                  \
      NAME, [](const Tensor &self, double a) { return self.METHOD(a); },       \
      arg(PARAMETER) = VALUE, TEXT);
  TINYGRAD_PARAMETER(leakyRelu, "leaky_relu", "neg_slope", 0.01,
                     "x, or neg_slope * x where x is negative.")
  TINYGRAD_PARAMETER(elu, "elu", "alpha", 1.0,
                     "x, or alpha * (exp(x) - 1) where x is negative.")
  TINYGRAD_PARAMETER(celu, "celu", "alpha", 1.0,
                     "x, or alpha * (exp(x / alpha) - 1) where x is negative.")
  TINYGRAD_PARAMETER(softplus, "softplus", "beta", 1.0,
                     "log(1 + exp(beta * x)) / beta.")
#undef TINYGRAD_PARAMETER
  tensor.def(
      "selu",
      [](const Tensor &self, double alpha, double gamma) {
        return self.selu(alpha, gamma);
      },
      arg("alpha") = 1.67326, arg("gamma") = 1.0507, "gamma * elu(x, alpha).");
  tensor.def(
      "hardsigmoid",
      [](const Tensor &self, double alpha, double beta) {
        return self.hardsigmoid(alpha, beta);
      },
      arg("alpha") = 1.0 / 6, arg("beta") = 0.5,
      "alpha * x + beta, between 0 and 1.");
  tensor.def(
      "hardtanh",
      [](const Tensor &self, OperandArgument low, OperandArgument high) {
        return self.clamp(low.getNearest(self), high.getNearest(self));
      },
      arg("min_val") = -1, arg("max_val") = 1,
      "x, between min_val and max_val.");
  tensor.def(
      "masked_fill",
      [](const Tensor &self, const Tensor &mask, OperandArgument value) {
        return self.maskedFill(mask, value.get(self));
      },
      arg("mask"), arg("value"), "value where the mask is true.");
}

void tinygrad::python::bindElementwise(TensorClass &tensor) {
  bindUnary(tensor);
  bindBinary(tensor);
  bindOperators(tensor);
  bindOthers(tensor);
}
