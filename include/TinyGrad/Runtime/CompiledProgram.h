//===- CompiledProgram.h - programs that run --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A compiled function with what its caller has to know of it.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_RUNTIME_COMPILEDPROGRAM_H
#define TINYGRAD_RUNTIME_COMPILEDPROGRAM_H

#include "TinyGrad/Runtime/LaunchList.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tinygrad {

/// Element type and shape of an argument or result. For a symbolic tensor it is
/// the maximal shape, which determines its layout in memory.
struct TensorInfo {
  DType dtype;
  std::vector<int64_t> shape;
  /// The sizes, over the values given to CompiledProgram::run().
  std::vector<Expression> sizes;
  /// How many elements its memory needs, over the same values: as many as the
  /// tensor has if no size but the first one that is not 1 depends on values,
  /// otherwise those of the maximal shape.
  Expression elements;
};

/// The bytes that the memory of an argument or result needs for these values.
inline std::size_t getNeededBytes(const TensorInfo &tensor,
                                  const int64_t *values) {
  return itemSize(tensor.dtype) *
         std::size_t(std::max<int64_t>(tensor.elements.evaluate(values), 0));
}

/// The times of a compilation in milliseconds.
struct CompileTimes {
  double schedule = 0; ///< level 1 to 2
  double optimize = 0; ///< level 2 to 3
  double kernels = 0;  ///< level 3 to loaded code, caches included
  double total() const { return schedule + optimize + kernels; }
};

/// A function compiled for a device.
class CompiledProgram {
public:
  /// Takes over \p list, which is linked for \p device.
  CompiledProgram(Device &device, LaunchList list,
                  std::vector<TensorInfo> arguments,
                  std::vector<TensorInfo> results, CompileTimes times = {})
      : executable(device, std::move(list)), arguments(std::move(arguments)),
        results(std::move(results)), times(times) {}

  /// Runs the program on one flat buffer per argument and one value for each of
  /// variables(); returns a buffer per result. Arguments that the function
  /// assigns to are changed. Throws what Executable::run throws.
  std::vector<Buffer> run(const std::vector<Buffer> &inputs,
                          const std::vector<int64_t> &values = {}) {
    return executable.run(inputs, values);
  }

  /// Throws ShapeError for a wrong number of values, or one outside of its
  /// variable's bounds, as run() does.
  void checkValues(const std::vector<int64_t> &values) const {
    executable.checkValues(values);
  }

  /// The variables of symbolic sizes, by name.
  const std::vector<ProgramVariable> &variables() const {
    return executable.list().variables;
  }
  Device &device() const { return executable.device(); }
  /// The kernels and the memory that they use.
  const LaunchList &list() const { return executable.list(); }
  const std::vector<TensorInfo> &getArguments() const { return arguments; }
  const std::vector<TensorInfo> &getResults() const { return results; }
  const CompileTimes &getTimes() const { return times; }

private:
  Executable executable;
  std::vector<TensorInfo> arguments, results;
  CompileTimes times;
};

} // namespace tinygrad

#endif // TINYGRAD_RUNTIME_COMPILEDPROGRAM_H
