//===- Reductions.cpp - reductions ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Convert.h"

#include <algorithm>

using namespace tinygrad;
using namespace tinygrad::python;
using nb::arg;

/// The axes in order, from 0 up; all of them for None.
static std::vector<int64_t> normalizeAxes(const Tensor &x, const Axes &axes) {
  std::vector<int64_t> list;
  if (axes.isAll()) {
    for (int64_t axis = 0; axis < x.ndim(); ++axis)
      list.push_back(axis);
    return list;
  }
  for (int64_t axis : axes.get())
    list.push_back(axis < 0 ? axis + x.ndim() : axis);
  std::sort(list.begin(), list.end());
  return list;
}

/// max or min. As in tinygrad, that of no elements is the value that changes no
/// other.
static void bindExtreme(TensorClass &tensor, const char *name,
                        Tensor (Tensor::*method)(const Axes &, bool) const,
                        bool isMax, const char *text) {
  tensor.def(
      name,
      [method, isMax](const Tensor &self, AxesArgument axis, bool keepdim) {
        const Shape &shape = self.shape();
        if (std::none_of(shape.begin(), shape.end(),
                         [](const SymInt &size) { return size == 0; }))
          return (self.*method)(axis.get(), keepdim);
        // Which shape the result has, any other reduction says.
        return self.sum(axis.get(), keepdim, self.dtype())
            .fullLike(getExtreme(self.dtype(), !isMax));
      },
      arg("axis") = nb::none(), arg("keepdim") = false, text);
}

/// Applies a function along several axes: they become one, the last.
template <typename Function>
static Tensor alongAxes(const Tensor &x, const Axes &axes, Function function) {
  const std::vector<int64_t> list = normalizeAxes(x, axes);
  if (list.size() == 1)
    return function(x, list[0]);
  std::vector<int64_t> order;
  for (int64_t axis = 0; axis < x.ndim(); ++axis)
    if (std::find(list.begin(), list.end(), axis) == list.end())
      order.push_back(axis);
  const auto kept = int64_t(order.size());
  order.insert(order.end(), list.begin(), list.end());
  std::vector<int64_t> back(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    back[std::size_t(order[i])] = int64_t(i);
  const Tensor turned = x.permute(Axes(order));
  return function(turned.flatten(kept), -1)
      .reshape(turned.shape())
      .permute(Axes(back));
}

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
  tensor.def(
      "prod",
      [](const Tensor &self, AxesArgument axis, bool keepdim,
         DTypeArgument dtype) {
        const std::optional<DType> type = dtype.get();
        const Tensor product = self.prod(axis.get(), keepdim, type);
        return type ? product : product.cast(self.dtype());
      },
      arg("axis") = nb::none(), arg("keepdim") = false,
      arg("dtype") = nb::none(),
      "The product along axes, in the type of the elements.");
  auto bindPlain = [&](const char *name, auto method, const char *text) {
    tensor.def(
        name,
        [method](const Tensor &self, AxesArgument axis, bool keepdim) {
          return (self.*method)(axis.get(), keepdim);
        },
        arg("axis") = nb::none(), arg("keepdim") = false, text);
  };
  bindExtreme(tensor, "max", &Tensor::max, true,
              "The largest element; NaN if there is one. Of none: the smallest "
              "value of the type.");
  bindExtreme(tensor, "min", &Tensor::min, false,
              "The smallest element; NaN if there is one. Of none: the largest "
              "value of the type.");
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
        [method](const Tensor &self, AxesArgument axis, DTypeArgument dtype) {
          const Tensor x = dtype.isNone() ? self : self.cast(dtype.required());
          return alongAxes(x, axis.get(), [&](const Tensor &flat, int64_t dim) {
            return (flat.*method)(dim, std::nullopt);
          });
        },
        arg("axis").none() = -1, arg("dtype") = nb::none(), text);
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
