// RUN: tg-opt %s -split-input-file -tg-split-reduce | FileCheck %s
// RUN: tg-opt %s -split-input-file -tg-split-reduce="threshold=1000 parts=32" \
// RUN:   | FileCheck %s --check-prefix=OPTION

// CHECK-LABEL: func.func @sum
// CHECK-SAME:    (%[[X:.*]]: tensor<1048576xf32>)
// CHECK-NEXT:    %[[S:.*]] = tg.reshape %[[X]] : tensor<1048576xf32> -> tensor<256x4096xf32>
// CHECK-NEXT:    %[[P:.*]] = tg.reduce add %[[S]] axes [1] : tensor<256x4096xf32> -> tensor<256x1xf32>
// CHECK-NEXT:    %[[C:.*]] = tg.contiguous %[[P]]
// CHECK-NEXT:    %[[T:.*]] = tg.reduce add %[[C]] axes [0] : tensor<256x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT:    %[[R:.*]] = tg.reshape %[[T]] : tensor<1x1xf32> -> tensor<1xf32>
// CHECK-NEXT:    return %[[R]]
func.func @sum(%x: tensor<1048576xf32>) -> tensor<1xf32> {
  %0 = tg.reduce add %x axes [0] : tensor<1048576xf32> -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// -----

// The longest axis is cut; the others are reduced with the parts.

// CHECK-LABEL: func.func @axes
// CHECK:         tg.reshape %{{.*}} : tensor<3x4x98304xi32> -> tensor<3x4x256x384xi32>
// CHECK-NEXT:    tg.reduce max %{{.*}} axes [0, 3] : tensor<3x4x256x384xi32> -> tensor<1x4x256x1xi32>
// CHECK:         tg.reduce max %{{.*}} axes [2] : tensor<1x4x256x1xi32> -> tensor<1x4x1x1xi32>
// CHECK:         tg.reshape %{{.*}} : tensor<1x4x1x1xi32> -> tensor<1x4x1xi32>
func.func @axes(%x: tensor<3x4x98304xi32>) -> tensor<1x4x1xi32> {
  %0 = tg.reduce max %x axes [0, 2] : tensor<3x4x98304xi32> -> tensor<1x4x1xi32>
  return %0 : tensor<1x4x1xi32>
}

// -----

// A size that has no divisor of use: the greatest part that has, and the rest.

// CHECK-LABEL: func.func @prime
// CHECK-DAG:     %[[H:.*]] = tg.shrink %{{.*}} from [0] to [1048320]
// CHECK-DAG:     %[[T:.*]] = tg.shrink %{{.*}} from [1048320] to [1048573]
// CHECK-DAG:     tg.reshape %[[H]] : tensor<1048320xf32> -> tensor<256x4095xf32>
// CHECK-DAG:     %[[R:.*]] = tg.reduce mul %[[T]] axes [0]
// CHECK:         tg.mul %{{.*}}, %[[R]]
func.func @prime(%x: tensor<1048573xf32>) -> tensor<1xf32> {
  %0 = tg.reduce mul %x axes [0] : tensor<1048573xf32> -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// -----

// Nothing to gain: below the threshold, or results enough.

// CHECK-LABEL: func.func @few
// CHECK-NOT:     tg.contiguous
// OPTION-LABEL: func.func @few
// OPTION:         tensor<4096xf32> -> tensor<32x128xf32>
func.func @few(%x: tensor<4096xf32>) -> tensor<1xf32> {
  %0 = tg.reduce add %x axes [0] : tensor<4096xf32> -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// -----

// CHECK-LABEL: func.func @many_results
// CHECK-NOT:     tg.contiguous
// OPTION-LABEL: func.func @many_results
// OPTION-NOT:     tg.contiguous
// OPTION:         return
func.func @many_results(%x: tensor<64x524288xi8>) -> tensor<64x1xi8> {
  %0 = tg.reduce add %x axes [1] : tensor<64x524288xi8> -> tensor<64x1xi8>
  return %0 : tensor<64x1xi8>
}

// -----

// Columns of a large matrix are summed a few rows at a time.

// CHECK-LABEL: func.func @columns
// CHECK:         tg.reshape %{{.*}} : tensor<4096x4096xf32> -> tensor<64x64x4096xf32>
// CHECK-NEXT:    tg.reduce add %{{.*}} axes [1]
// CHECK-NEXT:    tg.contiguous
// CHECK-NEXT:    tg.reduce add %{{.*}} axes [0]
func.func @columns(%x: tensor<4096x4096xf32>) -> tensor<1x4096xf32> {
  %0 = tg.reduce add %x axes [0] : tensor<4096x4096xf32> -> tensor<1x4096xf32>
  return %0 : tensor<1x4096xf32>
}

// -----

// Rows are contiguous already, products of matrices use each element often.

// CHECK-LABEL: func.func @rows
// CHECK-NOT:     tg.contiguous
// CHECK-LABEL: func.func @matmul
// CHECK-NOT:     tg.contiguous
func.func @rows(%x: tensor<4096x4096xf32>) -> tensor<4096x1xf32> {
  %0 = tg.reduce add %x axes [1] : tensor<4096x4096xf32> -> tensor<4096x1xf32>
  return %0 : tensor<4096x1xf32>
}
func.func @matmul(%a: tensor<512x512x1xf32>, %b: tensor<1x512x512xf32>) -> tensor<512x1x512xf32> {
  %l = tg.expand %a : tensor<512x512x1xf32> -> tensor<512x512x512xf32>
  %r = tg.expand %b : tensor<1x512x512xf32> -> tensor<512x512x512xf32>
  %m = tg.mul %l, %r : tensor<512x512x512xf32>
  %0 = tg.reduce add %m axes [1] : tensor<512x512x512xf32> -> tensor<512x1x512xf32>
  return %0 : tensor<512x1x512xf32>
}

// -----

// The matrix is read once, the vector is small: like a sum of columns.
// CHECK-LABEL: func.func @vector_times_matrix
// CHECK:         tg.reshape %{{.*}} : tensor<4096x4096xf32> -> tensor<64x64x4096xf32>
// CHECK-NEXT:    tg.reduce add %{{.*}} axes [1]
// CHECK-NEXT:    tg.contiguous
func.func @vector_times_matrix(%x: tensor<4096xf32>, %w: tensor<4096x4096xf32>) -> tensor<1x4096xf32> {
  %0 = tg.reshape %x : tensor<4096xf32> -> tensor<4096x1xf32>
  %1 = tg.expand %0 : tensor<4096x1xf32> -> tensor<4096x4096xf32>
  %2 = tg.mul %1, %w : tensor<4096x4096xf32>
  %3 = tg.reduce add %2 axes [0] : tensor<4096x4096xf32> -> tensor<1x4096xf32>
  return %3 : tensor<1x4096xf32>
}

// The same for a batch of them, and for what is computed from a small tensor.
// CHECK-LABEL: func.func @batch
// CHECK:         tg.reduce add %{{.*}} axes [2]
// CHECK-NEXT:    tg.contiguous
func.func @batch(%x: tensor<4x1024xf32>, %w: tensor<4x1024x2048xf32>) -> tensor<4x1x2048xf32> {
  %0 = tg.exp2 %x : tensor<4x1024xf32>
  %1 = tg.reshape %0 : tensor<4x1024xf32> -> tensor<4x1024x1xf32>
  %2 = tg.expand %1 : tensor<4x1024x1xf32> -> tensor<4x1024x2048xf32>
  %3 = tg.mul %2, %w : tensor<4x1024x2048xf32>
  %4 = tg.reduce add %3 axes [1] : tensor<4x1024x2048xf32> -> tensor<4x1x2048xf32>
  return %4 : tensor<4x1x2048xf32>
}

// The form that products of matrices have in programs: what is reduced comes
// last, and memory holds it before the columns. The parts are stored in the
// order of memory. 3000 rows are summed 30 at a time.
// CHECK-LABEL: func.func @row_times_matrix
// CHECK:         tg.reshape %{{.*}} : tensor<1x5000x3000xf32> -> tensor<1x5000x100x30xf32>
// CHECK-NEXT:    %[[P:.*]] = tg.reduce add %{{.*}} axes [3]
// CHECK-NEXT:    %[[O:.*]] = tg.permute %[[P]] [0, 2, 3, 1] : tensor<1x5000x100x1xf32> -> tensor<1x100x1x5000xf32>
// CHECK-NEXT:    %[[C:.*]] = tg.contiguous %[[O]]
// CHECK-NEXT:    %[[B:.*]] = tg.permute %[[C]] [0, 3, 1, 2] : tensor<1x100x1x5000xf32> -> tensor<1x5000x100x1xf32>
// CHECK-NEXT:    tg.reduce add %[[B]] axes [2]
func.func @row_times_matrix(%x: tensor<1x3000xf32>, %w: tensor<3000x5000xf32>) -> tensor<1x5000x1xf32> {
  %0 = tg.reshape %x : tensor<1x3000xf32> -> tensor<1x1x3000xf32>
  %1 = tg.expand %0 : tensor<1x1x3000xf32> -> tensor<1x5000x3000xf32>
  %2 = tg.permute %w [1, 0] : tensor<3000x5000xf32> -> tensor<5000x3000xf32>
  %3 = tg.reshape %2 : tensor<5000x3000xf32> -> tensor<1x5000x3000xf32>
  %4 = tg.mul %1, %3 : tensor<1x5000x3000xf32>
  %5 = tg.reduce add %4 axes [2] : tensor<1x5000x3000xf32> -> tensor<1x5000x1xf32>
  return %5 : tensor<1x5000x1xf32>
}

// Weights of 16 bits count as what memory holds of them: 60 and 16 MB.
// CHECK-LABEL: func.func @narrow
// CHECK:         tg.permute %{{.*}} : tensor<6000x125x1xf32> -> tensor<125x1x6000xf32>
// CHECK-NEXT:    tg.contiguous
// CHECK-LABEL: func.func @narrow_in_cache
// CHECK-NOT:     tg.contiguous
// CHECK:         return
func.func @narrow(%x: tensor<5000xbf16>, %w: tensor<5000x6000xbf16>) -> tensor<6000x1xf32> {
  %0 = tg.cast %x : tensor<5000xbf16> -> tensor<5000xf32>
  %1 = tg.reshape %0 : tensor<5000xf32> -> tensor<1x5000xf32>
  %2 = tg.expand %1 : tensor<1x5000xf32> -> tensor<6000x5000xf32>
  %3 = tg.permute %w [1, 0] : tensor<5000x6000xbf16> -> tensor<6000x5000xbf16>
  %4 = tg.cast %3 : tensor<6000x5000xbf16> -> tensor<6000x5000xf32>
  %5 = tg.mul %2, %4 : tensor<6000x5000xf32>
  %6 = tg.reduce add %5 axes [1] : tensor<6000x5000xf32> -> tensor<6000x1xf32>
  return %6 : tensor<6000x1xf32>
}
func.func @narrow_in_cache(%x: tensor<2000xbf16>, %w: tensor<2000x4000xbf16>) -> tensor<4000x1xf32> {
  %0 = tg.cast %x : tensor<2000xbf16> -> tensor<2000xf32>
  %1 = tg.reshape %0 : tensor<2000xf32> -> tensor<1x2000xf32>
  %2 = tg.expand %1 : tensor<1x2000xf32> -> tensor<4000x2000xf32>
  %3 = tg.permute %w [1, 0] : tensor<2000x4000xbf16> -> tensor<4000x2000xbf16>
  %4 = tg.cast %3 : tensor<4000x2000xbf16> -> tensor<4000x2000xf32>
  %5 = tg.mul %2, %4 : tensor<4000x2000xf32>
  %6 = tg.reduce add %5 axes [1] : tensor<4000x2000xf32> -> tensor<4000x1xf32>
  return %6 : tensor<4000x1xf32>
}

// Two matrices that memory holds in different orders, a prime number of rows,
// and one that is reshaped on the way: the first stays. Fewer rows are summed at
// a time where parts would be few, and where they are read again for the
// deviations from their mean, also for what one kernel finds on the way.
// CHECK-LABEL: func.func @two_orders
// CHECK-NOT:     tg.contiguous
// CHECK-LABEL: func.func @prime_rows
// CHECK:         tg.shrink %{{.*}} from [4096, 0] to [4099, 4096]
// CHECK:         tg.reshape %{{.*}} -> tensor<64x64x4096xf32>
// CHECK-LABEL: func.func @reshaped
// CHECK:         tg.permute %{{.*}} [1, 2, 0] : tensor<4096x64x1xf32> -> tensor<64x1x4096xf32>
// CHECK-NEXT:    tg.contiguous
// CHECK-LABEL: func.func @fewer_rows
// CHECK:         tg.reshape %{{.*}} -> tensor<64x16x10000xf32>
// CHECK-LABEL: func.func @more_rows
// CHECK:         tg.reshape %{{.*}} -> tensor<500x128x1000xf32>
// CHECK-LABEL: func.func @deviations_of_rows
// CHECK:         tg.reshape %{{.*}} -> tensor<512x16x2048xf32>
// CHECK:         tg.reshape %{{.*}} -> tensor<512x16x2048xf32>
// CHECK:         tg.reduce max %{{.*}} : tensor<512x16x2048xf32>
// CHECK-LABEL: func.func @symbolic_columns
// CHECK:         tg.reshape %{{.*}} -> tensor<256x16x?xf32
func.func @two_orders(%v: tensor<4096x4096xf32>, %w: tensor<4096x4096xf32>) -> tensor<4096x1xf32> {
  %0 = tg.permute %w [1, 0] : tensor<4096x4096xf32> -> tensor<4096x4096xf32>
  %1 = tg.mul %v, %0 : tensor<4096x4096xf32>
  %2 = tg.reduce add %1 axes [1] : tensor<4096x4096xf32> -> tensor<4096x1xf32>
  return %2 : tensor<4096x1xf32>
}
func.func @prime_rows(%w: tensor<4099x4096xf32>) -> tensor<1x4096xf32> {
  %0 = tg.reduce add %w axes [0] : tensor<4099x4096xf32> -> tensor<1x4096xf32>
  return %0 : tensor<1x4096xf32>
}
func.func @reshaped(%w: tensor<16777216xf32>) -> tensor<4096x1xf32> {
  %0 = tg.reshape %w : tensor<16777216xf32> -> tensor<4096x4096xf32>
  %1 = tg.permute %0 [1, 0] : tensor<4096x4096xf32> -> tensor<4096x4096xf32>
  %2 = tg.reduce add %1 axes [1] : tensor<4096x4096xf32> -> tensor<4096x1xf32>
  return %2 : tensor<4096x1xf32>
}
func.func @fewer_rows(%w: tensor<1024x10000xf32>) -> tensor<1x10000xf32> {
  %0 = tg.reduce add %w axes [0] : tensor<1024x10000xf32> -> tensor<1x10000xf32>
  return %0 : tensor<1x10000xf32>
}
func.func @more_rows(%w: tensor<64000x1000xf32>) -> tensor<1x1000xf32> {
  %0 = tg.reduce max %w axes [0] : tensor<64000x1000xf32> -> tensor<1x1000xf32>
  return %0 : tensor<1x1000xf32>
}
func.func @deviations_of_rows(%w: tensor<8192x2048xf32>) -> (tensor<1x2048xf32>, tensor<1x2048xf32>) {
  %0 = tg.reduce add %w axes [0] : tensor<8192x2048xf32> -> tensor<1x2048xf32>
  %c = tg.const(8192.0 : f32) : tensor<1x2048xf32>
  %1 = tg.fdiv %0, %c : tensor<1x2048xf32>
  %2 = tg.expand %1 : tensor<1x2048xf32> -> tensor<8192x2048xf32>
  %3 = tg.sub %w, %2 : tensor<8192x2048xf32>
  %4 = tg.mul %3, %3 : tensor<8192x2048xf32>
  %5 = tg.reduce add %4 axes [0] : tensor<8192x2048xf32> -> tensor<1x2048xf32>
  %6 = tg.reduce max %w axes [0] : tensor<8192x2048xf32> -> tensor<1x2048xf32>
  return %5, %6 : tensor<1x2048xf32>, tensor<1x2048xf32>
}
#columns = #tg.var<"n", 1, 4096>
!matrix = tensor<4096x?xf32, #tg.shape<4096, #columns>>
!row = tensor<1x?xf32, #tg.shape<1, #columns>>
func.func @symbolic_columns(%w: !matrix) -> !row {
  %0 = tg.reduce add %w axes [0] : !matrix -> !row
  return %0 : !row
}

// Many rows use each element of the matrix often, which is for the schedule of
// a matrix product. Nor is a transposed matrix read from end to end.
// CHECK-LABEL: func.func @many_rows
// CHECK-NOT:     tg.contiguous
// CHECK-LABEL: func.func @transposed
// CHECK-NOT:     tg.contiguous
func.func @many_rows(%x: tensor<16x4096xf32>, %w: tensor<4096x4096xf32>) -> tensor<16x1x4096xf32> {
  %0 = tg.reshape %x : tensor<16x4096xf32> -> tensor<16x4096x1xf32>
  %1 = tg.expand %0 : tensor<16x4096x1xf32> -> tensor<16x4096x4096xf32>
  %2 = tg.reshape %w : tensor<4096x4096xf32> -> tensor<1x4096x4096xf32>
  %3 = tg.expand %2 : tensor<1x4096x4096xf32> -> tensor<16x4096x4096xf32>
  %4 = tg.mul %1, %3 : tensor<16x4096x4096xf32>
  %5 = tg.reduce add %4 axes [1] : tensor<16x4096x4096xf32> -> tensor<16x1x4096xf32>
  return %5 : tensor<16x1x4096xf32>
}
func.func @transposed(%x: tensor<4096xf32>, %w: tensor<4096x4096xf32>) -> tensor<1x4096xf32> {
  %0 = tg.reshape %x : tensor<4096xf32> -> tensor<4096x1xf32>
  %1 = tg.expand %0 : tensor<4096x1xf32> -> tensor<4096x4096xf32>
  %2 = tg.permute %w [1, 0] : tensor<4096x4096xf32> -> tensor<4096x4096xf32>
  %3 = tg.mul %1, %2 : tensor<4096x4096xf32>
  %4 = tg.reduce add %3 axes [0] : tensor<4096x4096xf32> -> tensor<1x4096xf32>
  return %4 : tensor<1x4096xf32>
}

// -----

// CHECK-LABEL: func.func @no_elements
// CHECK-NOT:     tg.contiguous
func.func @no_elements(%x: tensor<0x1048576xf32>) -> (tensor<0x1xf32>, tensor<1x1048576xf32>) {
  %0 = tg.reduce add %x axes [1] : tensor<0x1048576xf32> -> tensor<0x1xf32>
  %1 = tg.reduce add %x axes [0] : tensor<0x1048576xf32> -> tensor<1x1048576xf32>
  return %0, %1 : tensor<0x1xf32>, tensor<1x1048576xf32>
}

// -----

// A symbolic axis: as many parts for every length, and the rest.
// CHECK-LABEL: func.func @symbolic(
// CHECK:         %[[HEAD:.*]] = tg.shrink %{{.*}} from [0] to [(#n floordiv 16384) * 16384]
// CHECK-NEXT:    %[[TAIL:.*]] = tg.shrink %{{.*}} to [#n]
// CHECK-SAME:      -> tensor<?xf32, #tg.shape<#n mod 16384>>
// CHECK-NEXT:    %[[REST:.*]] = tg.reduce max %[[TAIL]]
// CHECK-NEXT:    %[[SPLIT:.*]] = tg.reshape %[[HEAD]] {{.*}} -> tensor<256x?xf32, #tg.shape<256, (#n floordiv 16384) * 64>>
// CHECK-NEXT:    %[[PARTS:.*]] = tg.reduce max %[[SPLIT]] axes [1]
// CHECK-NEXT:    %[[STORED:.*]] = tg.contiguous %[[PARTS]]
// CHECK-NEXT:    tg.reduce max %[[STORED]] axes [0]
// CHECK:         tg.max %{{.*}}, %[[REST]]
#n = #tg.var<"n", 0, 1000000>
func.func @symbolic(%x: tensor<?xf32, #tg.shape<#n>>) -> tensor<1xf32> {
  %0 = tg.reduce max %x axes [0] : tensor<?xf32, #tg.shape<#n>> -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// -----

// Nothing grows with the greatest length but sizes that are expressions.
// CHECK-LABEL: func.func @symbolic_huge(
// CHECK:         tg.reshape {{.*}} -> tensor<256x?xf32, #tg.shape<256, (#n floordiv 16384) * 64>>
#n = #tg.var<"n", 1, 1099511627776>
func.func @symbolic_huge(%x: tensor<1xf32>) -> tensor<1xf32> {
  %0 = tg.expand %x : tensor<1xf32> -> tensor<?xf32, #tg.shape<#n>>
  %1 = tg.reduce add %0 axes [0] : tensor<?xf32, #tg.shape<#n>> -> tensor<1xf32>
  return %1 : tensor<1xf32>
}

// -----

// At most as many elements as are reduced in one step: it stays.
// CHECK-LABEL: func.func @symbolic_small
// CHECK-NEXT:    tg.reduce
// CHECK-NEXT:    return
#n = #tg.var<"n", 0, 100000>
func.func @symbolic_small(%x: tensor<?xf32, #tg.shape<#n>>) -> tensor<1xf32> {
  %0 = tg.reduce max %x axes [0] : tensor<?xf32, #tg.shape<#n>> -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// -----

// What cannot be counted is left to scheduling, which refuses it; a reduction
// along no axis has nothing to split.

// CHECK-LABEL: func.func @uncountable
// CHECK-NEXT: tg.expand
// CHECK-NEXT: tg.reduce add %{{.*}} axes [0, 1, 2]
// CHECK-NEXT: return
func.func @uncountable(%x: tensor<1x1x1xf32>) -> tensor<1x1x1xf32> {
  %0 = tg.expand %x : tensor<1x1x1xf32> -> tensor<4000037x4000037x4000037xf32>
  %1 = tg.reduce add %0 axes [0, 1, 2] : tensor<4000037x4000037x4000037xf32> -> tensor<1x1x1xf32>
  return %1 : tensor<1x1x1xf32>
}

// -----

// CHECK-LABEL: func.func @no_axes
// CHECK-NEXT: tg.reduce add %{{.*}} axes []
// CHECK-NEXT: return
func.func @no_axes(%x: tensor<f32>) -> tensor<f32> {
  %0 = tg.reduce add %x axes [] : tensor<f32> -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// Deviations from a mean: the parts have means of their own, so that they are
// read once.

// CHECK-LABEL: func.func @deviations
// CHECK-SAME:    (%[[X:.*]]: tensor<1048576xf32>)
// CHECK:         %[[PARTS:.*]] = tg.reshape %[[X]] : tensor<1048576xf32> -> tensor<256x4096xf32>
// CHECK:         %[[SUMS:.*]] = tg.reduce add %[[PARTS]] axes [1]
// CHECK:         %[[STORED:.*]] = tg.contiguous %[[SUMS]]
// CHECK:         %[[COUNT:.*]] = tg.const(4.096000e+03 : f32) : tensor<256x1xf32>
// CHECK:         %[[MEANS:.*]] = tg.fdiv %[[STORED]], %[[COUNT]]
// CHECK:         %[[AT:.*]] = tg.expand %[[MEANS]] : tensor<256x1xf32> -> tensor<256x4096xf32>
// CHECK:         %[[FROM:.*]] = tg.sub %{{.*}}, %[[AT]]
// CHECK:         %[[REST:.*]] = tg.reduce add %[[FROM]] axes [1]
// CHECK:         tg.contiguous %[[REST]]
// CHECK:         %[[SQUARE:.*]] = tg.mul %[[FROM]], %[[FROM]]
// CHECK:         %[[SQUARES:.*]] = tg.reduce add %[[SQUARE]] axes [1]
// CHECK:         tg.contiguous %[[SQUARES]]
// CHECK-NOT:     tensor<1048576xf32>
// CHECK:         return
func.func @deviations(%x: tensor<1048576xf32>) -> tensor<1xf32> {
  %0 = tg.reduce add %x axes [0] : tensor<1048576xf32> -> tensor<1xf32>
  %n = tg.const(1.048576e+06 : f32) : tensor<1xf32>
  %1 = tg.fdiv %0, %n : tensor<1xf32>
  %2 = tg.expand %1 : tensor<1xf32> -> tensor<1048576xf32>
  %3 = tg.sub %x, %2 : tensor<1048576xf32>
  %4 = tg.mul %3, %3 : tensor<1048576xf32>
  %5 = tg.reduce add %4 axes [0] : tensor<1048576xf32> -> tensor<1xf32>
  return %5 : tensor<1xf32>
}

// -----

// The mean of something else is no mean of the parts.

// CHECK-LABEL: func.func @other_mean
// CHECK-SAME:    (%[[X:.*]]: tensor<1048576xf32>, %[[Y:.*]]: tensor<1048576xf32>)
// CHECK:         tg.sub %[[X]], %{{.*}} : tensor<1048576xf32>
func.func @other_mean(%x: tensor<1048576xf32>, %y: tensor<1048576xf32>) -> tensor<1xf32> {
  %0 = tg.reduce add %y axes [0] : tensor<1048576xf32> -> tensor<1xf32>
  %1 = tg.expand %0 : tensor<1xf32> -> tensor<1048576xf32>
  %2 = tg.sub %x, %1 : tensor<1048576xf32>
  %3 = tg.mul %2, %2 : tensor<1048576xf32>
  %4 = tg.reduce add %3 axes [0] : tensor<1048576xf32> -> tensor<1xf32>
  return %4 : tensor<1xf32>
}

// -----

// Parts of 16 rows where an operand is contiguous along the columns, so that
// squares of it can be turned in registers; not of one that is so along the rows
// as well.

// OPTION-LABEL: func.func @turned_rows
// OPTION-COUNT-2: axes [1, 2] : tensor<32x32x1024xf32> -> tensor<32x1x1xf32>
// CHECK-LABEL: func.func @turned_rows
// CHECK:         tg.reduce add %{{.*}} axes [1, 2] : tensor<64x16x1024xf32> -> tensor<64x1x1xf32>
// CHECK:         tg.reduce add %{{.*}} axes [1, 2] : tensor<256x4x1024xf32> -> tensor<256x1x1xf32>
func.func @turned_rows(%x: tensor<1024x1024xf32>, %y: tensor<1024x1024xf32>) -> (tensor<1x1xf32>, tensor<1x1xf32>) {
  %0 = tg.permute %y [1, 0] : tensor<1024x1024xf32> -> tensor<1024x1024xf32>
  %1 = tg.mul %x, %0 : tensor<1024x1024xf32>
  %2 = tg.reduce add %1 axes [0, 1] : tensor<1024x1024xf32> -> tensor<1x1xf32>
  %3 = tg.mul %x, %y : tensor<1024x1024xf32>
  %4 = tg.reduce add %3 axes [0, 1] : tensor<1024x1024xf32> -> tensor<1x1xf32>
  return %2, %4 : tensor<1x1xf32>, tensor<1x1xf32>
}
