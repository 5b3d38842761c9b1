//===- HostTensor.cpp - tensors in host memory ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Allocation of tensors, and their conversion from and to attributes.
///
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "Evaluate.h"

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <limits>
#include <new>
#include <unistd.h>

using namespace mlir;
using namespace mlir::tg;

int64_t HostTensor::numElements() const {
  // Check for zero first: the product of the other sizes might overflow.
  if (llvm::is_contained(shape, 0))
    return 0;
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

unsigned mlir::tg::getElementSize(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    unsigned width = integer.getWidth();
    if (width == 1)
      return integer.isSignless() ? 1 : 0;
    bool isKnown = width == 8 || width == 16 || width == 32 || width == 64;
    // Signed integers of the dialect are signless.
    return isKnown && !integer.isSigned() ? width / 8 : 0;
  }
  if (isa<Float8E4M3FNType, Float8E5M2Type, Float8E4M3FNUZType,
          Float8E5M2FNUZType, Float16Type, BFloat16Type, Float32Type,
          Float64Type>(type))
    return type.getIntOrFloatBitWidth() / 8;
  return 0;
}

/// The memory of the machine in bytes, as an upper bound for any tensor.
static int64_t getMemorySize() {
  long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || size <= 0)
    return std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(pages) * size;
}

FailureOr<HostTensor> mlir::tg::makeHostTensor(Location loc, Type type) {
  auto tensorType = dyn_cast<RankedTensorType>(type);
  if (!tensorType)
    return emitError(loc, "expected a ranked tensor, found ") << type;
  unsigned elementSize = getElementSize(tensorType.getElementType());
  if (elementSize == 0)
    return emitError(loc, "expected an element type of the tg dialect, found ")
           << tensorType.getElementType();
  if (!tensorType.hasStaticShape())
    return emitError(loc, "expected a static shape, found ") << type;

  // An empty tensor has no bytes, however large its other dimensions are.
  int64_t bytes = elementSize;
  bool isTooLarge = false;
  for (int64_t size : tensorType.getShape())
    isTooLarge |= __builtin_mul_overflow(bytes, size, &bytes);
  if (llvm::is_contained(tensorType.getShape(), 0)) {
    bytes = 0;
    isTooLarge = false;
  }
  static const int64_t memorySize = getMemorySize();
  HostTensor tensor;
  tensor.shape.assign(tensorType.getShape().begin(),
                      tensorType.getShape().end());
  tensor.elementType = tensorType.getElementType();
  if (!isTooLarge && bytes <= memorySize) {
    try {
      tensor.bytes.resize(bytes);
      return tensor;
    } catch (const std::bad_alloc &) {
    }
  }
  return emitError(loc, "out of memory: no room for ") << type;
}

/// Stores the bits of an APInt or APFloat as one element.
static void storeBits(HostTensor &tensor, int64_t i, const llvm::APInt &bits) {
  uint64_t value = bits.getZExtValue();
  unsigned size = getElementSize(tensor.elementType);
  dispatchInteger(IntegerType::get(tensor.elementType.getContext(), 8 * size,
                                   IntegerType::Unsigned),
                  [&](auto element) {
                    using Element = decltype(element);
                    using Bits = typename Element::Compute;
                    Element::store(tensor.bytes.data() + i * Element::size,
                                   static_cast<Bits>(value));
                  });
}

/// Stores the same bits as each element.
static void fillBits(HostTensor &tensor, const llvm::APInt &bits) {
  if (tensor.bytes.empty())
    return;
  storeBits(tensor, 0, bits);
  const size_t size = getElementSize(tensor.elementType);
  for (size_t i = size; i < tensor.bytes.size(); i += size)
    std::memcpy(tensor.bytes.data() + i, tensor.bytes.data(), size);
}

FailureOr<HostTensor>
mlir::tg::makeHostTensor(Location loc, RankedTensorType type, TypedAttr value) {
  FailureOr<HostTensor> tensor = makeHostTensor(loc, type);
  if (failed(tensor))
    return failure();
  auto unreadable = [&]() {
    return emitError(loc, "cannot read the elements of the constant ") << value;
  };
  if (auto scalar = dyn_cast<IntegerAttr>(value)) {
    fillBits(*tensor, scalar.getValue());
    return tensor;
  }
  if (auto scalar = dyn_cast<FloatAttr>(value)) {
    fillBits(*tensor, scalar.getValue().bitcastToAPInt());
    return tensor;
  }
  if (value.getType() != type)
    return unreadable();
  if (auto dense = dyn_cast<DenseElementsAttr>(value)) {
    int64_t i = 0;
    if (isa<FloatType>(type.getElementType()))
      for (const llvm::APFloat &element : dense.getValues<llvm::APFloat>())
        storeBits(*tensor, i++, element.bitcastToAPInt());
    else
      for (const llvm::APInt &element : dense.getValues<llvm::APInt>())
        storeBits(*tensor, i++, element);
    return tensor;
  }
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob || blob->getData().size() != tensor->bytes.size())
      return unreadable();
    tensor->bytes.assign(blob->getData().begin(), blob->getData().end());
    return tensor;
  }
  return unreadable();
}

DenseElementsAttr mlir::tg::getDenseElements(const HostTensor &tensor) {
  auto type = RankedTensorType::get(tensor.shape, tensor.elementType);
  int64_t count = tensor.numElements();
  if (tensor.elementType.isInteger(1)) {
    SmallVector<bool> values;
    for (char byte : tensor.bytes)
      values.push_back(byte != 0);
    return DenseElementsAttr::get(type, values);
  }
  if (count == 0)
    return DenseElementsAttr::get(type, ArrayRef<Attribute>());
  // The bytes of a single element would be taken for a splat.
  return DenseElementsAttr::getFromRawBuffer(type, tensor.bytes);
}
