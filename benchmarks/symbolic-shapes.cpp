//===- symbolic-shapes.cpp - symbolic kernels vs. static ones -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Runs programs with symbolic shapes and the same programs with static shapes,
/// alternating, and prints both times and the fraction of the static speed.
///
///   symbolic-shapes [--rounds N] [ROW...]
///
/// Each program is compiled once for variables up to a maximum and run at the
/// maximum, slightly below it (not a multiple of the vector length), and at
/// half of it.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Compiler/Compiler.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Runtime/Error.h"
#include "Usage.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

using namespace tinygrad;

namespace {
/// An axis: its size, and its variable in the symbolic program.
struct Axis {
  int64_t size;
  std::string variable;
};

/// Writes types and programs in which some axes are symbolic.
class Writer {
public:
  Writer(bool symbolic, std::map<std::string, int64_t> largest)
      : symbolic(symbolic), largest(std::move(largest)) {}

  std::string type(const std::vector<Axis> &axes) const {
    std::string sizes, dims;
    bool hasVariable = false;
    for (const Axis &axis : axes) {
      const bool isVariable = symbolic && !axis.variable.empty();
      hasVariable |= isVariable;
      sizes += (isVariable ? "?" : std::to_string(axis.size)) + "x";
      dims += dims.empty() ? "" : ", ";
      dims += isVariable ? "#tg.var<\"" + axis.variable + "\", 1, " +
                               std::to_string(largest.at(axis.variable)) + ">"
                         : std::to_string(axis.size);
    }
    return "tensor<" + sizes + "f32" +
           (hasVariable ? ", #tg.shape<" + dims + ">" : "") + ">";
  }

private:
  bool symbolic;
  std::map<std::string, int64_t> largest;
};

using Program = std::string (*)(const Writer &, Axis, Axis, Axis);

std::string elementwise(const Writer &w, Axis n, Axis m, Axis) {
  const std::string t = w.type({n, m});
  return "func.func @main(%a: " + t + ", %b: " + t + ") -> " + t + " {\n" +
         "%0 = tg.add %a, %b : " + t + "\n%1 = tg.mul %0, %a : " + t +
         "\n%2 = tg.sub %1, %b : " + t + "\nreturn %2 : " + t + "\n}";
}

std::string softmax(const Writer &w, Axis n, Axis m, Axis) {
  const std::string t = w.type({n, m}), r = w.type({n, {1, ""}});
  return "func.func @main(%a: " + t + ") -> " + t + " {\n" +
         "%m = tg.reduce max %a axes [1] : " + t + " -> " + r +
         "\n%e = tg.expand %m : " + r + " -> " + t +
         "\n%d = tg.sub %a, %e : " + t + "\n%x = tg.exp2 %d : " + t +
         "\n%s = tg.reduce add %x axes [1] : " + t + " -> " + r +
         "\n%i = tg.recip %s : " + r + "\n%f = tg.expand %i : " + r + " -> " +
         t + "\n%o = tg.mul %x, %f : " + t + "\nreturn %o : " + t + "\n}";
}

std::string matmul(const Writer &w, Axis m, Axis k, Axis n) {
  const Axis one{1, ""};
  const std::string a = w.type({m, k}), b = w.type({k, n}),
                    a3 = w.type({m, k, one}), b3 = w.type({one, k, n}),
                    all = w.type({m, k, n}), sum = w.type({m, one, n}),
                    out = w.type({m, n});
  return "func.func @main(%a: " + a + ", %b: " + b + ") -> " + out + " {\n" +
         "%0 = tg.reshape %a : " + a + " -> " + a3 +
         "\n%1 = tg.expand %0 : " + a3 + " -> " + all +
         "\n%2 = tg.reshape %b : " + b + " -> " + b3 +
         "\n%3 = tg.expand %2 : " + b3 + " -> " + all +
         "\n%4 = tg.mul %1, %3 : " + all +
         "\n%5 = tg.reduce add %4 axes [1] : " + all + " -> " + sum +
         "\n%6 = tg.reshape %5 : " + sum + " -> " + out +
         "\nreturn %6 : " + out + "\n}";
}

struct Row {
  const char *name;
  Program program;
  Axis axes[3];
};

const Row kRows[] = {
    {"elementwise-rows", elementwise, {{4096, "n"}, {4096, ""}, {1, ""}}},
    {"elementwise-columns", elementwise, {{4096, ""}, {4096, "n"}, {1, ""}}},
    {"elementwise-both", elementwise, {{4096, "m"}, {4096, "n"}, {1, ""}}},
    {"softmax-rows", softmax, {{4096, "n"}, {4096, ""}, {1, ""}}},
    {"softmax-columns", softmax, {{4096, ""}, {4096, "n"}, {1, ""}}},
    {"softmax-both", softmax, {{4096, "m"}, {4096, "n"}, {1, ""}}},
    {"matmul-512-m", matmul, {{512, "m"}, {512, ""}, {512, ""}}},
    {"matmul-512-k", matmul, {{512, ""}, {512, "k"}, {512, ""}}},
    {"matmul-512-n", matmul, {{512, ""}, {512, ""}, {512, "n"}}},
    {"matmul-512-all", matmul, {{512, "m"}, {512, "k"}, {512, "n"}}},
    {"matmul-1024-m", matmul, {{1024, "m"}, {1024, ""}, {1024, ""}}},
    {"matmul-1024-all", matmul, {{1024, "m"}, {1024, "k"}, {1024, "n"}}},
};

struct Compiled {
  std::shared_ptr<CompiledProgram> program;
  std::vector<Buffer> inputs;
};

Compiled compileText(mlir::MLIRContext &context, const std::string &text) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    throw CompileError("a program of this benchmark does not parse");
  Device &device = Device::get("CPU");
  Compiled compiled;
  compiled.program = compile(*module, device);
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (const TensorInfo &info : compiled.program->getArguments()) {
    int64_t count = 1;
    for (int64_t size : info.shape)
      count *= size;
    std::vector<float> values(static_cast<size_t>(count));
    for (float &value : values)
      value = uniform(random);
    compiled.inputs.push_back(Buffer::fromHost(
        device, values.data(), values.size() * sizeof(float), info.dtype));
  }
  return compiled;
}

double seconds(Compiled &compiled, const std::vector<int64_t> &values) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  compiled.program->run(compiled.inputs, values);
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double median(std::vector<double> times) {
  std::nth_element(times.begin(), times.begin() + times.size() / 2,
                   times.end());
  return times[times.size() / 2];
}

void run(mlir::MLIRContext &context, const Row &row, int rounds) {
  std::map<std::string, int64_t> largest;
  for (const Axis &axis : row.axes)
    if (!axis.variable.empty())
      largest[axis.variable] = axis.size;
  Compiled symbolic =
      compileText(context, row.program(Writer(true, largest), row.axes[0],
                                       row.axes[1], row.axes[2]));
  for (int where = 0; where < 3; ++where) {
    Axis axes[3] = {row.axes[0], row.axes[1], row.axes[2]};
    std::vector<int64_t> values;
    int64_t size = 0;
    for (const auto &[name, most] : largest) {
      size = where == 0 ? most : where == 1 ? most - 3 : most / 2;
      values.push_back(size);
    }
    for (Axis &axis : axes)
      if (!axis.variable.empty())
        axis.size = size;
    Compiled fixed =
        compileText(context, row.program(Writer(false, largest), axes[0],
                                         axes[1], axes[2]));
    std::vector<double> fixedTimes, symbolicTimes, ratios;
    for (int round = 0; round < rounds; ++round) {
      fixedTimes.push_back(seconds(fixed, {}));
      symbolicTimes.push_back(seconds(symbolic, values));
    }
    // The first runs include page faults.
    fixedTimes.erase(fixedTimes.begin());
    symbolicTimes.erase(symbolicTimes.begin());
    const double a = median(fixedTimes), b = median(symbolicTimes);
    const double bestA =
        *std::min_element(fixedTimes.begin(), fixedTimes.end());
    const double bestB =
        *std::min_element(symbolicTimes.begin(), symbolicTimes.end());
    std::printf("%-20s %6lld   %8.3f %8.3f   %5.2f      %8.3f %8.3f   %5.2f\n",
                row.name, static_cast<long long>(size), a * 1e3, b * 1e3, a / b,
                bestA * 1e3, bestB * 1e3, bestA / bestB);
    std::fflush(stdout);
  }
}
} // namespace

static constexpr const char *kUsage =
    "usage: symbolic-shapes [--rounds N] [ROW...]\n"
    "\n"
    "Times programs with symbolic shapes and the same programs with static "
    "shapes.\n";

int main(int argc, char **argv) {
  if (const int code = handleUsage(argc, argv, kUsage, 1000); code >= 0)
    return code;
  int rounds = 31;
  std::vector<std::string> wanted;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--rounds") == 0 && i + 1 < argc) {
      rounds = std::max(std::atoi(argv[++i]), 2);
    } else if (argv[i][0] == '-') {
      std::fputs(kUsage, stderr);
      return 2;
    } else {
      wanted.push_back(argv[i]);
    }
  }
  try {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    prepareContext(context);
    std::printf("%-20s %6s   %8s %8s   %5s      %8s %8s   %5s\n", "", "",
                "static", "symbolic", "of", "static", "symbolic", "of");
    std::printf("%-20s %6s   %8s %8s   %5s      %8s %8s   %5s\n", "row", "size",
                "median", "ms", "speed", "best", "ms", "speed");
    for (const Row &row : kRows)
      if (wanted.empty() ||
          std::find(wanted.begin(), wanted.end(), row.name) != wanted.end())
        run(context, row, rounds);
  } catch (const Error &error) {
    std::fprintf(stderr, "symbolic-shapes: %s\n", error.what());
    return 1;
  }
  return 0;
}
