//===- SvgChart.cpp - line charts as SVG ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Axes, lines and legends as elements of SVG 1.1.
///
//===----------------------------------------------------------------------===//

#include "SvgChart.h"
#include "llvm/Support/JSON.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <numeric>

using namespace tinygrad::data::detail;

/// Colours that colour-blind readers can tell apart (Okabe and Ito, "Color
/// Universal Design", 2008), without the yellow, which is too pale for lines.
static constexpr const char *kColors[] = {"#0072b2", "#d55e00", "#009e73",
                                          "#cc79a7", "#e69f00", "#56b4e9",
                                          "#555555"};
static constexpr const char *kDashes[] = {"", "6 3", "2 2", "8 3 2 3"};

// Distances in pixels.
static constexpr double kLeft = 64, kRight = 20, kTop = 14, kBottom = 46;
static constexpr double kTitleHeight = 26, kHeadHeight = 28, kLegendRow = 18;
static constexpr double kPanelGap = 18;
/// The average width of a letter of the legend.
static constexpr double kLetter = 6.6;
/// Lines of at most this many points get a dot at each of them.
static constexpr std::size_t kMostDots = 60;
/// Larger numbers could overflow in differences.
static constexpr double kLargest = 1e300;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string format(const char *pattern, double value) {
  char text[64];
  std::snprintf(text, sizeof(text), pattern, value);
  return text;
}

/// A coordinate with at most two decimals.
static std::string number(double value) {
  std::string text = format("%.2f", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.')
    text.pop_back();
  return text == "-0" ? "0" : text;
}

static std::string escaped(const std::string &text) {
  std::string result;
  for (const char c : llvm::json::fixUTF8(text)) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else
      // XML has no control characters.
      result += (unsigned char)(c) < 0x20 ? ' ' : c;
  }
  return result;
}

static std::string textAt(double x, double y, const std::string &style,
                          const std::string &text) {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" " + style +
         ">" + escaped(text) + "</text>\n";
}

static std::string lineFrom(double x1, double y1, double x2, double y2,
                            const std::string &style) {
  return "<path d=\"M" + number(x1) + " " + number(y1) + "L" + number(x2) +
         " " + number(y2) + "\" " + style + "/>\n";
}

std::string tinygrad::data::detail::tickText(double value) {
  const double size = std::fabs(value);
  if (size >= 1e12 || (size != 0 && size < 1e-3))
    return format("%g", value);
  if (size >= 1e9)
    return format("%g", value / 1e9) + "G";
  if (size >= 1e6)
    return format("%g", value / 1e6) + "M";
  if (size >= 1e4)
    return format("%g", value / 1e3) + "k";
  return format("%g", value);
}

//===----------------------------------------------------------------------===//
// Ticks
//===----------------------------------------------------------------------===//

std::vector<double> tinygrad::data::detail::niceTicks(double low, double high,
                                                      int count) {
  const double rough = (high - low) / std::max(count, 1);
  if (!(rough > 0) || !std::isfinite(rough))
    return {low};
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  const double digit = rough / power;
  const double step = power * (digit < 1.5   ? 1
                               : digit < 3.5 ? 2
                               : digit < 7.5 ? 5
                                             : 10);
  std::vector<double> ticks;
  const double tolerance = step * 1e-9;
  const double first = std::ceil((low - tolerance) / step);
  for (int i = 0; i <= 2 * count + 2; ++i) {
    const double tick = (first + i) * step;
    if (tick > high + tolerance)
      break;
    ticks.push_back(std::fabs(tick) < tolerance ? 0 : tick);
  }
  return ticks;
}

std::vector<double> tinygrad::data::detail::logTicks(double low, double high,
                                                     int count) {
  const int first = int(std::floor(std::log10(low)));
  const int last = int(std::ceil(std::log10(high)));
  const double decades = std::log10(high) - std::log10(low);
  if (decades < 1)
    return niceTicks(low, high, count);
  // A tick at every n-th power.
  const int stride = std::max(1, int(std::ceil(decades / std::max(count, 1))));
  std::vector<double> ticks;
  for (int power = first; power <= last; ++power) {
    if (power % stride != 0)
      continue;
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor != 1 && decades > 2.5)
        continue;
      const double tick = factor * std::pow(10.0, power);
      if (tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9))
        ticks.push_back(tick);
    }
  }
  return ticks;
}

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

namespace {
/// Numbers from `low` to `high` on pixels from `from` to `to`.
struct Axis {
  double low, high, from, to;
  bool isLog = false;

  bool canShow(double value) const {
    return std::fabs(value) <= kLargest && (!isLog || value > 0);
  }
  double pixelOf(double value) const {
    const double part = isLog ? std::log(value / low) / std::log(high / low)
                              : (value - low) / (high - low);
    return from + part * (to - from);
  }
};

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  bool isEmpty() const { return !(low <= high); }
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};
} // namespace

static bool isDrawn(const ChartLine &line, std::size_t i, bool isLog) {
  return std::fabs(line.x[i]) <= kLargest && std::fabs(line.y[i]) <= kLargest &&
         (!isLog || line.y[i] > 0);
}

static Axis makeXAxis(const std::vector<ChartPanel> &panels,
                      const ChartOptions &options) {
  Range range;
  for (const ChartPanel &panel : panels)
    for (const ChartLine &line : panel.lines)
      for (const double x : line.x)
        if (std::fabs(x) <= kLargest)
          range.add(x);
  if (range.isEmpty())
    range = {0, 1};
  if (range.low == range.high) {
    const double around = std::max(std::fabs(range.low) * 0.1, 0.5);
    range = {range.low - around, range.high + around};
  }
  return {range.low, range.high, kLeft, double(options.width) - kRight};
}

/// Without its pixels.
static Axis makeYAxis(const ChartPanel &panel, bool isLog) {
  Range range;
  for (const ChartLine &line : panel.lines)
    for (std::size_t i = 0; i < line.y.size(); ++i)
      if (isDrawn(line, i, isLog))
        range.add(line.y[i]);
  if (isLog) {
    if (range.isEmpty())
      range = {0.1, 1};
    const double margin =
        range.low == range.high ? 1.5 : std::pow(range.high / range.low, 0.05);
    return {range.low / margin, range.high * margin, 0, 0, true};
  }
  if (range.isEmpty())
    range = {0, 1};
  double margin = (range.high - range.low) * 0.05;
  if (margin == 0)
    margin = range.low == 0 ? 0.5 : std::fabs(range.low) * 0.1;
  // Zero is shown if it is near, and not passed by the margin.
  double low = range.low - margin;
  if (range.low >= 0 && low < (range.high - range.low) * 0.1)
    low = 0;
  return {low, range.high + margin, 0, 0, false};
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

namespace {
struct Point {
  double x, y;
};
} // namespace

/// Of many points in one column of pixels, the first, the lowest, the highest
/// and the last one: the picture is the same.
static std::vector<Point> thinOut(const std::vector<Point> &points) {
  std::vector<Point> result;
  for (std::size_t begin = 0; begin < points.size();) {
    std::size_t end = begin;
    while (end < points.size() &&
           std::floor(points[end].x) == std::floor(points[begin].x))
      ++end;
    auto byY = [](const Point &a, const Point &b) { return a.y < b.y; };
    const auto first = points.begin() + std::ptrdiff_t(begin);
    const auto last = points.begin() + std::ptrdiff_t(end);
    std::size_t chosen[] = {
        begin, std::size_t(std::min_element(first, last, byY) - points.begin()),
        std::size_t(std::max_element(first, last, byY) - points.begin()),
        end - 1};
    std::sort(std::begin(chosen), std::end(chosen));
    for (auto i = std::begin(chosen); i != std::end(chosen); ++i)
      if (i == std::begin(chosen) || *i != i[-1])
        result.push_back(points[*i]);
    begin = end;
  }
  return result;
}

static std::string colorOf(const ChartLine &line) {
  return kColors[line.style % std::size(kColors)];
}

static std::string strokeOf(const ChartLine &line) {
  std::string stroke = "fill=\"none\" stroke=\"" + colorOf(line) + "\"";
  const char *dashes =
      kDashes[line.style / std::size(kColors) % std::size(kDashes)];
  if (*dashes && !line.isBackground)
    stroke += std::string(" stroke-dasharray=\"") + dashes + "\"";
  return stroke +
         (line.isBackground ? " stroke-width=\"1\" stroke-opacity=\"0.3\""
                            : " stroke-width=\"1.8\"") +
         " stroke-linejoin=\"round\" stroke-linecap=\"round\"";
}

static std::string drawLine(const ChartLine &line, const Axis &x,
                            const Axis &y) {
  std::vector<std::vector<Point>> parts(1);
  std::size_t count = 0;
  for (std::size_t i = 0; i < line.y.size(); ++i) {
    if (!isDrawn(line, i, y.isLog)) {
      parts.emplace_back();
      continue;
    }
    parts.back().push_back({x.pixelOf(line.x[i]), y.pixelOf(line.y[i])});
    ++count;
  }
  const bool hasDots = count <= kMostDots && !line.isBackground;
  std::string path, dots;
  for (const std::vector<Point> &part : parts) {
    const char *command = "M";
    for (const Point &point : thinOut(part)) {
      path += command + number(point.x) + " " + number(point.y);
      command = "L";
    }
    // A single point between gaps would not be seen.
    if (hasDots || part.size() == 1)
      for (const Point &point : part)
        dots += "<circle cx=\"" + number(point.x) + "\" cy=\"" +
                number(point.y) + "\" r=\"2.4\" fill=\"" + colorOf(line) +
                "\"" + (line.isBackground ? " fill-opacity=\"0.3\"" : "") +
                "/>\n";
  }
  if (path.empty())
    return "";
  return "<path d=\"" + path + "\" " + strokeOf(line) + "/>\n" + dots;
}

//===----------------------------------------------------------------------===//
// Panels
//===----------------------------------------------------------------------===//

static double textWidth(const std::string &text) {
  const auto letters = std::count_if(text.begin(), text.end(), [](char byte) {
    return (byte & 0xc0) != 0x80;
  });
  return double(letters) * kLetter;
}

/// The entries of a legend in rows, right of the panel's title.
static std::string drawLegend(const ChartPanel &panel, double begin, double end,
                              double y, int &rows) {
  std::string result;
  double x = begin;
  rows = 1;
  const auto count =
      std::count_if(panel.lines.begin(), panel.lines.end(),
                    [](const ChartLine &line) { return !line.isBackground; });
  for (const ChartLine &line : panel.lines) {
    // The title of the panel says enough.
    if (line.isBackground || (count == 1 && line.name == panel.title))
      continue;
    const double width = 26 + textWidth(line.name) + 16;
    if (x != begin && x + width > end) {
      x = begin;
      ++rows;
    }
    const double middle = y + (rows - 1) * kLegendRow;
    result += lineFrom(x, middle - 4, x + 20, middle - 4, strokeOf(line));
    result +=
        textAt(x + 26, middle, "font-size=\"12\" fill=\"#333\"", line.name);
    x += width;
  }
  return result;
}

static std::string drawPanel(const ChartPanel &panel, const Axis &x,
                             const ChartOptions &options, bool isLast,
                             double &top) {
  std::string result = textAt(kLeft, top + 12,
                              "font-size=\"13\" font-weight=\"600\" "
                              "fill=\"#111\"",
                              panel.title);
  int rows = 1;
  result += drawLegend(panel, kLeft + textWidth(panel.title) * 1.2 + 24, x.to,
                       top + 12, rows);
  top += kHeadHeight + (rows - 1) * kLegendRow;

  Axis y = makeYAxis(panel, options.logScale);
  y.from = top + double(options.panelHeight);
  y.to = top;
  const int yTicks = std::max(2, int(double(options.panelHeight) / 50));
  const int xTicks = std::max(2, int((x.to - x.from) / 90));
  for (const double tick : y.isLog ? logTicks(y.low, y.high, yTicks)
                                   : niceTicks(y.low, y.high, yTicks)) {
    const double pixel = y.pixelOf(tick);
    result += lineFrom(x.from, pixel, x.to, pixel,
                       "stroke=\"#e3e3e3\" stroke-width=\"1\"");
    result += textAt(x.from - 8, pixel + 4,
                     "font-size=\"11\" text-anchor=\"end\" fill=\"#555\"",
                     tickText(tick));
  }
  for (const double tick : niceTicks(x.low, x.high, xTicks)) {
    const double pixel = x.pixelOf(tick);
    result += lineFrom(pixel, y.from, pixel, y.from + 4,
                       "stroke=\"#888\" stroke-width=\"1\"");
    if (isLast)
      result += textAt(pixel, y.from + 18,
                       "font-size=\"11\" text-anchor=\"middle\" fill=\"#555\"",
                       tickText(tick));
  }
  result += lineFrom(x.from, y.from, x.to, y.from,
                     "stroke=\"#888\" stroke-width=\"1\"");
  // Pale lines are below all others.
  for (const bool isBackground : {true, false})
    for (const ChartLine &line : panel.lines)
      if (line.isBackground == isBackground)
        result += drawLine(line, x, y);
  top = y.from + kPanelGap;
  return result;
}

std::string
tinygrad::data::detail::drawCharts(const std::vector<ChartPanel> &panels,
                                   const ChartOptions &options) {
  const Axis x = makeXAxis(panels, options);
  double top = kTop;
  std::string body;
  if (!options.title.empty()) {
    body += textAt(kLeft, top + 12,
                   "font-size=\"16\" font-weight=\"600\" fill=\"#111\"",
                   options.title);
    top += kTitleHeight;
  }
  for (const ChartPanel &panel : panels)
    body += drawPanel(panel, x, options, &panel == &panels.back(), top);
  const double height = top - kPanelGap + kBottom;
  body += textAt((x.from + x.to) / 2, height - 10,
                 "font-size=\"12\" text-anchor=\"middle\" fill=\"#333\"",
                 options.xLabel);
  const std::string size = std::to_string(options.width), tall = number(height);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + size +
         "\" height=\"" + tall + "\" viewBox=\"0 0 " + size + " " + tall +
         "\" font-family=\"Helvetica, Arial, sans-serif\">\n"
         "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n" +
         body + "</svg>\n";
}
