//===- Jit.h - captured steps -----------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Runs a function of tensors again and again without building its graph each
/// time. docs/jit.md describes the rules.
///
/// \code
///   Jit step([&](const Tensor &x, const Tensor &y) {
///     Tensor loss = (x.matmul(w) - y).square().mean();
///     w.assign(w - loss.gradient({w})[0] * rate);
///     return loss;
///   });
///   for (auto [x, y] : batches)
///     losses.push_back(step(x, y)); // runs, captures, then replays
/// \endcode
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_JIT_H
#define TINYGRAD_TENSOR_JIT_H

#include "TinyGrad/Tensor/Members.h"
#include "TinyGrad/Tensor/Tensor.h"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tinygrad {

namespace detail {

class CapturedStep;

/// The arguments of a call: tensors, sizes and other numbers.
struct JitArguments {
  std::vector<const Tensor *> tensors;
  std::vector<SymInt> sizes;
  std::vector<Scalar> numbers;
  /// The paths of all of them. Empty if they were not asked for.
  std::vector<std::string> tensorNames, sizeNames, numberNames;
};

/// A captured step for another process: bytes, and the tensors that the step
/// uses without being given them, whose values have to be saved as well.
struct SavedStep {
  std::string bytes;
  std::vector<Tensor> tensors;
  bool isTraining = false, isGradientOff = false;
};

/// The part of a Jit that does not depend on the types of its function.
class JitCore {
public:
  JitCore();
  ~JitCore();
  JitCore(JitCore &&) noexcept;
  JitCore &operator=(JitCore &&) noexcept;

  /// Whether this thread runs the function of a Jit for the first or second
  /// time.
  static bool isInside();
  /// An optimizer computes a step for \p parameters. If that is inside of the
  /// first two calls, gradients that nobody asked for end with the call: those
  /// that backwardToAll() has given to other tensors that require none and had
  /// none. Replays would compute them, and add them up.
  static void noteOptimizerStep(const std::vector<Tensor> &parameters);
  bool isCaptured() const;
  void reset();
  /// What was captured; null if nothing was.
  const CapturedStep *getStep() const;

  /// What was captured, to be loaded without the function. Throws Error if
  /// nothing was captured, or if the step has sizes or numbers as arguments or
  /// sizes that are variables.
  SavedStep save() const;
  /// As if the saved step had been captured: its tensors are those of \p saved,
  /// all of the current graph. Compiles its programs.
  void load(const SavedStep &saved);

  /// Around the first two calls of the function. end() returns the results,
  /// realized; abandon() forgets a call that end() was not reached for.
  void begin(const JitArguments &arguments);
  std::vector<Tensor> end(const JitArguments &arguments,
                          const std::vector<Tensor> &results);
  void abandon();

  /// Whether the numbers of tensors, sizes and numbers are those of the
  /// capture; else throwMismatch() says what is missing.
  bool matches(const JitArguments &arguments) const;
  [[noreturn]] void throwMismatch(const JitArguments &arguments) const;
  std::vector<Tensor> replay(const JitArguments &arguments);

private:
  struct State;
  std::unique_ptr<State> state;
};

/// The beginning and the end of a call.
class JitCall {
public:
  JitCall(JitCore &core, const JitArguments &arguments) : core(core) {
    core.begin(arguments);
  }
  ~JitCall() { core.abandon(); }
  JitCall(const JitCall &) = delete;
  JitCall &operator=(const JitCall &) = delete;

private:
  JitCore &core;
};

template <typename T, typename Name>
void addJitArgument(JitArguments &list, const T &value, const Name &name) {
  constexpr bool isNamed = std::is_same_v<Name, std::string>;
  if constexpr (std::derived_from<T, SymInt>) {
    list.sizes.push_back(value);
    if constexpr (isNamed)
      list.sizeNames.push_back(name);
  } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
    if constexpr (std::is_floating_point_v<T>)
      list.numbers.emplace_back(double(value));
    else if constexpr (std::is_same_v<T, bool>)
      list.numbers.emplace_back(value);
    else if constexpr (std::is_unsigned_v<T>)
      list.numbers.emplace_back(uint64_t(value));
    else
      list.numbers.emplace_back(int64_t(value));
    if constexpr (isNamed)
      list.numberNames.push_back(name);
  } else {
    auto add = [&](const Name &path, const Tensor &tensor) {
      list.tensors.push_back(&tensor);
      if constexpr (isNamed)
        list.tensorNames.push_back(path);
    };
    visitTensors(value, add, name);
  }
}

/// The signature `R(P...)` of a function object, function or pointer to one.
template <typename T> struct JitSignature {
  using Type = typename JitSignature<decltype(&T::operator())>::Type;
};
template <typename R, typename... P> struct JitSignature<R(P...)> {
  using Type = R(P...);
};
template <typename R, typename... P>
struct JitSignature<R (*)(P...)> : JitSignature<R(P...)> {};
template <typename R, typename C, typename... P>
struct JitSignature<R (C::*)(P...)> : JitSignature<R(P...)> {};
template <typename R, typename C, typename... P>
struct JitSignature<R (C::*)(P...) const> : JitSignature<R(P...)> {};
template <typename R, typename C, typename... P>
struct JitSignature<R (C::*)(P...) noexcept> : JitSignature<R(P...)> {};
template <typename R, typename C, typename... P>
struct JitSignature<R (C::*)(P...) const noexcept> : JitSignature<R(P...)> {};

} // namespace detail

/// `Jit<R(P...)>`: a function whose work is captured and replayed.
///
/// The first call runs the function and realizes its results. The second one
/// also records each kernel and copy that runs. Later calls check the
/// arguments, and run the recorded kernels on the memory of these arguments:
/// the function is not called, no graph is built, nothing is compiled.
///
/// Arguments and results are tensors or modules (see forEachTensor): structs
/// with `TINYGRAD_MEMBERS`, vectors, maps, tuples, optionals. Arguments may
/// also be sizes (SymInt), and numbers, which must be the same in each call.
/// The result may be void. In a captured result, everything but its tensors is
/// that of the second call.
///
/// Tensors of the function that are assigned to, arguments included, have their
/// new values after a replay, as after a call. Results have memory of their own
/// in each call. Random numbers are those that a call would have made. Values
/// of variables are those that the arguments are bound to.
///
/// Throws ShapeError, DTypeError or DeviceError, naming the argument, if its
/// shape (other than values of variables), type or device is not that of the
/// capture; Error for arguments that share memory, other numbers, another mode
/// of training. While it captures, reading values on the host throws Error with
/// the place, for instance in item(), tolist() or maskedSelect(). After an
/// error, the next call captures.
///
/// A Jit inside the function of another one is a call of its function. A Jit
/// may be used by one thread at a time, and the graph by one thread that makes
/// a first or second call at a time.
template <typename Signature> class Jit;

template <typename R, typename... P> class Jit<R(P...)> {
public:
  using Result = std::remove_cvref_t<R>;
  static_assert(!(std::is_rvalue_reference_v<P> || ...),
                "a captured step takes its arguments by value or by reference");
  static_assert(std::is_void_v<Result> || std::is_copy_constructible_v<Result>,
                "the result of a captured step must be copyable");

  template <typename F>
    requires(!std::same_as<std::remove_cvref_t<F>, Jit> &&
             std::is_invocable_r_v<R, F &, P...>)
  explicit Jit(F &&function)
      : function(std::make_unique<Callable<std::decay_t<F>>>(
            std::forward<F>(function))) {}

  Result operator()(P... arguments) {
    if (detail::JitCore::isInside())
      return function->call(static_cast<P &&>(arguments)...);
    if (core.isCaptured()) {
      const detail::JitArguments list = collect<detail::NoName>(arguments...);
      if (!core.matches(list))
        core.throwMismatch(collect<std::string>(arguments...));
      return makeResult(core.replay(list));
    }
    const detail::JitArguments list = collect<std::string>(arguments...);
    const detail::JitCall call(core, list);
    if constexpr (std::is_void_v<Result>) {
      function->call(arguments...);
      core.end(list, {});
    } else {
      Result result = function->call(arguments...);
      std::vector<Tensor> tensors;
      forEachTensor(result, [&](const std::string &, Tensor &tensor) {
        tensors.push_back(tensor);
      });
      tensors = core.end(list, tensors);
      if (core.isCaptured()) {
        // Without the tensors, so that their memory is not held.
        captured.emplace(result);
        replaceTensors(*captured, std::vector<Tensor>(tensors.size(), //
                                                      Tensor(false)));
        replaceTensors(result, tensors);
      }
      return result;
    }
  }

  /// Whether the next call is a replay.
  bool isCaptured() const { return core.isCaptured(); }
  /// Forgets what was captured, and releases its memory: the next call runs the
  /// function, the one after it captures.
  void reset() {
    core.reset();
    captured.reset();
  }

  /// For the library (Export.h).
  const detail::JitCore &getCore() const { return core; }

private:
  struct Function {
    virtual ~Function() = default;
    virtual R call(P... arguments) = 0;
  };
  template <typename F> struct Callable final : Function {
    template <typename G>
    explicit Callable(G &&function) : function(std::forward<G>(function)) {}
    R call(P... arguments) override {
      return function(static_cast<P &&>(arguments)...);
    }
    F function;
  };

  template <typename Name>
  static detail::JitArguments
  collect(const std::remove_reference_t<P> &...arguments) {
    detail::JitArguments list;
    [[maybe_unused]] std::size_t position = 0;
    (detail::addJitArgument(list, arguments, nameOf<Name>(position++)), ...);
    return list;
  }
  template <typename Name> static Name nameOf(std::size_t position) {
    if constexpr (std::is_same_v<Name, std::string>)
      return std::to_string(position);
    else
      return {};
  }

  template <typename T>
  static void replaceTensors(T &module, const std::vector<Tensor> &tensors) {
    std::size_t next = 0;
    auto replace = [&](detail::NoName, Tensor &tensor) {
      tensor = tensors[next++];
    };
    detail::visitTensors(module, replace, detail::NoName());
  }

  Result makeResult(const std::vector<Tensor> &tensors) {
    if constexpr (!std::is_void_v<Result>) {
      Result result = *captured;
      replaceTensors(result, tensors);
      return result;
    }
  }

  struct Nothing {};

  std::unique_ptr<Function> function;
  detail::JitCore core;
  std::optional<std::conditional_t<std::is_void_v<Result>, Nothing, Result>>
      captured;
};

template <typename F>
Jit(F) -> Jit<typename detail::JitSignature<std::decay_t<F>>::Type>;

} // namespace tinygrad

#endif // TINYGRAD_TENSOR_JIT_H
