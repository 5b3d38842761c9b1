//===- DataLoader.h - batches of a data set ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Batches of tensors that have a row for each sample.
///
/// \code
///   data::DataLoader loader(std::pair(set.trainImages, set.trainLabels),
///                           {.batchSize = 128, .shuffle = true, .seed = 1});
///   loader.map([](auto batch) {
///     return std::pair(batch.first.toFloat() / 255, batch.second);
///   });
///   while (loader.epoch() < 10)
///     for (auto [images, labels] : loader)
///       train(images, labels);
/// \endcode
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DATA_DATALOADER_H
#define TINYGRAD_DATA_DATALOADER_H

#include "TinyGrad/Tensor/Members.h"
#include "TinyGrad/Tensor/Tensor.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tinygrad::data {

struct DataLoaderOptions {
  /// The number of samples in a batch. The last batch of an epoch has fewer if
  /// the number of all samples is not a multiple of it: a program for batches
  /// is compiled for that shape as well.
  int64_t batchSize = 1;
  /// Whether each epoch has the samples in another random order.
  bool shuffle = false;
  /// The order is a function of the seed, the number of the epoch and the
  /// number of samples, on any machine.
  uint64_t seed = 0;
  /// Leaves out a last batch of fewer samples, so that all batches have the
  /// same shape.
  bool dropLast = false;
  /// The number of batches that a thread prepares in advance; 0: none, and
  /// there is no thread.
  int64_t prefetch = 2;
  /// The device of the batches, by default that of each tensor.
  std::string device = {};
};

/// Where a data loader is. Two loaders of the same data, batch size and options
/// continue with the same batches from equal states.
struct DataLoaderState {
  uint64_t seed = 0;
  /// The number of complete epochs.
  int64_t epoch = 0;
  /// The number of samples of this epoch that have been in a batch.
  int64_t position = 0;
  /// The number of samples of the data set, and whether they are shuffled.
  int64_t samples = 0;
  bool shuffle = false;

  /// The state as a tensor of int64 on the CPU, for a file of tensors.
  Tensor tensor() const;
  /// The state that tensor() made a tensor of. Throws Error for a tensor that
  /// is of another element type or shape.
  static DataLoaderState fromTensor(const Tensor &tensor);

  bool operator==(const DataLoaderState &) const = default;
};

namespace detail {

/// What a data loader does whatever the type of its batches is.
class BatchSource {
public:
  BatchSource(const std::vector<std::pair<std::string, Tensor>> &tensors,
              const DataLoaderOptions &options);
  ~BatchSource();
  BatchSource(BatchSource &&) noexcept;
  BatchSource &operator=(BatchSource &&) noexcept;

  /// The tensors of the next batch in the current graph; none at the end of an
  /// epoch.
  std::optional<std::vector<Tensor>> next();

  int64_t size() const;
  int64_t numBatches() const;
  int64_t batchesLeft() const;
  DataLoaderState state() const;
  void setState(const DataLoaderState &state);

private:
  struct Impl;

  std::unique_ptr<Impl> impl;
};

} // namespace detail

/// Batches of a data set: a struct with TINYGRAD_MEMBERS, pair, tuple or vector
/// of tensors, which have the same size along their first axis, the number of
/// samples. A batch is of the same type, with a part of the samples in each
/// tensor; undefined tensors stay undefined.
///
/// Iterating yields the batches of one epoch, or what is left of it: after
/// `break`, the next loop continues with the next batch, and after the end of
/// an epoch with the next epoch.
///
/// The samples of a batch are copied on the host by a thread, in advance, if
/// the host can read the memory of the data; otherwise each batch selects them
/// on the device. Memory of batches that are no longer in use is reused.
/// Batches are tensors of the graph that is current where they are asked for.
/// The loader keeps the values that the data had when it was made.
///
/// A loader is for one thread at a time.
template <typename Batch> class DataLoader {
public:
  /// Computes the data. Throws ShapeError for tensors whose numbers of samples
  /// are not equal, are symbolic or not there (rank 0); Error if there is no
  /// tensor, the batch size is not positive, `prefetch` is negative, or
  /// `dropLast` leaves no batch; and what realize() throws.
  explicit DataLoader(Batch data, const DataLoaderOptions &options = {})
      : prototype(std::move(data)), source(tensorsOf(prototype), options) {}

  /// Applies \p function, from batch to batch, to each batch after those that
  /// were given before. It runs when the batch is asked for, in that thread,
  /// and its operations are lazy: they become part of the program that uses the
  /// batch. Returns *this.
  DataLoader &map(std::function<Batch(Batch)> function) {
    functions.push_back(std::move(function));
    return *this;
  }

  /// The next batch, or nothing at the end of an epoch: the next call then
  /// begins the next epoch. Throws OutOfMemoryError or DeviceError if preparing
  /// a batch failed, also in the thread, and what a function of map() throws;
  /// the next call tries again with the same samples.
  std::optional<Batch> next() {
    const DataLoaderState before = source.state();
    std::optional<std::vector<Tensor>> tensors = source.next();
    if (!tensors)
      return std::nullopt;
    Batch batch = prototype;
    std::size_t i = 0;
    forEachTensor(batch, [&](const std::string & /*name*/, Tensor &tensor) {
      tensor = (*tensors)[i++];
    });
    tensors.reset();
    try {
      for (const std::function<Batch(Batch)> &function : functions)
        batch = function(std::move(batch));
    } catch (...) {
      source.setState(before);
      throw;
    }
    return batch;
  }

  class Iterator {
  public:
    using value_type = Batch;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;

    Iterator() = default;
    explicit Iterator(DataLoader &loader)
        : loader(&loader), batch(loader.next()) {}

    Batch &operator*() { return *batch; }
    Batch *operator->() { return &*batch; }
    Iterator &operator++() {
      // First, so that its memory can be used for the next one.
      batch.reset();
      batch = loader->next();
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(std::default_sentinel_t) const {
      return !batch.has_value();
    }

  private:
    DataLoader *loader = nullptr;
    std::optional<Batch> batch;
  };

  Iterator begin() { return Iterator(*this); }
  std::default_sentinel_t end() { return {}; }

  /// The number of samples.
  int64_t size() const { return source.size(); }
  /// The number of batches in an epoch.
  int64_t numBatches() const { return source.numBatches(); }
  /// The number of batches until the end of this epoch.
  int64_t batchesLeft() const { return source.batchesLeft(); }
  /// The number of complete epochs. It changes when the end of an epoch has
  /// been returned, as the end of a loop.
  int64_t epoch() const { return source.state().epoch; }

  /// Where the loader is: the next batch is the first one that has not been
  /// returned.
  DataLoaderState state() const { return source.state(); }
  /// Continues from a state. Throws Error if it is that of a loader with
  /// another number of samples or another choice of `shuffle`.
  void setState(const DataLoaderState &state) { source.setState(state); }
  /// Continues at the beginning of an epoch. Throws Error if it is negative.
  void setEpoch(int64_t epoch) {
    DataLoaderState state = source.state();
    state.epoch = epoch;
    state.position = 0;
    source.setState(state);
  }

private:
  static std::vector<std::pair<std::string, Tensor>> tensorsOf(Batch &data) {
    std::vector<std::pair<std::string, Tensor>> tensors;
    forEachTensor(data, [&](const std::string &name, Tensor &tensor) {
      tensors.emplace_back(name, tensor);
    });
    return tensors;
  }

  Batch prototype;
  detail::BatchSource source;
  std::vector<std::function<Batch(Batch)>> functions;
};

// DataLoader({images, labels}, options)
DataLoader(std::initializer_list<Tensor>, const DataLoaderOptions & = {})
    -> DataLoader<std::vector<Tensor>>;

} // namespace tinygrad::data

#endif // TINYGRAD_DATA_DATALOADER_H
