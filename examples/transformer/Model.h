//===- Model.h - a small language model -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The model of the example transformer: a transformer with a decoder only, of
/// characters.
///
//===----------------------------------------------------------------------===//

#ifndef EXAMPLES_TRANSFORMER_MODEL_H
#define EXAMPLES_TRANSFORMER_MODEL_H

#include "TinyGrad/NN/Attention.h"
#include "TinyGrad/NN/Embedding.h"
#include "TinyGrad/NN/Linear.h"
#include "TinyGrad/NN/Normalization.h"
#include "TinyGrad/Optim/Adam.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/State/StateDict.h"
#include "TinyGrad/Tensor/Members.h"
#include "TinyGrad/Tensor/Tensor.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace transformer {

struct ModelOptions {
  int64_t context = 128, layers = 4, width = 128, heads = 4;
  double dropout = 0.1;
  bool isBF16 = false;

  tinygrad::TensorOptions parameters() const {
    return isBF16 ? tinygrad::DType::BFloat16 : tinygrad::DType::Float32;
  }
};

/// The characters of a text, numbered in the order of their bytes.
class Alphabet {
public:
  explicit Alphabet(const std::string &text) {
    std::array<bool, 256> isUsed = {};
    for (char c : text)
      isUsed[uint8_t(c)] = true;
    for (int c = 0; c < 256; ++c)
      if (isUsed[c]) {
        numbers[c] = int(characters.size());
        characters.push_back(uint8_t(c));
      }
  }

  int64_t size() const { return int64_t(characters.size()); }
  const std::vector<uint8_t> &bytes() const { return characters; }
  char operator[](int number) const { return char(characters.at(number)); }
  /// Throws Error for a character that the text lacks.
  std::vector<int> encode(const std::string &text) const {
    std::vector<int> result;
    for (char c : text) {
      const int number = numbers[uint8_t(c)];
      if (number == kMissing)
        throw tinygrad::Error("the text has no character '" +
                              std::string(1, c) + "', which the prompt has");
      result.push_back(number);
    }
    return result;
  }

private:
  static constexpr int kMissing = -1;

  std::vector<uint8_t> characters;
  std::vector<int> numbers = std::vector<int>(256, kMissing);
};

struct Block {
  tinygrad::nn::LayerNorm attentionNorm, hiddenNorm;
  tinygrad::nn::MultiHeadAttention attention;
  tinygrad::nn::Linear hidden, output;
  double dropout;
  TINYGRAD_MEMBERS(attentionNorm, attention, hiddenNorm, hidden, output)

  explicit Block(const ModelOptions &options)
      : attentionNorm(options.width, {.parameters = options.parameters()}),
        hiddenNorm(options.width, {.parameters = options.parameters()}),
        attention(
            options.width, options.heads,
            {.dropout = options.dropout, .parameters = options.parameters()}),
        hidden(options.width, 4 * options.width,
               {.parameters = options.parameters()}),
        output(4 * options.width, options.width,
               {.parameters = options.parameters()}),
        dropout(options.dropout) {}

  /// \p attend is the attention, with a cache or without one.
  template <typename Attend>
  tinygrad::Tensor operator()(tinygrad::Tensor x, Attend &&attend) const {
    x = x + attend(attentionNorm(x)).dropout(dropout);
    return x + output(hidden(hiddenNorm(x)).gelu()).dropout(dropout);
  }
};

struct Model {
  tinygrad::nn::Embedding characters, positions;
  std::vector<Block> blocks;
  tinygrad::nn::LayerNorm norm;
  tinygrad::nn::Linear output;
  /// The bytes that the characters stand for, to recognize checkpoints of
  /// another text.
  tinygrad::Tensor alphabet;
  double dropout;
  TINYGRAD_MEMBERS(characters, positions, blocks, norm, output, alphabet)

  Model(const ModelOptions &options, const Alphabet &alphabet)
      : characters(alphabet.size(), options.width,
                   {.parameters = options.parameters()}),
        positions(options.context, options.width,
                  {.parameters = options.parameters()}),
        norm(options.width, {.parameters = options.parameters()}),
        output(options.width, alphabet.size(),
               {.parameters = options.parameters()}),
        alphabet(tinygrad::Tensor::from(alphabet.bytes()).parameter(false)),
        dropout(options.dropout) {
    for (int64_t i = 0; i < options.layers; ++i)
      blocks.emplace_back(options);
  }

  /// Scores of the next character after each of (batch, characters).
  tinygrad::Tensor operator()(const tinygrad::Tensor &text) const {
    tinygrad::Tensor x = embed(text, 0);
    for (const Block &block : blocks)
      x = block(x, [&](const tinygrad::Tensor &y) {
        return block.attention(y, {.isCausal = true});
      });
    return output(norm(x)).toFloat();
  }

  /// The same for characters at \p position, after those in the caches.
  tinygrad::Tensor operator()(const tinygrad::Tensor &text,
                              std::vector<tinygrad::nn::KeyValueCache> &caches,
                              const tinygrad::SymInt &position) const {
    tinygrad::Tensor x = embed(text, position);
    for (std::size_t i = 0; i < blocks.size(); ++i)
      x = blocks[i](x, [&](const tinygrad::Tensor &y) {
        return blocks[i].attention(y, caches[i], position);
      });
    return output(norm(x)).toFloat();
  }

  std::vector<tinygrad::nn::KeyValueCache> makeCaches() const {
    std::vector<tinygrad::nn::KeyValueCache> caches;
    for (const Block &block : blocks)
      caches.push_back(
          block.attention.makeCache(1, positions.weight.size(0).value()));
    return caches;
  }

private:
  tinygrad::Tensor embed(const tinygrad::Tensor &text,
                         const tinygrad::SymInt &position) const {
    const tinygrad::SymInt end = position + text.shape()[1];
    return (characters(text) + positions.weight.shrink({{position, end}, {}}))
        .dropout(dropout);
  }
};

/// Of sequences of one character more than the model sees.
inline tinygrad::Tensor lossOf(const Model &model,
                               const tinygrad::Tensor &sequences) {
  const int64_t context = sequences.size(1).value() - 1;
  tinygrad::Tensor scores = model(sequences.shrink({{}, {0, context}}));
  return scores.sparseCategoricalCrossentropy(
      sequences.shrink({{}, {1, context + 1}}));
}

/// Adam's weight decay is for matrices: vectors are biases and norms.
inline std::vector<
    tinygrad::optim::ParameterGroup<tinygrad::optim::AdamWOptions>>
groupParameters(const Model &model, double rate) {
  std::vector<tinygrad::Tensor> matrices, vectors;
  for (const tinygrad::Tensor &tensor : tinygrad::state::getParameters(model))
    (tensor.ndim() > 1 ? matrices : vectors).push_back(tensor);
  const tinygrad::optim::AdamWOptions options = {.learningRate = rate,
                                                 .beta2 = 0.99};
  tinygrad::optim::AdamWOptions decayed = options, others = options;
  decayed.weightDecay = 0.1;
  others.weightDecay = 0;
  return {{matrices, decayed}, {vectors, others}};
}

} // namespace transformer

#endif // EXAMPLES_TRANSFORMER_MODEL_H
