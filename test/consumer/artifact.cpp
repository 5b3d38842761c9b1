//===- artifact.cpp - runs a compiled program -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Runs an artifact whose tensors are of f32 on the numbers 0, 1, 2, ... and
/// prints the results. Links the runtime alone: neither MLIR nor LLVM.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Runtime/Artifact.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Error.h"

#include <cstdio>
#include <numeric>
#include <vector>

using namespace tinygrad;

static void run(const char *path) {
  Device &device = Device::get("CPU");
  const std::shared_ptr<CompiledProgram> program =
      Artifact::load(path).link(device);
  std::vector<Buffer> inputs;
  for (uint32_t slot : program->list().inputs) {
    const std::size_t bytes = program->list().slots[slot].bytes;
    std::vector<float> numbers(bytes / sizeof(float));
    std::iota(numbers.begin(), numbers.end(), 0.0f);
    inputs.push_back(Buffer::fromHost(device, numbers.data(), bytes));
  }
  for (const Buffer &result : program->run(inputs)) {
    std::vector<float> numbers(result.size() / sizeof(float));
    result.copyOut(numbers.data(), result.size());
    for (float number : numbers)
      std::printf("%g\n", double(number));
  }
}

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s net.tga\n", argv[0]);
    return 1;
  }
  try {
    run(argv[1]);
  } catch (const Error &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
  return 0;
}
