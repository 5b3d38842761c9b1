//===- Elementwise.cpp - elementwise functions of random programs ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Functions of one operand and of several, in the domain where they and their
/// derivatives are finite.
///
//===----------------------------------------------------------------------===//

#include "Call.h"

using namespace tinygrad;
using namespace tinygrad::fuzz;

namespace {

/// Functions of all numbers.
template <Tensor (Tensor::*function)() const>
Value plain(Call &call, const char *name) {
  return method(call.x, name, (call.x.tensor.*function)());
}

/// Functions that grow fast.
template <Tensor (Tensor::*function)() const>
Value ofSmall(Call &call, const char *name) {
  const Value x = call.small(call.x);
  return method(x, name, (x.tensor.*function)());
}

template <Tensor (Tensor::*function)() const>
Value ofPositive(Call &call, const char *name) {
  const Value x = call.above(call.x);
  return method(x, name, (x.tensor.*function)());
}

template <Tensor (Tensor::*function)() const>
Value ofUnit(Call &call, const char *name) {
  const Value x = call.within(call.x, -1, 1);
  return method(x, name, (x.tensor.*function)());
}

Value tangent(Call &call) {
  const Value x = call.within(call.x, -1.4, 1.4);
  return method(x, "tan", x.tensor.tan());
}

Value acosh(Call &call) {
  const Value x = call.above(call.x, 1.1);
  return method(x, "acosh", x.tensor.acosh());
}

Value reciprocal(Call &call) {
  const Value x = call.above(call.x, 0.2);
  return method(x, "reciprocal", x.tensor.reciprocal());
}

Value rsqrt(Call &call) {
  const Value x = call.above(call.x, 0.2);
  return method(x, "rsqrt", x.tensor.rsqrt());
}

Value squareRoot(Call &call) {
  const Value x = call.above(call.x, 0.1);
  return method(x, "sqrt", x.tensor.sqrt());
}

Value leakyRelu(Call &call) {
  const double slope = call.random.between(1, 30) / 100.0;
  return method(call.x, "leakyRelu", call.x.tensor.leakyRelu(slope), slope);
}

Value elu(Call &call) {
  const double alpha = call.random.between(2, 8) / 4.0;
  return method(call.x, "elu", call.x.tensor.elu(alpha), alpha);
}

Value celu(Call &call) {
  const double alpha = call.random.between(2, 8) / 4.0;
  return method(call.x, "celu", call.x.tensor.celu(alpha), alpha);
}

Value selu(Call &call) { return method(call.x, "selu", call.x.tensor.selu()); }

Value softplus(Call &call) {
  const double beta = call.random.between(2, 8) / 4.0;
  return method(call.x, "softplus", call.x.tensor.softplus(beta), beta);
}

Value hardsigmoid(Call &call) {
  return method(call.x, "hardsigmoid", call.x.tensor.hardsigmoid());
}

Value hardtanh(Call &call) {
  const double limit = call.random.between(2, 8) / 4.0;
  return method(call.x, "hardtanh", call.x.tensor.hardtanh(-limit, limit),
                -limit, limit);
}

Value clamp(Call &call) {
  const double low = call.random.between(-6, 0) / 4.0,
               high = call.random.between(1, 6) / 4.0;
  return method(call.x, "clamp", call.x.tensor.clamp(low, high), low, high);
}

Value add(Call &call) {
  const Value other = call.broadcast();
  return method(call.x, "add", call.x.tensor.add(other.tensor), other);
}

Value sub(Call &call) {
  const Value other = call.broadcast();
  return method(call.x, "sub", call.x.tensor.sub(other.tensor), other);
}

Value mul(Call &call) {
  const Value other = call.broadcast();
  return method(call.x, "mul", call.x.tensor.mul(other.tensor), other);
}

Value div(Call &call) {
  const Value other = call.above(call.broadcast(), 0.3);
  return method(call.x, "div", call.x.tensor.div(other.tensor), other);
}

Value divBy(Call &call) {
  const Value below = call.above(call.x, 0.3);
  const Value other = call.other(call.x.sizes());
  return method(other, "div", other.tensor.div(below.tensor), below);
}

Value scale(Call &call) {
  const double factor = call.random.between(-6, 6) / 4.0 + 0.125;
  return method(call.x, "mul", call.x.tensor.mul(factor), factor);
}

Value shift(Call &call) {
  const double term = call.random.between(-6, 6) / 4.0 + 0.125;
  return method(call.x, "add", call.x.tensor.add(term), term);
}

Value powNumber(Call &call) {
  static const double exponents[] = {2, 3, 0.5, 1.5, -1, -0.5, 2.5, 4};
  const double exponent = call.random.pick(exponents);
  const Value x = call.within(call.x, 0.2, 3);
  return method(x, "pow", x.tensor.pow(exponent), exponent);
}

Value powTensor(Call &call) {
  const Value x = call.within(call.x, 0.3, 3);
  const Value other = call.within(call.broadcast(), -2, 2);
  return method(x, "pow", x.tensor.pow(other.tensor), other);
}

Value maximum(Call &call) {
  const Value other = call.broadcast();
  return method(call.x, "maximum", call.x.tensor.maximum(other.tensor), other);
}

Value minimum(Call &call) {
  const Value other = call.broadcast();
  return method(call.x, "minimum", call.x.tensor.minimum(other.tensor), other);
}

Value copysign(Call &call) {
  const Value other = call.broadcast();
  return method(call.x, "copysign", call.x.tensor.copysign(other.tensor),
                other);
}

Value logaddexp(Call &call) {
  const Value other = call.broadcast();
  return method(call.x, "logaddexp", call.x.tensor.logaddexp(other.tensor),
                other);
}

Value fmod(Call &call) {
  const Value other = call.above(call.broadcast(), 0.5);
  return method(call.x, "fmod", call.x.tensor.fmod(other.tensor), other);
}

Value mod(Call &call) {
  const Value other = call.above(call.broadcast(), 0.5);
  return method(call.x, "mod", call.x.tensor.mod(other.tensor), other);
}

Value lerp(Call &call) {
  const Value end = call.other(call.x.sizes());
  const Value weight = call.broadcast();
  return method(call.x, "lerp", call.x.tensor.lerp(end.tensor, weight.tensor),
                end, weight);
}

Value where(Call &call) {
  const Value left = call.broadcast(), right = call.other(call.x.sizes());
  const Value condition =
      method(call.x, "gt", call.x.tensor.gt(left.tensor), left);
  return method(condition, "where",
                condition.tensor.where(call.x.tensor, right.tensor), call.x,
                right);
}

Value maskedFill(Call &call) {
  const Value other = call.broadcast();
  const Value mask =
      method(call.x, "lt", call.x.tensor.lt(other.tensor), other);
  const double number = call.random.between(-4, 4) / 4.0;
  return method(call.x, "maskedFill",
                call.x.tensor.maskedFill(mask.tensor, number), mask, number);
}

/// A value next to itself: what was computed once is needed again.
Value timesItself(Call &call) {
  const Value x = call.small(call.x);
  return method(x, "mul", x.tensor.mul(x.tensor.sigmoid()),
                x.text + ".sigmoid()");
}

Value detached(Call &call) {
  call.stopGradient();
  const Value x = call.small(call.x);
  return method(x, "mul", x.tensor.mul(x.tensor.detach()),
                x.text + ".detach()");
}

Value contiguous(Call &call) {
  return method(call.x, "contiguous", call.x.tensor.contiguous());
}

#define TINYGRAD_UNARY(kind, name)                                             \
  {#name, [](Call &call) { return kind<&Tensor::name>(call, #name); }}

const Function functions[] = {
    TINYGRAD_UNARY(plain, neg),
    TINYGRAD_UNARY(plain, abs),
    TINYGRAD_UNARY(plain, square),
    TINYGRAD_UNARY(plain, sin),
    TINYGRAD_UNARY(plain, cos),
    TINYGRAD_UNARY(plain, atan),
    TINYGRAD_UNARY(plain, tanh),
    TINYGRAD_UNARY(plain, asinh),
    TINYGRAD_UNARY(plain, erf),
    TINYGRAD_UNARY(plain, relu),
    TINYGRAD_UNARY(plain, relu6),
    TINYGRAD_UNARY(plain, sigmoid),
    TINYGRAD_UNARY(plain, logsigmoid),
    TINYGRAD_UNARY(plain, hardswish),
    TINYGRAD_UNARY(plain, gelu),
    TINYGRAD_UNARY(plain, quickGelu),
    TINYGRAD_UNARY(plain, silu),
    TINYGRAD_UNARY(plain, softsign),
    TINYGRAD_UNARY(plain, mish),
    TINYGRAD_UNARY(plain, sign),
    TINYGRAD_UNARY(plain, floor),
    TINYGRAD_UNARY(ofSmall, exp),
    TINYGRAD_UNARY(ofSmall, exp2),
    TINYGRAD_UNARY(ofSmall, sinh),
    TINYGRAD_UNARY(ofSmall, cosh),
    TINYGRAD_UNARY(ofPositive, log),
    TINYGRAD_UNARY(ofPositive, log2),
    TINYGRAD_UNARY(ofPositive, log10),
    TINYGRAD_UNARY(ofUnit, asin),
    TINYGRAD_UNARY(ofUnit, acos),
    TINYGRAD_UNARY(ofUnit, atanh),
    {"tan", tangent},
    {"acosh", acosh},
    {"reciprocal", reciprocal},
    {"rsqrt", rsqrt},
    {"sqrt", squareRoot, 3},
    {"leakyRelu", leakyRelu},
    {"elu", elu},
    {"celu", celu},
    {"selu", selu},
    {"softplus", softplus},
    {"hardsigmoid", hardsigmoid},
    {"hardtanh", hardtanh},
    {"clamp", clamp},
    {"add", add, 2},
    {"sub", sub, 2},
    {"mul", mul, 3},
    {"div", div, 2},
    {"divBy", divBy},
    {"scale", scale},
    {"shift", shift},
    {"powNumber", powNumber},
    {"powTensor", powTensor},
    {"maximum", maximum},
    {"minimum", minimum},
    {"copysign", copysign},
    {"logaddexp", logaddexp, 2},
    {"fmod", fmod},
    {"mod", mod},
    {"lerp", lerp},
    {"where", where, 2},
    {"maskedFill", maskedFill},
    {"timesItself", timesItself},
    {"detached", detached},
    {"contiguous", contiguous},
};

#undef TINYGRAD_UNARY

} // namespace

llvm::ArrayRef<Function> tinygrad::fuzz::getElementwiseFunctions() {
  return functions;
}
