//===- Costs.cpp - what functions of a library cost -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Sums up the counts of a function, of the kernels that it calls and of the
/// function of the header that calls it, and writes them as text.
///
//===----------------------------------------------------------------------===//

#include "Costs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::detail;

/// Combinations of sizes that are counted each for itself. If there are more,
/// only the largest sizes are.
static constexpr int64_t kMostSizes = 1024;

using Sizes = llvm::DenseMap<Attribute, int64_t>;

/// All combinations of sizes, or the largest sizes if there are too many.
static std::vector<Sizes> getSizes(ArrayRef<tg::VarAttr> variables,
                                   bool &coversAll) {
  int64_t number = 1;
  for (tg::VarAttr variable : variables)
    number = llvm::SaturatingMultiply<uint64_t>(
        number, variable.getMax() - variable.getMin() + 1);
  coversAll = number > 0 && number <= kMostSizes;
  std::vector<Sizes> all(1);
  for (tg::VarAttr variable : variables) {
    std::vector<Sizes> longer;
    const int64_t least = coversAll ? variable.getMin() : variable.getMax();
    for (const Sizes &sizes : all)
      for (int64_t size = least; size <= variable.getMax(); ++size) {
        longer.push_back(sizes);
        longer.back()[variable] = size;
      }
    all = std::move(longer);
  }
  return all;
}

void CostCounter::addCalls(ArrayRef<tg::HostFunction> functions) {
  std::map<std::pair<std::string, std::vector<int64_t>>, std::size_t> known;
  for (const tg::HostFunction &function : functions) {
    Host host;
    host.name = tg::HostFunction(function).function.getSymName().str();
    const std::vector<Sizes> all =
        getSizes(function.variables, host.coversAllSizes);
    host.numSizes = all.size();
    for (const tg::HostFunction::Launch &launch : function.launches) {
      Call call{launch.kernel, {}};
      std::vector<tg::KernelArguments> &list = counter.calls[launch.kernel];
      for (const Sizes &sizes : all) {
        auto evaluate = [&](tg::Dim dim) {
          tg::Dim value = dim.substitute([&](tg::VarAttr variable) {
            auto size = sizes.find(variable);
            return size == sizes.end()
                       ? tg::Dim(variable)
                       : tg::Dim(variable.getContext(), size->second);
          });
          return value.getMax();
        };
        tg::KernelArguments arguments;
        for (tg::Dim dim : launch.variables)
          arguments.variables.push_back(evaluate(dim));
        arguments.end = evaluate(launch.extent);
        std::vector<int64_t> key = arguments.variables;
        key.push_back(arguments.end);
        auto [place, isNew] =
            known.try_emplace({launch.kernel, std::move(key)}, list.size());
        if (isNew)
          list.push_back(std::move(arguments));
        call.arguments.push_back(place->second);
      }
      host.calls.push_back(std::move(call));
    }
    hosts.push_back(std::move(host));
  }
}

namespace {
/// A function with all that it calls in its module, but for kernels.
class ChainCounter {
public:
  explicit ChainCounter(const tg::CodeCounter &counter) : counter(counter) {}

  /// Adds to the costs what the function does with arguments of this number.
  tg::CodeCounts add(StringRef name, std::size_t number, LibraryCosts &costs) {
    auto found = counter.functions.find(name);
    if (found == counter.functions.end()) {
      if (!llvm::is_contained(costs.externals, name))
        costs.externals.push_back(name.str());
      return {};
    }
    const tg::FunctionCounts &own = found->second;
    costs.isBounded &= own.isBounded && !own.counts.empty();
    if (own.counts.empty() || depth > 8) {
      costs.isBounded = false;
      return {};
    }
    if (own.isInCallers)
      return {};
    ++depth;
    tg::CodeCounts counts = own.counts[own.counts.size() == 1 ? 0 : number];
    for (const std::string &callee : own.callees)
      if (!counter.calls.contains(callee))
        counts += add(callee, number, costs);
    --depth;
    return counts;
  }
  /// The stack of a function and of what it calls.
  uint64_t getStack(StringRef name) {
    auto found = counter.functions.find(name);
    if (found == counter.functions.end() || depth > 8)
      return 0;
    ++depth;
    uint64_t most = 0;
    for (const std::string &callee : found->second.callees)
      if (!counter.calls.contains(callee))
        most = std::max(most, getStack(callee));
    --depth;
    return found->second.stackBytes + most;
  }
  /// Where a kernel's code depends on data.
  void addDependence(StringRef name, LibraryCosts &costs) {
    auto found = counter.functions.find(name);
    if (found == counter.functions.end() || depth > 8)
      return;
    ++depth;
    costs.dataBranches += found->second.dataBranches;
    costs.dataAddresses += found->second.dataAddresses;
    for (const std::string &callee : found->second.callees)
      addDependence(callee, costs);
    --depth;
  }

private:
  const tg::CodeCounter &counter;
  unsigned depth = 0;
};
} // namespace

static void set(LibraryCosts &costs, const tg::CodeCounts &counts) {
  costs.instructions = counts.instructions;
  costs.bytesRead = counts.bytesRead;
  costs.bytesWritten = counts.bytesWritten;
}

void CostCounter::addCosts(Library &library,
                           const LibraryVariant &variant) const {
  ChainCounter chain(counter);
  for (auto [entry, host] : llvm::zip_equal(library.entries, hosts)) {
    LibraryCosts costs;
    costs.coversAllSizes = host.coversAllSizes;
    StringRef processor = variant.prefix;
    processor.consume_front(library.options.name + ".");
    processor.consume_back(".");
    costs.processor =
        processor == "host" ? variant.processor.cpu : processor.str();
    const tg::CodeCounts own = chain.add(host.name, 0, costs);
    tg::CodeCounts most;
    std::map<std::string, std::size_t> numbers;
    for (std::size_t size = 0; size < host.numSizes; ++size) {
      tg::CodeCounts all = own;
      for (const Call &call : host.calls) {
        LibraryCosts kernel;
        const tg::CodeCounts counts =
            chain.add(call.kernel, call.arguments[size], kernel);
        all += counts;
        costs.isBounded &= kernel.isBounded;
        for (const std::string &name : kernel.externals)
          if (!llvm::is_contained(costs.externals, name))
            costs.externals.push_back(name);
        auto [place, isNew] =
            numbers.try_emplace(call.kernel, costs.kernels.size());
        if (isNew) {
          StringRef name = call.kernel;
          name.consume_front(variant.prefix);
          LibraryCosts::Kernel row;
          row.name = name.str();
          row.stackBytes = chain.getStack(call.kernel);
          LibraryCosts dependence;
          chain.addDependence(call.kernel, dependence);
          row.dataBranches = dependence.dataBranches;
          row.dataAddresses = dependence.dataAddresses;
          costs.dataBranches += row.dataBranches;
          costs.dataAddresses += row.dataAddresses;
          costs.kernels.push_back(std::move(row));
        }
        LibraryCosts::Kernel &row = costs.kernels[place->second];
        row.isBounded &= kernel.isBounded;
        if (size == 0)
          ++row.calls;
        row.instructions = std::max(row.instructions, counts.instructions);
        row.bytesRead = std::max(row.bytesRead, counts.bytesRead);
        row.bytesWritten = std::max(row.bytesWritten, counts.bytesWritten);
      }
      most.raise(all);
    }
    set(costs, most);
    uint64_t deepest = 0;
    for (const LibraryCosts::Kernel &kernel : costs.kernels)
      deepest = std::max(deepest, kernel.stackBytes);
    costs.stackBytes = chain.getStack(host.name) + deepest;
    // A kernel on threads is called by a function that the parallel loop calls.
    if (library.options.threads)
      for (const auto &function : counter.functions)
        if (function.getKey().starts_with(variant.prefix + "tg.part"))
          costs.stackBytes += chain.getStack(function.getKey());
    entry.costs.push_back(std::move(costs));
  }
}

void tinygrad::detail::addInterfaceCosts(Library &library,
                                         const tg::CodeCounter &counter) {
  ChainCounter chain(counter);
  library.loadStackBytes = chain.getStack(library.options.name + "_load");
  library.saveStackBytes = chain.getStack(library.options.name + "_save");
  for (LibraryEntry &entry : library.entries) {
    const std::string name = library.options.name + "_" + entry.name;
    LibraryCosts own;
    const tg::CodeCounts counts = chain.add(name, 0, own);
    // Its frame stays below those of the code for a processor.
    const uint64_t frame = counter.functions.lookup(name).stackBytes,
                   all = chain.getStack(name);
    for (LibraryCosts &costs : entry.costs) {
      costs.isBounded &= own.isBounded;
      costs.instructions += counts.instructions;
      costs.bytesRead += counts.bytesRead;
      costs.bytesWritten += counts.bytesWritten;
      costs.stackBytes = std::max(costs.stackBytes + frame, all);
      entry.stackBytes =
          std::max<std::size_t>(entry.stackBytes, costs.stackBytes);
    }
  }
}

//===----------------------------------------------------------------------===//
// The report
//===----------------------------------------------------------------------===//

static std::string describeDependence(unsigned branches, unsigned addresses) {
  std::string text;
  auto add = [&](unsigned number, const std::string &what,
                 const std::string &plural) {
    if (number == 0)
      return;
    if (!text.empty())
      text += ", ";
    text += std::to_string(number) + " " + (number == 1 ? what : plural);
  };
  add(branches, "branch", "branches");
  add(addresses, "address", "addresses");
  return text.empty() ? "nothing" : text;
}

static void write(llvm::raw_ostream &os, const LibraryCosts &costs) {
  os << "  processor: " << costs.processor << "\n";
  if (!costs.isBounded)
    os << "  instructions: not bounded, since not all loops are\n";
  else
    os << "  instructions: at most " << costs.instructions << "\n"
       << "  bytes: at most " << costs.bytesRead << " read, "
       << costs.bytesWritten << " written\n";
  if (!costs.coversAllSizes)
    os << "  sizes: the numbers are for the largest ones\n";
  os << "  stack: at most " << costs.stackBytes << " bytes\n"
     << "  heap: none\n"
     << "  depends on data: "
     << describeDependence(costs.dataBranches, costs.dataAddresses) << "\n";
  if (!costs.externals.empty()) {
    os << "  not counted: ";
    llvm::interleaveComma(costs.externals, os);
    os << "\n";
  }
  for (const LibraryCosts::Kernel &kernel : costs.kernels) {
    os << "  kernel " << kernel.name << ": " << kernel.calls << " x ";
    if (kernel.isBounded)
      os << kernel.instructions << " instructions, " << kernel.bytesRead
         << " read, " << kernel.bytesWritten << " written";
    else
      os << "not bounded";
    os << ", stack " << kernel.stackBytes << ", depends on data: "
       << describeDependence(kernel.dataBranches, kernel.dataAddresses) << "\n";
  }
}

std::string tinygrad::detail::makeReport(const Library &library) {
  std::string text;
  llvm::raw_string_ostream os(text);
  const std::string &name = library.options.name;
  os << "What a call of each function of " << name
     << " does at most, on one thread. See docs/library.md for what is "
        "counted.\n";
  for (const LibraryEntry &entry : library.entries)
    for (const LibraryCosts &costs : entry.costs) {
      os << "\n" << name << "_" << entry.name << "\n";
      write(os, costs);
    }
  return text;
}
