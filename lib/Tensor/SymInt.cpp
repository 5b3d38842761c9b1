//===- SymInt.cpp - numbers and expressions over variables ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Expressions are dimension attributes of the dialect, in one context for all
/// graphs of the process.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Tensor/SymInt.h"
#include "Recorder.h"
#include "SymDim.h"
#include "SymExpr.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgDimCheck.h"
#include "TinyGrad/Runtime/Error.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/DenseMap.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <ostream>
#include <queue>
#include <unordered_map>
#include <utility>

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::detail;

//===----------------------------------------------------------------------===//
// Process-wide expressions
//===----------------------------------------------------------------------===//

namespace {
/// The values in use of one variable.
struct BoundVariables {
  /// By index. In attributes, indices count down from the upper bound; they
  /// stay within the bounds since there are no more indices than values.
  std::vector<std::unique_ptr<KnownVariable>> places;
  /// Free indices. The smallest is used first, so that expressions combine the
  /// same few variables again.
  std::priority_queue<int64_t, std::vector<int64_t>, std::greater<>> free;
  std::unordered_map<int64_t, KnownVariable *> byValue;
};

/// The lock guards the creation and lookup of attributes, and the values of
/// variables.
struct Expressions {
  Expressions() : context(MLIRContext::Threading::DISABLED) {
    context.disableMultithreading(); // as in GraphImpl
    context.loadDialect<tg::TgDialect>();
  }

  SymInt make(tg::Dim dim);
  /// A size that refers to the expression.
  SymInt hold(const SymExpr *expr);
  const SymExpr *makeExpr(Attribute attr);
  KnownVariable *variableOf(tg::VarAttr var);
  /// The variable with \p value as its value.
  SymInt bind(KnownVariable &unbound, int64_t value);
  /// Frees the value if nothing refers to it.
  void freeIfUnused(KnownVariable &variable);

  tg::Dim dimOf(const SymInt &value) {
    return value.isSymbolic() ? tg::Dim(Attribute::getFromOpaquePointer(
                                    value.expression()->attr))
                              : tg::Dim(&context, value.value());
  }

  std::mutex mutex;
  MLIRContext context;
  llvm::DenseMap<Attribute, const SymExpr *> known;
  llvm::DenseMap<Attribute, KnownVariable *> variables;
  /// By the variable without a value.
  llvm::DenseMap<const KnownVariable *, BoundVariables> bound;
};
} // namespace

/// Never destroyed: static tensors may outlive any other static object.
static Expressions &expressions() {
  static auto *all = new Expressions;
  return *all;
}

/// The variable of an expression for an attribute in it.
static const KnownVariable &variableIn(const SymExpr *expr, tg::VarAttr var) {
  if (expr->variables.size() == 1)
    return *expr->variables.front();
  const StringRef name = var.getName().getValue();
  return **llvm::lower_bound(
      expr->variables, name,
      [](const KnownVariable *x, StringRef name) { return x->name < name; });
}

/// The value of a subexpression whose variables are bound.
static int64_t valueOf(const SymExpr *expr, Attribute part) {
  if (auto var = dyn_cast<tg::VarAttr>(part))
    return *variableIn(expr, var).value;
  auto operation = dyn_cast<tg::DimExprAttr>(part);
  if (!operation)
    return cast<IntegerAttr>(part).getInt();
  const SmallVector<tg::Dim> values =
      llvm::map_to_vector(operation.getOperands(), [&](Attribute operand) {
        return tg::Dim(part.getContext(), valueOf(expr, operand));
      });
  return *tg::Dim::get(operation.getKind(), values).getStatic();
}

SymInt Expressions::make(tg::Dim dim) {
  if (std::optional<int64_t> number = dim.getStatic())
    return SymInt(*number);
  return hold(makeExpr(dim.getAttr()));
}

SymInt Expressions::hold(const SymExpr *expr) {
  if (expr->isBound) {
    ++expr->holders;
    if (!std::exchange(expr->holdsVariables, true))
      for (KnownVariable *variable : expr->variables)
        holdVariable(*variable);
  }
  return SymInt::adopt(expr);
}

const SymExpr *Expressions::makeExpr(Attribute attr) {
  const SymExpr *&expr = known[attr];
  if (expr)
    return expr;
  const tg::Dim dim(attr);
  auto made = std::make_unique<SymExpr>();
  made->attr = dim.getAttr().getAsOpaquePointer();
  made->min = dim.getMin();
  // A product may have a negative bound but be provably non-negative: n * (12 -
  // n).
  if (made->min < 0 && tg::isNeverNegative(dim))
    made->min = 0;
  made->max = dim.getMax();
  dim.walk(
      [&](tg::VarAttr var) { made->variables.push_back(variableOf(var)); });
  auto byName = [](const KnownVariable *a, const KnownVariable *b) {
    return a->name < b->name;
  };
  if (!llvm::is_sorted(made->variables, byName))
    llvm::sort(made->variables, byName);
  made->isBound = llvm::any_of(
      made->variables, [](const KnownVariable *x) { return x->unbound; });
  return expr = made.release();
}

KnownVariable *Expressions::variableOf(tg::VarAttr var) {
  KnownVariable *&variable = variables[var];
  if (variable)
    return variable;
  assert(!var.getValue() && "places of values are made by bind()");
  variable = new KnownVariable;
  variable->name = var.getName().str();
  variable->min = var.getMin();
  variable->max = var.getMax();
  return variable;
}

SymInt Expressions::bind(KnownVariable &unbound, int64_t value) {
  BoundVariables &values = bound[&unbound];
  if (auto known = values.byValue.find(value); known != values.byValue.end())
    return hold(known->second->expr);
  if (values.free.empty()) {
    auto variable = std::make_unique<KnownVariable>();
    static_cast<SymVariable &>(*variable) = unbound;
    variable->unbound = &unbound;
    variable->place = int64_t(values.places.size());
    auto var = tg::VarAttr::get(
        &context, StringAttr::get(&context, unbound.name), unbound.min,
        unbound.max, unbound.max - variable->place);
    variables[var] = variable.get();
    variable->expr = makeExpr(var);
    values.places.push_back(std::move(variable));
    values.free.push(values.places.back()->place);
  }
  KnownVariable &variable = *values.places[std::size_t(values.free.top())];
  values.byValue.emplace(value, &variable);
  values.free.pop();
  variable.value = value;
  return hold(variable.expr);
}

void Expressions::freeIfUnused(KnownVariable &variable) {
  // It may have been used again before the lock was taken.
  if (variable.holders != 0 || !variable.value)
    return;
  BoundVariables &values = bound.find(variable.unbound)->second;
  values.byValue.erase(*variable.value);
  variable.value.reset();
  values.free.push(variable.place);
}

void tinygrad::detail::holdVariable(KnownVariable &variable) {
  if (variable.unbound)
    ++variable.holders;
}

void tinygrad::detail::dropVariable(KnownVariable &variable) {
  if (!variable.unbound || --variable.holders != 0)
    return;
  Expressions &all = expressions();
  std::lock_guard<std::mutex> lock(all.mutex);
  all.freeIfUnused(variable);
}

void tinygrad::detail::retain(const SymExpr *expr) {
  if (!expr->isBound || expr->holders++ != 0)
    return;
  // The caller has the expression, so its variables are held at present.
  Expressions &all = expressions();
  std::lock_guard<std::mutex> lock(all.mutex);
  if (!std::exchange(expr->holdsVariables, true))
    for (KnownVariable *variable : expr->variables)
      holdVariable(*variable);
}

void tinygrad::detail::release(const SymExpr *expr) {
  if (!expr->isBound || --expr->holders != 0)
    return;
  Expressions &all = expressions();
  std::lock_guard<std::mutex> lock(all.mutex);
  if (expr->holders != 0 || !std::exchange(expr->holdsVariables, false))
    return;
  for (KnownVariable *variable : expr->variables)
    if (variable->unbound && --variable->holders == 0)
      all.freeIfUnused(*variable);
}

//===----------------------------------------------------------------------===//
// Copies in other contexts
//===----------------------------------------------------------------------===//

/// The same attribute in another context, also in normal form, since terms are
/// ordered by their text.
static Attribute copyTo(MLIRContext *context, Attribute attr) {
  if (auto var = dyn_cast<tg::VarAttr>(attr))
    return tg::VarAttr::get(context,
                            StringAttr::get(context, var.getName().getValue()),
                            var.getMin(), var.getMax(), var.getValue());
  if (auto expr = dyn_cast<tg::DimExprAttr>(attr))
    return tg::DimExprAttr::get(
        context, expr.getKind(),
        llvm::map_to_vector(expr.getOperands(), [&](Attribute operand) {
          return copyTo(context, operand);
        }));
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

KnownVariable &tinygrad::detail::findVariable(tg::VarAttr var) {
  Expressions &all = expressions();
  std::lock_guard<std::mutex> lock(all.mutex);
  return *all.variableOf(cast<tg::VarAttr>(copyTo(&all.context, var)));
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static std::string symbolOf(SymOp op) {
  static const char *const symbols[] = {" + ", " - ", " * ", " / ", " % "};
  return symbols[unsigned(op)];
}

static std::string inParentheses(const SymInt &value) {
  const std::string text = value.str();
  return text.find(' ') == std::string::npos ? text : "(" + text + ")";
}

static std::string textOf(SymOp op, const SymInt &lhs, const SymInt &rhs) {
  if (op == SymOp::Min || op == SymOp::Max)
    return std::string(op == SymOp::Min ? "symMin(" : "symMax(") + lhs.str() +
           ", " + rhs.str() + ")";
  return inParentheses(lhs) + symbolOf(op) + inParentheses(rhs);
}

/// The attribute; reading it takes no lock.
static Attribute attributeOf(const SymExpr *expr) {
  return Attribute::getFromOpaquePointer(expr->attr);
}

static std::string textOf(const SymExpr *expr) {
  const Attribute attr = attributeOf(expr);
  const std::string text = tg::Dim(attr).str(
      [&](tg::VarAttr var) { return variableIn(expr, var).value; });
  // Drops the redundant outer parentheses.
  return isa<tg::DimExprAttr>(attr) ? text.substr(1, text.size() - 2) : text;
}

/// The length of str().
static std::size_t lengthOf(const SymInt &value) {
  if (!value.isSymbolic())
    return value.str().size();
  const Attribute attr = attributeOf(value.expression());
  return tg::getDimSize(attr).characters - (isa<tg::DimExprAttr>(attr) ? 2 : 0);
}

/// The maximal length of an expression. Shared subexpressions are printed
/// repeatedly, so that a few operations could exceed memory.
constexpr std::size_t kMaxTextLength = 1 << 16;

[[noreturn]] static void throwTooLarge(SymOp op, const SymInt &lhs,
                                       const SymInt &rhs) {
  throw ShapeError(textOf(op, lhs, rhs) + " is too large for 64 bits");
}

static void checkDivisor(SymOp op, const SymInt &lhs, const SymInt &rhs) {
  if (rhs.min() <= 0 && rhs.max() >= 0)
    throw ShapeError(textOf(op, lhs, rhs) + " divides by " +
                     (rhs.isSymbolic() ? "an expression that may be 0" : "0"));
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

/// Throws if two variables of one name differ.
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

/// Throws if variables of the two lists have one name but differ.
static void checkSame(std::span<KnownVariable *const> a,
                      std::span<KnownVariable *const> b) {
  const auto [fewer, more] =
      std::minmax(a, b, [](auto x, auto y) { return x.size() < y.size(); });
  for (KnownVariable *variable : fewer) {
    const auto it = llvm::lower_bound(
        more, variable,
        [](KnownVariable *x, KnownVariable *y) { return x->name < y->name; });
    if (it == more.end() || *it == variable || (*it)->name != variable->name)
      continue;
    const bool isSwapped = fewer.data() != a.data();
    checkSame(isSwapped ? **it : *variable, isSwapped ? *variable : **it);
  }
}

SymInt tinygrad::detail::combine(SymOp op, const SymInt &lhs,
                                 const SymInt &rhs) {
  if (op == SymOp::Div || op == SymOp::Mod)
    checkDivisor(op, lhs, rhs);
  if (!lhs.isSymbolic() && !rhs.isSymbolic())
    return combineNumbers(op, lhs.value(), rhs.value());
  if (const std::size_t left = lengthOf(lhs), right = lengthOf(rhs);
      left + right > kMaxTextLength)
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
    // Suppresses the message, which has no location here.
    ScopedDiagnosticHandler quiet(&all.context, [](Diagnostic &) {});
    if (failed(tg::checkLength(dim.getAttr(), [&] {
          return emitError(UnknownLoc::get(&all.context));
        })))
      throw ShapeError(
          "a size is an expression of at most " +
          std::to_string(tg::kMaxParts) + " parts, nested at most " +
          std::to_string(tg::kMaxNesting) + " deep; this one is too long");
    result = all.make(dim);
  }
  // Dimension arithmetic saturates at these limits.
  using Limits = std::numeric_limits<int64_t>;
  if (result.isSymbolic() &&
      (result.min() == Limits::min() || result.max() == Limits::max()))
    throwTooLarge(op, lhs, rhs);
  return result;
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

bool SymInt::hasValue() const {
  return !expr || llvm::all_of(expr->variables, [](const KnownVariable *x) {
    return x->value.has_value();
  });
}

int64_t SymInt::valueOfExpr() const {
  Recorder::checkSizeRead(*this);
  if (hasValue())
    return valueOf(expr, attributeOf(expr));
  throw ShapeError(str() + " has no value where a constant is required; " +
                   describeUnbound(variables()));
}

int64_t SymInt::boundsOfExpr(bool upper) const {
  return upper ? expr->max : expr->min;
}

const SymExpr *tinygrad::detail::withoutValues(const SymExpr *expr) {
  if (!expr->isBound)
    return expr;
  Expressions &all = expressions();
  std::lock_guard<std::mutex> lock(all.mutex);
  if (!expr->unbound)
    expr->unbound =
        all.makeExpr(tg::Dim(attributeOf(expr))
                         .substitute([&](tg::VarAttr var) {
                           return tg::Dim(tg::VarAttr::get(
                               &all.context, var.getName(), var.getMin(),
                               var.getMax(), std::nullopt));
                         })
                         .getAttr());
  return expr->unbound;
}

SymInt tinygrad::detail::withValues(
    const SymExpr *expr,
    const std::function<std::optional<int64_t>(const std::string &)> &valueOf) {
  // Hold the new values until the expression does. Released after the lock.
  std::vector<SymInt> held;
  Expressions &all = expressions();
  std::lock_guard<std::mutex> lock(all.mutex);
  return all.make(tg::Dim(attributeOf(expr)).substitute([&](tg::VarAttr var) {
    KnownVariable *variable = all.variableOf(var);
    if (std::optional<int64_t> value = valueOf(variable->name)) {
      held.push_back(
          all.bind(variable->unbound ? *variable->unbound : *variable, *value));
      return tg::Dim(attributeOf(held.back().expression()));
    }
    return tg::Dim(var);
  }));
}

std::vector<SymVariable> SymInt::variables() const {
  std::vector<SymVariable> copies;
  if (expr)
    for (const KnownVariable *variable : expr->variables)
      copies.push_back(*variable);
  return copies;
}

std::string SymInt::str() const {
  return expr ? textOf(expr) : std::to_string(number);
}

std::ostream &tinygrad::operator<<(std::ostream &stream, const SymInt &value) {
  return stream << value.str();
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

/// A variable as a size: a number if its bounds are equal.
static SymInt asSize(const SymExpr *variable) {
  return variable->min == variable->max ? SymInt(variable->min)
                                        : SymInt(variable);
}

static const SymExpr *makeVariable(std::string_view name, int64_t min,
                                   int64_t max) {
  const std::string range =
      "[" + std::to_string(min) + ", " + std::to_string(max) + "]";
  if (name.empty())
    throw ShapeError("a variable with the bounds " + range + " has no name");
  if (min > max)
    throw ShapeError("variable " + std::string(name) +
                     ": there is no number in its bounds " + range);
  Expressions &all = expressions();
  std::lock_guard<std::mutex> lock(all.mutex);
  return all.makeExpr(tg::VarAttr::get(&all.context,
                                       StringAttr::get(&all.context, name), min,
                                       max, std::nullopt));
}

Variable::Variable(std::string_view name, int64_t min, int64_t max)
    : SymInt(asSize(makeVariable(name, min, max))),
      variable(makeVariable(name, min, max)) {}

const std::string &Variable::name() const {
  return variable->variables.front()->name;
}

SymInt Variable::bind(int64_t value) const {
  KnownVariable &unbound = *variable->variables.front();
  if (value < unbound.min || value > unbound.max)
    throw ShapeError("variable " + unbound.name + " cannot be " +
                     std::to_string(value) + ": its bounds are " +
                     boundsOf(unbound));
  if (unbound.min == unbound.max)
    return value;
  Expressions &all = expressions();
  std::lock_guard<std::mutex> lock(all.mutex);
  return all.bind(unbound, value);
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
                                    std::span<KnownVariable *const> added) {
  for (const KnownVariable *variable : added)
    addVariable(variables, *variable);
}

/// All variables of the sizes. Throws as addVariables does.
static std::vector<SymVariable>
variablesOf(std::initializer_list<const Shape *> lists) {
  std::vector<SymVariable> variables;
  for (const Shape *list : lists)
    for (const SymInt &size : *list)
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

bool tinygrad::detail::isAtMost(const SymInt &lhs, const SymInt &rhs) {
  if (lhs.max() <= rhs.min() || lhs == rhs)
    return true;
  return (lhs.isSymbolic() || rhs.isSymbolic()) && (rhs - lhs).min() >= 0;
}

/// "n = 1, as 1 and 3", or empty if no values were found.
static std::string findValues(const SymInt &lhs, const SymInt &rhs,
                              bool (*isWanted)(int64_t, int64_t)) {
  const Shape both = {lhs, rhs};
  // Throws if two variables of one name differ.
  const std::vector<SymVariable> variables = variablesOf({&both});
  Expressions &all = expressions();
  std::lock_guard<std::mutex> lock(all.mutex);
  return tg::findValues(
      all.dimOf(lhs), all.dimOf(rhs), isWanted, [&](tg::VarAttr var) {
        return llvm::find_if(variables,
                             [&](const SymVariable &x) {
                               return x.name == var.getName().getValue();
                             })
            ->value;
      });
}

std::string tinygrad::detail::explainDifference(const SymInt &lhs,
                                                const SymInt &rhs) {
  if (!lhs.isSymbolic() && !rhs.isSymbolic())
    return "";
  const std::string where =
      findValues(lhs, rhs, [](int64_t a, int64_t b) { return a != b; });
  const std::string pair = "; " + lhs.str() + " and " + rhs.str();
  return where.empty() ? pair + " could not be shown to be equal"
                       : pair + " differ for " + where;
}

std::string tinygrad::detail::explainExcess(const SymInt &lhs,
                                            const SymInt &rhs) {
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
  for (const SymInt &size : lhs)
    a *= size;
  for (const SymInt &size : rhs)
    b *= size;
  return explainDifference(a, b);
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

int64_t tinygrad::detail::constantOf(const SymInt &size, const char *what) {
  if (size.isSymbolic())
    throw ShapeError(std::string(what) +
                     ": a constant is required here, not the symbolic " +
                     size.str());
  return size.value();
}

std::vector<int64_t> tinygrad::detail::constantsOf(const Shape &shape,
                                                   const char *what) {
  std::vector<int64_t> values;
  for (const SymInt &size : shape)
    values.push_back(constantOf(size, what));
  return values;
}

std::vector<int64_t> tinygrad::detail::valuesOf(const Shape &shape) {
  std::vector<int64_t> values;
  for (const SymInt &size : shape)
    values.push_back(size.value());
  return values;
}

std::vector<int64_t> tinygrad::detail::largestOf(const Shape &shape) {
  std::vector<int64_t> values;
  for (const SymInt &size : shape)
    values.push_back(size.max());
  return values;
}
