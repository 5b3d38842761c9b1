// RUN: tg-opt %s | tg-opt | FileCheck %s
// RUN: tg-opt %s --emit-bytecode | tg-opt | FileCheck %s

// Facts that have the usual value are left out.
// CHECK: module attributes {tg.target = #tg.target<"cpu:quoted \22name\22", vector_bytes = 16, vector_registers = 8, fused_multiply_add = 0, compile_cost = 0>}
module attributes {tg.target = #tg.target<"cpu:quoted \"name\"",
    compile_cost = 0, vector_registers = 8, vector_bytes = 16,
    fused_multiply_add = 0, line_bytes = 64>} {
}
