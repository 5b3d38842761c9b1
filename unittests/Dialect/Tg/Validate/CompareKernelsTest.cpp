//===- CompareKernelsTest.cpp - tests of comparisons of kernels -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Pairs of kernels that store the same, and pairs that do not: each of these
/// has a fault that a schedule step could make.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/Validate/CompareKernels.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::tg;

namespace {

class CompareKernelsTest : public testing::Test {
protected:
  CompareKernelsTest() { context.loadDialect<TgDialect>(); }

  /// Compares two kernels of these arguments with these bodies.
  Verdict compare(StringRef arguments, StringRef expected, StringRef actual,
                  StringRef attributes = "outputs = 1 : i64",
                  Effort effort = Effort::whole()) {
    std::string text;
    for (auto [name, body] :
         {std::pair("expected", expected), std::pair("actual", actual)})
      text += ("tg.kernel @" + Twine(name) + "(" + arguments +
               ") attributes {" + attributes + "} {" + body + "}\n")
                  .str();
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    if (!module)
      return {};
    auto kernels = llvm::to_vector(module->getOps<KernelOp>());
    return KernelComparison(kernels[0], {4}).compare(kernels[1], effort);
  }

  static void expectSame(const Verdict &verdict) {
    EXPECT_EQ(verdict.kind, Verdict::Kind::same) << verdict.text;
    EXPECT_TRUE(verdict.isComplete);
    EXPECT_GT(verdict.elements, 0u);
  }
  static void expectDifferent(const Verdict &verdict, StringRef text) {
    EXPECT_EQ(verdict.kind, Verdict::Kind::different) << verdict.text;
    EXPECT_NE(verdict.text.find(text.str()), std::string::npos) << verdict.text;
  }

  MLIRContext context;
};

constexpr StringLiteral kTwoOf10 = "%out: memref<10xf32>, %a: memref<10xf32>";

constexpr StringLiteral kNegate = R"mlir(
  %i = tg.range 0 loop 10
  %x = tg.load %a[%i] : memref<10xf32>
  %y = tg.neg %x : f32
  tg.store %y, %out[%i] : memref<10xf32>
)mlir";

TEST_F(CompareKernelsTest, AcceptsSplit) {
  expectSame(compare(kTwoOf10, kNegate, R"mlir(
  %o = tg.range 1 loop 3
  %l = tg.range 2 upcast 4
  %c4 = tg.const(4 : index) : index
  %c10 = tg.const(10 : index) : index
  %p = tg.mul %o, %c4 : index
  %i = tg.add %p, %l : index
  %m = tg.cmplt %i, %c10 : index
  %x = tg.load %a[%i] mask %m : memref<10xf32>
  %y = tg.neg %x : f32
  tg.store %y, %out[%i] mask %m : memref<10xf32>
)mlir"));
}

// A sum that the first comparison does not compute to its end.
TEST_F(CompareKernelsTest, GoesOnAfterALimit) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(R"mlir(
tg.kernel @sum(%out: memref<1xf32>, %a: memref<1000xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(0 : index) : index
  %k = tg.range 0 loop 1000
  %x = tg.load %a[%k] : memref<1000xf32>
  %s = tg.ranged_reduce add %x over %k : f32
  tg.store %s, %out[%0] : memref<1xf32>
})mlir",
                                                             &context);
  ASSERT_TRUE(module);
  KernelOp kernel = *module->getOps<KernelOp>().begin();
  KernelComparison comparison(kernel, {});
  const Effort little = {200'000, 4096, 500};
  EXPECT_EQ(comparison.compare(kernel, little).kind, Verdict::Kind::notCovered);
  expectSame(comparison.compare(kernel, Effort::whole()));
}

TEST_F(CompareKernelsTest, FindsStoreWithoutMask) {
  expectDifferent(compare(kTwoOf10, kNegate, R"mlir(
  %o = tg.range 1 loop 3
  %l = tg.range 2 upcast 4
  %c4 = tg.const(4 : index) : index
  %c10 = tg.const(10 : index) : index
  %p = tg.mul %o, %c4 : index
  %i = tg.add %p, %l : index
  %m = tg.cmplt %i, %c10 : index
  %x = tg.load %a[%i] mask %m : memref<10xf32>
  %y = tg.neg %x : f32
  tg.store %y, %out[%i] : memref<10xf32>
)mlir"),
                  "it writes element 10 of argument 0, which has 10 elements");
}

TEST_F(CompareKernelsTest, FindsElementThatIsNotWritten) {
  expectDifferent(compare(kTwoOf10, kNegate, R"mlir(
  %i = tg.range 0 loop 9
  %x = tg.load %a[%i] : memref<10xf32>
  %y = tg.neg %x : f32
  tg.store %y, %out[%i] : memref<10xf32>
)mlir"),
                  "element 9 of argument 0 would be arg0[9] instead of "
                  "neg(arg1[9])");
}

TEST_F(CompareKernelsTest, FindsOtherPosition) {
  // A reversal that is off by one.
  expectDifferent(compare(kTwoOf10, kNegate, R"mlir(
  %i = tg.range 0 loop 10
  %c9 = tg.const(9 : index) : index
  %c1 = tg.const(1 : index) : index
  %c0 = tg.const(0 : index) : index
  %r = tg.sub %c9, %i : index
  %s = tg.sub %r, %c1 : index
  %q = tg.max %s, %c0 : index
  %x = tg.load %a[%q] : memref<10xf32>
  %y = tg.neg %x : f32
  tg.store %y, %out[%r] : memref<10xf32>
)mlir"),
                  "would be neg(arg1[0]) instead of neg(arg1[1]); it has to be "
                  "arg1[1] against arg1[0]");
}

TEST_F(CompareKernelsTest, FindsSeveralWriters) {
  expectDifferent(compare(kTwoOf10, kNegate, R"mlir(
  %i = tg.range 0 loop 10
  %t = tg.range 1 thread 2
  %x = tg.load %a[%i] : memref<10xf32>
  %y = tg.neg %x : f32
  %v = tg.cast %t : index -> i32
  %z = tg.cast %v : i32 -> f32
  %w = tg.mul %y, %z : f32
  %m = tg.cmpeq %i, %i : index
  tg.store %w, %out[%i] mask %m : memref<10xf32>
)mlir"),
                  "several positions write different values");
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

constexpr StringLiteral kRows = "%out: memref<3xf32>, %a: memref<15xf32>";

constexpr StringLiteral kSums = R"mlir(
  %i = tg.range 0 loop 3
  %k = tg.range 1 loop 5
  %c5 = tg.const(5 : index) : index
  %p = tg.mul %i, %c5 : index
  %q = tg.add %p, %k : index
  %x = tg.load %a[%q] : memref<15xf32>
  %s = tg.ranged_reduce add %x over %k : f32
  tg.store %s, %out[%i] : memref<3xf32>
)mlir";

static std::string sumBlocks(StringRef size, StringRef guard) {
  return (R"mlir(
  %i = tg.range 0 loop 3
  %o = tg.range 1 loop )mlir" +
          size + R"mlir(
  %l = tg.range 2 upcast 4
  %c5 = tg.const(5 : index) : index
  %c4 = tg.const(4 : index) : index
  %p = tg.mul %i, %c5 : index
  %b = tg.mul %o, %c4 : index
  %k = tg.add %b, %l : index
  %m = tg.cmplt %k, %c5 : index
  %q = tg.add %p, %k : index
  %x = tg.load %a[%q] mask %m : memref<15xf32>
  %e = tg.exp2 %x : f32
  %n = tg.const()mlir" +
          guard + R"mlir() : f32
  %g = tg.where %m, %e, %n : f32
  %s = tg.ranged_reduce add %g over %l, %o : f32
  tg.store %s, %out[%i] : memref<3xf32>
)mlir")
      .str();
}

TEST_F(CompareKernelsTest, ComparesSumsInAnyOrder) {
  std::string sums = kSums.str();
  sums.replace(sums.find("  %s ="), 0, "  %e = tg.exp2 %x : f32\n");
  sums.replace(sums.find("add %x"), 6, "add %e");
  expectSame(compare(kRows, sums, sumBlocks("2", "0.0 : f32")));
  // Without a block, and with another number for what is past the end.
  expectDifferent(compare(kRows, sums, sumBlocks("1", "0.0 : f32")),
                  "sum of 5 terms against sum of 4; missing are 1 terms, such "
                  "as exp2(arg1[");
  expectDifferent(compare(kRows, sums, sumBlocks("2", "1.0 : f32")),
                  "sum of 5 terms against sum of 8");
}

TEST_F(CompareKernelsTest, TermsAreCountedTwice) {
  expectDifferent(compare(kRows, kSums, R"mlir(
  %i = tg.range 0 loop 3
  %k = tg.range 1 loop 5
  %again = tg.range 2 loop 2
  %c5 = tg.const(5 : index) : index
  %c0 = tg.const(0 : index) : index
  %z = tg.mul %again, %c0 : index
  %p = tg.mul %i, %c5 : index
  %r = tg.add %p, %z : index
  %q = tg.add %r, %k : index
  %x = tg.load %a[%q] : memref<15xf32>
  %s = tg.ranged_reduce add %x over %k, %again : f32
  tg.store %s, %out[%i] : memref<3xf32>
)mlir"),
                  "sum of 5 terms against sum of 10");
}

TEST_F(CompareKernelsTest, AccumulatesInMemory) {
  auto accumulate = [&](StringRef first, StringRef update) {
    return (R"mlir(
  %k = tg.range 1 loop 5
  %i = tg.range 0 loop 3
  %c5 = tg.const(5 : index) : index
  %p = tg.mul %i, %c5 : index
  %q = tg.add %p, %k : index
  %x = tg.load %a[%q] : memref<15xf32>
)mlir" + first +
            R"mlir(
  tg.store %x, %out[%i] update)mlir" +
            update + R"mlir( over %k : memref<3xf32>
)mlir")
        .str();
  };
  constexpr StringLiteral zero = R"mlir(
  %zero = tg.const(-0.0 : f32) : f32
  tg.store %zero, %out[%i] : memref<3xf32>
)mlir";
  auto compareWith = [&](const std::string &actual) {
    return compare(kRows, kSums, actual, "outputs = 1 : i64, in_place");
  };
  expectSame(compareWith(accumulate(zero, " add")));
  expectDifferent(compareWith(accumulate("", " add")), "sum of 6");
  expectDifferent(compareWith(accumulate(zero, " max")), "maximum");
}

TEST_F(CompareKernelsTest, UpdatesDoNotRunAtTheSameTime) {
  expectDifferent(compare(kRows, kSums, R"mlir(
  %k = tg.range 1 upcast 5
  %i = tg.range 0 loop 3
  %c5 = tg.const(5 : index) : index
  %p = tg.mul %i, %c5 : index
  %q = tg.add %p, %k : index
  %x = tg.load %a[%q] : memref<15xf32>
  %zero = tg.const(0.0 : f32) : f32
  tg.store %zero, %out[%i] : memref<3xf32>
  tg.store %x, %out[%i] update add over %k : memref<3xf32>
)mlir",
                          "outputs = 1 : i64, in_place"),
                  "positions of range 1, which run at the same time, write the "
                  "same element");
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// A softmax without its maximum: the exponential is used twice.
constexpr StringLiteral kSoftmax = R"mlir(
  %i = tg.range 0 loop 3
  %j = tg.range 1 loop 5
  %k = tg.range 2 loop 5
  %c5 = tg.const(5 : index) : index
  %p = tg.mul %i, %c5 : index
  %q = tg.add %p, %k : index
  %x = tg.load %a[%q] : memref<15xf32>
  %e = tg.exp2 %x : f32
  %s = tg.ranged_reduce add %e over %k : f32
  %r = tg.add %p, %j : index
  %y = tg.load %a[%r] : memref<15xf32>
  %f = tg.exp2 %y : f32
  %d = tg.fdiv %f, %s : f32
  tg.store %d, %out[%r] : memref<15xf32>
)mlir";

static std::string softmaxWithTile(StringRef read) {
  return (R"mlir(
  %i = tg.range 0 loop 3
  %j = tg.range 1 loop 5
  %k = tg.range 2 loop 5
  %t = tg.range 3 loop 5
  %c5 = tg.const(5 : index) : index
  %p = tg.mul %i, %c5 : index
  %q = tg.add %p, %t : index
  %x = tg.load %a[%q] : memref<15xf32>
  %e = tg.exp2 %x : f32
  %stage = tg.stage %e over %t : memref<5xf32>
  %tile = tg.barrier %stage : memref<5xf32>
  %g = tg.load %tile[%k] : memref<5xf32>
  %s = tg.ranged_reduce add %g over %k : f32
  %r = tg.add %p, %j : index
  %f = tg.load %tile[)mlir" +
          read + R"mlir(] : memref<5xf32>
  %d = tg.fdiv %f, %s : f32
  tg.store %d, %out[%r] : memref<15xf32>
)mlir")
      .str();
}

constexpr StringLiteral kTwoOf15 = "%out: memref<15xf32>, %a: memref<15xf32>";

TEST_F(CompareKernelsTest, ReadsTiles) {
  expectSame(compare(kTwoOf15, kSoftmax, softmaxWithTile("%j")));
  expectDifferent(compare(kTwoOf15, kSoftmax, softmaxWithTile("%i")),
                  "it has to be");
  expectDifferent(compare(kTwoOf15, kSoftmax, softmaxWithTile("%r")),
                  "of a tile of 5 elements");
}

//===----------------------------------------------------------------------===//
// Elements whose number is read from memory
//===----------------------------------------------------------------------===//

constexpr StringLiteral kScatterArguments =
    "%out: memref<8xf32>, %n: memref<6xi32>, %a: memref<6xf32>";

static std::string scatter(StringRef kind, StringRef mask, StringRef ranges,
                           StringRef index = "%e") {
  return (ranges + R"mlir(
  %j = tg.load %n[%i] : memref<6xi32>
  %e = tg.cast %j : i32 -> index
)mlir" + mask +
          R"mlir(
  tg.store %x, %out[)mlir" +
          index + R"mlir(] )mlir" + (mask.empty() ? "" : "mask %m ") +
          "update " + kind + " : memref<8xf32>\n")
      .str();
}

static std::string owners(StringRef kind, StringRef count, StringRef divisor) {
  return scatter(
      kind,
      ("%cn = tg.const(" + divisor + R"mlir( : index) : index
  %rest = tg.floormod %e, %cn : index
  %m = tg.cmpeq %rest, %w : index
  %x = tg.load %a[%i] mask %m : memref<6xf32>
  %quotient = tg.floordiv %e, %cn : index
  %first = tg.mul %quotient, %cn : index
  %own = tg.add %first, %w : index
)mlir")
          .str(),
      ("%w = tg.range 1 global " + count + "\n  %i = tg.range 0 loop 6").str(),
      "%own");
}

TEST_F(CompareKernelsTest, OwnersMakeAllUpdates) {
  constexpr StringLiteral attributes = "outputs = 1 : i64, in_place";
  for (StringRef kind : {"add", "set"}) {
    std::string plain = scatter(kind, "", "  %i = tg.range 0 loop 6");
    plain.insert(plain.find("  tg.store"),
                 "  %x = tg.load %a[%i] : memref<6xf32>\n");
    expectSame(
        compare(kScatterArguments, plain, owners(kind, "4", "4"), attributes));
    expectDifferent(
        compare(kScatterArguments, plain, owners(kind, "3", "4"), attributes),
        "3 owners instead of 4");
    expectDifferent(
        compare(kScatterArguments, plain, owners(kind, "4", "3"), attributes),
        "4 owners instead of 3");
  }
}

TEST_F(CompareKernelsTest, OrderOfWritesMatters) {
  constexpr StringLiteral attributes = "outputs = 1 : i64, in_place";
  auto text = [](StringRef kind, StringRef index) {
    std::string plain = scatter(kind, "", "  %k = tg.range 0 loop 6");
    plain.insert(plain.find("  %j = tg.load"),
                 ("  %c5 = tg.const(5 : index) : index\n  %i = tg." + index +
                  " : index\n")
                     .str());
    plain.insert(plain.find("  tg.store"),
                 "  %x = tg.load %a[%i] : memref<6xf32>\n");
    return plain;
  };
  const std::string back = "sub %c5, %k", forth = "max %k, %k";
  expectSame(compare(kScatterArguments, text("add", forth), text("add", back),
                     attributes));
  expectDifferent(compare(kScatterArguments, text("set", forth),
                          text("set", back), attributes),
                  "differ");
}

TEST_F(CompareKernelsTest, WorkItemsReadWhatOthersWrite) {
  constexpr StringLiteral arguments = "%o: memref<4xf32>, %p: memref<12xf32>",
                          attributes = "outputs = 2 : i64, in_place";
  auto makeBody = [](StringRef kind, StringRef mask) {
    return (R"mlir(
  %i = tg.range 0 loop 4
  %j = tg.range 1 )mlir" +
            kind + R"mlir( 3
  %c3 = tg.const(3 : index) : index
  %c1 = tg.const(1 : index) : index
  %row = tg.mul %i, %c3 : index
  %at = tg.add %row, %j : index
  %m = tg.cmplt %c1, %j : index
  %x = tg.load %o[%i] : memref<4xf32>
  %y = tg.neg %x : f32
  tg.store %x, %p[%at] : memref<12xf32>
  tg.store %y, %o[%i])mlir" +
            mask + " : memref<4xf32>\n")
        .str();
  };
  for (StringRef mask : {"", " mask %m"}) {
    auto compareKind = [&](StringRef kind) {
      return compare(arguments, makeBody("loop", mask), makeBody(kind, mask),
                     attributes);
    };
    // Lanes and copies of the code read before any of them writes.
    expectSame(compareKind("unroll"));
    for (StringRef kind : {"thread", "global"})
      expectDifferent(compareKind(kind), "when it may have been overwritten");
  }
}

TEST_F(CompareKernelsTest, LaterStoresReadWhatEarlierOnesWrite) {
  constexpr StringLiteral arguments = "%o: memref<4xf32>, %a: memref<12xf32>",
                          attributes = "outputs = 1 : i64, in_place",
                          factors = R"mlir(
  %i = tg.range 0 loop 4
  %k = tg.range 1 loop 3
  %c3 = tg.const(3 : index) : index
  %row = tg.mul %i, %c3 : index
  %at = tg.add %row, %k : index
  %x = tg.load %a[%at] : memref<12xf32>
  %y = tg.load %o[%i] : memref<4xf32>
  %z = tg.mul %x, %y : f32
)mlir";
  const std::string sum = (factors + R"mlir(
  %s = tg.ranged_reduce add %z over %k : f32
  tg.store %s, %o[%i] : memref<4xf32>
)mlir")
                              .str();
  // The update begins when all identities are stored.
  const std::string accumulated = (factors + R"mlir(
  %zero = tg.const(0.0 : f32) : f32
  tg.store %zero, %o[%i] : memref<4xf32>
  tg.store %z, %o[%i] update add over %k : memref<4xf32>
)mlir")
                                      .str();
  expectSame(compare(arguments, sum, sum, attributes));
  expectDifferent(compare(arguments, sum, accumulated, attributes),
                  "when it may have been overwritten");
}

// Stores to different buffers are done together at each position, whichever is
// first in the block.
TEST_F(CompareKernelsTest, StoresToOtherBuffersDoNotWait) {
  constexpr StringLiteral arguments = "%o: memref<5xf32>, %p: memref<4xf32>",
                          attributes = "outputs = 2 : i64, in_place",
                          overwrite = R"mlir(
  %y = tg.neg %x : f32
  tg.store %y, %o[%at] : memref<5xf32>
)mlir",
                          copy = R"mlir(
  tg.store %x, %p[%at] : memref<4xf32>
)mlir";
  auto makeBody = [](StringRef position, const Twine &stores) {
    return (R"mlir(
  %i = tg.range 0 loop 4
  %c1 = tg.const(1 : index) : index
)mlir" + position +
            R"mlir(
  %next = tg.add %at, %c1 : index
  %x = tg.load %o[%next] : memref<5xf32>
)mlir" + stores)
        .str();
  };
  constexpr StringLiteral forward = R"mlir(
  %c0 = tg.const(0 : index) : index
  %at = tg.add %i, %c0 : index
)mlir",
                          backward = R"mlir(
  %c3 = tg.const(3 : index) : index
  %at = tg.sub %c3, %i : index
)mlir";
  for (const std::string &stores :
       {(copy + overwrite).str(), (overwrite + copy).str()}) {
    SCOPED_TRACE(stores);
    const std::string expected = makeBody(forward, stores);
    expectSame(compare(arguments, expected, expected, attributes));
    expectDifferent(
        compare(arguments, expected, makeBody(backward, stores), attributes),
        "when it may have been overwritten");
  }
}

//===----------------------------------------------------------------------===//
// Symbolic sizes
//===----------------------------------------------------------------------===//

TEST_F(CompareKernelsTest, TriesSizes) {
  auto copy = [](StringRef divisor) {
    return (R"mlir(
  %o = tg.range 1 loop #tg.dim<floordiv, #tg.dim<add, #tg.var<"n", 1, 10>, )mlir" +
            divisor + R"mlir(>, 4>
  %l = tg.range 2 upcast 4
  %c4 = tg.const(4 : index) : index
  %n = tg.dim(#tg.var<"n", 1, 10>) : index
  %p = tg.mul %o, %c4 : index
  %i = tg.add %p, %l : index
  %m = tg.cmplt %i, %n : index
  %x = tg.load %a[%i] mask %m : memref<10xf32>
  tg.store %x, %out[%i] mask %m : memref<10xf32>
)mlir")
        .str();
  };
  constexpr StringLiteral plain = R"mlir(
  %i = tg.range 0 loop #tg.var<"n", 1, 10>
  %x = tg.load %a[%i] : memref<10xf32>
  tg.store %x, %out[%i] : memref<10xf32>
)mlir";
  expectSame(compare(kTwoOf10, plain, copy("3")));
  // One remainder too few.
  expectDifferent(compare(kTwoOf10, plain, copy("2")), "where n = ");
}

//===----------------------------------------------------------------------===//
// What cannot be compared
//===----------------------------------------------------------------------===//

TEST_F(CompareKernelsTest, SaysWhatIsNotCovered) {
  constexpr StringLiteral large = R"mlir(
  %i = tg.range 0 loop 2
  %k = tg.range 1 loop 1073741824
  %c = tg.const(1073741824 : index) : index
  %p = tg.mul %i, %c : index
  %q = tg.add %p, %k : index
  %x = tg.load %a[%q] : memref<2147483648xf32>
  %s = tg.ranged_reduce add %x over %k : f32
  tg.store %s, %out[%i] : memref<2xf32>
)mlir";
  const Verdict verdict =
      compare("%out: memref<2xf32>, %a: memref<2147483648xf32>", large, large,
              "outputs = 1 : i64", {1000, 16, 100000});
  EXPECT_EQ(verdict.kind, Verdict::Kind::notCovered);
  EXPECT_NE(verdict.text.find("too many operations"), std::string::npos)
      << verdict.text;
}

} // namespace
