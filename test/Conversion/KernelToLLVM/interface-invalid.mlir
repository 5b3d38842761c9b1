// RUN: tg-opt %s --split-input-file --verify-diagnostics --tg-add-kernel-interface

// expected-error @+1 {{'llvm.func' op has 'tg.parallel_extent', but not the body, the pointers to buffers and the 2 numbers of type i64 of what was a kernel}}
llvm.func @few_arguments(%x: i64) attributes {tg.parallel_extent = 4 : i64} {
  llvm.return
}

// -----

// expected-error @+1 {{the pointers to buffers and the 3 numbers of type i64}}
llvm.func @no_variable(%p: !llvm.ptr, %x: i64, %y: i64)
    attributes {tg.parallel_extent = 4 : i64, tg.variables = [#tg.var<"n", 1, 8>]} {
  llvm.return
}

// -----

// expected-error @+1 {{has 'tg.parallel_extent', but not the body}}
llvm.func @external(!llvm.ptr, i64, i64) attributes {tg.parallel_extent = 4 : i64}

// -----

// expected-error @+1 {{has 'tg.parallel_extent', but not the body}}
llvm.func @result(%p: !llvm.ptr, %x: i64, %y: i64) -> i64 attributes {tg.parallel_extent = 4 : i64} {
  llvm.return %x : i64
}
