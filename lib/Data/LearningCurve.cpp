//===- LearningCurve.cpp - pictures of metrics ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Distributes metrics over panels, smooths them, and writes the picture.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Data/LearningCurve.h"
#include "SvgChart.h"
#include "TinyGrad/Runtime/AtomicFile.h"
#include "TinyGrad/Runtime/Error.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <map>
#include <set>
#include <utility>

using namespace tinygrad;
using namespace tinygrad::data;
using namespace tinygrad::data::detail;

/// Of fewer values, the average says less than the values.
static constexpr std::size_t kLeastSmoothed = 50;

/// The last word of a name, in lower case.
static std::string lastWord(const std::string &name) {
  auto isPart = [](char c) {
    return std::isalnum((unsigned char)(c)) || (c & 0x80);
  };
  const auto end = std::find_if(name.rbegin(), name.rend(), isPart);
  const auto begin = std::find_if_not(end, name.rend(), isPart);
  std::string word(begin.base(), end.base());
  for (char &c : word)
    c = char(std::tolower((unsigned char)(c)));
  return word.empty() ? name : word;
}

/// The names of metrics in each panel.
static std::vector<std::vector<std::string>>
groupByWord(const std::vector<std::string> &names) {
  std::vector<std::vector<std::string>> panels;
  std::map<std::string, std::size_t> panelOf;
  for (const std::string &name : names) {
    const auto [place, isNew] =
        panelOf.try_emplace(lastWord(name), panels.size());
    if (isNew)
      panels.emplace_back();
    panels[place->second].push_back(name);
  }
  return panels;
}

static std::string titleOf(const std::vector<std::string> &names) {
  if (names.size() == 1)
    return names[0];
  const std::string word = lastWord(names[0]);
  return std::all_of(
             names.begin(), names.end(),
             [&](const std::string &name) { return lastWord(name) == word; })
             ? word
             : "";
}

/// The values with a gap where the steps go back, as they do where a log was
/// continued by another run.
static MetricSeries separated(const MetricSeries &series) {
  MetricSeries result = {series.name, {}, {}};
  for (std::size_t i = 0; i < series.steps.size(); ++i) {
    if (i != 0 && series.steps[i] < series.steps[i - 1]) {
      result.steps.push_back(series.steps[i]);
      result.values.push_back(std::numeric_limits<double>::quiet_NaN());
    }
    result.steps.push_back(series.steps[i]);
    result.values.push_back(series.values[i]);
  }
  return result;
}

/// The exponential moving average of all values so far, without a bias to the
/// first one (as Adam's moments). It begins anew where the steps go back. NaN
/// and infinities are passed on and do not count.
static std::vector<double> smoothed(const MetricSeries &series, double weight) {
  std::vector<double> result;
  double sum = 0, weights = 0;
  for (std::size_t i = 0; i < series.values.size(); ++i) {
    if (i != 0 && series.steps[i] < series.steps[i - 1])
      sum = weights = 0;
    const double value = series.values[i];
    if (!std::isfinite(value)) {
      result.push_back(value);
      continue;
    }
    sum = weight * sum + (1 - weight) * value;
    weights = weight * weights + (1 - weight);
    result.push_back(sum / weights);
  }
  return result;
}

static void checkOptions(const LearningCurveOptions &options) {
  if (!(options.smoothing >= 0 && options.smoothing < 1))
    throw Error("learningCurve: the smoothing is a number from 0 to less than "
                "1, not " +
                std::to_string(options.smoothing));
  if (options.width < 200 || options.width > 10000 ||
      options.panelHeight < 50 || options.panelHeight > 10000)
    throw Error("learningCurve: a picture of " + std::to_string(options.width) +
                " pixels with panels of " +
                std::to_string(options.panelHeight) +
                " is not possible; the width is from 200 to 10000, the height "
                "from 50 to 10000");
}

static void addLines(ChartPanel &panel, const MetricsRun &run,
                     const MetricSeries &series, std::size_t style,
                     double smoothing) {
  ChartLine line = {run.name.empty() ? series.name
                                     : run.name + ": " + series.name,
                    series.steps, series.values, style, false};
  if (smoothing > 0 && series.values.size() >= kLeastSmoothed) {
    line.isBackground = true;
    panel.lines.push_back(line);
    line.y = smoothed(series, smoothing);
    line.isBackground = false;
  }
  panel.lines.push_back(std::move(line));
}

[[noreturn]] static void failUnknown(const std::string &name,
                                     const std::vector<std::string> &names) {
  std::string list;
  for (const std::string &other : names)
    list.append(list.empty() ? "'" : ", '").append(other).append("'");
  throw Error("learningCurve: there is no metric '" + name + "'; there are " +
              list);
}

std::string data::learningCurve(const std::vector<MetricsRun> &runs,
                                const LearningCurveOptions &options) {
  checkOptions(options);
  std::vector<std::string> names;
  for (const MetricsRun &run : runs)
    for (const MetricSeries &series : run.series)
      if (std::find(names.begin(), names.end(), series.name) == names.end())
        names.push_back(series.name);
  if (names.empty())
    throw Error("learningCurve: there are no metrics to draw");

  std::vector<ChartPanel> panels;
  for (const std::vector<std::string> &group :
       options.panels.empty() ? groupByWord(names) : options.panels) {
    ChartPanel &panel = panels.emplace_back();
    panel.title = group.empty() ? "" : titleOf(group);
    std::size_t style = 0;
    for (const std::string &name : group) {
      if (std::find(names.begin(), names.end(), name) == names.end())
        failUnknown(name, names);
      for (const MetricsRun &run : runs)
        for (const MetricSeries &series : run.series)
          if (series.name == name)
            addLines(panel, run, separated(series), style++, options.smoothing);
    }
  }
  return drawCharts(panels, {.title = options.title,
                             .xLabel = options.step,
                             .logScale = options.logScale,
                             .width = options.width,
                             .panelHeight = options.panelHeight});
}

void data::writeLearningCurve(const std::string &path,
                              const std::vector<std::string> &logs,
                              const LearningCurveOptions &options) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char letter) { return std::tolower(letter); });
  // A device or a pipe has none.
  if (!extension.empty() && extension != ".svg")
    throw Error("learningCurve: " + path +
                ": the picture is an SVG file, whose name ends in .svg, not " +
                extension);
  std::multiset<std::string> stems;
  for (const std::string &log : logs)
    stems.insert(std::filesystem::path(log).stem().string());
  std::vector<MetricsRun> runs;
  for (const std::string &log : logs) {
    const std::string stem = std::filesystem::path(log).stem().string();
    MetricsRun &run = runs.emplace_back();
    if (logs.size() > 1)
      run.name = stems.count(stem) == 1 ? stem : log;
    run.series = readMetrics(log, options.step);
  }
  const std::string text = learningCurve(runs, options);
  AtomicFile file(path, AtomicFile::Durability::Process);
  file.write(text);
  file.commit();
}

void data::writeLearningCurve(const std::string &path, const std::string &log,
                              const LearningCurveOptions &options) {
  writeLearningCurve(path, std::vector<std::string>{log}, options);
}
