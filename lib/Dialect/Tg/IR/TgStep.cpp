//===- TgStep.cpp - schedule steps as attributes --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Syntax and verifier of `#tg.step`.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgCopyingItems.h"
#include "TinyGrad/Dialect/Tg/IR/TgGroupOrder.h"
#include "TinyGrad/Support/MatrixUnits.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::tg;

namespace {

enum class Amount { None, Optional, Needed };

/// The numbers of operations, ranges and new ranges of a kind of step.
struct StepForm {
  size_t fewestOps, mostOps;
  size_t fewestRanges, mostRanges;
  size_t fewestResults, mostResults;
  Amount amount;
};

constexpr size_t kAny = ~size_t(0);

} // namespace

static StepForm getForm(StepKind kind) {
  switch (kind) {
  case StepKind::split:
    return {0, 0, 1, 1, 2, 2, Amount::Needed};
  case StepKind::merge:
    return {0, 0, 2, 2, 1, 1, Amount::None};
  case StepKind::reverse:
    return {0, 0, 1, 1, 1, 1, Amount::None};
  case StepKind::move:
    return {0, 0, 2, 2, 0, 0, Amount::None};
  case StepKind::set_kind:
    return {0, 0, 1, 1, 0, 0, Amount::Optional};
  case StepKind::unshare:
    return {1, 1, 0, kAny, 0, kAny, Amount::None};
  case StepKind::accumulate:
    return {1, kAny, 1, 1, 0, 0, Amount::None};
  case StepKind::stage:
    return {1, 1, 1, kAny, 1, kAny, Amount::Optional};
  case StepKind::stage_window:
    return {2, 2, 1, 2, 1, kAny, Amount::Optional};
  case StepKind::reuse:
    return {2, 2, 1, kAny, 0, 0, Amount::None};
  case StepKind::skip_masked:
    return {2, 2, 2, 3, 0, 0, Amount::None};
  case StepKind::check_finite:
    return {1, 1, 1, 1, 5, 5, Amount::Needed};
  case StepKind::prefetch:
    return {1, 1, 0, 0, 0, 0, Amount::Needed};
  case StepKind::nontemporal:
    return {1, 1, 0, 0, 0, 0, Amount::None};
  case StepKind::contract:
    return {1, 1, 0, 0, 0, 0, Amount::Optional};
  case StepKind::buffer:
    return {1, 1, 0, 0, 0, 0, Amount::Needed};
  case StepKind::partition:
    return {0, 0, 0, 0, 1, 1, Amount::Needed};
  }
  llvm_unreachable("unknown step");
}

static std::string describeCount(size_t fewest, size_t most) {
  if (most == kAny)
    return std::to_string(fewest) + " or more";
  if (fewest == most)
    return std::to_string(fewest);
  return std::to_string(fewest) + " to " + std::to_string(most);
}

LogicalResult StepAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               StepKind kind, ArrayRef<StepOperand> ops,
                               ArrayRef<int64_t> ranges, int64_t amount,
                               ArrayRef<int64_t> results) {
  const StepForm form = getForm(kind);
  auto checkCount = [&](size_t count, size_t fewest, size_t most,
                        StringRef what) -> LogicalResult {
    if (count >= fewest && count <= most)
      return success();
    return emitError() << stringifyStepKind(kind) << " takes "
                       << describeCount(fewest, most) << ' ' << what
                       << ", but has " << count << " (C1)";
  };
  if (failed(
          checkCount(ops.size(), form.fewestOps, form.mostOps, "operations")) ||
      failed(checkCount(ranges.size(), form.fewestRanges, form.mostRanges,
                        "ranges")) ||
      (!results.empty() && failed(checkCount(results.size(), form.fewestResults,
                                             form.mostResults, "new ranges"))))
    return failure();
  auto checkIds = [&](ArrayRef<int64_t> ids) -> LogicalResult {
    llvm::SmallDenseSet<int64_t> seen;
    for (int64_t id : ids) {
      if (id < 0 || id > kMaxRangeId)
        return emitError() << id << " is no id of a range (C1)";
      if (!seen.insert(id).second)
        return emitError() << "range " << id << " is listed twice (C1)";
    }
    return success();
  };
  if (failed(checkIds(ranges)) || failed(checkIds(results)))
    return failure();
  for (const auto &[i, op] : llvm::enumerate(ops)) {
    if (op.number < 0)
      return emitError() << op.number << " is no number of an operation (C1)";
    if (llvm::is_contained(ops.take_front(i), op))
      return emitError() << op.name.getValue() << ' ' << op.number
                         << " is listed twice (C1)";
  }
  if (kind == StepKind::set_kind) {
    const int64_t band = amount / kBandUnit;
    std::optional<RangeKind> rangeKind =
        symbolizeRangeKind(static_cast<uint32_t>(amount % kBandUnit));
    if (amount < 0 || !rangeKind)
      return emitError() << amount << " is no kind of range (C2)";
    if (band > 0 &&
        (band < 2 || band > kMaxRangeId || *rangeKind != RangeKind::global))
      return emitError() << "only ranges of kind 'global' have bands, of 2 to "
                         << kMaxRangeId << " positions (C2)";
    return success();
  }
  if (kind == StepKind::contract) {
    if (amount < 0 || amount >= int64_t(tinygrad::kNumMatrixUnits))
      return emitError() << amount << " is no matrix operation (C2)";
    return success();
  }
  if (amount < 0 || (amount == 0 && form.amount == Amount::Needed))
    return emitError() << stringifyStepKind(kind)
                       << " needs an amount of 1 or more (C2)";
  if (amount != 0 && form.amount == Amount::None)
    return emitError() << stringifyStepKind(kind) << " takes no amount (C2)";
  return success();
}

static ParseResult parseIds(AsmParser &parser, SmallVectorImpl<int64_t> &ids) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square,
      [&]() -> ParseResult { return parser.parseInteger(ids.emplace_back()); });
}

Attribute StepAttr::parse(AsmParser &parser, Type) {
  const SMLoc start = parser.getCurrentLocation();
  MLIRContext *context = parser.getContext();
  StringRef keyword;
  if (parser.parseLess() || parser.parseKeyword(&keyword))
    return {};
  std::optional<StepKind> kind = symbolizeStepKind(keyword);
  if (!kind) {
    parser.emitError(start, "'") << keyword << "' is no schedule step";
    return {};
  }
  SmallVector<StepOperand> ops;
  SmallVector<int64_t> ranges, results;
  int64_t amount = 0;
  auto parseOp = [&]() -> ParseResult {
    std::string name;
    StringRef mnemonic;
    // A bare keyword names an operation of this dialect.
    if (succeeded(parser.parseOptionalKeyword(&mnemonic)))
      name = ("tg." + mnemonic).str();
    else if (parser.parseString(&name))
      return failure();
    StepOperand &op = ops.emplace_back();
    op.name = StringAttr::get(context, name);
    return parser.parseInteger(op.number);
  };
  const StepForm form = getForm(*kind);
  if (form.mostOps > 0 && parser.parseCommaSeparatedList(parseOp))
    return {};
  if (form.mostRanges > 0) {
    // Only `unshare` may have no ranges.
    if (form.fewestRanges == 0) {
      if (succeeded(parser.parseOptionalLSquare())) {
        if (parser.parseCommaSeparatedList([&]() -> ParseResult {
              return parser.parseInteger(ranges.emplace_back());
            }) ||
            parser.parseRSquare())
          return {};
      }
    } else if (parseIds(parser, ranges)) {
      return {};
    }
  }
  if (*kind == StepKind::set_kind) {
    SMLoc place;
    if (parser.parseKeyword("as"))
      return {};
    place = parser.getCurrentLocation();
    if (parser.parseKeyword(&keyword))
      return {};
    std::optional<RangeKind> rangeKind = symbolizeRangeKind(keyword);
    if (!rangeKind) {
      parser.emitError(place, "'") << keyword << "' is no kind of range";
      return {};
    }
    amount = static_cast<int64_t>(*rangeKind);
    if (succeeded(parser.parseOptionalKeyword("by"))) {
      int64_t band = 0;
      place = parser.getCurrentLocation();
      if (parser.parseInteger(band))
        return {};
      if (band < 1 || band > kMaxRangeId) {
        parser.emitError(place, "a band does not have ")
            << band << " positions";
        return {};
      }
      amount += band * kBandUnit;
    }
  } else if (*kind == StepKind::contract) {
    if (parser.parseKeyword("on"))
      return {};
    const SMLoc place = parser.getCurrentLocation();
    if (parser.parseKeyword(&keyword))
      return {};
    const tinygrad::MatrixUnit *unit = tinygrad::findMatrixUnit(keyword);
    if (!unit) {
      parser.emitError(place, "'") << keyword << "' is no matrix operation";
      return {};
    }
    amount = unit - tinygrad::kMatrixUnits;
  } else if (form.amount != Amount::None &&
             succeeded(parser.parseOptionalKeyword("by"))) {
    if (parser.parseInteger(amount))
      return {};
    if (*kind == StepKind::buffer) {
      if (amount >= kAsTma) {
        parser.emitError(start, "a tile does not have ")
            << amount << " buffers";
        return {};
      }
      if (succeeded(parser.parseOptionalKeyword("as"))) {
        if (parser.parseKeyword("tma"))
          return {};
        amount += kAsTma;
        if (succeeded(parser.parseOptionalKeyword("by"))) {
          if (parser.parseKeyword("warpgroup"))
            return {};
          amount += kByWarpgroup;
          if (succeeded(parser.parseOptionalKeyword("across"))) {
            if (parser.parseKeyword("blocks"))
              return {};
            amount += kAcrossBlocks;
          }
        }
      }
    }
  }
  if (form.mostResults > 0 && succeeded(parser.parseOptionalKeyword("into")) &&
      parseIds(parser, results))
    return {};
  if (parser.parseGreater())
    return {};
  auto emitError = [&] { return parser.emitError(start); };
  return getChecked(function_ref<InFlightDiagnostic()>(emitError), context,
                    *kind, ArrayRef<StepOperand>(ops),
                    ArrayRef<int64_t>(ranges), amount,
                    ArrayRef<int64_t>(results));
}

void StepAttr::print(AsmPrinter &printer) const {
  printer << '<' << stringifyStepKind(getKind());
  llvm::ListSeparator comma(",");
  for (const StepOperand &op : getOps()) {
    StringRef name = op.name.getValue(), mnemonic = name;
    printer << StringRef(comma) << ' ';
    if (mnemonic.consume_front("tg."))
      printer.printKeywordOrString(mnemonic);
    else
      printer.printString(name);
    printer << ' ' << op.number;
  }
  auto printIds = [&](ArrayRef<int64_t> ids) {
    printer << '[';
    llvm::interleaveComma(ids, printer.getStream());
    printer << ']';
  };
  if (!getRanges().empty()) {
    printer << ' ';
    printIds(getRanges());
  }
  if (getKind() == StepKind::set_kind) {
    printer << " as "
            << stringifyRangeKind(
                   static_cast<RangeKind>(getAmount() % kBandUnit));
    if (const int64_t band = getAmount() / kBandUnit; band > 0)
      printer << " by " << band;
  } else if (getKind() == StepKind::contract)
    printer << " on " << StringRef(tinygrad::kMatrixUnits[getAmount()].name);
  else if (getKind() == StepKind::buffer)
    printer << " by " << getAmount() % kAsTma
            << (getAmount() >= kAsTma ? " as tma" : "")
            << (getAmount() >= kByWarpgroup ? " by warpgroup" : "")
            << (getAmount() >= kAcrossBlocks ? " across blocks" : "");
  else if (getAmount() != 0)
    printer << " by " << getAmount();
  if (!getResults().empty()) {
    printer << " into ";
    printIds(getResults());
  }
  printer << '>';
}
