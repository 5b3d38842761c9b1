// A view with no elements for some values of n.
#n = #tg.var<"n", 1, 4>
func.func @main(%x: tensor<32xf32> {tg.input = dense<0.5> : tensor<32xf32>},
                %y: tensor<?xf32, #tg.shape<#n>> {tg.input = dense<1.0> : tensor<3xf32>})
    -> (tensor<1xf32>, tensor<?xf32, #tg.shape<#n>>) attributes {check_derivatives = 7 : i64} {
  %0 = tg.mul %x, %x : tensor<32xf32>
  %1 = tg.strided %0 [#tg.view<[#tg.dim<mod, #n, 3>] strides [17] offset 5>] : tensor<32xf32> -> tensor<?xf32, #tg.shape<#tg.dim<mod, #n, 3>>>
  %2 = tg.reduce add %1 axes [0] : tensor<?xf32, #tg.shape<#tg.dim<mod, #n, 3>>> -> tensor<1xf32>
  return %2, %y : tensor<1xf32>, tensor<?xf32, #tg.shape<#n>>
}
