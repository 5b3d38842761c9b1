//===- kv-cache.cpp - attention over a cache that grows -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What a language model does for each token: one layer of attention over all
/// that came before, whose keys and values are kept in memory. The length is a
/// variable, so that the kernels of the first steps do for all of them.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Tensor/Tensor.h"

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

using namespace tinygrad;

namespace {

constexpr int64_t kHeads = 4, kDepth = 32, kWidth = kHeads * kDepth;

/// One layer of attention with what it remembers of earlier steps.
class Attention {
public:
  explicit Attention(int64_t mostSteps) {
    for (Tensor *weight : {&toQuery, &toKey, &toValue, &toOutput})
      *weight = (Tensor::randn({kWidth, kWidth}) * 0.08).contiguous();
    // Memory of its own for each: there is nothing to share yet.
    keys = Tensor::empty({kHeads, mostSteps, kDepth});
    values = Tensor::empty({kHeads, mostSteps, kDepth});
    realize({toQuery, toKey, toValue, toOutput});
  }

  /// The output for the token at \p position; adds to what is remembered.
  Tensor step(const Tensor &token, SymInt position) {
    append(keys, split(token.matmul(toKey)), position);
    append(values, split(token.matmul(toValue)), position);
    return attend(token, soFar(keys, position + 1),
                  soFar(values, position + 1));
  }

  /// The same for the last of all tokens, without a cache.
  Tensor fromScratch(const Tensor &tokens) {
    Tensor last = tokens.index({Slice(-1, None)});
    return attend(last, split(tokens.matmul(toKey)),
                  split(tokens.matmul(toValue)));
  }

private:
  Tensor attend(const Tensor &token, const Tensor &keys, const Tensor &values) {
    Tensor query = split(token.matmul(toQuery));
    Tensor found = query.scaledDotProductAttention(keys, values);
    return token + found.transpose(0, 1).reshape({1, kWidth}).matmul(toOutput);
  }

  /// (n, width) as (heads, n, depth).
  static Tensor split(const Tensor &x) {
    return x.reshape({-1, kHeads, kDepth}).transpose(0, 1);
  }
  /// Writes one row of the cache, in place.
  static void append(Tensor &cache, const Tensor &row, SymInt position) {
    cache.shrink({{0, kHeads}, {position, position + 1}, {0, kDepth}})
        .assign(row);
  }
  static Tensor soFar(const Tensor &cache, SymInt length) {
    return cache.shrink({{0, kHeads}, {0, length}, {0, kDepth}});
  }

  Tensor toQuery, toKey, toValue, toOutput, keys, values;
};

} // namespace

int main(int argc, char **argv) {
  const int64_t steps = argc > 1 ? std::atoll(argv[1]) : 256;
  const bool isHelp = argc == 2 && std::string(argv[1]) == "--help";
  if (isHelp || steps < 3 || argc > 2) {
    (isHelp ? std::cout : std::cerr)
        << "usage: kv-cache [STEPS]\n\nAttention over a cache that grows by a "
           "token in each step.\nSTEPS is 3 or more (default: 256)\n";
    return isHelp ? 0 : 2;
  }
  try {
    Tensor::manualSeed(1);
    Attention layer(steps);
    Tensor token = Tensor::randn({1, kWidth}).realize();
    Variable position("position", 0, steps - 1);

    std::vector<Tensor> tokens;
    Tensor output;
    int64_t compiled = 0;
    auto start = std::chrono::steady_clock::now();
    for (int64_t i = 0; i < steps; ++i) {
      tokens.push_back(token);
      output = layer.step(token, position.bind(i)).realize();
      token = output.layernorm().realize();
      if (i == 1) {
        compiled = GlobalCounters::kernelsCompiled;
        start = std::chrono::steady_clock::now();
      }
    }
    const std::chrono::duration<double, std::milli> rest =
        std::chrono::steady_clock::now() - start;
    std::cout << "kernels compiled for steps 3 to " << steps << ": "
              << GlobalCounters::kernelsCompiled - compiled << "\n"
              << "time per step: " << rest.count() / double(steps - 2)
              << " ms\n";
    const float difference = (layer.fromScratch(Tensor::cat(tokens)) - output)
                                 .abs()
                                 .max()
                                 .item<float>();
    std::cout << "difference from attention without a cache: " << difference
              << (difference < 1e-4f ? " (fine)\n" : " (wrong)\n");
    return difference < 1e-4f ? 0 : 1;
  } catch (const Error &error) {
    std::cerr << "kv-cache: " << error.what() << "\n";
    return 1;
  }
}
