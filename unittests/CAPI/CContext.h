//===- CContext.h - a context of the C API for tests ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A context with everything registered, and the diagnostics that it reports.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_UNITTESTS_CAPI_CCONTEXT_H
#define TINYGRAD_UNITTESTS_CAPI_CCONTEXT_H

#include "TinyGrad-c/Dialect.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/Diagnostics.h"
#include "mlir-c/IR.h"

#include <gtest/gtest.h>

#include <string>

namespace tinygrad::test {

inline MlirStringRef text(const char *string) {
  return mlirStringRefCreateFromCString(string);
}

inline std::string str(MlirStringRef ref) {
  return std::string(ref.data, ref.length);
}

inline void appendTo(MlirStringRef part, void *result) {
  static_cast<std::string *>(result)->append(part.data, part.length);
}

inline std::string str(MlirAttribute attr) {
  std::string result;
  mlirAttributePrint(attr, appendTo, &result);
  return result;
}

inline std::string str(MlirType type) {
  std::string result;
  mlirTypePrint(type, appendTo, &result);
  return result;
}

inline std::string str(MlirModule module) {
  std::string result;
  mlirOperationPrint(mlirModuleGetOperation(module), appendTo, &result);
  return result;
}

class CContext : public ::testing::Test {
protected:
  CContext() : context(mlirContextCreate()) {
    mlirTgRegisterAllInContext(context);
    mlirContextAttachDiagnosticHandler(context, report, this, nullptr);
    location = mlirLocationUnknownGet(context);
  }
  ~CContext() override { mlirContextDestroy(context); }

  /// The errors since the last call.
  std::string takeErrors() { return std::move(errors); }

  MlirAttribute number(int64_t value) {
    return mlirTgDimGetNumber(context, value);
  }
  MlirAttribute variable(const char *name, int64_t min, int64_t max) {
    return mlirTgVarAttrGetChecked(location, text(name), min, max);
  }
  MlirModule parse(const char *source) {
    MlirModule module = mlirModuleCreateParse(context, text(source));
    EXPECT_FALSE(mlirModuleIsNull(module)) << takeErrors();
    return module;
  }

  MlirContext context;
  MlirLocation location;

private:
  static MlirLogicalResult report(MlirDiagnostic diagnostic, void *self) {
    auto *test = static_cast<CContext *>(self);
    mlirDiagnosticPrint(diagnostic, appendTo, &test->errors);
    return mlirLogicalResultSuccess();
  }

  std::string errors;
};

} // namespace tinygrad::test

#endif // TINYGRAD_UNITTESTS_CAPI_CCONTEXT_H
