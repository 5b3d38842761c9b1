//===- State.cpp - tensors in files ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallSite.h"
#include "Convert.h"
#include "Interrupts.h"

#include "TinyGrad/Data/ImageSets.h"
#include "TinyGrad/State/Safetensors.h"

#include <nanobind/stl/map.h>

using namespace tinygrad;
using namespace tinygrad::python;
using nb::arg;

static nb::dict safeLoad(const std::string &path) {
  nb::dict tensors;
  for (const auto &[name, tensor] : state::safeLoad(path))
    tensors[nb::str(name.data(), name.size())] = tensor;
  return tensors;
}

static void safeSave(nb::dict tensors, const std::string &path,
                     const state::Metadata &metadata) {
  state::StateDict dict;
  for (auto [name, tensor] : tensors) {
    if (!nb::isinstance<nb::str>(name))
      throw nb::type_error(("safe_save: the names of tensors are texts, not of "
                            "type " +
                            typeName(name))
                               .c_str());
    if (!nb::isinstance<Tensor>(tensor))
      throw nb::type_error(("safe_save: " + nb::cast<std::string>(name) +
                            " is of type " + typeName(tensor) +
                            ", not a Tensor")
                               .c_str());
    dict.insert(nb::cast<std::string>(name), *nb::inst_ptr<Tensor>(tensor));
  }
  const PythonCallSite site;
  const Unlocked unlocked;
  state::safeSave(path, dict, metadata);
}

static nb::tuple readImages(const std::string &directory, bool isFashion,
                            const std::string &device) {
  const data::ImageSet set = isFashion ? data::fashionMnist(directory, device)
                                       : data::mnist(directory, device);
  return nb::make_tuple(set.trainImages, set.trainLabels, set.testImages,
                        set.testLabels);
}

void tinygrad::python::bindState(nb::module_ &module) {
  module.def("safe_load", &safeLoad, arg("path"));
  module.def("safe_save", &safeSave, arg("tensors"), arg("path"),
             arg("metadata"));
  module.def("read_mnist", &readImages, arg("directory"), arg("fashion"),
             arg("device"));
  module.attr("fashion_mnist_directory") = data::kFashionMnistDirectory;
  module.def(
      "tensor_from_bytes",
      [](nb::bytes data, nb::object dtype, const std::vector<int64_t> &shape) {
        const DType type = toDType(dtype);
        Shape sizes;
        std::size_t bytes = itemSize(type);
        for (int64_t size : shape) {
          sizes.push_back(size);
          bytes *= std::size_t(size);
        }
        if (bytes != data.size())
          throw ShapeError("a tensor of shape " + toString(sizes) + " " +
                           name(type) + " has " + std::to_string(bytes) +
                           " bytes, not " + std::to_string(data.size()));
        return Tensor::fromBytes(data.c_str(), sizes, type, {});
      },
      arg("data"), arg("dtype"), arg("shape"),
      "A tensor of the bytes of its elements.");
}
