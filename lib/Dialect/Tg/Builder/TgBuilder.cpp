//===- TgBuilder.cpp - tensor graphs for other compilers ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Sizes, functions, and the operations of which others are composed.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/Builder/TgBuilder.h"
#include "BuilderValue.h"
#include "TinyGrad/Dialect/Tg/Builder/Recipes.h"
#include "TinyGrad/Dialect/Tg/IR/TgDimCheck.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tg;

//===----------------------------------------------------------------------===//
// Sizes and types
//===----------------------------------------------------------------------===//

FailureOr<Dim> TgBuilder::getVariable(StringRef name, int64_t min,
                                      int64_t max) {
  VarAttr var = VarAttr::getChecked(
      [&] { return emitError(); }, builder.getContext(),
      builder.getStringAttr(name), min, max, std::optional<int64_t>());
  if (!var)
    return failure();
  return Dim(var);
}

FailureOr<Dim> TgBuilder::compute(DimOpKind kind, ArrayRef<Dim> operands) {
  const SmallVector<Attribute> attrs = llvm::map_to_vector(
      operands, [](Dim operand) { return operand.getAttr(); });
  auto report = [&] { return emitError(); };
  if (failed(checkOperator(kind, attrs, report)))
    return failure();
  const Dim result = Dim::get(kind, operands);
  if (failed(checkLength(result.getAttr(), report)))
    return failure();
  return result;
}

FailureOr<RankedTensorType> TgBuilder::getType(ArrayRef<Dim> shape,
                                               Type element) {
  auto report = [&] { return emitError(); };
  if (!isElementType(element))
    return emitError() << element << " is not an element type of the dialect";
  SmallVector<int64_t> sizes;
  SmallVector<Attribute> attrs;
  bool isSymbolic = false;
  for (Dim dim : shape) {
    const std::optional<int64_t> number = dim.getStatic();
    if (number && *number < 0)
      return emitError() << "the shape " << toString(shape)
                         << " has a negative size";
    isSymbolic |= !number;
    sizes.push_back(number.value_or(ShapedType::kDynamic));
    attrs.push_back(dim.getAttr());
  }
  if (failed(checkNumElements(shape, report)))
    return failure();
  ShapeAttr encoding;
  if (isSymbolic &&
      !(encoding = ShapeAttr::getChecked(report, builder.getContext(),
                                         ArrayRef<Attribute>(attrs))))
    return failure();
  auto type = RankedTensorType::getChecked(report, ArrayRef<int64_t>(sizes),
                                           element, Attribute(encoding));
  if (!type)
    return failure();
  return type;
}

FailureOr<RankedTensorType> TgBuilder::getType(ArrayRef<int64_t> shape,
                                               Type element) {
  return getType(
      llvm::map_to_vector(shape, [&](int64_t size) { return getSize(size); }),
      element);
}

SmallVector<Dim> TgBuilder::getShape(Value x) {
  return getDims(mlir::cast<RankedTensorType>(x.getType()));
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

FailureOr<func::FuncOp>
TgBuilder::beginFunction(ModuleOp module, StringRef name, TypeRange arguments) {
  if (function)
    return emitError() << "function '@" << name << "' begins in '@"
                       << function.getSymName() << "', which has no end";
  if (Operation *other = SymbolTable::lookupSymbolIn(module, name)) {
    InFlightDiagnostic error = emitError()
                               << "the module has a '@" << name << "' already";
    error.attachNote(other->getLoc()) << "here";
    return error;
  }
  builder.getContext()->getOrLoadDialect<func::FuncDialect>();
  outside = builder.saveInsertionPoint();
  builder.setInsertionPointToEnd(module.getBody());
  function = func::FuncOp::create(builder, location, name,
                                  builder.getFunctionType(arguments, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  return function;
}

LogicalResult TgBuilder::endFunction(ValueRange results) {
  if (!function)
    return emitError() << "no function was begun";
  for (auto [number, result] : llvm::enumerate(results))
    if (result.getParentRegion() != &function.getBody())
      return emitError() << "result " << number << " is no value of '@"
                         << function.getSymName() << "'";
  builder.setInsertionPointToEnd(&function.front());
  func::ReturnOp::create(builder, location, results);
  function.setFunctionType(
      builder.getFunctionType(function.getArgumentTypes(), TypeRange(results)));
  builder.restoreInsertionPoint(outside);
  func::FuncOp ended = function;
  function = {};
  return verify(ended);
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

LogicalResult TgBuilder::check(StringRef what, Value x) {
  auto type = dyn_cast<RankedTensorType>(x.getType());
  if (!type || !hasDims(type) || !isElementType(type.getElementType()))
    return emitError() << what << ": the operand has the type " << x.getType()
                       << ", not that of a ranked tensor, of static shape or "
                          "with a #tg.shape, with an element type of the "
                          "dialect";
  return success();
}

LogicalResult TgBuilder::checkFloat(StringRef what, Value x) {
  if (failed(check(what, x)))
    return failure();
  const Type element = getElementTypeOrSelf(x);
  if (!isa<FloatType>(element))
    return emitError() << what << ": elements of type " << element
                       << ", not floats; cast them";
  return success();
}

FailureOr<int64_t> TgBuilder::getAxis(StringRef what, int64_t axis, Value x,
                                      int64_t rank) {
  const int64_t result = axis < 0 ? axis + rank : axis;
  if (result < 0 || result >= rank)
    return emitError() << what << ": axis " << axis
                       << " is out of range for a tensor of shape "
                       << toString(getShape(x));
  return result;
}

FailureOr<SmallVector<int64_t>>
TgBuilder::getAxes(StringRef what, ArrayRef<int64_t> axes, Value x) {
  const auto rank = static_cast<int64_t>(getShape(x).size());
  SmallVector<int64_t> list;
  if (axes.empty())
    list = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  for (int64_t axis : axes) {
    FailureOr<int64_t> own = getAxis(what, axis, x, rank);
    if (failed(own))
      return failure();
    list.push_back(*own);
  }
  llvm::sort(list);
  if (auto twice = std::adjacent_find(list.begin(), list.end());
      twice != list.end())
    return emitError() << what << ": axis " << *twice << " is given twice";
  return list;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

FailureOr<Value> TgBuilder::constant(ArrayRef<Dim> shape, Type element,
                                     double value) {
  FailureOr<RankedTensorType> type = getType(shape, element);
  if (failed(type))
    return failure();
  if (isa<FloatType>(element))
    return create<ConstOp>(*type, getNumberAttr(element, value));
  // Of no integer type is 2^63 or more a value but of ui64.
  if (!(value >= -0x1p63 && value < 0x1p63) ||
      static_cast<double>(static_cast<int64_t>(value)) != value)
    return emitError() << "constant: " << std::to_string(value)
                       << " is not a value of " << element;
  return constant(shape, element, static_cast<int64_t>(value));
}

FailureOr<Value> TgBuilder::constant(ArrayRef<Dim> shape, Type element,
                                     int64_t value) {
  FailureOr<RankedTensorType> type = getType(shape, element);
  if (failed(type))
    return failure();
  if (!isa<FloatType>(element)) {
    const unsigned width = element.getIntOrFloatBitWidth();
    if (isSignedInteger(element) ? !llvm::isIntN(width, value)
                                 : value < 0 || !llvm::isUIntN(width, value))
      return emitError() << "constant: " << value << " is not a value of "
                         << element;
  }
  return create<ConstOp>(*type, getNumberAttr(element, value));
}

FailureOr<Value> TgBuilder::constantLike(Value like, double value) {
  if (failed(check("constant", like)))
    return failure();
  return constant(getShape(like), getElementTypeOrSelf(like), value);
}

FailureOr<Value> TgBuilder::constant(ElementsAttr elements) {
  return create<ConstOp>(elements.getType(), cast<TypedAttr>(elements));
}

FailureOr<Value> TgBuilder::size(ArrayRef<Dim> shape, Type element, Dim value) {
  FailureOr<RankedTensorType> type = getType(shape, element);
  if (failed(type))
    return failure();
  return create<DimOp>(*type, value.getAttr());
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

LogicalResult TgBuilder::checkSameElements(StringRef what, Value lhs,
                                           Value rhs) {
  const Type a = getElementTypeOrSelf(lhs), b = getElementTypeOrSelf(rhs);
  if (a != b)
    return emitError() << what << ": operands with elements of types " << a
                       << " and " << b << "; cast one of them";
  return success();
}

FailureOr<Value> TgBuilder::where(Value condition, Value x, Value y) {
  FailureOr<SmallVector<Value>> all = broadcast({condition, x, y});
  if (failed(all) || failed(checkSameElements("where", x, y)))
    return failure();
  return create<WhereOp>((*all)[1].getType(), (*all)[0], (*all)[1], (*all)[2]);
}

FailureOr<Value> TgBuilder::cast(Value x, Type element) {
  if (failed(check("cast", x)))
    return failure();
  if (getElementTypeOrSelf(x) == element)
    return x;
  FailureOr<RankedTensorType> type = getType(getShape(x), element);
  if (failed(type))
    return failure();
  return create<CastOp>(*type, x);
}

FailureOr<SmallVector<Value>> TgBuilder::broadcast(ArrayRef<Value> values) {
  SmallVector<BuilderShape> shapes;
  for (Value value : values) {
    if (failed(check("broadcast", value)))
      return failure();
    shapes.emplace_back(getShape(value));
  }
  SmallVector<const BuilderShape *> list;
  for (const BuilderShape &shape : shapes)
    list.push_back(&shape);
  LogicalResult fits = success();
  MLIRContext *context = builder.getContext();
  const auto common = recipes::getCommonShape<BuilderShape>(
      list, [&](const BuilderSize &a, const BuilderSize &b) {
        InFlightDiagnostic error = emitError() << "shapes ";
        llvm::interleaveComma(shapes, error, [&](const BuilderShape &shape) {
          error << toString(shape.getDims(context));
        });
        const Dim lhs = a.getDim(context), rhs = b.getDim(context);
        error << " cannot be broadcast together";
        if (!lhs.isStatic() || !rhs.isStatic())
          error << "; " << explainDifference(lhs, rhs);
        fits = error;
      });
  if (failed(fits))
    return failure();
  SmallVector<Value> results;
  for (Value value : values) {
    FailureOr<Value> own = broadcastTo(value, common.getDims(context));
    if (failed(own))
      return failure();
    results.push_back(*own);
  }
  return results;
}

FailureOr<Value> TgBuilder::broadcastTo(Value x, ArrayRef<Dim> shape) {
  if (failed(check("broadcastTo", x)))
    return failure();
  const SmallVector<Dim> own = getShape(x);
  SmallVector<Dim> aligned(
      shape.size() > own.size() ? shape.size() - own.size() : 0, getSize(1));
  aligned.append(own);
  bool fits = aligned.size() == shape.size();
  for (size_t i = 0; fits && i < shape.size(); ++i)
    fits = aligned[i] == shape[i] || aligned[i].is(1);
  if (!fits) {
    InFlightDiagnostic error = emitError()
                               << "a tensor of shape " << toString(own)
                               << " cannot be broadcast to " << toString(shape);
    for (auto [a, b] : llvm::zip(aligned, shape))
      if (aligned.size() == shape.size() && a != b && !a.is(1) &&
          !(a.isStatic() && b.isStatic())) {
        error << "; " << explainDifference(a, b);
        break;
      }
    return error;
  }
  BuilderChain chain(*this, x);
  chain.reshape(BuilderShape(aligned)).expand(BuilderShape(shape));
  return chain.get();
}

//===----------------------------------------------------------------------===//
// Movement and reduction
//===----------------------------------------------------------------------===//

FailureOr<Value> TgBuilder::reshape(Value x, ArrayRef<Dim> shape) {
  if (failed(check("reshape", x)))
    return failure();
  return BuilderChain(*this, x).reshape(BuilderShape(shape)).get();
}

FailureOr<Value> TgBuilder::unsqueeze(Value x, int64_t axis) {
  if (failed(check("unsqueeze", x)))
    return failure();
  SmallVector<Dim> shape = getShape(x);
  FailureOr<int64_t> own =
      getAxis("unsqueeze", axis, x, static_cast<int64_t>(shape.size()) + 1);
  if (failed(own))
    return failure();
  shape.insert(shape.begin() + *own, getSize(1));
  return reshape(x, shape);
}

FailureOr<Value> TgBuilder::squeeze(Value x, int64_t axis) {
  if (failed(check("squeeze", x)))
    return failure();
  const SmallVector<Dim> shape = getShape(x);
  FailureOr<int64_t> own =
      getAxis("squeeze", axis, x, static_cast<int64_t>(shape.size()));
  if (failed(own))
    return failure();
  if (!shape[*own].is(1))
    return emitError() << "squeeze: axis " << axis << " of " << toString(shape)
                       << " does not have size 1";
  return dropAxes(x, *own);
}

FailureOr<Value> TgBuilder::dropAxes(Value x, ArrayRef<int64_t> axes) {
  SmallVector<Dim> shape;
  for (auto [axis, size] : llvm::enumerate(getShape(x)))
    if (!llvm::is_contained(axes, static_cast<int64_t>(axis)))
      shape.push_back(size);
  return reshape(x, shape);
}

FailureOr<Value> TgBuilder::transpose(Value x, int64_t first, int64_t second) {
  if (failed(check("transpose", x)))
    return failure();
  const auto rank = static_cast<int64_t>(getShape(x).size());
  FailureOr<int64_t> a = getAxis("transpose", first, x, rank);
  if (failed(a))
    return failure();
  FailureOr<int64_t> b = getAxis("transpose", second, x, rank);
  if (failed(b))
    return failure();
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(order[*a], order[*b]);
  return BuilderChain(*this, x).permute(order).get();
}

FailureOr<Value> TgBuilder::reduce(ReduceKind kind, Value x,
                                   ArrayRef<int64_t> axes, bool keepAxes) {
  if (failed(check("reduce", x)))
    return failure();
  FailureOr<SmallVector<int64_t>> list = getAxes("reduce", axes, x);
  if (failed(list))
    return failure();
  if (list->empty())
    return x;
  FailureOr<Value> result = create<ReduceOp>(kind, x, ArrayRef(*list));
  if (failed(result) || keepAxes)
    return result;
  return dropAxes(*result, *list);
}

FailureOr<Value>
TgBuilder::inFloat(Value x, llvm::function_ref<FailureOr<Value>(Value)> body) {
  const Type element = getElementTypeOrSelf(x);
  FailureOr<Value> wide =
      element.getIntOrFloatBitWidth() < 32 ? cast(x, builder.getF32Type()) : x;
  if (failed(wide))
    return failure();
  FailureOr<Value> result = body(*wide);
  if (failed(result))
    return failure();
  return cast(*result, element);
}
