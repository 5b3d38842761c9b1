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
///     library-benchmark [DIRECTORY]
///
/// The libraries stay in the directory, by default one in /tmp.
///
//===----------------------------------------------------------------------===//

#include "CapturedStep.h"
#include "TinyGrad/Compiler/Compiler.h"
#include "TinyGrad/NN/NN.h"
#include "TinyGrad/Optim/Adam.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Tensor/Export.h"
#include "TinyGrad/Tensor/Training.h"
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
} // namespace

/// The least time of a call in microseconds.
static double measure(const std::function<void()> &call) {
  using Clock = std::chrono::steady_clock;
  double best = 1e30;
  for (int round = 0; round < 40; ++round) {
    constexpr int kCalls = 200;
    const auto begin = Clock::now();
    for (int i = 0; i < kCalls; ++i)
      call();
    best = std::min(
        best, std::chrono::duration<double, std::micro>(Clock::now() - begin)
                      .count() /
                  kCalls);
  }
  return best;
}

/// Memory at a multiple of 64 bytes.
static void *allocate(std::size_t bytes) {
  return std::aligned_alloc(64, (bytes + 127) / 64 * 64);
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

int main(int argc, char **argv) {
  try {
    std::string directory = argc > 1 ? argv[1] : "/tmp/tinygrad-libraries";
    std::filesystem::create_directories(directory);
    std::printf("| network | code, kB | with weights, kB | a call, us | of the "
                "captured step, us | same bits |\n|---|---|---|---|---|---|\n");
    row("policy", Policy(), Tensor::randn({1, 4}).realize(), directory);
    row("wave", Wave(), Tensor::randn({1, 1, 64}).realize(), directory);
    row("perceptron", Perceptron(), Tensor::randn({1, 784}).realize(),
        directory);
    captureTable();
  } catch (const std::exception &error) {
    std::fprintf(stderr, "library: %s\n", error.what());
    return 1;
  }
  return 0;
}
