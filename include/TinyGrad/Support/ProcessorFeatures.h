//===- ProcessorFeatures.h - what processors of x86-64 have -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The bits by which a processor says what it has. The numbers are those of
/// Intel's "Intel 64 and IA-32 Architectures Software Developer's Manual",
/// volume 2, and of AMD's "AMD64 Architecture Programmer's Manual", volume 3.
/// Belongs to no library: the runtime, and the code of exported libraries, ask
/// the processor; the compiler says what code needs.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_SUPPORT_PROCESSORFEATURES_H
#define TINYGRAD_SUPPORT_PROCESSORFEATURES_H

#include <cstdint>
#include <string_view>

namespace tinygrad {

/// What `cpuid` is asked for.
enum ProcessorLeaf {
  kLeaf1,
  kLeaf7,
  kLeaf7Part1,
  kLeaf24, ///< 0x24
  kLeafExtended,
  kNumLeaves
};
/// The register of the answer.
enum ProcessorRegister { kEAX, kEBX, kECX, kEDX, kNumRegisters };

/// A bit of an answer, by LLVM's name.
struct ProcessorFeature {
  std::string_view name;
  ProcessorLeaf leaf;
  ProcessorRegister place;
  unsigned bit;
};

/// What LLVM's code generators use of their own accord. Others, such as those
/// for systems, are in no code of ours.
inline constexpr ProcessorFeature kProcessorFeatures[] = {
    {"sse3", kLeaf1, kECX, 0},
    {"pclmul", kLeaf1, kECX, 1},
    {"ssse3", kLeaf1, kECX, 9},
    {"fma", kLeaf1, kECX, 12},
    {"cx16", kLeaf1, kECX, 13},
    {"sse4.1", kLeaf1, kECX, 19},
    {"sse4.2", kLeaf1, kECX, 20},
    {"movbe", kLeaf1, kECX, 22},
    {"popcnt", kLeaf1, kECX, 23},
    {"aes", kLeaf1, kECX, 25},
    {"avx", kLeaf1, kECX, 28},
    {"f16c", kLeaf1, kECX, 29},
    {"rdrnd", kLeaf1, kECX, 30},
    {"bmi", kLeaf7, kEBX, 3},
    {"avx2", kLeaf7, kEBX, 5},
    {"bmi2", kLeaf7, kEBX, 8},
    {"avx512f", kLeaf7, kEBX, 16},
    {"avx512dq", kLeaf7, kEBX, 17},
    {"adx", kLeaf7, kEBX, 19},
    {"avx512ifma", kLeaf7, kEBX, 21},
    {"avx512cd", kLeaf7, kEBX, 28},
    {"sha", kLeaf7, kEBX, 29},
    {"avx512bw", kLeaf7, kEBX, 30},
    {"avx512vl", kLeaf7, kEBX, 31},
    {"avx512vbmi", kLeaf7, kECX, 1},
    {"avx512vbmi2", kLeaf7, kECX, 6},
    {"gfni", kLeaf7, kECX, 8},
    {"vaes", kLeaf7, kECX, 9},
    {"vpclmulqdq", kLeaf7, kECX, 10},
    {"avx512vnni", kLeaf7, kECX, 11},
    {"avx512bitalg", kLeaf7, kECX, 12},
    {"avx512vpopcntdq", kLeaf7, kECX, 14},
    {"avx512vp2intersect", kLeaf7, kEDX, 8},
    {"amx-bf16", kLeaf7, kEDX, 22},
    {"avx512fp16", kLeaf7, kEDX, 23},
    {"amx-tile", kLeaf7, kEDX, 24},
    {"amx-int8", kLeaf7, kEDX, 25},
    {"avxvnni", kLeaf7Part1, kEAX, 4},
    {"avx512bf16", kLeaf7Part1, kEAX, 5},
    {"avxifma", kLeaf7Part1, kEAX, 23},
    {"movrs", kLeaf7Part1, kEAX, 31},
    {"cmpccxadd", kLeaf7Part1, kEAX, 7},
    {"sha512", kLeaf7Part1, kEAX, 0},
    {"sm3", kLeaf7Part1, kEAX, 1},
    {"sm4", kLeaf7Part1, kEAX, 2},
    {"avxvnniint8", kLeaf7Part1, kEDX, 4},
    {"avxneconvert", kLeaf7Part1, kEDX, 5},
    {"avxvnniint16", kLeaf7Part1, kEDX, 10},
    {"prefetchi", kLeaf7Part1, kEDX, 14},
    {"avx10.1", kLeaf7Part1, kEDX, 19},
    // Parts of APX, which has one bit.
    {"egpr", kLeaf7Part1, kEDX, 21},
    {"push2pop2", kLeaf7Part1, kEDX, 21},
    {"ppx", kLeaf7Part1, kEDX, 21},
    {"ndd", kLeaf7Part1, kEDX, 21},
    {"ccmp", kLeaf7Part1, kEDX, 21},
    {"nf", kLeaf7Part1, kEDX, 21},
    {"cf", kLeaf7Part1, kEDX, 21},
    {"zu", kLeaf7Part1, kEDX, 21},
    {"sahf", kLeafExtended, kECX, 0},
    {"lzcnt", kLeafExtended, kECX, 5},
    {"sse4a", kLeafExtended, kECX, 6},
    {"prfchw", kLeafExtended, kECX, 8},
    {"xop", kLeafExtended, kECX, 11},
    {"fma4", kLeafExtended, kECX, 16},
    {"tbm", kLeafExtended, kECX, 21},
};

/// Of leaf 1, register ECX: the system saves extended registers, and `xgetbv`
/// says which.
inline constexpr uint32_t kSavesRegisters = 1u << 27;
/// What it says, if it saves those of AVX, those of AVX-512, and the further
/// general registers of APX.
inline constexpr uint32_t kSavesVectors = 0x6, kSavesWideVectors = 0xe6,
                          kSavesGeneral = 1u << 19;
/// Of leaf 0x24, register EBX: the version of AVX10. LLVM's name of the second
/// one, which has no bit of its own.
inline constexpr uint32_t kAvx10Version = 0xff;
inline constexpr std::string_view kSecondAvx10 = "avx10.2";

} // namespace tinygrad

#endif // TINYGRAD_SUPPORT_PROCESSORFEATURES_H
