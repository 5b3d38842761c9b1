//===- TgCreate.h - operations created with checks --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// createChecked(): the builders of operations, and operations by name, for
/// operands and attributes that may be wrong.
///
/// `ReduceOp::create(builder, location, kind, x, axes)` infers the type of its
/// result, and ends the process if it cannot (MLIR's builders have no other way
/// to fail). Whoever builds operations from what a user wrote calls
///
/// \code
///   FailureOr<tg::ReduceOp> sum = tg::createChecked<tg::ReduceOp>(
///       builder, location, tg::ReduceKind::add, x, axes);
///   if (failed(sum))
///     return failure(); // the error has been emitted at `location`
/// \endcode
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_IR_TGCREATE_H
#define TINYGRAD_DIALECT_TG_IR_TGCREATE_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Support/LLVM.h"
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace mlir::tg {

/// Creates the operation `name` ("tg.add") of the dialect, for programs that do
/// not know it before they run. `attributes` are its own, by name, and
/// discardable ones, whose names have a dialect ("host.note"). The type of the
/// result is inferred if `results` is empty and the operation can infer it
/// (not `tg.reshape`, for one). If the name, the operands, the attributes or
/// the types are wrong, an error is emitted at the location, nothing is
/// inserted and failure is returned. Operands and attributes are not null. The
/// dialect is loaded if it is not. The operation is inserted at the builder's
/// insertion point, if it has one. Operations with regions are not created.
FailureOr<Operation *> createChecked(OpBuilder &builder, Location location,
                                     StringRef name, ValueRange operands,
                                     ArrayRef<NamedAttribute> attributes = {},
                                     TypeRange results = {});

namespace detail {

/// What to write instead of an operation that the dialect does not have, to
/// follow "is unknown" in a message ("; use 'tg.neg'"); empty if that is not
/// known.
std::string explainUnknown(MLIRContext *context, StringRef name);

/// Inserts an operation without a parent if it verifies, and destroys it
/// otherwise.
FailureOr<Operation *> insertChecked(OpBuilder &builder, Operation *op);

/// Emits an error if the operation `state.name` is not registered.
LogicalResult checkRegistered(OperationState &state);

/// Infers the types of the results, if `infers`, and inserts the operation if
/// it verifies. The builder's listener learns only of one that does.
FailureOr<Operation *> createChecked(OpBuilder &builder, OperationState &state,
                                     bool infers);

/// The builders that are not generated have no form that takes the types of
/// results: these do what they do.
template <typename OpTy> struct CustomBuilder;
template <> struct CustomBuilder<LoadOp> {
  static void build(OpBuilder &builder, OperationState &state, TypeRange types,
                    Value buffer, Value index, Value mask = {}) {
    LoadOp::build(builder, state, types, buffer, index, mask, IntegerAttr());
  }
};
template <> struct CustomBuilder<PadOp> {
  static void build(OpBuilder &builder, OperationState &state, TypeRange types,
                    Value x, ArrayRef<int64_t> low, ArrayRef<int64_t> high) {
    PadOp::build(builder, state, types, x, builder.getI64ArrayAttr(low),
                 builder.getI64ArrayAttr(high));
  }
};
template <> struct CustomBuilder<RangedReduceOp> {
  static void build(OpBuilder &builder, OperationState &state, TypeRange types,
                    ReduceKind kind, Value value, ValueRange ranges) {
    RangedReduceOp::build(builder, state, types, kind, value, ranges,
                          StringAttr());
  }
};
/// Its result is always an index.
template <> struct CustomBuilder<RangeOp> {
  template <typename... Args>
  static void build(OpBuilder &builder, OperationState &state, TypeRange,
                    Args &&...args) {
    RangeOp::build(builder, state, std::forward<Args>(args)...);
  }
};
template <> struct CustomBuilder<ShrinkOp> {
  static void build(OpBuilder &builder, OperationState &state, TypeRange types,
                    Value x, ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
    ShrinkOp::build(builder, state, types, x, builder.getI64ArrayAttr(from),
                    builder.getI64ArrayAttr(to));
  }
};

/// Whether the first argument of a builder is the type or the types of the
/// results.
template <typename... Args> constexpr bool beginWithTypes() {
  if constexpr (sizeof...(Args) == 0) {
    return false;
  } else {
    using First =
        std::remove_cvref_t<std::tuple_element_t<0, std::tuple<Args...>>>;
    return std::is_base_of_v<Type, First> || std::is_same_v<First, TypeRange>;
  }
}

} // namespace detail

/// Creates an operation as `OpTy::create(builder, location, args...)` does, for
/// every builder of every operation of the dialect, with or without result
/// types. If the types of its results cannot be inferred, or if the operation
/// does not verify, an error is emitted at the location, nothing is inserted
/// and failure is returned. Operands are not null. The operation is inserted at
/// the builder's insertion point, if it has one.
template <typename OpTy, typename... Args>
FailureOr<OpTy> createChecked(OpBuilder &builder, Location location,
                              Args &&...args) {
  OperationState state(location, OpTy::getOperationName());
  if (failed(detail::checkRegistered(state)))
    return failure();
  constexpr bool infers =
      OpTy::template hasTrait<InferTypeOpInterface::Trait>() &&
      !detail::beginWithTypes<Args...>();
  if constexpr (infers) {
    // Takes the place of types that are not known yet.
    const Type none = builder.getNoneType();
    const TypeRange types = ArrayRef<Type>(none);
    if constexpr (requires { OpTy::build(builder, state, types, args...); })
      OpTy::build(builder, state, types, std::forward<Args>(args)...);
    else
      detail::CustomBuilder<OpTy>::build(builder, state, types,
                                         std::forward<Args>(args)...);
  } else {
    OpTy::build(builder, state, std::forward<Args>(args)...);
  }
  FailureOr<Operation *> op = detail::createChecked(builder, state, infers);
  if (failed(op))
    return failure();
  return cast<OpTy>(*op);
}

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_IR_TGCREATE_H
