//===- fashion-mnist.cpp - train a convolutional network ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Trains a convolutional network on Fashion-MNIST: augmentation, Adam with a
/// cosine schedule, a captured step, checkpoints from which training resumes
/// with the same bits.
///
//===----------------------------------------------------------------------===//

#include "../CommandLine.h"
#include "Network.h"
#include "TinyGrad/Data/DataLoader.h"
#include "TinyGrad/Data/ImageSets.h"
#include "TinyGrad/Data/LearningCurve.h"
#include "TinyGrad/Data/Progress.h"
#include "TinyGrad/NN/NN.h"
#include "TinyGrad/Optim/Adam.h"
#include "TinyGrad/Optim/LRScheduler.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/State/Checkpoint.h"
#include "TinyGrad/Tensor/Export.h"
#include "TinyGrad/Tensor/Jit.h"
#include "TinyGrad/Tensor/Training.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

using namespace tinygrad;
using namespace fashion;

static const char kUsage[] =
    "Trains a convolutional network on Fashion-MNIST.\n"
    "\n"
    "usage: fashion-mnist [OPTION...]\n"
    "\n"
    "  --data DIR         folder with the four IDX files (default:\n"
    "                     /usr/share/datasets/fashion-mnist, where Debian's\n"
    "                     package dataset-fashion-mnist puts them)\n"
    "  --epochs N         passes over the training images (default: 12)\n"
    "  --until N          stop after this epoch, before the last one\n"
    "  --batch N          images in a step (default: 128)\n"
    "  --steps N          end each epoch after N steps (default: all)\n"
    "  --rate X           the largest learning rate (default: 0.002)\n"
    "  --seed N           seed of weights, order and augmentation (default: "
    "1)\n"
    "  --checkpoint FILE  written after each epoch; if it exists, training\n"
    "                     resumes from it\n"
    "  --library DIR      instead of training: write a C library of the step\n"
    "                     and of the classification of 1000 images to an\n"
    "                     existing folder (libfashion.a, libfashion.so and\n"
    "                     fashion.h), see examples/fashion-mnist-c\n"
    "  --log FILE         metrics as JSON lines; FILE.svg is their picture\n"
    "  --help             show this text\n"
    "\n"
    "environment: DEV names the device, DEBUG=2 shows every kernel that runs,\n"
    "THREADS limits threads\n";

namespace {
struct Options {
  std::string data = data::kFashionMnistDirectory, checkpoint, log, library;
  int64_t epochs = 12, until = 0, batch = 128, steps = 0;
  double rate = 2e-3;
  uint64_t seed = 1;
};

/// What a checkpoint holds besides the network.
struct Training {
  optim::Adam &optimizer;
  optim::CosineAnnealingLR &schedule;
  TINYGRAD_MEMBERS(optimizer, schedule)
};

using Batch = std::pair<Tensor, Tensor>; // images, labels
} // namespace

/// The part of the test images that is classified right.
static double evaluate(const Network &network, const data::ImageSet &images) {
  NoGradScope noGrad;
  TrainingScope evaluation(false);
  constexpr int64_t kPart = 1000;
  const int64_t count = images.testImages.size(0).value();
  int64_t right = 0;
  for (int64_t from = 0; from < count; from += kPart) {
    const Part part(from, std::min(from + kPart, count));
    Tensor scores =
        network(prepare(images.testImages.shrink({part, {}, {}, {}})));
    right += (scores.argmax(1) == images.testLabels.shrink({part}).toInt())
                 .sum()
                 .item<int>();
  }
  return double(right) / double(count);
}

/// The training step and the classification of images as a C library.
static void
writeLibrary(const Options &options, const Network &network,
             const Training &training,
             const Jit<Tensor(const Tensor &, const Tensor &)> &step,
             const data::ImageSet &images) {
  Jit classify([&](const Tensor &pixels) {
    const NoGradScope noGrad;
    return network(prepare(pixels)).argmax(1).toInt();
  });
  const Tensor some =
      images.testImages.shrink({{0, 1000}, {}, {}, {}}).contiguous().realize();
  for (int i = 0; i < 2; ++i)
    classify(some);
  Exporter library("fashion");
  library.nameState(network);
  library.nameState(training);
  library.add("step", step,
              {.arguments = {"images", "labels"}, .results = {"loss"}});
  library.add("classify", classify,
              {.arguments = {"images"}, .results = {"classes"}});
  library.write(options.library);
  std::printf("wrote libfashion.a, libfashion.so and fashion.h to %s\n",
              options.library.c_str());
}

static void train(const Options &options) {
  const data::ImageSet images = data::fashionMnist(options.data);
  Tensor::manualSeed(options.seed);
  Network network;
  optim::Adam optimizer(state::getParameters(network),
                        {.learningRate = options.rate});
  data::DataLoader loader(Batch(images.trainImages, images.trainLabels),
                          {.batchSize = options.batch,
                           .shuffle = true,
                           .seed = options.seed,
                           .dropLast = true});
  const int64_t steps = options.steps > 0
                            ? std::min(options.steps, loader.numBatches())
                            : loader.numBatches();
  optim::CosineAnnealingLR schedule(
      optimizer, {.steps = options.epochs * steps,
                  .warmUpSteps = options.epochs * steps / 10});
  Training training{optimizer, schedule};

  int64_t first = 0;
  if (!options.checkpoint.empty() &&
      std::filesystem::exists(options.checkpoint)) {
    first = int64_t(state::loadCheckpoint(options.checkpoint, network, training)
                        .at("epoch"));
    std::printf("resumed after epoch %s of %s\n", std::to_string(first).c_str(),
                options.checkpoint.c_str());
  }
  std::optional<data::MetricsLog> log;
  if (!options.log.empty())
    log.emplace(options.log);

  Jit step([&](const Tensor &pixels, const Tensor &labels) {
    TrainingScope scope;
    optimizer.zeroGrad();
    Tensor loss = lossOf(network, pixels, labels);
    loss.backward();
    optimizer.step({.releaseGradients = true});
    schedule.step();
    return loss;
  });
  if (!options.library.empty()) {
    // Two steps: the second one is captured. Training goes on behind them.
    for (int64_t i = 0; i < 2; ++i) {
      const Batch batch = *loader.next();
      step(batch.first, batch.second);
    }
    writeLibrary(options, network, training, step, images);
    return;
  }
  const int64_t last = options.until > 0
                           ? std::min(options.until, options.epochs)
                           : options.epochs;
  for (int64_t epoch = first; epoch < last; ++epoch) {
    loader.setEpoch(epoch);
    data::Progress progress(
        {.total = steps, .label = "epoch " + std::to_string(epoch + 1)});
    double sum = 0;
    for (int64_t i = 0; i < steps; ++i) {
      const Batch batch = *loader.next();
      const Tensor loss = step(batch.first, batch.second);
      sum += loss.item<float>();
      progress.step(options.batch, [&] {
        return data::Metrics{{"loss", sum / double(i + 1)}};
      });
    }
    progress.finish();
    const double accuracy = evaluate(network, images);
    std::printf("epoch %s: loss %.4f, test accuracy %.4f\n",
                std::to_string(epoch + 1).c_str(), sum / double(steps),
                accuracy);
    std::fflush(stdout);
    if (log)
      log->write(epoch + 1,
                 {{"loss", sum / double(steps)}, {"test accuracy", accuracy}});
    if (!options.checkpoint.empty())
      state::saveCheckpoint(options.checkpoint, network, training,
                            {{"epoch", double(epoch + 1)}});
  }
  if (log)
    data::writeLearningCurve(options.log + ".svg", options.log);
}

int main(int argc, char **argv) {
  Options options;
  CommandLine line("fashion-mnist", kUsage);
  line.option("--data", options.data);
  line.option("--epochs", options.epochs, 1);
  line.option("--until", options.until, 1);
  line.option("--batch", options.batch, 1);
  line.option("--steps", options.steps, 1);
  line.option("--rate", options.rate);
  line.option("--seed", options.seed, 0, 1e15);
  line.outputFile("--checkpoint", options.checkpoint);
  line.outputFile("--log", options.log);
  line.option("--library", options.library);
  line.parse(argc, argv);
  try {
    train(options);
  } catch (const Error &error) {
    std::fprintf(stderr, "fashion-mnist: %s\n", error.what());
    return 1;
  }
  return 0;
}
