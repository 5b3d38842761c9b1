//===- CastTest.cpp - conversions between all element types ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// tg.cast from every type to every type, in scalar and in vector code,
/// compared with arbitrary-precision arithmetic; exhaustive for 8- and 16-bit
/// types.
///
//===----------------------------------------------------------------------===//

#include "KernelRunner.h"
#include "KernelText.h"
#include "Reference.h"
#include <cmath>
#include <gtest/gtest.h>

namespace {
class CastTest : public testing::TestWithParam<std::string> {};
} // namespace

/// All values of a narrow type, or special values of a wide one; a multiple of
/// 64.
static std::vector<uint64_t> getValues(const ElementType &type) {
  std::vector<uint64_t> values;
  if (type.width <= 16 && type.width > 1) {
    for (uint64_t bits = 0; bits < (1ull << type.width); ++bits)
      values.push_back(bits);
    return values;
  }
  values = getEdges(type);
  if (type.width >= 32) {
    // Values near those at which narrower floats round and overflow.
    uint64_t state = 88172645463325252ull;
    for (int i = 0; i < 20000; ++i) {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      uint64_t bits = state;
      if (!type.isFloat()) {
        bits >>= (state >> 8) % 64;
        // Numbers with trailing zeros are ties.
        if (i % 2)
          bits <<= (state >> 20) % 40;
      } else if (i % 2) {
        // Moderate exponents and few significant bits, so that ties are
        // frequent.
        double value = std::ldexp(1.0 + double(state % 1024) / 1024.0,
                                  int(state >> 32) % 48 - 26);
        if (i % 4 == 1)
          value = std::nextafter(value, i % 8 == 1 ? 0.0 : 1e30);
        bits = castReference(getType("f64"), type,
                             llvm::APFloat(i % 16 < 8 ? value : -value)
                                 .bitcastToAPInt()
                                 .getZExtValue());
      }
      values.push_back(type.width == 64 ? bits : bits & 0xffffffff);
    }
  }
  while (values.size() % 64 != 0)
    values.push_back(values[values.size() % 2]);
  return values;
}

TEST_P(CastTest, MatchesReference) {
  const ElementType &from = getType(GetParam());
  std::vector<uint64_t> values = getValues(from);
  Elements input(from, values);
  for (const ElementType &to : getTypes()) {
    if (to.name == from.name)
      continue;
    std::vector<uint64_t> expected;
    for (uint64_t value : values)
      expected.push_back(castReference(from, to, value));
    for (size_t lanes : {0, 16, 64}) {
      KernelRunner kernel(elementwiseKernel(
          "  %r = tg.cast %x0 : " + from.name + " -> " + to.name, {from.name},
          to.name, values.size(), lanes));
      ASSERT_TRUE(kernel.ok()) << kernel.error();
      Elements output(to, values.size());
      kernel.run({output.data(), input.data()});
      int failures = 0;
      for (size_t i = 0; i < values.size() && failures < 5; ++i) {
        uint64_t actual = output.get(i);
        if (actual == expected[i] ||
            (to.isNan(actual) && to.isNan(expected[i])))
          continue;
        ++failures;
        ADD_FAILURE() << from.name << " 0x" << std::hex << values[i] << " -> "
                      << to.name << std::dec << " with " << lanes
                      << " lanes: 0x" << std::hex << actual << " instead of 0x"
                      << expected[i];
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, CastTest, testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const ElementType &type : getTypes())
                             names.push_back(type.name);
                           return names;
                         }()),
                         [](const testing::TestParamInfo<std::string> &info) {
                           return info.param;
                         });
