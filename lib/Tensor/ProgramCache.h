//===- ProgramCache.h - the programs of a graph -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compiled programs by the structure of slices. The first ones of a structure
/// are compiled for their numbers; when more come, the numbers that differ
/// become operands of one program for all.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TENSOR_PROGRAMCACHE_H
#define TINYGRAD_LIB_TENSOR_PROGRAMCACHE_H

#include "TinyGrad/Runtime/DiskCache.h"

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

/// A number of a slice that may become an operand. Those of different kinds
/// never become one operand.
struct SliceNumber {
  uint64_t kind;
  int64_t value;

  friend auto operator<=>(const SliceNumber &, const SliceNumber &) = default;
};

/// A program, and its operands besides buffers.
struct CachedProgram {
  std::shared_ptr<CompiledProgram> program;
  /// The operand that each number of the slice is, from 0 on; -1 for those that
  /// the program was compiled for. Empty: it was compiled for all.
  std::vector<int> operandOf;
};

/// Guarded by the graph's lock.
class ProgramCache {
public:
  using Compile = llvm::function_ref<std::shared_ptr<CompiledProgram>(
      const std::vector<int> &)>;

  /// The program for a structure and its numbers. \p compile makes one of those
  /// numbers operands that its argument says, see CachedProgram. Above \p limit
  /// the programs not used for longest are dropped.
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

  /// What is known of the slices of one structure.
  struct Family {
    std::size_t numPrograms = 0;
    /// Those of the first slice, and a class for each number: numbers that were
    /// equal so far are of one.
    std::vector<SliceNumber> first;
    std::vector<int> classOf;
    std::vector<bool> varies;
    unsigned numVersions = 0, numGeneral = 0;
    /// The key of the program whose numbers are operands, if there is one.
    std::optional<Digest> general;
  };

  /// Records another slice.
  static void refine(Family &family, llvm::ArrayRef<SliceNumber> numbers);
  /// The operands that \p family asks for.
  static std::vector<int> chooseOperands(Family &family);
  /// Whether a program with these operands can take these numbers.
  static bool accepts(const Family &family, const std::vector<int> &operandOf,
                      llvm::ArrayRef<SliceNumber> numbers);
  CachedProgram *find(const Digest &key);
  CachedProgram insert(const Digest &key, const Digest &structure,
                       CachedProgram cached, std::size_t limit);
  void drop(Entries::iterator entry);

  Entries entries; // those used last are first
  std::map<Digest, Entries::iterator> programs;
  std::map<Digest, Family> families;
};

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_TENSOR_PROGRAMCACHE_H
