//===- NN.h - all layers ----------------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Layers of neural networks. A network is a plain struct of layers that names
/// its members, see Tensor/Members.h and docs/networks.md.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_NN_NN_H
#define TINYGRAD_NN_NN_H

#include "TinyGrad/NN/Attention.h"
#include "TinyGrad/NN/Convolution.h"
#include "TinyGrad/NN/Dropout.h"
#include "TinyGrad/NN/Embedding.h"
#include "TinyGrad/NN/Linear.h"
#include "TinyGrad/NN/Normalization.h"
#include "TinyGrad/NN/Recurrent.h"
#include "TinyGrad/NN/Sequential.h"

#endif // TINYGRAD_NN_NN_H
