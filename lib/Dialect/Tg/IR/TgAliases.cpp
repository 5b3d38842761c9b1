//===- TgAliases.cpp - aliases in printed modules -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Names of aliases.
///
//===----------------------------------------------------------------------===//

#include "TgAliases.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"

using namespace mlir;
using namespace mlir::tg;

/// Characters of the sizes of a shape, as messages write them, that are still
/// read easily inside of a type.
constexpr uint32_t kMaxInlineCharacters = 32;

OpAsmDialectInterface::AliasResult AliasNames::getAlias(Attribute attr,
                                                        raw_ostream &os) const {
  if (auto var = dyn_cast<VarAttr>(attr)) {
    // What launches give numbers to is named ~0, ~1, ...
    const StringRef name = var.getName().getValue();
    os << (name.starts_with("~") ? "number" : "") << name.ltrim('~');
    return AliasResult::OverridableAlias;
  }
  if (auto shape = dyn_cast<ShapeAttr>(attr)) {
    uint32_t characters = 0;
    for (Attribute dim : shape.getDims())
      characters = llvm::SaturatingAdd(characters, getDimSize(dim).characters);
    if (characters > kMaxInlineCharacters) {
      os << "shape";
      return AliasResult::OverridableAlias;
    }
  }
  return AliasResult::NoAlias;
}
