// Reads go through the cache for constant data, each item reads and writes 16
// bytes at once, products and sums are not fused, and indices have 32 bits.

// RUN: tg-compile %s --target=cuda:sm_90 --emit=obj -o %t.ptx
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t.ptx
// RUN: %if ptxas %{ %assemble_ptx sm_90 %t.ptx %}
// RUN: tg-compile %s --target=amd:gfx1100 --emit=asm | FileCheck %s --check-prefixes=AMD,GFX11
// RUN: tg-compile %s --target=amd:gfx942 --emit=asm | FileCheck %s --check-prefixes=AMD,GFX9

// PTX: .visible .entry [[NAME:.*]](
// PTX-COUNT-3: .param .u64 .ptr .global
// PTX-NOT: .param .u64
// PTX: .reqntid 256, 1, 1
// Half of the subgroups are resident: 64 registers for each item.
// PTX: .minnctapersm 4
// PTX: mul.wide.u32
// PTX-DAG: ld.global.nc.v4.b32 {[[X:%r[0-9]+]], {{.*}}}, [{{.*}}];
// PTX-DAG: ld.global.nc.v4.b32 {[[Y:%r[0-9]+]], {{.*}}}, [{{.*}}];
// PTX: mul.rn.f32 [[P:%r[0-9]+]], [[X]], [[Y]];
// PTX: add.rn.f32 [[S:%r[0-9]+]], [[P]], [[Y]];
// PTX: st.global.v4.b32 {{.*}}, {[[S]],
// PTX-NOT: call
// PTX-NOT: .local

// GFX11: global_load_b128
// GFX9: global_load_dwordx4
// AMD-NOT: {{v_(fma|mac|mad_f|fmac)}}
// AMD: {{v_(pk_|dual_)?mul_f32}}
// AMD-NOT: {{v_(fma|mac|mad_f|fmac)}}
// AMD: {{v_(pk_|dual_)?add_f32}}
// GFX11: global_store_b128
// GFX9: global_store_dwordx4
// AMD: .amdhsa_private_segment_fixed_size 0
// GFX11: .amdhsa_wavefront_size32 1
// AMD: .amdhsa_float_denorm_mode_32 3
// GFX9: .max_flat_workgroup_size: 256
// GFX9: .reqd_workgroup_size:
// GFX9-NEXT: - 256
// GFX9: .wavefront_size: 64
func.func @main(%x: tensor<1048000xf32>, %y: tensor<1048000xf32>) -> tensor<1048000xf32> {
  %0 = tg.mul %x, %y : tensor<1048000xf32>
  %1 = tg.add %0, %y : tensor<1048000xf32>
  return %1 : tensor<1048000xf32>
}
