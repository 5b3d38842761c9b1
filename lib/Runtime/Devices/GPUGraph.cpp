//===- GPUGraph.cpp - launch lists as graphs of the driver ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Builds, changes and launches graphs.
///
//===----------------------------------------------------------------------===//

#include "GPUGraph.h"
#include "GPURuntime.h"
#include "TinyGrad/Runtime/Environment.h"

#include <new>

using namespace tinygrad;
using namespace tinygrad::detail;

/// The replay that builds the graph. Many lists run only once, and building
/// costs more than a run.
static constexpr unsigned kBuildingReplay = 2;

/// A list of fewer commands takes as long one by one.
static constexpr std::size_t kLeastCommands = 2;

bool GPUGraph::isWorthwhile(const std::vector<Command> &commands) {
  if (commands.size() < kLeastCommands)
    return false;
  for (const Command &command : commands)
    if (command.kind == Command::Kind::Sort)
      return false;
  return true;
}

GPUGraph::GPUGraph(GPUDevice &device, std::vector<Command> list,
                   std::unique_ptr<CommandList> plain)
    : device(device), commands(std::move(list)), plain(std::move(plain)),
      nodes(commands.size()), wanted(commands.size()) {
  // What is to be said of an error in one of its kernels.
  const Command *first = nullptr, *last = nullptr;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const Command &command = commands[i];
    wanted[i].buffers.resize(command.buffers.size());
    wanted[i].values.resize(command.variables.size());
    if (command.kind != Command::Kind::Launch)
      continue;
    first = first ? first : &command;
    last = &command;
  }
  label = "a list of " + std::to_string(commands.size());
  if (first)
    label += " from " + first->kernel.name() + " to " + last->kernel.name();
}

GPUGraph::~GPUGraph() {
  if (graph)
    end();
}

void GPUGraph::destroy() {
  GPUDevice::Current current(device, std::nothrow);
  const GPUEntries &entries = device.driver().entries;
  if (current.isEntered()) {
    if (executable)
      entries.destroyExecutable(executable);
    if (graph)
      entries.destroyGraph(graph);
  }
  executable = graph = nullptr;
  numChanges = 0;
}

void GPUGraph::end() {
  // It may still be in the queue.
  device.synchronizeQuietly();
  destroy();
}

void GPUGraph::replay(void *const *addresses, const int64_t *values) {
  device.throwIfLost();
  if (!replayGraph(addresses, values))
    plain->replay(addresses, values);
}

/// Returns false if the commands have to be run one by one.
bool GPUGraph::replayGraph(void *const *addresses, const int64_t *values) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!isUsable)
    return false;
  if (numReplays < kBuildingReplay && ++numReplays < kBuildingReplay)
    return false;
  if (!evaluate(addresses, values))
    return false;
  GPUDevice::Current current(device);
  const auto [changes, changesCopies] = countChanges();
  if (changesCopies && !device.driver().canSetCopyNodes())
    return false; // this time
  if (changes > device.driver().getMostNodeChanges() - numChanges)
    end();
  if (executable ? !update() : !build()) {
    // The driver does not take what it should, but launches it all the same.
    isUsable = false;
    end();
    device.throwIfLost();
    return false;
  }
  device.recentLaunches().add(label);
  device.callOrFlush(
      [&] {
        return device.driver().entries.launchGraph(executable, device.stream());
      },
      label);
  return true;
}

/// Sets `wanted`. Returns false if a command has nothing to do this time, which
/// a node cannot express.
bool GPUGraph::evaluate(void *const *addresses, const int64_t *values) {
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const Command &command = commands[i];
    Node &node = wanted[i];
    for (std::size_t j = 0; j < command.buffers.size(); ++j)
      node.buffers[j] = addresses[command.buffers[j]];
    for (std::size_t j = 0; j < command.variables.size(); ++j)
      node.values[j] = values[command.variables[j]];
    if (command.kind == Command::Kind::Copy) {
      if (command.bytes == 0 || node.buffers[0] == node.buffers[1])
        return false;
      continue;
    }
    node.launch =
        device.prepareLaunch(command.kernel, command.dims, node.values.data());
    if (node.launch.isEmpty())
      return false;
  }
  return true;
}

/// How many nodes of an executable graph differ from `wanted`, and whether one
/// of them is a copy.
std::pair<std::size_t, bool> GPUGraph::countChanges() const {
  std::size_t number = 0;
  bool hasCopies = false;
  for (std::size_t i = 0; executable && i < commands.size(); ++i)
    if (wanted[i] != nodes[i]) {
      ++number;
      hasCopies |= commands[i].kind == Command::Kind::Copy;
    }
  return {number, hasCopies};
}

void *GPUGraph::addParameters(const Command &command, Node &node) {
  parameters.clear();
  for (void *&buffer : node.buffers)
    parameters.push_back(&buffer);
  for (int64_t &value : node.values)
    parameters.push_back(&value);
  GPUDevice::Chosen chosen = device.chooseFunction(
      command.kernel, node.launch, node.buffers.data(), node.buffers.size());
  maps = std::move(chosen.maps);
  for (EncodedMap &map : maps)
    parameters.push_back(&map);
  return chosen.function;
}

/// Makes the graph of `wanted`. Returns false if the driver cannot.
bool GPUGraph::build() {
  const GPUDriver &driver = device.driver();
  auto succeeds = [&](GPUResult result) {
    device.noteFailure(result);
    if (!result && debugLevel() >= 1)
      debugPrint(device.name() + ": no graph of " + label + ": " +
                 driver.describe(result));
    return bool(result);
  };
  if (!succeeds(driver.entries.createGraph(&graph, 0))) {
    graph = nullptr;
    return false;
  }
  void *previous = nullptr;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const Command &command = commands[i];
    Node &node = wanted[i];
    void *handle = nullptr;
    if (command.kind == Command::Kind::Copy) {
      if (!succeeds(driver.addCopyNode(&handle, graph, previous,
                                       node.buffers[0], node.buffers[1],
                                       command.bytes, device.place())))
        return false;
    } else {
      void *function = addParameters(command, node);
      if (!succeeds(
              driver.addKernelNode(&handle, graph, previous,
                                   {function, node.launch, parameters.data()})))
        return false;
    }
    node.handle = previous = handle;
  }
  GPUResult result = driver.instantiate(&executable, graph);
  if (result.status == GPUOutOfMemory) {
    device.memory().releaseCached();
    result = driver.instantiate(&executable, graph);
  }
  if (!succeeds(result)) {
    executable = nullptr;
    return false;
  }
  nodes = wanted;
  return true;
}

/// Changes the nodes that differ from `wanted`. Returns false if the driver
/// cannot.
bool GPUGraph::update() {
  const GPUDriver &driver = device.driver();
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const Command &command = commands[i];
    Node &node = wanted[i];
    if (node == nodes[i])
      continue;
    GPUResult result;
    if (command.kind == Command::Kind::Copy) {
      result =
          driver.setCopyNode(executable, node.handle, node.buffers[0],
                             node.buffers[1], command.bytes, device.place());
    } else {
      void *function = addParameters(command, node);
      result = driver.setKernelNode(executable, node.handle,
                                    {function, node.launch, parameters.data()});
    }
    device.noteFailure(result);
    if (!result)
      return false;
    nodes[i] = node;
    ++numChanges;
  }
  return true;
}
