//===- ScheduleProposalsTest.cpp - tests of enumerated steps --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Steps that only some kernels admit are enumerated for these: bands, buffers,
/// matrix operations, tiles that are read again, products that are skipped.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/Transforms/ScheduleSteps.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::tg;

namespace {

/// A product of matrices with these elements and results.
constexpr StringLiteral kProduct = R"mlir(
#target = #tg.target<"cuda:sm_90a",
  vector_bytes = 16,
  vector_registers = 48,
  line_bytes = 128,
  parallel_items = 264,
  group_items = 1024,
  subgroup_items = 32,
  group_bytes = 232448,
  matrix_units = 1099507433531,
  async_copies = 1,
  unit_subgroups = 64,
  unit_groups = 32,
  unit_barriers = 32,
  unit_registers = 65536,
  item_registers = 255,
  register_step = 8,
  unit_bytes = 233472,
  reserved_bytes = 1024,
  memory_step = 128>
module attributes {tg.target = #target} {
tg.kernel @product(%out: memref<16384xf16> {tg.alignment = 16 : i64}, %a: memref<65536xf16> {tg.alignment = 16 : i64}, %b: memref<65536xf16> {tg.alignment = 16 : i64}) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 128
  %j = tg.range 1 loop 128
  %k = tg.range 2 loop 512
  %as = tg.const(512 : index) : index
  %ar = tg.mul %i, %as : index
  %ai = tg.add %ar, %k : index
  %x = tg.load %a[%ai] : memref<65536xf16>
  %bs = tg.const(128 : index) : index
  %br = tg.mul %k, %bs : index
  %bi = tg.add %br, %j : index
  %y = tg.load %b[%bi] : memref<65536xf16>
  %p = tg.mul %x, %y : f16
  %s = tg.ranged_reduce add %p over %k : f16
  %cr = tg.mul %i, %bs : index
  %ci = tg.add %cr, %j : index
  tg.store %s, %out[%ci] : memref<16384xf16>
}
}
)mlir";

/// Its steps for warpgroups, up to the operation that computes it.
constexpr StringLiteral kLayout = R"mlir([
  #tg.step<split [0] by 64 into [3, 4]>, #tg.step<split [1] by 64 into [5, 6]>,
  #tg.step<split [2] by 64 into [7, 8]>, #tg.step<set_kind [4] as local>,
  #tg.step<stage load 0 [4, 8] into [9, 10]>, #tg.step<set_kind [4] as loop>,
  #tg.step<set_kind [9] as loop>, #tg.step<set_kind [6] as local>,
  #tg.step<stage load 2 [8, 6] into [11, 12]>, #tg.step<set_kind [6] as loop>,
  #tg.step<set_kind [12] as loop>, #tg.step<split [4] by 16 into [13, 14]>,
  #tg.step<set_kind [13] as local>, #tg.step<split [14] by 8 into [15, 16]>,
  #tg.step<set_kind [15] as unroll>, #tg.step<set_kind [16] as local>,
  #tg.step<split [6] by 8 into [17, 18]>, #tg.step<set_kind [17] as unroll>,
  #tg.step<split [18] by 2 into [19, 20]>, #tg.step<set_kind [19] as local>,
  #tg.step<set_kind [20] as upcast>, #tg.step<split [8] by 16 into [21, 22]>,
  #tg.step<set_kind [21] as unroll>, #tg.step<set_kind [3] as global>,
  #tg.step<set_kind [5] as global>])mlir";

/// The softmax of rows, of which each exponential is computed twice.
constexpr StringLiteral kSoftmax = R"mlir(
tg.kernel @softmax(%out: memref<128xf32>, %a: memref<128xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 8
  %j = tg.range 1 loop 16
  %k = tg.range 2 loop 16
  %c16 = tg.const(16 : index) : index
  %row = tg.mul %i, %c16 : index
  %at = tg.add %row, %k : index
  %x = tg.load %a[%at] : memref<128xf32>
  %e = tg.exp2 %x : f32
  %sum = tg.ranged_reduce add %e over %k : f32
  %to = tg.add %row, %j : index
  %y = tg.load %a[%to] : memref<128xf32>
  %f = tg.exp2 %y : f32
  %r = tg.fdiv %f, %sum : f32
  tg.store %r, %out[%to] : memref<128xf32>
}
)mlir";

/// A convolution, padded by an element at the front.
constexpr StringLiteral kPadded = R"mlir(
tg.kernel @padded(%out: memref<128xf32>, %a: memref<18xf32>, %b: memref<24xf32>) attributes {outputs = 1 : i64} {
  %j = tg.range 0 loop 16
  %l = tg.range 1 loop 8
  %k = tg.range 2 loop 3
  %c0 = tg.const(0 : index) : index
  %c1 = tg.const(-1 : index) : index
  %c8 = tg.const(8 : index) : index
  %jk = tg.add %j, %k : index
  %inside = tg.cmplt %c0, %jk : index
  %at = tg.add %jk, %c1 : index
  %x = tg.load %a[%at] mask %inside : memref<18xf32>
  %row = tg.mul %k, %c8 : index
  %bi = tg.add %row, %l : index
  %y = tg.load %b[%bi] : memref<24xf32>
  %p = tg.mul %x, %y : f32
  %s = tg.ranged_reduce add %p over %k : f32
  %first = tg.mul %j, %c8 : index
  %ci = tg.add %first, %l : index
  tg.store %s, %out[%ci] : memref<128xf32>
}
)mlir";

class ScheduleProposalsTest : public testing::Test {
protected:
  ScheduleProposalsTest() { context.loadDialect<TgDialect>(); }

  /// Parses a kernel, and applies a list of steps.
  void parse(StringRef text, StringRef steps = "[]") {
    module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    auto list = cast<ArrayAttr>(parseAttribute(steps, &context));
    ASSERT_TRUE(succeeded(
        applySteps(getKernel(), llvm::to_vector(list.getAsRange<StepAttr>()))));
  }

  KernelOp getKernel() { return *module->getOps<KernelOp>().begin(); }

  /// The proposals of a kind, as text. Each of them is applied to a copy.
  std::string propose(StepKind kind) {
    std::string text;
    llvm::raw_string_ostream os(text);
    for (const StepList &steps : enumerateSteps(getKernel(), kind)) {
      llvm::interleave(steps, os, ", ");
      os << "\n";
      OwningOpRef<ModuleOp> copy = module->clone();
      KernelOp kernel = *copy->getOps<KernelOp>().begin();
      EXPECT_TRUE(succeeded(applySteps(kernel, steps))) << text;
      EXPECT_TRUE(succeeded(verify(*copy))) << text;
    }
    return text;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

bool contains(StringRef text, StringRef part) { return text.contains(part); }

} // namespace

TEST_F(ScheduleProposalsTest, BandsOfRowsOfGroups) {
  parse(kProduct, "[#tg.step<split [0] by 16>, #tg.step<split [1] by 16>]");
  // Which range is the other one is known when both are groups.
  EXPECT_FALSE(contains(propose(StepKind::set_kind), "as global by"));
  parse(kProduct, "[#tg.step<split [0] by 16 into [3, 4]>, #tg.step<split [1] "
                  "by 16 into [5, 6]>, #tg.step<set_kind [5] as global>]");
  const std::string kinds = propose(StepKind::set_kind);
  for (StringRef rows : {"2", "3", "7", "8"})
    EXPECT_TRUE(
        contains(kinds, ("set_kind [3] as global by " + rows + ">").str()))
        << kinds;
}

TEST_F(ScheduleProposalsTest, MatrixOperationsAndBuffers) {
  parse(kProduct);
  // No layout, no tiles, no boxes.
  EXPECT_EQ(propose(StepKind::contract), "");
  EXPECT_EQ(propose(StepKind::buffer), "");
  parse(kProduct, kLayout);
  EXPECT_TRUE(
      contains(propose(StepKind::contract),
               "#tg.step<contract ranged_reduce 0 on wgmma_m64n64k16_f16>\n"))
      << propose(StepKind::contract);
  ASSERT_TRUE(succeeded(applySteps(
      getKernel(),
      cast<StepAttr>(parseAttribute("#tg.step<contract ranged_reduce 0 on "
                                    "wgmma_m64n64k16_f16>",
                                    &context)))));
  const std::string buffers = propose(StepKind::buffer);
  for (StringRef how : {"by 2 as tma>", "by 3 as tma by warpgroup>",
                        "by 8 as tma by warpgroup across blocks>", "by 4>"})
    EXPECT_TRUE(contains(buffers, how))
        << how.str() << " is not in " << buffers;
  ASSERT_TRUE(succeeded(applySteps(
      getKernel(), {cast<StepAttr>(parseAttribute(
                        "#tg.step<buffer stage 0 by 2 as tma>", &context)),
                    cast<StepAttr>(parseAttribute(
                        "#tg.step<buffer stage 1 by 2 as tma>", &context))})));
  EXPECT_EQ(propose(StepKind::buffer),
            "#tg.step<buffer store 0 by 1 as tma>\n");
}

TEST_F(ScheduleProposalsTest, TilesThatAreReadAgain) {
  parse(kSoftmax);
  EXPECT_EQ(propose(StepKind::reuse), "");
  parse(kSoftmax, "[#tg.step<stage exp2 0 [2]>]");
  EXPECT_EQ(propose(StepKind::reuse), "#tg.step<reuse exp2 1, stage 0 [1]>\n");
}

TEST_F(ScheduleProposalsTest, ProductsThatAreSkipped) {
  parse(kPadded);
  EXPECT_TRUE(contains(
      propose(StepKind::skip_masked),
      "#tg.step<set_kind [1] as upcast>, #tg.step<skip_masked "
      "ranged_reduce 0, load 0 [0, 1]>, #tg.step<stage load 1 [2, 1]>, "
      "#tg.step<check_finite ranged_reduce 0 [1] by 8>\n"))
      << propose(StepKind::skip_masked);
  EXPECT_TRUE(contains(propose(StepKind::stage_window),
                       "#tg.step<stage_window load 0, ranged_reduce 0 [0]>"))
      << propose(StepKind::stage_window);
}
