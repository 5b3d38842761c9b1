//===- NameUnknownSizes.cpp - unknown sizes as variables, and back --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the passes tg-name-sizes and tg-drop-sizes: between tensors of
/// other dialects, whose unknown sizes are `?`, and those with a #tg.shape.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/TgDimCheck.h"
#include "TinyGrad/Dialect/Tg/IR/TgHostFunctions.h"
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h"
#include "TinyGrad/Dialect/Tg/Utils/IndexSizes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::tg {
#define GEN_PASS_DEF_TGNAMESIZES
#define GEN_PASS_DEF_TGDROPSIZES
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

/// A tensor with sizes `?` and nothing that says what they are.
static RankedTensorType getUnknown(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && !tensor.getEncoding() && !tensor.hasStaticShape() ? tensor
                                                                     : nullptr;
}

/// For messages: `n[1,8]`, or the expression.
static std::string toText(Attribute dim) {
  std::string text = Dim(dim).str();
  if (auto variable = dyn_cast<VarAttr>(dim))
    text += "[" + std::to_string(variable.getMin()) + "," +
            std::to_string(variable.getMax()) + "]";
  return text;
}

namespace {
/// What a user says about one `?` of an argument.
struct GivenSize {
  unsigned argument;
  unsigned axis;
  Attribute dim;
};

/// Names the sizes of the tensors of one function: those that have to be equal
/// are one class.
class SizeNames {
public:
  explicit SizeNames(func::FuncOp function) : function(function) {}

  LogicalResult apply(ArrayRef<GivenSize> given);

private:
  struct Name {
    Attribute dim;
    unsigned size;
  };

  void collect();
  void joinAxes(Value a, int64_t axisA, Value b, int64_t axisB);
  void join(Value a, Value b);
  void joinLoops(linalg::LinalgOp op);
  void joinEqual(Operation *op);
  void follow(Value source, Value target);
  void followRegions(Operation *op);

  LogicalResult addName(unsigned size, Attribute dim);
  LogicalResult nameClasses(ArrayRef<GivenSize> given);
  /// Names sizes that are computed from named ones.
  void nameComputed();
  /// Whether a tensor has a size without a name.
  bool isUnnamed(Value value) const;
  /// Names the sizes of the results of an operation; whether there were any.
  bool nameResults(ReifyRankedShapedTypeOpInterface op,
                   const DenseSet<unsigned> &excluded);
  std::optional<Dim> evaluate(OpFoldResult size) const;
  LogicalResult checkNames();
  LogicalResult makeTypes();
  LogicalResult checkTypes();

  InFlightDiagnostic reportAt(unsigned size) const {
    return emitError(all[size].first.getLoc());
  }
  Type getNewType(Value value) const {
    auto it = types.find(value);
    return it == types.end() ? value.getType() : Type(it->second);
  }
  unsigned getSize(Value value, int64_t axis) const {
    return first.lookup(value) + static_cast<unsigned>(axis);
  }
  bool isArgument(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner() == &function.front();
  }
  std::string describe(unsigned size);

  func::FuncOp function;
  /// The number of the first size of each tensor, and all sizes.
  llvm::MapVector<Value, unsigned> first;
  SmallVector<std::pair<Value, int64_t>> all;
  llvm::IntEqClasses classes;
  /// Sizes that have to be a number.
  struct Fixed {
    unsigned size;
    int64_t number;
  };
  SmallVector<Fixed> fixed;
  /// Tensors that become a block argument or a result of an operation with
  /// regions. These have the size of the first; all have to have one type.
  SmallVector<std::pair<Value, Value>> flows;
  DenseSet<Value> hasSource;
  /// By the leader of the class.
  DenseMap<unsigned, Name> names;
  llvm::MapVector<Value, RankedTensorType> types;
};
} // namespace

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

void SizeNames::collect() {
  auto add = [&](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type)
      return;
    first[value] = static_cast<unsigned>(all.size());
    for (int64_t axis = 0; axis < type.getRank(); ++axis)
      all.emplace_back(value, axis);
  };
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), add);
    llvm::for_each(op->getResults(), add);
  });
  classes.grow(static_cast<unsigned>(all.size()));
}

void SizeNames::joinAxes(Value a, int64_t axisA, Value b, int64_t axisB) {
  const int64_t sizeA = cast<RankedTensorType>(a.getType()).getDimSize(axisA),
                sizeB = cast<RankedTensorType>(b.getType()).getDimSize(axisB);
  const bool isDynamicA = ShapedType::isDynamic(sizeA),
             isDynamicB = ShapedType::isDynamic(sizeB);
  if (isDynamicA && isDynamicB) {
    classes.join(getSize(a, axisA), getSize(b, axisB));
    return;
  }
  if (isDynamicA != isDynamicB)
    fixed.push_back(isDynamicA ? Fixed{getSize(a, axisA), sizeB}
                               : Fixed{getSize(b, axisB), sizeA});
}

void SizeNames::join(Value a, Value b) {
  auto typeA = dyn_cast<RankedTensorType>(a.getType()),
       typeB = dyn_cast<RankedTensorType>(b.getType());
  if (typeA && typeB && typeA.getRank() == typeB.getRank())
    for (int64_t axis = 0; axis < typeA.getRank(); ++axis)
      joinAxes(a, axis, b, axis);
}

/// What one loop goes over has one size.
void SizeNames::joinLoops(linalg::LinalgOp op) {
  DenseMap<unsigned, std::pair<Value, int64_t>> known;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    for (auto [axis, expr] :
         llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop)
        continue;
      const std::pair<Value, int64_t> place(operand.get(),
                                            static_cast<int64_t>(axis));
      auto [it, isNew] = known.try_emplace(loop.getPosition(), place);
      if (!isNew)
        joinAxes(it->second.first, it->second.second, place.first,
                 place.second);
    }
  }
}

/// Joins the sizes that an operation needs to be equal or makes equal.
void SizeNames::joinEqual(Operation *op) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    joinLoops(linalgOp);
  if (auto destinations = dyn_cast<DestinationStyleOpInterface>(op))
    for (OpResult result : op->getResults())
      join(destinations.getTiedOpOperand(result)->get(), result);
  if (auto cast = dyn_cast<tensor::CastOp>(op)) {
    // A cast to a number may be in the branch for this number.
    auto from = dyn_cast<RankedTensorType>(cast.getSource().getType()),
         to = dyn_cast<RankedTensorType>(cast.getType());
    if (from && to)
      for (int64_t axis = 0; axis < from.getRank(); ++axis)
        if (from.isDynamicDim(axis) && to.isDynamicDim(axis))
          joinAxes(cast.getSource(), axis, cast.getResult(), axis);
    return;
  }
  if (auto concat = dyn_cast<tensor::ConcatOp>(op))
    for (Value part : concat.getInputs())
      for (int64_t axis = 0; axis < concat.getRank(); ++axis)
        if (axis != static_cast<int64_t>(concat.getDim()))
          joinAxes(part, axis, concat.getResult(), axis);
  if (!OpTrait::hasElementwiseMappableTraits(op) &&
      !op->hasTrait<OpTrait::SameOperandsAndResultShape>() &&
      !op->hasTrait<OpTrait::SameOperandsAndResultType>())
    return;
  SmallVector<Value> tensors(op->getOperands());
  llvm::append_range(tensors, op->getResults());
  llvm::erase_if(tensors, [](Value value) {
    return !isa<RankedTensorType>(value.getType());
  });
  for (size_t i = 1; i < tensors.size(); ++i)
    join(tensors[i - 1], tensors[i]);
}

void SizeNames::follow(Value source, Value target) {
  if (!getUnknown(target.getType()) || source.getType() != target.getType())
    return;
  flows.emplace_back(source, target);
  // Joining with all would take for granted that no iteration and no branch
  // changes a size.
  if (hasSource.insert(target).second)
    join(source, target);
}

void SizeNames::followRegions(Operation *op) {
  if (auto loop = dyn_cast<scf::ForallOp>(op)) {
    for (auto [output, argument, result] : llvm::zip_equal(
             loop.getOutputs(), loop.getRegionOutArgs(), loop.getResults())) {
      follow(output, argument);
      follow(output, result);
    }
    return;
  }
  auto branch = dyn_cast<RegionBranchOpInterface>(op);
  if (!branch)
    return;
  for (RegionBranchPoint point : branch.getAllRegionBranchPoints()) {
    SmallVector<RegionSuccessor> successors;
    branch.getSuccessorRegions(point, successors);
    for (RegionSuccessor successor : successors)
      for (auto [source, target] :
           llvm::zip_equal(branch.getSuccessorOperands(point, successor),
                           successor.getSuccessorInputs()))
        follow(source, target);
  }
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// For messages: "axis 0 of argument 2".
std::string SizeNames::describe(unsigned size) {
  auto [value, axis] = all[size];
  const std::string text = "axis " + std::to_string(axis) + " of ";
  if (isArgument(value))
    return text + "argument " +
           std::to_string(cast<BlockArgument>(value).getArgNumber());
  Operation *op = value.getDefiningOp();
  if (op)
    return text + "a result of '" + op->getName().getStringRef().str() + "'";
  op = cast<BlockArgument>(value).getOwner()->getParentOp();
  return text + "a tensor in '" + op->getName().getStringRef().str() + "'";
}

LogicalResult SizeNames::addName(unsigned size, Attribute dim) {
  auto [it, isNew] =
      names.try_emplace(classes.findLeader(size), Name{dim, size});
  const Name &other = it->second;
  if (isNew || other.dim == dim)
    return success();
  if (other.size == size)
    return reportAt(size) << describe(size) << " is both " << toText(other.dim)
                          << " and " << toText(dim);
  return reportAt(size) << describe(other.size) << " and " << describe(size)
                        << " must be equal, but one is " << toText(other.dim)
                        << " and the other " << toText(dim);
}

LogicalResult SizeNames::nameClasses(ArrayRef<GivenSize> given) {
  for (const GivenSize &one : given)
    if (failed(addName(getSize(function.getArgument(one.argument), one.axis),
                       one.dim)))
      return failure();
  for (auto [value, base] : first) {
    auto type = cast<RankedTensorType>(value.getType());
    if (!isa_and_nonnull<ShapeAttr>(type.getEncoding()))
      continue;
    for (auto [axis, dim] : llvm::enumerate(getDims(type)))
      if (type.isDynamicDim(axis) &&
          failed(addName(base + static_cast<unsigned>(axis), dim.getAttr())))
        return failure();
  }
  return success();
}

std::optional<Dim> SizeNames::evaluate(OpFoldResult size) const {
  if (auto number = dyn_cast<Attribute>(size))
    return Dim(number.getContext(), cast<IntegerAttr>(number).getInt());
  Operation *op = cast<Value>(size).getDefiningOp();
  if (!op)
    return std::nullopt;
  auto dim = dyn_cast<tensor::DimOp>(op);
  if (!dim)
    return computeSize(op,
                       [&](OpFoldResult operand) { return evaluate(operand); });
  auto type = dyn_cast<RankedTensorType>(dim.getSource().getType());
  const std::optional<int64_t> axis = dim.getConstantIndex();
  if (!type || !axis || *axis < 0 || *axis >= type.getRank())
    return std::nullopt;
  if (!type.isDynamicDim(*axis))
    return Dim(op->getContext(), type.getDimSize(*axis));
  auto it = names.find(classes.findLeader(getSize(dim.getSource(), *axis)));
  return it == names.end() ? std::nullopt : std::optional(Dim(it->second.dim));
}

bool SizeNames::isUnnamed(Value value) const {
  RankedTensorType type = getUnknown(value.getType());
  if (!type)
    return false;
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    if (type.isDynamicDim(axis) &&
        !names.contains(classes.findLeader(getSize(value, axis))))
      return true;
  return false;
}

bool SizeNames::nameResults(ReifyRankedShapedTypeOpInterface op,
                            const DenseSet<unsigned> &excluded) {
  // The operation says its sizes in operations, which do not stay.
  struct Created : OpBuilder::Listener {
    SmallVector<Operation *> operations;
    void notifyOperationInserted(Operation *op,
                                 OpBuilder::InsertPoint) override {
      operations.push_back(op);
    }
  } created;
  OpBuilder builder(op->getContext(), &created);
  builder.setInsertionPoint(op);
  ReifiedRankedShapedTypeDims shapes;
  bool isAny = false;
  if (succeeded(reifyResultShapes(builder, op, shapes)))
    for (auto [result, sizes] : llvm::zip(op->getResults(), shapes)) {
      if (!isUnnamed(result))
        continue;
      for (auto [axis, value] : llvm::enumerate(sizes)) {
        const unsigned size = getSize(result, static_cast<int64_t>(axis)),
                       leader = classes.findLeader(size);
        const std::optional<Dim> dim = evaluate(value);
        // What would be an error for some sizes stays unknown.
        auto ignore = [] { return InFlightDiagnostic(); };
        if (!dim || excluded.contains(leader) || !isNeverNegative(*dim) ||
            failed(checkLength(dim->getAttr(), ignore)) ||
            failed(checkFits(dim->getAttr(), ignore)))
          continue;
        isAny |= names.try_emplace(leader, Name{dim->getAttr(), size}).second;
      }
    }
  for (Operation *one : llvm::reverse(created.operations))
    one->erase();
  return isAny;
}

void SizeNames::nameComputed() {
  // Sizes that are numbers, or that loops and branches change.
  DenseSet<unsigned> excluded;
  for (auto [size, number] : fixed)
    excluded.insert(classes.findLeader(size));
  for (auto [source, target] : flows)
    for (int64_t axis = 0;
         axis < cast<RankedTensorType>(source.getType()).getRank(); ++axis) {
      const unsigned from = classes.findLeader(getSize(source, axis)),
                     to = classes.findLeader(getSize(target, axis));
      if (from == to)
        continue;
      excluded.insert(from);
      excluded.insert(to);
    }
  SmallVector<ReifyRankedShapedTypeOpInterface> operations;
  function.walk([&](ReifyRankedShapedTypeOpInterface op) {
    if (llvm::any_of(op->getResultTypes(),
                     [](Type type) { return bool(getUnknown(type)); }))
      operations.push_back(op);
  });
  bool isAny = true;
  while (isAny) {
    isAny = false;
    for (ReifyRankedShapedTypeOpInterface op : operations)
      if (llvm::any_of(op->getResults(),
                       [&](Value result) { return isUnnamed(result); }))
        isAny |= nameResults(op, excluded);
  }
}

LogicalResult SizeNames::checkNames() {
  for (auto [size, place] : llvm::enumerate(all)) {
    const auto number = static_cast<unsigned>(size);
    auto [value, axis] = place;
    RankedTensorType type = getUnknown(value.getType());
    if (!type || !type.isDynamicDim(axis) || !isArgument(value) ||
        names.contains(classes.findLeader(number)))
      continue;
    return reportAt(number)
           << describe(number)
           << " has no name and bounds; give them by 'tg.sizes' or the option "
              "'sizes', as in arg"
           << cast<BlockArgument>(value).getArgNumber() << ":" << axis
           << "=n[1,1024]";
  }
  for (auto [size, number] : fixed)
    if (auto it = names.find(classes.findLeader(size)); it != names.end())
      return reportAt(it->second.size)
             << describe(it->second.size) << " must be " << number
             << ", but it is " << toText(it->second.dim);
  // One name has one pair of bounds.
  llvm::StringMap<std::pair<VarAttr, unsigned>> variables;
  for (auto [size, place] : llvm::enumerate(all)) {
    const auto number = static_cast<unsigned>(size);
    auto it = names.find(classes.findLeader(number));
    if (it == names.end())
      continue;
    VarAttr before, clash;
    Dim(it->second.dim).walk([&](VarAttr variable) {
      VarAttr known =
          variables.try_emplace(variable.getName().getValue(), variable, number)
              .first->second.first;
      if (known != variable) {
        before = known;
        clash = variable;
      }
    });
    if (clash)
      return reportAt(number)
             << describe(number) << " is " << toText(clash) << ", but "
             << describe(variables.at(clash.getName().getValue()).second)
             << " is " << toText(before) << ": one name has one pair of bounds";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

LogicalResult SizeNames::makeTypes() {
  for (auto [value, base] : first) {
    RankedTensorType type = getUnknown(value.getType());
    if (!type)
      continue;
    SmallVector<Attribute> dims;
    for (auto [axis, size] : llvm::enumerate(type.getShape())) {
      if (!ShapedType::isDynamic(size)) {
        dims.push_back(Dim(type.getContext(), size).getAttr());
        continue;
      }
      auto it =
          names.find(classes.findLeader(base + static_cast<unsigned>(axis)));
      if (it == names.end())
        break;
      dims.push_back(it->second.dim);
    }
    if (static_cast<int64_t>(dims.size()) != type.getRank())
      continue;
    auto shape = ShapeAttr::get(type.getContext(), dims);
    auto report = [loc = value.getLoc()] { return emitError(loc); };
    if (failed(shape.verifyEncoding(type.getShape(), type.getElementType(),
                                    report)))
      return failure();
    types[value] =
        RankedTensorType::get(type.getShape(), type.getElementType(), shape);
  }
  return success();
}

/// What no type of the result could be right for.
LogicalResult SizeNames::checkTypes() {
  for (auto [source, target] : flows)
    if (getNewType(source) != getNewType(target)) {
      InFlightDiagnostic error = emitError(target.getLoc())
                                 << "a tensor that is " << getNewType(target)
                                 << " here becomes " << getNewType(source)
                                 << "; its sizes have to stay equal";
      error.attachNote(source.getLoc()) << "it becomes that here";
      return error;
    }
  const WalkResult result = function.walk([&](Operation *op) {
    if (llvm::any_of(op->getRegions(), [](Region &region) {
          return !region.empty() && !region.hasOneBlock();
        })) {
      op->emitOpError("has branches between blocks, which tg-name-sizes does "
                      "not follow; use operations of scf");
      return WalkResult::interrupt();
    }
    if (!isa<CallOpInterface>(op))
      return WalkResult::advance();
    auto isNamed = [&](Value value) { return types.contains(value); };
    if (llvm::none_of(op->getOperands(), isNamed) &&
        llvm::none_of(op->getResults(), isNamed))
      return WalkResult::advance();
    op->emitOpError("has tensors whose sizes get names, which the function "
                    "that it calls does not know; inline it first");
    return WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    return failure();
  if (!SymbolTable::symbolKnownUseEmpty(function, function->getParentOp()))
    return function.emitOpError("is used by others, for which its sizes have "
                                "no names; inline it first");
  return success();
}

LogicalResult SizeNames::apply(ArrayRef<GivenSize> given) {
  collect();
  function.walk([&](Operation *op) {
    joinEqual(op);
    followRegions(op);
  });
  if (failed(nameClasses(given)) || failed(checkNames()))
    return failure();
  nameComputed();
  if (failed(makeTypes()) || failed(checkTypes()))
    return failure();
  for (auto [value, type] : types)
    value.setType(type);
  Operation *end = function.front().getTerminator();
  function.setFunctionType(FunctionType::get(
      function.getContext(), function.front().getArgumentTypes(),
      end->getOperandTypes()));
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    function.removeArgAttr(i, sizesAttrName);
  return success();
}

//===----------------------------------------------------------------------===//
// tg-name-sizes
//===----------------------------------------------------------------------===//

namespace {
struct TgNameSizesPass : tg::impl::TgNameSizesBase<TgNameSizesPass> {
  using Base::Base;

  void runOnOperation() override;

private:
  LogicalResult parseOption(func::FuncOp function,
                            SmallVectorImpl<GivenSize> &given);
};
} // namespace

/// Reads `arg0:1=n[1,8];arg2:0=n`.
LogicalResult TgNameSizesPass::parseOption(func::FuncOp function,
                                           SmallVectorImpl<GivenSize> &given) {
  MLIRContext *context = &getContext();
  llvm::StringMap<VarAttr> known;
  SmallVector<StringRef> entries;
  StringRef(sizes).split(entries, ';', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef text : entries) {
    auto refuse = [&](const Twine &why) {
      return emitError(function.getLoc())
             << "the option 'sizes' has '" << text << "', " << why;
    };
    auto [place, dim] = text.trim().split('=');
    auto [argumentText, axisText] = place.split(':');
    unsigned argument = 0, axis = 0;
    if (!argumentText.consume_front("arg") ||
        argumentText.getAsInteger(10, argument) ||
        axisText.getAsInteger(10, axis) || dim.empty())
      return refuse("which is not argN:AXIS=NAME[MIN,MAX], as in "
                    "arg0:1=n[1,512]");
    auto type =
        argument < function.getNumArguments()
            ? dyn_cast<RankedTensorType>(function.getArgumentTypes()[argument])
            : RankedTensorType();
    if (!type || axis >= type.getRank())
      return refuse("but '@" + function.getSymName() +
                    "' has no tensor with such an axis");
    if (!getUnknown(type) || !type.isDynamicDim(axis))
      return refuse("but the size is known") << ": the argument is " << type;
    auto [name, bounds] = dim.split('[');
    VarAttr variable = known.lookup(name);
    if (dim.contains('[')) {
      int64_t min = 0, max = 0;
      auto [minText, maxText] = bounds.split(',');
      if (!maxText.consume_back("]") || minText.trim().getAsInteger(10, min) ||
          maxText.trim().getAsInteger(10, max))
        return refuse("whose bounds are not [MIN,MAX]");
      auto report = [&] { return refuse("but "); };
      const auto nameAttr = StringAttr::get(context, name);
      if (failed(VarAttr::verify(report, nameAttr, min, max, std::nullopt)))
        return failure();
      const auto made = VarAttr::get(context, nameAttr, min, max);
      if (variable && variable != made)
        return refuse("but the name has other bounds before: ")
               << toText(variable);
      variable = made;
    }
    if (!variable)
      return refuse("but the bounds of '" + name + "' are not given: write " +
                    name + "[MIN,MAX]");
    known[name] = variable;
    given.push_back({argument, axis, variable});
  }
  return success();
}

void TgNameSizesPass::runOnOperation() {
  ModuleOp module = getOperation();
  auto named = module.lookupSymbol<func::FuncOp>(entry);
  if (!sizes.empty() && (!named || named.isExternal())) {
    module.emitError() << "there is no function '@" << entry
                       << "' with a body for the option 'sizes'";
    return signalPassFailure();
  }
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    SmallVector<GivenSize> given;
    if (function == named && failed(parseOption(function, given)))
      return signalPassFailure();
    for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
      const auto number = static_cast<unsigned>(i);
      auto shape = function.getArgAttrOfType<ShapeAttr>(number, sizesAttrName);
      if (!shape)
        continue;
      for (auto [axis, dim] : llvm::enumerate(shape.getDims()))
        if (cast<RankedTensorType>(type).isDynamicDim(axis))
          given.push_back({number, static_cast<unsigned>(axis), dim});
    }
    // Functions without a name for any size are not meant.
    if (!given.empty() && failed(SizeNames(function).apply(given)))
      return signalPassFailure();
  }
}

//===----------------------------------------------------------------------===//
// tg-drop-sizes
//===----------------------------------------------------------------------===//

namespace {
struct TgDropSizesPass : tg::impl::TgDropSizesBase<TgDropSizesPass> {
  void runOnOperation() override;
};
} // namespace

static bool isSymbolic(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa_and_nonnull<ShapeAttr>(tensor.getEncoding());
}

void TgDropSizesPass::runOnOperation() {
  // Sizes stay where operations need them.
  const WalkResult checked = getOperation().walk([&](Operation *op) {
    if (!isa_and_nonnull<TgDialect>(op->getDialect()))
      return WalkResult::advance();
    SmallVector<Type> types(op->getOperandTypes());
    llvm::append_range(types, op->getResultTypes());
    const auto *symbolic = llvm::find_if(types, isSymbolic);
    if (symbolic == types.end())
      return WalkResult::advance();
    op->emitOpError("needs the sizes of ")
        << *symbolic
        << ", which cannot be dropped; convert it first, as "
           "convert-tg-to-linalg does";
    return WalkResult::interrupt();
  });
  if (checked.wasInterrupted())
    return signalPassFailure();
  getOperation().walk([](func::FuncOp function) {
    for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
      if (isSymbolic(type))
        function.setArgAttr(static_cast<unsigned>(i), sizesAttrName,
                            cast<RankedTensorType>(type).getEncoding());
  });
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [](RankedTensorType type) -> std::optional<std::pair<Type, WalkResult>> {
        if (!isSymbolic(type))
          return std::nullopt;
        return std::make_pair(
            Type(RankedTensorType::get(type.getShape(), type.getElementType())),
            WalkResult::skip());
      });
  replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}
