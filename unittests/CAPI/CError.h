//===- CError.h - expectations about errors of the C API --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Expectations that destroy the error that a call returns.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_UNITTESTS_CAPI_CERROR_H
#define TINYGRAD_UNITTESTS_CAPI_CERROR_H

#include "TinyGrad-c/Program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tinygrad::test {

/// What a call has returned.
struct Outcome {
  explicit Outcome(TinyGradError *error)
      : code(tinygradErrorGetCode(error)),
        message(tinygradErrorGetMessage(error)) {
    tinygradErrorDestroy(error);
  }

  TinyGradErrorCode code;
  std::string message;
};

#define EXPECT_OK(call)                                                        \
  do {                                                                         \
    const ::tinygrad::test::Outcome outcome(call);                             \
    EXPECT_EQ(outcome.code, TinyGradErrorNone) << outcome.message;             \
  } while (false)

#define EXPECT_ERROR(call, expectedCode, matcher)                              \
  do {                                                                         \
    const ::tinygrad::test::Outcome outcome(call);                             \
    EXPECT_EQ(outcome.code, expectedCode) << outcome.message;                  \
    EXPECT_THAT(outcome.message, matcher);                                     \
  } while (false)

inline TinyGradDevice *getDevice(const char *name) {
  TinyGradDevice *device = nullptr;
  EXPECT_OK(tinygradDeviceGet(name, &device));
  return device;
}

} // namespace tinygrad::test

#endif // TINYGRAD_UNITTESTS_CAPI_CERROR_H
