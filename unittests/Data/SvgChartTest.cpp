//===- SvgChartTest.cpp - line charts as SVG ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Ticks, and charts of odd numbers.
///
//===----------------------------------------------------------------------===//

#include "SvgChart.h"

#include <gmock/gmock.h>

#include <limits>

using namespace tinygrad::data::detail;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

static const double kNan = std::numeric_limits<double>::quiet_NaN();
static const double kInfinity = std::numeric_limits<double>::infinity();

static std::string draw(const std::vector<double> &x,
                        const std::vector<double> &y, bool logScale = false) {
  return drawCharts({{"loss", {{"loss", x, y}}}},
                    {.xLabel = "step", .logScale = logScale});
}

static int count(const std::string &text, const std::string &part) {
  int result = 0;
  for (std::size_t i = text.find(part); i != std::string::npos;
       i = text.find(part, i + 1))
    ++result;
  return result;
}

/// The path of the only line of a chart.
static std::string pathOf(const std::string &svg) {
  const std::size_t end = svg.find("\" fill=\"none\" stroke=\"#0072b2\"",
                                   svg.find("stroke=\"#888\""));
  const std::size_t begin = svg.rfind("<path d=\"", end) + 9;
  return svg.substr(begin, end - begin);
}

TEST(SvgChartTest, NiceTicks) {
  EXPECT_THAT(niceTicks(0, 10, 5), ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_THAT(niceTicks(0, 468, 5), ElementsAre(0, 100, 200, 300, 400));
  EXPECT_THAT(niceTicks(-1, 1, 4), ElementsAre(-1, -0.5, 0, 0.5, 1));
  EXPECT_THAT(niceTicks(0.912, 0.931, 4),
              ElementsAre(DoubleNear(0.915, 1e-12), DoubleNear(0.92, 1e-12),
                          DoubleNear(0.925, 1e-12), DoubleNear(0.93, 1e-12)));
  EXPECT_THAT(niceTicks(3, 3, 4), ElementsAre(3));
  for (double size = 1e-12; size < 1e290; size *= 1.7) {
    const std::vector<double> ticks = niceTicks(-0.3 * size, size, 5);
    EXPECT_GE(ticks.size(), 3u) << size;
    EXPECT_LE(ticks.size(), 9u) << size;
  }
}

TEST(SvgChartTest, LogTicks) {
  EXPECT_THAT(logTicks(0.09, 110, 5),
              ElementsAre(DoubleNear(0.1, 1e-12), 1, 10, 100));
  EXPECT_THAT(logTicks(1, 100, 5), ElementsAre(1, 2, 5, 10, 20, 50, 100));
  EXPECT_THAT(logTicks(2, 8, 3), ElementsAre(2, 4, 6, 8));
  EXPECT_THAT(logTicks(1e-12, 1e12, 5), SizeIs(5));
}

TEST(SvgChartTest, TextsOfTicks) {
  EXPECT_EQ(tickText(0), "0");
  EXPECT_EQ(tickText(0.25), "0.25");
  EXPECT_EQ(tickText(-1.5), "-1.5");
  EXPECT_EQ(tickText(5000), "5000");
  EXPECT_EQ(tickText(20000), "20k");
  EXPECT_EQ(tickText(2.5e6), "2.5M");
  EXPECT_EQ(tickText(1e9), "1G");
  EXPECT_EQ(tickText(1e-5), "1e-05");
  EXPECT_EQ(tickText(1e20), "1e+20");
}

TEST(SvgChartTest, Lines) {
  const std::string svg = draw({0, 1, 2}, {0, 1, 0.5});
  EXPECT_THAT(svg, HasSubstr("<svg xmlns="));
  // From the left edge to the right one, 5 % below the top.
  EXPECT_EQ(pathOf(svg), "M64 302L422 54.38L780 178.19");
  EXPECT_EQ(count(svg, "<circle"), 3);
}

TEST(SvgChartTest, Legends) {
  const std::string one = draw({0, 1}, {0, 1});
  EXPECT_EQ(count(one, ">loss<"), 1); // the title
  const std::string two = drawCharts(
      {{"loss", {{"loss", {0, 1}, {0, 1}}, {"test loss", {0, 1}, {1, 2}}}}},
      {});
  EXPECT_EQ(count(two, ">loss<"), 2);
  EXPECT_EQ(count(two, ">test loss<"), 1);
  // Long legends take several rows.
  ChartPanel panel = {"", {}};
  for (std::size_t i = 0; i < 30; ++i)
    panel.lines.push_back({"a long name", {0, 1}, {0, 1}, i});
  const std::string many = drawCharts({panel}, {});
  EXPECT_EQ(count(many, ">a long name<"), 30);
  EXPECT_THAT(many, HasSubstr("height=\"42"));
}

TEST(SvgChartTest, Gaps) {
  EXPECT_EQ(count(pathOf(draw({0, 1, 2, 3, 4}, {0, 1, kNan, 1, 0})), "M"), 2);
  EXPECT_EQ(
      count(pathOf(draw({0, 1, 2, 3}, {0, kInfinity, -kInfinity, 1})), "M"), 2);
  EXPECT_EQ(count(pathOf(draw({0, 1, 2}, {1, -1, 2}, true)), "M"), 2);
  EXPECT_EQ(count(pathOf(draw({0, kNan, 2}, {1, 2, 3})), "M"), 2);
  // A point between gaps of a long line has a dot.
  std::vector<double> x, y;
  for (int i = 0; i < 1000; ++i) {
    x.push_back(i);
    y.push_back(i == 499 || i == 501 ? kNan : i);
  }
  EXPECT_EQ(count(draw(x, y), "<circle"), 1);
}

TEST(SvgChartTest, OddNumbers) {
  for (const bool logScale : {false, true})
    for (const std::vector<double> &y : {std::vector<double>{},
                                         {kNan},
                                         {0},
                                         {5},
                                         {-5},
                                         {1e308, -1e308},
                                         {1e-320, 1e-310},
                                         {1e299, -1e299},
                                         {3, 3, 3},
                                         {kInfinity}}) {
      std::vector<double> x(y.size(), 7);
      const std::string svg = draw(x, y, logScale);
      EXPECT_THAT(svg, Not(HasSubstr("nan")));
      EXPECT_THAT(svg, Not(HasSubstr("inf")));
    }
}

TEST(SvgChartTest, ManyPointsAreThinnedOut) {
  std::vector<double> x, y;
  for (int i = 0; i < 200000; ++i) {
    x.push_back(i);
    y.push_back(i == 12345 ? 100 : i % 7);
  }
  const std::string svg = draw(x, y);
  EXPECT_LT(svg.size(), 60000u);
  // The peak is there: 5 % below the top.
  EXPECT_EQ(count(pathOf(svg), " 54.38"), 1);
}

TEST(SvgChartTest, TextIsEscaped) {
  const std::string svg =
      drawCharts({{"a<b", {{"x & y\n", {0}, {1}}}}},
                 {.title = "<script>\xff", .xLabel = "\"t\""});
  EXPECT_THAT(svg, HasSubstr(">a&lt;b<"));
  EXPECT_THAT(svg, HasSubstr(">x &amp; y <"));
  EXPECT_THAT(svg, HasSubstr(">&lt;script&gt;\xef\xbf\xbd<"));
}
