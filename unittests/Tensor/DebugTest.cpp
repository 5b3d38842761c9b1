//===- DebugTest.cpp - debug output about kernels -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The lines of DEBUG=2: unique names, the methods that a kernel comes from,
/// and the call sites that requested values.
///
//===----------------------------------------------------------------------===//

#include "TensorTest.h"
#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Runtime/Environment.h"

#include <set>

using namespace tinygrad;
using namespace tinygrad::testing;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;

namespace {
/// Collects the lines that kernels print during its lifetime.
class Lines {
public:
  Lines() : verbose({{"DEBUG", 2}}) {
    setDebugSink([this](std::string_view line) {
      if (line.starts_with("***"))
        lines.emplace_back(line);
    });
  }
  ~Lines() { setDebugSink(nullptr); }

  std::vector<std::string> take() { return std::exchange(lines, {}); }

private:
  Context verbose;
  std::vector<std::string> lines;
};

/// The name in a line, which follows the counter.
std::string nameIn(const std::string &line) {
  const std::size_t begin = line.find_first_not_of(" 0123456789", 11);
  return line.substr(begin, line.find(' ', begin) - begin);
}
} // namespace

TEST(Debug, KernelsAreNamedAfterMethods) {
  Tensor x = noiseTensor({8, 16}).realize(), w = noiseTensor({16, 4}).realize();
  Lines lines;
  x.matmul(w).relu().realize();
  std::vector<std::string> found = lines.take();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0], HasSubstr("[matmul, relu]"));
  // The outermost method is shown, not those that it calls. Operators are shown
  // by the name of the operation.
  (x.softmax() + 1).realize();
  found = lines.take();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0], HasSubstr("[softmax, add]"));
}

TEST(Debug, LinesNameTheCaller) {
  Tensor x = noiseTensor({8}).realize();
  Lines lines;
  const int realized = __LINE__ + 1;
  (x + 1).realize();
  const int item = __LINE__ + 1;
  (x.sum() * 2).item<float>();
  const int list = __LINE__ + 1;
  (x * 3).tolist<float>();
  const int several = __LINE__ + 1;
  realize({x * 5});
  const std::vector<std::string> found = lines.take();
  ASSERT_EQ(found.size(), 4u);
  auto at = [](int line) {
    return EndsWith(" at DebugTest.cpp:" + std::to_string(line));
  };
  EXPECT_THAT(found[0], at(realized));
  EXPECT_THAT(found[1], at(item));
  EXPECT_THAT(found[2], at(list));
  EXPECT_THAT(found[3], at(several));
}

TEST(Debug, NamesAreUnique) {
  Tensor x = noiseTensor({12}).realize();
  Lines lines;
  // Different kernels of the same form.
  (x + 1).realize();
  (x * 2).realize();
  (x - 3).realize();
  std::set<std::string> names;
  for (const std::string &line : lines.take())
    names.insert(nameIn(line));
  EXPECT_EQ(names.size(), 3u);
  // The first kernel again, in another graph.
  Graph graph;
  GraphScope scope(graph);
  (noiseTensor({12}) + 1).realize();
  for (const std::string &line : lines.take())
    EXPECT_TRUE(names.contains(nameIn(line))) << line;
}

TEST(Debug, NamesOfMethodsAreNoPartOfPrograms) {
  Tensor x = noiseTensor({6, 5}).realize(), y = noiseTensor({6, 5}).realize();
  // Names of methods do not distinguish programs.
  x.relu().realize();
  const int64_t compiled = GlobalCounters::kernelsCompiled;
  y.maximum(0).realize();
  EXPECT_EQ(GlobalCounters::kernelsCompiled, compiled);
}
