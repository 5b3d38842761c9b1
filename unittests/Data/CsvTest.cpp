//===- CsvTest.cpp - tables in text files ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Quoting, numbers, classes, and what can be wrong with a table.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Data/Csv.h"
#include "../Tensor/TensorTest.h"
#include "TinyGrad/Runtime/Error.h"

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include <unistd.h>

using namespace tinygrad;
using namespace tinygrad::data;
using namespace tinygrad::testing;
using ::testing::ElementsAre;

static CsvTable parse(std::string_view text, const CsvOptions &options = {}) {
  return parseCsv(text, "t.csv", options);
}

static std::vector<std::string> textsOf(const CsvTable &table) {
  std::vector<std::string> texts;
  for (int64_t row = 0; row < table.numRows(); ++row)
    for (int64_t column = 0; column < table.numColumns(); ++column)
      texts.emplace_back(table.text(row, column));
  return texts;
}

TEST(CsvTest, ReadsAFile) {
  const std::filesystem::path path =
      std::filesystem::path(::testing::TempDir()) /
      ("CsvTest-" + std::to_string(::getpid()) + ".csv");
  std::ofstream(path) << "x,y\r\n1,2\r\n3,4\r\n";
  const CsvTable table = readCsv(path.string());
  EXPECT_THAT(table.names(), ElementsAre("x", "y"));
  expectTensor(table.tensor(), {2, 2}, {1, 2, 3, 4});
  std::filesystem::remove(path);
}

TEST(CsvTest, Quotes) {
  const CsvTable table = parse("\xef\xbb\xbf\"a,b\",c\n"
                               "\"two\nlines\",\"say \"\"hi\"\"\"\r\n"
                               "\"\", plain text \n"
                               "\n"
                               "\"last\",");
  EXPECT_THAT(table.names(), ElementsAre("a,b", "c"));
  EXPECT_THAT(textsOf(table), ElementsAre("two\nlines", "say \"hi\"", "",
                                          " plain text ", "last", ""));
}

TEST(CsvTest, NoHeaderAndOtherSeparators) {
  const CsvTable table = parse("1;2\n3;4", {.header = false, .separator = ';'});
  EXPECT_TRUE(table.names().empty());
  expectTensor(table.tensor(), {2, 2}, {1, 2, 3, 4});
  expectTensor(table.column(1), {2}, {2, 4});
}

TEST(CsvTest, EmptyTables) {
  const CsvTable table = parse("x,y\n");
  EXPECT_EQ(table.numRows(), 0);
  expectTensor(table.tensor(), {0, 2}, {});
  expectTensor(table.tensor(std::vector<CsvColumn>()), {0, 0}, {});
  const CsvTable none = parse("", {.header = false});
  EXPECT_EQ(none.numRows(), 0);
  EXPECT_EQ(none.numColumns(), 0);
  EXPECT_TRUE(table.labels("x").names.empty());
  EXPECT_ERROR(parse(""), IoError, "t.csv: there is no header");
}

TEST(CsvTest, Numbers) {
  const CsvTable table = parse("a,b\n 1.5 ,+2\n-3e2,\t0.1\nnan,-inf\n");
  const Tensor single = table.tensor();
  EXPECT_EQ(single.dtype(), DType::Float32);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  expectTensor(single, {3, 2}, {1.5, 2, -300, double(0.1f), nan, -infinity});
  expectTensor(table.tensor(DType::Float64), {3, 2},
               {1.5, 2, -300, 0.1, nan, -infinity});
}

// Rounding to float64 first would give 1 + 2^-23.
TEST(CsvTest, FloatsAreRoundedOnce) {
  const CsvTable table = parse("x\n1.00000005960464477540\n");
  EXPECT_EQ(table.column("x").tolist<float>()[0], 0x1.000002p0f);
  const CsvTable tiny = parse("x\n1e-400\n-1e-60\n1e-45\n");
  EXPECT_THAT(
      tiny.column("x").tolist<float>(),
      ElementsAre(0.0f, 0.0f, std::numeric_limits<float>::denorm_min()));
}

TEST(CsvTest, Integers) {
  const CsvTable table = parse("x\n9007199254740993\n-9223372036854775808\n");
  EXPECT_THAT(table.column("x", DType::Int64).tolist<int64_t>(),
              ElementsAre(9007199254740993, INT64_MIN));
  EXPECT_ERROR(table.column("x", DType::Int32), IoError,
               "t.csv:2: column 1 ('x'): '9007199254740993' is out of the "
               "range of int32");
  const CsvTable bytes = parse("x\n0\n255\n");
  EXPECT_THAT(bytes.column("x", DType::UInt8).tolist<uint8_t>(),
              ElementsAre(0, 255));
  EXPECT_ERROR(bytes.column("x", DType::Int8), IoError,
               "t.csv:3: column 1 ('x'): '255' is out of the range of int8");
  EXPECT_ERROR(parse("x\n1.0\n").column("x", DType::Int32), IoError,
               "t.csv:2: column 1 ('x'): '1.0' is not a number of type int32");
  EXPECT_ERROR(bytes.column("x", DType::Float16), DTypeError,
               "float32, float64 or integers, not as float16");
  EXPECT_ERROR(bytes.column("x", DType::Bool), DTypeError, "not as bool");
}

TEST(CsvTest, MissingValues) {
  EXPECT_ERROR(parse("x,y\n1,\n").tensor(), IoError,
               "t.csv:2: column 2 ('y'): the value is empty "
               "(CsvOptions::missing");
  const CsvTable table = parse("x,y\n1,\n ,4\n", {.missing = -1});
  expectTensor(table.tensor(), {2, 2}, {1, -1, -1, 4});
  expectTensor(table.tensor(DType::Int16), {2, 2}, {1, -1, -1, 4});
  EXPECT_ERROR(table.tensor(DType::UInt16), DTypeError, "uint16");
  const CsvTable half = parse("x,y\n1,\n", {.missing = 0.5});
  EXPECT_ERROR(half.tensor(DType::Int32), DTypeError, "int32");
}

TEST(CsvTest, SelectsColumns) {
  const CsvTable table = parse("a,b,c\n1,2,3\n4,5,6\n");
  expectTensor(table.tensor({"c", 0}), {2, 2}, {3, 1, 6, 4});
  expectTensor(table.tensor(table.columnsExcept({"b"})), {2, 2}, {1, 3, 4, 6});
  EXPECT_EQ(table.text(1, "b"), "5");
  EXPECT_ERROR(table.column("d"), Error,
               "t.csv: there is no column 'd'; there are 'a', 'b', 'c'");
  EXPECT_ERROR(table.column(3), Error,
               "t.csv: there is no column at position 3; the table has 3");
  EXPECT_ERROR(table.column(-1), Error, "position -1");
  EXPECT_ERROR(table.text(2, 0), IndexError,
               "t.csv: there is no row 2; the table has 2");
  EXPECT_ERROR(parse("a,a\n1,2\n").column("a"), Error,
               "two columns are called 'a'; select one by its position");
  EXPECT_ERROR(parse("1,2\n", {.header = false}).column("a"), Error,
               "the table was read without a header");
}

TEST(CsvTest, Labels) {
  const CsvTable table = parse("kind\nrose\nlily\n\"iris, blue\"\nrose\n");
  const auto [labels, names] = table.labels("kind");
  EXPECT_THAT(names, ElementsAre("iris, blue", "lily", "rose"));
  EXPECT_EQ(labels.dtype(), DType::Int32);
  expectTensor(labels, {4}, {2, 1, 0, 2});
  const CsvTable test = parse("kind\nlily\ntulip\n");
  EXPECT_ERROR(test.labels("kind", names), IoError,
               "t.csv:3: column 1 ('kind'): 'tulip' is not one of the 3 "
               "classes");
  const Tensor given =
      test.labels("kind", {"tulip", "rose", "lily"}, DType::UInt8);
  EXPECT_EQ(given.dtype(), DType::UInt8);
  expectTensor(given, {2}, {2, 0});
  // One class is no device.
  EXPECT_ERROR(test.labels("kind", {"lily"}), IoError,
               "'tulip' is not one of the 1 classes");
  EXPECT_ERROR(table.labels("kind", DType::Float32), DTypeError,
               "numbers of classes are integers, not float32");
  std::string many = "kind\n";
  for (int i = 0; i < 200; ++i)
    many += std::to_string(i) + "\n";
  EXPECT_ERROR(parse(many).labels("kind", DType::Int8), DTypeError,
               "200 classes have no numbers of type int8");
}

TEST(CsvTest, RaggedRows) {
  EXPECT_ERROR(parse("a,b\n1,2\n\n3\n"), IoError,
               "t.csv:4: the number of values is 1, that of the first row "
               "(line 1) is 2");
  EXPECT_ERROR(parse("a,b\n\"x\ny\",2\n3,4,5\n"), IoError,
               "t.csv:4: the number of values is 3");
}

TEST(CsvTest, NotANumber) {
  EXPECT_ERROR(parse("a,b\n1,2\n3,four\n").tensor(), IoError,
               "t.csv:3: column 2 ('b'): 'four' is not a number of type "
               "float32");
  // The line of the value, not that of its row.
  EXPECT_ERROR(parse("a,b\n\"1\n2\",x\n").column("b"), IoError,
               "t.csv:3: column 2 ('b'): 'x'");
  EXPECT_ERROR(parse("1e39\n", {.header = false}).tensor(), IoError,
               "t.csv:1: column 1: '1e39' is out of the range of float32");
  EXPECT_ERROR(parse("1,5\n1,2x\n", {.header = false}).tensor(), IoError,
               "t.csv:2: column 2: '2x' is not a number");
  EXPECT_ERROR(parse("+-1\n", {.header = false}).tensor(), IoError, "'+-1'");
}

TEST(CsvTest, MisplacedQuotes) {
  EXPECT_ERROR(parse("a\n\"b\nc\n"), IoError,
               "t.csv:2: column 1: the quote at its beginning is never closed");
  EXPECT_ERROR(parse("a,b\n1,\"x\"y\n"), IoError,
               "t.csv:2: column 2: there is text after the closing quote");
  EXPECT_ERROR(parse("a\nx\"y\"\n"), IoError,
               "t.csv:2: column 1: there is a quote inside of a value");
  EXPECT_ERROR(parse("a\n1\n", {.separator = '"'}), Error,
               "quotes and line ends cannot separate");
}

TEST(CsvTest, MissingFile) {
  EXPECT_ERROR(readCsv("/nowhere/x.csv"), IoError,
               "/nowhere/x.csv: cannot open: No such file or directory");
  EXPECT_ERROR(readCsv("/"), IoError, "/: cannot read: Is a directory");
}
