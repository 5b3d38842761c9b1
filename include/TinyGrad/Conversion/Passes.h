//===- Passes.h - Conversion passes -----------------------------*- C++ -*-===//
//
// Part of the TinyGrad project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Registers all passes of Passes.td (registerTgConversionPasses and one
/// function for each pass).
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_CONVERSION_PASSES_H
#define TINYGRAD_CONVERSION_PASSES_H

#include "TinyGrad/Conversion/GPUToLLVM/GPUToLLVM.h"
#include "TinyGrad/Conversion/GPUToSim/GPUToSim.h"
#include "TinyGrad/Conversion/HostToLLVM/HostToLLVM.h"
#include "TinyGrad/Conversion/KernelToLLVM/KernelToLLVM.h"
#include "TinyGrad/Conversion/LinalgToTg/LinalgToTg.h"
#include "TinyGrad/Conversion/MathToPolynomial/MathToPolynomial.h"
#include "TinyGrad/Conversion/TgToGPU/TgToGPU.h"
#include "TinyGrad/Conversion/TgToLinalg/TgToLinalg.h"
#include "TinyGrad/Conversion/TgToVector/TgToVector.h"

namespace mlir::tg {

#define GEN_PASS_REGISTRATION
#include "TinyGrad/Conversion/Passes.h.inc"

} // namespace mlir::tg

#endif // TINYGRAD_CONVERSION_PASSES_H
