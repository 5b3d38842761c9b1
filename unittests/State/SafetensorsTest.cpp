//===- SafetensorsTest.cpp - tensors in files -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Round trips, the memory of loaded tensors, and saves that fail.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/State/Safetensors.h"
#include "TensorTest.h"
#include "TestFiles.h"

#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Error.h"

#include <cstring>
#include <filesystem>

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tinygrad;
using namespace tinygrad::state;
using namespace tinygrad::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

namespace {
class SafetensorsTest : public ::testing::Test {
protected:
  std::size_t numFiles() const {
    std::size_t count = 0;
    for (const auto &entry :
         std::filesystem::directory_iterator(directory.path()))
      count += entry.exists();
    return count;
  }

  Graph graph;
  GraphScope scope{graph};
  TemporaryDirectory directory;
  const std::string path = directory.file("state.safetensors");
};
} // namespace

/// A file with this header and data.
static std::string makeFile(const std::string &header,
                            const std::string &data) {
  std::string file;
  for (int i = 0; i < 8; ++i)
    file += char(header.size() >> (8 * i) & 0xff);
  return file + header + data;
}

/// The bytes of all elements.
static std::string bitsOf(const Tensor &tensor) {
  const HostArray array = tensor.toHost();
  return {array.as<char>(),
          std::size_t(array.numElements()) * itemSize(array.dtype)};
}

//===----------------------------------------------------------------------===//
// Round trips
//===----------------------------------------------------------------------===//

TEST_F(SafetensorsTest, RoundTripsAllTypes) {
  StateDict state;
  for (unsigned i = 0; i < kNumDTypes; ++i) {
    const DType dtype = DType(i);
    std::string bytes(15 * itemSize(dtype), '\0');
    for (std::size_t j = 0; j < bytes.size(); ++j)
      bytes[j] = char(dtype == DType::Bool ? j % 2 : j * 37 + i);
    state.insert(name(dtype), Tensor::fromBytes(bytes.data(), {3, 5}, dtype));
  }
  state.insert("scalar", Tensor(2.5f));
  state.insert("none", Tensor::zeros({4, 0, 2}, DType::Float64));
  state.insert("\u00e4 \"quoted\"\n", Tensor::ones({1}));
  const Metadata metadata = {{"", "empty"}, {"key", "\u00e4\t\\"}};
  safeSave(path, state, metadata);
  EXPECT_EQ(safeLoadMetadata(path), metadata);
  const StateDict back = safeLoad(path);
  ASSERT_EQ(back.size(), state.size());
  for (const auto &[name, tensor] : state) {
    EXPECT_EQ(back[name].dtype(), tensor.dtype()) << name;
    EXPECT_EQ(back[name].shape(), tensor.shape()) << name;
    EXPECT_EQ(bitsOf(back[name]), bitsOf(tensor)) << name;
  }
  EXPECT_EQ(numFiles(), 1u);
}

TEST_F(SafetensorsTest, HasTheOrderOfTheReference) {
  safeSave(path, {{"b", Tensor::zeros({1})},
                  {"bytes", Tensor::zeros({3}, DType::UInt8)},
                  {"a", Tensor::zeros({1})},
                  {"long", Tensor::zeros({1}, DType::Int64)}});
  EXPECT_THAT(safeLoad(path).names(), ElementsAre("long", "a", "b", "bytes"));
  const std::string bytes = readFile(path);
  safeSave(path, safeLoad(path));
  EXPECT_EQ(readFile(path), bytes);
}

TEST_F(SafetensorsTest, EmptyStates) {
  safeSave(path, {});
  EXPECT_EQ(readFile(path), makeFile("{}      ", ""));
  EXPECT_TRUE(safeLoad(path).empty());
  EXPECT_THAT(safeLoadMetadata(path), IsEmpty());
  safeSave(path, {{"none", Tensor::zeros({0})}}, {{"a", "b"}});
  expectTensor(safeLoad(path)["none"], {0}, {});
  EXPECT_THAT(safeLoadMetadata(path), ElementsAre(Pair("a", "b")));
}

TEST_F(SafetensorsTest, LazyTensorsAndViewsAreComputed) {
  const Tensor x = counting({2, 3}).realize();
  const SymInt n = Variable("n", 1, 3).bind(2);
  Tensor parameter = Tensor::ones({2}).parameter();
  parameter.assign(parameter.detach() + 1);
  safeSave(path, {{"sum", x + 1},
                  {"column", x.shrink({{}, {1, 2}})},
                  {"transposed", x.T()},
                  {"constant", Tensor::full({2}, 7)},
                  {"bound", x.shrink({{}, {0, n}})},
                  {"parameter", parameter}});
  const StateDict back = safeLoad(path);
  expectTensor(back["sum"], {2, 3}, {1, 2, 3, 4, 5, 6});
  expectTensor(back["column"], {2, 1}, {1, 4});
  expectTensor(back["transposed"], {3, 2}, {0, 3, 1, 4, 2, 5});
  expectTensor(back["constant"], {2}, {7, 7});
  expectTensor(back["bound"], {2, 2}, {0, 1, 3, 4});
  expectTensor(back["parameter"], {2}, {2, 2});
}

TEST_F(SafetensorsTest, TiedTensorsAreStoredTwice) {
  const Tensor x = Tensor::from({1.0f, 2.0f});
  safeSave(path, {{"a", x}, {"b", x}});
  const StateDict back = safeLoad(path);
  expectTensor(back["a"], {2}, {1, 2});
  expectTensor(back["b"], {2}, {1, 2});
}

TEST_F(SafetensorsTest, OtherDevices) {
  const TensorOptions simulator({.device = "SIM"});
  safeSave(path, {{"x", Tensor::from({1.0f, 2.0f}, simulator)},
                  {"y", Tensor::from({3.0f})}});
  EXPECT_EQ(safeLoad(path)["x"].device(), "CPU");
  const StateDict back = safeLoad(path, {.device = "SIM"});
  EXPECT_EQ(back["x"].device(), "SIM");
  expectTensor(back["x"], {2}, {1, 2});
  expectTensor(back["y"] + 1, {1}, {4});
  EXPECT_ERROR(safeLoad(path, {.device = "NOPE"}), DeviceError, "NOPE");
}

//===----------------------------------------------------------------------===//
// Memory of loaded tensors
//===----------------------------------------------------------------------===//

TEST_F(SafetensorsTest, TensorsAreViewsOfTheFile) {
  safeSave(path, {{"a", Tensor::from({1.0f, 2.0f})},
                  {"b", Tensor::from({true, false, true})}});
  const StateDict state = safeLoad(path);
  const Buffer a = state["a"].buffer(), b = state["b"].buffer();
  EXPECT_TRUE(a.sharesMemoryWith(b));
  EXPECT_EQ(static_cast<char *>(b.address()) - static_cast<char *>(a.address()),
            8);
  EXPECT_EQ(bitsOf(state["a"]) + bitsOf(state["b"]),
            readFile(path).substr(a.offset()));
}

TEST_F(SafetensorsTest, AssignmentsDoNotChangeTheFile) {
  safeSave(path, {{"x", Tensor::from({1.0f, 2.0f, 3.0f})}});
  const std::string bytes = readFile(path);
  Tensor x = safeLoad(path)["x"], view = x.shrink({{1, 2}});
  for (int i = 0; i < 3; ++i) {
    x.assign(x * 2).realize();
    view.assign(view + 1);
  }
  expectTensor(x, {3}, {8, 23, 24});
  EXPECT_EQ(readFile(path), bytes);
  expectTensor(safeLoad(path)["x"], {3}, {1, 2, 3});
}

TEST_F(SafetensorsTest, TensorsOutliveTheirFile) {
  safeSave(path, {{"x", Tensor::from({1.0f, 2.0f})}});
  const Tensor x = safeLoad(path)["x"];
  // Replaced by a shorter one, from the old values.
  safeSave(path, {{"x", x.shrink({{1, 2}}) * 2}});
  expectTensor(x, {2}, {1, 2});
  expectTensor(safeLoad(path)["x"], {1}, {4});
  std::filesystem::remove(path);
  expectTensor(x + 1, {2}, {2, 3});
}

TEST_F(SafetensorsTest, UnalignedTensorsAreCopied) {
  const std::string header =
      "{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},"
      "\"b\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[1,9]}}";
  std::string data(1, '\7');
  const float numbers[] = {1.5f, -2};
  data.append(reinterpret_cast<const char *>(numbers), sizeof(numbers));
  // Wherever the header ends.
  for (int padding = 0; padding < 8; ++padding) {
    writeFile(path,
              makeFile(header + std::string(std::size_t(padding), ' '), data));
    const StateDict state = safeLoad(path);
    expectTensor(state["a"], {1}, {7});
    expectTensor(state["b"] * 2, {2}, {3, -4});
  }
}

TEST_F(SafetensorsTest, BoolsAreNormalized) {
  writeFile(path, makeFile("{\"x\":{\"dtype\":\"BOOL\",\"shape\":[4],"
                           "\"data_offsets\":[0,4]}}",
                           std::string("\0\1\2\xff", 4)));
  for (const char *device : {"CPU", "SIM"})
    EXPECT_EQ(bitsOf(safeLoad(path, {.device = device})["x"]),
              std::string("\0\1\1\1", 4));
}

//===----------------------------------------------------------------------===//
// Files that cannot be read
//===----------------------------------------------------------------------===//

TEST_F(SafetensorsTest, FilesThatAreNone) {
  EXPECT_ERROR(safeLoad("/no/such/file"), IoError,
               "/no/such/file: cannot open: No such file");
  EXPECT_ERROR(safeLoad(directory.path()), IoError,
               "cannot read: Is a directory");
  EXPECT_ERROR(safeLoad("/dev/null"), IoError, "it is not a regular file");
  writeFile(path, "");
  EXPECT_ERROR(safeLoad(path), IoError, path + ": not a safetensors file");
  EXPECT_ERROR(safeLoadMetadata(path), IoError, "not a safetensors file");
  writeFile(path, makeFile("{\"x\":{\"dtype\":\"U8\",\"shape\":[2],"
                           "\"data_offsets\":[0,2]}}",
                           "1"));
  EXPECT_ERROR(safeLoad(path), IoError, path + ": truncated: tensor 'x'");
  EXPECT_ERROR(safeLoadMetadata(path), IoError, "truncated: tensor 'x'");
}

TEST_F(SafetensorsTest, ShapesThatNoTensorHas) {
  std::string ones = "1";
  for (int i = 0; i < 64; ++i)
    ones += ",1";
  auto load = [&](const std::string &shape) {
    const bool isEmpty = shape.starts_with("0");
    writeFile(path, makeFile("{\"x\":{\"dtype\":\"U8\",\"shape\":[" + shape +
                                 "],\"data_offsets\":[0," +
                                 (isEmpty ? "0" : "1") + "]}}",
                             isEmpty ? "" : "1"));
    safeLoad(path);
  };
  EXPECT_ERROR(load(ones), IoError,
               path + ": tensor 'x': fromBuffer: a tensor of 65 axes");
  EXPECT_ERROR(load("0,4611686018427387904,4"), IoError, "tensor 'x'");
}

//===----------------------------------------------------------------------===//
// Saves that fail
//===----------------------------------------------------------------------===//

TEST_F(SafetensorsTest, PlacesThatCannotBeWritten) {
  const StateDict state = {{"x", Tensor::ones({2})}};
  EXPECT_ERROR(safeSave("/no/such/file", state), IoError,
               "/no/such/file: cannot write: No such file");
  EXPECT_ERROR(safeSave("/dev/full", state), IoError,
               "/dev/full: cannot write: No space left on device");
  EXPECT_ERROR(safeSave(directory.path(), state), IoError, "Is a directory");
  EXPECT_ERROR(safeSave(path, {{"__metadata__", Tensor::ones({1})}}), Error,
               "a tensor named '__metadata__'");
  EXPECT_EQ(numFiles(), 0u);
}

/// Runs \p body in a child process and returns how that ended.
static int statusOf(const std::function<int()> &body) {
  const pid_t child = ::fork();
  if (child == 0)
    ::_exit(body());
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return status;
}

// A limit of the file's size, which also affects root, stands for a full disk.
TEST_F(SafetensorsTest, FullDisksKeepTheOldFile) {
  safeSave(path, {{"x", Tensor::ones({2})}});
  const std::string bytes = readFile(path);
  // Computed here: a child process has none of the threads that compute.
  const StateDict large = {{"x", Tensor::ones({10000}).clone().realize()}};
  const int status = statusOf([&] {
    const rlimit limit = {20000, 20000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      safeSave(path, large);
      return 1;
    } catch (const IoError &error) {
      const std::string text = error.what();
      return text == path + ": cannot write: File too large" ? 0 : 2;
    }
  });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(readFile(path), bytes);
  EXPECT_EQ(numFiles(), 1u);
}

TEST_F(SafetensorsTest, KilledProcessesLeaveAWholeFile) {
  const StateDict states[] = {
      {{"x", Tensor::ones({100000}).clone().realize()}},
      {{"x", Tensor::zeros({50000}).clone().realize()}}};
  safeSave(path, states[0]);
  for (int delay : {1, 2, 4, 7, 11}) {
    const int status = statusOf([&]() -> int {
      const pid_t self = ::getpid();
      if (const pid_t killer = ::fork(); killer == 0) {
        ::usleep(useconds_t(delay) * 1000);
        ::kill(self, SIGKILL);
        ::_exit(0);
      }
      for (int i = 1;; ++i)
        safeSave(path, states[i % 2]);
    });
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
    const Tensor x = safeLoad(path)["x"];
    const bool isFirst = x.concreteShape()[0] == 100000;
    const HostArray found = x.toHost();
    for (int64_t i = 0; i < found.numElements(); ++i)
      ASSERT_EQ(found.as<float>()[i], isFirst ? 1 : 0);
  }
}
