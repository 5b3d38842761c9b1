/* Calls the three functions of mixed-levels.mlir. */
#include "net.h"

static NET_ALIGNED float to[32];

int main(void) {
  float from[32];
  int i;
  for (i = 0; i < 32; ++i)
    from[i] = (float)(i - 9);
  if (net_graph(from, to) != NET_OK)
    return 1;
  for (i = 0; i < 32; ++i)
    if (to[i] != 2 * from[i])
      return 2;
  if (net_kernels(from, to) != NET_OK)
    return 3;
  for (i = 0; i < 32; ++i)
    if (to[i] != from[i] * from[i])
      return 4;
  if (net_scheduled(from, to) != NET_OK)
    return 5;
  for (i = 0; i < 32; ++i)
    if (to[i] != -from[i])
      return 6;
  return net_scheduled(to, to) == NET_ERROR_OVERLAP ? 0 : 7;
}
