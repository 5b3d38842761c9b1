//===- TestKernels.cpp - kernels for the runtime's tests ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the test kernels.
///
//===----------------------------------------------------------------------===//

#include "TestKernels.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Environment.h"

#include "llvm/TargetParser/Host.h"

#include <cstring>
#include <sstream>

static std::string loadArguments(unsigned numBuffers, bool hasValue) {
  std::ostringstream text;
  for (unsigned i = 0; i < numBuffers; ++i)
    text << "%p" << i << " = getelementptr ptr, ptr %buffers, i64 " << i
         << "\n%b" << i << " = load ptr, ptr %p" << i << "\n";
  if (hasValue)
    text << "%v0 = load i64, ptr %vars\n";
  return text.str();
}

/// A kernel with a loop over the work items. `body` uses %i, the buffers %b0,
/// %b1, %b2 and the value %v0.
static std::string kernel(const std::string &name, unsigned numBuffers,
                          bool hasValue, const std::string &body) {
  std::ostringstream text;
  text << "define void @" << name
       << "(ptr %buffers, ptr %vars, i64 %begin, i64 %end) {\nentry:\n"
       << loadArguments(numBuffers, hasValue)
       << "%some = icmp slt i64 %begin, %end\n"
          "br i1 %some, label %loop, label %exit\n"
          "loop:\n"
          "%i = phi i64 [%begin, %entry], [%next, %loop]\n"
       << body
       << "%next = add i64 %i, 1\n"
          "%more = icmp slt i64 %next, %end\n"
          "br i1 %more, label %loop, label %exit\n"
          "exit:\nret void\n}\n";
  return text.str();
}

static std::string at(const std::string &address, const std::string &type,
                      const std::string &buffer) {
  return address + " = getelementptr " + type + ", ptr " + buffer +
         ", i64 %i\n";
}

static std::string addValueBody() {
  return at("%from", "i64", "%b1") + at("%to", "i64", "%b0") +
         "%x = load i64, ptr %from\n%y = add i64 %x, %v0\n"
         "store i64 %y, ptr %to\n";
}
static std::string addBody() {
  return at("%l", "i64", "%b1") + at("%r", "i64", "%b2") +
         at("%to", "i64", "%b0") +
         "%x = load i64, ptr %l\n%y = load i64, ptr %r\n"
         "%z = add i64 %x, %y\nstore i64 %z, ptr %to\n";
}
static std::string countBody() {
  return at("%to", "i64", "%b0") +
         "%x = load i64, ptr %to\n%y = add i64 %x, 1\n"
         "store i64 %y, ptr %to\n";
}

const std::vector<char> &tinygrad::testing::cpuTestKernels() {
  static const std::vector<char> object = compileIr(
      "declare float @expf(float)\n" +
      kernel("add_value", 2, true, addValueBody()) +
      kernel("add", 3, false, addBody()) +
      kernel("count", 1, false, countBody()) +
      kernel("exponential", 2, false,
             at("%from", "float", "%b1") + at("%to", "float", "%b0") +
                 "%x = load float, ptr %from\n"
                 "%y = call float @expf(float %x)\n"
                 "store float %y, ptr %to\n") +
      kernel("narrow", 2, false,
             at("%from", "float", "%b1") + at("%to", "bfloat", "%b0") +
                 "%x = load float, ptr %from\n"
                 "%y = fptrunc float %x to bfloat\n"
                 "store bfloat %y, ptr %to\n"));
  return object;
}

const std::vector<char> &tinygrad::testing::unlinkableKernel() {
  static const std::vector<char> object = compileIr(
      "declare void @no_such_function()\n" +
      kernel("unlinkable", 0, false, "call void @no_such_function()\n"));
  return object;
}

/// A kernel for the simulator, with groups of one work item; it writes element
/// %i of %b0.
static std::string simulatedKernel(const std::string &name, unsigned numBuffers,
                                   bool hasValue, const std::string &body) {
  return "define void @" + name +
         "(ptr %buffers, ptr %vars, i64 %item, i64 %zero) {\n" +
         loadArguments(numBuffers, hasValue) +
         "%self = inttoptr i64 %item to ptr\n"
         "%group = load i32, ptr %self\n%i = zext i32 %group to i64\n"
         "%base = ptrtoint ptr %b0 to i64\n"
         "call i64 @tg_sim_access(i64 %item, i64 %base, i64 %i, i64 1, "
         "i64 1000000, i64 8, i64 1, i64 0)\n" +
         body + "ret void\n}\n";
}

const std::vector<char> &tinygrad::testing::simulatedTestKernels() {
  static const std::vector<char> object = compileIr(
      "declare i64 @tg_sim_access(i64, i64, i64, i64, i64, i64, i64, i64)\n" +
      simulatedKernel("add_value", 2, true, addValueBody()) +
      simulatedKernel("add", 3, false, addBody()) +
      simulatedKernel("count", 1, false, countBody()));
  return object;
}

/// A kernel for a GPU, with groups of one work item.
static std::string gpuKernel(bool isAMD, const std::string &name,
                             unsigned numBuffers, bool hasValue,
                             const std::string &body) {
  std::ostringstream text;
  text << "define " << (isAMD ? "amdgpu_kernel" : "ptx_kernel") << " void @"
       << name << "(";
  for (unsigned i = 0; i < numBuffers; ++i)
    text << (i == 0 ? "" : ", ") << "ptr addrspace(1) %g" << i;
  text << (hasValue ? ", i64 %v0" : "") << ") {\n";
  for (unsigned i = 0; i < numBuffers; ++i)
    text << "%b" << i << " = addrspacecast ptr addrspace(1) %g" << i
         << " to ptr\n";
  text << "%group = call i32 @llvm."
       << (isAMD ? "amdgcn.workgroup.id.x" : "nvvm.read.ptx.sreg.ctaid.x")
       << "()\n%i = zext i32 %group to i64\n"
       << body << "ret void\n}\n";
  return text.str();
}

std::vector<char> tinygrad::testing::gpuTestKernels(const std::string &chip) {
  const bool isAMD = chip.starts_with("gfx");
  return compileIrForGPU(
      gpuKernel(isAMD, "add_value", 2, true, addValueBody()) +
          gpuKernel(isAMD, "add", 3, false, addBody()) +
          gpuKernel(isAMD, "count", 1, false, countBody()),
      chip);
}

bool tinygrad::testing::isMock(const Device &device) {
  const std::string library = device.name().starts_with("CUDA")  ? cudaLibrary()
                              : device.name().starts_with("AMD") ? hipLibrary()
                                                                 : "";
  return library.find("DriverMock") != std::string::npos;
}

std::vector<char>
tinygrad::testing::mockModule(const Device &device,
                              const std::vector<std::string> &lines) {
  std::string code;
  const bool isAMD = device.name().starts_with("AMD");
  if (isAMD) {
    // The header of a code object: ELF of 64 bits for EM_AMDGPU.
    code.assign(64, '\0');
    code.replace(0, 6,
                 "\x7f"
                 "ELF\x02\x01");
    code[18] = '\xe0';
  }
  code += "mock module\n";
  for (const std::string &line : lines)
    code += line + "\n";
  code += "end\n";
  if (isAMD) {
    // HIP is not given the size. The table of sections is at the end.
    code.push_back('\0');
    const uint64_t table = code.size();
    std::memcpy(&code[40], &table, sizeof(table));
    code[58] = 64; // the size of an entry
    code[60] = 1;
    code.append(64, '\0');
  }
  return {code.begin(), code.end()};
}

std::optional<std::vector<char>>
tinygrad::testing::testKernelsFor(const Device &device) {
  if (!device.information().executes)
    return std::vector<char>{'n', 'o', 'n', 'e'};
  // The architecture of the CPU device is a triple, that of a GPU is not.
  if (device.information().architecture == llvm::sys::getProcessTriple())
    return cpuTestKernels();
  if (device.information().architecture.starts_with("sim:"))
    return simulatedTestKernels();
  if (isMock(device))
    return mockModule(device,
                      {"kernel add_value 3", "kernel add 3", "kernel count 1"});
  const std::string &target = device.information().target;
  if (target.starts_with("cuda:") || target.starts_with("amd:"))
    return gpuTestKernels(target.substr(target.find(':') + 1));
  return std::nullopt;
}
