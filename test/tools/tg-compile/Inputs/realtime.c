/* Calls a library under RealtimeSanitizer, which ends the program where a
 * function that must not block allocates memory, takes a lock or makes a system
 * call. */
#include "net.h"

#include <stdio.h>
#include <stdlib.h>

static NET_ALIGNED net_state state;
static NET_ALIGNED float x[64][16], y[64][4];

static int step(void) __attribute__((nonblocking));
static int step(void) {
#ifdef BLOCKS
  free(malloc(64));
#endif
#ifdef NET_FORWARD_SCRATCH_BYTES
  static NET_ALIGNED char scratch[NET_FORWARD_SCRATCH_BYTES];
  return net_forward(&state, &x[0][0], &y[0][0], 64, scratch);
#else
  return net_forward(&state, &x[0][0], &y[0][0], 64);
#endif
}

int main(void) {
  if (net_supported() != NET_OK || net_init(&state) != NET_OK)
    return 1;
  for (int i = 0; i < 100; ++i)
    if (step() != NET_OK)
      return 1;
  printf("passed\n");
  return 0;
}
