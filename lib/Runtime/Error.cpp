//===- Error.cpp - exceptions of the runtime and the tensor API -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Key functions of the exception classes, and the text of OutOfMemoryError.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Runtime/Error.h"

using namespace tinygrad;

// Out-of-line destructors put the type information of each class into this
// library, so that handlers in other libraries recognize it.
Error::~Error() = default;
ShapeError::~ShapeError() = default;
DTypeError::~DTypeError() = default;
IndexError::~IndexError() = default;
DeviceError::~DeviceError() = default;
OutOfMemoryError::~OutOfMemoryError() = default;
CompileError::~CompileError() = default;
IoError::~IoError() = default;

OutOfMemoryError::OutOfMemoryError(const std::string &deviceName,
                                   std::size_t bytesAsked,
                                   std::size_t bytesInUse,
                                   const std::string &reason)
    : DeviceError("out of memory on " + deviceName + ": " +
                  (bytesAsked
                       ? std::to_string(bytesAsked) + " bytes asked for, "
                       : std::string()) +
                  std::to_string(bytesInUse) + " bytes in use" +
                  (reason.empty() ? "" : "; " + reason)),
      asked(bytesAsked), inUse(bytesInUse) {}
