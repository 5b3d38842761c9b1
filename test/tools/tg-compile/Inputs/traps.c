/* Calls a library where functions of memory end the program, and then where
 * each system call does. The kernel and this allocator know nothing of
 * sanitizers. `traps malloc`, `traps mprotect` and `traps call` show that each
 * is caught. */
#define _GNU_SOURCE
#include "net.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static int is_armed;

static void trap(const char *name) {
  if (!is_armed)
    return;
  is_armed = 0;
  printf("%s was called\n", name);
  fflush(stdout);
  _exit(2);
}

void *malloc(size_t size) {
  trap("malloc");
  return __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
  trap("calloc");
  return __libc_calloc(count, size);
}
void *realloc(void *old, size_t size) {
  trap("realloc");
  return __libc_realloc(old, size);
}
void *memalign(size_t alignment, size_t size) {
  trap("memalign");
  return __libc_memalign(alignment, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
  trap("aligned_alloc");
  return __libc_memalign(alignment, size);
}
int posix_memalign(void **result, size_t alignment, size_t size) {
  trap("posix_memalign");
  *result = __libc_memalign(alignment, size);
  return *result ? 0 : ENOMEM;
}
void free(void *old) {
  trap("free");
  __libc_free(old);
}
void *mmap(void *at, size_t size, int access, int flags, int file, off_t from) {
  trap("mmap");
  return (void *)syscall(SYS_mmap, at, size, access, flags, file, from);
}
int munmap(void *at, size_t size) {
  trap("munmap");
  return (int)syscall(SYS_munmap, at, size);
}
int mprotect(void *at, size_t size, int access) {
  trap("mprotect");
  return (int)syscall(SYS_mprotect, at, size, access);
}

static NET_ALIGNED net_state state;
static NET_ALIGNED float x[64][16], y[64][4];
static NET_ALIGNED float matrix[1024 * 1024];
static NET_ALIGNED double total[1024];
static NET_ALIGNED char mask[1024], flipped[1024];
static NET_ALIGNED short half[1024 * 1024];

static int step(const char *fault) {
  int failures = net_init(&state) != NET_OK;
  for (int64_t rows = 0; rows <= 65; ++rows) {
    const int is_right = rows >= 1 && rows <= 64;
    const int result = net_forward(&state, &x[0][0], &y[0][0], rows);
    failures += (result == NET_OK) != is_right;
  }
  failures += net_large(matrix, total, (void *)mask, (void *)half,
                        (void *)flipped) != NET_OK;
  if (strcmp(fault, "malloc") == 0) {
    void *volatile block = malloc(64);
    failures += block == NULL;
  }
  if (strcmp(fault, "mprotect") == 0)
    failures += mprotect(x, 4096, PROT_READ | PROT_WRITE) > 0;
  if (strcmp(fault, "call") == 0)
    failures += syscall(SYS_getppid) < 0;
  return failures;
}

int main(int argc, char **argv) {
  const char *fault = argc > 1 ? argv[1] : "";
  if (net_supported() != NET_OK)
    return 1;
  is_armed = 1;
  const int failures = step(fault);
  is_armed = 0;
  if (failures) {
    printf("%d wrong results\n", failures);
    return 1;
  }
  printf("memory: passed\n");
  fflush(stdout);

  const pid_t child = fork();
  if (child == 0) {
    /* From here on, any system call but read, write and exit ends the process.
     */
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
      _exit(3);
    syscall(SYS_exit, step(fault) ? 1 : 0);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child)
    return 1;
  if (WIFSIGNALED(status)) {
    printf("a system call: signal %d\n", WTERMSIG(status));
    return 2;
  }
  /* Where the kernel has no such mode, the sanitizer's test remains. */
  printf("system calls: %s\n", WEXITSTATUS(status) == 0   ? "passed"
                               : WEXITSTATUS(status) == 3 ? "not tried"
                                                          : "wrong results");
  return WEXITSTATUS(status) == 1;
}
