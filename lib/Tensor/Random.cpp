//===- Random.cpp - random tensors ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Random numbers of several distributions, initial weights, dropout.
///
//===----------------------------------------------------------------------===//

#include "Primitives.h"
#include "Recorder.h"
#include "Shards.h"
#include "TinyGrad/Runtime/DefaultFloat.h"

#include <cmath>
#include <cstdint>
#include <numbers>

using namespace tinygrad;
using namespace tinygrad::detail;

//===----------------------------------------------------------------------===//
// Distributions
//===----------------------------------------------------------------------===//

void Tensor::manualSeed(uint64_t seed) { Graph::current().manualSeed(seed); }

/// 64 random bits for each element.
static Tensor randomBits(const Graph &graph, Device &device,
                         const Shape &shape) {
  checkedNumElements(shape, DType::UInt64, "rand");
  if (isSymbolic(shape)) {
    // Takes a part of the largest tensor, so that an element does not depend on
    // the values of the variables.
    const std::vector<int64_t> greatest = largestOf(shape);
    std::vector<Part> parts;
    for (const SymInt &size : shape)
      parts.emplace_back(0, size);
    return randomBits(graph, device, Shape(greatest.begin(), greatest.end()))
        .shrink(parts);
  }
  const int64_t count =
      checkedNumElements(shape, DType::UInt64, "rand").value();
  uint64_t state[2];
  takeRandomState(graph, uint64_t(count), state);
  // Key and counter are data, so that the compiled program does not depend on
  // them.
  auto scalar = [&](uint64_t value, Recorder::RandomPart part) {
    Buffer memory =
        Buffer::fromHost(device, &value, sizeof(value), DType::UInt64);
    Tensor tensor = prim::buffer(graph, memory, DType::UInt64, {1});
    if (Recorder *recorder = Recorder::capturing())
      recorder->markRandom(memory, part, value);
    return tensor.expand({count});
  };
  Tensor counter = prim::iota(graph, device, 0, DType::UInt64, {count}) +
                   scalar(state[1], Recorder::RandomPart::Counter);
  return prim::binary(BinaryOp::Threefry, counter,
                      scalar(state[0], Recorder::RandomPart::Seed))
      .reshape(shape);
}

/// Uniform in [0, 1), with as many random bits as the type's significand has.
static Tensor unitInterval(const Tensor &bits, DType dtype) {
  if (dtype == DType::Float64)
    return (bits >> 11).cast(dtype) * 0x1p-53;
  int64_t digits = 24;
  if (dtype == DType::Float16)
    digits = 11;
  else if (dtype == DType::BFloat16)
    digits = 8;
  else if (dtype == DType::Float8E4M3 || dtype == DType::Float8E4M3FNUZ)
    digits = 4;
  else if (dtype == DType::Float8E5M2 || dtype == DType::Float8E5M2FNUZ)
    digits = 3;
  else if (dtype != DType::Float32)
    throw DTypeError(std::string("rand: ") + name(dtype) +
                     " is not a float type for random numbers");
  // Only the low word: cheaper than a 64-bit conversion.
  return (bits.cast(DType::UInt32) >> (32 - digits)).cast(dtype) *
         std::ldexp(1.0, -int(digits));
}

static Tensor makeRand(const Graph &graph, Device &device, const Shape &shape,
                       DType dtype) {
  return unitInterval(randomBits(graph, device, shape), dtype);
}

static Tensor makeRandn(const Graph &graph, Device &device, const Shape &shape,
                        DType dtype) {
  if (!isFloat(dtype))
    throw DTypeError(std::string("randn: ") + name(dtype) +
                     " is not a float type for random numbers");
  // Box-Muller transform of the two words of one block.
  Tensor bits = randomBits(graph, device, shape);
  const DType compute = promote(dtype, DType::Float32);
  auto unit = [&](const Tensor &word) {
    return (word.cast(DType::UInt32) >> 8).cast(compute) * 0x1p-24;
  };
  // 1 - u is in (0, 1], so the logarithm is finite.
  Tensor radius = ((1.0 - unit(bits)).log() * -2.0).sqrt();
  Tensor angle = unit(bits >> 32) * (2 * std::numbers::pi);
  return (radius * angle.cos()).cast(dtype);
}

Tensor Tensor::rand(const Shape &shape, const TensorOptions &options) {
  const MethodScope method("rand");
  return makeRand(Graph::current(), deviceOf(options), shape,
                  options.dtype.value_or(defaultFloat()));
}

Tensor Tensor::randn(const Shape &shape, const TensorOptions &options) {
  const MethodScope method("randn");
  return makeRandn(Graph::current(), deviceOf(options), shape,
                   options.dtype.value_or(defaultFloat()));
}

/// Numbers for a tensor on several devices: others for each part, and the same
/// for each copy.
static Tensor likeShards(const Tensor &x, const shards::Function &make) {
  if (x.shardAxis())
    return shards::map(x, make);
  return make(x.shards().front()).shardLike(x);
}

Tensor Tensor::randLike(std::optional<DType> dtype) const {
  const MethodScope method("randLike");
  if (isSharded(*this))
    return likeShards(*this,
                      [&](const Tensor &part) { return part.randLike(dtype); });
  return makeRand(Graph(impl().graph), *impl().device, shape(),
                  dtype.value_or(this->dtype()));
}

Tensor Tensor::randnLike(std::optional<DType> dtype) const {
  const MethodScope method("randnLike");
  if (isSharded(*this))
    return likeShards(
        *this, [&](const Tensor &part) { return part.randnLike(dtype); });
  return makeRandn(Graph(impl().graph), *impl().device, shape(),
                   dtype.value_or(this->dtype()));
}

[[noreturn]] static void throwNoInterval(double low, double high, DType dtype) {
  throw Error("uniform: there is no " + std::string(name(dtype)) + " from " +
              Scalar(low).str() + " up to " + Scalar(high).str() +
              ", exclusive, or not both are finite");
}

Tensor Tensor::uniform(const Shape &shape, double low, double high,
                       const TensorOptions &options) {
  const MethodScope method("uniform");
  const DType dtype = options.dtype.value_or(defaultFloat());
  Tensor unit = rand(shape, options);
  const double first = roundTo(low, dtype), end = roundTo(high, dtype);
  if (!std::isfinite(first) || !std::isfinite(end) || !(low <= high) ||
      (low < high && first == end))
    throwNoInterval(low, high, dtype);
  if (first == end)
    return unit.fullLike(first);
  // The difference of large bounds may overflow; half of it does not.
  Tensor values = std::isfinite(roundTo(end - first, dtype))
                      ? unit * (end - first) + first
                      : (unit * (end / 2 - first / 2) + first / 2) * 2;
  // Rounding may produce the excluded end of the interval.
  return values.minimum(previousValue(end, dtype));
}

Tensor Tensor::normal(const Shape &shape, double mean, double std,
                      const TensorOptions &options) {
  const MethodScope method("normal");
  const DType dtype = options.dtype.value_or(defaultFloat());
  Tensor standard = randn(shape, options);
  if (!std::isfinite(roundTo(mean, dtype)) ||
      !std::isfinite(roundTo(std, dtype)) || std < 0)
    throw Error("normal: there is no " + std::string(name(dtype)) +
                " distribution of mean " + Scalar(mean).str() +
                " and standard deviation " + Scalar(std).str());
  return standard * std + mean;
}

/// The upper 64 bits of the 128-bit product x * factor.
static Tensor multiplyHigh(const Tensor &x, uint64_t factor) {
  constexpr uint64_t mask = 0xffffffff;
  const uint64_t high = factor >> 32, low = factor & mask;
  Tensor upper = x >> 32, lower = x & mask;
  Tensor middle = upper * low + ((lower * low) >> 32);
  if (high == 0)
    return middle >> 32;
  Tensor other = lower * high + (middle & mask);
  return upper * high + (middle >> 32) + (other >> 32);
}

Tensor Tensor::randint(const Shape &shape, int64_t low, int64_t high,
                       const TensorOptions &options) {
  const MethodScope method("randint");
  const DType dtype = options.dtype.value_or(DType::Int32);
  if (!isInteger(dtype))
    throw DTypeError(std::string("randint: ") + name(dtype) +
                     " is not an integer type");
  if (low >= high)
    throw Error("randint: there is no integer from " + std::to_string(low) +
                " up to " + std::to_string(high) + ", exclusive");
  if (!Scalar(low).fits(dtype) || !Scalar(high - 1).fits(dtype))
    throw DTypeError("randint: the range does not fit " +
                     std::string(name(dtype)));
  const uint64_t range = uint64_t(high) - uint64_t(low);
  const Graph graph = Graph::current();
  Device &device = deviceOf(options);
  Tensor bits = randomBits(graph, device, shape);
  // The random number is a fraction that is multiplied by the range. With 2^64
  // fractions, each result comes from at least 2^32 of them, and these counts
  // differ by at most one. Wider ranges use 128 bits.
  Tensor offset;
  if (range <= uint64_t(1) << 32) {
    offset = multiplyHigh((bits << 32) | (bits >> 32), range);
  } else {
    Tensor tail = multiplyHigh(randomBits(graph, device, shape), range);
    Tensor sum = bits * range + tail;
    offset = multiplyHigh(bits, range) + (sum < tail).cast(DType::UInt64);
  }
  return (offset.cast(DType::Int64) + low).cast(dtype);
}

//===----------------------------------------------------------------------===//
// Initial weights
//===----------------------------------------------------------------------===//

/// The number of inputs of one output: the product of all sizes but the first.
static double fanIn(const Shape &shape, const char *what) {
  const Shape inner(shape.begin() + (shape.empty() ? 0 : 1), shape.end());
  return double(constantOf(checkedNumElements(inner, DType::Bool, what), what));
}

/// The number of inputs plus outputs of a weight, for glorotUniform().
static double fanInAndOut(const Shape &shape) {
  if (shape.empty())
    throw ShapeError("glorotUniform: a weight without axes has no inputs");
  return double(constantOf(shape[0], "glorotUniform")) +
         fanIn(shape, "glorotUniform");
}

/// The standard deviation that preserves the variance of the signal, sqrt(2 /
/// (1 + a^2) / inputs); 0 for an empty weight.
static double kaimingDeviation(const Shape &shape, double a, const char *what) {
  const double inputs = fanIn(shape, what);
  return inputs == 0 ? 0 : std::sqrt(2 / (1 + a * a)) / std::sqrt(inputs);
}

Tensor Tensor::scaledUniform(const Shape &shape, const TensorOptions &options) {
  const MethodScope method("scaledUniform");
  const double count = double(
      constantOf(checkedNumElements(shape, DType::UInt64, "scaledUniform"),
                 "scaledUniform"));
  return uniform(shape, -1, 1, options) *
         (count == 0 ? 0 : 1 / std::sqrt(count));
}

Tensor Tensor::glorotUniform(const Shape &shape, const TensorOptions &options) {
  const MethodScope method("glorotUniform");
  const double fans = fanInAndOut(shape);
  return uniform(shape, -1, 1, options) * (fans == 0 ? 0 : std::sqrt(6 / fans));
}

Tensor Tensor::kaimingUniform(const Shape &shape, double a,
                              const TensorOptions &options) {
  const MethodScope method("kaimingUniform");
  const double bound =
      std::sqrt(3.0) * kaimingDeviation(shape, a, "kaimingUniform");
  return uniform(shape, -bound, bound, options);
}

Tensor Tensor::kaimingNormal(const Shape &shape, double a,
                             const TensorOptions &options) {
  const MethodScope method("kaimingNormal");
  return normal(shape, 0, kaimingDeviation(shape, a, "kaimingNormal"), options);
}

//===----------------------------------------------------------------------===//
// Dropout
//===----------------------------------------------------------------------===//

static thread_local bool isTraining = false;

TrainingScope::TrainingScope(bool isTraining)
    : outer(std::exchange(::isTraining, isTraining)) {}

TrainingScope::~TrainingScope() { ::isTraining = outer; }

bool TrainingScope::isActive() { return ::isTraining; }

void TrainingScope::set(bool isTraining) { ::isTraining = isTraining; }

Tensor Tensor::dropout(double p) const {
  const MethodScope method("dropout");
  if (!(p >= 0 && p <= 1))
    throw Error("dropout: " + Scalar(p).str() + " is not a probability");
  if (!isFloat(dtype()))
    throw DTypeError("dropout: the tensor is " + describe(*this) +
                     ", not of floats");
  if (!TrainingScope::isActive() || p == 0)
    return prim::alias(*this);
  if (p == 1)
    return zerosLike();
  // In float32 for every element type, so that p has a precision of 2^-24.
  return (randLike(DType::Float32) >= p).where(*this / (1 - p), 0);
}
