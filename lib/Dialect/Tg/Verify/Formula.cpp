//===- Formula.cpp - what proofs share ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Writes formulas, and recognizes memory accesses.
///
//===----------------------------------------------------------------------===//

#include "Formula.h"
#include "SmtEncoder.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SMT/IR/SMTOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Target/SMTLIB/ExportSMTLIB.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::tg;

FailureOr<std::string>
tg::writeFormula(Location loc,
                 function_ref<SmallVector<VarAttr>(OpBuilder &)> build) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  OpBuilder builder(loc.getContext());
  builder.setInsertionPointToStart(module->getBody());
  auto solver = smt::SolverOp::create(builder, loc, TypeRange(), ValueRange());
  builder.createBlock(&solver.getBodyRegion());
  SmallVector<VarAttr> variables = build(builder);
  builder.setInsertionPointToEnd(solver.getBody());
  smt::YieldOp::create(builder, loc, ValueRange());
  std::string text;
  llvm::raw_string_ostream os(text);
  smt::SMTEmissionOptions options;
  options.inlineSingleUseValues = true;
  if (failed(smt::exportSMTLIB(*module, os, options)))
    return failure();
  // Formulas are put together into one script, which resets between them.
  StringRef formula(text);
  formula.consume_back("(reset)\n");
  std::string result = formula.str();
  for (VarAttr var : variables)
    result += "; variable " + getSymbol(var) + " " +
              std::to_string(var.getMin()) + " " +
              std::to_string(var.getMax()) + "\n";
  return result;
}

std::optional<LoopAccess> tg::getLoopAccess(Operation *op) {
  using Result = std::optional<LoopAccess>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<memref::LoadOp, memref::StoreOp>([](auto access) {
        return LoopAccess{access.getMemref(), access.getIndices(),
                          access.getMemRefType().getElementType()};
      })
      .Case<vector::LoadOp, vector::StoreOp>([](auto access) {
        return LoopAccess{access.getBase(), access.getIndices(),
                          access.getVectorType()};
      })
      .Case<vector::MaskedLoadOp, vector::MaskedStoreOp>([](auto access) {
        return LoopAccess{access.getBase(), access.getIndices(),
                          access.getMaskVectorType(), access.getMask()};
      })
      .Case<vector::GatherOp, vector::ScatterOp>([](auto access) {
        return LoopAccess{access.getBase(), access.getOffsets(),
                          access.getMaskVectorType(), access.getMask(),
                          access.getIndices()};
      })
      .Default(std::nullopt);
}

void tg::printProved(const llvm::StringMap<unsigned> &proved) {
  SmallVector<StringRef> names(proved.keys());
  llvm::sort(names);
  for (StringRef name : names)
    llvm::outs() << "proved " << name << ": " << proved.lookup(name) << '\n';
  llvm::outs().flush();
}
