//===- ToolSupport.cpp - what the tools share -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads modules and array files, and makes up inputs.
///
//===----------------------------------------------------------------------===//

#include "support/ToolSupport.h"

#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Runtime/Npy.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

#include <cstring>

using namespace mlir;
using namespace mlir::tg;
using tinygrad::DType;

LogicalResult mlir::tg::reportError(const Twine &message) {
  llvm::WithColor::error(llvm::errs()) << message << '\n';
  return failure();
}

OwningOpRef<ModuleOp> mlir::tg::loadModule(StringRef path,
                                           MLIRContext &context) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/true);
  if (!buffer) {
    (void)reportError("cannot read '" + path +
                      "': " + buffer.getError().message());
    return nullptr;
  }
  llvm::SourceMgr sourceMgr;
  sourceMgr.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(sourceMgr, &context);
  return parseSourceFile<ModuleOp>(sourceMgr, &context);
}

FailureOr<func::FuncOp> mlir::tg::findEntry(ModuleOp module, StringRef name) {
  if (auto function = module.lookupSymbol<func::FuncOp>(name)) {
    if (function.isExternal())
      return reportError("function '@" + name + "' has no body");
    return function;
  }
  std::string names;
  for (auto function : module.getOps<func::FuncOp>()) {
    names += names.empty() ? "@" : ", @";
    names += function.getSymName();
  }
  return reportError("there is no function '@" + name + "'; the module has " +
                     (names.empty() ? "none at all" : names));
}

Type mlir::tg::getElementType(MLIRContext *context, DType dtype) {
  auto integer = [&](unsigned width, bool isUnsigned = false) {
    return IntegerType::get(context, width,
                            isUnsigned ? IntegerType::Unsigned
                                       : IntegerType::Signless);
  };
  switch (dtype) {
  case DType::Bool:
    return integer(1);
  case DType::Int8:
    return integer(8);
  case DType::UInt8:
    return integer(8, true);
  case DType::Int16:
    return integer(16);
  case DType::UInt16:
    return integer(16, true);
  case DType::Int32:
    return integer(32);
  case DType::UInt32:
    return integer(32, true);
  case DType::Int64:
    return integer(64);
  case DType::UInt64:
    return integer(64, true);
  case DType::Float8E4M3:
    return Float8E4M3FNType::get(context);
  case DType::Float8E5M2:
    return Float8E5M2Type::get(context);
  case DType::Float8E4M3FNUZ:
    return Float8E4M3FNUZType::get(context);
  case DType::Float8E5M2FNUZ:
    return Float8E5M2FNUZType::get(context);
  case DType::Float16:
    return Float16Type::get(context);
  case DType::BFloat16:
    return BFloat16Type::get(context);
  case DType::Float32:
    return Float32Type::get(context);
  case DType::Float64:
    break;
  }
  return Float64Type::get(context);
}

std::optional<DType> mlir::tg::getDType(Type elementType) {
  for (unsigned i = 0; i < tinygrad::numDTypes; ++i)
    if (getElementType(elementType.getContext(), DType(i)) == elementType)
      return DType(i);
  return std::nullopt;
}

/// What a .npy file holds instead of a type that NumPy does not have.
static DType getStorageDType(DType dtype) {
  return isFloat8(dtype) ? DType::UInt8 : dtype;
}

FailureOr<HostTensor> mlir::tg::readTensor(StringRef path,
                                           RankedTensorType type,
                                           const Twine &what) {
  try {
    tinygrad::HostArray array = tinygrad::readNpy(path.str());
    MLIRContext *context = type.getContext();
    std::optional<DType> wanted = getDType(type.getElementType());
    bool hasDType = wanted && array.dtype == getStorageDType(*wanted);
    if (!hasDType || ArrayRef<int64_t>(array.shape) != type.getShape()) {
      std::string message;
      llvm::raw_string_ostream(message)
          << "'" << path << "' holds "
          << RankedTensorType::get(array.shape,
                                   getElementType(context, array.dtype))
          << ", but " << what << " is " << type;
      return reportError(message);
    }
    HostTensor tensor;
    tensor.shape.assign(array.shape.begin(), array.shape.end());
    tensor.elementType = type.getElementType();
    tensor.bytes.resize(array.numElements() * getElementSize(tensor.elementType));
    if (!tensor.bytes.empty())
      std::memcpy(tensor.bytes.data(), array.data.address(),
                  tensor.bytes.size());
    return tensor;
  } catch (const tinygrad::Error &error) {
    return reportError(error.what());
  }
}

LogicalResult mlir::tg::writeTensor(StringRef path, const HostTensor &tensor) {
  std::optional<DType> dtype = getDType(tensor.elementType);
  if (!dtype)
    return reportError("'" + path + "': no .npy type for the result");
  try {
    tinygrad::HostArray array =
        tinygrad::makeHostArray(getStorageDType(*dtype),
                                {tensor.shape.begin(), tensor.shape.end()});
    if (!tensor.bytes.empty())
      std::memcpy(array.data.address(), tensor.bytes.data(),
                  tensor.bytes.size());
    tinygrad::writeNpy(path.str(), array);
    return success();
  } catch (const tinygrad::Error &error) {
    return reportError(error.what());
  }
}

HostTensor mlir::tg::makeRandomTensor(HostTensor tensor,
                                      std::mt19937_64 &random) {
  std::optional<DType> dtype = getDType(tensor.elementType);
  if (!dtype)
    return tensor;
  dispatch(*dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0, e = tensor.numElements(); i < e; ++i) {
      // 53 bits of the generator make a number in [0, 1), on every platform.
      double unit = static_cast<double>(random() >> 11) / 0x1p53;
      T value = zero;
      if (isFloat(*dtype))
        value = T(2 * unit - 1);
      else if (*dtype == DType::Bool)
        value = T(unit < 0.5);
      else
        value = T(static_cast<int>(16 * unit) - (isSigned(*dtype) ? 8 : 0));
      std::memcpy(tensor.bytes.data() + i * sizeof(T), &value, sizeof(T));
    }
  });
  return tensor;
}
