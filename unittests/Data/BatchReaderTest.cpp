//===- BatchReaderTest.cpp - rows copied by a thread ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Orders of rows, batches with and without a thread, failures in the thread.
/// The thread sanitizer runs this.
///
//===----------------------------------------------------------------------===//

#include "BatchReader.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Error.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <set>

using namespace tinygrad;
using namespace tinygrad::data::detail;
using ::testing::ElementsAre;

namespace {
/// A field of rows of \p width numbers: row r is r * 100, r * 100 + 1, ...
RowField makeField(int64_t rows, int64_t width) {
  std::vector<int32_t> numbers;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t i = 0; i < width; ++i)
      numbers.push_back(int32_t(row * 100 + i));
  Device &device = Device::get("CPU");
  return {Buffer::fromHost(device, numbers.data(), numbers.size() * 4),
          std::size_t(width) * 4, &device};
}

std::vector<int32_t> numbersOf(const Buffer &buffer) {
  const auto *first = static_cast<const int32_t *>(buffer.address());
  return std::vector<int32_t>(first, first + buffer.size() / 4);
}

std::unique_ptr<BatchReader> makeReader(const BatchReaderOptions &options,
                                        uint64_t seed = 1) {
  auto reader = std::make_unique<BatchReader>(
      std::vector<RowField>{makeField(options.rows, 1),
                            makeField(options.rows, 3)},
      options);
  reader->seek({seed, 0, 0});
  return reader;
}

/// The rows of the batches until the end of the epoch.
std::vector<std::vector<int32_t>> readEpoch(BatchReader &reader) {
  std::vector<std::vector<int32_t>> batches;
  for (;;) {
    const RawBatch batch = reader.next();
    if (batch.isEnd)
      return batches;
    std::vector<int32_t> &rows = batches.emplace_back();
    const std::vector<int32_t> wide = numbersOf(batch.fields[1]);
    for (const int32_t number : numbersOf(batch.fields[0])) {
      const std::size_t i = rows.size();
      EXPECT_EQ(wide[i * 3], number);
      EXPECT_EQ(wide[i * 3 + 2], number + 2);
      rows.push_back(number / 100);
    }
    EXPECT_EQ(int64_t(rows.size()), batch.rows);
    EXPECT_EQ(wide.size(), rows.size() * 3);
  }
}
} // namespace

// A checkpoint stands for an order, which must never change. The numbers come
// from a program in Python that follows the C++ standard's definitions of
// std::seed_seq and std::mt19937_64.
TEST(ShuffledRowsTest, IsTheSameEverywhere) {
  EXPECT_THAT(shuffledRows(8, 1, 0), ElementsAre(7, 6, 1, 4, 5, 0, 2, 3));
  EXPECT_THAT(shuffledRows(8, 1, 1), ElementsAre(7, 5, 3, 0, 4, 6, 1, 2));
  EXPECT_THAT(shuffledRows(8, uint64_t(1) << 40, 0),
              ElementsAre(4, 5, 3, 6, 7, 1, 2, 0));
}

TEST(ShuffledRowsTest, IsAPermutation) {
  for (const int64_t rows : {0, 1, 2, 1000}) {
    std::vector<int64_t> order = shuffledRows(rows, 7, 3);
    std::sort(order.begin(), order.end());
    std::vector<int64_t> all(static_cast<std::size_t>(rows));
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(order, all);
  }
}

TEST(ShuffledRowsTest, OrdersAreEquallyLikely) {
  std::map<std::vector<int64_t>, int> counts;
  for (int64_t epoch = 0; epoch < 3000; ++epoch)
    ++counts[shuffledRows(3, 5, epoch)];
  EXPECT_EQ(counts.size(), 6u);
  // The standard deviation of each count is 20.
  for (const auto &[order, count] : counts)
    EXPECT_NEAR(count, 500, 100);
}

TEST(BatchReaderTest, ReadsInOrder) {
  for (const int64_t prefetch : {0, 1, 3}) {
    const auto reader =
        makeReader({.rows = 7, .batchSize = 3, .prefetch = prefetch});
    for (int epoch = 0; epoch < 3; ++epoch) {
      EXPECT_EQ(reader->position().epoch, epoch);
      EXPECT_THAT(readEpoch(*reader),
                  ElementsAre(ElementsAre(0, 1, 2), ElementsAre(3, 4, 5),
                              ElementsAre(6)));
    }
  }
}

TEST(BatchReaderTest, DropsTheLastBatch) {
  for (const int64_t prefetch : {0, 2}) {
    const auto reader = makeReader(
        {.rows = 7, .batchSize = 3, .dropLast = true, .prefetch = prefetch});
    EXPECT_THAT(readEpoch(*reader),
                ElementsAre(ElementsAre(0, 1, 2), ElementsAre(3, 4, 5)));
    EXPECT_EQ(readEpoch(*reader).size(), 2u);
  }
}

TEST(BatchReaderTest, ShufflesEachEpochAnew) {
  std::vector<std::vector<int32_t>> epochs[3];
  for (const int64_t prefetch : {0, 4}) {
    const auto reader = makeReader(
        {.rows = 100, .batchSize = 100, .shuffle = true, .prefetch = prefetch},
        9);
    for (int64_t epoch = 0; epoch < 3; ++epoch) {
      const std::vector<std::vector<int32_t>> batches = readEpoch(*reader);
      const std::vector<int64_t> expected = shuffledRows(100, 9, epoch);
      EXPECT_EQ(batches[0],
                std::vector<int32_t>(expected.begin(), expected.end()));
      epochs[epoch] = batches;
    }
  }
  EXPECT_NE(epochs[0], epochs[1]);
  EXPECT_NE(epochs[1], epochs[2]);
}

TEST(BatchReaderTest, ContinuesAnywhere) {
  const BatchReaderOptions options = {
      .rows = 20, .batchSize = 3, .shuffle = true, .prefetch = 2};
  const auto reader = makeReader(options, 4);
  readEpoch(*reader);
  for (int i = 0; i < 4; ++i) {
    const ReaderPosition position = reader->position();
    EXPECT_EQ(position.row, 3 * i);
    const auto other = makeReader(options, 77);
    other->next(); // its thread is at another place
    other->seek(position);
    const RawBatch resumed = other->next();
    EXPECT_EQ(numbersOf(resumed.fields[0]),
              numbersOf(reader->next().fields[0]));
  }
}

TEST(BatchReaderTest, SeeksToTheEnd) {
  const auto reader = makeReader({.rows = 6, .batchSize = 3, .prefetch = 2});
  reader->seek({1, 5, 6});
  EXPECT_TRUE(reader->next().isEnd);
  EXPECT_EQ(reader->position().epoch, 6);
  EXPECT_EQ(reader->position().row, 0);
}

TEST(BatchReaderTest, NoRows) {
  for (const int64_t prefetch : {0, 2}) {
    const auto reader =
        makeReader({.rows = 0, .shuffle = true, .prefetch = prefetch});
    EXPECT_TRUE(reader->next().isEnd);
    EXPECT_TRUE(reader->next().isEnd);
    EXPECT_EQ(reader->position().epoch, 2);
  }
}

TEST(BatchReaderTest, GivesPositions) {
  for (const bool shuffle : {false, true}) {
    Device &device = Device::get("CPU");
    BatchReader reader({}, {.rows = 5,
                            .batchSize = 5,
                            .shuffle = shuffle,
                            .prefetch = 1,
                            .positionDevice = &device});
    const RawBatch batch = reader.next();
    const auto *first = static_cast<const int64_t *>(batch.positions.address());
    const std::vector<int64_t> rows(first, first + 5);
    EXPECT_EQ(rows, shuffle ? shuffledRows(5, 0, 0)
                            : (std::vector<int64_t>{0, 1, 2, 3, 4}));
  }
}

TEST(BatchReaderTest, CopiesRowsOfAnySize) {
  Device &device = Device::get("CPU");
  for (const std::size_t size : {0, 1, 2, 3, 4, 7, 8, 16, 33}) {
    std::vector<uint8_t> bytes(10 * size);
    std::iota(bytes.begin(), bytes.end(), uint8_t(0));
    BatchReader reader(
        {{Buffer::fromHost(device, bytes.data(), bytes.size()), size, &device}},
        {.rows = 10, .batchSize = 10, .shuffle = true});
    const RawBatch batch = reader.next();
    const std::vector<int64_t> order = shuffledRows(10, 0, 0);
    ASSERT_EQ(batch.fields[0].size(), 10 * size);
    const auto *found = static_cast<const uint8_t *>(batch.fields[0].address());
    for (std::size_t i = 0; i < 10; ++i)
      for (std::size_t j = 0; j < size; ++j)
        EXPECT_EQ(found[i * size + j], bytes[std::size_t(order[i]) * size + j]);
  }
}

// Readers that end while their thread waits, copies, or has not begun.
TEST(BatchReaderTest, EndsAtAnyTime) {
  for (int i = 0; i < 50; ++i) {
    const auto reader = makeReader(
        {.rows = 1000, .batchSize = 7, .shuffle = true, .prefetch = 1 + i % 3});
    for (int j = 0; j < i % 5; ++j)
      reader->next();
  }
}

TEST(BatchReaderTest, BatchesOutliveTheReader) {
  auto reader = makeReader({.rows = 4, .batchSize = 2, .prefetch = 2});
  const RawBatch batch = reader->next();
  reader.reset();
  EXPECT_THAT(numbersOf(batch.fields[0]), ElementsAre(0, 100));
}

// The consumer reads and frees batches while the thread fills others, in memory
// that it may get from the consumer.
TEST(BatchReaderTest, ReusesMemoryBetweenThreads) {
  const auto reader = makeReader(
      {.rows = 4096, .batchSize = 64, .shuffle = true, .prefetch = 2});
  for (int epoch = 0; epoch < 3; ++epoch) {
    std::set<int32_t> seen;
    for (const std::vector<int32_t> &batch : readEpoch(*reader))
      seen.insert(batch.begin(), batch.end());
    EXPECT_EQ(seen.size(), 4096u);
  }
}

// There is no memory for rows of this size; the data itself is not touched.
TEST(BatchReaderTest, FailuresReachTheConsumer) {
  RowField field = makeField(4, 1);
  field.rowBytes = std::size_t(1) << 50;
  for (const int64_t prefetch : {0, 2}) {
    BatchReader reader({field},
                       {.rows = 4, .batchSize = 2, .prefetch = prefetch});
    for (int i = 0; i < 2; ++i) {
      EXPECT_THROW(reader.next(), OutOfMemoryError);
      EXPECT_EQ(reader.position().row, 0);
    }
    reader.seek({0, 0, 4});
    EXPECT_TRUE(reader.next().isEnd);
    EXPECT_THROW(reader.next(), OutOfMemoryError);
  }
}
