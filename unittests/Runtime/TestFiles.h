//===- TestFiles.h - files of tests -----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Temporary directories, files as texts, and texts of exceptions.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_UNITTESTS_RUNTIME_TESTFILES_H
#define TINYGRAD_UNITTESTS_RUNTIME_TESTFILES_H

#include <gtest/gtest.h>

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>

namespace tinygrad::testing {

/// A directory that is removed with its contents.
class TemporaryDirectory {
public:
  TemporaryDirectory() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "tinygrad-test-XXXXXX")
            .string();
    if (!::mkdtemp(pattern.data()))
      throw std::runtime_error("cannot make a temporary directory");
    directory = pattern;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(directory, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory &) = delete;
  const std::string &path() const { return directory; }
  std::string file(const std::string &name) const {
    return directory + "/" + name;
  }

private:
  std::string directory;
};

/// The text of the ErrorType that \p body throws. The test fails if it does not
/// throw one.
template <typename ErrorType>
std::string messageOf(const std::function<void()> &body) {
  try {
    body();
  } catch (const ErrorType &error) {
    return error.what();
  } catch (const std::exception &error) {
    ADD_FAILURE() << "another exception: " << error.what();
    return "";
  }
  ADD_FAILURE() << "no exception";
  return "";
}

inline void writeFile(const std::string &path, const std::string &bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << bytes;
  if (!file.flush())
    throw std::runtime_error("cannot write " + path);
}

inline std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

} // namespace tinygrad::testing

#endif // TINYGRAD_UNITTESTS_RUNTIME_TESTFILES_H
