//===- TgUnknownOps.cpp - names that are no operations --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Errors for names that the dialect does not have: what other systems call an
/// operation, and names that are misspelled.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgCreate.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::tg;

/// How to write an operation that other systems have. Empty if it has no other
/// name here.
static StringRef findOwnForm(StringRef name) {
  return llvm::StringSwitch<StringRef>(name)
      .Cases({"div", "divide", "truediv"},
             "use 'tg.fdiv' of floats, and of integers 'tg.idiv', which rounds "
             "toward zero, or 'tg.floordiv'")
      .Cases({"divf", "divsi", "divui"},
             "use 'tg.fdiv' of floats and 'tg.idiv' of integers")
      .Cases({"rem", "remainder", "remsi", "remui"},
             "of integers, use 'tg.mod', with the sign of the dividend, or "
             "'tg.floormod', "
             "with that of the divisor")
      .Cases({"matmul", "dot", "dot_general", "gemm", "batch_matmul", "einsum"},
             "a product of matrices is 'tg.reduce add' of a 'tg.mul' of "
             "operands that 'tg.reshape' and 'tg.expand' bring to one shape; "
             "'tg::TgBuilder' builds it in C++, 'MlirTgBuilder' in C")
      .Cases({"conv", "conv2d", "convolution", "max_pool", "avg_pool", "pool"},
             "windows are a 'tg.strided' of a 'tg.pad', then 'tg.mul' and "
             "'tg.reduce'; 'tg::TgBuilder' builds them in C++, "
             "'MlirTgBuilder' in C")
      .Cases({"softmax", "log_softmax", "logsumexp", "layer_norm", "layernorm"},
             "it is composed of 'tg.reduce', 'tg.exp' and others; "
             "'tg::TgBuilder' builds it in C++, 'MlirTgBuilder' in C")
      .Cases({"sum", "reduce_sum"}, "use 'tg.reduce add'")
      .Cases({"prod", "reduce_prod"}, "use 'tg.reduce mul'")
      .Cases({"reduce_max", "amax"}, "use 'tg.reduce max'")
      .Cases({"mean", "reduce_mean"},
             "use 'tg.reduce add' and a product with a constant")
      .Cases({"min", "minimum", "minimumf", "reduce_min"},
             "use 'tg.neg' of the 'tg.max' of what is negated by 'tg.neg', or "
             "'tg.where' with 'tg.cmplt'")
      .Cases({"maximum", "maximumf", "maxsi", "maxui"}, "use 'tg.max'")
      .Cases({"abs", "relu", "clamp", "sigmoid", "gelu", "silu"},
             "it is composed of operations such as 'tg.max', 'tg.where' and "
             "'tg.exp'")
      .Cases({"rsqrt", "reciprocal"}, "use 'tg.recip', of a 'tg.sqrt' for "
                                      "the reciprocal square root")
      .Cases({"power", "powf"}, "use 'tg.pow'")
      .Cases({"square"}, "use 'tg.mul' of the operand with itself")
      .Cases({"addf", "addi"}, "use 'tg.add'")
      .Cases({"subf", "subi"}, "use 'tg.sub'")
      .Cases({"mulf", "muli", "multiply"}, "use 'tg.mul'")
      .Cases({"negf", "negate", "negative"}, "use 'tg.neg'")
      .Cases({"fma", "muladd"}, "use 'tg.mulacc'")
      .Cases({"select", "sel"}, "use 'tg.where'")
      .Cases({"cmp", "cmpf", "cmpi", "compare", "lt", "eq", "ne", "less",
              "equal", "cmpgt", "cmple", "cmpge", "greater"},
             "use 'tg.cmplt', with the operands exchanged for 'greater', "
             "'tg.cmpeq' or 'tg.cmpne'")
      .Cases({"not"}, "use 'tg.xor' with a constant, or 'tg.cmpeq' with false")
      .Cases({"constant", "full", "fill", "splat"}, "use 'tg.const'")
      .Cases({"arange", "range_like", "linspace"}, "use 'tg.iota'")
      .Cases({"transpose", "swapaxes"}, "use 'tg.permute'")
      .Cases({"broadcast", "broadcast_to", "broadcast_in_dim"},
             "use 'tg.expand', after a 'tg.reshape' that adds axes of size 1")
      .Cases({"slice", "extract_slice", "narrow"}, "use 'tg.shrink'")
      .Cases({"reverse"}, "use 'tg.flip'")
      .Cases({"view", "squeeze", "unsqueeze", "flatten", "expand_shape",
              "collapse_shape"},
             "use 'tg.reshape'")
      .Cases({"concat", "concatenate", "cat", "stack"},
             "use 'tg.add' of operands that 'tg.pad' brings to the result's "
             "shape")
      .Cases({"gather", "take", "index_select", "embedding"},
             "use 'tg.reduce add' over 'tg.where' of the positions, which "
             "'tg.iota' gives, that are equal to the index")
      .Cases({"cumsum"}, "use 'tg.scan add'")
      .Cases({"topk"}, "use 'tg.argsort' with a count")
      .Cases({"sin_cos"}, "use 'tg.sin' and 'tg.cos'")
      .Cases({"convert", "extf", "truncf", "sitofp", "fptosi", "astype"},
             "use 'tg.cast'")
      .Cases({"return"}, "functions end with 'func.return'")
      .Cases({"func"}, "functions are 'func.func'")
      .Default("");
}

/// The operation whose name differs least, if it differs little.
static std::string findSimilar(MLIRContext *context, StringRef name) {
  std::string best;
  // One letter of three.
  unsigned least = name.size() / 3 + 1;
  // Not getRegisteredOperationsByDialect(): its binary search misses dialects,
  // depending on which others there are.
  for (RegisteredOperationName op : context->getRegisteredOperations()) {
    if (op.getDialectNamespace() != TgDialect::getDialectNamespace())
      continue;
    const unsigned distance = op.stripDialect().edit_distance(
        name, /*AllowReplacements=*/true, /*MaxEditDistance=*/least);
    if (distance >= least)
      continue;
    least = distance;
    best = op.getStringRef().str();
  }
  return best;
}

std::string tg::detail::explainUnknown(MLIRContext *context, StringRef name) {
  if (const StringRef form = findOwnForm(name); !form.empty())
    return ("; " + form).str();
  if (const std::string similar = findSimilar(context, name); !similar.empty())
    return "; did you mean '" + similar + "'?";
  return "";
}

static ParseResult reportUnknown(OpAsmParser &parser, OperationState &state) {
  // The parser puts "custom op 'tg.NAME'" before.
  return parser.emitError(parser.getNameLoc())
         << "is unknown"
         << tg::detail::explainUnknown(parser.getContext(),
                                       state.name.stripDialect());
}

std::optional<Dialect::ParseOpHook>
TgDialect::getParseOperationHook(StringRef name) const {
  if (RegisteredOperationName::lookup(name, getContext()))
    return Dialect::getParseOperationHook(name);
  return reportUnknown;
}
