//===- TgCreateByName.cpp - operations created by name --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Creates operations whose name, operands and attributes are data.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/TgCreate.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace mlir::tg;

/// Checks the names of attributes, and parts those of the operation from
/// others.
static LogicalResult checkAttributes(RegisteredOperationName name,
                                     Location location,
                                     ArrayRef<NamedAttribute> attributes,
                                     NamedAttrList &own,
                                     NamedAttrList &discardable) {
  for (NamedAttribute attribute : attributes) {
    const StringAttr key = attribute.getName();
    if (own.get(key) || discardable.get(key))
      return emitError(location) << "'" << name << "' is given the attribute '"
                                 << key.getValue() << "' twice";
    if (llvm::is_contained(name.getAttributeNames(), key)) {
      own.append(attribute);
    } else if (key.getValue().contains('.')) {
      discardable.append(attribute);
    } else {
      InFlightDiagnostic error = emitError(location)
                                 << "'" << name << "' has no attribute '"
                                 << key.getValue() << "'";
      if (name.getAttributeNames().empty())
        return error << ", nor others";
      error << "; it has ";
      llvm::interleaveComma(
          name.getAttributeNames(), error,
          [&](StringAttr known) { error << "'" << known.getValue() << "'"; });
      return error;
    }
  }
  return success();
}

/// Checks everything but the results, whose types are not known yet. MLIR has
/// no such function; but it looks at operands and attributes before results,
/// and these have a type that no operation of the dialect has.
static LogicalResult checkOperands(Operation *op) {
  bool hasCheckedOperands = false;
  ScopedDiagnosticHandler handler(op->getContext(), [&](Diagnostic &error) {
    hasCheckedOperands = StringRef(error.str()).contains("' op result #0 must");
    // Not handled: the error is for those who come after.
    return success(hasCheckedOperands);
  });
  // Always fails.
  (void)op->getName().getRegisteredInfo()->verifyInvariants(op);
  return success(hasCheckedOperands);
}

static LogicalResult inferType(Operation *op) {
  if (failed(checkOperands(op)))
    return failure();
  SmallVector<Type> types;
  if (failed(cast<InferTypeOpInterface>(op).inferReturnTypes(
          op->getContext(), op->getLoc(), op->getOperands(),
          op->getAttrDictionary(), op->getPropertiesStorage(), op->getRegions(),
          types)))
    return failure();
  op->getResult(0).setType(types.front());
  return success();
}

FailureOr<Operation *> tg::createChecked(OpBuilder &builder, Location location,
                                         StringRef name, ValueRange operands,
                                         ArrayRef<NamedAttribute> attributes,
                                         TypeRange results) {
  MLIRContext *context = builder.getContext();
  context->getOrLoadDialect<TgDialect>();
  const std::optional<RegisteredOperationName> registered =
      RegisteredOperationName::lookup(name, context);
  const auto [dialect, rest] = name.split('.');
  if (dialect != TgDialect::getDialectNamespace() || rest.empty())
    return emitError(location) << "'" << name
                               << "' is no operation of the dialect, whose "
                                  "names begin with 'tg.'";
  if (!registered)
    return emitError(location) << "'" << name << "' is unknown"
                               << tg::detail::explainUnknown(context, rest);
  if (!registered->hasTrait<OpTrait::ZeroRegions>())
    return emitError(location)
           << "'" << name << "' has regions, and cannot be created by name";
  const bool infers = results.empty() &&
                      registered->hasTrait<OpTrait::OneResult>() &&
                      registered->hasInterface<InferTypeOpInterface>();
  if (results.empty() && !infers &&
      !registered->hasTrait<OpTrait::ZeroResults>())
    return emitError(location) << "'" << name
                               << "' needs the types of its results, which "
                                  "do not follow from its operands";
  NamedAttrList own, discardable;
  if (failed(
          checkAttributes(*registered, location, attributes, own, discardable)))
    return failure();

  OperationState state(location, *registered);
  state.addOperands(operands);
  state.addTypes(results);
  state.addAttributes(discardable);
  if (infers)
    state.addTypes(builder.getNoneType());
  Operation *op = Operation::create(state);
  auto report = [&] { return emitError(location) << "'" << name << "': "; };
  if ((!own.empty() && failed(op->setPropertiesFromAttribute(
                           own.getDictionary(context), report))) ||
      (infers && failed(inferType(op)))) {
    op->destroy();
    return failure();
  }
  return tg::detail::insertChecked(builder, op);
}
