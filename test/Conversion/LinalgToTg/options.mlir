// RUN: not tg-opt %s --convert-linalg-to-tg="min-size=5 max-size=4" 2>&1 | FileCheck %s

// CHECK: convert-linalg-to-tg: min-size is 5 and max-size 4; min-size must be at least 0 and at most max-size
func.func @f() {
  return
}
