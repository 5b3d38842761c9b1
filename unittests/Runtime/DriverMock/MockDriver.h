//===- MockDriver.h - a driver without a GPU --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the mocks of CUDA and HIP share, see MockControl.h.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_UNITTESTS_RUNTIME_DRIVERMOCK_MOCKDRIVER_H
#define TINYGRAD_UNITTESTS_RUNTIME_DRIVERMOCK_MOCKDRIVER_H

#include "MockControl.h"

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#define MOCK_EXPORT extern "C" __attribute__((visibility("default")))

namespace tinygrad::mock {

enum Status : int {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  NotInitialized = 3,
  NoDevice = 100,
  InvalidDevice = 101,
  InvalidImage = 200,
  InvalidContext = 201,
  InvalidPtx = 218,
  UnsupportedPtxVersion = 222,
  InvalidHandle = 400,
  NotFound = 500,
  IllegalAddress = 700,
  LaunchOutOfResources = 701,
  LaunchFailed = 719,
};

/// Work that waits in a stream. Returns a Status.
using Work = std::function<int()>;

struct Stream {
  int device;
  std::deque<Work> queue;
  uint64_t numDone = 0;
  uint64_t numEnqueued() const { return numDone + queue.size(); }
};

struct Event {
  int device;
  bool hasTime;
  Stream *stream = nullptr; ///< in which it was recorded
  uint64_t position = 0;    ///< how many works that is
  double time = 0;
};

struct Function {
  std::string name;
  unsigned numParameters = 0;
  int maxItems = 1024, sharedBytes = 0, allowedSharedBytes = 48 << 10;
  int device = 0;
  // Of PTX.
  std::vector<bool> isAddress; ///< by parameter
  std::optional<std::array<unsigned, 3>> groupSize;
};

struct Module {
  int device;
  std::map<std::string, Function> functions;
};

struct Launch {
  Function *function = nullptr;
  std::array<unsigned, 3> groups{}, size{};
  unsigned sharedBytes = 0;
  std::vector<uint64_t> parameters;
};

struct Copy {
  char *to = nullptr;
  const char *from = nullptr;
  std::size_t bytes = 0;
};

/// A node of a graph: one of the two.
struct Node {
  Node *previous = nullptr;
  std::optional<Launch> launch;
  std::optional<Copy> copy;
};

struct Graph {
  std::vector<std::unique_ptr<Node>> nodes;
};

struct Executable {
  std::vector<const Node *> originals;
  std::vector<Node> nodes;
};

struct Block {
  int device; ///< -1: pinned memory of the host
  std::size_t bytes;
};

/// The state of a driver. One lock guards everything: take it in each entry
/// point, by `Call`.
class Driver : public Control {
public:
  Driver();

  // Control.
  void fail(const std::string &function, int status, int skip,
            int times) override;
  std::vector<std::string> takeLog() override;
  void setMemory(std::size_t bytes) override;
  std::size_t numBlocks() override;
  void setPeers(bool areThere) override;

  /// The status that this call of a function returns without doing anything.
  int enter(const char *function);
  void log(std::string line) { lines.push_back(std::move(line)); }

  /// Success if \p device is usable by this thread's calls.
  int checkDevice(int device) const;
  /// Success if the device of the object is the current one.
  int checkCurrent(int device);

  int allocate(int device, void **address, std::size_t bytes);
  int free(int device, void *address);
  std::size_t bytesFree(int device) const;
  /// Whether the bytes are within a block of the device, or, for device -1, of
  /// pinned memory.
  bool isValid(int device, const void *address, std::size_t bytes) const;

  int createStream(int device, void **stream);
  int enqueue(Stream &stream, Work work);
  /// Does the first works of a stream.
  int runUntil(Stream &stream, uint64_t position);
  int synchronize(Stream &stream) {
    return runUntil(stream, stream.numEnqueued());
  }
  int createEvent(int device, void **event, unsigned flags);
  int record(Event &event, Stream &stream);
  int wait(Stream &stream, Event &event);
  int synchronize(Event &event);
  int elapsed(float *milliseconds, Event &begin, Event &end);

  int loadModule(int device, const char *text, void **module,
                 std::string &reason);
  int loadPtx(int device, const std::string &text, void **module);
  bool isLoaded(const Function *function) const;
  /// Reads the parameters of a launch; checks it.
  int makeLaunch(Function &function, const unsigned *groups,
                 const unsigned *size, unsigned sharedBytes, void **parameters,
                 Launch &launch);
  Work workFor(int device, const Launch &launch);
  /// \p from and \p to are the devices of the two ends, or -1 for the host,
  /// whose memory may be any.
  Work workFor(int to, int from, const Copy &copy);

  int addNode(Graph &graph, void *const *previous, std::size_t numPrevious,
              Node node, void **result);
  int instantiate(Graph &graph, void **executable);
  Node *find(Executable &executable, void *node);
  int launch(Executable &executable, Stream &stream);

  template <typename T> T *get(std::set<T *> &all, void *handle) {
    return all.contains(static_cast<T *>(handle)) ? static_cast<T *>(handle)
                                                  : nullptr;
  }

  std::recursive_mutex mutex;
  int numDevices = 1, version = 0;
  std::string chip;
  bool isInitialized = false, hasPeers = true;
  int current = -1; ///< of the running call
  std::set<Stream *> streams;
  std::set<Event *> events;
  std::set<Module *> modules;
  std::set<Graph *> graphs;
  std::set<Executable *> executables;

private:
  struct Failure {
    std::string function;
    int status, skip, times;
  };

  int lose(int device, int status);

  std::vector<Failure> failures;
  std::vector<std::string> lines;
  std::map<const char *, Block> blocks;
  std::map<int, int> lost; // device to status
  std::size_t memory = std::size_t(1) << 30;
  double clock = 0;
};

/// The driver of this library.
Driver &driver();

} // namespace tinygrad::mock

#endif // TINYGRAD_UNITTESTS_RUNTIME_DRIVERMOCK_MOCKDRIVER_H
