// Functions whose polynomials are products with a sum, rounding to integers, and
// conversions of f16: what old processors have no instructions for.
func.func @run(%x: tensor<1027xf32> {tg.name = "x"}, %d: tensor<1027xf64> {tg.name = "d"}, %h: tensor<1027xf16> {tg.name = "h"})
    -> (tensor<1027xf32> {tg.name = "single"}, tensor<1027xf64> {tg.name = "twice"}, tensor<1027xf16> {tg.name = "half"},
        tensor<1027xf16> {tg.name = "narrowed"}, tensor<1027xbf16> {tg.name = "brain"}, tensor<1027xf32> {tg.name = "whole"},
        tensor<1027xf64> {tg.name = "integral"}, tensor<1027xi32> {tg.name = "count"},
        tensor<1027xf32> {tg.name = "fused"}, tensor<1027xf64> {tg.name = "fusedTwice"}) {
  %e = tg.exp %x : tensor<1027xf32>
  %s = tg.sin %x : tensor<1027xf32>
  %single = tg.add %e, %s : tensor<1027xf32>
  %de = tg.exp %d : tensor<1027xf64>
  %dl = tg.sin %d : tensor<1027xf64>
  %twice = tg.add %de, %dl : tensor<1027xf64>
  %w = tg.cast %h : tensor<1027xf16> -> tensor<1027xf32>
  %m = tg.mul %w, %x : tensor<1027xf32>
  %half = tg.cast %m : tensor<1027xf32> -> tensor<1027xf16>
  %narrowed = tg.cast %d : tensor<1027xf64> -> tensor<1027xf16>
  %brain = tg.cast %d : tensor<1027xf64> -> tensor<1027xbf16>
  %whole = tg.trunc %x : tensor<1027xf32>
  %integral = tg.trunc %d : tensor<1027xf64>
  %hs = tg.mul %h, %h : tensor<1027xf16>
  %count = tg.cast %hs : tensor<1027xf16> -> tensor<1027xi32>
  %fused = tg.mulacc %x, %x, %w : tensor<1027xf32>
  %fusedTwice = tg.mulacc %d, %d, %integral : tensor<1027xf64>
  return %single, %twice, %half, %narrowed, %brain, %whole, %integral, %count, %fused, %fusedTwice
    : tensor<1027xf32>, tensor<1027xf64>, tensor<1027xf16>, tensor<1027xf16>, tensor<1027xbf16>, tensor<1027xf32>, tensor<1027xf64>, tensor<1027xi32>, tensor<1027xf32>, tensor<1027xf64>
}
