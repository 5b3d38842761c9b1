//===- tg-run.cpp - executes a tensor graph -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `tg-run file.mlir` runs a function of level 1, 2 or 3 of the `tg` dialect on
/// arrays from .npy files, compiled for a device or, at level 1, in the
/// reference interpreter.
/// `tg-run net.tga` runs what `tg-compile --emit=artifact` has compiled, which
/// its first bytes tell, whatever it is called.
///
//===----------------------------------------------------------------------===//

#include "support/ToolSupport.h"

#include "TinyGrad/Compiler/Compiler.h"
#include "TinyGrad/Dialect/Tg/IR/TgNameSizes.h"
#include "TinyGrad/Dialect/Tg/IR/TgVariables.h"
#include "TinyGrad/Dialect/Tg/Utils/ModuleLevel.h"
#include "TinyGrad/Runtime/Artifact.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Error.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

#include <algorithm>
#include <chrono>

using namespace mlir;
using namespace mlir::tg;
namespace cl = llvm::cl;

static cl::OptionCategory category("Options of tg-run");

static cl::opt<std::string> inputFile(cl::Positional, cl::Required,
                                      cl::desc("<module or artifact>"),
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
static cl::opt<std::string> deviceName("device",
                                       cl::desc("Device to run on, instead of "
                                                "that of DEV or the best one"),
                                       cl::value_desc("name"),
                                       cl::cat(category));
static cl::list<std::string>
    variableValues("var", cl::CommaSeparated, cl::value_desc("n=4"),
                   cl::desc("Value of a variable of symbolic shapes"),
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
    const Type array = getArrayType(argument.getType());
    auto type = dyn_cast<RankedTensorType>(array);
    FailureOr<HostTensor> tensor = makeHostTensor(argument.getLoc(), array);
    if (failed(tensor))
      return failure();
    auto value = function.getArgAttrOfType<TypedAttr>(i, inputAttrName);
    if (value && value.getType() != type)
      return emitError(argument.getLoc())
             << inputAttrName << " is " << value.getType() << ", but argument "
             << i << " is " << type;
    if (i < inputs.size())
      tensor = readTensor(inputs[i], type, "argument " + Twine(i),
                          /*anyShape=*/array != argument.getType());
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

/// Values of arguments of these types: files, then random.
static LogicalResult makeInputs(ArrayRef<RankedTensorType> types, Location loc,
                                SmallVectorImpl<HostTensor> &tensors) {
  if (inputs.size() > types.size())
    return reportError("'" + inputFile + "' takes " + Twine(types.size()) +
                       (types.size() == 1 ? " argument" : " arguments") +
                       ", but " + Twine(inputs.size()) +
                       " are given with --input");
  std::mt19937_64 random(seed);
  for (auto [i, type] : llvm::enumerate(types)) {
    FailureOr<HostTensor> tensor = makeHostTensor(loc, type);
    if (failed(tensor))
      return failure();
    if (i < inputs.size())
      tensor = readTensor(inputs[i], type, "argument " + Twine(i));
    else if (randomInputs)
      tensor = makeRandomTensor(std::move(*tensor), random);
    else
      return reportError("argument " + Twine(i) + " of '" + inputFile +
                         "' has no value: give --input or --random-inputs");
    if (failed(tensor))
      return failure();
    tensors.push_back(std::move(*tensor));
  }
  return success();
}

using Clock = std::chrono::steady_clock;

static double millisecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin)
      .count();
}

/// Calls `once` as often as --repeat says and prints the times. `preparation`
/// is the time that was spent before the first run.
static LogicalResult
runRepeatedly(double preparation,
              llvm::function_ref<LogicalResult(unsigned)> once) {
  SmallVector<double> times;
  for (unsigned i = 0; i < std::max(1u, repeat.getValue()); ++i) {
    auto begin = Clock::now();
    if (failed(once(i)))
      return failure();
    times.push_back(millisecondsSince(begin));
  }
  if (repeat.getNumOccurrences() == 0)
    return success();
  double first = preparation + times.front();
  llvm::sort(times);
  llvm::outs() << llvm::formatv(
      "first result after {0:f3} ms; {1} runs: min {2:f4} ms, median {3:f4} "
      "ms\n",
      first, times.size(), times.front(), times[times.size() / 2]);
  return success();
}

static LogicalResult runInterpreted(func::FuncOp function,
                                    MutableArrayRef<HostTensor> tensors,
                                    SmallVectorImpl<HostTensor> &results) {
  // Later runs assign to copies, so that the contents after the first run are
  // kept.
  std::vector<HostTensor> scratch;
  if (repeat > 1)
    scratch.assign(tensors.begin(), tensors.end());
  return runRepeatedly(0, [&](unsigned i) {
    SmallVector<HostTensor> more;
    return i == 0 ? interpret(function, tensors, results)
                  : interpret(function, scratch, more);
  });
}

/// Runs a program on tensors: types are those of memory, sizes those of the
/// tensors themselves. Throws what the runtime throws.
static LogicalResult runProgram(tinygrad::CompiledProgram &program,
                                double preparation, TypeRange inputTypes,
                                TypeRange resultTypes, TypeRange inputSizes,
                                TypeRange resultSizes,
                                const llvm::StringMap<int64_t> &values,
                                MutableArrayRef<HostTensor> tensors,
                                SmallVectorImpl<HostTensor> &results) {
  tinygrad::Device &device = program.device();
  auto read = [](const tinygrad::Buffer &buffer, Type type, Type sizes) {
    return fromBuffer(buffer, cast<RankedTensorType>(type),
                      cast<RankedTensorType>(getArrayType(sizes)).getShape());
  };
  const std::vector<int64_t> ordered = orderValues(program.variables(), values);
  auto makeBuffers = [&] {
    return toBuffers(device, tensors, inputTypes,
                     getNeededBytes(program.list(), ordered));
  };
  std::vector<tinygrad::Buffer> buffers = makeBuffers();
  std::vector<tinygrad::Buffer> scratch = repeat > 1 ? makeBuffers() : buffers;
  std::vector<tinygrad::Buffer> first;
  if (failed(runRepeatedly(preparation, [&](unsigned i) {
        auto outputs = program.run(i == 0 ? buffers : scratch, ordered);
        device.synchronize();
        if (i == 0)
          first = std::move(outputs);
        return success();
      })))
    return failure();
  for (auto [buffer, type, sizes] :
       llvm::zip_equal(first, resultTypes, resultSizes))
    results.push_back(read(buffer, type, sizes));
  for (auto [buffer, type, sizes, tensor] :
       llvm::zip_equal(buffers, inputTypes, inputSizes, tensors))
    tensor = read(buffer, type, sizes);
  return success();
}

/// Compiles the module, which is modified, and runs it with the sizes of
/// `concrete`.
static LogicalResult runCompiled(ModuleOp module, FunctionType concrete,
                                 const llvm::StringMap<int64_t> &values,
                                 MutableArrayRef<HostTensor> tensors,
                                 SmallVectorImpl<HostTensor> &results) {
  auto function = module.lookupSymbol<func::FuncOp>(entryName);
  const auto inputTypes =
      llvm::map_to_vector(function.getArgumentTypes(), getArrayType);
  const auto resultTypes =
      llvm::map_to_vector(function.getResultTypes(), getArrayType);
  // Here, the values are inputs, not a part of the program.
  for (unsigned i = 0; i < inputTypes.size(); ++i)
    function.removeArgAttr(i, inputAttrName);
  try {
    tinygrad::Device &device = getDevice(deviceName);
    if (!device.information().executes)
      llvm::WithColor::warning(llvm::errs())
          << "device " << device.name()
          << " does not compute: results are meaningless\n";
    auto begin = Clock::now();
    tinygrad::CompileOptions options;
    options.entry = entryName;
    std::shared_ptr<tinygrad::CompiledProgram> program =
        tinygrad::compile(module, device, options);
    double preparation = millisecondsSince(begin);
    return runProgram(*program, preparation, inputTypes, resultTypes,
                      concrete.getInputs(), concrete.getResults(), values,
                      tensors, results);
  } catch (const tinygrad::Error &error) {
    return reportError(error.what());
  }
}

/// The types of arguments or results: with the largest sizes, and with those
/// for these values of the variables.
static void getTypes(MLIRContext &context,
                     const std::vector<tinygrad::TensorInfo> &tensors,
                     ArrayRef<int64_t> values,
                     SmallVectorImpl<RankedTensorType> &largest,
                     SmallVectorImpl<RankedTensorType> &sizes) {
  for (const tinygrad::TensorInfo &tensor : tensors) {
    const Type element = tinygrad::getElementType(&context, tensor.dtype);
    largest.push_back(RankedTensorType::get(tensor.shape, element));
    SmallVector<int64_t> shape;
    for (const tinygrad::Expression &size : tensor.sizes)
      shape.push_back(size.evaluate(values.data()));
    sizes.push_back(RankedTensorType::get(shape, element));
  }
}

/// The values of --var for these variables, one for each.
static FailureOr<llvm::StringMap<int64_t>>
readValues(ArrayRef<tinygrad::ProgramVariable> variables) {
  llvm::StringMap<int64_t> values;
  for (StringRef text : variableValues) {
    auto [name, number] = text.split('=');
    int64_t value = 0;
    if (number.getAsInteger(10, value))
      return reportError("'" + text + "' is no value of a variable, as in n=4");
    const auto *found =
        llvm::find_if(variables, [name = name](const auto &variable) {
          return variable.name == name;
        });
    if (found == variables.end())
      return reportError("'" + inputFile + "' has no variable '" + name + "'");
    if (value < found->min || value > found->max)
      return reportError("variable " + name + " cannot be " + Twine(value) +
                         ", which is not in [" + Twine(found->min) + ", " +
                         Twine(found->max) + "]");
    if (!values.try_emplace(name, value).second)
      return reportError("variable " + name + " is given twice");
  }
  for (const tinygrad::ProgramVariable &variable : variables)
    if (!values.contains(variable.name))
      return reportError("variable " + variable.name +
                         " has no value: give --var " + variable.name + "=N");
  return values;
}

/// Runs what was compiled before.
static LogicalResult runArtifact(MLIRContext &context, StringRef bytes,
                                 SmallVectorImpl<HostTensor> &tensors,
                                 SmallVectorImpl<HostTensor> &results) {
  if (interpretFlag || entryName.getNumOccurrences() != 0)
    return reportError("--interpret and --entry are for files of the dialect, "
                       "not for artifacts");
  try {
    auto begin = Clock::now();
    const tinygrad::Artifact artifact = tinygrad::Artifact::fromBytes(
        std::string_view(bytes), inputFile.getValue());
    tinygrad::Device &device =
        deviceName.empty() ? tinygrad::Device::get(artifact.deviceKind)
                           : tinygrad::Device::get(deviceName.getValue());
    std::shared_ptr<tinygrad::CompiledProgram> program = artifact.link(device);
    const double preparation = millisecondsSince(begin);
    if (outputs.size() > program->getResults().size())
      return reportError("'" + inputFile + "' has " +
                         Twine(program->getResults().size()) +
                         " results, but " + Twine(outputs.size()) +
                         " are named with --output");
    FailureOr<llvm::StringMap<int64_t>> values =
        readValues(program->variables());
    if (failed(values))
      return failure();
    const std::vector<int64_t> ordered =
        orderValues(program->variables(), *values);
    SmallVector<RankedTensorType> inputTypes, inputSizes, resultTypes,
        resultSizes;
    getTypes(context, program->getArguments(), ordered, inputTypes, inputSizes);
    getTypes(context, program->getResults(), ordered, resultTypes, resultSizes);
    if (failed(makeInputs(inputSizes, UnknownLoc::get(&context), tensors)))
      return failure();
    auto toTypes = [](ArrayRef<RankedTensorType> types) {
      return SmallVector<Type>(types.begin(), types.end());
    };
    return runProgram(*program, preparation, toTypes(inputTypes),
                      toTypes(resultTypes), toTypes(inputSizes),
                      toTypes(resultSizes), *values, tensors, results);
  } catch (const tinygrad::Error &error) {
    return reportError(error.what());
  }
}

/// Sizes of a graph's arguments are numbers or have names.
static LogicalResult checkSizes(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (type && !hasDims(type))
      return emitError(argument.getLoc())
             << "argument " << argument.getArgNumber() << " of @"
             << function.getSymName() << " must be of static shape, or with a "
             << "#tg.shape, not " << type << "; describe its sizes, such as "
             << nameSizes(type) << ", or let tg-name-sizes do it";
  }
  return success();
}

/// Runs a function of a file of the dialect.
static LogicalResult runModule(MLIRContext &context,
                               std::unique_ptr<llvm::MemoryBuffer> input,
                               SmallVectorImpl<HostTensor> &tensors,
                               SmallVectorImpl<HostTensor> &results) {
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  OwningOpRef<ModuleOp> module = loadModule(std::move(input), context, sources);
  if (!module)
    return failure();
  FailureOr<func::FuncOp> function = findEntry(*module, entryName);
  if (failed(function))
    return failure();
  if (outputs.size() > function->getNumResults())
    return reportError("@" + entryName + " has " +
                       Twine(function->getNumResults()) + " results, but " +
                       Twine(outputs.size()) + " are named with --output");
  const std::optional<LevelRange> levels = getLevels(*function);
  const bool isGraph = !levels || levels->first == ModuleLevel::TensorGraph;
  if (levels && levels->first == ModuleLevel::Functions)
    return emitLevelError(
        *function, *levels,
        {ModuleLevel::TensorGraph, ModuleLevel::ScheduledKernels});
  if (interpretFlag && !isGraph)
    return emitLevelError(*function, *levels,
                          {ModuleLevel::TensorGraph, ModuleLevel::TensorGraph});
  if (isGraph && failed(checkSizes(*function)))
    return failure();
  // The variables of a host program are not those of all kernels, of which some
  // are numbers of launches.
  FailureOr<SmallVector<VarAttr>> variables =
      isGraph ? collectVariables(*module)
              : collectHostVariables(*function, SymbolTable(*module));
  if (failed(variables))
    return failure();
  FailureOr<llvm::StringMap<int64_t>> values =
      readValues(*variables, variableValues);
  if (failed(values))
    return failure();
  // With values for the variables, a graph has static shapes.
  OwningOpRef<ModuleOp> concreteModule;
  func::FuncOp concrete = *function;
  if (isGraph && !values->empty()) {
    concreteModule = module->clone();
    bindProgram(*concreteModule, *values);
    concrete = concreteModule->lookupSymbol<func::FuncOp>(entryName);
    if (failed(verify(*concreteModule)))
      return failure();
  }
  if (failed(makeInputs(concrete, tensors)))
    return failure();
  return interpretFlag ? runInterpreted(concrete, tensors, results)
                       : runCompiled(*module, concrete.getFunctionType(),
                                     *values, tensors, results);
}

/// Whether a file holds an artifact, or was meant to: its bytes say so, and its
/// name only if they are neither text nor bytecode.
static bool isArtifact(StringRef bytes) {
  if (tinygrad::Artifact::isArtifact(std::string_view(bytes)))
    return true;
  const bool isModule = isBytecode(llvm::MemoryBufferRef(bytes, inputFile)) ||
                        (!bytes.empty() && !bytes.contains('\0'));
  return !isModule && StringRef(inputFile).ends_with(".tga");
}

static LogicalResult runMain() {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  tinygrad::prepareContext(context);
  SmallVector<HostTensor> tensors, results;
  std::unique_ptr<llvm::MemoryBuffer> input = readInput(inputFile);
  if (!input)
    return failure();
  if (failed(isArtifact(input->getBuffer())
                 ? runArtifact(context, input->getBuffer(), tensors, results)
                 : runModule(context, std::move(input), tensors, results)))
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
  installOutOfMemoryHandler();
  llvm::setBugReportMsg("This is a mistake in tg-run, not in its input. Please "
                        "report it, with the input.\n");
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "Executes a tensor graph\n");
  return getExitStatus(runMain());
}
