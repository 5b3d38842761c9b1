//===- ProgressTest.cpp - how far a program is ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Bars and log lines at given times.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Data/Progress.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

using namespace tinygrad::data;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

namespace {
class ProgressTest : public ::testing::Test {
protected:
  ProgressTest() { stream = open_memstream(&memory, &size); }
  ~ProgressTest() override {
    std::fclose(stream);
    std::free(memory);
  }

  ProgressOptions options(bool isTerminal) {
    return {.label = "epoch 1",
            .stream = stream,
            .isTerminal = isTerminal,
            .width = 80,
            .clock = [this] { return time; }};
  }
  std::string text() {
    std::fflush(stream);
    return std::string(memory, size);
  }
  /// The parts of the output between any of these characters.
  std::vector<std::string> parts(const char *ends) {
    std::vector<std::string> result;
    const std::string all = text();
    for (std::size_t begin = 0; begin < all.size();) {
      const std::size_t end =
          std::min(all.find_first_of(ends, begin), all.size());
      if (end != begin)
        result.push_back(all.substr(begin, end - begin));
      begin = end + 1;
    }
    return result;
  }
  std::vector<std::string> lines() { return parts("\n"); }
  /// The states of the bar, without the escape sequences that erase the rest of
  /// a line.
  std::vector<std::string> bars() {
    std::vector<std::string> result = parts("\r\n");
    for (std::string &bar : result)
      if (bar.ends_with("\x1b[K"))
        bar.resize(bar.size() - 3);
    return result;
  }

  double time = 100;
  std::FILE *stream;
  char *memory = nullptr;
  std::size_t size = 0;
};
} // namespace

TEST_F(ProgressTest, LinesInALog) {
  ProgressOptions o = options(false);
  o.total = 4;
  o.logPercent = 50;
  Progress progress(o);
  for (int i = 0; i < 4; ++i) {
    time += i == 0 ? 5 : 1; // the first step compiles
    progress.step(100, {{"loss", 0.5 / (i + 1)}, {"accuracy", 0.25f * i}});
  }
  progress.finish();
  EXPECT_THAT(
      lines(),
      ElementsAre("epoch 1: 2/4 (50 %), loss 0.25, accuracy 0.25, 100 "
                  "samples/s, 0:02 left",
                  "epoch 1: 4/4 (100 %), loss 0.125, accuracy 0.75, 100 "
                  "samples/s, in 0:08"));
}

TEST_F(ProgressTest, LinesAfterATime) {
  ProgressOptions o = options(false);
  o.total = 1000;
  o.label = "";
  Progress progress(o);
  for (int i = 0; i < 25; ++i) {
    time += 1;
    progress.step();
  }
  EXPECT_THAT(lines(), ElementsAre("10/1000 (1 %), 1 samples/s, 16:30 left",
                                   "20/1000 (2 %), 1 samples/s, 16:20 left"));
  progress.finish();
  EXPECT_EQ(lines().back(), "25/1000 (2 %), 1 samples/s, in 0:25");
  progress.finish();
  progress.step();
  EXPECT_EQ(lines().size(), 3u);
  EXPECT_EQ(progress.steps(), 26);
}

TEST_F(ProgressTest, AnUnknownTotal) {
  {
    Progress progress(options(false));
    time += 1;
    progress.step(8);
    time += 3599;
    progress.step(8, {{"loss", 1e-9}});
  }
  EXPECT_THAT(lines(),
              ElementsAre("epoch 1: 2 steps, loss 1e-09, 0.00222 samples/s, "
                          "1:00:00"));
}

TEST_F(ProgressTest, ABar) {
  ProgressOptions o = options(true);
  o.total = 4;
  Progress progress(o);
  for (int i = 0; i < 4; ++i) {
    time += 1;
    progress.step(64, {{"loss", 0.4321}});
  }
  progress.finish();
  const std::string tail = "  loss 0.4321  64 samples/s  ";
  EXPECT_THAT(
      bars(),
      ElementsAre(
          "epoch 1  25% [=====>                ] 1/4" + tail + "0:03 left",
          "epoch 1  50% [===========>          ] 2/4" + tail + "0:02 left",
          "epoch 1  75% [================>     ] 3/4" + tail + "0:01 left",
          "epoch 1 100% [======================] 4/4" + tail + "in 0:04"));
  EXPECT_TRUE(text().ends_with("\n"));
}

TEST_F(ProgressTest, ABarThatIsLeftEarly) {
  ProgressOptions o = options(true);
  o.total = 10;
  {
    Progress progress(o);
    time += 1;
    progress.step();
  }
  ASSERT_EQ(bars().size(), 2u);
  EXPECT_THAT(bars()[0], ::testing::EndsWith("0:09 left"));
  EXPECT_THAT(bars()[1], ::testing::EndsWith("in 0:01"));
}

TEST_F(ProgressTest, ABarIsNotDrawnTooOften) {
  ProgressOptions o = options(true);
  o.total = 1000;
  Progress progress(o);
  for (int i = 0; i < 1000; ++i) {
    time += 0.001;
    progress.step();
  }
  // At once, each 100 ms, and at the end.
  EXPECT_GE(bars().size(), 10u);
  EXPECT_LE(bars().size(), 12u);
  EXPECT_THAT(bars().back(), HasSubstr("100%"));
}

TEST_F(ProgressTest, NarrowTerminals) {
  for (int width = 1; width <= 120; ++width) {
    std::fclose(stream);
    std::free(memory);
    stream = open_memstream(&memory, &size);
    ProgressOptions o = options(true);
    o.total = 10;
    o.width = width;
    o.label = "é";
    Progress progress(o);
    time += 1;
    progress.step(64, {{"loss", 1.5}, {"accuracy", 0.5}});
    const std::string bar = bars()[0];
    // é takes two bytes.
    EXPECT_LE(int(bar.size()) - 1, std::max(width - 1, 1)) << bar;
    EXPECT_THAT(bar, StartsWith("é"));
    if (width >= 32) {
      EXPECT_THAT(bar, HasSubstr("1/10"));
      EXPECT_THAT(bar, HasSubstr("0:09 left"));
    }
    if (width >= 80) {
      EXPECT_THAT(bar, HasSubstr("% [="));
      EXPECT_THAT(bar, HasSubstr("accuracy 0.5  64 samples/s"));
    }
  }
}

TEST_F(ProgressTest, ReadsMetricsWhenTheyAreShown) {
  ProgressOptions o = options(false);
  o.total = 10;
  o.logPercent = 50;
  Progress progress(o);
  int count = 0;
  for (int i = 0; i < 10; ++i)
    progress.step(1, [&] {
      ++count;
      return Metrics{{"i", i}};
    });
  EXPECT_EQ(count, 2);
  EXPECT_THAT(lines(), ElementsAre(HasSubstr("i 4"), HasSubstr("i 9")));
}

TEST_F(ProgressTest, Messages) {
  ProgressOptions o = options(true);
  o.total = 2;
  Progress progress(o);
  progress.message("before");
  time += 1;
  progress.step();
  progress.message("between");
  EXPECT_THAT(text(), StartsWith("before\n\repoch 1"));
  EXPECT_THAT(text(), HasSubstr("\r\x1b[Kbetween\n\repoch 1"));
}

// No time passes, more steps than there are, numbers that are none.
TEST_F(ProgressTest, OddNumbers) {
  ProgressOptions o = options(false);
  o.total = 1;
  Progress progress(o);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  progress.step(0, {{"loss", nan}, {"norm", -INFINITY}});
  EXPECT_THAT(lines(), ElementsAre("epoch 1: 1/1 (100 %), loss nan, norm -inf, "
                                   "in 0:00"));
  time -= 5; // a clock that is put back
  progress.step(1 << 30);
  progress.finish();
  EXPECT_THAT(lines()[1], HasSubstr("2/1 (100 %)"));
}

TEST_F(ProgressTest, NoSteps) {
  for (const bool isTerminal : {false, true}) {
    ProgressOptions o = options(isTerminal);
    o.total = 3;
    Progress progress(o);
  }
  EXPECT_EQ(text(), "");
}

TEST_F(ProgressTest, ResumedRuns) {
  ProgressOptions o = options(false);
  o.total = 100;
  o.initial = 90;
  Progress progress(o);
  time += 2;
  progress.step(1);
  time += 2;
  progress.step(1);
  progress.finish();
  EXPECT_THAT(lines(),
              ElementsAre("epoch 1: 92/100 (92 %), 0.5 samples/s, in 0:04"));
}

TEST_F(ProgressTest, TheFirstStepDoesNotCountForTheSpeed) {
  ProgressOptions o = options(false);
  o.total = 100;
  o.logPercent = 1;
  Progress progress(o);
  time += 30;
  progress.step(10);
  EXPECT_THAT(lines()[0], HasSubstr("0.333 samples/s, 49:30 left"));
  time += 1;
  progress.step(10);
  EXPECT_THAT(lines()[1], HasSubstr("10 samples/s, 1:38 left"));
}

TEST_F(ProgressTest, AFileIsNoTerminal) {
  std::FILE *file = std::tmpfile();
  {
    Progress progress({.total = 1, .stream = file});
    progress.step();
  }
  std::rewind(file);
  char line[100] = {};
  EXPECT_TRUE(std::fgets(line, sizeof(line), file));
  EXPECT_THAT(line, StartsWith("1/1 (100 %)"));
  EXPECT_THAT(line, Not(HasSubstr("\r")));
  std::fclose(file);
}
