//===- AtomicFileTest.cpp - files that are written as a whole -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What is in a directory after a commit, after an error, and after the process
/// was killed.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Runtime/AtomicFile.h"
#include "TestKernels.h"
#include "TinyGrad/Runtime/Error.h"

#include <gmock/gmock.h>

#include <filesystem>

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tinygrad;
using namespace tinygrad::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {
class AtomicFileTest : public ::testing::TestWithParam<AtomicFile::Durability> {
protected:
  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto &entry :
         std::filesystem::directory_iterator(directory.path()))
      result.push_back(entry.path().filename().string());
    std::sort(result.begin(), result.end());
    return result;
  }

  TemporaryDirectory directory;
  const std::string path = directory.file("file");
};
} // namespace

INSTANTIATE_TEST_SUITE_P(Durabilities, AtomicFileTest,
                         ::testing::Values(AtomicFile::Durability::Process,
                                           AtomicFile::Durability::Machine),
                         [](const auto &info) {
                           return info.param == AtomicFile::Durability::Process
                                      ? "Process"
                                      : "Machine";
                         });

TEST_P(AtomicFileTest, appearsWhenCommitted) {
  writeFile(path, "old");
  AtomicFile file(path, GetParam());
  file.write("new ");
  file.write(std::string_view());
  file.write("contents");
  EXPECT_EQ(readFile(path), "old");
  file.commit();
  EXPECT_EQ(readFile(path), "new contents");
  EXPECT_THAT(names(), ElementsAre("file"));
}

TEST_P(AtomicFileTest, vanishesUnlessCommitted) {
  {
    AtomicFile file(path, GetParam());
    file.write("new");
  }
  EXPECT_THAT(names(), ElementsAre());
  writeFile(path, "old");
  AtomicFile(path, GetParam()).write("new");
  EXPECT_EQ(readFile(path), "old");
  EXPECT_THAT(names(), ElementsAre("file"));
}

TEST_P(AtomicFileTest, keepsLinksAndOpenFiles) {
  writeFile(path, "old");
  std::filesystem::create_symlink("file", directory.file("link"));
  const int descriptor = ::open(path.c_str(), O_RDONLY);
  AtomicFile file(directory.file("link"), GetParam());
  file.write("new");
  file.commit();
  EXPECT_TRUE(std::filesystem::is_symlink(directory.file("link")));
  EXPECT_EQ(readFile(path), "new");
  char text[4] = {};
  EXPECT_EQ(::read(descriptor, text, 3), 3);
  EXPECT_STREQ(text, "old");
  ::close(descriptor);
  std::filesystem::create_symlink("round", directory.file("round"));
  EXPECT_THAT(messageOf<IoError>(
                  [&] { AtomicFile(directory.file("round"), GetParam()); }),
              HasSubstr("round: cannot write: Too many levels"));
}

TEST_P(AtomicFileTest, takesTheMode) {
  const mode_t mask = ::umask(022);
  AtomicFile file(path, GetParam(), 0660);
  file.commit();
  ::umask(mask);
  struct stat status;
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST_P(AtomicFileTest, keepsTheModeOfTheOldFile) {
  for (const mode_t mode : {0600, 0666, 0444}) {
    std::filesystem::remove(path);
    writeFile(path, "old");
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    AtomicFile file(path, GetParam(), 0644);
    file.write("new");
    file.commit();
    struct stat status;
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, mode);
    EXPECT_EQ(readFile(path), "new");
  }
}

TEST_P(AtomicFileTest, placesThatCannotBeWritten) {
  auto problem = [&](const std::string &name) {
    return messageOf<IoError>([&] {
      AtomicFile file(name, GetParam());
      file.write("text");
      file.commit();
    });
  };
  EXPECT_EQ(problem("/no/such/file"),
            "/no/such/file: cannot write: No such file or directory");
  EXPECT_EQ(problem(directory.path()),
            directory.path() + ": cannot write: Is a directory");
  EXPECT_EQ(problem("/dev/full"),
            "/dev/full: cannot write: No space left on device");
  EXPECT_THAT(problem(""), HasSubstr("cannot write: "));
  // What is written to a device cannot be taken back, so nothing is renamed.
  AtomicFile null("/dev/null", GetParam());
  null.write("text");
  null.commit();
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST_P(AtomicFileTest, namesWithoutADirectory) {
  const std::string before = std::filesystem::current_path();
  std::filesystem::current_path(directory.path());
  AtomicFile file("file", GetParam());
  file.write("here");
  file.commit();
  std::filesystem::current_path(before);
  EXPECT_EQ(readFile(path), "here");
}

// A limit of the file's size, which also affects root, stands for a full disk.
TEST_P(AtomicFileTest, fullDisksKeepTheOldFile) {
  writeFile(path, "old");
  // What is buffered, a sanitizer would write at the child's end, to a file
  // maybe.
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit limit = {1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      AtomicFile file(path, GetParam());
      file.write(std::string(2000, 'x'));
      ::_exit(1);
    } catch (const IoError &error) {
      const std::string text = error.what();
      ::_exit(text == path + ": cannot write: File too large" ? 0 : 2);
    }
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(readFile(path), "old");
  EXPECT_THAT(names(), ElementsAre("file"));
}

// A process that replaces the file again and again is killed at any moment.
TEST_P(AtomicFileTest, killedProcessesLeaveAWholeFile) {
  const std::string contents(100000, 'x');
  for (int delay : {0, 1, 3, 6, 10}) {
    writeFile(path, "old");
    const pid_t child = ::fork();
    if (child == 0)
      for (;;) {
        AtomicFile file(path, GetParam());
        for (std::size_t i = 0; i < contents.size(); i += 1000)
          file.write(contents.data() + i, 1000);
        file.commit();
      }
    ::usleep(useconds_t(delay) * 1000);
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status));
    const std::string found = readFile(path);
    EXPECT_TRUE(found == "old" || found == contents) << found.size();
  }
}
