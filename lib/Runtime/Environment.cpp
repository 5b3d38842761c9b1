//===- Environment.cpp - settings from the environment --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Environment variables, scoped overrides, and the debug stream.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Runtime/Environment.h"
#include "TinyGrad/Runtime/Error.h"

#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <type_traits>

#ifdef __linux__
#include <sched.h>
#endif

using namespace tinygrad;

//===----------------------------------------------------------------------===//
// The variables
//===----------------------------------------------------------------------===//

namespace {
enum Number : unsigned {
  Debug,
  NoOpt,
  AllowTf32,
  Ftz,
  Spec,
  FallBack,
  Lru,
  Profile,
  CacheLevel,
  CacheSize,
  Threads,
  Programs,
  Kernels,
  SimSeed,
  SimCount,
  SimSkip,
  MemLimit,
  numNumbers
};
enum Text : unsigned {
  Dev,
  CacheDir,
  Mcpu,
  SimChip,
  Reproducer,
  CudaLib,
  HipLib,
  numTexts
};

struct NumberFacts {
  const char *name;
  int64_t lowest, highest, fallback;
};

/// The overrides of this thread's Context objects, which own the texts.
/// Trivially destructible, because settings are still read when memory is freed
/// after the thread's objects were destroyed.
struct Overrides {
  std::array<std::optional<int64_t>, numNumbers> numbers;
  std::array<const std::string *, numTexts> texts;
};
static_assert(std::is_trivially_destructible_v<Overrides>);
} // namespace

static constexpr NumberFacts kNumberFacts[numNumbers] = {
    {"DEBUG", 0, 7, 0},
    {"NOOPT", 0, 1, 0},
    {"ALLOW_TF32", 0, 1, 0},
    {"FTZ", 0, 1, 0},
    {"SPEC", 0, 3, 0},
    {"FALLBACK", 0, 1, 1},
    {"LRU", 0, 1, 1},
    {"PROFILE", 0, 1, 0},
    {"CACHELEVEL", 0, 2, 2},
    {"CACHESIZE", 0, int64_t(1) << 40, 1024},
    // 0 means the number of CPUs.
    {"THREADS", 0, 4096, 0},
    {"PROGRAMS", 0, int64_t(1) << 40, 1024},
    {"KERNELS", 0, int64_t(1) << 40, 4096},
    {"SIMSEED", 0, int64_t(1) << 40, 0},
    {"SIMCOUNT", 0, int64_t(1) << 40, 0},
    {"SIMSKIP", 0, 1, 0},
    // 0 means no limit.
    {"MEMLIMIT", 0, int64_t(1) << 40, 0},
};
static constexpr const char *kTextNames[numTexts] = {
    "DEV", "CACHEDIR", "MCPU", "SIMCHIP", "REPRODUCER", "CUDALIB", "HIPLIB"};

static thread_local Overrides overrides;

static void checkRange(const NumberFacts &facts, int64_t value) {
  if (value < facts.lowest || value > facts.highest)
    throw Error(std::string(facts.name) + "=" + std::to_string(value) +
                " is out of range: expected " + std::to_string(facts.lowest) +
                " to " + std::to_string(facts.highest));
}

static int64_t readNumber(const NumberFacts &facts) {
  const char *text = std::getenv(facts.name);
  if (!text || !*text)
    return facts.fallback;
  const std::string_view view = text;
  int64_t value = 0;
  auto [end, error] =
      std::from_chars(view.data(), view.data() + view.size(), value);
  if (error != std::errc() || end != view.data() + view.size())
    throw Error("environment variable " + std::string(facts.name) + "=" + text +
                " is not a number: expected " + std::to_string(facts.lowest) +
                " to " + std::to_string(facts.highest));
  checkRange(facts, value);
  return value;
}

/// All numbers from the environment. They are parsed together, so that the
/// first use of the library detects an invalid one, rather than code that must
/// not throw. While one is invalid, every use throws.
static const std::array<int64_t, numNumbers> &environmentNumbers() {
  static const std::array<int64_t, numNumbers> numbers = [] {
    std::array<int64_t, numNumbers> read;
    for (unsigned i = 0; i < numNumbers; ++i)
      read[i] = readNumber(kNumberFacts[i]);
    return read;
  }();
  return numbers;
}

void tinygrad::checkSettings() { environmentNumbers(); }

template <Number variable> static int64_t number() {
  if (const std::optional<int64_t> &value = overrides.numbers[variable])
    return *value;
  return environmentNumbers()[variable];
}

template <Text variable> static std::string text() {
  if (const std::string *value = overrides.texts[variable])
    return *value;
  static const std::string *fromEnvironment = [] {
    const char *value = std::getenv(kTextNames[variable]);
    return new std::string(value ? value : "");
  }();
  return *fromEnvironment;
}

int tinygrad::debugLevel() { return int(number<Debug>()); }
bool tinygrad::noOptimization() { return number<NoOpt>() != 0; }
bool tinygrad::allowTf32() { return number<AllowTf32>() != 0; }
bool tinygrad::flushSubnormals() { return number<Ftz>() != 0; }
bool tinygrad::verifyEveryRewrite() { return number<Spec>() != 0; }
bool tinygrad::checkBounds() { return number<Spec>() >= 2; }
bool tinygrad::verifySchedules() { return number<Spec>() >= 3; }
bool tinygrad::fallBackToSimplerSchedules() { return number<FallBack>() != 0; }
bool tinygrad::cacheFreedMemory() { return number<Lru>() != 0; }
bool tinygrad::profileKernels() { return number<Profile>() != 0; }
int tinygrad::cacheLevel() { return int(number<CacheLevel>()); }
uint64_t tinygrad::diskCacheBytes() {
  return uint64_t(number<CacheSize>()) << 20;
}
std::size_t tinygrad::programLimit() { return std::size_t(number<Programs>()); }
std::size_t tinygrad::kernelLimit() { return std::size_t(number<Kernels>()); }
std::string tinygrad::deviceSetting() { return text<Dev>(); }
std::string tinygrad::processorSetting() { return text<Mcpu>(); }
std::string tinygrad::simulatedChip() {
  const std::string name = text<SimChip>();
  return name.empty() ? "sm_90" : name;
}
uint64_t tinygrad::simulatorSeed() { return uint64_t(number<SimSeed>()); }
int64_t tinygrad::simulatorCount() { return number<SimCount>(); }
bool tinygrad::simulatorSkips() { return number<SimSkip>() != 0; }
std::string tinygrad::reproducerFile() { return text<Reproducer>(); }
uint64_t tinygrad::deviceMemoryLimit() {
  return uint64_t(number<MemLimit>()) << 20;
}
std::string tinygrad::cudaLibrary() { return text<CudaLib>(); }
std::string tinygrad::hipLibrary() { return text<HipLib>(); }

int tinygrad::threadCount() {
  if (int64_t wanted = number<Threads>())
    return int(wanted);
#ifdef __linux__
  // The CPUs that this process may use, not all CPUs of the machine.
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0)
    return CPU_COUNT(&allowed);
#endif
  return std::max(1u, std::thread::hardware_concurrency());
}

std::string tinygrad::cacheDirectory() {
  if (std::string directory = text<CacheDir>(); !directory.empty())
    return directory;
  if (const char *base = std::getenv("XDG_CACHE_HOME"); base && *base)
    return std::string(base) + "/tinygrad-mlir";
  if (const char *home = std::getenv("HOME"); home && *home)
    return std::string(home) + "/.cache/tinygrad-mlir";
  return "";
}

//===----------------------------------------------------------------------===//
// Context
//===----------------------------------------------------------------------===//

static std::optional<unsigned> findNumber(std::string_view name) {
  for (unsigned i = 0; i < numNumbers; ++i)
    if (name == kNumberFacts[i].name)
      return i;
  return std::nullopt;
}

static std::optional<unsigned> findText(std::string_view name) {
  for (unsigned i = 0; i < numTexts; ++i)
    if (name == kTextNames[i])
      return i;
  return std::nullopt;
}

Context::Context(std::initializer_list<Setting> settings) {
  for (const Setting &setting : settings) {
    if (std::optional<unsigned> variable = findNumber(setting.name)) {
      if (!setting.number)
        throw Error("setting " + setting.name + " takes a number, not '" +
                    setting.text + "'");
      checkRange(kNumberFacts[*variable], *setting.number);
    } else if (findText(setting.name)) {
      if (setting.number)
        throw Error("setting " + setting.name + " takes text, not a number");
    } else {
      throw Error("there is no setting called " + setting.name);
    }
  }

  for (const Setting &setting : settings) {
    if (std::optional<unsigned> variable = findNumber(setting.name)) {
      std::optional<int64_t> &slot = overrides.numbers[*variable];
      saved.push_back({*variable, slot, nullptr, nullptr});
      slot = setting.number;
    } else {
      unsigned textVariable = *findText(setting.name);
      const std::string *&slot = overrides.texts[textVariable];
      saved.push_back({numNumbers + textVariable, std::nullopt, slot,
                       std::make_unique<std::string>(setting.text)});
      slot = saved.back().newText.get();
    }
  }
}

Context::~Context() {
  for (auto it = saved.rbegin(); it != saved.rend(); ++it) {
    if (it->variable < numNumbers)
      overrides.numbers[it->variable] = it->number;
    else
      overrides.texts[it->variable - numNumbers] = it->oldText;
  }
}

//===----------------------------------------------------------------------===//
// Debug stream
//===----------------------------------------------------------------------===//

namespace {
struct DebugStream {
  std::mutex mutex;
  std::function<void(std::string_view)> sink;
};
} // namespace

/// Never destroyed: static objects may still print.
static DebugStream &debugStream() {
  static DebugStream *stream = new DebugStream;
  return *stream;
}

void tinygrad::debugPrint(std::string_view line) {
  DebugStream &stream = debugStream();
  std::lock_guard<std::mutex> lock(stream.mutex);
  if (stream.sink) {
    stream.sink(line);
    return;
  }
  std::string withNewline(line);
  withNewline += '\n';
  std::fwrite(withNewline.data(), 1, withNewline.size(), stderr);
}

void tinygrad::setDebugSink(std::function<void(std::string_view)> sink) {
  DebugStream &stream = debugStream();
  std::lock_guard<std::mutex> lock(stream.mutex);
  stream.sink = std::move(sink);
}
