//===- Attention.cpp - multi-head attention -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TinyGrad/NN/Attention.h"
#include "Layer.h"

#include <string>
#include <vector>

using namespace tinygrad;
using namespace tinygrad::nn;
using namespace tinygrad::nn::detail;

static const char *const kName = "nn::MultiHeadAttention";

/// A positive number of heads that divides \p size, for the initializers.
static int64_t checkedHeads(int64_t size, int64_t heads) {
  checkSize(kName, "features", size);
  if (heads < 1 || size % heads != 0)
    throw ShapeError(std::string(kName) + ": " + std::to_string(heads) +
                     " heads do not divide " + std::to_string(size) +
                     " features");
  return heads;
}

MultiHeadAttention::MultiHeadAttention(int64_t size, int64_t heads,
                                       const AttentionOptions &options)
    : outProj((checkedHeads(size, heads), size), size,
              {.bias = options.bias, .parameters = options.parameters}),
      heads(heads), dropout(options.dropout) {
  inProjWeight = makeParameter(
      Tensor::glorotUniform({3 * size, size}, options.parameters));
  if (!options.bias)
    return;
  inProjBias = zerosParameter(3 * size, options.parameters);
  outProj.bias = zerosParameter(size, options.parameters);
}

/// (.., tokens, size) as (.., heads, tokens, depth).
static Tensor splitHeads(const Tensor &x, int64_t heads) {
  return x.unflatten(-1, {heads, x.shape().back() / heads}).transpose(-3, -2);
}

static Tensor joinHeads(const Tensor &x) {
  return x.transpose(-3, -2).flatten(-2, -1);
}

static void checkTokens(const Tensor &x, const SymInt &size) {
  if (x.ndim() < 2 || x.shape().back() != size)
    throwInput(kName, x,
               size.str() + " features: the shape should be [..., tokens, " +
                   size.str() + "]");
}

/// The projections from \p first to \p last of query, key and value, with a
/// single product, split into heads.
static std::vector<Tensor> project(const MultiHeadAttention &layer,
                                   const Tensor &x, int64_t first,
                                   int64_t last) {
  const SymInt size = layer.inProjWeight.size(1);
  checkTokens(x, size);
  Tensor weight = layer.inProjWeight.shrink({{size * first, size * last}, {}});
  Tensor bias = layer.inProjBias;
  if (bias.defined())
    bias = bias.shrink({{size * first, size * last}});
  std::vector<Tensor> parts;
  Tensor all = applyLinear(x, weight, bias);
  for (const Tensor &part : all.split(Shape(last - first, size), -1))
    parts.push_back(splitHeads(part, layer.heads));
  return parts;
}

Tensor MultiHeadAttention::operator()(const Tensor &query,
                                      const AttentionInputs &inputs) const {
  const Tensor &key = inputs.key.defined() ? inputs.key : query;
  const Tensor &value = inputs.value.defined() ? inputs.value : key;
  std::vector<Tensor> parts;
  if (!inputs.key.defined() && !inputs.value.defined()) {
    parts = project(*this, query, 0, 3);
  } else {
    parts = project(*this, query, 0, 1);
    if (inputs.value.defined()) {
      parts.push_back(project(*this, key, 1, 2)[0]);
      parts.push_back(project(*this, value, 2, 3)[0]);
    } else {
      for (const Tensor &part : project(*this, key, 1, 3))
        parts.push_back(part);
    }
  }
  // In memory with heads side by side, as the products with the projection and
  // its gradient read them.
  return outProj(
      joinHeads(parts[0].scaledDotProductAttention(
                    parts[1], parts[2], inputs.mask, inputs.isCausal, dropout))
          .contiguous());
}

Tensor MultiHeadAttention::operator()(const Tensor &x, KeyValueCache &cache,
                                      const SymInt &position) const {
  const SymInt size = inProjWeight.size(1);
  if (x.ndim() != 3)
    throwInput(kName, x,
               "a cache: the shape should be [batch, tokens, " + size.str() +
                   "]");
  const std::vector<Tensor> parts = project(*this, x, 0, 3);
  const SymInt batch = x.shape()[0], tokens = x.shape()[1];
  const SymInt depth = size / heads;
  for (const Tensor *kept : {&cache.keys, &cache.values})
    if (kept->ndim() != 4 || kept->shape()[0] != batch ||
        kept->shape()[1] != SymInt(heads) || kept->shape()[3] != depth)
      throwInput(kName, x,
                 "a cache of shape " + toString(kept->shape()) +
                     ": the shape should be [" + batch.str() + ", " +
                     std::to_string(heads) + ", positions, " + depth.str() +
                     "]");
  const SymInt end = position + tokens;
  const SymInt positions = cache.keys.shape()[2];
  if (position.min() < 0 || (end - positions).max() > 0)
    throw ShapeError(std::string(kName) + ": " + tokens.str() +
                     " tokens at position " + position.str() +
                     " do not fit a cache of " + positions.str() +
                     " positions");
  auto partOf = [](const Tensor &kept, const SymInt &from, const SymInt &to) {
    return kept.shrink({{}, {}, {from, to}, {}});
  };
  partOf(cache.keys, position, end).assign(parts[1].cast(cache.keys.dtype()));
  partOf(cache.values, position, end)
      .assign(parts[2].cast(cache.values.dtype()));
  // A single token attends to all positions so far.
  Tensor mask;
  if (tokens != SymInt(1)) {
    Tensor row = Tensor::arange(0, tokens, 1, {DType::Int32, x.device()});
    Tensor column = Tensor::arange(0, end, 1, {DType::Int32, x.device()});
    mask = column <= (row + position).unsqueeze(-1);
  }
  Tensor result = parts[0].scaledDotProductAttention(
      partOf(cache.keys, 0, end), partOf(cache.values, 0, end), mask, false,
      dropout);
  return outProj(joinHeads(result));
}

KeyValueCache MultiHeadAttention::makeCache(const SymInt &batch,
                                            int64_t mostPositions) const {
  checkSize(kName, "positions of a cache", mostPositions);
  const Shape shape = {batch, heads, mostPositions,
                       inProjWeight.size(1) / heads};
  const TensorOptions options(inProjWeight.dtype(), inProjWeight.device());
  return {Tensor::empty(shape, options), Tensor::empty(shape, options)};
}
