//===- Progress.h - how far a program is ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A progress bar on a terminal, lines in a log.
///
/// \code
///   data::Progress progress({.total = loader.numBatches(), .label = "epoch
///   1"}); for (auto [images, labels] : loader) {
///     Tensor loss = step(images, labels);
///     // The loss is read, which waits for it, only when it is shown.
///     progress.step(128, [&] {
///       return data::Metrics{{"loss", loss.item<float>()}};
///     });
///   }
/// \endcode
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DATA_PROGRESS_H
#define TINYGRAD_DATA_PROGRESS_H

#include "TinyGrad/Data/Metrics.h"

#include <concepts>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace tinygrad::data {

struct ProgressOptions {
  /// The number of steps; 0: unknown. More steps than that are no error.
  int64_t total = 0;
  /// The number of steps that were done before, by a run that is resumed.
  int64_t initial = 0;
  /// What is in front of each line.
  std::string label = {};
  std::FILE *stream = stdout;
  /// Whether the stream is a terminal on which a line can be overwritten. By
  /// default it is asked; with DEBUG, whose lines come in between, it is not
  /// one.
  std::optional<bool> isTerminal = {};
  /// Columns of the terminal; 0: it is asked each time, 80 if it does not know.
  int64_t width = 0;
  /// The least time between two states of a bar.
  double refreshSeconds = 0.1;
  /// A log gets a line after this time, or after this part of all steps,
  /// whatever comes first; 0: not for this reason.
  double logSeconds = 10;
  double logPercent = 10;
  /// The time in seconds from any beginning; by default a steady clock.
  std::function<double()> clock = {};
};

/// Shows how many steps of a loop are done, its metrics, samples per second and
/// the time left, as `epoch 1  42% [====>     ] 196/468  loss 0.4321  ...` on a
/// terminal and as lines in a log. On a narrow terminal, parts are left out.
///
/// Speed and time left follow from the last 10 seconds or so, without the first
/// step, which may compile; at the end, the speed is that of all steps but the
/// first. For one thread at a time. Errors of the stream are ignored.
class Progress {
public:
  explicit Progress(const ProgressOptions &options = {});
  /// Calls finish().
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// A step of \p samples samples is done. Metrics are shown until others are
  /// given.
  void step(int64_t samples = 1) {
    if (advance(samples))
      show();
  }
  void step(int64_t samples, Metrics metrics) {
    current = std::move(metrics);
    step(samples);
  }
  /// The same; \p metrics, which returns Metrics, is only called if they are
  /// shown now, as those of the last step are.
  template <std::invocable Function>
  void step(int64_t samples, Function &&metrics) {
    if (!advance(samples))
      return;
    current = metrics();
    show();
  }

  /// Prints a line of text above the bar.
  void message(const std::string &text);
  /// Shows the final state. Later steps are counted, but not shown.
  void finish();

  /// The number of steps that are done, with ProgressOptions::initial.
  int64_t steps() const { return done; }

private:
  /// Samples, steps and the seconds that they took.
  struct Speed {
    double steps = 0, samples = 0, seconds = 0;
  };

  bool advance(int64_t samples);
  void show();
  bool isComplete() const { return options.total > 0 && done >= options.total; }
  double now() const;
  int64_t columns() const;
  const Speed &speed(bool isFinal) const;
  std::string percent() const;
  std::string countText() const;
  std::string rateText(bool isFinal) const;
  std::string timeText(bool isFinal) const;
  std::string barLine(bool isFinal);
  std::string logLine(bool isFinal) const;
  void print(const std::string &text);

  const ProgressOptions options;
  bool isTerminal;
  bool isFinished = false;
  bool isBarVisible = false;
  int64_t barSize = 0;
  int64_t done;
  Metrics current;
  double begin, last; ///< times: of the beginning, of the last step
  Speed first, recent, all;
  bool hasShown = false;
  int64_t shownSteps = -1; ///< in the last line
  double shownTime;
};

} // namespace tinygrad::data

#endif // TINYGRAD_DATA_PROGRESS_H
