//===- Workloads.cpp - the workloads that are timed
//-------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The workloads, and their inputs.
///
//===----------------------------------------------------------------------===//

#include "Workloads.h"
#include "TinyGrad/Runtime/Device.h"

#include <map>
#include <sstream>

using namespace tinygrad;
using namespace tinygrad::benchmark;

using Inputs = std::vector<Tensor>;

//===----------------------------------------------------------------------===//
// LSTM
//===----------------------------------------------------------------------===//

constexpr int64_t kLayers = 4, kBatch = 8, kHidden = 64;

/// The sum of the last layer's states after `steps` steps, all unrolled.
/// Inputs: the sequence, then weights for input and state and a bias for each
/// layer.
static Tensor buildLstm(const Inputs &inputs, int64_t steps) {
  std::vector<Tensor> hidden(kLayers, Tensor::zeros({kBatch, kHidden}));
  std::vector<Tensor> cell = hidden;
  for (int64_t step = 0; step < steps; ++step) {
    Tensor x = inputs[0][step];
    for (int64_t layer = 0; layer < kLayers; ++layer) {
      const Tensor *weights = &inputs[1 + 3 * layer];
      Tensor gates =
          x.matmul(weights[0]) + hidden[layer].matmul(weights[1]) + weights[2];
      std::vector<Tensor> parts = gates.chunk(4, 1);
      cell[layer] = parts[1].sigmoid() * cell[layer] +
                    parts[0].sigmoid() * parts[2].tanh();
      hidden[layer] = parts[3].sigmoid() * cell[layer].tanh();
      x = hidden[layer];
    }
  }
  return hidden.back().sum(1);
}

static Workload makeLstm(int64_t steps, bool isTimed = true) {
  Workload workload;
  workload.isTimed = isTimed;
  workload.name = "lstm-" + std::to_string(steps);
  workload.inputs = {{steps, kBatch, kHidden}};
  for (int64_t layer = 0; layer < kLayers; ++layer) {
    workload.inputs.push_back({kHidden, 4 * kHidden});
    workload.inputs.push_back({kHidden, 4 * kHidden});
    workload.inputs.push_back({4 * kHidden});
  }
  workload.build = [=](const Inputs &in) { return buildLstm(in, steps); };
  workload.operations =
      2.0 * steps * kLayers * kBatch * 2 * kHidden * 4 * kHidden;
  return workload;
}

//===----------------------------------------------------------------------===//
// The list
//===----------------------------------------------------------------------===//

static Workload makeMatmul(int64_t size, bool isTimed = true) {
  return {"matmul-" + std::to_string(size),
          {{size, size}, {size, size}},
          [](const Inputs &in) { return in[0].matmul(in[1]); },
          0,
          2.0 * size * size * size,
          isTimed};
}

static std::vector<Workload> makeWorkloads() {
  const int64_t n = 4096;
  const double bytes = 4.0 * n * n;
  std::vector<Workload> workloads{
      {"elementwise",
       {{n, n}, {n, n}},
       [](const Inputs &in) {
         return ((in[0] + in[1]) * in[0] - in[1] * 0.5f).relu() + in[0] * 2.0f;
       },
       3 * bytes},
      {"sum-all",
       {{n, n}},
       [](const Inputs &in) { return in[0].sum(); },
       bytes},
      {"sum-rows",
       {{n, n}},
       [](const Inputs &in) { return in[0].sum(1); },
       bytes},
      {"sum-columns",
       {{n, n}},
       [](const Inputs &in) { return in[0].sum(0); },
       bytes},
      {"softmax",
       {{n, n}},
       [](const Inputs &in) { return in[0].softmax(); },
       2 * bytes},
      {"layernorm",
       {{n, n}},
       [](const Inputs &in) { return in[0].layernorm(); },
       2 * bytes},
      {"transpose",
       {{n, n}},
       [](const Inputs &in) { return in[0].T().contiguous(); },
       2 * bytes},
      makeMatmul(512),
      makeMatmul(1000),
      makeMatmul(1024),
      makeMatmul(2048),
      {"conv",
       {{8, 64, 56, 56}, {64, 64, 3, 3}},
       [](const Inputs &in) { return in[0].conv2d(in[1], {}, {.padding = 1}); },
       0,
       2.0 * 8 * 64 * 56 * 56 * 64 * 9},
      makeLstm(25),
      makeLstm(50),
      makeLstm(100),
      makeLstm(400, false),
      {"small-add",
       {{1000}},
       [](const Inputs &in) { return in[0] * 2.0f + 1.0f; },
       8000,
       0,
       false},
      {"small-softmax",
       {{256, 256}},
       [](const Inputs &in) { return in[0].softmax(); },
       2.0 * 4 * 256 * 256,
       0,
       false},
      makeMatmul(256, false),
  };
  return workloads;
}

const std::vector<Workload> &benchmark::getWorkloads() {
  static const std::vector<Workload> workloads = makeWorkloads();
  return workloads;
}

//===----------------------------------------------------------------------===//
// Layers, whose names have their sizes
//===----------------------------------------------------------------------===//

/// conv-BATCH-IN-OUT-SIZE-KERNEL-STRIDE-PADDING[-GROUPS[-DILATION]]: a square
/// convolution. conv-relu, the same with bias and ReLU.
static Workload makeConv(const std::vector<int64_t> &n, bool hasBias) {
  const int64_t groups = n.size() > 7 ? n[7] : 1,
                dilation = n.size() > 8 ? n[8] : 1;
  const int64_t out = (n[3] + 2 * n[6] - dilation * (n[4] - 1) - 1) / n[5] + 1;
  Workload workload;
  workload.inputs = {{n[0], n[1], n[3], n[3]},
                     {n[2], n[1] / groups, n[4], n[4]}};
  if (hasBias)
    workload.inputs.push_back({n[2]});
  Conv2dOptions options;
  options.groups = groups;
  options.stride = n[5];
  options.dilation = dilation;
  options.padding = n[6];
  workload.build = [=](const Inputs &in) {
    return hasBias ? in[0].conv2d(in[1], in[2], options).relu()
                   : in[0].conv2d(in[1], {}, options);
  };
  workload.operations =
      2.0 * n[0] * n[2] * out * out * n[1] / groups * n[4] * n[4];
  return workload;
}

/// shortcut-BATCH-IN-OUT-SIZE: the second half of a block of ResNet that halves
/// an image: a 3x3 convolution, and a 1x1 convolution of stride 2, added.
static Workload makeShortcut(const std::vector<int64_t> &n) {
  Workload workload;
  const int64_t half = n[3] / 2;
  workload.inputs = {{n[0], n[2], half, half},
                     {n[2], n[2], 3, 3},
                     {n[0], n[1], n[3], n[3]},
                     {n[2], n[1], 1, 1}};
  workload.build = [](const Inputs &in) {
    return (in[0].conv2d(in[1], {}, {.padding = 1}) +
            in[2].conv2d(in[3], {}, {.stride = 2}))
        .relu();
  };
  workload.operations = 2.0 * n[0] * n[2] * half * half * (9 * n[2] + n[1]);
  return workload;
}

/// A workload whose name is a kind and sizes, separated by '-'; without a
/// function to build it if there is no such kind.
static Workload parseWorkload(const std::string &name) {
  std::vector<int64_t> sizes;
  std::string kind, part;
  for (std::istringstream parts(name); std::getline(parts, part, '-');) {
    if (part.find_first_not_of("0123456789") == std::string::npos)
      sizes.push_back(std::stoll(part));
    else
      kind += (kind.empty() ? "" : "-") + part;
  }
  Workload workload;
  if ((kind == "conv" || kind == "conv-relu") && sizes.size() >= 7) {
    workload = makeConv(sizes, kind == "conv-relu");
  } else if (kind == "shortcut" && sizes.size() == 4) {
    workload = makeShortcut(sizes);
  } else if (kind == "gemv" && sizes.size() == 3) {
    // ROWS-DEPTH-COLUMNS.
    workload.inputs = {{sizes[0], sizes[1]}, {sizes[1], sizes[2]}};
    workload.build = [](const Inputs &in) { return in[0].matmul(in[1]); };
    workload.bytes = 4.0 * sizes[1] * sizes[2];
  } else if (kind == "maxpool" && sizes.size() == 6) {
    // BATCH-CHANNELS-SIZE-KERNEL-STRIDE-PADDING
    Pool2dOptions options;
    options.stride = sizes[4];
    options.padding = sizes[5];
    workload.inputs = {{sizes[0], sizes[1], sizes[2], sizes[2]}};
    workload.build = [=](const Inputs &in) {
      return in[0].maxPool2d(sizes[3], options);
    };
    workload.bytes = 4.0 * sizes[0] * sizes[1] * sizes[2] * sizes[2];
  }
  workload.name = name;
  workload.isTimed = false;
  return workload;
}

const Workload *benchmark::findWorkload(const std::string &name) {
  for (const Workload &workload : getWorkloads())
    if (workload.name == name)
      return &workload;
  static std::map<std::string, Workload> parsed;
  const auto [it, isNew] = parsed.try_emplace(name);
  if (isNew)
    it->second = parseWorkload(name);
  return it->second.build ? &it->second : nullptr;
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

Inputs benchmark::makeInputs(const Workload &workload) {
  Inputs inputs;
  uint32_t position = 0;
  for (const Shape &shape : workload.inputs) {
    int64_t count = 1;
    for (int64_t size : shape)
      count *= size;
    Buffer memory = Buffer::allocate(Device::get("CPU"), count * sizeof(float));
    auto *elements = static_cast<float *>(memory.address());
    // The 24 high bits of a product, so that they are exact.
    for (int64_t i = 0; i < count; ++i)
      elements[i] =
          float((++position * 2654435761u) >> 8) / float(1 << 24) - 0.5f;
    inputs.push_back(Tensor::fromBuffer(memory, shape, DType::Float32));
  }
  return inputs;
}

std::size_t benchmark::countOperations(const Workload &workload,
                                       const Inputs &inputs) {
  const std::size_t before = Graph::current().numOperations();
  Tensor result = workload.build(inputs);
  return Graph::current().numOperations() - before;
}
