//===- ProcessTest.cpp - end of processes, lack of memory -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Tensors in destructors of static objects, and graphs that do not fit into
/// memory, each in a child process.
///
//===----------------------------------------------------------------------===//

#include "TensorTest.h"

#include <fstream>
#include <new>
#include <optional>

#include <sys/resource.h>
#include <unistd.h>

using namespace tinygrad;
using namespace tinygrad::testing;

namespace {
/// Ends the process with status 0 if the destructor's check succeeds.
struct AtExit {
  std::function<bool()> body;
  ~AtExit() {
    bool isOk = false;
    try {
      isOk = body();
    } catch (...) {
    }
    ::_exit(isOk ? 0 : 1);
  }
};

struct ProcessTest : ::testing::Test {
  // The child runs the test from its beginning.
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};
} // namespace

/// Expects \p body to end its process, a child, with status 0.
static void expectSuccess(const std::function<void()> &body) {
  EXPECT_EXIT(body(), ::testing::ExitedWithCode(0), "");
}

static bool throwsError(const std::function<void()> &body) {
  try {
    body();
  } catch (const Error &error) {
    return std::string(error.what()).find("static storage duration") !=
           std::string::npos;
  }
  return false;
}

TEST_F(ProcessTest, tensorsOfStaticObjectsAreDestroyed) {
  expectSuccess([&] {
    static std::optional<Tensor> older, kept;
    // Constructed before all objects of the library, so destroyed after them.
    static AtExit atExit{[] {
      older.reset();
      kept.reset();
      return true;
    }};
    older = Tensor::ones({8}).realize();
    kept = (*older + 1).sum();
    kept->item<float>();
    std::exit(1);
  });
}

TEST_F(ProcessTest, destructorsOfStaticObjectsGetAnError) {
  expectSuccess([&] {
    static std::optional<Tensor> realized, lazy;
    static AtExit atExit{[] {
      return throwsError([] { Tensor::ones({4}); }) &&
             throwsError([] { Tensor::randn({4, 4}); }) &&
             throwsError([] { *realized + 1; }) &&
             throwsError([] { lazy->item<float>(); }) &&
             throwsError([] { Graph(); }) &&
             // Values that were computed before are available.
             values(*realized) == std::vector<double>{2, 2};
    }};
    realized = Tensor::from({2.0f, 2.0f});
    lazy = (*realized * 3).sum();
    std::exit(1);
  });
}

#if !defined(__has_feature)
#define __has_feature(x) 0
#endif

// Sanitizers need more address space than the limit leaves.
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
TEST_F(ProcessTest, graphsThatDoNotFitIntoMemoryThrow) {
  for (rlim_t extra : {1, 4, 16, 32})
    expectSuccess([&] {
      Tensor x = Tensor::ones({8}).contiguous();
      (x + 5).sum().item<float>();
      rlim_t pages = 0;
      std::ifstream("/proc/self/statm") >> pages;
      const rlimit limit = {pages * 4096 + (extra << 20), RLIM_INFINITY};
      ::setrlimit(RLIMIT_AS, &limit);
      int numCaught = 0;
      for (int round = 0; round < 3; ++round)
        try {
          Tensor y = x;
          for (int i = 0; i < 20000000; ++i)
            y = y + Tensor::full({8}, double(i));
        } catch (const std::bad_alloc &) {
          ++numCaught;
        }
      // Once memory is available again, the graph is unchanged.
      const rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
      ::setrlimit(RLIMIT_AS, &none);
      const bool isOk = numCaught == 3 && (x + 5).sum().item<float>() == 48;
      ::_exit(isOk ? 0 : 1);
    });
}
#endif
