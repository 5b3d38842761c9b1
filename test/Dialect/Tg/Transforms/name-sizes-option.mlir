// RUN: not tg-opt --tg-name-sizes="sizes=arg0:0=n" %s 2>&1 | FileCheck %s --check-prefix=BOUNDS
// RUN: not tg-opt --tg-name-sizes="sizes=n[1,8]" %s 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not tg-opt --tg-name-sizes="sizes=arg0=n[1,8]" %s 2>&1 | FileCheck %s --check-prefix=NOAXIS
// RUN: not tg-opt --tg-name-sizes="sizes=arg0:0=n[1,8" %s 2>&1 | FileCheck %s --check-prefix=PAIR
// RUN: not tg-opt --tg-name-sizes="sizes=arg0:0=n[]" %s 2>&1 | FileCheck %s --check-prefix=PAIR
// RUN: not tg-opt --tg-name-sizes="sizes=arg0:0=[1,8]" %s 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not tg-opt --tg-name-sizes="sizes=arg0:0=n[8,1]" %s 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not tg-opt --tg-name-sizes="sizes=arg0:0=n[-1,8];arg1:0=n" %s 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not tg-opt --tg-name-sizes="sizes=arg0:2=n[1,8]" %s 2>&1 | FileCheck %s --check-prefix=AXIS
// RUN: not tg-opt --tg-name-sizes="sizes=arg3:0=n[1,8]" %s 2>&1 | FileCheck %s --check-prefix=AXIS
// RUN: not tg-opt --tg-name-sizes="sizes=arg2:0=n[1,8]" %s 2>&1 | FileCheck %s --check-prefix=AXIS
// RUN: not tg-opt --tg-name-sizes="sizes=arg0:1=n[1,8]" %s 2>&1 | FileCheck %s --check-prefix=STATIC
// RUN: not tg-opt --tg-name-sizes="sizes=arg0:0=n[1,8];arg1:0=n[1,9]" %s 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not tg-opt --tg-name-sizes="sizes=arg0:0=n[1,8];arg0:0=m[1,8]" %s 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not tg-opt --tg-name-sizes="entry=f sizes=arg0:0=n[1,8]" %s 2>&1 | FileCheck %s --check-prefix=ENTRY
// RUN: not tg-opt --tg-name-sizes="entry=outside sizes=arg0:0=n[1,8]" %s 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: tg-opt --tg-name-sizes="sizes=arg0:0=n[1,8];arg1:0=n" %s | FileCheck %s --check-prefix=SAME

// BOUNDS: name-sizes-option.mlir:[[#@LINE+16]]:1: error: the option 'sizes' has 'arg0:0=n', but the bounds of 'n' are not given: write n[MIN,MAX]
// FORM: error: the option 'sizes' has 'n[1,8]', which is not argN:AXIS=NAME[MIN,MAX], as in arg0:1=n[1,512]
// NOAXIS: error: the option 'sizes' has 'arg0=n[1,8]', which is not argN:AXIS=NAME[MIN,MAX]
// PAIR: error: the option 'sizes' has '{{.*}}', whose bounds are not [MIN,MAX]
// NAME: error: the option 'sizes' has 'arg0:0=[1,8]', but a variable needs a name
// EMPTY: error: the option 'sizes' has 'arg0:0=n[8,1]', but variable 'n' has an empty range: min 8 > max 1
// NEGATIVE: error: dimension 0, n, can be negative: -1
// AXIS: error: the option 'sizes' has '{{.*}}', but '@main' has no tensor with such an axis
// STATIC: error: the option 'sizes' has 'arg0:1=n[1,8]', but the size is known: the argument is 'tensor<?x4xf32>'
// OTHER: error: the option 'sizes' has 'arg1:0=n[1,9]', but the name has other bounds before: n[1,8]
// TWICE: error: axis 0 of argument 0 is both n[1,8] and m[1,8]
// ENTRY: error: there is no function '@f' with a body for the option 'sizes'
// OUTSIDE: error: there is no function '@outside' with a body for the option 'sizes'
// SAME: func.func @main(%{{.*}}: tensor<?x4xf32, #tg.shape<#n, 4>>, %{{.*}}: tensor<?xf32, #tg.shape<#n>>, %{{.*}}: f32) {

func.func private @outside(tensor<?xf32>)
func.func @main(%x: tensor<?x4xf32>, %y: tensor<?xf32>, %z: f32) { return }
