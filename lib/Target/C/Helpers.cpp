//===- Helpers.cpp - types and functions of a file of C -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Vector types and their operations. Each has two forms: with vectors of the
/// compiler, and lane by lane, which any compiler takes.
///
//===----------------------------------------------------------------------===//

#include "Printer.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::tg;
using namespace mlir::tg::c;

unsigned CType::getWidth() const {
  switch (kind) {
  case Kind::Int:
    return bits <= 8 ? 8 : unsigned(llvm::PowerOf2Ceil(bits));
  case Kind::F16:
  case Kind::BF16:
    return 16;
  case Kind::F32:
    return 32;
  default:
    return 64;
  }
}

std::string CType::getLaneName() const {
  switch (kind) {
  case Kind::F32:
    return "f32";
  case Kind::F64:
    return "f64";
  case Kind::Wide:
    return "u" + std::to_string(bits);
  default:
    return "u" + std::to_string(getWidth());
  }
}

std::string CType::getShortName() const {
  return getLaneName() + (lanes ? "x" + std::to_string(lanes) : "");
}

std::string CType::getName() const {
  if (isVector() || kind == Kind::Wide)
    return getShortName();
  switch (kind) {
  case Kind::Void:
    return "void";
  case Kind::Pointer:
    return "char *";
  case Kind::F32:
    return "float";
  case Kind::F64:
    return "double";
  default:
    return "uint" + std::to_string(getWidth()) + "_t";
  }
}

/// The compiler has vectors of as many lanes.
static bool isNative(const CType &type) {
  return type.lanes > 1 && llvm::isPowerOf2_32(type.lanes);
}

/// Replaces "@NAME" in a text.
static std::string
substitute(llvm::StringRef text,
           llvm::ArrayRef<std::pair<llvm::StringRef, std::string>> values) {
  std::string result;
  while (!text.empty()) {
    const size_t at = text.find('@');
    result += text.take_front(at);
    if (at == llvm::StringRef::npos)
      break;
    text = text.drop_front(at + 1);
    for (const auto &[name, value] : values)
      if (text.consume_front(name)) {
        result += value;
        break;
      }
  }
  return result;
}

std::string
Helpers::get(const std::string &name,
             llvm::function_ref<std::string(const std::string &)> define) {
  if (auto found = known.find(name); found != known.end())
    return found->second;
  std::string unique = name;
  while (taken.contains(unique))
    unique += "_";
  // What the definition uses comes first.
  const std::string text = define(unique);
  functions += text;
  known[name] = unique;
  return unique;
}

std::string Helpers::getType(const CType &type) {
  if (!type.isVector() && type.kind != CType::Kind::Wide)
    return type.getName();
  const std::string name = type.getName();
  auto define = [&](const std::string &wanted, const std::string &before,
                    const std::string &after) {
    auto [found, isNew] = known.try_emplace("type " + wanted);
    if (isNew) {
      found->second = wanted;
      while (taken.contains(found->second))
        found->second += "_";
      types += before + found->second + after;
    }
    return found->second;
  };
  if (type.kind == CType::Kind::Wide)
    return define(name,
                  "typedef struct { uint32_t limb[" +
                      std::to_string(type.bits / 32) + "]; } ",
                  ";\n");
  const std::string lane = type.getLane().getName(),
                    count = std::to_string(type.lanes),
                    bytes = std::to_string(type.lanes * (type.getWidth() / 8));
  if (!isNative(type))
    return define(name, "typedef struct { " + lane + " lane[" + count + "]; } ",
                  ";\n");
  // Vectors of GCC have signs.
  if (!type.isFloat()) {
    const std::string width = std::to_string(type.getWidth());
    define("s" + width + "x" + count,
           "#if VECTORS\ntypedef int" + width + "_t ",
           " __attribute__((vector_size(" + bytes + ")));\n#endif\n");
  }
  if (auto found = known.find("type " + name); found != known.end())
    return found->second;
  std::string unique = name;
  while (taken.contains(unique))
    unique += "_";
  known["type " + name] = unique;
  types += "#if VECTORS\ntypedef " + lane + " " + unique +
           " __attribute__((vector_size(" + bytes +
           ")));\n#else\ntypedef struct { " + lane + " lane[" + count +
           "]; } " + unique + ";\n#endif\n";
  return unique;
}

std::string Helpers::getLane(const CType &type, const llvm::Twine &vector,
                             const llvm::Twine &lane) {
  if (isNative(type))
    return ("LANE(" + vector + ", " + lane + ")").str();
  return ("(" + vector + ").lane[" + lane + "]").str();
}

std::string Helpers::make(const CType &type,
                          llvm::ArrayRef<std::string> lanes) {
  const std::string name = getType(type), all = llvm::join(lanes, ", ");
  if (isNative(type))
    return "MAKE(" + name + ", " + all + ")";
  return "((" + name + "){{" + all + "}})";
}

std::string Helpers::splat(const CType &type, const std::string &lane) {
  return get("splat_" + type.getShortName(),
             [&](const std::string &name) {
               return "HELPER " + getType(type) + " " + name + "(" +
                      type.getLane().getName() + " a) {\n  return " +
                      make(type,
                           llvm::SmallVector<std::string>(type.lanes, "a")) +
                      ";\n}\n";
             }) +
         "(" + lane + ")";
}

std::string Helpers::getLanewise(
    const std::string &name, const CType &result,
    llvm::ArrayRef<CType> parameters,
    llvm::function_ref<std::string(llvm::ArrayRef<std::string>)> lane,
    const std::string &native) {
  return get(name, [&](const std::string &unique) {
    std::string list;
    llvm::SmallVector<std::string> lanes;
    for (unsigned i = 0; i < std::max(result.lanes, 1u); ++i) {
      llvm::SmallVector<std::string> operands;
      for (auto [number, type] : llvm::enumerate(parameters)) {
        const std::string parameter(1, char('a' + number));
        operands.push_back(type.isVector()
                               ? getLane(type, parameter, llvm::Twine(i))
                               : parameter);
      }
      lanes.push_back(lane(operands));
    }
    for (auto [number, type] : llvm::enumerate(parameters)) {
      const std::string typeName = getType(type);
      list += (number ? ", " : "") + typeName +
              (llvm::StringRef(typeName).ends_with("*") ? "" : " ") +
              char('a' + number);
    }
    const std::string head =
        "HELPER " + getType(result) + " " + unique + "(" + list + ") {\n";
    const std::string portable =
        "  return " + (result.isVector() ? make(result, lanes) : lanes[0]) +
        ";\n";
    if (native.empty() ||
        !llvm::all_of(parameters,
                      [](const CType &type) {
                        return !type.isVector() || isNative(type);
                      }) ||
        (result.isVector() && !isNative(result)))
      return head + portable + "}\n";
    return "#if VECTORS\n" + head + "  return " + native + ";\n}\n#else\n" +
           head + portable + "}\n#endif\n";
  });
}

std::string Helpers::getLoad(const CType &type, uint64_t alignment) {
  const bool isUsual = alignment == type.getWidth() / 8;
  const std::string suffix =
      type.kind == CType::Kind::Pointer && !type.isVector()
          ? "pointer"
          : type.getShortName();
  return get(
      "load_" + suffix + (isUsual ? "" : "_" + std::to_string(alignment)),
      [&](const std::string &name) {
        const std::string typeName = getType(type);
        return "HELPER " + typeName +
               (llvm::StringRef(typeName).ends_with("*") ? "" : " ") + name +
               "(const char *p) {\n  " + typeName +
               (llvm::StringRef(typeName).ends_with("*") ? "" : " ") +
               "a;\n  memcpy(&a, ALIGNED(p, " + std::to_string(alignment) +
               "), sizeof a);\n  return a;\n}\n";
      });
}

std::string Helpers::getStore(const CType &type, uint64_t alignment) {
  const bool isUsual = alignment == type.getWidth() / 8;
  const std::string suffix =
      type.kind == CType::Kind::Pointer && !type.isVector()
          ? "pointer"
          : type.getShortName();
  return get("store_" + suffix +
                 (isUsual ? "" : "_" + std::to_string(alignment)),
             [&](const std::string &name) {
               const std::string typeName = getType(type);
               return "HELPER void " + name + "(char *p, " + typeName +
                      (llvm::StringRef(typeName).ends_with("*") ? "" : " ") +
                      "a) {\n  memcpy(ALIGNED(p, " + std::to_string(alignment) +
                      "), &a, sizeof a);\n}\n";
             });
}

//===----------------------------------------------------------------------===//
// Numbers of other types
//===----------------------------------------------------------------------===//

namespace {
struct FixedHelper {
  llvm::StringLiteral name;
  /// Names of what it uses, with spaces between.
  llvm::StringLiteral uses;
  llvm::StringLiteral text;
};
} // namespace

static constexpr FixedHelper kFixed[] = {
    {"f32_from_bits", "", R"(HELPER float f32_from_bits(uint32_t bits) {
  float a;
  memcpy(&a, &bits, sizeof a);
  return a;
}
)"},
    {"bits_from_f32", "", R"(HELPER uint32_t bits_from_f32(float a) {
  uint32_t bits;
  memcpy(&bits, &a, sizeof bits);
  return bits;
}
)"},
    {"f64_from_bits", "", R"(HELPER double f64_from_bits(uint64_t bits) {
  double a;
  memcpy(&a, &bits, sizeof a);
  return a;
}
)"},
    {"bits_from_f64", "", R"(HELPER uint64_t bits_from_f64(double a) {
  uint64_t bits;
  memcpy(&bits, &a, sizeof bits);
  return bits;
}
)"},
    {"near_fma_f32", "",
     R"(HELPER float near_fma_f32(float a, float b, float c) {
#if FUSED
  return fmaf(a, b, c);
#else
  return (float)((double)a * (double)b + (double)c);
#endif
}
)"},
    // The product and the sum with what they lack, by Dekker and Knuth. Where
    // that is not finite, or the same but for the sign of a zero, it is as if
    // rounded twice.
    {"near_fma_f64", "",
     R"(HELPER double near_fma_f64(double a, double b, double c) {
#if FUSED
  return fma(a, b, c);
#else
  const double as = a * 134217729.0, ah = as - (as - a), al = a - ah;
  const double bs = b * 134217729.0, bh = bs - (bs - b), bl = b - bh;
  const double product = a * b, sum = product + c, part = sum - product;
  const double lost = ah * bh - product + ah * bl + al * bh + al * bl;
  const double result =
      sum + (product - (sum - part) + (c - part) + lost);
  return result < sum || result > sum ? result : sum;
#endif
}
)"},
    {"f32_from_f16", "f32_from_bits",
     R"(HELPER float f32_from_f16(uint16_t a) {
  const uint32_t sign = (uint32_t)(a & 0x8000u) << 16, rest = a & 0x7fffu;
  if (rest >= 0x7c00u)
    return f32_from_bits(sign | 0x7f800000u | ((rest & 0x3ffu) << 13) |
                         (rest > 0x7c00u ? 0x400000u : 0u));
  if (rest >= 0x400u)
    return f32_from_bits(sign | ((rest << 13) + 0x38000000u));
  return sign ? -((float)rest * 0x1p-24f) : (float)rest * 0x1p-24f;
}
)"},
    {"f16_from_f32", "f32_from_bits bits_from_f32",
     R"(HELPER uint16_t f16_from_f32(float a) {
  const uint32_t bits = bits_from_f32(a), rest = bits & 0x7fffffffu;
  const uint32_t sign = bits >> 16 & 0x8000u;
  if (rest > 0x7f800000u)
    return (uint16_t)(sign | 0x7e00u | (rest >> 13 & 0x3ffu));
  if (rest >= 0x477ff000u)
    return (uint16_t)(sign | 0x7c00u);
  if (rest < 0x38800000u) {
    /* Units of the last place of 0.5 are those of subnormal f16. */
    const float sum = f32_from_bits(rest) + 0.5f;
    return (uint16_t)(sign | (bits_from_f32(sum) - 0x3f000000u));
  }
  return (uint16_t)(sign |
                    ((rest + 0xfffu + (rest >> 13 & 1u) - 0x38000000u) >> 13));
}
)"},
    {"f32_from_bf16", "f32_from_bits",
     R"(HELPER float f32_from_bf16(uint16_t a) {
  return f32_from_bits((uint32_t)a << 16);
}
)"},
    {"bf16_from_f32", "bits_from_f32",
     R"(HELPER uint16_t bf16_from_f32(float a) {
  const uint32_t bits = bits_from_f32(a);
  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return (uint16_t)(bits >> 16 | 0x40u);
  return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}
)"},
    {"odd_from_f64", "f32_from_bits bits_from_f32",
     R"(/* Rounds to an odd last bit, which can be rounded once more. */
HELPER float odd_from_f64(double a) {
  const float near = (float)a;
  uint32_t bits = bits_from_f32(near);
  if ((double)near == a)
    return near;
  if (fabs((double)near) > fabs(a))
    bits -= 1u;
  return f32_from_bits(bits | 1u);
}
)"},
    {"f16_from_f64", "odd_from_f64 f16_from_f32",
     R"(HELPER uint16_t f16_from_f64(double a) {
  return f16_from_f32(odd_from_f64(a));
}
)"},
    {"bf16_from_f64", "odd_from_f64 bf16_from_f32",
     R"(HELPER uint16_t bf16_from_f64(double a) {
  return bf16_from_f32(odd_from_f64(a));
}
)"},
    {"f64_from_u64_odd", "",
     R"(/* Rounds to an odd last bit, which can be rounded once more. */
HELPER double f64_from_u64_odd(uint64_t a) {
  if (a >> 53 == 0u)
    return (double)a;
  return (double)(a >> 11 | ((a & 0x7ffu) != 0u)) * 2048.0;
}
)"},
    {"f64_from_s64_odd", "f64_from_u64_odd",
     R"(HELPER double f64_from_s64_odd(uint64_t a) {
  return a >> 63 ? -f64_from_u64_odd(0u - a) : f64_from_u64_odd(a);
}
)"},
    {"class_f32", "bits_from_f32",
     R"(/* The bit of a number's class: of NaNs, infinities, and so on. */
HELPER uint32_t class_f32(float a) {
  const uint32_t bits = bits_from_f32(a), rest = bits & 0x7fffffffu;
  if (rest > 0x7f800000u)
    return rest & 0x400000u ? 2u : 1u;
  if (bits >> 31)
    return rest == 0x7f800000u ? 4u
           : rest >= 0x800000u ? 8u
           : rest != 0u        ? 16u
                               : 32u;
  return rest == 0x7f800000u ? 512u
         : rest >= 0x800000u ? 256u
         : rest != 0u        ? 128u
                             : 64u;
}
)"},
    {"class_f64", "bits_from_f64",
     R"(/* The bit of a number's class: of NaNs, infinities, and so on. */
HELPER uint32_t class_f64(double a) {
  const uint64_t infinity = UINT64_C(0x7ff0000000000000),
                 least = UINT64_C(0x10000000000000);
  const uint64_t bits = bits_from_f64(a), rest = bits & ~(UINT64_C(1) << 63);
  if (rest > infinity)
    return rest & least >> 1 ? 2u : 1u;
  if (bits >> 63)
    return rest == infinity ? 4u : rest >= least ? 8u : rest != 0u ? 16u : 32u;
  return rest == infinity ? 512u
         : rest >= least  ? 256u
         : rest != 0u     ? 128u
                          : 64u;
}
)"},
    {"popcount", "", R"(HELPER uint64_t popcount(uint64_t a) {
  uint64_t count = 0u;
  for (; a != 0u; a &= a - 1u)
    ++count;
  return count;
}
)"},
    {"leading_zeros", "", R"(/* Of a number of so many bits. */
HELPER uint64_t leading_zeros(uint64_t a, uint64_t bits) {
  for (; a != 0u; a >>= 1)
    --bits;
  return bits;
}
)"},
    {"trailing_zeros", "", R"(/* Of a number of so many bits. */
HELPER uint64_t trailing_zeros(uint64_t a, uint64_t bits) {
  uint64_t count = 0u;
  for (; count < bits && (a & 1u) == 0u; a >>= 1)
    ++count;
  return count;
}
)"},
};

std::string Helpers::getFixed(llvm::StringRef name) {
  for (const FixedHelper &helper : kFixed) {
    if (helper.name != name)
      continue;
    return get(name.str(), [&](const std::string &unique) {
      llvm::SmallVector<llvm::StringRef> uses;
      llvm::StringRef(helper.uses).split(uses, ' ', -1, /*KeepEmpty=*/false);
      std::string text = helper.text.str();
      uses.push_back(name);
      for (llvm::StringRef use : uses) {
        const std::string actual = use == name ? unique : getFixed(use);
        for (size_t at = 0;
             (at = text.find(use.str() + "(", at)) != std::string::npos;
             at += actual.size())
          if (at == 0 || !(llvm::isAlnum(text[at - 1]) || text[at - 1] == '_'))
            text.replace(at, use.size(), actual);
      }
      return text;
    });
  }
  llvm_unreachable("unknown function of the file");
}

/// near_fma_f32 for vectors of the compiler.
static constexpr llvm::StringLiteral kNearF32 =
    R"(  return __builtin_convertvector(
      __builtin_convertvector(a, @D) * __builtin_convertvector(b, @D) +
          __builtin_convertvector(c, @D),
      @T);
)";

std::string Helpers::getNearFma(const CType &type) {
  std::string scalar = getFixed("near_fma_" + type.getLane().getShortName());
  if (!type.isVector())
    return scalar;
  auto apply = [&](llvm::ArrayRef<std::string> lanes) {
    return scalar + "(" + llvm::join(lanes, ", ") + ")";
  };
  const std::string name = "near_fma_" + type.getShortName();
  // Lanes of f64 are as fast one by one.
  if (!isNative(type) || type.kind == CType::Kind::F64)
    return getLanewise(name, type, {type, type, type}, apply);
  return get(name, [&](const std::string &unique) {
    CType wide = type;
    wide.kind = CType::Kind::F64;
    const std::string own = getType(type), extended = getType(wide);
    llvm::SmallVector<std::string> lanes;
    for (unsigned i = 0; i < type.lanes; ++i)
      lanes.push_back(apply({getLane(type, "a", llvm::Twine(i)),
                             getLane(type, "b", llvm::Twine(i)),
                             getLane(type, "c", llvm::Twine(i))}));
    return "HELPER " + own + " " + unique + "(" + own + " a, " + own + " b, " +
           own + " c) {\n#if VECTORS && !FUSED\n" +
           substitute(kNearF32, {{"D", extended}, {"T", own}}) +
           "#else\n  return " + make(type, lanes) + ";\n#endif\n}\n";
  });
}

//===----------------------------------------------------------------------===//
// Integers of more than 64 bits
//===----------------------------------------------------------------------===//

static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> kWide[] = {
    {"add", R"(HELPER @T @NAME(@T a, @T b) {
  uint64_t sum = 0u;
  int i;
  for (i = 0; i < @N; ++i) {
    sum += (uint64_t)a.limb[i] + b.limb[i];
    a.limb[i] = (uint32_t)sum;
    sum >>= 32;
  }
  return a;
}
)"},
    {"sub", R"(HELPER @T @NAME(@T a, @T b) {
  uint64_t sum = 1u;
  int i;
  for (i = 0; i < @N; ++i) {
    sum += (uint64_t)a.limb[i] + (uint32_t)~b.limb[i];
    a.limb[i] = (uint32_t)sum;
    sum >>= 32;
  }
  return a;
}
)"},
    {"mul", R"(HELPER @T @NAME(@T a, @T b) {
  @T product = {{0u}};
  int i, j;
  for (i = 0; i < @N; ++i) {
    uint64_t carry = 0u;
    for (j = 0; i + j < @N; ++j) {
      carry += (uint64_t)a.limb[i] * b.limb[j] + product.limb[i + j];
      product.limb[i + j] = (uint32_t)carry;
      carry >>= 32;
    }
  }
  return product;
}
)"},
    {"and", R"(HELPER @T @NAME(@T a, @T b) {
  int i;
  for (i = 0; i < @N; ++i)
    a.limb[i] &= b.limb[i];
  return a;
}
)"},
    {"or", R"(HELPER @T @NAME(@T a, @T b) {
  int i;
  for (i = 0; i < @N; ++i)
    a.limb[i] |= b.limb[i];
  return a;
}
)"},
    {"xor", R"(HELPER @T @NAME(@T a, @T b) {
  int i;
  for (i = 0; i < @N; ++i)
    a.limb[i] ^= b.limb[i];
  return a;
}
)"},
    {"part",
     R"(/* The 32 bits that begin at a bit, with the sign above the end. */
HELPER uint32_t @NAME(@T a, int64_t bit, uint32_t sign) {
  const int64_t i = bit >= 0 ? bit / 32 : -((31 - bit) / 32);
  const int shift = (int)(bit - i * 32);
  const uint32_t low = i < 0 ? 0u : i < @N ? a.limb[i] : sign,
                 high = i + 1 < 0 ? 0u : i + 1 < @N ? a.limb[i + 1] : sign;
  return shift == 0 ? low : low >> shift | high << (32 - shift);
}
)"},
    {"shl", R"(HELPER @T @NAME(@T a, @T b) {
  const int64_t by = (int64_t)(b.limb[0] % (@Nu * 32u));
  @T shifted;
  int i;
  for (i = 0; i < @N; ++i)
    shifted.limb[i] = @part(a, i * 32 - by, 0u);
  return shifted;
}
)"},
    {"lshr", R"(HELPER @T @NAME(@T a, @T b) {
  const int64_t by = (int64_t)(b.limb[0] % (@Nu * 32u));
  @T shifted;
  int i;
  for (i = 0; i < @N; ++i)
    shifted.limb[i] = @part(a, i * 32 + by, 0u);
  return shifted;
}
)"},
    {"ashr", R"(HELPER @T @NAME(@T a, @T b) {
  const int64_t by = (int64_t)(b.limb[0] % (@Nu * 32u));
  const uint32_t sign = a.limb[@N - 1] >> 31 ? 0xffffffffu : 0u;
  @T shifted;
  int i;
  for (i = 0; i < @N; ++i)
    shifted.limb[i] = @part(a, i * 32 + by, sign);
  return shifted;
}
)"},
    {"zext", R"(HELPER @T @NAME(uint64_t a) {
  @T wide = {{0u}};
  wide.limb[0] = (uint32_t)a;
  wide.limb[1] = (uint32_t)(a >> 32);
  return wide;
}
)"},
    {"sext", R"(HELPER @T @NAME(uint64_t a) {
  @T wide;
  int i;
  for (i = 0; i < @N; ++i)
    wide.limb[i] = a >> 63 ? 0xffffffffu : 0u;
  wide.limb[0] = (uint32_t)a;
  wide.limb[1] = (uint32_t)(a >> 32);
  return wide;
}
)"},
    {"trunc", R"(HELPER uint64_t @NAME(@T a) {
  return (uint64_t)a.limb[1] << 32 | a.limb[0];
}
)"},
    {"eq", R"(HELPER int @NAME(@T a, @T b) {
  int i;
  for (i = 0; i < @N; ++i)
    if (a.limb[i] != b.limb[i])
      return 0;
  return 1;
}
)"},
    {"ult", R"(HELPER int @NAME(@T a, @T b) {
  int i;
  for (i = @N - 1; i >= 0; --i)
    if (a.limb[i] != b.limb[i])
      return a.limb[i] < b.limb[i];
  return 0;
}
)"},
    {"slt", R"(HELPER int @NAME(@T a, @T b) {
  a.limb[@N - 1] ^= UINT32_C(0x80000000);
  b.limb[@N - 1] ^= UINT32_C(0x80000000);
  return @ult(a, b);
}
)"},
};

std::string Helpers::getWide(llvm::StringRef operation, const CType &type) {
  for (const auto &[known, text] : kWide)
    if (known == operation)
      return get((operation + "_" + type.getShortName()).str(),
                 [&, body = llvm::StringRef(text)](const std::string &name) {
                   const std::string typeName = getType(type);
                   llvm::SmallVector<std::pair<llvm::StringRef, std::string>>
                       values = {{"NAME", name},
                                 {"N", std::to_string(type.bits / 32)},
                                 {"T", typeName}};
                   for (llvm::StringRef use : {"part", "ult"})
                     if (use != operation && body.contains(("@" + use).str()))
                       values.push_back({use, getWide(use, type)});
                   return substitute(body, values);
                 });
  throw Unsupported{("the operation " + operation + " on integers of " +
                     llvm::Twine(type.bits) + " bits")
                        .str()};
}

//===----------------------------------------------------------------------===//
// The beginning of the file
//===----------------------------------------------------------------------===//

static constexpr llvm::StringLiteral kPrologue = R"(#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef __FAST_MATH__
#error "results depend on NaNs and on the order of sums: no -ffast-math, please"
#endif
#if defined(__BYTE_ORDER__) && defined(__ORDER_BIG_ENDIAN__)
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#error "the code is for processors with the lowest byte first"
#endif
#endif

/* Products and sums are rounded one by one. */
#if defined(_MSC_VER) && !defined(__clang__)
#pragma fp_contract(off)
#elif defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("fp-contract=off")
#else
#pragma STDC FP_CONTRACT OFF
#endif

/* Vectors of GCC and Clang. With @PORTABLE, or another compiler, they are
 * structs. */
#if !defined(@PORTABLE) && defined(__clang__)
#define VECTORS 1
#elif !defined(@PORTABLE) && defined(__GNUC__) && __GNUC__ >= 12
#define VECTORS 1
#else
#define VECTORS 0
#endif

/* Whether fma() is an instruction. Functions like exp are computed with it, or
 * with more bits than those of their type. */
#if defined(@FMA)
#define FUSED @FMA
#elif defined(FP_FAST_FMA) || defined(__FMA__) || defined(__FMA4__) || \
    defined(__aarch64__)
#define FUSED 1
#else
#define FUSED 0
#endif

#if VECTORS
#pragma GCC diagnostic ignored "-Wpsabi"
#define LANE(v, i) ((v)[i])
#define MAKE(T, ...) ((T){__VA_ARGS__})
#else
#define LANE(v, i) ((v).lane[i])
#define MAKE(T, ...) ((T){{__VA_ARGS__}})
#endif

#ifdef __GNUC__
#define HELPER static inline __attribute__((always_inline, unused))
#define ALIGNED(p, bytes) __builtin_assume_aligned(p, bytes)
#define ALIGN(bytes) __attribute__((aligned(bytes)))
#define PREFETCH(p, forWriting, locality) \
  __builtin_prefetch(p, forWriting, locality)
#else
#define HELPER static inline
#define ALIGNED(p, bytes) (p)
#if defined(_MSC_VER)
#define ALIGN(bytes) __declspec(align(bytes))
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define ALIGN(bytes) _Alignas(bytes)
#else
#define ALIGN(bytes)
#endif
#define PREFETCH(p, forWriting, locality) ((void)(p))
#endif

/* An address so many bytes after another one. */
#define AT(p, bytes) ((char *)((uintptr_t)(p) + (uintptr_t)(bytes)))
)";

std::string mlir::tg::c::getPrologue(const PrintCOptions &options) {
  return options.introduction +
         substitute(
             kPrologue,
             {{"PORTABLE", llvm::StringRef(options.name).upper() + "_PORTABLE"},
              {"FMA", llvm::StringRef(options.name).upper() + "_FMA"}});
}
