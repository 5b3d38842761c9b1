/* Runs functions of the library of library.mlir one instruction at a time, and
 * compares what it counts with the report: counts are no more than the report
 * says, and not much less where nothing but the counted code runs. Linux on
 * x86-64.
 *
 *     count LIBRARY.so REPORT.txt */
#include "net.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

/* The largest number of rows, and the one that takes most. */
#ifndef ROWS
#define ROWS 64
#define MOST_ROWS 63
#endif

static NET_ALIGNED net_state state;
static NET_ALIGNED float x[64][16], y[64][4];
static NET_ALIGNED char scratch[1 << 20];
static int64_t rows;

typedef int (*Forward)(const net_state *, const float *, float *, int64_t,
                       void *);
typedef int (*Init)(net_state *, void *);

/* The child: stops, calls the function, stops. */
static void run(void *function, int isInit) {
  ptrace(PTRACE_TRACEME, 0, 0, 0);
  raise(SIGSTOP);
  /* Further arguments do no harm. */
  const int status =
      isInit ? ((Init)function)(&state, scratch)
             : ((Forward)function)(&state, &x[0][0], &y[0][0], rows, scratch);
  raise(SIGSTOP);
  _exit(status);
}

/* Where the code of the library is. */
static void findCode(const char *path, uint64_t *begin, uint64_t *end) {
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[4096], flags[8];
  uint64_t first, last;
  *begin = *end = 0;
  while (maps && fgets(line, sizeof line, maps))
    if (strstr(line, path) &&
        sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s", &first, &last, flags) ==
            3 &&
        flags[2] == 'x') {
      *begin = first;
      *end = last;
    }
  if (maps)
    fclose(maps);
}

/* The number behind the text, in the part of the report that is about the
 * function. */
static uint64_t find(const char *report, const char *function,
                     const char *text) {
  char title[64];
  snprintf(title, sizeof title, "\n%s\n", function);
  const char *part = strstr(report, title);
  part = part ? strstr(part, text) : NULL;
  if (!part) {
    printf("the report has no '%s' of %s\n", text, function);
    exit(1);
  }
  return strtoull(part + strlen(text), NULL, 10);
}

static int check(void *library, const char *path, const char *report,
                 const char *name) {
  uint64_t begin, end;
  int status;
  void *function = dlsym(library, name);
  findCode(path, &begin, &end);
  const pid_t child = fork();
  if (child == 0)
    run(function, strcmp(name, "net_init") == 0);
  if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) {
    printf("the child does not stop\n");
    return 1;
  }
  /* From the first instruction of the function to the one behind it. */
  struct user_regs_struct registers;
  uint64_t count = 0, entry = 0, lowest = UINT64_MAX;
  for (;;) {
    if (ptrace(PTRACE_SINGLESTEP, child, 0, 0) != 0) {
      printf("cannot step: %s\n", strerror(errno));
      return 1;
    }
    waitpid(child, &status, 0);
    if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP)
      break;
    ptrace(PTRACE_GETREGS, child, 0, &registers);
    const int isInside = registers.rip >= begin && registers.rip < end;
    if (isInside && entry == 0)
      entry = registers.rsp;
    count += isInside ? 1 : 0;
    if (isInside && registers.rsp < lowest)
      lowest = registers.rsp;
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  const uint64_t most = find(report, name, "instructions: at most "),
                 stack = find(report, name, "stack: at most "),
                 /* The address to return to lies at the entry's. */
      used = entry + 8 - lowest;
  printf("%s, %d rows: %" PRIu64 " of %" PRIu64 " instructions, %" PRIu64
         " of %" PRIu64 " bytes of stack\n",
         name, (int)rows, count, most, used, stack);
  return count == 0 || count > most || used > stack ||
         /* The report is close for the number of rows that takes most. */
         (rows == MOST_ROWS && (count * 10 < most * 8 || stack > used + 128));
}

int main(int argc, char **argv) {
  static char report[1 << 16];
  FILE *file = fopen(argv[2], "r");
  void *library = dlopen(argv[1], RTLD_NOW);
  int failures = 0;
  if (argc != 3 || !file || !library) {
    printf("no library or report\n");
    return 1;
  }
  report[fread(report, 1, sizeof report - 1, file)] = 0;
  fclose(file);
  /* Products with zero take less where they are calls. */
  for (int i = 0; i < 64; ++i)
    for (int j = 0; j < 16; ++j) {
      x[i][j] = (float)(i + j + 1) / 97;
      state.weight[j][i % 4] = (float)(j - 5) / 31;
    }
  for (rows = 0; rows < ROWS; rows += 7)
    failures += rows > 0 && check(library, argv[1], report, "net_forward");
  rows = ROWS;
  failures += check(library, argv[1], report, "net_forward");
  rows = MOST_ROWS;
  failures += check(library, argv[1], report, "net_init");
  printf("%s\n", failures ? "failed" : "passed");
  return failures != 0;
}
