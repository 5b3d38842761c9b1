// RUN: tg-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{'cut' is no schedule step}}
#a = #tg.step<cut [0] by 16>

// -----

// C1

// expected-error @+1 {{split takes 1 ranges, but has 2 (C1)}}
#a = #tg.step<split [0, 1] by 16>

// -----

// expected-error @+1 {{split takes 2 new ranges, but has 1 (C1)}}
#a = #tg.step<split [0] by 16 into [1]>

// -----

// expected-error @+1 {{accumulate takes 1 ranges, but has 0 (C1)}}
#a = #tg.step<accumulate ranged_reduce 0 []>

// -----

// expected-error @+1 {{stage_window takes 1 to 2 ranges, but has 3 (C1)}}
#a = #tg.step<stage_window load 0, ranged_reduce 0 [0, 1, 2]>

// -----

// expected-error @+1 {{reuse takes 2 operations, but has 1 (C1)}}
#a = #tg.step<reuse exp2 0 [0]>

// -----

// expected-error @+1 {{range 1 is listed twice (C1)}}
#a = #tg.step<merge [1, 1]>

// -----

// expected-error @+1 {{-1 is no id of a range (C1)}}
#a = #tg.step<reverse [-1]>

// -----

// expected-error @+1 {{-2 is no number of an operation (C1)}}
#a = #tg.step<nontemporal store -2>

// -----

// expected-error @+1 {{tg.ranged_reduce 0 is listed twice (C1)}}
#a = #tg.step<accumulate ranged_reduce 0, ranged_reduce 0 [1]>

// -----

// C2

// expected-error @+1 {{split needs an amount of 1 or more (C2)}}
#a = #tg.step<split [0]>

// -----

// expected-error @+1 {{buffer needs an amount of 1 or more (C2)}}
#a = #tg.step<buffer stage 0>

// -----

// expected-error @+1 {{expected 'tma'}}
#a = #tg.step<buffer stage 0 by 3 as copies>

// -----

// expected-error @+1 {{a tile does not have 4294967299 buffers}}
#a = #tg.step<buffer stage 0 by 4294967299>

// -----

// expected-error @+1 {{prefetch needs an amount of 1 or more (C2)}}
#a = #tg.step<prefetch load 0 by -4>

// -----

// expected-error @+1 {{'fast' is no kind of range}}
#a = #tg.step<set_kind [0] as fast>

// -----

// expected-error @+1 {{only ranges of kind 'global' have bands, of 2 to 2147483647 positions (C2)}}
#a = #tg.step<set_kind [0] as local by 8>

// -----

// expected-error @+1 {{only ranges of kind 'global' have bands, of 2 to 2147483647 positions (C2)}}
#a = #tg.step<set_kind [0] as global by 1>

// -----

// expected-error @+1 {{a band does not have 0 positions}}
#a = #tg.step<set_kind [0] as global by 0>

// -----

// expected-error @+1 {{'mma_m16n8k16_f32' is no matrix operation}}
#a = #tg.step<contract ranged_reduce 0 on mma_m16n8k16_f32>

// -----

// expected-error @+1 {{expected 'on'}}
#a = #tg.step<contract ranged_reduce 0 by 3>

// -----

// expected-error @+1 {{expected '>'}}
#a = #tg.step<merge [0, 1] by 2>

// -----

// expected-error @+1 {{attribute 'schedule' failed to satisfy constraint: list of schedule steps}}
tg.kernel @no_steps(%out: memref<4xf32>) attributes {outputs = 1 : i64, schedule = [1]} {
}

// -----

// expected-error @+1 {{partition needs an amount of 1 or more (C2)}}
#a = #tg.step<partition into [3]>

// -----

// expected-error @+1 {{partition takes 1 new ranges, but has 2 (C1)}}
#a = #tg.step<partition by 4 into [3, 4]>
