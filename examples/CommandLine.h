//===- CommandLine.h - options of the examples ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads the command line of an example into variables.
///
//===----------------------------------------------------------------------===//

#ifndef EXAMPLES_COMMANDLINE_H
#define EXAMPLES_COMMANDLINE_H

#include <cmath>
#include <concepts>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

/// The options of a program: `--name VALUE`, and flags, `--name`.
///
/// \code
///   CommandLine line("train", kUsage);
///   line.option("--steps", steps, 1);
///   line.parse(argc, argv);
/// \endcode
class CommandLine {
public:
  /// \p usage is what --help prints.
  CommandLine(std::string program, std::string usage)
      : program(std::move(program)), usage(std::move(usage)) {}

  void option(const std::string &name, std::string &value) {
    options[name] = [&value](const std::string &, const std::string &text) {
      value = text;
    };
  }
  /// A file that the program writes, perhaps much later: its folder must exist.
  void outputFile(const std::string &name, std::string &value) {
    options[name] = [this, &value](const std::string &name,
                                   const std::string &text) {
      const std::filesystem::path folder =
          std::filesystem::absolute(text).parent_path();
      if (text.empty() || !std::filesystem::is_directory(folder))
        fail("'" + text + "' cannot be written, as " + name +
             " should be: there is no folder '" + folder.string() + "'");
      value = text;
    };
  }
  /// A whole number from \p least to \p most.
  template <std::integral Number>
  void option(const std::string &name, Number &value, double least = 0,
              double most = 1e9) {
    options[name] = [=, this, &value](const std::string &name,
                                      const std::string &text) {
      value = Number(number(name, text, least, most, true));
    };
  }
  template <std::integral Number>
  void option(const std::string &name, std::optional<Number> &value,
              double least = 0, double most = 1e9) {
    options[name] = [=, this, &value](const std::string &name,
                                      const std::string &text) {
      value = Number(number(name, text, least, most, true));
    };
  }
  void option(const std::string &name, double &value, double least = 0,
              double most = 1e9) {
    options[name] = [=, this, &value](const std::string &name,
                                      const std::string &text) {
      value = number(name, text, least, most, false);
    };
  }
  void flag(const std::string &name, bool &value) { flags[name] = &value; }

  /// Sets the variables. Prints the usage and ends the program for --help;
  /// ends it by fail() for what is wrong.
  void parse(int argc, char **argv) const {
    for (int i = 1; i < argc; ++i) {
      const std::string name = argv[i];
      if (name == "--help") {
        const bool isPrinted =
            std::fputs(usage.c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
        if (!isPrinted)
          std::fprintf(stderr, "%s: cannot write to standard output\n",
                       program.c_str());
        std::exit(isPrinted ? 0 : 1);
      }
      if (auto flag = flags.find(name); flag != flags.end()) {
        *flag->second = true;
        continue;
      }
      auto option = options.find(name);
      if (option == options.end())
        fail("'" + name + "' is not an option");
      if (i + 1 == argc)
        fail("'" + name + "' lacks its value");
      option->second(name, argv[++i]);
    }
  }

  /// Ends the program with an error.
  [[noreturn]] void fail(const std::string &message) const {
    std::fprintf(stderr, "%s: %s; see --help\n", program.c_str(),
                 message.c_str());
    std::exit(2);
  }

private:
  using Setter =
      std::function<void(const std::string &name, const std::string &text)>;

  double number(const std::string &name, const std::string &text, double least,
                double most, bool isWhole) const {
    char *end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (end == text.c_str() || *end != 0 || !std::isfinite(value) ||
        (isWhole && value != std::floor(value)))
      fail("'" + text + "' is not a " + (isWhole ? "whole " : "") +
           "number for " + name);
    char bounds[80];
    std::snprintf(bounds, sizeof(bounds), "from %.10g to %.10g", least, most);
    if (value < least || value > most)
      fail("'" + text + "' is not " + bounds + ", as " + name + " should be");
    return value;
  }

  std::string program, usage;
  std::map<std::string, Setter> options;
  std::map<std::string, bool *> flags;
};

#endif // EXAMPLES_COMMANDLINE_H
