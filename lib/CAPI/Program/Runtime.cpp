//===- Runtime.cpp - dtypes, devices and buffers for C --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements what the C API has of the runtime.
///
//===----------------------------------------------------------------------===//

#include "Error.h"
#include "TinyGrad/Compiler/Compiler.h"
#include "mlir/CAPI/IR.h"

#include <functional>
#include <memory>

using namespace tinygrad;
using namespace tinygrad::capi;

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

static_assert(TinyGradDTypeBool == int(DType::Bool) &&
              TinyGradDTypeInt8 == int(DType::Int8) &&
              TinyGradDTypeUInt8 == int(DType::UInt8) &&
              TinyGradDTypeInt16 == int(DType::Int16) &&
              TinyGradDTypeUInt16 == int(DType::UInt16) &&
              TinyGradDTypeInt32 == int(DType::Int32) &&
              TinyGradDTypeUInt32 == int(DType::UInt32) &&
              TinyGradDTypeInt64 == int(DType::Int64) &&
              TinyGradDTypeUInt64 == int(DType::UInt64) &&
              TinyGradDTypeFloat8E4M3 == int(DType::Float8E4M3) &&
              TinyGradDTypeFloat8E5M2 == int(DType::Float8E5M2) &&
              TinyGradDTypeFloat8E4M3FNUZ == int(DType::Float8E4M3FNUZ) &&
              TinyGradDTypeFloat8E5M2FNUZ == int(DType::Float8E5M2FNUZ) &&
              TinyGradDTypeFloat16 == int(DType::Float16) &&
              TinyGradDTypeBFloat16 == int(DType::BFloat16) &&
              TinyGradDTypeFloat32 == int(DType::Float32) &&
              TinyGradDTypeFloat64 == int(DType::Float64) && kNumDTypes == 17);

static bool isDType(TinyGradDType dtype) {
  return int(dtype) >= 0 && unsigned(dtype) < kNumDTypes;
}

std::optional<DType> capi::toDType(TinyGradDType dtype) {
  if (dtype == TinyGradDTypeNone)
    return std::nullopt;
  if (!isDType(dtype))
    throw ArgumentError(std::to_string(int(dtype)) + " is not a dtype");
  return DType(dtype);
}

TinyGradDType capi::fromDType(std::optional<DType> dtype) {
  return dtype ? TinyGradDType(*dtype) : TinyGradDTypeNone;
}

size_t tinygradDTypeGetSize(TinyGradDType dtype) {
  return isDType(dtype) ? itemSize(DType(dtype)) : 0;
}

const char *tinygradDTypeGetName(TinyGradDType dtype) {
  return isDType(dtype) ? name(DType(dtype)) : "none";
}

MlirType tinygradDTypeGetElementType(MlirContext context, TinyGradDType dtype) {
  if (!isDType(dtype) || mlirContextIsNull(context))
    return {nullptr};
  return ::wrap(getElementType(::unwrap(context), DType(dtype)));
}

TinyGradDType tinygradDTypeFromElementType(MlirType type) {
  if (mlirTypeIsNull(type))
    return TinyGradDTypeNone;
  try {
    return fromDType(getDType(::unwrap(type)));
  } catch (const DTypeError &) {
    return TinyGradDTypeNone;
  }
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

TinyGradError *tinygradDeviceGet(const char *name, TinyGradDevice **device) {
  return catchErrors([&] {
    require(device, "the pointer to the device");
    *device = nullptr;
    *device = capi::wrap(name ? &Device::get(name) : &Device::getDefault());
  });
}

const char *tinygradDeviceGetName(const TinyGradDevice *device) {
  return device ? capi::unwrap(device)->name().c_str() : nullptr;
}

bool tinygradDeviceIsHostVisible(const TinyGradDevice *device) {
  return device && capi::unwrap(device)->information().hostVisible;
}

TinyGradError *tinygradDeviceSynchronize(TinyGradDevice *device) {
  return catchErrors([&] {
    require(device, "the device");
    capi::unwrap(device)->synchronize();
  });
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// Writes a new handle on the buffer that the function makes.
template <typename FunctionT>
static TinyGradError *createBuffer(TinyGradBuffer **result, FunctionT make) {
  return catchErrors([&] {
    require(result, "the pointer to the buffer");
    *result = nullptr;
    // Before the buffer: afterwards, nothing fails.
    auto handle = std::make_unique<TinyGradBuffer>();
    handle->buffer = make();
    *result = handle.release();
  });
}

TinyGradError *tinygradBufferCreate(TinyGradDevice *device, size_t bytes,
                                    TinyGradDType dtype,
                                    TinyGradBuffer **buffer) {
  return createBuffer(buffer, [&] {
    require(device, "the device");
    return Buffer::allocate(*capi::unwrap(device), bytes, toDType(dtype));
  });
}

TinyGradError *tinygradBufferCreateFromHost(TinyGradDevice *device,
                                            const void *data, size_t bytes,
                                            TinyGradDType dtype,
                                            TinyGradBuffer **buffer) {
  return createBuffer(buffer, [&] {
    require(device, "the device");
    if (bytes != 0)
      require(data, "the host's memory");
    return Buffer::fromHost(*capi::unwrap(device), data, bytes, toDType(dtype));
  });
}

TinyGradError *tinygradBufferCreateExternal(TinyGradDevice *device, void *data,
                                            size_t bytes, TinyGradDType dtype,
                                            void (*release)(void *userData),
                                            void *userData,
                                            TinyGradBuffer **buffer) {
  return createBuffer(buffer, [&] {
    require(device, "the device");
    if (bytes != 0)
      require(data, "the host's memory");
    std::function<void()> call;
    if (release)
      call = [=] { release(userData); };
    return Buffer::external(*capi::unwrap(device), data, bytes, std::move(call),
                            toDType(dtype));
  });
}

TinyGradError *tinygradBufferCreateView(const TinyGradBuffer *base,
                                        size_t offset, size_t bytes,
                                        TinyGradDType dtype,
                                        TinyGradBuffer **buffer) {
  return createBuffer(buffer, [&] {
    require(base, "the buffer");
    return base->buffer.view(offset, bytes, toDType(dtype));
  });
}

size_t tinygradBufferGetSize(const TinyGradBuffer *buffer) {
  return buffer ? buffer->buffer.size() : 0;
}

TinyGradDType tinygradBufferGetDType(const TinyGradBuffer *buffer) {
  return buffer ? fromDType(buffer->buffer.dtype()) : TinyGradDTypeNone;
}

TinyGradDevice *tinygradBufferGetDevice(const TinyGradBuffer *buffer) {
  return buffer ? capi::wrap(&buffer->buffer.device()) : nullptr;
}

void *tinygradBufferGetAddress(const TinyGradBuffer *buffer) {
  if (!buffer || !buffer->buffer.device().information().hostVisible)
    return nullptr;
  return buffer->buffer.address();
}

TinyGradError *tinygradBufferCopyIn(TinyGradBuffer *buffer, const void *data,
                                    size_t bytes) {
  return catchErrors([&] {
    require(buffer, "the buffer");
    if (bytes != 0)
      require(data, "the host's memory");
    buffer->buffer.copyIn(data, bytes);
  });
}

TinyGradError *tinygradBufferCopyOut(const TinyGradBuffer *buffer, void *data,
                                     size_t bytes) {
  return catchErrors([&] {
    require(buffer, "the buffer");
    if (bytes != 0)
      require(data, "the host's memory");
    buffer->buffer.copyOut(data, bytes);
  });
}

void tinygradBufferDestroy(TinyGradBuffer *buffer) { delete buffer; }
