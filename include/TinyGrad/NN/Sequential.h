//===- Sequential.h - layers one after the other ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A list of layers and functions of a tensor.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_NN_SEQUENTIAL_H
#define TINYGRAD_NN_SEQUENTIAL_H

#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Tensor/Members.h"
#include "TinyGrad/Tensor/Tensor.h"

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tinygrad::nn {

namespace detail {
/// Whether a layer has tensors to visit; functions have none.
template <typename T>
concept HasTensors = tinygrad::detail::HasMembers<T>;
} // namespace detail

/// Anything that can be called with a tensor and returns one: a layer, a
/// lambda, a function, `&Tensor::relu`.
template <typename T>
concept SequentialLayer =
    std::is_invocable_r_v<Tensor, const T &, const Tensor &>;

/// Applies layers one after the other. It holds copies of them; the names of
/// their tensors begin with their positions, as in PyTorch and tinygrad:
/// "0.weight", "2.bias". A function has a position, but no tensors.
///
/// \code
///   nn::Sequential net{nn::Linear(784, 128), &Tensor::relu,
///                      nn::Linear(128, 10)};
///   Tensor logits = net(images);
///   Tensor weight = net.get<nn::Linear>(0).weight;
/// \endcode
///
/// Copies have layers of their own, with the same tensors, like copies of any
/// struct of tensors.
class Sequential {
  /// A layer of any type.
  struct Layer {
    virtual ~Layer() = default;
    virtual std::unique_ptr<Layer> clone() const = 0;
    virtual Tensor call(const Tensor &x) const = 0;
    virtual void
    visit(const std::function<void(const std::string &, Tensor &)> &visitor,
          const std::string &prefix) = 0;
    virtual void visit(
        const std::function<void(const std::string &, const Tensor &)> &visitor,
        const std::string &prefix) const = 0;
  };

  template <typename T> struct LayerOf final : Layer {
    explicit LayerOf(T layer) : layer(std::move(layer)) {}
    std::unique_ptr<Layer> clone() const override {
      return std::make_unique<LayerOf>(layer);
    }
    Tensor call(const Tensor &x) const override {
      return std::invoke(layer, x);
    }
    void
    visit(const std::function<void(const std::string &, Tensor &)> &visitor,
          const std::string &prefix) override {
      if constexpr (detail::HasTensors<T>)
        forEachTensor(layer, visitor, prefix);
    }
    void visit(
        const std::function<void(const std::string &, const Tensor &)> &visitor,
        const std::string &prefix) const override {
      if constexpr (detail::HasTensors<T>)
        forEachTensor(layer, visitor, prefix);
    }

    T layer;
  };

public:
  Sequential() = default;
  /// Throws Error for an empty std::function, or a null pointer, naming its
  /// position.
  template <typename... Layers>
    requires(sizeof...(Layers) > 0 &&
             !(sizeof...(Layers) == 1 &&
               (std::same_as<std::decay_t<Layers>, Sequential> && ...)) &&
             (SequentialLayer<std::decay_t<Layers>> && ...))
  Sequential(Layers &&...layers) {
    (add(std::forward<Layers>(layers)), ...);
  }
  Sequential(const Sequential &other) {
    for (const auto &layer : other.layers)
      layers.push_back(layer->clone());
  }
  Sequential(Sequential &&) noexcept = default;
  Sequential &operator=(Sequential other) noexcept {
    layers = std::move(other.layers);
    return *this;
  }

  /// Appends a layer. Returns *this.
  template <typename T>
    requires SequentialLayer<std::decay_t<T>>
  Sequential &add(T &&layer) {
    static_assert(std::copy_constructible<std::decay_t<T>>,
                  "nn::Sequential can be copied, and so must its layers");
    if constexpr (requires { layer == nullptr; })
      if (layer == nullptr)
        throw Error("nn::Sequential: function " + std::to_string(size()) +
                    " is empty");
    layers.push_back(
        std::make_unique<LayerOf<std::decay_t<T>>>(std::forward<T>(layer)));
    return *this;
  }

  /// The result of the last layer; \p x if there is none.
  Tensor operator()(const Tensor &x) const {
    Tensor result = x;
    for (const auto &layer : layers)
      result = layer->call(result);
    return result;
  }

  std::size_t size() const { return layers.size(); }

  /// The layer at a position. Throws IndexError if there is none, and Error if
  /// it is of another type.
  template <typename T> T &get(std::size_t position) {
    return const_cast<T &>(std::as_const(*this).get<T>(position));
  }
  template <typename T> const T &get(std::size_t position) const {
    if (position >= layers.size())
      throw IndexError("nn::Sequential: there is no layer " +
                       std::to_string(position) + " of " +
                       std::to_string(layers.size()));
    const auto *layer =
        dynamic_cast<const LayerOf<T> *>(layers[position].get());
    if (!layer)
      throw Error("nn::Sequential: layer " + std::to_string(position) +
                  " is not of the requested type");
    return layer->layer;
  }

  /// As TINYGRAD_MEMBERS would define it.
  template <typename Visitor> void visitMembers(Visitor &&visitor) {
    for (std::size_t i = 0; i < layers.size(); ++i)
      layers[i]->visit(
          [&](const std::string &name, Tensor &tensor) {
            visitor(std::string_view(name), tensor);
          },
          std::to_string(i));
  }
  template <typename Visitor> void visitMembers(Visitor &&visitor) const {
    for (std::size_t i = 0; i < layers.size(); ++i)
      std::as_const(*layers[i])
          .visit(
              [&](const std::string &name, const Tensor &tensor) {
                visitor(std::string_view(name), tensor);
              },
              std::to_string(i));
  }

private:
  std::vector<std::unique_ptr<Layer>> layers;
};

} // namespace tinygrad::nn

#endif // TINYGRAD_NN_SEQUENTIAL_H
