// The code of a kernel leaves registers for as many groups as a compute unit
// should hold, unless more values than that are live at once.

// RUN: tg-compile %s --target=cuda:sm_90 --emit=obj -o %t.ptx
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t.ptx
// RUN: %if ptxas %{ %assemble_ptx sm_90 %t.ptx %}
// RUN: tg-compile %s --target=cuda:sm_86 --emit=obj -o %t.86.ptx
// RUN: FileCheck %s --check-prefix=SM86 --input-file=%t.86.ptx
// RUN: %if ptxas %{ %assemble_ptx sm_86 %t.86.ptx %}
// RUN: tg-compile %s --target=amd:gfx942 --emit=llvm | FileCheck %s --check-prefixes=AMD,CDNA
// RUN: tg-compile %s --target=amd:gfx1100 --emit=llvm | FileCheck %s --check-prefixes=AMD,RDNA
// RUN: tg-compile %s --target=cuda:sm_90 --emit=gpu | FileCheck %s --check-prefix=GPU

// A sum of columns, in groups of 128 items: 32 of 64 subgroups, so that ptxas may
// use 64 registers for each item.
// GPU: gpu.func @r_8_4096_512_n0({{.*}} tg.resident_groups = 8 : i64
// PTX: .entry r_8_4096_512_n0(
// PTX: .reqntid 8, 16, 1
// PTX-NEXT: .minnctapersm 8
// With at most 48 subgroups it is 24, of groups of 64 items.
// SM86: .entry r_8_4096_512_n0(
// SM86: .reqntid 8, 8, 1
// SM86-NEXT: .minnctapersm 12
// Half of the waves of a SIMD.
// AMD: define amdgpu_kernel void @r_{{[0-9]+}}_4096_{{[0-9]+}}_n0({{.*}} #[[SUM:[0-9]+]] !reqd_work_group_size
// AMD: define amdgpu_kernel void @E_1048576_n2({{.*}} #[[LIVE:[0-9]+]] !reqd_work_group_size
// CDNA: attributes #[[SUM]] = { {{.*}}"amdgpu-flat-work-group-size"="64,64"{{.*}}"amdgpu-waves-per-eu"="4"
// RDNA: attributes #[[SUM]] = { {{.*}}"amdgpu-flat-work-group-size"="64,64"{{.*}}"amdgpu-waves-per-eu"="8"
func.func @columns(%x: tensor<4096x4096xf32>) -> tensor<1x4096xf32> {
  %s = tg.reduce add %x axes [0] : tensor<4096x4096xf32> -> tensor<1x4096xf32>
  return %s : tensor<1x4096xf32>
}

// All square roots are live when their maximum is known, 96 registers: two groups
// of 256 items instead of four, and three waves of a SIMD instead of four. More
// would spill. Where half of the waves have 192 registers, the bound stays.
// GPU: gpu.func @E_1048576_n2({{.*}} tg.resident_groups = 4 : i64
// PTX: .entry E_1048576_n2(
// PTX: .reqntid 256, 1, 1
// PTX-NEXT: .minnctapersm 2
// PTX-NOT: .local
// SM86: .entry E_1048576_n2(
// SM86: .minnctapersm 2
// CDNA: attributes #[[LIVE]] = { {{.*}}"amdgpu-waves-per-eu"="3"
// RDNA: attributes #[[LIVE]] = { {{.*}}"amdgpu-waves-per-eu"="8"
func.func @live(%x: tensor<1048576xf32>) -> tensor<1048576xf32> {
  %c0 = tg.const(1.5 : f32) : tensor<1048576xf32>
  %a0 = tg.add %x, %c0 : tensor<1048576xf32>
  %r0 = tg.sqrt %a0 : tensor<1048576xf32>
  %c1 = tg.const(2.5 : f32) : tensor<1048576xf32>
  %a1 = tg.add %x, %c1 : tensor<1048576xf32>
  %r1 = tg.sqrt %a1 : tensor<1048576xf32>
  %c2 = tg.const(3.5 : f32) : tensor<1048576xf32>
  %a2 = tg.add %x, %c2 : tensor<1048576xf32>
  %r2 = tg.sqrt %a2 : tensor<1048576xf32>
  %c3 = tg.const(4.5 : f32) : tensor<1048576xf32>
  %a3 = tg.add %x, %c3 : tensor<1048576xf32>
  %r3 = tg.sqrt %a3 : tensor<1048576xf32>
  %c4 = tg.const(5.5 : f32) : tensor<1048576xf32>
  %a4 = tg.add %x, %c4 : tensor<1048576xf32>
  %r4 = tg.sqrt %a4 : tensor<1048576xf32>
  %c5 = tg.const(6.5 : f32) : tensor<1048576xf32>
  %a5 = tg.add %x, %c5 : tensor<1048576xf32>
  %r5 = tg.sqrt %a5 : tensor<1048576xf32>
  %c6 = tg.const(7.5 : f32) : tensor<1048576xf32>
  %a6 = tg.add %x, %c6 : tensor<1048576xf32>
  %r6 = tg.sqrt %a6 : tensor<1048576xf32>
  %c7 = tg.const(8.5 : f32) : tensor<1048576xf32>
  %a7 = tg.add %x, %c7 : tensor<1048576xf32>
  %r7 = tg.sqrt %a7 : tensor<1048576xf32>
  %c8 = tg.const(9.5 : f32) : tensor<1048576xf32>
  %a8 = tg.add %x, %c8 : tensor<1048576xf32>
  %r8 = tg.sqrt %a8 : tensor<1048576xf32>
  %c9 = tg.const(10.5 : f32) : tensor<1048576xf32>
  %a9 = tg.add %x, %c9 : tensor<1048576xf32>
  %r9 = tg.sqrt %a9 : tensor<1048576xf32>
  %c10 = tg.const(11.5 : f32) : tensor<1048576xf32>
  %a10 = tg.add %x, %c10 : tensor<1048576xf32>
  %r10 = tg.sqrt %a10 : tensor<1048576xf32>
  %c11 = tg.const(12.5 : f32) : tensor<1048576xf32>
  %a11 = tg.add %x, %c11 : tensor<1048576xf32>
  %r11 = tg.sqrt %a11 : tensor<1048576xf32>
  %c12 = tg.const(13.5 : f32) : tensor<1048576xf32>
  %a12 = tg.add %x, %c12 : tensor<1048576xf32>
  %r12 = tg.sqrt %a12 : tensor<1048576xf32>
  %c13 = tg.const(14.5 : f32) : tensor<1048576xf32>
  %a13 = tg.add %x, %c13 : tensor<1048576xf32>
  %r13 = tg.sqrt %a13 : tensor<1048576xf32>
  %c14 = tg.const(15.5 : f32) : tensor<1048576xf32>
  %a14 = tg.add %x, %c14 : tensor<1048576xf32>
  %r14 = tg.sqrt %a14 : tensor<1048576xf32>
  %c15 = tg.const(16.5 : f32) : tensor<1048576xf32>
  %a15 = tg.add %x, %c15 : tensor<1048576xf32>
  %r15 = tg.sqrt %a15 : tensor<1048576xf32>
  %c16 = tg.const(17.5 : f32) : tensor<1048576xf32>
  %a16 = tg.add %x, %c16 : tensor<1048576xf32>
  %r16 = tg.sqrt %a16 : tensor<1048576xf32>
  %c17 = tg.const(18.5 : f32) : tensor<1048576xf32>
  %a17 = tg.add %x, %c17 : tensor<1048576xf32>
  %r17 = tg.sqrt %a17 : tensor<1048576xf32>
  %c18 = tg.const(19.5 : f32) : tensor<1048576xf32>
  %a18 = tg.add %x, %c18 : tensor<1048576xf32>
  %r18 = tg.sqrt %a18 : tensor<1048576xf32>
  %c19 = tg.const(20.5 : f32) : tensor<1048576xf32>
  %a19 = tg.add %x, %c19 : tensor<1048576xf32>
  %r19 = tg.sqrt %a19 : tensor<1048576xf32>
  %c20 = tg.const(21.5 : f32) : tensor<1048576xf32>
  %a20 = tg.add %x, %c20 : tensor<1048576xf32>
  %r20 = tg.sqrt %a20 : tensor<1048576xf32>
  %c21 = tg.const(22.5 : f32) : tensor<1048576xf32>
  %a21 = tg.add %x, %c21 : tensor<1048576xf32>
  %r21 = tg.sqrt %a21 : tensor<1048576xf32>
  %c22 = tg.const(23.5 : f32) : tensor<1048576xf32>
  %a22 = tg.add %x, %c22 : tensor<1048576xf32>
  %r22 = tg.sqrt %a22 : tensor<1048576xf32>
  %c23 = tg.const(24.5 : f32) : tensor<1048576xf32>
  %a23 = tg.add %x, %c23 : tensor<1048576xf32>
  %r23 = tg.sqrt %a23 : tensor<1048576xf32>
  %m1 = tg.max %r0, %r1 : tensor<1048576xf32>
  %m2 = tg.max %m1, %r2 : tensor<1048576xf32>
  %m3 = tg.max %m2, %r3 : tensor<1048576xf32>
  %m4 = tg.max %m3, %r4 : tensor<1048576xf32>
  %m5 = tg.max %m4, %r5 : tensor<1048576xf32>
  %m6 = tg.max %m5, %r6 : tensor<1048576xf32>
  %m7 = tg.max %m6, %r7 : tensor<1048576xf32>
  %m8 = tg.max %m7, %r8 : tensor<1048576xf32>
  %m9 = tg.max %m8, %r9 : tensor<1048576xf32>
  %m10 = tg.max %m9, %r10 : tensor<1048576xf32>
  %m11 = tg.max %m10, %r11 : tensor<1048576xf32>
  %m12 = tg.max %m11, %r12 : tensor<1048576xf32>
  %m13 = tg.max %m12, %r13 : tensor<1048576xf32>
  %m14 = tg.max %m13, %r14 : tensor<1048576xf32>
  %m15 = tg.max %m14, %r15 : tensor<1048576xf32>
  %m16 = tg.max %m15, %r16 : tensor<1048576xf32>
  %m17 = tg.max %m16, %r17 : tensor<1048576xf32>
  %m18 = tg.max %m17, %r18 : tensor<1048576xf32>
  %m19 = tg.max %m18, %r19 : tensor<1048576xf32>
  %m20 = tg.max %m19, %r20 : tensor<1048576xf32>
  %m21 = tg.max %m20, %r21 : tensor<1048576xf32>
  %m22 = tg.max %m21, %r22 : tensor<1048576xf32>
  %m23 = tg.max %m22, %r23 : tensor<1048576xf32>
  %d0 = tg.sub %r0, %m23 : tensor<1048576xf32>
  %d1 = tg.sub %r1, %m23 : tensor<1048576xf32>
  %s1 = tg.mul %d0, %d1 : tensor<1048576xf32>
  %d2 = tg.sub %r2, %m23 : tensor<1048576xf32>
  %s2 = tg.mul %s1, %d2 : tensor<1048576xf32>
  %d3 = tg.sub %r3, %m23 : tensor<1048576xf32>
  %s3 = tg.mul %s2, %d3 : tensor<1048576xf32>
  %d4 = tg.sub %r4, %m23 : tensor<1048576xf32>
  %s4 = tg.mul %s3, %d4 : tensor<1048576xf32>
  %d5 = tg.sub %r5, %m23 : tensor<1048576xf32>
  %s5 = tg.mul %s4, %d5 : tensor<1048576xf32>
  %d6 = tg.sub %r6, %m23 : tensor<1048576xf32>
  %s6 = tg.mul %s5, %d6 : tensor<1048576xf32>
  %d7 = tg.sub %r7, %m23 : tensor<1048576xf32>
  %s7 = tg.mul %s6, %d7 : tensor<1048576xf32>
  %d8 = tg.sub %r8, %m23 : tensor<1048576xf32>
  %s8 = tg.mul %s7, %d8 : tensor<1048576xf32>
  %d9 = tg.sub %r9, %m23 : tensor<1048576xf32>
  %s9 = tg.mul %s8, %d9 : tensor<1048576xf32>
  %d10 = tg.sub %r10, %m23 : tensor<1048576xf32>
  %s10 = tg.mul %s9, %d10 : tensor<1048576xf32>
  %d11 = tg.sub %r11, %m23 : tensor<1048576xf32>
  %s11 = tg.mul %s10, %d11 : tensor<1048576xf32>
  %d12 = tg.sub %r12, %m23 : tensor<1048576xf32>
  %s12 = tg.mul %s11, %d12 : tensor<1048576xf32>
  %d13 = tg.sub %r13, %m23 : tensor<1048576xf32>
  %s13 = tg.mul %s12, %d13 : tensor<1048576xf32>
  %d14 = tg.sub %r14, %m23 : tensor<1048576xf32>
  %s14 = tg.mul %s13, %d14 : tensor<1048576xf32>
  %d15 = tg.sub %r15, %m23 : tensor<1048576xf32>
  %s15 = tg.mul %s14, %d15 : tensor<1048576xf32>
  %d16 = tg.sub %r16, %m23 : tensor<1048576xf32>
  %s16 = tg.mul %s15, %d16 : tensor<1048576xf32>
  %d17 = tg.sub %r17, %m23 : tensor<1048576xf32>
  %s17 = tg.mul %s16, %d17 : tensor<1048576xf32>
  %d18 = tg.sub %r18, %m23 : tensor<1048576xf32>
  %s18 = tg.mul %s17, %d18 : tensor<1048576xf32>
  %d19 = tg.sub %r19, %m23 : tensor<1048576xf32>
  %s19 = tg.mul %s18, %d19 : tensor<1048576xf32>
  %d20 = tg.sub %r20, %m23 : tensor<1048576xf32>
  %s20 = tg.mul %s19, %d20 : tensor<1048576xf32>
  %d21 = tg.sub %r21, %m23 : tensor<1048576xf32>
  %s21 = tg.mul %s20, %d21 : tensor<1048576xf32>
  %d22 = tg.sub %r22, %m23 : tensor<1048576xf32>
  %s22 = tg.mul %s21, %d22 : tensor<1048576xf32>
  %d23 = tg.sub %r23, %m23 : tensor<1048576xf32>
  %s23 = tg.mul %s22, %d23 : tensor<1048576xf32>
  return %s23 : tensor<1048576xf32>
}
