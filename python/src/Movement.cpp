//===- Movement.cpp - methods that move elements --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BoundSizes.h"
#include "Convert.h"

using namespace tinygrad;
using namespace tinygrad::python;
using nb::arg;

/// None keeps the size of an axis where `keep` does.
static Shape toShapeWithNone(const nb::args &arguments, SymInt keep) {
  nb::object sizes = arguments;
  if (arguments.size() == 1 && nb::hasattr(arguments[0], "__iter__"))
    sizes = nb::borrow(arguments[0]);
  Shape shape;
  for (nb::handle size : sizes)
    shape.push_back(size.is_none() ? keep : toSize(size));
  return shape;
}

/// None stands for the size of the axis of this number.
static Shape toNewShape(const Tensor &x, const nb::args &arguments) {
  nb::object sizes = arguments;
  if (arguments.size() == 1 && nb::hasattr(arguments[0], "__iter__"))
    sizes = nb::borrow(arguments[0]);
  Shape shape;
  for (nb::handle size : sizes) {
    if (!size.is_none()) {
      shape.push_back(toSize(size));
      if (!shape.back().isSymbolic() && shape.back().value() < -1)
        throw ShapeError("reshape: " + shape.back().str() +
                         " is no size: one size may be -1 for what is left");
      continue;
    }
    if (int64_t(shape.size()) >= x.ndim())
      throw ShapeError("reshape: None at position " +
                       std::to_string(shape.size()) +
                       " of the new shape stands for that axis of a tensor "
                       "which has " +
                       std::to_string(x.ndim()));
    shape.push_back(x.shape()[shape.size()]);
  }
  return shape;
}

static Padding toPadding(nb::handle object) {
  std::vector<PadAmount> pairs;
  std::vector<SymInt> flat;
  if (!nb::hasattr(object, "__iter__"))
    throw DTypeError("pad: the amounts are a sequence of numbers, or of pairs "
                     "(before, after), not an object of type " +
                     typeName(object));
  bool hasPair = false;
  for (nb::handle entry : object) {
    if (entry.is_none()) {
      hasPair = true;
      pairs.push_back({0, 0});
    } else if (nb::hasattr(entry, "__len__")) {
      hasPair = true;
      if (nb::len(entry) != 2)
        throw ShapeError("pad: the amounts of an axis are a pair (before, "
                         "after) or None");
      pairs.push_back(
          {toSize(nb::object(entry[0])), toSize(nb::object(entry[1]))});
    } else {
      flat.push_back(toSize(entry));
    }
  }
  if (hasPair && !flat.empty())
    throw DTypeError("pad: the amounts are pairs (before, after) for all axes "
                     "or numbers, not both");
  return hasPair ? Padding(std::move(pairs)) : Padding(flat);
}

static PadMode toPadMode(const std::string &mode) {
  if (mode == "constant")
    return PadMode::Constant;
  if (mode == "reflect")
    return PadMode::Reflect;
  if (mode == "replicate")
    return PadMode::Replicate;
  if (mode == "circular")
    return PadMode::Circular;
  // As in tinygrad.
  throwPython(
      PyExc_NotImplementedError,
      "pad: the mode is constant, reflect, replicate or circular, not \"" +
          mode + "\"");
}

/// \p result, or the tensor \p self itself if it has that shape, of a method
/// that only changes shapes.
static nb::object unlessSameShape(nb::object self, const Tensor &result) {
  return unlessSame(self, nb::inst_ptr<Tensor>(self)->shape() == result.shape(),
                    result);
}

static void bindShapes(TensorClass &tensor) {
  auto reshape = [](TensorObject self, nb::args shape, nb::kwargs keywords) {
    const Tensor &x = *nb::inst_ptr<Tensor>(self);
    const nb::args sizes = takeArguments("reshape", "shape", shape, keywords);
    return unlessSameShape(self, orWithNumbers(x, [&](const Tensor &known) {
                             return known.reshape(toNewShape(known, sizes));
                           }));
  };
  tensor.def("reshape", reshape,
             "The same elements in another shape; one size may be -1.");
  tensor.def("view", reshape, "reshape().");
  tensor.def(
      "expand",
      [](TensorObject self, nb::args shape, nb::kwargs keywords) {
        return unlessSameShape(
            self, nb::inst_ptr<Tensor>(self)->expand(toShapeWithNone(
                      takeArguments("expand", "shape", shape, keywords), -1)));
      },
      "Broadcast to a shape; -1 or None keeps the size of an axis.");
  tensor.def(
      "permute",
      [](TensorObject self, nb::args order, nb::kwargs keywords) {
        const Tensor &x = *nb::inst_ptr<Tensor>(self);
        const std::vector<int64_t> axes =
            toInts(takeArguments("permute", "order", order, keywords),
                   "permute: an axis");
        bool isSame = true;
        for (int64_t i = 0; i < int64_t(axes.size()); ++i)
          isSame &= axes[i] == i || axes[i] == i - x.ndim();
        return unlessSame(self, isSame, x.permute(Axes(axes)));
      },
      "Axis i of the result is axis order[i].");
  tensor.def(
      "transpose",
      [](TensorObject self, int64_t dim0, int64_t dim1) {
        const Tensor &x = *nb::inst_ptr<Tensor>(self);
        const bool isSame =
            dim0 == dim1 || dim0 == dim1 + x.ndim() || dim1 == dim0 + x.ndim();
        return unlessSame(self, isSame, x.transpose(dim0, dim1));
      },
      arg("dim0") = 1, arg("dim1") = 0, "Two axes exchanged.");
  tensor.def_prop_ro(
      "T", [](const Tensor &self) { return self.transpose(); },
      "Axes 0 and 1 exchanged.");
  tensor.def(
      "flip",
      [](TensorObject self, nb::args axes, nb::kwargs keywords) {
        const std::vector<int64_t> list = toInts(
            takeArguments("flip", "axis", axes, keywords), "flip: an axis");
        return unlessSame(self, list.empty(),
                          nb::inst_ptr<Tensor>(self)->flip(Axes(list)));
      },
      "The elements along these axes in reverse order.");
  tensor.def(
      "squeeze",
      [](TensorObject self, std::optional<int64_t> dim) {
        const Tensor &x = *nb::inst_ptr<Tensor>(self);
        // As in tinygrad, a number has an axis 0 to remove.
        if (!dim || (x.ndim() == 0 && (*dim == 0 || *dim == -1)))
          return unlessSameShape(self, x.squeeze());
        return unlessSameShape(self, x.squeeze(*dim));
      },
      arg("dim") = nb::none(), "Without the axes of size 1, or this one.");
  tensor.def(
      "unsqueeze",
      [](const Tensor &self, int64_t dim) { return self.unsqueeze(dim); },
      arg("dim"), "With a new axis of size 1.");
  tensor.def(
      "flatten",
      [](TensorObject self, int64_t start, int64_t end) {
        return unlessSameShape(self,
                               nb::inst_ptr<Tensor>(self)->flatten(start, end));
      },
      arg("start_dim") = 0, arg("end_dim") = -1, "These axes as one.");
  tensor.def(
      "unflatten",
      [](const Tensor &self, int64_t dim, ShapeArgument sizes) {
        return self.unflatten(dim, sizes.get());
      },
      arg("dim"), arg("sizes"), "One axis as several.");
  tensor.def(
      "rearrange",
      [](const Tensor &self, const std::string &formula, nb::kwargs sizes) {
        NamedSizes named;
        for (auto [name, size] : sizes)
          named.push_back({nb::cast<std::string>(name), toSize(size)});
        return self.rearrange(formula, named);
      },
      arg("formula"), arg("sizes"),
      "Axes by name, as in einops: rearrange(\"b (h w) c -> b c h w\", h=2).");
}

static void bindParts(TensorClass &tensor) {
  tensor.def(
      "pad",
      [](TensorObject self, nb::object padding, const std::string &mode,
         OperandArgument value) {
        const Tensor &x = *nb::inst_ptr<Tensor>(self);
        const Padding amounts = toPadding(padding);
        const Tensor result = x.pad(amounts, toPadMode(mode), value.scalar());
        bool isSame = result.dtype() == x.dtype();
        for (const PadAmount &amount : amounts.pairs(x.ndim()))
          isSame &= amount.first == 0 && amount.second == 0;
        return unlessSame(self, isSame, result);
      },
      arg("padding"), arg("mode") = "constant", arg("value") = 0.0,
      "A pair (before, after) for each axis, or numbers for the last axes, the "
      "last one first. Modes: constant, reflect, replicate, circular.");
  tensor.def(
      "shrink",
      [](TensorObject self, nb::object parts) {
        Parts list;
        for (nb::handle part : parts) {
          if (part.is_none())
            list.push_back(Part());
          else
            list.push_back(
                Part(toSize(nb::object(part[0])), toSize(nb::object(part[1]))));
        }
        const Tensor &x = *nb::inst_ptr<Tensor>(self);
        return unlessSameShape(self, orWithNumbers(x, [&](const Tensor &known) {
                                 Parts inside = list;
                                 const Tensor padded = padBeyond(known, inside);
                                 return padded.shrink(inside);
                               }));
      },
      arg("arg"),
      "The part [from, to) of each axis; None for all of one. A part that lies "
      "in its axis for the bound values of variables is zero beyond it for "
      "others; what is assigned there is lost.");
  tensor.def(
      "shrink_to",
      [](const Tensor &self, nb::args shape, nb::kwargs keywords) {
        return self.shrinkTo(toShapeWithNone(
            takeArguments("shrink_to", "shape", shape, keywords), -1));
      },
      "The first elements along each axis; None keeps all.");
  tensor.def(
      "pad_to",
      [](const Tensor &self, nb::args shape, nb::kwargs keywords) {
        const Shape wanted = toShapeWithNone(shape, -1);
        std::vector<PadAmount> amounts;
        if (int64_t(wanted.size()) != self.ndim())
          throw ShapeError("pad_to: " + std::to_string(wanted.size()) +
                           " sizes for " + std::to_string(self.ndim()) +
                           " axes");
        for (std::size_t i = 0; i < wanted.size(); ++i) {
          const SymInt more =
              wanted[i] == -1 ? SymInt(0) : wanted[i] - self.shape()[i];
          if (more.max() < 0)
            throw ShapeError("pad_to: axis " + std::to_string(i) + " of " +
                             toString(self.shape()) + " is larger than " +
                             wanted[i].str());
          amounts.push_back({0, more});
        }
        const Scalar value = keywords.contains("value")
                                 ? toScalar(nb::object(keywords["value"]))
                                 : Scalar(0);
        return self.pad(Padding(amounts), value);
      },
      "Padded at the end of each axis to these sizes; None keeps one.");
  tensor.def(
      "split",
      [](const Tensor &self, nb::object sizes, int64_t dim) {
        const std::vector<Tensor> parts =
            nb::hasattr(sizes, "__iter__")
                ? self.split(ShapeArgument{sizes}.get(), dim)
                : self.split(toInt(sizes, "split: a size"), dim);
        return nb::tuple(nb::cast(parts));
      },
      arg("sizes"), arg("dim") = 0,
      "Parts of this size, the last perhaps smaller, or of these sizes.");
  tensor.def(
      "chunk",
      [](const Tensor &self, int64_t chunks, int64_t dim) {
        return self.chunk(chunks, dim);
      },
      arg("chunks"), arg("dim") = 0, "At most this many parts.");
  tensor.def(
      "unfold",
      [](const Tensor &self, int64_t dim, int64_t size, int64_t step) {
        return self.unfold(dim, size, step);
      },
      arg("dim"), arg("size"), arg("step"), "Windows along an axis.");
  tensor.def(
      "diagonal",
      [](const Tensor &self, int64_t offset, int64_t dim1, int64_t dim2) {
        return self.diagonal(offset, dim1, dim2);
      },
      arg("offset") = 0, arg("dim1") = 0, arg("dim2") = 1,
      "The diagonal of two axes, as a last axis.");
  tensor.def(
      "diag",
      [](const Tensor &self) {
        if (self.ndim() != 1)
          throw ShapeError("diag: a tensor of shape " + toString(self.shape()) +
                           " is not a row, which becomes a diagonal; "
                           "diagonal() reads one");
        return self.diag();
      },
      "A matrix with this row as its diagonal.");
}

/// `self` and the further tensors of a method that can be called with several
/// tensors or with a list.
static std::vector<Tensor> withSelf(const char *method, nb::handle self,
                                    nb::args others) {
  std::vector<Tensor> tensors;
  auto add = [&](nb::handle object) {
    if (nb::isinstance<Tensor>(object)) {
      tensors.push_back(*nb::inst_ptr<Tensor>(object));
      return;
    }
    if (others.size() > 0)
      throw Error(std::string(method) +
                  ": the arguments are tensors, or one list of tensors, not "
                  "an object of type " +
                  typeName(object) + " among others");
    for (nb::handle tensor : object)
      tensors.push_back(nb::cast<Tensor>(tensor));
  };
  add(self);
  for (nb::handle other : others)
    add(other);
  return tensors;
}

static int64_t takeDim(const char *method, const nb::kwargs &keywords) {
  int64_t dim = 0;
  for (auto [name, value] : keywords) {
    if (nb::cast<std::string>(name) != "dim")
      throw nb::type_error((std::string(method) +
                            "() got an unexpected keyword argument '" +
                            nb::cast<std::string>(name) + "': it has dim")
                               .c_str());
    dim = toInt(value, "dim");
  }
  return dim;
}

static void bindJoins(TensorClass &tensor) {
  tensor.def(
      "cat",
      [](nb::object self, nb::args others, nb::kwargs keywords) {
        return Tensor::cat(withSelf("cat", self, others),
                           takeDim("cat", keywords));
      },
      "Joined with others along an axis: cat(a, b, dim=0).");
  tensor.def(
      "stack",
      [](nb::object self, nb::args others, nb::kwargs keywords) {
        return Tensor::stack(withSelf("stack", self, others),
                             takeDim("stack", keywords));
      },
      "Joined with others along a new axis: stack(a, b, dim=0).");
  tensor.def(
      "meshgrid",
      [](nb::object self, nb::args others, nb::kwargs keywords) {
        GridIndexing indexing = GridIndexing::IJ;
        if (keywords.contains("indexing")) {
          const auto text =
              nb::cast<std::string>(nb::object(keywords["indexing"]));
          if (text != "ij" && text != "xy")
            throw Error("meshgrid: indexing is \"ij\" or \"xy\", not \"" +
                        text + "\"");
          indexing = text == "xy" ? GridIndexing::XY : GridIndexing::IJ;
        }
        std::vector<Tensor> rows = withSelf("meshgrid", self, others);
        for (Tensor &row : rows)
          row = row.flatten();
        return nb::tuple(nb::cast(Tensor::meshgrid(rows, indexing)));
      },
      "The values of each row along one axis of a grid.");
  tensor.def(
      "repeat",
      [](const Tensor &self, nb::args repeats, nb::kwargs keywords) {
        return self.repeat(
            toShape(takeArguments("repeat", "repeats", repeats, keywords)));
      },
      "Copies along each axis.");
  tensor.def(
      "repeat_interleave",
      [](const Tensor &self, nb::object repeats, std::optional<int64_t> dim) {
        if (nb::isinstance<Tensor>(repeats))
          return self.repeatInterleave(*nb::inst_ptr<Tensor>(repeats), dim);
        return self.repeatInterleave(toSize(repeats), dim);
      },
      arg("repeats"), arg("dim") = nb::none(),
      "Each element, or part along an axis, several times in a row.");
  tensor.def(
      "roll",
      [](const Tensor &self, nb::object shifts, nb::object dims) {
        const Shape amounts = ShapeArgument{shifts}.get();
        if (dims.is_none()) {
          if (amounts.size() != 1)
            throw ShapeError("roll: without dims there is one shift, not " +
                             std::to_string(amounts.size()));
          return self.flatten().roll(amounts[0], 0).reshape(self.shape());
        }
        return self.roll(amounts, AxesArgument{dims}.get());
      },
      arg("shifts"), arg("dims") = nb::none(),
      "Elements moved along axes; those beyond the end come first.");
}

void tinygrad::python::bindMovement(TensorClass &tensor) {
  bindShapes(tensor);
  bindParts(tensor);
  bindJoins(tensor);
}
