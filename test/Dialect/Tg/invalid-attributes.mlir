// Attributes of the dialect that are rejected.

// RUN: tg-opt -split-input-file -verify-diagnostics %s

// expected-error @+1 {{a variable needs a name}}
func.func private @var_without_name() attributes {a = #tg.var<"", 1, 8>}

// -----

// expected-error @+1 {{variable 'n' has an empty range: min 8 > max 1}}
func.func private @var_without_range() attributes {a = #tg.var<"n", 8, 1>}

// -----

// expected-error @+1 {{operand 1.000000e+00 : f64 of a dimension expression is not an integer (of 64 bits), #tg.var or #tg.dim}}
func.func private @dim_of_float() attributes {a = #tg.dim<add, #tg.var<"n", 1, 8>, 1.0>}

// -----

// expected-error @+1 {{operand 1 : i32 of a dimension expression is not an integer (of 64 bits)}}
func.func private @dim_of_i32() attributes {a = #tg.dim<add, #tg.var<"n", 1, 8>, 1 : i32>}

// -----

// expected-error @+1 {{expected one of [add, mul, floordiv, mod, min, max] for an operator on dimensions, got: sub}}
func.func private @dim_kind() attributes {a = #tg.dim<sub, #tg.var<"n", 1, 8>, 1>}

// -----

// expected-error @+1 {{'add' of dimensions takes two or more operands, not 1}}
func.func private @dim_of_one() attributes {a = #tg.dim<add, #tg.var<"n", 1, 8>>}

// -----

// expected-error @+1 {{'mod' of dimensions takes two operands, not 3}}
func.func private @dim_of_three() attributes {a = #tg.dim<mod, #tg.var<"n", 1, 8>, 2, 3>}

// -----

// expected-error @+1 {{operand "n" of a dimension expression is not an integer}}
func.func private @dim_verbatim_of_text() attributes {a = #tg.dim<verbatim add, "n", 3>}

// -----

// expected-error @+1 {{dimension "n" is not an integer (of 64 bits), #tg.var or #tg.dim}}
func.func private @shape_of_text() attributes {a = #tg.shape<"n">}

// -----

// expected-error @+1 {{#tg.shape has no symbolic dimension; a tensor of static shape carries no encoding}}
func.func private @shape_without_symbol() attributes {a = #tg.shape<4, 4>}

// -----

// expected-error @+1 {{#tg.shape lists 1 dimensions for a tensor of rank 2}}
func.func private @shape_rank(tensor<?x4xf32, #tg.shape<#tg.var<"n", 1, 8>>>)

// -----

// expected-error @+1 {{dimension 1 is 4 in #tg.shape but 5 in the tensor's shape}}
func.func private @shape_size(tensor<?x5xf32, #tg.shape<#tg.var<"n", 1, 8>, 4>>)

// -----

// expected-error @+1 {{dimension 0 is n in #tg.shape but 8 in the tensor's shape}}
func.func private @shape_of_static_size(tensor<8xf32, #tg.shape<#tg.var<"n", 1, 8>>>)

// -----

// expected-error @+1 {{dimension 1 is 4 in #tg.shape but ? in the tensor's shape}}
func.func private @shape_of_dynamic_size(tensor<?x?xf32, #tg.shape<#tg.var<"n", 1, 8>, 4>>)

// -----

// expected-error @+1 {{dimension 0, (n + -2), can be negative: -1}}
func.func private @shape_negative(tensor<?xf32, #tg.shape<#tg.dim<add, #tg.var<"n", 1, 8>, -2>>>)

// -----

// expected-error @+1 {{unknown attribute `frobnicate` in dialect `tg`}}
func.func private @unknown_attribute() attributes {a = #tg.frobnicate}

// -----

// expected-error @+1 {{argument 1: 'tg.device' is 3 : i64, not the name of a device}}
func.func private @device_number(%x: tensor<4xf32>, %y: tensor<4xf32> {tg.device = 3})

// -----

// expected-error @+1 {{argument 0: 'tg.device' is "", not the name of a device}}
func.func private @device_empty(tensor<4xf32> {tg.device = ""})

// -----

// expected-error @+1 {{argument 0: 'tg.input' is 1.000000e+00 : f32, not a list of elements}}
func.func private @input_number(tensor<4xf32> {tg.input = 1.0 : f32})

// -----

// expected-error @+1 {{argument 0: 'tg.devise' is not an attribute of the tg dialect}}
func.func private @argument_unknown(tensor<4xf32> {tg.devise = "CPU"})

// -----

// expected-error @+1 {{argument 0: 'tg.name' is "2x", not an identifier of C like "weights"}}
func.func private @name(tensor<4xf32> {tg.name = "2x"})

// -----

// expected-error @+1 {{result 0: 'tg.name' is 4 : i64, not an identifier of C like "weights"}}
func.func private @result_name() -> (tensor<4xf32> {tg.name = 4 : i64})

// -----

// expected-error @+1 {{argument 0: 'tg.state' needs 'tg.name' beside it}}
func.func private @state(tensor<4xf32> {tg.state})

// -----

// expected-error @+1 {{argument 0: 'tg.state' is true, not a unit attribute}}
func.func private @state_value(tensor<4xf32> {tg.name = "w", tg.state = true})

// -----

// expected-error @+1 {{'tg.scratch_bytes' is -4 : i64, not an i64 of at least 0}}
func.func private @scratch() attributes {tg.scratch_bytes = -4 : i64}

// -----

// expected-error @+1 {{'tg.name' is an attribute of function arguments}}
func.func private @name_of_function() attributes {tg.name = "x"}

// -----

// expected-error @+1 {{result 0: 'tg.device' is not an attribute of results}}
func.func private @device_of_result() -> (tensor<4xf32> {tg.device = "CPU"})

// -----

// expected-error @+1 {{'tg.device' is an attribute of function arguments}}
func.func private @device_of_function() attributes {tg.device = "CPU"}

// -----

// expected-error @+1 {{'tg.parallel' is not an attribute of the tg dialect}}
func.func private @unknown() attributes {tg.parallel = 4 : i64}

// -----

// expected-error @+1 {{'tg.parallel_extent' is an attribute of functions}}
module attributes {tg.parallel_extent = 4 : i64} {}

// -----

// expected-error @+1 {{'tg.parallel_extent' is 4 : i32, not a dimension of at least 0}}
func.func private @count_of_i32() attributes {tg.parallel_extent = 4 : i32}

// -----

// expected-error @+1 {{'tg.groups' is [1, 2], not three dimensions of at least 0}}
func.func private @two_directions() attributes {tg.groups = [1, 2]}

// -----

// expected-error @+1 {{'tg.groups' is [1, 2, -1], not three dimensions of at least 0}}
func.func private @negative_groups() attributes {tg.groups = [1, 2, -1]}

// -----

// expected-error @+1 {{'tg.outputs' is -1 : i64, not an i64 of at least 0}}
func.func private @count_negative() attributes {tg.outputs = -1 : i64}

// -----

// expected-error @+1 {{'tg.resident_groups' is 0 : i64, not an i64 from 1 to 1024}}
func.func private @no_group() attributes {tg.resident_groups = 0 : i64}

// -----

// expected-error @+1 {{'tg.resident_groups' is 1025 : i64, not an i64 from 1 to 1024}}
func.func private @too_many_groups() attributes {tg.resident_groups = 1025 : i64}

// -----

// expected-error @+1 {{'tg.resident_groups' is 2 : i32, not an i64 from 1 to 1024}}
func.func private @groups_of_i32() attributes {tg.resident_groups = 2 : i32}

// -----

// expected-error @+1 {{'tg.resident_groups' is an attribute of functions}}
module attributes {tg.resident_groups = 2 : i64} {}

// -----

// expected-error @+1 {{'register_step' is 0, not a number from 1 to 1024}}
module attributes {tg.target = #tg.target<"gpu", register_step = 0>} {
}

// -----

// expected-error @+1 {{'tg.in_place' is true, not a unit attribute}}
func.func private @flag() attributes {tg.in_place = true}

// -----

// expected-error @+1 {{'tg.target' is 3 : i64, not a #tg.target}}
module attributes {tg.target = 3} {
}

// -----

// expected-error @+1 {{'tg.target' is an attribute of modules}}
func.func private @f() attributes {tg.target = #tg.target<"cpu">}

// -----

// expected-error @+1 {{'vector_bytes' is 4, not a number from 8 to 4096}}
module attributes {tg.target = #tg.target<"cpu", vector_bytes = 4>} {
}

// -----

// expected-error @+1 {{'vector_bytes' is 24, not a power of two}}
module attributes {tg.target = #tg.target<"cpu", vector_bytes = 24>} {
}

// -----

// expected-error @+1 {{'line_bytes' is 48, not a power of two}}
module attributes {tg.target = #tg.target<"cpu", line_bytes = 48>} {
}

// -----

// expected-error @+1 {{'subgroup_items' is 3, not a power of two}}
module attributes {tg.target = #tg.target<"gpu", subgroup_items = 3>} {
}

// -----

// expected-error @+1 {{a target needs a name}}
module attributes {tg.target = #tg.target<"">} {
}

// -----

// expected-error @+1 {{'wheels' is not a fact about targets; these are vector_bytes, vector_registers, fused_multiply_add, line_bytes, prefetch_reach, l1_bytes, l2_bytes, cache_bytes, parallel_items, load_cost, store_cost, launch_cost, compile_cost, operations_per_nanosecond, bytes_per_nanosecond, group_items, subgroup_items, group_bytes}}
module attributes {tg.target = #tg.target<"cpu", wheels = 4>} {
}

// -----

// expected-error @+1 {{'l1_bytes' is given twice}}
module attributes {tg.target = #tg.target<"cpu", l1_bytes = 1024, l1_bytes = 2048>} {
}

// -----

// expected-error @+1 {{argument 0: 'tg.alignment' is 24 : i64, not an i64 that is a power of two up to 64}}
tg.kernel @k(%a: memref<4xf32> {tg.alignment = 24 : i64}) attributes {outputs = 1 : i64} {
}

// -----

// expected-error @+1 {{argument 0: 'tg.alignment' is 128 : i64, not an i64 that is a power of two up to 64}}
tg.kernel @k(%a: memref<4xf32> {tg.alignment = 128 : i64}) attributes {outputs = 1 : i64} {
}

// -----

// expected-error @+1 {{argument 0: 'tg.alignment' is an attribute of the arguments of a tg.kernel}}
func.func @f(%a: memref<4xf32> {tg.alignment = 16 : i64}) {
  return
}

// -----

tg.kernel @k(%a: memref<4xf32>, %b: memref<4xf32> {tg.alignment = 16 : i64}) attributes {outputs = 1 : i64} {
}
func.func @f(%a: memref<4xf32>, %b: memref<8xf32>) {
  %v = tg.subbuffer %b at (8) : memref<8xf32> -> memref<4xf32>
  // expected-error @+1 {{argument 1 begins at byte 8, which is not a multiple of the 16 bytes that the kernel states (C6)}}
  tg.launch @k(%a, %v) : memref<4xf32>, memref<4xf32>
  return
}

// -----

// expected-error @+1 {{argument 0: 'tg.variable' is 4 : i64, not a variable like #tg.var<"n", 1, 8>}}
func.func @variable_number(%n: index {tg.variable = 4 : i64}) { return }

// -----

// expected-error @+1 {{argument 0: 'tg.variable' is on a 'f32', not on an index or integer}}
func.func @variable_float(%n: f32 {tg.variable = #tg.var<"n", 1, 8>}) { return }

// -----

// expected-error @+1 {{'tg.variable' is an attribute of function arguments}}
func.func private @variable_function() attributes {tg.variable = #tg.var<"n", 1, 8>}

// -----

// expected-error @+1 {{'tg.graph' is a symbol, on a function declaration}}
func.func @graph_definition() attributes {tg.graph = @other} { return }

// -----

// expected-error @+1 {{'tg.graph' is a symbol, on a function declaration}}
func.func private @graph_name() attributes {tg.graph = "other"}

// -----

// expected-error @+1 {{argument 0: 'tg.elements' is an attribute of flat buffers, not of a tensor<4xf32>}}
func.func @f(%a: tensor<4xf32> {tg.elements = #tg.var<"n", 1, 4>}) {
  return
}

// -----

// expected-error @+1 {{argument 0: 'tg.elements' is 3 : i64, not an expression over variables}}
func.func @f(%a: memref<4xf32> {tg.elements = 3 : i64}) {
  return
}

// -----

// expected-error @+1 {{argument 0: 'tg.elements' is from 1 to 5, not a part of the 4 elements of memref<4xf32>}}
func.func @f(%a: memref<4xf32> {tg.elements = #tg.var<"n", 1, 5>}) {
  return
}

// -----

// expected-error @+1 {{result 0: 'tg.elements' is from -1 to 4, not a part of the 4 elements of memref<4xf32>}}
func.func @f(%a: memref<4xf32>) -> (memref<4xf32> {tg.elements = #tg.var<"n", -1, 4>}) {
  return %a : memref<4xf32>
}

// -----

// expected-error @+1 {{argument 0: 'tg.least_elements' is 5 : i64, not an i64 from 0 to the 4 elements of 'memref<4xf32>'}}
tg.kernel @k(%a: memref<4xf32> {tg.least_elements = 5 : i64}) attributes {outputs = 1 : i64} {
}

// -----

// expected-error @+1 {{argument 0: 'tg.least_elements' is an attribute of buffers of static shape}}
func.func @f(%a: memref<?xf32> {tg.least_elements = 1 : i64}) {
  return
}

// -----

// expected-error @+1 {{argument 0: 'tg.launched_elements' is 4 : i64, not a list of sizes}}
tg.kernel @k(%a: memref<4xf32> {tg.launched_elements = 4 : i64}) attributes {outputs = 1 : i64} {
}

// -----

// expected-error @+1 {{argument 0: 'tg.launched_elements' is [], not a list of sizes}}
tg.kernel @k(%a: memref<4xf32> {tg.launched_elements = []}) attributes {outputs = 1 : i64} {
}

// -----

// expected-error @+1 {{argument 0: 'tg.launched_elements' has the entry "n", which is neither a dimension nor a list of one and of variables with numbers}}
tg.kernel @k(%a: memref<4xf32> {tg.launched_elements = [4, "n"]}) attributes {outputs = 1 : i64} {
}

// -----

// expected-error @+1 {{which is neither a dimension nor a list of one and of variables with numbers}}
tg.kernel @k(%a: memref<4xf32> {tg.launched_elements = [[4, ["n", 2]]]}) attributes {outputs = 1 : i64} {
}

// -----

// expected-error @+1 {{argument 0: 'tg.launched_elements' has a size from 1 to 8, not a part of the 4 elements of memref<4xf32>}}
tg.kernel @k(%a: memref<4xf32> {tg.launched_elements = [#tg.var<"n", 1, 8>]}) attributes {outputs = 1 : i64} {
}

// -----

// expected-error @+1 {{argument 0: 'tg.launched_elements' is an attribute of buffers of static shape}}
func.func @f(%a: memref<?xf32> {tg.launched_elements = [1]}) {
  return
}

// -----

// expected-error @+1 {{'tg.elements' is an attribute of function arguments}}
func.func @f() attributes {tg.elements = #tg.var<"n", 1, 4>} {
  return
}
