// RUN: tg-opt %s --split-input-file --verify-diagnostics --tg-add-kernel-interface

// expected-error @+1 {{'llvm.func' op has 'tg.parallel_extent', but is not a lowered kernel: it needs a body and takes pointers to buffers and 2 values of type i64}}
llvm.func @few_arguments(%x: i64) attributes {tg.parallel_extent = 4 : i64} {
  llvm.return
}

// -----

// expected-error @+1 {{takes pointers to buffers and 3 values of type i64}}
llvm.func @no_variable(%p: !llvm.ptr, %x: i64, %y: i64)
    attributes {tg.parallel_extent = 4 : i64, tg.variables = [#tg.var<"n", 1, 8>]} {
  llvm.return
}

// -----

// expected-error @+1 {{has 'tg.parallel_extent', but is not a lowered kernel}}
llvm.func @external(!llvm.ptr, i64, i64) attributes {tg.parallel_extent = 4 : i64}

// -----

// expected-error @+1 {{has 'tg.parallel_extent', but is not a lowered kernel}}
llvm.func @result(%p: !llvm.ptr, %x: i64, %y: i64) -> i64 attributes {tg.parallel_extent = 4 : i64} {
  llvm.return %x : i64
}
