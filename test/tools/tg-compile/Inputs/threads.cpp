// Several threads call a library at once, whose kernels run on the threads of
// oneTBB: each with a state, results and scratch memory of its own, and
// arguments that all share. Results are those of one thread without oneTBB.
#include "net.h"

#include <atomic>
#include <cstdio>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

static constexpr int kThreads = 6, kCalls = 40;

// What the threads share, and only read.
static float images[kThreads][512][512];

// What each thread has.
struct Worker {
  NET_ALIGNED net_state state;
  NET_ALIGNED float y[512];
  NET_ALIGNED char scratch[NET_STEP_SCRATCH_BYTES];

  int run(int number, const net_threads *threads) {
    for (int call = 0; call < kCalls; ++call) {
      // A wrong size between right ones changes nothing.
      const float *x = &images[(number + call) % kThreads][0][0];
      if (net_step(&state, x, y, 513, scratch, threads) != NET_ERROR_SIZE)
        return -1;
      if (int status = net_step(&state, x, y, 512 - (number * 7 + call) % 64,
                                scratch, threads))
        return status;
    }
    return NET_OK;
  }
  bool isEqual(const Worker &other) const {
    return std::memcmp(&state, &other.state, sizeof(state)) == 0 &&
           std::memcmp(y, other.y, sizeof(y)) == 0;
  }
};

// A loop on the calling thread that counts itself.
static std::atomic<int> numLoops;
static void countParts(void *, int64_t extent,
                       void (*body)(void *, int64_t, int64_t), void *data) {
  ++numLoops;
  body(data, 0, extent);
}
static const net_threads counting = {nullptr, countParts};

int main() {
  for (int k = 0; k < kThreads; ++k)
    for (int i = 0; i < 512; ++i)
      for (int j = 0; j < 512; ++j)
        images[k][i][j] =
            static_cast<float>((i * 31 + j * 17 + k * 101) % 1009) / 1009.0f;

  std::vector<std::unique_ptr<Worker>> expected, actual;
  for (int number = 0; number < kThreads; ++number) {
    expected.push_back(std::make_unique<Worker>());
    actual.push_back(std::make_unique<Worker>());
    if (expected.back()->run(number, nullptr) != NET_OK)
      return 1;
  }
  // There is something to do in parallel.
  if (std::make_unique<Worker>()->run(0, &counting) != NET_OK || numLoops == 0)
    return 2;

  std::atomic<int> waiting{kThreads}, failures{0};
  std::vector<std::thread> threads;
  for (int number = 0; number < kThreads; ++number)
    threads.emplace_back([&, number] {
      // All begin at once.
      --waiting;
      while (waiting > 0)
        std::this_thread::yield();
      if (actual[number]->run(number, net_tbb()) != NET_OK)
        ++failures;
    });
  for (std::thread &thread : threads)
    thread.join();
  for (int number = 0; number < kThreads; ++number)
    if (!expected[number]->isEqual(*actual[number])) {
      std::printf("thread %d has other results\n", number);
      ++failures;
    }
  std::printf(failures == 0 ? "passed\n" : "failed\n");
  return failures == 0 ? 0 : 3;
}
