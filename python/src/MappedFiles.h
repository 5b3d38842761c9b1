//===- MappedFiles.h - tensors in files that are written --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A tensor on tinygrad's device `DISK:path` is one of the CPU here, whose
/// memory is the file: it is computed with like any other, and what is assigned
/// to it is written to the file at once.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_PYTHON_MAPPEDFILES_H
#define TINYGRAD_PYTHON_MAPPEDFILES_H

#include "TinyGrad/Tensor/Tensor.h"

#include <optional>
#include <string>

namespace tinygrad::python {

/// The path in the name of a device like "DISK:path" or "disk:path".
std::optional<std::string> getFilePath(const std::string &device);

/// A tensor in the memory of a file, from its beginning on. The file is made if
/// it is missing, and extended with zeros if it is too short. Throws ShapeError
/// if a size is not a number, and IoError, naming the file.
Tensor mapFile(const std::string &path, const Shape &shape, DType dtype);

/// A tensor in the memory of a file that was written with the values.
Tensor copyToFile(const std::string &path, const Tensor &values);

/// Whether the tensor is all or some of the elements of such a tensor.
bool isInFile(const Tensor &tensor);

/// The bytes of a tensor in a file as elements of another type, in the file as
/// well. None where bytes do not follow one another, are not aligned or not a
/// multiple of the type's size.
std::optional<Tensor> bitcastInFile(const Tensor &tensor, DType dtype);

/// Writes the values to a tensor in a file. Throws Error unless its
/// elements follow one another in the file, and Error in a captured function.
void writeToFile(const Tensor &tensor, const Operand &value);

/// target.assign(), or writeToFile() for a tensor in a file.
void assignOrWrite(Tensor &target, const Operand &value);

} // namespace tinygrad::python

#endif // TINYGRAD_PYTHON_MAPPEDFILES_H
