//===- TgDialect.cpp - registration of the tg dialect ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Registers the attributes and operations of the dialect.
///
//===----------------------------------------------------------------------===//

#include "TgAliases.h"
#include "TgDimPolynomial.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgBufferElements.h"
#include "TinyGrad/Dialect/Tg/IR/TgCopyingItems.h"
#include "TinyGrad/Dialect/Tg/IR/TgGroupOrder.h"
#include "TinyGrad/Dialect/Tg/IR/TgHostFunctions.h"
#include "TinyGrad/Dialect/Tg/IR/TgKernelFunctions.h"
#include "TinyGrad/Dialect/Tg/IR/TgLaunchedElements.h"
#include "TinyGrad/Dialect/Tg/IR/TgReifyShapes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tg;

#include "TinyGrad/Dialect/Tg/IR/TgDialect.cpp.inc"
#include "TinyGrad/Dialect/Tg/IR/TgInterfaces.cpp.inc"

namespace {
/// Operations of tensor graphs may be inlined into any function: upstream's
/// inliner joins tensor functions that call each other. Kernels are isolated,
/// and have their own rules. Sizes that arguments of a function are or say are
/// not known by their names elsewhere.
struct Inliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *op, Region *, bool,
                       IRMapping &) const override {
    if (isa<KernelOp>(op) || op->getParentOfType<KernelOp>())
      return false;
    if (isa<DimOp>(op) && op->getResult(0).getType().isIndex())
      return false;
    auto function = op->getParentOfType<FunctionOpInterface>();
    if (!function)
      return true;
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (function.getArgAttr(i, variableAttrName))
        return false;
    return true;
  }
};
} // namespace

void TgDialect::initialize() {
  registerAttributes();
  addInterfaces<AliasNames, dim::DimFacts, Inliner>();
  registerTgDialectOperations(this);
  attachReifiedShapes(*this);
}

Operation *TgDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                          Type type, Location loc) {
  auto typed = dyn_cast<TypedAttr>(value);
  if (!typed)
    return nullptr;
  return ConstOp::create(builder, loc, type, typed);
}

LogicalResult TgDialect::verifyOperationAttribute(Operation *op,
                                                  NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == elementsAttrName || name == leastElementsAttrName ||
      name == launchedElementsAttrName || name == deviceAttrName ||
      name == inputAttrName || name == alignmentAttrName ||
      name == nameAttrName || name == stateAttrName ||
      name == variableAttrName || name == sizesAttrName)
    return op->emitError() << "'" << name
                           << "' is an attribute of function arguments";
  if (name == targetAttrName) {
    if (!isa<TargetAttr>(attribute.getValue()))
      return op->emitError() << "'" << name << "' is " << attribute.getValue()
                             << ", not a #tg.target";
    if (!isa<ModuleOp>(op))
      return op->emitError() << "'" << name << "' is an attribute of modules";
    return success();
  }
  if (name == byWarpgroupAttrName) {
    auto tile = dyn_cast<StageOp>(op);
    if (!isa<UnitAttr>(attribute.getValue()) || !tile || !tile.getBuffers())
      return op->emitError() << "'" << name
                             << "' is a unit attribute of 'tg.stage' with "
                                "'buffers'";
    return success();
  }
  if (name == acrossBlocksAttrName) {
    auto tile = dyn_cast<StageOp>(op);
    if (!isa<UnitAttr>(attribute.getValue()) || !tile || !isByWarpgroup(tile))
      return op->emitError()
             << "'" << name << "' is a unit attribute of 'tg.stage' with '"
             << byWarpgroupAttrName << "'";
    return success();
  }
  if (name == bandAttrName) {
    auto range = dyn_cast<RangeOp>(op);
    auto band = dyn_cast<IntegerAttr>(attribute.getValue());
    if (!range || range.getKind() != RangeKind::global || !band ||
        !band.getType().isSignlessInteger(64) || band.getInt() < 2)
      return op->emitError() << "'" << name
                             << "' is an i64 attribute of 2 or more, of "
                                "'tg.range' of kind 'global'";
    return success();
  }
  if (name == noGradientAttrName) {
    if (!isa<UnitAttr>(attribute.getValue()) || op->getNumResults() != 1)
      return op->emitError() << "'" << name
                             << "' is a unit attribute of operations with one "
                                "result";
    return success();
  }
  if (name == gradientAttrName) {
    auto number = dyn_cast<IntegerAttr>(attribute.getValue());
    if (!isa<DetachOp>(op) || !number ||
        !number.getType().isSignlessInteger(64))
      return op->emitError()
             << "'" << name << "' is an i64 attribute of 'tg.detach'";
    return success();
  }
  if (name == graphAttrName) {
    auto function = dyn_cast<FunctionOpInterface>(op);
    if (!function || !function.isExternal() ||
        !isa<FlatSymbolRefAttr>(attribute.getValue()))
      return op->emitError()
             << "'" << name << "' is a symbol, on a function declaration";
    return success();
  }
  bool isDim = name == parallelExtentAttrName;
  bool isGroups = name == groupsAttrName;
  bool isResident = name == residentGroupsAttrName;
  bool isCount = name == outputsAttrName || name == scratchBytesAttrName;
  bool isVariables = name == variablesAttrName;
  if (!isCount && !isDim && !isGroups && !isResident && !isVariables &&
      name != inPlaceAttrName && name != narrowIndicesAttrName)
    return op->emitError() << "'" << name
                           << "' is not an attribute of the tg dialect";
  if (!isa<FunctionOpInterface>(op))
    return op->emitError() << "'" << name << "' is an attribute of functions";
  auto count = dyn_cast<IntegerAttr>(attribute.getValue());
  if (isCount &&
      (!count || !count.getType().isSignlessInteger(64) || count.getInt() < 0))
    return op->emitError() << "'" << name << "' is " << attribute.getValue()
                           << ", not an i64 of at least 0";
  if (isResident) {
    if (!count || !count.getType().isSignlessInteger(64) ||
        count.getInt() < 1 || count.getInt() > kMaxResidentGroups)
      return op->emitError() << "'" << name << "' is " << attribute.getValue()
                             << ", not an i64 from 1 to " << kMaxResidentGroups;
    return success();
  }
  // For products of dependent sizes, such as n * (9 - n), bounds may not prove
  // that they are non-negative.
  if (isDim && (!Dim::isDim(attribute.getValue()) ||
                Dim(attribute.getValue()).getMax() < 0))
    return op->emitError() << "'" << name << "' is " << attribute.getValue()
                           << ", not a dimension of at least 0";
  if (isGroups) {
    auto list = dyn_cast<ArrayAttr>(attribute.getValue());
    if (!list || list.size() != 3 || !llvm::all_of(list, [](Attribute number) {
          return Dim::isDim(number) && Dim(number).getMax() >= 0;
        }))
      return op->emitError() << "'" << name << "' is " << attribute.getValue()
                             << ", not three dimensions of at least 0";
    return success();
  }
  if (isVariables) {
    auto list = dyn_cast<ArrayAttr>(attribute.getValue());
    if (!list || !llvm::all_of(list, llvm::IsaPred<VarAttr>))
      return op->emitError() << "'" << name << "' is " << attribute.getValue()
                             << ", not a list of variables";
    return success();
  }
  if (!isCount && !isDim && !isa<UnitAttr>(attribute.getValue()))
    return op->emitError() << "'" << name << "' is " << attribute.getValue()
                           << ", not a unit attribute";
  return success();
}

/// Whether the text is an identifier of C.
static bool isIdentifier(StringRef text) {
  return !text.empty() && !llvm::isDigit(text.front()) &&
         llvm::all_of(text,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

/// The error of a `tg.name`, if it is none.
static std::string findNameFault(Attribute value) {
  auto text = dyn_cast<StringAttr>(value);
  if (text && isIdentifier(text.getValue()))
    return "";
  std::string fault = "is ";
  llvm::raw_string_ostream(fault)
      << value << ", not an identifier of C like \"weights\"";
  return fault;
}

/// Verifies the variable whose value an argument is.
static LogicalResult verifyVariable(Attribute value, Type type,
                                    function_ref<InFlightDiagnostic()> report) {
  if (!isa<VarAttr>(value))
    return report() << "is " << value
                    << ", not a variable like #tg.var<\"n\", 1, 8>";
  if (!type.isSignlessInteger() && !type.isIndex())
    return report() << "is on a " << type << ", not on an index or integer";
  return success();
}

/// Reports unless \p value can be the sizes of an argument of this type.
static LogicalResult verifySizes(Attribute value, Type type,
                                 function_ref<InFlightDiagnostic()> report) {
  auto shape = dyn_cast<ShapeAttr>(value);
  if (!shape)
    return report() << "is " << value << ", not a #tg.shape";
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getEncoding())
    return report() << "is on a " << type
                    << ", not on a tensor without an encoding";
  return shape.verifyEncoding(tensor.getShape(), tensor.getElementType(), [&] {
    InFlightDiagnostic error = report();
    error << "does not fit: ";
    return error;
  });
}

/// What is wrong with the number of elements of a buffer; empty if nothing is.
static std::string findElementsFault(Attribute attr, Type type) {
  auto buffer = dyn_cast<MemRefType>(type);
  std::string text;
  llvm::raw_string_ostream os(text);
  if (!buffer || !buffer.hasStaticShape() || buffer.getRank() != 1)
    os << "is an attribute of flat buffers, not of a " << type;
  else if (!isa<VarAttr, DimExprAttr>(attr))
    os << "is " << attr << ", not an expression over variables";
  else if (const Dim elements(attr);
           elements.getMin() < 0 || elements.getMax() > buffer.getNumElements())
    os << "is from " << elements.getMin() << " to " << elements.getMax()
       << ", not a part of the " << buffer.getNumElements() << " elements of "
       << type;
  return text;
}

LogicalResult TgDialect::verifyRegionArgAttribute(Operation *op,
                                                  unsigned region,
                                                  unsigned argument,
                                                  NamedAttribute attribute) {
  StringRef name = attribute.getName();
  auto report = [&] {
    return op->emitError() << "argument " << argument << ": '" << name << "' ";
  };
  if (!isa<FunctionOpInterface>(op))
    return report() << "is an attribute of function arguments";
  if (name == deviceAttrName) {
    auto device = dyn_cast<StringAttr>(attribute.getValue());
    if (!device || device.empty())
      return report() << "is " << attribute.getValue()
                      << ", not the name of a device";
    return success();
  }
  if (name == elementsAttrName) {
    std::string fault = findElementsFault(
        attribute.getValue(),
        cast<FunctionOpInterface>(op).getArgumentTypes()[argument]);
    if (!fault.empty())
      return report() << fault;
    return success();
  }
  if (name == leastElementsAttrName) {
    auto number = dyn_cast<IntegerAttr>(attribute.getValue());
    auto type = dyn_cast<MemRefType>(
        cast<FunctionOpInterface>(op).getArgumentTypes()[argument]);
    if (!type || !type.hasStaticShape())
      return report() << "is an attribute of buffers of static shape";
    if (!number || !number.getType().isSignlessInteger(64) ||
        number.getInt() < 0 || number.getInt() > type.getNumElements())
      return report() << "is " << attribute.getValue()
                      << ", not an i64 from 0 to the " << type.getNumElements()
                      << " elements of " << type;
    return success();
  }
  if (name == launchedElementsAttrName) {
    std::string fault = findLaunchedElementsFault(
        attribute.getValue(),
        cast<FunctionOpInterface>(op).getArgumentTypes()[argument]);
    if (!fault.empty())
      return report() << fault;
    return success();
  }
  if (name == alignmentAttrName) {
    auto bytes = dyn_cast<IntegerAttr>(attribute.getValue());
    if (!isa<KernelOp>(op))
      return report() << "is an attribute of the arguments of a tg.kernel";
    if (!bytes || !bytes.getType().isSignlessInteger(64) ||
        !llvm::isPowerOf2_64(bytes.getInt()) ||
        bytes.getInt() > kBufferAlignment)
      return report() << "is " << attribute.getValue()
                      << ", not an i64 that is a power of two up to "
                      << kBufferAlignment;
    return success();
  }
  if (name == nameAttrName) {
    if (std::string fault = findNameFault(attribute.getValue()); !fault.empty())
      return report() << fault;
    return success();
  }
  if (name == stateAttrName) {
    if (!isa<UnitAttr>(attribute.getValue()))
      return report() << "is " << attribute.getValue()
                      << ", not a unit attribute";
    auto function = cast<FunctionOpInterface>(op);
    if (!function.getArgAttr(argument, nameAttrName))
      return report() << "needs '" << nameAttrName << "' beside it";
    return success();
  }
  if (name == variableAttrName)
    return verifyVariable(
        attribute.getValue(),
        cast<FunctionOpInterface>(op).getArgumentTypes()[argument], report);
  if (name == sizesAttrName)
    return verifySizes(
        attribute.getValue(),
        cast<FunctionOpInterface>(op).getArgumentTypes()[argument], report);
  if (name != inputAttrName)
    return report() << "is not an attribute of the tg dialect";
  if (!isa<ElementsAttr>(attribute.getValue()))
    return report() << "is " << attribute.getValue() << ", not a list of "
                    << "elements like dense<[1, 2]> : tensor<2xi32>";
  return success();
}

LogicalResult TgDialect::verifyRegionResultAttribute(Operation *op,
                                                     unsigned region,
                                                     unsigned result,
                                                     NamedAttribute attribute) {
  if (attribute.getName() == nameAttrName && isa<FunctionOpInterface>(op)) {
    if (std::string fault = findNameFault(attribute.getValue()); !fault.empty())
      return op->emitError()
             << "result " << result << ": '" << nameAttrName << "' " << fault;
    return success();
  }
  if (attribute.getName() == elementsAttrName && isa<FunctionOpInterface>(op)) {
    std::string fault = findElementsFault(
        attribute.getValue(),
        cast<FunctionOpInterface>(op).getResultTypes()[result]);
    if (!fault.empty())
      return op->emitError() << "result " << result << ": '" << elementsAttrName
                             << "' " << fault;
    return success();
  }
  return op->emitError() << "result " << result << ": '"
                         << attribute.getName().getValue()
                         << "' is not an attribute of results";
}
