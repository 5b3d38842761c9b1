//===- Csv.h - tables in text files -----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads tables of comma-separated values and turns their columns into tensors.
///
/// \code
///   data::CsvTable iris = data::readCsv("iris.csv");
///   Tensor features = iris.tensor(iris.columnsExcept({"species"}));
///   auto [labels, names] = iris.labels("species");
/// \endcode
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DATA_CSV_H
#define TINYGRAD_DATA_CSV_H

#include "TinyGrad/Tensor/Tensor.h"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tinygrad::data {

struct CsvOptions {
  /// Whether the first row has the names of the columns.
  bool header = true;
  /// The character between two values.
  char separator = ',';
  /// The number that stands for an empty value, NaN for instance. If it is not
  /// given, an empty value in a column of numbers is an error.
  std::optional<double> missing = {};
};

/// A column of a table: its name in the header, or its position from 0.
class CsvColumn {
public:
  template <std::integral Number>
  CsvColumn(Number position) : position(int64_t(position)) {}
  template <std::convertible_to<std::string_view> Name>
  CsvColumn(const Name &name) : name(std::string_view(name)) {}

private:
  friend class CsvTable;

  int64_t position = -1;
  std::optional<std::string> name;
};

/// A column of texts as numbers of classes.
struct CsvLabels {
  /// The class of each row: int32, or the integer type that was asked for.
  Tensor labels;
  /// The text of each class.
  std::vector<std::string> names;
};

/// The values of a table as texts. Its methods throw Error for a column that
/// does not exist, with a list of those that do.
class CsvTable {
public:
  int64_t numRows() const { return int64_t(rowLines.size()); }
  int64_t numColumns() const { return int64_t(columns); }
  /// The names in the header; empty if there is none.
  const std::vector<std::string> &names() const { return header; }
  /// The value of row \p row, counted from 0 without the header. Throws
  /// IndexError.
  std::string_view text(int64_t row, const CsvColumn &column) const;

  /// All columns but these, in their order.
  std::vector<CsvColumn>
  columnsExcept(const std::vector<CsvColumn> &excluded) const;

  /// Columns of numbers as a tensor of shape (rows, columns), of float32,
  /// float64 or an integer type. Floats are rounded once; `nan` and `inf` are
  /// numbers. Throws IoError, naming file, line and column, for a value that is
  /// not a number of the type; DTypeError for other types.
  Tensor tensor(const std::vector<CsvColumn> &columns,
                const TensorOptions &options = DType::Float32) const;
  /// All columns, on the default device.
  Tensor tensor(DType dtype = DType::Float32) const;
  /// One column, as a tensor of shape (rows).
  Tensor column(const CsvColumn &column,
                const TensorOptions &options = DType::Float32) const;

  /// A column of texts as classes, which are numbered in the order of their
  /// bytes, so that the numbers do not depend on the order of the rows.
  CsvLabels labels(const CsvColumn &column,
                   const TensorOptions &options = DType::Int32) const;
  /// The same with given classes, those of the training set for instance.
  /// Throws IoError, naming file, line and column, for a text that is no class.
  Tensor labels(const CsvColumn &column,
                const std::vector<std::string> &classes,
                const TensorOptions &options = DType::Int32) const;
  Tensor labels(const CsvColumn &column,
                std::initializer_list<std::string> classes,
                const TensorOptions &options = DType::Int32) const {
    return labels(column, std::vector<std::string>(classes), options);
  }

private:
  friend class CsvParser;
  struct Cell {
    std::size_t begin, end;
  };

  std::size_t positionOf(const CsvColumn &column) const;
  std::vector<std::size_t>
  positionsOf(const std::vector<CsvColumn> &columns) const;
  std::string_view at(std::size_t row, std::size_t column) const;
  std::string placeOf(std::size_t row, std::size_t column) const;
  std::string describe(std::size_t column) const;
  HostArray numbers(const std::vector<std::size_t> &positions,
                    DType dtype) const;

  std::string path;
  std::vector<std::string> header;
  std::size_t columns = 0;
  std::string content;           ///< all values without quotes
  std::vector<Cell> cells;       ///< of each value, row by row
  std::vector<int64_t> rowLines; ///< where each row begins in the file
  std::optional<double> missing;
};

/// Reads a table in the format of RFC 4180: values in quotes may contain
/// separators, line ends and doubled quotes. Lines may end in LF or CR LF. A
/// byte order mark and empty lines are skipped.
///
/// Throws IoError, naming the file and, where there is one, the line and the
/// column: if the file cannot be read or has no header, for rows with different
/// numbers of values, and for misplaced or missing quotes.
CsvTable readCsv(const std::string &path, const CsvOptions &options = {});

/// The same for text in memory; \p name stands for the path in messages.
CsvTable parseCsv(std::string_view text, const std::string &name,
                  const CsvOptions &options = {});

} // namespace tinygrad::data

#endif // TINYGRAD_DATA_CSV_H
