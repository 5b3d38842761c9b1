//===- Printer.h - parts of a file of C -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What a file of C is made of.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TARGET_C_PRINTER_H
#define TINYGRAD_LIB_TARGET_C_PRINTER_H

#include "TinyGrad/Target/C/PrintC.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

#include <map>

namespace mlir::tg::c {

/// A type in C: a scalar, or a vector of them.
struct CType {
  enum class Kind { Int, Wide, F16, BF16, F32, F64, Pointer, Void };
  Kind kind = Kind::Void;
  /// Of integers: those that count. The others are zeros.
  unsigned bits = 0;
  /// Lanes; 0 for a scalar.
  unsigned lanes = 0;
  /// Lanes of `bits` bits that are all ones or all zeros: a vector of bools.
  bool isMask = false;

  bool isVector() const { return lanes > 0; }
  bool isFloat() const { return kind == Kind::F32 || kind == Kind::F64; }
  /// Numbers that C has no type for, which are stored as their bits.
  bool isSmallFloat() const { return kind == Kind::F16 || kind == Kind::BF16; }
  bool isInt() const { return kind == Kind::Int; }
  CType getLane() const {
    CType lane = *this;
    lane.lanes = 0;
    return lane;
  }
  /// The width of memory that it has: 8, 16, 32 or 64 bits for each lane.
  unsigned getWidth() const;
  /// "u32", "f64": parts of names of vectors and functions. Numbers that are
  /// stored as bits have the names of integers.
  std::string getLaneName() const;
  /// "u32x4", or the lane's name.
  std::string getShortName() const;
  /// "uint32_t", "float", "char *", "u32x4".
  std::string getName() const;
};

/// An expression of C and its type.
struct CValue {
  std::string text;
  CType type;
};

/// Vector types and functions that the code uses.
class Helpers {
public:
  /// All names at the top of the file differ from those given.
  explicit Helpers(const llvm::StringSet<> &taken) : taken(taken) {}

  /// Requests a type; returns its name.
  std::string getType(const CType &type);
  /// Requests a function that \p define writes the definition of, given its
  /// name, if there is none of that name yet. Returns its name.
  std::string get(const std::string &name,
                  llvm::function_ref<std::string(const std::string &)> define);
  /// Requests one of the functions for numbers of other types, by its name:
  /// "f32_from_f16".
  std::string getFixed(llvm::StringRef name);

  /// A function of lanes, called with vectors. \p lane is the expression of one
  /// lane, \p native that of all of them with vectors of the compiler, if any;
  /// parameters are a, b, c.
  std::string
  getLanewise(const std::string &name, const CType &result,
              llvm::ArrayRef<CType> parameters,
              llvm::function_ref<std::string(llvm::ArrayRef<std::string>)> lane,
              const std::string &native = "");
  /// A lane of a vector.
  static std::string getLane(const CType &type, const llvm::Twine &vector,
                             const llvm::Twine &lane);
  /// A vector of lanes.
  std::string make(const CType &type, llvm::ArrayRef<std::string> lanes);
  /// A vector of equal lanes.
  std::string splat(const CType &type, const std::string &lane);
  /// Loads and stores of a scalar or a vector.
  std::string getLoad(const CType &type, uint64_t alignment);
  std::string getStore(const CType &type, uint64_t alignment);
  /// A function for a * b + c that may be rounded twice, with more bits than
  /// those of the type at first. \p type is of f32 or f64.
  std::string getNearFma(const CType &type);
  /// A function on integers of more than 64 bits.
  std::string getWide(llvm::StringRef operation, const CType &type);

  std::string getText() const { return types + functions; }

private:
  const llvm::StringSet<> &taken;
  llvm::StringMap<std::string> known;
  std::string types, functions;
};

/// The text before helpers.
std::string getPrologue(const PrintCOptions &options);

/// Thrown within the printer, and caught by printC.
struct Unsupported {
  std::string reason;
};

/// Writes one function.
class FunctionPrinter {
public:
  FunctionPrinter(const llvm::Function &function, Helpers &helpers,
                  const llvm::StringMap<std::string> &globals,
                  const PrintCOptions &options)
      : function(function), helpers(helpers), globals(globals),
        options(options), layout(function.getDataLayout()) {}

  /// "static void name(..)".
  std::string getDeclaration();
  std::string print();

private:
  // FunctionPrinter.cpp
  void findNames();
  void findInlined();
  std::string makeName(std::string wanted);
  void printBlock(const llvm::BasicBlock &block, const llvm::BasicBlock *next);
  void printEdge(const llvm::BasicBlock &from, const llvm::BasicBlock &to,
                 const llvm::BasicBlock *next, const std::string &indent);
  void printTerminator(const llvm::Instruction &end,
                       const llvm::BasicBlock *next);
  std::string getLabel(const llvm::BasicBlock &block);
  void line(const std::string &text) { body += "    " + text + "\n"; }
  /// Begins an assignment to the variable of a value: "v1 = ", or its
  /// declaration if no other block uses it.
  std::string assign(const llvm::Instruction &instruction,
                     bool isConstant = true);

  // Values.cpp
  CType getType(const llvm::Type *type) const;
  CType getType(const llvm::Value *value);
  unsigned getMaskBits(const llvm::Value *value, unsigned depth = 0);
  std::string getConstant(const llvm::Constant *constant, const CType &type);
  std::string getScalar(const llvm::Constant *constant, const CType &type);
  std::string getOffset(const llvm::GEPOperator &gep);
  /// An operand; a mask as one of another width if one is given.
  CValue get(const llvm::Value *value);
  CValue getAs(const llvm::Value *value, const CType &type);
  std::string toMask(const CValue &value, const CType &type);

  // Instructions.cpp
  void printInstruction(const llvm::Instruction &instruction);
  std::string getExpression(const llvm::Instruction &instruction);
  std::string getBinary(const llvm::BinaryOperator &operation);
  std::string getIntCompare(const llvm::ICmpInst &compare);
  std::string getFloatCompare(const llvm::FCmpInst &compare);
  std::string getCast(const llvm::CastInst &cast);
  std::string getBitcast(const llvm::CastInst &cast);
  std::string getSelect(const llvm::SelectInst &select);
  std::string getShuffle(const llvm::ShuffleVectorInst &shuffle);
  std::string getAddresses(const llvm::GetElementPtrInst &gep);

  // Intrinsics.cpp
  void printCall(const llvm::CallInst &call);
  std::string getCall(const llvm::CallInst &call);
  std::string getIntrinsic(const llvm::IntrinsicInst &call);
  std::string getReduction(const llvm::IntrinsicInst &call);
  std::string getMasked(const llvm::IntrinsicInst &call);

  /// Applies an operation to scalars, or to vectors by a function of its own.
  std::string
  apply(const std::string &name, const CType &result,
        llvm::ArrayRef<CValue> operands,
        llvm::function_ref<std::string(llvm::ArrayRef<std::string>)> lane,
        const std::string &native = "");
  /// The same for numbers, those without a type in C computed as f32.
  std::string
  applyFloat(const std::string &name, const CType &result,
             llvm::ArrayRef<CValue> operands,
             llvm::function_ref<std::string(llvm::ArrayRef<std::string>)> lane,
             const std::string &native = "");

  const llvm::Function &function;
  Helpers &helpers;
  const llvm::StringMap<std::string> &globals;
  const PrintCOptions &options;
  const llvm::DataLayout &layout;
  llvm::DenseMap<const llvm::Value *, std::string> names;
  llvm::DenseMap<const llvm::Value *, unsigned> maskBits;
  llvm::DenseSet<const llvm::Value *> inlined;
  llvm::DenseMap<const llvm::BasicBlock *, std::string> labels;
  llvm::StringSet<> targets, taken;
  std::string body;
  /// Variables that several blocks use, by type.
  std::map<std::string, std::vector<std::string>> locals;
};

/// Whether it only makes a vector of equal lanes, and is written as a part of
/// that.
bool isPartOfSplat(const llvm::InsertElementInst &insert);
/// The lane of a mask that a condition gives; of other types, the condition.
std::string toLane(const std::string &condition, const CType &mask);
/// An integer as a constant.
std::string getNumber(uint64_t value, unsigned bits);
/// The expression as an unsigned integer of the type, whose upper bits count
/// not.
std::string wrap(const std::string &text, const CType &type);
/// The integer as one of C's signed types.
std::string toSigned(const std::string &text, const CType &type);

} // namespace mlir::tg::c

#endif // TINYGRAD_LIB_TARGET_C_PRINTER_H
