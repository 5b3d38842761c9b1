// Lanes are loaded and stored by one instruction where buffers that the kernel
// owns are aligned: its results, and tiles of the group.

// RUN: tg-compile %s --target=cuda:sm_90 --emit=obj -o %t.ptx
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t.ptx
// RUN: %if ptxas %{ %assemble_ptx sm_90 %t.ptx %}
// RUN: tg-compile %s --target=amd:gfx1100 --emit=asm | FileCheck %s --check-prefix=GFX11
// RUN: tg-compile %s --target=amd:gfx942 --emit=asm | FileCheck %s --check-prefix=GFX9

// PTX: st.shared.v4.b32
// PTX: bar.sync
// PTX: ld.shared.v4.b32
// PTX: st.global.v4.b32
// GFX11: global_load_b128
// GFX11: ds_store_b128
// GFX11: s_barrier
// GFX11: ds_load_b128
// GFX11: global_store_b128
// GFX9: global_load_dwordx4
// GFX9: ds_write_b128
// GFX9: ds_read_b128
// GFX9: global_store_dwordx4
tg.kernel @tile(%out: memref<4096xf32>, %x: memref<4096xf32>) attributes {outputs = 1 : i64} {
  %c4 = tg.const(4 : index) : index
  %c63 = tg.const(63 : index) : index
  %c256 = tg.const(256 : index) : index
  %g = tg.range 0 global 16
  %l = tg.range 1 local 64
  %v = tg.range 2 upcast 4
  %row = tg.mul %g, %c256 : index
  %a = tg.mul %l, %c4 : index
  %b = tg.add %a, %v : index
  %p = tg.add %row, %b : index
  %e = tg.load %x[%p] : memref<4096xf32>
  %t = tg.stage %e over %l, %v in group : memref<256xf32, 3>
  %i = tg.sub %c63, %l : index
  %j = tg.mul %i, %c4 : index
  %q = tg.add %j, %v : index
  %y = tg.load %t[%q] : memref<256xf32, 3>
  tg.store %y, %out[%p] : memref<4096xf32>
}
