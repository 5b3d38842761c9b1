//===- PassOption.td - options of passes -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Options whose help text and page of the reference tell the default.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_SUPPORT_PASSOPTION_TD
#define TINYGRAD_SUPPORT_PASSOPTION_TD

include "mlir/Pass/PassBase.td"

/// An option with its default behind its description. `text` is how a user
/// writes a default that is not written so in C++.
class Tg_Option<string varName, string arg, string valueType, string default,
                string desc, string additionalFlags = "", string text = default>
    : Option<varName, arg, valueType, default,
             desc # " (default: " # text # ")", additionalFlags>;

#endif // TINYGRAD_SUPPORT_PASSOPTION_TD
