//===- KernelFunctions.cpp - what kernels may call ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The functions that code for the host finds in the process.
///
//===----------------------------------------------------------------------===//

#include "BoundsReport.h"
#include "Simulator.h"
#include "TinyGrad/Runtime/CodeLoader.h"
#include "TinyGrad/Runtime/DType.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>

using namespace tinygrad;

// LLVM calls these functions to round to 16-bit floats on CPUs without
// instructions for it. The C library does not have them, and libgcc has only
// some, depending on its version. The x86 ABI returns a 16-bit float in the low
// half of a vector register, like a float; so does AArch64.
static float inLowBits(uint16_t bits) {
  return std::bit_cast<float>(uint32_t(bits));
}
static uint16_t lowBits(float value) {
  return uint16_t(std::bit_cast<uint32_t>(value));
}
// By integers: in a thread that takes subnormal numbers for zeros (FTZ=1), the
// conversion of the argument of encodeBFloat16() to double would change them.
static float floatToBFloat(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value), top = bits >> 16;
  const bool isNaN = (bits & 0x7fffffff) > 0x7f800000;
  return inLowBits(
      uint16_t(isNaN ? top | 0x40 : (bits + 0x7fff + (top & 1)) >> 16));
}
static float doubleToBFloat(double value) {
  return inLowBits(encodeBFloat16(value));
}
static float floatToHalf(float value) { return inLowBits(encodeHalf(value)); }
static float doubleToHalf(double value) { return inLowBits(encodeHalf(value)); }
static float halfToFloat(float value) {
  return float(decodeHalf(lowBits(value)));
}

template <typename Result, typename... Arguments>
static void *addressOf(Result (*function)(Arguments...)) {
  return reinterpret_cast<void *>(function);
}

const std::vector<KernelFunction> &tinygrad::kernelFunctions() {
  using OfFloat = float (*)(float);
  using OfDouble = double (*)(double);
  static const std::vector<KernelFunction> functions = {
      {"__truncsfbf2", addressOf(floatToBFloat)},
      {"__truncdfbf2", addressOf(doubleToBFloat)},
      {"__truncsfhf2", addressOf(floatToHalf)},
      {"__truncdfhf2", addressOf(doubleToHalf)},
      {"__extendhfsf2", addressOf(halfToFloat)},
      {detail::kReportBoundsName, addressOf(detail::reportBounds)},
      {"tg_sim_barrier", addressOf(tg_sim_barrier)},
      {"tg_sim_named_barrier", addressOf(tg_sim_named_barrier)},
      {"tg_sim_set_registers", addressOf(tg_sim_set_registers)},
      {"tg_sim_shuffle", addressOf(tg_sim_shuffle)},
      {"tg_sim_access", addressOf(tg_sim_access)},
      {"tg_sim_multiply", addressOf(tg_sim_multiply)},
      {"tg_sim_load_matrices", addressOf(tg_sim_load_matrices)},
      {"tg_sim_read_transposed", addressOf(tg_sim_read_transposed)},
      {"tg_sim_copy", addressOf(tg_sim_copy)},
      {"tg_sim_commit_copies", addressOf(tg_sim_commit_copies)},
      {"tg_sim_wait_for_copies", addressOf(tg_sim_wait_for_copies)},
      {"tg_sim_multiply_shared", addressOf(tg_sim_multiply_shared)},
      {"tg_sim_fence_registers", addressOf(tg_sim_fence_registers)},
      {"tg_sim_commit_products", addressOf(tg_sim_commit_products)},
      {"tg_sim_wait_for_products", addressOf(tg_sim_wait_for_products)},
      {"tg_sim_read_sum", addressOf(tg_sim_read_sum)},
      {"tg_sim_fence_proxy", addressOf(tg_sim_fence_proxy)},
      {"tg_sim_init_mbarrier", addressOf(tg_sim_init_mbarrier)},
      {"tg_sim_fence_mbarriers", addressOf(tg_sim_fence_mbarriers)},
      {"tg_sim_arrive", addressOf(tg_sim_arrive)},
      {"tg_sim_wait_for_phase", addressOf(tg_sim_wait_for_phase)},
      {"tg_sim_copy_box", addressOf(tg_sim_copy_box)},
      {"tg_sim_store_box", addressOf(tg_sim_store_box)},
      {"tg_sim_commit_stores", addressOf(tg_sim_commit_stores)},
      {"tg_sim_wait_for_stores", addressOf(tg_sim_wait_for_stores)},
      {"memcpy", addressOf(::memcpy)},
      {"memmove", addressOf(::memmove)},
      {"memset", addressOf(::memset)},
      {"malloc", addressOf(::malloc)},
      {"aligned_alloc", addressOf(::aligned_alloc)},
      {"free", addressOf(::free)},
      {"fma", addressOf<double, double, double, double>(::fma)},
      {"fmaf", addressOf<float, float, float, float>(::fmaf)},
      {"trunc", addressOf(OfDouble(::trunc))},
      {"truncf", addressOf(OfFloat(::truncf))},
      {"floor", addressOf(OfDouble(::floor))},
      {"floorf", addressOf(OfFloat(::floorf))},
      {"ceil", addressOf(OfDouble(::ceil))},
      {"ceilf", addressOf(OfFloat(::ceilf))},
      {"rint", addressOf(OfDouble(::rint))},
      {"rintf", addressOf(OfFloat(::rintf))},
  };
  return functions;
}

std::string tinygrad::getImportName(const std::string &function) {
  return "tinygrad.import." + function;
}
