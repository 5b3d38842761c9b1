//===- LearningCurveTest.cpp - pictures of metrics ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Panels, smoothing, several runs, files and errors.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Data/LearningCurve.h"
#include "../Tensor/TensorTest.h"
#include "TinyGrad/Runtime/Error.h"

#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include <unistd.h>

using namespace tinygrad;
using namespace tinygrad::data;
using ::testing::HasSubstr;
using ::testing::Not;

static MetricSeries makeSeries(const std::string &name,
                               const std::vector<double> &values = {1, 2, 3}) {
  MetricSeries series = {name, {}, values};
  for (std::size_t i = 0; i < values.size(); ++i)
    series.steps.push_back(double(i));
  return series;
}

static int count(const std::string &text, const std::string &part) {
  int result = 0;
  for (std::size_t i = text.find(part); i != std::string::npos;
       i = text.find(part, i + 1))
    ++result;
  return result;
}

static constexpr const char *kTitleStyle = "font-weight=\"600\"";

TEST(LearningCurveTest, PanelsByTheLastWord) {
  const std::string svg =
      learningCurve({{"",
                      {makeSeries("train loss"), makeSeries("accuracy"),
                       makeSeries("test_Loss"), makeSeries("test.accuracy"),
                       makeSeries("rate")}}},
                    {.title = "A run"});
  // The picture, three panels.
  EXPECT_EQ(count(svg, kTitleStyle), 4);
  EXPECT_THAT(svg, HasSubstr(">A run<"));
  EXPECT_THAT(svg, HasSubstr(">loss<"));
  EXPECT_THAT(svg, HasSubstr(">test_Loss<"));
  EXPECT_EQ(count(svg, ">accuracy<"), 2); // title and legend
  EXPECT_EQ(count(svg, ">rate<"), 1);
}

TEST(LearningCurveTest, GivenPanels) {
  const std::vector<MetricsRun> runs = {
      {"", {makeSeries("a"), makeSeries("b"), makeSeries("c")}}};
  const std::string svg = learningCurve(runs, {.panels = {{"c", "a"}}});
  EXPECT_EQ(count(svg, kTitleStyle), 1);
  EXPECT_THAT(svg, Not(HasSubstr(">b<")));
  EXPECT_ERROR(learningCurve(runs, {.panels = {{"d"}}}), Error,
               "learningCurve: there is no metric 'd'; there are 'a', 'b', "
               "'c'");
}

TEST(LearningCurveTest, SeveralRuns) {
  const std::string svg =
      learningCurve({{"first", {makeSeries("loss")}},
                     {"second", {makeSeries("loss"), makeSeries("extra")}}});
  EXPECT_EQ(count(svg, kTitleStyle), 2);
  EXPECT_THAT(svg, HasSubstr(">first: loss<"));
  EXPECT_THAT(svg, HasSubstr(">second: loss<"));
  EXPECT_THAT(svg, HasSubstr(">second: extra<"));
}

TEST(LearningCurveTest, Smoothing) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> values = {4, nan, 1, 1};
  values.resize(61, 10.0 / 7);
  const std::string plain = learningCurve({{"", {makeSeries("loss", values)}}});
  EXPECT_EQ(count(plain, "stroke-opacity"), 0);
  const std::string svg =
      learningCurve({{"", {makeSeries("loss", values)}}}, {.smoothing = 0.5});
  EXPECT_EQ(count(svg, "stroke-opacity"), 1);
  // Averages 4, (4/4 + 1/2) / (3/4) = 2, (4/8 + 1/4 + 1/2) / (7/8) = 10/7, and
  // then always the same. The axis is from 0.85 to 4.15 on 260 pixels, up from
  // 302.
  EXPECT_THAT(svg, HasSubstr("M64 53.82M87.87 211.39L99.8 256.42"));
  EXPECT_THAT(svg, HasSubstr("L780 256.42"));
  values.resize(49);
  EXPECT_EQ(
      learningCurve({{"", {makeSeries("loss", values)}}}, {.smoothing = 0.5}),
      learningCurve({{"", {makeSeries("loss", values)}}}));
}

// A log that a run began anew: two lines.
TEST(LearningCurveTest, StepsThatGoBack) {
  const std::string svg =
      learningCurve({{"", {{"loss", {0, 1, 2, 0, 1}, {4, 3, 2, 4, 3}}}}});
  EXPECT_THAT(svg, HasSubstr("M64 53.82L422 172L780 290.18M64 53.82L422 172"));
}

TEST(LearningCurveTest, Files) {
  const std::filesystem::path directory =
      std::filesystem::path(::testing::TempDir()) /
      ("LearningCurveTest-" + std::to_string(::getpid()));
  std::filesystem::create_directories(directory / "x");
  const std::string a = (directory / "a.jsonl").string();
  const std::string b = (directory / "b.csv").string();
  const std::string otherA = (directory / "x" / "a.csv").string();
  const std::string out = (directory / "out.svg").string();
  MetricsLog(a).write(1, {{"loss", 1}});
  MetricsLog(b).write(1, {{"loss", 1}});
  MetricsLog(otherA).write(1, {{"loss", 1}});
  auto contents = [&] {
    std::ostringstream text;
    text << std::ifstream(out).rdbuf();
    return text.str();
  };
  writeLearningCurve(out, a);
  EXPECT_EQ(count(contents(), ">loss<"), 1);
  writeLearningCurve(out, {a, b});
  EXPECT_THAT(contents(), HasSubstr(">a: loss<"));
  writeLearningCurve(out, {a, otherA, b});
  EXPECT_THAT(contents(), HasSubstr(">" + otherA + ": loss<"));
  EXPECT_THAT(contents(), HasSubstr(">b: loss<"));

  const std::string before = contents();
  EXPECT_ERROR(writeLearningCurve(out, a + "x"), IoError,
               "a.jsonlx: cannot open");
  EXPECT_ERROR(writeLearningCurve((directory / "no" / "x.svg").string(), a),
               IoError, "x.svg");
  EXPECT_ERROR(writeLearningCurve((directory / "x.png").string(), a), Error,
               "x.png: the picture is an SVG file, whose name ends in .svg, "
               "not .png");
  EXPECT_FALSE(std::filesystem::exists(directory / "x.png"));
  MetricsLog((directory / "empty.csv").string());
  EXPECT_ERROR(writeLearningCurve(out, (directory / "empty.csv").string()),
               Error, "learningCurve: there are no metrics to draw");
  EXPECT_EQ(contents(), before);
  std::filesystem::remove_all(directory);
}

TEST(LearningCurveTest, WrongOptions) {
  const std::vector<MetricsRun> runs = {{"", {makeSeries("a")}}};
  EXPECT_ERROR(learningCurve(runs, {.smoothing = 1}), Error,
               "the smoothing is a number from 0 to less than 1, not 1");
  EXPECT_ERROR(learningCurve(runs, {.width = 10}), Error,
               "a picture of 10 pixels");
  EXPECT_ERROR(learningCurve(runs, {.panelHeight = 100000}), Error,
               "panels of 100000");
  EXPECT_ERROR(learningCurve({}), Error, "there are no metrics to draw");
}
