// RUN: tg-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tg.kernel(tg-optimize-kernels))'

// When a sum of products can be computed by a matrix operation.

// expected-error @+1 {{the target does not have mma_m16n8k16_f16}}
tg.kernel @no_target(%out: memref<128xf32>, %a: memref<256xf16>, %b: memref<128xf16>) attributes {outputs = 1 : i64, schedule = [
    #tg.step<contract ranged_reduce 0 on mma_m16n8k16_f16>]} {
  %i = tg.range 0 loop 16
  %j = tg.range 1 loop 8
  %k = tg.range 2 loop 16
  %c8 = tg.const(8 : index) : index
  %c16 = tg.const(16 : index) : index
  %0 = tg.mul %i, %c16 : index
  %1 = tg.add %0, %k : index
  %x = tg.load %a[%1] : memref<256xf16>
  %2 = tg.mul %k, %c8 : index
  %3 = tg.add %2, %j : index
  %y = tg.load %b[%3] : memref<128xf16>
  %xc = tg.cast %x : f16 -> f32
  %yc = tg.cast %y : f16 -> f32
  %p = tg.mul %xc, %yc : f32
  %s = tg.ranged_reduce add %p over %k : f32
  %4 = tg.mul %i, %c8 : index
  %5 = tg.add %4, %j : index
  tg.store %s, %out[%5] : memref<128xf32>
}

// -----

#t = #tg.target<"gpu", group_items = 256, subgroup_items = 32, group_bytes = 4096, matrix_units = 1>
module attributes {tg.target = #t} {
// expected-error @+1 {{does not admit the step #tg.step<contract ranged_reduce 0 on mma_m16n8k16_f16>: 'tg.ranged_reduce' op a matrix operation adds up products of two elements of tiles of a group (C2)}}
tg.kernel @no_tiles(%out: memref<128xf32>, %a: memref<256xf16>, %b: memref<128xf16>) attributes {outputs = 1 : i64, schedule = [
    #tg.step<contract ranged_reduce 0 on mma_m16n8k16_f16>]} {
  %i = tg.range 0 loop 16
  %j = tg.range 1 loop 8
  %k = tg.range 2 loop 16
  %c8 = tg.const(8 : index) : index
  %c16 = tg.const(16 : index) : index
  %0 = tg.mul %i, %c16 : index
  %1 = tg.add %0, %k : index
  %x = tg.load %a[%1] : memref<256xf16>
  %2 = tg.mul %k, %c8 : index
  %3 = tg.add %2, %j : index
  %y = tg.load %b[%3] : memref<128xf16>
  %xc = tg.cast %x : f16 -> f32
  %yc = tg.cast %y : f16 -> f32
  %p = tg.mul %xc, %yc : f32
  %s = tg.ranged_reduce add %p over %k : f32
  %4 = tg.mul %i, %c8 : index
  %5 = tg.add %4, %j : index
  tg.store %s, %out[%5] : memref<128xf32>
}
}

// -----

#t = #tg.target<"gpu", group_items = 256, subgroup_items = 32, group_bytes = 4096, matrix_units = 1>
module attributes {tg.target = #t} {
  // expected-error @+1 {{cannot be computed by mma_m16n8k16_f16: range 3 is not unroll 2, as for the rows of the operation}}
  tg.kernel @no_registers(%out: memref<128xf32>, %a: memref<256xf16>, %b: memref<128xf16>) attributes {outputs = 1 : i64, schedule = [
      #tg.step<set_kind [0] as local>, #tg.step<stage load 0 [0, 2] into [10, 11]>,
      #tg.step<set_kind [0] as loop>, #tg.step<set_kind [10] as loop>,
      #tg.step<set_kind [1] as local>, #tg.step<stage load 2 [2, 1] into [12, 13]>,
      #tg.step<set_kind [1] as loop>, #tg.step<set_kind [13] as loop>,
      #tg.step<split [0] by 8 into [3, 4]>, #tg.step<set_kind [4] as local>,
      #tg.step<split [1] by 2 into [5, 6]>, #tg.step<set_kind [5] as local>, #tg.step<set_kind [6] as upcast>,
      #tg.step<contract ranged_reduce 0 on mma_m16n8k16_f16>]} {
    %i = tg.range 0 loop 16
    %j = tg.range 1 loop 8
    %k = tg.range 2 loop 16
    %c8 = tg.const(8 : index) : index
    %c16 = tg.const(16 : index) : index
    %0 = tg.mul %i, %c16 : index
    %1 = tg.add %0, %k : index
    %x = tg.load %a[%1] : memref<256xf16>
    %2 = tg.mul %k, %c8 : index
    %3 = tg.add %2, %j : index
    %y = tg.load %b[%3] : memref<128xf16>
    %xc = tg.cast %x : f16 -> f32
    %yc = tg.cast %y : f16 -> f32
    %p = tg.mul %xc, %yc : f32
    %s = tg.ranged_reduce add %p over %k : f32
    %4 = tg.mul %i, %c8 : index
    %5 = tg.add %4, %j : index
    tg.store %s, %out[%5] : memref<128xf32>
  }
}

// -----

#t = #tg.target<"gpu", group_items = 256, subgroup_items = 32, group_bytes = 4096, matrix_units = 2>
module attributes {tg.target = #t} {
  // expected-error @+1 {{the target does not have mma_m16n8k16_f16}}
  tg.kernel @no_unit(%out: memref<128xf32>, %a: memref<256xf16>, %b: memref<128xf16>) attributes {outputs = 1 : i64, schedule = [
      #tg.step<set_kind [0] as local>, #tg.step<stage load 0 [0, 2] into [10, 11]>,
      #tg.step<set_kind [0] as loop>, #tg.step<set_kind [10] as loop>,
      #tg.step<set_kind [1] as local>, #tg.step<stage load 2 [2, 1] into [12, 13]>,
      #tg.step<set_kind [1] as loop>, #tg.step<set_kind [13] as loop>,
      #tg.step<split [0] by 8 into [3, 4]>, #tg.step<set_kind [3] as unroll>, #tg.step<set_kind [4] as local>,
      #tg.step<split [1] by 2 into [5, 6]>, #tg.step<set_kind [5] as local>, #tg.step<set_kind [6] as upcast>,
      #tg.step<contract ranged_reduce 0 on mma_m16n8k16_f16>]} {
    %i = tg.range 0 loop 16
    %j = tg.range 1 loop 8
    %k = tg.range 2 loop 16
    %c8 = tg.const(8 : index) : index
    %c16 = tg.const(16 : index) : index
    %0 = tg.mul %i, %c16 : index
    %1 = tg.add %0, %k : index
    %x = tg.load %a[%1] : memref<256xf16>
    %2 = tg.mul %k, %c8 : index
    %3 = tg.add %2, %j : index
    %y = tg.load %b[%3] : memref<128xf16>
    %xc = tg.cast %x : f16 -> f32
    %yc = tg.cast %y : f16 -> f32
    %p = tg.mul %xc, %yc : f32
    %s = tg.ranged_reduce add %p over %k : f32
    %4 = tg.mul %i, %c8 : index
    %5 = tg.add %4, %j : index
    tg.store %s, %out[%5] : memref<128xf32>
  }
}

// -----

// The depth has 12 positions, and one of the tiles has all 16 of its positions
// read from memory.

#t = #tg.target<"gpu", group_items = 256, subgroup_items = 32, group_bytes = 4096, matrix_units = 1>
module attributes {tg.target = #t} {
  // expected-error @+1 {{products are omitted whose factors are not zeros of a tile}}
  tg.kernel @no_zeros(%out: memref<128xf32>, %a: memref<256xf16>, %b: memref<8xf16>) attributes {outputs = 1 : i64, schedule = [
      #tg.step<split [2] by 16 into [7, 8]>,
      #tg.step<set_kind [0] as local>, #tg.step<stage load 0 [0, 8] into [10, 11]>,
      #tg.step<contract ranged_reduce 0 on mma_m16n8k16_f16>]} {
    %i = tg.range 0 loop 16
    %j = tg.range 1 loop 8
    %k = tg.range 2 loop 12
    %c8 = tg.const(8 : index) : index
    %c16 = tg.const(16 : index) : index
    %0 = tg.mul %i, %c16 : index
    %1 = tg.add %0, %k : index
    %x = tg.load %a[%1] : memref<256xf16>
    %y = tg.load %b[%j] : memref<8xf16>
    %xc = tg.cast %x : f16 -> f32
    %yc = tg.cast %y : f16 -> f32
    %p = tg.mul %xc, %yc : f32
    %s = tg.ranged_reduce add %p over %k : f32
    %4 = tg.mul %i, %c8 : index
    %5 = tg.add %4, %j : index
    tg.store %s, %out[%5] : memref<128xf32>
  }
}

// -----

// The tile holds reciprocals, which are not zero past the end, and other sums read
// them too.

#t = #tg.target<"gpu", group_items = 256, subgroup_items = 32, group_bytes = 4096, matrix_units = 1>
module attributes {tg.target = #t} {
  // expected-error @+1 {{a factor of products that are omitted is used elsewhere}}
  tg.kernel @used_elsewhere(%out: memref<128xf32>, %sums: memref<16xf16>, %a: memref<192xf16>, %b: memref<96xf16>) attributes {outputs = 2 : i64, schedule = [
      #tg.step<split [2] by 16 into [7, 8]>,
      #tg.step<set_kind [0] as local>, #tg.step<stage recip 0 [0, 8] into [10, 11]>,
      #tg.step<set_kind [0] as loop>, #tg.step<set_kind [10] as loop>,
      #tg.step<set_kind [1] as local>, #tg.step<stage load 2 [8, 1] into [12, 13]>,
      #tg.step<contract ranged_reduce 0 on mma_m16n8k16_f16>]} {
    %i = tg.range 0 loop 16
    %j = tg.range 1 loop 8
    %k = tg.range 2 loop 12
    %c8 = tg.const(8 : index) : index
    %c12 = tg.const(12 : index) : index
    %0 = tg.mul %i, %c12 : index
    %1 = tg.add %0, %k : index
    %x = tg.load %a[%1] : memref<192xf16>
    %r = tg.recip %x : f16
    %2 = tg.mul %k, %c8 : index
    %3 = tg.add %2, %j : index
    %y = tg.load %b[%3] : memref<96xf16>
    %xc = tg.cast %r : f16 -> f32
    %yc = tg.cast %y : f16 -> f32
    %p = tg.mul %xc, %yc : f32
    %s = tg.ranged_reduce add %p over %k : f32
    %z = tg.ranged_reduce add %r over %k : f16
    %4 = tg.mul %i, %c8 : index
    %5 = tg.add %4, %j : index
    tg.store %s, %out[%5] : memref<128xf32>
    tg.store %z, %sums[%i] : memref<16xf16>
  }
}

// -----

// No step changes the ranges of the operation afterwards.

#t = #tg.target<"gpu", group_items = 256, subgroup_items = 32, group_bytes = 4096, matrix_units = 1>
module attributes {tg.target = #t} {
  // expected-error @+1 {{does not admit the step #tg.step<set_kind [3] as loop>: 'tg.ranged_reduce' op cannot be computed by mma_m16n8k16_f16: range 3 is not unroll 2, as for the rows of the operation}}
  tg.kernel @changed(%out: memref<128xf32>, %a: memref<256xf16>, %b: memref<128xf16>) attributes {outputs = 1 : i64, schedule = [
      #tg.step<set_kind [0] as local>, #tg.step<stage load 0 [0, 2] into [10, 11]>,
      #tg.step<set_kind [0] as loop>, #tg.step<set_kind [10] as loop>,
      #tg.step<set_kind [1] as local>, #tg.step<stage load 2 [2, 1] into [12, 13]>,
      #tg.step<set_kind [1] as loop>, #tg.step<set_kind [13] as loop>,
      #tg.step<split [0] by 8 into [3, 4]>, #tg.step<set_kind [3] as unroll>, #tg.step<set_kind [4] as local>,
      #tg.step<split [1] by 2 into [5, 6]>, #tg.step<set_kind [5] as local>, #tg.step<set_kind [6] as upcast>,
      #tg.step<contract ranged_reduce 0 on mma_m16n8k16_f16>,
      #tg.step<set_kind [3] as loop>]} {
    %i = tg.range 0 loop 16
    %j = tg.range 1 loop 8
    %k = tg.range 2 loop 16
    %c8 = tg.const(8 : index) : index
    %c16 = tg.const(16 : index) : index
    %0 = tg.mul %i, %c16 : index
    %1 = tg.add %0, %k : index
    %x = tg.load %a[%1] : memref<256xf16>
    %2 = tg.mul %k, %c8 : index
    %3 = tg.add %2, %j : index
    %y = tg.load %b[%3] : memref<128xf16>
    %xc = tg.cast %x : f16 -> f32
    %yc = tg.cast %y : f16 -> f32
    %p = tg.mul %xc, %yc : f32
    %s = tg.ranged_reduce add %p over %k : f32
    %4 = tg.mul %i, %c8 : index
    %5 = tg.add %4, %j : index
    tg.store %s, %out[%5] : memref<128xf32>
  }
}

// -----

#t = #tg.target<"gpu", group_items = 256, subgroup_items = 32, group_bytes = 4096>
module attributes {tg.target = #t} {
  // expected-error @+1 {{does not admit the step #tg.step<buffer stage 0 by 16>: a tile has 2 to 8 buffers}}
  tg.kernel @too_many_buffers(%out: memref<64xf32>, %a: memref<64xf32>) attributes {outputs = 1 : i64, schedule = [
      #tg.step<set_kind [0] as local>, #tg.step<stage load 0 [0] into [1]>, #tg.step<buffer stage 0 by 16>]} {
    %i = tg.range 0 loop 64
    %x = tg.load %a[%i] : memref<64xf32>
    tg.store %x, %out[%i] : memref<64xf32>
  }
}

// -----

#t = #tg.target<"gpu", group_items = 256, subgroup_items = 32, group_bytes = 640>
module attributes {tg.target = #t} {
  // expected-error @+1 {{does not admit the step #tg.step<buffer stage 0 by 3>: 'tg.stage' op needs more memory than a group of work items has: 192 elements of 'f32'}}
  tg.kernel @too_much_memory(%out: memref<64xf32>, %a: memref<64xf32>) attributes {outputs = 1 : i64, schedule = [
      #tg.step<set_kind [0] as local>, #tg.step<stage load 0 [0] into [1]>, #tg.step<buffer stage 0 by 3>]} {
    %i = tg.range 0 loop 64
    %x = tg.load %a[%i] : memref<64xf32>
    tg.store %x, %out[%i] : memref<64xf32>
  }
}

// -----

// expected-error @+1 {{stage 0 is not a tile of a group}}
tg.kernel @own_tile(%out: memref<64xf32>, %a: memref<64xf32>) attributes {outputs = 1 : i64, schedule = [
    #tg.step<stage load 0 [0] into [1]>, #tg.step<buffer stage 0 by 3>]} {
  %i = tg.range 0 loop 64
  %x = tg.load %a[%i] : memref<64xf32>
  tg.store %x, %out[%i] : memref<64xf32>
}

// -----

// A factor that is the same along the depth has no rows or columns in its tile.

#t = #tg.target<"gpu", group_items = 256, subgroup_items = 32, group_bytes = 4096, matrix_units = 1>
module attributes {tg.target = #t} {
  // expected-error @+1 {{cannot be computed by mma_m16n8k16_f16: the index of the factor with the columns is not linear in the ranges of the operation}}
  tg.kernel @no_depth(%out: memref<128xf32>, %a: memref<256xf16>, %b: memref<8xf16>) attributes {outputs = 1 : i64, schedule = [
      #tg.step<set_kind [0] as local>, #tg.step<stage load 0 [0, 2] into [10, 11]>,
      #tg.step<set_kind [0] as loop>, #tg.step<set_kind [10] as loop>,
      #tg.step<set_kind [1] as local>, #tg.step<stage load 2 [1] into [13]>,
      #tg.step<set_kind [1] as loop>, #tg.step<set_kind [13] as loop>,
      #tg.step<split [0] by 8 into [3, 4]>, #tg.step<set_kind [3] as unroll>, #tg.step<set_kind [4] as local>,
      #tg.step<split [1] by 2 into [5, 6]>, #tg.step<set_kind [5] as local>, #tg.step<set_kind [6] as upcast>,
      #tg.step<contract ranged_reduce 0 on mma_m16n8k16_f16>]} {
    %k = tg.range 2 loop 16
    %i = tg.range 0 loop 16
    %j = tg.range 1 loop 8
    %c8 = tg.const(8 : index) : index
    %c16 = tg.const(16 : index) : index
    %0 = tg.mul %i, %c16 : index
    %1 = tg.add %0, %k : index
    %x = tg.load %a[%1] : memref<256xf16>
    %y = tg.load %b[%j] : memref<8xf16>
    %xc = tg.cast %x : f16 -> f32
    %yc = tg.cast %y : f16 -> f32
    %p = tg.mul %xc, %yc : f32
    %s = tg.ranged_reduce add %p over %k : f32
    %4 = tg.mul %i, %c8 : index
    %5 = tg.add %4, %j : index
    tg.store %s, %out[%5] : memref<128xf32>
  }
}
