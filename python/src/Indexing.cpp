//===- Indexing.cpp - indices, gathers, sorts
//------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Convert.h"

using namespace tinygrad;
using namespace tinygrad::python;
using nb::arg;

static SliceBound toBound(nb::handle object) {
  if (object.is_none())
    return None;
  return toSize(object);
}

void IndexList::add(nb::handle entry) {
  if (entry.is_none()) {
    entries.push_back(None);
  } else if (entry.is(Py_Ellipsis)) {
    entries.push_back(Ellipsis);
  } else if (PySlice_Check(entry.ptr())) {
    entries.push_back(Slice(toBound(nb::object(entry.attr("start"))),
                            toBound(nb::object(entry.attr("stop"))),
                            toBound(nb::object(entry.attr("step")))));
  } else if (nb::isinstance<Tensor>(entry)) {
    entries.push_back(*nb::inst_ptr<Tensor>(entry));
  } else if (nb::isinstance<SymInt>(entry)) {
    entries.push_back(nb::cast<SymInt>(entry));
  } else if (PyBool_Check(entry.ptr()) || PyFloat_Check(entry.ptr()) ||
             PyUnicode_Check(entry.ptr())) {
    throw nb::builtin_exception(
        nb::exception_type::index_error,
        ("an index is an int, a slice, None, ..., a tensor, or a list of ints "
         "or bools, not an object of type " +
         typeName(entry))
            .c_str());
  } else if (PyList_Check(entry.ptr()) || PyTuple_Check(entry.ptr()) ||
             nb::hasattr(entry, "__array_interface__")) {
    if (nb::hasattr(entry, "ndim") && nb::hasattr(entry, "__index__") &&
        nb::cast<int64_t>(entry.attr("ndim")) == 0 &&
        !nb::isinstance<Tensor>(entry)) {
      entries.push_back(toInt(entry, "an index"));
      return;
    }
    Tensor positions = toTensor(entry);
    // An empty list selects nothing.
    if (positions.numel() == 0 && isFloat(positions.dtype()))
      positions = positions.cast(DType::Int32);
    made.push_back(positions);
    entries.push_back(made.back());
  } else {
    entries.push_back(toInt(entry, "an index"));
  }
}

IndexList::IndexList(nb::handle index) {
  if (!PyTuple_Check(index.ptr())) {
    add(index);
    return;
  }
  for (nb::handle entry : index)
    add(entry);
}

static ScatterReduction toReduction(const std::string &text) {
  if (text == "sum" || text == "add")
    return ScatterReduction::Sum;
  if (text == "prod" || text == "multiply")
    return ScatterReduction::Prod;
  if (text == "mean")
    return ScatterReduction::Mean;
  if (text == "amax")
    return ScatterReduction::AMax;
  if (text == "amin")
    return ScatterReduction::AMin;
  throw Error(
      "scatter_reduce: reduce is sum, prod, mean, amax or amin, not \"" + text +
      "\"");
}

static void bindPositions(TensorClass &tensor) {
  tensor.def(
      "__getitem__",
      [](const Tensor &self, nb::object index) -> Tensor {
        return self.index(IndexList(index).entries);
      },
      arg("index"));
  tensor.def(
      "__setitem__",
      [](Tensor &self, nb::object index, OperandArgument value) {
        // The value of `x[i] += y` is what it has already become.
        const IndexList list(index);
        std::optional<Tensor> converted;
        Operand operand = value.get();
        if (operand.tensor() && operand.tensor()->dtype() != self.dtype()) {
          converted = operand.tensor()->cast(self.dtype());
          operand = *converted;
        }
        self.setitem(list.entries, operand);
      },
      arg("index"), arg("value"));
  tensor.def(
      "gather",
      [](const Tensor &self, int64_t dim, const Tensor &index) {
        return self.gather(dim, index);
      },
      arg("dim"), arg("index"),
      "result[i][j] = self[index[i][j]][j] for dim 0, and so on.");
  tensor.def(
      "scatter",
      [](const Tensor &self, int64_t dim, const Tensor &index,
         OperandArgument source, std::optional<std::string> reduce) {
        std::optional<ScatterReduction> reduction;
        if (reduce) {
          if (*reduce != "add" && *reduce != "multiply")
            throw nb::type_error(("scatter: reduce is add, multiply or None, "
                                  "not \"" +
                                  *reduce + "\"")
                                     .c_str());
          reduction = toReduction(*reduce);
        }
        return self.scatter(dim, index, source.get(), reduction);
      },
      arg("dim"), arg("index"), arg("src"), arg("reduce") = nb::none(),
      "A copy with result[index[i][j]][j] = src[i][j] for dim 0, and so on.");
  tensor.def(
      "scatter_reduce",
      [](const Tensor &self, int64_t dim, const Tensor &index,
         OperandArgument source, const std::string &reduce, bool includeSelf) {
        return self.scatterReduce(dim, index, source.get(), toReduction(reduce),
                                  includeSelf);
      },
      arg("dim"), arg("index"), arg("src"), arg("reduce"),
      arg("include_self") = true,
      "scatter() that combines values by sum, prod, mean, amax or amin.");
  tensor.def(
      "masked_select",
      [](const Tensor &self, const Tensor &mask) {
        return self.maskedSelect(mask);
      },
      arg("mask"), "The elements where the mask is true. Computes the mask.");
  tensor.def(
      "nonzero", [](const Tensor &self) { return self.nonzero(); },
      "The positions of elements other than 0, as rows. Computes the tensor.");
  tensor.def(
      "one_hot",
      [](const Tensor &self, SizeArgument classes) {
        return self.oneHot(classes.get());
      },
      arg("num_classes"), "1 at each position, along a new last axis.");
  tensor.def(
      "tril",
      [](const Tensor &self, int64_t diagonal) { return self.tril(diagonal); },
      arg("diagonal") = 0, "The lower triangle of the last two axes.");
  tensor.def(
      "triu",
      [](const Tensor &self, int64_t diagonal) { return self.triu(diagonal); },
      arg("diagonal") = 0, "The upper triangle of the last two axes.");
}

static void bindOrder(TensorClass &tensor) {
  tensor.def(
      "sort",
      [](const Tensor &self, int64_t dim, bool descending) {
        return self.sort(dim, descending);
      },
      arg("dim") = -1, arg("descending") = false,
      "The elements in order, and their positions.");
  tensor.def(
      "argsort",
      [](const Tensor &self, int64_t dim, bool descending) {
        return self.argsort(dim, descending);
      },
      arg("dim") = -1, arg("descending") = false,
      "The positions of the elements in order.");
  tensor.def(
      "topk",
      [](const Tensor &self, SizeArgument k, int64_t dim, bool largest,
         bool sorted) {
        if (!sorted)
          throwPython(PyExc_NotImplementedError, "topk: sorted_ must be True");
        return self.topk(k.get(), dim, largest);
      },
      arg("k"), arg("dim") = -1, arg("largest") = true, arg("sorted_") = true,
      "The k largest, or smallest, elements and their positions.");
  auto bindScan = [&](const char *name, auto method, const char *text) {
    tensor.def(
        name,
        [method](const Tensor &self, int64_t axis) {
          return (self.*method)(axis);
        },
        arg("axis") = 0, text);
  };
  bindScan("cumsum", &Tensor::cumsum, "Sums of the elements up to each one.");
  bindScan("cumprod", &Tensor::cumprod,
           "Products of the elements up to each one.");
  bindScan("cummax", &Tensor::cummax,
           "The largest of the elements up to each one, and its position.");
  bindScan("cummin", &Tensor::cummin,
           "The smallest of the elements up to each one, and its position.");
  bindScan("logcumsumexp", &Tensor::logcumsumexp,
           "log(cumsum(exp(x))), without overflow.");
}

void tinygrad::python::bindIndexing(TensorClass &tensor) {
  bindPositions(tensor);
  bindOrder(tensor);
}
