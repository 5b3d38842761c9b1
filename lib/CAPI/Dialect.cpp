//===- Dialect.cpp - C API of the tg dialect ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the dialect handle and the registration of passes for C.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad-c/Dialect.h"
#include "TinyGrad/Conversion/Passes.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h"
#include "TinyGrad/Dialect/Tg/Validate/Passes.h"
#include "TinyGrad/Dialect/Tg/Verify/Passes.h"
#include "TinyGrad/Target/All/Passes.h"
#include "mlir/CAPI/Pass.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace mlir::tg;

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Tg, tg, mlir::tg::TgDialect)

extern "C" {
#include "TinyGrad/Conversion/Passes.capi.cpp.inc"
#include "TinyGrad/Dialect/Tg/Transforms/Passes.capi.cpp.inc"
#include "TinyGrad/Dialect/Tg/Validate/Passes.capi.cpp.inc"
#include "TinyGrad/Dialect/Tg/Verify/Passes.capi.cpp.inc"
#include "TinyGrad/Target/All/Passes.capi.cpp.inc"
}
