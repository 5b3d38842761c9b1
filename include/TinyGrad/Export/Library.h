//===- Library.h - compiled programs as C libraries -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Makes a static library, a shared library and a C header of the functions of
/// a module. They need no LLVM, no C++ and no runtime of ours: a function of
/// the library computes with the memory that its caller gives, allocates
/// nothing, takes no lock and starts no thread.
///
/// docs/library.md describes the interface that programs see.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_EXPORT_LIBRARY_H
#define TINYGRAD_EXPORT_LIBRARY_H

#include "TinyGrad/Compiler/Compiler.h"
#include "TinyGrad/Dialect/Tg/IR/TgDim.h"
#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tinygrad {

/// How a library is made.
struct LibraryOptions {
  /// An identifier of C, with which every name in the library begins.
  std::string name;
  /// The processors to make code for, by their names as targets: "cpu",
  /// "cpu:x86-64-v3", "cpu:aarch64:neoverse-v1". Of several, all of one
  /// architecture, the library uses the last one that it can run, so they are
  /// in the order of preference. None: the target that the module names, or the
  /// host's processor. A library for
  /// processors of Intel and AMD checks that it can run; its functions return
  /// NAME_ERROR_PROCESSOR where it cannot.
  std::vector<std::string> targets;
  /// Functions take a pointer to the caller's parallel loop, and run kernels
  /// that are worth it on its threads.
  bool threads = false;
  /// The same, and a file NAME_tbb.cpp has such a loop on oneTBB.
  bool tbb = false;
  /// Intermediates are in static memory of the library instead of the caller's:
  /// then a function must not be called by two threads at once.
  bool staticScratch = false;
  /// One file in C99, for compilers and processors that LLVM does not know,
  /// instead of machine code. It is for a single target, whose schedules it has
  /// and with whose machine code it shares all bits of results; none: the
  /// target that the module names, or vectors of 128 bits without fused
  /// products.
  bool source = false;
  /// A file NAME.report.txt says what each function executes at most.
  bool report = false;
  /// Functions NAME_load and NAME_save read and write the state as a
  /// safetensors file in memory.
  bool stateFiles = false;
};

/// A tensor that a function of a library takes or gives.
struct LibraryTensor {
  std::string name;
  DType dtype;
  /// The sizes as text: numbers, names of variables, expressions.
  std::vector<std::string> sizes;
  /// The memory of the largest shape, which determines the layout.
  std::vector<int64_t> largestShape;
  std::size_t bytes = 0;
  /// How many elements its memory needs if these are fewer than those of the
  /// largest shape: an expression over the entry's variables, as it is in the
  /// dialect.
  std::optional<mlir::tg::Dim> elements;
  /// What its address has to be a multiple of.
  std::size_t alignment = 1;
  /// A member of the state.
  bool isState = false;
  /// The function writes to it.
  bool isWritten = false;
};

/// What a call of a function executes at most on one thread, counted in the
/// machine code for one processor. docs/library.md says what is counted.
struct LibraryCosts {
  struct Kernel {
    std::string name;
    std::size_t calls = 0;
    /// Of one call.
    uint64_t instructions = 0, bytesRead = 0, bytesWritten = 0;
    /// Whether each loop has a bound. If not, these counts mean nothing.
    bool isBounded = true;
    uint64_t stackBytes = 0;
    unsigned dataBranches = 0, dataAddresses = 0;
  };

  std::string processor;
  /// Whether each loop has a bound. If not, the counts mean nothing.
  bool isBounded = true;
  /// Whether the counts are the greatest for all sizes. If there are too many
  /// sizes, they are those of the largest.
  bool coversAllSizes = true;
  uint64_t instructions = 0, bytesRead = 0, bytesWritten = 0;
  /// With the frames of all functions of the library that are active at once.
  uint64_t stackBytes = 0;
  /// Places in the code of kernels where data decides where the code goes on,
  /// and where data decides which addresses are read or written.
  unsigned dataBranches = 0, dataAddresses = 0;
  /// Functions of other libraries that are called, which are not counted.
  std::vector<std::string> externals;
  std::vector<Kernel> kernels;
};

/// A function of a library.
struct LibraryEntry {
  /// Without the name of the library.
  std::string name;
  std::vector<LibraryTensor> arguments;
  /// Results that are arguments, assigned to in place, are not among them.
  std::vector<LibraryTensor> results;
  /// Sizes that the caller gives, by name.
  std::vector<ProgramVariable> variables;
  /// Memory for intermediates.
  std::size_t scratchBytes = 0;
  /// The calls of kernels in it.
  std::size_t numKernels = 0;
  /// For each processor.
  std::vector<LibraryCosts> costs;
  /// The most of them.
  std::size_t stackBytes = 0;

  /// Whether it uses the state.
  bool hasState() const;
};

/// A library in memory.
struct Library {
  struct Object {
    std::string name; ///< of the member of the archive: "net.x86-64-v3.o"
    std::vector<char> bytes;
  };

  LibraryOptions options;
  std::vector<LibraryEntry> entries;
  /// The members of the state, in order.
  std::vector<LibraryTensor> state;
  std::vector<Object> objects;
  /// Functions that the objects take from the C library, "memcpy" if anything.
  std::vector<std::string> imports;
  /// The texts of the headers for C and for C++.
  std::string header, cppHeader;
  /// The text of the source file in C, with `LibraryOptions::source`; then
  /// there are no objects.
  std::string sourceText;
  /// The text of the source file for oneTBB, if there is one.
  std::string tbbSource;
  /// The text of the report, if there is one.
  std::string report;
  /// Stack that NAME_load and NAME_save take.
  std::size_t loadStackBytes = 0, saveStackBytes = 0;
  /// The contents of a file with values of the state, if there is one.
  std::string stateFile;
};

/// Compiles all functions with a body of a module of level 1, 2 or 3, which is
/// modified. Their arguments and results are tensors, or the flat buffers of
/// host programs; arguments with `tg.name` have that name in the header, those
/// with `tg.state` too are members of the state that all functions share. What
/// is scheduled already keeps its schedules. Throws CompileError for a module
/// that has no function, a function that is neither a tensor graph nor a host
/// program (what was made of kernels is neither) or that sorts or copies
/// between devices (the runtime does that), kernels that are scheduled for
/// another target, two members of the state of one name and different types,
/// files of a state that there is not, names that C forbids or that occur
/// twice, and an unknown processor; for C source of several processors, with
/// FTZ=1, with a report or files of the state, or of code that has no
/// counterpart in C.
Library buildLibrary(mlir::ModuleOp module, const LibraryOptions &library,
                     const CompileOptions &options = {});

/// Gives a library a file with values of the state, the bytes of its members by
/// name. Each has as many as the member.
void addStateFile(Library &library,
                  const std::map<std::string, std::vector<char>> &values);

/// Writes DIRECTORY/libNAME.a, libNAME.so, or NAME.c; NAME.h, NAME.hpp, and
/// NAME.report.txt and NAME.safetensors if there are a report and a file of the
/// state. The directory exists. A file that cannot be written completely is
/// left as it was: throws IoError.
void writeLibrary(const Library &library, const std::string &directory);

} // namespace tinygrad

#endif // TINYGRAD_EXPORT_LIBRARY_H
