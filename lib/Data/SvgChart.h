//===- SvgChart.h - line charts as SVG --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the library: draws line charts, one below the other.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DATA_SVGCHART_H
#define TINYGRAD_LIB_DATA_SVGCHART_H

#include <cstdint>
#include <string>
#include <vector>

namespace tinygrad::data::detail {

/// Points joined by lines, with gaps at values that cannot be drawn: NaN,
/// infinities, and numbers that have no logarithm on a logarithmic scale.
struct ChartLine {
  /// The text in the legend.
  std::string name;
  std::vector<double> x, y;
  /// The colour and the dashes: lines of equal numbers look alike.
  std::size_t style = 0;
  /// Drawn thin and pale, without an entry in the legend.
  bool isBackground = false;
};

struct ChartPanel {
  std::string title;
  std::vector<ChartLine> lines;
};

struct ChartOptions {
  std::string title = {};
  std::string xLabel = {};
  bool logScale = false;
  int64_t width = 800;
  int64_t panelHeight = 260;
};

/// Positions of axis ticks in [low, high]: multiples of 1, 2 or 5 times a power
/// of ten, about \p count of them.
std::vector<double> niceTicks(double low, double high, int count);

/// The same for a logarithmic axis: powers of ten, if there are too few of them
/// also 2 and 5 times these, or niceTicks() for less than a decade.
std::vector<double> logTicks(double low, double high, int count);

/// A short text for a tick: "0.25", "20k", "1e-05".
std::string tickText(double value);

/// The whole picture. The panels have a common x axis.
std::string drawCharts(const std::vector<ChartPanel> &panels,
                       const ChartOptions &options);

} // namespace tinygrad::data::detail

#endif // TINYGRAD_LIB_DATA_SVGCHART_H
