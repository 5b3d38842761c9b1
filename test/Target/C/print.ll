; Blocks, loops, values of several blocks, and what is written where it is used.

; RUN: tg-test-print-c %s > %t.c
; RUN: FileCheck %s --input-file %t.c
; RUN: gcc -std=c99 -Wall -Wextra -pedantic -Werror -c %t.c -o %t.o
; RUN: clang -std=c99 -Wall -Wextra -pedantic -Werror -Wno-missing-prototypes -c %t.c -o %t.o
; RUN: gcc -std=c99 -Wall -Wextra -pedantic -Werror -DTEST_PORTABLE -c %t.c -o %t.o

; Without fused products in any dialect of C.
; RUN: gcc -std=gnu99 -O2 -mfma -S %t.c -o - | not grep vfmadd
; RUN: clang -std=gnu99 -O2 -mfma -S %t.c -o - | not grep vfmadd

; RUN: not gcc -std=c99 -ffast-math -c %t.c -o %t.o 2>&1 | FileCheck %s --check-prefix=FAST
; FAST: error{{.*}}no -ffast-math, please

target datalayout = "e-m:e-i64:64-i128:128-n8:16:32:64-S128"

@numbers = internal constant [8 x i8] c"\01\00\00\00\FF\FF\FF\7F", align 64
@letters = internal constant [3 x i8] c"abc", align 1
@scratch = internal global [100 x i8] zeroinitializer, align 64

; CHECK: static ALIGN(64) const uint32_t numbers[2] = {
; CHECK-NEXT: 1, 0x7fffffff,};
; CHECK: static ALIGN(1) const unsigned char letters[3] = {
; CHECK-NEXT: 0x61, 0x62, 0x63,};
; CHECK: static ALIGN(64) unsigned char scratch[100];

; Values of a loop change places at once.
; CHECK-LABEL: static uint64_t fibonacci(uint64_t a0) {
; CHECK: [[NEXT:block[0-9]+]]: {
; CHECK: uint64_t before1 = [[A:v[0-9]+]];
; CHECK: [[A]] =
; CHECK-NEXT: [[B:v[0-9]+]] = before1;
; CHECK: goto
; CHECK: return
define internal i64 @fibonacci(i64 %n) noinline {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %more, %next ]
  %a = phi i64 [ 1, %entry ], [ %sum, %next ]
  %b = phi i64 [ 0, %entry ], [ %a, %next ]
  %done = icmp sge i64 %i, %n
  br i1 %done, label %end, label %next
next:
  %sum = add i64 %a, %b
  %more = add i64 %i, 1
  br label %loop
end:
  ret i64 %b
}

; Two values that are exchanged.
; CHECK-LABEL: static uint32_t exchange(
; CHECK: {
; CHECK-NEXT: uint32_t before1 = [[X:v[0-9]+]];
; CHECK-NEXT: [[X]] = [[Y:v[0-9]+]];
; CHECK-NEXT: [[Y]] = before1;
; CHECK-NEXT: }
define internal i32 @exchange(i32 %n) noinline {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %more, %loop ]
  %x = phi i32 [ 1, %entry ], [ %y, %loop ]
  %y = phi i32 [ 2, %entry ], [ %x, %loop ]
  %more = add i32 %i, 1
  %done = icmp ugt i32 %more, %n
  br i1 %done, label %end, label %loop
end:
  ret i32 %x
}

; CHECK-LABEL: static uint8_t choose(
; CHECK: switch (a0) {
; CHECK-NEXT: case 3u:
; CHECK: case UINT32_C(0xfffffffe):
; CHECK: default:
define internal i8 @choose(i32 %x) noinline {
  switch i32 %x, label %other [ i32 3, label %three
                                i32 -2, label %minus ]
three:
  ret i8 1
minus:
  ret i8 2
other:
  %r = phi i8 [ 7, %0 ]
  ret i8 %r
}

; Exact constants.
; CHECK-LABEL: static void constants(
; CHECK-DAG: 0x1.99999ap-4f
; CHECK-DAG: 0x1.999999999999ap-4
; CHECK-DAG: f32_from_bits(UINT32_C(0x7fc00000))
; CHECK-DAG: (-INFINITY)
; CHECK-DAG: (-0.0f)
; CHECK-DAG: UINT64_C(0x8000000000000000)
; CHECK-DAG: 15360u
define internal void @constants(ptr %p) noinline {
  store float 0x3FB99999A0000000, ptr %p
  store double 0x3FB999999999999A, ptr %p
  store float 0x7FF8000000000000, ptr %p
  store float 0xFFF0000000000000, ptr %p
  store float -0.0, ptr %p
  store i64 -9223372036854775808, ptr %p
  store half 1.0, ptr %p
  ret void
}

; Numbers are rounded one by one: each has a variable. An address with one use has none.
; CHECK-LABEL: static void axpy(
; CHECK: const float [[P:v[0-9]+]] = load_f32(AT(a1, 8));
; CHECK-NEXT: const float [[M:v[0-9]+]] = a0 * [[P]];
; CHECK-NEXT: const float [[S:v[0-9]+]] = [[M]] + [[P]];
; CHECK-NEXT: const float [[F:v[0-9]+]] = fmaf(a0, [[P]], [[S]]);
; CHECK-NEXT: store_f32(AT(a1, (uint64_t)(int32_t)a2 * 4u - 4u), [[F]]);
define internal void @axpy(float %a, ptr %p, i32 %i) noinline {
  %at = getelementptr i8, ptr %p, i64 8
  %x = load float, ptr %at, align 4
  %m = fmul float %a, %x
  %s = fadd float %m, %x
  %f = call float @llvm.fma.f32(float %a, float %x, float %s)
  %wide = sext i32 %i to i64
  %end = getelementptr float, ptr %p, i64 %wide
  %last = getelementptr i8, ptr %end, i64 -4
  store float %f, ptr %last, align 4
  ret void
}

; Memory on the stack, and functions of the C library.
; CHECK-LABEL: static void copies(
; CHECK: ALIGN(32) char [[M:v[0-9]+_memory]][24];
; CHECK: memcpy(
; CHECK: memset(
; CHECK: PREFETCH(a0, 0, 2);
define internal void @copies(ptr %p) noinline {
  %m = alloca [3 x i64], align 32
  call void @llvm.lifetime.start.p0(ptr %m)
  call void @llvm.memcpy.p0.p0.i64(ptr %m, ptr @numbers, i64 8, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %m, ptr @letters, i64 3, i1 false)
  call void @llvm.memmove.p0.p0.i64(ptr %p, ptr %m, i64 24, i1 false)
  call void @llvm.memset.p0.i64(ptr @scratch, i8 0, i64 100, i1 false)
  call void @llvm.prefetch.p0(ptr %p, i32 0, i32 2, i32 1)
  fence seq_cst
  call void @llvm.lifetime.end.p0(ptr %m)
  ret void
}

; The declared function returns an int.
; CHECK: int main_all(void *p0, void *p1) {
; CHECK-NEXT: char *p0_ = (char *)p0;
; CHECK: return (int)
define i32 @main_all(ptr %a, ptr %b) {
  %n = call i64 @fibonacci(i64 10)
  store i64 %n, ptr %a
  %x = call i32 @exchange(i32 3)
  %c = call i8 @choose(i32 %x)
  call void @constants(ptr %b)
  call void @axpy(float 2.0, ptr %a, i32 %x)
  call void @copies(ptr %b)
  %r = zext i8 %c to i32
  ret i32 %r
}
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
declare float @llvm.fma.f32(float, float, float)
