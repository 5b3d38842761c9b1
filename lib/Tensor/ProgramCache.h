//===- ProgramCache.h - the programs of a graph -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Caches compiled programs by the structure of their slices. The first
/// programs of a structure are specialized for their numbers. When more slices
/// of the structure follow, the numbers that differ become operands of one
/// program for all.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TENSOR_PROGRAMCACHE_H
#define TINYGRAD_LIB_TENSOR_PROGRAMCACHE_H

#include "TinyGrad/HostJit/DiskCache.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace tinygrad {
class CompiledProgram;
} // namespace tinygrad

namespace tinygrad::detail {

/// A number of a slice that may become an operand. Numbers of different kinds
/// never share an operand.
struct SliceNumber {
  uint64_t kind;
  int64_t value;

  friend auto operator<=>(const SliceNumber &, const SliceNumber &) = default;
};

/// A program, and its operands other than buffers.
struct CachedProgram {
  std::shared_ptr<CompiledProgram> program;
  /// For each number of the slice, the index of its operand, or -1 if the
  /// program is specialized for it. Empty if the program is specialized for all
  /// numbers.
  std::vector<int> operandOf;
};

/// Guarded by the graph's lock.
class ProgramCache {
public:
  using Compile = llvm::function_ref<std::shared_ptr<CompiledProgram>(
      const std::vector<int> &)>;

  /// The program for a structure and its numbers. \p compile is called with the
  /// operandOf of a CachedProgram. If there are more than \p limit programs,
  /// the least recently used ones are dropped.
  CachedProgram get(const Digest &structure,
                    llvm::ArrayRef<SliceNumber> numbers, std::size_t limit,
                    Compile compile);

  std::size_t size() const { return programs.size(); }
  void clear();

private:
  struct Entry {
    Digest key, structure;
    CachedProgram cached;
  };
  using Entries = std::list<Entry>;

  /// Everything known about the slices of one structure.
  struct Family {
    std::size_t numPrograms = 0;
    /// The numbers of the first slice, and the class of each number: numbers
    /// that were equal in all slices so far have the same class.
    std::vector<SliceNumber> first;
    std::vector<int> classOf;
    std::vector<bool> varies;
    unsigned numVersions = 0, numGeneral = 0;
    /// The key of the program that takes numbers as operands, if there is one.
    std::optional<Digest> general;
  };

  /// Records another slice.
  static void refine(Family &family, llvm::ArrayRef<SliceNumber> numbers);
  /// Assigns operands to the numbers that differ between the slices of \p
  /// family.
  static std::vector<int> chooseOperands(Family &family);
  /// Whether a program with these operands can be run with these numbers.
  static bool accepts(const Family &family, const std::vector<int> &operandOf,
                      llvm::ArrayRef<SliceNumber> numbers);
  CachedProgram *find(const Digest &key);
  CachedProgram insert(const Digest &key, const Digest &structure,
                       CachedProgram cached, std::size_t limit);
  void drop(Entries::iterator entry);

  Entries entries; // most recently used first
  std::map<Digest, Entries::iterator> programs;
  std::map<Digest, Family> families;
};

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_TENSOR_PROGRAMCACHE_H
