//===- MetricsLog.cpp - files of metrics ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// JSON lines and comma-separated values: appending, continuing, reading.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Data/MetricsLog.h"
#include "TextFile.h"
#include "TinyGrad/Data/Csv.h"
#include "TinyGrad/Runtime/Error.h"
#include "llvm/Support/JSON.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tinygrad;
using namespace tinygrad::data;

static constexpr const char *kStep = "step";

//===----------------------------------------------------------------------===//
// Numbers and names
//===----------------------------------------------------------------------===//

/// As many digits as identify a finite number.
static std::string shortest(double value) {
  char text[64];
  return std::string(text, std::to_chars(text, text + sizeof(text), value).ptr);
}

static std::string jsonNumber(double value) {
  if (std::isnan(value))
    return "\"NaN\"";
  if (std::isinf(value))
    return value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  return shortest(value);
}

static std::string jsonName(const std::string &name) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << llvm::json::Value(llvm::json::fixUTF8(name));
  return text;
}

static std::string csvNumber(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value > 0 ? "inf" : "-inf";
  return shortest(value);
}

static std::string csvName(const std::string &name) {
  if (name.find_first_of(",\"\r\n") == std::string::npos)
    return name;
  std::string text = "\"";
  for (const char c : name)
    text += c == '"' ? "\"\"" : std::string(1, c);
  return text + "\"";
}

//===----------------------------------------------------------------------===//
// Lines of a file
//===----------------------------------------------------------------------===//

using UseMetric = std::function<void(const std::string &, double)>;

static std::optional<double> toNumber(const llvm::json::Value &value) {
  if (const std::optional<double> number = value.getAsNumber())
    return number;
  if (value.getAsNull())
    return std::numeric_limits<double>::quiet_NaN();
  if (const auto text = value.getAsString()) {
    if (*text == "NaN")
      return std::numeric_limits<double>::quiet_NaN();
    if (*text == "Infinity")
      return std::numeric_limits<double>::infinity();
    if (*text == "-Infinity")
      return -std::numeric_limits<double>::infinity();
  }
  return std::nullopt;
}

/// Reads a line of JSON. The metrics come in the order of the text.
static double readJsonLine(std::string_view line, const std::string &place,
                           const std::string &step, const UseMetric &use) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(line);
  if (!value)
    throw IoError(place + ": not JSON: " + llvm::toString(value.takeError()));
  const llvm::json::Object *object = value->getAsObject();
  if (!object)
    throw IoError(place + ": not a JSON object");
  const llvm::json::Value *where = object->get(step);
  const std::optional<double> number = where ? toNumber(*where) : std::nullopt;
  if (!number)
    throw IoError(place + ": there is no number \"" + step + "\"");
  // Objects do not keep the order of their members.
  std::vector<std::pair<std::size_t, const llvm::json::Object::value_type *>>
      members;
  for (const auto &member : *object)
    members.emplace_back(line.find(jsonName(member.first.str())), &member);
  std::sort(members.begin(), members.end());
  for (const auto &[position, member] : members)
    if (const std::optional<double> metric = toNumber(member->second);
        metric && member->first != step)
      use(member->first.str(), *metric);
  return *number;
}

static std::optional<double> csvToNumber(std::string_view text) {
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

/// The text up to the last end of a line.
static std::string_view wholeLines(std::string_view text) {
  return text.substr(0, text.rfind('\n') + 1);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

void MetricsLog::fail(const std::string &what) const {
  throw IoError(name + ": " + what);
}

MetricsLog::MetricsLog(std::string path, const MetricsLogOptions &options)
    : name(std::move(path)), isCsv(name.ends_with(".csv")),
      columns(options.columns) {
  Metrics named;
  for (const std::string &column : columns)
    named.emplace_back(column, 0.0);
  checkMetrics(named);
  descriptor =
      ::open(name.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  // A pipe, or a terminal that may only be written.
  if (descriptor < 0)
    descriptor = ::open(name.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (descriptor < 0)
    fail("cannot open: " + detail::errnoText(errno));
  try {
    struct stat status;
    if (::fstat(descriptor, &status) != 0)
      fail("cannot open: " + detail::errnoText(errno));
    if (S_ISREG(status.st_mode) && status.st_size != 0)
      continueFile(options);
  } catch (...) {
    ::close(descriptor);
    throw;
  }
}

MetricsLog::~MetricsLog() { ::close(descriptor); }

/// Checks what the file has and removes lines that do not count.
void MetricsLog::continueFile(const MetricsLogOptions &options) {
  std::string text = detail::readTextFile(name);
  const char *notALog = "the file exists, but it is not a log of metrics";
  // Of a line without an end, only the beginning of one that write() makes is
  // removed; a whole one, which an editor may leave, is kept.
  const std::string_view rest =
      std::string_view(text).substr(wholeLines(text).size());
  bool lacksEnd = false;
  if (!isCsv && !rest.empty()) {
    llvm::Expected<llvm::json::Value> value = llvm::json::parse(rest);
    lacksEnd = bool(value);
    llvm::consumeError(value.takeError());
    constexpr std::string_view beginning = "{\"step\":";
    if (!lacksEnd && !rest.starts_with(beginning.substr(0, rest.size())))
      fail(notALog);
  }
  if (lacksEnd)
    text += '\n';
  const std::string_view whole = wholeLines(text);
  std::size_t keep = whole.size();
  if (isCsv) {
    // An incomplete header is no header.
    constexpr std::string_view beginning = "step,";
    if (whole.empty() && !rest.starts_with(beginning.substr(0, rest.size())))
      fail(notALog);
    if (!whole.empty()) {
      const CsvTable table = parseCsv(whole, name);
      if (table.names()[0] != kStep)
        fail(std::string(notALog) + ": its first column is not \"step\"");
      columns.assign(table.names().begin() + 1, table.names().end());
      hasHeader = true;
    }
  } else if (text[0] != '{') {
    fail(std::string(notALog) + " in JSON");
  }
  // Steps only grow: what follows the first line to be removed goes too. All
  // lines are checked before.
  std::size_t begin = hasHeader ? whole.find('\n') + 1 : 0;
  for (int64_t line = hasHeader ? 2 : 1; begin < whole.size(); ++line) {
    const std::size_t end = whole.find('\n', begin) + 1;
    const std::string_view content = whole.substr(begin, end - begin - 1);
    const std::string place = name + ":" + std::to_string(line);
    double step = 0;
    if (isCsv) {
      const std::optional<double> number =
          csvToNumber(content.substr(0, content.find(',')));
      if (!number)
        throw IoError(place + ": the step is not a number");
      step = *number;
    } else {
      step = readJsonLine(content, place, kStep,
                          [](const std::string &, double) {});
    }
    if (options.resumeStep && step >= double(*options.resumeStep))
      keep = std::min(keep, begin);
    begin = end;
  }
  if (lacksEnd && keep == whole.size())
    append("\n");
  else if (keep != text.size() && ::ftruncate(descriptor, off_t(keep)) != 0)
    fail("cannot remove lines: " + detail::errnoText(errno));
}

void MetricsLog::checkMetrics(const Metrics &metrics) const {
  for (const Metric &metric : metrics) {
    if (metric.name.find_first_of("\r\n") != std::string::npos)
      throw Error(name + ": the name of a metric has an end of a line in it");
    if (metric.name == kStep)
      throw Error(name + ": a metric cannot be called \"step\", as the number "
                         "of the step is");
    if (std::count_if(metrics.begin(), metrics.end(), [&](const Metric &other) {
          return other.name == metric.name;
        }) != 1)
      throw Error(name + ": two metrics are called \"" + metric.name + "\"");
  }
}

std::string MetricsLog::csvHeader() const {
  std::string text = kStep;
  for (const std::string &column : columns)
    text += "," + csvName(column);
  return text + "\n";
}

std::string MetricsLog::csvLine(int64_t step, const Metrics &metrics) const {
  for (const Metric &metric : metrics)
    if (std::find(columns.begin(), columns.end(), metric.name) == columns.end())
      throw Error(name + ": \"" + metric.name +
                  "\" is not a column of the file, whose header is " +
                  csvHeader().substr(0, csvHeader().size() - 1) +
                  "; name all metrics in MetricsLogOptions::columns, or write "
                  "JSON lines");
  std::string text = std::to_string(step);
  for (const std::string &column : columns) {
    text += ",";
    for (const Metric &metric : metrics)
      if (metric.name == column)
        text += csvNumber(metric.value);
  }
  return text + "\n";
}

void MetricsLog::write(int64_t step, const Metrics &metrics) {
  checkMetrics(metrics);
  if (!isCsv) {
    std::string text = "{\"step\":" + std::to_string(step);
    for (const Metric &metric : metrics)
      text += "," + jsonName(metric.name) + ":" + jsonNumber(metric.value);
    append(text + "}\n");
    return;
  }
  if (hasHeader) {
    append(csvLine(step, metrics));
    return;
  }
  if (columns.empty())
    for (const Metric &metric : metrics)
      columns.push_back(metric.name);
  append(csvHeader() + csvLine(step, metrics));
  hasHeader = true;
}

void MetricsLog::append(const std::string &text) {
  struct stat before;
  const bool isFile =
      ::fstat(descriptor, &before) == 0 && S_ISREG(before.st_mode);
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t count =
        ::write(descriptor, text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0) {
      std::string reason = detail::errnoText(errno);
      if (isFile && written != 0 &&
          ::ftruncate(descriptor, before.st_size) != 0)
        reason += "; the incomplete line could not be removed";
      fail("cannot write: " + reason);
    }
    written += std::size_t(count);
  }
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
/// Series by name, in the order of their first appearance.
class SeriesTable {
public:
  void add(const std::string &name, double step, double value) {
    const auto [place, isNew] = positions.try_emplace(name, series.size());
    if (isNew)
      series.push_back({name, {}, {}});
    series[place->second].steps.push_back(step);
    series[place->second].values.push_back(value);
  }
  std::vector<MetricSeries> take() { return std::move(series); }

private:
  std::map<std::string, std::size_t> positions;
  std::vector<MetricSeries> series;
};
} // namespace

static std::vector<MetricSeries> readJsonLines(std::string_view text,
                                               const std::string &path,
                                               const std::string &step) {
  SeriesTable table;
  int64_t line = 1;
  for (std::size_t begin = 0; begin < text.size(); ++line) {
    const std::size_t end = text.find('\n', begin);
    const std::string_view content = text.substr(begin, end - begin);
    begin = end + 1;
    if (content.find_first_not_of(" \t\r") == std::string_view::npos)
      continue;
    Metrics metrics;
    const double number =
        readJsonLine(content, path + ":" + std::to_string(line), step,
                     [&](const std::string &name, double value) {
                       metrics.emplace_back(name, value);
                     });
    for (const Metric &metric : metrics)
      table.add(metric.name, number, metric.value);
  }
  return table.take();
}

[[noreturn]] static void failWithoutStep(const std::string &path, int64_t row,
                                         const std::string &step) {
  throw IoError(path + ": row " + std::to_string(row + 1) +
                " after the header has no number \"" + step + "\"");
}

static std::vector<MetricSeries> readCsvLines(std::string_view text,
                                              const std::string &path,
                                              const std::string &step) {
  const CsvTable csv = parseCsv(text, path);
  const std::vector<std::string> &names = csv.names();
  if (std::find(names.begin(), names.end(), step) == names.end())
    throw IoError(path + ": there is no column \"" + step + "\"");
  SeriesTable table;
  for (int64_t row = 0; row < csv.numRows(); ++row) {
    const std::optional<double> number = csvToNumber(csv.text(row, step));
    if (!number)
      failWithoutStep(path, row, step);
    for (std::size_t column = 0; column < names.size(); ++column)
      if (names[column] != step)
        if (const std::optional<double> value =
                csvToNumber(csv.text(row, column)))
          table.add(names[column], *number, *value);
  }
  return table.take();
}

std::vector<MetricSeries> data::readMetrics(const std::string &path,
                                            const std::string &step) {
  const std::string text = detail::readTextFile(path);
  const std::string_view whole = wholeLines(text);
  if (whole.empty())
    return {};
  return whole[0] == '{' ? readJsonLines(whole, path, step)
                         : readCsvLines(whole, path, step);
}
