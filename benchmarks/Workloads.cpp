//===- Workloads.cpp - benchmark workloads --------------------------------===//
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

#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <sstream>

using namespace tinygrad;
using namespace tinygrad::benchmark;

using Inputs = std::vector<Tensor>;

//===----------------------------------------------------------------------===//
// LSTM
//===----------------------------------------------------------------------===//

constexpr int64_t kLayers = 4, kBatch = 8, kHidden = 64;

/// The sum of the last layer's states after `steps` unrolled steps. Inputs: the
/// sequence, then for each layer the weights for input and state and the bias.
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
// Fourier transform
//===----------------------------------------------------------------------===//

constexpr int64_t kRadix = 32, kSteps = 4;

/// The transform of 2^20 complex numbers in four steps of 32: a matrix product
/// and a factor for each element, as pairs of real tensors. Inputs, each as
/// real and imaginary part: the numbers, the matrix, the factors of each step
/// but the last. The result has the shape [2, 2^20].
static Tensor buildFft(const Inputs &in) {
  Tensor re = in[0], im = in[1];
  int64_t outer = 1, inner = kRadix * kRadix * kRadix;
  for (int64_t step = 0; step < kSteps; ++step) {
    re = re.reshape({outer, kRadix, inner});
    im = im.reshape({outer, kRadix, inner});
    const Tensor &cosines = in[2], &sines = in[3];
    Tensor a = cosines.matmul(re) - sines.matmul(im),
           b = cosines.matmul(im) + sines.matmul(re);
    if (step + 1 < kSteps) {
      const Tensor &x = in[4 + 2 * step], &y = in[5 + 2 * step];
      re = a * x - b * y;
      im = a * y + b * x;
    } else {
      re = a;
      im = b;
    }
    outer *= kRadix;
    inner /= kRadix;
  }
  auto reverseDigits = [&](const Tensor &x) {
    return x.reshape({kRadix, kRadix, kRadix, kRadix})
        .permute({3, 2, 1, 0})
        .reshape({outer});
  };
  return Tensor::stack({reverseDigits(re), reverseDigits(im)});
}

static Workload makeFft() {
  int64_t count = 1;
  for (int64_t step = 0; step < kSteps; ++step)
    count *= kRadix;
  Workload workload;
  workload.name = "fft-1M";
  workload.inputs = {{count}, {count}, {kRadix, kRadix}, {kRadix, kRadix}};
  for (int64_t inner = count / kRadix; inner > 1; inner /= kRadix) {
    workload.inputs.push_back({kRadix, inner});
    workload.inputs.push_back({kRadix, inner});
  }
  workload.build = buildFft;
  workload.operations = 8.0 * kSteps * count * kRadix;
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

/// A memory-bound workload with several results.
static Workload makeSeveral(const std::string &name, std::vector<Shape> inputs,
                            double bytes,
                            std::vector<Tensor> (*buildAll)(const Inputs &)) {
  return {name,
          std::move(inputs),
          [=](const Inputs &in) { return buildAll(in).front(); },
          bytes,
          0,
          true,
          buildAll};
}

static std::vector<Tensor> updateByMomentum(const Inputs &in) {
  Tensor weight = in[0], momentum = in[1];
  momentum.assign(momentum * 0.9f + in[2]);
  weight.assign(weight - momentum * 0.1f);
  return {weight, momentum};
}

static std::vector<Tensor> updateByAdam(const Inputs &in) {
  Tensor weight = in[0], mean = in[1], square = in[2], gradient = in[3];
  mean.assign(mean * 0.9f + gradient * 0.1f);
  square.assign(square * 0.99f + gradient * gradient * 0.01f);
  weight.assign(weight - mean / (square.abs().sqrt() + 1e-8f) * 0.1f);
  return {weight, mean, square};
}

/// z = z * z + c in place, and the number of steps until |z| > 2.
static std::vector<Tensor> stepMandelbrot(const Inputs &in) {
  Tensor re = in[0], im = in[1], count = in[4];
  Tensor nextRe = re * re - im * im + in[2];
  Tensor nextIm = re * im * 2.0f + in[3];
  Tensor isInside = nextRe * nextRe + nextIm * nextIm < 4.0f;
  count.assign(count + isInside.toFloat());
  re.assign(isInside.where(nextRe, re));
  im.assign(isInside.where(nextIm, im));
  return {count, re, im};
}

/// Sums of neighbors in place: of those at the four sides, or of all in a
/// square.
static std::vector<Tensor> applyStencil(const Tensor &x, bool isSquare) {
  Tensor result = x, padded = x.pad({{1, 1}, {1, 1}}), sum;
  const int64_t rows = x.shape()[0].value(), columns = x.shape()[1].value();
  for (int64_t i = 0; i < 3; ++i)
    for (int64_t j = 0; j < 3; ++j) {
      if (!isSquare && (i == 1) == (j == 1))
        continue;
      Tensor at = padded.shrink({{i, i + rows}, {j, j + columns}});
      sum = i + j == (isSquare ? 0 : 1) && i == 0 ? at : sum + at;
    }
  result.assign(sum * (isSquare ? 1.0f / 9 : 0.25f));
  return {result};
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
      makeSeveral("momentum", {{n, n}, {n, n}, {n, n}}, 5 * bytes,
                  updateByMomentum),
      makeSeveral("adam", {{n, n}, {n, n}, {n, n}, {n, n}}, 7 * bytes,
                  updateByAdam),
      makeSeveral("mandelbrot", {{n, n}, {n, n}, {n, n}, {n, n}, {n, n}},
                  8 * bytes, stepMandelbrot),
      makeSeveral("mean-and-max", {{n, n}}, bytes,
                  [](const Inputs &in) -> std::vector<Tensor> {
                    return {in[0].mean(), in[0].max()};
                  }),
      makeSeveral("mean-and-max-rows", {{n, n}}, bytes,
                  [](const Inputs &in) -> std::vector<Tensor> {
                    return {in[0].mean(1), in[0].max(1)};
                  }),
      makeSeveral("var-mean-rows", {{n, n}}, bytes,
                  [](const Inputs &in) -> std::vector<Tensor> {
                    auto [var, mean] = in[0].varMean(1);
                    return {var, mean};
                  }),
      makeSeveral("var-mean", {{n, n}}, bytes,
                  [](const Inputs &in) -> std::vector<Tensor> {
                    auto [var, mean] = in[0].varMean();
                    return {var, mean};
                  }),
      makeSeveral("stencil-sides", {{n, n}}, 2 * bytes,
                  [](const Inputs &in) { return applyStencil(in[0], false); }),
      makeSeveral("stencil-square", {{n, n}}, 2 * bytes,
                  [](const Inputs &in) { return applyStencil(in[0], true); }),
      makeMatmul(512),
      makeMatmul(1000),
      makeMatmul(1024),
      makeMatmul(2048),
      {"conv",
       {{8, 64, 56, 56}, {64, 64, 3, 3}},
       [](const Inputs &in) { return in[0].conv2d(in[1], {}, {.padding = 1}); },
       0,
       2.0 * 8 * 64 * 56 * 56 * 64 * 9},
      {"flat-product",
       {{512, 512}, {512, 512}, {512}},
       [](const Inputs &in) {
         return Tensor::cat({in[0].matmul(in[1]).flatten(), in[2]});
       },
       0,
       2.0 * 512 * 512 * 512},
      {"padded-product",
       {{512, 512}, {512, 512}},
       [](const Inputs &in) {
         return in[0].matmul(in[1]).pad({{1, 1}, {1, 1}});
       },
       0,
       2.0 * 512 * 512 * 512},
      makeFft(),
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
// Layers whose names contain their sizes
//===----------------------------------------------------------------------===//

/// conv-BATCH-IN-OUT-SIZE-KERNEL-STRIDE-PADDING[-GROUPS[-DILATION]]: a square
/// convolution; conv-relu adds bias and ReLU; conv-dx and conv-dw are the
/// gradients of conv by the image and by the weights.
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

/// shortcut-BATCH-IN-OUT-SIZE: the second half of a ResNet block that halves
/// the image: the sum of a 3x3 convolution and a 1x1 convolution of stride 2.
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

/// The rows of gpu.py with two sizes: operations on a matrix of ROWS-COLUMNS.
static void makeMatrixOperation(Workload &workload, const std::string &kind,
                                int64_t rows, int64_t columns) {
  struct Row {
    const char *kind;
    /// Matrices read and written.
    int inputs, outputs;
    Tensor (*build)(const Inputs &);
  };
  static constexpr Row table[] = {
      {"increment", 1, 1, [](const Inputs &in) { return in[0] + 1.0f; }},
      {"chain", 2, 1,
       [](const Inputs &in) {
         return ((in[0] + in[1]) * in[0] - in[1] * 0.5f).relu() + in[0] * 2.0f;
       }},
      {"sum-all", 1, 0, [](const Inputs &in) { return in[0].sum(); }},
      {"sum-rows", 1, 0, [](const Inputs &in) { return in[0].sum(1); }},
      {"sum-columns", 1, 0, [](const Inputs &in) { return in[0].sum(0); }},
      {"softmax", 1, 1, [](const Inputs &in) { return in[0].softmax(); }},
      {"layernorm", 1, 1, [](const Inputs &in) { return in[0].layernorm(); }},
      {"transpose", 1, 1,
       [](const Inputs &in) { return in[0].T().contiguous(); }},
      {"gelu", 1, 1, [](const Inputs &in) { return in[0].gelu(); }},
  };
  for (const Row &row : table)
    if (kind == row.kind) {
      workload.inputs.assign(size_t(row.inputs), {rows, columns});
      workload.build = row.build;
      workload.bytes = double(rows * columns) * (row.inputs + row.outputs) *
                       double(itemSize(workload.dtype));
    }
}

/// Replaces a workload by the gradient by one of its two inputs; the cotangent
/// is a third one.
static void differentiate(Workload &workload, unsigned wrt,
                          const Shape &result) {
  workload.inputs.push_back(result);
  workload.build = [forward = workload.build, wrt](const Inputs &in) {
    return forward(in).gradient({in[wrt]}, in.back()).front();
  };
}

/// Removes "-dx" or "-dw" from the end of the kind: the gradient by the first
/// or second input. Returns the number of the input.
static std::optional<unsigned> takeGradient(std::string &kind) {
  for (auto [name, number] : {std::pair{"-dx", 0u}, {"-dw", 1u}})
    if (kind.ends_with(name)) {
      kind.resize(kind.size() - std::strlen(name));
      return number;
    }
  return std::nullopt;
}

/// Removes a type from the end of the kind: "matmul-f16".
static DType takeType(std::string &kind) {
  for (auto [name, dtype] : {std::pair{"-f16", DType::Float16},
                             {"-bf16", DType::BFloat16},
                             {"-f32", DType::Float32}})
    if (kind.ends_with(name)) {
      kind.resize(kind.size() - std::strlen(name));
      return dtype;
    }
  return DType::Float32;
}

/// Parses a name that consists of a kind and sizes, separated by '-'. For an
/// unknown kind, the workload has no `build` function.
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
  const DType dtype = workload.dtype = takeType(kind);
  const std::optional<unsigned> wrt = takeGradient(kind);
  if (sizes.size() == 2)
    makeMatrixOperation(workload, kind, sizes[0], sizes[1]);
  if (kind == "matmul" && sizes.size() == 1) {
    workload = makeMatmul(sizes[0]);
  } else if (kind == "launches" && sizes.size() == 1) {
    // COUNT: kernels that do almost nothing, each after the one before.
    workload.inputs = {{16}};
    workload.build = [count = sizes[0]](const Inputs &in) {
      Tensor sum = in[0];
      for (int64_t i = 0; i < count; ++i)
        sum = (sum + in[0]).realize();
      return sum;
    };
  } else if (kind == "attention" && sizes.size() == 4) {
    // BATCH-HEADS-LENGTH-WIDTH
    workload.inputs.assign(3, {sizes[0], sizes[1], sizes[2], sizes[3]});
    workload.build = [](const Inputs &in) {
      return in[0].scaledDotProductAttention(in[1], in[2]);
    };
    workload.operations =
        4.0 * sizes[0] * sizes[1] * sizes[2] * sizes[2] * sizes[3];
  } else if ((kind == "conv" || kind == "conv-relu") && sizes.size() >= 7) {
    workload = makeConv(sizes, kind == "conv-relu");
    const int64_t dilation = sizes.size() > 8 ? sizes[8] : 1;
    const int64_t out =
        (sizes[3] + 2 * sizes[6] - dilation * (sizes[4] - 1) - 1) / sizes[5] +
        1;
    if (wrt)
      differentiate(workload, *wrt, {sizes[0], sizes[2], out, out});
  } else if (kind == "gemm" && sizes.size() == 3) {
    // ROWS-DEPTH-COLUMNS: a layer, whose weights are its columns.
    workload.inputs = {{sizes[0], sizes[1]}, {sizes[2], sizes[1]}};
    workload.build = [](const Inputs &in) { return in[0].matmul(in[1].T()); };
    workload.operations = 2.0 * sizes[0] * sizes[1] * sizes[2];
    if (wrt)
      differentiate(workload, *wrt, {sizes[0], sizes[2]});
  } else if (kind == "gelu-mlp" && sizes.size() == 4) {
    // ROWS-DEPTH-HIDDEN-DEVIATION: two layers, with activations of about that
    // deviation between them.
    const int64_t depth = sizes[1], hidden = sizes[2];
    workload.inputs = {{sizes[0], depth}, {depth, hidden}, {hidden, depth}};
    // Inputs are uniform from -0.5 to 0.5.
    const double factor = double(sizes[3]) * 12 / std::sqrt(double(depth));
    workload.build = [=](const Inputs &in) {
      return (in[0].matmul(in[1]) * factor).gelu().matmul(in[2]);
    };
    workload.operations = 4.0 * sizes[0] * depth * hidden;
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
  } else if ((kind == "upsample" || kind == "pixelshuffle") &&
             sizes.size() == 4) {
    // BATCH-CHANNELS-SIZE-FACTOR
    const int64_t side = sizes[2] * sizes[3];
    workload.inputs = {{sizes[0], sizes[1], sizes[2], sizes[2]}};
    if (kind == "upsample")
      workload.build = [=](const Inputs &in) {
        return in[0].interpolate({side, side}, InterpolateMode::Nearest);
      };
    else
      workload.build = [=](const Inputs &in) {
        return in[0].rearrange("b (c h w) i j -> b c (i h) (j w)",
                               {{"h", sizes[3]}, {"w", sizes[3]}});
      };
    workload.bytes = 4.0 * sizes[0] * sizes[1] * sizes[2] * sizes[2] *
                     (kind == "upsample" ? sizes[3] * sizes[3] : 1);
  }
  workload.name = name;
  workload.dtype = dtype;
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
    Device &cpu = Device::get("CPU"), &device = Device::getDefault();
    Buffer memory = Buffer::allocate(cpu, count * sizeof(float));
    auto *elements = static_cast<float *>(memory.address());
    // The upper 24 bits of a product, which are exact in float32.
    for (int64_t i = 0; i < count; ++i)
      elements[i] =
          float((++position * 2654435761u) >> 8) / float(1 << 24) - 0.5f;
    if (&device != &cpu)
      memory = memory.copyTo(device);
    Tensor input = Tensor::fromBuffer(memory, shape, DType::Float32);
    if (workload.dtype != DType::Float32)
      input = input.cast(workload.dtype).realize();
    inputs.push_back(input);
  }
  return inputs;
}

std::size_t benchmark::countOperations(const Workload &workload,
                                       const Inputs &inputs) {
  const std::size_t before = Graph::current().numOperations();
  Tensor result = workload.build(inputs);
  return Graph::current().numOperations() - before;
}
