//===- LearningCurve.h - pictures of metrics --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Draws what a MetricsLog has recorded. The tool tg-plot does the same.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DATA_LEARNINGCURVE_H
#define TINYGRAD_DATA_LEARNINGCURVE_H

#include "TinyGrad/Data/MetricsLog.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tinygrad::data {

struct LearningCurveOptions {
  std::string title = {};
  /// The member or column that is the x axis.
  std::string step = "step";
  /// The metrics in each panel. By default, metrics whose names end in the same
  /// word share a panel: "train loss" and "test_loss".
  std::vector<std::vector<std::string>> panels = {};
  /// A logarithmic y axis. Values that are not positive are gaps.
  bool logScale = false;
  /// From 0 (no smoothing) to less than 1: the weight of the past in the moving
  /// average that is drawn in front of the values. Metrics with fewer than 50
  /// values are not smoothed.
  double smoothing = 0;
  /// Pixels of the picture, and of the y axis of each panel.
  int64_t width = 800;
  int64_t panelHeight = 260;
};

/// The metrics of a run. The name, which may be empty if there is one run, is
/// put in front of those of its metrics.
struct MetricsRun {
  std::string name;
  std::vector<MetricSeries> series;
};

/// The picture as the text of a self-contained SVG file. NaN and infinities are
/// gaps; there is also one where the steps go back. Throws Error if there is
/// nothing to draw, if `panels` names a metric that no run has, and for options
/// out of range: a width below 200, a height below 50, more than 10,000 of
/// either, or a smoothing not in [0, 1).
std::string learningCurve(const std::vector<MetricsRun> &runs,
                          const LearningCurveOptions &options = {});

/// Reads one or several logs and writes their picture to the file \p path,
/// atomically. With several, the name of a run is that of its file. Throws
/// IoError for files that cannot be read or written, Error if the extension of
/// \p path is another one than .svg, and what learningCurve() throws.
void writeLearningCurve(const std::string &path, const std::string &log,
                        const LearningCurveOptions &options = {});
void writeLearningCurve(const std::string &path,
                        const std::vector<std::string> &logs,
                        const LearningCurveOptions &options = {});

} // namespace tinygrad::data

#endif // TINYGRAD_DATA_LEARNINGCURVE_H
