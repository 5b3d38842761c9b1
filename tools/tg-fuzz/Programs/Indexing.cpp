//===- Indexing.cpp - positions, orders and scans in random programs ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Functions that read or write at positions in tensors, that sort, and that
/// accumulate along an axis.
///
//===----------------------------------------------------------------------===//

#include "Call.h"

#include <algorithm>

using namespace tinygrad;
using namespace tinygrad::fuzz;

namespace {

/// `name(arguments).first`
template <typename... Arguments>
Value first(const Value &x, const char *name,
            const std::pair<Tensor, Tensor> &result,
            const Arguments &...arguments) {
  Value value = method(x, name, result.first, arguments...);
  value.text += ".first";
  return value;
}

Value cumsum(Call &call) {
  const int64_t axis = call.axis();
  return method(call.x, "cumsum", call.x.tensor.cumsum(axis), axis);
}

Value cumprod(Call &call) {
  const Value x = call.within(call.x, -1.5, 1.5);
  const int64_t axis = call.axis();
  return method(x, "cumprod", x.tensor.cumprod(axis), axis);
}

Value cummax(Call &call) {
  const int64_t axis = call.axis();
  return first(call.x, "cummax", call.x.tensor.cummax(axis), axis);
}

Value cummin(Call &call) {
  const int64_t axis = call.axis();
  return first(call.x, "cummin", call.x.tensor.cummin(axis), axis);
}

Value logcumsumexp(Call &call) {
  const int64_t axis = call.axis();
  return method(call.x, "logcumsumexp", call.x.tensor.logcumsumexp(axis), axis);
}

Value sort(Call &call) {
  const int64_t axis = call.axis();
  const bool descending = call.random.percent(50);
  return first(call.x, "sort", call.x.tensor.sort(axis, descending), axis,
               descending);
}

Value topk(Call &call) {
  const int64_t axis = call.axis();
  const int64_t count =
      call.random.between(1, std::min<int64_t>(4, call.x.size(axis)));
  const bool largest = call.random.percent(50);
  return first(call.x, "topk", call.x.tensor.topk(count, axis, largest), count,
               axis, largest);
}

/// Positions for an axis of x, in the shape of x but for that axis.
Value positions(Call &call, int64_t axis, int64_t count) {
  Sizes sizes = call.x.sizes();
  sizes[axis] = count;
  return call.integers(sizes, 0, call.x.size(axis));
}

Value gather(Call &call) {
  const int64_t axis = call.axis();
  const Value index = positions(call, axis, call.random.between(1, 4));
  return method(call.x, "gather", call.x.tensor.gather(axis, index.tensor),
                axis, index);
}

Value indexSelect(Call &call) {
  const int64_t axis = call.axis();
  const Value index =
      call.integers({call.random.between(1, 4)}, 0, call.x.size(axis));
  return method(call.x, "indexSelect",
                call.x.tensor.indexSelect(axis, index.tensor), axis, index);
}

/// Other elements in the order of x.
Value takeSorted(Call &call) {
  const int64_t axis = call.axis();
  const Value other = call.other(call.x.sizes());
  const Value order =
      method(call.x, "argsort", call.x.tensor.argsort(axis), axis);
  return method(other, "gather", other.tensor.gather(axis, order.tensor), axis,
                order);
}

Value scatter(Call &call) {
  const int64_t axis = call.axis();
  const Value index = positions(call, axis, call.random.between(1, 4));
  const Value source = call.other(index.sizes());
  return method(call.x, "scatter",
                call.x.tensor.scatter(axis, index.tensor, source.tensor), axis,
                index, source);
}

Value scatterReduce(Call &call) {
  static const ScatterReduction kinds[] = {
      ScatterReduction::Sum, ScatterReduction::Prod, ScatterReduction::Mean,
      ScatterReduction::AMax, ScatterReduction::AMin};
  static const char *const names[] = {
      "ScatterReduction::Sum", "ScatterReduction::Prod",
      "ScatterReduction::Mean", "ScatterReduction::AMax",
      "ScatterReduction::AMin"};
  const int64_t axis = call.axis(), kind = call.random.below(5);
  const Value index = positions(call, axis, call.random.between(1, 4));
  const Value source = call.other(index.sizes());
  const bool includeSelf = call.random.percent(60);
  return method(call.x, "scatterReduce",
                call.x.tensor.scatterReduce(axis, index.tensor, source.tensor,
                                            kinds[kind], includeSelf),
                axis, index, source, names[kind], includeSelf);
}

Value slice(Call &call) {
  const int64_t axis = call.axis(), size = call.x.size(axis);
  const int64_t start = call.random.below(size),
                step = call.random.between(1, 3);
  std::vector<Index> entries;
  std::string text = "{";
  for (int64_t i = 0; i < axis; ++i) {
    entries.push_back(Slice());
    text += "Slice(), ";
  }
  const bool backwards = call.random.percent(40);
  if (backwards) {
    entries.push_back(Slice(start, None, -step));
    text += "Slice(" + toTexts(start, "None", -step) + ")}";
  } else {
    entries.push_back(Slice(start, None, step));
    text += "Slice(" + toTexts(start, "None", step) + ")}";
  }
  return {Tensor(call.x.tensor.index(entries)),
          call.x.text + ".index(" + text + ")"};
}

const Function functions[] = {
    {"cumsum", cumsum, 2},
    {"cumprod", cumprod, 2},
    {"cummax", cummax, 2},
    {"cummin", cummin, 2},
    {"logcumsumexp", logcumsumexp, 2},
    {"sort", sort, 2},
    {"topk", topk, 2},
    {"gather", gather, 2},
    {"indexSelect", indexSelect},
    {"takeSorted", takeSorted},
    {"scatter", scatter},
    {"scatterReduce", scatterReduce, 2},
    {"slice", slice, 2},
};

} // namespace

llvm::ArrayRef<Function> tinygrad::fuzz::getIndexingFunctions() {
  return functions;
}
