//===- Csv.cpp - tables in text files -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Parses comma-separated values and converts columns to numbers and classes.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Data/Csv.h"
#include "TextFile.h"
#include "TinyGrad/Runtime/Error.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <concepts>
#include <map>
#include <set>
#include <system_error>
#include <utility>

using namespace tinygrad;
using namespace tinygrad::data;

/// A value in a message, shortened.
static std::string quoted(std::string_view text) {
  constexpr std::size_t most = 40;
  return "'" + std::string(text.substr(0, most)) +
         (text.size() > most ? "...'" : "'");
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace tinygrad::data {

class CsvParser {
public:
  CsvParser(std::string_view text, const std::string &name,
            const CsvOptions &options)
      : text(text), options(options) {
    table.path = name;
    table.missing = options.missing;
  }

  CsvTable parse();

private:
  [[noreturn]] void fail(int64_t atLine, std::size_t column,
                         const std::string &what) const {
    throw IoError(table.path + ":" + std::to_string(atLine) + ": column " +
                  std::to_string(column + 1) + ": " + what);
  }
  bool isAtLineEnd() const {
    return next >= text.size() || text[next] == '\n' ||
           (text[next] == '\r' && next + 1 < text.size() &&
            text[next + 1] == '\n');
  }
  void skipLineEnd() {
    if (next < text.size() && text[next] == '\r')
      ++next;
    if (next < text.size())
      ++next;
    ++line;
  }
  void parseQuoted(std::size_t column);
  void parsePlain(std::size_t column);
  void parseRow();

  const std::string_view text;
  const CsvOptions &options;
  CsvTable table;
  std::size_t next = 0;
  int64_t line = 1;
  int64_t firstLine = 0; ///< of the first row
};

} // namespace tinygrad::data

void CsvParser::parseQuoted(std::size_t column) {
  const int64_t firstLine = line;
  for (++next;; ++next) {
    if (next >= text.size())
      fail(firstLine, column, "the quote at its beginning is never closed");
    if (text[next] == '"') {
      ++next;
      if (next >= text.size() || text[next] != '"')
        break;
    }
    if (text[next] == '\n')
      ++line;
    table.content += text[next];
  }
  if (!isAtLineEnd() && text[next] != options.separator)
    fail(line, column,
         "there is text after the closing quote (a quote inside of a quoted "
         "value is written twice)");
}

void CsvParser::parsePlain(std::size_t column) {
  for (; !isAtLineEnd() && text[next] != options.separator; ++next) {
    if (text[next] == '"')
      fail(line, column,
           "there is a quote inside of a value that does not begin with one "
           "(write \"a \"\"quoted\"\" word\")");
    table.content += text[next];
  }
}

void CsvParser::parseRow() {
  const int64_t rowLine = line;
  std::size_t column = 0;
  for (;; ++column, ++next) {
    const std::size_t begin = table.content.size();
    if (next < text.size() && text[next] == '"')
      parseQuoted(column);
    else
      parsePlain(column);
    table.cells.push_back({begin, table.content.size()});
    if (isAtLineEnd())
      break;
  }
  skipLineEnd();
  if (firstLine == 0) {
    firstLine = rowLine;
    table.columns = column + 1;
  }
  if (column + 1 != table.columns)
    throw IoError(table.path + ":" + std::to_string(rowLine) +
                  ": the number of values is " + std::to_string(column + 1) +
                  ", that of the first row (line " + std::to_string(firstLine) +
                  ") is " + std::to_string(table.columns));
  table.rowLines.push_back(rowLine);
}

CsvTable CsvParser::parse() {
  for (const char special : {'"', '\n', '\r'})
    if (options.separator == special)
      throw Error(table.path +
                  ": quotes and line ends cannot separate the values of a row");
  if (text.starts_with("\xef\xbb\xbf"))
    next = 3;
  table.content.reserve(text.size());
  while (next < text.size()) {
    if (isAtLineEnd())
      skipLineEnd();
    else
      parseRow();
  }
  if (options.header) {
    if (table.rowLines.empty())
      throw IoError(table.path +
                    ": there is no header (a table without one is read with "
                    "CsvOptions::header = false)");
    for (std::size_t i = 0; i < table.columns; ++i)
      table.header.emplace_back(table.at(0, i));
    table.rowLines.erase(table.rowLines.begin());
    table.cells.erase(table.cells.begin(),
                      table.cells.begin() + std::ptrdiff_t(table.columns));
  }
  return std::move(table);
}

CsvTable data::parseCsv(std::string_view text, const std::string &name,
                        const CsvOptions &options) {
  return CsvParser(text, name, options).parse();
}

CsvTable data::readCsv(const std::string &path, const CsvOptions &options) {
  return parseCsv(detail::readTextFile(path), path, options);
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

std::string_view CsvTable::at(std::size_t row, std::size_t column) const {
  const Cell &cell = cells[row * columns + column];
  return std::string_view(content).substr(cell.begin, cell.end - cell.begin);
}

std::string CsvTable::describe(std::size_t column) const {
  std::string text = "column " + std::to_string(column + 1);
  if (!header.empty())
    text += " (" + quoted(header[column]) + ")";
  return text;
}

std::string CsvTable::placeOf(std::size_t row, std::size_t column) const {
  int64_t line = rowLines[row];
  for (std::size_t i = 0; i < column; ++i) {
    const std::string_view value = at(row, i);
    line += std::count(value.begin(), value.end(), '\n');
  }
  return path + ":" + std::to_string(line) + ": " + describe(column) + ": ";
}

std::size_t CsvTable::positionOf(const CsvColumn &column) const {
  if (!column.name) {
    if (column.position < 0 || column.position >= numColumns())
      throw Error(path + ": there is no column at position " +
                  std::to_string(column.position) + "; the table has " +
                  std::to_string(columns) + ", counted from 0");
    return std::size_t(column.position);
  }
  const auto found = std::find(header.begin(), header.end(), *column.name);
  if (found == header.end()) {
    std::string list;
    for (const std::string &name : header)
      list += (list.empty() ? "" : ", ") + quoted(name);
    throw Error(path + ": there is no column " + quoted(*column.name) +
                (header.empty() ? "; the table was read without a header"
                                : "; there are " + list));
  }
  if (std::find(found + 1, header.end(), *column.name) != header.end())
    throw Error(path + ": two columns are called " + quoted(*column.name) +
                "; select one by its position");
  return std::size_t(found - header.begin());
}

std::vector<std::size_t>
CsvTable::positionsOf(const std::vector<CsvColumn> &columns) const {
  std::vector<std::size_t> positions;
  for (const CsvColumn &column : columns)
    positions.push_back(positionOf(column));
  return positions;
}

std::string_view CsvTable::text(int64_t row, const CsvColumn &column) const {
  const std::size_t position = positionOf(column);
  if (row < 0 || row >= numRows())
    throw IndexError(path + ": there is no row " + std::to_string(row) +
                     "; the table has " + std::to_string(numRows()) +
                     ", counted from 0");
  return at(std::size_t(row), position);
}

std::vector<CsvColumn>
CsvTable::columnsExcept(const std::vector<CsvColumn> &excluded) const {
  const std::vector<std::size_t> positions = positionsOf(excluded);
  std::vector<CsvColumn> result;
  for (std::size_t i = 0; i < columns; ++i)
    if (std::find(positions.begin(), positions.end(), i) == positions.end())
      result.emplace_back(i);
  return result;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
    text.remove_suffix(1);
  return text;
}

namespace {
enum class NumberError { None, Malformed, OutOfRange };
} // namespace

template <typename T>
static NumberError parseNumber(std::string_view text, T &value) {
  // std::from_chars takes no plus sign.
  if (text.size() > 1 && text[0] == '+' && text[1] != '-')
    text.remove_prefix(1);
  const char *end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (stop != end || error == std::errc::invalid_argument)
    return NumberError::Malformed;
  if (error == std::errc())
    return NumberError::None;
  if constexpr (std::floating_point<T>) {
    // Numbers that are too small are 0 or denormal, not errors.
    long double wide = 0;
    const auto result = std::from_chars(text.data(), end, wide);
    if (result.ec == std::errc() && std::fabs(wide) < 1) {
      value = T(wide);
      return NumberError::None;
    }
  }
  return NumberError::OutOfRange;
}

template <typename T>
static T missingAs(double missing, const std::string &path) {
  if constexpr (std::integral<T>)
    if (!(missing == std::trunc(missing) &&
          missing >= double(std::numeric_limits<T>::min()) &&
          missing <= double(std::numeric_limits<T>::max()) && missing < 0x1p63))
      throw DTypeError(path +
                       ": the number for missing values, which is not an "
                       "integer of the type, cannot stand in a tensor of " +
                       name(dtypeOf<T>()));
  return T(missing);
}

HostArray CsvTable::numbers(const std::vector<std::size_t> &positions,
                            DType dtype) const {
  HostArray array =
      makeHostArray(dtype, {numRows(), int64_t(positions.size())});
  auto fill = [&](auto zero) {
    using T = decltype(zero);
    T *out = array.as<T>();
    for (std::size_t row = 0; row < rowLines.size(); ++row)
      for (const std::size_t column : positions) {
        const std::string_view value = trimmed(at(row, column));
        if (value.empty() && missing) {
          *out++ = missingAs<T>(*missing, path);
          continue;
        }
        switch (parseNumber(value, *out++)) {
        case NumberError::None:
          break;
        case NumberError::Malformed:
          throw IoError(placeOf(row, column) +
                        (value.empty()
                             ? "the value is empty (CsvOptions::missing gives "
                               "a number for such values)"
                             : quoted(value) + " is not a number of type " +
                                   name(dtype)));
        case NumberError::OutOfRange:
          throw IoError(placeOf(row, column) + quoted(value) +
                        " is out of the range of " + name(dtype));
        }
      }
  };
  dispatch(dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr ((std::integral<T> && !std::same_as<T, bool>) ||
                  std::floating_point<T>)
      fill(zero);
    else
      throw DTypeError(path +
                       ": numbers of a table are read as float32, "
                       "float64 or integers, not as " +
                       name(dtype) + "; cast() converts them");
  });
  return array;
}

/// The options with an element type, for which a tensor is made as it is.
static DType dtypeOr(const TensorOptions &options, DType dtype) {
  return options.dtype.value_or(dtype);
}

Tensor CsvTable::tensor(const std::vector<CsvColumn> &columns,
                        const TensorOptions &options) const {
  return Tensor::fromHost(
      numbers(positionsOf(columns), dtypeOr(options, DType::Float32)), options);
}

Tensor CsvTable::tensor(DType dtype) const {
  return tensor(columnsExcept({}), dtype);
}

Tensor CsvTable::column(const CsvColumn &column,
                        const TensorOptions &options) const {
  HostArray array =
      numbers({positionOf(column)}, dtypeOr(options, DType::Float32));
  array.shape = {numRows()};
  return Tensor::fromHost(array, options);
}

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

CsvLabels CsvTable::labels(const CsvColumn &column,
                           const TensorOptions &options) const {
  const std::size_t position = positionOf(column);
  std::set<std::string_view> classes;
  for (std::size_t row = 0; row < rowLines.size(); ++row)
    classes.insert(at(row, position));
  CsvLabels result;
  result.names.assign(classes.begin(), classes.end());
  result.labels = labels(column, result.names, options);
  return result;
}

Tensor CsvTable::labels(const CsvColumn &column,
                        const std::vector<std::string> &classes,
                        const TensorOptions &options) const {
  const std::size_t position = positionOf(column);
  const DType dtype = dtypeOr(options, DType::Int32);
  if (!isInteger(dtype))
    throw DTypeError(path + ": numbers of classes are integers, not " +
                     name(dtype));
  if (!classes.empty() && uint64_t(classes.size() - 1) > integerMax(dtype))
    throw DTypeError(path + ": " + std::to_string(classes.size()) +
                     " classes have no numbers of type " + name(dtype));
  std::map<std::string_view, std::size_t> numberOf;
  for (std::size_t i = 0; i < classes.size(); ++i)
    numberOf.emplace(classes[i], i);
  HostArray array = makeHostArray(dtype, {numRows()});
  dispatch(dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::integral<T>)
      for (std::size_t row = 0; row < rowLines.size(); ++row) {
        const std::string_view value = at(row, position);
        const auto found = numberOf.find(value);
        if (found == numberOf.end())
          throw IoError(placeOf(row, position) + quoted(value) +
                        " is not one of the " + std::to_string(classes.size()) +
                        " classes");
        array.as<T>()[row] = T(found->second);
      }
  });
  return Tensor::fromHost(array, options);
}
