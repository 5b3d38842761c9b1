//===- Profile.cpp - kernel times by call site ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The call site of each thread, and the table of PROFILE=1.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Runtime/Profile.h"
#include "TinyGrad/Runtime/Environment.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <tuple>
#include <vector>

using namespace tinygrad;

//===----------------------------------------------------------------------===//
// Call sites
//===----------------------------------------------------------------------===//

static thread_local const char *siteFile = nullptr;
static thread_local unsigned siteLine = 0;

CallSite::CallSite(const char *file, unsigned line)
    : isOutermost(!siteFile && *file) {
  if (!isOutermost)
    return;
  siteFile = file;
  siteLine = line;
}

CallSite::~CallSite() {
  if (isOutermost)
    siteFile = nullptr;
}

std::string CallSite::describe() {
  if (!siteFile)
    return "";
  const std::string_view path = siteFile;
  // If there is no slash, npos + 1 is 0.
  return std::string(path.substr(path.rfind('/') + 1)) + ":" +
         std::to_string(siteLine);
}

//===----------------------------------------------------------------------===//
// Peak performance of the machine
//===----------------------------------------------------------------------===//

/// Runs \p work on as many threads as kernels use, repeatedly for at least \p
/// seconds each. Returns the sum of its results per second.
template <typename Work>
static double ratePerSecond(double seconds, const Work &work) {
  const std::size_t count = std::size_t(threadCount());
  std::vector<double> rates(count);
  std::vector<std::thread> threads;
  for (double &rate : rates)
    threads.emplace_back([&rate, &work, seconds] {
      using Clock = std::chrono::steady_clock;
      auto task = work();
      task(); // first touch of the memory
      const Clock::time_point begin = Clock::now();
      double amount = 0, elapsed = 0;
      do {
        amount += task();
        elapsed = std::chrono::duration<double>(Clock::now() - begin).count();
      } while (elapsed < seconds);
      rate = amount / elapsed;
    });
  for (std::thread &thread : threads)
    thread.join();
  double sum = 0;
  for (double rate : rates)
    sum += rate;
  return sum;
}

/// Bytes read and written per second by a copy of memory too large for any
/// cache.
static double measureCopyBandwidth() {
  return ratePerSecond(0.1, [] {
    constexpr std::size_t bytes = std::size_t(64) << 20;
    auto from = std::make_shared<std::vector<char>>(bytes, 1);
    auto to = std::make_shared<std::vector<char>>(bytes);
    return [from, to] {
      std::memcpy(to->data(), from->data(), bytes);
      // Prevents removal of the copy by the optimizer.
      asm volatile("" : : "r"(to->data()) : "memory");
      return 2.0 * bytes;
    };
  });
}

/// A million steps of `x * a + b` on ten independent vectors, enough to hide
/// the latency of the operation on two units.
template <typename Vector> [[gnu::always_inline]] inline double multiplyAdd() {
#pragma STDC FP_CONTRACT ON
  constexpr int count = 10, steps = 100000;
  Vector a = {}, b = {}, x[count] = {};
  a += 0.5f;
  b += 0.25f;
  asm volatile("" : "+m"(a), "+m"(b));
  for (int step = 0; step < steps; ++step)
    for (int i = 0; i < count; ++i)
      x[i] = x[i] * a + b;
  for (Vector &value : x)
    asm volatile("" : : "m"(value));
  constexpr std::size_t lanes = sizeof(Vector) / sizeof(float);
  return 2.0 * count * steps * double(lanes);
}

using Vector16 [[gnu::vector_size(16)]] = float;
static double multiplyAddPlain() { return multiplyAdd<Vector16>(); }
#ifdef __x86_64__
using Vector32 [[gnu::vector_size(32)]] = float;
using Vector64 [[gnu::vector_size(64)]] = float;
[[gnu::target("avx2,fma")]] static double multiplyAddAvx2() {
  return multiplyAdd<Vector32>();
}
[[gnu::target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")]] static double
multiplyAddAvx512() {
  return multiplyAdd<Vector64>();
}
#endif

/// Single-precision operations per second; a multiply-add counts as two.
static double measurePeak() {
  return ratePerSecond(0.05, [] {
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"))
      return multiplyAddAvx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
      return multiplyAddAvx2;
#endif
    return multiplyAddPlain;
  });
}

//===----------------------------------------------------------------------===//
// The summary
//===----------------------------------------------------------------------===//

namespace {
struct Total {
  std::string description;
  int64_t count = 0;
  double seconds = 0, operations = 0, bytes = 0;
  bool isOnHost = true;
};

struct Profile {
  std::mutex mutex;
  std::map<std::string, Total> totals;
};
} // namespace

static void printProfile() {
  const std::string summary = profileSummary();
  // debugPrint is not used, since its sink may be destroyed already.
  std::fputs(summary.c_str(), stderr);
}

static Profile &profile() {
  // Never destroyed: kernels may run until the process ends.
  static Profile *instance = new Profile;
  return *instance;
}

void tinygrad::recordStep(const StepTime &step) {
  static const int registered = std::atexit(printProfile);
  (void)registered;
  Profile &all = profile();
  std::lock_guard<std::mutex> lock(all.mutex);
  Total &total = all.totals[step.name];
  if (total.description.empty())
    total.description = step.description;
  total.isOnHost = step.isOnHost;
  ++total.count;
  total.seconds += step.seconds;
  total.operations += step.operations;
  total.bytes += step.bytes;
}

void tinygrad::resetProfile() {
  Profile &all = profile();
  std::lock_guard<std::mutex> lock(all.mutex);
  all.totals.clear();
}

std::string tinygrad::profileSummary() {
  std::vector<std::pair<std::string, Total>> rows;
  {
    Profile &all = profile();
    std::lock_guard<std::mutex> lock(all.mutex);
    rows.assign(all.totals.begin(), all.totals.end());
  }
  if (rows.empty())
    return "";
  std::sort(rows.begin(), rows.end(), [](const auto &a, const auto &b) {
    return std::tie(b.second.seconds, a.first) <
           std::tie(a.second.seconds, b.first);
  });
  const bool hasRoof =
      std::any_of(rows.begin(), rows.end(),
                  [](const auto &row) { return row.second.isOnHost; });
  double bandwidth = 1, peak = 1;
  if (hasRoof) {
    static const double hostBandwidth = measureCopyBandwidth();
    static const double hostPeak = measurePeak();
    bandwidth = hostBandwidth;
    peak = hostPeak;
  }
  double seconds = 0;
  std::size_t width = 6;
  for (const auto &[name, total] : rows) {
    seconds += total.seconds;
    width = std::max(width, std::min<std::size_t>(name.size(), 40));
  }
  char line[256];
  std::snprintf(line, sizeof(line), "profile: %zu kernels, %.3f ms",
                rows.size(), seconds * 1e3);
  std::string text = line;
  if (hasRoof) {
    std::snprintf(line, sizeof(line),
                  "; roofline: %.1f GB/s (a copy), %.1f GFLOPS (float32 "
                  "multiply-adds)",
                  bandwidth * 1e-9, peak * 1e-9);
    text += line;
  }
  text += "\n";
  std::snprintf(line, sizeof(line),
                "%-*s %8s %11s %6s %9s %8s %5s  operations\n", int(width),
                "kernel", "count", "total ms", "share", "GFLOPS", "GB/s",
                "roof");
  text += line;
  for (const auto &[name, total] : rows) {
    // If the clock is too coarse for the kernel, no rate is printed.
    const double perSecond = total.seconds > 0 ? 1 / total.seconds : 0;
    const double atLeast =
        std::max(total.bytes / bandwidth, total.operations / peak);
    std::snprintf(
        line, sizeof(line), "%-*s %8lld %11.3f %5.1f%% %9.1f %8.1f ",
        int(width), name.c_str(), static_cast<long long>(total.count),
        total.seconds * 1e3, seconds > 0 ? 100 * total.seconds / seconds : 0.0,
        total.operations * perSecond * 1e-9, total.bytes * perSecond * 1e-9);
    text += line;
    std::snprintf(line, sizeof(line), "%4.0f%%", 100 * atLeast * perSecond);
    text += total.isOnHost ? line : "     ";
    text += "  " + total.description + "\n";
  }
  return text;
}
