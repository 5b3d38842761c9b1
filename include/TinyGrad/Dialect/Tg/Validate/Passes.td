//===- Passes.td - validation of schedules -----------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Declares the pass that compares scheduled kernels with what they were before.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_VALIDATE_PASSES_TD
#define TINYGRAD_DIALECT_TG_VALIDATE_PASSES_TD

include "TinyGrad/Support/PassOption.td"

def TgVerifySchedules : Pass<"tg-verify-schedules", "::mlir::ModuleOp"> {
  let summary = "Check that schedules keep what kernels compute";
  let description = [{
    Compares each kernel with itself after the steps that `tg-optimize-kernels` would
    apply to it (those in `schedule`, if it has a list), and after each beginning of
    this list that is complete. Kernels do not change. An error names the
    kernel, the first step after which it differs, the element that differs, what
    it would be and what it has to be; a note contains the list.

    Both kernels are executed on symbols: what an element of a buffer holds is
    unknown, positions are numbers. So index arithmetic and masks are numbers too, and
    what a kernel stores to an element is an expression of elements. Two expressions are
    the same if their operations are, where the terms of a reduction, a scan or
    updates may come in any order. Arithmetic of integers is exact. An element that
    no position writes keeps what it held; different values written by
    several positions, updates of one element that run at the same time, and
    accesses outside of a buffer or tile are errors.

    Sizes are those of the kernel; variables have up to six combinations of values: the least, the
    greatest, and others. Of large kernels, some elements are compared: those at the
    ends of ranges and at multiples of split factors, and others at random. The work
    for a kernel is limited, see `print-counts`.

    Not covered, and counted there: kernels of which one element takes more than 3
    million operations, tiles that are read at an index from memory, more than
    32,768 updates of elements whose numbers are read from memory, and updates with
    an owner for each single element. In kernels
    that work in place, an element must not be read after it was overwritten, unless
    the kernel without steps does so. Not examined: whether the items of a group
    wait for each other (`tg-verify-gpu-kernels`), and in which registers matrix units
    expect factors (the simulator).
  }];
  let dependentDialects = ["::mlir::tg::TgDialect"];
  let options = [
    Tg_Option<"noOpt", "no-opt", "bool", "false",
              "The steps of kernels without optimization">,
    Tg_Option<"reproducer", "reproducer", "std::string", "\"\"",
              "File for the first kernel that differs, with its steps">,
    Tg_Option<"printCounts", "print-counts", "bool", "false",
              "Print how many kernels were compared, and why others were not">,
    Tg_Option<"seedFault", "seed-fault", "bool", "false",
              "Let the first load of scheduled kernels read the next element, to "
              "see that it is found">
  ];
}

#endif // TINYGRAD_DIALECT_TG_VALIDATE_PASSES_TD
