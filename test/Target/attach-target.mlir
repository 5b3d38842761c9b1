// RUN: tg-opt %s --tg-attach-target=target=cpu:x86_64:x86-64-v3 | FileCheck %s --check-prefix=V3
// RUN: tg-opt %s --tg-attach-target=target=CPU:X86_64:X86-64-V4 | FileCheck %s --check-prefix=V4
// RUN: tg-opt %s --tg-attach-target=target=null | FileCheck %s --check-prefix=NONE
// RUN: tg-opt %s --tg-attach-target | FileCheck %s --check-prefix=HOST
// RUN: tg-opt %s --tg-attach-target=target=cuda:sm_90:tf32 | FileCheck %s --check-prefix=TF32
// RUN: tg-opt %s --tg-attach-target=target=sim:SM_90:TF32 | FileCheck %s --check-prefix=SIM
// RUN: not tg-opt %s --tg-attach-target=target=cuda:sm_75:tf32 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not tg-opt %s --tg-attach-target=target=sim:gfx942:tf32 2>&1 | FileCheck %s --check-prefix=AMD
// RUN: not tg-opt %s --tg-attach-target=target=cuda:sm_90:tf16 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not tg-opt %s --tg-attach-target=target=cuda:tf32 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not tg-opt %s --tg-attach-target=target=cuda:sm_90: 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not tg-opt %s --tg-attach-target=target=null:1 2>&1 | FileCheck %s --check-prefix=BAD

// V3: module attributes {tg.target = #tg.target<"cpu:x86_64:x86-64-v3", vector_bytes = 32, vector_registers = 16>}
// V4: module attributes {tg.target = #tg.target<"cpu:x86_64:x86-64-v4">}
// NONE: module attributes {tg.target = #tg.target<"null">}
// HOST: module attributes {tg.target = #tg.target<"cpu"
// TF32: #tg.target<"cuda:sm_90:tf32", {{.*}}round_to_tf32 = 1
// SIM: #tg.target<"sim:sm_90:tf32", {{.*}}round_to_tf32 = 1
// SIM-SAME: unit_subgroups = 64, unit_groups = 32, unit_barriers = 32, unit_registers = 65536, item_registers = 255, register_step = 8, unit_bytes = 233472, reserved_bytes = 1024, memory_step = 128
// OLD: error: 'cuda:sm_75:tf32' is not a target: sm_75 has no matrix units that round f32 to tf32
// AMD: error: 'sim:gfx942:tf32' is not a target: gfx942 has no matrix units that round f32 to tf32
// OPTION: error: 'cuda:sm_90:tf16' is not a target: sm_90 has no option 'tf16'; there is 'tf32'
// CHIP: error: 'cuda:tf32' is not a target: there is no GPU called 'tf32'; known ones: sm_70
// EMPTY: error: 'cuda:sm_90:' is not a target: sm_90 has no option ''; there is 'tf32'
// BAD: error: 'null:1' is not a target: there is one null target, 'null'

// The target that the module has is replaced.
module attributes {tg.target = #tg.target<"cpu:old", vector_bytes = 8>} {
  func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}
