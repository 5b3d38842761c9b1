//===- resnet.cpp - classify and train with ResNet-18 and -50 -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// ResNet-18 and ResNet-50 on random images or on those of a file: classes,
/// times of forward passes and of training steps. Weights are read and written
/// as safetensors with the names that they have in torchvision.
///
//===----------------------------------------------------------------------===//

#include "ResNet.h"
#include "../CommandLine.h"
#include "TinyGrad/Data/Augment.h"
#include "TinyGrad/Data/DataLoader.h"
#include "TinyGrad/Data/Progress.h"
#include "TinyGrad/Optim/SGD.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Runtime/Npy.h"
#include "TinyGrad/State/LoadState.h"
#include "TinyGrad/State/Npz.h"
#include "TinyGrad/State/Safetensors.h"
#include "TinyGrad/Tensor/Jit.h"
#include "TinyGrad/Tensor/Training.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace tinygrad;
using resnet::ResNet;

static const char kUsage[] =
    "Classifies images and trains with ResNet-18 or ResNet-50.\n"
    "\n"
    "usage: resnet [OPTION...]\n"
    "\n"
    "  --model NAME     resnet18 or resnet50 (default: resnet18)\n"
    "  --weights FILE   safetensors with the names of torchvision: "
    "conv1.weight,"
    "\n"
    "                   bn1.running_mean, layer1.0.conv1.weight, ...,"
    " fc.weight\n"
    "                   (default: random weights)\n"
    "  --images FILE    NumPy array, .npy: uint8 of shape (n, height, width, "
    "3),"
    "\n"
    "                   which is scaled and normalized as ImageNet is, or "
    "float32\n"
    "                   of shape (n, 3, height, width), taken as it is; without"
    " n\n"
    "                   for one image. Or .npz with such an array 'images', and"
    "\n"
    "                   'labels', integers of shape (n), for training. "
    "Without\n"
    "                   training steps, the five most likely classes of each\n"
    "                   image are printed (default: random images)\n"
    "  --names FILE     names of the classes, one in a line\n"
    "  --scores FILE    write the scores of the images, float32 of shape (n, "
    "classes),\n"
    "                   as .npy\n"
    "  --classes N      of random weights (default: 1000)\n"
    "  --size N         height and width of random images (default: 224)\n"
    "  --batch N        images in a forward pass or step, at most (default: 8)"
    "\n"
    "  --forward N      forward passes to time (default: 10)\n"
    "  --steps N        training steps (default: 10 if there are labels, as "
    "random\n"
    "                   images have)\n"
    "  --rate X         learning rate of SGD with momentum (default: 0.01)\n"
    "  --save FILE      write the weights as safetensors, after training\n"
    "  --seed N         seed of weights, images and order (default: 1)\n"
    "  --help           show this text\n"
    "\n"
    "environment: DEV names the device, DEBUG=2 shows every kernel that runs,\n"
    "THREADS limits threads\n";

namespace {
struct Options {
  std::string model = "resnet18", weights, images, names, scores, save;
  std::optional<int64_t> classes, steps;
  int64_t size = 224, batch = 8, forward = 10;
  double rate = 0.01;
  uint64_t seed = 1;
};

/// Images and, if they are known, their classes.
struct Images {
  Tensor pixels, labels;
  TINYGRAD_MEMBERS(pixels, labels)
};

/// Seconds since its construction.
class Timer {
public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start)
        .count();
  }

private:
  std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
};
} // namespace

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

static bool endsWith(const std::string &text, const std::string &end) {
  return text.size() >= end.size() &&
         text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// Checks what a file has as images, and adds the axis of the batch.
static Tensor checkImages(const std::string &path, Tensor images) {
  if (images.ndim() == 3)
    images = images.unsqueeze(0);
  const bool isBytes = images.dtype() == DType::UInt8;
  if ((!isBytes && images.dtype() != DType::Float32) || images.ndim() != 4 ||
      images.size(isBytes ? 3 : 1) != 3 || images.numel() == 0)
    throw Error(path + ": images of shape " + toString(images.shape()) + " " +
                name(images.dtype()) +
                "; uint8 of shape (n, height, width, 3), or float32 of shape "
                "(n, 3, height, width) is required");
  return images;
}

static Images readImages(const std::string &path) {
  if (!endsWith(path, ".npz"))
    return {checkImages(path, Tensor::fromHost(readNpy(path))), Tensor()};
  const state::StateDict arrays = state::npzLoad(path);
  if (!arrays.contains("images"))
    throw Error(path + ": there is no array 'images'");
  Images images{checkImages(path, arrays["images"]), Tensor()};
  if (const Tensor *labels = arrays.find("labels")) {
    if (!isInteger(labels->dtype()) ||
        labels->shape() != Shape{images.pixels.size(0)})
      throw Error(path + ": labels of shape " + toString(labels->shape()) +
                  " " + name(labels->dtype()) + "; integers of shape (" +
                  images.pixels.size(0).str() + ") are required");
    images.labels = labels->toInt();
  }
  return images;
}

static void checkLabels(const Tensor &labels, int64_t classes) {
  const int least = labels.min().item<int>(), most = labels.max().item<int>();
  if (least < 0 || most >= classes)
    throw Error("the labels are from " + std::to_string(least) + " to " +
                std::to_string(most) +
                ", but the network has the classes 0 to " +
                std::to_string(classes - 1));
}

/// Images as the network expects them: (n, 3, height, width), normalized.
static Tensor prepare(const Tensor &images) {
  if (images.dtype() != DType::UInt8)
    return images;
  return data::normalizeImages(images.permute({0, 3, 1, 2}),
                               {0.485, 0.456, 0.406}, {0.229, 0.224, 0.225});
}

static std::vector<std::string> readNames(const std::string &path) {
  std::ifstream file(path);
  if (!file)
    throw IoError(path + ": cannot open");
  std::vector<std::string> names;
  for (std::string line; std::getline(file, line);)
    names.push_back(line);
  return names;
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

static int64_t countClasses(const Options &options,
                            const state::StateDict &weights) {
  if (options.classes)
    return *options.classes;
  const Tensor *output = weights.find("fc.weight");
  if (output && output->ndim() == 2)
    return output->size(0).value();
  return 1000;
}

static void loadWeights(ResNet &network, const std::string &path,
                        const state::StateDict &weights) {
  state::LoadReport report = state::loadStateDict(
      network, weights, {.strict = false, .castFloats = true});
  // Files of old versions of PyTorch lack these; nothing depends on them.
  std::erase_if(report.missing, [](const std::string &name) {
    return endsWith(name, ".num_batches_tracked");
  });
  if (!report.isComplete())
    throw Error(path + ": " + state::StateError(report).what());
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

/// The scores of all images, (n, classes).
static Tensor classify(const ResNet &network, const Tensor &images,
                       int64_t batch) {
  NoGradScope noGrad;
  data::DataLoader<Tensor> loader(images, {.batchSize = batch});
  std::vector<Tensor> parts;
  for (const Tensor &part : loader)
    parts.push_back(network(prepare(part)).realize());
  return Tensor::cat(parts).realize();
}

/// Prints the most likely classes of each image.
static void printClasses(const Tensor &scores,
                         const std::vector<std::string> &names) {
  const int64_t shown = std::min<int64_t>(5, scores.size(1).value());
  const auto [likely, positions] = scores.softmax().topk(shown);
  realize({likely, positions});
  const std::vector<float> probabilities = likely.tolist<float>();
  const std::vector<int> classes = positions.tolist<int>();
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (i % shown == 0)
      std::printf("image %s:\n", std::to_string(i / shown).c_str());
    std::printf("  %.4f  %d %s\n", double(probabilities[i]), classes[i],
                names.empty() ? "" : names[classes[i]].c_str());
  }
}

static void timeForward(const ResNet &network, const Tensor &images,
                        int64_t passes) {
  NoGradScope noGrad;
  Jit<Tensor(const Tensor &)> forward(
      [&](const Tensor &pixels) { return network(prepare(pixels)); });
  const Timer first;
  forward(images);
  const double firstTime = first.seconds();
  forward(images).data<float>(); // captures
  const Timer rest;
  for (int64_t i = 0; i < passes; ++i)
    forward(images).data<float>();
  const double time = rest.seconds() / double(passes);
  std::printf("forward: first %.2f s, then %.1f ms, %.1f images/s\n", firstTime,
              time * 1e3, double(images.size(0).value()) / time);
  std::fflush(stdout);
}

static void train(const ResNet &network, const Images &images,
                  const Options &options, int64_t batch, int64_t steps) {
  optim::SGD optimizer(
      state::getParameters(network),
      {.learningRate = options.rate, .momentum = 0.9, .weightDecay = 1e-4});
  data::DataLoader<Images> loader(images, {.batchSize = batch,
                                           .shuffle = true,
                                           .seed = options.seed,
                                           .dropLast = true});
  Jit<Tensor(const Images &)> step([&](const Images &part) {
    TrainingScope scope;
    optimizer.zeroGrad();
    Tensor loss = network(prepare(part.pixels))
                      .sparseCategoricalCrossentropy(part.labels);
    loss.backward();
    optimizer.step({.releaseGradients = true});
    return loss;
  });
  data::Progress progress({.total = steps, .label = "training"});
  double firstLoss = 0, lastLoss = 0, firstTime = 0, time = 0;
  int64_t timed = 0;
  for (int64_t i = 0; i < steps; ++i) {
    std::optional<Images> part = loader.next();
    if (!part)
      part = loader.next();
    const Timer timer;
    // Compiles, or captures, unless it is captured already.
    const bool isReplay = step.isCaptured();
    lastLoss = step(*part).item<float>();
    if (i == 0) {
      firstLoss = lastLoss;
      firstTime = timer.seconds();
    }
    if (isReplay) {
      time += timer.seconds();
      ++timed;
    }
    progress.step(batch, {{"loss", lastLoss}});
    if (!std::isfinite(lastLoss))
      throw Error("the loss of step " + std::to_string(i + 1) +
                  " is not a finite number: try a smaller --rate");
  }
  progress.finish();
  std::printf("training: loss %.4f in the first step, %.4f in the last\n",
              firstLoss, lastLoss);
  std::printf("step: first %.2f s", firstTime);
  if (timed > 0)
    std::printf(", then %.1f ms, %.1f images/s", time / double(timed) * 1e3,
                double(batch * timed) / time);
  std::printf("\n");
  std::fflush(stdout);
}

static void run(const Options &options) {
  Tensor::manualSeed(options.seed);
  state::StateDict weights;
  if (!options.weights.empty())
    weights = state::safeLoad(options.weights);
  const int64_t classes = countClasses(options, weights);
  const std::vector<std::string> names = options.names.empty()
                                             ? std::vector<std::string>()
                                             : readNames(options.names);
  if (!names.empty() && int64_t(names.size()) != classes)
    throw Error(options.names + ": " + std::to_string(names.size()) +
                " names, but the network has " + std::to_string(classes) +
                " classes");

  Images images;
  if (options.images.empty()) {
    images.pixels =
        Tensor::randn({options.batch, 3, options.size, options.size}).realize();
    images.labels = Tensor::randint({options.batch}, 0, classes).realize();
  } else {
    images = readImages(options.images);
    if (images.labels.defined())
      checkLabels(images.labels, classes);
    else if (options.steps.value_or(0) > 0)
      throw Error(options.images + ": there are no labels, which --steps "
                                   "requires: add an array 'labels' to an "
                                   ".npz file");
  }
  const int64_t count = images.pixels.size(0).value();
  const int64_t batch = std::min(options.batch, count);
  const int64_t steps =
      options.steps.value_or(images.labels.defined() ? 10 : 0);

  ResNet network(options.model == "resnet50" ? resnet::kResNet50
                                             : resnet::kResNet18,
                 classes);
  if (!options.weights.empty())
    loadWeights(network, options.weights, weights);
  int64_t numbers = 0;
  for (const Tensor &tensor : state::getParameters(network))
    numbers += tensor.numel().value();
  std::printf("%s: %s weights, %s classes; %s images, %s in a batch\n",
              options.model.c_str(), std::to_string(numbers).c_str(),
              std::to_string(classes).c_str(), std::to_string(count).c_str(),
              std::to_string(batch).c_str());
  std::fflush(stdout);

  const Tensor part =
      images.pixels.shrink({{0, batch}, {}, {}, {}}).contiguous().realize();
  if (options.forward > 0)
    timeForward(network, part, options.forward);
  if (steps > 0)
    train(network, images, options, batch, steps);
  // Of a set to train on, the classes are known, and there may be many.
  const bool isClassified = !options.images.empty() && steps == 0;
  if (isClassified || !options.scores.empty()) {
    const Tensor scores = classify(network, images.pixels, batch);
    if (isClassified)
      printClasses(scores, names);
    if (isClassified && images.labels.defined())
      std::printf(
          "accuracy: %.4f\n",
          (scores.argmax(1) == images.labels).toFloat().mean().item<float>());
    if (!options.scores.empty())
      writeNpy(options.scores, scores);
  }
  if (!options.save.empty())
    state::safeSave(options.save, state::getStateDict(network));
}

int main(int argc, char **argv) {
  Options options;
  CommandLine line("resnet", kUsage);
  line.option("--model", options.model);
  line.option("--weights", options.weights);
  line.option("--images", options.images);
  line.option("--names", options.names);
  line.outputFile("--scores", options.scores);
  line.option("--classes", options.classes, 1, 1e6);
  line.option("--size", options.size, 1, 1e5);
  line.option("--batch", options.batch, 1, 1e6);
  line.option("--forward", options.forward);
  line.option("--steps", options.steps);
  line.option("--rate", options.rate);
  line.outputFile("--save", options.save);
  line.option("--seed", options.seed, 0, 1e15);
  line.parse(argc, argv);
  if (options.model != "resnet18" && options.model != "resnet50")
    line.fail("'" + options.model +
              "' is not a model; resnet18 and resnet50 are");
  try {
    run(options);
  } catch (const Error &error) {
    std::fprintf(stderr, "resnet: %s\n", error.what());
    return 1;
  }
  return 0;
}
