//===- GPUFunctionsToLLVM.cpp - GPU functions to LLVM's dialect -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the convert-gpu-functions-to-llvm pass, and the pipeline that it
/// is part of.
///
//===----------------------------------------------------------------------===//

#include "DirectCopies.h"
#include "MatrixUnits.h"
#include "TensorMaps.h"
#include "TinyGrad/Conversion/GPUToLLVM/GPUToLLVM.h"
#include "TinyGrad/Conversion/KernelToLLVM/KernelToLLVM.h"
#include "TinyGrad/Conversion/MathToPolynomial/MathToPolynomial.h"
#include "TinyGrad/Dialect/Tg/IR/TgKernelFunctions.h"
#include "TinyGrad/Support/AnyGroups.h"
#include "TinyGrad/Support/GPUChips.h"
#include "TinyGrad/Support/MatrixUnits.h"
#include "TinyGrad/Support/Occupancy.h"
#include "TinyGrad/Support/TensorMap.h"
#include "mlir/Conversion/AMDGPUToROCDL/AMDGPUToROCDL.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUCommon/GPUCommonPass.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/GPUToROCDL/GPUToROCDLPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/NVGPUToNVVM/NVGPUToNVVM.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/AMDGPU/Utils/Chipset.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::tg {
#define GEN_PASS_DEF_CONVERTGPUFUNCTIONSTOLLVM
#include "TinyGrad/Conversion/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

/// What the address of a tensor map is a multiple of, in bytes.
static constexpr int64_t kMapAlignment = 64;

/// `math` becomes LLVM's intrinsics, for which there are instructions, rather
/// than calls of the vendors' libraries.
static constexpr unsigned kOverLibraries = 10;

static bool isAMD(StringRef chip) { return chip.starts_with("gfx"); }

int64_t tg::getMaxStaticBytes(StringRef chip) {
  // AMD's launches take the size from the code.
  return isAMD(chip) ? 0 : 48 << 10;
}

//===----------------------------------------------------------------------===//
// The conversion
//===----------------------------------------------------------------------===//

/// Address spaces of AMD's GPUs.
static void convertMemorySpaces(TypeConverter &converter) {
  populateGpuMemorySpaceAttributeConversions(
      converter, [](gpu::AddressSpace space) -> unsigned {
        switch (space) {
        case gpu::AddressSpace::Global:
          return ROCDL::ROCDLDialect::kGlobalMemoryAddressSpace;
        case gpu::AddressSpace::Workgroup:
          return ROCDL::ROCDLDialect::kSharedMemoryAddressSpace;
        case gpu::AddressSpace::Private:
          return ROCDL::ROCDLDialect::kPrivateMemoryAddressSpace;
        }
        llvm_unreachable("unknown address space");
      });
}

static LogicalResult convert(gpu::GPUFuncOp func, StringRef chip,
                             const amdgpu::Chipset &amd) {
  MLIRContext *context = func.getContext();
  LowerToLLVMOptions options(context);
  options.useBarePtrCallConv = true;
  options.overrideIndexBitwidth(func->hasAttr(narrowIndicesAttrName) ? 32 : 64);
  LLVMTypeConverter converter(context, options);
  RewritePatternSet patterns(context);
  if (isAMD(chip)) {
    convertMemorySpaces(converter);
    populateGpuToROCDLConversionPatterns(converter, patterns,
                                         gpu::amd::Runtime::HIP, amd);
    populateAMDGPUToROCDLConversionPatterns(converter, patterns, amd);
  } else {
    configureGpuToNVVMTypeConverter(converter);
    populateGpuToNVVMConversionPatterns(converter, patterns);
    converter.addConversion([&](nvgpu::DeviceAsyncTokenType) -> Type {
      return IntegerType::get(context, 32);
    });
    converter.addConversion([&](nvgpu::MBarrierTokenType) -> Type {
      return IntegerType::get(context, 64);
    });
    converter.addConversion([&](nvgpu::MBarrierGroupType type) -> Type {
      return converter.convertType(nvgpu::getMBarrierMemrefType(context, type));
    });
    converter.addConversion([&](nvgpu::TensorMapDescriptorType) -> Type {
      return LLVM::LLVMPointerType::get(context);
    });
    populateNVGPUToNVVMConversionPatterns(converter, patterns);
    populateMatrixUnitPatterns(converter, patterns);
    populateNVVMToLLVMConversionPatterns(patterns);
  }
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
  populateMathToLLVMConversionPatterns(
      converter, patterns, /*approximateLog1p=*/false, kOverLibraries);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns);
  ConversionTarget target(*context);
  target.addLegalDialect<LLVM::LLVMDialect, NVVM::NVVMDialect,
                         ROCDL::ROCDLDialect>();
  // Instructions that LLVM has no intrinsics for.
  target.addIllegalOp<NVVM::MBarrierTryWaitParityOp, NVVM::WgmmaMmaAsyncOp>();
  return applyFullConversion(func, target, std::move(patterns));
}

/// The size of groups, which upstream's conversion leaves under the name of an
/// upper bound, and how many of them have to be resident at once: compilers use
/// no more registers than that leaves. Without a bound, ptxas leaves registers
/// for several groups of any kernel and rather spills.
static void setGroupSize(LLVM::LLVMFuncOp func, StringRef chip) {
  Builder builder(func.getContext());
  auto resident = func->getAttrOfType<IntegerAttr>(residentGroupsAttrName);
  auto countItems = [](DenseI32ArrayAttr size) {
    int64_t items = 1;
    for (int32_t extent : size.asArrayRef())
      items *= extent;
    return items;
  };
  if (auto size = func->getAttrOfType<DenseI32ArrayAttr>(
          NVVM::NVVMDialect::getMaxntidAttrName())) {
    func->removeAttr(NVVM::NVVMDialect::getMaxntidAttrName());
    func->setAttr(NVVM::NVVMDialect::getReqntidAttrName(), size);
    const int64_t groups =
        resident ? std::min(resident.getInt(), tinygrad::kPortableGroups) : 1;
    func->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                  builder.getI32IntegerAttr(static_cast<int32_t>(groups)));
  }
  if (auto size = func->getAttrOfType<DenseI32ArrayAttr>(
          ROCDL::ROCDLDialect::getReqdWorkGroupSizeAttrName())) {
    const int64_t items = countItems(size);
    const std::string number = std::to_string(items);
    func->setAttr(ROCDL::ROCDLDialect::getFlatWorkGroupSizeAttrName(),
                  builder.getStringAttr(number + "," + number));
    func->setAttr(ROCDL::ROCDLDialect::getUniformWorkGroupSizeAttrName(),
                  builder.getBoolAttr(true));
    // Subgroups of each SIMD.
    if (const tinygrad::GPUChipData *data = tinygrad::findGPUChip(chip);
        data && resident)
      func->setAttr(
          ROCDL::ROCDLDialect::WavesPerEuAttrHelper::getNameStr(),
          builder.getI32IntegerAttr(static_cast<int32_t>(llvm::divideCeil(
              resident.getInt() * tinygrad::countSubgroups(*data, items),
              tinygrad::kUnitParts))));
  }
}

/// The arguments that are tensor maps, by number.
static SmallVector<unsigned, 2> getMaps(gpu::GPUFuncOp func) {
  SmallVector<unsigned, 2> maps;
  for (auto [i, type] : llvm::enumerate(func.getArgumentTypes()))
    if (isa<nvgpu::TensorMapDescriptorType>(type))
      maps.push_back(unsigned(i));
  return maps;
}

/// Whether each group computes several blocks of results, as many groups apart
/// as there are.
static bool takesAnyGroups(gpu::GPUFuncOp func) {
  return !func.getOps<gpu::GridDimOp>().empty();
}

/// Adds a constant that says so to the code of \p func.
static void markAnyGroups(LLVM::LLVMFuncOp func) {
  OpBuilder builder(func);
  LLVM::GlobalOp::create(
      builder, func.getLoc(), LLVM::LLVMArrayType::get(builder.getI8Type(), 1),
      /*isConstant=*/true, LLVM::Linkage::External,
      (func.getName() + StringRef(tinygrad::kAnyGroupsSuffix)).str(),
      DenseElementsAttr::get(RankedTensorType::get({1}, builder.getI8Type()),
                             int8_t(1)),
      /*alignment=*/1, static_cast<unsigned>(NVVM::NVVMMemorySpace::Constant));
}

/// Tensor maps are passed by value, and stay where the launch has put them: the
/// hardware reads them there. A constant says what they are.
static void setMaps(LLVM::LLVMFuncOp func, ArrayRef<unsigned> maps) {
  OpBuilder builder(func);
  if (auto numbers = func->getAttrOfType<ArrayAttr>(tensorMapsAttrName)) {
    auto values =
        llvm::map_to_vector(numbers.getAsRange<IntegerAttr>(),
                            [](IntegerAttr number) { return number.getInt(); });
    Type type = LLVM::LLVMArrayType::get(builder.getI64Type(), values.size());
    LLVM::GlobalOp::create(
        builder, func.getLoc(), type, /*isConstant=*/true,
        LLVM::Linkage::External,
        (func.getName() + StringRef(tinygrad::kTensorMapsSuffix)).str(),
        builder.getI64TensorAttr(values), /*alignment=*/8,
        static_cast<unsigned>(NVVM::NVVMMemorySpace::Constant));
    func->removeAttr(tensorMapsAttrName);
  }
  for (unsigned number : maps) {
    func.setArgAttr(number, LLVM::LLVMDialect::getByValAttrName(),
                    TypeAttr::get(LLVM::LLVMArrayType::get(
                        builder.getI64Type(), tinygrad::kEncodedMapBytes / 8)));
    func.setArgAttr(number, LLVM::LLVMDialect::getAlignAttrName(),
                    builder.getI64IntegerAttr(kMapAlignment));
    func.setArgAttr(number, NVVM::NVVMDialect::getGridConstantAttrName(),
                    builder.getUnitAttr());
  }
}

/// Annotations of loops become those of LLVM's branches: upstream's conversion
/// leaves them as attributes that the translation does not look at.
static void setLoopAnnotations(LLVM::LLVMFuncOp func) {
  func.walk([](LLVM::BrOp branch) {
    if (auto annotation = dyn_cast_if_present<LLVM::LoopAnnotationAttr>(
            branch->removeDiscardableAttr(loopAnnotationAttrName)))
      branch.setLoopAnnotationAttr(annotation);
  });
}

namespace {
struct ConvertGPUFunctionsToLLVMPass
    : tg::impl::ConvertGPUFunctionsToLLVMBase<ConvertGPUFunctionsToLLVMPass> {
  using Base::Base;

  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    if (!tinygrad::findGPUChip(chip)) {
      module.emitError("there is no GPU called '")
          << chip << "'; known ones:" << tinygrad::listGPUChips();
      return signalPassFailure();
    }
    amdgpu::Chipset amd;
    if (isAMD(chip))
      amd = *amdgpu::Chipset::parse(chip);
    // Values of 64 bits are shuffled in halves.
    RewritePatternSet shuffles(&getContext());
    populateGpuShufflePatterns(shuffles);
    walkAndApplyPatterns(module, std::move(shuffles));
    const bool hasWarpgroups = module
                                   ->walk([](NVVM::WgmmaMmaAsyncOp) {
                                     return WalkResult::interrupt();
                                   })
                                   .wasInterrupted();
    llvm::StringMap<SmallVector<unsigned, 2>> maps;
    llvm::StringSet<> anyGroups;
    for (auto func :
         llvm::make_early_inc_range(module.getOps<gpu::GPUFuncOp>())) {
      maps[func.getName()] = getMaps(func);
      if (takesAnyGroups(func))
        anyGroups.insert(func.getName());
      makeAddressesUniform(func);
      if (failed(convert(func, chip, amd)))
        return signalPassFailure();
    }
    // Memory that the launch provides has no size.
    for (auto global : module.getOps<LLVM::GlobalOp>())
      if (auto type = dyn_cast<LLVM::LLVMArrayType>(global.getType());
          type && type.getNumElements() == 0) {
        global.setLinkage(LLVM::Linkage::External);
        if (hasWarpgroups)
          global.setAlignment(tinygrad::kWarpgroupAlignment);
      }
    for (auto func : module.getOps<LLVM::LLVMFuncOp>()) {
      setGroupSize(func, chip);
      setMaps(func, maps[func.getName()]);
      if (anyGroups.contains(func.getName()))
        markAnyGroups(func);
      setLoopAnnotations(func);
      waitForCopiesOnce(func);
      for (StringRef name :
           {groupsAttrName, narrowIndicesAttrName, outputsAttrName,
            inPlaceAttrName, residentGroupsAttrName, variablesAttrName})
        func->removeAttr(name);
    }
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// The pipeline
//===----------------------------------------------------------------------===//

void tg::buildGPUToLLVMPipeline(OpPassManager &pm, StringRef chip) {
  pm.addPass(createTgRequireFunctions());
  auto &module = pm.nest<gpu::GPUModuleOp>();
  auto &functions = module.nest<gpu::GPUFuncOp>();
  functions.addPass(createTgAnnotateKernelFunctions());
  functions.addPass(createTgDistributePermutations());
  functions.addPass(createTgPrepareGPUFunctions({getMaxStaticBytes(chip)}));
  // Ranges of what a loop carries are not found.
  functions.addPass(createTgCarryBuffers());
  module.addPass(createTgExpandMath());
  module.addPass(createSCFToControlFlowPass());
  module.addPass(createConvertGPUFunctionsToLLVM({chip.str()}));
}

namespace {
struct GPUToLLVMOptions : PassPipelineOptions<GPUToLLVMOptions> {
  Option<std::string> chip{
      *this, "chip",
      llvm::cl::desc("The GPU: \"sm_90\", \"gfx942\" (default: \"sm_90\")"),
      llvm::cl::init("sm_90")};
};
} // namespace

void tg::registerGPUToLLVMPipeline() {
  PassPipelineRegistration<GPUToLLVMOptions>(
      "tg-gpu-to-llvm-pipeline",
      "From what convert-tg-to-gpu makes to LLVM's dialect",
      [](OpPassManager &pm, const GPUToLLVMOptions &options) {
        buildGPUToLLVMPipeline(pm, options.chip);
      });
}
