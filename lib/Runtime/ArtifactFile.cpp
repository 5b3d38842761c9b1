//===- ArtifactFile.cpp - the format of artifacts -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A file is a header and four sections. All numbers are little-endian.
///
///     header    the bytes of kMagic; version, u32; CRC-32 of all that comes
///               after it, u32; length of the whole file, u64
///     section   its name, four characters; length of what follows, u64
///
///     TARG      target, kind of device, architecture, features; version of the
///               conventions of kernels (kKernelAbiVersion)
///     CODE      the code
///     LIST      variables, numbers, slots, steps, inputs, outputs, arena
///     INFO      arguments and results
///
/// A list is the number of its elements, u64, and these; a text is a list of
/// bytes. The writer and the reader are one description of the format, so that
/// they cannot differ.
///
//===----------------------------------------------------------------------===//

#include "Files.h"
#include "TinyGrad/Runtime/Artifact.h"
#include "TinyGrad/Runtime/AtomicFile.h"
#include "TinyGrad/Runtime/Error.h"

#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <ostream>
#include <type_traits>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

using namespace tinygrad;

static constexpr std::string_view kMagic("\x89TGA\r\n\x1a\n", 8);
static constexpr std::size_t kHeaderBytes = 8 + 4 + 4 + 8;
static constexpr std::size_t kSumEnd = 8 + 4 + 4;

namespace {
/// Appends values to the bytes of a file.
class Writer {
public:
  static constexpr bool kIsReader = false;

  template <typename T> void number(const T &value) {
    uint64_t bits = 0;
    if constexpr (std::is_floating_point_v<T>)
      bits = std::bit_cast<uint64_t>(double(value));
    else
      bits = uint64_t(value);
    const std::size_t count = std::is_floating_point_v<T> ? 8 : sizeof(T);
    for (std::size_t i = 0; i < count; ++i)
      bytes.push_back(char(uint8_t(bits >> (8 * i))));
  }
  /// A number of which not all values are valid.
  template <typename T> void choice(const T &value, T, const char *) {
    number(uint8_t(value));
  }
  template <typename Bytes> void text(const Bytes &value) {
    number(uint64_t(value.size()));
    bytes.append(value.data(), value.size());
  }
  template <typename T, typename Function>
  void list(const std::vector<T> &values, const char *, Function function) {
    number(uint64_t(values.size()));
    for (const T &value : values)
      function(value);
  }
  void expression(const Expression &value);
  template <typename Function> void section(const char *name, Function body) {
    bytes.append(name, 4);
    const std::size_t place = bytes.size();
    number(uint64_t(0));
    body();
    Writer length;
    length.number(uint64_t(bytes.size() - place - 8));
    bytes.replace(place, 8, length.bytes);
  }

  std::string bytes;
};

/// Takes values from the bytes of a file, and throws IoError where there are
/// not enough or not the right ones.
class Reader {
public:
  static constexpr bool kIsReader = true;

  Reader(std::string_view bytes, const std::string &name)
      : rest(bytes), name(name) {}

  [[noreturn]] void fail(const std::string &what) const {
    throw IoError(name + ": " + what);
  }

  template <typename T> void number(T &value) {
    const std::size_t count = std::is_floating_point_v<T> ? 8 : sizeof(T);
    uint64_t bits = 0;
    const std::string_view part = take(count);
    for (std::size_t i = 0; i < count; ++i)
      bits |= uint64_t(uint8_t(part[i])) << (8 * i);
    if constexpr (std::is_floating_point_v<T>)
      value = T(std::bit_cast<double>(bits));
    else
      value = T(bits);
  }
  template <typename T> void choice(T &value, T last, const char *what) {
    uint8_t bits = 0;
    number(bits);
    if (bits > uint8_t(last))
      fail("there is no " + std::string(what) + " " + std::to_string(bits));
    value = T(bits);
  }
  template <typename Bytes> void text(Bytes &value) {
    const std::string_view part = take(count("bytes", 1));
    value.assign(part.begin(), part.end());
  }
  template <typename T, typename Function>
  void list(std::vector<T> &values, const char *what, Function function) {
    // Each element takes at least one byte, so that a wrong number does not
    // take memory.
    const std::size_t size = count(what, 1);
    for (std::size_t i = 0; i < size; ++i)
      function(values.emplace_back());
  }
  void expression(Expression &value);
  template <typename Function> void section(const char *title, Function body) {
    if (take(4) != std::string_view(title, 4))
      fail("the section " + std::string(title) + " is missing");
    const std::string_view own = take(count("bytes", 1));
    const std::string_view after = std::exchange(rest, own);
    body();
    if (!rest.empty())
      fail("the section " + std::string(title) + " has " +
           std::to_string(rest.size()) + " bytes too many");
    rest = after;
  }
  bool isAtEnd() const { return rest.empty(); }

private:
  std::string_view take(std::size_t size) {
    if (size > rest.size())
      fail("it ends within a value");
    const std::string_view part = rest.substr(0, size);
    rest.remove_prefix(size);
    return part;
  }
  std::size_t count(const char *what, std::size_t least) {
    uint64_t size = 0;
    number(size);
    if (size > rest.size() / least)
      fail(std::to_string(size) + " " + what + " are more than it can have");
    return std::size_t(size);
  }

  std::string_view rest;
  const std::string &name;
};
} // namespace

//===----------------------------------------------------------------------===//
// The format
//===----------------------------------------------------------------------===//

void Writer::expression(const Expression &value) {
  if (value.isConstant()) {
    number(uint64_t(0));
    number(value.constant());
    return;
  }
  list(value.getSteps(), "", [&](const Expression::Step &step) {
    number(uint8_t(step.kind));
    number(step.operand);
  });
}

void Reader::expression(Expression &value) {
  const std::size_t size = count("entries of an expression", 9);
  if (size == 0) {
    int64_t constant = 0;
    number(constant);
    value = Expression(constant);
    return;
  }
  Expression::Builder builder;
  try {
    for (std::size_t i = 0; i < size; ++i) {
      Expression::Step::Kind kind;
      int64_t operand = 0;
      choice(kind, Expression::Step::Kind::Apply, "kind of an entry");
      number(operand);
      if (kind == Expression::Step::Kind::Number) {
        builder.number(operand);
      } else if (kind == Expression::Step::Kind::Variable) {
        if (operand < 0 || operand >= int64_t(UINT32_MAX))
          fail("there is no variable " + std::to_string(operand));
        builder.variable(uint32_t(operand));
      } else {
        if (operand < 0 || operand > int64_t(Expression::Operator::Max))
          fail("there is no operator " + std::to_string(operand));
        builder.apply(Expression::Operator(operand));
      }
    }
    value = builder.build();
  } catch (const IoError &) {
    throw;
  } catch (const Error &error) {
    fail(error.what());
  }
}

template <typename Codec, typename T>
static void visitDType(Codec &codec, T &dtype) {
  codec.choice(dtype, DType::Float64, "dtype");
}

/// Visits what a slot, step, ... consists of: `codec` is the writer or reader,
/// and the value accordingly constant or not.
template <typename Codec, typename T>
static void visitSlot(Codec &codec, T &slot) {
  codec.choice(slot.kind, Slot::Kind::View, "kind of slot");
  codec.number(slot.bytes);
  codec.number(slot.offset);
  codec.expression(slot.symbolicOffset);
  codec.number(slot.base);
  bool hasDType = slot.dtype.has_value();
  codec.choice(hasDType, true, "truth value");
  if (hasDType) {
    DType dtype = slot.dtype.value_or(DType::Bool);
    visitDType(codec, dtype);
    if constexpr (Codec::kIsReader)
      slot.dtype = dtype;
  }
  codec.choice(slot.isWritten, true, "truth value");
  codec.number(slot.alignment);
  codec.list(slot.sizes, "sizes", [&](auto &size) { codec.expression(size); });
  codec.text(slot.deviceName);
  codec.text(slot.contents);
}

template <typename Codec, typename T>
static void visitDims(Codec &codec, T &dims) {
  codec.expression(dims.parallelExtent);
  codec.number(dims.largestExtent);
  codec.number(dims.grain);
  codec.number(dims.estimatedNanoseconds);
  for (auto &size : dims.groups)
    codec.expression(size);
  for (auto &size : dims.groupSize)
    codec.number(size);
  codec.expression(dims.sharedBytes);
}

template <typename Codec, typename T>
static void visitSort(Codec &codec, T &sort) {
  visitDType(codec, sort.keys);
  visitDType(codec, sort.positions);
  codec.number(sort.rows);
  codec.number(sort.rowElements);
  codec.number(sort.rowPositions);
  codec.expression(sort.length);
  codec.choice(sort.isDescending, true, "truth value");
}

template <typename Codec, typename T>
static void visitStep(Codec &codec, T &step) {
  auto number = [&](auto &value) { codec.number(value); };
  codec.choice(step.kind, Step::Kind::Sort, "kind of step");
  codec.text(step.displayName);
  codec.text(step.description);
  codec.text(step.symbol);
  codec.list(step.slots, "slots", number);
  codec.list(step.variables, "variables", number);
  visitDims(codec, step.dims);
  visitSort(codec, step.sort);
  codec.expression(step.opCount);
  codec.expression(step.memBytes);
}

template <typename Codec, typename T>
static void visitTensor(Codec &codec, T &tensor) {
  visitDType(codec, tensor.dtype);
  codec.list(tensor.shape, "sizes", [&](auto &size) { codec.number(size); });
  codec.list(tensor.sizes, "sizes",
             [&](auto &size) { codec.expression(size); });
  codec.expression(tensor.elements);
}

template <typename Codec, typename T>
static void visitArtifact(Codec &codec, T &artifact) {
  auto number = [&](auto &value) { codec.number(value); };
  auto text = [&](auto &value) { codec.text(value); };
  codec.section("TARG", [&] {
    codec.text(artifact.target);
    codec.text(artifact.deviceKind);
    codec.text(artifact.architecture);
    codec.list(artifact.features, "features", text);
    uint32_t abi = kKernelAbiVersion;
    codec.number(abi);
    if constexpr (Codec::kIsReader)
      if (abi != kKernelAbiVersion)
        codec.fail("its kernels have conventions of version " +
                   std::to_string(abi) + ", this runtime those of version " +
                   std::to_string(kKernelAbiVersion) + "; compile it again");
  });
  codec.section("CODE", [&] { codec.text(artifact.code); });
  codec.section("LIST", [&] {
    auto &list = artifact.list;
    codec.list(list.variables, "variables", [&](auto &variable) {
      codec.text(variable.name);
      codec.number(variable.min);
      codec.number(variable.max);
    });
    codec.list(list.numbers, "numbers", number);
    codec.list(list.slots, "slots",
               [&](auto &slot) { visitSlot(codec, slot); });
    codec.list(list.steps, "steps",
               [&](auto &step) { visitStep(codec, step); });
    codec.list(list.inputs, "inputs", number);
    codec.list(list.outputs, "outputs", number);
    codec.number(list.arenaBytes);
  });
  codec.section("INFO", [&] {
    auto tensor = [&](auto &value) { visitTensor(codec, value); };
    codec.list(artifact.arguments, "arguments", tensor);
    codec.list(artifact.results, "results", tensor);
  });
}

//===----------------------------------------------------------------------===//
// Saving
//===----------------------------------------------------------------------===//

static uint32_t getSum(std::string_view bytes) {
  return uint32_t(::crc32_z(0, reinterpret_cast<const Bytef *>(bytes.data()),
                            bytes.size()));
}

std::string Artifact::save() const {
  Writer body;
  visitArtifact(body, *this);
  Writer length;
  length.number(uint64_t(kHeaderBytes + body.bytes.size()));
  const std::string summed = length.bytes + body.bytes;
  Writer file;
  file.bytes = kMagic;
  file.number(kVersion);
  file.number(getSum(summed));
  return file.bytes + summed;
}

void Artifact::save(const std::string &path) const {
  const std::string bytes = save();
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

void Artifact::save(std::ostream &stream) const {
  const std::string bytes = save();
  stream.write(bytes.data(), std::streamsize(bytes.size()));
  if (!stream.flush())
    throw IoError("an artifact could not be written to a stream");
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

/// Whether the sizes fit the slot that holds the tensor.
static bool fits(const TensorInfo &tensor, std::size_t bytes) {
  std::size_t needed = itemSize(tensor.dtype);
  bool isEmpty = false;
  for (int64_t size : tensor.shape) {
    if (size < 0)
      return false;
    isEmpty |= size == 0;
  }
  if (isEmpty)
    return true;
  for (int64_t size : tensor.shape) {
    if (needed > bytes / std::size_t(size))
      return false;
    needed *= std::size_t(size);
  }
  return needed <= bytes;
}

/// Throws Error if what the parts say does not fit together.
static void verifyParts(const Artifact &artifact) {
  const LaunchList &list = artifact.list;
  verify(list);
  for (std::size_t i = 0; i < list.slots.size(); ++i) {
    const Slot &slot = list.slots[i];
    const bool isConstant = slot.kind == Slot::Kind::Constant;
    if (slot.contents.size() != (isConstant ? slot.bytes : 0))
      throw Error("slot " + std::to_string(i) + " has a constant of " +
                  std::to_string(slot.contents.size()) + " bytes");
    if (isConstant || slot.kind == Slot::Kind::Input ||
        slot.kind == Slot::Kind::Output || slot.deviceName.empty())
      continue;
    throw Error("slot " + std::to_string(i) + " cannot be on another device");
  }
  for (const ProgramVariable &variable : list.variables)
    if (variable.min > variable.max)
      throw Error("the variable " + variable.name + " has no value");
  auto check = [&](const std::vector<TensorInfo> &tensors,
                   const std::vector<uint32_t> &slots, const char *what) {
    if (tensors.size() != slots.size())
      throw Error("there are " + std::to_string(slots.size()) + " " + what +
                  ", and " + std::to_string(tensors.size()) + " are described");
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const TensorInfo &tensor = tensors[i];
      bool isRight = tensor.sizes.size() == tensor.shape.size() &&
                     fits(tensor, list.slots[slots[i]].bytes);
      for (const Expression &size : tensor.sizes)
        isRight &= size.numVariables() <= list.variables.size();
      isRight &= tensor.elements.numVariables() <= list.variables.size();
      if (!isRight)
        throw Error(std::string(what) + ": the shape of number " +
                    std::to_string(i) + " does not fit its slot");
    }
  };
  check(artifact.arguments, list.inputs, "arguments");
  check(artifact.results, list.outputs, "results");
}

bool Artifact::isArtifact(std::string_view bytes) {
  return !bytes.empty() &&
         bytes.substr(0, kMagic.size()) == kMagic.substr(0, bytes.size());
}

/// Checks the header of a file of so many bytes.
static void checkHeader(std::string_view header, uint64_t bytes,
                        const std::string &name) {
  if (!Artifact::isArtifact(header))
    throw IoError(name + ": it is no artifact, which `tg-compile "
                         "--emit=artifact` makes");
  Reader reader(header.substr(std::min(kMagic.size(), header.size())), name);
  if (header.size() < kHeaderBytes)
    reader.fail("it is cut off: " + std::to_string(bytes) +
                " bytes are not even a header");
  uint32_t version = 0, sum = 0;
  uint64_t length = 0;
  reader.number(version);
  reader.number(sum);
  reader.number(length);
  if (version != Artifact::kVersion)
    reader.fail("it is an artifact of version " + std::to_string(version) +
                ", this runtime reads version " +
                std::to_string(Artifact::kVersion) + "; compile it again");
  if (length != bytes)
    reader.fail((bytes < length ? "it is cut off: it has "
                                : "it is too long: it has ") +
                std::to_string(bytes) + " bytes instead of " +
                std::to_string(length));
}

Artifact Artifact::fromBytes(std::string_view bytes, const std::string &name) {
  checkHeader(bytes.substr(0, kHeaderBytes), bytes.size(), name);
  uint32_t sum = 0;
  Reader(bytes.substr(kMagic.size() + 4), name).number(sum);
  if (sum != getSum(bytes.substr(kSumEnd)))
    throw IoError(name + ": it is damaged: its checksum is wrong");
  Artifact artifact;
  artifact.origin = name;
  Reader reader(bytes.substr(kHeaderBytes), name);
  visitArtifact(reader, artifact);
  if (!reader.isAtEnd())
    reader.fail("it has bytes behind its last section");
  try {
    verifyParts(artifact);
  } catch (const Error &error) {
    reader.fail(error.what());
  }
  return artifact;
}

namespace {
/// An open file.
struct Descriptor {
  ~Descriptor() {
    if (number >= 0)
      ::close(number);
  }
  int number = -1;
};
} // namespace

Artifact Artifact::load(const std::string &path) {
  auto fail = [&](const std::string &what) {
    throw IoError(path + ": " + what);
  };
  // Does not wait for the other end of a pipe.
  const Descriptor file{
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  struct stat status;
  if (file.number < 0 || ::fstat(file.number, &status) != 0)
    fail("cannot open: " + detail::errnoText(errno));
  if (S_ISDIR(status.st_mode))
    fail("it is a directory, not an artifact");
  if (!S_ISREG(status.st_mode))
    fail("it is no regular file; read its bytes, and load these");
  const std::size_t size = std::size_t(status.st_size);
  std::string bytes;
  auto readUpTo = [&](std::size_t end) {
    std::size_t done = bytes.size();
    bytes.resize(end);
    while (done < end) {
      const ssize_t count =
          ::read(file.number, bytes.data() + done, end - done);
      if (count < 0 && errno == EINTR)
        continue;
      if (count < 0)
        fail("cannot read: " + detail::errnoText(errno));
      if (count == 0)
        break;
      done += std::size_t(count);
    }
    bytes.resize(done);
  };
  // A large file that is none is not read as a whole.
  readUpTo(std::min(size, kHeaderBytes));
  checkHeader(bytes, size, path);
  readUpTo(size);
  return fromBytes(bytes, path);
}
