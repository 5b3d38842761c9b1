// Kernels of kinds that random graphs rarely have, for random lists of steps
// (random-kernel-schedules.test, and the suite "schedules"), one in each part.

// In place, with a store along fewer ranges than another one.
tg.kernel @fewer_ranges(%out: memref<6xi32>, %other: memref<60xi32>) attributes {in_place, outputs = 2 : i64} {
  %i = tg.range 0 loop 6
  %j = tg.range 1 loop 10
  %c10 = tg.const(10 : index) : index
  %row = tg.mul %i, %c10 : index
  %at = tg.add %row, %j : index
  %x = tg.load %out[%i] : memref<6xi32>
  %y = tg.load %other[%at] : memref<60xi32>
  %sum = tg.add %x, %y : i32
  %one = tg.const(1 : i32) : i32
  %next = tg.add %x, %one : i32
  tg.store %sum, %other[%at] : memref<60xi32>
  tg.store %next, %out[%i] : memref<6xi32>
}
func.func @main(%out: memref<6xi32>, %other: memref<60xi32>) -> (memref<6xi32>, memref<60xi32>) {
  tg.launch @fewer_ranges(%out, %other) : memref<6xi32>, memref<60xi32>
  return %out, %other : memref<6xi32>, memref<60xi32>
}

// -----

// The same, but results have memory of their own.
tg.kernel @fewer_ranges_apart(%out: memref<6xi32>, %other: memref<60xi32>, %a: memref<6xi32>, %b: memref<60xi32>) attributes {outputs = 2 : i64} {
  %i = tg.range 0 loop 6
  %j = tg.range 1 loop 10
  %c10 = tg.const(10 : index) : index
  %row = tg.mul %i, %c10 : index
  %at = tg.add %row, %j : index
  %x = tg.load %a[%i] : memref<6xi32>
  %y = tg.load %b[%at] : memref<60xi32>
  %sum = tg.add %x, %y : i32
  %one = tg.const(1 : i32) : i32
  %next = tg.add %x, %one : i32
  tg.store %sum, %other[%at] : memref<60xi32>
  tg.store %next, %out[%i] : memref<6xi32>
}
func.func @main(%out: memref<6xi32>, %other: memref<60xi32>, %a: memref<6xi32>, %b: memref<60xi32>) -> (memref<6xi32>, memref<60xi32>) {
  tg.launch @fewer_ranges_apart(%out, %other, %a, %b) : memref<6xi32>, memref<60xi32>, memref<6xi32>, memref<60xi32>
  return %out, %other : memref<6xi32>, memref<60xi32>
}

// -----

// A mask selects the position that writes an element.
tg.kernel @last_of_row(%out: memref<6xi32>, %a: memref<60xi32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 6
  %j = tg.range 1 loop 10
  %c10 = tg.const(10 : index) : index
  %row = tg.mul %i, %c10 : index
  %at = tg.add %row, %j : index
  %c8 = tg.const(8 : index) : index
  %x = tg.load %a[%at] : memref<60xi32>
  %is_last = tg.cmplt %c8, %j : index
  tg.store %x, %out[%i] mask %is_last : memref<6xi32>
}
func.func @main(%out: memref<6xi32>, %a: memref<60xi32>) -> (memref<6xi32>) {
  tg.launch @last_of_row(%out, %a) : memref<6xi32>, memref<60xi32>
  return %out : memref<6xi32>
}

// -----

// The same in place: all positions read the element.
tg.kernel @last_in_place(%out: memref<6xi32>, %other: memref<60xi32>) attributes {in_place, outputs = 2 : i64} {
  %i = tg.range 0 loop 6
  %j = tg.range 1 loop 10
  %c10 = tg.const(10 : index) : index
  %row = tg.mul %i, %c10 : index
  %at = tg.add %row, %j : index
  %c8 = tg.const(8 : index) : index
  %x = tg.load %out[%i] : memref<6xi32>
  %y = tg.load %other[%at] : memref<60xi32>
  %sum = tg.add %x, %y : i32
  %is_last = tg.cmplt %c8, %j : index
  tg.store %sum, %other[%at] : memref<60xi32>
  tg.store %sum, %out[%i] mask %is_last : memref<6xi32>
}
func.func @main(%out: memref<6xi32>, %other: memref<60xi32>) -> (memref<6xi32>, memref<60xi32>) {
  tg.launch @last_in_place(%out, %other) : memref<6xi32>, memref<60xi32>
  return %out, %other : memref<6xi32>, memref<60xi32>
}

// -----

// Sums, one of which a mask selects.
tg.kernel @selected_sum(%out: memref<6xi32>, %a: memref<42xi32>, %b: memref<70xi32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 6
  %j = tg.range 1 loop 10
  %k = tg.range 2 loop 7
  %c7 = tg.const(7 : index) : index
  %c10 = tg.const(10 : index) : index
  %row = tg.mul %i, %c7 : index
  %left = tg.add %row, %k : index
  %depth = tg.mul %k, %c10 : index
  %right = tg.add %depth, %j : index
  %x = tg.load %a[%left] : memref<42xi32>
  %y = tg.load %b[%right] : memref<70xi32>
  %product = tg.mul %x, %y : i32
  %sum = tg.ranged_reduce add %product over %k : i32
  %c3 = tg.const(3 : index) : index
  %selected = tg.cmpeq %j, %c3 : index
  tg.store %sum, %out[%i] mask %selected : memref<6xi32>
}
func.func @main(%out: memref<6xi32>, %a: memref<42xi32>, %b: memref<70xi32>) -> (memref<6xi32>) {
  tg.launch @selected_sum(%out, %a, %b) : memref<6xi32>, memref<42xi32>, memref<70xi32>
  return %out : memref<6xi32>
}

// -----

// Sums under a mask that holds for some of them.
tg.kernel @masked_sums(%out: memref<60xi32>, %a: memref<42xi32>, %b: memref<70xi32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 6
  %j = tg.range 1 loop 10
  %k = tg.range 2 loop 7
  %c7 = tg.const(7 : index) : index
  %c10 = tg.const(10 : index) : index
  %row = tg.mul %i, %c7 : index
  %left = tg.add %row, %k : index
  %depth = tg.mul %k, %c10 : index
  %right = tg.add %depth, %j : index
  %x = tg.load %a[%left] : memref<42xi32>
  %y = tg.load %b[%right] : memref<70xi32>
  %product = tg.mul %x, %y : i32
  %sum = tg.ranged_reduce add %product over %k : i32
  %to = tg.mul %i, %c10 : index
  %at = tg.add %to, %j : index
  %below = tg.cmplt %i, %j : index
  tg.store %sum, %out[%at] mask %below : memref<60xi32>
}
func.func @main(%out: memref<60xi32>, %a: memref<42xi32>, %b: memref<70xi32>) -> (memref<60xi32>) {
  tg.launch @masked_sums(%out, %a, %b) : memref<60xi32>, memref<42xi32>, memref<70xi32>
  return %out : memref<60xi32>
}

// -----

// Products with a factor that is masked along rows and columns.
tg.kernel @triangle(%out: memref<48xi32>, %a: memref<96xi32>, %b: memref<128xi32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 6
  %j = tg.range 1 loop 8
  %k = tg.range 2 loop 16
  %c16 = tg.const(16 : index) : index
  %c8 = tg.const(8 : index) : index
  %row = tg.mul %i, %c16 : index
  %left = tg.add %row, %k : index
  %depth = tg.mul %k, %c8 : index
  %right = tg.add %depth, %j : index
  %end = tg.add %i, %j : index
  %inside = tg.cmplt %k, %end : index
  %x = tg.load %a[%left] : memref<96xi32>
  %y = tg.load %b[%right] mask %inside : memref<128xi32>
  %product = tg.mul %x, %y : i32
  %sum = tg.ranged_reduce add %product over %k : i32
  %to = tg.mul %i, %c8 : index
  %at = tg.add %to, %j : index
  tg.store %sum, %out[%at] : memref<48xi32>
}
func.func @main(%out: memref<48xi32>, %a: memref<96xi32>, %b: memref<128xi32>) -> (memref<48xi32>) {
  tg.launch @triangle(%out, %a, %b) : memref<48xi32>, memref<96xi32>, memref<128xi32>
  return %out : memref<48xi32>
}

// -----

// Sums in memory, after a constant and after what was there.
tg.kernel @updates(%out: memref<12xi32>, %other: memref<12xi32>, %a: memref<60xi32>) attributes {in_place, outputs = 2 : i64} {
  %k = tg.range 0 loop 10
  %i = tg.range 1 thread 6
  %zero = tg.const(0 : i32) : i32
  %c6 = tg.const(6 : index) : index
  %row = tg.mul %k, %c6 : index
  %at = tg.add %row, %i : index
  %x = tg.load %a[%at] : memref<60xi32>
  tg.store %zero, %out[%i] : memref<12xi32>
  tg.store %x, %out[%i] update add over %k : memref<12xi32>
  tg.store %x, %other[%i] update max over %k : memref<12xi32>
}
func.func @main(%out: memref<12xi32>, %other: memref<12xi32>, %a: memref<60xi32>) -> (memref<12xi32>, memref<12xi32>) {
  tg.launch @updates(%out, %other, %a) : memref<12xi32>, memref<12xi32>, memref<60xi32>
  return %out, %other : memref<12xi32>, memref<12xi32>
}

// -----

// A sum in memory, which a loop adds to around the work items of a thread (mayRunAroundItems).
tg.kernel @passes(%out: memref<12xi32>, %other: memref<12xi32>, %a: memref<60xi32>) attributes {in_place, outputs = 1 : i64} {
  %k = tg.range 0 loop 10
  %i = tg.range 1 thread 6
  %zero = tg.const(0 : i32) : i32
  %c6 = tg.const(6 : index) : index
  %row = tg.mul %k, %c6 : index
  %at = tg.add %row, %i : index
  %x = tg.load %a[%at] : memref<60xi32>
  tg.store %zero, %out[%i] : memref<12xi32>
  tg.store %x, %out[%i] update add over %k : memref<12xi32>
}
func.func @main(%out: memref<12xi32>, %other: memref<12xi32>, %a: memref<60xi32>) -> (memref<12xi32>) {
  tg.launch @passes(%out, %other, %a) : memref<12xi32>, memref<12xi32>, memref<60xi32>
  return %out : memref<12xi32>
}

// -----

// The same, but there are copies of the code.
tg.kernel @passes_unrolled(%out: memref<12xi32>, %other: memref<12xi32>, %a: memref<60xi32>) attributes {in_place, outputs = 1 : i64} {
  %k = tg.range 0 loop 10
  %u = tg.range 2 unroll 2
  %i = tg.range 1 thread 6
  %zero = tg.const(0 : i32) : i32
  %c6 = tg.const(6 : index) : index
  %row = tg.mul %k, %c6 : index
  %at = tg.add %row, %i : index
  %x = tg.load %a[%at] : memref<60xi32>
  %n = tg.cast %u : index -> i32
  %y = tg.add %x, %n : i32
  tg.store %zero, %out[%i] : memref<12xi32>
  tg.store %y, %out[%i] update add over %k, %u : memref<12xi32>
}
func.func @main(%out: memref<12xi32>, %other: memref<12xi32>, %a: memref<60xi32>) -> (memref<12xi32>) {
  tg.launch @passes_unrolled(%out, %other, %a) : memref<12xi32>, memref<12xi32>, memref<60xi32>
  return %out : memref<12xi32>
}

// -----

// The same, but the last positions have code of their own.
tg.kernel @passes_peeled(%out: memref<12xi32>, %other: memref<12xi32>, %a: memref<60xi32>) attributes {in_place, outputs = 1 : i64} {
  %k = tg.range 0 loop 10 peel 2
  %i = tg.range 1 thread 6
  %zero = tg.const(0 : i32) : i32
  %c6 = tg.const(6 : index) : index
  %row = tg.mul %k, %c6 : index
  %at = tg.add %row, %i : index
  %x = tg.load %a[%at] : memref<60xi32>
  tg.store %zero, %out[%i] : memref<12xi32>
  tg.store %x, %out[%i] update add over %k : memref<12xi32>
}
func.func @main(%out: memref<12xi32>, %other: memref<12xi32>, %a: memref<60xi32>) -> (memref<12xi32>) {
  tg.launch @passes_peeled(%out, %other, %a) : memref<12xi32>, memref<12xi32>, memref<60xi32>
  return %out : memref<12xi32>
}

// -----

// The same, but there is another constant in the buffer.
tg.kernel @passes_two_constants(%out: memref<12xi32>, %other: memref<12xi32>, %a: memref<60xi32>) attributes {in_place, outputs = 1 : i64} {
  %k = tg.range 0 loop 10
  %i = tg.range 1 thread 6
  %zero = tg.const(0 : i32) : i32
  %c6 = tg.const(6 : index) : index
  %row = tg.mul %k, %c6 : index
  %at = tg.add %row, %i : index
  %x = tg.load %a[%at] : memref<60xi32>
  %i6 = tg.add %i, %c6 : index
  tg.store %zero, %out[%i6] : memref<12xi32>
  tg.store %zero, %out[%i] : memref<12xi32>
  tg.store %x, %out[%i] update add over %k : memref<12xi32>
}
func.func @main(%out: memref<12xi32>, %other: memref<12xi32>, %a: memref<60xi32>) -> (memref<12xi32>) {
  tg.launch @passes_two_constants(%out, %other, %a) : memref<12xi32>, memref<12xi32>, memref<60xi32>
  return %out : memref<12xi32>
}

// -----

// The same, but an element has two updates.
tg.kernel @passes_two_updates(%out: memref<12xi32>, %other: memref<12xi32>, %a: memref<60xi32>) attributes {in_place, outputs = 1 : i64} {
  %k = tg.range 0 loop 10
  %i = tg.range 1 thread 6
  %zero = tg.const(0 : i32) : i32
  %c6 = tg.const(6 : index) : index
  %row = tg.mul %k, %c6 : index
  %at = tg.add %row, %i : index
  %x = tg.load %a[%at] : memref<60xi32>
  tg.store %zero, %out[%i] : memref<12xi32>
  tg.store %x, %out[%i] update add over %k : memref<12xi32>
  tg.store %x, %out[%i] update mul over %k : memref<12xi32>
}
func.func @main(%out: memref<12xi32>, %other: memref<12xi32>, %a: memref<60xi32>) -> (memref<12xi32>) {
  tg.launch @passes_two_updates(%out, %other, %a) : memref<12xi32>, memref<12xi32>, memref<60xi32>
  return %out : memref<12xi32>
}

// -----

// The same, but the mask depends on the loop.
tg.kernel @passes_mask(%out: memref<12xi32>, %other: memref<12xi32>, %a: memref<60xi32>) attributes {in_place, outputs = 1 : i64} {
  %k = tg.range 0 loop 10
  %i = tg.range 1 thread 6
  %zero = tg.const(0 : i32) : i32
  %c6 = tg.const(6 : index) : index
  %row = tg.mul %k, %c6 : index
  %at = tg.add %row, %i : index
  %x = tg.load %a[%at] : memref<60xi32>
  %c4 = tg.const(4 : index) : index
  %m = tg.cmplt %c4, %k : index
  tg.store %zero, %out[%i] mask %m : memref<12xi32>
  tg.store %x, %out[%i] mask %m update add over %k : memref<12xi32>
}
func.func @main(%out: memref<12xi32>, %other: memref<12xi32>, %a: memref<60xi32>) -> (memref<12xi32>) {
  tg.launch @passes_mask(%out, %other, %a) : memref<12xi32>, memref<12xi32>, memref<60xi32>
  return %out : memref<12xi32>
}

// -----

// The same, but two updates are over other loops.
tg.kernel @passes_two_loops(%out: memref<12xi32>, %other: memref<12xi32>, %a: memref<60xi32>) attributes {in_place, outputs = 2 : i64} {
  %k = tg.range 0 loop 10
  %k2 = tg.range 2 loop 10
  %i = tg.range 1 thread 6
  %zero = tg.const(0 : i32) : i32
  %c6 = tg.const(6 : index) : index
  %row = tg.mul %k, %c6 : index
  %at = tg.add %row, %i : index
  %x = tg.load %a[%at] : memref<60xi32>
  %row2 = tg.mul %k2, %c6 : index
  %at2 = tg.add %row2, %i : index
  %y = tg.load %a[%at2] : memref<60xi32>
  tg.store %zero, %out[%i] : memref<12xi32>
  tg.store %zero, %other[%i] : memref<12xi32>
  tg.store %x, %out[%i] update add over %k : memref<12xi32>
  tg.store %y, %other[%i] update add over %k2 : memref<12xi32>
}
func.func @main(%out: memref<12xi32>, %other: memref<12xi32>, %a: memref<60xi32>) -> (memref<12xi32>, memref<12xi32>) {
  tg.launch @passes_two_loops(%out, %other, %a) : memref<12xi32>, memref<12xi32>, memref<60xi32>
  return %out, %other : memref<12xi32>, memref<12xi32>
}

// -----

// The same, but another result is a constant.
tg.kernel @passes_beside_constant(%out: memref<12xi32>, %other: memref<12xi32>, %a: memref<60xi32>) attributes {in_place, outputs = 2 : i64} {
  %k = tg.range 0 loop 10
  %i = tg.range 1 thread 6
  %zero = tg.const(0 : i32) : i32
  %c6 = tg.const(6 : index) : index
  %row = tg.mul %k, %c6 : index
  %at = tg.add %row, %i : index
  %x = tg.load %a[%at] : memref<60xi32>
  tg.store %zero, %other[%i] : memref<12xi32>
  tg.store %zero, %out[%i] : memref<12xi32>
  tg.store %x, %out[%i] update add over %k : memref<12xi32>
}
func.func @main(%out: memref<12xi32>, %other: memref<12xi32>, %a: memref<60xi32>) -> (memref<12xi32>, memref<12xi32>) {
  tg.launch @passes_beside_constant(%out, %other, %a) : memref<12xi32>, memref<12xi32>, memref<60xi32>
  return %out, %other : memref<12xi32>, memref<12xi32>
}

// -----

// The same, but the sum begins with what is no constant.
tg.kernel @passes_from_value(%out: memref<12xi32>, %other: memref<12xi32>, %a: memref<60xi32>) attributes {in_place, outputs = 1 : i64} {
  %k = tg.range 0 loop 10
  %i = tg.range 1 thread 6
  %zero = tg.const(0 : i32) : i32
  %c6 = tg.const(6 : index) : index
  %row = tg.mul %k, %c6 : index
  %at = tg.add %row, %i : index
  %x = tg.load %a[%at] : memref<60xi32>
  %y = tg.load %a[%i] : memref<60xi32>
  tg.store %y, %out[%i] : memref<12xi32>
  tg.store %x, %out[%i] update add over %k : memref<12xi32>
}
func.func @main(%out: memref<12xi32>, %other: memref<12xi32>, %a: memref<60xi32>) -> (memref<12xi32>) {
  tg.launch @passes_from_value(%out, %other, %a) : memref<12xi32>, memref<12xi32>, memref<60xi32>
  return %out : memref<12xi32>
}

// -----

// A sum of products with the element that it replaces.
tg.kernel @sum_in_place(%out: memref<8xi32>, %a: memref<128xi32>) attributes {in_place, outputs = 1 : i64} {
  %i = tg.range 0 loop 8
  %k = tg.range 1 loop 16
  %c16 = tg.const(16 : index) : index
  %row = tg.mul %i, %c16 : index
  %at = tg.add %row, %k : index
  %x = tg.load %a[%at] : memref<128xi32>
  %old = tg.load %out[%i] : memref<8xi32>
  %product = tg.mul %x, %old : i32
  %sum = tg.ranged_reduce add %product over %k : i32
  tg.store %sum, %out[%i] : memref<8xi32>
}
func.func @main(%out: memref<8xi32>, %a: memref<128xi32>) -> (memref<8xi32>) {
  tg.launch @sum_in_place(%out, %a) : memref<8xi32>, memref<128xi32>
  return %out : memref<8xi32>
}
