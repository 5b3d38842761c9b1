//===- Header.cpp - the C header of a library -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Writes the declarations of a library in C99, which C++ takes as well, with
/// what a caller has to know beside each.
///
//===----------------------------------------------------------------------===//

#include "Interface.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace tinygrad;
using namespace tinygrad::detail;

/// The type of an element in C. Types that C has no name for are their bits.
const char *tinygrad::detail::getCType(DType dtype) {
  switch (dtype) {
  case DType::Bool:
  case DType::UInt8:
  case DType::Float8E4M3:
  case DType::Float8E5M2:
  case DType::Float8E4M3FNUZ:
  case DType::Float8E5M2FNUZ:
    return "uint8_t";
  case DType::Int8:
    return "int8_t";
  case DType::Int16:
    return "int16_t";
  case DType::UInt16:
  case DType::Float16:
  case DType::BFloat16:
    return "uint16_t";
  case DType::Int32:
    return "int32_t";
  case DType::UInt32:
    return "uint32_t";
  case DType::Int64:
    return "int64_t";
  case DType::UInt64:
    return "uint64_t";
  case DType::Float32:
    return "float";
  case DType::Float64:
    return "double";
  }
  return "void";
}

/// What the type of an element does not say.
static std::string getNote(DType dtype) {
  switch (dtype) {
  case DType::Bool:
    return "bools, 0 or 1";
  case DType::Float16:
  case DType::BFloat16:
  case DType::Float8E4M3:
  case DType::Float8E5M2:
  case DType::Float8E4M3FNUZ:
  case DType::Float8E5M2FNUZ:
    return std::string("the bits of ") + name(dtype);
  default:
    return "";
  }
}

/// The width of lines.
static constexpr std::size_t kColumns = 80;

static int64_t countElements(const LibraryTensor &tensor) {
  int64_t count = 1;
  for (int64_t size : tensor.largestShape)
    count *= size;
  return count;
}

/// How many elements the memory of a tensor needs, over the sizes.
static std::string countNeeded(const LibraryTensor &tensor) {
  if (!tensor.elements)
    return std::to_string(countElements(tensor));
  const std::string text = tensor.elements->str();
  llvm::StringRef needed(text);
  if (needed.consume_front("("))
    needed.consume_back(")");
  return needed.str();
}

std::string tinygrad::detail::describeTensor(const LibraryTensor &tensor) {
  std::string text = getCType(tensor.dtype);
  std::string memory;
  bool isSymbolic = false;
  for (auto [size, largest] :
       llvm::zip_equal(tensor.sizes, tensor.largestShape)) {
    text += "[" + size + "]";
    memory += "[" + std::to_string(largest) + "]";
    isSymbolic |= size != std::to_string(largest);
  }
  if (tensor.sizes.empty())
    text += ", one element";
  if (isSymbolic && !tensor.elements)
    text += ", in memory of " + memory;
  if (isSymbolic)
    text += ", " + countNeeded(tensor) + " elements";
  if (std::string note = getNote(tensor.dtype); !note.empty())
    text += " (" + note + ")";
  return text;
}

namespace {
class HeaderWriter {
public:
  HeaderWriter(const Library &library, llvm::ArrayRef<LibraryVariant> variants)
      : library(library), variants(variants), name(library.options.name),
        upper(llvm::StringRef(name).upper()), os(text) {}

  std::string write();

private:
  void writeIntroduction();
  void writeMacros();
  void writeStatus();
  void writeState();
  void writeThreads();
  void writeStateFiles();
  void writeEntry(const LibraryEntry &entry);

  const Library &library;
  llvm::ArrayRef<LibraryVariant> variants;
  const std::string name, upper;
  std::string text;
  llvm::raw_string_ostream os;
};
} // namespace

void HeaderWriter::writeIntroduction() {
  os << "/* " << name << ".h - a program compiled by TinyGrad on MLIR.\n"
     << " *\n";
  if (library.options.source)
    os << " * Compile " << name << ".c and link with -lm.\n";
  else
    os << " * Link lib" << name << ".a or lib" << name << ".so. ";
  if (library.options.source) {
    // The compiler of C decides what it leaves to libraries.
  } else if (library.imports.empty()) {
    os << "They need no other library.\n";
  } else {
    os << "They need ";
    llvm::interleaveComma(library.imports, os);
    os << ".\n";
  }
  os << " *\n"
     << " * Functions allocate no memory, take no locks and start no threads. "
        "Two calls may\n"
     << " * run at once if no memory that one of them writes is given to the "
        "other";
  if (library.options.staticScratch)
    os << ",\n * and if they are not calls of one function, which has static "
          "memory";
  os << ".\n"
     << " * Tensors are contiguous, the last size varies fastest. A tensor in "
        "\"memory of\" another\n"
     << " * shape lies as that one does, and takes as much memory, whatever "
        "sizes are given.\n"
     << " * Where the elements are counted, memory has at least as many; no "
        "others are touched.\n"
     << " *\n"
     << (library.options.source ? " * Kernels are scheduled for"
                                : " * Code is for");
  for (const LibraryVariant &variant : variants) {
    llvm::StringRef processor = variant.prefix;
    processor.consume_front(name + ".");
    processor.consume_back(".");
    os << (&variant == variants.begin() ? " " : ", ")
       << (processor == "host" || library.options.source
               ? llvm::StringRef(variant.processor.cpu)
               : processor);
  }
  os << " (" << variants.front().processor.triple << ").\n"
     << " */\n";
}

void HeaderWriter::writeMacros() {
  os << "\n#ifndef " << upper << "_H\n"
     << "#define " << upper << "_H\n\n"
     << "#include <stddef.h>\n"
     << "#include <stdint.h>\n\n"
     << "#ifdef __cplusplus\n"
     << "extern \"C\" {\n"
     << "#endif\n\n"
     << "/* Results, the state and scratch memory begin at multiples of as "
        "many "
        "bytes. */\n"
     << "#define " << upper << "_ALIGNMENT " << mlir::tg::kBufferAlignment
     << "\n"
     << "#if defined(_MSC_VER)\n"
     << "#define " << upper << "_ALIGNED __declspec(align("
     << mlir::tg::kBufferAlignment << "))\n"
     << "#else\n"
     << "#define " << upper << "_ALIGNED __attribute__((aligned("
     << mlir::tg::kBufferAlignment << ")))\n"
     << "#endif\n\n"
     << "/* For Clang's analysis of functions that must not block. */\n"
     << "#if defined(__has_attribute)\n"
     << "#if __has_attribute(nonblocking)"
     << (library.options.threads ? " && 0 /* The caller's threads may. */" : "")
     << "\n"
     << "#define " << upper << "_NONBLOCKING __attribute__((nonblocking))\n"
     << "#endif\n"
     << "#endif\n"
     << "#ifndef " << upper << "_NONBLOCKING\n"
     << "#define " << upper << "_NONBLOCKING\n"
     << "#endif\n";
}

/// What functions return, by number.
static constexpr StatusText kStatusTexts[] = {
    {"OK", "no error"},
    {"ERROR_NULL", "a null pointer"},
    {"ERROR_ALIGNMENT", "an address that is not aligned"},
    {"ERROR_SIZE", "a size outside its bounds"},
    {"ERROR_OVERLAP", "memory that is written overlaps other"},
    {"ERROR_PROCESSOR", "this processor cannot run the code"},
    {"ERROR_FORMAT", "no safetensors file, or a damaged one"},
    {"ERROR_NAMES", "a file with other tensors"},
    {"ERROR_TENSOR", "a tensor of another type or shape"},
    {"ERROR_BUFFER", "memory that is too small for a file"},
};
static constexpr std::size_t kNumErrors =
    static_cast<std::size_t>(LibraryStatus::ErrorBuffer) + 1;
static_assert(std::size(kStatusTexts) == kNumErrors);

llvm::ArrayRef<StatusText>
tinygrad::detail::getStatusTexts(const Library &library) {
  const auto last = library.options.stateFiles ? LibraryStatus::ErrorBuffer
                                               : LibraryStatus::ErrorProcessor;
  return llvm::ArrayRef(kStatusTexts)
      .take_front(static_cast<std::size_t>(last) + 1);
}

void HeaderWriter::writeStatus() {
  const llvm::ArrayRef<StatusText> all = getStatusTexts(library);
  os << "\n/* What functions return. Nothing is written unless it is " << upper
     << "_OK. */\n"
     << "enum {\n";
  for (auto [i, status] : llvm::enumerate(all)) {
    const bool isLast = i + 1 == all.size();
    std::string line = "  " + upper + "_" + status.name + " = " +
                       std::to_string(i) + (isLast ? "" : ",");
    if (i > 0) {
      line.resize(std::max(line.size(), upper.size() + 24), ' ');
      line += std::string(" /* ") + status.meaning + " */";
    }
    os << line << "\n";
  }
  os << "};\n\n"
     << "/* What a status means, in words that are never freed. Any number may "
        "be given. */\n"
     << "const char *" << name << "_message(int status) " << upper
     << "_NONBLOCKING;\n\n"
     << "/* " << upper << "_OK, or " << upper
     << "_ERROR_PROCESSOR. The first call of any function asks the\n"
     << " * processor, which takes microseconds; later ones do not. */\n"
     << "int " << name << "_supported(void);\n";
}

void HeaderWriter::writeState() {
  if (library.state.empty())
    return;
  os << "\n/* What functions keep from call to call. It may be copied, and "
        "written to a file\n"
     << " * as it is. */\n"
     << "typedef struct " << name << "_state {\n";
  for (const LibraryTensor &tensor : library.state) {
    os << "  " << upper << "_ALIGNED " << getCType(tensor.dtype) << " "
       << tensor.name;
    if (tensor.largestShape.empty() || countElements(tensor) == 0)
      os << "[1]";
    else
      for (int64_t size : tensor.largestShape)
        os << "[" << size << "]";
    os << ";";
    if (std::string note = getNote(tensor.dtype); !note.empty())
      os << " /* " << note << " */";
    os << "\n";
  }
  os << "} " << name << "_state;\n";
}

void HeaderWriter::writeThreads() {
  if (!library.options.threads)
    return;
  os << "\n/* Threads of the caller. parallel_for calls body(data, begin, end) "
        "for "
        "disjoint\n"
     << " * parts of [0, extent), on any threads, and returns when all are "
        "done. "
        "Which parts\n"
     << " * does not change results. A null pointer for it, or for the "
        "structure: the\n"
     << " * calling thread does everything. */\n"
     << "typedef struct " << name << "_threads {\n"
     << "  void *context;\n"
     << "  void (*parallel_for)(void *context, int64_t extent,\n"
     << "                       void (*body)(void *data, int64_t begin, "
        "int64_t "
        "end),\n"
     << "                       void *data);\n"
     << "} " << name << "_threads;\n";
  if (library.options.tbb)
    os << "/* Those of oneTBB, in " << name << "_tbb.cpp. */\n"
       << "const " << name << "_threads *" << name << "_tbb(void);\n";
}

void HeaderWriter::writeStateFiles() {
  std::size_t bytes = makeStateHeader(library.state).size();
  for (const LibraryTensor &tensor : library.state)
    bytes += tensor.bytes;
  os << "\n/* The size of a file that " << name << "_save writes. */\n"
     << "#define " << upper << "_STATE_FILE_BYTES " << bytes << "\n"
     << "#define " << upper << "_LOAD_STACK_BYTES " << library.loadStackBytes
     << "\n"
     << "#define " << upper << "_SAVE_STACK_BYTES " << library.saveStackBytes
     << "\n\n"
     << "/* Fills the state from a safetensors file that is in memory, whose "
        "tensors have\n"
     << " * the names, types and shapes of the members, in any order. The "
        "memory does not\n"
     << " * overlap the state, and may be a file that is mapped. All is "
        "checked "
        "first. */\n"
     << "int " << name << "_load(" << name
     << "_state *state, const void *bytes, size_t size) " << upper
     << "_NONBLOCKING;\n\n"
     << "/* Writes the state to memory as a safetensors file, and the file's "
        "size to\n"
     << " * *needed, unless that is a null pointer. Without memory (0, 0) it "
        "only does\n"
     << " * the latter, and returns " << upper << "_ERROR_BUFFER. */\n"
     << "int " << name << "_save(const " << name
     << "_state *state, void *bytes, size_t size, size_t *needed) " << upper
     << "_NONBLOCKING;\n";
}

std::vector<std::string>
tinygrad::detail::getParameters(const Library &library,
                                const LibraryEntry &entry) {
  const std::string &name = library.options.name;
  std::vector<std::string> parameters;
  if (entry.hasState()) {
    bool isWritten = false;
    for (const LibraryTensor &tensor : entry.arguments)
      isWritten |= tensor.isState && tensor.isWritten;
    parameters.push_back((isWritten ? "" : "const ") + name + "_state *state");
  }
  for (const LibraryTensor &tensor : entry.arguments)
    if (!tensor.isState)
      parameters.push_back((tensor.isWritten ? "" : "const ") +
                           std::string(getCType(tensor.dtype)) + " *" +
                           tensor.name);
  for (const LibraryTensor &tensor : entry.results)
    parameters.push_back(std::string(getCType(tensor.dtype)) + " *" +
                         tensor.name);
  for (const ProgramVariable &variable : entry.variables)
    parameters.push_back("int64_t " + variable.name);
  if (entry.scratchBytes > 0 && !library.options.staticScratch)
    parameters.push_back("void *scratch");
  if (library.options.threads)
    parameters.push_back("const " + name + "_threads *threads");
  return parameters;
}

void HeaderWriter::writeEntry(const LibraryEntry &entry) {
  const bool takesScratch =
      entry.scratchBytes > 0 && !library.options.staticScratch;
  if (takesScratch)
    os << "\n#define " << upper << "_" << llvm::StringRef(entry.name).upper()
       << "_SCRATCH_BYTES " << entry.scratchBytes << "\n";
  // What a compiler of C needs is not known.
  if (!library.options.source)
    os << "\n#define " << upper << "_" << llvm::StringRef(entry.name).upper()
       << "_STACK_BYTES " << entry.stackBytes << "\n";
  os << "\n/* ";
  std::vector<std::string> lines;
  std::vector<std::string> updated;
  for (const LibraryTensor &tensor : entry.arguments)
    if (!tensor.isState)
      lines.push_back(tensor.name + ": " + describeTensor(tensor) +
                      (tensor.isWritten ? ", updated" : ""));
    else if (tensor.isWritten)
      updated.push_back(tensor.name);
  if (!updated.empty()) {
    // A list of many names takes several lines.
    std::string line = "state: updates ";
    for (const std::string &member : updated) {
      const bool isLast = &member == &updated.back();
      if (line.size() + member.size() > kColumns) {
        line.pop_back();
        lines.push_back(std::move(line));
        line = "  ";
      }
      line += member + (isLast ? "" : ", ");
    }
    lines.push_back(std::move(line));
  }
  for (const LibraryTensor &tensor : entry.results)
    lines.push_back(tensor.name + ": " + describeTensor(tensor) + ", written");
  for (const ProgramVariable &variable : entry.variables)
    lines.push_back(variable.name + ": from " + std::to_string(variable.min) +
                    " to " + std::to_string(variable.max));
  if (takesScratch)
    lines.push_back("scratch: " + std::to_string(entry.scratchBytes) +
                    " bytes, whose contents do not matter");
  if (lines.empty())
    lines.push_back("Takes and gives nothing");
  llvm::interleave(lines, os, "\n * ");
  os << " */\n"
     << "int " << name << "_" << entry.name << "(";
  std::vector<std::string> parameters = getParameters(library, entry);
  if (parameters.empty())
    parameters.push_back("void");
  std::size_t length = 0;
  for (const std::string &parameter : parameters)
    length += parameter.size() + 2;
  llvm::interleave(parameters, os, length > kColumns ? ",\n    " : ", ");
  os << ") " << upper << "_NONBLOCKING;\n";
}

std::string HeaderWriter::write() {
  writeIntroduction();
  writeMacros();
  writeStatus();
  writeState();
  writeThreads();
  if (library.options.stateFiles)
    writeStateFiles();
  for (const LibraryEntry &entry : library.entries)
    writeEntry(entry);
  os << "\n#ifdef __cplusplus\n"
     << "}\n"
     << "#endif\n\n"
     << "#endif /* " << upper << "_H */\n";
  return text;
}

std::string
tinygrad::detail::makeHeader(const Library &library,
                             llvm::ArrayRef<LibraryVariant> variants) {
  return HeaderWriter(library, variants).write();
}
