//===- Clip.cpp - clipping of gradients -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TinyGrad/Optim/Clip.h"

#include "Checks.h"
#include "TinyGrad/Tensor/Training.h"

#include <cmath>

using namespace tinygrad;
using namespace tinygrad::optim;

/// A number must not be negative; a tensor is of rank 0.
static void checkLimit(const Operand &limit, const char *function,
                       const char *name) {
  if (const Tensor *tensor = limit.tensor()) {
    if (tensor->ndim() != 0)
      throw ShapeError(std::string(function) + ": " + name +
                       " is a tensor of shape " + toString(tensor->shape()) +
                       ", but it has to be of rank 0");
    return;
  }
  const double value = limit.scalar().toDouble();
  checkOption(value >= 0, function, name, value, "at least 0");
}

/// \p limit next to gradients of \p dtype on a device.
static Tensor getLimit(const Operand &limit, DType dtype,
                       const std::string &device) {
  if (const Tensor *tensor = limit.tensor())
    return tensor->cast(dtype).to(device);
  return Tensor::full({}, limit.scalar(), {dtype, device});
}

static std::vector<Tensor> withGradients(const std::vector<Tensor> &tensors) {
  std::vector<Tensor> result;
  for (const Tensor &tensor : tensors)
    if (tensor.grad().defined())
      result.push_back(tensor);
  return result;
}

Tensor optim::clipGradNorm(const std::vector<Tensor> &parameters,
                           const Operand &maxNorm, double p) {
  const NoGradScope noGradient;
  checkLimit(maxNorm, "clipGradNorm", "maxNorm");
  checkOption(p > 0, "clipGradNorm", "p", p, "positive");
  std::vector<Tensor> clipped = withGradients(parameters);
  if (clipped.empty())
    return Tensor::zeros({}, DType::Float32);
  DType dtype = DType::Float32;
  for (const Tensor &parameter : clipped)
    if (parameter.dtype() == DType::Float64)
      dtype = DType::Float64;
  const std::string &device = clipped.front().device();
  Tensor total;
  for (const Tensor &parameter : clipped) {
    const Tensor gradient = parameter.grad().cast(dtype);
    // Without elements, the largest magnitude is 0.
    const Tensor part = gradient.numel() == 0 ? gradient.sum()
                        : std::isinf(p)       ? gradient.abs().max()
                        : p == 2              ? gradient.square().sum()
                                              : gradient.abs().pow(p).sum();
    const Tensor here = part.to(device);
    if (!total.defined())
      total = here;
    else
      total = std::isinf(p) ? total.maximum(here) : total + here;
  }
  if (!std::isinf(p))
    total = p == 2 ? total.sqrt() : total.pow(1 / p);
  total = total.contiguous();
  const Tensor factor =
      (getLimit(maxNorm, dtype, device) / (total + 1e-6)).clamp({}, 1);
  for (Tensor &parameter : clipped)
    parameter.setGrad(
        (parameter.grad().cast(dtype) * factor.to(parameter.device()))
            .cast(parameter.dtype()));
  return total;
}

void optim::clipGradValue(const std::vector<Tensor> &parameters,
                          const Operand &limit) {
  const NoGradScope noGradient;
  checkLimit(limit, "clipGradValue", "limit");
  for (Tensor &parameter : withGradients(parameters)) {
    // In float32 at least: a limit may be more than the type can hold.
    const DType dtype =
        parameter.dtype() == DType::Float64 ? DType::Float64 : DType::Float32;
    const Tensor gradient = parameter.grad().cast(dtype),
                 most = getLimit(limit, dtype, parameter.device());
    parameter.setGrad(
        gradient.minimum(most).maximum(-most).cast(parameter.dtype()));
  }
}
