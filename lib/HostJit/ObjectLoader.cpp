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

#include "CodeMemory.h"
#include "HostProcessor.h"
#include "TinyGrad/Runtime/CodeLoader.h"
#include "TinyGrad/Runtime/Error.h"

#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"

#include <atomic>
#include <mutex>

using namespace llvm;
using namespace llvm::orc;
using tinygrad::CompileError;

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
  for (const tinygrad::KernelFunction &function : tinygrad::kernelFunctions())
    symbols[session->intern(function.name)] = {
        ExecutorAddr::fromPtr(function.address),
        JITSymbolFlags::Exported | JITSymbolFlags::Callable};
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
class OrcObject : public tinygrad::LoadedCode {
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

namespace {
class ObjectLoader : public tinygrad::CodeLoader {
public:
  std::unique_ptr<tinygrad::LoadedCode> load(const void *code,
                                             std::size_t bytes) override;
  void checkProcessor(const std::string &processor) override {
    tinygrad::detail::checkProcessorRuns(processor);
  }
};
} // namespace

std::unique_ptr<tinygrad::LoadedCode> ObjectLoader::load(const void *code,
                                                         std::size_t bytes) {
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

/// Programs that link this library refer to this function by a flag of the
/// linker, so that it is not dropped. It runs before static objects are made,
/// which may load code.
extern "C" __attribute__((constructor(200))) void tinyGradHostJit() {
  // Never destroyed: static objects may hold kernels.
  static ObjectLoader *loader = new ObjectLoader;
  const tinygrad::CodeLoaderRegistration registration(*loader);
}
