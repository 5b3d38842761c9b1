//===- Creation.cpp - tensors of data, constants and random numbers -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BoundSizes.h"
#include "Convert.h"
#include "MappedFiles.h"

#include "TinyGrad/Runtime/DefaultFloat.h"

#include <cmath>
#include <cstdint>

using namespace tinygrad;
using namespace tinygrad::python;
using nb::arg;

/// The device on which a tensor is made that several devices get copies of.
static std::string firstOf(const DeviceArgument &device) {
  const auto names = device.getSeveral();
  return names ? names->front() : device.get();
}

/// Copies on each device if \p device names several.
static Tensor onDevices(const Tensor &made, const DeviceArgument &device) {
  const auto names = device.getSeveral();
  return names ? made.shard(*names) : made;
}

/// The options among the keywords of a function with `*shape`, which must not
/// have others. Several devices are an error unless \p mayBeSeveral: they get
/// copies of what is made on the first one. As in tinygrad, normal numbers may
/// be drawn so, and uniform ones may not.
static TensorOptions takeOptions(const char *function, nb::kwargs keywords,
                                 bool mayBeSeveral = false) {
  TensorOptions options;
  for (auto [name, value] : keywords) {
    const auto text = nb::cast<std::string>(name);
    if (text == "dtype")
      options.dtype = DTypeArgument{value}.get();
    else if (text == "device")
      options.device = mayBeSeveral ? firstOf(DeviceArgument{value})
                                    : DeviceArgument{value}.get();
    else if (text != "contiguous" && text != "buffer" &&
             text != "requires_grad")
      throw nb::type_error((std::string(function) +
                            "() got an unexpected keyword argument '" + text +
                            "': it has dtype and device")
                               .c_str());
  }
  return options;
}

/// A constant as an operation of its own: tensors of one number share theirs,
/// and what is shared has no gradient.
static Tensor distinct(const Tensor &constant) {
  return isFloat(constant.dtype()) && !isFloat8(constant.dtype())
             ? constant.contiguousBackward()
             : constant;
}

static Tensor finish(Tensor tensor, const nb::kwargs &keywords) {
  if (keywords.contains("device"))
    tensor = onDevices(tensor, DeviceArgument{nb::object(keywords["device"])});
  if (keywords.contains("requires_grad")) {
    const int isWanted =
        PyObject_IsTrue(nb::object(keywords["requires_grad"]).ptr());
    if (isWanted < 0)
      throw nb::python_error();
    if (isWanted)
      return tensor.parameter();
  }
  return tensor;
}

using ShapedFunction = Tensor (*)(const Shape &, const TensorOptions &);
using RandomFunction = Tensor (*)(const Shape &, double, double,
                                  const TensorOptions &);

static void bindShaped(TensorClass &tensor, const char *name,
                       ShapedFunction function, const char *documentation,
                       bool isUniform = false) {
  tensor.def_static(
      name,
      [name, function, isUniform](nb::args shape, nb::kwargs keywords) {
        const TensorOptions options = takeOptions(name, keywords, !isUniform);
        if (std::string_view(name) != "empty" && getFilePath(options.device))
          throw DeviceError(std::string(name) + ": " + options.device +
                            " is a file, which empty(), to() and Tensor(data) "
                            "make tensors in");
        return finish(function(toShape(shape), options), keywords);
      },
      documentation);
}

static void bindConstants(TensorClass &tensor) {
  bindShaped(
      tensor, "empty",
      [](const Shape &shape, const TensorOptions &options) {
        if (const auto path = getFilePath(options.device))
          return mapFile(*path, shape, options.dtype.value_or(defaultFloat()));
        return Tensor::empty(shape, options);
      },
      "Memory with undefined contents, of a shape given as numbers or "
      "as a tuple.");
  bindShaped(
      tensor, "zeros",
      [](const Shape &shape, const TensorOptions &options) {
        return distinct(Tensor::zeros(shape, options));
      },
      "Zeros, of a shape given as numbers or as a tuple.");
  bindShaped(
      tensor, "ones",
      [](const Shape &shape, const TensorOptions &options) {
        return distinct(Tensor::ones(shape, options));
      },
      "Ones, of a shape given as numbers or as a tuple.");
  tensor.def_static(
      "full",
      [](ShapeArgument shape, OperandArgument value, DTypeArgument dtype,
         DeviceArgument device, bool) {
        return onDevices(distinct(Tensor::full(shape.get(), value.scalar(),
                                               {dtype.get(), firstOf(device)})),
                         device);
      },
      arg("shape"), arg("fill_value"), arg("dtype") = nb::none(),
      arg("device") = nb::none(), arg("buffer") = true,
      "One number for all elements.");
  tensor.def_static(
      "arange",
      [](OperandArgument start, OperandArgument stop, OperandArgument step,
         DTypeArgument dtype, DeviceArgument device) {
        const TensorOptions options(dtype.get(), firstOf(device));
        const Scalar first = stop.isNone() ? Scalar(0) : start.scalar(),
                     last = stop.isNone() ? start.scalar() : stop.scalar(),
                     distance = step.scalar();
        try {
          return onDevices(Tensor::arange(first, last, distance, options),
                           device);
        } catch (const Error &) {
          const auto a = withNumbers(first), b = withNumbers(last),
                     c = withNumbers(distance);
          if (!a || !b || !c)
            throw;
          return onDevices(Tensor::arange(*a, *b, *c, options), device);
        }
      },
      arg("start"), arg("stop") = nb::none(), arg("step") = 1,
      arg("dtype") = nb::none(), arg("device") = nb::none(),
      "The numbers from start up to stop (exclusive), or from 0 up to start.");
  tensor.def_static(
      "linspace",
      [](OperandArgument start, OperandArgument stop, SizeArgument steps,
         DTypeArgument dtype, DeviceArgument device) {
        return onDevices(Tensor::linspace(start.scalar(), stop.scalar(),
                                          steps.get(),
                                          {dtype.get(), firstOf(device)}),
                         device);
      },
      arg("start"), arg("stop"), arg("steps"), arg("dtype") = nb::none(),
      arg("device") = nb::none(),
      "`steps` numbers from start to stop, both included.");
  tensor.def_static(
      "eye",
      [](SizeArgument n, SizeArgument m, DTypeArgument dtype,
         DeviceArgument device) {
        std::optional<SymInt> columns;
        if (!m.isNone())
          columns = m.get();
        return onDevices(
            Tensor::eye(n.get(), columns, {dtype.get(), firstOf(device)}),
            device);
      },
      arg("n"), arg("m") = nb::none(), arg("dtype") = nb::none(),
      arg("device") = nb::none(), "Ones on the diagonal of n rows, m columns.");
  tensor.def(
      "full_like",
      [](const Tensor &self, OperandArgument value, DTypeArgument dtype,
         DeviceArgument device, bool) {
        const Tensor made =
            distinct(self.fullLike(value.scalar(), dtype.get()));
        return device.isNone() ? made : made.to(device.get());
      },
      arg("fill_value"), arg("dtype") = nb::none(), arg("device") = nb::none(),
      arg("buffer") = true, "One number, in the shape of this tensor.");
  tensor.def(
      "const_like",
      [](const Tensor &self, OperandArgument value, DTypeArgument dtype) {
        return self.fullLike(value.scalar(), dtype.get());
      },
      arg("b"), arg("dtype") = nb::none(),
      "One number, in the shape of this tensor.");
  auto bindLike = [&](const char *name, auto method, bool isConstant,
                      const char *text) {
    tensor.def(
        name,
        [=](const Tensor &self, nb::kwargs keywords) {
          const TensorOptions options = takeOptions(name, keywords);
          const Tensor like = (self.*method)(options.dtype);
          const Tensor made = isConstant ? distinct(like) : like;
          return finish(options.device.empty() ? made : made.to(options.device),
                        keywords);
        },
        text);
  };
  bindLike("zeros_like", &Tensor::zerosLike, true,
           "Zeros, in the shape and type of this tensor. Keywords: dtype, "
           "device, requires_grad.");
  bindLike("ones_like", &Tensor::onesLike, true,
           "Ones, in the shape and type of this tensor. Keywords: dtype, "
           "device, requires_grad.");
  bindLike("empty_like", &Tensor::emptyLike, false,
           "Memory with undefined contents, in the shape and type of this "
           "tensor. Keywords: dtype, device, requires_grad.");
  bindLike("rand_like", &Tensor::randLike, false,
           "Uniform in [0, 1), in the shape and type of this tensor. Keywords: "
           "dtype, device, requires_grad.");
  bindLike("randn_like", &Tensor::randnLike, false,
           "Normal, of mean 0 and variance 1, in the shape and type of this "
           "tensor. Keywords: dtype, device, requires_grad.");
}

static Tensor makeUniform(const Shape &shape, double low, double high,
                          const TensorOptions &options) {
  if (!options.dtype || isFloat(*options.dtype))
    return Tensor::uniform(shape, low, high, options);
  const TensorOptions floats(DType::Float32, options.device);
  if (low != std::floor(low) || std::abs(low) > 0x1p53)
    return Tensor::uniform(shape, low, high, floats).cast(*options.dtype);
  // Rounded down, also below 0.
  return Tensor::uniform(shape, 0, high - low, floats).cast(*options.dtype) +
         int64_t(low);
}

static void bindRandom(TensorClass &tensor) {
  tensor.def_static(
      "manual_seed",
      [](nb::object seed) {
        // All 64 bits may be used, with or without a sign.
        const bool isInt =
            PyIndex_Check(seed.ptr()) && !PyBool_Check(seed.ptr());
        if (!isInt)
          toInt(seed, "manual_seed: a seed"); // throws
        const nb::object number = nb::steal(PyNumber_Index(seed.ptr()));
        if (!number.is_valid())
          throw nb::python_error();
        Tensor::manualSeed(toScalar(number).toBits());
      },
      arg("seed") = 0, "Seeds the random numbers made from now on.");
  bindShaped(tensor, "rand", &Tensor::rand, "Uniform in [0, 1).",
             /*isUniform=*/true);
  bindShaped(
      tensor, "randn",
      [](const Shape &shape, const TensorOptions &options) {
        if (!options.dtype || isFloat(*options.dtype))
          return Tensor::randn(shape, options);
        return Tensor::randn(shape,
                             TensorOptions(DType::Float32, options.device))
            .cast(*options.dtype);
      },
      "Normal, of mean 0 and variance 1; rounded towards zero for integers.");
  bindShaped(tensor, "scaled_uniform", &Tensor::scaledUniform,
             "Uniform in [-1, 1), divided by the root of the number of "
             "elements.",
             /*isUniform=*/true);
  bindShaped(tensor, "glorot_uniform", &Tensor::glorotUniform,
             "Initial weights of X. Glorot and Y. Bengio.",
             /*isUniform=*/true);
  // Keywords other than those of a tensor, with their defaults.
  struct Parameters {
    double first, second;
  };
  auto bindWith = [&](const char *name, const char *firstName,
                      const char *secondName, Parameters defaults,
                      RandomFunction function, const char *documentation) {
    tensor.def_static(
        name,
        [=](nb::args shape, nb::kwargs keywords) {
          Parameters values = defaults;
          nb::dict others;
          for (auto [key, value] : keywords) {
            const auto text = nb::cast<std::string>(key);
            if (text == firstName)
              values.first = toScalar(value).toDouble();
            else if (secondName && text == secondName)
              values.second = toScalar(value).toDouble();
            else
              others[key] = value;
          }
          const auto rest = nb::borrow<nb::kwargs>(others);
          const TensorOptions options = takeOptions(
              name, rest, std::string_view(name).ends_with("normal"));
          return finish(
              function(toShape(shape), values.first, values.second, options),
              rest);
        },
        documentation);
  };
  bindWith("uniform", "low", "high", {0, 1}, &makeUniform,
           "Uniform in [low, high); rounded towards zero for integers.");
  bindWith("normal", "mean", "std", {0, 1}, &Tensor::normal,
           "Normal, with this mean and standard deviation.");
  bindWith(
      "kaiming_uniform", "a", nullptr, {0.01, 0},
      [](const Shape &shape, double a, double, const TensorOptions &options) {
        return Tensor::kaimingUniform(shape, a, options);
      },
      "Initial weights of K. He and others, uniform.");
  bindWith(
      "kaiming_normal", "a", nullptr, {0.01, 0},
      [](const Shape &shape, double a, double, const TensorOptions &options) {
        return Tensor::kaimingNormal(shape, a, options);
      },
      "Initial weights of K. He and others, normal.");
  tensor.def_static(
      "randint",
      [](nb::args shape, nb::kwargs keywords) {
        int64_t low = 0, high = 10;
        nb::dict others;
        for (auto [key, value] : keywords) {
          const auto text = nb::cast<std::string>(key);
          if (text == "low")
            low = toInt(value, "randint: low");
          else if (text == "high")
            high = toInt(value, "randint: high");
          else
            others[key] = value;
        }
        return Tensor::randint(
            toShape(shape), low, high,
            takeOptions("randint", nb::borrow<nb::kwargs>(others)));
      },
      "Integers in [low, high): 0 and 10 unless given by name.");
  tensor.def_static(
      "randperm",
      [](SizeArgument n, DeviceArgument device, DTypeArgument dtype) {
        return Tensor::randperm(n.get(), toOptions(dtype, device));
      },
      arg("n"), arg("device") = nb::none(), arg("dtype") = nb::none(),
      "The numbers from 0 up to n in random order.");
  tensor.def(
      "multinomial",
      [](const Tensor &self, int64_t samples, bool replacement) {
        if (samples < 1)
          throw ShapeError("multinomial: " + std::to_string(samples) +
                           " samples, but at least 1 must be drawn");
        return self.multinomial(samples, replacement);
      },
      arg("num_samples") = 1, arg("replacement") = false,
      "Positions drawn with probabilities proportional to the elements.");
  tensor.def(
      "dropout", [](const Tensor &self, double p) { return self.dropout(p); },
      arg("p") = 0.5,
      "While Tensor.training is true: 0 with probability p, else the element / "
      "(1 - p).");
}

void tinygrad::python::bindCreation(TensorClass &tensor) {
  tensor.def(
      "__init__",
      [](Tensor *self, nb::object data, DeviceArgument device,
         DTypeArgument dtype, std::optional<bool> requiresGrad) {
        const std::string first = firstOf(device);
        const std::optional<std::string> path = getFilePath(first);
        Tensor made =
            toTensor(data, TensorOptions(dtype.get(), path ? "" : first));
        if (path)
          made = copyToFile(*path, made);
        // Without a type, a number is a constant that operations fold.
        if (!dtype.isNone() &&
            (PyFloat_Check(data.ptr()) || PyLong_Check(data.ptr())))
          made = distinct(made);
        made = onDevices(made, device);
        if (requiresGrad.value_or(false))
          made = made.parameter();
        new (self) Tensor(std::move(made));
      },
      arg("data") = nb::none(), arg("device") = nb::none(),
      arg("dtype") = nb::none(), arg("requires_grad") = nb::none());
  bindConstants(tensor);
  bindRandom(tensor);
}
