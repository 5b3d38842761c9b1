/* Calls main_operations with noise and with numbers that are often mistaken,
 * and prints a line for every 16 bytes that it writes. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main_operations(void *in, void *out);
int main_size(void *size);

#ifdef LLVM_CODE
/* What LLVM's code takes from its run-time library, which is not installed. The
 * result is in the register of a float. */
static double valueOf(uint32_t upper) {
  const uint32_t bits = upper << 16;
  float value;
  memcpy(&value, &bits, 4);
  /* The number that would follow the greatest one, instead of infinity. */
  return upper == 0x7f80u ? 0x1p128 : value;
}

__bf16 __truncdfbf2(double a) {
  uint64_t whole;
  uint32_t low = 0, high = 0x7f80u;
  uint16_t bits;
  __bf16 result;
  double size = a;
  memcpy(&whole, &a, 8);
  if (a != a) {
    bits = 0x7fc0u;
  } else {
    if (whole >> 63)
      size = -a;
    /* The greatest number that is not greater. */
    while (high - low > 1u) {
      const uint32_t middle = (low + high) / 2u;
      if (valueOf(middle) <= size)
        low = middle;
      else
        high = middle;
    }
    if (size >= 0x1p128)
      low = high;
    else if (size - valueOf(low) > valueOf(high) - size ||
             (size - valueOf(low) == valueOf(high) - size && low % 2u))
      low = high;
    bits = (uint16_t)(low | (whole >> 63) << 15);
  }
  memcpy(&result, &bits, 2);
  return result;
}

__bf16 __truncsfbf2(float a) { return __truncdfbf2(a); }
#endif

/* Floats and doubles: NaNs, infinities, zeros, halves, limits, subnormal
 * numbers. */
static const uint32_t special[] = {
    0x7fc00000u, 0x7f800000u, 0xff800000u, 0x00000000u, 0x80000000u,
    0x3f000000u, 0xbf000000u, 0x3fc00000u, 0x4f000000u, 0xcf000000u,
    0x00000001u, 0x80000001u, 0x7f7fffffu, 0x33800000u, 0x477ff000u,
    0x387fc000u, 0x42c60000u, 0x3c003c00u, 0x7ff00000u, 0xfff00000u,
    0x40590000u, 0x3ff00000u, 0x00010001u, 0xffffffffu};

int main(void) {
  static uint64_t in[1024];
  uint64_t random = 1, size = 0, i;
  unsigned char *out;
  int round;
  main_size(&size);
  out = calloc(size + 16, 1);
  for (round = 0; round < 6; ++round) {
    for (i = 0; i < 2048; ++i) {
      uint32_t word;
      random = random * UINT64_C(6364136223846793005) +
               UINT64_C(1442695040888963407);
      word = (uint32_t)(random >> 32);
      if (word % 4 < (unsigned)round % 4)
        word = special[word / 4 % (sizeof(special) / sizeof(*special))];
      if (round == 5) /* Numbers near 1 of several types. */
        word = (word & 0x807f807fu) | 0x3f803f80u;
      memcpy((char *)in + 4 * i, &word, 4);
    }
    main_operations(in, out);
    for (i = 0; i < size; ++i)
      printf(i % 16 == 15 ? "%02x\n" : "%02x", out[i]);
    printf("\n");
  }
  free(out);
  return 0;
}
