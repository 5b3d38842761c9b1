//===- KernelText.h - text of small kernels ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// For tests: kernels that apply an operation to every element.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_UNITTESTS_TARGET_CPU_KERNELTEXT_H
#define TINYGRAD_UNITTESTS_TARGET_CPU_KERNELTEXT_H

#include <string>
#include <vector>

/// A kernel over `count` elements: `body` computes `%r` from the elements
/// `%x0`, `%x1`, ... of the inputs. With `lanes` of 0 the code is scalar;
/// otherwise `count` must be a multiple of `lanes`.
inline std::string elementwiseKernel(const std::string &body,
                                     const std::vector<std::string> &inputs,
                                     const std::string &output, size_t count,
                                     size_t lanes) {
  auto buffer = [&](const std::string &type) {
    return "memref<" + std::to_string(count) + "x" + type + ">";
  };
  std::string text = "tg.kernel @kernel(%out: " + buffer(output);
  for (size_t i = 0; i < inputs.size(); ++i)
    text += ", %b" + std::to_string(i) + ": " + buffer(inputs[i]);
  text += ") attributes {outputs = 1 : i64} {\n";
  if (lanes == 0) {
    text += "  %i = tg.range 0 loop " + std::to_string(count) + "\n";
  } else {
    std::string width = std::to_string(lanes);
    text += "  %io = tg.range 0 loop " + std::to_string(count / lanes) +
            "\n  %iv = tg.range 1 upcast " + width + "\n  %w = tg.const(" +
            width + " : index) : index\n" +
            "  %is = tg.mul %io, %w : index\n"
            "  %i = tg.add %is, %iv : index\n";
  }
  for (size_t i = 0; i < inputs.size(); ++i)
    text += "  %x" + std::to_string(i) + " = tg.load %b" + std::to_string(i) +
            "[%i] : " + buffer(inputs[i]) + "\n";
  text += body + "\n  tg.store %r, %out[%i] : " + buffer(output) + "\n}\n";
  return text;
}

#endif // TINYGRAD_UNITTESTS_TARGET_CPU_KERNELTEXT_H
