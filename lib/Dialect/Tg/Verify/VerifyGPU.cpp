//===- VerifyGPU.cpp - proofs of functions for GPUs -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the tg-verify-gpu-kernels pass.
///
/// Indices are integers of 64 bits in the formulas, as they are in the gpu
/// dialect. That they may be computed in 32 bits is decided later, by ranges.
///
//===----------------------------------------------------------------------===//

#include "Formula.h"
#include "Intervals.h"
#include "ItemEncoder.h"
#include "PermutationProof.h"
#include "TinyGrad/Dialect/Tg/IR/TgKernelFunctions.h"
#include "TinyGrad/Dialect/Tg/IR/TgLaunchedElements.h"
#include "TinyGrad/Dialect/Tg/Verify/Passes.h"
#include "TinyGrad/Dialect/Tg/Verify/VerifyIndex.h"
#include "TinyGrad/Support/AsyncCopies.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/IR/Matchers.h"

namespace mlir::tg {
#define GEN_PASS_DEF_TGVERIFYGPUKERNELS
#include "TinyGrad/Dialect/Tg/Verify/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

namespace {
/// Asks what has to hold of one function.
class FunctionProof {
public:
  FunctionProof(gpu::GPUFuncOp func, SmallVector<ProofQuestion> &questions)
      : func(func), questions(questions), intervals(func) {}

  LogicalResult ask();

private:
  using Build = function_ref<void(LaunchEncoder &)>;
  LogicalResult ask(Operation *op, const Twine &claim, StringRef subject,
                    Build build,
                    std::optional<std::pair<Location, std::string>> other = {});
  LogicalResult checkFunction();
  /// What is said of accesses of permuted memory holds after the permutation
  /// if it does before.
  LogicalResult askPermutations();
  LogicalResult askPermutation(const MemoryAccess &access);
  /// Every access is inside of its buffer.
  LogicalResult askBounds();
  /// Every item of a group reaches each barrier, and every one of a subgroup
  /// what its items do together.
  LogicalResult askConvergence();
  LogicalResult askAgreement(Operation *op, const Twine &claim,
                             StringRef subject, std::optional<int64_t> width);
  LogicalResult checkShuffle(gpu::ShuffleOp shuffle,
                             std::optional<int64_t> &width);
  /// No two items of a group access an element, one of them writing, with no
  /// barrier between.
  LogicalResult askRaces();
  LogicalResult askRace(const Reached &x, const Reached &y);
  /// The same for what an asynchronous copy writes or a matrix operation reads.
  /// What its item accesses before it has waited is wrong too.
  LogicalResult askPending(const MemoryAccess &copy);
  /// Some items do something, and no others: what one of them does, and whether
  /// it is one that has to.
  using Doing = std::pair<Value, Value>;
  LogicalResult
  askDoing(Operation *op, const Twine &claim,
           function_ref<Doing(LaunchEncoder &, LaunchEncoder::Item &)> build);
  /// Items that only copy and the others: who is which, and that buffers are
  /// filled when they have been read.
  LogicalResult askRoles();
  LogicalResult askHandover(const MemoryAccess &copy,
                            const MemoryAccess &access);
  /// Where positions are counted across blocks: that no two copies write the
  /// same at a time, and who says that the last position of a block was read.
  LogicalResult askRefill(const MemoryAccess &copy, const MemoryAccess &other);
  LogicalResult askLastArrival();
  /// The items of a subgroup give the same address to write to.
  LogicalResult askAddresses();
  /// No two groups access an element of a buffer, one of them writing.
  LogicalResult askGroups();

  bool isShared(const MemoryAccess &access) {
    return isa<BlockArgument>(access.memory) &&
           !llvm::is_contained(func.getPrivateAttributions(), access.memory);
  }
  /// The elements that memory has in launches.
  SmallVector<LaunchedElements> getElements(const MemoryAccess &access) {
    auto argument = dyn_cast<BlockArgument>(access.memory);
    if (argument && argument.getArgNumber() < func.getNumArguments())
      return getLaunchedElements(argument);
    return {{Dim(func.getContext(),
                 cast<MemRefType>(access.memory.getType()).getNumElements())}};
  }
  /// Whether two accesses may be of different blocks of results of a group.
  bool mayDifferInBlock(const Reached &x, const Reached &y);
  bool conflicts(const MemoryAccess &x, const MemoryAccess &y) {
    return x.memory == y.memory && (x.isWrite || y.isWrite) && isShared(x);
  }

  gpu::GPUFuncOp func;
  SmallVector<ProofQuestion> &questions;
  Intervals intervals;
  /// What is computed from the number of a group, or of a block of results.
  GroupNumbers numbers;
};
} // namespace

bool FunctionProof::mayDifferInBlock(const Reached &x, const Reached &y) {
  auto getIteration = [&](const Reached &reached) -> std::optional<Iteration> {
    for (const auto &[loop, iteration] : reached.where)
      if (loop == numbers.blocks)
        return iteration;
    return std::nullopt;
  };
  const std::optional<Iteration> first = getIteration(x),
                                 second = getIteration(y);
  return first && second &&
         (first->base == Iteration::any || !(*first == *second));
}

LogicalResult
FunctionProof::ask(Operation *op, const Twine &claim, StringRef subject,
                   Build build,
                   std::optional<std::pair<Location, std::string>> other) {
  FailureOr<std::string> formula =
      writeFormula(op->getLoc(), [&](OpBuilder &builder) {
        LaunchEncoder launch(builder, func);
        build(launch);
        return llvm::to_vector(launch.getVariables());
      });
  if (failed(formula))
    return failure();
  questions.push_back(
      {op->getLoc(), claim.str(), subject.str(), *formula, std::move(other)});
  return success();
}

LogicalResult FunctionProof::checkFunction() {
  if (!LaunchEncoder::getGroupSize(func))
    return func.emitError("has no known number of work items in a group");
  if (!func->hasAttr(groupsAttrName))
    return func.emitError("has no attribute '") << groupsAttrName << "'";
  auto variables = func->getAttrOfType<ArrayAttr>(variablesAttrName);
  if (variables && variables.size() > func.getFunctionType().getNumInputs())
    return func.emitError("has fewer arguments than '")
           << variablesAttrName << "' lists";
  return success();
}

//===----------------------------------------------------------------------===//
// Permutations
//===----------------------------------------------------------------------===//

LogicalResult FunctionProof::askPermutation(const MemoryAccess &access) {
  const Permutation permutation = *access.permutation;
  const int64_t size =
      cast<MemRefType>(access.memory.getType()).getNumElements();
  if (failed(ask(access.op,
                 "the order of these " + Twine(size) +
                     " elements is no permutation of chunks of " +
                     Twine(permutation.getChunk()),
                 "permutation", [&](LaunchEncoder &launch) {
                   assertIsNoPermutation(launch.getBuilder(),
                                         access.op->getLoc(), permutation,
                                         size);
                 })))
    return failure();
  if (isa<nvgpu::TmaAsyncLoadOp, nvgpu::TmaAsyncStoreOp>(access.op)) {
    // Rows that are permuted alike, and no others.
    const auto count = static_cast<int64_t>(permutation.getPeriod());
    return ask(access.op,
               "this box does not begin at a multiple of " + Twine(count) +
                   " elements",
               "permutation", [&](LaunchEncoder &launch) {
                 LaunchEncoder::Group group = launch.makeGroup("group");
                 LaunchEncoder::Item item = launch.makeItem(group, "item");
                 ItemEncoder encoder(launch, item, {});
                 encoder.assertReached({&access, {}, {}});
                 encoder.assertTrue(encoder.beginsWithin(access, count));
               });
  }
  if (access.width == 1 || access.isMatrix)
    return success();
  return ask(access.op,
             "this access is of elements of two chunks of " +
                 Twine(permutation.getChunk()) +
                 ", which are apart after a permutation",
             "permutation", [&](LaunchEncoder &launch) {
               LaunchEncoder::Group group = launch.makeGroup("group");
               LaunchEncoder::Item item = launch.makeItem(group, "item");
               ItemEncoder encoder(launch, item, {});
               encoder.assertReached({&access, {}, {}});
               encoder.assertTrue(encoder.crossesChunk(access));
             });
}

LogicalResult FunctionProof::askPermutations() {
  DenseMap<Value, const MemoryAccess *> firstOf;
  for (const MemoryAccess &access : intervals.getAccesses()) {
    const MemoryAccess *first =
        firstOf.try_emplace(access.memory, &access).first->second;
    if (first->permutation != access.permutation) {
      InFlightDiagnostic error =
          access.op->emitError("this access and another one permute their "
                               "memory in different ways");
      error.attachNote(first->op->getLoc()) << "the other access is here";
      return error;
    }
    if (access.permutation && failed(askPermutation(access)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

LogicalResult FunctionProof::askBounds() {
  for (const MemoryAccess &access : intervals.getAccesses()) {
    // The hardware knows where the matrix ends.
    if (access.box)
      continue;
    for (const LaunchedElements &launched : getElements(access)) {
      auto assertOutside = [&](LaunchEncoder &launch) {
        // Variables that no argument has are declared here.
        launch.encode(launched.elements);
        for (auto [variable, number] : launched.numbers)
          launch.assertTrue(
              launch.isWithin(launch.encode(Dim(variable)), number, number));
        LaunchEncoder::Group group = launch.makeGroup("group");
        LaunchEncoder::Item item = launch.makeItem(group, "item");
        ItemEncoder encoder(launch, item, {});
        encoder.assertReached({&access, {}, {}});
        encoder.assertTrue(encoder.isOutside(access, launched.elements));
      };
      if (failed(ask(access.op,
                     "this access is outside of its buffer of " +
                         launched.str() + " elements",
                     "access", assertOutside)))
        return failure();
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Convergence
//===----------------------------------------------------------------------===//

/// The current iterations of the loops around an operation.
static Iterations getCurrentIterations(Operation *op) {
  Iterations where;
  for (Operation *outer = op->getParentOp(); !isa<gpu::GPUFuncOp>(outer);
       outer = outer->getParentOp())
    if (isa<scf::ForOp>(outer))
      where.push_back({outer, Iteration()});
  return where;
}

LogicalResult FunctionProof::askAgreement(Operation *op, const Twine &claim,
                                          StringRef subject,
                                          std::optional<int64_t> width) {
  // All items of a part get to it; those are whole warpgroups.
  Operation *end = func;
  if (Operation *role = intervals.getRoles().getRole(op);
      role && !isa<gpu::BarrierOp>(op))
    end = role;
  for (Operation *up = op->getParentOp(); up != end; up = up->getParentOp()) {
    // From the outside in: items that agree on the loops around it are at the
    // same iterations of these.
    const Iterations where = getCurrentIterations(up);
    auto assertDiffers = [&](LaunchEncoder &launch) {
      LaunchEncoder::Group group = launch.makeGroup("group");
      LaunchEncoder::Item item = launch.makeItem(group, "item"),
                          other = launch.makeItem(group, "other");
      if (width)
        launch.assertSameSubgroup(item, other, *width);
      ItemEncoder first(launch, item, where), second(launch, other, where);
      const MemoryAccess reached{up, {}, {}};
      first.assertReached({&reached, {}, {}});
      second.assertReached({&reached, {}, {}});
      first.assertTrue(first.differs(up, second));
    };
    std::pair<Location, std::string> cause(
        up->getLoc(), isa<scf::IfOp>(up)
                          ? "items may decide differently here"
                          : "items may run this loop differently often");
    if (failed(ask(op, claim, subject, assertDiffers, cause)))
      return failure();
  }
  return success();
}

LogicalResult FunctionProof::askAddresses() {
  for (const MemoryAccess &access : intervals.getAccesses()) {
    if (!access.isOfSubgroup)
      continue;
    auto assertDiffers = [&](LaunchEncoder &launch) {
      LaunchEncoder::Group group = launch.makeGroup("group");
      LaunchEncoder::Item item = launch.makeItem(group, "item"),
                          other = launch.makeItem(group, "other");
      launch.assertSameSubgroup(item, other, tinygrad::kDirectCopyItems);
      const Iterations where = getCurrentIterations(access.op);
      ItemEncoder first(launch, item, where), second(launch, other, where);
      first.assertReached({&access, {}, {}});
      second.assertReached({&access, {}, {}});
      first.assertTrue(first.hasOtherAddress(access, second));
    };
    if (failed(ask(access.op,
                   "two work items of a subgroup give different addresses to "
                   "write to, of which only the first one's counts",
                   "address", assertDiffers)))
      return failure();
  }
  return success();
}

LogicalResult FunctionProof::checkShuffle(gpu::ShuffleOp shuffle,
                                          std::optional<int64_t> &width) {
  APInt widthValue, offsetValue;
  if (!matchPattern(shuffle.getWidth(), m_ConstantInt(&widthValue)) ||
      !matchPattern(shuffle.getOffset(), m_ConstantInt(&offsetValue)) ||
      shuffle.getMode() != gpu::ShuffleMode::XOR)
    return shuffle.emitError("unsupported shuffle");
  width = widthValue.getSExtValue();
  const int64_t offset = offsetValue.getSExtValue();
  if (*width <= 0 || offset <= 0 || offset >= *width)
    return shuffle.emitError("unsupported shuffle");
  auto size = *LaunchEncoder::getGroupSize(func);
  const int64_t count = size[0] * size[1] * size[2];
  for (int64_t item = 0; item < count; ++item)
    if ((item ^ offset) >= count)
      return shuffle.emitError("work item ")
             << item << " exchanges a value with item " << (item ^ offset)
             << ", which its group of " << count << " does not have";
  return success();
}

LogicalResult FunctionProof::askConvergence() {
  for (Operation *barrier : intervals.getBarriers())
    if (failed(askAgreement(barrier,
                            "some work items of a group do not reach this "
                            "barrier",
                            "barrier", std::nullopt)))
      return failure();
  for (Operation *exchange : intervals.getExchanges()) {
    // If their number is not known, all items of a group have to agree.
    std::optional<int64_t> width;
    if (auto shuffle = dyn_cast<gpu::ShuffleOp>(exchange);
        shuffle && failed(checkShuffle(shuffle, width)))
      return failure();
    if (failed(askAgreement(exchange,
                            "some work items of a subgroup do not reach this "
                            "exchange",
                            "exchange", width)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Races
//===----------------------------------------------------------------------===//

LogicalResult FunctionProof::askRace(const Reached &x, const Reached &y) {
  auto assertRace = [&](LaunchEncoder &launch) {
    LaunchEncoder::Group group = launch.makeGroup("group");
    LaunchEncoder::Item item = launch.makeItem(group, "item"),
                        other = launch.makeItem(group, "other");
    launch.assertDistinct(item, other);
    if (mayDifferInBlock(x, y))
      for (LaunchEncoder::Item *each : {&item, &other})
        launch.setAnyBlock(*each, numbers);
    ItemEncoder first(launch, item, x.where), second(launch, other, y.where);
    first.assertReached(x);
    second.assertReached(y);
    first.assertTrue(first.overlaps(*x.access, second, *y.access));
  };
  const bool isOfGroup =
      llvm::is_contained(func.getWorkgroupAttributions(), x.access->memory);
  return ask(x.access->op,
             isOfGroup
                 ? "two work items access an element of their group's "
                   "memory, one of them writes, and no barrier is between"
                 : "two work items of a group access an element of a "
                   "buffer, one of them writes, and no barrier is between",
             "race", assertRace,
             std::pair<Location, std::string>(y.access->op->getLoc(),
                                              "the other access is here"));
}

LogicalResult FunctionProof::askRaces() {
  SmallVector<Operation *> starts{nullptr};
  llvm::append_range(starts, intervals.getBarriers());
  for (Operation *start : starts) {
    SmallVector<Reached> reached = intervals.findFrom(start);
    for (const auto &[i, x] : llvm::enumerate(reached))
      for (const Reached &y : ArrayRef(reached).drop_front(i))
        if (conflicts(*x.access, *y.access) &&
            !intervals.getRoles().areApart(x.access->op, y.access->op) &&
            failed(askRace(x, y)))
          return failure();
  }
  // Copies of boxes across blocks are compared by their positions.
  const Roles &roles = intervals.getRoles();
  for (const MemoryAccess &access : intervals.getAccesses())
    if (access.isAsync &&
        !(roles.fillingBlocks && isa<nvgpu::TmaAsyncLoadOp>(access.op)) &&
        failed(askPending(access)))
      return failure();
  return success();
}

LogicalResult FunctionProof::askPending(const MemoryAccess &copy) {
  const Reached begin = intervals.getStart(copy);
  for (const Reached &other : intervals.findPending(copy)) {
    if (!conflicts(copy, *other.access) ||
        intervals.getRoles().areApart(copy.op, other.access->op))
      continue;
    if (failed(askRace(begin, other)))
      return failure();
    // The copy itself is one access.
    if (other.hasWaited || other.access->op == copy.op)
      continue;
    auto assertHazard = [&](LaunchEncoder &launch) {
      LaunchEncoder::Group group = launch.makeGroup("group");
      LaunchEncoder::Item item = launch.makeItem(group, "item"), later = item;
      const bool isAnyBlock = mayDifferInBlock(begin, other);
      if (isAnyBlock)
        for (LaunchEncoder::Item *each : {&item, &later})
          launch.setAnyBlock(*each, numbers);
      ItemEncoder first(launch, item, begin.where),
          second(launch, isAnyBlock ? later : item, other.where);
      first.assertReached(begin);
      second.assertReached(other);
      first.assertTrue(first.overlaps(copy, second, *other.access));
    };
    if (failed(ask(copy.op,
                   copy.isWrite
                       ? "a work item accesses an element before it has waited "
                         "for the copy that writes it"
                   : isa<nvgpu::TmaAsyncStoreOp>(copy.op)
                       ? "a work item overwrites an element before it has "
                         "waited for the store of a box that reads it"
                       : "a work item overwrites an element before it has "
                         "waited for the matrix operation that reads it",
                   "race", assertHazard,
                   std::pair<Location, std::string>(other.access->op->getLoc(),
                                                    "the access is here"))))
      return failure();
  }
  return success();
}

LogicalResult FunctionProof::askHandover(const MemoryAccess &copy,
                                         const MemoryAccess &access) {
  const Roles &roles = intervals.getRoles();
  if (!isa<nvgpu::TmaAsyncLoadOp>(copy.op))
    return copy.op->emitError("unsupported access of items that only copy");
  // What follows the loop comes after all copies, if there is one block.
  Operation *outermost = access.op;
  while (outermost->getParentOp() != roles.others &&
         outermost->getParentOp() != roles.readingBlocks)
    outermost = outermost->getParentOp();
  if (!roles.readingBlocks && roles.reading->isBeforeInBlock(outermost))
    return success();
  if (!isa<NVVM::WgmmaMmaAsyncOp>(access.op) || outermost != roles.reading) {
    InFlightDiagnostic error = access.op->emitError(
        "accesses what items that only copy write, but neither in a product of "
        "the loop that waits for it nor after that");
    error.attachNote(copy.op->getLoc()) << "the copy is here";
    return error;
  }
  // Reads of n positions before and more are over when a copy begins; those of
  // its own position and later ones begin when it is complete.
  auto assertRace = [&](LaunchEncoder &launch) {
    LaunchEncoder::Group group = launch.makeGroup("group");
    LaunchEncoder::Item item = launch.makeItem(group, "item"),
                        other = launch.makeItem(group, "other");
    const Iteration any{Iteration::any, 0};
    ItemEncoder first(launch, item, {{roles.filling, any}}),
        second(launch, other, {{roles.reading, any}});
    first.assertReached({&copy, {}, {}});
    second.assertReached({&access, {}, {}});
    Value p = first.encodeLane(roles.filled, 0),
          q = second.encodeLane(roles.read, 0);
    first.assertTrue(launch.isBelow(q, p));
    first.assertTrue(launch.isBelow(p, second.encodeSum(q, roles.buffers)));
    first.assertTrue(first.overlaps(copy, second, access));
  };
  return ask(copy.op,
             "items copy to what others read, of a position that these may not "
             "have read yet",
             "race", assertRace,
             std::pair<Location, std::string>(access.op->getLoc(),
                                              "the other access is here"));
}

LogicalResult FunctionProof::askRefill(const MemoryAccess &copy,
                                       const MemoryAccess &other) {
  // Of its own copies, the item that copies waits for none.
  if (!isa<nvgpu::TmaAsyncLoadOp>(other.op)) {
    InFlightDiagnostic error = other.op->emitError(
        "accesses what items that only copy write, but neither copies boxes "
        "nor waits for them");
    error.attachNote(copy.op->getLoc()) << "the copy is here";
    return error;
  }
  // A copy waits until the copy n positions before has been read, so only
  // copies fewer than n positions apart can meet.
  const Roles &roles = intervals.getRoles();
  auto assertRace = [&](LaunchEncoder &launch) {
    LaunchEncoder::Group group = launch.makeGroup("group");
    LaunchEncoder::Item item = launch.makeItem(group, "item"), later = item;
    const Iteration any{Iteration::any, 0};
    ItemEncoder first(launch, item, {{roles.filling, any}}),
        second(launch, later, {{roles.filling, any}});
    first.assertReached({&copy, {}, {}});
    second.assertReached({&other, {}, {}});
    Value p = first.encodeLane(roles.filled, 0),
          q = second.encodeLane(roles.filled, 0);
    first.assertTrue(copy.op == other.op
                         ? launch.isBelow(p, q)
                         : launch.isBelow(p, second.encodeSum(q, 1)));
    first.assertTrue(launch.isBelow(q, first.encodeSum(p, roles.buffers)));
    first.assertTrue(first.overlaps(copy, second, other));
  };
  return ask(copy.op,
             "items copy to what an earlier copy still writes, of a position "
             "that may not have been read yet",
             "race", assertRace,
             std::pair<Location, std::string>(other.op->getLoc(),
                                              "the later copy is here"));
}

LogicalResult FunctionProof::askDoing(
    Operation *op, const Twine &claim,
    function_ref<Doing(LaunchEncoder &, LaunchEncoder::Item &)> build) {
  const std::string text = claim.str();
  for (bool isOne : {false, true}) {
    auto assertOther = [&](LaunchEncoder &launch) {
      LaunchEncoder::Group group = launch.makeGroup("group");
      LaunchEncoder::Item item = launch.makeItem(group, "item");
      const auto [does, hasTo] = build(launch, item);
      launch.assertTrue(isOne ? does : launch.makeNot(does));
      launch.assertTrue(isOne ? launch.makeNot(hasTo) : hasTo);
    };
    if (failed(ask(op, text, "role", assertOther)))
      return failure();
  }
  return success();
}

/// The first item of each warpgroup arrives for the last position of a block.
LogicalResult FunctionProof::askLastArrival() {
  nvgpu::MBarrierArriveOp arrival = intervals.getRoles().lastArrival;
  auto guard = cast<scf::IfOp>(arrival->getParentOp());
  return askDoing(
      arrival,
      "not the first item of each warpgroup, and no other one, arrives here "
      "for the last position of a block",
      [&](LaunchEncoder &launch, LaunchEncoder::Item &item) -> Doing {
        ItemEncoder encoder(launch, item, {});
        const MemoryAccess reached{guard, {}, {}};
        encoder.assertReached({&reached, {}, {}});
        return {
            encoder.encodeLane(guard.getCondition(), 0),
            launch.isWithin(launch.getLane(item, kWarpgroupItems).term, 0, 0)};
      });
}

LogicalResult FunctionProof::askRoles() {
  const Roles &roles = intervals.getRoles();
  if (!roles.others)
    return success();
  auto buildOthers = [&](LaunchEncoder &launch,
                         LaunchEncoder::Item &item) -> Doing {
    ItemEncoder encoder(launch, item, {});
    scf::IfOp others = roles.others;
    return {encoder.encodeLane(others.getCondition(), 0),
            launch.isWithin(launch.getLinear(item), 0, roles.items - 1)};
  };
  if (failed(askDoing(roles.others,
                      "not the first " + Twine(roles.items) +
                          " items of a group, and no others, do this",
                      buildOthers)))
    return failure();
  // Paths through one part say nothing of items that took the other one.
  for (const MemoryAccess &access : intervals.getAccesses()) {
    Operation *outermost = access.op;
    while (outermost->getParentOp() != func)
      outermost = outermost->getParentOp();
    scf::IfOp others = roles.others;
    if (!roles.getRole(access.op) && others->isBeforeInBlock(outermost))
      return access.op->emitError("unsupported access after what only some "
                                  "items do");
  }
  if (!roles.filling) {
    for (const MemoryAccess &access : intervals.getAccesses())
      if (roles.copying && roles.getRole(access.op) == roles.copying)
        return access.op->emitError("unsupported access of items that do "
                                    "nothing else");
    return success();
  }
  auto buildArrival = [&](LaunchEncoder &launch,
                          LaunchEncoder::Item &item) -> Doing {
    scf::ForOp reading = roles.reading;
    ItemEncoder encoder(launch, item, {{reading, {Iteration::any, 0}}});
    nvgpu::MBarrierArriveOp arrival = roles.arrival;
    auto guard = cast<scf::IfOp>(arrival->getParentOp());
    const MemoryAccess reached{guard, {}, {}};
    encoder.assertReached({&reached, {}, {}});
    return {
        encoder.encodeLane(guard.getCondition(), 0),
        launch.makeAnd(
            launch.isWithin(launch.getLane(item, kWarpgroupItems).term, 0, 0),
            launch.makeNot(launch.isWithin(
                encoder.encodeLane(reading.getInductionVar(), 0), 0,
                roles.behind - 1)))};
  };
  if (failed(askDoing(roles.arrival,
                      "not the first item of each warpgroup, and no other one, "
                      "arrives here for each position that was read",
                      buildArrival)))
    return failure();
  auto assertSecond = [&](LaunchEncoder &launch) {
    LaunchEncoder::Group group = launch.makeGroup("group");
    LaunchEncoder::Item item = launch.makeItem(group, "item"),
                        other = launch.makeItem(group, "other");
    launch.assertDistinct(item, other);
    ItemEncoder first(launch, item, {}), second(launch, other, {});
    const MemoryAccess reached{roles.filling, {}, {}};
    first.assertReached({&reached, {}, {}});
    second.assertReached({&reached, {}, {}});
  };
  if (failed(ask(roles.filling, "two items fill the same buffers", "role",
                 assertSecond)))
    return failure();
  if (roles.lastArrival && failed(askLastArrival()))
    return failure();
  if (roles.fillingBlocks)
    for (const MemoryAccess &copy : intervals.getAccesses())
      for (const MemoryAccess &other : intervals.getAccesses())
        if (isa<nvgpu::TmaAsyncLoadOp>(copy.op) && conflicts(copy, other) &&
            roles.getRole(other.op) != roles.others &&
            failed(askRefill(copy, other)))
          return failure();
  for (const MemoryAccess &copy : intervals.getAccesses())
    for (const MemoryAccess &access : intervals.getAccesses())
      if (roles.getRole(copy.op) == roles.copying &&
          roles.getRole(access.op) == roles.others && conflicts(copy, access) &&
          failed(askHandover(copy, access)))
        return failure();
  return success();
}

LogicalResult FunctionProof::askGroups() {
  if (LaunchEncoder::hasOneGroup(func))
    return success();
  ArrayRef<MemoryAccess> accesses = intervals.getAccesses();
  for (const auto &[i, x] : llvm::enumerate(accesses))
    for (const MemoryAccess &y : accesses.drop_front(i)) {
      if (!conflicts(x, y) ||
          llvm::is_contained(func.getWorkgroupAttributions(), x.memory))
        continue;
      scf::ForOp blocks = numbers.blocks;
      const bool areOfBlocks =
          !blocks || (blocks->isAncestor(x.op) && blocks->isAncestor(y.op));
      auto assertRace = [&](LaunchEncoder &launch) {
        LaunchEncoder::Group group = launch.makeGroup("group"),
                             otherGroup = launch.makeGroup("other.group");
        if (areOfBlocks)
          launch.assertDistinct(group, otherGroup, numbers);
        else
          launch.assertDistinct(group, otherGroup);
        LaunchEncoder::Item item = launch.makeItem(group, "item"),
                            other = launch.makeItem(otherGroup, "other");
        ItemEncoder first(launch, item, {}), second(launch, other, {});
        first.assertReached({&x, {}, {}});
        second.assertReached({&y, {}, {}});
        first.assertTrue(first.overlaps(x, second, y));
      };
      if (failed(ask(x.op,
                     "two groups access an element of a buffer, and one of "
                     "them writes",
                     "groups", assertRace,
                     std::pair<Location, std::string>(
                         y.op->getLoc(), "the other access is here"))))
        return failure();
    }
  return success();
}

LogicalResult FunctionProof::ask() {
  if (func.isExternal())
    return success();
  if (failed(checkFunction()) || failed(intervals.collect()))
    return failure();
  FailureOr<GroupNumbers> found =
      findGroupNumbers(func, findLoopOverBlocks(func, intervals.getRoles()));
  if (failed(found))
    return failure();
  numbers = std::move(*found);
  return failure(failed(askPermutations()) || failed(askBounds()) ||
                 failed(askConvergence()) || failed(askRoles()) ||
                 failed(askAddresses()) || failed(askRaces()) ||
                 failed(askGroups()));
}

LogicalResult mlir::tg::verifyGPUKernels(ModuleOp module,
                                         const ProofOptions &options,
                                         llvm::StringMap<unsigned> &proved) {
  SmallVector<ProofQuestion> questions;
  for (auto gpuModule : module.getOps<gpu::GPUModuleOp>())
    for (auto func : gpuModule.getOps<gpu::GPUFuncOp>())
      if (failed(FunctionProof(func, questions).ask()))
        return failure();
  return proveAll(questions, options, proved);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct TgVerifyGPUKernelsPass
    : public tg::impl::TgVerifyGPUKernelsBase<TgVerifyGPUKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    llvm::StringMap<unsigned> proved;
    ProofOptions options{solver, timeout, /*hasSmallBounds=*/true, answers};
    if (failed(verifyGPUKernels(getOperation(), options, proved)))
      return signalPassFailure();
    if (printCounts)
      printProved(proved);
  }
};
} // namespace
