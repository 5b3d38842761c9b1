//===- Attention.h - multi-head attention -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Attention with several heads: over the input itself, over another input, or
/// over a cache of keys and values that grows.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_NN_ATTENTION_H
#define TINYGRAD_NN_ATTENTION_H

#include "TinyGrad/NN/Linear.h"
#include "TinyGrad/Tensor/Members.h"
#include "TinyGrad/Tensor/Tensor.h"

#include <cstdint>

namespace tinygrad::nn {

/// Options of MultiHeadAttention.
struct AttentionOptions {
  bool bias = true;
  /// The probability of a zero among the weights of attention, in training.
  double dropout = 0;
  /// Element type and device of the parameters.
  TensorOptions parameters = {};
};

/// What a query attends to.
struct AttentionInputs {
  /// (.., keys, size). The query itself if undefined.
  Tensor key = {};
  /// (.., keys, size). The key if undefined.
  Tensor value = {};
  /// Which keys a query may attend to, as bools, or numbers that are added to
  /// the scores: (queries, keys) or any shape that broadcasts to (..,
  /// heads, queries, keys). PyTorch's nn.MultiheadAttention has the opposite
  /// bools.
  Tensor mask = {};
  /// Query i attends to the keys 0 to i. Excludes a mask.
  bool isCausal = false;
};

/// The keys and values of all positions so far, for generating a sequence one
/// token, or a few tokens, after the other.
struct KeyValueCache {
  /// (batch, heads, mostPositions, depth), with undefined contents: only
  /// positions that were written are read.
  Tensor keys, values;
  TINYGRAD_MEMBERS(keys, values)
};

/// softmax(q k^T / sqrt(depth)) v for each of several heads, with projections
/// before and after. A. Vaswani and others, "Attention is all you need", 2017.
/// Parameters, their names and their initial values are those of PyTorch's
/// nn.MultiheadAttention: Tensor::glorotUniform, and biases of 0.
struct MultiHeadAttention {
  /// Throws ShapeError unless \p heads divides \p size, DTypeError for
  /// parameters that are not floats.
  MultiHeadAttention(int64_t size, int64_t heads,
                     const AttentionOptions &options = {});

  /// (.., queries, size) gives (.., queries, size). Throws ShapeError for
  /// inputs that do not fit, Error for a mask with isCausal.
  Tensor operator()(const Tensor &query,
                    const AttentionInputs &inputs = {}) const;

  /// The result for the tokens at \p position, \p position + 1, ..: (batch,
  /// tokens, size). Their keys and values are written to the cache; each token
  /// attends to all positions up to its own. With a variable as position, one
  /// program serves every length. Throws ShapeError if the cache does not fit
  /// or has too few positions.
  Tensor operator()(const Tensor &x, KeyValueCache &cache,
                    const SymInt &position) const;

  /// A cache for the second form of a call.
  KeyValueCache makeCache(const SymInt &batch, int64_t mostPositions) const;

  /// (3 size, size) and (3 size): the projections to query, key and value.
  Tensor inProjWeight, inProjBias;
  Linear outProj;
  int64_t heads;
  double dropout;
  TINYGRAD_MEMBERS(inProjWeight, inProjBias, outProj)
};

} // namespace tinygrad::nn

#endif // TINYGRAD_NN_ATTENTION_H
