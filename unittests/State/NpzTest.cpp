//===- NpzTest.cpp - tensors in archives of NumPy arrays ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// States in .npz files; the format is tested with the runtime.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/State/Npz.h"
#include "TensorTest.h"
#include "TestFiles.h"

#include "TinyGrad/Runtime/Error.h"

using namespace tinygrad;
using namespace tinygrad::state;
using namespace tinygrad::testing;
using ::testing::ElementsAre;

TEST(StateNpz, RoundTrips) {
  TemporaryDirectory directory;
  const std::string path = directory.file("state.npz");
  const StateDict state = {{"b", counting({2, 3}) * 2},
                           {"a", Tensor(3)},
                           {"none", Tensor::zeros({0})}};
  for (NpzCompression compression :
       {NpzCompression::None, NpzCompression::Deflate}) {
    npzSave(path, state, compression);
    const StateDict back = npzLoad(path);
    EXPECT_THAT(back.names(), ElementsAre("a", "b", "none"));
    expectTensor(back["b"], {2, 3}, {0, 2, 4, 6, 8, 10});
    EXPECT_EQ(back["a"].dtype(), DType::Int32);
    expectTensor(back["a"], {}, {3});
    expectTensor(back["none"], {0}, {});
  }
  EXPECT_EQ(npzLoad(path, "SIM")["b"].device(), "SIM");
}

TEST(StateNpz, Errors) {
  TemporaryDirectory directory;
  const std::string path = directory.file("state.npz");
  EXPECT_ERROR(npzLoad(path), IoError, "state.npz: cannot open");
  EXPECT_ERROR(
      npzSave(path, {{"x", Tensor::ones({2}).cast(DType::Float8E4M3)}}),
      IoError, "array 'x': cannot write fp8e4m3");
  // An array that is no tensor.
  NamedArrays arrays;
  arrays["x"] = makeHostArray(DType::UInt8, std::vector<int64_t>(65, 1));
  *arrays["x"].as<uint8_t>() = 0;
  writeNpz(path, arrays);
  EXPECT_ERROR(npzLoad(path), IoError, "array 'x': fromHost: a tensor of 65");
}
