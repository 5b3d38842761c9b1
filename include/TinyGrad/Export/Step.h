//===- Step.h - steps of several programs -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A step that runs several programs one after the other on memory that they
/// share, as plain data. The tensor API makes them of captured steps.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_EXPORT_STEP_H
#define TINYGRAD_EXPORT_STEP_H

#include "TinyGrad/Export/Library.h"

#include <map>
#include <utility>

namespace tinygrad {

struct LibraryStep {
  /// A piece of memory.
  struct Memory {
    enum class Kind {
      Tensor,   ///< an argument of the function, or a member of the state
      Constant, ///< `contents`
      Computed, ///< made by an action
    };
    Kind kind = Kind::Computed;
    LibraryTensor tensor;       ///< Tensor
    std::vector<char> contents; ///< Constant
    /// Tensor: how many elements the memory of an argument needs, as the text
    /// of a dimension attribute over variables of the programs. Empty: those of
    /// the largest shape.
    std::string elements = {};
  };

  /// Bytes of a piece of memory.
  struct Part {
    uint32_t memory = 0;
    std::size_t offset = 0, bytes = 0;
  };

  /// A run of a program, or a copy of one input to new memory.
  struct Action {
    /// A module of level 1, as text or as bytecode, whose function "main" takes
    /// the inputs. Empty: a copy.
    std::string program;
    std::vector<Part> inputs;
    /// Results of the program, by number, and the memory that each is then.
    std::vector<std::pair<uint32_t, uint32_t>> computed;
    /// Variables of the program that always have the same values. All others
    /// are arguments of the step.
    std::map<std::string, int64_t> fixed;
  };

  struct Result {
    LibraryTensor tensor;
    Part part;
    /// How many elements its memory needs, as for an argument.
    std::string elements = {};
    /// It is what the memory of a tensor holds after the updates.
    bool isUpdated = false;
  };

  /// The name of the function.
  std::string name;
  std::vector<Memory> memories;
  std::vector<Action> actions;
  std::vector<Result> results;
  /// Memory of tensors, and what is copied to it at the end, all at once.
  std::vector<std::pair<Part, Part>> updates;
};

/// A library with a function for each step. Throws what buildLibrary of a
/// module throws, and CompileError for a program that cannot be read.
Library buildLibrary(const std::vector<LibraryStep> &steps,
                     const LibraryOptions &library,
                     const CompileOptions &options = {});

} // namespace tinygrad

#endif // TINYGRAD_EXPORT_STEP_H
