//===- MergeKernels.cpp - merging two kernels -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Copies both bodies into one block. Result ranges are unified by position,
/// reduction ranges if they index the same operand; equal operations are
/// merged. A load of what the first kernel stores becomes the stored value. All
/// stores come last.
///
//===----------------------------------------------------------------------===//

#include "MergeKernels.h"
#include "../OperationSet.h"
#include "../Optimize/DivideDepth.h"
#include "../Optimize/KernelSchedule.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::tg;

/// Limits of a merged kernel. Each buffer is a memory stream, of which hardware
/// prefetchers follow 16 to 32; larger bodies exceed the registers.
constexpr size_t kMaxOutputs = 8, kMaxBuffers = 16, kMaxRanges = 24;
constexpr int64_t kMaxOps = 500;
/// The least fraction of the smaller kernel's memory traffic that merging must
/// save.
constexpr double kMinShare = 1.0 / 16;
/// Above this number of bytes, a kernel with few positions would have too few
/// work items.
constexpr double kParallelBytes = 64 << 10;
/// Adjacent elements of this size fit one vector on most processors.
constexpr double kVectorBytes = 32;
/// Kernels with equal ranges and a common producer are merged even without
/// common operands if neither has more steps than this, since their inputs are
/// in a cache. For larger ones, two streams at a time are not faster than one
/// after the other.
constexpr double kFewSteps = 1 << 18;

//===----------------------------------------------------------------------===//
// Properties of one kernel
//===----------------------------------------------------------------------===//

static double countPositions(ArrayRef<Value> ranges) {
  double count = 1;
  for (Value range : ranges)
    count *= static_cast<double>(std::max<int64_t>(
        range.getDefiningOp<RangeOp>().getLargestExtent(), 1));
  return count;
}

static double countBytes(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  return static_cast<double>(type.getNumElements()) *
         static_cast<double>(
             llvm::divideCeil(type.getElementTypeBitWidth(), 8));
}

static Value getValue(RangeOp range) { return range.getResult(); }

/// The number of bytes that an access touches.
static double countBytes(IndexAnalysis &analysis, Value buffer, Value index) {
  auto type = cast<MemRefType>(buffer.getType());
  return std::min(countBytes(buffer),
                  countPositions(analysis.getRanges(index)) *
                      static_cast<double>(
                          llvm::divideCeil(type.getElementTypeBitWidth(), 8)));
}

/// Whether the value depends on a load.
static bool dependsOnMemory(Value value) {
  SmallVector<Value> work{value};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || !seen.insert(op).second)
      continue;
    if (isa<LoadOp>(op))
      return true;
    llvm::append_range(work, op->getOperands());
  }
  return false;
}

/// Whether the reduce reads an operand that is invariant along one of the
/// result ranges the reduce depends on, so that a register tile reuses it. If
/// it also reads one that has an element for each position (the gradient of a
/// scale by which rows were multiplied), that takes the time.
static bool reusesOperands(RangedReduceOp reduce, IndexAnalysis &analysis) {
  ArrayRef<Value> ofResult = analysis.getRanges(reduce.getResult());
  bool isReused = false;
  for (Operation *op : KernelSchedule::getSlice(reduce.getValue())) {
    auto load = dyn_cast<LoadOp>(op);
    if (!load)
      continue;
    ArrayRef<Value> ofLoad = analysis.getRanges(load.getResult());
    auto isOfLoad = [&](Value range) {
      return llvm::is_contained(ofLoad, range);
    };
    const bool hasAll = llvm::all_of(ofResult, isOfLoad);
    if (hasAll && llvm::all_of(reduce.getRanges(), isOfLoad))
      return false;
    isReused |= !hasAll && llvm::any_of(reduce.getRanges(), isOfLoad);
  }
  return isReused;
}

/// Whether each store is an update over the innermost result range, and over no
/// other range.
static bool updatesAlongLastRange(const KernelInfo &info) {
  return info.reduceRanges.empty() && !info.resultRanges.empty() &&
         llvm::all_of(info.stores, [&](StoreOp store) {
           return store.getUpdate() && store.getRanges().size() == 1 &&
                  store.getRanges().front() ==
                      getValue(info.resultRanges.back());
         });
}

KernelInfo::KernelInfo(KernelOp kernel) : kernel(kernel) {
  if (kernel.isExternal() || kernel.getBody().front().empty()) {
    obstacle = "it has no body";
    return;
  }
  for (Type type : kernel.getArgumentTypes())
    if (!cast<MemRefType>(type).hasStaticShape()) {
      obstacle = "the size of a buffer is not known";
      return;
    }
  stores.resize(static_cast<size_t>(kernel.getOutputs()));
  DenseSet<Value> closed;
  for (auto reduce : kernel.getBody().getOps<RangedReduceOp>())
    closed.insert_range(reduce.getRanges());
  for (Operation &op : kernel.getBody().front()) {
    ++numOps;
    if (auto range = dyn_cast<RangeOp>(op)) {
      if (range.getKind() != RangeKind::loop || range.getPeel())
        obstacle = "it is scheduled already";
      (closed.contains(range) ? reduceRanges : resultRanges).push_back(range);
    } else if (auto load = dyn_cast<LoadOp>(op)) {
      if (load.getPrefetch())
        obstacle = "it is scheduled already";
      bytes += countBytes(analysis, load.getBuffer(), load.getIndex());
    } else if (auto store = dyn_cast<StoreOp>(op)) {
      if (store.getNontemporal() || store.getPrefetch())
        obstacle = "it is scheduled already";
      bytes += countBytes(analysis, store.getBuffer(), store.getIndex());
      auto argument = cast<BlockArgument>(store.getBuffer());
      StoreOp &known = stores[argument.getArgNumber()];
      if (known)
        obstacle = "it stores to one buffer in two places";
      known = store;
      isUpdate |= store.getUpdate().has_value();
      if (!store.getUpdate() &&
          (dependsOnMemory(store.getIndex()) ||
           (store.getMask() && dependsOnMemory(store.getMask()))))
        obstacle = "its store positions depend on the contents of memory";
    } else if (auto reduce = dyn_cast<RangedReduceOp>(op)) {
      if (reusesOperands(reduce, analysis)) {
        isTiled = true;
        isDeep |= !resultRanges.empty() &&
                  getLongestPass(reduce, resultRanges, analysis,
                                 getTargetFacts(kernel));
      }
    } else if (!isa<ConstOp, DimOp>(op) &&
               !op.hasTrait<OpTrait::Elementwise>()) {
      obstacle = ("it has a '" + op.getName().getStringRef() + "'").str();
    }
  }
  if (llvm::is_contained(stores, StoreOp()))
    obstacle = "it does not store to each output";
  else if (isUpdate && !updatesAlongLastRange(*this))
    obstacle = "the order of its positions matters";
  positions = countPositions(llvm::map_to_vector(resultRanges, getValue));
  steps =
      positions * countPositions(llvm::map_to_vector(reduceRanges, getValue));
}

//===----------------------------------------------------------------------===//
// Merging
//===----------------------------------------------------------------------===//

namespace {

class Merger {
public:
  explicit Merger(const MergeRequest &request)
      : request(request), first(*request.first), second(*request.second),
        target(getTargetFacts(first.kernel)) {}

  MergedKernel run();

private:
  /// A store of the merged kernel; stores are keyed by slot.
  struct Store {
    Value value, index, mask;
    bool isOfSecond = false;
    StoreOp from;
  };

  bool chooseSpace();
  bool chooseUpdates();
  bool areSmallSiblings();
  bool checkSize();
  void createKernel();
  void createRanges();
  Value matchRange(RangeOp range);
  bool cloneBody(KernelInfo &from, bool isSecond);
  bool cloneLoad(LoadOp load, bool isSecond);
  Value forward(LoadOp load, const Store &store);
  bool addStore(StoreOp from, bool isSecond);
  bool createStores();
  bool checkReads();
  bool checkEmptyRanges();
  bool isSameIndex(Value a, Value b);
  double countSharedRows();
  bool isWorthIt();
  void cleanUp();

  unsigned getSlot(Value buffer, bool isSecond) {
    unsigned number = cast<BlockArgument>(buffer).getArgNumber();
    return (isSecond ? request.secondSlots : request.firstSlots)[number];
  }
  bool isOld(Value buffer, bool isSecond) {
    unsigned number = cast<BlockArgument>(buffer).getArgNumber();
    return (isSecond ? request.isSecondOld : request.isFirstOld)[number];
  }
  bool fail(const Twine &reason) {
    result.reason = reason.str();
    return false;
  }

  const MergeRequest &request;
  KernelInfo &first, &second;
  const TargetFacts &target;
  /// The kernel whose ranges the merged one has, and the other one.
  KernelInfo *wide = nullptr, *narrow = nullptr;
  /// Whether the narrow one has fewer result ranges: it stores once per row.
  bool isByRow = false;
  /// Whether both are small kernels of equal shape with a common producer,
  /// where a launch costs more than the work.
  bool isSibling = false;

  MergedKernel result;
  Block *block = nullptr;
  OpBuilder builder{static_cast<MLIRContext *>(nullptr)};
  IndexAnalysis analysis;
  /// The argument for each slot.
  SmallVector<BlockArgument> arguments;
  /// Maps values of both kernels to those of the merged one.
  IRMapping mapping;
  /// Includes loads, since all loads precede all stores.
  OperationSet known;
  SmallVector<LoadOp> loads;
  llvm::MapVector<unsigned, Store> stores;
  double savedBytes = 0;
};

} // namespace

bool Merger::isSameIndex(Value a, Value b) {
  if (a == b)
    return true;
  const LinearForm form = analysis.getLinear(a); // the next one may move it
  return form == analysis.getLinear(b);
}

static bool haveEqualExtents(ArrayRef<RangeOp> a, ArrayRef<RangeOp> b) {
  return llvm::equal(a, b, [](RangeOp a, RangeOp b) {
    return a.getExtentDim() == b.getExtentDim();
  });
}

bool Merger::areSmallSiblings() {
  return request.haveProducer && first.steps <= kFewSteps &&
         haveEqualExtents(first.resultRanges, second.resultRanges) &&
         haveEqualExtents(first.reduceRanges, second.reduceRanges);
}

/// Updates of two buffers can share the loop over the updates, which keeps the
/// order of each. Both must have the same work items (C8 of the kernel
/// verifier), so the additional axes of one of them become lanes.
bool Merger::chooseUpdates() {
  if (!first.isUpdate || !second.isUpdate)
    return fail("the order of positions matters to one of them");
  ArrayRef<RangeOp> all = wide->resultRanges, few = narrow->resultRanges;
  ArrayRef<RangeOp> rest = all.drop_front(few.size() - 1).drop_back();
  if (!haveEqualExtents(few.take_back(), all.take_back()) ||
      !haveEqualExtents(few.drop_back(), all.take_front(few.size() - 1)))
    return fail("their results have different positions");
  double bytes = 0;
  for (StoreOp store : wide->stores)
    bytes = std::max(
        bytes, llvm::divideCeil(
                   store.getValue().getType().getIntOrFloatBitWidth(), 8) *
                   countPositions(llvm::map_to_vector(rest, getValue)));
  if (!rest.empty() && bytes > kVectorBytes)
    return fail("a work item of one kernel would have to update elements of "
                "several of the other");
  return true;
}

/// Maps the positions of the narrow kernel to those of the wide one: of the
/// same shape, flattened into one range, or one position per row.
bool Merger::chooseSpace() {
  wide = &first;
  narrow = &second;
  if (first.resultRanges.size() < second.resultRanges.size())
    std::swap(wide, narrow);
  ArrayRef<RangeOp> all = wide->resultRanges, few = narrow->resultRanges;
  if (first.isUpdate || second.isUpdate)
    return chooseUpdates();
  isSibling = areSmallSiblings();
  if (haveEqualExtents(few, all.take_front(few.size()))) {
    isByRow = few.size() < all.size();
    if (!isByRow)
      return true;
    if (few.empty() || (narrow->positions < double(target.parallelItems) &&
                        wide->bytes > kParallelBytes))
      return fail("too few parallel positions would be left");
    return true;
  }
  Dim total(first.kernel.getContext(), 1);
  for (RangeOp range : all)
    total = total * range.getExtentDim();
  if (few.size() != 1 || !total.isStatic() ||
      RangeOp(few[0]).getExtentDim() != total)
    return fail("their results have different positions");
  return true;
}

bool Merger::checkSize() {
  if (first.numOps + second.numOps > kMaxOps)
    return fail("the kernel would be large");
  DenseSet<unsigned> outputs, buffers;
  for (auto [info, slots] : {std::pair(&first, &request.firstSlots),
                             std::pair(&second, &request.secondSlots)}) {
    buffers.insert_range(*slots);
    for (size_t i = 0; i < info->stores.size(); ++i)
      if (!request.isTemporary[(*slots)[i]])
        outputs.insert((*slots)[i]);
  }
  if (outputs.size() > kMaxOutputs || buffers.size() > kMaxBuffers)
    return fail("the kernel would have too many buffers");
  if (first.resultRanges.size() + first.reduceRanges.size() +
          second.resultRanges.size() + second.reduceRanges.size() >
      kMaxRanges)
    return fail("the kernel would have too many ranges");
  // A register tile needs the registers and determines the loops.
  if ((first.isTiled && (isByRow || !second.reduceRanges.empty())) ||
      (second.isTiled && (isByRow || !first.reduceRanges.empty())))
    return fail("a register tile of results would lose registers");
  if (first.isDeep || second.isDeep)
    return fail("the sum of a deep product is divided into passes");
  return true;
}

/// The name without suffixes added by merging or scheduling.
static StringRef getBaseName(KernelOp kernel) {
  StringRef name = kernel.getName();
  for (StringRef suffix : {"_x", "_n"}) {
    StringRef rest = name.rtrim("0123456789");
    if (rest.size() < name.size() && rest.consume_back(suffix))
      return rest;
  }
  return name;
}

void Merger::createKernel() {
  MLIRContext *context = first.kernel.getContext();
  builder = OpBuilder(context);
  SmallVector<Type> types;
  for (auto [info, slots] : {std::pair(&first, &request.firstSlots),
                             std::pair(&second, &request.secondSlots)})
    for (auto [slot, type] :
         llvm::zip_equal(*slots, info->kernel.getArgumentTypes())) {
      if (types.size() <= slot)
        types.resize(slot + 1);
      types[slot] = type;
    }
  result.kernel = KernelOp::create(
      builder,
      builder.getFusedLoc({first.kernel.getLoc(), second.kernel.getLoc()}),
      getBaseName(wide->kernel), types, /*outputs=*/0);
  block = &result.kernel.getBody().front();
  builder.setInsertionPointToEnd(block);
  llvm::append_range(arguments, block->getArguments());
}

/// Finds a reduction range of the first kernel along which the same operands
/// are read as along \p range of the second one, or null. Siblings share loops
/// in any case.
Value Merger::matchRange(RangeOp range) {
  auto getUses = [](KernelInfo &info, RangeOp range, ArrayRef<unsigned> slots) {
    SmallVector<std::pair<unsigned, int64_t>> uses;
    for (auto load : info.kernel.getBody().getOps<LoadOp>())
      if (int64_t stride =
              info.analysis.getLinear(load.getIndex()).getCoefficient(range))
        uses.push_back(
            {slots[cast<BlockArgument>(load.getBuffer()).getArgNumber()],
             stride});
    return uses;
  };
  auto wanted = getUses(second, range, request.secondSlots);
  Value best;
  int64_t most = isSibling ? -1 : 0;
  for (RangeOp candidate : first.reduceRanges) {
    if (candidate.getExtentDim() != range.getExtentDim())
      continue;
    Value merged = mapping.lookup(candidate.getResult());
    if (llvm::any_of(second.reduceRanges, [&](RangeOp other) {
          return mapping.lookupOrNull(other.getResult()) == merged;
        }))
      continue;
    const int64_t count = llvm::count_if(
        getUses(first, candidate, request.firstSlots),
        [&](auto use) { return llvm::is_contained(wanted, use); });
    if (count > most) {
      most = count;
      best = merged;
    }
  }
  return best;
}

/// Creates the result ranges, then the reduction ranges, in loop order.
void Merger::createRanges() {
  int64_t id = 0;
  auto create = [&](RangeOp range) {
    auto merged = RangeOp::create(builder, range.getLoc(), id++,
                                  RangeKind::loop, range.getExtentDim());
    mapping.map(range.getResult(), merged.getResult());
  };
  for (RangeOp range : wide->resultRanges)
    create(range);
  for (RangeOp range : first.reduceRanges)
    create(range);
  for (RangeOp range : second.reduceRanges) {
    if (Value merged = matchRange(range))
      mapping.map(range.getResult(), merged);
    else
      create(range);
  }
  ArrayRef<RangeOp> all = wide->resultRanges, few = narrow->resultRanges;
  if (first.isUpdate) {
    mapping.map(getValue(few.back()), mapping.lookup(getValue(all.back())));
    few = few.drop_back();
  }
  if (isByRow || first.isUpdate || few.size() == all.size()) {
    for (size_t i = 0; i < few.size(); ++i)
      mapping.map(getValue(few[i]), mapping.lookup(getValue(all[i])));
    return;
  }
  // A single range for the flattened positions.
  IndexBuilder index(builder, result.kernel.getLoc());
  LinearForm form(builder.getContext());
  int64_t stride = 1;
  for (RangeOp range : llvm::reverse(all)) {
    form.addTerm(mapping.lookup(range.getResult()), stride);
    stride *= range.getLargestExtent();
  }
  mapping.map(getValue(few[0]), index.get(form));
}

/// The stored value that replaces a load of the same position; null if the
/// positions cannot be proved equal.
Value Merger::forward(LoadOp load, const Store &store) {
  Value mask = load.getMask();
  if (first.isUpdate || !isSameIndex(load.getIndex(), store.index) ||
      (store.mask && store.mask != mask))
    return Value();
  if (!mask)
    return store.value;
  Value zero =
      ConstOp::create(builder, load.getLoc(), load.getType(), int64_t(0));
  return WhereOp::create(builder, load.getLoc(), load.getType(), mask,
                         store.value, zero);
}

/// Merges or keeps a load; it is at the end of the block, with its new
/// operands.
bool Merger::cloneLoad(LoadOp load, bool isSecond) {
  const unsigned slot = getSlot(load.getBuffer(), isSecond);
  auto copy = cast<LoadOp>(builder.clone(*load, mapping));
  copy.getBufferMutable().assign(arguments[slot]);
  auto replace = [&](Value by) {
    mapping.map(load.getResult(), by);
    savedBytes += countBytes(analysis, copy.getBuffer(), copy.getIndex());
    copy.erase();
  };
  auto store = stores.find(slot);
  if (isSecond && store != stores.end() && !isOld(load.getBuffer(), true)) {
    Value value = forward(copy, store->second);
    if (!value)
      return fail("the second kernel reads what the first one stores at other "
                  "positions");
    replace(value);
    return true;
  }
  for (LoadOp other : loads)
    if (other.getBuffer() == copy.getBuffer() &&
        other.getMask() == copy.getMask() &&
        isSameIndex(other.getIndex(), copy.getIndex())) {
      replace(other);
      return true;
    }
  loads.push_back(copy);
  return true;
}

bool Merger::addStore(StoreOp from, bool isSecond) {
  Store store{mapping.lookupOrDefault(from.getValue()),
              mapping.lookupOrDefault(from.getIndex()),
              from.getMask() ? mapping.lookupOrDefault(from.getMask())
                             : Value(),
              isSecond, from};
  auto [it, isNew] =
      stores.insert({getSlot(from.getBuffer(), isSecond), store});
  if (isNew)
    return true;
  // The second store must overwrite all that the first one stores.
  if (isByRow || first.isUpdate || it->second.mask != store.mask ||
      !isSameIndex(it->second.index, store.index))
    return fail("both kernels store to one buffer");
  savedBytes += countBytes(analysis, arguments[it->first], store.index);
  it->second = store;
  return true;
}

bool Merger::cloneBody(KernelInfo &from, bool isSecond) {
  for (Operation &op : from.kernel.getBody().front()) {
    if (isa<RangeOp, StoreOp>(op))
      continue;
    if (auto load = dyn_cast<LoadOp>(op)) {
      if (!cloneLoad(load, isSecond))
        return false;
      continue;
    }
    Operation *copy = builder.clone(op, mapping);
    auto [it, isNew] = known.insert(copy);
    if (isNew)
      continue;
    mapping.map(op.getResults(), (*it)->getResults());
    copy->erase();
  }
  return llvm::all_of(from.stores,
                      [&](StoreOp store) { return addStore(store, isSecond); });
}

bool Merger::createStores() {
  for (auto &[slot, store] : stores) {
    const bool isRead = llvm::any_of(loads, [&](LoadOp load) {
      return load.getBuffer() == arguments[slot];
    });
    if (request.isTemporary[slot] && !isRead) {
      savedBytes += countBytes(analysis, arguments[slot], store.index);
      continue;
    }
    SmallVector<Value> over =
        llvm::map_to_vector(store.from.getRanges(),
                            [&](Value range) { return mapping.lookup(range); });
    StoreOp::create(builder, store.from.getLoc(), store.value, arguments[slot],
                    store.index, store.mask, store.from.getUpdateAttr(), over,
                    /*nontemporal=*/false, /*prefetch=*/IntegerAttr(),
                    /*as_tma=*/false);
  }
  return true;
}

/// A kernel in place may read a buffer that it writes only at the position it
/// writes in the same step, where the old value is still available.
bool Merger::checkReads() {
  bool isRead = false;
  for (LoadOp load : loads) {
    auto store =
        stores.find(cast<BlockArgument>(load.getBuffer()).getArgNumber());
    if (store == stores.end())
      continue;
    isRead = true;
    if (first.isUpdate || !isSameIndex(load.getIndex(), store->second.index))
      return fail("one kernel reads what the other one overwrites at other "
                  "positions");
  }
  if (isRead && isByRow)
    return fail("one kernel reads row by row what the other one overwrites");
  result.kernel.setInPlace(first.kernel.getInPlace() ||
                           second.kernel.getInPlace() || isRead);
  return true;
}

/// The result ranges that an index depends on.
static DenseSet<Operation *> findRanges(Value index) {
  DenseSet<Operation *> ranges, seen;
  SmallVector<Value> work{index};
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || !seen.insert(op).second)
      continue;
    if (isa<RangeOp>(op))
      ranges.insert(op);
    llvm::append_range(work, op->getOperands());
  }
  return ranges;
}

/// A launch of groups along a range without positions has no groups, so that
/// nothing is stored that does not depend on the range either.
bool Merger::checkEmptyRanges() {
  if (target.groupItems == 0)
    return true;
  SmallVector<DenseSet<Operation *>> ranges;
  for (auto &[slot, store] : stores)
    ranges.push_back(findRanges(store.index));
  for (const DenseSet<Operation *> &own : ranges)
    for (Operation *op : own)
      if (cast<RangeOp>(op).getExtentDim().getMin() <= 0 &&
          llvm::any_of(ranges, [&](const DenseSet<Operation *> &others) {
            return !others.contains(op);
          }))
        return fail("one kernel may store nothing, while the other one does");
  return true;
}

/// The bytes of rows that one kernel reads in a reduction and the other along
/// its result: for the second one they are in a cache.
double Merger::countSharedRows() {
  if (!isByRow)
    return 0;
  double bytes = 0;
  DenseSet<Value> seen;
  auto getRow = [&](LoadOp load, LinearForm &ofRow) {
    SmallVector<std::pair<int64_t, int64_t>> inRow;
    ofRow = analysis.getLinear(load.getIndex());
    for (auto [atom, stride] : analysis.getLinear(load.getIndex()).terms) {
      auto range = atom.getDefiningOp<RangeOp>();
      const bool isOuter = llvm::any_of(narrow->resultRanges, [&](RangeOp of) {
        return mapping.lookup(of.getResult()) == atom;
      });
      std::optional<int64_t> step = stride.getStatic();
      if (!range || !step || isOuter)
        continue;
      inRow.push_back({*step, range.getLargestExtent()});
      ofRow.addTerm(atom, -*step);
    }
    llvm::sort(inRow);
    return inRow;
  };
  for (auto [i, a] : llvm::enumerate(loads))
    for (LoadOp b : ArrayRef<LoadOp>(loads).drop_front(i + 1)) {
      LinearForm rowOfA(builder.getContext()), rowOfB(builder.getContext());
      if (a.getBuffer() != b.getBuffer() ||
          getRow(a, rowOfA) != getRow(b, rowOfB))
        continue;
      rowOfA.subtract(rowOfB);
      const double all = countBytes(analysis, a.getBuffer(), a.getIndex());
      if (rowOfA.getNumber() == 0 &&
          all / narrow->positions <= double(target.l2Bytes) / 4 &&
          seen.insert(a.getBuffer()).second)
        bytes += all;
    }
  return bytes;
}

bool Merger::isWorthIt() {
  result.savedBytes = savedBytes + countSharedRows();
  if (isSibling)
    return true;
  if (result.savedBytes < kMinShare * std::min(first.bytes, second.bytes))
    return fail("they have too little in common");
  // Merging with a kernel in place loses non-temporal stores of large results.
  double lost = 0;
  for (auto &[slot, store] : stores) {
    KernelInfo &from = store.isOfSecond ? second : first;
    const double bytes = countBytes(arguments[slot]);
    if (result.kernel.getInPlace() && !from.kernel.getInPlace() &&
        bytes >= double(target.cacheBytes))
      lost += bytes;
  }
  result.savedBytes -= lost;
  if (result.savedBytes <= 0)
    return fail("large results would be stored through the caches");
  return true;
}

/// Erases unused operations and puts outputs before inputs.
void Merger::cleanUp() {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block)))
    if (op.use_empty() && !isa<StoreOp>(op))
      op.erase();
  SmallVector<unsigned> order;
  auto isStored = [](BlockArgument argument) {
    return llvm::any_of(argument.getUsers(), llvm::IsaPred<StoreOp>);
  };
  for (BlockArgument argument : arguments)
    if (isStored(argument))
      order.push_back(argument.getArgNumber());
  result.kernel.setOutputs(static_cast<int64_t>(order.size()));
  for (BlockArgument argument : arguments)
    if (!isStored(argument) && !argument.use_empty())
      order.push_back(argument.getArgNumber());
  for (unsigned slot : order)
    arguments[slot].replaceAllUsesWith(block->addArgument(
        arguments[slot].getType(), arguments[slot].getLoc()));
  block->eraseArguments(0, arguments.size());
  result.kernel.setFunctionType(
      builder.getFunctionType(block->getArgumentTypes(), TypeRange()));
  result.kernel.setName(
      (result.kernel.getName() + "_x" + Twine(result.kernel.getOutputs()))
          .str());
  result.slots = order;
}

MergedKernel Merger::run() {
  if (!chooseSpace() || !checkSize())
    return result;
  createKernel();
  createRanges();
  if (cloneBody(first, false) && cloneBody(second, true) && checkReads() &&
      checkEmptyRanges() && createStores() && isWorthIt()) {
    cleanUp();
    return result;
  }
  result.kernel->erase();
  result.kernel = KernelOp();
  return result;
}

MergedKernel mlir::tg::mergeKernels(const MergeRequest &request) {
  return Merger(request).run();
}
