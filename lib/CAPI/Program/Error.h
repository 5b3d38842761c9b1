//===- Error.h - exceptions as error objects of C ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the functions of the C API share: exceptions become error objects,
/// arguments are checked, and handles are converted.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_CAPI_PROGRAM_ERROR_H
#define TINYGRAD_LIB_CAPI_PROGRAM_ERROR_H

#include "TinyGrad-c/Program.h"
#include "TinyGrad/Runtime/Buffer.h"
#include "TinyGrad/Runtime/DType.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Error.h"

#include <cstdint>
#include <optional>
#include <string>

/// The exported handle of a buffer.
struct TinyGradBuffer {
  tinygrad::Buffer buffer;
};

namespace tinygrad::capi {

/// An argument of the C API is null, negative or out of range.
class ArgumentError : public Error {
public:
  using Error::Error;
  ~ArgumentError() override;
};

/// The error object for the exception that is being handled.
TinyGradError *makeError() noexcept;

/// Calls the function; what it throws is returned as an error object.
template <typename FunctionT>
TinyGradError *catchErrors(FunctionT function) noexcept {
  try {
    function();
    return nullptr;
  } catch (...) {
    return makeError();
  }
}

/// Throws ArgumentError if the pointer is null.
void require(const void *pointer, const char *what);
/// Throws ArgumentError for a list of negative length, or a null one that is
/// not empty.
void requireList(const void *list, intptr_t count, const char *what);

inline TinyGradDevice *wrap(Device *device) {
  return reinterpret_cast<TinyGradDevice *>(device);
}
inline Device *unwrap(TinyGradDevice *device) {
  return reinterpret_cast<Device *>(device);
}
inline const Device *unwrap(const TinyGradDevice *device) {
  return reinterpret_cast<const Device *>(device);
}

/// Empty for TinyGradDTypeNone. Throws ArgumentError for a number that is no
/// dtype.
std::optional<DType> toDType(TinyGradDType dtype);
TinyGradDType fromDType(std::optional<DType> dtype);

} // namespace tinygrad::capi

#endif // TINYGRAD_LIB_CAPI_PROGRAM_ERROR_H
