//===- TgDimSyntax.cpp - dimensions as text -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The parser and the printer of dimensions.
///
//===----------------------------------------------------------------------===//

#include "TgDimSyntax.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgDimCheck.h"
#include "llvm/ADT/ScopeExit.h"
#include <algorithm>
#include <limits>

using namespace mlir;
using namespace mlir::tg;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Nesting depth of operators at the present position of the parser.
static thread_local int64_t dimNesting = 0;

namespace {
/// Parses by recursive descent. Each function takes the operand that it begins
/// with, if that has been read.
class DimParser {
public:
  explicit DimParser(AsmParser &parser) : parser(parser) {}

  /// product (`+` product | `-` product)*
  ParseResult parseSum(Attribute &sum, Attribute first = {});
  /// `(` sum (`,` sum)+ `)` after `min` or `max`, of which the parenthesis was
  /// read.
  ParseResult parseExtreme(DimOpKind kind, SMLoc loc, Attribute &result);
  /// Applies an operator.
  ParseResult apply(DimOpKind kind, SMLoc loc, ArrayRef<Attribute> operands,
                    Attribute &result);

private:
  /// factor (`*` factor | `floordiv` factor | `mod` factor)*
  ParseResult parseProduct(Attribute &product, Attribute first = {});
  /// `(` sum `)`, a minimum or maximum, or an attribute
  ParseResult parseFactor(Attribute &factor);
  /// \p body, unless it is nested too deep.
  ParseResult nest(SMLoc loc, function_ref<ParseResult()> body);

  AsmParser &parser;
};
} // namespace

ParseResult DimParser::nest(SMLoc loc, function_ref<ParseResult()> body) {
  if (dimNesting >= kMaxNesting)
    return parser.emitError(loc)
           << "dimension is nested more than " << kMaxNesting << " deep";
  ++dimNesting;
  llvm::scope_exit leave([] { --dimNesting; });
  return body();
}

ParseResult DimParser::apply(DimOpKind kind, SMLoc loc,
                             ArrayRef<Attribute> operands, Attribute &result) {
  auto emitError = [&] { return parser.emitError(loc); };
  if (failed(checkOperator(kind, operands, emitError)))
    return failure();
  result = Dim::get(kind, getDims(operands)).getAttr();
  return checkLength(result, emitError);
}

ParseResult DimParser::parseSum(Attribute &sum, Attribute first) {
  const SMLoc loc = parser.getCurrentLocation();
  SmallVector<Attribute> terms(1);
  if (parseProduct(terms[0], first))
    return failure();
  while (true) {
    const bool isAdded = succeeded(parser.parseOptionalPlus());
    if (!isAdded && failed(parser.parseOptionalMinus()))
      break;
    const SMLoc termLoc = parser.getCurrentLocation();
    Attribute &term = terms.emplace_back();
    if (parseProduct(term))
      return failure();
    const Attribute minusOne = parser.getBuilder().getI64IntegerAttr(-1);
    if (!isAdded && apply(DimOpKind::mul, termLoc, {term, minusOne}, term))
      return failure();
  }
  if (terms.size() > 1)
    return apply(DimOpKind::add, loc, terms, sum);
  sum = terms[0];
  return success();
}

ParseResult DimParser::parseProduct(Attribute &product, Attribute first) {
  const SMLoc loc = parser.getCurrentLocation();
  SmallVector<Attribute> factors{first};
  if (!first && parseFactor(factors[0]))
    return failure();
  auto multiply = [&]() -> ParseResult {
    if (factors.size() > 1) {
      Attribute value;
      if (apply(DimOpKind::mul, loc, factors, value))
        return failure();
      factors = {value};
    }
    return success();
  };
  while (true) {
    if (succeeded(parser.parseOptionalStar())) {
      if (parseFactor(factors.emplace_back()))
        return failure();
      continue;
    }
    if (multiply())
      return failure();
    DimOpKind kind;
    if (succeeded(parser.parseOptionalKeyword("floordiv")))
      kind = DimOpKind::floordiv;
    else if (succeeded(parser.parseOptionalKeyword("mod")))
      kind = DimOpKind::mod;
    else
      break;
    Attribute divisor;
    if (parseFactor(divisor) ||
        apply(kind, loc, {factors[0], divisor}, factors[0]))
      return failure();
  }
  product = factors[0];
  return success();
}

ParseResult DimParser::parseFactor(Attribute &factor) {
  const SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (succeeded(parser.parseOptionalKeyword(&word, {"min", "max"})))
    return failure(parser.parseLParen() ||
                   parseExtreme(*symbolizeDimOpKind(word), loc, factor));
  if (failed(parser.parseOptionalLParen()))
    return parser.parseAttribute(factor);
  return nest(
      loc, [&] { return failure(parseSum(factor) || parser.parseRParen()); });
}

ParseResult DimParser::parseExtreme(DimOpKind kind, SMLoc loc,
                                    Attribute &result) {
  return nest(loc, [&]() -> ParseResult {
    SmallVector<Attribute> operands;
    if (parser.parseCommaSeparatedList(
            [&] { return parseSum(operands.emplace_back()); }) ||
        parser.parseRParen())
      return failure();
    return apply(kind, loc, operands, result);
  });
}

ParseResult mlir::tg::parseDim(AsmParser &parser, Attribute &dim) {
  return DimParser(parser).parseSum(dim);
}

ParseResult mlir::tg::parseDims(AsmParser &parser,
                                SmallVectorImpl<Attribute> &dims) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parseDim(parser, dims.emplace_back());
  });
}

/// The operands of an operator that stands before them, which is how all
/// expressions were written once, and how those are that have no normal form.
static Attribute parsePrefix(AsmParser &parser, DimOpKind kind, SMLoc loc,
                             bool isVerbatim) {
  SmallVector<Attribute> operands;
  while (succeeded(parser.parseOptionalComma()))
    if (parseDim(parser, operands.emplace_back()))
      return {};
  auto emitError = [&] { return parser.emitError(loc); };
  if (!isVerbatim) {
    Attribute result;
    return succeeded(DimParser(parser).apply(kind, loc, operands, result))
               ? result
               : Attribute();
  }
  if (failed(checkOperator(kind, operands, emitError)))
    return {};
  Attribute result = DimExprAttr::get(parser.getContext(), kind, operands);
  return succeeded(checkLength(result, emitError)) ? result : Attribute();
}

Attribute DimExprAttr::parse(AsmParser &parser, Type) {
  const SMLoc loc = parser.getCurrentLocation();
  if (dimNesting >= kMaxNesting) {
    parser.emitError(loc) << "dimension is nested more than " << kMaxNesting
                          << " deep";
    return {};
  }
  ++dimNesting;
  llvm::scope_exit leave([] { --dimNesting; });
  if (parser.parseLess())
    return {};
  const bool isVerbatim = succeeded(parser.parseOptionalKeyword("verbatim"));
  const SMLoc operatorLoc = parser.getCurrentLocation();
  StringRef word;
  Attribute result;
  if (succeeded(parser.parseOptionalKeyword(
          &word, {"add", "mul", "floordiv", "mod", "min", "max"}))) {
    const DimOpKind kind = *symbolizeDimOpKind(word);
    const bool isExtreme = kind == DimOpKind::min || kind == DimOpKind::max;
    if (!isVerbatim && isExtreme && succeeded(parser.parseOptionalLParen())) {
      DimParser own(parser);
      Attribute first;
      if (own.parseExtreme(kind, operatorLoc, first) ||
          own.parseSum(result, first))
        return {};
    } else {
      result = parsePrefix(parser, kind, loc, isVerbatim);
    }
  } else if (isVerbatim) {
    parser.emitError(operatorLoc, "expected an operator: add, mul, floordiv, "
                                  "mod, min or max");
    return {};
  } else if (succeeded(parser.parseOptionalKeyword(&word))) {
    parser.emitError(operatorLoc) << "expected one of [add, mul, floordiv, "
                                     "mod, min, max] for an operator "
                                     "on dimensions, got: "
                                  << word;
    return {};
  } else if (parseDim(parser, result)) {
    return {};
  }
  if (!result || parser.parseGreater())
    return {};
  if (!Dim::isDim(result)) {
    parser.emitError(loc) << result
                          << " is not an integer (of 64 bits), #tg.var or "
                             "#tg.dim";
    return {};
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

/// Whether the parser makes this expression of its operator and operands.
static bool isNormal(DimExprAttr expr) {
  return expr.getSize().isLinear ||
         Dim::get(expr.getKind(), getDims(expr.getOperands())).getAttr() ==
             expr;
}

/// What is subtracted by a term of a sum, if it is shorter to write so.
static Attribute getSubtracted(Attribute term) {
  auto product = dyn_cast<DimExprAttr>(term);
  const Attribute factor = product && product.getKind() == DimOpKind::mul
                               ? product.getOperands().back()
                               : term;
  auto number = dyn_cast<IntegerAttr>(factor);
  if (!number || number.getInt() >= 0 ||
      number.getInt() == std::numeric_limits<int64_t>::min())
    return {};
  const Dim minusOne(term.getContext(), -1);
  const Dim positive = Dim(term) * minusOne;
  return (positive * minusOne).getAttr() == term ? positive.getAttr()
                                                 : Attribute();
}

/// The terms of a sum as they are printed: one that is not subtracted comes
/// first, if the parser then makes the same sum.
static SmallVector<Attribute> getPrintedTerms(DimExprAttr sum) {
  SmallVector<Attribute> terms(sum.getOperands());
  auto *first =
      llvm::find_if(terms, [](Attribute term) { return !getSubtracted(term); });
  if (first == terms.begin() || first == terms.end())
    return terms;
  std::rotate(terms.begin(), first, first + 1);
  if (!sum.getSize().isLinear &&
      Dim::get(DimOpKind::add, getDims(terms)).getAttr() != sum)
    terms.assign(sum.getOperands().begin(), sum.getOperands().end());
  return terms;
}

/// Prints an operand of a product or quotient, which binds tighter.
static void printFactor(AsmPrinter &printer, Attribute factor) {
  auto expr = dyn_cast<DimExprAttr>(factor);
  const bool isAtom = !expr || expr.getKind() == DimOpKind::min ||
                      expr.getKind() == DimOpKind::max || !isNormal(expr);
  if (!isAtom)
    printer << '(';
  printDim(printer, factor);
  if (!isAtom)
    printer << ')';
}

/// The parts of an expression in normal form.
static void printNormal(AsmPrinter &printer, DimExprAttr expr) {
  const ArrayRef<Attribute> operands = expr.getOperands();
  auto print = [&](Attribute operand) { printDim(printer, operand); };
  auto printAsFactor = [&](Attribute operand) {
    printFactor(printer, operand);
  };
  switch (expr.getKind()) {
  case DimOpKind::add: {
    const SmallVector<Attribute> terms = getPrintedTerms(expr);
    print(terms[0]);
    for (Attribute term : ArrayRef(terms).drop_front()) {
      const Attribute subtracted = getSubtracted(term);
      printer << (subtracted ? " - " : " + ");
      print(subtracted ? subtracted : term);
    }
    return;
  }
  case DimOpKind::mul:
    return llvm::interleave(operands, printer, printAsFactor, " * ");
  case DimOpKind::floordiv:
    return llvm::interleave(operands, printer, printAsFactor, " floordiv ");
  case DimOpKind::mod:
    return llvm::interleave(operands, printer, printAsFactor, " mod ");
  case DimOpKind::min:
  case DimOpKind::max:
    printer << stringifyDimOpKind(expr.getKind()) << '(';
    llvm::interleaveComma(operands, printer, print);
    printer << ')';
    return;
  }
}

void mlir::tg::printDim(AsmPrinter &printer, Attribute dim) {
  auto expr = dyn_cast<DimExprAttr>(dim);
  if (expr && isNormal(expr))
    printNormal(printer, expr);
  else
    printer.printAttributeWithoutType(dim);
}

void mlir::tg::printDims(AsmPrinter &printer, ArrayRef<Attribute> dims) {
  printer << '[';
  llvm::interleaveComma(dims, printer,
                        [&](Attribute dim) { printDim(printer, dim); });
  printer << ']';
}

void DimExprAttr::print(AsmPrinter &printer) const {
  printer << '<';
  if (isNormal(*this)) {
    printNormal(printer, *this);
  } else {
    printer << "verbatim " << stringifyDimOpKind(getKind());
    for (Attribute operand : getOperands()) {
      printer << ", ";
      printDim(printer, operand);
    }
  }
  printer << '>';
}
