//===- DataLoaderTest.cpp - batches of a data set -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Batches of all kinds of data sets, states, transforms, graphs and errors.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Data/DataLoader.h"
#include "../Tensor/TensorTest.h"
#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Runtime/Error.h"

#include <tuple>

using namespace tinygrad;
using namespace tinygrad::data;
using namespace tinygrad::testing;
using ::testing::ElementsAre;

namespace {
struct Sample {
  Tensor image, label, weight;
  std::string remark = "none"; ///< not a tensor
  TINYGRAD_MEMBERS(image, label, weight)
};

using Pair = std::pair<Tensor, Tensor>;

/// Row r of the first tensor is (2 r, 2 r + 1), of the second one r.
Pair makePair(int64_t rows) {
  return {counting({rows, 2}), Tensor::arange(rows, DType::Int64)};
}

/// The samples of each batch until the end of the epoch.
template <typename Loader>
std::vector<std::vector<int64_t>> readEpoch(Loader &loader) {
  std::vector<std::vector<int64_t>> batches;
  for (const auto &[rows, numbers] : loader) {
    batches.push_back(numbers.template tolist<int64_t>());
    std::vector<double> expected;
    for (const int64_t number : batches.back()) {
      expected.push_back(double(2 * number));
      expected.push_back(double(2 * number + 1));
    }
    expectTensor(rows, {int64_t(batches.back().size()), 2}, expected);
  }
  return batches;
}
} // namespace

TEST(DataLoaderTest, BatchesInOrder) {
  DataLoader loader(makePair(5), {.batchSize = 2});
  EXPECT_EQ(loader.size(), 5);
  EXPECT_EQ(loader.numBatches(), 3);
  for (int64_t epoch = 0; epoch < 2; ++epoch) {
    EXPECT_EQ(loader.epoch(), epoch);
    EXPECT_EQ(loader.batchesLeft(), 3);
    EXPECT_THAT(
        readEpoch(loader),
        ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3), ElementsAre(4)));
  }
}

TEST(DataLoaderTest, TheEndOfAnEpochIsVisible) {
  DataLoader loader(makePair(4), {.batchSize = 3});
  EXPECT_TRUE(loader.next().has_value());
  EXPECT_EQ(loader.batchesLeft(), 1);
  EXPECT_TRUE(loader.next().has_value());
  EXPECT_EQ(loader.batchesLeft(), 0);
  EXPECT_EQ(loader.epoch(), 0);
  EXPECT_FALSE(loader.next().has_value());
  EXPECT_EQ(loader.epoch(), 1);
  EXPECT_EQ(loader.next()->first.size(0), 3);
}

TEST(DataLoaderTest, DropsTheLastBatch) {
  DataLoader loader(makePair(5), {.batchSize = 2, .dropLast = true});
  EXPECT_EQ(loader.numBatches(), 2);
  EXPECT_EQ(readEpoch(loader).size(), 2u);
  EXPECT_EQ(loader.epoch(), 1);
}

TEST(DataLoaderTest, TypesOfBatches) {
  const auto [rows, numbers] = makePair(3);
  DataLoader list({rows, numbers}, {.batchSize = 3});
  static_assert(
      std::is_same_v<decltype(list), DataLoader<std::vector<Tensor>>>);
  expectTensor((*list.next())[1], {3}, {0, 1, 2});

  DataLoader one(rows, {.batchSize = 2});
  static_assert(std::is_same_v<decltype(one), DataLoader<Tensor>>);
  expectTensor(*one.next(), {2, 2}, {0, 1, 2, 3});

  DataLoader tuple(std::tuple(rows, numbers, rows + 1), {.batchSize = 1});
  const auto [a, b, c] = *tuple.next();
  expectTensor(a + c, {1, 2}, {1, 3});

  // What is undefined, or no tensor, is in each batch as in the data.
  DataLoader samples(Sample{rows, numbers, {}, "all"}, {.batchSize = 2});
  for (const Sample &sample : samples) {
    EXPECT_EQ(sample.remark, "all");
    EXPECT_FALSE(sample.weight.defined());
    EXPECT_EQ(sample.image.size(0), sample.label.size(0));
  }
}

TEST(DataLoaderTest, ElementTypesAndShapes) {
  const Tensor bools = Tensor::from({true, false, true});
  const Tensor halves = Tensor::from({{1.5f}, {2.5f}, {3.5f}}, DType::Float16);
  const Tensor nothing = Tensor::zeros({3, 0, 2}, DType::Int16);
  const Tensor images = counting({3, 2, 2, 2}).cast(DType::UInt8);
  DataLoader loader({bools, halves, nothing, images}, {.batchSize = 2});
  const std::vector<Tensor> batch = *loader.next();
  EXPECT_EQ(batch[0].dtype(), DType::Bool);
  expectTensor(batch[0], {2}, {1, 0});
  EXPECT_EQ(batch[1].dtype(), DType::Float16);
  expectTensor(batch[1], {2, 1}, {1.5, 2.5});
  EXPECT_EQ(batch[2].dtype(), DType::Int16);
  expectTensor(batch[2], {2, 0, 2}, {});
  expectTensor((*loader.next())[3], {1, 2, 2, 2},
               {16, 17, 18, 19, 20, 21, 22, 23});
}

// Views are read as they are: parts, reordered and repeated elements.
TEST(DataLoaderTest, Views) {
  const Tensor matrix = counting({4, 6});
  const Tensor part = matrix.shrink({{1, 4}, {}});
  const Tensor turned = matrix.T().shrink({{0, 3}, {}});
  const Tensor repeated = Tensor::ones({1}).expand({3});
  DataLoader loader({part, turned, repeated}, {.batchSize = 1});
  loader.next();
  const std::vector<Tensor> batch = *loader.next();
  expectTensor(batch[0], {1, 6}, {12, 13, 14, 15, 16, 17});
  expectTensor(batch[1], {1, 4}, {1, 7, 13, 19});
  expectTensor(batch[2], {1}, {1});
}

TEST(DataLoaderTest, KeepsTheValues) {
  Tensor data = counting({2, 1}).contiguous().realize();
  DataLoader loader(data, {.batchSize = 2});
  data.assign(data + 10);
  data.realize();
  expectTensor(data, {2, 1}, {10, 11});
  expectTensor(*loader.next(), {2, 1}, {0, 1});
  // And a batch can be changed without changing the data.
  loader.next();
  Tensor batch = *loader.next();
  batch.assign(batch * 0 - 1);
  batch.realize();
  loader.next();
  expectTensor(*loader.next(), {2, 1}, {0, 1});
}

TEST(DataLoaderTest, SmallDataSets) {
  DataLoader none(makePair(0), {.batchSize = 4});
  EXPECT_EQ(none.numBatches(), 0);
  EXPECT_FALSE(none.next().has_value());
  EXPECT_EQ(none.epoch(), 1);
  DataLoader dropped(makePair(0), {.batchSize = 4, .dropLast = true});
  EXPECT_FALSE(dropped.next().has_value());
  DataLoader one(makePair(1), {.batchSize = 4, .shuffle = true});
  EXPECT_THAT(readEpoch(one), ElementsAre(ElementsAre(0)));
}

TEST(DataLoaderTest, ShufflesBySeedAndEpoch) {
  const DataLoaderOptions options = {
      .batchSize = 8, .shuffle = true, .seed = 1};
  DataLoader loader(makePair(8), options);
  const auto first = readEpoch(loader), second = readEpoch(loader);
  // As shuffledRows of BatchReaderTest.
  EXPECT_THAT(first[0], ElementsAre(7, 6, 1, 4, 5, 0, 2, 3));
  EXPECT_THAT(second[0], ElementsAre(7, 5, 3, 0, 4, 6, 1, 2));
  DataLoader same(makePair(8), options);
  EXPECT_EQ(readEpoch(same), first);
  same.setEpoch(1);
  EXPECT_EQ(readEpoch(same), second);
  DataLoaderOptions other = options;
  other.seed = 2;
  DataLoader different(makePair(8), other);
  EXPECT_NE(readEpoch(different), first);
}

TEST(DataLoaderTest, ContinuesInTheMiddleOfAnEpoch) {
  const DataLoaderOptions options = {
      .batchSize = 3, .shuffle = true, .seed = uint64_t(-2)};
  DataLoader loader(makePair(20), options);
  readEpoch(loader);
  loader.next();
  loader.next();
  const DataLoaderState state = loader.state();
  EXPECT_EQ(state, (DataLoaderState{.seed = uint64_t(-2),
                                    .epoch = 1,
                                    .position = 6,
                                    .samples = 20,
                                    .shuffle = true}));
  const Tensor saved = state.tensor();
  const auto rest = readEpoch(loader), following = readEpoch(loader);
  EXPECT_EQ(rest.size(), 5u);

  // In another process, with another seed by mistake: that of the state counts.
  DataLoader resumed(makePair(20), {.batchSize = 3, .shuffle = true});
  resumed.next();
  resumed.setState(DataLoaderState::fromTensor(saved));
  EXPECT_EQ(resumed.state(), state);
  EXPECT_EQ(resumed.batchesLeft(), 5);
  EXPECT_EQ(readEpoch(resumed), rest);
  EXPECT_EQ(readEpoch(resumed), following);
}

TEST(DataLoaderTest, ALoopThatWasLeftContinues) {
  DataLoader loader(makePair(6), {.batchSize = 2});
  for (const Pair &batch : loader) {
    EXPECT_EQ(batch.first.size(0), 2);
    EXPECT_EQ(loader.state().position, 2);
    break;
  }
  EXPECT_THAT(readEpoch(loader),
              ElementsAre(ElementsAre(2, 3), ElementsAre(4, 5)));
  // A state of the end of an epoch, as a checkpoint after its last batch has.
  for (int i = 0; i < 3; ++i)
    loader.next();
  DataLoader resumed(makePair(6), {.batchSize = 2});
  resumed.setState(loader.state());
  EXPECT_TRUE(readEpoch(resumed).empty());
  EXPECT_EQ(resumed.epoch(), 2);
}

TEST(DataLoaderTest, Transforms) {
  DataLoader loader(makePair(4), {.batchSize = 2});
  loader.map([](Pair batch) { return Pair(batch.first / 2, batch.second); })
      .map([](Pair batch) { return Pair(batch.first + 1, batch.second * 10); });
  const uint64_t before = GlobalCounters::kernelCount;
  const Pair batch = *loader.next();
  EXPECT_EQ(GlobalCounters::kernelCount, before);
  EXPECT_FALSE(batch.first.isRealized());
  // One kernel with what uses the batch.
  expectTensor(batch.first.sum(), {}, {7});
  EXPECT_EQ(GlobalCounters::kernelCount, before + 1);
  expectTensor(batch.second, {2}, {0, 10});
}

TEST(DataLoaderTest, ExceptionsOfTransforms) {
  DataLoader loader(makePair(4), {.batchSize = 2});
  int failures = 2;
  loader.map([&](Pair batch) {
    if (batch.second.tolist<int64_t>()[0] == 2 && failures-- > 0)
      throw Error("the second batch");
    return batch;
  });
  loader.next();
  const data::DataLoaderState state = loader.state();
  for (int i = 0; i < 2; ++i) {
    EXPECT_ERROR(loader.next(), Error, "the second batch");
    EXPECT_EQ(loader.state(), state);
  }
  // The batch that the transform threw for comes again.
  EXPECT_THAT(readEpoch(loader), ElementsAre(ElementsAre(2, 3)));
}

TEST(DataLoaderTest, BatchesAreOfTheCurrentGraph) {
  DataLoader loader(makePair(2), {.batchSize = 1});
  loader.next();
  const Graph other;
  const GraphScope scope(other);
  const Pair batch = *loader.next();
  // Operands of two graphs would throw.
  expectTensor(batch.first + Tensor::ones({2}), {1, 2}, {3, 4});
}

TEST(DataLoaderTest, EachBatchRunsTheSameProgram) {
  const Graph graph;
  const GraphScope scope(graph);
  DataLoader loader(makePair(64), {.batchSize = 4, .shuffle = true});
  std::size_t programs = 0;
  for (int epoch = 0; epoch < 2; ++epoch)
    for (const auto &[rows, numbers] : loader) {
      (rows.sum() * 2 + 1).item<float>();
      if (programs == 0)
        programs = graph.numPrograms();
    }
  EXPECT_EQ(graph.numPrograms(), programs);
}

// At any time there are few batches, whatever their number is.
TEST(DataLoaderTest, MemoryStaysFlat) {
  constexpr int64_t batchBytes = 10 * (2 * sizeof(float) + sizeof(int64_t));
  for (const int64_t prefetch : {0, 3}) {
    DataLoader loader(makePair(1000),
                      {.batchSize = 10, .shuffle = true, .prefetch = prefetch});
    auto readTwice = [&] {
      for (int epoch = 0; epoch < 2; ++epoch)
        for (const auto &[rows, numbers] : loader)
          (rows.sum() + numbers.sum()).item<float>();
      loader.setEpoch(0);
    };
    readTwice();
    GlobalCounters::reset();
    const int64_t before = GlobalCounters::memUsed;
    readTwice();
    EXPECT_EQ(GlobalCounters::memUsed, before);
    // Besides those in advance, one that is being copied, one in use, and sums.
    EXPECT_LE(GlobalCounters::memPeak - before,
              (prefetch + 3) * batchBytes + 64);
  }
}

// The device's memory cannot be read by the host: batches are selected there.
TEST(DataLoaderTest, DevicesWithMemoryOfTheirOwn) {
  const auto [rows, numbers] = makePair(5);
  auto read = [](DataLoader<Pair> loader) {
    std::vector<std::vector<double>> result;
    for (const auto &[rows, numbers] : loader) {
      EXPECT_EQ(rows.device(), "SIM");
      result.push_back(values(rows));
      result.push_back(values(numbers));
    }
    return result;
  };
  const DataLoaderOptions options = {
      .batchSize = 2, .shuffle = true, .seed = 3};
  DataLoader host(makePair(5), options);
  std::vector<std::vector<double>> expected;
  for (const auto &[rows, numbers] : host) {
    expected.push_back(values(rows));
    expected.push_back(values(numbers));
  }
  EXPECT_EQ(read(DataLoader(Pair(rows.to("SIM"), numbers.to("SIM")), options)),
            expected);
  DataLoaderOptions toDevice = options;
  toDevice.device = "SIM";
  EXPECT_EQ(read(DataLoader(makePair(5), toDevice)), expected);
}

TEST(DataLoaderTest, CanBeMoved) {
  DataLoader first(makePair(6), {.batchSize = 2});
  first.next();
  DataLoader second = std::move(first);
  EXPECT_THAT(readEpoch(second),
              ElementsAre(ElementsAre(2, 3), ElementsAre(4, 5)));
}

TEST(DataLoaderTest, WrongData) {
  const auto [rows, numbers] = makePair(3);
  EXPECT_ERROR(DataLoader(Pair(rows, counting({4}))), ShapeError,
               "DataLoader: '1' has 4 samples, shape [4], but '0' has 3");
  EXPECT_ERROR(DataLoader(Sample{rows, Tensor(2.0), {}}), ShapeError,
               "DataLoader: 'label' has no axis of samples");
  EXPECT_ERROR(DataLoader(std::vector<Tensor>()), Error,
               "the data set has no tensor that is defined");
  EXPECT_ERROR(DataLoader(Tensor()), Error, "no tensor that is defined");
  const Variable n("n", 1, 3);
  EXPECT_ERROR(DataLoader(rows.shrink({{0, n}, {}})), ShapeError,
               "DataLoader: the shape of the tensor is symbolic");
}

TEST(DataLoaderTest, WrongOptions) {
  EXPECT_ERROR(DataLoader(makePair(3), {.batchSize = 0}), Error,
               "DataLoader: a batch of 0 samples is not possible");
  EXPECT_ERROR(DataLoader(makePair(3), {.prefetch = -1}), Error,
               "DataLoader: prefetch is -1");
  EXPECT_ERROR(DataLoader(makePair(3), {.batchSize = 4, .dropLast = true}),
               Error,
               "with dropLast there is no batch: the data set has 3 samples, a "
               "batch 4");
  EXPECT_ERROR(DataLoader(makePair(3), {.device = "QPU"}), DeviceError, "QPU");
}

TEST(DataLoaderTest, WrongStates) {
  DataLoader loader(makePair(3), {.batchSize = 2});
  DataLoaderState state = loader.state();
  state.samples = 4;
  EXPECT_ERROR(loader.setState(state), Error,
               "the state is that of a data set of 4 samples; this one has 3");
  state = loader.state();
  state.shuffle = true;
  EXPECT_ERROR(loader.setState(state), Error,
               "a loader that shuffles; this one does not");
  state = loader.state();
  state.position = 4;
  EXPECT_ERROR(loader.setState(state), Error,
               "there is no sample 4 of epoch 0 in a data set of 3");
  EXPECT_ERROR(loader.setEpoch(-1), Error, "of epoch -1");
  EXPECT_ERROR(DataLoaderState::fromTensor(Tensor::zeros({5})), Error,
               "a state is a tensor of int64 and shape (5), not of float32");
  EXPECT_ERROR(DataLoaderState::fromTensor(Tensor::zeros({4}, DType::Int64)),
               Error, "a state is a tensor of int64 and shape (5)");
  // The loader goes on as before.
  EXPECT_EQ(readEpoch(loader).size(), 2u);
}
