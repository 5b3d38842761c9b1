//===- CppHeader.cpp - the C++ header of a library ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Writes a class that owns a state and scratch memory, in C++17 and without
/// exceptions. It calls the functions of the C header.
///
//===----------------------------------------------------------------------===//

#include "Interface.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

using namespace tinygrad;
using namespace tinygrad::detail;

/// "ErrorNull" for "ERROR_NULL".
static std::string getEnumerator(llvm::StringRef name) {
  std::string text;
  bool isFirst = true;
  for (char c : name) {
    if (c != '_')
      text += isFirst ? c : llvm::toLower(c);
    isFirst = c == '_';
  }
  return text;
}

/// What comes before the class, with NAME and ALIGNMENT to be replaced.
static constexpr llvm::StringLiteral kBeginning = R"(
/// The message of a status.
inline const char *message(Status status) {
  return NAME_message(static_cast<int>(status));
}
/// Whether this processor can run the code.
inline Status supported() { return static_cast<Status>(NAME_supported()); }

/// Elements of somebody else: of an array, or of anything with data() and
/// size().
template <typename T> class Span {
public:
  constexpr Span(T *elements, std::size_t number)
      : elements(elements), number(number) {}
  template <std::size_t N>
  constexpr Span(T (&array)[N]) : elements(array), number(N) {}
  template <typename Container,
            typename = decltype(static_cast<T *>(
                std::declval<Container &>().data()))>
  constexpr Span(Container &&container)
      : elements(container.data()), number(container.size()) {}
  constexpr T *data() const { return elements; }
  constexpr std::size_t size() const { return number; }

private:
  T *elements;
  std::size_t number;
};

/// Elements at an address that results can have, zeros at first. It is false, and
/// has none, if there was no memory or if it was moved from.
template <typename T> class Array {
public:
  explicit Array(std::size_t number)
      : elements(number > SIZE_MAX / sizeof(T)
                     ? nullptr
                     : static_cast<T *>(::operator new(
                           (number ? number : 1) * sizeof(T),
                           std::align_val_t(ALIGNMENT), std::nothrow))),
        number(number) {
    if (elements)
      std::memset(static_cast<void *>(elements.get()), 0, number * sizeof(T));
  }
  explicit operator bool() const { return elements != nullptr; }
  T *data() { return elements.get(); }
  const T *data() const { return elements.get(); }
  std::size_t size() const { return elements ? number : 0; }
  T &operator[](std::size_t i) { return elements.get()[i]; }
  const T &operator[](std::size_t i) const { return elements.get()[i]; }
  T *begin() { return data(); }
  T *end() { return data() + size(); }
  const T *begin() const { return data(); }
  const T *end() const { return data() + size(); }

private:
  struct Free {
    void operator()(T *memory) const {
      ::operator delete(memory, std::align_val_t(ALIGNMENT));
    }
  };
  std::unique_ptr<T, Free> elements;
  std::size_t number;
};
)";

namespace {
class CppHeaderWriter {
public:
  explicit CppHeaderWriter(const Library &library)
      : library(library), name(library.options.name),
        upper(llvm::StringRef(name).upper()), os(text) {}

  std::string write();

private:
  void writeStatus();
  void writeClass();
  void writeEntry(const LibraryEntry &entry, bool isScratchGiven);
  bool takesScratch(const LibraryEntry &entry) const {
    return entry.scratchBytes > 0 && !library.options.staticScratch;
  }

  const Library &library;
  const std::string name, upper;
  std::string text;
  llvm::raw_string_ostream os;
};
} // namespace

void CppHeaderWriter::writeStatus() {
  os << "/// What functions return.\n"
     << "enum class Status : int {\n";
  for (const StatusText &status : getStatusTexts(library))
    os << "  " << getEnumerator(status.name) << " = " << upper << "_"
       << status.name << ", ///< " << status.meaning << "\n";
  os << "};\n";
}

/// A dimension as an expression in C++. Nothing if it divides by something else
/// than a positive number.
static std::optional<std::string> getCppExpression(mlir::tg::Dim dim) {
  using mlir::tg::DimOpKind;
  if (std::optional<int64_t> number = dim.getStatic())
    return std::to_string(*number);
  if (auto variable = llvm::dyn_cast<mlir::tg::VarAttr>(dim.getAttr()))
    return variable.getName().getValue().str();
  auto expression = llvm::cast<mlir::tg::DimExprAttr>(dim.getAttr());
  std::string text;
  for (mlir::Attribute attr : expression.getOperands()) {
    const mlir::tg::Dim operand(attr);
    const std::optional<std::string> next = getCppExpression(operand);
    if (!next)
      return std::nullopt;
    if (text.empty()) {
      text = *next;
      continue;
    }
    switch (expression.getKind()) {
    case DimOpKind::add:
      text = llvm::formatv("({0} + {1})", text, *next).str();
      break;
    case DimOpKind::mul:
      text += " * " + *next;
      break;
    case DimOpKind::floordiv:
    case DimOpKind::mod: {
      if (operand.getStatic().value_or(0) < 1)
        return std::nullopt;
      // The remainder is not negative, as it may be in C++.
      const std::string rest =
          llvm::formatv("(({0}) % {1} + {1}) % {1}", text, *next).str();
      if (expression.getKind() == DimOpKind::mod)
        text = llvm::formatv("({0})", rest).str();
      else
        text = llvm::formatv("(({0} - {1}) / {2})", text, rest, *next).str();
      break;
    }
    case DimOpKind::min:
    case DimOpKind::max: {
      const bool isLeast = expression.getKind() == DimOpKind::min;
      text = llvm::formatv("({0} {1} {2} ? {0} : {2})", text,
                           isLeast ? "<" : ">", *next)
                 .str();
      break;
    }
    }
  }
  return text;
}

void CppHeaderWriter::writeEntry(const LibraryEntry &entry,
                                 bool isScratchGiven) {
  std::vector<std::string> parameters, passed;
  std::string checks;
  bool isWritten = false;
  const bool isSized = llvm::any_of(
      llvm::concat<const LibraryTensor>(entry.arguments, entry.results),
      [](const LibraryTensor &tensor) { return tensor.elements.has_value(); });
  for (const ProgramVariable &variable : entry.variables)
    if (isSized)
      checks += (checks.empty() ? "" : " ||\n        ") + variable.name +
                " < " + std::to_string(variable.min) + " || " + variable.name +
                " > " + std::to_string(variable.max);
  if (entry.hasState())
    passed.push_back("memory_.data()");
  for (const LibraryTensor &tensor : entry.arguments)
    isWritten |= tensor.isState && tensor.isWritten;
  auto addTensor = [&](const LibraryTensor &tensor) {
    parameters.push_back("::" + name + "::Span<" +
                         (tensor.isWritten ? "" : "const ") +
                         getCType(tensor.dtype) + "> " + tensor.name);
    passed.push_back(tensor.name + ".data()");
    // Sizes are within their bounds here, so that nothing overflows.
    std::optional<std::string> actual;
    if (tensor.elements)
      actual = getCppExpression(*tensor.elements);
    checks += (checks.empty() ? "" : " ||\n        ") + tensor.name +
              ".size() < " +
              (actual ? "static_cast<std::size_t>(" + *actual + ")"
                      : std::to_string(tensor.bytes / itemSize(tensor.dtype)));
  };
  for (const LibraryTensor &tensor : entry.arguments)
    if (!tensor.isState)
      addTensor(tensor);
  for (const LibraryTensor &tensor : entry.results)
    addTensor(tensor);
  for (const ProgramVariable &variable : entry.variables) {
    parameters.push_back("std::int64_t " + variable.name);
    passed.push_back(variable.name);
  }
  if (takesScratch(entry)) {
    if (isScratchGiven)
      parameters.push_back("void *scratch");
    passed.push_back(isScratchGiven ? "scratch" : "scratch_.data()");
  }
  if (library.options.threads) {
    parameters.push_back("const " + name + "_threads *threads" +
                         (isScratchGiven ? "" : " = nullptr"));
    passed.push_back("threads");
  }
  auto describeAll = [&](const std::vector<LibraryTensor> &tensors) {
    for (const LibraryTensor &tensor : tensors)
      if (!tensor.isState)
        os << "  /// " << tensor.name << ": " << describeTensor(tensor) << "\n";
  };
  describeAll(entry.arguments);
  describeAll(entry.results);
  os << "  ::" << name << "::Status " << entry.name << "(";
  llvm::interleave(parameters, os, ",\n      ");
  os << ")" << (isScratchGiven && !isWritten ? " const" : "") << " {\n";
  if (!checks.empty())
    os << "    if (" << checks << ")\n"
       << "      return ::" << name << "::Status::ErrorSize;\n";
  os << "    return static_cast<::" << name << "::Status>(::" << name << "_"
     << entry.name << "(\n        ";
  llvm::interleave(passed, os, ", ");
  os << "));\n"
     << "  }\n";
}

void CppHeaderWriter::writeClass() {
  std::size_t scratchBytes = 0;
  for (const LibraryEntry &entry : library.entries)
    if (takesScratch(entry))
      scratchBytes = std::max(scratchBytes, entry.scratchBytes);
  const bool hasState = !library.state.empty();
  os << "\n"
     << (hasState ? "/// The state, zeros at first, and the functions.\n"
                  : "/// The functions.\n")
     << (scratchBytes ? "/// It owns scratch memory: two threads may call "
                        "functions of it at once only\n"
                        "/// with scratch memory of their own.\n"
                      : "")
     << "class State {\n"
     << "public:\n"
     << "  State() = default;\n";
  if (hasState) {
    os << "  State(State &&) = default;\n"
       << "  State &operator=(State &&) = default;\n"
       << "  State(const State &other) : State() { *this = other; }\n"
       << "  State &operator=(const State &other) {\n"
       << "    if (this == &other)\n"
       << "      return *this;\n"
       << "    // Of what was moved from, the copy has no memory either.\n"
       << "    if (!other.memory_) {\n"
       << "      const auto released = std::move(memory_);\n"
       << "      return *this;\n"
       << "    }\n"
       << "    if (!*this)\n"
       << "      *this = State();\n"
       << "    if (memory_)\n"
       << "      std::memcpy(memory_.data(), other.memory_.data(), sizeof("
       << name << "_state));\n"
       << "    return *this;\n"
       << "  }\n"
       << "  /// The members, as in the C header.\n"
       << "  " << name << "_state &operator*() { return memory_[0]; }\n"
       << "  const " << name
       << "_state &operator*() const { return memory_[0]; }\n"
       << "  " << name << "_state *operator->() { return memory_.data(); }\n"
       << "  const " << name
       << "_state *operator->() const { return memory_.data(); }\n";
  }
  os << "  /// Whether there was memory. Functions return ErrorNull "
        "otherwise.\n"
     << "  explicit operator bool() const {\n"
     << "    return true" << (hasState ? " && bool(memory_)" : "")
     << (scratchBytes ? " && bool(scratch_)" : "") << ";\n"
     << "  }\n\n";
  for (const LibraryEntry &entry : library.entries) {
    writeEntry(entry, /*isScratchGiven=*/false);
    if (takesScratch(entry))
      writeEntry(entry, /*isScratchGiven=*/true);
  }
  if (library.options.stateFiles)
    os << "\n  /// A safetensors file in memory.\n"
       << "  ::" << name
       << "::Status load(const void *bytes, std::size_t size) {\n"
       << "    return static_cast<::" << name << "::Status>(::" << name
       << "_load(memory_.data(), bytes, size));\n"
       << "  }\n"
       << "  ::" << name
       << "::Status save(void *bytes, std::size_t size,\n"
          "      std::size_t *needed = nullptr) const {\n"
       << "    return static_cast<::" << name
       << "::Status>(\n        ::" << name
       << "_save(memory_.data(), bytes, size, needed));\n"
       << "  }\n";
  if (hasState || scratchBytes)
    os << "\nprivate:\n";
  if (hasState)
    os << "  ::" << name << "::Array<" << name << "_state> memory_{1};\n";
  if (scratchBytes)
    os << "  ::" << name << "::Array<unsigned char> scratch_{" << scratchBytes
       << "};\n";
  os << "};\n";
}

std::string CppHeaderWriter::write() {
  os << "// " << name << ".hpp - " << name << ".h for C++17.\n\n"
     << "#ifndef " << upper << "_HPP\n"
     << "#define " << upper << "_HPP\n\n"
     << "#include \"" << name << ".h\"\n\n"
     << "#include <cstddef>\n"
     << "#include <cstdint>\n"
     << "#include <cstring>\n"
     << "#include <memory>\n"
     << "#include <new>\n"
     << "#include <utility>\n\n"
     << "namespace " << name << " {\n\n";
  writeStatus();
  std::string beginning = kBeginning.str();
  for (const auto &[word, value] :
       {std::pair<llvm::StringRef, std::string>{"NAME", name},
        {"ALIGNMENT", upper + "_ALIGNMENT"}})
    for (std::size_t at = 0;
         (at = beginning.find(word, at)) != std::string::npos;
         at += value.size())
      beginning.replace(at, word.size(), value);
  os << beginning;
  writeClass();
  os << "\n} // namespace " << name << "\n\n"
     << "#endif // " << upper << "_HPP\n";
  return text;
}

std::string tinygrad::detail::makeCppHeader(const Library &library) {
  return CppHeaderWriter(library).write();
}
