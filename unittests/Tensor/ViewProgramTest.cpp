//===- ViewProgramTest.cpp - random programs of views and assignments -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Random programs in which views share elements with tensors, compared with
/// arrays and lists of positions.
///
//===----------------------------------------------------------------------===//

#include "TensorTest.h"

#include <random>

using namespace tinygrad;
using namespace tinygrad::testing;

namespace {
/// A tensor and the elements of memory that it shows.
struct Shown {
  Tensor tensor;
  std::shared_ptr<std::vector<double>> memory;
  std::vector<std::size_t> at;

  std::vector<double> expected() const {
    std::vector<double> result;
    for (std::size_t i : at)
      result.push_back((*memory)[i]);
    return result;
  }
};

/// A value computed from a tensor, and the contents of the tensor at that time.
struct Computed {
  Tensor negated;
  std::vector<double> values;
};

class Program {
public:
  explicit Program(unsigned seed) : random(seed) {
    for (int i = 0; i < 3; ++i) {
      Tensor root = Tensor::zeros({4, 6});
      if (i == 1)
        root = counting({4, 6}).contiguous().realize();
      if (i == 2)
        root = counting({4, 6}) * 2;
      Shown shown{root, std::make_shared<std::vector<double>>(24), {}};
      for (std::size_t j = 0; j < 24; ++j) {
        (*shown.memory)[j] = double(std::size_t(i) * j);
        shown.at.push_back(j);
      }
      tensors.push_back(std::move(shown));
    }
  }

  void step() {
    const std::size_t n = below(tensors.size());
    switch (below(10)) {
    case 0:
    case 1:
    case 2:
      addView(tensors[n]);
      break;
    case 3:
    case 4:
      assignNumber(tensors[n]);
      break;
    case 5:
    case 6:
      assignComputed(tensors[n], tensors[below(tensors.size())]);
      break;
    case 7:
      tensors[n].tensor.realize();
      break;
    case 8:
      computed.push_back({-tensors[n].tensor, tensors[n].expected()});
      if (below(2))
        computed.back().negated.realize();
      break;
    default:
      // Roots are never removed.
      if (n >= 3)
        tensors.erase(tensors.begin() + std::ptrdiff_t(n));
    }
  }

  void check() {
    std::shuffle(tensors.begin() + 3, tensors.end(), random);
    for (const Computed &value : computed) {
      std::vector<double> expected = value.values;
      for (double &number : expected)
        number = 0 - number;
      EXPECT_EQ(values(value.negated), expected);
    }
    for (const Shown &shown : tensors)
      EXPECT_EQ(values(shown.tensor), shown.expected());
  }

private:
  std::size_t below(std::size_t n) { return std::size_t(random() % n); }

  /// A random view; the same for all tensors of one shape.
  static Tensor viewOf(const Tensor &x, unsigned seed) {
    std::mt19937 random(seed);
    auto below = [&](int64_t n) { return int64_t(random() % uint64_t(n)); };
    const int64_t rank = x.ndim(), elements = x.numel().value();
    if (rank == 0)
      return x.reshape({1});
    const int64_t axis = below(rank);
    switch (below(6)) {
    case 0: {
      std::vector<Part> parts;
      for (const SymInt &size : x.shape()) {
        const int64_t begin = below(size.value());
        parts.emplace_back(begin, begin + 1 + below(size.value() - begin));
      }
      return x.shrink(parts);
    }
    case 1:
      return x.transpose(axis, below(rank));
    case 2:
      return x.flip(axis);
    case 3:
      return elements % 2 ? x.flatten() : x.reshape({2, elements / 2});
    case 4: {
      std::vector<Index> entries;
      for (int64_t i = 0; i < axis; ++i)
        entries.emplace_back(Slice());
      entries.emplace_back(Slice(None, None, below(2) ? 2 : -2));
      return x.index(entries);
    }
    default:
      return x.transpose(0, axis).index({below(x.shape()[axis].value())});
    }
  }

  void addView(const Shown &of) {
    const unsigned seed = unsigned(random());
    Shown view{viewOf(of.tensor, seed), of.memory, {}};
    for (double i : values(viewOf(counting(of.tensor.shape()), seed)))
      view.at.push_back(of.at[std::size_t(i)]);
    tensors.push_back(std::move(view));
  }

  void assignNumber(Shown &to) {
    const double number = double(below(100));
    to.tensor.assign(Tensor(float(number)));
    for (std::size_t i : to.at)
      (*to.memory)[i] = number;
  }

  void assignComputed(Shown &to, const Shown &from) {
    if (to.at.size() != from.at.size())
      return;
    std::vector<double> given = from.expected();
    to.tensor.assign(from.tensor.reshape(to.tensor.shape()) + 1);
    for (std::size_t i = 0; i < given.size(); ++i)
      (*to.memory)[to.at[i]] = given[i] + 1;
  }

  std::mt19937 random;
  std::vector<Shown> tensors;
  std::vector<Computed> computed;
};
} // namespace

TEST(ViewProgramTest, Random) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Graph graph;
    GraphScope scope(graph);
    Program program(seed);
    for (int i = 0; i < 40; ++i) {
      program.step();
      if (i % 20 == 19)
        program.check();
    }
    if (HasFailure())
      return;
  }
}
