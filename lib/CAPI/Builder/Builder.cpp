//===- Builder.cpp - tensor graphs built from C ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements `TinyGrad-c/Builder.h`: checks what C cannot, nulls, lengths and
/// contexts, and calls `TgBuilder`.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad-c/Builder.h"
#include "TinyGrad/Dialect/Tg/Builder/TgBuilder.h"
#include "TinyGrad/Dialect/Tg/IR/TgCreate.h"
#include "TinyGrad/Dialect/Tg/IR/TgDim.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::tg;

namespace {
struct CBuilder {
  explicit CBuilder(Location location)
      : builder(location.getContext()), graph(builder, location) {}

  InFlightDiagnostic emitError() const {
    return mlir::emitError(graph.getLocation());
  }

  OpBuilder builder;
  TgBuilder graph;
  func::FuncOp function;
};
} // namespace

static CBuilder *unwrap(MlirTgBuilder builder) {
  return static_cast<CBuilder *>(builder.ptr);
}

/// The result, or null.
static MlirValue wrap(FailureOr<Value> value) {
  return failed(value) ? MlirValue{nullptr} : wrap(*value);
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Whether a list has so many entries.
static LogicalResult checkList(const CBuilder &b, StringRef what,
                               intptr_t count, const void *list) {
  if (count >= 0 && (count == 0 || list))
    return success();
  return b.emitError() << "the list of " << what
                       << " is null, or its length is negative";
}

/// The name, which may be null and then is empty.
static StringRef getName(MlirStringRef name) {
  return name.data ? unwrap(name) : StringRef();
}

/// Entries of a list, of which none is null or of another context.
template <typename Result, typename Entry>
static FailureOr<SmallVector<Result>>
getList(const CBuilder &b, StringRef what, intptr_t count, const Entry *list) {
  if (failed(checkList(b, what, count, list)))
    return failure();
  SmallVector<Result> entries;
  for (intptr_t index = 0; index < count; ++index) {
    entries.push_back(unwrap(list[index]));
    if (!entries.back())
      return b.emitError() << "entry " << index << " of the list of " << what
                           << " is null";
    if (entries.back().getContext() != b.builder.getContext())
      return b.emitError() << "entry " << index << " of the list of " << what
                           << " is of another context than the builder";
  }
  return entries;
}

static FailureOr<SmallVector<Value>> getOperands(const CBuilder &b,
                                                 ArrayRef<MlirValue> operands) {
  return getList<Value>(b, "operands", static_cast<intptr_t>(operands.size()),
                        operands.data());
}

static FailureOr<ArrayRef<int64_t>> getNumbers(const CBuilder &b,
                                               StringRef what, intptr_t count,
                                               const int64_t *list) {
  if (failed(checkList(b, what, count, list)))
    return failure();
  return ArrayRef<int64_t>(list, static_cast<size_t>(count));
}

static FailureOr<SmallVector<Dim>> getDimList(const CBuilder &b, intptr_t rank,
                                              const MlirAttribute *dims) {
  auto attrs = getList<Attribute>(b, "dimensions", rank, dims);
  if (failed(attrs))
    return failure();
  SmallVector<Dim> list;
  for (Attribute attr : *attrs) {
    if (!Dim::isDim(attr))
      return b.emitError() << attr << " is no dimension";
    list.emplace_back(attr);
  }
  return list;
}

static FailureOr<WindowOptions> getOptions(const CBuilder &b,
                                           const MlirTgWindowOptions &options) {
  if (options.numAxes < 0)
    return b.emitError() << "the options are of a negative number of axes";
  auto getEntries = [&](const int64_t *list) {
    return list ? SmallVector<int64_t>(list, list + options.numAxes)
                : SmallVector<int64_t>();
  };
  WindowOptions result;
  result.stride = getEntries(options.stride);
  result.dilation = getEntries(options.dilation);
  result.before = getEntries(options.before);
  result.after = getEntries(options.after);
  if (options.groups != 0)
    result.groups = options.groups;
  return result;
}

/// Calls \p build with the builder and the operands, none of which is null.
template <typename Build>
static MlirValue buildFrom(MlirTgBuilder builder, ArrayRef<MlirValue> operands,
                           Build build) {
  CBuilder *b = unwrap(builder);
  if (!b)
    return {nullptr};
  FailureOr<SmallVector<Value>> values = getOperands(*b, operands);
  if (failed(values))
    return {nullptr};
  if (!b->builder.getInsertionBlock()) {
    b->emitError() << "the builder has no place: begin a function, or set a "
                      "block";
    return {nullptr};
  }
  return wrap(FailureOr<Value>(build(*b, *values)));
}

//===----------------------------------------------------------------------===//
// Builders
//===----------------------------------------------------------------------===//

MlirTgBuilder mlirTgBuilderCreate(MlirLocation location) {
  if (mlirLocationIsNull(location))
    return {nullptr};
  const Location at = unwrap(location);
  at.getContext()->getOrLoadDialect<TgDialect>();
  at.getContext()->getOrLoadDialect<func::FuncDialect>();
  return {new CBuilder(at)};
}

void mlirTgBuilderDestroy(MlirTgBuilder builder) { delete unwrap(builder); }

void mlirTgBuilderSetLocation(MlirTgBuilder builder, MlirLocation location) {
  if (CBuilder *b = unwrap(builder); b && !mlirLocationIsNull(location))
    b->graph.setLocation(unwrap(location));
}

MlirLogicalResult mlirTgBuilderSetBlock(MlirTgBuilder builder,
                                        MlirBlock block) {
  CBuilder *b = unwrap(builder);
  if (!b || mlirBlockIsNull(block))
    return mlirLogicalResultFailure();
  Block *place = unwrap(block);
  if (place->mightHaveTerminator())
    b->builder.setInsertionPoint(place->getTerminator());
  else
    b->builder.setInsertionPointToEnd(place);
  return mlirLogicalResultSuccess();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

MlirOperation mlirTgBuilderBeginFunction(MlirTgBuilder builder,
                                         MlirModule module, MlirStringRef name,
                                         intptr_t numArguments,
                                         MlirType const *arguments) {
  CBuilder *b = unwrap(builder);
  if (!b)
    return {nullptr};
  auto types = getList<Type>(*b, "arguments", numArguments, arguments);
  if (failed(types))
    return {nullptr};
  if (mlirModuleIsNull(module) || getName(name).empty()) {
    b->emitError() << "a function needs a module and a name";
    return {nullptr};
  }
  FailureOr<func::FuncOp> function =
      b->graph.beginFunction(unwrap(module), getName(name), *types);
  if (failed(function))
    return {nullptr};
  b->function = *function;
  return wrap(b->function.getOperation());
}

MlirValue mlirTgBuilderGetArgument(MlirTgBuilder builder, intptr_t index) {
  CBuilder *b = unwrap(builder);
  if (!b)
    return {nullptr};
  if (!b->function) {
    b->emitError() << "no function was begun";
    return {nullptr};
  }
  if (index < 0 || index >= intptr_t(b->function.getNumArguments())) {
    b->emitError() << "'@" << b->function.getSymName() << "' has "
                   << b->function.getNumArguments()
                   << " arguments, and no argument " << int64_t(index);
    return {nullptr};
  }
  return wrap(Value(b->function.getArgument(static_cast<unsigned>(index))));
}

MlirLogicalResult mlirTgBuilderEndFunction(MlirTgBuilder builder,
                                           intptr_t numResults,
                                           MlirValue const *results) {
  CBuilder *b = unwrap(builder);
  if (!b)
    return mlirLogicalResultFailure();
  auto values = getList<Value>(*b, "results", numResults, results);
  if (failed(values) || failed(b->graph.endFunction(*values)))
    return mlirLogicalResultFailure();
  b->function = {};
  return mlirLogicalResultSuccess();
}

//===----------------------------------------------------------------------===//
// Operations by name
//===----------------------------------------------------------------------===//

MlirOperation
mlirTgBuilderCreateOperation(MlirTgBuilder builder, MlirStringRef name,
                             intptr_t numOperands, MlirValue const *operands,
                             intptr_t numAttributes,
                             MlirNamedAttribute const *attributes,
                             intptr_t numResults, MlirType const *results) {
  MlirOperation created = {nullptr};
  CBuilder *b = unwrap(builder);
  if (!b || failed(checkList(*b, "operands", numOperands, operands)) ||
      failed(checkList(*b, "attributes", numAttributes, attributes)))
    return created;
  auto types = getList<Type>(*b, "results", numResults, results);
  if (failed(types))
    return created;
  SmallVector<NamedAttribute> list;
  for (const MlirNamedAttribute &attribute :
       llvm::ArrayRef(attributes, static_cast<size_t>(numAttributes))) {
    if (!attribute.name.ptr || !attribute.attribute.ptr) {
      b->emitError() << "entry " << list.size()
                     << " of the list of attributes is null";
      return created;
    }
    list.emplace_back(
        StringAttr::get(b->builder.getContext(),
                        unwrap(mlirIdentifierStr(attribute.name))),
        unwrap(attribute.attribute));
  }
  buildFrom(builder, llvm::ArrayRef(operands, static_cast<size_t>(numOperands)),
            [&](CBuilder &b, ArrayRef<Value> values) -> FailureOr<Value> {
              FailureOr<Operation *> op =
                  createChecked(b.builder, b.graph.getLocation(), getName(name),
                                values, list, *types);
              if (succeeded(op))
                created = wrap(*op);
              return failure();
            });
  return created;
}

/// An operation of one result.
static FailureOr<Value> create(CBuilder &b, MlirStringRef name,
                               ArrayRef<Value> operands) {
  FailureOr<Operation *> op =
      createChecked(b.builder, b.graph.getLocation(), getName(name), operands);
  if (failed(op))
    return failure();
  if ((*op)->getNumResults() == 1)
    return (*op)->getResult(0);
  (*op)->erase();
  return b.emitError() << "'" << getName(name) << "' has not one result";
}

MlirValue mlirTgBuilderApply(MlirTgBuilder builder, MlirStringRef name,
                             MlirValue x) {
  return buildFrom(builder, x, [&](CBuilder &b, ArrayRef<Value> values) {
    return create(b, name, values);
  });
}

MlirValue mlirTgBuilderCombine(MlirTgBuilder builder, MlirStringRef name,
                               MlirValue lhs, MlirValue rhs) {
  return buildFrom(
      builder, {lhs, rhs},
      [&](CBuilder &b, ArrayRef<Value> values) -> FailureOr<Value> {
        auto both = b.graph.broadcast(values);
        if (failed(both))
          return failure();
        return create(b, name, *both);
      });
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// A tensor type of the dialect.
static FailureOr<RankedTensorType>
getTensorType(const CBuilder &b, StringRef what, MlirType type) {
  auto tensor = dyn_cast_or_null<RankedTensorType>(unwrap(type));
  if (!tensor || !hasDims(tensor) || !isElementType(tensor.getElementType()))
    return b.emitError() << what
                         << ": the type is not that of a tensor of the dialect";
  return tensor;
}

template <typename Number>
static MlirValue buildConstant(MlirTgBuilder builder, MlirType type,
                               Number value) {
  return buildFrom(builder, {},
                   [&](CBuilder &b, ArrayRef<Value>) -> FailureOr<Value> {
                     auto tensor = getTensorType(b, "constant", type);
                     if (failed(tensor))
                       return failure();
                     return b.graph.constant(getDims(*tensor),
                                             tensor->getElementType(), value);
                   });
}

MlirValue mlirTgBuilderConstant(MlirTgBuilder builder, MlirType type,
                                double value) {
  return buildConstant(builder, type, value);
}

MlirValue mlirTgBuilderConstantInteger(MlirTgBuilder builder, MlirType type,
                                       int64_t value) {
  return buildConstant(builder, type, value);
}

MlirValue mlirTgBuilderSize(MlirTgBuilder builder, MlirType type,
                            MlirAttribute dim) {
  return buildFrom(
      builder, {}, [&](CBuilder &b, ArrayRef<Value>) -> FailureOr<Value> {
        auto tensor = getTensorType(b, "size", type);
        auto value = getDimList(b, 1, &dim);
        if (failed(tensor) || failed(value))
          return failure();
        return b.graph.size(getDims(*tensor), tensor->getElementType(),
                            value->front());
      });
}

MlirValue mlirTgBuilderConstantElements(MlirTgBuilder builder,
                                        MlirAttribute elements) {
  return buildFrom(
      builder, {}, [&](CBuilder &b, ArrayRef<Value>) -> FailureOr<Value> {
        auto list = dyn_cast_or_null<ElementsAttr>(unwrap(elements));
        if (!list)
          return b.emitError() << "constant: the attribute has no elements";
        return b.graph.constant(list);
      });
}

MlirValue mlirTgBuilderWhere(MlirTgBuilder builder, MlirValue condition,
                             MlirValue x, MlirValue y) {
  return buildFrom(builder, {condition, x, y},
                   [](CBuilder &b, ArrayRef<Value> values) {
                     return b.graph.where(values[0], values[1], values[2]);
                   });
}

MlirValue mlirTgBuilderCast(MlirTgBuilder builder, MlirValue x,
                            MlirType element) {
  return buildFrom(
      builder, x, [&](CBuilder &b, ArrayRef<Value> values) -> FailureOr<Value> {
        auto to = getList<Type>(b, "types", 1, &element);
        if (failed(to))
          return failure();
        return b.graph.cast(values[0], to->front());
      });
}

/// Gives an operand another shape by a method of TgBuilder.
template <typename Method>
static MlirValue buildToShape(MlirTgBuilder builder, MlirValue x, intptr_t rank,
                              MlirAttribute const *dims, Method method) {
  return buildFrom(
      builder, x, [&](CBuilder &b, ArrayRef<Value> values) -> FailureOr<Value> {
        auto shape = getDimList(b, rank, dims);
        if (failed(shape))
          return failure();
        return (b.graph.*method)(values[0], *shape);
      });
}

MlirValue mlirTgBuilderReshape(MlirTgBuilder builder, MlirValue x,
                               intptr_t rank, MlirAttribute const *dims) {
  return buildToShape(builder, x, rank, dims, &TgBuilder::reshape);
}

MlirValue mlirTgBuilderBroadcastTo(MlirTgBuilder builder, MlirValue x,
                                   intptr_t rank, MlirAttribute const *dims) {
  return buildToShape(builder, x, rank, dims, &TgBuilder::broadcastTo);
}

MlirValue mlirTgBuilderUnsqueeze(MlirTgBuilder builder, MlirValue x,
                                 int64_t axis) {
  return buildFrom(builder, x, [&](CBuilder &b, ArrayRef<Value> values) {
    return b.graph.unsqueeze(values[0], axis);
  });
}

MlirValue mlirTgBuilderSqueeze(MlirTgBuilder builder, MlirValue x,
                               int64_t axis) {
  return buildFrom(builder, x, [&](CBuilder &b, ArrayRef<Value> values) {
    return b.graph.squeeze(values[0], axis);
  });
}

MlirValue mlirTgBuilderTranspose(MlirTgBuilder builder, MlirValue x,
                                 int64_t first, int64_t second) {
  return buildFrom(builder, x, [&](CBuilder &b, ArrayRef<Value> values) {
    return b.graph.transpose(values[0], first, second);
  });
}

/// What a function makes of a value and a list of axes.
static MlirValue buildAlongAxes(
    MlirTgBuilder builder, MlirValue x, intptr_t numAxes, int64_t const *axes,
    function_ref<FailureOr<Value>(CBuilder &b, Value x, ArrayRef<int64_t> axes)>
        build) {
  return buildFrom(
      builder, x, [&](CBuilder &b, ArrayRef<Value> values) -> FailureOr<Value> {
        auto list = getNumbers(b, "axes", numAxes, axes);
        if (failed(list))
          return failure();
        return build(b, values[0], *list);
      });
}

MlirValue mlirTgBuilderReduce(MlirTgBuilder builder, MlirTgReduceKind kind,
                              MlirValue x, intptr_t numAxes,
                              int64_t const *axes, bool keepAxes) {
  return buildAlongAxes(builder, x, numAxes, axes,
                        [&](CBuilder &b, Value value,
                            ArrayRef<int64_t> list) -> FailureOr<Value> {
                          const auto own =
                              symbolizeReduceKind(static_cast<uint32_t>(kind));
                          if (!own)
                            return b.emitError() << "reduce: there is no kind "
                                                 << static_cast<int>(kind);
                          return b.graph.reduce(*own, value, list, keepAxes);
                        });
}

MlirValue mlirTgBuilderMean(MlirTgBuilder builder, MlirValue x,
                            intptr_t numAxes, int64_t const *axes,
                            bool keepAxes) {
  return buildAlongAxes(builder, x, numAxes, axes,
                        [&](CBuilder &b, Value value, ArrayRef<int64_t> list) {
                          return b.graph.mean(value, list, keepAxes);
                        });
}

//===----------------------------------------------------------------------===//
// What networks are made of
//===----------------------------------------------------------------------===//

MlirValue mlirTgBuilderMatmul(MlirTgBuilder builder, MlirValue lhs,
                              MlirValue rhs) {
  return buildFrom(builder, {lhs, rhs},
                   [](CBuilder &b, ArrayRef<Value> values) {
                     return b.graph.matmul(values[0], values[1]);
                   });
}

MlirValue mlirTgBuilderMatmulIn(MlirTgBuilder builder, MlirValue lhs,
                                MlirValue rhs, MlirType accumulate) {
  return buildFrom(
      builder, {lhs, rhs},
      [&](CBuilder &b, ArrayRef<Value> values) -> FailureOr<Value> {
        auto types = getList<Type>(b, "types", 1, &accumulate);
        if (failed(types))
          return failure();
        return b.graph.matmul(values[0], values[1], types->front());
      });
}

MlirValue mlirTgBuilderSoftmax(MlirTgBuilder builder, MlirValue x,
                               int64_t axis) {
  return buildFrom(builder, x, [&](CBuilder &b, ArrayRef<Value> values) {
    return b.graph.softmax(values[0], axis);
  });
}

MlirValue mlirTgBuilderLogSoftmax(MlirTgBuilder builder, MlirValue x,
                                  int64_t axis) {
  return buildFrom(builder, x, [&](CBuilder &b, ArrayRef<Value> values) {
    return b.graph.logSoftmax(values[0], axis);
  });
}

MlirValue mlirTgBuilderLogSumExp(MlirTgBuilder builder, MlirValue x,
                                 intptr_t numAxes, int64_t const *axes,
                                 bool keepAxes) {
  return buildAlongAxes(builder, x, numAxes, axes,
                        [&](CBuilder &b, Value value, ArrayRef<int64_t> list) {
                          return b.graph.logSumExp(value, list, keepAxes);
                        });
}

MlirValue mlirTgBuilderLayerNorm(MlirTgBuilder builder, MlirValue x,
                                 intptr_t numAxes, int64_t const *axes,
                                 double epsilon, MlirValue weight,
                                 MlirValue bias) {
  SmallVector<MlirValue> operands = {x};
  for (MlirValue operand : {weight, bias})
    if (operand.ptr)
      operands.push_back(operand);
  return buildFrom(
      builder, operands,
      [&](CBuilder &b, ArrayRef<Value> values) -> FailureOr<Value> {
        auto list = getNumbers(b, "axes", numAxes, axes);
        if (failed(list))
          return failure();
        return b.graph.layerNorm(values[0], *list, epsilon,
                                 weight.ptr ? values[1] : Value(),
                                 bias.ptr ? values.back() : Value());
      });
}

MlirValue mlirTgBuilderConv(MlirTgBuilder builder, MlirValue input,
                            MlirValue weight, MlirValue bias,
                            MlirTgWindowOptions options) {
  SmallVector<MlirValue> operands = {input, weight};
  if (bias.ptr)
    operands.push_back(bias);
  return buildFrom(
      builder, operands,
      [&](CBuilder &b, ArrayRef<Value> values) -> FailureOr<Value> {
        auto windows = getOptions(b, options);
        if (failed(windows))
          return failure();
        return b.graph.conv(values[0], values[1],
                            values.size() == 3 ? values[2] : Value(), *windows);
      });
}

/// Pooling of either kind.
template <typename Pool>
static MlirValue buildPool(MlirTgBuilder builder, MlirValue x, intptr_t numAxes,
                           int64_t const *kernel,
                           const MlirTgWindowOptions &options, Pool pool) {
  return buildFrom(
      builder, x, [&](CBuilder &b, ArrayRef<Value> values) -> FailureOr<Value> {
        auto sizes = getNumbers(b, "kernel sizes", numAxes, kernel);
        auto windows = getOptions(b, options);
        if (failed(sizes) || failed(windows))
          return failure();
        return (b.graph.*pool)(values[0], *sizes, *windows);
      });
}

MlirValue mlirTgBuilderMaxPool(MlirTgBuilder builder, MlirValue x,
                               intptr_t numAxes, int64_t const *kernel,
                               MlirTgWindowOptions options) {
  return buildPool(builder, x, numAxes, kernel, options, &TgBuilder::maxPool);
}

MlirValue mlirTgBuilderAvgPool(MlirTgBuilder builder, MlirValue x,
                               intptr_t numAxes, int64_t const *kernel,
                               MlirTgWindowOptions options) {
  return buildPool(builder, x, numAxes, kernel, options, &TgBuilder::avgPool);
}
