//===- InterpreterTest.cpp - fixture of the interpreter's tests -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the fixture.
///
//===----------------------------------------------------------------------===//

#include "InterpreterTest.h"

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace mlir::tg;

InterpreterTest::InterpreterTest() : context(MLIRContext::Threading::DISABLED) {
  context.loadDialect<TgDialect, func::FuncDialect>();
  context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
    diagnostics += diagnostic.str() + '\n';
  });
}

OwningOpRef<ModuleOp> InterpreterTest::parse(const std::string &text) {
  auto module = parseSourceString<ModuleOp>(text, &context);
  EXPECT_TRUE(module) << diagnostics << text;
  return module;
}

HostTensor InterpreterTest::tensor(const std::string &text) {
  auto attribute = dyn_cast_or_null<TypedAttr>(parseAttribute(text, &context));
  EXPECT_TRUE(attribute) << diagnostics << text;
  if (!attribute)
    return {};
  auto tensor =
      makeHostTensor(UnknownLoc::get(&context),
                     cast<RankedTensorType>(attribute.getType()), attribute);
  EXPECT_TRUE(succeeded(tensor)) << diagnostics;
  return succeeded(tensor) ? *tensor : HostTensor();
}

static std::string show(const HostTensor &tensor) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (tensor.elementType)
    os << getDenseElements(tensor);
  return text;
}

void expectEqual(const HostTensor &actual, const HostTensor &expected) {
  bool isEqual = actual.elementType == expected.elementType &&
                 actual.shape == expected.shape &&
                 actual.bytes == expected.bytes;
  EXPECT_TRUE(isEqual) << "actual:   " << show(actual)
                       << "\nexpected: " << show(expected);
}

LogicalResult InterpreterTest::run(const std::string &text,
                                   std::vector<HostTensor> &inputs,
                                   SmallVectorImpl<HostTensor> &results,
                                   const InterpreterOptions &options) {
  OwningOpRef<ModuleOp> module = parse(text);
  if (!module)
    return failure();
  return interpret(module->lookupSymbol<func::FuncOp>("main"), inputs, results,
                   options);
}

void InterpreterTest::expect(const std::string &body, const std::string &type,
                             const std::string &expected) {
  SCOPED_TRACE(body);
  std::vector<HostTensor> inputs;
  SmallVector<HostTensor> results;
  ASSERT_TRUE(succeeded(run("func.func @main() -> " + type + " {\n" + body +
                                "\nreturn %r : " + type + "\n}",
                            inputs, results)))
      << diagnostics;
  ASSERT_EQ(results.size(), 1u);
  expectEqual(results[0], tensor("dense<" + expected + "> : " + type));
}

/// The tensor type of a list of elements, whose number follows from the commas.
static std::string listType(const std::string &list,
                            const std::string &element) {
  size_t count = std::count(list.begin(), list.end(), ',') + 1;
  return "tensor<" + std::to_string(count) + "x" + element + ">";
}

static std::string constant(const std::string &name, const std::string &list,
                            const std::string &type) {
  return name + " = tg.const(dense<" + list + "> : " + type + ") : " + type +
         "\n";
}

void InterpreterTest::expectUnary(const std::string &op,
                                  const std::string &element,
                                  const std::string &x,
                                  const std::string &expected) {
  std::string type = listType(x, element);
  expect(constant("%x", x, type) + "%r = " + op + " %x : " + type, type,
         expected);
}

void InterpreterTest::expectBinary(const std::string &op,
                                   const std::string &element,
                                   const std::string &a, const std::string &b,
                                   const std::string &expected) {
  std::string type = listType(a, element);
  expect(constant("%a", a, type) + constant("%b", b, type) + "%r = " + op +
             " %a, %b : " + type,
         type, expected);
}

void InterpreterTest::expectCompare(const std::string &op,
                                    const std::string &element,
                                    const std::string &a, const std::string &b,
                                    const std::string &expected) {
  std::string type = listType(a, element);
  expect(constant("%a", a, type) + constant("%b", b, type) + "%r = " + op +
             " %a, %b : " + type,
         listType(a, "i1"), expected);
}

void InterpreterTest::expectCast(const std::string &from, const std::string &x,
                                 const std::string &to,
                                 const std::string &expected) {
  std::string type = listType(x, from), result = listType(x, to);
  expect(constant("%x", x, type) + "%r = tg.cast %x : " + type + " -> " +
             result,
         result, expected);
}
