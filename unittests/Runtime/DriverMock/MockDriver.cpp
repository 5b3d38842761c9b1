//===- MockDriver.cpp - a driver without a GPU ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Memory, streams, modules and graphs of the mocks.
///
//===----------------------------------------------------------------------===//

#include "MockDriver.h"

#include <cstdlib>
#include <cstring>
#include <sstream>

using namespace tinygrad::mock;

static std::string setting(const char *name, const char *fallback) {
  const char *value = std::getenv(name);
  return value && *value ? value : fallback;
}

Driver::Driver()
    : numDevices(std::atoi(setting("MOCK_DEVICES", "16").c_str())),
      version(std::atoi(setting("MOCK_VERSION", "0").c_str())),
      chip(setting("MOCK_CHIP", "")) {
  const std::string failing = setting("MOCK_FAIL", "");
  if (const std::size_t equals = failing.find('='); equals != std::string::npos)
    failures.push_back({failing.substr(0, equals),
                        std::atoi(failing.c_str() + equals + 1), 0, 1 << 30});
}

Driver &tinygrad::mock::driver() {
  static Driver *instance = new Driver;
  return *instance;
}

MOCK_EXPORT Control *mockControl() { return &driver(); }

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

void Driver::fail(const std::string &function, int status, int skip,
                  int times) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  failures.push_back({function, status, skip, times});
}

std::vector<std::string> Driver::takeLog() {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  return std::move(lines);
}

void Driver::setMemory(std::size_t bytes) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  memory = bytes;
}

std::size_t Driver::numBlocks() {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  std::size_t count = 0;
  for (const auto &[address, block] : blocks)
    count += block.device >= 0;
  return count;
}

void Driver::setPeers(bool areThere) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  hasPeers = areThere;
}

int Driver::enter(const char *function) {
  log(function);
  for (Failure &failure : failures)
    if (failure.function == function && failure.times > 0) {
      if (failure.skip > 0) {
        --failure.skip;
        continue;
      }
      --failure.times;
      return failure.status;
    }
  return Success;
}

int Driver::checkDevice(int device) const {
  if (!isInitialized)
    return NotInitialized;
  if (device < 0 || device >= numDevices)
    return InvalidDevice;
  auto it = lost.find(device);
  return it == lost.end() ? int(Success) : it->second;
}

int Driver::checkCurrent(int device) {
  return device == current ? int(Success) : int(InvalidHandle);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

std::size_t Driver::bytesFree(int device) const {
  std::size_t used = 0;
  for (const auto &[address, block] : blocks)
    if (block.device == device)
      used += block.bytes;
  return memory - std::min(memory, used);
}

int Driver::allocate(int device, void **address, std::size_t bytes) {
  constexpr std::size_t alignment = 256;
  if (bytes == 0)
    return InvalidValue;
  if (device >= 0 && bytes > bytesFree(device))
    return OutOfMemory;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  *address = std::aligned_alloc(alignment, rounded);
  if (!*address)
    return OutOfMemory;
  // What nobody has written is no value that a test expects.
  std::memset(*address, 0xA5, bytes);
  blocks[static_cast<char *>(*address)] = {device, bytes};
  return Success;
}

int Driver::free(int device, void *address) {
  auto it = blocks.find(static_cast<char *>(address));
  if (it == blocks.end() || it->second.device != device)
    return InvalidValue;
  blocks.erase(it);
  std::free(address);
  return Success;
}

bool Driver::isValid(int device, const void *address, std::size_t bytes) const {
  const char *begin = static_cast<const char *>(address);
  auto it = blocks.upper_bound(begin);
  if (it == blocks.begin())
    return false;
  --it;
  const std::size_t offset = std::size_t(begin - it->first);
  return it->second.device == device && offset <= it->second.bytes &&
         bytes <= it->second.bytes - offset;
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

int Driver::lose(int device, int status) {
  lost[device] = status;
  for (Stream *stream : streams)
    if (stream->device == device) {
      stream->numDone = stream->numEnqueued();
      stream->queue.clear();
    }
  return status;
}

int Driver::createStream(int device, void **stream) {
  auto *created = new Stream{device, {}, 0};
  streams.insert(created);
  *stream = created;
  return Success;
}

int Driver::enqueue(Stream &stream, Work work) {
  stream.queue.push_back(std::move(work));
  return Success;
}

int Driver::runUntil(Stream &stream, uint64_t position) {
  while (stream.numDone < position) {
    Work work = std::move(stream.queue.front());
    stream.queue.pop_front();
    ++stream.numDone;
    clock += 1e-6;
    if (const int status = work(); status != Success)
      return lose(stream.device, status);
  }
  return checkDevice(stream.device);
}

int Driver::createEvent(int device, void **event, unsigned flags) {
  constexpr unsigned withoutTime = 2;
  auto *created = new Event{device, (flags & withoutTime) == 0, nullptr, 0, 0};
  events.insert(created);
  *event = created;
  return Success;
}

int Driver::record(Event &event, Stream &stream) {
  if (event.device != stream.device)
    return InvalidHandle;
  enqueue(stream, [this, handle = &event] {
    if (Event *living = get(events, handle))
      living->time = clock;
    return int(Success);
  });
  event.stream = &stream;
  event.position = stream.numEnqueued();
  return Success;
}

int Driver::wait(Stream &stream, Event &event) {
  if (!event.stream)
    return Success;
  return enqueue(stream, [this, other = event.stream,
                          position = event.position] {
    return streams.contains(other) ? runUntil(*other, position) : int(Success);
  });
}

int Driver::synchronize(Event &event) {
  return event.stream ? runUntil(*event.stream, event.position) : int(Success);
}

int Driver::elapsed(float *milliseconds, Event &begin, Event &end) {
  if (!begin.hasTime || !end.hasTime || !begin.stream || !end.stream)
    return InvalidHandle;
  if (begin.stream->numDone < begin.position ||
      end.stream->numDone < end.position)
    return 600; // not ready
  *milliseconds = float((end.time - begin.time) * 1e3);
  return Success;
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

int Driver::loadModule(int device, const char *text, void **module,
                       std::string &reason) {
  std::istringstream lines(text);
  std::string line;
  auto fail = [&](const std::string &why) {
    reason = "mock: " + why;
    return int(InvalidImage);
  };
  if (!std::getline(lines, line) || line != "mock module")
    return fail("not a module: '" + line + "'");
  auto loaded = std::make_unique<Module>();
  loaded->device = device;
  bool hasEnd = false;
  while (!hasEnd && std::getline(lines, line)) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "end") {
      hasEnd = true;
      continue;
    }
    Function function;
    function.device = device;
    if (word != "kernel" || !(words >> function.name >> function.numParameters))
      return fail("unexpected line '" + line + "'");
    while (words >> word) {
      const std::size_t equals = word.find('=');
      const int value = std::atoi(word.c_str() + equals + 1);
      (word.starts_with("items=") ? function.maxItems : function.sharedBytes) =
          value;
    }
    const std::string name = function.name;
    loaded->functions[name] = std::move(function);
  }
  if (!hasEnd)
    return fail("the module is cut off");
  modules.insert(loaded.get());
  *module = loaded.release();
  return Success;
}

/// The text between the next \p open and \p close from \p position on, which is
/// moved behind it.
static std::string between(const std::string &text, const char *open,
                           const char *close, std::size_t &position) {
  const std::size_t begin = text.find(open, position);
  const std::size_t end = text.find(close, begin);
  position = end;
  return begin == std::string::npos || end == std::string::npos
             ? std::string()
             : text.substr(begin + 1, end - begin - 1);
}

int Driver::loadPtx(int device, const std::string &text, void **module) {
  auto loaded = std::make_unique<Module>();
  loaded->device = device;
  const std::string entry = ".entry ";
  for (std::size_t at = text.find(entry); at != std::string::npos;
       at = text.find(entry, at)) {
    Function function;
    function.device = device;
    const std::size_t name = at + entry.size();
    at = text.find('(', name);
    if (at == std::string::npos)
      return InvalidPtx;
    function.name = text.substr(name, at - name);
    // ".param .u64 .ptr .global .align 4 k_param_0,"; a tensor map is
    // ".param .align 64 .b8 k_param_1[128]", and begins with an address here.
    std::istringstream parameters(between(text, "(", ")", at));
    std::string parameter;
    while (std::getline(parameters, parameter, ','))
      if (parameter.find(".param") != std::string::npos)
        function.isAddress.push_back(
            parameter.find(".ptr") != std::string::npos ||
            parameter.find("[128]") != std::string::npos);
    function.numParameters = unsigned(function.isAddress.size());
    if (at == std::string::npos)
      return InvalidPtx;
    const std::size_t body = text.find('{', at);
    std::size_t required = text.find(".reqntid", at);
    if (required < body) {
      std::array<unsigned, 3> size{1, 1, 1};
      std::istringstream numbers(between(text, " ", "\n", required));
      char comma = 0;
      numbers >> size[0] >> comma >> size[1] >> comma >> size[2];
      function.groupSize = size;
    }
    const std::string key = function.name;
    loaded->functions[key] = std::move(function);
  }
  if (loaded->functions.empty())
    return InvalidPtx;
  modules.insert(loaded.get());
  *module = loaded.release();
  return Success;
}

bool Driver::isLoaded(const Function *function) const {
  for (const Module *module : modules)
    for (const auto &[name, loaded] : module->functions)
      if (&loaded == function)
        return true;
  return false;
}

int Driver::makeLaunch(Function &function, const unsigned *groups,
                       const unsigned *size, unsigned sharedBytes,
                       void **parameters, Launch &launch) {
  launch.function = &function;
  uint64_t items = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (groups[axis] == 0 || size[axis] == 0)
      return InvalidValue;
    launch.groups[axis] = groups[axis];
    launch.size[axis] = size[axis];
    items *= size[axis];
  }
  launch.sharedBytes = sharedBytes;
  if (items > uint64_t(function.maxItems))
    return LaunchOutOfResources;
  if (int64_t(sharedBytes) > function.allowedSharedBytes)
    return InvalidValue;
  launch.parameters.clear();
  for (unsigned i = 0; i < function.numParameters; ++i) {
    uint64_t value = 0;
    std::memcpy(&value, parameters[i], sizeof(value));
    launch.parameters.push_back(value);
    if (i < function.isAddress.size() && function.isAddress[i] &&
        !isValid(function.device, reinterpret_cast<void *>(value), 1))
      return InvalidValue;
  }
  if (function.groupSize && *function.groupSize != launch.size)
    return InvalidValue;
  return Success;
}

/// One work item of a kernel that tests compare the results of. Returns false
/// if it accesses what it must not.
static bool runItem(const Driver &driver, int device, const Launch &launch,
                    uint64_t item) {
  const std::vector<uint64_t> &arguments = launch.parameters;
  auto element = [&](std::size_t i) -> int64_t * {
    auto *address = reinterpret_cast<int64_t *>(arguments[i]) + item;
    return driver.isValid(device, address, 8) ? address : nullptr;
  };
  const std::string &name = launch.function->name;
  if (name == "count") {
    int64_t *value = element(0);
    return value && (++*value, true);
  }
  const bool isAdd = name == "add";
  if (!isAdd && name != "add_value")
    return true; // only its launch is recorded
  int64_t *to = element(0), *from = element(1);
  int64_t *other = isAdd ? element(2) : nullptr;
  if (!to || !from || (isAdd && !other))
    return false;
  *to = int64_t(uint64_t(*from) + (isAdd ? uint64_t(*other) : arguments[2]));
  return true;
}

Work Driver::workFor(int device, const Launch &launch) {
  return [this, device, launch]() -> int {
    if (!isLoaded(launch.function))
      return IllegalAddress;
    std::ostringstream line;
    line << "run " << launch.function->name;
    for (unsigned number : launch.groups)
      line << ' ' << number;
    line << " x";
    for (unsigned number : launch.size)
      line << ' ' << number;
    line << " + " << launch.sharedBytes;
    log(line.str());
    if (launch.function->name == "broken")
      return LaunchFailed;
    const uint64_t items = uint64_t(launch.groups[0]) * launch.size[0];
    for (uint64_t item = 0; item < items; ++item)
      if (!runItem(*this, device, launch, item))
        return IllegalAddress;
    return Success;
  };
}

Work Driver::workFor(int to, int from, const Copy &copy) {
  return [this, to, from, copy]() -> int {
    if ((to >= 0 && !isValid(to, copy.to, copy.bytes)) ||
        (from >= 0 && !isValid(from, copy.from, copy.bytes)))
      return IllegalAddress;
    std::memcpy(copy.to, copy.from, copy.bytes);
    clock += double(copy.bytes) * 1e-10;
    return Success;
  };
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

int Driver::addNode(Graph &graph, void *const *previous,
                    std::size_t numPrevious, Node node, void **result) {
  if (numPrevious > 1 || (numPrevious == 0) != graph.nodes.empty())
    return InvalidValue; // another order than the list's
  if (numPrevious == 1)
    node.previous = static_cast<Node *>(previous[0]);
  if (!graph.nodes.empty() && node.previous != graph.nodes.back().get())
    return InvalidValue;
  graph.nodes.push_back(std::make_unique<Node>(std::move(node)));
  *result = graph.nodes.back().get();
  return Success;
}

int Driver::instantiate(Graph &graph, void **executable) {
  auto created = std::make_unique<Executable>();
  for (const auto &node : graph.nodes) {
    created->originals.push_back(node.get());
    created->nodes.push_back(*node);
  }
  executables.insert(created.get());
  *executable = created.release();
  return Success;
}

Node *Driver::find(Executable &executable, void *node) {
  for (std::size_t i = 0; i < executable.nodes.size(); ++i)
    if (executable.originals[i] == node)
      return &executable.nodes[i];
  return nullptr;
}

int Driver::launch(Executable &executable, Stream &stream) {
  log("graph of " + std::to_string(executable.nodes.size()));
  for (const Node &node : executable.nodes)
    enqueue(stream, node.launch
                        ? workFor(stream.device, *node.launch)
                        : workFor(stream.device, stream.device, *node.copy));
  return Success;
}
