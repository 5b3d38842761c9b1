//===- ConvertTgToItems.h - kernels as functions of a work item -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Registers `test-convert-tg-to-items`.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TEST_LIB_CONVERSION_CONVERTTGTOITEMS_H
#define TINYGRAD_TEST_LIB_CONVERSION_CONVERTTGTOITEMS_H

namespace tgtest {

void registerConvertTgToItemsPass();

} // namespace tgtest

#endif // TINYGRAD_TEST_LIB_CONVERSION_CONVERTTGTOITEMS_H
