//===- FunctionPrinter.cpp - functions in C -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Blocks are labels, values are variables, and edges assign to the variables
/// of the block that they lead to. Integers and addresses with a single use are
/// written where they are used.
///
//===----------------------------------------------------------------------===//

#include "Printer.h"
#include "llvm/IR/CFG.h"

using namespace mlir::tg;
using namespace mlir::tg::c;

/// How many instructions an expression may consist of.
static constexpr unsigned kLongestExpression = 5;

std::string FunctionPrinter::makeName(std::string wanted) {
  for (char &c : wanted)
    if (!llvm::isAlnum(c))
      c = '_';
  while (!taken.insert(wanted).second)
    wanted += "_";
  return wanted;
}

/// "char *p" and "float x".
static std::string declare(const std::string &type, const std::string &name) {
  return type + (llvm::StringRef(type).ends_with("*") ? "" : " ") + name;
}

void FunctionPrinter::findNames() {
  for (const auto &entry : globals)
    taken.insert(entry.second);
  llvm::ArrayRef<std::string> wanted;
  const auto declaration = options.declarations.find(function.getName());
  const bool isDeclared = declaration != options.declarations.end();
  if (isDeclared)
    wanted = declaration->second.parameters;
  else if (auto known = options.parameters.find(function.getName());
           known != options.parameters.end())
    wanted = known->second;
  if (isDeclared)
    for (const std::string &name : wanted)
      taken.insert(name);
  for (const llvm::Argument &argument : function.args()) {
    const unsigned i = argument.getArgNo();
    const std::string name =
        i < wanted.size() ? wanted[i] : "a" + std::to_string(i);
    names[&argument] = makeName(isDeclared ? name + "_" : name);
  }
  unsigned number = 0;
  for (const llvm::BasicBlock &block : function)
    for (const llvm::Instruction &instruction : block)
      if (!instruction.getType()->isVoidTy() && !inlined.contains(&instruction))
        names[&instruction] = makeName("v" + std::to_string(number++));
  number = 0;
  for (const llvm::BasicBlock &block : function)
    labels[&block] = makeName("block" + std::to_string(number++));
}

/// Whether the instruction can be evaluated where its value is used, a little
/// later: it reads no memory, and C rounds nothing within an expression.
static bool canMove(const llvm::Instruction &instruction) {
  const llvm::Type *type = instruction.getType();
  if (!type->isIntegerTy() && !type->isPointerTy())
    return false;
  if (type->isIntegerTy() && type->getIntegerBitWidth() > 64)
    return false;
  switch (instruction.getOpcode()) {
  case llvm::Instruction::UDiv:
  case llvm::Instruction::SDiv:
  case llvm::Instruction::URem:
  case llvm::Instruction::SRem:
    return false;
  case llvm::Instruction::GetElementPtr:
  case llvm::Instruction::ICmp:
  case llvm::Instruction::FCmp:
  case llvm::Instruction::ZExt:
  case llvm::Instruction::SExt:
  case llvm::Instruction::Trunc:
  case llvm::Instruction::PtrToInt:
    return true;
  default:
    return llvm::isa<llvm::BinaryOperator>(instruction);
  }
}

void FunctionPrinter::findInlined() {
  llvm::DenseMap<const llvm::Value *, unsigned> lengths;
  for (const llvm::BasicBlock &block : function)
    for (const llvm::Instruction &instruction : block) {
      unsigned length = 1;
      for (const llvm::Value *operand : instruction.operands())
        if (inlined.contains(operand))
          length += lengths.lookup(operand);
      lengths[&instruction] = length;
      if (!canMove(instruction) || !instruction.hasOneUse() ||
          length > kLongestExpression)
        continue;
      const auto *user =
          llvm::cast<llvm::Instruction>(*instruction.user_begin());
      // Vectors take an operand once for each lane, and calls may be functions
      // that are written more than once.
      if (user->getParent() == &block &&
          !llvm::isa<llvm::PHINode, llvm::SelectInst>(user) &&
          !user->getType()->isVectorTy() &&
          (canMove(*user) ||
           llvm::isa<llvm::LoadInst, llvm::StoreInst, llvm::BranchInst>(user)))
        inlined.insert(&instruction);
    }
}

std::string FunctionPrinter::getDeclaration() {
  if (auto declared = options.declarations.find(function.getName());
      declared != options.declarations.end())
    return declared->second.text;
  llvm::ArrayRef<std::string> wanted;
  if (auto known = options.parameters.find(function.getName());
      known != options.parameters.end())
    wanted = known->second;
  std::string text = "static " +
                     declare(helpers.getType(getType(function.getReturnType())),
                             globals.lookup(function.getName())) +
                     "(";
  for (const llvm::Argument &argument : function.args()) {
    const unsigned i = argument.getArgNo();
    text += (i ? ", " : "") +
            declare(helpers.getType(getType(&argument)),
                    i < wanted.size() ? wanted[i] : "a" + std::to_string(i));
  }
  return text + (function.arg_empty() ? "void)" : ")");
}

std::string FunctionPrinter::getLabel(const llvm::BasicBlock &block) {
  targets.insert(labels.lookup(&block));
  return labels.lookup(&block);
}

/// The assignments of an edge, and a jump unless the block is the next one.
void FunctionPrinter::printEdge(const llvm::BasicBlock &from,
                                const llvm::BasicBlock &to,
                                const llvm::BasicBlock *next,
                                const std::string &indent) {
  // All are assigned at once: a value that an earlier assignment overwrites is
  // kept before.
  llvm::SmallVector<std::pair<std::string, std::string>> assignments;
  llvm::SmallPtrSet<const llvm::Value *, 8> overwritten;
  std::string kept;
  for (const llvm::PHINode &phi : to.phis()) {
    if (phi.use_empty())
      continue;
    const llvm::Value *incoming = phi.getIncomingValueForBlock(&from);
    const CType type = getType(&phi);
    if (incoming != &phi && !llvm::isa<llvm::UndefValue>(incoming)) {
      CValue value = getAs(incoming, type);
      if (overwritten.contains(incoming)) {
        const std::string before =
            "before" + std::to_string(assignments.size());
        kept += indent + "  const " + declare(helpers.getType(type), before) +
                " = " + value.text + ";\n";
        value.text = before;
      }
      assignments.emplace_back(names.lookup(&phi), value.text);
    } else if (llvm::isa<llvm::UndefValue>(incoming)) {
      assignments.emplace_back(
          names.lookup(&phi),
          getConstant(llvm::cast<llvm::Constant>(incoming), type));
    }
    overwritten.insert(&phi);
  }
  if (!kept.empty())
    body += indent + "{\n" + kept;
  for (const auto &[name, value] : assignments)
    body += indent + (kept.empty() ? "" : "  ") + name + " = " + value + ";\n";
  if (!kept.empty())
    body += indent + "}\n";
  if (&to != next)
    body += indent + "goto " + getLabel(to) + ";\n";
}

void FunctionPrinter::printTerminator(const llvm::Instruction &end,
                                      const llvm::BasicBlock *next) {
  const llvm::BasicBlock &block = *end.getParent();
  if (const auto *jump = llvm::dyn_cast<llvm::ReturnInst>(&end)) {
    const llvm::Value *value = jump->getReturnValue();
    // Functions of the header return statuses.
    const bool isStatus =
        value && options.declarations.contains(function.getName());
    line(!value     ? "return;"
         : isStatus ? "return (int)" + get(value).text + ";"
                    : "return " + get(value).text + ";");
    return;
  }
  if (const auto *jump = llvm::dyn_cast<llvm::BranchInst>(&end)) {
    if (jump->isUnconditional()) {
      printEdge(block, *jump->getSuccessor(0), next, "    ");
      return;
    }
    // The block that follows is not jumped to.
    const bool isNegated = jump->getSuccessor(0) == next;
    std::string condition = get(jump->getCondition()).text;
    if (llvm::StringRef(condition).front() != '(')
      condition = "(" + condition + ")";
    line("if " + (isNegated ? "(!" + condition + ")" : condition) + " {");
    printEdge(block, *jump->getSuccessor(isNegated ? 1 : 0), nullptr, "      ");
    line("}");
    printEdge(block, *jump->getSuccessor(isNegated ? 0 : 1), next, "    ");
    return;
  }
  if (const auto *jump = llvm::dyn_cast<llvm::SwitchInst>(&end)) {
    const CType type = getType(jump->getCondition());
    if (!type.isInt())
      throw Unsupported{"a switch of integers of more than 64 bits"};
    line("switch (" + get(jump->getCondition()).text + ") {");
    for (const auto &one : jump->cases()) {
      line("case " + getNumber(one.getCaseValue()->getZExtValue(), type.bits) +
           ":");
      printEdge(block, *one.getCaseSuccessor(), nullptr, "      ");
    }
    line("default:");
    printEdge(block, *jump->getDefaultDest(), nullptr, "      ");
    line("}");
    return;
  }
  if (llvm::isa<llvm::UnreachableInst>(end)) {
    // Nothing comes here. A jump to the block itself returns no value.
    line("goto " + getLabel(block) + ";");
    return;
  }
  throw Unsupported{std::string("the instruction '") + end.getOpcodeName() +
                    "'"};
}

std::string FunctionPrinter::assign(const llvm::Instruction &instruction,
                                    bool isConstant) {
  const std::string name = names.lookup(&instruction),
                    type = helpers.getType(getType(&instruction));
  const bool isLocal =
      !llvm::isa<llvm::PHINode>(instruction) &&
      llvm::all_of(instruction.uses(), [&](const llvm::Use &use) {
        const auto *user = llvm::cast<llvm::Instruction>(use.getUser());
        if (const auto *phi = llvm::dyn_cast<llvm::PHINode>(user))
          return phi->getIncomingBlock(use) == instruction.getParent();
        if (const auto *insert = llvm::dyn_cast<llvm::InsertElementInst>(user);
            insert && isPartOfSplat(*insert))
          return llvm::all_of(insert->users(), [&](const llvm::User *splat) {
            return llvm::cast<llvm::Instruction>(splat)->getParent() ==
                   instruction.getParent();
          });
        return user->getParent() == instruction.getParent();
      });
  if (isLocal)
    return (isConstant && !llvm::StringRef(type).ends_with("*") ? "const "
                                                                : "") +
           declare(type, name) + " = ";
  locals[type].push_back(name);
  return name + " = ";
}

void FunctionPrinter::printBlock(const llvm::BasicBlock &block,
                                 const llvm::BasicBlock *next) {
  for (const llvm::Instruction &instruction : block)
    if (instruction.isTerminator())
      printTerminator(instruction, next);
    else if (!inlined.contains(&instruction))
      printInstruction(instruction);
}

std::string FunctionPrinter::print() {
  for (const llvm::BasicBlock &block : function)
    for (const llvm::Instruction &instruction : block)
      if (instruction.getType()->isVectorTy() &&
          instruction.getType()->getScalarType()->isIntegerTy(1))
        getMaskBits(&instruction);
  findInlined();
  findNames();
  std::vector<std::pair<const llvm::BasicBlock *, std::string>> blocks;
  for (const llvm::BasicBlock &block : function) {
    body.clear();
    const llvm::BasicBlock *next = block.getNextNode();
    printBlock(block, next);
    blocks.emplace_back(&block, std::move(body));
  }
  std::string text = getDeclaration() + " {\n";
  // The parameters of the header as addresses and numbers.
  if (auto declared = options.declarations.find(function.getName());
      declared != options.declarations.end())
    for (const llvm::Argument &argument : function.args()) {
      const CType type = getType(&argument);
      const std::string given =
          declared->second.parameters[argument.getArgNo()];
      text += (type.kind == CType::Kind::Pointer ? "  " : "  const ") +
              declare(helpers.getType(type), names.lookup(&argument)) + " = ";
      text += "(" + helpers.getType(type) + ")" + given + ";\n";
    }
  for (const auto &[type, list] : locals)
    for (size_t i = 0; i < list.size(); i += 8) {
      text += "  " + type + (llvm::StringRef(type).ends_with("*") ? "" : " ");
      for (size_t j = i; j < std::min(i + 8, list.size()); ++j)
        text += (j == i                                 ? ""
                 : llvm::StringRef(type).ends_with("*") ? ", *"
                                                        : ", ") +
                list[j];
      text += ";\n";
    }
  for (const llvm::Argument &argument : function.args())
    if (argument.use_empty())
      text += "  (void)" + names.lookup(&argument) + ";\n";
  for (const auto &[block, content] : blocks) {
    const std::string label = labels.lookup(block);
    // The variables of a block are its own.
    if (targets.contains(label))
      text += label + ":\n";
    text += "  {\n" + content + "  }\n";
  }
  return text + "}\n";
}
