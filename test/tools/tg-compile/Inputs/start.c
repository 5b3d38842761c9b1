/* What a program needs to run without a C library, on AArch64: it calls
 * functions of a library of ours, and ends with the status 0 if results are
 * right. */
#include "net.h"

static NET_ALIGNED net_state state;
static NET_ALIGNED float x[64][16], y[64][4];
#ifdef NET_FORWARD_SCRATCH_BYTES
static NET_ALIGNED char scratch[NET_FORWARD_SCRATCH_BYTES];
#define SCRATCH , scratch
#else
#define SCRATCH
#endif

void *memcpy(void *to, const void *from, size_t count) {
  char *dest = to;
  const char *source = from;
  while (count-- > 0)
    *dest++ = *source++;
  return to;
}

static int test(void) {
  if (net_supported() != NET_OK || net_init(&state) != NET_OK)
    return 1;
  for (int i = 0; i < 64; ++i)
    for (int j = 0; j < 16; ++j)
      x[i][j] = (float)((i * 3 + j) % 7);
  if (net_forward(&state, &x[0][0], &y[0][0], 50 SCRATCH) != NET_OK)
    return 2;
  for (int i = 0; i < 50; ++i)
    for (int j = 0; j < 4; ++j) {
      float sum = 1;
      for (int k = 0; k < 16; ++k)
        sum += x[i][k] * (float)(k - j);
      if (y[i][j] != sum)
        return 3;
    }
#ifdef STATE_FILES
  static char file[NET_STATE_FILE_BYTES];
  const float last = state.weight[15][3];
  if (net_save(&state, file, sizeof file, 0) != NET_OK)
    return 4;
  state.weight[15][3] = 1000;
  if (net_load(&state, file, sizeof file) != NET_OK ||
      state.weight[15][3] != last)
    return 5;
  file[8] = '[';
  if (net_load(&state, file, sizeof file) != NET_ERROR_FORMAT)
    return 6;
#endif
  return net_forward(&state, &x[0][0], &y[0][1], 50 SCRATCH) !=
         NET_ERROR_ALIGNMENT;
}

void _start(void) {
  register long status __asm__("x0") = test();
  register long number __asm__("x8") = 94; /* exit_group */
  __asm__ volatile("svc 0" : : "r"(status), "r"(number));
}
