// Rows are reduced by shuffles and in the memory of the group, which has the
// alignment of vectors. Values of 64 bits are shuffled in halves.

// RUN: tg-compile %s --target=cuda:sm_80 --emit=obj -o %t.ptx
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t.ptx
// RUN: %if ptxas %{ %assemble_ptx sm_80 %t.ptx %}
// RUN: tg-compile %s --target=amd:gfx1100 --emit=asm | FileCheck %s --check-prefix=AMD
// RUN: tg-compile %s --target=amd:gfx90a --emit=asm | FileCheck %s --check-prefixes=AMD,WAVE64

// PTX-LABEL: .entry r_64_4096_n0
// PTX: .shared .align 16
// PTX-COUNT-5: shfl.sync.bfly.b32
// PTX-NOT: shfl
// PTX: st.shared
// PTX: bar.sync
// PTX: ld.shared
// PTX-LABEL: .entry r_64_4096_n1
// PTX-COUNT-10: shfl.sync.bfly.b32
// PTX-NOT: shfl
// PTX-LABEL: .entry r_64_4096_n2
// PTX-COUNT-10: shfl.sync.bfly.b32
// PTX-NOT: shfl
// PTX-LABEL: .entry r_64_4096_n3
// PTX-COUNT-5: shfl.sync.bfly.b32
// PTX-LABEL: .entry r_64_4096_n4
// PTX-COUNT-5: shfl.sync.bfly.b32

// AMD-LABEL: r_64_4096_n0:
// AMD: ds_bpermute_b32
// WAVE64-COUNT-5: ds_bpermute_b32
// WAVE64-NOT: ds_bpermute_b32
// AMD: {{ds_(store|write)}}
// AMD: s_barrier
// AMD: {{ds_(load|read)}}
// AMD: .amdhsa_group_segment_fixed_size {{[1-9]}}
// AMD: .amdhsa_private_segment_fixed_size 0
func.func @main(%f: tensor<64x4096xf32>, %d: tensor<64x4096xf64>, %i: tensor<64x4096xi64>, %b: tensor<64x4096xi1>, %h: tensor<64x4096xf16>)
    -> (tensor<64x1xf32>, tensor<64x1xf64>, tensor<64x1xi64>, tensor<64x1xi1>, tensor<64x1xf16>) {
  %0 = tg.reduce add %f axes [1] : tensor<64x4096xf32> -> tensor<64x1xf32>
  %1 = tg.reduce add %d axes [1] : tensor<64x4096xf64> -> tensor<64x1xf64>
  %2 = tg.reduce max %i axes [1] : tensor<64x4096xi64> -> tensor<64x1xi64>
  %3 = tg.reduce max %b axes [1] : tensor<64x4096xi1> -> tensor<64x1xi1>
  %4 = tg.reduce max %h axes [1] : tensor<64x4096xf16> -> tensor<64x1xf16>
  return %0, %1, %2, %3, %4 : tensor<64x1xf32>, tensor<64x1xf64>, tensor<64x1xi64>, tensor<64x1xi1>, tensor<64x1xf16>
}
