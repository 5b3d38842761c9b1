//===- DataLoader.cpp - batches of a data set -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Checks the tensors of a data set, and makes tensors of the memory that a
/// BatchReader has filled.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Data/DataLoader.h"
#include "BatchReader.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Tensor/External.h"

#include <bit>
#include <numeric>

using namespace tinygrad;
using namespace tinygrad::data;
using namespace tinygrad::data::detail;

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

static constexpr int64_t kStateNumbers = 5;

Tensor DataLoaderState::tensor() const {
  const int64_t numbers[kStateNumbers] = {std::bit_cast<int64_t>(seed), epoch,
                                          position, samples, shuffle ? 1 : 0};
  return Tensor::fromBytes(numbers, {kStateNumbers}, DType::Int64, "CPU");
}

DataLoaderState DataLoaderState::fromTensor(const Tensor &tensor) {
  if (tensor.dtype() != DType::Int64 || tensor.ndim() != 1 ||
      tensor.isSymbolic() || tensor.size(0).value() != kStateNumbers)
    throw Error("DataLoaderState: a state is a tensor of int64 and shape (" +
                std::to_string(kStateNumbers) + "), not of " +
                std::string(name(tensor.dtype())) + " and rank " +
                std::to_string(tensor.ndim()));
  const std::vector<int64_t> numbers = tensor.tolist<int64_t>();
  return {.seed = std::bit_cast<uint64_t>(numbers[0]),
          .epoch = numbers[1],
          .position = numbers[2],
          .samples = numbers[3],
          .shuffle = numbers[4] != 0};
}

//===----------------------------------------------------------------------===//
// The data
//===----------------------------------------------------------------------===//

namespace {
/// A tensor of the data set.
struct Column {
  std::vector<int64_t> shape; ///< of the data
  DType dtype;
  /// The field of the reader, or -1: the batch selects from `memory`.
  int64_t field;
  Buffer memory;
};
} // namespace

struct BatchSource::Impl {
  std::vector<Column> columns;
  DataLoaderOptions options;
  int64_t samples = 0;
  std::unique_ptr<BatchReader> reader;

  Tensor makeTensor(const Column &column, const RawBatch &batch) const;
};

static std::string describe(const std::string &name) {
  return name.empty() ? "the tensor" : "'" + name + "'";
}

/// The number of samples of all tensors.
static int64_t
checkData(const std::vector<std::pair<std::string, Tensor>> &tensors) {
  if (tensors.empty())
    throw Error("DataLoader: the data set has no tensor that is defined");
  int64_t samples = -1;
  for (const auto &[name, tensor] : tensors) {
    if (tensor.ndim() == 0)
      throw ShapeError("DataLoader: " + describe(name) +
                       " has no axis of samples, it is of shape ()");
    if (tensor.isSymbolic())
      throw ShapeError("DataLoader: the shape of " + describe(name) +
                       " is symbolic: " + toString(tensor.shape()));
    const int64_t rows = tensor.size(0).value();
    if (samples >= 0 && rows != samples)
      throw ShapeError(
          "DataLoader: " + describe(name) + " has " + std::to_string(rows) +
          " samples, shape " + toString(tensor.shape()) + ", but " +
          describe(tensors[0].first) + " has " + std::to_string(samples));
    samples = rows;
  }
  return samples;
}

static void checkOptions(const DataLoaderOptions &options, int64_t samples) {
  if (options.batchSize < 1)
    throw Error("DataLoader: a batch of " + std::to_string(options.batchSize) +
                " samples is not possible; batchSize is at least 1");
  if (options.prefetch < 0)
    throw Error("DataLoader: prefetch is " + std::to_string(options.prefetch) +
                "; it is the number of batches to prepare in advance, 0 or "
                "more");
  if (options.dropLast && samples > 0 && samples < options.batchSize)
    throw Error("DataLoader: with dropLast there is no batch: the data set "
                "has " +
                std::to_string(samples) + " samples, a batch " +
                std::to_string(options.batchSize));
}

/// The values in row-major order, in memory that nothing changes.
static Buffer getMemory(const Tensor &tensor) {
  if (!Device::get(tensor.device()).information().hostVisible)
    return tensor.buffer();
  const Tensor dense = tensor.contiguous();
  const StridedView view = toStrided(dense);
  return view.buffer.view(std::size_t(view.offset) * itemSize(view.dtype),
                          std::size_t(tensor.numel().value()) *
                              itemSize(view.dtype));
}

BatchSource::BatchSource(
    const std::vector<std::pair<std::string, Tensor>> &tensors,
    const DataLoaderOptions &options)
    : impl(std::make_unique<Impl>()) {
  impl->options = options;
  impl->samples = checkData(tensors);
  checkOptions(options, impl->samples);
  Device *target =
      options.device.empty() ? nullptr : &Device::get(options.device);

  std::vector<Tensor> all;
  for (const auto &[name, tensor] : tensors)
    all.push_back(tensor);
  realize(all);
  std::vector<RowField> fields;
  BatchReaderOptions readerOptions = {.rows = impl->samples,
                                      .batchSize = options.batchSize,
                                      .shuffle = options.shuffle,
                                      .dropLast = options.dropLast,
                                      .prefetch = options.prefetch};
  for (const Tensor &tensor : all) {
    Device &device = Device::get(tensor.device());
    Column &column = impl->columns.emplace_back();
    column.shape = tensor.concreteShape();
    column.dtype = tensor.dtype();
    column.memory = getMemory(tensor);
    column.field = -1;
    if (device.information().hostVisible) {
      const int64_t elements =
          std::accumulate(column.shape.begin() + 1, column.shape.end(),
                          int64_t(1), std::multiplies<>());
      column.field = int64_t(fields.size());
      fields.push_back({column.memory,
                        std::size_t(elements) * itemSize(column.dtype),
                        target ? target : &device});
    } else if (!readerOptions.positionDevice) {
      readerOptions.positionDevice = &device;
    } else if (readerOptions.positionDevice != &device) {
      throw DeviceError("DataLoader: the data is on the devices " +
                        readerOptions.positionDevice->name() + " and " +
                        device.name() +
                        "; one device without memory of the host is possible");
    }
  }
  impl->reader =
      std::make_unique<BatchReader>(std::move(fields), readerOptions);
  impl->reader->seek({options.seed, 0, 0});
}

BatchSource::~BatchSource() = default;
BatchSource::BatchSource(BatchSource &&) noexcept = default;
BatchSource &BatchSource::operator=(BatchSource &&) noexcept = default;

//===----------------------------------------------------------------------===//
// Batches
//===----------------------------------------------------------------------===//

Tensor BatchSource::Impl::makeTensor(const Column &column,
                                     const RawBatch &batch) const {
  Shape shape(column.shape.begin(), column.shape.end());
  if (column.field >= 0) {
    shape[0] = batch.rows;
    return Tensor::fromBuffer(batch.fields[std::size_t(column.field)], shape,
                              column.dtype);
  }
  const Tensor rows =
      Tensor::fromBuffer(batch.positions, {batch.rows}, DType::Int64);
  const Tensor selected = Tensor::fromBuffer(column.memory, shape, column.dtype)
                              .indexSelect(0, rows);
  return options.device.empty() ? selected : selected.to(options.device);
}

std::optional<std::vector<Tensor>> BatchSource::next() {
  const RawBatch batch = impl->reader->next();
  if (batch.isEnd)
    return std::nullopt;
  std::vector<Tensor> tensors;
  for (const Column &column : impl->columns)
    tensors.push_back(impl->makeTensor(column, batch));
  return tensors;
}

int64_t BatchSource::size() const { return impl->samples; }

static int64_t countBatches(int64_t samples, const DataLoaderOptions &options) {
  return samples / options.batchSize +
         (samples % options.batchSize != 0 && !options.dropLast ? 1 : 0);
}

int64_t BatchSource::numBatches() const {
  return countBatches(impl->samples, impl->options);
}

int64_t BatchSource::batchesLeft() const {
  return countBatches(impl->samples - impl->reader->position().row,
                      impl->options);
}

DataLoaderState BatchSource::state() const {
  const ReaderPosition &position = impl->reader->position();
  return {.seed = position.seed,
          .epoch = position.epoch,
          .position = position.row,
          .samples = impl->samples,
          .shuffle = impl->options.shuffle};
}

void BatchSource::setState(const DataLoaderState &state) {
  if (state.samples != impl->samples)
    throw Error("DataLoader: the state is that of a data set of " +
                std::to_string(state.samples) + " samples; this one has " +
                std::to_string(impl->samples));
  if (state.shuffle != impl->options.shuffle)
    throw Error(std::string("DataLoader: the state is that of a loader ") +
                (state.shuffle ? "that shuffles; this one does not"
                               : "that does not shuffle; this one does"));
  if (state.epoch < 0 || state.position < 0 || state.position > state.samples)
    throw Error("DataLoader: there is no sample " +
                std::to_string(state.position) + " of epoch " +
                std::to_string(state.epoch) + " in a data set of " +
                std::to_string(state.samples));
  impl->reader->seek({state.seed, state.epoch, state.position});
}
