//===- Checks.h - texts of errors -------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Texts of errors about options and tensors.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_OPTIM_CHECKS_H
#define TINYGRAD_LIB_OPTIM_CHECKS_H

#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Tensor/Tensor.h"

#include <sstream>
#include <string>

namespace tinygrad::optim {

/// As few digits as tell the number from others: 0.001.
inline std::string toText(double value) {
  std::ostringstream stream;
  stream << value;
  return stream.str();
}

/// Shape and element type.
inline std::string describe(const Tensor &tensor) {
  return toString(tensor.shape()) + " " + name(tensor.dtype());
}

/// Throws Error: "NAME: OPTION is VALUE, but it has to be RULE".
inline void checkOption(bool isValid, const char *name, const char *option,
                        double value, const char *rule) {
  if (!isValid)
    throw Error(std::string(name) + ": " + option + " is " + toText(value) +
                ", but it has to be " + rule);
}

} // namespace tinygrad::optim

#endif // TINYGRAD_LIB_OPTIM_CHECKS_H
