//===- TgAttrs.cpp - attributes and enums of the tg dialect ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Verifiers of the attributes, and the definitions that tablegen generates.
///
//===----------------------------------------------------------------------===//

#include "TgDimSyntax.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgDimCheck.h"
#include "TinyGrad/Dialect/Tg/IR/TgView.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <string>

using namespace mlir;
using namespace mlir::tg;

#include "TinyGrad/Dialect/Tg/IR/TgEnums.cpp.inc"

namespace mlir::tg::detail {
/// The storage that tablegen would generate, with the size of the expression.
struct DimExprAttrStorage : AttributeStorage {
  using KeyTy = std::tuple<DimOpKind, ArrayRef<Attribute>>;

  DimExprAttrStorage(DimOpKind kind, ArrayRef<Attribute> operands)
      : kind(kind), operands(operands), size(measure(kind, operands)) {}

  /// Through which attribute walkers find the operands.
  KeyTy getAsKey() const { return {kind, operands}; }
  bool operator==(const KeyTy &key) const { return key == getAsKey(); }
  static llvm::hash_code hashKey(const KeyTy &key) {
    return llvm::hash_combine(std::get<0>(key), std::get<1>(key));
  }
  static DimExprAttrStorage *construct(AttributeStorageAllocator &allocator,
                                       const KeyTy &key) {
    return new (allocator.allocate<DimExprAttrStorage>()) DimExprAttrStorage(
        std::get<0>(key), allocator.copyInto(std::get<1>(key)));
  }

  static bool isLinearTerm(Attribute attr) {
    auto product = dyn_cast<DimExprAttr>(attr);
    return !product ||
           (product.getKind() == DimOpKind::mul && product.getSize().isLinear);
  }

  static DimSize measure(DimOpKind kind, ArrayRef<Attribute> operands) {
    const auto more = static_cast<uint32_t>(operands.size() - 1);
    // Of each operator with its spaces: + * floordiv mod min max.
    constexpr uint32_t lengths[] = {3, 3, 10, 5, 5, 5};
    DimSize size;
    size.parts = more;
    size.characters = 2 + lengths[unsigned(kind)] * more;
    size.isLinear = kind == DimOpKind::add
                        ? llvm::all_of(operands, isLinearTerm)
                        : kind == DimOpKind::mul && operands.size() == 2 &&
                              isa<VarAttr>(operands[0]) &&
                              isa<IntegerAttr>(operands[1]);
    for (Attribute operand : operands) {
      const DimSize own = getDimSize(operand);
      size.nesting = std::max(size.nesting, own.nesting);
      size.parts = llvm::SaturatingAdd(size.parts, own.parts);
      size.characters = llvm::SaturatingAdd(size.characters, own.characters);
    }
    size.nesting = llvm::SaturatingAdd(size.nesting, uint32_t(1));
    return size;
  }

  DimOpKind kind;
  ArrayRef<Attribute> operands;
  DimSize size;
};
} // namespace mlir::tg::detail

#define GET_ATTRDEF_CLASSES
#include "TinyGrad/Dialect/Tg/IR/TgAttrs.cpp.inc"

void TgDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "TinyGrad/Dialect/Tg/IR/TgAttrs.cpp.inc"
      >();
}

LogicalResult VarAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                              StringAttr name, int64_t min, int64_t max,
                              std::optional<int64_t> value) {
  if (name.empty())
    return emitError() << "a variable needs a name";
  if (min > max)
    return emitError() << "variable '" << name.getValue()
                       << "' has an empty range: min " << min << " > max "
                       << max;
  if (value && (*value < min || *value > max))
    return emitError() << "variable '" << name.getValue() << "' is bound to "
                       << *value << ", which is not in [" << min << ", " << max
                       << "]";
  return success();
}

DimOpKind DimExprAttr::getKind() const { return getImpl()->kind; }
ArrayRef<Attribute> DimExprAttr::getOperands() const {
  return getImpl()->operands;
}
const DimSize &DimExprAttr::getSize() const { return getImpl()->size; }

static uint32_t countDigits(int64_t number) {
  return static_cast<uint32_t>(std::to_string(number).size());
}

DimSize mlir::tg::getDimSize(Attribute dim) {
  if (auto expr = dyn_cast<DimExprAttr>(dim))
    return expr.getSize();
  DimSize size;
  if (auto var = dyn_cast<VarAttr>(dim)) {
    size.characters = static_cast<uint32_t>(var.getName().size());
    if (std::optional<int64_t> value = var.getValue())
      size.characters += 1 + countDigits(*value);
  } else {
    size.characters = countDigits(cast<IntegerAttr>(dim).getInt());
  }
  return size;
}

LogicalResult mlir::tg::checkOperator(DimOpKind kind,
                                      ArrayRef<Attribute> operands,
                                      DimErrorFn emitError) {
  if (failed(DimExprAttr::verify(emitError, kind, operands)))
    return failure();
  // Overflow would make the normal form a different value.
  const SmallVector<Dim> dims = getDims(operands);
  if (failed(checkFits(kind, dims, emitError)))
    return failure();
  if ((kind == DimOpKind::floordiv || kind == DimOpKind::mod) &&
      dims[1].getMin() <= 0 && dims[1].getMax() >= 0)
    return emitError() << dims[0].str() << " is divided by " << dims[1].str()
                       << (dims[1].isStatic() ? "" : ", which may be 0");
  return success();
}

LogicalResult DimExprAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  DimOpKind kind,
                                  ArrayRef<Attribute> operands) {
  const bool divides = kind == DimOpKind::floordiv || kind == DimOpKind::mod;
  if (divides ? operands.size() != 2 : operands.size() < 2)
    return emitError() << "'" << stringifyDimOpKind(kind) << "' of dimensions "
                       << "takes " << (divides ? "two" : "two or more")
                       << " operands, not " << operands.size();
  for (Attribute operand : operands)
    if (!Dim::isDim(operand))
      return emitError() << "operand " << operand
                         << " of a dimension expression is not an integer (of "
                            "64 bits), #tg.var or #tg.dim";
  return success();
}

Attribute ShapeAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<Attribute> dims;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, [&] {
        return parseDim(parser, dims.emplace_back());
      }))
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    dims);
}

void ShapeAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(getDims(), printer,
                        [&](Attribute dim) { printDim(printer, dim); });
  printer << '>';
}

LogicalResult ShapeAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                ArrayRef<Attribute> dims) {
  for (Attribute dim : dims)
    if (!Dim::isDim(dim))
      return emitError() << "dimension " << dim
                         << " is not an integer (of 64 bits), #tg.var or "
                            "#tg.dim";
  if (llvm::all_of(dims, llvm::IsaPred<IntegerAttr>))
    return emitError() << "#tg.shape has no symbolic dimension; a tensor of "
                          "static shape carries no encoding";
  return success();
}

LogicalResult
ShapeAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                          function_ref<InFlightDiagnostic()> emitError) const {
  if (shape.size() != getDims().size())
    return emitError() << "#tg.shape lists " << getDims().size()
                       << " dimensions for a tensor of rank " << shape.size();
  for (auto [axis, size, attr] : llvm::enumerate(shape, getDims())) {
    std::optional<int64_t> value = Dim(attr).getStatic();
    if (ShapedType::isDynamic(size) ? value.has_value() : value != size)
      return emitError() << "dimension " << axis << " is " << Dim(attr).str()
                         << " in #tg.shape but "
                         << (ShapedType::isDynamic(size) ? "?"
                                                         : std::to_string(size))
                         << " in the tensor's shape";
    if (failed(checkFits(attr, emitError)))
      return failure();
    if (!isNeverNegative(Dim(attr)))
      return emitError() << "dimension " << axis << ", " << Dim(attr).str()
                         << ", can be negative: " << Dim(attr).getMin();
  }
  return checkNumElements(
      llvm::map_to_vector(getDims(), [](Attribute dim) { return Dim(dim); }),
      emitError);
}

Attribute ViewAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<Attribute> shape, strides, begin, end;
  Attribute offset = parser.getBuilder().getI64IntegerAttr(0);
  if (parser.parseLess() || parseDims(parser, shape) ||
      parser.parseKeyword("strides") || parseDims(parser, strides))
    return {};
  if (succeeded(parser.parseOptionalKeyword("offset")) &&
      parseDim(parser, offset))
    return {};
  if (succeeded(parser.parseOptionalKeyword("mask")) &&
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return failure(parseDim(parser, begin.emplace_back()) ||
                       parser.parseKeyword("to") ||
                       parseDim(parser, end.emplace_back()));
      }))
    return {};
  if (parser.parseGreater())
    return {};
  auto attr =
      getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                 shape, strides, offset, begin, end);
  if (!attr)
    return {};
  View view(attr);
  view.normalize();
  return view.getAttr();
}

void ViewAttr::print(AsmPrinter &printer) const {
  auto print = [&](Attribute dim) { printDim(printer, dim); };
  printer << "<[";
  llvm::interleaveComma(getShape(), printer, print);
  printer << "] strides [";
  llvm::interleaveComma(getStrides(), printer, print);
  printer << ']';
  if (!Dim(getOffset()).is(0)) {
    printer << " offset ";
    print(getOffset());
  }
  if (!getBegin().empty()) {
    printer << " mask [";
    llvm::interleaveComma(llvm::zip(getBegin(), getEnd()), printer,
                          [&](auto span) {
                            print(std::get<0>(span));
                            printer << " to ";
                            print(std::get<1>(span));
                          });
    printer << ']';
  }
  printer << '>';
}

LogicalResult ViewAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<Attribute> shape,
                               ArrayRef<Attribute> strides, Attribute offset,
                               ArrayRef<Attribute> begin,
                               ArrayRef<Attribute> end) {
  for (ArrayRef<Attribute> dims :
       {shape, strides, ArrayRef<Attribute>(offset), begin, end})
    for (Attribute dim : dims)
      if (!Dim::isDim(dim))
        return emitError() << "entry " << dim
                           << " of a view is not an integer (of 64 bits), "
                              "#tg.var or #tg.dim";
  if (strides.size() != shape.size())
    return emitError() << "a view of rank " << shape.size() << " has "
                       << strides.size() << " strides";
  if (begin.size() != end.size() ||
      (!begin.empty() && begin.size() != shape.size()))
    return emitError() << "a view of rank " << shape.size()
                       << " has a mask for " << begin.size() << " axes";
  for (auto [axis, size] : llvm::enumerate(shape))
    if (!isNeverNegative(Dim(size)))
      return emitError() << "axis " << axis << " of a view has the size "
                         << Dim(size).str()
                         << ", which can be negative: " << Dim(size).getMin();
  return success();
}

//===----------------------------------------------------------------------===//
// Targets
//===----------------------------------------------------------------------===//

Attribute TargetAttr::parse(AsmParser &parser, Type) {
  const SMLoc start = parser.getCurrentLocation();
  std::string name;
  TargetFacts facts;
  uint64_t seen = 0;
  if (parser.parseLess() || parser.parseString(&name))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    const SMLoc location = parser.getCurrentLocation();
    StringRef key;
    if (parser.parseKeyword(&key))
      return {};
    const TargetFact *fact =
        llvm::find_if(getTargetFactList(),
                      [&](const TargetFact &f) { return f.name == key; });
    if (fact == getTargetFactList().end()) {
      auto error = parser.emitError(location)
                   << "'" << key << "' is not a fact about targets; these are ";
      llvm::interleaveComma(getTargetFactList(), error,
                            [&](const TargetFact &f) { error << f.name; });
      return {};
    }
    const uint64_t bit = uint64_t(1) << (fact - getTargetFactList().begin());
    if (seen & bit) {
      parser.emitError(location) << "'" << key << "' is given twice";
      return {};
    }
    seen |= bit;
    if (parser.parseEqual() || parser.parseInteger(facts.*fact->member))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(start); },
                    parser.getContext(), name, facts);
}

void TargetAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printString(getName());
  const TargetFacts facts = getFacts(), defaults;
  for (const TargetFact &fact : getTargetFactList())
    if (facts.*fact.member != defaults.*fact.member)
      printer << ", " << fact.name << " = " << facts.*fact.member;
  printer << '>';
}

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef name, TargetFacts facts) {
  for (const TargetFact &fact : getTargetFactList())
    if (const int64_t value = facts.*fact.member;
        value < fact.least || value > fact.most)
      return emitError() << "'" << fact.name << "' is " << value
                         << ", not a number from " << fact.least << " to "
                         << fact.most;
  if (name.empty())
    return emitError() << "a target needs a name";
  const std::pair<StringRef, int64_t> powers[] = {
      {"vector_bytes", facts.vectorBytes},
      {"line_bytes", facts.lineBytes},
      {"subgroup_items", facts.subgroupItems}};
  for (auto [fact, value] : powers)
    if (!llvm::isPowerOf2_64(value))
      return emitError() << "'" << fact << "' is " << value
                         << ", not a power of two";
  return success();
}
