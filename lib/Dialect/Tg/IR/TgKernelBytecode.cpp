//===- TgKernelBytecode.cpp - properties of kernels' operations -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// How the properties of operations that have got one since version 0.1 are
/// written to bytecode: as in that version, so that its files can be read. The
/// new one, if it is set, is in an array with the first one of the others.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "mlir/Bytecode/BytecodeImplementation.h"

using namespace mlir;
using namespace mlir::tg;

/// MLIR's version of bytecode from which on segments are no attribute.
constexpr int64_t kNativeSegments = 6;

static void writeWithTma(DialectBytecodeWriter &writer, MLIRContext *context,
                         Attribute first, UnitAttr asTma) {
  if (!asTma)
    return writer.writeOptionalAttribute(first);
  SmallVector<Attribute> both = {asTma};
  if (first)
    both.push_back(first);
  writer.writeOptionalAttribute(ArrayAttr::get(context, both));
}

template <typename T>
static LogicalResult readWithTma(DialectBytecodeReader &reader, T &first,
                                 UnitAttr &asTma) {
  Attribute found;
  if (failed(reader.readOptionalAttribute(found)))
    return failure();
  if (auto both = dyn_cast_if_present<ArrayAttr>(found)) {
    if (both.empty() || both.size() > 2 || !isa<UnitAttr>(both[0]))
      return reader.emitError("expected 'as tma' and another property");
    asTma = cast<UnitAttr>(both[0]);
    found = both.size() == 2 ? both[1] : Attribute();
  }
  if (!found)
    return success();
  first = dyn_cast<T>(found);
  if (!first)
    return reader.emitError() << "unexpected property " << found;
  return success();
}

LogicalResult StageOp::readProperties(DialectBytecodeReader &reader,
                                      OperationState &state) {
  auto &properties = state.getOrAddProperties<Properties>();
  return failure(
      failed(readWithTma(reader, properties.buffers, properties.as_tma)) ||
      failed(reader.readOptionalAttribute(properties.memory)));
}

void StageOp::writeProperties(DialectBytecodeWriter &writer) {
  const Properties &properties = getProperties();
  writeWithTma(writer, getContext(), properties.buffers, properties.as_tma);
  writer.writeOptionalAttribute(properties.memory);
}

LogicalResult StoreOp::readProperties(DialectBytecodeReader &reader,
                                      OperationState &state) {
  auto &properties = state.getOrAddProperties<Properties>();
  MutableArrayRef<int32_t> segments = properties.operandSegmentSizes;
  const bool hasNative =
      static_cast<int64_t>(reader.getBytecodeVersion()) >= kNativeSegments;
  if (failed(readWithTma(reader, properties.nontemporal, properties.as_tma)))
    return failure();
  if (!hasNative) {
    DenseI32ArrayAttr given;
    if (failed(reader.readAttribute(given)))
      return failure();
    if (given.size() != static_cast<int64_t>(segments.size()))
      return reader.emitError("expected ")
             << segments.size() << " sizes of operand segments, not "
             << given.size();
    llvm::copy(given.asArrayRef(), segments.begin());
  }
  if (failed(reader.readOptionalAttribute(properties.prefetch)) ||
      failed(reader.readOptionalAttribute(properties.update)))
    return failure();
  return hasNative ? reader.readSparseArray(segments) : success();
}

void StoreOp::writeProperties(DialectBytecodeWriter &writer) {
  const Properties &properties = getProperties();
  ArrayRef<int32_t> segments = properties.operandSegmentSizes;
  const bool hasNative = writer.getBytecodeVersion() >= kNativeSegments;
  writeWithTma(writer, getContext(), properties.nontemporal, properties.as_tma);
  if (!hasNative)
    writer.writeAttribute(DenseI32ArrayAttr::get(getContext(), segments));
  writer.writeOptionalAttribute(properties.prefetch);
  writer.writeOptionalAttribute(properties.update);
  if (hasNative)
    writer.writeSparseArray(segments);
}
