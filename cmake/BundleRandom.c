/* In the bundle's library for LLVM (TinyGradBundle.cmake), which then needs no
   glibc 2.36 for its temporary names. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

uint32_t arc4random(void);
uint32_t arc4random(void) {
  uint32_t value;
  if (getrandom(&value, sizeof(value), 0) != (ssize_t)sizeof(value))
    abort();
  return value;
}
