//===- GraphModule.cpp - modules of tensors -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Takes the graph behind tensors apart, as realizing them does.
///
//===----------------------------------------------------------------------===//

#include "GraphModule.h"
#include "../Generator.h"

#include "GraphSlice.h"
#include "support/ToolSupport.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::fuzz;

/// Whether nothing has to be computed for a value.
static bool isMemory(Operation *op) { return isa<mlir::tg::BufferOp>(op); }

GraphModule tinygrad::fuzz::makeModule(const std::vector<Tensor> &tensors,
                                       const std::vector<Tensor> &inputs,
                                       bool keepsProducts) {
  GraphModule made;
  detail::GraphImpl &graph = *Graph::current().impl();
  std::lock_guard<detail::GraphMutex> lock(graph.mutex);
  llvm::SmallSetVector<Operation *, 8> wanted;
  SmallVector<Operation *> ops;
  for (const Tensor &tensor : tensors) {
    ops.push_back(graph.operation(tensor.impl()));
    if (!isMemory(ops.back()))
      wanted.insert(ops.back());
  }
  if (wanted.empty())
    return made;
  const detail::GraphSlice slice(graph, wanted.getArrayRef(), keepsProducts);
  made.module = slice.clone(graph.location);
  for (const SymVariable &variable : slice.variables())
    made.variables[variable.name] = variable.value.value_or(variable.min);
  auto function = made.module->lookupSymbol<func::FuncOp>("main");
  for (Operation *op : ops) {
    const auto *found = llvm::find(slice.results(), op);
    made.results.push_back(
        found == slice.results().end() ? -1 : found - slice.results().begin());
  }
  for (const Tensor &input : inputs) {
    const auto *found =
        llvm::find(slice.inputs(), graph.operation(input.impl()));
    made.arguments.push_back(
        found == slice.inputs().end() ? -1 : found - slice.inputs().begin());
  }
  for (auto [i, op] : llvm::enumerate(slice.inputs())) {
    const Buffer memory =
        graph.buffers.at(cast<mlir::tg::BufferOp>(op).getId());
    mlir::tg::HostTensor tensor;
    auto type = cast<RankedTensorType>(function.getArgumentTypes()[i]);
    tensor.shape.assign(type.getShape().begin(), type.getShape().end());
    tensor.elementType = type.getElementType();
    const auto *data = static_cast<const char *>(memory.address());
    tensor.bytes.assign(data, data + memory.size());
    function.setArgAttr(i, mlir::tg::inputAttrName,
                        mlir::tg::getDenseElements(tensor));
  }
  return made;
}

/// A tensor's operation and those that it depends on.
static llvm::SmallSetVector<Operation *, 16>
findSources(tinygrad::detail::GraphImpl &graph, const Tensor &tensor) {
  llvm::SmallSetVector<Operation *, 16> sources;
  sources.insert(graph.operation(tensor.impl()));
  for (size_t i = 0; i < sources.size(); ++i)
    for (mlir::Value operand : sources[i]->getOperands())
      if (Operation *source = operand.getDefiningOp())
        sources.insert(source);
  return sources;
}

bool tinygrad::fuzz::dependsOn(const Tensor &tensor, const Tensor &other) {
  detail::GraphImpl &graph = *Graph::current().impl();
  std::lock_guard<detail::GraphMutex> lock(graph.mutex);
  return findSources(graph, tensor).contains(graph.operation(other.impl()));
}

bool tinygrad::fuzz::isConstant(const Tensor &tensor) {
  detail::GraphImpl &graph = *Graph::current().impl();
  std::lock_guard<detail::GraphMutex> lock(graph.mutex);
  return llvm::none_of(findSources(graph, tensor), isMemory);
}

std::optional<std::vector<double>>
tinygrad::fuzz::getElements(const Tensor &tensor) {
  std::vector<double> elements;
  GraphModule made = makeModule({tensor}, {}, /*keepsProducts=*/false);
  if (!made.module) {
    const HostArray array = tensor.toHost();
    for (int64_t i = 0, e = tensor.numel().value(); i < e; ++i) {
      const char *data = static_cast<const char *>(array.data.address());
      if (tensor.dtype() == DType::Float64) {
        double value;
        std::memcpy(&value, data + i * sizeof(value), sizeof(value));
        elements.push_back(value);
      } else {
        float value;
        std::memcpy(&value, data + i * sizeof(value), sizeof(value));
        elements.push_back(value);
      }
    }
    return elements;
  }
  if (!made.variables.empty())
    mlir::tg::bindProgram(*made.module, made.variables);
  auto function = made.module->lookupSymbol<func::FuncOp>("main");
  FailureOr<std::vector<mlir::tg::HostTensor>> contents =
      mlir::tg::getInputs(function);
  SmallVector<mlir::tg::HostTensor> results;
  if (failed(contents) ||
      failed(mlir::tg::interpret(function, *contents, results)))
    return std::nullopt;
  const mlir::tg::HostTensor &result = results.front();
  for (int64_t i = 0, e = result.numElements(); i < e; ++i)
    elements.push_back(mlir::tg::getElementAsDouble(result, i));
  return elements;
}

Extremes tinygrad::fuzz::findExtremes(const Tensor &tensor) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::optional<std::vector<double>> elements = getElements(tensor);
  if (!elements)
    return {0, 0, false};
  Extremes range{infinity, -infinity, true};
  for (const double element : *elements) {
    range.isFinite &= std::isfinite(element);
    range.low = std::min(range.low, element);
    range.high = std::max(range.high, element);
  }
  return range;
}
