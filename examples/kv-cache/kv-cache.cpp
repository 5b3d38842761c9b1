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

#include "Attention.h"
#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Tensor/Tensor.h"

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

using namespace tinygrad;
using namespace kvcache;

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
