//===- TgFolds.cpp - folders of tg operations -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Constant folding and operations that are their own operand.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/Tg.h"

using namespace mlir;
using namespace mlir::tg;

OpFoldResult ConstOp::fold(FoldAdaptor) { return getValue(); }

OpFoldResult NegOp::fold(FoldAdaptor) { return {}; }

OpFoldResult RecipOp::fold(FoldAdaptor) { return {}; }

OpFoldResult SqrtOp::fold(FoldAdaptor) { return {}; }

OpFoldResult Exp2Op::fold(FoldAdaptor) { return {}; }

OpFoldResult Log2Op::fold(FoldAdaptor) { return {}; }

OpFoldResult SinOp::fold(FoldAdaptor) { return {}; }

OpFoldResult TruncOp::fold(FoldAdaptor) { return {}; }

OpFoldResult CastOp::fold(FoldAdaptor) { return {}; }

OpFoldResult BitcastOp::fold(FoldAdaptor) { return {}; }

OpFoldResult AddOp::fold(FoldAdaptor) { return {}; }

OpFoldResult SubOp::fold(FoldAdaptor) { return {}; }

OpFoldResult MulOp::fold(FoldAdaptor) { return {}; }

OpFoldResult FDivOp::fold(FoldAdaptor) { return {}; }

OpFoldResult IDivOp::fold(FoldAdaptor) { return {}; }

OpFoldResult FloorDivOp::fold(FoldAdaptor) { return {}; }

OpFoldResult ModOp::fold(FoldAdaptor) { return {}; }

OpFoldResult FloorModOp::fold(FoldAdaptor) { return {}; }

OpFoldResult MaxOp::fold(FoldAdaptor) { return {}; }

OpFoldResult PowOp::fold(FoldAdaptor) { return {}; }

OpFoldResult AndOp::fold(FoldAdaptor) { return {}; }

OpFoldResult OrOp::fold(FoldAdaptor) { return {}; }

OpFoldResult XorOp::fold(FoldAdaptor) { return {}; }

OpFoldResult ShlOp::fold(FoldAdaptor) { return {}; }

OpFoldResult ShrOp::fold(FoldAdaptor) { return {}; }

OpFoldResult CmpLtOp::fold(FoldAdaptor) { return {}; }

OpFoldResult CmpEqOp::fold(FoldAdaptor) { return {}; }

OpFoldResult CmpNeOp::fold(FoldAdaptor) { return {}; }

OpFoldResult WhereOp::fold(FoldAdaptor) { return {}; }

OpFoldResult ReduceOp::fold(FoldAdaptor) { return {}; }

OpFoldResult ReshapeOp::fold(FoldAdaptor) { return {}; }

OpFoldResult PermuteOp::fold(FoldAdaptor) { return {}; }

OpFoldResult ExpandOp::fold(FoldAdaptor) { return {}; }

OpFoldResult PadOp::fold(FoldAdaptor) { return {}; }

OpFoldResult ShrinkOp::fold(FoldAdaptor) { return {}; }

OpFoldResult FlipOp::fold(FoldAdaptor) { return {}; }

OpFoldResult ContiguousOp::fold(FoldAdaptor) { return {}; }

OpFoldResult ViewOp::fold(FoldAdaptor) { return {}; }

OpFoldResult RangedReduceOp::fold(FoldAdaptor) { return {}; }
