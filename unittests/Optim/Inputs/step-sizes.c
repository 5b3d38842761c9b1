/* Calls a library of a captured step with memory of the actual sizes. Behind it
 * are pages that nothing can access, or, with HEAP, what AddressSanitizer
 * guards. */
#define _GNU_SOURCE
#include "net.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef HEAP
#include <sys/mman.h>
#include <unistd.h>
#endif

enum { kBehind = 0xa5, kAll = 6 };
static struct {
  char *memory, *end, *limit;
} all[kAll];
static int used = 0;

static void *get(size_t bytes, size_t alignment) {
#ifdef HEAP
  char *begin = NULL;
  if (alignment < sizeof(void *))
    alignment = sizeof(void *);
  if (posix_memalign((void **)&begin, alignment, bytes) != 0)
    abort();
  all[used].memory = begin;
  all[used++].end = begin + bytes;
  return begin;
#else
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *memory = all[used].memory;
  if (!memory) {
    memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory + page, page, PROT_NONE) != 0)
      abort();
    all[used].memory = memory;
    all[used].limit = memory + page;
  }
  memset(memory, kBehind, page);
  char *begin = memory + page - (bytes + alignment - 1) / alignment * alignment;
  all[used++].end = begin + bytes;
  return begin;
#endif
}

static void release(void) {
  for (int i = 0; i < used; ++i) {
#ifdef HEAP
    free(all[i].memory);
#else
    for (char *at = all[i].end; at != all[i].limit; ++at)
      if (*(unsigned char *)at != kBehind) {
        printf("memory %d is written behind its end\n", i);
        exit(1);
      }
#endif
  }
  used = 0;
}

static void expect(int holds, const char *what, int64_t n) {
  if (holds)
    return;
  printf("%s is wrong for n = %lld\n", what, (long long)n);
  exit(1);
}

static void run(const net_state *state, int64_t n) {
  const size_t rows = (size_t)n;
  float *x = get(rows * 32, 4), *v = get(rows * 4, 4);
  float *y = get(rows * 16, 64), *sums = get(16, 64),
        *first = get(rows * 16, 64), *last = get(16, 64);
  float expected[4] = {0, 0, 0, 0};
  for (int64_t i = 0; i < n * 8; ++i)
    x[i] = (float)(i * 7 % 13) - 6;
  for (int64_t i = 0; i < n; ++i)
    v[i] = (float)i;
  expect(net_step(state, x, v, y, sums, first, last, n) == NET_OK, "status", n);
  for (int64_t i = 0; i < n; ++i) {
    expect(v[i] == (float)i + 1, "v", n);
    for (int j = 0; j < 4; ++j) {
      float sum = 0;
      for (int k = 0; k < 8; ++k)
        sum += x[i * 8 + k] * state->w[k][j];
      sum = sum > 0 ? sum : 0;
      expect(y[i * 4 + j] == sum, "y", n);
      expect(first[i * 4 + j] == state->table[i][j] + 1, "first", n);
      expected[j] += sum;
    }
  }
  expect(memcmp(sums, expected, sizeof expected) == 0, "sums", n);
  expect(memcmp(last, state->table[n - 1], sizeof expected) == 0, "last", n);
  release();
}

int main(void) {
  static net_state state;
  NET_ALIGNED float memory[3][64];
  NET_ALIGNED float sums[4], last[4];
  if (net_init(&state) != NET_OK)
    return 1;
  for (int64_t n = 1; n <= 64; ++n)
    run(&state, n);
  /* Two rows are 16 numbers of y and of x; 65 rows are too many. */
  float v[64] = {0};
  memset(memory, 0, sizeof memory);
  expect(net_step(&state, memory[0], v, &memory[0][16], sums, memory[1], last,
                  2) == NET_OK,
         "neighbors", 2);
  expect(net_step(&state, memory[0], v, &memory[0][16], sums, memory[1], last,
                  3) == NET_ERROR_OVERLAP,
         "overlap", 3);
  expect(net_step(&state, memory[0], v, memory[1], sums, memory[2], last, 65) ==
             NET_ERROR_SIZE,
         "bound", 65);
  expect(net_step(&state, memory[0], v, memory[1], sums, memory[2], last, 0) ==
             NET_ERROR_SIZE,
         "bound", 0);
  printf("passed\n");
  return 0;
}
