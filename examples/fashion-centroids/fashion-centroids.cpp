//===- fashion-centroids.cpp - classify images by nearest centroid --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads Fashion-MNIST, computes the mean image of each class, and gives every
/// test image the class whose mean is nearest. All arithmetic is tensor
/// operations: a comparison makes one-hot labels, matrix products sum up images
/// and measure distances, argmin decides.
///
//===----------------------------------------------------------------------===//

#include "Centroids.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Environment.h"
#include "TinyGrad/Runtime/Idx.h"
#include "TinyGrad/Tensor/Tensor.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>

using namespace tinygrad;

static constexpr int64_t kNumClasses = 10;
static const char *const kClassNames[kNumClasses] = {
    "T-shirt", "trouser", "pullover", "dress", "coat",
    "sandal",  "shirt",   "sneaker",  "bag",   "boot"};

static const char kUsage[] =
    "Classifies the test images of Fashion-MNIST by the nearest class mean.\n"
    "\n"
    "usage: fashion-centroids [--data DIR]\n"
    "\n"
    "  --data DIR   folder with the four IDX files, compressed or not\n"
    "               (default: /usr/share/datasets/fashion-mnist, where "
    "Debian's\n"
    "               package dataset-fashion-mnist puts them)\n"
    "  --help       show this text\n"
    "\n"
    "environment: DEBUG=2 shows every kernel that runs, DEV names the device,\n"
    "NOOPT=1 switches schedule optimization off, THREADS limits threads\n";

namespace {
/// Announces a step and tells how long it took.
class Progress {
public:
  explicit Progress(const std::string &what) {
    // Where debug lines follow, they are lines of their own.
    std::printf(debugLevel() > 0 ? "%s\n" : "%-44s", what.c_str());
    std::fflush(stdout);
  }
  ~Progress() {
    if (std::uncaught_exceptions() == 0)
      std::printf("%8.1f ms\n", std::chrono::duration<double, std::milli>(
                                    std::chrono::steady_clock::now() - begin)
                                    .count());
    else
      std::printf("  failed\n");
    std::fflush(stdout);
  }

private:
  std::chrono::steady_clock::time_point begin =
      std::chrono::steady_clock::now();
};

/// Images and their labels.
struct DataSet {
  HostArray images, labels;
  int64_t size() const { return images.shape[0]; }
};
} // namespace

/// Reads the file called \p name in \p folder, or its uncompressed form.
static HostArray readFile(const std::string &folder, const std::string &name,
                          std::size_t rank) {
  std::string path = folder + "/" + name + ".gz";
  if (std::FILE *plain = std::fopen((folder + "/" + name).c_str(), "rb")) {
    std::fclose(plain);
    path = folder + "/" + name;
  }
  HostArray array = readIdx(path);
  if (array.shape.size() != rank || array.dtype != DType::UInt8)
    throw IoError(path + ": expected " + std::to_string(rank) +
                  " dimensions of uint8, found " +
                  std::to_string(array.shape.size()) + " of " +
                  tinygrad::name(array.dtype));
  return array;
}

static DataSet readSet(const std::string &folder, const std::string &kind) {
  DataSet set;
  set.images = readFile(folder, kind + "-images-idx3-ubyte", 3);
  set.labels = readFile(folder, kind + "-labels-idx1-ubyte", 1);
  if (set.images.shape[0] != set.labels.shape[0])
    throw IoError(folder + ": " + std::to_string(set.images.shape[0]) + " " +
                  kind + " images but " + std::to_string(set.labels.shape[0]) +
                  " labels");
  if (set.images.numElements() == 0)
    throw IoError(folder + ": there are no " + kind + " images");
  const uint8_t *labels = set.labels.as<uint8_t>();
  const uint8_t largest = *std::max_element(labels, labels + set.size());
  if (largest >= kNumClasses)
    throw IoError(folder + ": a label of the " + kind + " images is " +
                  std::to_string(largest) + "; classes go from 0 to 9");
  return set;
}

/// One row per image, as numbers from 0 to 1.
static Tensor rowsOf(const DataSet &set) {
  return Tensor::fromHost(set.images).flatten(1).toFloat() / 255.0;
}

static void printConfusion(const Tensor &confusion) {
  const TensorData<int32_t> counts = confusion.data<int32_t>();
  std::printf("\nrows: what it is; columns: what it was taken for\n\n%10s", "");
  for (const char *name : kClassNames)
    std::printf("%9s", name);
  std::printf("\n");
  for (int64_t row = 0; row < kNumClasses; ++row) {
    std::printf("%10s", kClassNames[row]);
    for (int64_t column = 0; column < kNumClasses; ++column)
      std::printf("%9d", int(counts[row * kNumClasses + column]));
    std::printf("\n");
  }
}

static void run(const std::string &folder) {
  const Device &device = Device::getDefault();
  if (!device.information().executes)
    std::fprintf(
        stderr,
        "warning: device %s does not compute: results are meaningless\n",
        device.name().c_str());
  DataSet train, test;
  {
    Progress progress("reading " + folder);
    train = readSet(folder, "train");
    test = readSet(folder, "t10k");
  }
  if (train.images.shape[1] != test.images.shape[1] ||
      train.images.shape[2] != test.images.shape[2])
    throw IoError(folder + ": training and test images are of different sizes");
  std::printf("  %ld training and %ld test images of %ld x %ld pixels\n",
              long(train.size()), long(test.size()),
              long(train.images.shape[1]), long(train.images.shape[2]));

  Tensor centroids;
  {
    Progress progress("computing the class means");
    centroids = centroids::computeMeans(
        rowsOf(train), Tensor::fromHost(train.labels).toInt(), kNumClasses);
    centroids.realize();
  }

  Tensor labels = Tensor::fromHost(test.labels).toInt();
  Tensor predicted;
  {
    Progress progress("classifying the test images");
    predicted = centroids::classify(rowsOf(test), centroids).realize();
  }

  Tensor accuracy = (predicted == labels).mean();
  Tensor confusion =
      labels.oneHot(kNumClasses).T().matmul(predicted.oneHot(kNumClasses));
  {
    Progress progress("counting");
    realize({accuracy, confusion});
  }
  printConfusion(confusion);
  std::printf("\naccuracy: %.4f\n", double(accuracy.item<float>()));
}

/// Whether all that was printed could be written.
static bool finishOutput() {
  if (std::fflush(stdout) == 0 && !std::ferror(stdout))
    return true;
  std::fputs("fashion-centroids: cannot write to standard output\n", stderr);
  return false;
}

int main(int argc, char **argv) {
  std::string folder = "/usr/share/datasets/fashion-mnist";
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--help") == 0) {
      std::fputs(kUsage, stdout);
      return finishOutput() ? 0 : 1;
    }
    if (std::strcmp(argv[i], "--data") == 0 && i + 1 < argc) {
      folder = argv[++i];
      continue;
    }
    std::fprintf(stderr, "fashion-centroids: %s: %s\n\n%s",
                 std::strcmp(argv[i], "--data") == 0 ? "a folder has to follow"
                                                     : "unknown argument",
                 argv[i], kUsage);
    return 2;
  }
  try {
    run(folder);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "fashion-centroids: %s\n", error.what());
    return 1;
  }
  return finishOutput() ? 0 : 1;
}
