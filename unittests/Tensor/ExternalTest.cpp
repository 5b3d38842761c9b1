//===- ExternalTest.cpp - strided external memory -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Strided arrays as tensors and tensors as strided arrays, without a copy or a
/// kernel, and invalid arrays.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Tensor/External.h"
#include "TensorTest.h"
#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Environment.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Tensor/Jit.h"

#include <numeric>

using namespace tinygrad;
using namespace tinygrad::testing;

namespace {
/// 0, 1, ..., 23 in memory of the caller, which records when it is released.
struct Array {
  std::vector<float> data = std::vector<float>(24);
  bool isReleased = false;

  Array() { std::iota(data.begin(), data.end(), 0.0f); }
  Buffer buffer() {
    return Buffer::external(Device::get("CPU"), data.data(),
                            data.size() * sizeof(float),
                            [this] { isReleased = true; });
  }
};

template <typename Body> void expectNoKernel(const Body &body) {
  const uint64_t before = GlobalCounters::kernelCount;
  body();
  EXPECT_EQ(GlobalCounters::kernelCount, before);
}

/// The message of the exception of this class that `body` throws.
template <typename E, typename Body> std::string messageOf(const Body &body) {
  try {
    body();
  } catch (const E &error) {
    return error.what();
  }
  return "nothing of this class was thrown";
}
} // namespace

TEST(ExternalTest, ReadsStridedMemory) {
  Array array;
  const Buffer memory = array.buffer();
  // Every second column of 4 x 6, the last row first.
  const Tensor x = fromStrided({memory, DType::Float32, {4, 3}, {-6, 2}, 18});
  expectTensor(x, {4, 3}, {18, 20, 22, 12, 14, 16, 6, 8, 10, 0, 2, 4});
  // Overlapping and repeated windows.
  const Tensor w =
      fromStrided({memory, DType::Float32, {3, 2, 3}, {1, 0, 1}, 4});
  expectTensor(w + 0.5, {3, 2, 3},
               {4.5, 5.5, 6.5, 4.5, 5.5, 6.5, 5.5, 6.5, 7.5, 5.5, 6.5, 7.5, 6.5,
                7.5, 8.5, 6.5, 7.5, 8.5});
  // A single element, and an empty view.
  expectTensor(fromStrided({memory, DType::Float32, {}, {}, 23}), {}, {23});
  expectTensor(fromStrided({memory, DType::Float32, {0, 3}, {100, -7}, 99}),
               {0, 3}, {});
}

TEST(ExternalTest, ReadsInOneKernel) {
  Array array;
  const Tensor x =
      fromStrided({array.buffer(), DType::Float32, {6, 4}, {1, 6}, 0});
  const uint64_t before = GlobalCounters::kernelCount;
  expectTensor((x * 2).sum(0), {4}, {30, 102, 174, 246});
  EXPECT_EQ(GlobalCounters::kernelCount, before + 1);
}

TEST(ExternalTest, ViewThatWasAssignedTo) {
  const Context cpu({{"DEV", "CPU"}}); // whose memory the host reads
  Tensor x = counting({2, 4}).contiguous().realize(), row = x.index({1});
  x.assign(x + 10);
  StridedView view = toStrided(row);
  EXPECT_EQ(static_cast<const float *>(view.data())[0], 14);
}

TEST(ExternalTest, KeepsTheMemory) {
  Array array;
  {
    Tensor y;
    {
      const Tensor x =
          fromStrided({array.buffer(), DType::Float32, {3}, {-8}, 20});
      y = x + 1;
    }
    EXPECT_FALSE(array.isReleased);
    // Not a copy: later writes by the owner are visible.
    array.data[4] = 100;
    expectTensor(y, {3}, {21, 13, 101});
  }
  EXPECT_TRUE(array.isReleased);
}

TEST(ExternalTest, ContiguousMemoryIsABuffer) {
  Array array;
  const Buffer memory = array.buffer();
  expectNoKernel([&] {
    const Tensor x = fromStrided({memory, DType::Float32, {2, 6}, {6, 1}, 6});
    EXPECT_EQ(x.buffer().address(), array.data.data() + 6);
    // A contiguous part of a view.
    const Tensor part = x.reshape({3, 4}).index({Slice(1, 3)}).contiguous();
    EXPECT_EQ(
        part.reshape({8}).index({Slice(2, 6)}).contiguous().buffer().address(),
        array.data.data() + 12);
  });
}

TEST(ExternalTest, ViewsComeOutAsTheyAre) {
  const Context cpu({{"DEV", "CPU"}}); // whose memory the host reads
  const Tensor x = counting({4, 6});
  x.realize();
  const auto *data = static_cast<const float *>(x.buffer().address());
  expectNoKernel([&] {
    StridedView view = toStrided(x);
    EXPECT_EQ(view.data(), data);
    EXPECT_EQ(view.shape, (std::vector<int64_t>{4, 6}));
    EXPECT_EQ(view.strides, (std::vector<int64_t>{6, 1}));
    view = toStrided(x.permute({1, 0}));
    EXPECT_EQ(view.data(), data);
    EXPECT_EQ(view.shape, (std::vector<int64_t>{6, 4}));
    EXPECT_EQ(view.strides, (std::vector<int64_t>{1, 6}));
    view = toStrided(x.flip({0}).index({Slice(1, 3), Slice(None, None, 2)}));
    EXPECT_EQ(view.data(), data + 12);
    EXPECT_EQ(view.shape, (std::vector<int64_t>{2, 3}));
    EXPECT_EQ(view.strides, (std::vector<int64_t>{-6, 2}));
    view = toStrided(x.reshape({4, 1, 6}).expand({4, 5, 6}));
    EXPECT_EQ(view.data(), data);
    EXPECT_EQ(view.strides, (std::vector<int64_t>{6, 0, 1}));
    EXPECT_EQ(view.dtype, DType::Float32);
  });
}

TEST(ExternalTest, OthersAreRealized) {
  const Context cpu({{"DEV", "CPU"}}); // whose memory the host reads
  const Tensor x = counting({4, 6});
  x.realize();
  auto read = [](const Tensor &tensor) {
    const StridedView view = toStrided(tensor);
    EXPECT_TRUE(tensor.isRealized());
    EXPECT_EQ(view.data(), tensor.buffer().address());
    return static_cast<const float *>(view.data())[3];
  };
  EXPECT_EQ(read(x + 1), 4);
  // Padding is not in memory, and some orders cannot be expressed by strides.
  EXPECT_EQ(read(x.pad({{0, 0}, {1, 0}})), 2);
  EXPECT_EQ(read(x.permute({1, 0}).reshape({24})), 18);
  // Equal elements of a constant do not share memory.
  EXPECT_EQ(toStrided(Tensor::full({2}, 7.0f)).strides,
            (std::vector<int64_t>{1}));
}

/// Memory has the maximal size, the shape is for the present value.
TEST(ExternalTest, SymbolicSizesHaveValues) {
  const Context cpu({{"DEV", "CPU"}}); // whose memory the host reads
  const Variable n("n", 0, 6);
  const Tensor x = counting({4, 6});
  x.realize();
  const Tensor part = x.shrink({{0, 4}, {0, n.bind(3)}});
  expectNoKernel([&] {
    const StridedView view = toStrided(part);
    EXPECT_EQ(view.data(), x.buffer().address());
    EXPECT_EQ(view.shape, (std::vector<int64_t>{4, 3}));
    EXPECT_EQ(view.strides, (std::vector<int64_t>{6, 1}));
  });
  const StridedView view = toStrided(part + 1);
  EXPECT_EQ(view.shape, (std::vector<int64_t>{4, 3}));
  EXPECT_EQ(view.strides, (std::vector<int64_t>{6, 1}));
  EXPECT_EQ(static_cast<const float *>(view.data())[6], 7);
}

TEST(ExternalTest, InAndOutIsTheSameMemory) {
  Array array;
  const StridedView view{array.buffer(), DType::Float32, {3, 4}, {-8, 2}, 16};
  expectNoKernel([&] {
    const StridedView found = toStrided(fromStrided(view));
    EXPECT_EQ(found.data(), view.data());
    EXPECT_EQ(found.shape, view.shape);
    EXPECT_EQ(found.strides, view.strides);
  });
}

TEST(ExternalTest, AssigningLeavesTheMemoryAlone) {
  Array array;
  Tensor x = fromStrided({array.buffer(), DType::Float32, {2, 2}, {1, 2}, 0});
  x.assign(Tensor::full({2, 2}, 5.0f, "CPU"));
  expectTensor(x, {2, 2}, {5, 5, 5, 5});
  EXPECT_EQ(array.data[1], 1);
}

TEST(ExternalTest, Errors) {
  Array array;
  const Buffer memory = array.buffer();
  auto from = [&](std::vector<int64_t> shape, std::vector<int64_t> strides,
                  int64_t offset = 0) {
    return
        [=] { fromStrided({memory, DType::Float32, shape, strides, offset}); };
  };
  EXPECT_EQ(messageOf<ShapeError>(from({2, 3}, {3})),
            "fromStrided: as many strides as axes are needed, not shape [2, "
            "3], strides [3], offset 0");
  EXPECT_THAT(messageOf<ShapeError>(from({2, -3}, {3, 1})),
              ::testing::HasSubstr("-3"));
  EXPECT_EQ(messageOf<IndexError>(from({5, 6}, {6, 1})),
            "fromStrided: elements of a view of shape [5, 6], strides [6, 1], "
            "offset 0 are not in the buffer, which has 96 bytes, 24 elements "
            "of float32");
  for (auto [stride, offset] : {std::pair<int64_t, int64_t>{-1, 2},
                                {1, 21},
                                {INT64_MAX, 0},
                                {INT64_MIN, 0},
                                {0, 24},
                                {0, -1},
                                {0, INT64_MIN}})
    EXPECT_THAT(messageOf<IndexError>(from({4}, {stride}, offset)),
                ::testing::HasSubstr("are not in the buffer"));
  // The extreme valid strides and offsets.
  EXPECT_NO_THROW(from({4}, {-1}, 3)());
  EXPECT_NO_THROW(from({4}, {1}, 20)());

  EXPECT_EQ(messageOf<ShapeError>([&] {
              fromStrided({memory.view(2, 8), DType::Float32, {1}, {1}, 0});
            }),
            "fromStrided: the buffer begins at an address that is not a "
            "multiple of the size of float32");
  EXPECT_EQ(
      messageOf<DTypeError>([&] {
        fromStrided(
            {memory.view(0, 8, DType::Int32), DType::Float32, {1}, {1}, 0});
      }),
      "fromStrided: a view of float32 on a buffer of int32");
  EXPECT_THROW(fromStrided({Buffer(), DType::Float32, {1}, {1}, 0}),
               DeviceError);
}

TEST(ExternalTest, SimulatedGpusReadMemoryAtAnyElement) {
  // Kernels access four elements at once, which a GPU does at multiples of 16
  // bytes only.
  constexpr int64_t rows = 12, columns = 64, count = rows * columns;
  std::vector<float> data(count + 16);
  std::iota(data.begin(), data.end(), 0.0f);
  const Buffer whole =
      Buffer::fromHost(Device::get("SIM"), data.data(),
                       data.size() * sizeof(float), DType::Float32);
  for (int64_t first : {0, 1, 2, 3, 7}) {
    SCOPED_TRACE(first);
    const Buffer memory =
        whole.view(std::size_t(first) * sizeof(float),
                   std::size_t(count) * sizeof(float), DType::Float32);
    const Tensor x =
        fromStrided({memory, DType::Float32, {rows, columns}, {columns, 1}, 0});
    std::vector<double> doubled, sums(rows), below;
    for (int64_t i = 0; i < count; ++i) {
      doubled.push_back(2.0 * double(i + first));
      sums[std::size_t(i / columns)] += double(i + first);
    }
    expectTensor(x + x, {rows, columns}, doubled);
    expectTensor(x.sum(1), {rows}, sums);
    // A view in the program, of memory that is copied.
    for (int64_t i = 5; i < count - 3; ++i)
      below.push_back(-double(i + first));
    expectTensor(-x.reshape({count}).shrink({{5, count - 3}}), {count - 8},
                 below);
  }
}

TEST(ExternalTest, InACapturedStep) {
  const Context cpu({{"DEV", "CPU"}}); // whose memory the host reads
  Jit step([](const Tensor &x) {
    (void)toStrided(x);
    return x + 1;
  });
  const int line = __LINE__ - 3;
  const Tensor x = Tensor::ones({2});
  step(x);
  EXPECT_ERROR(step(x), Error,
               "jit: toStrided at ExternalTest.cpp:" + std::to_string(line) +
                   " reads values on the host");
}
