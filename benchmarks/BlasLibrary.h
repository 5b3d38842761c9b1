//===- BlasLibrary.h - OpenBLAS, if installed -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Loads OpenBLAS at run time, so that the build does not depend on it.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_BENCHMARKS_BLASLIBRARY_H
#define TINYGRAD_BENCHMARKS_BLASLIBRARY_H

#include <dlfcn.h>
#include <memory>
#include <string>

namespace tinygrad::benchmark {

class BlasLibrary {
public:
  /// Null if the library is not installed.
  static BlasLibrary *get() {
    static const std::unique_ptr<BlasLibrary> library = [] {
      std::unique_ptr<BlasLibrary> loaded(new BlasLibrary);
      return loaded->load() ? std::move(loaded) : nullptr;
    }();
    return library.get();
  }

  /// c = a * b, square and row-major.
  void multiply(int n, const float *a, const float *b, float *c) {
    constexpr int rowMajor = 101, noTranspose = 111;
    sgemm(rowMajor, noTranspose, noTranspose, n, n, n, 1.0f, a, n, b, n, 0.0f,
          c, n);
  }

  /// Version, kernels and number of threads.
  std::string describe() const {
    return std::string(config()) + ", " + std::to_string(threads()) +
           " threads";
  }

private:
  using Sgemm = void (*)(int, int, int, int, int, int, float, const float *,
                         int, const float *, int, float, float *, int);

  BlasLibrary() = default;

  bool load() {
    void *library = ::dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library)
      return false;
    sgemm = reinterpret_cast<Sgemm>(::dlsym(library, "cblas_sgemm"));
    config = reinterpret_cast<const char *(*)()>(
        ::dlsym(library, "openblas_get_config"));
    threads = reinterpret_cast<int (*)()>(
        ::dlsym(library, "openblas_get_num_threads"));
    return sgemm && config && threads;
  }

  Sgemm sgemm = nullptr;
  const char *(*config)() = nullptr;
  int (*threads)() = nullptr;
};

} // namespace tinygrad::benchmark

#endif // TINYGRAD_BENCHMARKS_BLASLIBRARY_H
