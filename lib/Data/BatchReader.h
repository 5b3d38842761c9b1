//===- BatchReader.h - copies rows into batches -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the library: what a data loader does in memory and in a thread,
/// without tensors.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DATA_BATCHREADER_H
#define TINYGRAD_LIB_DATA_BATCHREADER_H

#include "TinyGrad/Runtime/Buffer.h"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace tinygrad::data::detail {

/// The numbers from 0 up to \p rows, exclusive, in an order that is a function
/// of seed and epoch alone, on any machine. Each order is as likely as any
/// other (Fisher-Yates).
std::vector<int64_t> shuffledRows(int64_t rows, uint64_t seed, int64_t epoch);

/// Rows of equal size, one after the other in memory that the host can read.
struct RowField {
  Buffer memory;
  std::size_t rowBytes = 0;
  /// Where the rows of a batch go.
  Device *device = nullptr;
};

/// A batch of rows, or the end of an epoch.
struct RawBatch {
  /// The rows of each field.
  std::vector<Buffer> fields;
  /// The positions of the rows (int64), if asked for.
  Buffer positions;
  int64_t rows = 0;
  bool isEnd = false;
};

struct BatchReaderOptions {
  int64_t rows = 0;
  int64_t batchSize = 1;
  bool shuffle = false;
  bool dropLast = false;
  /// The number of batches that a thread prepares in advance; 0: no thread.
  int64_t prefetch = 0;
  /// Where positions go; null if they are not needed.
  Device *positionDevice = nullptr;
};

/// Where an endless sequence of epochs is: the next batch begins at a row of
/// the order of an epoch.
struct ReaderPosition {
  uint64_t seed = 0;
  int64_t epoch = 0;
  int64_t row = 0;
};

/// Reads batches epoch by epoch. A thread prepares the next ones, those of the
/// next epoch included. For one thread at a time.
class BatchReader {
public:
  BatchReader(std::vector<RowField> fields, const BatchReaderOptions &options);
  ~BatchReader();
  BatchReader(const BatchReader &) = delete;
  BatchReader &operator=(const BatchReader &) = delete;

  /// The next batch, or the end of the epoch, after which the next epoch
  /// begins. Throws what preparing the batch threw; the position is unchanged
  /// then, and the next call tries again.
  RawBatch next();

  const ReaderPosition &position() const { return delivered; }
  void seek(const ReaderPosition &position);

  /// Whether another batch begins at a row.
  bool hasBatchAt(int64_t row) const;

private:
  /// The state of who prepares batches.
  struct Cursor {
    ReaderPosition position;
    std::vector<int64_t> order; ///< of the epoch; empty if not yet computed
  };

  RawBatch prepare(Cursor &cursor) const;
  Buffer gather(const RowField &field, const int64_t *positions, int64_t first,
                int64_t count) const;
  void run();
  void start();
  void stop();

  const std::vector<RowField> fields;
  const BatchReaderOptions options;
  ReaderPosition delivered;
  /// Belongs to the thread while there is one.
  Cursor cursor;

  std::thread thread;
  std::mutex mutex;
  std::condition_variable hasBatch, hasSpace;
  // Guarded by the mutex.
  std::deque<RawBatch> ready;
  std::exception_ptr failure;
  bool isStopping = false;
};

} // namespace tinygrad::data::detail

#endif // TINYGRAD_LIB_DATA_BATCHREADER_H
