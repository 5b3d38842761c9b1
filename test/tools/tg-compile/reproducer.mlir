// With REPRODUCER, a pass that fails leaves what repeats it; one that does not
// fail leaves nothing.

// RUN: rm -f %t.mlir
// RUN: not env REPRODUCER=%t.mlir tg-compile %s 2>&1 | FileCheck %s
// CHECK: error: {{.*}}variable 'n' is bound to 3
// CHECK: reproducer generated at `{{.*}}.mlir`
// RUN: not tg-opt --run-reproducer %t.mlir 2>&1 | FileCheck %s --check-prefix=AGAIN
// AGAIN: error: variable 'n' is bound to 3

// RUN: rm -f %t.mlir
// RUN: sed 's/, 3>/>/g' %s > %t.fine.mlir
// RUN: env REPRODUCER=%t.mlir tg-compile %t.fine.mlir --emit=asm -o %t.s
// RUN: not ls %t.mlir
func.func @main(%x: tensor<?xf32, #tg.shape<#tg.var<"n", 1, 9, 3>>>)
    -> tensor<?xf32, #tg.shape<#tg.var<"n", 1, 9, 3>>> {
  %0 = tg.neg %x : tensor<?xf32, #tg.shape<#tg.var<"n", 1, 9, 3>>>
  return %0 : tensor<?xf32, #tg.shape<#tg.var<"n", 1, 9, 3>>>
}
