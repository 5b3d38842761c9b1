//===- Environment.h - settings from the environment ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Settings, read once from the process environment. A Context object changes
/// some of them for a scope:
///
/// \code
///   tinygrad::Context verbose({{"DEBUG", 2}, {"NOOPT", 1}});
/// \endcode
///
/// - DEV: default device; the best one if unset
/// - DEBUG: verbosity, 0 (the default) to 7
/// - NOOPT: 1: kernels are not scheduled by the optimizer
/// - ALLOW_TF32: 1: GPUs may round float32 factors of products to tf32, which
///   their matrix units multiply. Read when the device is opened
/// - FTZ: 1: kernels compute with zeros in place of subnormal numbers (of f32
///   and f64 on CPUs, of f32 on GPUs), which many processors of Intel compute
///   with very slowly. Callers' floating-point environment is not changed
/// - SPEC: 1: the IR is verified after every rewrite and every pass; slow.
///   2: also checks every memory access of kernels of the CPU; an out-of-bounds
///   access makes the run throw IndexError. The device SIM always does. Kernels
///   of CUDA and AMD are not checked: run them on SIM. 3: also compares what
///   each kernel computes before and after it is scheduled
/// - FALLBACK: 0: a kernel whose schedule is not valid, or of which no code can
///   be made, is an error. Otherwise it gets a simpler schedule
/// - LRU: 0: freed device memory is returned to the system at once
/// - CACHELEVEL: 0: no kernel cache, 1: in memory, 2 (the default): and on disk
/// - CACHEDIR: directory of the disk cache, see cacheDirectory()
/// - CACHESIZE: bound of the disk cache in MiB, 1024 by default
/// - PROFILE: 1: kernels are timed, and a summary is printed when the process
///   ends, see Profile.h
/// - THREADS: threads of a CPU device; one for each CPU if unset
/// - MCPU: LLVM's name of the processor to compile kernels of the CPU device
///   for, such as "x86-64-v3" for any CPU with AVX2; the host's if unset. Read
///   when a CPU device is opened
/// - SIMCHIP: name of the GPU that the device SIM stands for, "sm_90" by
///   default, and limits, see parseGPUChip in Support/GPUChips.h. Read when a
///   SIM device is opened
/// - SIMSEED: order in which the device SIM runs the work items of a group: 0
///   forward (the default), 1 backward, others random
/// - SIMCOUNT: of how many groups of each launch the device SIM counts what
///   their accesses cost a GPU, and prints a line; 0 by default
/// - SIMSKIP: 1: the device SIM does not run the groups that it does not count.
///   What these would write is undefined
/// - MEMLIMIT: MiB of memory that each device may allocate, cached memory
///   included; no limit if unset
/// - CUDALIB, HIPLIB: the driver's library of the devices CUDA and AMD. Read
///   when they are first looked for
/// - REPRODUCER: file to which a compilation that fails inside the compiler
///   writes its input and passes, for `tg-opt --run-reproducer`
/// - PROGRAMS: maximal number of programs that each graph keeps, 1024 by
///   default
/// - KERNELS: maximal number of kernels that the process keeps, 4096 by
///   default; kernels in use are kept in any case
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_RUNTIME_ENVIRONMENT_H
#define TINYGRAD_RUNTIME_ENVIRONMENT_H

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tinygrad {

/// Reads all settings from the environment, unless that was done before. Throws
/// Error, naming the variable, when the value of one is not a number in range.
/// Opening a device and making a graph call it: a process that has either has
/// valid settings.
void checkSettings();

/// Verbosity: 1 devices and caches, 2 a line per kernel, 3 applied schedules,
/// 4 generated kernels, 5 the IR of each level, 6 lowered IR, 7 assembly.
/// This and the functions below throw as checkSettings() does.
int debugLevel();
bool noOptimization();             ///< NOOPT
bool allowTf32();                  ///< ALLOW_TF32
bool flushSubnormals();            ///< FTZ
bool verifyEveryRewrite();         ///< SPEC
bool checkBounds();                ///< SPEC=2
bool verifySchedules();            ///< SPEC=3
bool fallBackToSimplerSchedules(); ///< FALLBACK
bool cacheFreedMemory();           ///< LRU
bool profileKernels();             ///< PROFILE
int cacheLevel();                  ///< CACHELEVEL
uint64_t diskCacheBytes();         ///< CACHESIZE, in bytes
std::size_t programLimit();        ///< PROGRAMS
std::size_t kernelLimit();         ///< KERNELS
/// Threads of a CPU device; the CPUs this process may run on by default. Read
/// when a CPU device is opened.
int threadCount();
/// Name of the wanted device as given in DEV; empty when unset.
std::string deviceSetting();
std::string processorSetting(); ///< MCPU; empty when unset
std::string simulatedChip();    ///< SIMCHIP; "sm_90" when unset
uint64_t simulatorSeed();       ///< SIMSEED
int64_t simulatorCount();       ///< SIMCOUNT
bool simulatorSkips();          ///< SIMSKIP
std::string reproducerFile();   ///< REPRODUCER; empty when unset
uint64_t deviceMemoryLimit();   ///< MEMLIMIT, in bytes; 0 when unset
std::string cudaLibrary();      ///< CUDALIB; empty when unset
std::string hipLibrary();       ///< HIPLIB; empty when unset
/// CACHEDIR, else $XDG_CACHE_HOME/tinygrad-mlir, else
/// $HOME/.cache/tinygrad-mlir, else empty (no disk cache).
std::string cacheDirectory();

/// One setting of a Context: a variable of the list above and its value.
struct Setting {
  Setting(std::string_view name, int value) : name(name), number(value) {}
  Setting(std::string_view name, int64_t value) : name(name), number(value) {}
  Setting(std::string_view name, std::string_view value)
      : name(name), text(value) {}
  Setting(std::string_view name, const char *value) : name(name), text(value) {}

  std::string name;
  std::optional<int64_t> number;
  std::string text;
};

/// Overrides settings for the thread that created it until it goes out of
/// scope. Contexts nest and must end in reverse order. Throws Error, without
/// changing anything, if a name is unknown or a value is out of range.
class Context {
public:
  explicit Context(std::initializer_list<Setting> settings);
  ~Context();
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;

private:
  struct Saved {
    unsigned variable;
    std::optional<int64_t> number;
    const std::string *oldText;
    std::unique_ptr<std::string> newText;
  };
  std::vector<Saved> saved;
};

/// Writes \p line and a newline to the debug stream, stderr by default. Lines
/// of several threads do not mix.
void debugPrint(std::string_view line);
/// Sends debug lines to \p sink instead; an empty function restores stderr.
void setDebugSink(std::function<void(std::string_view)> sink);

} // namespace tinygrad

#endif // TINYGRAD_RUNTIME_ENVIRONMENT_H
