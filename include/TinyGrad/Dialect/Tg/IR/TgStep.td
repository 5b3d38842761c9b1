//===- TgStep.td - schedule steps as attributes -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The steps from a kernel to a scheduled kernel, as data.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_IR_TGSTEP_TD
#define TINYGRAD_DIALECT_TG_IR_TGSTEP_TD

include "TinyGrad/Dialect/Tg/IR/TgDialect.td"

def Tg_StepKind : I32EnumAttr<"StepKind", "what a schedule step does", [
    I32EnumAttrCase<"split", 0>,
    I32EnumAttrCase<"merge", 1>,
    I32EnumAttrCase<"reverse", 2>,
    I32EnumAttrCase<"move", 3>,
    I32EnumAttrCase<"set_kind", 4>,
    I32EnumAttrCase<"unshare", 5>,
    I32EnumAttrCase<"accumulate", 6>,
    I32EnumAttrCase<"stage", 7>,
    I32EnumAttrCase<"stage_window", 8>,
    I32EnumAttrCase<"reuse", 9>,
    I32EnumAttrCase<"skip_masked", 10>,
    I32EnumAttrCase<"check_finite", 11>,
    I32EnumAttrCase<"prefetch", 12>,
    I32EnumAttrCase<"nontemporal", 13>,
    I32EnumAttrCase<"contract", 14>,
    I32EnumAttrCase<"buffer", 15>,
    I32EnumAttrCase<"partition", 16>]> {
  let cppNamespace = "::mlir::tg";
  let genSpecializedAttr = 0;
}

def Tg_StepAttr : Tg_Attr<"Step", "step"> {
  let summary = "A step of a kernel's schedule";
  let description = [{
    A rewrite of a kernel that changes how it runs, not what it computes (but for
    the order of sums). A step names ranges by their ids, operations by their
    name and their number among those of the name in the block (from 0), both as
    they are when the step is applied, and the ids of the ranges that it makes.
    Without these ids new ones are taken.

    | step | what it does |
    |---|---|
    | `split [r] by n into [o, i]` | range `r` becomes `o * n + i`; positions past its end are masked |
    | `merge [o, i] into [r]` | two neighboring ranges become one of all their positions; indices that do not combine the two use quotients and remainders of it |
    | `reverse [r] into [s]` | the positions of `r` run from the last to the first |
    | `move [r, s]` | range `r` moves directly before `s` in loop order |
    | `set_kind [r] as upcast` | how the positions of `r` are executed; of kind `global` in bands of `n` positions (`as global by n`, `tg.band`), of which groups go through one at a time, along the next range of groups further in |
    | `unshare ranged_reduce 1 into [r]` | a reduction gets ranges of its own, instead of those that it shares with others; with `[s]`, those that an earlier `unshare` made |
    | `accumulate ranged_reduce 0 [r]` | sums over `r` are accumulated in the output buffer, so that `r` can come before other ranges |
    | `stage load 1 [r, s] by n into [t, u]` | the value is computed once at all positions of the ranges, by ranges of its own, into a tile; rows of the tile are padded to a multiple of `n`, by which the last new range has to be split then |
    | `stage_window load 1, ranged_reduce 0 [r] by n into [t]` | the same for the values that a reduction reads along result ranges `r`, whose windows overlap; the last `r` has the last new range |
    | `reuse exp2 1, stage 0 [r]` | a value that is computed like that in the tile, but at the positions `r`, is loaded from it |
    | `skip_masked ranged_reduce 0, load 1 [c, l]` | products whose factor is masked are omitted along the columns `c` (and the rows `r`: `[r, c, l]`), if the other factor, which is packed along the lanes `l`, is finite |
    | `check_finite ranged_reduce 0 [l] by n into [...]` | makes the check that `skip_masked` needs, of a tile with `n` lanes |
    | `prefetch load 1 by n` | prefetches the element `n` positions ahead |
    | `nontemporal store 0` | makes the store non-temporal |
    | `contract ranged_reduce 0 on mma_m16n8k16_f16` | a sum of products is computed by a matrix operation |
    | `buffer stage 0 by n` | gives a tile of a group memory for `n` tiles, which are filled ahead; with `as tma`, by copies of boxes that NVIDIA's tensor memory accelerator makes, and with `as tma by warpgroup` 128 further work items of the group begin these (`tg.by_warpgroup`), with `across blocks` in groups that compute several blocks of results (`tg.across_blocks`) |
    | `buffer store 0 by 1 as tma` | the items of a group write results to memory of the group, of which that accelerator copies boxes |
    | `partition by n into [r]` | updates of elements whose number is read from memory get a range of `n` owners: each goes through all positions and updates the elements whose number is its own modulo `n` |

    `contract` requires that both factors are elements of tiles of the group, and
    that ranges have the layout of the operation (`Support/MatrixUnits.h`): the
    innermost ranges that only the first factor depends on are its rows, those of
    the second factor its columns. Digits of lanes are `local`, those of registers
    `upcast` if they are neighboring columns and `unroll` otherwise, and both indices
    are linear in them. The last range of the sum is a `loop`, as long as the operation
    is deep. The items of the columns, and outside of them those of the rows, are the
    innermost ones of the group; outside of both are the four subgroups of `wgmma_*`.
    Such an operation reads its factors from tiles with rows of 64 elements, along the
    depth or along the rows (columns), of which blocks of 64 follow one another. Zeros
    by which a split has masked the sum are omitted: the tiles hold them, since loads
    are masked alike. What a tile computes from masked loads
    is masked too.

    `as tma` is for the tiles of both factors of a sum on `wgmma_*`, with as many
    buffers. Elements of a tile are rows of 128 bytes in a buffer that is aligned to
    16 bytes, and the rows have one distance, a multiple of 16 bytes. Ranges of the
    tile are of kind `loop` or `unroll`, masks say no more than where the matrix ends,
    and the sum has one loop and is in none. It is also for the only store of such a
    kernel, if its results have the type of the factors, fit into the memory of one of
    the tiles, and are rows of 128 bytes of which all are stored.

    C1: the numbers of operations, ranges and new ranges are those of the kind, and
    none is negative or listed twice. C2: an amount is given where the kind needs
    one, and is positive. `canApply` (`Transforms/ScheduleSteps.h`) says whether a
    kernel admits a step.

    ```mlir
    #tg.step<split [0] by 16 into [2, 3]>
    #tg.step<set_kind [3] as upcast>
    #tg.step<contract ranged_reduce 0 on mfma_16x16x16_f16>
    ```
  }];
  let parameters = (ins EnumParameter<Tg_StepKind>:$kind,
      ArrayRefParameter<"::mlir::tg::StepOperand">:$ops,
      ArrayRefParameter<"int64_t">:$ranges,
      "int64_t":$amount,
      ArrayRefParameter<"int64_t">:$results);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// What is added to the amount of a step `buffer`, the number of buffers, if
    /// it is `as tma`.
    static constexpr int64_t kAsTma = int64_t(1) << 32;
  }];
}

def Tg_StepArrayAttr : TypedArrayAttrBase<Tg_StepAttr, "list of schedule steps">;

#endif // TINYGRAD_DIALECT_TG_IR_TGSTEP_TD
