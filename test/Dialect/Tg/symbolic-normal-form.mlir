// One expression for equal sizes, however they are written.

// RUN: tg-opt %s | FileCheck %s
// RUN: tg-opt %s | tg-opt | FileCheck %s

#n = #tg.var<"n", 0, 40>
#m = #tg.var<"m", 1, 8>
#minus_n = #tg.dim<mul, #n, -1>

// CHECK-LABEL: @quotients
func.func @quotients() -> (tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>) {
  // n - n mod 4
  // CHECK: tg.dim((#n floordiv 4) * 4)
  %0 = tg.dim(#tg.dim<add, #n, #tg.dim<mul, #tg.dim<mod, #n, 4>, -1>>) : tensor<i64>
  // n mod 4, from n - n floordiv 4 * 4
  // CHECK: tg.dim(#n mod 4)
  %1 = tg.dim(#tg.dim<add, #n, #tg.dim<mul, #tg.dim<floordiv, #n, 4>, -4>>) : tensor<i64>
  // By a variable
  // CHECK: tg.dim((#n floordiv #m) * #m)
  %2 = tg.dim(#tg.dim<add, #n, #tg.dim<mul, #tg.dim<mod, #n, #m>, -1>>) : tensor<i64>
  // (n floordiv 3) mod 4, a digit
  // CHECK: tg.dim((#n floordiv 3) mod 4)
  %3 = tg.dim(#tg.dim<mod, #tg.dim<floordiv, #n, 3>, 4>) : tensor<i64>
  // By a negative number
  // CHECK: tg.dim((#n * -1) floordiv 4)
  %4 = tg.dim(#tg.dim<floordiv, #n, -4>) : tensor<i64>
  // Not equal: another divisor
  // CHECK: tg.dim(#n - (#n floordiv 3) * 4)
  %5 = tg.dim(#tg.dim<add, #n, #tg.dim<mul, #tg.dim<floordiv, #n, 3>, -4>>) : tensor<i64>
  return %0, %1, %2, %3, %4, %5 : tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>
}

// CHECK-LABEL: @extremes
func.func @extremes() -> (tensor<i64>, tensor<i64>, tensor<i64>) {
  // max(n, m) + min(n, m)
  // CHECK: tg.dim(#m + #n)
  %0 = tg.dim(#tg.dim<add, #tg.dim<max, #n, #m>, #tg.dim<min, #m, #n>>) : tensor<i64>
  // -min(-n, -m)
  // CHECK: tg.dim(max(#m, #n))
  %1 = tg.dim(#tg.dim<mul, #tg.dim<min, #minus_n, #tg.dim<mul, #m, -1>>, -1>) : tensor<i64>
  // min(n * 3 + 6, m * 3 + 6)
  // CHECK: tg.dim(min(#m, #n) * 3 + 6)
  %2 = tg.dim(#tg.dim<min, #tg.dim<add, #tg.dim<mul, #n, 3>, 6>, #tg.dim<add, #tg.dim<mul, #m, 3>, 6>>) : tensor<i64>
  return %0, %1, %2 : tensor<i64>, tensor<i64>, tensor<i64>
}

// A variable with one value stays, but in an expression it is that number.
#p = #tg.var<"p", 3, 3>
// CHECK-LABEL: @one_value
// CHECK-SAME: tensor<?x4xf32, #tg.shape<#p, 4>>
func.func @one_value(%x: tensor<?x4xf32, #tg.shape<#p, 4>>) -> (tensor<12xf32>, tensor<i64>) {
  %0 = tg.reshape %x : tensor<?x4xf32, #tg.shape<#p, 4>> -> tensor<12xf32>
  // CHECK: tg.dim(#n * 3)
  %1 = tg.dim(#tg.dim<mul, #n, #p>) : tensor<i64>
  return %0, %1 : tensor<12xf32>, tensor<i64>
}
