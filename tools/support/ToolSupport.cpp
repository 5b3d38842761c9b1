//===- ToolSupport.cpp - code shared by the tools -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads modules and array files, and generates inputs.
///
//===----------------------------------------------------------------------===//

#include "support/ToolSupport.h"

#include "TinyGrad/Compiler/Compiler.h"
#include "TinyGrad/Dialect/Tg/IR/TgVariables.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Runtime/Npy.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::tg;
using tinygrad::DType;

void mlir::tg::installOutOfMemoryHandler() {
  llvm::install_bad_alloc_error_handler([](void *, const char *, bool) {
    // No allocation is possible here.
    static constexpr char text[] = "error: out of memory\n";
    (void)!::write(STDERR_FILENO, text, sizeof(text) - 1);
    std::_Exit(1);
  });
}

LogicalResult mlir::tg::reportError(const Twine &message) {
  llvm::WithColor::error(llvm::errs()) << message << '\n';
  return failure();
}

int mlir::tg::getExitStatus(LogicalResult result) {
  llvm::outs().flush();
  if (std::error_code error = llvm::outs().error()) {
    llvm::outs().clear_error();
    result = reportError("cannot write to standard output: " + error.message());
  }
  return failed(result);
}

std::unique_ptr<llvm::MemoryBuffer> mlir::tg::readInput(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (buffer)
    return std::move(*buffer);
  (void)reportError("cannot read '" + path +
                    "': " + buffer.getError().message());
  return nullptr;
}

OwningOpRef<ModuleOp>
mlir::tg::loadModule(std::unique_ptr<llvm::MemoryBuffer> input,
                     MLIRContext &context, llvm::SourceMgr &sources) {
  sources.AddNewSourceBuffer(std::move(input), llvm::SMLoc());
  return parseSourceFile<ModuleOp>(sources, &context);
}

OwningOpRef<ModuleOp> mlir::tg::loadModule(StringRef path, MLIRContext &context,
                                           llvm::SourceMgr &sources) {
  std::unique_ptr<llvm::MemoryBuffer> input = readInput(path);
  return input ? loadModule(std::move(input), context, sources) : nullptr;
}

OwningOpRef<ModuleOp> mlir::tg::loadModule(StringRef path,
                                           MLIRContext &context) {
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  return loadModule(path, context, sources);
}

tinygrad::Device &mlir::tg::getDevice(StringRef name) {
  return name.empty() ? tinygrad::Device::getDefault()
                      : tinygrad::Device::get(name);
}

FailureOr<func::FuncOp> mlir::tg::findEntry(ModuleOp module, StringRef name) {
  if (auto function = module.lookupSymbol<func::FuncOp>(name)) {
    if (function.isExternal())
      return reportError("function '@" + name + "' has no body");
    return function;
  }
  std::string names;
  for (auto function : module.getOps<func::FuncOp>()) {
    names += names.empty() ? "@" : ", @";
    names += function.getSymName();
  }
  return reportError("there is no function '@" + name + "'; the module has " +
                     (names.empty() ? "none at all" : names));
}

/// The type that represents a type unknown to NumPy in .npy files.
static DType getStorageDType(DType dtype) {
  return isFloat8(dtype) ? DType::UInt8 : dtype;
}

Type mlir::tg::getArrayType(Type type) {
  auto buffer = dyn_cast<MemRefType>(type);
  if (!buffer || !buffer.hasStaticShape())
    return type;
  return RankedTensorType::get({buffer.getNumElements()},
                               buffer.getElementType());
}

FailureOr<HostTensor> mlir::tg::readTensor(StringRef path,
                                           RankedTensorType type,
                                           const Twine &what, bool anyShape) {
  try {
    tinygrad::HostArray array = tinygrad::readNpy(path.str());
    MLIRContext *context = type.getContext();
    DType wanted = getStorageDType(tinygrad::getDType(type.getElementType()));
    const bool fits =
        anyShape ? int64_t(array.numElements()) == type.getNumElements()
                 : ArrayRef<int64_t>(array.shape) == type.getShape();
    if (array.dtype != wanted || !fits) {
      std::string message;
      llvm::raw_string_ostream(message)
          << "'" << path << "' holds "
          << RankedTensorType::get(
                 array.shape, tinygrad::getElementType(context, array.dtype))
          << ", but " << what << " is " << type;
      return reportError(message);
    }
    HostTensor tensor;
    tensor.shape.assign(type.getShape().begin(), type.getShape().end());
    tensor.elementType = type.getElementType();
    tensor.bytes.resize(array.numElements() *
                        getElementSize(tensor.elementType));
    if (!tensor.bytes.empty())
      std::memcpy(tensor.bytes.data(), array.data.address(),
                  tensor.bytes.size());
    return tensor;
  } catch (const tinygrad::Error &error) {
    return reportError(error.what());
  }
}

LogicalResult mlir::tg::writeTensor(StringRef path, const HostTensor &tensor) {
  try {
    DType dtype = tinygrad::getDType(tensor.elementType);
    tinygrad::HostArray array = tinygrad::makeHostArray(
        getStorageDType(dtype), {tensor.shape.begin(), tensor.shape.end()});
    if (!tensor.bytes.empty())
      std::memcpy(array.data.address(), tensor.bytes.data(),
                  tensor.bytes.size());
    tinygrad::writeNpy(path.str(), array);
    return success();
  } catch (const tinygrad::Error &error) {
    return reportError(error.what());
  }
}

HostTensor mlir::tg::makeRandomTensor(HostTensor tensor,
                                      std::mt19937_64 &random) {
  DType dtype = tinygrad::getDType(tensor.elementType);
  dispatch(dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0, e = tensor.numElements(); i < e; ++i) {
      // 53 random bits make a number in [0, 1) that is the same on every
      // platform.
      double unit = static_cast<double>(random() >> 11) / 0x1p53;
      T value = zero;
      if (isFloat(dtype))
        value = T(2 * unit - 1);
      else if (dtype == DType::Bool)
        value = T(unit < 0.5);
      else
        value = T(static_cast<int>(16 * unit) - (isSigned(dtype) ? 8 : 0));
      std::memcpy(tensor.bytes.data() + i * sizeof(T), &value, sizeof(T));
    }
  });
  return tensor;
}

/// Calls `copy` for each row of a tensor with its position in the tensor, and
/// in memory for a larger shape. Rows are contiguous in both.
static void
forEachRow(ArrayRef<int64_t> shape, ArrayRef<int64_t> memoryShape,
           llvm::function_ref<void(int64_t, int64_t, int64_t)> copy) {
  int64_t rowLength = shape.empty() ? 1 : shape.back(), numRows = 1;
  for (int64_t size : shape.drop_back(shape.empty() ? 0 : 1))
    numRows *= size;
  for (int64_t row = 0; row < numRows && rowLength != 0; ++row) {
    int64_t rest = row, stride = 1, place = 0;
    for (size_t axis = shape.size(); axis-- > 0;) {
      if (axis + 1 != shape.size()) {
        place += rest % shape[axis] * stride;
        rest /= shape[axis];
      }
      stride *= memoryShape[axis];
    }
    copy(row * rowLength, place, rowLength);
  }
}

/// What the bytes behind guarded memory are.
static constexpr char kBehind = char(0xa5);

static std::size_t getPageBytes() {
  static const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

tinygrad::Buffer mlir::tg::allocateGuarded(tinygrad::Device &device,
                                           std::size_t bytes,
                                           std::optional<tinygrad::DType> dtype,
                                           std::size_t alignment) {
  const tinygrad::DeviceInfo &info = device.information();
  if (!info.hostVisible || device.name() != "CPU")
    return tinygrad::Buffer::allocate(device, bytes, dtype);
  const std::size_t page = getPageBytes(),
                    whole = llvm::alignTo(bytes, page) + page;
  void *memory = ::mmap(nullptr, whole, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return tinygrad::Buffer::allocate(device, bytes, dtype);
  char *end = static_cast<char *>(memory) + whole - page;
  ::mprotect(end, page, PROT_NONE);
  char *begin = end - llvm::alignTo(bytes, alignment);
  std::memset(begin + bytes, kBehind, end - begin - bytes);
  return tinygrad::Buffer::external(
      device, begin, bytes, [memory, whole] { ::munmap(memory, whole); },
      dtype);
}

bool mlir::tg::isEndIntact(const tinygrad::Buffer &buffer) {
  const char *end = static_cast<const char *>(buffer.address()) + buffer.size();
  const std::size_t behind = llvm::offsetToAlignment(
      reinterpret_cast<uintptr_t>(end), llvm::Align(getPageBytes()));
  return std::all_of(end, end + behind,
                     [](char byte) { return byte == kBehind; });
}

std::vector<std::size_t>
mlir::tg::getNeededBytes(const tinygrad::LaunchList &list,
                         ArrayRef<int64_t> values) {
  std::vector<std::size_t> bytes;
  for (uint32_t input : list.inputs)
    bytes.push_back(tinygrad::getNeededBytes(list.slots[input], values.data()));
  return bytes;
}

std::vector<tinygrad::Buffer>
mlir::tg::toBuffers(tinygrad::Device &device, ArrayRef<HostTensor> tensors,
                    TypeRange types, ArrayRef<std::size_t> needed) {
  std::vector<tinygrad::Buffer> buffers;
  for (auto [tensor, type] : llvm::zip_equal(tensors, types)) {
    auto tensorType = cast<RankedTensorType>(type);
    const std::vector<char> *bytes = &tensor.bytes;
    std::vector<char> spread;
    if (!llvm::equal(tensor.shape, getLargestShape(tensorType))) {
      const int64_t size = getElementSize(tensor.elementType);
      spread.assign(getBufferSize(tensorType) * size, char(0xff));
      forEachRow(tensor.shape, getLargestShape(tensorType),
                 [&](int64_t from, int64_t to, int64_t length) {
                   std::memcpy(spread.data() + to * size,
                               tensor.bytes.data() + from * size,
                               length * size);
                 });
      bytes = &spread;
    }
    std::size_t size = bytes->size();
    if (!needed.empty())
      size = std::min(size, needed[buffers.size()]);
    const tinygrad::DType dtype = tinygrad::getDType(tensor.elementType);
    buffers.push_back(
        allocateGuarded(device, size, dtype, tinygrad::itemSize(dtype)));
    buffers.back().copyIn(bytes->data(), size);
  }
  return buffers;
}

HostTensor mlir::tg::fromBuffer(const tinygrad::Buffer &buffer,
                                RankedTensorType type,
                                ArrayRef<int64_t> shape) {
  HostTensor tensor;
  tensor.shape.assign(shape.begin(), shape.end());
  tensor.elementType = type.getElementType();
  const int64_t size = getElementSize(tensor.elementType);
  tensor.bytes.resize(tensor.numElements() * size);
  // An artifact has the largest shapes only.
  if (llvm::equal(shape, getLargestShape(type))) {
    buffer.copyOut(tensor.bytes.data(), tensor.bytes.size());
    return tensor;
  }
  std::vector<char> memory(buffer.size());
  buffer.copyOut(memory.data(), memory.size());
  forEachRow(shape, getLargestShape(type),
             [&](int64_t to, int64_t from, int64_t length) {
               std::memcpy(tensor.bytes.data() + to * size,
                           memory.data() + from * size, length * size);
             });
  return tensor;
}

HostTensor mlir::tg::getLeadingPart(const HostTensor &tensor,
                                    ArrayRef<int64_t> shape) {
  HostTensor part;
  part.shape.assign(shape.begin(), shape.end());
  part.elementType = tensor.elementType;
  const int64_t size = getElementSize(tensor.elementType);
  part.bytes.resize(part.numElements() * size);
  SmallVector<int64_t> common;
  for (auto [a, b] : llvm::zip_equal(tensor.shape, shape))
    common.push_back(std::min(a, b));
  // The positions of common rows in both.
  SmallVector<int64_t> from;
  forEachRow(common, tensor.shape,
             [&](int64_t, int64_t place, int64_t) { from.push_back(place); });
  size_t row = 0;
  forEachRow(common, shape, [&](int64_t, int64_t place, int64_t length) {
    std::memcpy(part.bytes.data() + place * size,
                tensor.bytes.data() + from[row++] * size, length * size);
  });
  return part;
}

void mlir::tg::replaceVariablesAndInputs(ModuleOp module,
                                         std::function<Dim(VarAttr)> getValue) {
  // The arguments whose `tg.input` values have their shapes.
  SmallVector<std::pair<func::FuncOp, unsigned>> inputs;
  for (auto function : module.getOps<func::FuncOp>())
    for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      auto value = function.getArgAttrOfType<ElementsAttr>(i, inputAttrName);
      if (tensor && hasDims(tensor) && !tensor.hasStaticShape() && value &&
          value.getShapedType().getShape() ==
              ArrayRef<int64_t>(getLargestShape(tensor)))
        inputs.push_back({function, i});
    }
  replaceVariables(module, std::move(getValue));
  for (auto [function, i] : inputs) {
    auto value = function.getArgAttrOfType<ElementsAttr>(i, inputAttrName);
    auto type = cast<RankedTensorType>(function.getArgumentTypes()[i]);
    auto given = cast<RankedTensorType>(value.getShapedType());
    FailureOr<HostTensor> tensor = makeHostTensor(
        function.getArgument(i).getLoc(), given, cast<TypedAttr>(value));
    if (succeeded(tensor) && given.getElementType() == type.getElementType())
      function.setArgAttr(
          i, inputAttrName,
          getDenseElements(getLeadingPart(*tensor, getLargestShape(type))));
  }
}

void mlir::tg::bindProgram(ModuleOp module,
                           const llvm::StringMap<int64_t> &values) {
  replaceVariablesAndInputs(module, [&](VarAttr var) {
    auto it = values.find(var.getName().getValue());
    return it == values.end() ? Dim(var) : Dim(var.getContext(), it->second);
  });
}

FailureOr<llvm::StringMap<int64_t>>
mlir::tg::readValues(ArrayRef<VarAttr> variables,
                     ArrayRef<std::string> values) {
  llvm::StringMap<int64_t> result;
  for (StringRef value : values) {
    auto [name, text] = value.split('=');
    int64_t number;
    if (name.empty() || text.getAsInteger(10, number))
      return reportError("'" + value + "' is not name=number, as in n=4");
    std::string names;
    VarAttr variable;
    for (VarAttr known : variables) {
      names += (names.empty() ? "" : ", ") + known.getName().str();
      if (known.getName().getValue() == name)
        variable = known;
    }
    if (!variable)
      return reportError("there is no variable '" + name +
                         "'; the program has " +
                         (names.empty() ? "none at all" : names));
    if (number < variable.getMin() || number > variable.getMax())
      return reportError("variable '" + name + "' cannot be " + Twine(number) +
                         ", which is not in [" + Twine(variable.getMin()) +
                         ", " + Twine(variable.getMax()) + "]");
    if (!result.try_emplace(name, number).second)
      return reportError("variable '" + name + "' is given two values");
  }
  for (VarAttr variable : variables)
    if (StringRef name = variable.getName(); !result.contains(name))
      return reportError("variable '" + name + "' in [" +
                         Twine(variable.getMin()) + ", " +
                         Twine(variable.getMax()) +
                         "] has no value: give --var " + name + "=NUMBER");
  return result;
}

std::vector<int64_t>
mlir::tg::orderValues(ArrayRef<tinygrad::ProgramVariable> variables,
                      const llvm::StringMap<int64_t> &values) {
  std::vector<int64_t> result;
  for (const tinygrad::ProgramVariable &variable : variables)
    result.push_back(values.lookup(variable.name));
  return result;
}
