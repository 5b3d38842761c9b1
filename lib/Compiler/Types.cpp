//===- Types.cpp - dtypes and element types -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Maps the runtime's dtypes to the dialect's element types and back.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Compiler/Compiler.h"
#include "TinyGrad/Runtime/Error.h"
#include "llvm/Support/raw_ostream.h"

using namespace tinygrad;

mlir::Type tinygrad::getElementType(mlir::MLIRContext *context, DType dtype) {
  mlir::Builder builder(context);
  using Signedness = mlir::IntegerType::SignednessSemantics;
  auto unsignedType = [&](unsigned width) {
    return mlir::IntegerType::get(context, width, Signedness::Unsigned);
  };
  switch (dtype) {
  case DType::Bool:
    return builder.getI1Type();
  case DType::Int8:
    return builder.getIntegerType(8);
  case DType::Int16:
    return builder.getIntegerType(16);
  case DType::Int32:
    return builder.getIntegerType(32);
  case DType::Int64:
    return builder.getIntegerType(64);
  case DType::UInt8:
    return unsignedType(8);
  case DType::UInt16:
    return unsignedType(16);
  case DType::UInt32:
    return unsignedType(32);
  case DType::UInt64:
    return unsignedType(64);
  case DType::Float16:
    return builder.getF16Type();
  case DType::BFloat16:
    return builder.getBF16Type();
  case DType::Float32:
    return builder.getF32Type();
  case DType::Float64:
    return builder.getF64Type();
  case DType::Float8E4M3:
    return mlir::Float8E4M3FNType::get(context);
  case DType::Float8E5M2:
    return mlir::Float8E5M2Type::get(context);
  case DType::Float8E4M3FNUZ:
    return mlir::Float8E4M3FNUZType::get(context);
  case DType::Float8E5M2FNUZ:
    return mlir::Float8E5M2FNUZType::get(context);
  }
  throw DTypeError("unknown dtype");
}

DType tinygrad::getDType(mlir::Type type) {
  if (auto integer = mlir::dyn_cast<mlir::IntegerType>(type)) {
    bool isUnsigned = integer.isUnsigned();
    switch (integer.getWidth()) {
    case 1:
      return DType::Bool;
    case 8:
      return isUnsigned ? DType::UInt8 : DType::Int8;
    case 16:
      return isUnsigned ? DType::UInt16 : DType::Int16;
    case 32:
      return isUnsigned ? DType::UInt32 : DType::Int32;
    case 64:
      return isUnsigned ? DType::UInt64 : DType::Int64;
    }
  }
  if (type.isF16())
    return DType::Float16;
  if (type.isBF16())
    return DType::BFloat16;
  if (type.isF32())
    return DType::Float32;
  if (type.isF64())
    return DType::Float64;
  if (mlir::isa<mlir::Float8E4M3FNType>(type))
    return DType::Float8E4M3;
  if (mlir::isa<mlir::Float8E5M2Type>(type))
    return DType::Float8E5M2;
  if (mlir::isa<mlir::Float8E4M3FNUZType>(type))
    return DType::Float8E4M3FNUZ;
  if (mlir::isa<mlir::Float8E5M2FNUZType>(type))
    return DType::Float8E5M2FNUZ;
  std::string text;
  llvm::raw_string_ostream(text) << type;
  throw DTypeError("no dtype corresponds to the element type " + text);
}
