//===- Embedding.cpp - table of vectors -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TinyGrad/NN/Embedding.h"
#include "Layer.h"

#include <string>

using namespace tinygrad;
using namespace tinygrad::nn;
using namespace tinygrad::nn::detail;

Embedding::Embedding(int64_t rows, int64_t size,
                     const EmbeddingOptions &options) {
  checkSize("nn::Embedding", "rows", rows);
  checkSize("nn::Embedding", "elements of a row", size);
  checkParameters("nn::Embedding", options.parameters);
  weight =
      makeParameter(Tensor::glorotUniform({rows, size}, options.parameters));
}

Tensor Embedding::operator()(const Tensor &positions) const {
  if (!isInteger(positions.dtype()))
    throw DTypeError(std::string("nn::Embedding: positions of type ") +
                     name(positions.dtype()) + "; integers are required");
  return weight.indexSelect(0, positions);
}
