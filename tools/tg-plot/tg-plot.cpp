//===- tg-plot.cpp - draws learning curves --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `tg-plot run.jsonl -o run.svg` draws the metrics that training runs have
/// logged.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Data/LearningCurve.h"
#include "TinyGrad/Runtime/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/WithColor.h"

#include <filesystem>
#include <string>
#include <vector>

using namespace tinygrad;
namespace cl = llvm::cl;

static cl::OptionCategory category("Options of tg-plot");

static cl::list<std::string> logs(cl::Positional, cl::OneOrMore,
                                  cl::desc("<log.jsonl or log.csv>..."),
                                  cl::cat(category));
static cl::opt<std::string>
    output("o", cl::value_desc("file.svg"),
           cl::desc("The picture; by default the first log's name with .svg"),
           cl::cat(category));
static cl::list<std::string>
    panels("series", cl::value_desc("a,b"),
           cl::desc("Metrics of the next panel; by default, metrics whose "
                    "names end in the same word share a panel"),
           cl::cat(category));
static cl::opt<std::string> title("title", cl::desc("Title of the picture"),
                                  cl::value_desc("text"), cl::cat(category));
static cl::opt<std::string>
    step("step", cl::init("step"), cl::value_desc("name"),
         cl::desc("The number in each line that is the x axis"),
         cl::cat(category));
static cl::opt<bool> logScale("log", cl::desc("Logarithmic y axes"),
                              cl::cat(category));
static cl::opt<double>
    smoothing("smoothing", cl::init(0), cl::value_desc("0.9"),
              cl::desc("Draw a moving average too: the weight of the past, "
                       "from 0 to less than 1"),
              cl::cat(category));
static cl::opt<int64_t> width("width", cl::init(800), cl::value_desc("pixels"),
                              cl::desc("Width of the picture"),
                              cl::cat(category));
static cl::opt<int64_t> height("height", cl::init(260),
                               cl::value_desc("pixels"),
                               cl::desc("Height of each panel"),
                               cl::cat(category));

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv, "draws the metrics that training runs have logged\n");
  try {
    data::LearningCurveOptions options = {.title = title,
                                          .step = step,
                                          .logScale = logScale,
                                          .smoothing = smoothing,
                                          .width = width,
                                          .panelHeight = height};
    for (const std::string &panel : panels) {
      llvm::SmallVector<llvm::StringRef> names;
      llvm::SplitString(panel, names, ",");
      options.panels.emplace_back(names.begin(), names.end());
    }
    const std::string path =
        output.empty()
            ? std::filesystem::path(logs[0]).replace_extension("svg").string()
            : output.getValue();
    data::writeLearningCurve(
        path, std::vector<std::string>(logs.begin(), logs.end()), options);
  } catch (const Error &error) {
    llvm::WithColor::error(llvm::errs()) << error.what() << "\n";
    return 1;
  }
  return 0;
}
