//===- HostCode.cpp - code of the host ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Gives shared objects to the system's loader, without a file where the system
/// has files in memory, and relocatable ones to the library that links them.
///
//===----------------------------------------------------------------------===//

#include "HostCode.h"
#include "../Files.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Support/ProcessorFeatures.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

using namespace tinygrad;
using namespace tinygrad::detail;

LoadedCode::~LoadedCode() = default;
CodeLoader::~CodeLoader() = default;

static std::atomic<CodeLoader *> registeredLoader = nullptr;

CodeLoaderRegistration::CodeLoaderRegistration(CodeLoader &loader) {
  registeredLoader = &loader;
}

bool detail::hasCodeLoader() { return registeredLoader != nullptr; }

//===----------------------------------------------------------------------===//
// Shared objects
//===----------------------------------------------------------------------===//

namespace {
/// A file with the code, which exists as long as the object: the system's
/// loader takes a file of the same name for one that it has loaded already.
class CodeFile {
public:
  CodeFile(const void *code, std::size_t bytes);
  ~CodeFile() {
    if (descriptor >= 0)
      ::close(descriptor);
    if (!temporary.empty())
      ::unlink(temporary.c_str());
  }
  CodeFile(const CodeFile &) = delete;
  CodeFile &operator=(const CodeFile &) = delete;

  std::string path() const {
    return temporary.empty() ? "/proc/self/fd/" + std::to_string(descriptor)
                             : temporary;
  }

private:
  void createTemporary();
  /// Returns the number of the error, or 0.
  int write(const char *code, std::size_t bytes);

  int descriptor = -1;
  std::string temporary; ///< a file that has a name
};

class SharedCode : public LoadedCode {
public:
  SharedCode(const void *code, std::size_t bytes);
  ~SharedCode() override {
    if (handle)
      ::dlclose(handle);
  }
  void *lookup(const std::string &symbol) override;

private:
  CodeFile file;
  void *handle = nullptr;
};
} // namespace

void CodeFile::createTemporary() {
  const char *directory = std::getenv("TMPDIR");
  temporary = directory && *directory ? directory : "/tmp";
  temporary += "/tinygrad-XXXXXX";
  descriptor = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (descriptor >= 0)
    return;
  const std::string text = errnoText(errno);
  const std::string name = std::exchange(temporary, "");
  throw CompileError("the system has no files in memory, and " + name +
                     " cannot be created: " + text);
}

int CodeFile::write(const char *code, std::size_t bytes) {
  const FileSizeSignalBlocker blocker;
  while (bytes != 0) {
    const ssize_t count = ::write(descriptor, code, bytes);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return count < 0 ? errno : EIO;
    code += count;
    bytes -= std::size_t(count);
  }
  return 0;
}

CodeFile::CodeFile(const void *code, std::size_t bytes) {
  descriptor = ::memfd_create("tinygrad", MFD_CLOEXEC);
  // The file in memory is opened by its name in /proc.
  if (descriptor >= 0 && ::access(path().c_str(), R_OK) != 0) {
    ::close(descriptor);
    descriptor = -1;
  }
  if (descriptor < 0)
    createTemporary();
  if (const int number = write(static_cast<const char *>(code), bytes)) {
    const std::string name = path();
    ::close(descriptor);
    descriptor = -1;
    if (!temporary.empty())
      ::unlink(temporary.c_str());
    throw CompileError("the code cannot be written to " + name + ": " +
                       errnoText(number));
  }
}

SharedCode::SharedCode(const void *code, std::size_t bytes)
    : file(code, bytes) {
  handle = ::dlopen(file.path().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *reason = ::dlerror();
    throw CompileError("the system does not load the code: " +
                       std::string(reason ? reason : "no reason given"));
  }
  for (const KernelFunction &function : kernelFunctions())
    if (void *pointer = ::dlsym(handle, getImportName(function.name).c_str()))
      std::memcpy(pointer, &function.address, sizeof(void *));
}

void *SharedCode::lookup(const std::string &symbol) {
  if (void *address = ::dlsym(handle, symbol.c_str()))
    return address;
  throw CompileError("the code has no kernel '" + symbol + "'");
}

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

#if defined(__x86_64__)
static constexpr unsigned kMachine = EM_X86_64;
#elif defined(__aarch64__)
static constexpr unsigned kMachine = EM_AARCH64;
#elif defined(__riscv)
static constexpr unsigned kMachine = EM_RISCV;
#else
static constexpr unsigned kMachine = EM_NONE;
#endif

/// Whether the code is a shared object. Throws CompileError for one that is not
/// for this machine.
static bool isSharedObject(const void *code, std::size_t bytes) {
  Elf64_Ehdr header;
  if (bytes < sizeof(header) || std::memcmp(code, ELFMAG, SELFMAG) != 0)
    return false;
  std::memcpy(&header, code, sizeof(header));
  if (header.e_type != ET_DYN)
    return false;
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != kMachine)
    throw CompileError("the code is for another processor than " +
                       std::string(hostArchitecture()));
  return true;
}

std::unique_ptr<LoadedCode> detail::loadHostCode(const void *code,
                                                 std::size_t bytes) {
  if (isSharedObject(code, bytes))
    return std::make_unique<SharedCode>(code, bytes);
  if (CodeLoader *loader = registeredLoader)
    return loader->load(code, bytes);
  throw CompileError(
      "it is no shared object, and this program has no linker for relocatable "
      "objects; link TinyGrad::HostJit, or load code of an artifact");
}

void detail::checkHostRuns(const std::string &processor) {
  if (CodeLoader *loader = registeredLoader)
    loader->checkProcessor(processor);
}

std::string_view detail::hostArchitecture() {
#if defined(__x86_64__)
  return "x86_64";
#elif defined(__aarch64__)
  return "aarch64";
#elif defined(__riscv)
  return "riscv64";
#else
  return "unknown";
#endif
}

std::string detail::hostTriple() {
#if defined(__x86_64__)
  return "x86_64-pc-linux-gnu";
#else
  return std::string(hostArchitecture()) + "-unknown-linux-gnu";
#endif
}

//===----------------------------------------------------------------------===//
// Processor
//===----------------------------------------------------------------------===//

#if defined(__x86_64__)
namespace {
/// What `cpuid` says, asked once.
struct ProcessorBits {
  ProcessorBits();
  bool hasAll(uint32_t saved) const {
    return (savedRegisters & saved) == saved;
  }

  uint32_t bits[kNumLeaves][kNumRegisters] = {};
  uint32_t savedRegisters = 0;
};
} // namespace

ProcessorBits::ProcessorBits() {
  auto ask = [&](ProcessorLeaf leaf, uint32_t eax, uint32_t ecx) {
    uint32_t *all = bits[leaf];
    // Leaves beyond the greatest one of their group are zeros.
    __get_cpuid_count(eax, ecx, &all[kEAX], &all[kEBX], &all[kECX], &all[kEDX]);
  };
  ask(kLeaf1, 1, 0);
  ask(kLeaf7, 7, 0);
  if (bits[kLeaf7][kEAX] >= 1)
    ask(kLeaf7Part1, 7, 1);
  ask(kLeaf24, 0x24, 0);
  ask(kLeafExtended, 0x80000001u, 0);
  if (bits[kLeaf1][kECX] & kSavesRegisters) {
    uint32_t high = 0;
    __asm__ volatile("xgetbv" : "=a"(savedRegisters), "=d"(high) : "c"(0));
  }
}

bool detail::hostHasFeature(std::string_view name) {
  static const ProcessorBits host;
  // The only one that is a number.
  if (name == kSecondAvx10)
    return hostHasFeature("avx10.1") &&
           (host.bits[kLeaf24][kEBX] & kAvx10Version) >= 2;
  for (const ProcessorFeature &feature : kProcessorFeatures)
    if (feature.name == name)
      return (host.bits[feature.leaf][feature.place] >> feature.bit & 1) != 0 &&
             (!name.starts_with("avx") || host.hasAll(kSavesVectors)) &&
             (!(name.starts_with("avx512") || name.starts_with("avx10")) ||
              host.hasAll(kSavesWideVectors)) &&
             (name != "egpr" || host.hasAll(kSavesGeneral));
  return false;
}
#else
bool detail::hostHasFeature(std::string_view) { return false; }
#endif
