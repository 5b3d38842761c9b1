//===- TgTarget.cpp - facts about a target --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The list of facts by name, and lookup of the facts that apply to an
/// operation.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/TgTarget.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Support/MatrixUnits.h"
#include <numeric>

using namespace mlir;
using namespace mlir::tg;

ArrayRef<TargetFact> tg::getTargetFactList() {
  // More than any processor has, and small enough that products of a size and a
  // small constant do not overflow.
  constexpr int64_t maxSize = int64_t(1) << 40;
  static constexpr TargetFact list[] = {
      {"vector_bytes", &TargetFacts::vectorBytes, 8, 4096},
      {"vector_registers", &TargetFacts::vectorRegisters, 8, 4096},
      {"fused_multiply_add", &TargetFacts::fusedMultiplyAdd, 0, 1},
      {"line_bytes", &TargetFacts::lineBytes, 16, 4096},
      {"prefetch_reach", &TargetFacts::prefetchReach, 64, maxSize},
      {"l1_bytes", &TargetFacts::l1Bytes, 1 << 10, maxSize},
      {"l2_bytes", &TargetFacts::l2Bytes, 1 << 10, maxSize},
      {"cache_bytes", &TargetFacts::cacheBytes, 1 << 10, maxSize},
      {"parallel_items", &TargetFacts::parallelItems, 1, 1 << 20},
      {"load_cost", &TargetFacts::loadCost, 0, maxSize},
      {"store_cost", &TargetFacts::storeCost, 0, maxSize},
      {"launch_cost", &TargetFacts::launchCost, 0, maxSize},
      {"compile_cost", &TargetFacts::compileCost, 0, maxSize},
      {"operations_per_nanosecond", &TargetFacts::operationsPerNanosecond, 1,
       maxSize},
      {"bytes_per_nanosecond", &TargetFacts::bytesPerNanosecond, 1, maxSize},
      {"group_items", &TargetFacts::groupItems, 0, 1 << 16},
      {"subgroup_items", &TargetFacts::subgroupItems, 1, 1 << 10},
      {"group_bytes", &TargetFacts::groupBytes, 0, maxSize},
      {"banks", &TargetFacts::banks, 1, 1 << 10},
      {"matrix_units", &TargetFacts::matrixUnits, 0,
       (int64_t(1) << tinygrad::kNumMatrixUnits) - 1},
      {"round_to_tf32", &TargetFacts::roundToTf32, 0, 1},
      {"async_copies", &TargetFacts::asyncCopies, 0, 2},
      {"l2_bytes_per_product", &TargetFacts::l2BytesPerProduct, 1, 4096},
      {"shared_ports", &TargetFacts::sharedPorts, 0, 1},
      {"prefetch_tiles", &TargetFacts::prefetchTiles, 0, 1},
      {"nontemporal_tiles", &TargetFacts::nontemporalTiles, 0, 1},
      {"prefetch_ahead", &TargetFacts::prefetchAhead, 0, 1 << 20},
      {"unit_subgroups", &TargetFacts::unitSubgroups, 0, 1 << 10},
      {"unit_groups", &TargetFacts::unitGroups, 0, 1 << 10},
      {"unit_barriers", &TargetFacts::unitBarriers, 0, 1 << 10},
      {"unit_registers", &TargetFacts::unitRegisters, 0, 1 << 30},
      {"item_registers", &TargetFacts::itemRegisters, 0, 1 << 16},
      {"register_step", &TargetFacts::registerStep, 1, 1 << 10},
      {"unit_bytes", &TargetFacts::unitBytes, 0, maxSize},
      {"reserved_bytes", &TargetFacts::reservedBytes, 0, 1 << 20},
      {"memory_step", &TargetFacts::memoryStep, 1, 1 << 20},
  };
  return list;
}

int64_t TargetFacts::countLines(int64_t stride) const {
  constexpr int64_t ways = 16; // typical of second-level caches
  const int64_t way = l2Bytes / ways;
  return ways * (way / std::max(std::gcd(stride, way), lineBytes));
}

llvm::hash_code tg::hash_value(const TargetFacts &facts) {
  llvm::hash_code hash = 0;
  for (const TargetFact &fact : getTargetFactList())
    hash = llvm::hash_combine(hash, facts.*fact.member);
  return hash;
}

const TargetFacts &tg::getTargetFacts(Operation *op) {
  static const TargetFacts defaults;
  for (; op; op = op->getParentOp())
    if (auto target = op->getAttrOfType<TargetAttr>(targetAttrName))
      return target.getFacts();
  return defaults;
}
