//===- Indexing.cpp - indices, gathers, sorts -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BoundSizes.h"
#include "CallSite.h"
#include "Convert.h"
#include "Interrupts.h"
#include "MappedFiles.h"

#include <cstdint>
#include <limits>

using namespace tinygrad;
using namespace tinygrad::python;
using nb::arg;

static SliceBound toBound(nb::handle object) {
  if (object.is_none())
    return None;
  if (PyLong_Check(object.ptr())) {
    // As in lists, a bound may be beyond any end.
    int overflow = 0;
    const long long bound =
        PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
    if (overflow != 0)
      return overflow > 0 ? std::numeric_limits<int64_t>::max()
                          : std::numeric_limits<int64_t>::min();
    return int64_t(bound);
  }
  return toSize(object);
}

static void checkPositions(const Tensor &positions) {
  if (isFloat(positions.dtype()))
    throw IndexError("index: positions are integers or bools, not " +
                     std::string(name(positions.dtype())) + " of shape " +
                     toString(positions.shape()));
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
    const Tensor &positions = *nb::inst_ptr<Tensor>(entry);
    checkPositions(positions);
    entries.push_back(positions);
  } else if (nb::isinstance<SymInt>(entry)) {
    entries.push_back(nb::cast<SymInt>(entry));
  } else if (PyBool_Check(entry.ptr()) || PyFloat_Check(entry.ptr()) ||
             PyUnicode_Check(entry.ptr()) || PyDict_Check(entry.ptr())) {
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
    checkPositions(positions);
    made.push_back(positions);
    entries.push_back(made.back());
  } else {
    entries.push_back(toInt(entry, "an index"));
  }
}

/// Whether a list is one entry of an index: of ints, bools or nothing.
static bool isEntry(nb::handle list) {
  for (nb::handle element : list)
    if (!PyIndex_Check(element.ptr()) || nb::isinstance<Tensor>(element) ||
        nb::hasattr(element, "__array_interface__"))
      return PyFloat_Check(element.ptr());
  return true;
}

IndexList::IndexList(nb::handle index) {
  if (!PyTuple_Check(index.ptr()) &&
      (!PyList_Check(index.ptr()) || isEntry(index))) {
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

/// What the function returns for \p x and \p mask on the first device of \p x,
/// on all of its devices.
template <typename Function>
static Tensor onFirstDevice(const Tensor &x, const Tensor &mask,
                            Function function) {
  const std::vector<std::string> devices = x.devices();
  if (devices.size() == 1)
    return function(x, mask);
  return function(x.to(devices[0]), mask.to(devices[0])).shard(devices);
}

/// The first \p size elements of a row where \p mask is true, followed by \p
/// fill if there are fewer.
static Tensor selectFirst(const Tensor &row, const Tensor &mask, int64_t size,
                          const OperandArgument &fill) {
  if (size < 0)
    throw ShapeError("a size of " + std::to_string(size) + " is negative");
  // One place more takes what is not selected.
  const Tensor places =
      mask.where(mask.cast(DType::Int32).cumsum(0) - 1, size).minimum(size);
  const Tensor filled = Tensor::full({size + 1}, fill.scalar(),
                                     TensorOptions(row.dtype(), row.device()));
  return filled.scatter(0, places, row).shrinkTo({size});
}

/// Whether an index has anything but numbers and slices, as a mask, which is
/// computed.
static bool hasTensor(nb::handle index) {
  if (PyTuple_Check(index.ptr())) {
    for (nb::handle entry : nb::borrow<nb::tuple>(index))
      if (hasTensor(entry))
        return true;
    return false;
  }
  return !PyLong_Check(index.ptr()) && !PySlice_Check(index.ptr()) &&
         !index.is_none() && index.ptr() != Py_Ellipsis;
}

/// Whether an index has nothing but slices of step 1 and ellipses, so that a
/// result of the shape of the tensor is the tensor.
static bool keepsOrder(nb::handle index) {
  if (PyTuple_Check(index.ptr())) {
    for (nb::handle entry : nb::borrow<nb::tuple>(index))
      if (!keepsOrder(entry))
        return false;
    return true;
  }
  if (!PySlice_Check(index.ptr()))
    return index.ptr() == Py_Ellipsis;
  const nb::object step(index.attr("step"));
  return step.is_none() || toSize(step) == 1;
}

/// Calls the function with the entries of an index, and if that throws, with
/// those whose variables have the bound values.
template <typename Function>
static auto applyIndex(nb::handle index, Function function) {
  try {
    return function(IndexList(index).entries);
  } catch (const Error &) {
    const nb::object numbers = withNumbers(index);
    if (!numbers.is_valid())
      throw;
    return function(IndexList(numbers).entries);
  }
}

static void setItem(Tensor &self, nb::handle index, const Operand &value) {
  applyIndex(index, [&](const std::vector<Index> &entries) {
    if (isInFile(self))
      writeToFile(self.index(entries), value);
    else
      padBeyond(self, entries).setitem(entries, value);
  });
}

static void bindPositions(TensorClass &tensor) {
  tensor.def(
      "__getitem__",
      [](TensorObject self, nb::object index) -> nb::object {
        const Tensor &x = *nb::inst_ptr<Tensor>(self);
        if (!hasTensor(index)) {
          const Tensor part = orWithNumbers(x, [&](const Tensor &known) {
            return applyIndex(index, [&](const std::vector<Index> &entries) {
              return padBeyond(known, entries).index(entries);
            });
          });
          return unlessSame(
              self, part.shape() == x.shape() && keepsOrder(index), part);
        }
        const IndexList list(index);
        const Tensor selected = [&] {
          const PythonCallSite site;
          const Unlocked unlocked;
          return x.index(list.entries);
        }();
        return nb::cast(selected);
      },
      arg("index").none());
  tensor.def(
      "__setitem__",
      [](Tensor &self, nb::object index, OperandArgument value) {
        if (nb::isinstance<Tensor>(value.object)) {
          const Tensor &values = *nb::inst_ptr<Tensor>(value.object);
          const DType dtype = values.dtype();
          // A tensor of one number is as weak as the number.
          if (dtype != self.dtype() && values.ndim() == 0 &&
              (isFloat(self.dtype()) || !isFloat(dtype))) {
            setItem(self, index, values.cast(self.dtype()));
            return;
          }
          if (dtype != self.dtype())
            throw DTypeError("setitem: values of dtype " +
                             std::string(name(dtype)) + " for a tensor of " +
                             name(self.dtype()) + ": cast() them");
          setItem(self, index, value.get());
          return;
        }
        const Operand operand = value.get(self);
        if (operand.tensor() && operand.tensor()->dtype() != self.dtype()) {
          setItem(self, index, operand.tensor()->cast(self.dtype()));
          return;
        }
        setItem(self, index, operand);
      },
      arg("index").none(), arg("value"));
  tensor.def(
      "__delitem__",
      [](const Tensor &, nb::object) {
        throw nb::type_error("elements of a tensor cannot be deleted: select "
                             "those that are to stay");
      },
      arg("index").none());
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
          if (nb::isinstance<Tensor>(source.object))
            throw nb::type_error("scatter: with reduce, src is a number; "
                                 "scatter_reduce() takes tensors");
          reduction = toReduction(*reduce);
        }
        return self.scatter(dim, index, source.get(self), reduction);
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
      [](const Tensor &self, const Tensor &mask, std::optional<int64_t> size,
         OperandArgument fill) {
        if (!size) {
          const PythonCallSite site;
          const Unlocked unlocked;
          return self.maskedSelect(mask);
        }
        return onFirstDevice(self, mask, [&](const Tensor &x, const Tensor &m) {
          return selectFirst(x.flatten(), m.expand(x.shape()).flatten(), *size,
                             fill);
        });
      },
      arg("mask"), arg("size") = nb::none(), arg("fill_value") = 0,
      "The elements where the mask is true. Computes the mask; not if `size` "
      "is given: then the first ones, followed by fill_value.");
  tensor.def(
      "nonzero",
      [](const Tensor &self, std::optional<int64_t> size,
         OperandArgument fill) {
        if (!size) {
          const PythonCallSite site;
          const Unlocked unlocked;
          return self.nonzero();
        }
        return onFirstDevice(self, self, [&](const Tensor &x, const Tensor &) {
          const Tensor whole = (x != 0).flatten();
          std::vector<Tensor> columns;
          int64_t inner = 1;
          for (int64_t axis = x.ndim() - 1; axis >= 0; --axis) {
            const int64_t extent = x.size(axis).value();
            const Tensor positions = Tensor::arange(0, whole.numel().value(), 1)
                                         .to(x.device())
                                         .floordiv(inner)
                                         .mod(extent);
            columns.insert(columns.begin(),
                           selectFirst(positions, whole, *size, fill));
            inner *= extent;
          }
          if (columns.empty())
            return Tensor::zeros({*size, 0}, DType::Int32);
          return Tensor::stack(columns, -1);
        });
      },
      arg("size") = nb::none(), arg("fill_value") = 0,
      "The positions of elements other than 0, as rows. Computes the tensor; "
      "not if `size` is given: then the first ones, followed by fill_value.");
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
  tensor.def(
      "cumprod",
      [](const Tensor &self, int64_t axis) {
        return self.cumprod(axis).cast(self.dtype());
      },
      arg("axis"), "Products of the elements up to each one, in their type.");
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
