//===- Progress.cpp - how far a program is --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Bars and lines of text, estimates of speed and time.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Data/Progress.h"
#include "TinyGrad/Runtime/Environment.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <sys/ioctl.h>
#include <unistd.h>

using namespace tinygrad;
using namespace tinygrad::data;

/// Steps that were this long ago count for 1/e of a new one.
static constexpr double kSpeedSeconds = 10;

static constexpr int64_t kLeastBar = 8, kMostBar = 30, kBarSlack = 6;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string format(const char *pattern, double value) {
  char text[64];
  std::snprintf(text, sizeof(text), pattern, value);
  return text;
}

/// 0:07, 12:34, 1:02:03.
static std::string formatTime(double seconds) {
  if (!(seconds < 1e12))
    return "?";
  const auto total = int64_t(std::llround(std::max(seconds, 0.0)));
  char text[64];
  if (total < 3600)
    std::snprintf(text, sizeof(text), "%d:%02d", int(total / 60),
                  int(total % 60));
  else
    std::snprintf(text, sizeof(text), "%lld:%02d:%02d",
                  (long long)(total / 3600), int(total / 60 % 60),
                  int(total % 60));
  return text;
}

static std::string formatRate(double rate) {
  return format(rate < 100 ? "%.3g" : rate < 1e7 ? "%.0f" : "%.3g", rate);
}

static bool isContinuation(char byte) { return (byte & 0xc0) == 0x80; }

/// The number of characters of UTF-8, each of which is taken for one column.
static int64_t columnsOf(const std::string &text) {
  return int64_t(text.size()) -
         std::count_if(text.begin(), text.end(), isContinuation);
}

static std::string firstColumns(const std::string &text, int64_t columns) {
  std::size_t end = 0;
  for (int64_t i = 0; i < columns && end < text.size(); ++i) {
    ++end;
    while (end < text.size() && isContinuation(text[end]))
      ++end;
  }
  return text.substr(0, end);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

static bool canOverwrite(const ProgressOptions &options) {
  if (options.isTerminal)
    return *options.isTerminal;
  const char *kind = std::getenv("TERM");
  return debugLevel() == 0 && ::isatty(::fileno(options.stream)) == 1 &&
         !(kind && std::strcmp(kind, "dumb") == 0);
}

Progress::Progress(const ProgressOptions &options)
    : options(options), isTerminal(canOverwrite(options)),
      done(options.initial), begin(now()), last(begin), shownTime(begin) {
  shownSteps = done;
}

Progress::~Progress() {
  try {
    finish();
  } catch (...) {
    // There is no memory for the last line.
  }
}

double Progress::now() const {
  if (options.clock)
    return options.clock();
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

bool Progress::advance(int64_t samples) {
  const double time = now();
  const Speed step = {1, double(samples), std::max(time - last, 0.0)};
  last = time;
  ++done;
  if (first.steps == 0) {
    first = step;
  } else {
    const double decay = std::exp(-step.seconds / kSpeedSeconds);
    recent = {recent.steps * decay + step.steps,
              recent.samples * decay + step.samples,
              recent.seconds * decay + step.seconds};
    all = {all.steps + step.steps, all.samples + step.samples,
           all.seconds + step.seconds};
  }
  if (isFinished)
    return false;
  if (options.total > 0 && done == options.total)
    return true;
  if (isTerminal)
    return !hasShown || time - shownTime >= options.refreshSeconds;
  return (options.logSeconds > 0 && time - shownTime >= options.logSeconds) ||
         (options.logPercent > 0 && options.total > 0 &&
          double(done - shownSteps) * 100 >=
              options.logPercent * double(options.total));
}

const Progress::Speed &Progress::speed(bool isFinal) const {
  if (recent.steps == 0)
    return first;
  return isFinal ? all : recent;
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

int64_t Progress::columns() const {
  if (options.width > 0)
    return options.width;
  winsize size = {};
  if (::ioctl(::fileno(options.stream), TIOCGWINSZ, &size) == 0 &&
      size.ws_col > 0)
    return size.ws_col;
  return 80;
}

std::string Progress::percent() const {
  const double part =
      std::clamp(double(done) / double(options.total), 0.0, 1.0);
  // Rounded down: 100 % is the end.
  return std::to_string(int(std::floor(part * 100)));
}

std::string Progress::countText() const {
  if (options.total > 0)
    return std::to_string(done) + "/" + std::to_string(options.total);
  return std::to_string(done) + (done == 1 ? " step" : " steps");
}

/// Empty if it is not known.
std::string Progress::rateText(bool isFinal) const {
  const Speed &speed = this->speed(isFinal);
  if (!(speed.seconds > 0))
    return "";
  return formatRate(speed.samples / speed.seconds) + " samples/s";
}

std::string Progress::timeText(bool isFinal) const {
  if (isFinal)
    return "in " + formatTime(last - begin);
  const Speed &speed = this->speed(false);
  if (options.total <= 0 || speed.steps == 0)
    return formatTime(last - begin);
  return formatTime(double(options.total - done) * speed.seconds /
                    speed.steps) +
         " left";
}

std::string Progress::barLine(bool isFinal) {
  // The last column stays empty: some terminals would begin another line.
  const int64_t width = std::max<int64_t>(columns() - 1, 1);
  std::string head = options.label;
  if (options.total > 0) {
    const std::string text = percent();
    head += (head.empty() ? "" : " ") +
            std::string(3 - std::min<std::size_t>(text.size(), 3), ' ') + text +
            "%";
  }
  // What comes later is left out first, but for the time.
  std::vector<std::string> parts = {countText()};
  for (const Metric &metric : current)
    parts.push_back(metric.name + " " + format("%.4g", metric.value));
  if (const std::string rate = rateText(isFinal); !rate.empty())
    parts.push_back(rate);
  const std::string time = timeText(isFinal);

  std::string tail;
  for (;; parts.pop_back()) {
    tail.clear();
    for (const std::string &part : parts)
      tail += (tail.empty() ? "" : "  ") + part;
    tail += "  " + time;
    const bool fits = columnsOf(head) + 1 + columnsOf(tail) <= width;
    if (fits || parts.size() == 1)
      break;
  }
  // The bar takes what is left, with two brackets and two spaces.
  const int64_t space = width - columnsOf(head) - columnsOf(tail) - 4;
  std::string bar;
  if (options.total > 0 && space >= kLeastBar) {
    // It keeps its size while the texts change a little.
    if (barSize > space || barSize + kBarSlack < space)
      barSize = space;
    const int64_t size = std::min(barSize, kMostBar);
    const double part =
        std::clamp(double(done) / double(options.total), 0.0, 1.0);
    const auto full = int64_t(std::floor(part * double(size)));
    bar = "[" + std::string(std::size_t(full), '=');
    if (full < size)
      bar += ">" + std::string(std::size_t(size - full - 1), ' ');
    bar += "] ";
  }
  return firstColumns(head + (head.empty() ? "" : " ") + bar + tail, width);
}

std::string Progress::logLine(bool isFinal) const {
  std::string line = options.label.empty() ? "" : options.label + ": ";
  line += countText();
  if (options.total > 0)
    line += " (" + percent() + " %)";
  for (const Metric &metric : current)
    line += ", " + metric.name + " " + format("%.4g", metric.value);
  if (const std::string rate = rateText(isFinal); !rate.empty())
    line += ", " + rate;
  return line + ", " + timeText(isFinal);
}

void Progress::print(const std::string &text) {
  std::fwrite(text.data(), 1, text.size(), options.stream);
  std::fflush(options.stream);
}

void Progress::show() {
  const bool isFinal = isFinished || isComplete();
  if (isTerminal) {
    // Back to the first column; then what the line before had longer.
    print("\r" + barLine(isFinal) + "\x1b[K");
    isBarVisible = true;
  } else {
    print(logLine(isFinal) + "\n");
  }
  hasShown = true;
  shownSteps = done;
  shownTime = now();
}

void Progress::message(const std::string &text) {
  if (!isBarVisible) {
    print(text + "\n");
    return;
  }
  print("\r\x1b[K" + text + "\n");
  show();
}

void Progress::finish() {
  if (isFinished)
    return;
  isFinished = true;
  // A bar that is left early shows the time that was left.
  if (done != shownSteps || (isBarVisible && !isComplete()))
    show();
  if (isBarVisible)
    print("\n");
  isBarVisible = false;
}
