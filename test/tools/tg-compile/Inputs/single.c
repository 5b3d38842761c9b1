#include "net.h"

#include <stdio.h>

int main(void) {
  static float x[5][16];
  static NET_ALIGNED float y[16], z[5][16];
#ifdef NET_MAIN_SCRATCH_BYTES
  static NET_ALIGNED char scratch[NET_MAIN_SCRATCH_BYTES];
#define SCRATCH , scratch
#else
#define SCRATCH
#endif
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 16; ++j)
      x[i][j] = (float)(i + j);
  if (net_main(&x[0][0], y, &z[0][0], 4 SCRATCH) != NET_ERROR_SIZE ||
      net_main(&x[0][0], y, &z[0][0], 5 SCRATCH) != NET_OK)
    return 1;
  for (int j = 0; j < 16; ++j)
    if (y[j] != (float)(10 + 5 * j) || z[4][j] != x[4][j] - y[j])
      return 1;
  printf("passed\n");
  return 0;
}
