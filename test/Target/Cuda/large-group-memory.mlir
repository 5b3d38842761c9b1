// More than 48 KiB of memory of a group come from the launch, up to what the
// GPU has. AMD's code declares all of it.

// RUN: tg-compile %s --target=cuda:sm_90 --emit=obj -o %t.ptx
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t.ptx
// RUN: %if ptxas %{ %assemble_ptx sm_90 %t.ptx %}
// RUN: not tg-compile %s --target=cuda:sm_75 --emit=ptx 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: tg-compile %s --target=amd:gfx950 --emit=asm | FileCheck %s --check-prefix=AMD
// RUN: not tg-compile %s --target=amd:gfx942 --emit=asm 2>&1 | FileCheck %s --check-prefix=ERROR

// PTX: .extern .shared .align 16 .b8 {{.*}}[];
// PTX: st.shared.b32
// PTX: bar.sync
// PTX: ld.shared.b32
// AMD: .amdhsa_group_segment_fixed_size 80000
// ERROR: error: {{.*}}large-group-memory.mlir:[[#@LINE+10]]:8: 'tg.stage' op needs more memory than a group of work items has: 20000 elements
tg.kernel @tile(%out: memref<20000xf32>, %x: memref<20000xf32>) attributes {outputs = 1 : i64} {
  %c124 = tg.const(124 : index) : index
  %c160 = tg.const(160 : index) : index
  %l = tg.range 0 local 125
  %i = tg.range 1 loop 160
  %j = tg.range 2 loop 160
  %row = tg.mul %l, %c160 : index
  %p = tg.add %row, %i : index
  %e = tg.load %x[%p] : memref<20000xf32>
  %t = tg.stage %e over %l, %i in group : memref<20000xf32, 3>
  %m = tg.sub %c124, %l : index
  %n = tg.mul %m, %c160 : index
  %q = tg.add %n, %j : index
  %y = tg.load %t[%q] : memref<20000xf32, 3>
  %r = tg.add %row, %j : index
  tg.store %y, %out[%r] : memref<20000xf32>
}
