//===- library.cpp - captured steps as C libraries ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Sizes of libraries, and the time of a call of their functions beside a call
/// of the captured step in this process. Then what a captured step keeps so
/// that it can become a library: its programs as bytecode.
///
///     library-benchmark [DIRECTORY [ROW...]]
///     library-benchmark --source [DIRECTORY]
///
/// The second one compares libraries of machine code with the same as C source,
/// by compilers that are installed. Rows are policy, wave, perceptron, cnn and
/// cnn-step, by default all. The libraries stay in the directory, by
/// default one in /tmp. library.py measures them beside those of other
/// compilers.
///
//===----------------------------------------------------------------------===//

#include "CapturedStep.h"
#include "TinyGrad/Compiler/Compiler.h"
#include "TinyGrad/NN/NN.h"
#include "TinyGrad/Optim/Adam.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/State/StateDict.h"
#include "TinyGrad/Tensor/Export.h"
#include "TinyGrad/Tensor/Training.h"
#include "Usage.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <regex>

using namespace tinygrad;

namespace {
/// A policy network: four numbers in, two out.
struct Policy {
  nn::Linear first{4, 64}, second{64, 64}, output{64, 2};
  Tensor operator()(const Tensor &x) const {
    return output(second(first(x).tanh()).tanh());
  }
  TINYGRAD_MEMBERS(first, second, output)
};

/// Ten dilated convolutions with gates, as in WaveNet, over 64 samples.
struct Wave {
  std::vector<nn::Conv1d> layers;
  Wave() {
    for (int64_t i = 0; i < 10; ++i)
      layers.push_back(nn::Conv1d(i == 0 ? 1 : 16, 16, 2,
                                  {.dilation = int64_t(1) << (i % 5)}));
  }
  Tensor operator()(Tensor x) const {
    int64_t dilation = 1;
    for (const nn::Conv1d &layer : layers) {
      Tensor y = layer(x.pad({{0, 0}, {0, 0}, {dilation, 0}})).tanh();
      x = y.shape() == x.shape() ? x + y : y;
      dilation = dilation == 16 ? 1 : dilation * 2;
    }
    return x;
  }
  TINYGRAD_MEMBERS(layers)
};

/// A multilayer perceptron for images.
struct Perceptron {
  nn::Linear hidden{784, 128}, output{128, 10};
  Tensor operator()(const Tensor &x) const { return output(hidden(x).relu()); }
  TINYGRAD_MEMBERS(hidden, output)
};

/// A convolutional network for images of 28x28 pixels.
struct Convolutional {
  nn::Conv2d first{1, 8, 3}, second{8, 16, 3};
  nn::Linear output{16 * 5 * 5, 10};
  Tensor operator()(const Tensor &x) const {
    return output(
        second(first(x).relu().maxPool2d(2)).relu().maxPool2d(2).flatten(1));
  }
  TINYGRAD_MEMBERS(first, second, output)
};

/// The network of examples/fashion-mnist, without dropout.
struct Convolutions {
  nn::Conv2d first{1, 32, 3}, second{32, 64, 3};
  nn::Linear hidden{64 * 5 * 5, 128}, output{128, 10};
  Tensor operator()(const Tensor &images) const {
    Tensor x = first(images).relu().maxPool2d();
    x = second(x).relu().maxPool2d();
    return output(hidden(x.flatten(1)).relu());
  }
  TINYGRAD_MEMBERS(first, second, hidden, output)
};
} // namespace

/// The least time of a call in microseconds.
static double measure(const std::function<void()> &call, int numRounds = 40,
                      int numCalls = 200) {
  using Clock = std::chrono::steady_clock;
  double best = 1e30;
  for (int round = 0; round < numRounds; ++round) {
    const auto begin = Clock::now();
    for (int i = 0; i < numCalls; ++i)
      call();
    best = std::min(
        best, std::chrono::duration<double, std::micro>(Clock::now() - begin)
                      .count() /
                  numCalls);
  }
  return best;
}

/// Memory at a multiple of 64 bytes, until the process ends.
static void *allocate(std::size_t bytes) {
  static std::vector<std::unique_ptr<void, void (*)(void *)>> blocks;
  void *block = std::aligned_alloc(64, (bytes + 127) / 64 * 64);
  return blocks.emplace_back(block, &std::free).get();
}

/// One row: inference of a network as a step and as a library.
template <typename N>
static void row(const char *name, const N &network, const Tensor &x,
                const std::string &directory) {
  Jit step([&](const Tensor &input) {
    const NoGradScope noGradient;
    return network(input);
  });
  for (int i = 0; i < 3; ++i)
    step(x).realize();
  // The weights are the caller's, so that the file's size is that of the code.
  for (ExportWeights weights : {ExportWeights::Inside, ExportWeights::Caller}) {
    ExportOptions options;
    options.weights = weights;
    Exporter exporter(std::string(name) +
                          (weights == ExportWeights::Inside ? "" : "_code"),
                      options);
    exporter.nameState(network);
    exporter.add("run", step);
    exporter.write(directory);
  }
  const std::string path = directory + "/lib" + name;
  std::ifstream file(directory + "/" + name + ".h");
  const std::string header{std::istreambuf_iterator<char>(file), {}};
  std::smatch match;
  const std::regex bytes("RUN_SCRATCH_BYTES (\\d+)");
  const std::size_t scratchBytes =
      std::regex_search(header, match, bytes) ? std::stoul(match[1]) : 0;
  void *handle = ::dlopen((path + ".so").c_str(), RTLD_NOW);
  if (!handle)
    throw Error(::dlerror());
  using Init = int (*)(void *);
  using Run = int (*)(const void *, const float *, float *, void *);
  const auto init = reinterpret_cast<Init>(
      ::dlsym(handle, (name + std::string("_init")).c_str()));
  const auto run = reinterpret_cast<Run>(
      ::dlsym(handle, (name + std::string("_run")).c_str()));
  const std::vector<float> input = x.flatten().tolist<float>(),
                           expected =
                               step(x).flatten().template tolist<float>();
  void *state = allocate(std::filesystem::file_size(path + ".so") * 2),
       *scratch = allocate(scratchBytes);
  auto *output = static_cast<float *>(allocate(expected.size() * 4));
  if (init(state) != 0 || run(state, input.data(), output, scratch) != 0)
    throw Error("a function of the library failed");
  const bool isSame = std::equal(expected.begin(), expected.end(), output);
  const double captured = measure([&] { step(x); }),
               library =
                   measure([&] { run(state, input.data(), output, scratch); });
  std::printf("| %s | %.1f | %.1f | %.2f | %.2f | %s |\n", name,
              double(std::filesystem::file_size(directory + "/lib" + name +
                                                "_code.so")) /
                  1e3,
              double(std::filesystem::file_size(path + ".so")) / 1e3, library,
              captured, isSame ? "yes" : "no");
}

namespace {
/// A library, loaded.
struct Loaded {
  int (*init)(void *);
  /// With one tensor or two, a result, and scratch memory.
  int (*run)(void *, const void *, const void *, const void *, const void *);
};

struct Compiler {
  const char *title, *command;
};
} // namespace

static constexpr Compiler kCompilers[] = {
    {"gcc -O2", "gcc -O2"},
    {"gcc -O3 -march=native", "gcc -O3 -march=native"},
    {"clang -O2 -march=native", "clang -O2 -march=native"},
    {"portable, gcc -O2", "gcc -O2 -DNET_PORTABLE"},
};

static Loaded load(const std::string &path) {
  void *handle = ::dlopen(path.c_str(), RTLD_NOW);
  if (!handle)
    throw Error(::dlerror());
  return {reinterpret_cast<decltype(Loaded::init)>(::dlsym(handle, "net_init")),
          reinterpret_cast<decltype(Loaded::run)>(::dlsym(handle, "net_run"))};
}

/// One row: calls of a step as machine code, and as C source for the same
/// target by each compiler.
template <typename N, typename J>
static void sourceRow(const std::string &name, const std::string &target,
                      const N &network, J &step,
                      const std::vector<Tensor> &given,
                      const std::string &directory) {
  std::printf("| %s | %s |", name.c_str(), target.c_str());
  std::vector<std::vector<float>> inputs;
  for (const Tensor &tensor : given)
    inputs.push_back(tensor.flatten().tolist<float>());
  std::vector<char> expected;
  std::size_t stateBytes = 0;
  auto time = [&](const std::string &path, std::size_t scratchBytes) {
    const Loaded library = load(path);
    auto *state = static_cast<char *>(allocate(stateBytes));
    std::vector<void *> parameters;
    for (const std::vector<float> &input : inputs)
      parameters.push_back(const_cast<float *>(input.data()));
    constexpr std::size_t kResultBytes = 1 << 16;
    auto *result = static_cast<char *>(allocate(kResultBytes));
    std::fill(result, result + kResultBytes, 0);
    parameters.push_back(result);
    parameters.push_back(allocate(scratchBytes));
    parameters.resize(4);
    auto call = [&] {
      return library.run(state, parameters[0], parameters[1], parameters[2],
                         parameters[3]);
    };
    if (library.init(state) != 0 || call() != 0)
      throw Error("a function of the library failed");
    const std::vector<char> first(result, result + kResultBytes);
    if (expected.empty())
      expected = first;
    std::printf(" %.2f%s |", measure([&] { call(); }, 20, 20),
                first == expected ? "" : " (other bits)");
    std::fflush(stdout);
  };
  auto write = [&](const std::string &place, bool source) {
    std::filesystem::create_directories(place);
    ExportOptions options;
    options.targets = {target};
    options.source = source;
    Exporter exporter("net", options);
    exporter.nameState(network);
    exporter.add("run", step);
    exporter.write(place);
    std::ifstream file(place + "/net.h");
    const std::string header{std::istreambuf_iterator<char>(file), {}};
    std::smatch match;
    const std::regex bytes("RUN_SCRATCH_BYTES (\\d+)");
    return std::regex_search(header, match, bytes) ? std::stoul(match[1]) : 0;
  };
  const std::string place =
      directory + "/" + name + "-" + (target == "cpu" ? "host" : "x86-64");
  const std::size_t scratch = write(place, false);
  stateBytes = std::filesystem::file_size(place + "/libnet.so") * 2 + 65536;
  time(place + "/libnet.so", scratch);
  const std::size_t scratchInC = write(place + "/c", true);
  int number = 0;
  for (const Compiler &compiler : kCompilers) {
    const std::string output =
        place + "/c/libnet" + std::to_string(number++) + ".so";
    std::string command = compiler.command;
    command.append(" -std=c99 -Wno-psabi -fPIC -shared -o '")
        .append(output)
        .append("' '")
        .append(place)
        .append("/c/net.c' -lm");
    if (std::system(command.c_str()) != 0)
      std::printf(" - |");
    else
      time(output, scratchInC);
  }
  std::printf("\n");
}

template <typename N>
static void inferenceRow(const std::string &name, const std::string &target,
                         const N &network, const Tensor &x,
                         const std::string &directory) {
  Jit step([&](const Tensor &input) {
    const NoGradScope noGradient;
    return network(input);
  });
  for (int i = 0; i < 3; ++i)
    step(x).realize();
  sourceRow(name, target, network, step, {x}, directory);
}

static void compareSources(const std::string &directory) {
  std::printf("| step | target | machine code, us |");
  for (const Compiler &compiler : kCompilers)
    std::printf(" %s |", compiler.title);
  std::printf("\n|---|---|---|");
  for (std::size_t i = 0; i < std::size(kCompilers); ++i)
    std::printf("---|");
  std::printf("\n");
  for (const std::string target : {"cpu:x86_64:x86-64", "cpu"}) {
    inferenceRow("policy", target, Policy(), Tensor::randn({1, 4}).realize(),
                 directory);
    inferenceRow("wave", target, Wave(), Tensor::randn({1, 1, 64}).realize(),
                 directory);
    inferenceRow("perceptron", target, Perceptron(),
                 Tensor::randn({1, 784}).realize(), directory);
    Convolutional network;
    optim::Adam optimizer(state::getParameters(network));
    Jit train([&](const Tensor &x, const Tensor &y) {
      const TrainingScope training;
      optimizer.zeroGrad();
      Tensor loss = network(x).mseLoss(y);
      loss.backward();
      optimizer.step({.releaseGradients = true});
      return loss;
    });
    const Tensor x = Tensor::randn({8, 1, 28, 28}).realize(),
                 y = Tensor::randn({8, 10}).realize();
    for (int i = 0; i < 3; ++i)
      train(x, y).realize();
    sourceRow("cnn-training", target, network, train, {x, y}, directory);
  }
}

/// Writes the training step of the convolutional network, with Adam and 64
/// images, as `cnn_step` and, without the values of its state, `cnn_step_code`.
static void writeTraining(const std::string &directory) {
  Convolutions network;
  optim::Adam optimizer(state::getParameters(network), {.learningRate = 1e-3});
  Jit step([&](const Tensor &x, const Tensor &y) {
    const TrainingScope training;
    optimizer.zeroGrad();
    Tensor loss = network(x).sparseCategoricalCrossentropy(y.toInt());
    loss.backward();
    optimizer.step({.releaseGradients = true});
    return loss;
  });
  const Tensor x = Tensor::randn({64, 1, 28, 28}).realize(),
               y = Tensor::zeros({64}).realize();
  for (int i = 0; i < 3; ++i)
    step(x, y).realize();
  for (bool init : {true, false}) {
    ExportOptions options;
    options.weights = init ? ExportWeights::Inside : ExportWeights::Caller;
    const std::string name = init ? "cnn_step" : "cnn_step_code";
    Exporter exporter(name, options);
    exporter.nameState(network);
    exporter.nameState(optimizer, "optimizer_");
    exporter.add("run", step, {.arguments = {"x", "y"}, .results = {"loss"}});
    exporter.write(directory);
  }
  std::printf(
      "\nThe training step of cnn, 64 images, Adam: %.1f kB of code\n",
      double(std::filesystem::file_size(directory + "/libcnn_step_code.so")) /
          1e3);
}

/// One row: what the capture of a step keeps, and what that takes.
template <typename S, typename... T>
static void captureRow(const char *name, Jit<S> &step, const T &...arguments) {
  using Clock = std::chrono::steady_clock;
  auto millisecondsSince = [](Clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(Clock::now() - begin)
        .count();
  };
  step(arguments...);
  const auto begin = Clock::now();
  step(arguments...);
  const double capture = millisecondsSince(begin);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  prepareContext(context);
  std::size_t programs = 0, bytes = 0;
  double writing = 0;
  for (const detail::CapturedAction &action :
       step.getCore().getStep()->actions) {
    if (action.source.empty())
      continue;
    ++programs;
    bytes += action.source.size();
    mlir::OwningOpRef<mlir::ModuleOp> module =
        mlir::parseSourceString<mlir::ModuleOp>(action.source, &context);
    // As the capture does: a copy of what is computed, then bytecode.
    double best = 1e30;
    for (int i = 0; i < 20; ++i) {
      const auto before = Clock::now();
      mlir::OwningOpRef<mlir::ModuleOp> copy = module->clone();
      std::string text;
      llvm::raw_string_ostream stream(text);
      if (failed(mlir::writeBytecodeToFile(*copy, stream)))
        throw Error("no bytecode");
      best = std::min(best, millisecondsSince(before));
    }
    writing += best;
  }
  std::printf("| %s | %zu | %.1f | %.2f | %.1f |\n", name, programs,
              double(bytes) / 1e3, writing, capture);
}

static void captureTable() {
  std::printf("\n| step | programs | bytecode, kB | copying and writing it, ms "
              "| the call that captures, ms |\n|---|---|---|---|---|\n");
  const Policy policy;
  Jit infer([&](const Tensor &x) {
    const NoGradScope noGradient;
    return policy(x);
  });
  captureRow("policy", infer, Tensor::randn({1, 4}).realize());
  const Wave wave;
  Jit filter([&](const Tensor &x) {
    const NoGradScope noGradient;
    return wave(x);
  });
  captureRow("wave", filter, Tensor::randn({1, 1, 64}).realize());
  Perceptron network;
  optim::Adam optimizer({network.hidden.weight, network.hidden.bias,
                         network.output.weight, network.output.bias},
                        {});
  Jit train([&](const Tensor &x, const Tensor &y) {
    const TrainingScope training;
    optimizer.zeroGrad();
    Tensor loss = network(x).mseLoss(y);
    loss.backward();
    optimizer.step({.also = {loss}, .releaseGradients = true});
    return loss;
  });
  captureRow("perceptron, training", train, Tensor::randn({64, 784}).realize(),
             Tensor::randn({64, 10}).realize());
}

static constexpr const char *kUsage =
    "usage: library-benchmark [DIRECTORY [ROW...]]\n"
    "       library-benchmark --source [DIRECTORY]\n"
    "\n"
    "Writes captured steps as libraries into DIRECTORY "
    "(/tmp/tinygrad-libraries), and\n"
    "times their calls. Rows: policy, wave, perceptron, cnn, cnn-step.\n"
    "--source: machine code compared with C source.\n";

int main(int argc, char **argv) {
  if (const int code = handleUsage(argc, argv, kUsage, 6); code >= 0)
    return code;
  try {
    const bool isSource = argc > 1 && std::string(argv[1]) == "--source";
    if (isSource) {
      --argc;
      ++argv;
    }
    std::string directory = argc > 1 ? argv[1] : "/tmp/tinygrad-libraries";
    const std::vector<std::string> wanted(argv + std::min(argc, 2),
                                          argv + argc);
    auto isWanted = [&](const char *name) {
      return wanted.empty() || std::ranges::find(wanted, name) != wanted.end();
    };
    const char *const rows[] = {"policy", "wave", "perceptron", "cnn",
                                "cnn-step"};
    for (const std::string &name : wanted)
      if (std::ranges::find(rows, name) == std::end(rows))
        throw Error("no row '" + name + "'");
    std::filesystem::create_directories(directory);
    if (isSource) {
      compareSources(directory);
      return 0;
    }
    std::printf("| network | code, kB | with weights, kB | a call, us | of the "
                "captured step, us | same bits |\n|---|---|---|---|---|---|\n");
    if (isWanted("policy"))
      row("policy", Policy(), Tensor::randn({1, 4}).realize(), directory);
    if (isWanted("wave"))
      row("wave", Wave(), Tensor::randn({1, 1, 64}).realize(), directory);
    if (isWanted("perceptron"))
      row("perceptron", Perceptron(), Tensor::randn({1, 784}).realize(),
          directory);
    if (isWanted("cnn"))
      row("cnn", Convolutions(), Tensor::randn({1, 1, 28, 28}).realize(),
          directory);
    if (isWanted("cnn-step"))
      writeTraining(directory);
    if (wanted.empty())
      captureTable();
  } catch (const std::exception &error) {
    std::fprintf(stderr, "library: %s\n", error.what());
    return 1;
  }
  return 0;
}
