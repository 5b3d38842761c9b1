//===- Attention.h - attention with a cache ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The layer of the example kv-cache.
///
//===----------------------------------------------------------------------===//

#ifndef EXAMPLES_KVCACHE_ATTENTION_H
#define EXAMPLES_KVCACHE_ATTENTION_H

#include "TinyGrad/Tensor/Tensor.h"

#include <cstdint>

namespace kvcache {

inline constexpr int64_t kHeads = 4, kDepth = 32, kWidth = kHeads * kDepth;

/// One layer of attention with what it remembers of earlier steps.
class Attention {
public:
  explicit Attention(int64_t mostSteps) {
    for (tinygrad::Tensor *weight : {&toQuery, &toKey, &toValue, &toOutput})
      *weight = (tinygrad::Tensor::randn({kWidth, kWidth}) * 0.08).contiguous();
    // Memory of its own for each: there is nothing to share yet.
    keys = tinygrad::Tensor::empty({kHeads, mostSteps, kDepth});
    values = tinygrad::Tensor::empty({kHeads, mostSteps, kDepth});
    tinygrad::realize({toQuery, toKey, toValue, toOutput});
  }

  /// The output for the token at \p position; adds to what is remembered.
  tinygrad::Tensor step(const tinygrad::Tensor &token,
                        tinygrad::SymInt position) {
    append(keys, split(token.matmul(toKey)), position);
    append(values, split(token.matmul(toValue)), position);
    return attend(token, soFar(keys, position + 1),
                  soFar(values, position + 1));
  }

  /// The same for the last of all tokens, without a cache.
  tinygrad::Tensor fromScratch(const tinygrad::Tensor &tokens) {
    tinygrad::Tensor last = tokens.index({tinygrad::Slice(-1, tinygrad::None)});
    return attend(last, split(tokens.matmul(toKey)),
                  split(tokens.matmul(toValue)));
  }

private:
  tinygrad::Tensor attend(const tinygrad::Tensor &token,
                          const tinygrad::Tensor &keys,
                          const tinygrad::Tensor &values) {
    tinygrad::Tensor query = split(token.matmul(toQuery));
    tinygrad::Tensor found = query.scaledDotProductAttention(keys, values);
    return token + found.transpose(0, 1).reshape({1, kWidth}).matmul(toOutput);
  }

  /// (n, width) as (heads, n, depth).
  static tinygrad::Tensor split(const tinygrad::Tensor &x) {
    return x.reshape({-1, kHeads, kDepth}).transpose(0, 1);
  }
  /// Writes one row of the cache, in place.
  static void append(tinygrad::Tensor &cache, const tinygrad::Tensor &row,
                     tinygrad::SymInt position) {
    cache.shrink({{0, kHeads}, {position, position + 1}, {0, kDepth}})
        .assign(row);
  }
  static tinygrad::Tensor soFar(const tinygrad::Tensor &cache,
                                tinygrad::SymInt length) {
    return cache.shrink({{0, kHeads}, {0, length}, {0, kDepth}});
  }

  tinygrad::Tensor toQuery, toKey, toValue, toOutput, keys, values;
};

} // namespace kvcache

#endif // EXAMPLES_KVCACHE_ATTENTION_H
