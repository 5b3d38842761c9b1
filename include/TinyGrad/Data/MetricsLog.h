//===- MetricsLog.h - files of metrics --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Writes metrics to files, line by line, and reads them.
///
/// \code
///   data::MetricsLog log("run.jsonl");
///   log.write(step, {{"loss", loss}, {"accuracy", accuracy}});
///   // {"step":100,"loss":0.25,"accuracy":0.9}
/// \endcode
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DATA_METRICSLOG_H
#define TINYGRAD_DATA_METRICSLOG_H

#include "TinyGrad/Data/Metrics.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tinygrad::data {

struct MetricsLogOptions {
  /// The metrics of a new CSV file, whose columns do not change later. By
  /// default they are those of the first line.
  std::vector<std::string> columns = {};
  /// The step at which a run is resumed: lines of this step and of later ones,
  /// which a run wrote after its last checkpoint, are removed. By default all
  /// lines are kept.
  std::optional<int64_t> resumeStep = {};
};

/// A file to which each call of write() appends a line: of comma-separated
/// values if its name ends in ".csv", otherwise of JSON (JSON lines). An
/// existing log is continued.
///
/// A line is written whole, by one call of the system: a process that ends at
/// any moment leaves whole lines. (What a failure of the machine leaves depends
/// on the file system.) If a file ends within a line nevertheless, that line is
/// removed when the file is opened. Numbers have as many digits as identify
/// them. JSON has no NaN and infinities: they are the strings "NaN", "Infinity"
/// and "-Infinity", as in Protocol Buffers; in CSV they are nan, inf and -inf.
///
/// A log is for one thread at a time, and one process.
class MetricsLog {
public:
  /// Opens or creates the file. Throws IoError if that is not possible, or if
  /// the file is not a log of metrics: its contents are unchanged then.
  explicit MetricsLog(std::string path, const MetricsLogOptions &options = {});
  ~MetricsLog();
  MetricsLog(const MetricsLog &) = delete;
  MetricsLog &operator=(const MetricsLog &) = delete;

  /// Appends a line. Metrics that a CSV file has and \p metrics has not are
  /// empty. Throws Error for a metric that is called "step", for two of one
  /// name, and for one that is not a column of the CSV file; IoError if the
  /// line cannot be written, for lack of space for instance: nothing of it is
  /// in the file then.
  void write(int64_t step, const Metrics &metrics);

  const std::string &path() const { return name; }

private:
  void continueFile(const MetricsLogOptions &options);
  void checkMetrics(const Metrics &metrics) const;
  std::string csvLine(int64_t step, const Metrics &metrics) const;
  std::string csvHeader() const;
  void append(const std::string &text);
  [[noreturn]] void fail(const std::string &what) const;

  const std::string name;
  const bool isCsv;
  bool hasHeader = false;
  std::vector<std::string> columns; ///< of the CSV file, without the step
  int descriptor = -1;
};

/// The values of one metric. Steps at which it was not recorded are left out;
/// NaN and infinities are values.
struct MetricSeries {
  std::string name;
  std::vector<double> steps, values;
};

/// Reads a file that MetricsLog writes, or another one of these formats in
/// which each line has a number \p step. Other values that are not numbers are
/// left out; a null of JSON is NaN. An incomplete last line is ignored. The
/// metrics come in the order of their first appearance. Throws IoError, naming
/// file and line.
std::vector<MetricSeries> readMetrics(const std::string &path,
                                      const std::string &step = "step");

} // namespace tinygrad::data

#endif // TINYGRAD_DATA_METRICSLOG_H
