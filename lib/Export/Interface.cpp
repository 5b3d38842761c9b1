//===- Interface.cpp - the functions that a library exports ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Makes the functions that programs call. They run on any processor of the
/// architecture, check every pointer and size, and only then call code that
/// needs more.
///
//===----------------------------------------------------------------------===//

#include "Interface.h"
#include "TinyGrad/Conversion/HostToLLVM/HostToLLVM.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstring>

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::detail;

StateLayout
tinygrad::detail::getStateLayout(const std::vector<LibraryTensor> &state) {
  StateLayout layout;
  for (const LibraryTensor &tensor : state) {
    layout.offsets.push_back(layout.bytes);
    // An empty array is no member of a struct in C; it has one element.
    layout.bytes += llvm::alignTo(std::max<std::size_t>(tensor.bytes, 1),
                                  tg::kBufferAlignment);
  }
  return layout;
}

namespace {
/// Memory that a function is given.
struct MemoryRegion {
  Value begin;
  std::size_t bytes = 0;
  std::size_t alignment = 1;
  /// It must not overlap any other memory.
  bool isOwn = false;
  /// It has as many bytes as these elements, not `bytes`.
  std::optional<tg::Dim> elements = std::nullopt;
  std::size_t elementBytes = 1;
};

/// Writes one exported function.
class FunctionBuilder {
public:
  FunctionBuilder(ModuleOp module, const Library &library,
                  const LibraryEntry &entry, ArrayRef<LibraryVariant> variants,
                  LLVM::LLVMFuncOp processorCheck)
      : module(module), library(library), entry(entry), variants(variants),
        processorCheck(processorCheck),
        b(ImplicitLocOpBuilder::atBlockEnd(module.getLoc(), module.getBody())),
        pointer(LLVM::LLVMPointerType::get(module.getContext())),
        i32(b.getI32Type()), i64(b.getI64Type()) {}

  void build();

private:
  void createFunction();
  void takeArguments();
  void check(Value isWrong, LibraryStatus status);
  void checkRegions();
  void callVariant(const LibraryVariant &variant);
  Value number(int64_t value) {
    return LLVM::ConstantOp::create(b, i64, b.getI64IntegerAttr(value));
  }
  Value status(LibraryStatus value) {
    return LLVM::ConstantOp::create(
        b, i32, b.getI32IntegerAttr(static_cast<int32_t>(value)));
  }
  Value addBytes(Value base, std::size_t bytes) {
    return LLVM::GEPOp::create(
        b, pointer, b.getI8Type(), base,
        ArrayRef<LLVM::GEPArg>{number(static_cast<int64_t>(bytes))});
  }

  ModuleOp module;
  const Library &library;
  const LibraryEntry &entry;
  ArrayRef<LibraryVariant> variants;
  LLVM::LLVMFuncOp processorCheck;
  ImplicitLocOpBuilder b;
  Type pointer, i32, i64;
  LLVM::LLVMFuncOp function;
  /// Returns its argument.
  Block *end = nullptr;
  std::vector<MemoryRegion> regions;
  /// For the variant's function.
  SmallVector<Value> passed;
  /// The sizes that are given, by name.
  llvm::StringMap<Value> variables;
};
} // namespace

void FunctionBuilder::createFunction() {
  SmallVector<Type> types;
  if (entry.hasState())
    types.push_back(pointer);
  for (const LibraryTensor &tensor : entry.arguments)
    if (!tensor.isState)
      types.push_back(pointer);
  types.append(entry.results.size(), pointer);
  types.append(entry.variables.size(), i64);
  if (entry.scratchBytes > 0 && !library.options.staticScratch)
    types.push_back(pointer);
  if (library.options.threads)
    types.push_back(pointer);
  function =
      LLVM::LLVMFuncOp::create(b, library.options.name + "_" + entry.name,
                               LLVM::LLVMFunctionType::get(i32, types));
  Block *begin = function.addEntryBlock(b);
  end = b.createBlock(&function.getBody(), {}, i32, module.getLoc());
  LLVM::ReturnOp::create(b, end->getArgument(0));
  b.setInsertionPointToStart(begin);
}

void FunctionBuilder::takeArguments() {
  ValueRange given = function.getArguments();
  auto take = [&] {
    Value next = given.front();
    given = given.drop_front();
    return next;
  };
  Value state;
  const StateLayout layout = getStateLayout(library.state);
  if (entry.hasState()) {
    state = take();
    const bool isWritten =
        llvm::any_of(entry.arguments, [](const LibraryTensor &tensor) {
          return tensor.isState && tensor.isWritten;
        });
    regions.push_back(
        {state, layout.bytes, tg::kBufferAlignment, /*isOwn=*/isWritten});
  }
  for (const LibraryTensor &tensor : entry.arguments) {
    if (!tensor.isState) {
      passed.push_back(take());
      regions.push_back({passed.back(), tensor.bytes, tensor.alignment,
                         tensor.isWritten, tensor.elements,
                         itemSize(tensor.dtype)});
      continue;
    }
    auto member = llvm::find_if(library.state, [&](const LibraryTensor &other) {
      return other.name == tensor.name;
    });
    passed.push_back(
        addBytes(state, layout.offsets[member - library.state.begin()]));
  }
  for (const LibraryTensor &tensor : entry.results) {
    passed.push_back(take());
    regions.push_back({passed.back(), tensor.bytes, tg::kBufferAlignment,
                       /*isOwn=*/true, tensor.elements,
                       itemSize(tensor.dtype)});
  }
  for (const ProgramVariable &variable : entry.variables) {
    Value size = take();
    passed.push_back(size);
    variables[variable.name] = size;
    Value isBelow = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::slt, size,
                                         number(variable.min));
    Value isAbove = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::sgt, size,
                                         number(variable.max));
    check(LLVM::OrOp::create(b, isBelow, isAbove), LibraryStatus::ErrorSize);
  }
  if (entry.scratchBytes == 0) {
    passed.push_back(LLVM::ZeroOp::create(b, pointer));
  } else if (library.options.staticScratch) {
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), entry.scratchBytes);
    OpBuilder atStart = OpBuilder::atBlockBegin(module.getBody());
    auto memory = LLVM::GlobalOp::create(
        atStart, module.getLoc(), type, /*isConstant=*/false,
        LLVM::Linkage::Internal, entry.name + ".scratch", Attribute(),
        tg::kBufferAlignment);
    {
      OpBuilder::InsertionGuard guard(b);
      b.createBlock(&memory.getInitializerRegion());
      LLVM::ReturnOp::create(b, LLVM::ZeroOp::create(b, type).getResult());
    }
    passed.push_back(LLVM::AddressOfOp::create(b, memory));
  } else {
    passed.push_back(take());
    regions.push_back({passed.back(), entry.scratchBytes, tg::kBufferAlignment,
                       /*isOwn=*/true});
  }
  if (library.options.threads)
    passed.push_back(take());
}

/// Goes on if the condition does not hold, and returns the status otherwise.
void FunctionBuilder::check(Value isWrong, LibraryStatus result) {
  Value code = status(result);
  Block *current = b.getInsertionBlock();
  Block *next = b.createBlock(end);
  b.setInsertionPointToEnd(current);
  LLVM::CondBrOp::create(b, isWrong, end, ValueRange{code}, next, ValueRange());
  b.setInsertionPointToStart(next);
}

void FunctionBuilder::checkRegions() {
  auto any = [&](Value all, Value one) -> Value {
    return all ? LLVM::OrOp::create(b, all, one).getResult() : one;
  };
  Value isNull, isUnaligned, overlaps;
  Value null = LLVM::ZeroOp::create(b, pointer);
  SmallVector<Value> begins;
  for (const MemoryRegion &region : regions) {
    isNull = any(isNull, LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq,
                                              region.begin, null));
    begins.push_back(LLVM::PtrToIntOp::create(b, i64, region.begin));
    if (region.alignment > 1)
      isUnaligned =
          any(isUnaligned,
              LLVM::ICmpOp::create(
                  b, LLVM::ICmpPredicate::ne,
                  LLVM::AndOp::create(
                      b, begins.back(),
                      number(static_cast<int64_t>(region.alignment) - 1)),
                  number(0)));
  }
  if (isNull)
    check(isNull, LibraryStatus::ErrorNull);
  if (isUnaligned)
    check(isUnaligned, LibraryStatus::ErrorAlignment);
  auto endOf = [&](size_t i) -> Value {
    const MemoryRegion &region = regions[i];
    Value bytes = number(static_cast<int64_t>(region.bytes));
    if (region.elements)
      bytes = tg::createDimInLLVM(
          b, b.getLoc(),
          *region.elements * tg::Dim(b.getContext(),
                                     static_cast<int64_t>(region.elementBytes)),
          [&](tg::VarAttr variable) {
            return variables.at(variable.getName().getValue());
          });
    return LLVM::AddOp::create(b, begins[i], bytes);
  };
  for (size_t i = 0; i < regions.size(); ++i)
    for (size_t j = i + 1; j < regions.size(); ++j) {
      if (!regions[i].isOwn && !regions[j].isOwn)
        continue;
      Value isBefore = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ult,
                                            begins[i], endOf(j));
      Value isBehind = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ult,
                                            begins[j], endOf(i));
      overlaps = any(overlaps, LLVM::AndOp::create(b, isBefore, isBehind));
    }
  if (overlaps)
    check(overlaps, LibraryStatus::ErrorOverlap);
}

void FunctionBuilder::callVariant(const LibraryVariant &variant) {
  const std::string name = variant.prefix + entry.name;
  auto callee = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (!callee) {
    OpBuilder atEnd = OpBuilder::atBlockEnd(module.getBody());
    SmallVector<Type> types;
    for (Value value : passed)
      types.push_back(value.getType());
    callee = LLVM::LLVMFuncOp::create(
        atEnd, module.getLoc(), name,
        LLVM::LLVMFunctionType::get(
            LLVM::LLVMVoidType::get(module.getContext()), types));
    callee.setVisibility_(LLVM::Visibility::Hidden);
    callee.setDsoLocal(true);
  }
  LLVM::CallOp::create(b, callee, passed);
  LLVM::BrOp::create(b, ValueRange{status(LibraryStatus::Ok)}, end);
}

void FunctionBuilder::build() {
  createFunction();
  takeArguments();
  checkRegions();
  if (!processorCheck) {
    callVariant(variants.front());
    return;
  }
  Value found =
      LLVM::CallOp::create(b, processorCheck, ValueRange()).getResult();
  for (auto [i, variant] : llvm::enumerate(variants)) {
    Value isThis = LLVM::ICmpOp::create(
        b, LLVM::ICmpPredicate::eq, found,
        LLVM::ConstantOp::create(
            b, i32, b.getI32IntegerAttr(static_cast<int32_t>(i) + 1)));
    Block *current = b.getInsertionBlock();
    Block *call = b.createBlock(end);
    Block *next = b.createBlock(end);
    b.setInsertionPointToEnd(current);
    LLVM::CondBrOp::create(b, isThis, call, next);
    b.setInsertionPointToStart(call);
    callVariant(variant);
    b.setInsertionPointToStart(next);
  }
  LLVM::BrOp::create(b, ValueRange{status(LibraryStatus::ErrorProcessor)}, end);
}

/// int NAME_supported(void): whether this processor can run the library.
static void addSupported(ModuleOp module, const Library &library,
                         LLVM::LLVMFuncOp processorCheck) {
  auto b = ImplicitLocOpBuilder::atBlockEnd(module.getLoc(), module.getBody());
  Type i32 = b.getI32Type();
  auto function = LLVM::LLVMFuncOp::create(
      b, library.options.name + "_supported",
      LLVM::LLVMFunctionType::get(i32, ArrayRef<Type>()));
  b.setInsertionPointToStart(function.addEntryBlock(b));
  auto number = [&](int32_t value) -> Value {
    return LLVM::ConstantOp::create(b, i32, b.getI32IntegerAttr(value));
  };
  Value result = number(0);
  if (processorCheck) {
    Value found =
        LLVM::CallOp::create(b, processorCheck, ValueRange()).getResult();
    Value isNone =
        LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::slt, found, number(0));
    result = LLVM::SelectOp::create(
        b, isNone, number(static_cast<int32_t>(LibraryStatus::ErrorProcessor)),
        result);
  }
  LLVM::ReturnOp::create(b, result);
}

/// const char *NAME_message(int status). The texts have places of one size, so
/// that no address is stored, which a shared library would have to relocate.
static void addMessage(ModuleOp module, const Library &library) {
  const ArrayRef<StatusText> all = getStatusTexts(library);
  std::size_t place = std::strlen(kNoStatus) + 1;
  for (const StatusText &status : all)
    place = std::max(place, std::strlen(status.meaning) + 1);
  std::string texts;
  auto add = [&](const char *text) {
    texts += text;
    texts.resize(llvm::alignTo(texts.size() + 1, place), '\0');
  };
  for (const StatusText &status : all)
    add(status.meaning);
  add(kNoStatus);

  auto b = ImplicitLocOpBuilder::atBlockEnd(module.getLoc(), module.getBody());
  const Type pointer = LLVM::LLVMPointerType::get(module.getContext()),
             i8 = b.getI8Type(), i32 = b.getI32Type(), i64 = b.getI64Type();
  auto memory = LLVM::GlobalOp::create(
      b, LLVM::LLVMArrayType::get(i8, texts.size()), /*isConstant=*/true,
      LLVM::Linkage::Internal, library.options.name + ".messages",
      b.getStringAttr(texts), /*alignment=*/1);
  auto function = LLVM::LLVMFuncOp::create(
      b, library.options.name + "_message",
      LLVM::LLVMFunctionType::get(pointer, ArrayRef<Type>{i32}));
  b.setInsertionPointToStart(function.addEntryBlock(b));
  auto number = [&](Type type, std::size_t value) -> Value {
    return LLVM::ConstantOp::create(
        b, type, b.getIntegerAttr(type, static_cast<int64_t>(value)));
  };
  // A negative number is a large one, and has the last text, too.
  const Value index =
      LLVM::UMinOp::create(b, function.getArgument(0), number(i32, all.size()));
  const Value offset = LLVM::MulOp::create(
      b, LLVM::ZExtOp::create(b, i64, index), number(i64, place));
  LLVM::ReturnOp::create(
      b,
      LLVM::GEPOp::create(b, pointer, i8, LLVM::AddressOfOp::create(b, memory),
                          ArrayRef<LLVM::GEPArg>{offset})
          .getResult());
}

void tinygrad::detail::addInterface(ModuleOp module, const Library &library,
                                    ArrayRef<LibraryVariant> variants) {
  LLVM::LLVMFuncOp processorCheck;
  if (llvm::any_of(variants, [](const LibraryVariant &variant) {
        return !runsAnywhere(variant);
      }))
    processorCheck = addProcessorCheck(
        module, library.options.name + ".processor", variants);
  addSupported(module, library, processorCheck);
  // In C, makeSource writes it.
  if (!library.options.source)
    addMessage(module, library);
  for (const LibraryEntry &entry : library.entries)
    FunctionBuilder(module, library, entry, variants, processorCheck).build();
  if (library.options.stateFiles)
    addStateFunctions(module, library);
}
