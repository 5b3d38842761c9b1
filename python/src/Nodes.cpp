//===- Nodes.cpp - the graph behind tensors -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Nodes of graphs, which tinygrad_mlir.uop shows with tinygrad's names.
///
//===----------------------------------------------------------------------===//

#include "CallSite.h"
#include "Convert.h"
#include "Interrupts.h"

#include "TinyGrad/Tensor/GraphNode.h"
#include "TinyGrad/Tensor/Inspect.h"
#include "TinyGrad/Tensor/PatternRewrite.h"
#include "TinyGrad/Tensor/RewriteScope.h"

#include <array>
#include <memory>

using namespace tinygrad;
using namespace tinygrad::python;
using nb::arg;

static nb::object toObject(const Scalar &value) {
  if (value.isSymbolic())
    return toPython(value.toSymInt());
  switch (value.kind()) {
  case Scalar::Kind::Bool:
    return nb::bool_(value.toBits() != 0);
  case Scalar::Kind::Int:
    return value.isNegative() ? nb::object(nb::int_(int64_t(value.toBits())))
                              : nb::object(nb::int_(value.toBits()));
  case Scalar::Kind::Float:
    return nb::float_(value.toDouble());
  }
  return nb::none();
}

static nb::object toObject(const GraphArgument &argument) {
  if (auto *scalar = std::get_if<Scalar>(&argument.value))
    return toObject(*scalar);
  if (auto *text = std::get_if<std::string>(&argument.value))
    return nb::str(text->c_str(), text->size());
  nb::list list;
  if (auto *sizes = std::get_if<Shape>(&argument.value))
    for (const SymInt &size : *sizes)
      list.append(toPython(size));
  else
    for (const Scalar &value : std::get<std::vector<Scalar>>(argument.value))
      list.append(toObject(value));
  return nb::tuple(list);
}

static std::vector<GraphArgument> toArguments(const nb::dict &arguments) {
  std::vector<GraphArgument> result;
  for (auto [key, value] : arguments) {
    GraphArgument argument;
    argument.name = nb::cast<std::string>(key);
    if (nb::isinstance<nb::str>(value)) {
      argument.value = nb::cast<std::string>(value);
    } else if (nb::isinstance<nb::tuple>(value) && argument.name == "value") {
      std::vector<Scalar> elements;
      for (nb::handle element : nb::borrow<nb::tuple>(value))
        elements.push_back(toScalar(element));
      argument.value = std::move(elements);
    } else if (nb::isinstance<nb::tuple>(value)) {
      Shape sizes;
      for (nb::handle size : nb::borrow<nb::tuple>(value))
        sizes.push_back(toSize(size));
      argument.value = std::move(sizes);
    } else {
      argument.value = toScalar(value);
    }
    result.push_back(std::move(argument));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

static const char *nameOf(ProgramStep::Kind kind) {
  switch (kind) {
  case ProgramStep::Kind::Kernel:
    return "kernel";
  case ProgramStep::Kind::Copy:
    return "copy";
  case ProgramStep::Kind::Sort:
    return "sort";
  }
  return "";
}

static nb::object toObject(const std::array<int64_t, 3> &sizes) {
  return nb::make_tuple(sizes[0], sizes[1], sizes[2]);
}

static nb::dict toObject(const ProgramStep &step) {
  nb::dict fields, texts;
  nb::list buffers, steps;
  for (const StepBuffer &buffer : step.buffers)
    buffers.append(nb::make_tuple(buffer.role, buffer.dtype, buffer.count,
                                  buffer.isWritten));
  for (const auto &[stage, text] : step.texts)
    texts[stage.c_str()] = text;
  for (const std::string &text : step.steps)
    steps.append(text);
  fields["kind"] = nameOf(step.kind);
  fields["name"] = step.name;
  fields["device"] = step.device;
  fields["description"] = step.description;
  fields["buffers"] = nb::tuple(buffers);
  fields["ops"] = step.operations;
  fields["mem"] = step.bytes;
  fields["sources"] = texts;
  fields["steps"] = nb::tuple(steps);
  fields["ranges"] = step.ranges;
  fields["parallel_extent"] = step.parallelExtent;
  fields["global_size"] = toObject(step.groups);
  fields["local_size"] = toObject(step.groupSize);
  fields["shared_bytes"] = step.sharedBytes;
  return fields;
}

nb::list tinygrad::python::toObjects(const std::vector<ProgramStep> &steps) {
  nb::list result;
  for (const ProgramStep &step : steps)
    result.append(toObject(step));
  return result;
}

static void bindPrograms(nb::module_ &module) {
  module.def(
      "inspect_program",
      [](const std::vector<Tensor> &tensors, bool withCode) {
        std::vector<ProgramStep> steps;
        {
          const Unlocked unlocked;
          steps = inspectProgram(tensors, withCode);
        }
        return toObjects(steps);
      },
      arg("tensors"), arg("with_code"),
      "The fields of each step of the program that computes tensors.");
  module.def("print_program", &printProgram, arg("tensors"), arg("stage"),
             nb::call_guard<Unlocked>());
  module.def("apply_patterns", &applyPatterns, arg("tensors"), arg("patterns"),
             arg("name"), nb::call_guard<Unlocked>());
  module.def("from_mlir", &fromMlir, arg("text"), arg("inputs"), arg("entry"),
             arg("name"), arg("pass_pipeline"), nb::call_guard<Unlocked>());
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// The scopes of this thread, innermost last.
static std::vector<std::unique_ptr<RewriteScope>> &rewriteScopes() {
  static thread_local std::vector<std::unique_ptr<RewriteScope>> scopes;
  return scopes;
}

static void bindRules(nb::module_ &module) {
  module.def(
      "push_rewrite",
      [](nb::callable function) {
        rewriteScopes().push_back(std::make_unique<RewriteScope>(
            [function = std::move(function)](const GraphNode &node) {
              const Locked locked;
              return nb::cast<GraphNode>(function(node));
            }));
      },
      arg("function"),
      "Makes realize() on this thread compute the nodes that the function "
      "returns.");
  module.def("pop_rewrite", []() {
    if (!rewriteScopes().empty())
      rewriteScopes().pop_back();
  });
}

void tinygrad::python::bindNodes(nb::module_ &module, TensorClass &tensor) {
  bindPrograms(module);
  bindRules(module);
  nb::class_<GraphNode>(module, "GraphNode",
                        "An operation of a graph; tinygrad_mlir.uop.UOp has "
                        "tinygrad's names for it.")
      .def(nb::init<const Tensor &>(), arg("tensor"))
      .def_prop_ro("number", &GraphNode::number)
      .def_prop_ro("operation", &GraphNode::operation)
      .def_prop_ro("dtype", &GraphNode::dtype)
      .def_prop_ro("shape",
                   [](const GraphNode &self) {
                     nb::list sizes;
                     for (const SymInt &size : self.shape())
                       sizes.append(toPython(size));
                     return nb::tuple(sizes);
                   })
      .def_prop_ro("device", &GraphNode::device)
      .def_prop_ro("is_overwritten", &GraphNode::isOverwritten)
      .def_prop_ro("is_memory", &GraphNode::isMemory)
      .def("sources", &GraphNode::sources)
      .def("order", &GraphNode::order)
      .def("arguments",
           [](const GraphNode &self) {
             nb::dict result;
             for (const GraphArgument &argument : self.arguments())
               result[argument.name.c_str()] = toObject(argument);
             return result;
           })
      .def("tensor", &GraphNode::tensor)
      .def("with_sources", &GraphNode::withSources, arg("sources"))
      .def("__str__", &GraphNode::str);
  module.def(
      "make_node",
      [](const std::string &operation, const std::vector<GraphNode> &sources,
         const nb::dict &arguments, DTypeArgument dtype,
         std::optional<nb::tuple> shape) {
        std::optional<Shape> sizes;
        if (shape) {
          sizes.emplace();
          for (nb::handle size : *shape)
            sizes->push_back(toSize(size));
        }
        return GraphNode::make(operation, sources, toArguments(arguments),
                               dtype.get(), sizes);
      },
      arg("operation"), arg("sources"), arg("arguments"),
      arg("dtype") = nb::none(), arg("shape") = nb::none(),
      "A new operation; see GraphNode::make().");
  tensor.def_prop_ro(
      "uop",
      [](TensorObject object) -> nb::object {
        const Tensor &self = *nb::inst_ptr<Tensor>(object);
        if (self.devices().size() > 1)
          return nb::module_::import_("tinygrad_mlir.uop.multi")
              .attr("MultiUOp")(object);
        return nb::module_::import_("tinygrad_mlir.uop.ops")
            .attr("UOp")
            .attr("of")(GraphNode(self));
      },
      nb::sig("def uop(self) -> tinygrad_mlir.uop.ops.UOp"),
      "The operation that computes this tensor, in its graph.");
}
