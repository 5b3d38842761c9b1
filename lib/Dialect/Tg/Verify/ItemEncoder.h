//===- ItemEncoder.h - work items of a GPU as SMT terms ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Translates what work items compute to operations of the smt dialect: those
/// of one launch have the same values of variables, those of one group the same
/// number of the group and the same iterations of loops with barriers.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_VERIFY_ITEMENCODER_H
#define TINYGRAD_LIB_DIALECT_TG_VERIFY_ITEMENCODER_H

#include "GroupNumbers.h"
#include "Intervals.h"
#include "LoopEncoder.h"

#include <array>

namespace mlir::tg {

/// The values of variables, and numbers of groups and items.
class LaunchEncoder : public SmtEncoder {
public:
  using SmtEncoder::Term;
  struct Group {
    std::array<Term, 3> numbers;
    /// What is computed from these, if it is known otherwise.
    DenseMap<Value, Term> computed;
    /// The iterations in which an interval begins.
    DenseMap<Operation *, Term> positions;
  };
  struct Item {
    Group *group;
    std::array<Term, 3> numbers;
    /// If it may be at any block of results of its group: what is computed from
    /// the number of a block, and what that is at iterations of the loop over
    /// blocks, of which nothing relates one to another.
    const GroupNumbers *anyBlock = nullptr;
    struct Computed {
      Value value;
      Iteration iteration;
      Term term;
    };
    SmallVector<Computed, 4> computed;
    /// Any iterations of loops.
    DenseMap<Operation *, Term> positions;
  };

  LaunchEncoder(OpBuilder &builder, gpu::GPUFuncOp func);

  /// \p name distinguishes groups and items in counterexamples.
  Group makeGroup(StringRef name);
  Item makeItem(Group &group, StringRef name);
  void assertDistinct(const Group &x, const Group &y);
  /// Asserts the same of groups whose numbers along x and y are only known by
  /// what is computed from them.
  void assertDistinct(Group &x, Group &y, const GroupNumbers &numbers);
  /// Lets an item be at any block of results of its group. \p numbers has to
  /// live as long as the item.
  void setAnyBlock(Item &item, const GroupNumbers &numbers) {
    item.anyBlock = &numbers;
  }
  void assertDistinct(const Item &x, const Item &y);
  /// Asserts that items of one group are in one subgroup of \p width items.
  void assertSameSubgroup(const Item &x, const Item &y, int64_t width);
  /// The number of an item among those of its group.
  Value getLinear(const Item &item);
  /// The number of an item among the \p width items of its subgroup.
  Term getLane(const Item &item, int64_t width);

  OpBuilder &getBuilder() { return b; }
  gpu::GPUFuncOp getFunction() { return func; }
  const std::array<Term, 3> &getGroupCounts() const { return counts; }
  const std::array<int64_t, 3> &getGroupSize() const { return size; }
  std::optional<Term> getArgument(BlockArgument argument) const;

  /// The number of items in each direction; none if it is not known.
  static std::optional<std::array<int64_t, 3>> getGroupSize(gpu::GPUFuncOp);
  /// Whether there is only one group, whatever the variables are.
  static bool hasOneGroup(gpu::GPUFuncOp func);

private:
  void assertDistinct(const std::array<Term, 3> &x,
                      const std::array<Term, 3> &y);

  gpu::GPUFuncOp func;
  std::array<Term, 3> counts;
  std::array<int64_t, 3> size;
  DenseMap<Value, Term> arguments;
};

/// What one item computes at some iterations of loops.
class ItemEncoder final : public LoopEncoder {
public:
  ItemEncoder(LaunchEncoder &launch, LaunchEncoder::Item &item,
              const Iterations &where)
      : LoopEncoder(launch.getBuilder(), launch.getFunction().getLoc(),
                    launch.getFunction()),
        launch(launch), item(item), where(where) {
    shareVariables(launch);
  }

  /// Asserts that the item gets to the operation.
  void assertReached(const Reached &reached);
  void assertFact(const PathFact &fact);
  /// The number of an element: the term of what is added to a constant.
  struct Element {
    Term base;
    __int128 offset;
  };
  /// The first element of an access.
  Element getFirstElement(const MemoryAccess &access);
  /// Whether an access is outside of its memory. \p elements is how many it
  /// has, unless there is an index for each axis of its type.
  Value isOutside(const MemoryAccess &access, Dim elements);
  /// Whether an access of permuted memory is of elements of two chunks.
  Value crossesChunk(const MemoryAccess &access);
  /// Whether the first element is at no multiple of `count`.
  Value beginsWithin(const MemoryAccess &access, int64_t count);
  /// Whether the accesses of two items have an element in common. The formula
  /// names the distance of the offsets only: it is the same for many pairs.
  Value overlaps(const MemoryAccess &access, ItemEncoder &other,
                 const MemoryAccess &otherAccess);
  /// Whether two items give different addresses.
  Value hasOtherAddress(const MemoryAccess &access, ItemEncoder &other);
  /// Whether two items decide differently: in the condition of an scf.if, or in
  /// the iterations of an scf.for.
  Value differs(Operation *op, ItemEncoder &other);

private:
  std::optional<Term> encodeKnown(Value value) override;
  /// What is computed from the number of any block, at this iteration.
  std::optional<Term> encodeOfBlock(Value value);
  const Iteration *getIteration(scf::ForOp loop) const;
  Term shift(Term term, int64_t by);
  Element splitOffset(Value index);
  /// What the copy of a subgroup adds to the address of its first item.
  Term getLaneOffset(const MemoryAccess &access);
  Term getCurrent(scf::ForOp loop);
  std::optional<Term> getPosition(scf::ForOp loop);

  LaunchEncoder &launch;
  LaunchEncoder::Item &item;
  Iterations where;
};

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_VERIFY_ITEMENCODER_H
