//===- Export.h - captured steps as C libraries -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Makes a library with a C header of captured steps, for programs without this
/// one. docs/library.md describes both.
///
/// \code
///   Jit step([&](const Tensor &images, const Tensor &labels) { .. });
///   Jit evaluate([&](const Tensor &images) { .. });
///   .. // two calls of each
///   Exporter library("net");
///   library.nameState(model);
///   library.nameState(optimizer);
///   library.add("step", step, {.arguments = {"images", "labels"},
///                              .results = {"loss"}});
///   library.add("evaluate", evaluate);
///   library.write("out"); // out/libnet.a, out/libnet.so, out/net.h
/// \endcode
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_EXPORT_H
#define TINYGRAD_TENSOR_EXPORT_H

#include "TinyGrad/Tensor/Jit.h"
#include "TinyGrad/Tensor/Members.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tinygrad {

/// Where the values are that the tensors of the state have when a library is
/// written.
enum class ExportWeights {
  Inside, ///< in the library: a function NAME_init fills the state with them
  Beside, ///< in a file NAME.safetensors, which NAME_load reads
  Caller, ///< not written: the caller fills the state
};

/// How a library is made.
struct ExportOptions {
  /// The processors to make code for, by their names as targets:
  /// "cpu:x86-64-v3", "cpu:aarch64:neoverse-v1". Of several, all of one
  /// architecture, the library uses the last one that it can run. None: this
  /// machine's processor, for which results have the bits of the captured step.
  std::vector<std::string> targets = {};
  /// Functions take a parallel loop of the caller, and run large kernels on its
  /// threads.
  bool threads = false;
  /// The same, and a file NAME_tbb.cpp has such a loop on oneTBB, which the
  /// program compiles.
  bool tbb = false;
  /// Intermediates are in static memory of the library instead of the caller's;
  /// then one thread may call a function at a time.
  bool staticScratch = false;
  /// Where the values of the state are.
  ExportWeights weights = ExportWeights::Inside;
  /// Functions NAME_load and NAME_save read and write the state as a
  /// safetensors file in memory. With ExportWeights::Beside they are there in
  /// any case.
  bool stateFiles = false;
  /// A file NAME.report.txt says what each function executes at most.
  bool report = false;
  /// NAME.c, one file in C99, instead of machine code, without a report and
  /// files of the state. It is for one target; none: vectors of 128 bits,
  /// without fused products, with which sums may differ from those of the
  /// captured step in their last bits.
  bool source = false;
};

/// Names of a function's parameters, identifiers of C. Those that are missing
/// are x0, x1_weight, .. by the paths of arguments, and y0, y1, .. of results.
struct ExportNames {
  std::vector<std::string> arguments = {};
  std::vector<std::string> results = {};
};

/// Collects captured steps, which become functions of one library. They share
/// the state: the tensors from outside that the steps use.
class Exporter {
public:
  /// \p name is an identifier of C, with which all names in the header begin.
  explicit Exporter(std::string name, ExportOptions options = {});
  ~Exporter();
  Exporter(Exporter &&) noexcept;
  Exporter &operator=(Exporter &&) noexcept;

  /// The name of a tensor in the state; characters that C forbids become
  /// underscores. Tensors without a name are state0, state1, .. Throws Error
  /// for an empty name, for another name of the same tensor, and once functions
  /// have been added.
  void nameState(const std::string &name, const Tensor &tensor);
  /// The names of the tensors of a module, after the prefix: "hidden_weight".
  /// Tensors that have a name keep it: one that two layers share has the name
  /// in the first.
  template <typename M>
  void nameState(const M &module, const std::string &prefix = "") {
    forEachTensor(module, [&](const std::string &path, const Tensor &tensor) {
      nameMember(prefix + path, tensor);
    });
  }

  /// Adds a function. The step is captured: it was called twice. Its arguments
  /// become parameters, those that it assigns to are updated; its results are
  /// written to memory of the caller. Numbers among its arguments keep their
  /// values, sizes that have variables are parameters. Random numbers continue
  /// from `random_seed` and `random_counter` in the state. Gradients that the
  /// step leaves in tensors, and tensors that its function stores elsewhere,
  /// are not kept.
  ///
  /// Throws Error, naming the tensor or the function, for a step that is not
  /// captured, that uses a device other than the CPU, that adds to gradients
  /// from before, or that is of another graph than the steps so far; for two
  /// functions or members of the state of one name.
  template <typename S>
  void add(const std::string &name, const Jit<S> &step,
           const ExportNames &names = {}) {
    addStep(name, step.getCore(), names);
  }

  /// Compiles the functions and writes DIRECTORY/libNAME.a, libNAME.so,
  /// or NAME.c, NAME.h and NAME.hpp, and the other files of the options. Throws
  /// CompileError for what a library cannot do (sorting), for names that C
  /// forbids, and for an unknown processor; IoError for files that cannot be
  /// written, which are left as they were.
  void write(const std::string &directory) const;

private:
  void nameMember(const std::string &name, const Tensor &tensor);
  void addStep(const std::string &name, const detail::JitCore &step,
               const ExportNames &names);

  struct State;
  std::unique_ptr<State> state;
};

/// Writes the library of one captured step: DIRECTORY/libNAME.a, libNAME.so,
/// NAME.h and the others for \p path "DIRECTORY/NAME". Its function is
/// NAME_run. Throws what the functions of Exporter throw.
template <typename S>
void exportStep(const Jit<S> &step, const std::string &path,
                const ExportNames &names = {}, ExportOptions options = {}) {
  const std::size_t slash = path.find_last_of('/');
  const bool hasFolder = slash != std::string::npos;
  Exporter exporter(hasFolder ? path.substr(slash + 1) : path,
                    std::move(options));
  exporter.add("run", step, names);
  exporter.write(hasFolder ? path.substr(0, slash + 1) : ".");
}

} // namespace tinygrad

#endif // TINYGRAD_TENSOR_EXPORT_H
