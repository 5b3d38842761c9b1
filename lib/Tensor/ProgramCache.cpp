//===- ProgramCache.cpp - the programs of a graph -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Decides which numbers become operands and which programs are kept.
///
//===----------------------------------------------------------------------===//

#include "ProgramCache.h"
#include "TinyGrad/Compiler/Compiler.h"
#include "TinyGrad/Runtime/Counters.h"

#include <cstring>

using namespace tinygrad;
using namespace tinygrad::detail;

/// The number of programs of one structure that are specialized for their
/// numbers. Most structures occur with one or two sets of numbers, and
/// specialization allows constant folding.
static constexpr unsigned kNumSpecialized = 2;

/// Numbers become operands as they are observed to differ. After this number of
/// general programs all numbers become separate operands, which bounds the
/// number of programs for a structure.
static constexpr unsigned kMaxGeneral = 6;

//===----------------------------------------------------------------------===//
// Families
//===----------------------------------------------------------------------===//

void ProgramCache::refine(Family &family, llvm::ArrayRef<SliceNumber> numbers) {
  ++family.numVersions;
  if (family.numVersions == 1) {
    family.first.assign(numbers.begin(), numbers.end());
    family.classOf.assign(numbers.size(), 0);
    family.varies.assign(numbers.size(), false);
  }
  // Numbers stay in one class if they are equal in this slice as well.
  std::map<std::pair<int, SliceNumber>, int> classes;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    family.varies[i] = family.varies[i] || numbers[i] != family.first[i];
    int &number = family.classOf[i];
    number = classes.try_emplace({number, numbers[i]}, int(classes.size()))
                 .first->second;
  }
}

std::vector<int> ProgramCache::chooseOperands(Family &family) {
  const bool isLast = ++family.numGeneral >= kMaxGeneral;
  std::vector<int> operandOf;
  std::map<int, int> operands;
  for (std::size_t i = 0; i < family.first.size(); ++i) {
    if (isLast)
      operandOf.push_back(int(i));
    else if (family.varies[i])
      operandOf.push_back(
          operands.try_emplace(family.classOf[i], int(operands.size()))
              .first->second);
    else
      operandOf.push_back(-1);
  }
  return operandOf;
}

bool ProgramCache::accepts(const Family &family,
                           const std::vector<int> &operandOf,
                           llvm::ArrayRef<SliceNumber> numbers) {
  // By operand, the value of its first number.
  std::vector<int64_t> values;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const int operand = operandOf[i];
    if (operand < 0) {
      if (numbers[i] != family.first[i])
        return false;
    } else if (std::size_t(operand) == values.size()) {
      values.push_back(numbers[i].value);
    } else if (values[std::size_t(operand)] != numbers[i].value) {
      return false;
    }
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

void ProgramCache::clear() {
  programs.clear();
  families.clear();
  entries.clear();
}

CachedProgram *ProgramCache::find(const Digest &key) {
  auto it = programs.find(key);
  if (it == programs.end())
    return nullptr;
  entries.splice(entries.begin(), entries, it->second);
  return &it->second->cached;
}

void ProgramCache::drop(Entries::iterator entry) {
  auto family = families.find(entry->structure);
  if (family->second.general == entry->key)
    family->second.general.reset();
  if (--family->second.numPrograms == 0)
    families.erase(family);
  programs.erase(entry->key);
  entries.erase(entry);
}

CachedProgram ProgramCache::insert(const Digest &key, const Digest &structure,
                                   CachedProgram cached, std::size_t limit) {
  entries.push_front({key, structure, cached});
  programs[key] = entries.begin();
  ++families.at(structure).numPrograms;
  while (programs.size() > limit)
    drop(std::prev(entries.end()));
  return cached;
}

/// The key of a program: the structure and the numbers it is specialized for.
static Digest keyOf(const Digest &structure,
                    llvm::ArrayRef<SliceNumber> numbers,
                    const std::vector<int> &operandOf) {
  std::vector<int64_t> words(4);
  std::memcpy(words.data(), structure.bytes.data(), structure.bytes.size());
  for (std::size_t i = 0; i < numbers.size(); ++i)
    words.push_back(operandOf.empty() || operandOf[i] < 0 ? numbers[i].value
                                                          : 0);
  words.insert(words.end(), operandOf.begin(), operandOf.end());
  return Digest::of(words.data(), words.size() * sizeof(int64_t));
}

CachedProgram ProgramCache::get(const Digest &structure,
                                llvm::ArrayRef<SliceNumber> numbers,
                                std::size_t limit, Compile compile) {
  const Digest exact = keyOf(structure, numbers, {});
  if (CachedProgram *cached = find(exact)) {
    ++GlobalCounters::scheduleCacheHits;
    return *cached;
  }
  // If compilation throws, the family stays as it was.
  auto known = families.find(structure);
  if (known != families.end() && known->second.general)
    if (CachedProgram *cached = find(*known->second.general);
        accepts(known->second, cached->operandOf, numbers)) {
      ++GlobalCounters::scheduleCacheHits;
      return *cached;
    }
  if (numbers.empty() || known == families.end() ||
      known->second.numVersions < kNumSpecialized) {
    CachedProgram cached{compile({}), {}};
    refine(families[structure], numbers);
    return insert(exact, structure, std::move(cached), limit);
  }
  refine(known->second, numbers);
  CachedProgram cached;
  cached.operandOf = chooseOperands(known->second);
  const Digest key = keyOf(structure, numbers, cached.operandOf);
  cached.program = compile(cached.operandOf);
  known->second.general = key;
  return insert(key, structure, std::move(cached), limit);
}
