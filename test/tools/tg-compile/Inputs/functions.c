/* The largest errors of the functions of functions.mlir, in units in the last
 * place: of f32 compared with libm's double, of f64 with its long double.
 *
 *     program STEP BOUND
 *
 * Takes each STEP-th number of f32, and as many of f64. A result that is wrong
 * otherwise (infinite, not a number, of the other sign), or by more than BOUND
 * units, is an error. */
#include "net.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1024 };

static int failures;
static double bound;

/* The error of y in units of the last place of the reference: p bits, and
 * exponents from least on. */
static double getError(double y, long double reference, int p, int least,
                       long double largest) {
  int exponent;
  if (isnan(reference) || isnan(y))
    return isnan(reference) && isnan(y) ? 0 : HUGE_VAL;
  if (fabsl(reference) > largest || isinf(y)) {
    /* Just beyond the largest number is near enough. */
    const long double limit = largest * (1 + ldexpl(1, 2 - p));
    const long double size = isinf(y) ? fabsl(reference) : fabs(y);
    if (isinf(y) && isinf(reference))
      return !signbit(y) == !signbit(reference) ? 0 : HUGE_VAL;
    return size >= largest * (1 - ldexpl(1, 2 - p)) &&
                   (isinf(y) || fabsl(reference) <= limit)
               ? 0
               : HUGE_VAL;
  }
  if (reference == 0)
    return y == 0 && !signbit(y) == !signbit(reference) ? 0 : HUGE_VAL;
  frexpl(reference, &exponent);
  if (exponent < least)
    exponent = least;
  return (double)(fabsl(y - reference) / ldexpl(1, exponent - p));
}

static void report(const char *name, double worst, double at) {
  printf("%s: %.2f at %a\n", name, worst, at);
  failures += !(worst <= bound);
}

static uint64_t next(uint64_t *state) {
  *state =
      *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return *state >> 11 ^ *state << 40;
}

#define FLT_LARGEST 0x1.fffffep127L
#define DBL_LARGEST 0x1.fffffffffffffp1023L

#define SINGLE(function)                                                       \
  static void check_##function##_f32(uint64_t step) {                          \
    static NET_ALIGNED float x[N], y[N];                                       \
    double worst = 0, at = 0;                                                  \
    uint64_t bits = 0;                                                         \
    int i;                                                                     \
    while (bits < (uint64_t)1 << 32) {                                         \
      for (i = 0; i < N; ++i, bits += step) {                                  \
        const uint32_t low = (uint32_t)bits;                                   \
        memcpy(&x[i], &low, 4);                                                \
      }                                                                        \
      if (net_##function##_f32(x, y) != NET_OK)                                \
        exit(2);                                                               \
      for (i = 0; i < N; ++i) {                                                \
        const double error =                                                   \
            getError(y[i], function((double)x[i]), 24, -125, FLT_LARGEST);     \
        if (error > worst) {                                                   \
          worst = error;                                                       \
          at = x[i];                                                           \
        }                                                                      \
      }                                                                        \
    }                                                                          \
    report(#function " f32", worst, at);                                       \
  }                                                                            \
  static void check_##function##_f64(uint64_t step) {                          \
    static NET_ALIGNED double x[N], y[N];                                      \
    double worst = 0, at = 0;                                                  \
    uint64_t state = 1, count;                                                 \
    int i;                                                                     \
    for (count = 0; count < (uint64_t)1 << 32; count += step * N) {            \
      for (i = 0; i < N; ++i) {                                                \
        /* Of any size, or of about 1. */                                      \
        uint64_t bits = next(&state);                                          \
        if (i % 2)                                                             \
          bits = (bits & ~(UINT64_C(0x7ff) << 52)) |                           \
                 (1008 + next(&state) % 25) << 52;                             \
        memcpy(&x[i], &bits, 8);                                               \
      }                                                                        \
      if (net_##function##_f64(x, y) != NET_OK)                                \
        exit(2);                                                               \
      for (i = 0; i < N; ++i) {                                                \
        const double error =                                                   \
            getError(y[i], function##l(x[i]), 53, -1021, DBL_LARGEST);         \
        if (error > worst) {                                                   \
          worst = error;                                                       \
          at = x[i];                                                           \
        }                                                                      \
      }                                                                        \
    }                                                                          \
    report(#function " f64", worst, at);                                       \
  }

SINGLE(exp2)
SINGLE(exp)
SINGLE(expm1)
SINGLE(log2)
SINGLE(log)
SINGLE(log1p)
SINGLE(sin)
SINGLE(cos)
SINGLE(tan)
SINGLE(asin)
SINGLE(acos)
SINGLE(atan)
SINGLE(tanh)
SINGLE(erf)

static void check_pow(uint64_t step) {
  static NET_ALIGNED float x[N], z[N], y[N];
  static NET_ALIGNED double dx[N], dz[N], dy[N];
  double worst = 0, at = 0, wideWorst = 0, wideAt = 0;
  uint64_t state = 1, count;
  int i;
  for (count = 0; count < (uint64_t)1 << 32; count += step * N) {
    for (i = 0; i < N; ++i) {
      /* Positive bases around 1, or of any size. */
      dx[i] = ldexp((double)(next(&state) >> 11) * 0x1p-53 + 0.5,
                    (int)(next(&state) % (i % 2 ? 3 : 61)) - (i % 2 ? 1 : 30));
      dz[i] = ((double)(next(&state) >> 11) * 0x1p-53 - 0.5) * 40;
      x[i] = (float)dx[i];
      z[i] = (float)dz[i];
    }
    if (net_pow_f32(x, z, y) != NET_OK || net_pow_f64(dx, dz, dy) != NET_OK)
      exit(2);
    for (i = 0; i < N; ++i) {
      double error = getError(y[i], pow(x[i], z[i]), 24, -125, FLT_LARGEST);
      if (error > worst) {
        worst = error;
        at = x[i];
      }
      error = getError(dy[i], powl(dx[i], dz[i]), 53, -1021, DBL_LARGEST);
      if (error > wideWorst) {
        wideWorst = error;
        wideAt = dx[i];
      }
    }
  }
  report("pow f32", worst, at);
  report("pow f64", wideWorst, wideAt);
}

int main(int argc, char **argv) {
  const uint64_t step = argc == 3 ? strtoull(argv[1], NULL, 10) : 0;
  bound = argc == 3 ? atof(argv[2]) : 0;
  if (step == 0)
    return 2;
  check_exp2_f32(step);
  check_exp2_f64(step);
  check_exp_f32(step);
  check_exp_f64(step);
  check_expm1_f32(step);
  check_expm1_f64(step);
  check_log2_f32(step);
  check_log2_f64(step);
  check_log_f32(step);
  check_log_f64(step);
  check_log1p_f32(step);
  check_log1p_f64(step);
  check_sin_f32(step);
  check_sin_f64(step);
  check_cos_f32(step);
  check_cos_f64(step);
  check_tan_f32(step);
  check_tan_f64(step);
  check_asin_f32(step);
  check_asin_f64(step);
  check_acos_f32(step);
  check_acos_f64(step);
  check_atan_f32(step);
  check_atan_f64(step);
  check_tanh_f32(step);
  check_tanh_f64(step);
  check_erf_f32(step);
  check_erf_f64(step);
  check_pow(step);
  puts(failures ? "failed" : "passed");
  return failures != 0;
}
