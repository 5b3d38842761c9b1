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

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <vector>

using namespace tinygrad;
using namespace tinygrad::detail;

//===----------------------------------------------------------------------===//
// Distributions
//===----------------------------------------------------------------------===//

void Tensor::manualSeed(uint64_t seed) { Graph::current().manualSeed(seed); }

/// Chunks of random words, each with a key of its own, have at most this number
/// of words.
static constexpr uint64_t kMaxChunk = std::numeric_limits<uint32_t>::max();

/// The key of random words, of shape [1]: data, so that the compiled program
/// does not depend on it. Adds \p count to the counter of the device.
static Tensor takeKey(const Graph &graph, Device &device, uint64_t chunk,
                      uint64_t count) {
  const auto [key, counter] = takeRandomKey(graph, device, chunk, count);
  Buffer memory = Buffer::fromHost(device, &key, sizeof(key), DType::UInt64);
  Tensor tensor = prim::buffer(graph, memory, DType::UInt64, {1});
  if (Recorder *recorder = Recorder::capturing())
    recorder->markRandom(memory, key, counter);
  return tensor;
}

/// The blocks with the counters (j, j + count), from j = \p place on.
static Tensor makeBlocks(const Tensor &place, uint64_t count,
                         const Tensor &key) {
  Tensor counter = place * ((uint64_t(1) << 32) + 1) + (count << 32);
  return prim::binary(
      BinaryOp::Threefry, counter,
      (place.ndim() == 2 ? key.reshape({1, 1}) : key).expand(place.shape()));
}

/// Words of 32 random bits. Words of both halves are in one block, see
/// RandomCounters.
static Tensor randomWords(const Graph &graph, Device &device, int64_t count) {
  std::vector<Tensor> chunks;
  for (uint64_t first = 0; first < uint64_t(count); first += kMaxChunk) {
    const uint64_t size = std::min(uint64_t(count) - first, kMaxChunk);
    const uint64_t half = (size + 1) / 2;
    const bool isLast = first + size == uint64_t(count);
    const Tensor key =
        takeKey(graph, device, first, isLast ? uint64_t(count) : 0);
    const Shape rows = {2, int64_t(half)};
    Tensor blocks = makeBlocks(
        prim::iota(graph, device, 1, DType::UInt64, rows), half, key);
    // A row of the lower halves and one of the upper ones.
    Tensor shift = prim::iota(graph, device, 0, DType::UInt64, {2, 1}) * 32;
    Tensor words = (blocks >> shift).cast(DType::UInt32).flatten();
    chunks.push_back(words.shrinkTo(int64_t(size)));
  }
  if (chunks.empty())
    return prim::iota(graph, device, 0, DType::UInt32, {0});
  return chunks.size() == 1 ? chunks.front() : Tensor::cat(chunks, 0);
}

/// The largest shape. An element of a smaller one is that of the same place, so
/// that it does not depend on the values of the variables.
static Shape largestShape(const Shape &shape) {
  const std::vector<int64_t> greatest = largestOf(shape);
  return Shape(greatest.begin(), greatest.end());
}

/// The part of a tensor of the largest shape.
static Tensor shrinkFrom(const Tensor &largest, const Shape &shape) {
  if (!isSymbolic(shape))
    return largest;
  std::vector<Part> parts;
  for (const SymInt &size : shape)
    parts.emplace_back(0, size);
  return largest.shrink(parts);
}

static Tensor randomBits(const Graph &graph, Device &device,
                         const Shape &shape) {
  const Shape greatest = largestShape(shape);
  const int64_t count =
      checkedNumElements(greatest, DType::UInt64, "rand").value();
  Tensor words = randomWords(graph, device, 2 * count)
                     .cast(DType::UInt64)
                     .reshape({count, 2});
  Tensor bits = words.shrink({{0, count}, {0, 1}}) |
                (words.shrink({{0, count}, {1, 2}}) << 32);
  return shrinkFrom(bits.reshape(greatest), shape);
}

/// Uniform in [0, 1), with as many random bits as the type's significand
/// stores. Words are split or joined into elements in the order of memory.
static Tensor makeRand(const Graph &graph, Device &device, const Shape &shape,
                       DType dtype) {
  int64_t digits = 0;
  switch (dtype) {
  case DType::Float64:
    digits = 52;
    break;
  case DType::Float32:
    digits = 23;
    break;
  case DType::Float16:
    digits = 10;
    break;
  case DType::BFloat16:
    digits = 7;
    break;
  case DType::Float8E4M3:
  case DType::Float8E4M3FNUZ:
    digits = 3;
    break;
  case DType::Float8E5M2:
  case DType::Float8E5M2FNUZ:
    digits = 2;
    break;
  default:
    throw DTypeError(std::string("rand: ") + name(dtype) +
                     " is not a float type for random numbers");
  }
  checkedNumElements(shape, DType::UInt64, "rand");
  const Shape greatest = largestShape(shape);
  const int64_t count =
      checkedNumElements(greatest, DType::UInt64, "rand").value();
  Tensor numbers;
  if (dtype == DType::Float64) {
    numbers = (randomBits(graph, device, {count}) >> (64 - digits)).cast(dtype);
  } else {
    const int64_t size = itemSize(dtype), parts = 4 / size;
    Tensor words = randomWords(graph, device, (count + parts - 1) / parts);
    if (parts > 1) {
      Tensor shift =
          prim::iota(graph, device, 0, DType::UInt32, {parts}) * (8 * size);
      words = ((words.unsqueeze(1) >> shift) & ((1 << (8 * size)) - 1))
                  .flatten()
                  .shrinkTo(count);
    }
    numbers = (words >> (8 * size - digits)).cast(dtype);
  }
  return shrinkFrom((numbers * std::ldexp(1.0, -int(digits))).reshape(greatest),
                    shape);
}

static Tensor makeRandn(const Graph &graph, Device &device, const Shape &shape,
                        DType dtype) {
  if (!isFloat(dtype))
    throw DTypeError(std::string("randn: ") + name(dtype) +
                     " is not a float type for random numbers");
  checkedNumElements(shape, DType::UInt64, "randn");
  const Shape greatest = largestShape(shape);
  const int64_t count =
      checkedNumElements(greatest, DType::UInt64, "randn").value();
  // Box-Muller transform of the first and the second half of twice as many
  // words, which are the halves of blocks.
  Tensor first, second;
  if (uint64_t(count) <= kMaxChunk / 2) {
    const Tensor key = takeKey(graph, device, 0, 2 * count);
    Tensor bits = makeBlocks(
        prim::iota(graph, device, 0, DType::UInt64, {count}), count, key);
    first = bits.cast(DType::UInt32);
    second = (bits >> 32).cast(DType::UInt32);
  } else {
    Tensor words = randomWords(graph, device, 2 * count);
    first = words.shrink({{0, count}});
    second = words.shrink({{count, 2 * count}});
  }
  auto unit = [&](const Tensor &word) {
    return (word >> 9).cast(DType::Float32) * 0x1p-23;
  };
  Tensor angle = unit(first) * (2 * std::numbers::pi);
  // 1 - u is in (0, 1], so the logarithm is finite.
  Tensor radius = ((1.0 - unit(second)).log() * -2.0).sqrt();
  return shrinkFrom((angle.cos() * radius).cast(dtype).reshape(greatest),
                    shape);
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
  if (!isFloat(dtype))
    throw DTypeError(std::string("uniform: ") + name(dtype) +
                     " is not a float type for random numbers");
  Tensor unit =
      makeRand(Graph::current(), deviceOf(options), shape, defaultFloat());
  const double first = roundTo(low, dtype), end = roundTo(high, dtype);
  if (!std::isfinite(first) || !std::isfinite(end) || !(low <= high) ||
      (low < high && first == end))
    throwNoInterval(low, high, dtype);
  if (first == end)
    return unit.cast(dtype).fullLike(first);
  // The difference of large bounds may overflow; half of it does not.
  const double range = high - low;
  Tensor values =
      std::isfinite(roundTo(roundTo(range, unit.dtype()), dtype))
          ? (unit * range).cast(dtype) + first
          : (unit.cast(dtype) * (end / 2 - first / 2) + first / 2) * 2;
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
  // The numbers of tinygrad, where 2^23 fractions are enough for each result.
  if (range <= uint64_t(1) << 23)
    return (makeRand(graph, device, shape, DType::Float32) * double(range))
               .cast(DType::Int32)
               .cast(dtype) +
           low;
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

Tensor Tensor::scaledUniform(const Shape &shape, const TensorOptions &options) {
  const MethodScope method("scaledUniform");
  const double count = double(
      constantOf(checkedNumElements(shape, DType::UInt64, "scaledUniform"),
                 "scaledUniform"));
  return uniform(shape, -1, 1, options) *
         (count == 0 ? 0 : std::pow(count, -0.5));
}

Tensor Tensor::glorotUniform(const Shape &shape, const TensorOptions &options) {
  const MethodScope method("glorotUniform");
  const double fans = fanInAndOut(shape);
  const double bound = fans == 0 ? 0 : std::sqrt(6 / fans);
  return uniform(shape, -bound, bound, options);
}

Tensor Tensor::kaimingUniform(const Shape &shape, double a,
                              const TensorOptions &options) {
  const MethodScope method("kaimingUniform");
  const double inputs = fanIn(shape, "kaimingUniform");
  const double bound = inputs == 0 ? 0 : std::sqrt(6 / (1 + a * a) / inputs);
  return uniform(shape, -bound, bound, options);
}

Tensor Tensor::kaimingNormal(const Shape &shape, double a,
                             const TensorOptions &options) {
  const MethodScope method("kaimingNormal");
  const double inputs = fanIn(shape, "kaimingNormal");
  const double deviation =
      inputs == 0 ? 0 : std::sqrt(2 / (1 + a * a) / inputs);
  return normal(shape, 0, deviation, options);
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
