/* Runs the function of old-processors.mlir on numbers of all sizes and signs.
 *
 *     program write FILE     writes the bits of the results
 *     program compare FILE   compares them with a file
 *     program others FILE    the same without functions that consist of
 *                            polynomials
 *
 * A library for a processor that this machine is not has passed. */
#include "net.h"

#include <stdio.h>
#include <string.h>

#define N 1027

typedef struct Results {
  NET_ALIGNED float single[N];
  NET_ALIGNED double twice[N];
  NET_ALIGNED uint16_t half[N];
  NET_ALIGNED uint16_t narrowed[N];
  NET_ALIGNED uint16_t brain[N];
  NET_ALIGNED float whole[N];
  NET_ALIGNED double integral[N];
  NET_ALIGNED int32_t count[N];
  NET_ALIGNED float fused[N];
  NET_ALIGNED double fusedTwice[N];
} Results;

static uint64_t next(uint64_t *state) {
  *state =
      *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return *state >> 11 ^ *state << 40;
}

/* A number of any size, of about 1, or with few digits. */
static double makeNumber(uint64_t *state, int kind) {
  const uint64_t sign = (uint64_t)1 << 63, infinity = UINT64_C(0x7ff) << 52;
  uint64_t bits = next(state);
  double number;
  /* Signs and payloads of NaNs are those of the processor. */
  if ((bits & infinity) == infinity)
    bits &= sign | infinity;
  if (kind % 4 == 1)
    bits = (bits & ~infinity) | (1012 + next(state) % 20) << 52;
  if (kind % 4 == 2)
    bits = (bits & ~infinity & ~(uint64_t)0xffffffffffff) |
           (1000 + next(state) % 34) << 52;
  memcpy(&number, &bits, sizeof number);
  return number;
}

int main(int argc, char **argv) {
  static float x[N];
  static double d[N];
  static uint16_t h[N];
  static Results results, expected;
  uint64_t state = 1;
  FILE *file;
  int i, status;
  for (i = 0; i < N; ++i) {
    d[i] = makeNumber(&state, i);
    x[i] = (float)makeNumber(&state, i / 4);
    h[i] = (uint16_t)next(&state);
    if ((h[i] & 0x7c00) == 0x7c00)
      h[i] &= 0xfc00;
  }
  if (net_supported() != NET_OK && net_supported() != NET_ERROR_PROCESSOR)
    return 2;
  status = net_supported() == NET_OK
               ? net_run(x, d, h, results.single, results.twice, results.half,
                         results.narrowed, results.brain, results.whole,
                         results.integral, results.count, results.fused,
                         results.fusedTwice)
               : NET_OK;
  file = argc == 3 ? fopen(argv[2], argv[1][0] == 'w' ? "wb" : "rb") : NULL;
  if (status != NET_OK || !file)
    return 2;
  if (argv[1][0] == 'w')
    return fwrite(&results, sizeof results, 1, file) != 1 || fclose(file) != 0;
  if (fread(&expected, sizeof expected, 1, file) != 1)
    return 2;
#define COMPARE(member)                                                        \
  for (i = 0; i < N; ++i)                                                      \
    if (memcmp(&results.member[i], &expected.member[i],                        \
               sizeof results.member[i]) != 0) {                               \
      printf(#member " of x %a, d %a, h %#x\n", (double)x[i], d[i],            \
             (unsigned)h[i]);                                                  \
      return 1;                                                                \
    }
  if (net_supported() == NET_OK) {
    if (argv[1][0] == 'c') {
      COMPARE(single)
      COMPARE(twice)
    }
    COMPARE(half)
    COMPARE(narrowed)
    COMPARE(brain)
    COMPARE(whole)
    COMPARE(integral)
    COMPARE(count)
    COMPARE(fused)
    COMPARE(fusedTwice)
  }
  printf("passed\n");
  return 0;
}
