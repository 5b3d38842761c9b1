//===- ObjectLoader.cpp - linking object code into the process ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The only user of ORC. The whole process shares one session and one linking
/// layer; each object gets its own library (JITDylib), so that symbol names do
/// not clash and code can be removed.
///
//===----------------------------------------------------------------------===//

#include "ObjectLoader.h"
#include "BoundsReport.h"
#include "CodeMemory.h"
#include "Simulator.h"
#include "TinyGrad/Runtime/DType.h"
#include "TinyGrad/Runtime/Error.h"

#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"

#include <atomic>
#include <bit>
#include <mutex>

using namespace llvm;
using namespace llvm::orc;
using tinygrad::CompileError;

tinygrad::detail::LoadedObject::~LoadedObject() = default;

//===----------------------------------------------------------------------===//
// Conversion routines
//===----------------------------------------------------------------------===//

// LLVM calls these functions to round to 16-bit floats on CPUs without
// instructions for it. The C library does not have them, and libgcc has only
// some, depending on its version. The x86 ABI returns a 16-bit float in the low
// half of a vector register, like a float; so does AArch64.
static float inLowBits(uint16_t bits) {
  return std::bit_cast<float>(uint32_t(bits));
}
static uint16_t lowBits(float value) {
  return uint16_t(std::bit_cast<uint32_t>(value));
}
static float floatToBFloat(float value) {
  return inLowBits(tinygrad::encodeBFloat16(value));
}
static float doubleToBFloat(double value) {
  return inLowBits(tinygrad::encodeBFloat16(value));
}
static float floatToHalf(float value) {
  return inLowBits(tinygrad::encodeHalf(value));
}
static float doubleToHalf(double value) {
  return inLowBits(tinygrad::encodeHalf(value));
}
static float halfToFloat(float value) {
  return float(tinygrad::decodeHalf(lowBits(value)));
}

//===----------------------------------------------------------------------===//
// Session
//===----------------------------------------------------------------------===//

/// Enough for about 4,000 small kernels.
static constexpr std::size_t kSlabBytes = std::size_t(16) << 20;

namespace {
class Session {
public:
  Session();

  std::unique_ptr<ExecutionSession> session;
  std::unique_ptr<ObjectLinkingLayer> layer;
  JITDylib *process = nullptr;
  std::atomic<uint64_t> counter{0};

  /// Returns and clears the message of the first error reported. ORC reports
  /// the cause of a failed lookup here; the lookup itself returns only the
  /// consequence.
  std::string takeReport();

private:
  std::mutex mutex;
  std::string report;
};
} // namespace

Session::Session() {
  // Links on the calling thread: kernels are small, and threads that compile
  // concurrently also link concurrently.
  auto control = SelfExecutorProcessControl::Create(
      nullptr, std::make_unique<InPlaceTaskDispatcher>());
  if (!control)
    throw CompileError("cannot set up linking: " +
                       toString(control.takeError()));
  session = std::make_unique<ExecutionSession>(std::move(*control));
  session->setErrorReporter([this](llvm::Error error) {
    std::string text = llvm::toString(std::move(error));
    std::lock_guard<std::mutex> lock(mutex);
    if (report.empty())
      report = std::move(text);
  });
  layer = std::make_unique<ObjectLinkingLayer>(
      *session, std::make_unique<tinygrad::detail::CodeMemory>(
                    session->getPageSize(), kSlabBytes));

  process = &session->createBareJITDylib("process");
  SymbolMap symbols;
  auto define = [&](const char *name, auto *function) {
    symbols[session->intern(name)] = {ExecutorAddr::fromPtr(function),
                                      JITSymbolFlags::Exported |
                                          JITSymbolFlags::Callable};
  };
  define("__truncsfbf2", floatToBFloat);
  define("__truncdfbf2", doubleToBFloat);
  define("__truncsfhf2", floatToHalf);
  define("__truncdfhf2", doubleToHalf);
  define("__extendhfsf2", halfToFloat);
  define(tinygrad::detail::kReportBoundsName, tinygrad::detail::reportBounds);
  define("tg_sim_barrier", tg_sim_barrier);
  define("tg_sim_shuffle", tg_sim_shuffle);
  define("tg_sim_access", tg_sim_access);
  define("tg_sim_multiply", tg_sim_multiply);
  define("tg_sim_load_matrices", tg_sim_load_matrices);
  define("tg_sim_copy", tg_sim_copy);
  define("tg_sim_commit_copies", tg_sim_commit_copies);
  define("tg_sim_wait_for_copies", tg_sim_wait_for_copies);
  cantFail(process->define(absoluteSymbols(std::move(symbols))));
  auto generator = DynamicLibrarySearchGenerator::GetForCurrentProcess('\0');
  if (!generator)
    throw CompileError("cannot look up symbols of the process: " +
                       toString(generator.takeError()));
  process->addGenerator(std::move(*generator));
}

std::string Session::takeReport() {
  std::lock_guard<std::mutex> lock(mutex);
  std::string text;
  text.swap(report);
  return text;
}

/// Never destroyed: static objects may hold kernels.
static Session &theSession() {
  static Session *session = new Session;
  return *session;
}

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

namespace {
class OrcObject : public tinygrad::detail::LoadedObject {
public:
  explicit OrcObject(JITDylib &library) : library(library) {}
  ~OrcObject() override {
    Session &all = theSession();
    if (llvm::Error error = all.session->removeJITDylib(library))
      all.session->reportError(std::move(error));
  }

  void *lookup(const std::string &symbol) override {
    Session &all = theSession();
    auto address = all.session->lookup(makeJITDylibSearchOrder(&library),
                                       all.session->intern(symbol));
    if (address)
      return address->getAddress().toPtr<void *>();
    std::string text =
        "cannot link kernel '" + symbol + "': " + toString(address.takeError());
    if (std::string cause = all.takeReport(); !cause.empty())
      text += ": " + cause;
    throw CompileError(text);
  }

private:
  JITDylib &library;
};
} // namespace

std::unique_ptr<tinygrad::detail::LoadedObject>
tinygrad::detail::loadObject(const void *code, std::size_t bytes) {
  Session &all = theSession();
  JITDylib &library = all.session->createBareJITDylib(
      "kernels" + std::to_string(all.counter++));
  library.addToLinkOrder(*all.process);
  auto object = std::make_unique<OrcObject>(library);
  // The linker refers to the bytes until the first lookup.
  std::unique_ptr<MemoryBuffer> copy = MemoryBuffer::getMemBufferCopy(
      StringRef(static_cast<const char *>(code), bytes), library.getName());
  if (llvm::Error error = all.layer->add(library, std::move(copy)))
    throw CompileError("not valid object code: " +
                       llvm::toString(std::move(error)));
  return object;
}

std::string tinygrad::detail::hostTriple() {
  return theSession().session->getTargetTriple().str();
}
