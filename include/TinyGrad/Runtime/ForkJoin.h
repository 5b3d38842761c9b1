//===- ForkJoin.h - parallel loops and the thread sanitizer -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// oneTBB's library is not instrumented, so the thread sanitizer does not see
/// how its loops synchronize. This class states exactly that: everything before
/// a loop happens before each of its tasks, and each task happens before
/// everything after the loop. Tasks are not ordered among themselves. Without
/// the sanitizer it generates no code.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_RUNTIME_FORKJOIN_H
#define TINYGRAD_RUNTIME_FORKJOIN_H

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TINYGRAD_THREAD_SANITIZER 1
#define TINYGRAD_NO_THREAD_SANITIZER __attribute__((no_sanitize("thread")))
extern "C" void __tsan_acquire(void *address);
extern "C" void __tsan_release(void *address);
#endif
#endif
#ifndef TINYGRAD_NO_THREAD_SANITIZER
#define TINYGRAD_NO_THREAD_SANITIZER
#endif

namespace tinygrad::detail {

class ForkJoin {
public:
  ForkJoin() = default;
  ForkJoin(const ForkJoin &) = delete;
  ForkJoin &operator=(const ForkJoin &) = delete;
  /// Ends the loop, normally or by an exception.
  ~ForkJoin() { acquire(&last); }

  /// Must be called before the loop begins, after its closures were created.
  void fork() { release(&first); }

  /// The function that the loop must call for each task instead of \p body.
  /// Access to this object through the closure is not instrumented, since it
  /// precedes the synchronization.
  template <typename Body> auto wrap(const Body &body) {
    return [this, &body](auto position) TINYGRAD_NO_THREAD_SANITIZER {
      Task task(*this);
      body(position);
    };
  }

private:
  /// Represents the execution of one task.
  class Task {
  public:
    explicit Task(ForkJoin &loop) : loop(loop) { acquire(&loop.first); }
    Task(const Task &) = delete;
    Task &operator=(const Task &) = delete;
    ~Task() { release(&loop.last); }

  private:
    ForkJoin &loop;
  };

#ifdef TINYGRAD_THREAD_SANITIZER
  static void acquire(char *address) { __tsan_acquire(address); }
  static void release(char *address) { __tsan_release(address); }
#else
  static void acquire(char *) {}
  static void release(char *) {}
#endif

  char first = 0, last = 0;
};

} // namespace tinygrad::detail

#endif // TINYGRAD_RUNTIME_FORKJOIN_H
