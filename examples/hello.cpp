//===- hello.cpp - a tour of the tensor API -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What tensors look like in a program.
///
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "TinyGrad/Tensor/Tensor.h"

#include <iostream>

using namespace tinygrad;

static void showTensors() {
  // Data given by the program; int literals give int32, floats float32.
  Tensor x = Tensor::from({{1.0f, 2.0f, 3.0f}, {4.0f, 5.0f, 6.0f}});

  // Operators build a graph. Nothing is computed yet.
  Tensor y = (x * 2 + 1).sqrt();
  Tensor centered = y - y.mean(1, /*keepdim=*/true);
  std::cout << "the graph so far:\n" << centered.graph() << "\n";

  // Asking for values compiles and runs it.
  std::cout << "values:\n" << centered << "\n\n";
  std::cout << "largest: " << centered.max().item<float>() << "\n\n";

  // Slices, steps, new axes, and tensors of positions as indices.
  Tensor rows = Tensor::arange(12).reshape({4, 3});
  std::cout << "every other row:\n"
            << rows.index({Slice(None, None, 2), Ellipsis}) << "\n";
  std::cout << "rows 3, 0, 3:\n" << rows[Tensor::from({3, 0, 3})] << "\n\n";

  // An index can be assigned to; so can a mask.
  rows[Tensor::from({0, 2})] = -1;
  rows[rows > 9] += 100;
  std::cout << "rows 0 and 2 overwritten, the largest raised:\n"
            << rows << "\n\n";

  // Layers are functions of tensors.
  Tensor::manualSeed(1);
  Tensor images = Tensor::randn({2, 3, 8, 8});
  Tensor weight = Tensor::randn({4, 3, 3, 3}) * 0.2;
  Tensor features = images.conv2d(weight, {.padding = 1}).relu().maxPool2d();
  std::cout << "features of shape " << features.shape() << ", mean "
            << features.mean() << "\n\n";

  // Mistakes are exceptions that say what is wrong; all else stays usable.
  try {
    x.matmul(x);
  } catch (const ShapeError &error) {
    std::cout << "as expected: " << error.what() << "\n";
  }
}

int main(int argc, char **argv) {
  CommandLine("hello", "usage: hello\n\nA tour of the tensor API.\n")
      .parse(argc, argv);
  // What is not the program's mistake ends here: a device that is not there.
  try {
    showTensors();
    return 0;
  } catch (const Error &error) {
    std::cerr << "hello: " << error.what() << "\n";
    return 1;
  }
}
