//===- BatchReader.cpp - copies rows into batches -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Orders of rows, copies of rows, and the thread that prepares batches. It
/// uses no tensors, so that it needs no lock of a graph.
///
//===----------------------------------------------------------------------===//

#include "BatchReader.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Error.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <system_error>
#include <utility>

using namespace tinygrad;
using namespace tinygrad::data::detail;

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

/// A random number below \p bound, each as likely as any other (Lemire, "Fast
/// Random Integer Generation in an Interval", 2019). std::uniform_int_distri-
/// bution differs among standard libraries.
static uint64_t randomBelow(std::mt19937_64 &random, uint64_t bound) {
  unsigned __int128 product = (unsigned __int128)(random()) * bound;
  if (uint64_t(product) < bound) {
    const uint64_t rejected = -bound % bound;
    while (uint64_t(product) < rejected)
      product = (unsigned __int128)(random()) * bound;
  }
  return uint64_t(product >> 64);
}

std::vector<int64_t> data::detail::shuffledRows(int64_t rows, uint64_t seed,
                                                int64_t epoch) {
  std::seed_seq words{uint32_t(seed), uint32_t(seed >> 32),
                      uint32_t(uint64_t(epoch)),
                      uint32_t(uint64_t(epoch) >> 32)};
  std::mt19937_64 random(words);
  std::vector<int64_t> order(std::size_t(std::max<int64_t>(rows, 0)));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[randomBelow(random, i)]);
  return order;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

template <std::size_t size>
static void copyRows(char *to, const char *from, const int64_t *positions,
                     int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(to + i * int64_t(size), from + positions[i] * int64_t(size),
                size);
}

static void copyRows(char *to, const char *from, std::size_t size,
                     const int64_t *positions, int64_t count) {
  // Copies of a known size are single instructions.
  switch (size) {
  case 1:
    return copyRows<1>(to, from, positions, count);
  case 2:
    return copyRows<2>(to, from, positions, count);
  case 4:
    return copyRows<4>(to, from, positions, count);
  case 8:
    return copyRows<8>(to, from, positions, count);
  default:
    for (int64_t i = 0; i < count; ++i)
      std::memcpy(to + std::size_t(i) * size,
                  from + std::size_t(positions[i]) * size, size);
  }
}

/// Copies \p count rows from \p first on, in the order of \p positions unless
/// it is null.
Buffer BatchReader::gather(const RowField &field, const int64_t *positions,
                           int64_t first, int64_t count) const {
  const std::size_t bytes = std::size_t(count) * field.rowBytes;
  const auto *from = static_cast<const char *>(field.memory.address());
  if (!positions)
    return Buffer::fromHost(*field.device,
                            from + std::size_t(first) * field.rowBytes, bytes);
  const bool isHostVisible = field.device->information().hostVisible;
  Device &hostDevice = isHostVisible ? *field.device : field.memory.device();
  Buffer batch = Buffer::allocate(hostDevice, bytes);
  if (bytes != 0)
    copyRows(static_cast<char *>(batch.address()), from, field.rowBytes,
             positions + first, count);
  return isHostVisible
             ? batch
             : Buffer::fromHost(*field.device, batch.address(), bytes);
}

bool BatchReader::hasBatchAt(int64_t row) const {
  const int64_t left = options.rows - row;
  return left >= options.batchSize || (left > 0 && !options.dropLast);
}

RawBatch BatchReader::prepare(Cursor &cursor) const {
  ReaderPosition &position = cursor.position;
  RawBatch batch;
  if (!hasBatchAt(position.row)) {
    batch.isEnd = true;
    ++position.epoch;
    position.row = 0;
    cursor.order.clear();
    return batch;
  }
  if (cursor.order.empty() && options.shuffle)
    cursor.order = shuffledRows(options.rows, position.seed, position.epoch);
  const int64_t *order = options.shuffle ? cursor.order.data() : nullptr;
  batch.rows = std::min(options.batchSize, options.rows - position.row);
  for (const RowField &field : fields)
    batch.fields.push_back(gather(field, order, position.row, batch.rows));
  if (options.positionDevice) {
    std::vector<int64_t> rows;
    if (order)
      rows.assign(order + position.row, order + position.row + batch.rows);
    else
      for (int64_t i = 0; i < batch.rows; ++i)
        rows.push_back(position.row + i);
    batch.positions =
        Buffer::fromHost(*options.positionDevice, rows.data(),
                         rows.size() * sizeof(int64_t), DType::Int64);
  }
  // After everything that may throw.
  position.row += batch.rows;
  return batch;
}

//===----------------------------------------------------------------------===//
// The thread
//===----------------------------------------------------------------------===//

BatchReader::BatchReader(std::vector<RowField> fields,
                         const BatchReaderOptions &options)
    : fields(std::move(fields)), options(options) {}

BatchReader::~BatchReader() { stop(); }

void BatchReader::run() {
  try {
    for (;;) {
      {
        std::unique_lock<std::mutex> lock(mutex);
        hasSpace.wait(lock, [&] {
          return isStopping || int64_t(ready.size()) < options.prefetch;
        });
        if (isStopping)
          return;
      }
      RawBatch batch = prepare(cursor);
      const std::lock_guard<std::mutex> lock(mutex);
      ready.push_back(std::move(batch));
      hasBatch.notify_one();
    }
  } catch (...) {
    const std::lock_guard<std::mutex> lock(mutex);
    failure = std::current_exception();
    hasBatch.notify_one();
  }
}

void BatchReader::start() {
  if (cursor.position.epoch != delivered.epoch ||
      cursor.position.seed != delivered.seed)
    cursor.order.clear();
  cursor.position = delivered;
  try {
    thread = std::thread([this] { run(); });
  } catch (const std::system_error &error) {
    throw Error(std::string("DataLoader: cannot start the thread that prepares "
                            "batches (prefetch = 0 needs none): ") +
                error.what());
  }
}

void BatchReader::stop() {
  if (!thread.joinable())
    return;
  {
    const std::lock_guard<std::mutex> lock(mutex);
    isStopping = true;
  }
  hasSpace.notify_one();
  thread.join();
  isStopping = false;
  failure = nullptr;
  ready.clear();
}

RawBatch BatchReader::next() {
  RawBatch batch;
  if (options.prefetch == 0) {
    batch = prepare(cursor);
  } else {
    if (!thread.joinable())
      start();
    std::unique_lock<std::mutex> lock(mutex);
    hasBatch.wait(lock, [&] { return !ready.empty() || failure; });
    if (ready.empty()) {
      const std::exception_ptr error = failure;
      lock.unlock();
      stop();
      std::rethrow_exception(error);
    }
    batch = std::move(ready.front());
    ready.pop_front();
    hasSpace.notify_one();
  }
  if (batch.isEnd) {
    ++delivered.epoch;
    delivered.row = 0;
  } else {
    delivered.row += batch.rows;
  }
  return batch;
}

void BatchReader::seek(const ReaderPosition &position) {
  stop();
  delivered = position;
  cursor = {position, {}};
}
