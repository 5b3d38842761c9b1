// RUN: tg-opt %s --convert-linalg-to-tg -split-input-file -verify-diagnostics

#id = affine_map<(d0) -> (d0)>

func.func @map_not_linear(%x: tensor<4xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{has the indexing map (d0) -> (d0 floordiv 2), which is not linear; sums of loops times numbers are supported}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 floordiv 2)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%o : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @output_with_gaps(%x: tensor<4xf32>, %o: tensor<4x2xf32>) -> tensor<4x2xf32> {
  // expected-error@+1 {{has the indexing map (d0) -> (d0, 1) for an output; supported are those that list each parallel loop, whole, and no reduced one}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0, 1)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%o : tensor<4x2xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

func.func @not_a_combination(%x: tensor<4xf32>, %o: tensor<f32>) -> tensor<f32> {
  // expected-error@+1 {{reduces loops, but output 0 is not combined with what does not depend on an output, by one of arith.addf}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<4xf32>) outs(%o : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.divf %out, %in : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// Which element is the largest depends on both outputs.
func.func @argmax(%x: tensor<4xf32>, %o: tensor<f32>, %p: tensor<i64>) -> tensor<i64> {
  // expected-error@+1 {{reduces loops, but output 1 is not combined with what does not depend on an output}}
  %0:2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<4xf32>) outs(%o, %p : tensor<f32>, tensor<i64>) {
  ^bb0(%in: f32, %out: f32, %at: i64):
    %i = linalg.index 0 : index
    %ii = arith.index_cast %i : index to i64
    %g = arith.maximumf %out, %in : f32
    %k = arith.muli %at, %at : i64
    linalg.yield %g, %k : f32, i64
  } -> (tensor<f32>, tensor<i64>)
  return %0#1 : tensor<i64>
}

// -----

func.func @body(%x: tensor<4xf8E5M2>) -> tensor<4xf8E5M2> {
  // expected-error@+1 {{has a 'math.cbrt' in its body, which is not supported for these types}}
  %0 = linalg.map {math.cbrt} ins(%x : tensor<4xf8E5M2>) outs(%x : tensor<4xf8E5M2>)
  return %0 : tensor<4xf8E5M2>
}

// -----

func.func @region_in_body(%x: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  // expected-error@+1 {{has a 'scf.if' in its body, which is not supported there}}
  %0 = linalg.map ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) (%in: f32, %out: f32) {
    %r = scf.if %c -> f32 {
      scf.yield %in : f32
    } else {
      %n = arith.negf %in : f32
      scf.yield %n : f32
    }
    linalg.yield %r : f32
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @memory(%x: memref<4xf32>) {
  // expected-error@-1 {{argument 0 of @memory has the type 'memref<4xf32>', which tensors of tg do not have}}
  return
}

// -----

func.func @complex(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  // expected-error@-1 {{argument 0 of @complex has the type 'tensor<4xcomplex<f32>>', which tensors of tg do not have}}
  return %x : tensor<4xcomplex<f32>>
}

// -----

// Each operation that is left over is an error.
func.func @others(%x: tensor<4xf32>, %e: i64) -> (tensor<4xi32>, i64) {
  // expected-error@+1 {{'tensor.bitcast' op is not supported by convert-linalg-to-tg, whose description lists the operations that are}}
  %b = tensor.bitcast %x : tensor<4xf32> to tensor<4xi32>
  // expected-error@+1 {{'arith.mulsi_extended' op is not supported for these types; the description of convert-linalg-to-tg lists the operations that are}}
  %l, %m = arith.mulsi_extended %e, %e : i64
  return %b, %m : tensor<4xi32>, i64
}

// -----

// The size of the result is that of nothing else.
func.func @padded(%x: tensor<4xf32>, %n: index) -> tensor<?xf32> {
  %zero = arith.constant 0.0 : f32
  // expected-error@+1 {{'tensor.pad' op has a result of type 'tensor<?xf32>', whose sizes are not known as expressions of the sizes of arguments}}
  %0 = tensor.pad %x low[%n] high[1] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<4xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @cut(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %high = arith.subi %n, %c3 : index
  // expected-error@+1 {{'tensor.pad' op pads by (arg0_0 + -3), which may be negative}}
  %0 = tensor.pad %x low[3] high[%high] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<?xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @unknown_size(%x: tensor<4xf32>, %n: index) -> tensor<?xf32> {
  // expected-error@+1 {{'tensor.empty' op has a result of type 'tensor<?xf32>', whose sizes are not known as expressions of the sizes of arguments}}
  %0 = tensor.empty(%n) : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @no_solution(%x: tensor<?xf32>, %y: tensor<9xf32>) -> tensor<9xf32> {
  %0 = tensor.concat dim(0) %x, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  // expected-error@+1 {{'linalg.add' op needs the sizes (arg0_0 * 2) and 9 to be equal, which cannot be solved for the size of an argument}}
  %1 = linalg.add ins(%0, %y : tensor<?xf32>, tensor<9xf32>) outs(%y : tensor<9xf32>) -> tensor<9xf32>
  return %1 : tensor<9xf32>
}

// -----

func.func @negative(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = arith.subi %n, %c5 : index
  // expected-error@+1 {{can be negative, down to -4; the option min-size bounds sizes of arguments}}
  %0 = tensor.empty(%m) : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @fp8(%x: tensor<4xf8E4M3FN>, %o: tensor<f8E4M3FN>) -> tensor<f8E4M3FN> {
  // expected-error@+1 {{reduces elements of an 8-bit float type, with which tg does not compute}}
  %0 = linalg.reduce {arith.addf} ins(%x : tensor<4xf8E4M3FN>) outs(%o : tensor<f8E4M3FN>) dimensions = [0]
  return %0 : tensor<f8E4M3FN>
}

// -----

func.func @fp8_table(%x: tensor<4xf8E4M3FN>, %o: tensor<4xf8E4M3FN>) -> tensor<4xf8E4M3FN> {
  // expected-error@+1 {{has a 'tensor.extract' in its body, which reads a tensor of an 8-bit float type, of which tg cannot select elements}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%o : tensor<4xf8E4M3FN>) {
  ^bb0(%out: f8E4M3FN):
    %j = linalg.index 0 : index
    %i = arith.addi %j, %j : index
    %v = tensor.extract %x[%i] : tensor<4xf8E4M3FN>
    linalg.yield %v : f8E4M3FN
  } -> tensor<4xf8E4M3FN>
  return %0 : tensor<4xf8E4M3FN>
}

// -----

func.func @too_many_positions(%x: tensor<4000000000xf32>, %y: tensor<4000000000xf32>, %o: tensor<f32>) -> tensor<f32> {
  // expected-error@+1 {{has loops [4000000000, 4000000000], whose positions 63 bits do not count}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%x, %y : tensor<4000000000xf32>, tensor<4000000000xf32>) outs(%o : tensor<f32>) {
  ^bb0(%l: f32, %r: f32, %out: f32):
    %p = arith.mulf %l, %r : f32
    %s = arith.addf %out, %p : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// expected-error@+1 {{a tensor of shape [9223372036854775807, 8] has more elements than fit into 63 bits}}
func.func @too_many_elements(%x: tensor<9223372036854775807x8xf32>) -> tensor<9223372036854775807x8xf32> {
  return %x : tensor<9223372036854775807x8xf32>
}

// -----

func.func private @square(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.mulf %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @call(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{calls a function, which is to be inlined before (--inline)}}
  %0 = call @square(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// The number of tiles is not that of the rows.
func.func @wrong_tiles(%x: tensor<?x4xf32>, %pad: f32) -> tensor<?x2x2x2xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %o = tensor.empty(%n) : tensor<?x2x2x2xf32>
  // expected-error@+1 {{'linalg.pack' op needs the sizes ((arg0_0 + 1) floordiv 2) and arg0_0 to be equal, which cannot be solved for the size of an argument}}
  %0 = linalg.pack %x padding_value(%pad : f32) inner_dims_pos = [0, 1] inner_tiles = [2, 2] into %o : tensor<?x4xf32> -> tensor<?x2x2x2xf32>
  return %0 : tensor<?x2x2x2xf32>
}

// -----

func.func @tiles_not_from_sizes(%x: tensor<8xf32>, %t: index, %o: tensor<?x?xf32>, %pad: f32) -> tensor<?x?xf32> {
  // expected-error@+1 {{'linalg.pack' op has a size of tiles that is not computed from sizes}}
  %0 = linalg.pack %x padding_value(%pad : f32) inner_dims_pos = [0] inner_tiles = [%t] into %o : tensor<8xf32> -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>

// The maximum takes a NaN and gives it up for the element behind it; the
// position stays as it is at both.
func.func @argmax_of_others(%x: tensor<4xf32>, %o: tensor<f32>, %p: tensor<i64>) -> tensor<i64> {
  // expected-error@+1 {{reduces loops and selects output 1 by a condition that differs from that of the largest or smallest element at or behind a NaN; compare with 'ogt' or 'olt'}}
  %0:2 = linalg.generic {indexing_maps = [#id, #none, #none], iterator_types = ["reduction"]}
      ins(%x : tensor<4xf32>) outs(%o, %p : tensor<f32>, tensor<i64>) {
  ^bb0(%in: f32, %best: f32, %at: i64):
    %i = linalg.index 0 : index
    %ii = arith.index_cast %i : index to i64
    %c = arith.cmpf ugt, %in, %best : f32
    %o1 = arith.cmpf ogt, %in, %best : f32
    %v = arith.select %c, %in, %best : f32
    %s = arith.select %o1, %ii, %at : i64
    linalg.yield %v, %s : f32, i64
  } -> (tensor<f32>, tensor<i64>)
  return %0#1 : tensor<i64>
}

// -----

#id = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>

// The initial value may be a NaN, which the maximum never takes.
func.func @argmax_takes_nans(%x: tensor<4xf32>, %o: tensor<f32>, %p: tensor<i64>) -> tensor<i64> {
  // expected-error@+1 {{selects output 1 by a condition that differs from that of the largest or smallest element for a NaN as initial value, which is not a constant}}
  %0:2 = linalg.generic {indexing_maps = [#id, #none, #none], iterator_types = ["reduction"]}
      ins(%x : tensor<4xf32>) outs(%o, %p : tensor<f32>, tensor<i64>) {
  ^bb0(%in: f32, %best: f32, %at: i64):
    %i = linalg.index 0 : index
    %ii = arith.index_cast %i : index to i64
    %c = arith.cmpf ugt, %in, %best : f32
    %o1 = arith.cmpf ogt, %in, %best : f32
    %v = arith.select %o1, %in, %best : f32
    %s = arith.select %c, %ii, %at : i64
    linalg.yield %v, %s : f32, i64
  } -> (tensor<f32>, tensor<i64>)
  return %0#1 : tensor<i64>
}

// -----

#id = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>

// Ties are decided by positions, and elements behind a NaN are taken.
func.func @positions_behind_nans(%x: tensor<4xf32>, %o: tensor<f32>, %p: tensor<i64>) -> tensor<i64> {
  // expected-error@+1 {{selects output 1 by a condition that compares positions, and takes an element because of a NaN}}
  %0:2 = linalg.generic {indexing_maps = [#id, #none, #none], iterator_types = ["reduction"]}
      ins(%x : tensor<4xf32>) outs(%o, %p : tensor<f32>, tensor<i64>) {
  ^bb0(%in: f32, %best: f32, %at: i64):
    %i = linalg.index 0 : index
    %ii = arith.index_cast %i : index to i64
    %c = arith.cmpf ugt, %in, %best : f32
    %e = arith.cmpf oeq, %in, %best : f32
    %l = arith.cmpi slt, %ii, %at : i64
    %el = arith.andi %e, %l : i1
    %t = arith.ori %c, %el : i1
    %v = arith.maximumf %in, %best : f32
    %s = arith.select %t, %ii, %at : i64
    linalg.yield %v, %s : f32, i64
  } -> (tensor<f32>, tensor<i64>)
  return %0#1 : tensor<i64>
}

// -----

#id = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>

// Not a maximum: whether elements are equal.
func.func @last_different(%x: tensor<4xi32>, %o: tensor<i32>) -> tensor<i32> {
  // expected-error@+1 {{reduces loops and selects output 0 by a condition that holds for larger and for smaller elements, or for neither; maxima and minima are supported}}
  %0 = linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]} ins(%x : tensor<4xi32>) outs(%o : tensor<i32>) {
  ^bb0(%in: i32, %best: i32):
    %c = arith.cmpi ne, %in, %best : i32
    %v = arith.select %c, %in, %best : i32
    linalg.yield %v : i32
  } -> tensor<i32>
  return %0 : tensor<i32>
}

// -----

#id = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>

func.func @condition_from_outside(%x: tensor<4xi32>, %o: tensor<i32>, %p: tensor<i32>, %f: i1) -> tensor<i32> {
  // expected-error@+1 {{reduces loops and selects output 0 by a condition that consists of more than comparisons of a term with an output}}
  %0 = linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]} ins(%x : tensor<4xi32>) outs(%o : tensor<i32>) {
  ^bb0(%in: i32, %best: i32):
    %g = arith.cmpi sgt, %in, %best : i32
    %c = arith.andi %g, %f : i1
    %v = arith.select %c, %in, %best : i32
    linalg.yield %v : i32
  } -> tensor<i32>
  return %0 : tensor<i32>
}

// -----

#id = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>

// The compared output is a sum.
func.func @compared_with_sum(%x: tensor<4xi32>, %o: tensor<i32>, %p: tensor<i32>) -> tensor<i32> {
  // expected-error@+1 {{reduces loops and selects output 1 by a comparison with output 0, which is not the largest or smallest of the compared terms}}
  %0:2 = linalg.generic {indexing_maps = [#id, #none, #none], iterator_types = ["reduction"]}
      ins(%x : tensor<4xi32>) outs(%o, %p : tensor<i32>, tensor<i32>) {
  ^bb0(%in: i32, %sum: i32, %at: i32):
    %c = arith.cmpi sgt, %in, %sum : i32
    %s = arith.addi %sum, %in : i32
    %v = arith.select %c, %in, %at : i32
    linalg.yield %s, %v : i32, i32
  } -> (tensor<i32>, tensor<i32>)
  return %0#1 : tensor<i32>
}

// -----

func.func @scatter_fp8(%x: tensor<2xf8E4M3FN>, %y: tensor<4xf8E4M3FN>, %at: tensor<2x1xindex>) -> tensor<4xf8E4M3FN> {
  // expected-error@+1 {{'tensor.scatter' op writes elements of an 8-bit float type, with which tg does not compute}}
  %0 = tensor.scatter %x into %y[%at] scatter_dims([0]) unique : (tensor<2xf8E4M3FN>, tensor<4xf8E4M3FN>, tensor<2x1xindex>) -> tensor<4xf8E4M3FN>
  return %0 : tensor<4xf8E4M3FN>
}

// -----

func.func @scatter_too_few(%x: tensor<2xf32>, %y: tensor<?xf32>, %at: tensor<?x1xi64>, %z: tensor<3xf32>) -> tensor<?xf32> {
  %all = tensor.concat dim(0) %z, %z : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>
  %cast = tensor.cast %all : tensor<6xf32> to tensor<?xf32>
  %two = tensor.cast %x : tensor<2xf32> to tensor<?xf32>
  %0 = tensor.scatter %two into %y[%at] scatter_dims([0]) unique : (tensor<?xf32>, tensor<?xf32>, tensor<?x1xi64>) -> tensor<?xf32>
  // expected-error@+1 {{'tensor.scatter' op needs the sizes 2 and 6 to be equal, which cannot be solved for the size of an argument}}
  %1 = tensor.scatter %cast into %0[%at] scatter_dims([0]) unique : (tensor<?xf32>, tensor<?xf32>, tensor<?x1xi64>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

func.func @slice_of_unknown_size(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  // expected-error@+1 {{'tensor.extract_slice' op has a result of type 'tensor<?xf32>', whose sizes are not known as expressions of the sizes of arguments}}
  %0 = tensor.extract_slice %x[0] [%n] [1] : tensor<4xf32> to tensor<?xf32>
  %1 = tensor.cast %0 : tensor<?xf32> to tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @computed_stride(%x: tensor<4xf32>, %n: index) -> tensor<2xf32> {
  // expected-error@+1 {{'tensor.extract_slice' op has a stride that is negative or computed}}
  %0 = tensor.extract_slice %x[0] [2] [%n] : tensor<4xf32> to tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @all_to_one_position(%x: tensor<4xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'tensor.insert_slice' op has the stride 0, so that several elements are for one position}}
  %0 = tensor.insert_slice %x into %y[0] [4] [0] : tensor<4xf32> into tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// A part that does not fit for some sizes, with a stride.
func.func @strided_out_of_range(%x: tensor<2xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{'tensor.insert_slice' op positions 0 to 3 of an axis of size arg1_0 are not known to exist for all sizes}}
  %0 = tensor.insert_slice %x into %y[0] [2] [2] : tensor<2xf32> into tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @slice_fp8(%x: tensor<4xf8E4M3FN>, %n: index) -> tensor<2xf8E4M3FN> {
  // expected-error@+1 {{'tensor.extract_slice' op reads a tensor of an 8-bit float type, of which tg cannot select elements}}
  %0 = tensor.extract_slice %x[%n] [2] [1] : tensor<4xf8E4M3FN> to tensor<2xf8E4M3FN>
  return %0 : tensor<2xf8E4M3FN>
}

// -----

func.func @assertion(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %size = tensor.dim %x, %c0 : tensor<?xf32>
  %few = arith.cmpi ule, %size, %c8 : index
  // expected-error@+1 {{'cf.assert' op may fail, and programs of tg cannot stop; the option ignore-assertions leaves out assertions that are not known to hold for all sizes}}
  cf.assert %few, "too many"
  %within = arith.cmpi slt, %n, %c8 : index
  // expected-error@+1 {{'cf.assert' op may fail, and programs of tg cannot stop}}
  cf.assert %within, "out of range"
  %false = arith.constant false
  // expected-error@+1 {{'cf.assert' op may fail, and programs of tg cannot stop}}
  cf.assert %false, "always"
  return %x : tensor<?xf32>
}

// -----

func.func @assertion_in_body(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'tensor.generate' op has a 'cf.assert' in its body, which may fail, and programs of tg cannot stop; the option ignore-assertions}}
  %0 = tensor.generate {
  ^bb0(%i: index):
    %c2 = arith.constant 2 : index
    %c = arith.cmpi ult, %i, %c2 : index
    cf.assert %c, "out of range"
    %e = tensor.extract %x[%i] : tensor<4xf32>
    tensor.yield %e : f32
  } : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @generated(%x: tensor<4xi64>) -> tensor<4xi64> {
  // expected-error@+1 {{'tensor.generate' op has a 'arith.mulsi_extended' in its body, which is not supported for these types}}
  %0 = tensor.generate {
  ^bb0(%i: index):
    %e = tensor.extract %x[%i] : tensor<4xi64>
    %l, %r = arith.mulsi_extended %e, %e : i64
    tensor.yield %r : i64
  } : tensor<4xi64>
  return %0 : tensor<4xi64>
}
