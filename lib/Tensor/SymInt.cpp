//===- SymInt.cpp - numbers and expressions over variables ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Expressions are the dialect's dimensions, in a context that all graphs of
/// the process share.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Tensor/SymInt.h"
#include "SymDim.h"
#include "SymExpr.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgDimCheck.h"
#include "TinyGrad/Runtime/Error.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/DenseMap.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <mutex>
#include <ostream>

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::detail;

//===----------------------------------------------------------------------===//
// The expressions of the process
//===----------------------------------------------------------------------===//

namespace {
/// Guarded by its lock: making attributes, and looking for those that are
/// there.
struct Expressions {
  Expressions() : context(MLIRContext::Threading::DISABLED) {
    context.disableMultithreading(); // as in GraphImpl
    context.loadDialect<tg::TgDialect>();
  }

  SymInt make(tg::Dim dim);
  const SymExpr *makeExpr(Attribute attr);
  const SymVariable *variableOf(tg::VarAttr var);
  tg::Dim dimOf(SymInt value) {
    return value.isSymbolic() ? tg::Dim(Attribute::getFromOpaquePointer(
                                    value.expression()->attr))
                              : tg::Dim(&context, value.value());
  }

  std::mutex mutex;
  MLIRContext context;
  llvm::DenseMap<Attribute, const SymExpr *> known;
  llvm::DenseMap<Attribute, const SymVariable *> variables;
};
} // namespace

/// Never destroyed: static tensors may outlive any other static object.
static Expressions &expressions() {
  static auto *all = new Expressions;
  return *all;
}

/// The value, if all variables have one.
static std::optional<int64_t> valueOf(Attribute attr) {
  if (auto var = dyn_cast<tg::VarAttr>(attr))
    return var.getValue();
  auto expr = dyn_cast<tg::DimExprAttr>(attr);
  if (!expr)
    return cast<IntegerAttr>(attr).getInt();
  // Chains go on at their left: what is short comes first.
  std::optional<int64_t> rhs = valueOf(expr.getRhs());
  if (!rhs)
    return std::nullopt;
  std::optional<int64_t> lhs = valueOf(expr.getLhs());
  if (!lhs)
    return std::nullopt;
  MLIRContext *context = attr.getContext();
  return tg::Dim::get(expr.getKind(), tg::Dim(context, *lhs),
                      tg::Dim(context, *rhs))
      .getStatic();
}

SymInt Expressions::make(tg::Dim dim) {
  if (std::optional<int64_t> number = dim.getStatic())
    return SymInt(*number);
  return SymInt(makeExpr(dim.getAttr()));
}

const SymExpr *Expressions::makeExpr(Attribute attr) {
  const SymExpr *&expr = known[attr];
  if (expr)
    return expr;
  const tg::Dim dim(attr);
  auto made = std::make_unique<SymExpr>();
  made->attr = dim.getAttr().getAsOpaquePointer();
  made->min = dim.getMin();
  // Sizes whose product is written out, as n * (12 - n).
  if (made->min < 0 && tg::isNeverNegative(dim))
    made->min = 0;
  made->max = dim.getMax();
  made->value = valueOf(dim.getAttr());
  dim.walk(
      [&](tg::VarAttr var) { made->variables.push_back(variableOf(var)); });
  auto byName = [](const SymVariable *a, const SymVariable *b) {
    return a->name < b->name;
  };
  if (!llvm::is_sorted(made->variables, byName))
    llvm::sort(made->variables, byName);
  return expr = made.release();
}

const SymVariable *Expressions::variableOf(tg::VarAttr var) {
  const SymVariable *&variable = variables[var];
  if (!variable)
    variable = new SymVariable{var.getName().str(), var.getMin(), var.getMax(),
                               var.getValue()};
  return variable;
}

//===----------------------------------------------------------------------===//
// Copies in other contexts
//===----------------------------------------------------------------------===//

/// The same attribute in another context. It is in normal form there too: the
/// order of terms goes by their text.
static Attribute copyTo(MLIRContext *context, Attribute attr) {
  if (auto var = dyn_cast<tg::VarAttr>(attr))
    return tg::VarAttr::get(context,
                            StringAttr::get(context, var.getName().getValue()),
                            var.getMin(), var.getMax(), var.getValue());
  if (auto expr = dyn_cast<tg::DimExprAttr>(attr))
    return tg::DimExprAttr::get(context, expr.getKind(),
                                copyTo(context, expr.getLhs()),
                                copyTo(context, expr.getRhs()));
  return tg::Dim(context, cast<IntegerAttr>(attr).getInt()).getAttr();
}

Attribute tinygrad::detail::copyExpression(MLIRContext *context,
                                           const SymExpr *expr) {
  return copyTo(context, Attribute::getFromOpaquePointer(expr->attr));
}

SymInt tinygrad::detail::makeExpression(Attribute attr) {
  Expressions &all = expressions();
  std::lock_guard<std::mutex> lock(all.mutex);
  return all.make(tg::Dim(copyTo(&all.context, attr)));
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static std::string symbolOf(SymOp op) {
  static const char *const symbols[] = {" + ", " - ", " * ", " / ", " % "};
  return symbols[unsigned(op)];
}

static std::string inParentheses(SymInt value) {
  const std::string text = value.str();
  return text.find(' ') == std::string::npos ? text : "(" + text + ")";
}

static std::string textOf(SymOp op, SymInt lhs, SymInt rhs) {
  if (op == SymOp::Min || op == SymOp::Max)
    return std::string(op == SymOp::Min ? "symMin(" : "symMax(") + lhs.str() +
           ", " + rhs.str() + ")";
  return inParentheses(lhs) + symbolOf(op) + inParentheses(rhs);
}

/// The attribute, which can be read without the lock.
static Attribute attributeOf(const SymExpr *expr) {
  return Attribute::getFromOpaquePointer(expr->attr);
}

static std::string textOf(const SymExpr *expr) {
  const Attribute attr = attributeOf(expr);
  const std::string text = tg::Dim(attr).str();
  // The outer parentheses say nothing.
  return isa<tg::DimExprAttr>(attr) ? text.substr(1, text.size() - 2) : text;
}

/// The characters of str().
static std::size_t lengthOf(SymInt value) {
  if (!value.isSymbolic())
    return value.str().size();
  const Attribute attr = attributeOf(value.expression());
  return tg::getDimSize(attr).characters - (isa<tg::DimExprAttr>(attr) ? 2 : 0);
}

/// Characters of an expression. What is used twice is written twice, so that
/// few operations can make more than fits into memory.
constexpr std::size_t longestText = 1 << 16;

[[noreturn]] static void throwTooLarge(SymOp op, SymInt lhs, SymInt rhs) {
  throw ShapeError(textOf(op, lhs, rhs) + " is too large for 64 bits");
}

static void checkDivisor(SymOp op, SymInt lhs, SymInt rhs) {
  if (rhs.min() <= 0 && rhs.max() >= 0)
    throw ShapeError(textOf(op, lhs, rhs) + " divides by " +
                     (rhs.isSymbolic() ? "what may be 0" : "0"));
}

static SymInt combineNumbers(SymOp op, int64_t a, int64_t b) {
  int64_t result = 0;
  bool overflows = false;
  switch (op) {
  case SymOp::Add:
    overflows = __builtin_add_overflow(a, b, &result);
    break;
  case SymOp::Sub:
    overflows = __builtin_sub_overflow(a, b, &result);
    break;
  case SymOp::Mul:
    overflows = __builtin_mul_overflow(a, b, &result);
    break;
  case SymOp::Div:
    overflows = a == std::numeric_limits<int64_t>::min() && b == -1;
    if (!overflows)
      result = a / b - (a % b != 0 && (a < 0) != (b < 0));
    break;
  case SymOp::Mod:
    result = b == -1 ? 0 : a % b;
    if (result != 0 && (result < 0) != (b < 0))
      result += b;
    break;
  case SymOp::Min:
    return std::min(a, b);
  case SymOp::Max:
    return std::max(a, b);
  }
  if (overflows)
    throwTooLarge(op, a, b);
  return result;
}

static tg::Dim combineDims(SymOp op, tg::Dim lhs, tg::Dim rhs) {
  switch (op) {
  case SymOp::Add:
    return lhs + rhs;
  case SymOp::Sub:
    return lhs - rhs;
  case SymOp::Mul:
    return lhs * rhs;
  case SymOp::Div:
    return tg::Dim::get(tg::DimOpKind::floordiv, lhs, rhs);
  case SymOp::Mod:
    return tg::Dim::get(tg::DimOpKind::mod, lhs, rhs);
  case SymOp::Min:
    return tg::Dim::get(tg::DimOpKind::min, lhs, rhs);
  case SymOp::Max:
    break;
  }
  return tg::Dim::get(tg::DimOpKind::max, lhs, rhs);
}

static std::string boundsOf(const SymVariable &variable) {
  return "[" + std::to_string(variable.min) + ", " +
         std::to_string(variable.max) + "]";
}

/// Throws for two variables of one name that are not the same.
static void checkSame(const SymVariable &a, const SymVariable &b) {
  if (a == b)
    return;
  const std::string variable = "variable " + a.name;
  if (a.min != b.min || a.max != b.max)
    throw ShapeError(variable + " has the bounds " + boundsOf(a) +
                     " in one place and " + boundsOf(b) + " in another");
  if (a.value && b.value)
    throw ShapeError(variable + " is bound to " + std::to_string(*a.value) +
                     " in one place and to " + std::to_string(*b.value) +
                     " in another");
  throw ShapeError(variable + " is bound to " +
                   std::to_string(a.value ? *a.value : *b.value) +
                   " in one place and to no value in another");
}

/// Throws if a variable of the one list is not the same in the other one.
static void checkSame(std::span<const SymVariable *const> a,
                      std::span<const SymVariable *const> b) {
  const auto [fewer, more] =
      std::minmax(a, b, [](auto x, auto y) { return x.size() < y.size(); });
  for (const SymVariable *variable : fewer) {
    const auto it = llvm::lower_bound(
        more, variable, [](const SymVariable *x, const SymVariable *y) {
          return x->name < y->name;
        });
    if (it == more.end() || *it == variable || (*it)->name != variable->name)
      continue;
    const bool isSwapped = fewer.data() != a.data();
    checkSame(isSwapped ? **it : *variable, isSwapped ? *variable : **it);
  }
}

SymInt tinygrad::detail::combine(SymOp op, SymInt lhs, SymInt rhs) {
  if (op == SymOp::Div || op == SymOp::Mod)
    checkDivisor(op, lhs, rhs);
  if (!lhs.isSymbolic() && !rhs.isSymbolic())
    return combineNumbers(op, lhs.value(), rhs.value());
  if (const std::size_t left = lengthOf(lhs), right = lengthOf(rhs);
      left + right > longestText)
    throw ShapeError("an expression of " + std::to_string(left) +
                     " and one of " + std::to_string(right) +
                     " characters make one that is too long for a size");
  if (lhs.isSymbolic() && rhs.isSymbolic())
    checkSame(lhs.expression()->variables, rhs.expression()->variables);
  Expressions &all = expressions();
  SymInt result;
  {
    std::lock_guard<std::mutex> lock(all.mutex);
    const tg::Dim dim = combineDims(op, all.dimOf(lhs), all.dimOf(rhs));
    // Discards the message, which has no location here.
    ScopedDiagnosticHandler quiet(&all.context, [](Diagnostic &) {});
    if (failed(tg::checkLength(dim.getAttr(), [&] {
          return emitError(UnknownLoc::get(&all.context));
        })))
      throw ShapeError(
          "a size is an expression of at most " +
          std::to_string(tg::kMostParts) + " parts, nested at most " +
          std::to_string(tg::kMostNesting) + " deep; this one is too long");
    result = all.make(dim);
  }
  // Arithmetic on dimensions stops at the ends.
  using Limits = std::numeric_limits<int64_t>;
  if (result.isSymbolic() &&
      (result.min() == Limits::min() || result.max() == Limits::max()))
    throwTooLarge(op, lhs, rhs);
  return result;
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

bool SymInt::hasValue() const { return !expr || expr->value; }

int64_t SymInt::valueOfExpr() const {
  if (expr->value)
    return *expr->value;
  throw ShapeError(str() + " has no value where a constant is required; " +
                   describeUnbound(variables()));
}

int64_t SymInt::boundsOfExpr(bool upper) const {
  return upper ? expr->max : expr->min;
}

std::vector<SymVariable> SymInt::variables() const {
  std::vector<SymVariable> copies;
  if (expr)
    for (const SymVariable *variable : expr->variables)
      copies.push_back(*variable);
  return copies;
}

std::string SymInt::str() const {
  return expr ? textOf(expr) : std::to_string(number);
}

std::ostream &tinygrad::operator<<(std::ostream &stream, SymInt value) {
  return stream << value.str();
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

static const SymExpr *makeVariable(std::string_view name, int64_t min,
                                   int64_t max, std::optional<int64_t> value) {
  const std::string range =
      "[" + std::to_string(min) + ", " + std::to_string(max) + "]";
  if (name.empty())
    throw ShapeError("a variable with the bounds " + range + " has no name");
  const std::string variable = "variable " + std::string(name);
  if (min > max)
    throw ShapeError(variable + ": there is no number in its bounds " + range);
  if (value && (*value < min || *value > max))
    throw ShapeError(variable + " cannot be " + std::to_string(*value) +
                     ": its bounds are " + range);
  Expressions &all = expressions();
  std::lock_guard<std::mutex> lock(all.mutex);
  return all.makeExpr(tg::VarAttr::get(
      &all.context, StringAttr::get(&all.context, name), min, max, value));
}

/// A variable as a size: a number if there is no choice.
static SymInt asSize(const SymExpr *variable) {
  return variable->min == variable->max ? SymInt(variable->min)
                                        : SymInt(variable);
}

Variable::Variable(std::string_view name, int64_t min, int64_t max)
    : SymInt(asSize(makeVariable(name, min, max, std::nullopt))),
      variable(makeVariable(name, min, max, std::nullopt)) {}

const std::string &Variable::name() const {
  return variable->variables.front()->name;
}

SymInt Variable::bind(int64_t value) const {
  return asSize(makeVariable(name(), min(), max(), value));
}

std::string
tinygrad::detail::describeUnbound(std::span<const SymVariable> variables) {
  for (const SymVariable &variable : variables)
    if (!variable.value)
      return "bind variable " + variable.name + " to a value in " +
             boundsOf(variable);
  return "";
}

static void addVariable(std::vector<SymVariable> &variables,
                        const SymVariable &variable) {
  auto it = std::lower_bound(
      variables.begin(), variables.end(), variable,
      [](const auto &a, const auto &b) { return a.name < b.name; });
  if (it != variables.end() && it->name == variable.name)
    checkSame(*it, variable);
  else
    variables.insert(it, variable);
}

void tinygrad::detail::addVariables(std::vector<SymVariable> &variables,
                                    std::span<const SymVariable> added) {
  for (const SymVariable &variable : added)
    addVariable(variables, variable);
}

void tinygrad::detail::addVariables(std::vector<SymVariable> &variables,
                                    std::span<const SymVariable *const> added) {
  for (const SymVariable *variable : added)
    addVariable(variables, *variable);
}

/// The variables of all sizes; throws as addVariables does.
static std::vector<SymVariable>
variablesOf(std::initializer_list<const Shape *> lists) {
  std::vector<SymVariable> variables;
  for (const Shape *list : lists)
    for (SymInt size : *list)
      if (size.isSymbolic())
        addVariables(variables, size.expression()->variables);
  return variables;
}

void tinygrad::detail::checkVariables(
    std::initializer_list<const Shape *> lists) {
  for (const Shape *list : lists)
    if (isSymbolic(*list)) {
      variablesOf(lists);
      return;
    }
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

bool tinygrad::detail::isAtMost(SymInt lhs, SymInt rhs) {
  if (lhs.max() <= rhs.min() || lhs == rhs)
    return true;
  return (lhs.isSymbolic() || rhs.isSymbolic()) && (rhs - lhs).min() >= 0;
}

/// "n = 1, as 1 and 3", or nothing if no values were found.
static std::string findValues(SymInt lhs, SymInt rhs,
                              bool (*isWanted)(int64_t, int64_t)) {
  const Shape both = {lhs, rhs};
  // Throws if they are of one variable with two bounds or values.
  variablesOf({&both});
  Expressions &all = expressions();
  std::lock_guard<std::mutex> lock(all.mutex);
  return tg::findValues(all.dimOf(lhs), all.dimOf(rhs), isWanted);
}

std::string tinygrad::detail::explainDifference(SymInt lhs, SymInt rhs) {
  if (!lhs.isSymbolic() && !rhs.isSymbolic())
    return "";
  const std::string where =
      findValues(lhs, rhs, [](int64_t a, int64_t b) { return a != b; });
  const std::string pair = "; " + lhs.str() + " and " + rhs.str();
  return where.empty() ? pair + " could not be shown to be equal"
                       : pair + " differ for " + where;
}

std::string tinygrad::detail::explainExcess(SymInt lhs, SymInt rhs) {
  if ((!lhs.isSymbolic() && !rhs.isSymbolic()) || isAtMost(lhs, rhs))
    return "";
  const std::string where =
      findValues(lhs, rhs, [](int64_t a, int64_t b) { return a > b; });
  return where.empty() ? "; " + lhs.str() +
                             " could not be shown to be at most " + rhs.str()
                       : "; " + lhs.str() + " is more than " + rhs.str() +
                             " for " + where;
}

std::string tinygrad::detail::explainDifference(const Shape &lhs,
                                                const Shape &rhs) {
  if (!isSymbolic(lhs) && !isSymbolic(rhs))
    return "";
  SymInt a = 1, b = 1;
  for (SymInt size : lhs)
    a *= size;
  for (SymInt size : rhs)
    b *= size;
  return explainDifference(a, b);
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

int64_t tinygrad::detail::constantOf(SymInt size, const char *what) {
  if (size.isSymbolic())
    throw ShapeError(std::string(what) +
                     ": a constant is required here, not the symbolic " +
                     size.str());
  return size.value();
}

std::vector<int64_t> tinygrad::detail::constantsOf(const Shape &shape,
                                                   const char *what) {
  std::vector<int64_t> values;
  for (SymInt size : shape)
    values.push_back(constantOf(size, what));
  return values;
}

std::vector<int64_t> tinygrad::detail::valuesOf(const Shape &shape) {
  std::vector<int64_t> values;
  for (SymInt size : shape)
    values.push_back(size.value());
  return values;
}

std::vector<int64_t> tinygrad::detail::largestOf(const Shape &shape) {
  std::vector<int64_t> values;
  for (SymInt size : shape)
    values.push_back(size.max());
  return values;
}
