/* Calls every function of the library, as tg-compile made it with one set of
 * options or another, and checks results and errors. C99 and C++. */
#include "net.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;
#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      ++failures;                                                              \
      printf("line %d: %s\n", __LINE__, #condition);                           \
    }                                                                          \
  } while (0)

static NET_ALIGNED net_state state, other;
static float x[64][16];
static NET_ALIGNED float y[64][4], large[1024][1024];
static NET_ALIGNED double total[1024];
static NET_ALIGNED uint16_t half[1024][1024];
static NET_ALIGNED uint8_t mask[1024], flipped[1024];

#ifdef THREADS
/* Parts of unequal size, from the last to the first. */
static int numLoops;
static void runParts(void *context, int64_t extent,
                     void (*body)(void *data, int64_t begin, int64_t end),
                     void *data) {
  int64_t end = extent;
  CHECK(context == &numLoops);
  ++numLoops;
  while (end > 0) {
    const int64_t begin = end > 3 ? end - end / 3 : 0;
    body(data, begin, end);
    end = begin;
  }
}
static const net_threads threads = {&numLoops, runParts};
#ifdef TBB
#define WITH_THREADS , net_tbb()
#else
#define WITH_THREADS , &threads
#endif
#define WITHOUT_THREADS , 0
#else
#define WITH_THREADS
#define WITHOUT_THREADS
#endif

static int callForward(net_state *s, const float *rows, float *result,
                       int64_t n) {
#ifdef NET_FORWARD_SCRATCH_BYTES
  static NET_ALIGNED char scratch[NET_FORWARD_SCRATCH_BYTES];
  return net_forward(s, rows, result, n, scratch WITH_THREADS);
#else
  return net_forward(s, rows, result, n WITH_THREADS);
#endif
}

static int callLarge(void) {
#ifdef NET_LARGE_SCRATCH_BYTES
  static NET_ALIGNED char scratch[NET_LARGE_SCRATCH_BYTES];
  return net_large(&large[0][0], total, mask, &half[0][0], flipped,
                   scratch WITH_THREADS);
#else
  return net_large(&large[0][0], total, mask, &half[0][0],
                   flipped WITH_THREADS);
#endif
}

int main(void) {
  int i, j, k;
  int64_t n;
  CHECK(net_supported() == NET_OK);
  CHECK(strcmp(net_message(NET_OK), "no error") == 0);
  CHECK(strcmp(net_message(NET_ERROR_SIZE), "a size outside its bounds") == 0);
  CHECK(strcmp(net_message(NET_ERROR_PROCESSOR),
               "this processor cannot run the code") == 0);
  CHECK(strcmp(net_message(NET_ERROR_PROCESSOR + 1), "no status") == 0);
  CHECK(strcmp(net_message(-1), "no status") == 0);
  CHECK(strcmp(net_message(INT_MIN), "no status") == 0);
  CHECK(net_init(&state WITHOUT_THREADS) == NET_OK);
  for (i = 0; i < 16; ++i)
    for (j = 0; j < 4; ++j)
      CHECK(state.weight[i][j] == (float)(i - j));
  CHECK(state.bias[0] == 1);

  for (i = 0; i < 64; ++i)
    for (j = 0; j < 16; ++j)
      x[i][j] = (float)((i * 3 + j) % 7);
  for (n = 1; n <= 64; n += 21) {
    memset(y, 0xA5, sizeof(y));
    CHECK(callForward(&state, &x[0][0], &y[0][0], n) == NET_OK);
    for (i = 0; i < n; ++i)
      for (j = 0; j < 4; ++j) {
        float sum = 1;
        for (k = 0; k < 16; ++k)
          sum += x[i][k] * (float)(k - j);
        CHECK(y[i][j] == sum);
      }
    /* Rows behind the last one stay. */
    for (i = (int)n; i < 64; ++i)
      CHECK(memcmp(&y[i][0], "\xA5\xA5\xA5\xA5", 4) == 0);
  }

  /* A state is plain memory: a copy goes its own way. */
  memcpy(&other, &state, sizeof(state));
  other.bias[0] = 5;
  CHECK(callForward(&other, &x[0][0], &y[0][0], 1) == NET_OK);
  const float withFive = y[0][0];
  CHECK(callForward(&state, &x[0][0], &y[0][0], 1) == NET_OK);
  CHECK(withFive == y[0][0] + 4);

  for (i = 0; i < 1024; ++i) {
    total[i] = i;
    mask[i] = (uint8_t)(i % 3 == 0);
    for (j = 0; j < 1024; ++j)
      large[i][j] = (float)((i + j) % 2);
  }
  CHECK(callLarge() == NET_OK && callLarge() == NET_OK);
  for (i = 0; i < 1024; ++i) {
    CHECK(total[i] == i + 1024);
    CHECK(flipped[i] == (i % 3 != 0));
    CHECK(half[i][5] == ((i + 5) % 2 ? 0x3C00 : 0));
  }
#ifdef THREADS
  CHECK(threads.context == &numLoops);
#ifndef TBB
  CHECK(numLoops > 0);
#endif
#endif

  /* Mistakes: nothing is written. */
  memset(y, 0xA5, sizeof(y));
  CHECK(callForward(0, &x[0][0], &y[0][0], 1) == NET_ERROR_NULL);
  CHECK(callForward(&state, 0, &y[0][0], 1) == NET_ERROR_NULL);
  CHECK(callForward(&state, &x[0][0], 0, 1) == NET_ERROR_NULL);
  CHECK(callForward(&state, &x[0][0], &y[0][1], 1) == NET_ERROR_ALIGNMENT);
  CHECK(callForward(&state, (const float *)((const char *)x + 2), &y[0][0],
                    1) == NET_ERROR_ALIGNMENT);
  CHECK(callForward(&state, &x[0][0], &y[0][0], 0) == NET_ERROR_SIZE);
  CHECK(callForward(&state, &x[0][0], &y[0][0], 65) == NET_ERROR_SIZE);
  CHECK(callForward(&state, &x[0][0], &y[0][0], -1) == NET_ERROR_SIZE);
  CHECK(callForward(&state, &y[0][0], &y[0][0], 1) == NET_ERROR_OVERLAP);
  CHECK(callForward((net_state *)(void *)y, &x[0][0], &y[0][0], 1) ==
        NET_ERROR_OVERLAP);
  for (i = 0; i < 64; ++i)
    CHECK(memcmp(&y[i][0], "\xA5\xA5\xA5\xA5", 4) == 0);
  printf("%s\n", failures ? "failed" : "passed");
  return failures != 0;
}
