//===- Reference.h - scalar reference of tg's arithmetic --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The expected results of operations, computed in arbitrary precision on the
/// bits of elements.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_UNITTESTS_TARGET_CPU_REFERENCE_H
#define TINYGRAD_UNITTESTS_TARGET_CPU_REFERENCE_H

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include <cstdint>
#include <string>
#include <vector>

/// An element type of the dialect.
struct ElementType {
  std::string name;
  unsigned width; ///< of the value; 1 for bool
  enum Kind { Bool, Signed, Unsigned, Float } kind;
  const llvm::fltSemantics *semantics = nullptr;

  unsigned bytes() const { return width == 1 ? 1 : width / 8; }
  bool isFloat() const { return kind == Float; }
  bool isFp8() const { return kind == Float && width == 8; }
  bool isNan(uint64_t bits) const;
  llvm::APInt toInt(uint64_t bits) const { return llvm::APInt(width, bits); }
  llvm::APFloat toFloat(uint64_t bits) const {
    return llvm::APFloat(*semantics, llvm::APInt(width, bits));
  }
};

/// The type with this name: i1, i8, ..., ui64, f16, bf16, f32, f64, f8E4M3FN,
/// ...
const ElementType &getType(const std::string &name);
const std::vector<ElementType> &getTypes();

/// Special values at which arithmetic may go wrong, and a few others.
std::vector<uint64_t> getEdges(const ElementType &type);

/// The reference of tg.cast.
uint64_t castReference(const ElementType &from, const ElementType &to,
                       uint64_t bits);
/// The reference of a binary operation, given by its name without "tg.".
uint64_t binaryReference(const std::string &op, const ElementType &type,
                         uint64_t x, uint64_t y);

/// An array of elements in their memory representation.
class Elements {
public:
  Elements(const ElementType &type, size_t count)
      : type(type), bytes(count * type.bytes()) {}
  Elements(const ElementType &type, const std::vector<uint64_t> &values);
  uint64_t get(size_t i) const;
  void set(size_t i, uint64_t bits);
  void *data() { return bytes.data(); }
  size_t size() const { return bytes.size() / type.bytes(); }

private:
  const ElementType &type;
  std::vector<uint8_t> bytes;
};

#endif // TINYGRAD_UNITTESTS_TARGET_CPU_REFERENCE_H
