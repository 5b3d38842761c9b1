//===- MetricsLogTest.cpp - files of metrics ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Writing, continuing and reading logs, and files that are none.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Data/MetricsLog.h"
#include "../Tensor/TensorTest.h"
#include "TinyGrad/Runtime/Error.h"

#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tinygrad;
using namespace tinygrad::data;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::StartsWith;

static const double kNan = std::numeric_limits<double>::quiet_NaN();
static const double kInfinity = std::numeric_limits<double>::infinity();

namespace {
class MetricsLogTest : public ::testing::Test {
protected:
  void SetUp() override {
    directory = std::filesystem::path(::testing::TempDir()) /
                ("MetricsLogTest-" + std::to_string(::getpid()));
    std::filesystem::create_directories(directory);
  }
  void TearDown() override { std::filesystem::remove_all(directory); }

  std::string path(const std::string &name) const {
    return (directory / name).string();
  }
  std::string contents(const std::string &name) const {
    std::ostringstream text;
    text << std::ifstream(path(name)).rdbuf();
    return text.str();
  }
  void create(const std::string &name, const std::string &text) const {
    std::ofstream(path(name)) << text;
  }

  std::filesystem::path directory;
};
} // namespace

TEST_F(MetricsLogTest, JsonLines) {
  {
    MetricsLog log(path("a.jsonl"));
    log.write(1, {{"loss", 0.1}, {"accuracy", 0.5f}});
    log.write(1000000, {{"loss", 1e-7}});
    log.write(-3, {});
    log.write(4, {{"a\"b\\é\t", 7},
                  {"n", kNan},
                  {"p", kInfinity},
                  {"m", -kInfinity},
                  {"z", -0.0},
                  {"big", 1e300}});
  }
  EXPECT_EQ(contents("a.jsonl"),
            "{\"step\":1,\"loss\":0.1,\"accuracy\":0.5}\n"
            "{\"step\":1000000,\"loss\":1e-07}\n"
            "{\"step\":-3}\n"
            "{\"step\":4,\"a\\\"b\\\\é\\t\":7,\"n\":\"NaN\",\"p\":\"Infinity\","
            "\"m\":\"-Infinity\",\"z\":-0,\"big\":1e+300}\n");
}

TEST_F(MetricsLogTest, CommaSeparatedValues) {
  {
    MetricsLog log(path("a.csv"));
    log.write(1, {{"loss", 0.1}, {"test, final", 2}});
    log.write(2, {{"loss", kNan}});
    log.write(3, {{"test, final", -kInfinity}, {"loss", kInfinity}});
    EXPECT_ERROR(log.write(4, {{"other", 1}}), Error,
                 "a.csv: \"other\" is not a column of the file, whose header "
                 "is step,loss,\"test, final\"; name all metrics in "
                 "MetricsLogOptions::columns");
  }
  EXPECT_EQ(contents("a.csv"), "step,loss,\"test, final\"\n"
                               "1,0.1,2\n2,nan,\n3,inf,-inf\n");
  {
    MetricsLog log(path("b.csv"), {.columns = {"x", "y"}});
    log.write(1, {{"y", 2}});
  }
  EXPECT_EQ(contents("b.csv"), "step,x,y\n1,,2\n");
}

TEST_F(MetricsLogTest, Continues) {
  for (const std::string name : {"a.jsonl", "a.csv"}) {
    MetricsLog(path(name)).write(1, {{"loss", 1}});
    // The columns of the file count, in their order.
    MetricsLog(path(name), {.columns = {"other"}}).write(2, {{"loss", 2}});
    const std::vector<MetricSeries> series = readMetrics(path(name));
    ASSERT_EQ(series.size(), 1u);
    EXPECT_THAT(series[0].steps, ElementsAre(1, 2));
    EXPECT_THAT(series[0].values, ElementsAre(1, 2));
  }
  EXPECT_EQ(contents("a.csv"), "step,loss\n1,1\n2,2\n");
}

TEST_F(MetricsLogTest, RemovesIncompleteLines) {
  create("a.jsonl", "{\"step\":1,\"loss\":1}\n{\"step\":2,\"lo");
  MetricsLog(path("a.jsonl")).write(3, {});
  EXPECT_EQ(contents("a.jsonl"), "{\"step\":1,\"loss\":1}\n{\"step\":3}\n");
  create("b.jsonl", "{\"st");
  MetricsLog(path("b.jsonl")).write(3, {});
  EXPECT_EQ(contents("b.jsonl"), "{\"step\":3}\n");
  create("a.csv", "step,loss\n1,1\n2,2.");
  MetricsLog(path("a.csv")).write(3, {{"loss", 3}});
  EXPECT_EQ(contents("a.csv"), "step,loss\n1,1\n3,3\n");
  create("b.csv", "step,lo");
  MetricsLog(path("b.csv")).write(3, {{"loss", 3}});
  EXPECT_EQ(contents("b.csv"), "step,loss\n3,3\n");
}

// What an editor leaves.
TEST_F(MetricsLogTest, KeepsAWholeLineWithoutItsEnd) {
  create("a.jsonl", "{\"step\":1}\n{\"step\":2}");
  MetricsLog(path("a.jsonl")).write(3, {});
  EXPECT_EQ(contents("a.jsonl"), "{\"step\":1}\n{\"step\":2}\n{\"step\":3}\n");
}

TEST_F(MetricsLogTest, ResumesAtAStep) {
  for (const std::string name : {"a.jsonl", "a.csv"}) {
    {
      MetricsLog log(path(name));
      for (int step = 1; step <= 5; ++step)
        log.write(step, {{"loss", step}});
    }
    MetricsLog(path(name), {.resumeStep = 4}).write(4, {{"loss", 40}});
    EXPECT_THAT(readMetrics(path(name))[0].values, ElementsAre(1, 2, 3, 40));
    // A step that no line has reached.
    MetricsLog(path(name), {.resumeStep = 9}).write(9, {{"loss", 90}});
    EXPECT_THAT(readMetrics(path(name))[0].values,
                ElementsAre(1, 2, 3, 40, 90));
    MetricsLog(path(name), {.resumeStep = 0}).write(0, {{"loss", 7}});
    EXPECT_THAT(readMetrics(path(name))[0].values, ElementsAre(7));
  }
}

TEST_F(MetricsLogTest, OtherFilesAreNotChanged) {
  const std::pair<const char *, const char *> files[] = {
      {"a.jsonl", "some text"},
      {"b.jsonl", "{\n  \"a\": 1\n}\n"},
      {"c.jsonl", "{\"a\": 1}"},
      {"d.jsonl", "{\"step\":1}\n[2]\n"},
      {"e.jsonl", "{ half of"},
      {"a.csv", "a,b\n1,2\n"},
      {"b.csv", "step,b\n1,2\n3\n"},
      {"c.csv", "step,b\nx,2\n"},
      {"d.csv", "text"}};
  for (const auto &[name, text] : files) {
    create(name, text);
    EXPECT_ERROR(MetricsLog(path(name), {.resumeStep = 0}), IoError,
                 path(name));
    EXPECT_EQ(contents(name), text);
  }
  EXPECT_ERROR(MetricsLog(path("a.jsonl")), IoError,
               "a.jsonl: the file exists, but it is not a log of metrics");
  EXPECT_ERROR(MetricsLog(path("a.csv")), IoError,
               "its first column is not \"step\"");
  EXPECT_ERROR(MetricsLog(path("no/where.csv")), IoError,
               "where.csv: cannot open: No such file or directory");
}

TEST_F(MetricsLogTest, WrongMetrics) {
  MetricsLog log(path("a.jsonl"));
  EXPECT_ERROR(log.write(1, {{"step", 1}}), Error,
               "a metric cannot be called \"step\"");
  EXPECT_ERROR(log.write(1, {{"a", 1}, {"b", 1}, {"a", 2}}), Error,
               "two metrics are called \"a\"");
  EXPECT_ERROR(log.write(1, {{"a\nb", 1}}), Error,
               "the name of a metric has an end of a line in it");
  EXPECT_ERROR(MetricsLog(path("b.csv"), {.columns = {"a", "a"}}), Error,
               "two metrics are called \"a\"");
  EXPECT_EQ(contents("a.jsonl"), "");
  EXPECT_FALSE(std::filesystem::exists(path("b.csv")));
}

TEST_F(MetricsLogTest, AFullDisk) {
  MetricsLog log("/dev/full");
  EXPECT_ERROR(log.write(1, {{"loss", 1}}), IoError,
               "/dev/full: cannot write: No space left on device");
}

// The system takes only a part of the line.
TEST_F(MetricsLogTest, ALineThatDoesNotFit) {
  create("a.jsonl", "{\"step\":1}\n");
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {20, 20};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      MetricsLog(path("a.jsonl")).write(2, {{"loss", 0.5}});
    } catch (const IoError &) {
      ::_exit(7);
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_EQ(contents("a.jsonl"), "{\"step\":1}\n");
}

TEST_F(MetricsLogTest, KilledAtAnyTime) {
  for (int i = 0; i < 5; ++i) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      MetricsLog log(path("a.jsonl"));
      for (int step = 0;; ++step)
        log.write(step, {{"loss", 0.123456789}, {"accuracy", 0.987654321}});
    }
    // Some lines are there, soon, unless the machine is busy.
    for (int j = 0; j < 600000 && contents("a.jsonl").size() < 1000; ++j)
      ::usleep(100);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    EXPECT_THAT(contents("a.jsonl"), StartsWith("{"));
    EXPECT_THAT(contents("a.jsonl"), EndsWith("}\n"));
    EXPECT_EQ(readMetrics(path("a.jsonl")).size(), 2u);
  }
}

TEST_F(MetricsLogTest, Reads) {
  create("a.jsonl", "{\"step\": 1, \"z\": 2, \"a\": 3, \"text\": \"x\"}\n"
                    "\n"
                    "{\"step\": 2, \"a\": null, \"b\": \"Infinity\", "
                    "\"list\": [1]}\r\n"
                    "{\"step\": 3, \"z\": \"NaN\", \"a\": 1}\n"
                    "{\"step\": 4, \"z\":");
  const std::vector<MetricSeries> series = readMetrics(path("a.jsonl"));
  ASSERT_EQ(series.size(), 3u);
  EXPECT_EQ(series[0].name, "z");
  EXPECT_THAT(series[0].steps, ElementsAre(1, 3));
  EXPECT_EQ(series[0].values[0], 2);
  EXPECT_TRUE(std::isnan(series[0].values[1]));
  EXPECT_EQ(series[1].name, "a");
  EXPECT_THAT(series[1].steps, ElementsAre(1, 2, 3));
  EXPECT_TRUE(std::isnan(series[1].values[1]));
  EXPECT_EQ(series[2].name, "b");
  EXPECT_THAT(series[2].values, ElementsAre(kInfinity));
  // Another x axis.
  create("b.jsonl", "{\"epoch\": 0.5, \"step\": 3}\n");
  const std::vector<MetricSeries> other = readMetrics(path("b.jsonl"), "epoch");
  EXPECT_EQ(other[0].name, "step");
  EXPECT_THAT(other[0].steps, ElementsAre(0.5));
}

TEST_F(MetricsLogTest, ReadsCsv) {
  create("a.csv", "time,step,loss\nnoon,1,0.5\n,2,\n,3,nan\n,4,inf\n,5,0.");
  const std::vector<MetricSeries> series = readMetrics(path("a.csv"));
  ASSERT_EQ(series.size(), 1u);
  EXPECT_EQ(series[0].name, "loss");
  EXPECT_THAT(series[0].steps, ElementsAre(1, 3, 4));
  EXPECT_EQ(series[0].values[2], kInfinity);
}

TEST_F(MetricsLogTest, ReadsNothing) {
  create("a.jsonl", "");
  EXPECT_TRUE(readMetrics(path("a.jsonl")).empty());
  create("a.csv", "step,loss\n");
  EXPECT_TRUE(readMetrics(path("a.csv")).empty());
}

TEST_F(MetricsLogTest, CannotRead) {
  EXPECT_ERROR(readMetrics(path("no.csv")), IoError, "no.csv: cannot open");
  create("a.jsonl", "{\"step\":1}\n{\"step\":}\n");
  EXPECT_ERROR(readMetrics(path("a.jsonl")), IoError, "a.jsonl:2: not JSON");
  create("a.jsonl", "{\"step\":1}\n{\"loss\":1}\n");
  EXPECT_ERROR(readMetrics(path("a.jsonl")), IoError,
               "a.jsonl:2: there is no number \"step\"");
  create("a.jsonl", "{\"step\":1}\n3\n");
  EXPECT_ERROR(readMetrics(path("a.jsonl")), IoError,
               "a.jsonl:2: not a JSON object");
  create("a.csv", "a,b\n1,2\n");
  EXPECT_ERROR(readMetrics(path("a.csv")), IoError,
               "a.csv: there is no column \"step\"");
  create("a.csv", "step,b\n1,2\nx,3\n");
  EXPECT_ERROR(readMetrics(path("a.csv")), IoError,
               "a.csv: row 2 after the header has no number \"step\"");
}
