//===- Graph.cpp - graphs, and the one of a scope -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The public handle of a graph: its random numbers, programs and text.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Tensor/Graph.h"
#include "GraphImpl.h"
#include "Recorder.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgVariables.h"
#include "TinyGrad/HostJit/KernelCache.h"
#include "TinyGrad/Runtime/Profile.h"

#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::detail;

/// The graph of the innermost GraphScope of this thread.
static thread_local const std::shared_ptr<GraphImpl> *scopedGraph = nullptr;

Graph::Graph() : impl_(std::make_shared<GraphImpl>()) {}

Graph Graph::current() {
  if (scopedGraph)
    return Graph(*scopedGraph);
  // Never destroyed: static tensors may outlive any other static object.
  static auto *processGraph =
      new std::shared_ptr<GraphImpl>(std::make_shared<GraphImpl>());
  return Graph(*processGraph);
}

void Graph::manualSeed(uint64_t seed) { setRandomState({seed, {}}); }

RandomState Graph::randomState(std::source_location where) const {
  const CallSite site(where.file_name(), where.line());
  Recorder::checkHostRead("randomState");
  std::lock_guard<GraphMutex> lock(impl_->mutex);
  RandomState state{impl_->seed, {}};
  for (const RandomCounters::Entry &entry : impl_->randomCounters.entries)
    state.counters.emplace_back(entry.device->name(), entry.count);
  return state;
}

void Graph::setRandomState(const RandomState &state) {
  RandomCounters counters;
  for (const auto &[name, count] : state.counters)
    counters.of(Device::get(name)) = count;
  std::lock_guard<GraphMutex> lock(impl_->mutex);
  impl_->seed = state.seed;
  impl_->randomCounters = std::move(counters);
  if (Recorder *recorder = Recorder::current();
      recorder && recorder == impl_->recorder)
    recorder->seeded(state.seed);
}

std::pair<uint64_t, uint64_t>
tinygrad::detail::takeRandomKey(const Graph &graph, Device &device,
                                uint64_t chunk, uint64_t count) {
  GraphImpl &impl = *graph.impl();
  std::lock_guard<GraphMutex> lock(impl.mutex);
  const uint64_t first = impl.randomCounters.of(device) + chunk;
  impl.randomCounters.of(device) += count;
  return {impl.randomCounters.keyOf(device, impl.seed, first), first};
}

std::size_t Graph::numOperations() const {
  std::lock_guard<GraphMutex> lock(impl_->mutex);
  return impl_->numOperations();
}

std::size_t Graph::numPrograms() const {
  std::lock_guard<GraphMutex> lock(impl_->mutex);
  return impl_->programs.size();
}

void Graph::clearPrograms() {
  std::lock_guard<GraphMutex> lock(impl_->mutex);
  impl_->programs.clear();
  KernelCache::global().dropUnused();
}

std::string Graph::str() const {
  std::lock_guard<GraphMutex> lock(impl_->mutex);
  std::string text;
  llvm::raw_string_ostream stream(text);
  OwningOpRef<ModuleOp> copy;
  if (impl_->hasSymbols()) {
    // Replaces the indices of variables' values by the values.
    copy = impl_->module->clone();
    tg::replaceVariables(*copy, [](tg::VarAttr var) {
      return tg::Dim(tg::VarAttr::get(var.getContext(), var.getName(),
                                      var.getMin(), var.getMax(),
                                      findVariable(var).value));
    });
  }
  (copy ? *copy : *impl_->module).print(stream);
  return text;
}

GraphScope::GraphScope(const Graph &graph)
    : graph(graph.impl()), outer(scopedGraph) {
  scopedGraph = &this->graph;
}

GraphScope::~GraphScope() { scopedGraph = outer; }
