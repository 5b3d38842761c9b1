//===- StateFunctions.cpp - states of libraries in files ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// NAME_load and NAME_save give the functions of StateFile.c a description of
/// the state. The order of a file is that of the reference implementation: by
/// the size of elements, largest first, then by name.
///
//===----------------------------------------------------------------------===//

#include "Interface.h"
#include "StateFile.h"
#include "TinyGrad/Runtime/Error.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::detail;

// Made by the build.
extern const unsigned char kStateFileBitcode[];
extern const unsigned long kStateFileBitcodeSize;

ArrayRef<char> tinygrad::detail::getStateBitcode() {
  return {reinterpret_cast<const char *>(kStateFileBitcode),
          kStateFileBitcodeSize};
}

/// The name of a type in the format.
static StringRef getFileType(DType dtype) {
  switch (dtype) {
  case DType::Bool:
    return "BOOL";
  case DType::UInt8:
    return "U8";
  case DType::Int8:
    return "I8";
  case DType::Float8E5M2:
    return "F8_E5M2";
  case DType::Float8E4M3:
    return "F8_E4M3";
  case DType::Float8E4M3FNUZ:
    return "F8_E4M3FNUZ";
  case DType::Float8E5M2FNUZ:
    return "F8_E5M2FNUZ";
  case DType::Int16:
    return "I16";
  case DType::UInt16:
    return "U16";
  case DType::Float16:
    return "F16";
  case DType::BFloat16:
    return "BF16";
  case DType::Int32:
    return "I32";
  case DType::UInt32:
    return "U32";
  case DType::Float32:
    return "F32";
  case DType::Float64:
    return "F64";
  case DType::Int64:
    return "I64";
  case DType::UInt64:
    return "U64";
  }
  llvm_unreachable("unknown DType");
}

std::vector<std::size_t>
tinygrad::detail::getStateFileOrder(const std::vector<LibraryTensor> &state) {
  std::vector<std::size_t> order(state.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  llvm::sort(order, [&](std::size_t a, std::size_t b) {
    const std::size_t sizes[] = {itemSize(state[a].dtype),
                                 itemSize(state[b].dtype)};
    return sizes[0] != sizes[1] ? sizes[0] > sizes[1]
                                : state[a].name < state[b].name;
  });
  return order;
}

std::string
tinygrad::detail::makeStateHeader(const std::vector<LibraryTensor> &state) {
  std::string json;
  llvm::raw_string_ostream os(json);
  std::size_t begin = 0;
  os << "{";
  for (std::size_t i : getStateFileOrder(state)) {
    const LibraryTensor &tensor = state[i];
    os << (begin == 0 && json.size() == 1 ? "" : ",") << "\"" << tensor.name
       << "\":{\"dtype\":\"" << getFileType(tensor.dtype) << "\",\"shape\":[";
    llvm::interleave(tensor.largestShape, os, ",");
    os << "],\"data_offsets\":[" << begin << "," << begin + tensor.bytes
       << "]}";
    begin += tensor.bytes;
  }
  os << "}";
  json.resize(llvm::alignTo(json.size(), 8), ' ');
  std::string header(8, '\0');
  llvm::support::endian::write64le(header.data(), json.size());
  return header + json;
}

void tinygrad::addStateFile(
    Library &library, const std::map<std::string, std::vector<char>> &values) {
  std::string file = makeStateHeader(library.state);
  for (std::size_t i : getStateFileOrder(library.state)) {
    const LibraryTensor &tensor = library.state[i];
    auto value = values.find(tensor.name);
    if (value == values.end() || value->second.size() != tensor.bytes)
      throw CompileError("the member '" + tensor.name +
                         "' of the state has no value for a file");
    file.append(value->second.begin(), value->second.end());
  }
  library.stateFile = std::move(file);
}

namespace {
/// Writes both functions.
class StateFunctionBuilder {
public:
  StateFunctionBuilder(ModuleOp module, const Library &library)
      : module(module), library(library),
        b(ImplicitLocOpBuilder::atBlockEnd(module.getLoc(), module.getBody())),
        pointer(LLVM::LLVMPointerType::get(module.getContext())),
        i32(b.getI32Type()), i64(b.getI64Type()) {}

  void build();

private:
  Value number(int64_t value) {
    return LLVM::ConstantOp::create(b, i64, b.getI64IntegerAttr(value));
  }
  LLVM::GlobalOp addConstant(StringRef name, Type type, Attribute value) {
    return LLVM::GlobalOp::create(
        b, type, /*isConstant=*/true, LLVM::Linkage::Internal,
        (library.options.name + "." + name).str(), value, /*alignment=*/8);
  }
  LLVM::GlobalOp addText(StringRef name, StringRef text) {
    return addConstant(name,
                       LLVM::LLVMArrayType::get(b.getI8Type(), text.size()),
                       b.getStringAttr(text));
  }
  void describe();
  Value createFile();
  /// Adds NAME_what, which passes its arguments, the file and, if there is
  /// room for them, numbers to a function of the bitcode.
  void addFunction(StringRef what, StringRef callee, ArrayRef<Type> types,
                   bool hasPlaces);

  ModuleOp module;
  const Library &library;
  ImplicitLocOpBuilder b;
  Type pointer, i32, i64;
  LLVM::GlobalOp members, text, header;
  int64_t headerBytes = 0, dataBytes = 0;
};
} // namespace

void StateFunctionBuilder::describe() {
  const StateLayout layout = getStateLayout(library.state);
  const std::size_t count = library.state.size();
  std::vector<int64_t> numbers(count * kStateFileFields), sizes;
  std::string names;
  int64_t *member = numbers.data();
  for (std::size_t i : getStateFileOrder(library.state)) {
    const LibraryTensor &tensor = library.state[i];
    const StringRef type = getFileType(tensor.dtype);
    auto sizeOf = [](auto &&list) { return static_cast<int64_t>(list.size()); };
    member[kStateFileName] = sizeOf(names);
    member[kStateFileNameLength] = sizeOf(tensor.name);
    names += tensor.name;
    member[kStateFileDType] = sizeOf(names);
    member[kStateFileDTypeLength] = sizeOf(type);
    names += type;
    member[kStateFileSizes] = sizeOf(numbers) + sizeOf(sizes);
    member[kStateFileRank] = sizeOf(tensor.largestShape);
    llvm::append_range(sizes, tensor.largestShape);
    member[kStateFilePlace] = static_cast<int64_t>(layout.offsets[i]);
    member[kStateFileBytes] = static_cast<int64_t>(tensor.bytes);
    member[kStateFileIsBool] = tensor.dtype == DType::Bool;
    dataBytes += static_cast<int64_t>(tensor.bytes);
    member += kStateFileFields;
  }
  llvm::append_range(numbers, sizes);
  const std::string beginning = makeStateHeader(library.state);
  headerBytes = static_cast<int64_t>(beginning.size());
  members =
      addConstant("members", LLVM::LLVMArrayType::get(i64, numbers.size()),
                  b.getI64TensorAttr(numbers));
  text = addText("names", names);
  header = addText("header", beginning);
}

/// A StateFile on the stack.
Value StateFunctionBuilder::createFile() {
  const Value fields[] = {
      LLVM::AddressOfOp::create(b, members),
      number(static_cast<int64_t>(library.state.size())),
      LLVM::AddressOfOp::create(b, text),
      LLVM::AddressOfOp::create(b, header),
      number(headerBytes),
      number(dataBytes),
      number(static_cast<int64_t>(getStateLayout(library.state).bytes)),
      number(static_cast<int64_t>(tg::kBufferAlignment))};
  SmallVector<Type> types;
  for (Value field : fields)
    types.push_back(field.getType());
  auto type = LLVM::LLVMStructType::getLiteral(b.getContext(), types);
  Value file = LLVM::AllocaOp::create(b, pointer, type, number(1));
  for (auto [i, field] : llvm::enumerate(fields))
    LLVM::StoreOp::create(b, field,
                          LLVM::GEPOp::create(b, pointer, type, file,
                                              ArrayRef<LLVM::GEPArg>{
                                                  0, static_cast<int32_t>(i)}));
  return file;
}

void StateFunctionBuilder::addFunction(StringRef what, StringRef callee,
                                       ArrayRef<Type> types, bool hasPlaces) {
  SmallVector<Type> passed(types);
  passed.push_back(pointer);
  if (hasPlaces)
    passed.push_back(pointer);
  b.setInsertionPointToEnd(module.getBody());
  auto external = LLVM::LLVMFuncOp::create(
      b, callee, LLVM::LLVMFunctionType::get(i32, passed));
  auto function =
      LLVM::LLVMFuncOp::create(b, (library.options.name + "_" + what).str(),
                               LLVM::LLVMFunctionType::get(i32, types));
  b.setInsertionPointToStart(function.addEntryBlock(b));
  SmallVector<Value> arguments(function.getArguments());
  arguments.push_back(createFile());
  if (hasPlaces)
    arguments.push_back(LLVM::AllocaOp::create(
        b, pointer, i64, number(static_cast<int64_t>(library.state.size()))));
  LLVM::ReturnOp::create(
      b, LLVM::CallOp::create(b, external, arguments).getResult());
}

void StateFunctionBuilder::build() {
  describe();
  addFunction("load", "tgStateLoad", {pointer, pointer, i64},
              /*hasPlaces=*/true);
  addFunction("save", "tgStateSave", {pointer, pointer, i64, pointer},
              /*hasPlaces=*/false);
}

void tinygrad::detail::addStateFunctions(ModuleOp module,
                                         const Library &library) {
  StateFunctionBuilder(module, library).build();
}
