//===- Movement.cpp - movements in random programs ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Functions that reorder, repeat, add and remove elements.
///
//===----------------------------------------------------------------------===//

#include "Call.h"

#include <algorithm>
#include <numeric>

using namespace tinygrad;
using namespace tinygrad::fuzz;

namespace {

Value reshape(Call &call) {
  // The factors of the number of elements, dealt to up to three axes.
  Sizes sizes(call.random.between(1, 3), 1);
  int64_t rest = call.x.count();
  for (int64_t factor = 2; rest > 1; ++factor)
    while (rest % factor == 0) {
      call.random.pick(sizes) *= factor;
      rest /= factor;
    }
  return method(call.x, "reshape", call.x.tensor.reshape(sizes), sizes);
}

Value permute(Call &call) {
  Sizes order(call.x.rank());
  std::iota(order.begin(), order.end(), 0);
  for (int64_t i = int64_t(order.size()) - 1; i > 0; --i)
    std::swap(order[i], order[call.random.below(i + 1)]);
  return method(call.x, "permute", call.x.tensor.permute(order), order);
}

Value transpose(Call &call) {
  const Value x = call.withRank(call.x, std::max<int64_t>(2, call.x.rank()));
  const int64_t first = call.axis(x), second = call.axis(x);
  return method(x, "transpose", x.tensor.transpose(first, second), first,
                second);
}

Value flip(Call &call) {
  const Sizes axes = call.axes();
  return method(call.x, "flip", call.x.tensor.flip(axes), axes);
}

/// An amount before and after each axis.
Value pad(Call &call) {
  std::vector<PadAmount> amounts;
  std::string text = "{";
  for (int64_t axis = 0; axis < call.x.rank(); ++axis) {
    const int64_t low = call.random.percent(50) ? call.random.below(3) : 0,
                  high = call.random.percent(50) ? call.random.below(3) : 0;
    amounts.push_back({low, high});
    text += (axis ? ", " : "") + toText(Sizes{low, high});
  }
  text += "}";
  if (call.random.percent(30)) {
    const double number = call.random.between(-4, 4) / 4.0;
    return method(call.x, "pad", call.x.tensor.pad(amounts, number), text,
                  number);
  }
  return method(call.x, "pad", call.x.tensor.pad(amounts), text);
}

/// With elements of the tensor itself.
Value padMode(Call &call) {
  static const PadMode modes[] = {PadMode::Reflect, PadMode::Replicate,
                                  PadMode::Circular};
  static const char *const names[] = {"PadMode::Reflect", "PadMode::Replicate",
                                      "PadMode::Circular"};
  const int64_t mode = call.random.below(3);
  std::vector<PadAmount> amounts;
  std::string text = "{";
  for (int64_t axis = 0; axis < call.x.rank(); ++axis) {
    const int64_t most = std::min<int64_t>(3, call.x.size(axis));
    const int64_t low = call.random.below(most), high = call.random.below(most);
    amounts.push_back({low, high});
    text += (axis ? ", " : "") + toText(Sizes{low, high});
  }
  text += "}";
  return method(call.x, "pad", call.x.tensor.pad(amounts, modes[mode]), text,
                names[mode]);
}

Value shrink(Call &call) {
  Parts parts;
  std::string text = "{";
  for (int64_t axis = 0; axis < call.x.rank(); ++axis) {
    const int64_t size = call.x.size(axis);
    const int64_t begin = call.random.below(std::min<int64_t>(size, 3));
    const int64_t end = std::max(
        begin + 1, size - call.random.below(std::min<int64_t>(3, size)));
    parts.push_back({begin, end});
    text += (axis ? ", " : "") + toText(Sizes{begin, end});
  }
  text += "}";
  return method(call.x, "shrink", call.x.tensor.shrink(parts), text);
}

Value unsqueeze(Call &call) {
  const int64_t axis = call.random.below(call.x.rank() + 1);
  return method(call.x, "unsqueeze", call.x.tensor.unsqueeze(axis), axis);
}

/// A new axis with copies.
Value expand(Call &call) {
  const int64_t axis = call.random.below(call.x.rank() + 1);
  Sizes sizes = call.x.sizes();
  const int64_t count = call.random.percent(50) && !sizes.empty()
                            ? call.random.pick(sizes)
                            : call.random.between(1, 4);
  sizes.insert(sizes.begin() + axis, count);
  const Value wide =
      method(call.x, "unsqueeze", call.x.tensor.unsqueeze(axis), axis);
  return method(wide, "expand", wide.tensor.expand(sizes), sizes);
}

Value repeat(Call &call) {
  Sizes repeats;
  for (int64_t axis = 0; axis < call.x.rank(); ++axis)
    repeats.push_back(call.random.percent(60) ? 1 : call.random.between(2, 3));
  return method(call.x, "repeat", call.x.tensor.repeat(repeats), repeats);
}

Value repeatInterleave(Call &call) {
  const int64_t axis = call.axis(), count = call.random.between(2, 3);
  return method(call.x, "repeatInterleave",
                call.x.tensor.repeatInterleave(count, axis), count, axis);
}

Value roll(Call &call) {
  const int64_t axis = call.axis(), shift = call.random.between(-3, 3);
  return method(call.x, "roll", call.x.tensor.roll(shift, axis), shift, axis);
}

Value unfold(Call &call) {
  const int64_t axis = call.axis();
  const int64_t size =
      call.random.between(1, std::min<int64_t>(3, call.x.size(axis)));
  const int64_t step = call.random.between(1, 2);
  return method(call.x, "unfold", call.x.tensor.unfold(axis, size, step), axis,
                size, step);
}

Value cat(Call &call) {
  const int64_t axis = call.axis();
  Sizes sizes = call.x.sizes();
  if (call.random.percent(40))
    sizes[axis] = call.random.between(1, 3);
  const Value other = call.other(sizes);
  return {Tensor::cat({call.x.tensor, other.tensor}, axis),
          "Tensor::cat({" + call.x.text + ", " + other.text + "}, " +
              toText(axis) + ")"};
}

Value stack(Call &call) {
  const int64_t axis = call.random.below(call.x.rank() + 1);
  const Value other = call.other(call.x.sizes());
  return {Tensor::stack({call.x.tensor, other.tensor}, axis),
          "Tensor::stack({" + call.x.text + ", " + other.text + "}, " +
              toText(axis) + ")"};
}

Value diagonal(Call &call) {
  const Value x = call.withRank(call.x, std::max<int64_t>(2, call.x.rank()));
  return method(x, "diagonal", x.tensor.diagonal());
}

Value diag(Call &call) {
  const Value x = call.withRank(call.x, 1);
  if (x.count() > 24)
    return {};
  return method(x, "diag", x.tensor.diag());
}

Value tril(Call &call) {
  const Value x = call.withRank(call.x, std::max<int64_t>(2, call.x.rank()));
  const int64_t diagonal = call.random.between(-1, 1);
  if (call.random.percent(50))
    return method(x, "tril", x.tensor.tril(diagonal), diagonal);
  return method(x, "triu", x.tensor.triu(diagonal), diagonal);
}

Value flatten(Call &call) {
  return method(call.x, "flatten", call.x.tensor.flatten());
}

/// The two halves of an axis, added.
Value chunk(Call &call) {
  const int64_t axis = call.axis();
  if (call.x.size(axis) % 2 != 0)
    return {};
  const Value x = call.named(call.x);
  const std::vector<Tensor> parts = x.tensor.chunk(2, axis);
  const std::string text = x.text + ".chunk(2, " + toText(axis) + ")";
  return {parts[0].mul(parts[1].sigmoid()),
          text + "[0] * " + text + "[1].sigmoid()"};
}

Value interpolate(Call &call) {
  const Value x = call.withRank(call.x, 3);
  const Sizes size = {call.random.between(1, 7)};
  const bool align = call.random.percent(50);
  return method(x, "interpolate",
                x.tensor.interpolate(size, InterpolateMode::Linear, align),
                size, "InterpolateMode::Linear", align);
}

const Function functions[] = {
    {"reshape", reshape, 2},
    {"permute", permute, 2},
    {"transpose", transpose},
    {"flip", flip},
    {"pad", pad, 2},
    {"padMode", padMode},
    {"shrink", shrink, 2},
    {"unsqueeze", unsqueeze},
    {"expand", expand, 2},
    {"repeat", repeat, 2},
    {"repeatInterleave", repeatInterleave},
    {"roll", roll},
    {"unfold", unfold},
    {"cat", cat, 2},
    {"stack", stack, 2},
    {"diagonal", diagonal},
    {"diag", diag},
    {"tril", tril},
    {"flatten", flatten},
    {"chunk", chunk},
    {"interpolate", interpolate},
};

} // namespace

llvm::ArrayRef<Function> tinygrad::fuzz::getMovementFunctions() {
  return functions;
}
