//===- StepSizesTest.cpp - memory of libraries of captured steps ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A library of a step with a variable number of rows takes memory of as many
/// rows: programs in C and C++ call it with no more.
///
//===----------------------------------------------------------------------===//

#include "OptimTest.h"
#include "TestFiles.h"
#include "TinyGrad/Export/Step.h"
#include "TinyGrad/Tensor/Export.h"

#include <cstdlib>
#include <tuple>

using namespace tinygrad;
using namespace tinygrad::testing;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {
class StepSizesTest : public OptimTest {
protected:
  std::string path(const std::string &name) const {
    return directory.path() + "/" + name;
  }
  std::string read(const std::string &name) const {
    std::ifstream file(path(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// Runs a command in the folder of the library.
  void run(const std::string &command) const {
    EXPECT_EQ(
        std::system(("cd '" + directory.path() + "' && " + command).c_str()), 0)
        << command;
  }
  void write(const ExportOptions &options);

  TemporaryDirectory directory;
  const std::string flags =
      std::string(" -Wall -Wextra -Werror -Wno-psabi -I. '") + SOURCE_DIR +
      "/Inputs/step-sizes";
};
} // namespace

/// Several programs: what one computes, another one takes and the caller gets;
/// an argument that is updated; the first rows of memory with a constant size;
/// a row at a place that depends on the number of rows.
void StepSizesTest::write(const ExportOptions &options) {
  const Tensor w =
      ((Tensor::arange(32) % 5) - 2).toFloat().reshape({8, 4}).realize();
  const Tensor table = Tensor::arange(256).toFloat().reshape({64, 4}).realize();
  const Variable n("n", 1, 64);
  const auto bind = [&](const Tensor &all, int64_t rows) {
    Parts part = {{0, n.bind(rows)}};
    if (all.ndim() == 2)
      part.push_back({0, all.shape()[1]});
    return all.shrink(part).contiguous().realize();
  };
  Jit step([&](const Tensor &x, Tensor v) {
    const SymInt rows = x.shape()[0];
    Tensor y = x.matmul(w).relu().realize();
    Tensor sums = y.sum(0).realize();
    Tensor first = (table + 1).realize().shrink({{0, rows}, {0, 4}});
    Tensor last = table.shrink({{rows - 1, rows}, {0, 4}});
    v.assign(v + 1);
    return std::tuple(y, sums, first, last);
  });
  const Tensor data = noiseTensor({64, 8}, 5).realize(),
               numbers = noiseTensor({64}, 6).realize();
  for (int64_t rows : {3, 7})
    step(bind(data, rows), bind(numbers, rows));
  Exporter exporter("net", options);
  exporter.nameState("w", w);
  exporter.nameState("table", table);
  exporter.add(
      "step", step,
      {.arguments = {"x", "v"}, .results = {"y", "sums", "first", "last"}});
  exporter.write(directory.path());
}

TEST_F(StepSizesTest, MemoryOfTheActualSizeSuffices) {
  write({.staticScratch = true});
  const std::string header = read("net.h");
  EXPECT_THAT(header, HasSubstr("x: float[n][8], n * 8 elements\n"));
  EXPECT_THAT(header, HasSubstr("v: float[n], n elements, updated\n"));
  EXPECT_THAT(header, HasSubstr("y: float[n][4], n * 4 elements, written\n"));
  EXPECT_THAT(header, HasSubstr("sums: float[4], written\n"));
  EXPECT_THAT(header,
              HasSubstr("first: float[n][4], n * 4 elements, written\n"));
  EXPECT_THAT(header, Not(HasSubstr("], in memory of")));
  EXPECT_THAT(read("net.hpp"), HasSubstr("/// x: float[n][8], n * 8 elements"));
  run("cc -std=c99 -O1" + flags + ".c' libnet.a -o static && ./static");
  run("cc -std=c99 -O1" + flags +
      ".c' libnet.so -Wl,-rpath,. -o shared && ./shared");
  run("c++ -std=c++17" + flags + ".cpp' libnet.a -o cplusplus && ./cplusplus");
}

TEST_F(StepSizesTest, SourceTouchesNoMoreMemory) {
  write({.staticScratch = true, .source = true});
  run("cc -std=c99 -O2" + flags + ".c' net.c -lm -o source && ./source");
  // What copies and kernels read and write is checked byte by byte.
  run("cc -std=c99 -O1 -DHEAP -fsanitize=address,undefined "
      "-fno-sanitize-recover=all" +
      flags + ".c' net.c -lm -o sanitized && ./sanitized");
}

TEST_F(StepSizesTest, CopiesOfLibrariesAreCheckedToo) {
  write({.targets = {"cpu:x86-64-v2"}, .staticScratch = true});
  run("cc -std=c99 -O1 -DHEAP -fsanitize=address" + flags +
      ".c' libnet.a -o heap && ./heap");
}

/// A step of one program with an argument of [n, 8] that needs as many elements
/// as
/// \p elements says; the program takes it as \p type.
static LibraryStep makeStep(const std::string &name, const std::string &type,
                            const std::string &elements) {
  LibraryStep step;
  step.name = name;
  LibraryTensor x;
  x.name = "x";
  x.dtype = DType::Float32;
  x.sizes = {"n", "8"};
  x.largestShape = {64, 8};
  x.bytes = 64 * 8 * 4;
  LibraryTensor y = x;
  y.name = "y";
  step.memories = {{LibraryStep::Memory::Kind::Tensor, x, {}, elements},
                   {LibraryStep::Memory::Kind::Computed, {}, {}}};
  LibraryStep::Action action;
  action.program = "func.func @main(%x: " + type + ") -> " + type +
                   " {\n  %0 = tg.neg %x : " + type +
                   "\n  return %0 : " + type + "\n}\n";
  action.inputs = {{0, 0, x.bytes}};
  action.computed = {{0, 1}};
  step.actions = {action};
  LibraryStep::Result result;
  result.tensor = y;
  result.part = {1, 0, x.bytes};
  result.elements = elements;
  step.results = {result};
  return step;
}

// A program that relies on all of an argument gets all of it.
TEST_F(StepSizesTest, ProgramsHaveWhatTheyRelyOn) {
  const std::string n = "#tg.var<\"n\", 1, 64>",
                    elements = "#tg.dim<mul, " + n + ", 8>";
  LibraryOptions options;
  options.name = "net";
  const Library library = buildLibrary(
      {makeStep("rows", "tensor<?x8xf32, #tg.shape<" + n + ", 8>>", elements),
       makeStep("all", "tensor<64x8xf32>", elements)},
      options);
  EXPECT_THAT(library.header,
              HasSubstr("/* x: float[n][8], n * 8 elements\n"
                        " * y: float[n][8], n * 8 elements, written\n"));
  EXPECT_THAT(
      library.header,
      HasSubstr("/* x: float[n][8], in memory of [64][8], 512 elements\n"
                " * y: float[n][8], n * 8 elements, written\n"));
  try {
    (void)buildLibrary({makeStep("f", "tensor<64x8xf32>", "\"rows\"")},
                       options);
    ADD_FAILURE() << "a text was taken for a dimension";
  } catch (const CompileError &error) {
    EXPECT_THAT(error.what(), HasSubstr("which is no dimension"));
  }
}
