//===- Reductions.cpp - reductions
//-----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Convert.h"

using namespace tinygrad;
using namespace tinygrad::python;
using nb::arg;

void tinygrad::python::bindReductions(TensorClass &tensor) {
  auto bindSum = [&](const char *name, auto method, const char *text) {
    tensor.def(
        name,
        [method](const Tensor &self, AxesArgument axis, bool keepdim,
                 DTypeArgument dtype) {
          return (self.*method)(axis.get(), keepdim, dtype.get());
        },
        arg("axis") = nb::none(), arg("keepdim") = false,
        arg("dtype") = nb::none(), text);
  };
  bindSum("sum", &Tensor::sum,
          "The sum along axes. Narrow floats are summed in float32; bool and "
          "small integers give int32 or uint32.");
  bindSum("prod", &Tensor::prod, "The product along axes.");
  auto bindPlain = [&](const char *name, auto method, const char *text) {
    tensor.def(
        name,
        [method](const Tensor &self, AxesArgument axis, bool keepdim) {
          return (self.*method)(axis.get(), keepdim);
        },
        arg("axis") = nb::none(), arg("keepdim") = false, text);
  };
  bindPlain("max", &Tensor::max, "The largest element; NaN if there is one.");
  bindPlain("min", &Tensor::min, "The smallest element; NaN if there is one.");
  bindPlain("mean", &Tensor::mean, "The mean; NaN of no elements.");
  bindPlain("any", &Tensor::any, "Whether any element is not 0.");
  bindPlain("all", &Tensor::all, "Whether no element is 0.");
  bindPlain("logsumexp", &Tensor::logsumexp,
            "log(sum(exp(x))), without overflow.");
  auto bindVariance = [&](const char *name, auto method, const char *text) {
    tensor.def(
        name,
        [method](const Tensor &self, AxesArgument axis, bool keepdim,
                 int64_t correction) {
          return (self.*method)(axis.get(), keepdim, correction);
        },
        arg("axis") = nb::none(), arg("keepdim") = false, arg("correction") = 1,
        text);
  };
  bindVariance("var", &Tensor::var,
               "The squared differences from the mean, summed and divided by n "
               "- correction.");
  bindVariance("std", &Tensor::std, "The square root of var().");
  bindVariance("var_mean", &Tensor::varMean, "var() and mean().");
  bindVariance("std_mean", &Tensor::stdMean, "std() and mean().");
  auto bindPosition = [&](const char *name, auto method, const char *text) {
    tensor.def(
        name,
        [method](const Tensor &self, std::optional<int64_t> axis,
                 bool keepdim) { return (self.*method)(axis, keepdim); },
        arg("axis") = nb::none(), arg("keepdim") = false, text);
  };
  bindPosition("argmax", &Tensor::argmax,
               "The position of the first largest element.");
  bindPosition("argmin", &Tensor::argmin,
               "The position of the first smallest element.");
  auto bindSoftmax = [&](const char *name, auto method, const char *text) {
    tensor.def(
        name,
        [method](const Tensor &self, int64_t axis, DTypeArgument dtype) {
          return (self.*method)(axis, dtype.get());
        },
        arg("axis") = -1, arg("dtype") = nb::none(), text);
  };
  bindSoftmax("softmax", &Tensor::softmax, "exp(x) / sum(exp(x)).");
  bindSoftmax("log_softmax", &Tensor::logSoftmax, "log(softmax(x)).");
  bindSoftmax("softmin", &Tensor::softmin, "softmax(-x).");
  tensor.def(
      "normalize",
      [](const Tensor &self, double p, int64_t dim, double eps) {
        return self.normalize(p, dim, eps);
      },
      arg("p") = 2.0, arg("dim") = 1, arg("eps") = 1e-12,
      "Divided by the p-norm along an axis, or by eps if that is larger.");
}
