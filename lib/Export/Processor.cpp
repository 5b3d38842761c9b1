//===- Processor.cpp - which code a processor can run ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Asks processors of x86-64 what they have, by the instruction `cpuid`.
///
//===----------------------------------------------------------------------===//

#include "Interface.h"
#include "TinyGrad/Support/ProcessorFeatures.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::detail;

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
  for (const ProcessorFeature &feature : kProcessorFeatures)
    if (variant.processor.hasFeature(StringRef(feature.name)))
      needs.bits[feature.leaf][feature.place] |= 1u << feature.bit;
  if (variant.processor.hasFeature("avx"))
    needs.savedRegisters |= kSavesVectors;
  if (variant.processor.hasFeature("avx512f"))
    needs.savedRegisters |= kSavesWideVectors;
  if (variant.processor.hasFeature("egpr"))
    needs.savedRegisters |= kSavesGeneral;
  if (variant.processor.hasFeature("avx10.1"))
    needs.avx10Version =
        variant.processor.hasFeature(llvm::StringRef(kSecondAvx10)) ? 2 : 1;
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
  void ask(ProcessorLeaf leaf, uint32_t eax, uint32_t ecx, Value isKnown) {
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
