//===- transformer.cpp - train a small language model ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Trains a language model of characters, a transformer with a decoder only, on
/// a text file, and writes text with it: AdamW with warm-up and a cosine
/// schedule, clipped gradients, captured steps, checkpoints, and a cache of
/// keys and values whose length is a variable.
///
//===----------------------------------------------------------------------===//

#include "../CommandLine.h"
#include "Model.h"
#include "TinyGrad/Data/DataLoader.h"
#include "TinyGrad/Data/LearningCurve.h"
#include "TinyGrad/Data/MetricsLog.h"
#include "TinyGrad/Data/Progress.h"
#include "TinyGrad/NN/NN.h"
#include "TinyGrad/Optim/Adam.h"
#include "TinyGrad/Optim/Clip.h"
#include "TinyGrad/Optim/LRScheduler.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/State/Checkpoint.h"
#include "TinyGrad/Tensor/Jit.h"
#include "TinyGrad/Tensor/Training.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numbers>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace tinygrad;
using namespace transformer;

static const char kUsage[] =
    "Trains a language model of characters on a text, and writes text with "
    "it.\n"
    "\n"
    "usage: transformer [OPTION...]\n"
    "\n"
    "  --text FILE        what to learn: any file, of which each byte is a\n"
    "                     character. The last tenth is the validation text\n"
    "                     (default: /usr/share/games/fortunes/computers, of\n"
    "                     Debian's package fortunes)\n"
    "  --steps N          training steps (default: 3000)\n"
    "  --until N          stop after this step, before the last one\n"
    "  --batch N          sequences in a step (default: 16)\n"
    "  --context N        characters in a sequence (default: 128)\n"
    "  --layers N         (default: 4)\n"
    "  --width N          features of a character (default: 128)\n"
    "  --heads N          of attention; they divide the width (default: 4)\n"
    "  --dropout X        probability (default: 0.1)\n"
    "  --bf16             weights in bfloat16; AdamW keeps them in float32 "
    "too\n"
    "  --rate X           the largest learning rate (default: 0.003)\n"
    "  --warmup N         steps until that rate (default: a tenth of all)\n"
    "  --clip X           largest norm of the gradients (default: 1)\n"
    "  --seed N           seed of all random numbers (default: 1)\n"
    "  --evaluate N       print the validation loss every N steps (default: "
    "200)\n"
    "  --checkpoint FILE  written after each evaluation; if it exists, "
    "training\n"
    "                     resumes from it. When no step is left, text is "
    "written\n"
    "                     at once\n"
    "  --log FILE         metrics as JSON lines; FILE.svg is their picture\n"
    "  --sample N         characters to write after training (default: 500)\n"
    "  --prompt TEXT      what they follow (default: a line break)\n"
    "  --temperature X    below 1: likely characters become more likely; 0: "
    "always\n"
    "                     the most likely one (default: 0.8)\n"
    "  --help             show this text\n"
    "\n"
    "environment: DEV names the device, DEBUG=2 shows every kernel that runs,\n"
    "THREADS limits threads\n";

namespace {
struct Options : ModelOptions {
  std::string text = "/usr/share/games/fortunes/computers";
  std::string checkpoint, log, prompt = "\n";
  int64_t steps = 3000, until = 0, batch = 16;
  double rate = 3e-3, clip = 1, temperature = 0.8;
  std::optional<int64_t> warmUp;
  int64_t evaluate = 200, sample = 500;
  uint64_t seed = 1;
};

/// What a checkpoint holds besides the model.
struct Training {
  optim::AdamW &optimizer;
  optim::CosineAnnealingLR &schedule;
  TINYGRAD_MEMBERS(optimizer, schedule)
};

/// The numbers of the characters of both parts of a text.
struct Text {
  Tensor training, validation;
};
} // namespace

static std::string readText(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path))
    throw IoError(path + ": cannot open; the default text is in Debian's "
                         "package fortunes, and --text names any other file");
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (file.bad())
    throw IoError(path + ": cannot read");
  return text;
}

static Text split(const std::string &path, const std::string &text,
                  const Alphabet &alphabet, int64_t context) {
  const int64_t size = int64_t(text.size()), training = size - size / 10;
  if (size / 10 <= context)
    throw Error(path + ": a text of " + std::to_string(size) +
                " characters is too short: its last tenth needs more than the "
                "context of " +
                std::to_string(context) + " characters, so at least " +
                std::to_string(10 * (context + 1)) + " are required");
  const std::vector<int> all = alphabet.encode(text);
  return {Tensor::from(std::vector(all.begin(), all.begin() + training)),
          Tensor::from(std::vector(all.begin() + training, all.end()))};
}

/// Validation sequences of \p context characters and the one after them, from
/// the beginning to the end of the text.
static Tensor cut(const Tensor &text, int64_t context) {
  const int64_t count = (text.size(0).value() - 1) / context;
  Tensor first = Tensor::arange(count).unsqueeze(1) * context;
  return text.indexSelect(0, first + Tensor::arange(context + 1)).realize();
}

static double evaluate(Jit<Tensor(const Tensor &)> &loss,
                       data::DataLoader<Tensor> &sequences) {
  NoGradScope noGrad;
  double sum = 0;
  for (const Tensor &batch : sequences)
    sum += loss(batch).item<float>();
  return sum / double(sequences.numBatches());
}

static void train(const Options &options, const Text &text, Model &model) {
  optim::AdamW optimizer(groupParameters(model, options.rate));
  optim::CosineAnnealingLR schedule(
      optimizer,
      {.steps = options.steps,
       .warmUpSteps =
           std::min(options.steps, options.warmUp.value_or(options.steps / 10)),
       .minimumRate = options.rate / 10});
  Training training{optimizer, schedule};

  int64_t done = 0;
  if (!options.checkpoint.empty() &&
      std::filesystem::exists(options.checkpoint)) {
    const std::vector<uint8_t> alphabet = model.alphabet.tolist<uint8_t>();
    done = int64_t(
        state::loadCheckpoint(options.checkpoint, model, training).at("step"));
    if (model.alphabet.tolist<uint8_t>() != alphabet)
      throw Error(options.checkpoint +
                  ": the model was trained on a text with other characters "
                  "than " +
                  options.text);
    std::printf("resumed after step %s of %s\n", std::to_string(done).c_str(),
                options.checkpoint.c_str());
  }
  std::optional<data::MetricsLog> log;
  if (!options.log.empty())
    log.emplace(options.log);

  const std::vector<Tensor> parameters = optimizer.parameters();
  const Tensor offsets = Tensor::arange(options.context + 1).realize();
  Jit step([&] {
    TrainingScope scope;
    optimizer.zeroGrad();
    // Sequences from random places of the text.
    Tensor begin = Tensor::randint(
        {options.batch, 1}, 0, text.training.size(0).value() - options.context);
    Tensor loss = lossOf(model, text.training.indexSelect(0, begin + offsets));
    loss.backward();
    Tensor norm = optim::clipGradNorm(parameters, options.clip);
    optimizer.step({.also = {norm}, .releaseGradients = true});
    schedule.step();
    return std::pair(loss, norm);
  });

  const Tensor sequences = cut(text.validation, options.context);
  data::DataLoader<Tensor> validation(
      sequences,
      {.batchSize = std::min(options.batch, sequences.size(0).value()),
       .dropLast = true});
  Jit<Tensor(const Tensor &)> validationLoss(
      [&](const Tensor &batch) { return lossOf(model, batch); });

  const int64_t last = options.until > 0
                           ? std::min(options.until, options.steps)
                           : options.steps;
  if (done >= last)
    return;
  data::Progress progress(
      {.total = last, .initial = done, .label = "training"});
  double sum = 0;
  int64_t count = 0;
  for (int64_t i = done + 1; i <= last; ++i) {
    const auto [loss, norm] = step();
    sum += loss.item<float>();
    ++count;
    progress.step(options.batch * options.context, [&] {
      return data::Metrics{{"loss", sum / double(count)},
                           {"norm", norm.item<float>()}};
    });
    if (i % options.evaluate != 0 && i != last)
      continue;
    const double trained = sum / double(count);
    const double validated = evaluate(validationLoss, validation);
    char line[160];
    std::snprintf(line, sizeof(line),
                  "step %s: loss %.4f, validation loss %.4f (%.3f bits per "
                  "character)",
                  std::to_string(i).c_str(), trained, validated,
                  validated / std::numbers::ln2);
    progress.message(line);
    if (!std::isfinite(trained) || !std::isfinite(validated))
      throw Error(
          "the loss is not a finite number any more: try a smaller "
          "--rate or --clip" +
          (options.checkpoint.empty()
               ? std::string()
               : "; " + options.checkpoint + " has the last state before"));
    if (log)
      log->write(i, {{"loss", trained}, {"validation loss", validated}});
    if (!options.checkpoint.empty())
      state::saveCheckpoint(options.checkpoint, model, training,
                            {{"step", double(i)}});
    sum = 0;
    count = 0;
  }
  progress.finish();
  if (log)
    data::writeLearningCurve(options.log + ".svg", options.log);
}

/// Writes text to standard output, as it comes.
static void sample(const Options &options, const Model &model,
                   const Alphabet &alphabet) {
  NoGradScope noGrad;
  const int64_t context = options.context;
  std::vector<nn::KeyValueCache> caches = model.makeCaches();
  Variable variable("position", 0, context - 1);
  // One program does for every position.
  Jit<Tensor(const Tensor &, const SymInt &)> next(
      [&](const Tensor &character, const SymInt &position) {
        Tensor scores = model(character, caches, position).squeeze(1);
        if (options.temperature == 0)
          return scores.argmax(1, true).toInt();
        return (scores / options.temperature).softmax().multinomial();
      });

  std::vector<int> text = alphabet.encode(options.prompt);
  std::printf("%s", options.prompt.c_str());
  // The last characters have to be in the cache; when it is full, it is filled
  // again with half of them.
  int64_t position = 0,
          first = std::max<int64_t>(0, int64_t(text.size()) - context / 2);
  const auto start = std::chrono::steady_clock::now();
  for (int64_t written = 0; written < options.sample;) {
    if (position == context) {
      first += context - context / 2;
      position = 0;
    }
    const int64_t index = first + position;
    Tensor result =
        next(Tensor::from({text[index]}, {1, 1}), variable.bind(position));
    ++position;
    if (index + 1 < int64_t(text.size()))
      continue;
    text.push_back(result.item<int>());
    std::putchar(alphabet[text.back()]);
    std::fflush(stdout);
    ++written;
  }
  const std::chrono::duration<double> time =
      std::chrono::steady_clock::now() - start;
  std::printf("\n\n%s characters in %.2f s\n",
              std::to_string(options.sample).c_str(), time.count());
}

static void run(const Options &options) {
  const std::string content = readText(options.text);
  const Alphabet alphabet(content);
  const Text text = split(options.text, content, alphabet, options.context);
  Tensor::manualSeed(options.seed);
  Model model(options, alphabet);
  int64_t weights = 0;
  for (const Tensor &tensor : state::getParameters(model))
    weights += tensor.numel().value();
  std::printf("%s: %s characters, %s different ones; a model of %s weights\n",
              options.text.c_str(), std::to_string(content.size()).c_str(),
              std::to_string(alphabet.size()).c_str(),
              std::to_string(weights).c_str());
  // Before training, so that a mistake does not cost hours.
  alphabet.encode(options.prompt);
  train(options, text, model);
  if (options.sample > 0)
    sample(options, model, alphabet);
}

int main(int argc, char **argv) {
  Options options;
  CommandLine line("transformer", kUsage);
  line.option("--text", options.text);
  line.option("--steps", options.steps, 1);
  line.option("--until", options.until, 1);
  line.option("--batch", options.batch, 1, 1e6);
  line.option("--context", options.context, 2, 1e6);
  line.option("--layers", options.layers, 1, 1000);
  line.option("--width", options.width, 1, 1e5);
  line.option("--heads", options.heads, 1, 1e5);
  line.option("--dropout", options.dropout, 0, 0.99);
  line.flag("--bf16", options.isBF16);
  line.option("--rate", options.rate);
  line.option("--warmup", options.warmUp);
  line.option("--clip", options.clip);
  line.option("--seed", options.seed, 0, 1e15);
  line.option("--evaluate", options.evaluate, 1);
  line.outputFile("--checkpoint", options.checkpoint);
  line.outputFile("--log", options.log);
  line.option("--sample", options.sample);
  line.option("--prompt", options.prompt);
  line.option("--temperature", options.temperature);
  line.parse(argc, argv);
  if (options.width % options.heads != 0)
    line.fail("--heads " + std::to_string(options.heads) +
              " does not divide --width " + std::to_string(options.width));
  if (options.warmUp.value_or(0) > options.steps)
    line.fail("--warmup " + std::to_string(*options.warmUp) +
              " is more than --steps " + std::to_string(options.steps));
  if (options.prompt.empty())
    line.fail("--prompt is empty; it needs a character at least");
  try {
    run(options);
  } catch (const Error &error) {
    std::fprintf(stderr, "transformer: %s\n", error.what());
    return 1;
  }
  return 0;
}
