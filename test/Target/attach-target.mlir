// RUN: tg-opt %s --tg-attach-target=target=cpu:x86_64:x86-64-v3 | FileCheck %s --check-prefix=V3
// RUN: tg-opt %s --tg-attach-target=target=CPU:X86_64:X86-64-V4 | FileCheck %s --check-prefix=V4
// RUN: tg-opt %s --tg-attach-target=target=null | FileCheck %s --check-prefix=NONE
// RUN: tg-opt %s --tg-attach-target | FileCheck %s --check-prefix=HOST
// RUN: not tg-opt %s --tg-attach-target=target=null:1 2>&1 | FileCheck %s --check-prefix=BAD

// V3: module attributes {tg.target = #tg.target<"cpu:x86_64:x86-64-v3", vector_bytes = 32, vector_registers = 16>}
// V4: module attributes {tg.target = #tg.target<"cpu:x86_64:x86-64-v4">}
// NONE: module attributes {tg.target = #tg.target<"null">}
// HOST: module attributes {tg.target = #tg.target<"cpu"
// BAD: error: 'null:1' is not a target: there is one null target, 'null'

// The target that the module has is replaced.
module attributes {tg.target = #tg.target<"cpu:old", vector_bytes = 8>} {
  func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}
