//===- Reference.h - tg's arithmetic one element at a time ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What operations have to compute, written with arbitrary-precision numbers
/// on the bits of elements.
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
  unsigned width; ///< of the value; bool has 1
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

/// Looks a type up: i1, i8, ..., ui64, f16, bf16, f32, f64, f8E4M3FN, ...
const ElementType &getType(const std::string &name);
const std::vector<ElementType> &getTypes();

/// Values at which arithmetic goes wrong, and a few others.
std::vector<uint64_t> getEdges(const ElementType &type);

/// tg.cast.
uint64_t castReference(const ElementType &from, const ElementType &to,
                       uint64_t bits);
/// A binary operation by its name without "tg.".
uint64_t binaryReference(const std::string &op, const ElementType &type,
                         uint64_t x, uint64_t y);

/// An array of elements as memory holds them.
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
