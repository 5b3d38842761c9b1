//===- SimulatorOrder.h - what happened before ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the simulator: what is ordered before the next access of a work
/// item, as vector clocks. A barrier of the whole group orders everything, so
/// only what happened since the last one is counted.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_RUNTIME_DEVICES_SIMULATORORDER_H
#define TINYGRAD_LIB_RUNTIME_DEVICES_SIMULATORORDER_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tinygrad::detail {

/// What is ordered before something. Nothing is said of numbers behind the end
/// of a vector.
struct SimOrder {
  /// By work item, the last of its phases whose accesses are.
  std::vector<uint32_t> items;
  /// By warpgroup, the number after that of its last matrix operation that was
  /// waited for.
  std::vector<uint32_t> products;
  /// By mbarrier, how many of its phases were seen to end.
  std::vector<uint32_t> phases;

  static void raise(std::vector<uint32_t> &numbers, std::size_t place,
                    uint32_t number) {
    if (numbers.size() <= place)
      numbers.resize(place + 1);
    numbers[place] = std::max(numbers[place], number);
  }
  static bool reaches(const std::vector<uint32_t> &numbers, std::size_t place,
                      uint32_t number) {
    return number == 0 || (place < numbers.size() && numbers[place] >= number);
  }

  /// Adds what is ordered before something else.
  void join(const SimOrder &other) {
    join(items, other.items);
    join(products, other.products);
    join(phases, other.phases);
  }
  void clear() {
    items.clear();
    products.clear();
    phases.clear();
  }

private:
  static void join(std::vector<uint32_t> &to,
                   const std::vector<uint32_t> &from) {
    if (to.size() < from.size())
      to.resize(from.size());
    for (std::size_t i = 0; i < from.size(); ++i)
      to[i] = std::max(to[i], from[i]);
  }
};

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_RUNTIME_DEVICES_SIMULATORORDER_H
