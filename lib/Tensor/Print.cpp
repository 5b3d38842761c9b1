//===- Print.cpp - values as text -----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Nested lists with aligned columns, in NumPy's format.
///
//===----------------------------------------------------------------------===//

#include "Recorder.h"
#include "TensorImpl.h"
#include "TinyGrad/Runtime/Profile.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <ostream>

using namespace tinygrad;
using namespace tinygrad::detail;

/// Larger tensors are shown by the first and last few elements of each axis.
static constexpr int64_t kSummaryThreshold = 1000, kEdgeItems = 3;
static constexpr std::size_t kLineWidth = 75;
static constexpr int kMaxDecimals = 8;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static std::string print(const char *format, int precision, double value) {
  char text[400];
  std::snprintf(text, sizeof(text), format, precision, value);
  return text;
}

/// The fewest decimals that read back as the same element.
template <typename Element>
static int decimalsOf(double value, const char *format) {
  for (int decimals = 0; decimals < kMaxDecimals; ++decimals) {
    const double back =
        std::strtod(print(format, decimals, value).c_str(), nullptr);
    if (double(Element(back)) == value)
      return decimals;
  }
  return kMaxDecimals;
}

/// All numbers in one form, plain or with an exponent if the plain one would be
/// long, each with the fewest decimals; decimal points are aligned.
template <typename Element>
static std::vector<std::string> printFloats(const std::vector<double> &values) {
  double largest = 0, smallest = INFINITY;
  for (double value : values)
    if (std::isfinite(value) && value != 0) {
      largest = std::max(largest, std::fabs(value));
      smallest = std::min(smallest, std::fabs(value));
    }
  const bool hasExponent =
      largest >= 1e8 ||
      (largest > 0 && (smallest < 1e-4 || largest / smallest > 1e6));
  const char *format = hasExponent ? "%.*e" : "%.*f";
  std::vector<int> decimals;
  for (double value : values)
    decimals.push_back(std::isfinite(value) ? decimalsOf<Element>(value, format)
                                            : 0);
  const int most =
      values.empty() ? 0 : *std::max_element(decimals.begin(), decimals.end());
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      texts.push_back(std::isnan(values[i]) ? "nan"
                      : values[i] < 0       ? "-inf"
                                            : "inf");
      continue;
    }
    std::string text = print(format, decimals[i], values[i]);
    const std::size_t end = hasExponent ? text.find('e') : text.size();
    std::string rest(most - decimals[i], hasExponent ? '0' : ' ');
    if (decimals[i] == 0)
      rest.insert(0, ".");
    texts.push_back(text.insert(end, rest));
  }
  return texts;
}

/// The elements at the given positions, as text.
static std::vector<std::string> printElements(const HostArray &array,
                                              const std::vector<int64_t> &at) {
  return dispatch(array.dtype, [&](auto zero) {
    using Element = decltype(zero);
    const Element *data = array.as<Element>();
    std::vector<std::string> texts;
    if constexpr (std::is_same_v<Element, bool>) {
      for (int64_t i : at)
        texts.push_back(data[i] ? "true" : "false");
    } else if constexpr (std::is_integral_v<Element>) {
      for (int64_t i : at)
        texts.push_back(std::to_string(data[i]));
    } else {
      std::vector<double> values;
      for (int64_t i : at)
        values.push_back(double(data[i]));
      texts = printFloats<Element>(values);
    }
    return texts;
  });
}

//===----------------------------------------------------------------------===//
// Nesting
//===----------------------------------------------------------------------===//

namespace {
class Printer {
public:
  explicit Printer(const HostArray &array)
      : array(array), isSummary(array.numElements() > kSummaryThreshold ||
                                array.numElements() == 0) {
    // Of an empty array, strides may overflow, but are not used.
    strides.resize(array.shape.size());
    uint64_t stride = 1;
    for (std::size_t i = strides.size(); i-- > 0;) {
      strides[i] = int64_t(stride);
      stride *= uint64_t(array.shape[i]);
    }
  }

  std::string print() {
    // First collects the shown elements for the common width, then prints.
    collect(0, 0);
    texts = printElements(array, shown);
    for (const std::string &text : texts)
      width = std::max(width, text.size());
    next = 0;
    return array.shape.empty() ? texts.front() : nest(0);
  }

private:
  bool isCut(std::size_t axis) const {
    return isSummary && array.shape[axis] > 2 * kEdgeItems;
  }

  /// Calls \p body for each shown position of an axis, and with -1 for the
  /// ellipsis.
  void forEach(std::size_t axis, const std::function<void(int64_t)> &body) {
    const int64_t size = array.shape[axis];
    for (int64_t i = 0; i < size; ++i) {
      if (isCut(axis) && i == kEdgeItems) {
        body(-1);
        i = size - kEdgeItems;
      }
      body(i);
    }
  }

  void collect(std::size_t axis, int64_t offset) {
    if (axis == array.shape.size()) {
      shown.push_back(offset);
      return;
    }
    forEach(axis, [&](int64_t i) {
      if (i >= 0)
        collect(axis + 1, offset + i * strides[axis]);
    });
  }

  std::string nest(std::size_t axis) {
    const bool isInner = axis + 1 == array.shape.size();
    const std::string indent(axis + 1, ' ');
    std::string result = "[", line;
    bool isFirst = true;
    forEach(axis, [&](int64_t i) {
      if (!isInner) {
        if (!isFirst)
          result += std::string(array.shape.size() - axis - 1, '\n') + indent;
        result += i < 0 ? "..." : nest(axis + 1);
      } else {
        std::string text = "...";
        if (i >= 0) {
          text = texts[next++];
          text.insert(0, width - text.size(), ' ');
        }
        if (!isFirst &&
            axis + 1 + line.size() + 1 + text.size() >= kLineWidth) {
          result += line + "\n" + indent;
          line.clear();
        } else if (!isFirst) {
          line += ' ';
        }
        line += text;
      }
      isFirst = false;
    });
    return result + line + "]";
  }

  const HostArray &array;
  const bool isSummary;
  std::vector<int64_t> strides, shown;
  std::vector<std::string> texts;
  std::size_t width = 0, next = 0;
};
} // namespace

std::string Tensor::str(std::source_location where) const {
  const CallSite site(where.file_name(), where.line());
  Recorder::checkHostRead("str");
  const HostArray array = toHost(std::source_location());
  return Printer(array).print();
}

std::ostream &tinygrad::operator<<(std::ostream &stream,
                                   const PrintedTensor &printed) {
  return stream << printed.tensor.str(printed.where);
}
