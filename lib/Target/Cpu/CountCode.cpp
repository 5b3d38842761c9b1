//===- CountCode.cpp - what machine code does at most ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A pass that runs when all machine instructions are known, before they are
/// written. How often a loop runs is what scalar evolution finds in LLVM IR,
/// whose blocks those of machine code come from, with the arguments of the call
/// in place of parameters. A branch that compares a loop's index with a bound
/// divides the turns of the loop into those before and behind it; of other
/// branches, each count takes the way with most.
///
//===----------------------------------------------------------------------===//

#include "Backend.h"
#include "KernelValues.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/CodeGen/MachineDominators.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineLoopInfo.h"
#include "llvm/CodeGen/TargetFrameLowering.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::cpu;

/// The bytes that the code touches at a time where a frame is large.
static constexpr uint64_t kProbedBytes = 4096;
/// Instructions that fill the space before a block that begins at an aligned
/// address.
static constexpr uint64_t kMostPadding = 2;
/// Turns that are counted one by one, because they decide how often inner loops
/// run.
static constexpr uint64_t kMostTurns = 4096;
/// How far values that a test compares are followed.
static constexpr unsigned kMostDepth = 8;

namespace {
/// Counts in one function.
class FunctionCounter {
public:
  FunctionCounter(llvm::MachineFunction &function, CodeCounter &counter);
  FunctionCounts count();

private:
  /// How often a loop's first block and its others run for each time that it is
  /// entered.
  struct Times {
    uint64_t first = 0, others = 0;
  };

  void findUnknowns();
  std::optional<uint64_t> evaluate(const llvm::SCEV *count);
  std::optional<int64_t> evaluateNow(const llvm::SCEV *expression);
  bool decidesInnerLoops(const llvm::MachineLoop &loop);
  llvm::Constant *fold(llvm::Value *value, unsigned depth);
  std::optional<bool> leaves(const llvm::BasicBlock &block,
                             const llvm::Loop &loop, uint64_t turn);
  std::optional<uint64_t> findLastTurn(const llvm::BasicBlock *block,
                                       const llvm::Loop &loop);
  std::optional<uint64_t> findLastTurn(const llvm::Loop &loop);
  std::optional<Times> getTimes(const llvm::MachineLoop &loop);
  /// The block that a branch does not go to in a turn of the loop, or for all
  /// turns if \p loop is null. Null if that is not known.
  const llvm::MachineBasicBlock *
  findSkipped(const llvm::MachineBasicBlock &block, const llvm::Loop *loop,
              uint64_t turn);
  std::optional<bool> decide(const llvm::Value *condition,
                             const llvm::Loop *loop, uint64_t turn);
  void decideBranches(const llvm::MachineLoop *region, uint64_t first,
                      uint64_t last);
  std::vector<uint64_t> findTurns(const llvm::MachineLoop &loop,
                                  uint64_t number);
  CodeCounts countBlock(const llvm::MachineBasicBlock &block);
  CodeCounts countLoop(const llvm::MachineLoop &loop);
  CodeCounts countFrom(const llvm::MachineBasicBlock *block,
                       const llvm::MachineLoop *region);
  CodeCounts countBehind(const llvm::MachineBasicBlock *block,
                         const llvm::MachineLoop *region);
  void findCallees();
  void findDataDependence();

  llvm::MachineFunction &function;
  const llvm::Function &ir;
  CodeCounter &counter;
  ParameterFinder parameters;
  llvm::DominatorTree dominators;
  llvm::LoopInfo loops;
  llvm::TargetLibraryInfoImpl libraryInfoImpl;
  llvm::TargetLibraryInfo libraryInfo;
  llvm::AssumptionCache assumptions;
  llvm::ScalarEvolution evolution;
  llvm::MachineDominatorTree machineDominators;
  llvm::MachineLoopInfo machineLoops;
  std::vector<std::pair<const llvm::Value *, Parameter>> unknowns;
  llvm::ValueToSCEVMapTy values;
  /// From a block to the end of its region, and blocks that are being counted.
  llvm::DenseMap<const llvm::MachineBasicBlock *, CodeCounts> fromBlock;
  llvm::SmallPtrSet<const llvm::MachineBasicBlock *, 8> active;
  llvm::DenseMap<const llvm::MachineLoop *, CodeCounts> ofLoop;
  /// The turn of each loop whose turns are counted one by one, and how many
  /// more may be.
  llvm::DenseMap<const llvm::Loop *, uint64_t> turnOf;
  uint64_t turnsLeft = 0;
  /// Where branches do not go in the turns that are being counted.
  llvm::DenseMap<const llvm::MachineBasicBlock *,
                 const llvm::MachineBasicBlock *>
      skipped;
  FunctionCounts result;
};

class CountCodePass : public llvm::MachineFunctionPass {
public:
  explicit CountCodePass(CodeCounter &counter)
      : MachineFunctionPass(ID), counter(counter) {}
  llvm::StringRef getPassName() const override { return "Count instructions"; }
  void getAnalysisUsage(llvm::AnalysisUsage &usage) const override {
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
  bool runOnMachineFunction(llvm::MachineFunction &function) override {
    counter.functions[function.getName()] =
        FunctionCounter(function, counter).count();
    return false;
  }
  static char ID;

private:
  CodeCounter &counter;
};
char CountCodePass::ID = 0;
} // namespace

//===----------------------------------------------------------------------===//
// Data
//===----------------------------------------------------------------------===//

void FunctionCounter::findDataDependence() {
  DataDependence dependence(parameters);
  for (const llvm::Instruction &op : llvm::instructions(ir))
    if (llvm::any_of(getAddresses(op), [&](const llvm::Value *pointer) {
          return dependence.isData(pointer);
        }))
      ++result.dataAddresses;
  llvm::DenseMap<const llvm::BasicBlock *, unsigned> numBranches;
  for (const llvm::MachineBasicBlock &block : function)
    if (block.succ_size() > 1)
      ++numBranches[block.getBasicBlock()];
  for (auto [block, number] : numBranches) {
    if (!block)
      continue;
    const llvm::Instruction *end = block->getTerminator();
    const bool branches = end->getNumSuccessors() > 1;
    if (branches && dependence.isData(end->getOperand(0)))
      ++result.dataBranches;
    // The code generator makes branches of selections, and copies of blocks.
    if (number > unsigned(branches))
      for (const llvm::Instruction &op : *block)
        if (auto *select = llvm::dyn_cast<llvm::SelectInst>(&op);
            select && !select->getCondition()->getType()->isVectorTy() &&
            dependence.isData(select->getCondition()))
          ++result.dataBranches;
  }
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

FunctionCounter::FunctionCounter(llvm::MachineFunction &function,
                                 CodeCounter &counter)
    : function(function), ir(function.getFunction()), counter(counter),
      parameters(ir, counter), dominators(const_cast<llvm::Function &>(ir)),
      loops(dominators), libraryInfoImpl(ir.getParent()->getTargetTriple()),
      libraryInfo(libraryInfoImpl),
      assumptions(const_cast<llvm::Function &>(ir)),
      evolution(const_cast<llvm::Function &>(ir), libraryInfo, assumptions,
                dominators, loops),
      machineDominators(function), machineLoops(machineDominators) {}

void FunctionCounter::findUnknowns() {
  auto add = [&](const llvm::Value *value) {
    if (!value->getType()->isIntegerTy(64))
      return;
    if (std::optional<Parameter> found = parameters.find(value))
      unknowns.emplace_back(value, *found);
  };
  for (const llvm::Argument &argument : ir.args())
    add(&argument);
  for (const llvm::Instruction &op : llvm::instructions(ir))
    add(&op);
}

/// The value of an expression in the current turns, if these decide it.
std::optional<int64_t>
FunctionCounter::evaluateNow(const llvm::SCEV *expression) {
  if (auto *constant = llvm::dyn_cast<llvm::SCEVConstant>(expression)) {
    if (constant->getAPInt().getSignificantBits() > 62)
      return std::nullopt;
    return constant->getAPInt().getSExtValue();
  }
  if (!expression->getType()->isIntegerTy(64))
    return std::nullopt;
  // What scalar evolution has no expression for, such as a signed remainder.
  if (auto *other = llvm::dyn_cast<llvm::SCEVUnknown>(expression)) {
    auto *number =
        llvm::dyn_cast_or_null<llvm::ConstantInt>(fold(other->getValue(), 0));
    return number ? std::optional(number->getSExtValue()) : std::nullopt;
  }
  llvm::SmallVector<int64_t> operands;
  for (const llvm::SCEV *operand : expression->operands()) {
    const std::optional<int64_t> value = evaluateNow(operand);
    if (!value)
      return std::nullopt;
    operands.push_back(*value);
  }
  if (auto *growing = llvm::dyn_cast<llvm::SCEVAddRecExpr>(expression)) {
    auto turn = turnOf.find(growing->getLoop());
    int64_t distance = 0, value = 0;
    if (turn == turnOf.end() || !growing->isAffine() ||
        llvm::MulOverflow(operands[1], static_cast<int64_t>(turn->second),
                          distance) ||
        llvm::AddOverflow(operands[0], distance, value))
      return std::nullopt;
    return value;
  }
  if (operands.empty())
    return std::nullopt;
  int64_t value = operands.front();
  for (int64_t operand : llvm::drop_begin(operands)) {
    bool isWrong = false;
    switch (expression->getSCEVType()) {
    case llvm::scAddExpr:
      isWrong = llvm::AddOverflow(value, operand, value);
      break;
    case llvm::scMulExpr:
      isWrong = llvm::MulOverflow(value, operand, value);
      break;
    case llvm::scUDivExpr:
      isWrong = value < 0 || operand <= 0;
      value = isWrong ? 0 : value / operand;
      break;
    case llvm::scSMaxExpr:
      value = std::max(value, operand);
      break;
    case llvm::scSMinExpr:
      value = std::min(value, operand);
      break;
    default:
      isWrong = true;
      break;
    }
    if (isWrong)
      return std::nullopt;
  }
  // Of other operations, only those above have several operands.
  return operands.size() > 1 ? std::optional<int64_t>(value) : std::nullopt;
}

/// The comparison that decides where a block goes on, if it is one.
static const llvm::ICmpInst *getTest(const llvm::BasicBlock &block) {
  auto *branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
  return branch && branch->isConditional()
             ? llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition())
             : nullptr;
}

/// Whether the number of turns of a loop in this one depends on its index.
bool FunctionCounter::decidesInnerLoops(const llvm::MachineLoop &loop) {
  const llvm::BasicBlock *header = loop.getHeader()->getBasicBlock();
  const llvm::Loop *source = header ? loops.getLoopFor(header) : nullptr;
  if (!source || source->getLoopDepth() != loop.getLoopDepth())
    return false;
  auto dependsOnIndex = [&](const llvm::SCEV *expression) {
    return llvm::SCEVExprContains(expression, [&](const llvm::SCEV *part) {
      auto *growing = llvm::dyn_cast<llvm::SCEVAddRecExpr>(part);
      return growing && growing->getLoop() == source;
    });
  };
  return llvm::any_of(
      source->getLoopsInPreorder(), [&](const llvm::Loop *inner) {
        if (inner == source)
          return false;
        const llvm::SCEV *count = evolution.getBackedgeTakenCount(inner);
        if (!llvm::isa<llvm::SCEVCouldNotCompute>(count))
          return dependsOnIndex(count);
        llvm::SmallVector<llvm::BasicBlock *> ends;
        inner->getExitingBlocks(ends);
        return llvm::any_of(ends, [&](const llvm::BasicBlock *end) {
          const llvm::ICmpInst *test = getTest(*end);
          return test && llvm::any_of(test->operands(), [&](auto &side) {
                   return dependsOnIndex(evolution.getSCEV(side.get()));
                 });
        });
      });
}

/// The number that a value has in the current turns, computed from constants,
/// parameters and indices of loops. Null if it needs more than these.
llvm::Constant *FunctionCounter::fold(llvm::Value *value, unsigned depth) {
  if (auto *constant = llvm::dyn_cast<llvm::Constant>(value))
    return constant;
  if (const auto known = values.find(value); known != values.end())
    if (auto *number = llvm::dyn_cast<llvm::SCEVConstant>(known->second))
      return number->getValue();
  auto *op = llvm::dyn_cast<llvm::Instruction>(value);
  if (!op || op->mayReadOrWriteMemory() || depth > kMostDepth)
    return nullptr;
  if (llvm::isa<llvm::PHINode>(op)) {
    if (!op->getType()->isIntegerTy(64))
      return nullptr;
    const llvm::SCEV *index = llvm::SCEVParameterRewriter::rewrite(
        evolution.getSCEV(op), evolution, values);
    const std::optional<int64_t> now =
        llvm::isa<llvm::SCEVUnknown>(index) ? std::nullopt : evaluateNow(index);
    return now ? llvm::ConstantInt::getSigned(op->getType(), *now) : nullptr;
  }
  llvm::SmallVector<llvm::Constant *> operands;
  for (llvm::Value *operand : op->operands()) {
    operands.push_back(fold(operand, depth + 1));
    if (!operands.back())
      return nullptr;
  }
  return llvm::ConstantFoldInstOperands(
      op, operands, ir.getParent()->getDataLayout(), &libraryInfo);
}

/// Whether the block leaves the loop in this turn, if it is known.
std::optional<bool> FunctionCounter::leaves(const llvm::BasicBlock &block,
                                            const llvm::Loop &loop,
                                            uint64_t turn) {
  auto *branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
  if (!branch || !branch->isConditional())
    return std::nullopt;
  turnOf[&loop] = turn;
  auto *goes = llvm::dyn_cast_or_null<llvm::ConstantInt>(
      fold(branch->getCondition(), 0));
  turnOf.erase(&loop);
  if (!goes)
    return std::nullopt;
  return !loop.contains(branch->getSuccessor(goes->isOne() ? 0 : 1));
}

/// A turn in which the block leaves the loop, the first one if its test changes
/// once, as that of an index and a bound does.
std::optional<uint64_t>
FunctionCounter::findLastTurn(const llvm::BasicBlock *block,
                              const llvm::Loop &loop) {
  const llvm::BasicBlock *latch = loop.getLoopLatch();
  if (!latch || !dominators.dominates(block, latch))
    return std::nullopt;
  uint64_t turn = 0, end = uint64_t(1) << 40;
  if (leaves(*block, loop, turn) == false &&
      leaves(*block, loop, end) == true) {
    while (end - turn > 1) {
      const uint64_t middle = turn + (end - turn) / 2;
      (leaves(*block, loop, middle) == true ? end : turn) = middle;
    }
    return end;
  }
  // A test for equality.
  for (; turn < kMostTurns; ++turn) {
    const std::optional<bool> isLast = leaves(*block, loop, turn);
    if (!isLast)
      return std::nullopt;
    if (*isLast)
      return turn;
  }
  return std::nullopt;
}

/// The same of any block.
std::optional<uint64_t> FunctionCounter::findLastTurn(const llvm::Loop &loop) {
  llvm::SmallVector<llvm::BasicBlock *> ends;
  loop.getExitingBlocks(ends);
  std::optional<uint64_t> last;
  for (const llvm::BasicBlock *end : ends)
    if (const std::optional<uint64_t> turn = findLastTurn(end, loop))
      last = last ? std::min(*last, *turn) : *turn;
  return last;
}

/// A number of runs with the arguments of the call, or its largest value.
std::optional<uint64_t> FunctionCounter::evaluate(const llvm::SCEV *count) {
  if (llvm::isa<llvm::SCEVCouldNotCompute>(count))
    return std::nullopt;
  const llvm::SCEV *known =
      llvm::SCEVParameterRewriter::rewrite(count, evolution, values);
  if (const std::optional<int64_t> now = evaluateNow(known); now && *now >= 0)
    return *now;
  const llvm::APInt most = evolution.getUnsignedRangeMax(known);
  // Nothing is known of a count whose range is that of its type.
  if (most.getActiveBits() > 48)
    return std::nullopt;
  return most.getZExtValue();
}

std::optional<FunctionCounter::Times>
FunctionCounter::getTimes(const llvm::MachineLoop &loop) {
  const llvm::BasicBlock *block = loop.getHeader()->getBasicBlock();
  const llvm::Loop *source = block ? loops.getLoopFor(block) : nullptr;
  if (!source || source->getLoopDepth() != loop.getLoopDepth()) {
    // The loop that touches the pages of a frame is of no block's code.
    const uint64_t frame = function.getFrameInfo().getStackSize();
    if (source || loop.getLoopDepth() != 1 || frame < kProbedBytes ||
        !ir.hasFnAttribute("probe-stack"))
      return std::nullopt;
    const uint64_t pages = frame / kProbedBytes + 1;
    return Times{pages, pages};
  }
  std::optional<uint64_t> again =
      evaluate(evolution.getBackedgeTakenCount(source));
  if (!again)
    again = evaluate(evolution.getSymbolicMaxBackedgeTakenCount(source));
  // Where an index might overflow for other arguments: by the test.
  if (!again)
    again = findLastTurn(*source);
  // Where it depends on the index of an outer loop, the most of all its turns.
  if (!again)
    again = evaluate(evolution.getConstantMaxBackedgeTakenCount(source));
  // A test at the loop's beginning ends it before the other blocks run.
  std::optional<uint64_t> body;
  if (source->isLoopExiting(source->getHeader()))
    body = evaluate(evolution.getExitCount(source, source->getHeader()));
  if (!body && source->isLoopExiting(source->getHeader()))
    body = findLastTurn(source->getHeader(), *source);
  if (!again)
    again = body;
  if (!again)
    return std::nullopt;
  const uint64_t most = *again + 1;
  const uint64_t others = body ? std::min(*body, most) : most;
  return Times{block == source->getHeader() ? most : others, others};
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

/// The value of an expression in a turn of the loop, if it is a constant or
/// grows by a constant from turn to turn.
static std::optional<int64_t> getValue(const llvm::SCEV *expression,
                                       const llvm::Loop *loop, uint64_t turn) {
  // Far from where 64 bits overflow.
  constexpr int64_t kLarge = int64_t(1) << 40;
  auto getConstant = [](const llvm::SCEV *part) -> std::optional<int64_t> {
    auto *constant = llvm::dyn_cast<llvm::SCEVConstant>(part);
    if (!constant || constant->getAPInt().getSignificantBits() > 40)
      return std::nullopt;
    return constant->getAPInt().getSExtValue();
  };
  if (std::optional<int64_t> constant = getConstant(expression))
    return constant;
  auto *growing = llvm::dyn_cast<llvm::SCEVAddRecExpr>(expression);
  if (!growing || !loop || growing->getLoop() != loop || !growing->isAffine() ||
      !growing->getType()->isIntegerTy(64) || turn >= uint64_t(kLarge))
    return std::nullopt;
  const std::optional<int64_t> begin = getConstant(growing->getStart()),
                               step = getConstant(growing->getOperand(1));
  int64_t distance = 0, value = 0;
  if (!begin || !step ||
      llvm::MulOverflow(*step, static_cast<int64_t>(turn), distance) ||
      llvm::AddOverflow(*begin, distance, value))
    return std::nullopt;
  return value;
}

std::optional<bool> FunctionCounter::decide(const llvm::Value *condition,
                                            const llvm::Loop *loop,
                                            uint64_t turn) {
  auto *compare = llvm::dyn_cast<llvm::ICmpInst>(condition);
  if (!compare || !compare->getOperand(0)->getType()->isIntegerTy(64))
    return std::nullopt;
  std::optional<int64_t> sides[2];
  bool isConstant = true, isNegative = false;
  for (unsigned i = 0; i < 2; ++i) {
    const llvm::SCEV *side = llvm::SCEVParameterRewriter::rewrite(
        evolution.getSCEV(compare->getOperand(i)), evolution, values);
    sides[i] = getValue(side, loop, turn);
    if (!sides[i])
      return std::nullopt;
    isConstant &= llvm::isa<llvm::SCEVConstant>(side);
    isNegative |= *sides[i] < 0;
  }
  // Other comparisons may change more than once from the first turn to the
  // last.
  if (!isConstant && !compare->isSigned() &&
      (compare->isEquality() || isNegative))
    return std::nullopt;
  return llvm::ICmpInst::compare(
      llvm::APInt(64, static_cast<uint64_t>(*sides[0])),
      llvm::APInt(64, static_cast<uint64_t>(*sides[1])),
      compare->getPredicate());
}

const llvm::MachineBasicBlock *
FunctionCounter::findSkipped(const llvm::MachineBasicBlock &block,
                             const llvm::Loop *loop, uint64_t turn) {
  const llvm::BasicBlock *source = block.getBasicBlock();
  auto *branch = source
                     ? llvm::dyn_cast<llvm::BranchInst>(source->getTerminator())
                     : nullptr;
  if (!branch || !branch->isConditional() || block.succ_size() != 2)
    return nullptr;
  // Machine code has the branch of LLVM IR if it goes to the same blocks.
  const llvm::MachineBasicBlock *targets[2] = {nullptr, nullptr};
  for (const llvm::MachineBasicBlock *next : block.successors())
    for (unsigned i = 0; i < 2; ++i)
      if (next->getBasicBlock() == branch->getSuccessor(i))
        targets[i] = next;
  if (!targets[0] || !targets[1] || targets[0] == targets[1] ||
      targets[0]->getBasicBlock() == source ||
      targets[1]->getBasicBlock() == source)
    return nullptr;
  const std::optional<bool> goes = decide(branch->getCondition(), loop, turn);
  return goes ? targets[*goes ? 1 : 0] : nullptr;
}

/// Decides the branches of a region for a range of turns, and forgets its
/// counts.
void FunctionCounter::decideBranches(const llvm::MachineLoop *region,
                                     uint64_t first, uint64_t last) {
  const llvm::BasicBlock *header =
      region ? region->getHeader()->getBasicBlock() : nullptr;
  const llvm::Loop *loop = header ? loops.getLoopFor(header) : nullptr;
  for (const llvm::MachineBasicBlock &block : function) {
    const llvm::MachineLoop *inner = machineLoops.getLoopFor(&block);
    const bool isPart = inner && inner->getHeader() == &block &&
                        inner->getParentLoop() == region;
    if (inner != region && !isPart)
      continue;
    fromBlock.erase(&block);
    if (inner != region)
      continue;
    // What holds in the first turn and in the last holds between.
    const llvm::MachineBasicBlock *next = findSkipped(block, loop, first);
    skipped[&block] = next == findSkipped(block, loop, last) ? next : nullptr;
  }
}

/// The first turns of ranges of turns in which branches go the same ways.
std::vector<uint64_t> FunctionCounter::findTurns(const llvm::MachineLoop &loop,
                                                 uint64_t number) {
  std::vector<uint64_t> turns = {0};
  const llvm::BasicBlock *header = loop.getHeader()->getBasicBlock();
  const llvm::Loop *source = header ? loops.getLoopFor(header) : nullptr;
  if (number < 2 || !source)
    return turns;
  for (const llvm::MachineBasicBlock *block : loop.blocks()) {
    if (machineLoops.getLoopFor(block) != &loop)
      continue;
    auto go = [&](uint64_t turn) { return findSkipped(*block, source, turn); };
    const llvm::MachineBasicBlock *before = go(0), *behind = go(number - 1);
    if (before == behind || !before || !behind)
      continue;
    // Where a comparison with an index changes, it does so once.
    uint64_t last = 0, first = number - 1;
    while (first - last > 1) {
      const uint64_t middle = last + (first - last) / 2;
      (go(middle) == before ? last : first) = middle;
    }
    turns.push_back(first);
  }
  llvm::sort(turns);
  turns.erase(llvm::unique(turns), turns.end());
  return turns;
}

//===----------------------------------------------------------------------===//
// Counting
//===----------------------------------------------------------------------===//

/// The helper that an operation calls, if it is such a call.
static const llvm::Function *getHelper(const llvm::MachineInstr &op) {
  if (op.isCall())
    for (const llvm::MachineOperand &operand : op.operands())
      if (operand.isGlobal())
        if (auto *callee = llvm::dyn_cast<llvm::Function>(operand.getGlobal());
            callee && callee->hasFnAttribute(cpu::kHelperAttrName))
          return callee;
  return nullptr;
}

CodeCounts FunctionCounter::countBlock(const llvm::MachineBasicBlock &block) {
  CodeCounts counts;
  for (const llvm::MachineInstr &op : block.instrs()) {
    if (op.isBundle() || op.isMetaInstruction() || op.isPosition())
      continue;
    uint64_t number = 1;
    if (op.isInlineAsm())
      // Each instruction of ours is one of text.
      number = llvm::StringRef(op.getOperand(0).getSymbolName()).count('\n') +
               llvm::StringRef(op.getOperand(0).getSymbolName()).count(';') + 1;
    counts.instructions += number;
    for (const llvm::MachineMemOperand *access : op.memoperands()) {
      const llvm::LocationSize size = access->getSize();
      const uint64_t bytes =
          size.hasValue() ? size.getValue().getKnownMinValue() : 0;
      if (access->isLoad())
        counts.bytesRead += bytes;
      if (access->isStore())
        counts.bytesWritten += bytes;
    }
    if (const llvm::Function *helper = getHelper(op))
      if (auto known = counter.functions.find(helper->getName());
          known != counter.functions.end())
        counts += known->second.counts.front();
  }
  return counts;
}

/// Where the code of a region goes on behind a block of it, or behind a loop in
/// it that begins with the block.
CodeCounts FunctionCounter::countBehind(const llvm::MachineBasicBlock *block,
                                        const llvm::MachineLoop *region) {
  const llvm::MachineLoop *inner = machineLoops.getLoopFor(block);
  while (inner != region && inner->getParentLoop() != region)
    inner = inner->getParentLoop();
  CodeCounts most;
  auto visit = [&](const llvm::MachineBasicBlock *next) {
    // The next turn of the region, or behind it.
    if (region && (next == region->getHeader() || !region->contains(next)))
      return;
    most.raise(countFrom(next, region));
  };
  if (inner == region) {
    for (const llvm::MachineBasicBlock *next : block->successors())
      if (next != skipped.lookup(block))
        visit(next);
    return most;
  }
  for (const llvm::MachineBasicBlock *member : inner->blocks())
    for (const llvm::MachineBasicBlock *next : member->successors())
      if (!inner->contains(next))
        visit(next);
  return most;
}

CodeCounts FunctionCounter::countFrom(const llvm::MachineBasicBlock *block,
                                      const llvm::MachineLoop *region) {
  if (auto known = fromBlock.find(block); known != fromBlock.end())
    return known->second;
  // A cycle that is no loop.
  if (!active.insert(block).second) {
    result.isBounded = false;
    return {};
  }
  const llvm::MachineLoop *inner = machineLoops.getLoopFor(block);
  CodeCounts counts;
  if (inner == region)
    counts = countBlock(*block);
  else if (inner->getHeader() == block && inner->getParentLoop() == region)
    counts = countLoop(*inner);
  else
    result.isBounded = false;
  if (block->getAlignment() > llvm::Align(1))
    counts.instructions += kMostPadding;
  if (result.isBounded)
    counts += countBehind(block, region);
  active.erase(block);
  return fromBlock[block] = counts;
}

CodeCounts FunctionCounter::countLoop(const llvm::MachineLoop &loop) {
  if (auto known = ofLoop.find(&loop); known != ofLoop.end())
    return known->second;
  const std::optional<Times> times = getTimes(loop);
  if (!times) {
    result.isBounded = false;
    return {};
  }
  CodeCounts counts = countBlock(*loop.getHeader()) * times->first;
  std::vector<uint64_t> turns;
  const bool isEach = times->others <= turnsLeft && decidesInnerLoops(loop);
  if (isEach) {
    turnsLeft -= times->others;
    for (uint64_t turn = 0; turn < times->others; ++turn)
      turns.push_back(turn);
  } else {
    turns = findTurns(loop, times->others);
  }
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const uint64_t end = i + 1 < turns.size() ? turns[i + 1] : times->others;
    if (end == turns[i])
      continue;
    if (isEach) {
      turnOf[loops.getLoopFor(loop.getHeader()->getBasicBlock())] = turns[i];
      for (const llvm::MachineLoop *inner : loop.getLoopsInPreorder())
        ofLoop.erase(inner);
    }
    decideBranches(&loop, turns[i], end - 1);
    counts += countBehind(loop.getHeader(), &loop) * (end - turns[i]);
  }
  if (isEach)
    turnOf.erase(loops.getLoopFor(loop.getHeader()->getBasicBlock()));
  return ofLoop[&loop] = counts;
}

void FunctionCounter::findCallees() {
  for (const llvm::MachineBasicBlock &block : function)
    for (const llvm::MachineInstr &op : block.instrs()) {
      if (!op.isCall())
        continue;
      for (const llvm::MachineOperand &operand : op.operands()) {
        std::string name;
        if (operand.isGlobal())
          name = operand.getGlobal()->getName().str();
        else if (operand.isSymbol())
          name = operand.getSymbolName();
        else
          continue;
        // How often a call in a loop is made is not known to the caller.
        auto *callee = ir.getParent()->getFunction(name);
        if (callee && !callee->isDeclaration() && !getHelper(op) &&
            machineLoops.getLoopFor(&block))
          result.isBounded = false;
        if (!llvm::is_contained(result.callees, name))
          result.callees.push_back(name);
      }
    }
}

FunctionCounts FunctionCounter::count() {
  const llvm::MachineFrameInfo &frame = function.getFrameInfo();
  const llvm::TargetFrameLowering &lowering =
      *function.getSubtarget().getFrameLowering();
  result.stackBytes =
      frame.getStackSize() +
      static_cast<uint64_t>(std::abs(lowering.getOffsetOfLocalArea()));
  if (frame.getMaxAlign() > lowering.getStackAlign())
    result.stackBytes += frame.getMaxAlign().value();
  if (frame.hasVarSizedObjects())
    result.isBounded = false;
  findCallees();
  findUnknowns();
  std::vector<KernelArguments> calls = {{}};
  result.isInCallers = ir.hasFnAttribute(cpu::kHelperAttrName);
  if (result.isInCallers) {
    // Its arguments are data.
    for (const llvm::MachineBasicBlock &block : function)
      result.dataBranches += block.succ_size() > 1;
  } else if (const llvm::Function *kernel = parameters.getKernel()) {
    calls = counter.calls.lookup(kernel->getName());
    findDataDependence();
  }
  for (const KernelArguments &call : calls) {
    values.clear();
    for (auto [value, parameter] : unknowns) {
      int64_t number = call.begin;
      if (parameter.kind == Parameter::Kind::End)
        number = call.end;
      else if (parameter.kind == Parameter::Kind::Variable &&
               parameter.index < call.variables.size())
        number = call.variables[parameter.index];
      else if (parameter.kind != Parameter::Kind::Begin)
        continue;
      values[value] = evolution.getConstant(
          llvm::APInt(64, static_cast<uint64_t>(number), /*isSigned=*/true));
    }
    fromBlock.clear();
    active.clear();
    ofLoop.clear();
    skipped.clear();
    turnOf.clear();
    turnsLeft = kMostTurns;
    decideBranches(/*region=*/nullptr, 0, 0);
    result.counts.push_back(countFrom(&function.front(), nullptr));
  }
  return std::move(result);
}

llvm::Pass *cpu::createCountCodePass(CodeCounter &counter) {
  return new CountCodePass(counter);
}
