//===- TbbSource.cpp - kernels of a library on oneTBB ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Writes the parallel loop that functions of a library take, on oneTBB, as a
/// source file in C++: the program compiles it with the oneTBB that it links.
///
//===----------------------------------------------------------------------===//

#include "Interface.h"

using namespace tinygrad;

/// With NAME to be replaced.
static constexpr llvm::StringLiteral kSource =
    R"(// NAME_tbb.cpp - the kernels of NAME on the threads of oneTBB.
//
// Compile it as C++17 or later, and link oneTBB (-ltbb). Functions of the
// library then need the C++ runtime, and memory that oneTBB allocates: they
// are not for threads that must not wait.

#include "NAME.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

static void runParts(void *, std::int64_t extent,
                     void (*body)(void *data, std::int64_t begin,
                                  std::int64_t end),
                     void *data) {
  using Range = oneapi::tbb::blocked_range<std::int64_t>;
  oneapi::tbb::parallel_for(Range(0, extent), [=](const Range &part) {
    body(data, part.begin(), part.end());
  });
}

extern "C" const NAME_threads *NAME_tbb(void) {
  static const NAME_threads threads = {nullptr, runParts};
  return &threads;
}
)";

std::string tinygrad::detail::makeTbbSource(const Library &library) {
  std::string text = kSource.str();
  const llvm::StringRef word = "NAME";
  const std::string &name = library.options.name;
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos;
       at += name.size())
    text.replace(at, word.size(), name);
  return text;
}
