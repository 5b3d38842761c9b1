/* Calls a library with memory of the actual sizes, behind which every access is
 * a fault. */
#define _GNU_SOURCE
#include "net.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { kMost = 4, kBehind = 0xa5 };
static struct {
  char *memory, *end;
} all[8];
static int used = 0;

/* Memory that ends at the end of a page, but for the alignment. */
static void *get(size_t bytes, size_t alignment) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *memory = all[used].memory;
  if (!memory) {
    memory = mmap(NULL, (kMost + 1) * page, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      abort();
    mprotect(memory + kMost * page, page, PROT_NONE);
    all[used].memory = memory;
  }
  memset(memory, kBehind, kMost * page);
  char *begin =
      memory + kMost * page - (bytes + alignment - 1) / alignment * alignment;
  all[used++].end = begin + bytes;
  return begin;
}

/* Nothing was written to what lies between the memory and that page. */
static void checkEnds(void) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  for (int i = 0; i < used; ++i)
    for (char *at = all[i].end; at != all[i].memory + kMost * page; ++at)
      if (*(unsigned char *)at != kBehind) {
        printf("memory %d is written behind its end\n", i);
        exit(1);
      }
  used = 0;
}

static void expect(int holds, const char *what, int64_t n) {
  if (holds)
    return;
  printf("%s is wrong for n = %lld\n", what, (long long)n);
  exit(1);
}

static void scale(int64_t n) {
  float *x = get((size_t)n * 32, 4), *w = get(32, 4);
  float *y = get((size_t)n * 32, 64);
  for (int64_t i = 0; i < n * 8; ++i)
    x[i] = (float)(i % 11) - 4;
  for (int i = 0; i < 8; ++i)
    w[i] = (float)i + 1;
  expect(net_scale(x, w, y, n) == NET_OK, "scale", n);
  for (int64_t i = 0; i < n * 8; ++i)
    expect(y[i] == x[i] * w[i % 8], "y of scale", n);
  checkEnds();
}

static void sums(int64_t n, void *scratch) {
  (void)scratch;
  int32_t *x = get((size_t)n * 12, 4), *rows = get((size_t)n * 4, 64);
  int32_t *columns = get(12, 64), *turned = get(64 * 12, 64);
  int32_t *same = get((size_t)n * 12, 64);
  int32_t down[3] = {0, 0, 0};
  for (int64_t i = 0; i < n * 3; ++i) {
    x[i] = (int32_t)(i * i % 101) - 50;
    down[i % 3] += x[i];
  }
#ifdef NET_SUMS_SCRATCH_BYTES
  const int status = net_sums(x, rows, columns, turned, same, n, scratch);
#else
  const int status = net_sums(x, rows, columns, turned, same, n);
#endif
  expect(status == NET_OK, "sums", n);
  for (int64_t i = 0; i < n; ++i) {
    expect(rows[i] == x[3 * i] + x[3 * i + 1] + x[3 * i + 2], "rows", n);
    for (int j = 0; j < 3; ++j)
      expect(turned[64 * j + i] == x[3 * i + j], "turned", n);
  }
  expect(memcmp(columns, down, sizeof down) == 0, "columns", n);
  expect(memcmp(same, x, (size_t)n * 12) == 0, "same", n);
  checkEnds();
}

static void pad(int64_t n, void *scratch) {
  (void)scratch;
  float *x = get((size_t)n * 32, 4), *w = get(64 * 32, 4);
  int8_t *v = get((size_t)n, 1);
  float *y = get(32, 64), sum[8] = {0};
  for (int64_t i = 0; i < n; ++i)
    v[i] = (int8_t)i;
  for (int64_t i = 0; i < 512; ++i)
    w[i] = (float)(i % 5);
  for (int64_t i = 0; i < n * 8; ++i) {
    x[i] = (float)(i % 7);
    sum[i % 8] += x[i] * w[i];
  }
#ifdef NET_PAD_SCRATCH_BYTES
  const int status = net_pad(x, w, v, y, n, scratch);
#else
  const int status = net_pad(x, w, v, y, n);
#endif
  expect(status == NET_OK, "pad", n);
  expect(memcmp(y, sum, sizeof sum) == 0, "y of pad", n);
  for (int64_t i = 0; i < n; ++i)
    expect(v[i] == 2 * (int8_t)i, "v", n);
  checkEnds();
}

int main(void) {
  static char scratch[1 << 16] NET_ALIGNED;
  for (int64_t n = 1; n <= 64; ++n) {
    scale(n);
    sums(n, scratch);
    pad(n, scratch);
  }
  /* Arrays of the actual size may lie side by side. */
  NET_ALIGNED float both[2][16];
  float w[8] = {0};
  memset(both, 0, sizeof both);
  expect(net_scale(both[0], w, both[1], 2) == NET_OK, "neighbors", 2);
  expect(net_scale(both[0], w, both[1], 3) == NET_ERROR_OVERLAP, "overlap", 3);
  expect(net_scale(both[0], w, both[1], 65) == NET_ERROR_SIZE, "bound", 65);
  printf("passed\n");
  return 0;
}
