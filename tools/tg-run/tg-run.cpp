//===- tg-run.cpp - executes a tensor graph -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `tg-run file.mlir` runs a function of level 1 of the `tg` dialect on arrays
/// from .npy files, compiled for a device or in the reference interpreter.
///
//===----------------------------------------------------------------------===//

#include "support/ToolSupport.h"

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"

#include <algorithm>
#include <chrono>

using namespace mlir;
using namespace mlir::tg;
namespace cl = llvm::cl;

static cl::OptionCategory category("Options of tg-run");

static cl::opt<std::string> inputFile(cl::Positional, cl::Required,
                                      cl::desc("<file.mlir>"),
                                      cl::cat(category));
static cl::opt<std::string> entryName("entry", cl::init("main"),
                                      cl::desc("Function to run"),
                                      cl::value_desc("name"),
                                      cl::cat(category));
static cl::list<std::string>
    inputs("input", cl::CommaSeparated, cl::value_desc("a.npy"),
           cl::desc("Value of the next argument; fp8 as uint8 bits"),
           cl::cat(category));
static cl::list<std::string>
    outputs("output", cl::CommaSeparated, cl::value_desc("o.npy"),
            cl::desc("Where the next result is written"), cl::cat(category));
static cl::opt<std::string> deviceName("device", cl::init("CPU"),
                                       cl::desc("Device to run on"),
                                       cl::value_desc("name"),
                                       cl::cat(category));
static cl::opt<bool> interpretFlag("interpret",
                                   cl::desc("Use the reference interpreter"),
                                   cl::cat(category));
static cl::opt<unsigned> repeat("repeat", cl::init(1),
                                cl::desc("Run this often and show the times"),
                                cl::value_desc("N"), cl::cat(category));
static cl::opt<bool>
    randomInputs("random-inputs",
                 cl::desc("Make up the arguments that have no --input"),
                 cl::cat(category));
static cl::opt<uint64_t> seed("seed", cl::init(0),
                              cl::desc("Seed of --random-inputs"),
                              cl::value_desc("N"), cl::cat(category));
static cl::opt<bool> printFlag("print",
                               cl::desc("Print the results in full, also when "
                                        "they are written to files"),
                               cl::cat(category));
static cl::opt<bool> printInputs(
    "print-inputs",
    cl::desc("Print what the arguments hold afterwards (tg.assign)"),
    cl::cat(category));
static cl::opt<unsigned>
    precision("precision", cl::init(0), cl::value_desc("digits"),
              cl::desc("Significant digits of printed floats; 0: all needed"),
              cl::cat(category));

/// The values of the arguments: files, then `tg.input`, then random.
static LogicalResult makeInputs(func::FuncOp function,
                                SmallVectorImpl<HostTensor> &tensors) {
  unsigned count = function.getNumArguments();
  if (inputs.size() > count)
    return reportError("@" + function.getSymName() + " takes " + Twine(count) +
                       (count == 1 ? " argument" : " arguments") + ", but " +
                       Twine(inputs.size()) + " are given with --input");
  std::mt19937_64 random(seed);
  for (unsigned i = 0; i < count; ++i) {
    BlockArgument argument = function.getArgument(i);
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    FailureOr<HostTensor> tensor =
        makeHostTensor(argument.getLoc(), argument.getType());
    if (failed(tensor))
      return failure();
    auto value = function.getArgAttrOfType<TypedAttr>(i, inputAttrName);
    if (i < inputs.size())
      tensor = readTensor(inputs[i], type, "argument " + Twine(i));
    else if (value)
      tensor = makeHostTensor(argument.getLoc(), type, value);
    else if (randomInputs)
      tensor = makeRandomTensor(std::move(*tensor), random);
    else
      return reportError("argument " + Twine(i) + " of @" +
                         function.getSymName() +
                         " has no value: give --input or --random-inputs");
    if (failed(tensor))
      return failure();
    tensors.push_back(std::move(*tensor));
  }
  return success();
}

static LogicalResult run(func::FuncOp function,
                         MutableArrayRef<HostTensor> tensors,
                         SmallVectorImpl<HostTensor> &results) {
  SmallVector<double> milliseconds;
  for (unsigned i = 0; i < std::max(1u, repeat.getValue()); ++i) {
    SmallVector<HostTensor> more;
    auto begin = std::chrono::steady_clock::now();
    if (failed(interpret(function, tensors, i == 0 ? results : more)))
      return failure();
    std::chrono::duration<double, std::milli> time =
        std::chrono::steady_clock::now() - begin;
    milliseconds.push_back(time.count());
  }
  return success();
}

static LogicalResult runMain() {
  DialectRegistry registry;
  registry.insert<TgDialect, func::FuncDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  OwningOpRef<ModuleOp> module = loadModule(inputFile, context);
  if (!module)
    return failure();
  FailureOr<func::FuncOp> function = findEntry(*module, entryName);
  if (failed(function))
    return failure();
  if (outputs.size() > function->getNumResults())
    return reportError("@" + entryName + " has " +
                       Twine(function->getNumResults()) + " results, but " +
                       Twine(outputs.size()) + " are named with --output");
  SmallVector<HostTensor> tensors, results;
  if (failed(makeInputs(*function, tensors)) ||
      failed(run(*function, tensors, results)))
    return failure();
  for (auto [path, result] : llvm::zip(outputs, results))
    if (failed(writeTensor(path, result)))
      return failure();
  PrintOptions options;
  options.precision = precision;
  if (printFlag)
    options.maxElements = std::numeric_limits<int64_t>::max();
  auto print = [&](StringRef what, ArrayRef<HostTensor> list) {
    for (auto [i, tensor] : llvm::enumerate(list)) {
      llvm::outs() << what << ' ' << i << ": ";
      printTensor(llvm::outs(), tensor, options);
      llvm::outs() << '\n';
    }
  };
  if (printFlag || outputs.empty())
    print("result", results);
  if (printInputs)
    print("input", tensors);
  return success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "Executes a tensor graph\n");
  return failed(runMain());
}
