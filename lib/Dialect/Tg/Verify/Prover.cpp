//===- Prover.cpp - questions to the SMT solver ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Runs Z3 on formulas and reads its answers.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/Verify/VerifyIndex.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SHA256.h"

#include <array>
#include <functional>

using namespace mlir;
using namespace mlir::tg;

/// Variables are tried one value at a time, up to this many combinations of
/// values.
static constexpr int64_t kMaxValues = 256;

/// The factor for the time limit of the last attempt: on a busy machine, the
/// hardest queries exceed the normal limit.
static constexpr unsigned kPatience = 36;

/// The factor for the second attempt with the strategy of the first one.
static constexpr unsigned kMorePatience = 6;

/// How many branches Z3 tries for each cutting plane: its default, and more.
static constexpr llvm::StringLiteral kSomeCuts = "smt.arith.branch_cut_ratio=2";
static constexpr llvm::StringLiteral kFewCuts = "smt.arith.branch_cut_ratio=10";

/// Whether Z3 keeps account of the terms that matter. Formulas have no
/// quantifiers, for which this is made, yet those of rules about unknown
/// numbers are proved twice as fast with it, and those of kernels without.
static constexpr llvm::StringLiteral kRelevancy = "smt.relevancy=2";
static constexpr llvm::StringLiteral kNoRelevancy = "smt.relevancy=0";

/// How many statements that do not hold get a counterexample. Each takes
/// another run of the solver, and a kernel without one of its barriers has
/// hundreds.
static constexpr size_t kMostExamples = 4;

/// How many queries the solver gets at once, and after how many statements that
/// do not hold it gets no more: others fail for the same reason.
static constexpr size_t kQueriesAtOnce = 512, kMostFailures = 32;

/// The solver is ended when it takes longer than this many queries may take.
static constexpr uint64_t kMaxSlowQueries = 20;

/// How Z3 is tuned.
static std::array<StringRef, 2> getStrategy(const ProofOptions &options) {
  if (options.hasSmallBounds)
    return {kFewCuts, kNoRelevancy};
  return {kSomeCuts, kRelevancy};
}

namespace {
/// Runs the solver on scripts.
class Solver {
public:
  Solver(const ProofOptions &options, Location loc)
      : options(options), loc(loc) {}

  LogicalResult initialize() {
    llvm::ErrorOr<std::string> found =
        llvm::sys::findProgramByName(options.solver);
    if (!found)
      return emitError(loc) << "the SMT solver '" << options.solver
                            << "' was not found (apt-get install z3)";
    path = *found;
    return success();
  }

  /// The output of the solver for a script, each query of which may take \p
  /// patience times the limit in the options. Answers may be missing at the
  /// end: Z3 hangs sometimes when a query takes too long.
  FailureOr<std::string> run(StringRef script, unsigned patience = 1) {
    llvm::SmallString<128> input, output;
    if (std::error_code error =
            llvm::sys::fs::createTemporaryFile("tg-proof", "smt2", input))
      return emitError(loc)
             << "no temporary file for the SMT solver: " << error.message();
    llvm::FileRemover removeInput(input);
    if (std::error_code error =
            llvm::sys::fs::createTemporaryFile("tg-proof", "out", output))
      return emitError(loc)
             << "no temporary file for the SMT solver: " << error.message();
    llvm::FileRemover removeOutput(output);
    {
      std::error_code error;
      llvm::raw_fd_ostream os(input, error);
      os << script;
      os.close();
      if (error || os.has_error()) {
        os.clear_error();
        return emitError(loc) << "cannot write the temporary file " << input;
      }
    }
    // The solver takes no larger number.
    const uint64_t milliseconds =
        std::min<uint64_t>(uint64_t(patience) * options.timeoutMs, UINT32_MAX);
    std::string timeout = "-t:" + std::to_string(milliseconds);
    const auto [cuts, relevancy] = getStrategy(options);
    StringRef arguments[] = {path, "-smt2", cuts, relevancy, timeout, input};
    std::optional<StringRef> redirects[] = {StringRef(""), StringRef(output),
                                            StringRef(output)};
    std::string message;
    // Few queries take as long as they may.
    const auto seconds =
        static_cast<unsigned>(60 + milliseconds * kMaxSlowQueries / 1000);
    int status = llvm::sys::ExecuteAndWait(path, arguments, std::nullopt,
                                           redirects, seconds, 0, &message);
    auto buffer = llvm::MemoryBuffer::getFile(output);
    // The exit status reports errors in single answers, as the text does too.
    isEnded = status == -2;
    if ((status < 0 && !isEnded) || !buffer)
      return emitError(loc) << "the SMT solver did not run: " << message;
    return (*buffer)->getBuffer().str();
  }

  /// Whether the last script took too long.
  bool wasEnded() const { return isEnded; }

  StringRef getPath() const { return path; }

private:
  const ProofOptions &options;
  Location loc;
  std::string path;
  bool isEnded = false;
};

/// A variable of a formula.
struct Variable {
  std::string name;
  int64_t min, max;
};
} // namespace

/// One query among others: a scope costs a tenth of a new solver.
static std::string getScript(StringRef formula, StringRef more = "") {
  return ("(push 1)\n" + formula + "\n" + more + "(check-sat)\n(pop 1)\n")
      .str();
}

/// The answers to scripts of getScript, in their order.
static SmallVector<std::string> readAnswers(StringRef output) {
  SmallVector<std::string> answers;
  SmallVector<StringRef> lines;
  output.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines)
    answers.push_back(line.trim().str());
  return answers;
}

static bool isDecided(StringRef answer) {
  return answer == "sat" || answer == "unsat";
}

static bool isAnswer(StringRef text) {
  return isDecided(text) || text == "unknown";
}

/// The file in which the answers to queries are kept. Its name is a hash of
/// these and of the solver: its size, its time, and how it is called.
static FailureOr<std::string> getAnswersFile(const ProofOptions &options,
                                             Location loc, StringRef solver,
                                             ArrayRef<StringRef> formulas) {
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(solver, status))
    return emitError(loc) << "cannot read the SMT solver '" << solver
                          << "': " << error.message();
  const auto strategy = getStrategy(options);
  const std::string version =
      llvm::formatv("{0} {1} {2:$[ ]}\n", status.getSize(),
                    status.getLastModificationTime().time_since_epoch().count(),
                    llvm::make_range(strategy.begin(), strategy.end()));
  llvm::SHA256 hash;
  hash.update(version);
  for (StringRef formula : formulas)
    hash.update(getScript(formula));
  llvm::SmallString<128> path(options.answers);
  llvm::sys::path::append(path, llvm::toHex(hash.final(), /*LowerCase=*/true));
  return path.str().str();
}

/// The answers that are kept in a file, if it has those to so many queries.
static std::optional<SmallVector<std::string>>
readKeptAnswers(StringRef file, size_t numAsked) {
  auto buffer = llvm::MemoryBuffer::getFile(file);
  if (!buffer)
    return std::nullopt;
  SmallVector<std::string> answers = readAnswers((*buffer)->getBuffer());
  if (answers.size() != numAsked || !llvm::all_of(answers, isDecided))
    return std::nullopt;
  return answers;
}

static LogicalResult keepAnswers(StringRef file, Location loc,
                                 ArrayRef<std::string> answers) {
  std::error_code made =
      llvm::sys::fs::create_directories(llvm::sys::path::parent_path(file));
  llvm::Error error =
      made ? llvm::errorCodeToError(made)
           : llvm::writeToOutput(file, [&](llvm::raw_ostream &os) {
               os << llvm::join(answers, "\n") << '\n';
               return llvm::Error::success();
             });
  if (error)
    return emitError(loc) << "cannot keep the SMT solver's answers in '" << file
                          << "': " << llvm::toString(std::move(error));
  return success();
}

/// The variables that a formula declares; their bounds follow the names.
static SmallVector<Variable> getVariables(StringRef formula) {
  SmallVector<Variable> variables;
  SmallVector<StringRef> lines;
  formula.split(lines, '\n');
  for (StringRef line : lines) {
    // ; variable NAME MIN MAX
    if (!line.consume_front("; variable "))
      continue;
    SmallVector<StringRef> parts;
    line.split(parts, ' ');
    Variable variable{parts[0].str(), 0, 0};
    if (!parts[1].getAsInteger(10, variable.min) &&
        !parts[2].getAsInteger(10, variable.max))
      variables.push_back(variable);
  }
  return variables;
}

/// "x = 3, n = 4" of a model in SMT-LIB.
static std::string describeModel(StringRef model) {
  std::vector<std::string> values;
  SmallVector<StringRef> words;
  std::string spaced;
  for (char c : model) {
    if (c == '(' || c == ')')
      spaced += ' ';
    else
      spaced += c == '\n' ? ' ' : c;
  }
  StringRef(spaced).split(words, ' ', -1, /*KeepEmpty=*/false);
  for (size_t i = 0; i + 3 < words.size(); ++i) {
    if (words[i] != "define-fun")
      continue;
    // define-fun NAME Int VALUE, where -3 is "- 3"
    StringRef name = words[i + 1];
    name.consume_front("var.");
    std::string value = words[i + 3].str();
    if (value == "-" && i + 4 < words.size())
      value += words[i + 4].str();
    values.push_back(name.str() + " = " + value);
  }
  llvm::sort(values);
  return llvm::join(values, ", ");
}

static std::string showNumber(int64_t value) {
  if (value >= 0)
    return std::to_string(value);
  return "(- " + std::to_string(-static_cast<uint64_t>(value)) + ")";
}

/// Asks once for each value of the variables; unsat if it is for each.
static FailureOr<std::string> askForEachValue(Solver &solver,
                                              const ProofQuestion &question) {
  SmallVector<Variable> variables = getVariables(question.formula);
  int64_t count = 1;
  for (const Variable &variable : variables)
    if (llvm::MulOverflow(count, variable.max - variable.min + 1, count) ||
        count > kMaxValues)
      return std::string("unknown");
  if (variables.empty())
    return std::string("unknown");
  std::string script;
  for (int64_t position = 0; position < count; ++position) {
    std::string values;
    int64_t rest = position;
    for (const Variable &variable : variables) {
      int64_t extent = variable.max - variable.min + 1;
      values += "(assert (= " + variable.name + " " +
                showNumber(variable.min + rest % extent) + "))\n";
      rest /= extent;
    }
    script += getScript(question.formula, values);
  }
  FailureOr<std::string> output = solver.run(script);
  if (failed(output))
    return failure();
  SmallVector<std::string> answers = readAnswers(*output);
  if (answers.size() != static_cast<size_t>(count))
    return std::string("unknown");
  for (const std::string &answer : answers)
    if (answer != "unsat")
      return answer;
  return std::string("unsat");
}

/// The answers to several queries.
static FailureOr<SmallVector<std::string>>
askSome(Solver &solver, ArrayRef<StringRef> formulas, Location loc) {
  const size_t numAsked = formulas.size();
  std::string script;
  for (StringRef formula : formulas)
    script += getScript(formula);
  FailureOr<std::string> output = solver.run(script);
  if (failed(output))
    return failure();
  SmallVector<std::string> answers = readAnswers(*output);
  if (solver.wasEnded() && answers.size() < numAsked &&
      llvm::all_of(answers, isAnswer))
    answers.resize(numAsked, "unknown");
  if (answers.size() != numAsked)
    return emitError(loc) << "the SMT solver gave " << answers.size()
                          << " answers to " << numAsked
                          << " queries; its output ends with: "
                          << (answers.empty() ? "nothing" : answers.back());
  return answers;
}

/// The answers to all queries, or to the first ones if too many of these are
/// not proved.
static FailureOr<SmallVector<std::string>>
askAll(Solver &solver, ArrayRef<StringRef> formulas, Location loc) {
  SmallVector<std::string> answers;
  while (answers.size() < formulas.size() &&
         size_t(llvm::count(answers, "sat")) < kMostFailures) {
    FailureOr<SmallVector<std::string>> more = askSome(
        solver, formulas.drop_front(answers.size()).take_front(kQueriesAtOnce),
        loc);
    if (failed(more))
      return failure();
    llvm::append_range(answers, *more);
  }
  return answers;
}

LogicalResult mlir::tg::proveAll(ArrayRef<ProofQuestion> questions,
                                 const ProofOptions &options,
                                 llvm::StringMap<unsigned> &proved) {
  if (questions.empty())
    return success();
  Solver solver(options, questions[0].loc);
  if (failed(solver.initialize()))
    return failure();
  // Equal queries, of which unrolled programs have many, are sent once.
  llvm::StringMap<size_t> positions;
  SmallVector<size_t> answerOf;
  SmallVector<StringRef> formulas;
  for (const ProofQuestion &question : questions) {
    auto [it, isNew] = positions.try_emplace(question.formula, formulas.size());
    if (isNew)
      formulas.push_back(it->getKey());
    answerOf.push_back(it->second);
  }
  std::string file;
  std::optional<SmallVector<std::string>> kept;
  if (!options.answers.empty()) {
    FailureOr<std::string> found =
        getAnswersFile(options, questions[0].loc, solver.getPath(), formulas);
    if (failed(found))
      return failure();
    file = *found;
    kept = readKeptAnswers(file, formulas.size());
  }
  const bool isKept = kept.has_value();
  if (!isKept) {
    FailureOr<SmallVector<std::string>> asked =
        askAll(solver, formulas, questions[0].loc);
    if (failed(asked))
      return failure();
    kept = std::move(*asked);
  }
  SmallVector<std::string> &answers = *kept;

  SmallVector<const ProofQuestion *> failures;
  size_t numLeftOut = 0;
  for (auto [question, position] : llvm::zip_equal(questions, answerOf)) {
    if (position >= answers.size()) {
      ++numLeftOut;
      continue;
    }
    std::string &answer = answers[position];
    // On a single query, the solver uses other strategies.
    const std::string alone = question.formula + "\n(check-sat)\n";
    const std::function<FailureOr<std::string>()> others[] = {
        [&] { return solver.run(alone); },
        [&] { return askForEachValue(solver, question); },
        // Limits are of time that passes: other programs may have had most of
        // that of the first attempt.
        [&] { return solver.run(getScript(question.formula), kMorePatience); },
        [&] { return solver.run(alone, kPatience); }};
    for (const auto &ask : others) {
      if (answer != "unknown")
        break;
      FailureOr<std::string> again = ask();
      if (failed(again))
        return failure();
      answer = StringRef(*again).trim().str();
      if (answer.empty())
        answer = "unknown";
    }
    if (answer == "unsat") {
      ++proved[question.subject];
      continue;
    }
    // One statement may be asked for in several ways.
    if (llvm::any_of(failures, [&](const ProofQuestion *other) {
          return other->loc == question.loc && other->claim == question.claim &&
                 other->other == question.other;
        }))
      continue;
    failures.push_back(&question);
    InFlightDiagnostic error = emitError(question.loc);
    if (answer != "sat")
      error << "not proved: it may be that ";
    error << question.claim;
    if (question.other)
      error.attachNote(question.other->first) << question.other->second;
    if (answer != "sat") {
      error.attachNote() << "the SMT solver could not decide this: " << answer;
      continue;
    }
    if (failures.size() > kMostExamples)
      continue;
    FailureOr<std::string> model = solver.run(
        question.formula + "\n(check-sat)\n(get-model)\n", kPatience);
    if (succeeded(model))
      error.attachNote() << "counterexample: " << describeModel(*model);
  }
  if (numLeftOut > 0)
    emitWarning(questions[0].loc)
        << numLeftOut << " other statements were not tried after "
        << failures.size() << " that do not hold";
  if (!file.empty() && !isKept && numLeftOut == 0 &&
      llvm::all_of(answers, isDecided) &&
      failed(keepAnswers(file, questions[0].loc, answers)))
    return failure();
  return success(failures.empty());
}
