//===- Error.cpp - errors of the C API ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements error objects.
///
//===----------------------------------------------------------------------===//

#include "Error.h"

#include <exception>
#include <new>

using namespace tinygrad;
using namespace tinygrad::capi;

struct TinyGradError {
  TinyGradErrorCode code;
  std::string message;
};

ArgumentError::~ArgumentError() = default;

/// For when there is no memory for an error; never destroyed.
static TinyGradError *getOutOfMemoryError() {
  static TinyGradError error{TinyGradErrorOutOfMemory, "out of memory"};
  return &error;
}

static TinyGradErrorCode getCode(const Error &error) {
  if (dynamic_cast<const ArgumentError *>(&error))
    return TinyGradErrorArgument;
  if (dynamic_cast<const ShapeError *>(&error))
    return TinyGradErrorShape;
  if (dynamic_cast<const DTypeError *>(&error))
    return TinyGradErrorDType;
  if (dynamic_cast<const IndexError *>(&error))
    return TinyGradErrorIndex;
  // A DeviceError too.
  if (dynamic_cast<const OutOfMemoryError *>(&error))
    return TinyGradErrorOutOfMemory;
  if (dynamic_cast<const DeviceError *>(&error))
    return TinyGradErrorDevice;
  if (dynamic_cast<const CompileError *>(&error))
    return TinyGradErrorCompile;
  if (dynamic_cast<const IoError *>(&error))
    return TinyGradErrorIo;
  return TinyGradErrorOther;
}

TinyGradError *capi::makeError() noexcept {
  try {
    try {
      throw;
    } catch (const Error &error) {
      return new TinyGradError{getCode(error), error.what()};
    } catch (const std::bad_alloc &) {
      return getOutOfMemoryError();
    } catch (const std::exception &error) {
      return new TinyGradError{TinyGradErrorOther, error.what()};
    } catch (...) {
      return new TinyGradError{TinyGradErrorOther, "unknown exception"};
    }
  } catch (...) {
    return getOutOfMemoryError();
  }
}

void capi::require(const void *pointer, const char *what) {
  if (!pointer)
    throw ArgumentError(std::string(what) + " is null");
}

void capi::requireList(const void *list, intptr_t count, const char *what) {
  if (count < 0)
    throw ArgumentError("the number of " + std::string(what) + " is " +
                        std::to_string(count));
  if (count > 0 && !list)
    throw ArgumentError("the list of " + std::to_string(count) + " " + what +
                        " is null");
}

TinyGradErrorCode tinygradErrorGetCode(const TinyGradError *error) {
  return error ? error->code : TinyGradErrorNone;
}

const char *tinygradErrorGetMessage(const TinyGradError *error) {
  return error ? error->message.c_str() : "";
}

void tinygradErrorDestroy(TinyGradError *error) {
  if (error != getOutOfMemoryError())
    delete error;
}
