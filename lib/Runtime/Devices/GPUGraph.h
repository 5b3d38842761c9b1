//===- GPUGraph.h - launch lists as graphs of the driver --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A list of commands as a graph, which the driver launches at once.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_RUNTIME_DEVICES_GPUGRAPH_H
#define TINYGRAD_LIB_RUNTIME_DEVICES_GPUGRAPH_H

#include "GPUDriver.h"
#include "GPULaunch.h"
#include "TinyGrad/Runtime/Device.h"

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace tinygrad::detail {

class GPUDevice;

/// The nodes of the graph are the commands, each after the one before it.
/// Addresses and values are those of the last replay; before the next one, the
/// nodes with others are changed, or, if the driver has reached its limit of
/// changes, the graph is made anew. Where the driver cannot change copies, a
/// replay with others runs one by one.
class GPUGraph : public CommandList {
public:
  /// \p plain runs the commands one by one.
  GPUGraph(GPUDevice &device, std::vector<Command> commands,
           std::unique_ptr<CommandList> plain);
  ~GPUGraph() override;

  /// Whether a graph can have these commands and is faster.
  static bool isWorthwhile(const std::vector<Command> &commands);

  void replay(void *const *addresses, const int64_t *values) override;

private:
  /// A command with its arguments.
  struct Node {
    void *handle = nullptr;
    std::vector<void *> buffers;
    std::vector<int64_t> values;
    GPULaunch launch; ///< Launch

    bool operator==(const Node &) const = default;
  };

  bool replayGraph(void *const *addresses, const int64_t *values);
  bool evaluate(void *const *addresses, const int64_t *values);
  bool build();
  bool update();
  /// Sets the arguments of a node. Returns what it runs.
  void *addParameters(const Command &command, Node &node);
  std::pair<std::size_t, bool> countChanges() const;
  void destroy();
  /// The same, after its work.
  void end();

  GPUDevice &device;
  const std::vector<Command> commands;
  const std::unique_ptr<CommandList> plain;
  std::string label; ///< for messages
  std::mutex mutex;  // guards everything below
  unsigned numReplays = 0;
  bool isUsable = true;
  void *graph = nullptr, *executable = nullptr;
  std::size_t numChanges = 0;     // of nodes of the executable graph
  std::vector<Node> nodes;        // what the graph has
  std::vector<Node> wanted;       // what this replay needs
  std::vector<void *> parameters; // addresses of a node's arguments
  std::vector<EncodedMap> maps;   // of that node
};

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_RUNTIME_DEVICES_GPUGRAPH_H
