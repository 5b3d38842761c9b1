//===- PatternRewrite.h - rewrite patterns as text --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_PATTERNREWRITE_H
#define TINYGRAD_TENSOR_PATTERNREWRITE_H

#include "TinyGrad/Tensor/Tensor.h"

#include <string>
#include <vector>

namespace tinygrad {

/// Rewrites what tensors of one graph are computed by, until none of the
/// patterns matches: \p patterns is a module of `pdl.pattern` operations of
/// MLIR's dialect `pdl` over operations of the dialect `tg` (level 1). A
/// pattern has to keep values and types; the type of an operation that it makes
/// has to be given or inferred.
///
/// Memory, assignments that have not run, and values of withGradient() with
/// what they are computed by stay as they are. All tensors on the way to those
/// given get the rewritten operations, with gradients by them; the graph is
/// unchanged if an error is thrown. Nothing is computed.
///
/// Functions of C++ (`pdl.apply_native_*`, `pdl.rewrite ... with`) are errors.
///
/// Throws CompileError, with the line and column in \p patterns (called \p
/// name), for what cannot be parsed or is no pattern, for patterns whose
/// results are invalid or of other types, and for those that never end; Error
/// for tensors of several graphs.
void applyPatterns(const std::vector<Tensor> &tensors,
                   const std::string &patterns,
                   const std::string &name = "patterns");

} // namespace tinygrad

#endif // TINYGRAD_TENSOR_PATTERNREWRITE_H
