"""Prints a kernel whose items write what others write, at many places."""

TILE = "memref<4096xf32, #gpu.address_space<workgroup>>"

print(
    f"""gpu.module @kernels {{
  gpu.func @no_barriers(%out: memref<64xf32>) workgroup(%tile: {TILE}) kernel
      attributes {{known_block_size = array<i32: 64, 1, 1>, tg.groups = [1, 1, 1], tg.outputs = 1 : i64}} {{
    %x = gpu.thread_id x
    %0 = arith.constant 0.0 : f32"""
)
# Each access is of an element that one item further along accesses, too, and each
# distance makes a statement of its own.
for i in range(60):
    print(f"    %c{i} = arith.constant {i * i} : index")
    print(f"    %i{i} = arith.addi %x, %c{i} : index")
    print(f"    memref.store %0, %tile[%i{i}] : {TILE}")
print("    gpu.return\n  }\n}")
