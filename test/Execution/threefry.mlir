// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// The known-answer vectors of Threefry-2x32 with 20 rounds.
func.func @main(
    %a0: tensor<3xui64> {tg.input = dense<[0x0000000000000000, 0xffffffffffffffff, 0x85a308d3243f6a88]> : tensor<3xui64>},
    %b0: tensor<3xui64> {tg.input = dense<[0x0000000000000000, 0xffffffffffffffff, 0x0370734413198a2e]> : tensor<3xui64>})
    -> (tensor<3xui64>) {
  %0 = tg.threefry %a0, %b0 : tensor<3xui64>
  return %0
      : tensor<3xui64>
}

// CHECK: result 0: tensor<3xui64> = [11077253088097075545, 13474818356711888636, 5205589014174907036]
