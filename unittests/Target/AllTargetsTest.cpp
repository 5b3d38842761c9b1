//===- AllTargetsTest.cpp - targets by name -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Requirements on every target, and the list of targets.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Target/All/AllTargets.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;

static const char *kKernel = R"(
tg.kernel @k(%o: memref<320xf32>, %a: memref<320xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 thread #tg.var<"n", 1, 10>
  %j = tg.range 1 thread 4
  %l = tg.range 2 upcast 8
  %c32 = tg.const(32 : index) : index
  %c8 = tg.const(8 : index) : index
  %r = tg.mul %i, %c32 : index
  %s = tg.mul %j, %c8 : index
  %t = tg.add %r, %s : index
  %p = tg.add %t, %l : index
  %x = tg.load %a[%p] : memref<320xf32>
  %y = tg.neg %x : f32
  tg.store %y, %o[%p] : memref<320xf32>
})";

static const tg::Target *lookup(StringRef name) {
  std::string error;
  const tg::Target *target = tg::lookupTarget(name, error);
  EXPECT_EQ(target == nullptr, !error.empty()) << error;
  return target;
}

static std::string getError(StringRef name) {
  std::string error;
  EXPECT_EQ(tg::lookupTarget(name, error), nullptr) << name.str();
  return error;
}

TEST(AllTargets, AnswerEverything) {
  for (const std::string &kind : tg::getTargetKinds()) {
    SCOPED_TRACE(kind);
    const tg::Target *target = lookup(kind);
    ASSERT_TRUE(target);
    EXPECT_TRUE(StringRef(target->getName()).starts_with(kind));
    EXPECT_FALSE(target->getCacheKey({}).empty());
    DialectRegistry registry;
    tg::registerAllTargetDialects(registry);
    MLIRContext context(registry);
    context.loadDialect<tg::TgDialect>();
    EXPECT_EQ(target->getAttr(&context).getFacts(), target->getFacts());
    EXPECT_EQ(target->getAttr(&context).getName(), target->getName());
    auto module = parseSourceString<ModuleOp>(kKernel, ParserConfig(&context));
    ASSERT_TRUE(module);
    auto op = *module->getOps<tg::KernelOp>().begin();
    const tg::LaunchShape shape = target->getLaunch(op);
    EXPECT_EQ(shape.parallelExtent.getMax(), 40);
    EXPECT_FALSE(shape.parallelExtent.isStatic());
    tg::StageTexts texts;
    for (const tg::CompileStage &stage : target->getStages())
      texts[stage.name];
    FailureOr<std::vector<char>> code = target->compile(op, {}, &texts);
    ASSERT_TRUE(succeeded(code));
    EXPECT_FALSE(code->empty());
    for (const tg::CompileStage &stage : target->getStages()) {
      EXPECT_FALSE(texts.lookup(stage.name).empty()) << stage.name.str();
      EXPECT_FALSE(stage.summary.empty());
    }
    // Compiling again without texts gives the same code.
    EXPECT_EQ(*target->compile(op, {}), *code);
  }
}

TEST(AllTargets, AreFoundByName) {
  EXPECT_EQ(lookup("cpu:x86_64:x86-64-v3"), lookup("CPU:X86_64:x86-64-v3"));
  EXPECT_NE(lookup("cpu:x86_64:x86-64-v3"), lookup("cpu:x86_64:x86-64-v2"));
  EXPECT_EQ(getError("tpu"), "there is no target called 'tpu'; kinds of "
                             "targets: amd, cpu, cuda, null, sim");
  EXPECT_NE(getError("cpu:nonsense").find("'nonsense'"), std::string::npos);
  EXPECT_NE(getError("cpu:nonsense:x").find("not for 'nonsense'"),
            std::string::npos);
  EXPECT_NE(getError("").find("no target called ''"), std::string::npos);
}

TEST(AllTargets, KnowTheirRegisters) {
  struct Case {
    const char *name;
    int64_t bytes, registers, fused;
  };
  for (const Case &c : {Case{"cpu:x86_64:x86-64-v4", 64, 32, 1},
                        Case{"cpu:x86_64:skylake-avx512", 64, 32, 1},
                        Case{"cpu:x86_64:x86-64-v3", 32, 16, 1},
                        Case{"cpu:x86_64:sandybridge", 32, 16, 0},
                        Case{"cpu:x86_64:x86-64-v2", 16, 16, 0},
                        Case{"cpu:aarch64:neoverse-v1", 16, 32, 1}}) {
    SCOPED_TRACE(c.name);
    const tg::Target *target = lookup(c.name);
    ASSERT_TRUE(target);
    const tg::TargetFacts facts = target->getFacts();
    EXPECT_EQ(facts.vectorBytes, c.bytes);
    EXPECT_EQ(facts.vectorRegisters, c.registers);
    EXPECT_EQ(facts.fusedMultiplyAdd, c.fused);
    // Code for one target is never used for another.
    EXPECT_NE(target->getCacheKey({}), lookup("cpu")->getCacheKey({}));
  }
  // Processors with the same registers differ in how fast they are fed.
  auto factsOf = [](const char *name) { return lookup(name)->getFacts(); };
  for (const char *name : {"cpu:x86_64:x86-64-v4", "cpu:x86_64:znver4",
                           "cpu:x86_64:znver5", "cpu:x86_64:haswell"}) {
    EXPECT_EQ(factsOf(name).l2BytesPerProduct,
              StringRef(name) == "cpu:x86_64:znver5" ? 32 : 64)
        << name;
    EXPECT_EQ(factsOf(name).sharedPorts, 0) << name;
    EXPECT_EQ(factsOf(name).prefetchTiles, 1) << name;
    EXPECT_EQ(factsOf(name).nontemporalTiles, 0) << name;
    EXPECT_EQ(factsOf(name).prefetchAhead, 0) << name;
  }
  for (const char *name :
       {"cpu:x86_64:skylake-avx512", "cpu:x86_64:icelake-server",
        "cpu:x86_64:sapphirerapids", "cpu:x86_64:graniterapids"}) {
    EXPECT_LT(factsOf(name).l2BytesPerProduct, 16) << name;
    EXPECT_EQ(factsOf(name).sharedPorts, 1) << name;
    EXPECT_EQ(factsOf(name).prefetchTiles, 0) << name;
    EXPECT_EQ(factsOf(name).nontemporalTiles, 1) << name;
    EXPECT_GT(factsOf(name).prefetchAhead, 0) << name;
  }
  tg::CompileFlags checked;
  checked.checkBounds = true;
  EXPECT_NE(lookup("cpu")->getCacheKey(checked),
            lookup("cpu")->getCacheKey({}));
  tg::CompileFlags flushing;
  flushing.flushSubnormals = true;
  for (const char *name : {"cpu", "cuda:sm_90", "amd:gfx942", "sim:sm_90"})
    EXPECT_NE(lookup(name)->getCacheKey(flushing),
              lookup(name)->getCacheKey({}))
        << name;
}

// Work items of a group share `size` numbers.
static std::string getGroupKernel(int64_t size) {
  const std::string extent = std::to_string(size / 64);
  const std::string tile = "memref<" + std::to_string(size) + "xf32, 3>";
  const std::string buffer = "memref<" + std::to_string(size) + "xf32>";
  return "tg.kernel @k(%o: " + buffer + ", %a: " + buffer +
         ") attributes {outputs = 1 : i64} {\n"
         "%l = tg.range 0 local 64\n"
         "%i = tg.range 1 loop " +
         extent +
         "\n"
         "%j = tg.range 2 loop " +
         extent +
         "\n"
         "%c = tg.const(" +
         extent +
         " : index) : index\n"
         "%last = tg.const(63 : index) : index\n"
         "%r = tg.mul %l, %c : index\n"
         "%p = tg.add %r, %i : index\n"
         "%x = tg.load %a[%p] : " +
         buffer +
         "\n"
         "%t = tg.stage %x over %l, %i in group : " +
         tile +
         "\n"
         "%m = tg.sub %last, %l : index\n"
         "%n = tg.mul %m, %c : index\n"
         "%q = tg.add %n, %j : index\n"
         "%y = tg.load %t[%q] : " +
         tile +
         "\n"
         "%s = tg.add %r, %j : index\n"
         "tg.store %y, %o[%s] : " +
         buffer +
         "\n"
         "}";
}

TEST(AllTargets, TakeMemoryOfGroupsFromTheLaunch) {
  struct Case {
    const char *name;
    int64_t size, sharedBytes;
  };
  for (const Case &c :
       {Case{"cuda:sm_90", 12288, 0}, Case{"cuda:sm_90", 12352, 4 * 12352},
        Case{"amd:gfx950", 12352, 0}, Case{"sim:sm_90", 12288, 4 * 12288}}) {
    SCOPED_TRACE(c.name);
    SCOPED_TRACE(c.size);
    DialectRegistry registry;
    tg::registerAllTargetDialects(registry);
    MLIRContext context(registry);
    context.loadDialect<tg::TgDialect>();
    auto module = parseSourceString<ModuleOp>(getGroupKernel(c.size),
                                              ParserConfig(&context));
    ASSERT_TRUE(module);
    const tg::LaunchShape shape =
        lookup(c.name)->getLaunch(*module->getOps<tg::KernelOp>().begin());
    EXPECT_EQ(shape.groupSize, (std::array<uint32_t, 3>{64, 1, 1}));
    for (const tg::Dim &groups : shape.groups)
      EXPECT_TRUE(groups.is(1));
    EXPECT_EQ(shape.sharedBytes.getAttr() ? shape.sharedBytes.getMax() : 0,
              c.sharedBytes);
  }
}

TEST(AllTargets, KnowGPUs) {
  const tg::TargetFacts nvidia = lookup("cuda:sm_90")->getFacts();
  EXPECT_EQ(nvidia.subgroupItems, 32);
  EXPECT_EQ(nvidia.groupBytes, 227 << 10);
  EXPECT_EQ(nvidia, lookup("sim:sm_90")->getFacts());
  EXPECT_EQ(lookup("cuda:sm_90a")->getFacts(),
            lookup("sim:sm_90a")->getFacts());
  EXPECT_NE(lookup("cuda:sm_90a")->getCacheKey({}),
            lookup("cuda:sm_90")->getCacheKey({}));
  EXPECT_EQ(lookup("amd:gfx942")->getFacts().subgroupItems, 64);
  EXPECT_EQ(lookup("amd:gfx1100")->getFacts().subgroupItems, 32);
  EXPECT_EQ(lookup("cuda"), lookup("cuda"));
  EXPECT_EQ(lookup("cuda")->getName(), "cuda:sm_75");
  EXPECT_NE(lookup("cuda:sm_90")->getCacheKey({}),
            lookup("cuda:sm_80")->getCacheKey({}));
  // Code that rounds factors is never used where that is not allowed.
  for (const std::string name : {"cuda:sm_90", "sim:sm_90"}) {
    const tg::Target *plain = lookup(name), *rounding = lookup(name + ":tf32");
    EXPECT_EQ(rounding->getName(), name + ":tf32");
    EXPECT_NE(rounding->getCacheKey({}), plain->getCacheKey({}));
    tg::TargetFacts facts = rounding->getFacts();
    EXPECT_EQ(facts.roundToTf32, 1);
    facts.roundToTf32 = 0;
    EXPECT_EQ(facts, plain->getFacts());
  }
  EXPECT_NE(getError("amd:gfx942:tf32").find("no matrix units that round f32"),
            std::string::npos);
  EXPECT_NE(getError("cuda:gfx942").find("known ones: sm_70"),
            std::string::npos);
  EXPECT_NE(getError("amd:sm_90").find("known ones: gfx90a"),
            std::string::npos);
}
