//===- HostToLLVM.cpp - host programs to LLVM's dialect -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Lowers one host program: buffers become pointers into memory that the caller
/// gives, launches become calls.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Conversion/HostToLLVM/HostToLLVM.h"
#include "TinyGrad/Dialect/Tg/IR/TgBufferElements.h"
#include "TinyGrad/Dialect/Tg/IR/TgBufferPart.h"
#include "TinyGrad/Dialect/Tg/IR/TgVariables.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::tg;

/// The function that runs a kernel on the caller's threads, and the one that
/// each of them calls, after the prefix.
static constexpr llvm::StringLiteral kParallelName = "tg.parallel",
                                     kPartName = "tg.part";

namespace {
/// Lowers one host program.
class HostEmitter {
public:
  HostEmitter(ModuleOp module, func::FuncOp host, const SymbolTable &kernels,
              const HostToLLVMOptions &options)
      : module(module), host(host), kernels(kernels), options(options),
        context(module.getContext()), loc(host.getLoc()), builder(context),
        pointer(LLVM::LLVMPointerType::get(context)),
        i64(builder.getI64Type()) {}

  FailureOr<HostFunction> emit();

private:
  LogicalResult checkDevice(Operation *op, StringRef name);
  LogicalResult findArguments();
  LogicalResult findVariables();
  void findResults();
  void createFunction();
  LogicalResult visit(Operation *op);
  void visitLaunch(LaunchOp launch);
  LogicalResult visitLiteral(LiteralOp literal);
  void copyResults();

  LLVM::LLVMFuncOp declare(const std::string &name, ArrayRef<Type> types);
  LLVM::LLVMFuncOp getParallel();
  LLVM::LLVMFuncOp getPart();

  Value getNumber(int64_t number) {
    return LLVM::ConstantOp::create(builder, loc, i64,
                                    builder.getI64IntegerAttr(number));
  }
  Value getElement(Type type, Value array, int32_t index) {
    return LLVM::GEPOp::create(builder, loc, pointer, type, array,
                               ArrayRef<LLVM::GEPArg>{index});
  }
  Value addBytes(Value base, Value bytes) {
    return LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(), base,
                               ArrayRef<LLVM::GEPArg>{bytes});
  }
  Value getValue(VarAttr variable) {
    auto fixed = options.fixed.find(variable.getName().getValue());
    return fixed == options.fixed.end() ? values.at(variable)
                                        : getNumber(fixed->second);
  }
  Value emitDim(Dim dim) {
    return createDimInLLVM(builder, loc, dim, [&](VarAttr variable) {
      return getValue(variable);
    });
  }

  ModuleOp module;
  func::FuncOp host;
  const SymbolTable &kernels;
  const HostToLLVMOptions &options;
  MLIRContext *context;
  Location loc;
  OpBuilder builder;
  Type pointer, i64;
  HostFunction result;
  /// All buffers are on it.
  std::optional<std::string> device;
  /// Results' own memory: the index of the first result that is this buffer.
  DenseMap<Value, unsigned> ownResults;
  DenseMap<Value, Value> pointers;
  DenseMap<Attribute, Value> values;
  /// Arrays on the stack for the buffers and the variables of a launch.
  Value buffers, numbers;
  Value scratch, threads;
  SmallVector<Value> resultPointers;
  unsigned numLiterals = 0;
};
} // namespace

LogicalResult HostEmitter::checkDevice(Operation *op, StringRef name) {
  if (!device)
    device = name.str();
  if (*device == name)
    return success();
  return op->emitOpError("is on device ")
         << name << ", others are on " << *device
         << "; a function in LLVM's dialect uses one device";
}

LogicalResult HostEmitter::findArguments() {
  for (BlockArgument argument : host.getArguments()) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type || !type.hasStaticShape() || type.getRank() != 1)
      return host.emitOpError("is not the host program of a scheduled module: "
                              "argument ")
             << argument.getArgNumber() << " is a " << argument.getType()
             << ", not a flat buffer of known size";
    if (auto name = host.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                      deviceAttrName))
      if (failed(checkDevice(host, name)))
        return failure();
    const unsigned bits = type.getElementTypeBitWidth();
    result.arguments.push_back({type, /*isWritten=*/false,
                                std::max<int64_t>(bits / 8, 1), std::nullopt});
    if (Attribute elements =
            host.getArgAttr(argument.getArgNumber(), elementsAttrName))
      result.arguments.back().elements = Dim(elements);
  }
  auto setWritten = [&](Value buffer) {
    if (auto argument = dyn_cast<BlockArgument>(getBufferPart(buffer).root))
      result.arguments[argument.getArgNumber()].isWritten = true;
  };
  for (Operation &op : host.getBody().front()) {
    if (auto transfer = dyn_cast<TransferOp>(op)) {
      setWritten(transfer.getDest());
    } else if (auto launch = dyn_cast<LaunchOp>(op)) {
      auto kernel = kernels.lookup<KernelOp>(launch.getKernel());
      if (!kernel)
        return launch.emitOpError(
            "launches a kernel that is not in the module");
      for (auto [i, buffer] : llvm::enumerate(launch.getBuffers())) {
        if (i < kernel.getOutputs())
          setWritten(buffer);
        auto argument = dyn_cast<BlockArgument>(getBufferPart(buffer).root);
        auto alignment = kernel.getArgAttrOfType<IntegerAttr>(
            static_cast<unsigned>(i), alignmentAttrName);
        if (argument && alignment) {
          int64_t &all = result.arguments[argument.getArgNumber()].alignment;
          all = std::max(all, alignment.getInt());
        }
      }
    }
  }
  return success();
}

LogicalResult HostEmitter::findVariables() {
  FailureOr<SmallVector<VarAttr>> own = collectHostVariables(host, kernels);
  if (failed(own))
    return failure();
  result.variables = std::move(*own);
  for (VarAttr variable : options.variables)
    if (!llvm::is_contained(result.variables, variable))
      result.variables.push_back(variable);
  llvm::erase_if(result.variables, [&](VarAttr variable) {
    return options.fixed.contains(variable.getName().getValue());
  });
  llvm::sort(result.variables, [](VarAttr a, VarAttr b) {
    return a.getName().getValue() < b.getName().getValue();
  });
  for (auto [a, b] :
       llvm::zip(result.variables, llvm::drop_begin(result.variables)))
    if (a.getName() == b.getName())
      return host.emitOpError("has two variables '")
             << a.getName().getValue() << "' with different bounds";
  return success();
}

void HostEmitter::findResults() {
  Operation *end = host.getBody().front().getTerminator();
  for (auto [i, value] : llvm::enumerate(end->getOperands())) {
    HostFunction::Result found{cast<MemRefType>(value.getType()), std::nullopt,
                               std::nullopt};
    if (Attribute elements =
            host.getResultAttr(static_cast<unsigned>(i), elementsAttrName))
      found.elements = Dim(elements);
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (result.arguments[argument.getArgNumber()].isWritten)
        found.inPlace = argument.getArgNumber();
    } else if (value.getDefiningOp<AllocOp>()) {
      ownResults.try_emplace(value, static_cast<unsigned>(i));
    }
    result.results.push_back(found);
  }
}

LLVM::LLVMFuncOp HostEmitter::declare(const std::string &name,
                                      ArrayRef<Type> types) {
  if (auto found = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return found;
  OpBuilder atEnd = OpBuilder::atBlockEnd(module.getBody());
  return LLVM::LLVMFuncOp::create(
      atEnd, loc, name,
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), types));
}

/// void part(void *data, int64_t begin, int64_t end): a part of the kernel that
/// `data` points to, with its buffers and variables.
LLVM::LLVMFuncOp HostEmitter::getPart() {
  const std::string name = options.prefix + kPartName.str();
  LLVM::LLVMFuncOp part = declare(name, {pointer, i64, i64});
  if (!part.isExternal())
    return part;
  part.setLinkage(LLVM::Linkage::Internal);
  OpBuilder::InsertionGuard guard(builder);
  Block *block = part.addEntryBlock(builder);
  builder.setInsertionPointToStart(block);
  SmallVector<Value> callee;
  for (int32_t i = 0; i < 3; ++i)
    callee.push_back(LLVM::LoadOp::create(
        builder, loc, pointer, getElement(pointer, block->getArgument(0), i)));
  llvm::append_range(callee, block->getArguments().drop_front());
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                          {pointer, pointer, i64, i64});
  LLVM::CallOp::create(builder, loc, type, callee);
  LLVM::ReturnOp::create(builder, loc, ValueRange());
  return part;
}

/// void parallel(threads, kernel, buffers, variables, int64_t extent): all of a
/// kernel, on the caller's threads if there are any.
LLVM::LLVMFuncOp HostEmitter::getParallel() {
  const std::string name = options.prefix + kParallelName.str();
  LLVM::LLVMFuncOp parallel =
      declare(name, {pointer, pointer, pointer, pointer, i64});
  if (!parallel.isExternal())
    return parallel;
  parallel.setLinkage(LLVM::Linkage::Internal);
  LLVM::LLVMFuncOp part = getPart();
  OpBuilder::InsertionGuard guard(builder);
  Block *entry = parallel.addEntryBlock(builder);
  Block *hasThreads = builder.createBlock(&parallel.getBody()),
        *fork = builder.createBlock(&parallel.getBody()),
        *serial = builder.createBlock(&parallel.getBody());
  ValueRange arguments = entry->getArguments();
  Value extent = arguments[4];
  auto nothing = LLVM::LLVMVoidType::get(context);

  builder.setInsertionPointToStart(entry);
  Value null = LLVM::ZeroOp::create(builder, loc, pointer);
  Value one = getNumber(1);
  Value data =
      LLVM::AllocaOp::create(builder, loc, pointer, pointer, getNumber(3));
  Value isGiven = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne,
                                       arguments[0], null);
  Value isLong =
      LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::sgt, extent, one);
  LLVM::CondBrOp::create(builder, loc,
                         LLVM::AndOp::create(builder, loc, isGiven, isLong),
                         hasThreads, serial);

  builder.setInsertionPointToStart(hasThreads);
  Value loop = LLVM::LoadOp::create(builder, loc, pointer,
                                    getElement(pointer, arguments[0], 1));
  LLVM::CondBrOp::create(
      builder, loc,
      LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, loop, null),
      fork, serial);

  builder.setInsertionPointToStart(fork);
  for (int32_t i = 0; i < 3; ++i)
    LLVM::StoreOp::create(builder, loc, arguments[1 + i],
                          getElement(pointer, data, i));
  Value owner = LLVM::LoadOp::create(builder, loc, pointer, arguments[0]);
  Value body = LLVM::AddressOfOp::create(builder, loc, part);
  LLVM::CallOp::create(
      builder, loc,
      LLVM::LLVMFunctionType::get(nothing, {pointer, i64, pointer, pointer}),
      ValueRange{loop, owner, extent, body, data});
  LLVM::ReturnOp::create(builder, loc, ValueRange());

  builder.setInsertionPointToStart(serial);
  LLVM::CallOp::create(
      builder, loc,
      LLVM::LLVMFunctionType::get(nothing, {pointer, pointer, i64, i64}),
      ValueRange{arguments[1], arguments[2], arguments[3], getNumber(0),
                 extent});
  LLVM::ReturnOp::create(builder, loc, ValueRange());
  return parallel;
}

void HostEmitter::createFunction() {
  SmallVector<Type> types(result.arguments.size(), pointer);
  for (const HostFunction::Result &value : result.results)
    if (!value.inPlace)
      types.push_back(pointer);
  types.append(result.variables.size(), i64);
  types.append(options.threads ? 2 : 1, pointer);
  result.function = declare(options.prefix + host.getSymName().str(), types);
  Block *block = result.function.addEntryBlock(builder);
  builder.setInsertionPointToStart(block);
  ValueRange given = block->getArguments();
  auto take = [&] {
    Value next = given.front();
    given = given.drop_front();
    return next;
  };
  for (BlockArgument argument : host.getArguments())
    pointers[argument] = take();
  for (const HostFunction::Result &value : result.results)
    resultPointers.push_back(value.inPlace ? Value() : take());
  for (VarAttr variable : result.variables)
    values[variable] = take();
  scratch = take();
  if (options.threads)
    threads = take();

  size_t mostBuffers = 1, mostNumbers = 1;
  for (auto launch : host.getBody().getOps<LaunchOp>()) {
    mostBuffers = std::max<size_t>(mostBuffers, launch.getBuffers().size());
    auto kernel = kernels.lookup<KernelOp>(launch.getKernel());
    mostNumbers = std::max(mostNumbers, collectVariables(kernel)->size());
  }
  buffers =
      LLVM::AllocaOp::create(builder, loc, pointer, pointer,
                             getNumber(static_cast<int64_t>(mostBuffers)));
  numbers = LLVM::AllocaOp::create(
      builder, loc, pointer, i64, getNumber(static_cast<int64_t>(mostNumbers)));
}

/// Quotients are rounded to negative infinity, and remainders have the sign of
/// the divisor.
static Value emitStep(OpBuilder &builder, Location loc, DimOpKind kind,
                      Value lhs, Value rhs) {
  auto getNumber = [&](int64_t number) -> Value {
    return LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                    builder.getI64IntegerAttr(number));
  };
  auto floorOf = [&](bool isQuotient) -> Value {
    Value quotient = LLVM::SDivOp::create(builder, loc, lhs, rhs);
    Value rest = LLVM::SRemOp::create(builder, loc, lhs, rhs);
    Value zero = getNumber(0);
    Value isInexact =
        LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, rest, zero);
    Value differ = LLVM::ICmpOp::create(
        builder, loc, LLVM::ICmpPredicate::slt,
        LLVM::XOrOp::create(builder, loc, rest, rhs), zero);
    Value isBelow = LLVM::AndOp::create(builder, loc, isInexact, differ);
    Value corrected =
        isQuotient ? LLVM::SubOp::create(builder, loc, quotient, getNumber(1))
                         .getResult()
                   : LLVM::AddOp::create(builder, loc, rest, rhs).getResult();
    return LLVM::SelectOp::create(builder, loc, isBelow, corrected,
                                  isQuotient ? quotient : rest);
  };
  switch (kind) {
  case DimOpKind::add:
    return LLVM::AddOp::create(builder, loc, lhs, rhs);
  case DimOpKind::mul:
    return LLVM::MulOp::create(builder, loc, lhs, rhs);
  case DimOpKind::floordiv:
    return floorOf(/*isQuotient=*/true);
  case DimOpKind::mod:
    return floorOf(/*isQuotient=*/false);
  case DimOpKind::min:
    return LLVM::SMinOp::create(builder, loc, lhs, rhs);
  case DimOpKind::max:
    return LLVM::SMaxOp::create(builder, loc, lhs, rhs);
  }
  llvm_unreachable("unknown DimOpKind");
}

Value tg::createDimInLLVM(OpBuilder &builder, Location loc, Dim dim,
                          llvm::function_ref<Value(VarAttr)> getValue) {
  if (std::optional<int64_t> number = dim.getStatic())
    return LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                    builder.getI64IntegerAttr(*number));
  if (auto variable = dyn_cast<VarAttr>(dim.getAttr()))
    return getValue(variable);
  auto expr = cast<DimExprAttr>(dim.getAttr());
  Value value;
  for (Attribute operand : expr.getOperands()) {
    Value next = createDimInLLVM(builder, loc, Dim(operand), getValue);
    value = value ? emitStep(builder, loc, expr.getKind(), value, next) : next;
  }
  return value;
}

LogicalResult HostEmitter::visitLiteral(LiteralOp literal) {
  // As bytes, which any element type consists of.
  const FailureOr<SmallVector<char>> bytes = getBytes(literal);
  if (failed(bytes))
    return failure();
  const auto size = static_cast<int64_t>(bytes->size());
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), size);
  auto attr = DenseElementsAttr::getFromRawBuffer(
      RankedTensorType::get({size}, builder.getI8Type()), *bytes);
  const std::string name = result.function.getSymName().str() + ".literal" +
                           std::to_string(numLiterals++);
  OpBuilder atStart = OpBuilder::atBlockBegin(module.getBody());
  auto global = LLVM::GlobalOp::create(
      atStart, literal.getLoc(), type, /*isConstant=*/true,
      LLVM::Linkage::Internal, name, attr, kBufferAlignment);
  pointers[literal] = LLVM::AddressOfOp::create(builder, loc, global);
  return success();
}

void HostEmitter::visitLaunch(LaunchOp launch) {
  auto kernel = kernels.lookup<KernelOp>(launch.getKernel());
  for (auto [i, buffer] : llvm::enumerate(launch.getBuffers()))
    LLVM::StoreOp::create(builder, loc, pointers.at(buffer),
                          getElement(pointer, buffers, int32_t(i)));
  ArrayRef<Attribute> numbered;
  if (ArrayAttr list = kernel.getNumbersAttr())
    numbered = list.getValue();
  // Its variables and the numbers of this launch.
  const SmallVector<VarAttr> variables = *collectVariables(kernel);
  const DenseMap<Attribute, Value> outer = values;
  DenseMap<Attribute, Dim> known;
  for (auto [variable, number] :
       llvm::zip(numbered, launch.getNumbers().value_or(ArrayRef<int64_t>()))) {
    values[variable] = getNumber(number);
    known.try_emplace(variable, context, number);
  }
  auto getDim = [&](VarAttr variable) {
    auto fixed = options.fixed.find(variable.getName().getValue());
    if (fixed != options.fixed.end())
      return Dim(context, fixed->second);
    auto number = known.find(variable);
    return number == known.end() ? Dim(variable) : number->second;
  };
  for (auto [i, variable] : llvm::enumerate(variables))
    LLVM::StoreOp::create(builder, loc, getValue(variable),
                          getElement(i64, numbers, int32_t(i)));
  Dim extent(context, 1);
  for (auto range : kernel.getBody().getOps<RangeOp>())
    if (range.getKind() == RangeKind::thread ||
        range.getKind() == RangeKind::global)
      extent = extent * Dim(range.getExtent());
  Value count = emitDim(extent);
  values = outer;
  HostFunction::Launch call;
  call.kernel = options.prefix + launch.getKernel().str();
  for (VarAttr variable : variables)
    call.variables.push_back(getDim(variable));
  call.extent = extent.substitute(getDim);
  result.launches.push_back(std::move(call));

  LLVM::LLVMFuncOp callee = declare(options.prefix + launch.getKernel().str(),
                                    {pointer, pointer, i64, i64});
  if (threads && !extent.is(1) &&
      (!options.isParallel || options.isParallel(kernel))) {
    Value address = LLVM::AddressOfOp::create(builder, loc, callee);
    LLVM::CallOp::create(builder, loc, getParallel(),
                         ValueRange{threads, address, buffers, numbers, count});
    return;
  }
  LLVM::CallOp::create(builder, loc, callee,
                       ValueRange{buffers, numbers, getNumber(0), count});
}

LogicalResult HostEmitter::visit(Operation *op) {
  loc = op->getLoc();
  if (auto alloc = dyn_cast<AllocOp>(op)) {
    if (failed(checkDevice(op, alloc.getDevice())))
      return failure();
    if (auto own = ownResults.find(alloc.getResult());
        own != ownResults.end()) {
      pointers[alloc] = resultPointers[own->second];
      return success();
    }
    pointers[alloc] = addBytes(scratch, getNumber(result.scratchBytes));
    result.scratchBytes +=
        llvm::alignTo(getBufferBytes(alloc.getType()), kBufferAlignment);
    return success();
  }
  if (auto literal = dyn_cast<LiteralOp>(op)) {
    if (failed(checkDevice(op, literal.getDevice())))
      return failure();
    return visitLiteral(literal);
  }
  if (auto part = dyn_cast<SubbufferOp>(op)) {
    pointers[part] =
        addBytes(pointers.at(part.getSource()), emitDim(part.getOffsetDim()));
    return success();
  }
  if (auto launch = dyn_cast<LaunchOp>(op)) {
    visitLaunch(launch);
    return success();
  }
  if (auto transfer = dyn_cast<TransferOp>(op)) {
    // As much as both have.
    const Dim bytes =
        Dim::get(DimOpKind::min, getAvailableBytes(transfer.getSource()),
                 getAvailableBytes(transfer.getDest()));
    LLVM::MemcpyOp::create(builder, loc, pointers.at(transfer.getDest()),
                           pointers.at(transfer.getSource()), emitDim(bytes),
                           /*isVolatile=*/false);
    return success();
  }
  if (isa<SortOp>(op))
    return op->emitOpError("is done by the runtime of a device, and has no "
                           "counterpart in LLVM's dialect");
  if (isa<func::ReturnOp>(op)) {
    copyResults();
    LLVM::ReturnOp::create(builder, loc, ValueRange());
    return success();
  }
  return op->emitOpError("is not an operation of a host program");
}

/// Results that are no memory of their own: views, literals, arguments, one
/// buffer returned twice.
void HostEmitter::copyResults() {
  Operation *end = host.getBody().front().getTerminator();
  for (auto [i, value] : llvm::enumerate(end->getOperands())) {
    Value place = resultPointers[i], source = pointers.at(value);
    if (!place || place == source)
      continue;
    Dim bytes = getAvailableBytes(value);
    if (const std::optional<Dim> elements = result.results[i].elements)
      bytes = Dim::get(
          DimOpKind::min, bytes,
          *elements *
              Dim(context, getBufferBytes(getBufferType(
                               result.results[i].type.getElementType(), 1))));
    LLVM::MemcpyOp::create(builder, loc, place, source, emitDim(bytes),
                           /*isVolatile=*/false);
  }
}

FailureOr<HostFunction> HostEmitter::emit() {
  if (host.isExternal() || !host.getBody().hasOneBlock())
    return host.emitOpError("is not the host program of a scheduled module: it "
                            "has no body of one block");
  if (failed(findArguments()))
    return failure();
  for (Type type : host.getResultTypes())
    if (auto buffer = dyn_cast<MemRefType>(type);
        !buffer || !buffer.hasStaticShape())
      return host.emitOpError("is not the host program of a scheduled module: "
                              "a result is a ")
             << type << ", not a flat buffer of known size";
  if (failed(findVariables()))
    return failure();
  findResults();
  createFunction();
  for (Operation &op : host.getBody().front())
    if (failed(visit(&op)))
      return failure();
  return std::move(result);
}

FailureOr<HostFunction>
tg::convertHostToLLVM(ModuleOp module, func::FuncOp host,
                      const SymbolTable &kernels,
                      const HostToLLVMOptions &options) {
  return HostEmitter(module, host, kernels, options).emit();
}
