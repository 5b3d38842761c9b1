//===- StepLibraryTest.cpp - captured steps as C libraries ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Libraries of captured steps are loaded, and give the bits of the steps. The
/// tests know of a library what its header says.
///
//===----------------------------------------------------------------------===//

#include "OptimTest.h"
#include "TestFiles.h"
#include "TinyGrad/NN/NN.h"
#include "TinyGrad/Optim/Adam.h"
#include "TinyGrad/Optim/GradScaler.h"
#include "TinyGrad/Optim/LRScheduler.h"
#include "TinyGrad/Optim/SGD.h"
#include "TinyGrad/State/Safetensors.h"
#include "TinyGrad/Tensor/Export.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <functional>
#include <regex>

using namespace tinygrad;
using namespace tinygrad::optim;
using namespace tinygrad::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {
/// Memory that begins at a multiple of 64 bytes.
class AlignedMemory {
public:
  explicit AlignedMemory(std::size_t bytes)
      : memory(
            static_cast<char *>(std::aligned_alloc(64, (bytes + 64) & ~63))) {
    std::memset(memory, 0xA5, (bytes + 64) & ~63);
  }
  ~AlignedMemory() { std::free(memory); }
  AlignedMemory(const AlignedMemory &) = delete;
  AlignedMemory &operator=(const AlignedMemory &) = delete;
  char *get() const { return memory; }
  float *floats() const { return reinterpret_cast<float *>(memory); }

private:
  char *memory;
};

/// Compiles NAME.c of the directory to the shared library libNAME.so.
void compileSource(const std::string &directory, const std::string &name,
                   const std::string &options) {
  const std::string path = directory + "/",
                    command = "cc -std=c99 -Wall -Wextra -pedantic -Werror "
                              "-Wno-psabi " +
                              options + " -fPIC -shared -o '" + path + "lib" +
                              name + ".so' '" + path + name + ".c' -lm";
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
}

/// A library and its header.
class LoadedLibrary {
public:
  LoadedLibrary(const std::string &directory, const std::string &name)
      : name(name), header(readFile(directory + "/" + name + ".h")),
        handle(::dlopen((directory + "/lib" + name + ".so").c_str(),
                        RTLD_NOW | RTLD_LOCAL)) {
    EXPECT_NE(handle, nullptr) << ::dlerror();
    const std::regex member("_ALIGNED (\\w+) (\\w+)((\\[\\d+\\])+);");
    for (std::sregex_iterator it(header.begin(), header.end(), member), end;
         it != end; ++it) {
      std::size_t bytes = (*it)[1] == "float" || (*it)[1] == "int32_t" ? 4
                          : (*it)[1] == "uint16_t"                     ? 2
                                                                       : 8;
      const std::regex size("\\d+");
      const std::string sizes = (*it)[3];
      for (std::sregex_iterator each(sizes.begin(), sizes.end(), size);
           each != end; ++each)
        bytes *= std::stoul(each->str());
      offsets[(*it)[2]] = stateBytes;
      stateBytes += (bytes + 63) & ~std::size_t(63);
    }
  }
  ~LoadedLibrary() {
    if (handle)
      ::dlclose(handle);
  }
  LoadedLibrary(const LoadedLibrary &) = delete;
  LoadedLibrary &operator=(const LoadedLibrary &) = delete;

  template <typename... P> int call(const std::string &function, P... given) {
    void *address = ::dlsym(handle, (name + "_" + function).c_str());
    if (!address) {
      ADD_FAILURE() << ::dlerror();
      return -1;
    }
    return reinterpret_cast<int (*)(P...)>(address)(given...);
  }
  /// The scratch memory of a function, as its header says.
  std::size_t scratchBytes(const std::string &macro) const {
    std::smatch match;
    const std::regex pattern(macro + "_SCRATCH_BYTES (\\d+)");
    return std::regex_search(header, match, pattern) ? std::stoul(match[1]) : 0;
  }

  static std::string readFile(const std::string &path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const std::string name, header;
  std::map<std::string, std::size_t> offsets;
  std::size_t stateBytes = 0;

private:
  void *handle;
};

/// Training with all kinds of state: Adam, a schedule, random numbers.
struct Trainer {
  nn::Linear hidden{4, 8}, output{8, 3};
  Adam optimizer;
  CosineAnnealingLR schedule;

  Trainer()
      : optimizer({hidden.weight, hidden.bias, output.weight, output.bias},
                  {.learningRate = 0.05}),
        schedule(optimizer, {.steps = 10, .warmUpSteps = 3}) {}

  Tensor forward(const Tensor &x) { return output(hidden(x).relu()); }
  Tensor step(const Tensor &x, const Tensor &y) {
    const TrainingScope training(true);
    optimizer.zeroGrad();
    Tensor loss = (forward(x.dropout(0.25)) - y).square().mean();
    loss.backward();
    optimizer.step({.also = {loss}, .releaseGradients = true});
    schedule.step();
    return loss;
  }
  TINYGRAD_MEMBERS(hidden, output, optimizer, schedule)
};

class StepLibraryTest : public OptimTest {
protected:
  TemporaryDirectory directory;
};

std::vector<float> floatsOf(const Tensor &tensor) {
  return tensor.flatten().tolist<float>();
}
} // namespace

/// Exports ten steps of training, and compares them with the captured steps.
/// \p compile, if any, makes the shared library of C source.
static void checkTraining(const std::string &directory,
                          const ExportOptions &options,
                          const std::function<void()> &compile) {
  Trainer trainer;
  auto makeX = [](unsigned i) { return noiseTensor({5, 4}, 20 + i).realize(); };
  auto makeY = [](unsigned i) { return noiseTensor({5, 3}, 40 + i).realize(); };
  Jit step(
      [&](const Tensor &x, const Tensor &y) { return trainer.step(x, y); });
  Jit evaluate([&](const Tensor &x) { return trainer.forward(x); });
  for (unsigned i = 0; i < 2; ++i) {
    step(makeX(i), makeY(i));
    evaluate(makeX(i));
  }
  Exporter exporter("net", options);
  exporter.nameState(trainer);
  exporter.add("step", step, {.arguments = {"x", "y"}, .results = {"loss"}});
  exporter.add("evaluate", evaluate, {.results = {"scores"}});
  exporter.write(directory);
  if (compile)
    ASSERT_NO_FATAL_FAILURE(compile());
  LoadedLibrary library(directory, "net");
  EXPECT_THAT(library.header, HasSubstr("float hidden_weight[8][4];"));
  EXPECT_THAT(library.header, HasSubstr("random_counter"));
  AlignedMemory state(library.stateBytes), loss(4), scores(60),
      scratch(library.scratchBytes("NET_STEP")),
      evaluateScratch(library.scratchBytes("NET_EVALUATE"));
  ASSERT_EQ(library.call("supported"), 0);
  ASSERT_EQ(library.call("init", state.get()), 0);
  for (unsigned i = 2; i < 12; ++i) {
    SCOPED_TRACE(i);
    const Tensor x = makeX(i), y = makeY(i);
    std::vector<float> xs = floatsOf(x), ys = floatsOf(y);
    ASSERT_EQ(library.call("step", state.get(), xs.data(), ys.data(),
                           loss.get(), scratch.get()),
              0);
    EXPECT_EQ(step(x, y).item<float>(), *loss.floats());
    ASSERT_EQ(library.call("evaluate", state.get(), xs.data(), scores.get(),
                           evaluateScratch.get()),
              0);
    const std::vector<float> expected = floatsOf(evaluate(x));
    EXPECT_EQ(0, std::memcmp(expected.data(), scores.get(), 60));
  }
  // All of the state, too.
  std::size_t compared = 0;
  forEachTensor(trainer, [&](const std::string &path, Tensor &tensor) {
    std::string member = path;
    std::replace(member.begin(), member.end(), '.', '_');
    auto known = library.offsets.find(member);
    if (known == library.offsets.end() || tensor.dtype() != DType::Float32)
      return;
    SCOPED_TRACE(path);
    const std::vector<float> expected = floatsOf(tensor);
    EXPECT_EQ(0, std::memcmp(expected.data(), state.get() + known->second,
                             expected.size() * sizeof(float)));
    ++compared;
  });
  EXPECT_GE(compared, 12u);
}

TEST_F(StepLibraryTest, TrainsAndEvaluatesWithTheSameBits) {
  checkTraining(directory.path(), {}, nullptr);
}

/// C source for this machine's processor has the bits of its machine code.
TEST_F(StepLibraryTest, SourceTrainsWithTheSameBits) {
  for (const char *options : {"-O2", "-O1 -DNET_PORTABLE -fsanitize=undefined "
                                     "-fno-sanitize-recover=all"}) {
    SCOPED_TRACE(options);
    const TemporaryDirectory place;
    checkTraining(place.path(), {.targets = {"cpu"}, .source = true}, [&] {
      compileSource(place.path(), "net", options);
      EXPECT_FALSE(std::ifstream(place.path() + "/libnet.a").is_open());
    });
  }
}

// Values beside a library: its own file, one of safeSave, and one that it wrote
// itself continue training with the bits of the step.
TEST_F(StepLibraryTest, StatesAreFiles) {
  Trainer trainer;
  const Tensor x = noiseTensor({5, 4}, 20).realize(),
               y = noiseTensor({5, 3}, 40).realize();
  Jit step(
      [&](const Tensor &x, const Tensor &y) { return trainer.step(x, y); });
  step(x, y);
  step(x, y);
  Exporter exporter("net", {.weights = ExportWeights::Beside});
  exporter.nameState(trainer);
  exporter.add("step", step, {.results = {"loss"}});
  exporter.write(directory.path());
  LoadedLibrary library(directory.path(), "net");
  EXPECT_THAT(library.header, Not(HasSubstr("net_init")));
  EXPECT_THAT(library.header, HasSubstr("int net_load("));
  AlignedMemory memory(library.stateBytes), loss(4),
      scratch(library.scratchBytes("NET_STEP"));
  const std::string beside =
      LoadedLibrary::readFile(directory.path() + "/net.safetensors");
  auto load = [&](const std::string &file) {
    return library.call("load", memory.get(),
                        static_cast<const void *>(file.data()), file.size());
  };
  const std::vector<float> xs = floatsOf(x), ys = floatsOf(y);
  auto run = [&] {
    EXPECT_EQ(library.call("step", memory.get(), xs.data(), ys.data(),
                           loss.get(), scratch.get()),
              0);
    return *loss.floats();
  };
  ASSERT_EQ(load(beside), 0);
  const float first = run();
  EXPECT_EQ(first, step(x, y).item<float>());

  // What the library writes, safeLoad reads, and the other way round.
  std::size_t needed = 0;
  void *none = nullptr;
  ASSERT_EQ(library.call("save", memory.get(), none, std::size_t(0), &needed),
            9);
  std::string saved(needed, ' ');
  ASSERT_EQ(library.call("save", memory.get(),
                         static_cast<void *>(saved.data()), saved.size(),
                         &needed),
            0);
  {
    std::ofstream out(directory.path() + "/saved.safetensors");
    out << saved;
  }
  state::StateDict dict =
      state::safeLoad(directory.path() + "/saved.safetensors");
  EXPECT_EQ(dict.size(), library.offsets.size());
  bool hasWeight = false;
  for (const auto &[name, tensor] : dict)
    if (name == "hidden_weight") {
      hasWeight = true;
      EXPECT_EQ(floatsOf(tensor), floatsOf(trainer.hidden.weight));
    }
  EXPECT_TRUE(hasWeight);
  state::safeSave(directory.path() + "/own.safetensors", dict,
                  {{"format", "pt"}});
  const float second = run();
  EXPECT_EQ(second, step(x, y).item<float>());
  ASSERT_EQ(
      load(LoadedLibrary::readFile(directory.path() + "/own.safetensors")), 0);
  EXPECT_EQ(second, run());
  ASSERT_EQ(load(beside), 0);
  EXPECT_EQ(first, run());

  // A file of another network.
  state::safeSave(directory.path() + "/other.safetensors",
                  {{"hidden_weight", trainer.hidden.weight}});
  const std::string before(memory.get(), library.stateBytes);
  EXPECT_EQ(
      load(LoadedLibrary::readFile(directory.path() + "/other.safetensors")),
      7);
  EXPECT_EQ(before, std::string(memory.get(), library.stateBytes));
}

TEST_F(StepLibraryTest, TensorsThatAreReplacedChangePlaces) {
  Tensor a = Tensor::from({1.0f, 2.0f}).realize(),
         b = Tensor::from({3.0f, 4.0f}).realize();
  // After each call, both handles refer to the other memory.
  Jit step([&](const Tensor &x) {
    Tensor sum = a + x;
    a.replace(b);
    b.replace(sum);
    return a;
  });
  const Tensor x = Tensor::from({0.5f, 0.25f}).realize();
  step(x);
  step(x);
  Exporter exporter("net");
  exporter.nameState("a", a);
  exporter.nameState("b", b);
  exporter.add("step", step);
  exporter.write(directory.path());
  LoadedLibrary library(directory.path(), "net");
  AlignedMemory state(library.stateBytes), result(8),
      scratch(library.scratchBytes("NET_STEP"));
  ASSERT_EQ(library.call("init", state.get()), 0);
  const std::vector<float> xs = floatsOf(x);
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(library.call("step", state.get(), xs.data(), result.get(),
                           scratch.get()),
              0);
    const std::vector<float> expected = floatsOf(step(x)), first = floatsOf(a),
                             second = floatsOf(b);
    EXPECT_EQ(0, std::memcmp(expected.data(), result.get(), 8));
    EXPECT_EQ(
        0, std::memcmp(first.data(), state.get() + library.offsets.at("a"), 8));
    EXPECT_EQ(0, std::memcmp(second.data(),
                             state.get() + library.offsets.at("b"), 8));
  }
}

TEST_F(StepLibraryTest, SizesAreParameters) {
  const Tensor w = noiseTensor({16, 4}, 3).realize();
  Jit step([&](const Tensor &x) { return x.matmul(w).relu(); });
  Variable n("n", 1, 64);
  const Tensor data = noiseTensor({64, 16}, 5).realize();
  auto bound = [&](int64_t rows) {
    return data.shrink({{0, n.bind(rows)}, {0, 16}}).contiguous().realize();
  };
  step(bound(3));
  step(bound(7));
  Exporter exporter("net", {.staticScratch = true});
  exporter.add("step", step);
  exporter.write(directory.path());
  LoadedLibrary library(directory.path(), "net");
  EXPECT_THAT(library.header, HasSubstr("float[n][16], n * 16 elements"));
  EXPECT_THAT(library.header, HasSubstr("int64_t n)"));
  AlignedMemory state(library.stateBytes), result(64 * 4 * 4);
  ASSERT_EQ(library.call("init", state.get()), 0);
  const std::vector<float> xs = floatsOf(noiseTensor({64, 16}, 5));
  for (int64_t rows : {1, 5, 64}) {
    ASSERT_EQ(library.call("step", state.get(), xs.data(), result.get(), rows),
              0);
    const std::vector<float> expected =
        floatsOf(noiseTensor({64, 16}, 5).matmul(w).relu());
    EXPECT_EQ(
        0, std::memcmp(expected.data(), result.get(), std::size_t(rows) * 16));
  }
  EXPECT_EQ(
      library.call("step", state.get(), xs.data(), result.get(), int64_t(0)),
      3);
  EXPECT_EQ(
      library.call("step", state.get(), xs.data(), result.get(), int64_t(65)),
      3);
}

TEST_F(StepLibraryTest, WrongPointersAreRefused) {
  Tensor w = Tensor::ones({4}).realize();
  Jit step([&](const Tensor &x) {
    w.assign(w + x);
    return w * 2;
  });
  const Tensor x = Tensor::from({1.0f, 2.0f, 3.0f, 4.0f}).realize();
  step(x);
  step(x);
  Exporter exporter("net");
  exporter.add("step", step);
  exporter.write(directory.path());
  LoadedLibrary library(directory.path(), "net");
  ASSERT_EQ(library.scratchBytes("NET_STEP"), 0u);
  AlignedMemory state(library.stateBytes), result(64);
  ASSERT_EQ(library.call("init", state.get()), 0);
  std::vector<float> xs = floatsOf(x);
  auto run = [&](void *s, void *argument, void *y) {
    return library.call("step", s, argument, y);
  };
  const std::string before(state.get(), library.stateBytes);
  EXPECT_EQ(run(nullptr, xs.data(), result.get()), 1);
  EXPECT_EQ(run(state.get(), nullptr, result.get()), 1);
  EXPECT_EQ(run(state.get(), xs.data(), nullptr), 1);
  EXPECT_EQ(run(state.get(), xs.data(), result.get() + 4), 2);
  EXPECT_EQ(
      run(state.get(), reinterpret_cast<char *>(xs.data()) + 1, result.get()),
      2);
  EXPECT_EQ(run(state.get(), state.get(), result.get()), 4);
  EXPECT_EQ(run(state.get(), xs.data(), state.get()), 4);
  EXPECT_EQ(before, std::string(state.get(), library.stateBytes));
  EXPECT_EQ(run(state.get(), xs.data(), result.get()), 0);
  EXPECT_NE(before, std::string(state.get(), library.stateBytes));
}

TEST_F(StepLibraryTest, WhatALibraryCannotDo) {
  const Tensor x = Tensor::from({3.0f, 1.0f, 2.0f}).realize();
  auto errorOf = [&](auto &&body) -> std::string {
    try {
      body();
    } catch (const Error &error) {
      return error.what();
    }
    return "no error";
  };
  Jit sorts([](const Tensor &x) { return x.argsort(); });
  Jit early([](const Tensor &x) { return x + 1; });
  sorts(x);
  sorts(x);
  early(x);
  EXPECT_THAT(errorOf([&] { Exporter("net").add("f", early); }),
              HasSubstr("'f' is not captured; call it twice"));
  early(x);
  auto write = [&](const std::string &name, auto &step,
                   const std::string &function, const ExportNames &names = {},
                   const ExportOptions &options = {}) {
    return errorOf([&] {
      Exporter exporter(name, options);
      exporter.add(function, step, names);
      exporter.write(directory.path());
    });
  };
  EXPECT_THAT(write("net", sorts, "f"), HasSubstr("is done by the runtime"));
  EXPECT_THAT(write("1net", early, "f"), HasSubstr("'1net', is no identifier"));
  EXPECT_THAT(write("net", early, "while"), HasSubstr("keyword"));
  EXPECT_THAT(write("net", early, "f", {.arguments = {"a", "b"}}),
              HasSubstr("1 arguments"));
  EXPECT_THAT(write("net", early, "f", {.arguments = {"y0"}}),
              AllOf(HasSubstr("two parameters 'y0', an argument and a result"),
                    HasSubstr("ExportNames")));
  EXPECT_THAT(write("net", early, "f", {.arguments = {"scratch"}}),
              HasSubstr("two parameters 'scratch', one that the library adds "
                        "and an argument"));
  EXPECT_THAT(write("net", early, "f", {}, {.targets = {"cpu:unknown"}}),
              HasSubstr("unknown"));
  EXPECT_THAT(write("net", early, "f", {}, {.targets = {"cuda:sm_90"}}),
              HasSubstr("a library is for processors"));
  EXPECT_THAT(errorOf([&] {
                Exporter exporter("net");
                exporter.add("f", early);
                exporter.add("f", early);
              }),
              HasSubstr("two functions"));
  EXPECT_THAT(errorOf([&] {
                Exporter exporter("net");
                exporter.add("f", early);
                exporter.nameState("x", x);
              }),
              HasSubstr("name the state before functions are added"));
  EXPECT_THAT(errorOf([&] { Exporter("net").nameState("", x); }),
              HasSubstr("the name of a tensor of the state is empty"));
  EXPECT_THAT(errorOf([&] {
                Exporter exporter("net");
                exporter.nameState("x", x);
                exporter.nameState("x", x);
                exporter.nameState("again", x);
              }),
              HasSubstr("two names, 'x' and 'again'"));
  EXPECT_THAT(errorOf([&] {
                Exporter exporter("net");
                exporter.add("f", early);
                exporter.write(directory.path() + "/missing");
              }),
              HasSubstr("missing"));
  // A kernel has this name.
  {
    Exporter exporter("net");
    exporter.add("E_3", early);
    exporter.write(directory.path());
    std::filesystem::remove(directory.path() + "/net.h");
  }
  // Nothing was written.
  EXPECT_EQ(LoadedLibrary::readFile(directory.path() + "/net.h"), "");
}

namespace {
struct Layer {
  Tensor weight;
  TINYGRAD_MEMBERS(weight)
};
struct Tied {
  Layer encoder, decoder;
  TINYGRAD_MEMBERS(encoder, decoder)
};
} // namespace

// Layers that share a tensor: one member of the state.
TEST_F(StepLibraryTest, SharedTensorsHaveTheFirstName) {
  const Tensor weight = noiseTensor({3}, 1).realize();
  const Tied tied{{weight}, {weight}};
  Jit step([&](const Tensor &x) {
    return x * tied.encoder.weight + tied.decoder.weight;
  });
  const Tensor x = Tensor::from({3.0f, 1.0f, 2.0f}).realize();
  step(x);
  step(x);
  Exporter exporter("net");
  exporter.nameState(tied);
  exporter.add("step", step);
  exporter.write(directory.path());
  const LoadedLibrary library(directory.path(), "net");
  EXPECT_THAT(library.header, AllOf(HasSubstr("encoder_weight[3]"),
                                    Not(HasSubstr("decoder_weight"))));
}

// Steps that cannot leave the process say why, when they are captured or when
// they are exported.
TEST_F(StepLibraryTest, StepsThatCannotBeExported) {
  const Tensor x = Tensor::from({3.0f, 1.0f, 2.0f}).realize();
  auto errorOf = [&](auto &&body) -> std::string {
    try {
      body();
    } catch (const Error &error) {
      return error.what();
    }
    return "no error";
  };
  // A value that is read on the host decides what is computed.
  Jit reads([](const Tensor &x) {
    return x.sum().item<float>() > 0 ? x + 1 : x - 1;
  });
  EXPECT_THAT(errorOf([&] {
                reads(x);
                reads(x);
              }),
              AllOf(HasSubstr("item"), HasSubstr("reads values on the host")));
  EXPECT_THAT(errorOf([&] { Exporter("net").add("f", reads); }),
              HasSubstr("'f' is not captured; call it twice"));
  // The sizes of results depend on values.
  Jit selects([](const Tensor &x) { return x.maskedSelect(x > 1.5f); });
  EXPECT_THAT(errorOf([&] {
                selects(x);
                selects(x);
              }),
              HasSubstr("reads values on the host"));
  // Other devices: of an argument, and of a copy in the step.
  const Tensor there = x.to("SIM").realize();
  Jit elsewhere([](const Tensor &x) { return x + 1; });
  elsewhere(there);
  elsewhere(there);
  EXPECT_THAT(errorOf([&] { Exporter("net").add("f", elsewhere); }),
              AllOf(HasSubstr("the argument"),
                    HasSubstr("of the step 'f' is on SIM"),
                    HasSubstr("a library computes on the CPU")));
  Jit copies([](const Tensor &x) { return (x.to("SIM") + 1).to("CPU"); });
  copies(x);
  copies(x);
  EXPECT_THAT(errorOf([&] { Exporter("net").add("f", copies); }),
              AllOf(HasSubstr("of the step 'f' is on SIM"),
                    HasSubstr("a library computes on the CPU")));
  // State on another device.
  Jit uses([&](const Tensor &x) { return x + there.to("CPU"); });
  uses(x);
  uses(x);
  EXPECT_THAT(errorOf([&] { Exporter("net").add("f", uses); }),
              HasSubstr("is on SIM; a library computes on the CPU"));
}

// A library of one step.
TEST_F(StepLibraryTest, OneStep) {
  const Tensor w = noiseTensor({3}, 1).realize();
  Jit step([&](const Tensor &x) { return x * w; });
  const Tensor x = Tensor::from({3.0f, 1.0f, 2.0f}).realize();
  EXPECT_THROW(exportStep(step, directory.path() + "/net"), Error);
  step(x);
  step(x);
  exportStep(step, directory.path() + "/net", {.results = {"product"}},
             {.report = true});
  LoadedLibrary library(directory.path(), "net");
  EXPECT_THAT(library.header, HasSubstr("float *product"));
  EXPECT_THAT(LoadedLibrary::readFile(directory.path() + "/net.report.txt"),
              HasSubstr("net_run"));
  AlignedMemory state(library.stateBytes), result(12),
      scratch(library.scratchBytes("NET_RUN"));
  ASSERT_EQ(library.call("init", state.get()), 0);
  const std::vector<float> xs = floatsOf(x), expected = floatsOf(x * w);
  ASSERT_EQ(
      library.call("run", state.get(), xs.data(), result.get(), scratch.get()),
      0);
  EXPECT_EQ(0, std::memcmp(expected.data(), result.get(), 12));
  EXPECT_THROW(exportStep(step, directory.path() + "/missing/net"), IoError);
}

// Zeros in place of subnormal numbers are a choice when the library is made;
// the mode of the caller stays, and its parallel loop runs in it.
TEST_F(StepLibraryTest, SubnormalNumbersAreZerosIfThatIsWanted) {
  const Context settings({{"FTZ", 1}});
  Jit step([](const Tensor &x) { return x.square(); });
  const Tensor x = Tensor::full({1 << 20}, 1e-20f).realize();
  step(x);
  step(x);
  Exporter exporter("net", {.threads = true});
  exporter.add("step", step);
  exporter.write(directory.path());
  LoadedLibrary library(directory.path(), "net");
  struct Threads {
    void *context;
    void (*loop)(void *, int64_t, void (*)(void *, int64_t, int64_t), void *);
  };
  static volatile float tiny = 1e-20f;
  struct Seen {
    int calls = 0;
    float product = 0;
  } seen;
  const Threads threads = {&seen, [](void *context, int64_t extent,
                                     void (*body)(void *, int64_t, int64_t),
                                     void *data) {
                             auto *found = static_cast<Seen *>(context);
                             ++found->calls;
                             found->product = tiny * tiny;
                             body(data, 0, extent / 2);
                             body(data, extent / 2, extent);
                           }};
  const std::vector<float> xs = floatsOf(x);
  AlignedMemory result(xs.size() * sizeof(float));
  ASSERT_EQ(library.call("step", xs.data(), result.get(), &threads), 0);
  EXPECT_EQ(result.floats()[0], 0.0f);
  EXPECT_EQ(result.floats()[xs.size() - 1], 0.0f);
  EXPECT_EQ(seen.calls, 1);
  EXPECT_NE(seen.product, 0.0f);
  EXPECT_NE(tiny * tiny, 0.0f);
}
