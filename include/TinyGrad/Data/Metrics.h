//===- Metrics.h - named numbers --------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Losses, accuracies and other numbers that a training run reports.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DATA_METRICS_H
#define TINYGRAD_DATA_METRICS_H

#include <concepts>
#include <string>
#include <utility>
#include <vector>

namespace tinygrad::data {

/// A number with a name: `{"loss", 0.25f}`.
struct Metric {
  template <typename Number>
    requires std::integral<Number> || std::floating_point<Number>
  Metric(std::string name, Number value)
      : name(std::move(name)), value(double(value)) {}

  std::string name;
  double value;
};

using Metrics = std::vector<Metric>;

} // namespace tinygrad::data

#endif // TINYGRAD_DATA_METRICS_H
