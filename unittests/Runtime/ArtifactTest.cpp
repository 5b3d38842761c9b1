//===- ArtifactTest.cpp - compiled programs in files ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Files of artifacts: what is saved is loaded, and nothing else is.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Runtime/Artifact.h"
#include "TestFiles.h"
#include "TestKernels.h"
#include "TinyGrad/Runtime/Error.h"

#include <gmock/gmock.h>

#include <sstream>

#include <sys/stat.h>
#include <zlib.h>

using namespace tinygrad;
using namespace tinygrad::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;

static constexpr std::size_t kCount = 16, kBytes = kCount * 8;

static Expression timesTwo() {
  return Expression::Builder()
      .variable(0)
      .number(2)
      .apply(Expression::Operator::Mul)
      .build();
}

static Slot makeSlot(Slot::Kind kind) {
  Slot slot;
  slot.kind = kind;
  slot.bytes = kBytes;
  slot.dtype = DType::Int64;
  return slot;
}

/// out = (in + n) + constant, then sorted; the second result is a view.
static Artifact makeArtifact() {
  Artifact artifact;
  artifact.target = "cpu";
  artifact.deviceKind = "CPU";
#if defined(__x86_64__)
  artifact.architecture = "x86_64";
  artifact.features = {"sse3"};
#else
  artifact.architecture = "aarch64";
#endif
  artifact.code = cpuTestKernels();
  LaunchList &list = artifact.list;
  list.variables = {{"n", -5, 5}};
  list.numbers = {7};
  list.slots = {makeSlot(Slot::Kind::Input),    makeSlot(Slot::Kind::Arena),
                makeSlot(Slot::Kind::Constant), makeSlot(Slot::Kind::Output),
                makeSlot(Slot::Kind::View),     makeSlot(Slot::Kind::Output),
                makeSlot(Slot::Kind::Output)};
  list.arenaBytes = kBytes;
  for (std::size_t i = 0; i < kBytes; ++i)
    list.slots[2].contents.push_back(i % 8 == 0 ? char(i / 8) : char(0));
  list.slots[4].base = 3;
  list.slots[4].bytes = 8;
  list.slots[4].offset = 64;
  list.slots[4].symbolicOffset = timesTwo();
  list.slots[6].bytes = 64;
  list.slots[6].dtype = DType::Int32;
  Step first;
  first.displayName = first.symbol = "add_value";
  first.description = "adds a number";
  first.slots = {1, 0};
  first.variables = {0};
  first.dims.parallelExtent = int64_t(kCount);
  first.dims.grain = 3;
  first.dims.estimatedNanoseconds = 12.5;
  first.opCount = timesTwo();
  Step second;
  second.displayName = second.symbol = "add";
  second.slots = {3, 1, 2};
  second.dims.parallelExtent = int64_t(kCount);
  Step copy;
  copy.kind = Step::Kind::Copy;
  copy.displayName = "copy";
  copy.slots = {5, 3};
  Step sort;
  sort.kind = Step::Kind::Sort;
  sort.displayName = "sort";
  sort.slots = {6, 3};
  sort.sort = {DType::Int64,    DType::Int32,    1,   int64_t(kCount),
               int64_t(kCount), int64_t(kCount), true};
  list.steps = {first, second, copy, sort};
  list.inputs = {0};
  list.outputs = {5, 4, 6};
  artifact.arguments = {{DType::Int64, {16}, {16}, 16}};
  artifact.results = {{DType::Int64, {4, 4}, {4, timesTwo()}, timesTwo()},
                      {DType::Int64, {1}, {1}, 1},
                      {DType::Int32, {16}, {16}, 16}};
  return artifact;
}

/// A file with these contents and the right header.
static std::string withHeader(std::string bytes) {
  for (int i = 0; i < 8; ++i)
    bytes[std::size_t(16 + i)] = char(uint64_t(bytes.size()) >> (8 * i));
  const auto sum =
      uint32_t(crc32_z(0, reinterpret_cast<const Bytef *>(bytes.data()) + 16,
                       bytes.size() - 16));
  for (int i = 0; i < 4; ++i)
    bytes[std::size_t(12 + i)] = char(sum >> (8 * i));
  return bytes;
}

static std::string problem(const std::string &bytes) {
  return messageOf<IoError>([&] { Artifact::fromBytes(bytes, "net.tga"); });
}

static int64_t at(const Buffer &buffer, std::size_t index) {
  int64_t value = 0;
  buffer.view(index * 8, 8).copyOut(&value, 8);
  return value;
}

TEST(ArtifactTest, runsAfterItWasSaved) {
  TemporaryDirectory directory;
  const std::string path = directory.file("net.tga");
  makeArtifact().save(path);
  const Artifact loaded = Artifact::load(path);
  EXPECT_EQ(loaded.origin, path);
  EXPECT_EQ(loaded.save(), makeArtifact().save());
  std::ostringstream stream;
  loaded.save(stream);
  EXPECT_EQ(stream.str(), readFile(path));

  Device &device = Device::get("CPU");
  std::shared_ptr<CompiledProgram> program = loaded.link(device);
  ASSERT_EQ(program->variables().size(), 1u);
  EXPECT_EQ(program->variables()[0].name, "n");
  ASSERT_EQ(program->getResults().size(), 3u);
  EXPECT_EQ(program->getResults()[0].shape, (std::vector<int64_t>{4, 4}));
  const int64_t four = 4;
  EXPECT_EQ(program->getResults()[0].sizes[1].evaluate(&four), 8);
  EXPECT_EQ(getNeededBytes(program->getResults()[0], &four), 64u);
  const int64_t least = -5;
  EXPECT_EQ(getNeededBytes(program->getResults()[0], &least), 0u);
  std::vector<int64_t> values(kCount, 100);
  const Buffer input =
      Buffer::fromHost(device, values.data(), kBytes, DType::Int64);
  const std::vector<Buffer> results = program->run({input}, {4});
  ASSERT_EQ(results.size(), 3u);
  for (std::size_t i = 0; i < kCount; ++i)
    EXPECT_EQ(at(results[0], i), int64_t(104 + i));
  // From byte 64 + 2 n on.
  EXPECT_EQ(at(results[1], 0), 104 + 9);
  int32_t position = 0;
  results[2].copyOut(&position, 4);
  EXPECT_EQ(position, 15);
}

TEST(ArtifactTest, isNoFileThatIsCutOff) {
  const std::string bytes = makeArtifact().save();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const std::string text = problem(bytes.substr(0, size));
    EXPECT_THAT(text, HasSubstr("net.tga: it is "));
    // A right header does not help.
    if (size >= 24) {
      EXPECT_THAT(problem(withHeader(bytes.substr(0, size))),
                  HasSubstr("net.tga: "));
    }
  }
}

TEST(ArtifactTest, isKnownByItsFirstBytes) {
  const std::string bytes = makeArtifact().save();
  EXPECT_TRUE(Artifact::isArtifact(bytes));
  // Cut off, or followed by what it should not be.
  EXPECT_TRUE(Artifact::isArtifact(bytes.substr(0, 1)));
  EXPECT_TRUE(Artifact::isArtifact(bytes.substr(0, 8) + "module {}"));
  EXPECT_FALSE(Artifact::isArtifact(""));
  EXPECT_FALSE(Artifact::isArtifact("module {}"));
  EXPECT_FALSE(Artifact::isArtifact(bytes.substr(0, 7) + "module {}"));
  EXPECT_FALSE(Artifact::isArtifact(std::string("\0\0\0\0\0\0\0\0", 8)));
}

TEST(ArtifactTest, isNoFileOfWhichABitIsOther) {
  const std::string bytes = makeArtifact().save();
  for (std::size_t i = 0; i < bytes.size(); ++i)
    for (int bit : {0, 3, 7}) {
      std::string other = bytes;
      other[i] = char(other[i] ^ (1 << bit));
      EXPECT_THAT(problem(other), HasSubstr("net.tga: it is "));
    }
}

TEST(ArtifactTest, isCheckedBehindARightHeader) {
  // Each byte becomes another, and the header fits: the file may be valid, but
  // what is loaded is consistent.
  const Artifact original = makeArtifact();
  const std::string bytes = original.save();
  std::size_t refused = 0;
  for (std::size_t i = 24; i < bytes.size(); ++i)
    for (int value : {0, 1, 0x7f, 0xff}) {
      std::string other = bytes;
      other[i] = char(value);
      try {
        const Artifact loaded = Artifact::fromBytes(withHeader(other));
        EXPECT_NO_THROW(verify(loaded.list));
      } catch (const IoError &) {
        ++refused;
      }
    }
  EXPECT_GT(refused, 100u);
}

TEST(ArtifactTest, isOfThisVersion) {
  std::string bytes = makeArtifact().save();
  bytes[8] = 1;
  EXPECT_EQ(problem(bytes), "net.tga: it is an artifact of version 1, this "
                            "runtime reads version 3; compile it again");
}

TEST(ArtifactTest, hasItsLength) {
  const std::string bytes = makeArtifact().save();
  EXPECT_EQ(problem(bytes + "x"), "net.tga: it is too long: it has " +
                                      std::to_string(bytes.size() + 1) +
                                      " bytes instead of " +
                                      std::to_string(bytes.size()));
  EXPECT_THAT(problem(withHeader(bytes + "x")),
              HasSubstr("net.tga: it has bytes behind its last section"));
}

TEST(ArtifactTest, isARegularFile) {
  TemporaryDirectory directory;
  auto load = [](const std::string &path) {
    return messageOf<IoError>([&] { Artifact::load(path); });
  };
  EXPECT_THAT(
      load(directory.file("none.tga")),
      AllOf(HasSubstr("none.tga: cannot open: "), HasSubstr("No such file")));
  EXPECT_THAT(load(directory.file("")),
              HasSubstr("it is a directory, not an artifact"));
  const std::string pipe = directory.file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(load(pipe), HasSubstr("pipe: it is no regular file"));
  writeFile(directory.file("empty.tga"), "");
  EXPECT_THAT(load(directory.file("empty.tga")),
              HasSubstr("empty.tga: it is no artifact"));
  writeFile(directory.file("text.tga"), "func.func @main() { return }\n");
  EXPECT_THAT(load(directory.file("text.tga")),
              HasSubstr("text.tga: it is no artifact"));
}

TEST(ArtifactTest, isRefusedIfItsPartsDoNotFit) {
  auto reason = [](auto change) {
    Artifact artifact = makeArtifact();
    change(artifact);
    return problem(artifact.save());
  };
  EXPECT_THAT(reason([](Artifact &a) { a.list.steps[0].slots[0] = 9; }),
              HasSubstr("step 0 (add_value) uses slot 9 of 7"));
  EXPECT_THAT(reason([](Artifact &a) { a.list.slots[4].base = 4; }),
              HasSubstr("slot 4 is a view of a slot that is not before it"));
  EXPECT_THAT(reason([](Artifact &a) { a.list.slots[1].offset = SIZE_MAX; }),
              HasSubstr("slot 1 reaches beyond the arena of 128 bytes"));
  EXPECT_THAT(reason([](Artifact &a) { a.list.slots[2].contents.pop_back(); }),
              HasSubstr("slot 2 has a constant of 127 bytes"));
  EXPECT_THAT(reason([](Artifact &a) { a.list.slots[1].deviceName = "CPU:1"; }),
              HasSubstr("slot 1 cannot be on another device"));
  EXPECT_THAT(reason([](Artifact &a) { a.arguments.clear(); }),
              HasSubstr("there are 1 arguments, and 0 are described"));
  EXPECT_THAT(
      reason([](Artifact &a) { a.results[0].shape[0] = 5; }),
      HasSubstr("results: the shape of number 0 does not fit its slot"));
  EXPECT_THAT(reason([](Artifact &a) { a.list.variables[0].min = 6; }),
              HasSubstr("the variable n has no value"));
}

TEST(ArtifactTest, isLinkedForItsDevice) {
  auto reason = [](auto change, const char *device = "CPU") {
    Artifact artifact = makeArtifact();
    artifact.origin = "net.tga";
    change(artifact);
    return messageOf<DeviceError>([&] { artifact.link(Device::get(device)); });
  };
  EXPECT_EQ(reason([](Artifact &) {}, "NULL"),
            "net.tga, compiled for cpu, cannot be run: runs on the device CPU, "
            "not on NULL");
  EXPECT_THAT(reason([](Artifact &a) { a.architecture = "m68k"; }),
              HasSubstr("needs a processor of m68k, but this one is of "));
  EXPECT_EQ(reason([](Artifact &a) { a.features.push_back("avx10k"); }),
            "net.tga, compiled for cpu, cannot be run: this processor lacks "
            "avx10k");
  // Memories of one machine are devices of one kind.
  EXPECT_NO_THROW(makeArtifact().link(Device::get("CPU:1")));
  Artifact noKernel = makeArtifact();
  noKernel.list.steps[0].symbol = "subtract";
  EXPECT_THAT(
      messageOf<CompileError>([&] { noKernel.link(Device::get("CPU")); }),
      HasSubstr("subtract"));
}
