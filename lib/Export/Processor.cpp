//===- Processor.cpp - which code a processor can run ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Asks processors of x86-64 what they have, by the instruction `cpuid`. The
/// numbers of its bits are those of Intel's "Intel 64 and IA-32 Architectures
/// Software Developer's Manual", volume 2, and of AMD's "AMD64 Architecture
/// Programmer's Manual", volume 3.
///
//===----------------------------------------------------------------------===//

#include "Interface.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::detail;

namespace {
/// What `cpuid` is asked for.
enum Leaf {
  kLeaf1,
  kLeaf7,
  kLeaf7Part1,
  kLeaf24, ///< 0x24
  kLeafExtended,
  kNumLeaves
};
enum Register { kEAX, kEBX, kECX, kEDX, kNumRegisters };

struct Feature {
  llvm::StringLiteral name;
  Leaf leaf;
  Register place;
  unsigned bit;
};
} // namespace

/// By LLVM's names: what its code generators use of their own accord. Others,
/// such as those for matrices of AMX or for systems, are in no code of ours.
static constexpr Feature kFeatures[] = {
    {"sse3", kLeaf1, kECX, 0},
    {"pclmul", kLeaf1, kECX, 1},
    {"ssse3", kLeaf1, kECX, 9},
    {"fma", kLeaf1, kECX, 12},
    {"cx16", kLeaf1, kECX, 13},
    {"sse4.1", kLeaf1, kECX, 19},
    {"sse4.2", kLeaf1, kECX, 20},
    {"movbe", kLeaf1, kECX, 22},
    {"popcnt", kLeaf1, kECX, 23},
    {"aes", kLeaf1, kECX, 25},
    {"avx", kLeaf1, kECX, 28},
    {"f16c", kLeaf1, kECX, 29},
    {"rdrnd", kLeaf1, kECX, 30},
    {"bmi", kLeaf7, kEBX, 3},
    {"avx2", kLeaf7, kEBX, 5},
    {"bmi2", kLeaf7, kEBX, 8},
    {"avx512f", kLeaf7, kEBX, 16},
    {"avx512dq", kLeaf7, kEBX, 17},
    {"adx", kLeaf7, kEBX, 19},
    {"avx512ifma", kLeaf7, kEBX, 21},
    {"avx512cd", kLeaf7, kEBX, 28},
    {"sha", kLeaf7, kEBX, 29},
    {"avx512bw", kLeaf7, kEBX, 30},
    {"avx512vl", kLeaf7, kEBX, 31},
    {"avx512vbmi", kLeaf7, kECX, 1},
    {"avx512vbmi2", kLeaf7, kECX, 6},
    {"gfni", kLeaf7, kECX, 8},
    {"vaes", kLeaf7, kECX, 9},
    {"vpclmulqdq", kLeaf7, kECX, 10},
    {"avx512vnni", kLeaf7, kECX, 11},
    {"avx512bitalg", kLeaf7, kECX, 12},
    {"avx512vpopcntdq", kLeaf7, kECX, 14},
    {"avx512vp2intersect", kLeaf7, kEDX, 8},
    {"amx-bf16", kLeaf7, kEDX, 22},
    {"avx512fp16", kLeaf7, kEDX, 23},
    {"amx-tile", kLeaf7, kEDX, 24},
    {"amx-int8", kLeaf7, kEDX, 25},
    {"avxvnni", kLeaf7Part1, kEAX, 4},
    {"avx512bf16", kLeaf7Part1, kEAX, 5},
    {"avxifma", kLeaf7Part1, kEAX, 23},
    {"movrs", kLeaf7Part1, kEAX, 31},
    {"cmpccxadd", kLeaf7Part1, kEAX, 7},
    {"sha512", kLeaf7Part1, kEAX, 0},
    {"sm3", kLeaf7Part1, kEAX, 1},
    {"sm4", kLeaf7Part1, kEAX, 2},
    {"avxvnniint8", kLeaf7Part1, kEDX, 4},
    {"avxneconvert", kLeaf7Part1, kEDX, 5},
    {"avxvnniint16", kLeaf7Part1, kEDX, 10},
    {"prefetchi", kLeaf7Part1, kEDX, 14},
    {"avx10.1", kLeaf7Part1, kEDX, 19},
    // Parts of APX, which has one bit.
    {"egpr", kLeaf7Part1, kEDX, 21},
    {"push2pop2", kLeaf7Part1, kEDX, 21},
    {"ppx", kLeaf7Part1, kEDX, 21},
    {"ndd", kLeaf7Part1, kEDX, 21},
    {"ccmp", kLeaf7Part1, kEDX, 21},
    {"nf", kLeaf7Part1, kEDX, 21},
    {"cf", kLeaf7Part1, kEDX, 21},
    {"zu", kLeaf7Part1, kEDX, 21},
    {"sahf", kLeafExtended, kECX, 0},
    {"lzcnt", kLeafExtended, kECX, 5},
    {"sse4a", kLeafExtended, kECX, 6},
    {"prfchw", kLeafExtended, kECX, 8},
    {"xop", kLeafExtended, kECX, 11},
    {"fma4", kLeafExtended, kECX, 16},
    {"tbm", kLeafExtended, kECX, 21},
};

/// Of leaf 1, register ECX: the system saves extended registers, and `xgetbv`
/// says which.
static constexpr uint32_t kSavesRegisters = 1u << 27;
/// What it says, if it saves those of AVX, those of AVX-512, and the further
/// general registers of APX.
static constexpr uint32_t kSavesVectors = 0x6, kSavesWideVectors = 0xe6,
                          kSavesGeneral = 1u << 19;
/// Of leaf 0x24, register EBX: the version of AVX10.
static constexpr uint32_t kAvx10Version = 0xff;

namespace {
/// The bits that a variant needs.
struct Needs {
  uint32_t bits[kNumLeaves][kNumRegisters] = {};
  uint32_t savedRegisters = 0;
  uint32_t avx10Version = 0;
};
} // namespace

static bool isX86(const tg::CpuTargetOptions &processor) {
  return llvm::Triple(processor.triple).isX86();
}

static Needs getNeeds(const LibraryVariant &variant) {
  Needs needs;
  if (!isX86(variant.processor))
    return needs;
  for (const Feature &feature : kFeatures)
    if (variant.processor.hasFeature(feature.name))
      needs.bits[feature.leaf][feature.place] |= 1u << feature.bit;
  if (variant.processor.hasFeature("avx"))
    needs.savedRegisters |= kSavesVectors;
  if (variant.processor.hasFeature("avx512f"))
    needs.savedRegisters |= kSavesWideVectors;
  if (variant.processor.hasFeature("egpr"))
    needs.savedRegisters |= kSavesGeneral;
  if (variant.processor.hasFeature("avx10.1"))
    needs.avx10Version = variant.processor.hasFeature("avx10.2") ? 2 : 1;
  return needs;
}

bool tinygrad::detail::runsAnywhere(const LibraryVariant &variant) {
  const Needs needs = getNeeds(variant);
  for (const auto &leaf : needs.bits)
    if (llvm::any_of(leaf, [](uint32_t bits) { return bits != 0; }))
      return false;
  return true;
}

namespace {
/// Writes the body of the function.
class CheckBuilder {
public:
  CheckBuilder(ImplicitLocOpBuilder &b) : b(b), i32(b.getI32Type()) {}

  Value number(uint32_t value) {
    return LLVM::ConstantOp::create(
        b, i32, b.getI32IntegerAttr(static_cast<int32_t>(value)));
  }
  /// The four registers after `cpuid`, or zeros if \p isKnown is false.
  void ask(Leaf leaf, uint32_t eax, uint32_t ecx, Value isKnown) {
    auto type = LLVM::LLVMStructType::getLiteral(
        b.getContext(), SmallVector<Type>(kNumRegisters, i32));
    auto all = LLVM::InlineAsmOp::create(
        b, type, ValueRange{number(eax), number(ecx)}, "cpuid",
        "={ax},={bx},={cx},={dx},0,2,~{dirflag},~{fpsr},~{flags}",
        /*has_side_effects=*/true, /*is_align_stack=*/false,
        LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
        ArrayAttr());
    for (int64_t i = 0; i < kNumRegisters; ++i) {
      Value part = LLVM::ExtractValueOp::create(b, all.getRes(), i);
      values[leaf][i] =
          isKnown ? LLVM::SelectOp::create(b, isKnown, part, number(0)) : part;
    }
  }
  /// The greatest leaf of a group of them.
  Value askGreatest(uint32_t group) {
    ask(kLeaf1, group, 0, Value());
    return values[kLeaf1][kEAX];
  }
  Value isAtLeast(Value value, uint32_t least) {
    return LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::uge, value,
                                number(least));
  }
  Value hasAll(Value value, uint32_t bits) {
    return LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq,
                                LLVM::AndOp::create(b, value, number(bits)),
                                number(bits));
  }
  Value getSaved() {
    auto type = LLVM::LLVMStructType::getLiteral(b.getContext(), {i32, i32});
    auto all = LLVM::InlineAsmOp::create(
        b, type, ValueRange{number(0)}, "xgetbv",
        "={ax},={dx},{cx},~{dirflag},~{fpsr},~{flags}",
        /*has_side_effects=*/true, /*is_align_stack=*/false,
        LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
        ArrayAttr());
    return LLVM::ExtractValueOp::create(b, all.getRes(), int64_t(0));
  }

  Value values[kNumLeaves][kNumRegisters];

private:
  ImplicitLocOpBuilder &b;
  Type i32;
};
} // namespace

LLVM::LLVMFuncOp
tinygrad::detail::addProcessorCheck(ModuleOp module, StringRef name,
                                    ArrayRef<LibraryVariant> variants) {
  auto b = ImplicitLocOpBuilder::atBlockEnd(module.getLoc(), module.getBody());
  Type i32 = b.getI32Type();
  auto known = LLVM::GlobalOp::create(
      b, i32, /*isConstant=*/false, LLVM::Linkage::Internal,
      (name + ".known").str(), b.getI32IntegerAttr(0));
  auto function = LLVM::LLVMFuncOp::create(
      b, name, LLVM::LLVMFunctionType::get(i32, ArrayRef<Type>()),
      LLVM::Linkage::Internal);
  Block *entry = function.addEntryBlock(b);
  Block *ask = b.createBlock(&function.getBody()),
        *saved = b.createBlock(&function.getBody()),
        *decide = b.createBlock(&function.getBody(), {}, i32, module.getLoc()),
        *end = b.createBlock(&function.getBody(), {}, i32, module.getLoc());
  CheckBuilder check(b);

  // Several threads may ask at once: all find the same.
  b.setInsertionPointToStart(entry);
  Value address = LLVM::AddressOfOp::create(b, known);
  Value before = LLVM::LoadOp::create(
      b, i32, address, /*alignment=*/4, /*isVolatile=*/false,
      /*isNonTemporal=*/false, /*isInvariant=*/false,
      /*isInvariantGroup=*/false, LLVM::AtomicOrdering::monotonic);
  LLVM::CondBrOp::create(
      b,
      LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, before, check.number(0)),
      end, ValueRange{before}, ask, ValueRange());

  b.setInsertionPointToStart(ask);
  Value basic = check.askGreatest(0), extended = check.askGreatest(0x80000000u);
  check.ask(kLeaf1, 1, 0, Value());
  Value has7 = check.isAtLeast(basic, 7);
  check.ask(kLeaf7, 7, 0, has7);
  // EAX is the greatest part of the leaf.
  Value hasPart = LLVM::AndOp::create(
      b, has7, check.isAtLeast(check.values[kLeaf7][kEAX], 1));
  check.ask(kLeaf7Part1, 7, 1, hasPart);
  check.ask(kLeaf24, 0x24, 0, check.isAtLeast(basic, 0x24));
  check.ask(kLeafExtended, 0x80000001u, 0,
            check.isAtLeast(extended, 0x80000001u));
  LLVM::CondBrOp::create(
      b, check.hasAll(check.values[kLeaf1][kECX], kSavesRegisters), saved,
      ValueRange(), decide, ValueRange{check.number(0)});

  b.setInsertionPointToStart(saved);
  LLVM::BrOp::create(b, ValueRange{check.getSaved()}, decide);

  b.setInsertionPointToStart(decide);
  Value best = check.number(static_cast<uint32_t>(-1));
  for (auto [i, variant] : llvm::enumerate(variants)) {
    const Needs needs = getNeeds(variant);
    Value runs = check.hasAll(decide->getArgument(0), needs.savedRegisters);
    for (unsigned leaf = 0; leaf < kNumLeaves; ++leaf)
      for (unsigned place = 0; place < kNumRegisters; ++place)
        if (uint32_t bits = needs.bits[leaf][place])
          runs = LLVM::AndOp::create(
              b, runs, check.hasAll(check.values[leaf][place], bits));
    if (needs.avx10Version)
      runs = LLVM::AndOp::create(
          b, runs,
          check.isAtLeast(LLVM::AndOp::create(b, check.values[kLeaf24][kEBX],
                                              check.number(kAvx10Version)),
                          needs.avx10Version));
    best = LLVM::SelectOp::create(
        b, runs, check.number(static_cast<uint32_t>(i + 1)), best);
  }
  LLVM::StoreOp::create(b, best, address, /*alignment=*/4,
                        /*isVolatile=*/false, /*isNonTemporal=*/false,
                        /*isInvariantGroup=*/false,
                        LLVM::AtomicOrdering::monotonic);
  LLVM::BrOp::create(b, ValueRange{best}, end);

  b.setInsertionPointToStart(end);
  LLVM::ReturnOp::create(b, end->getArgument(0));
  return function;
}
