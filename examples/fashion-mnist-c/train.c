/*===- train.c - training in C with a compiled step
 * --------------------------===
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===-------------------------------------------------------------------------===
 *
 * Trains the network of examples/fashion-mnist for an epoch, or for some steps,
 * with a library that that program wrote: forward, backward, Adam and its
 * schedule are one function, the network and the optimizer one struct.
 *
 *   train DIRECTORY-OF-THE-DATA [STEPS]
 */

#include "fashion.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
  kBatch = 128,
  kPart = 1000,
  kPixels = 28 * 28,
  kTest = 10000,
  kTrain = 60000
};

/* The program's memory: nothing is allocated while it trains. */
static fashion_state state;
static unsigned char trainImages[kTrain * kPixels], trainLabels[kTrain];
static unsigned char testImages[kTest * kPixels], testLabels[kTest];
static FASHION_ALIGNED uint8_t images[kBatch * kPixels], labels[kBatch];
static FASHION_ALIGNED int32_t classes[kPart];
static FASHION_ALIGNED float loss[1];
static FASHION_ALIGNED unsigned char stepScratch[FASHION_STEP_SCRATCH_BYTES];
static FASHION_ALIGNED unsigned char
    classifyScratch[FASHION_CLASSIFY_SCRATCH_BYTES];

/* Reads the elements of an IDX file. */
static void readFile(const char *directory, const char *name, unsigned header,
                     unsigned char *elements, unsigned count) {
  char path[4096], ignored[16];
  snprintf(path, sizeof(path), "%s/%s", directory, name);
  gzFile file = gzopen(path, "rb");
  if (!file || gzread(file, ignored, header) != (int)header ||
      gzread(file, elements, count) != (int)count) {
    fprintf(stderr, "train: cannot read %s\n", path);
    exit(1);
  }
  gzclose(file);
}

static void check(int status, const char *what) {
  if (status == FASHION_OK)
    return;
  fprintf(stderr, "train: %s returned %d, see fashion.h\n", what, status);
  exit(1);
}

int main(int argc, char **argv) {
  const char *directory =
      argc > 1 ? argv[1] : "/usr/share/datasets/fashion-mnist";
  int steps = argc > 2 ? atoi(argv[2]) : kTrain / kBatch;
  static unsigned order[kTrain];
  unsigned long long random = 1;
  double sum = 0;
  int right = 0;

  readFile(directory, "train-images-idx3-ubyte.gz", 16, trainImages,
           sizeof(trainImages));
  readFile(directory, "train-labels-idx1-ubyte.gz", 8, trainLabels,
           sizeof(trainLabels));
  readFile(directory, "t10k-images-idx3-ubyte.gz", 16, testImages,
           sizeof(testImages));
  readFile(directory, "t10k-labels-idx1-ubyte.gz", 8, testLabels,
           sizeof(testLabels));
  for (unsigned i = 0; i < kTrain; ++i)
    order[i] = i;
  for (unsigned i = kTrain - 1; i > 0; --i) {
    /* Knuth's linear congruential generator, MMIX. */
    random = random * 6364136223846793005ull + 1442695040888963407ull;
    const unsigned other = (unsigned)((random >> 33) % (i + 1)),
                   kept = order[i];
    order[i] = order[other];
    order[other] = kept;
  }

  check(fashion_init(&state), "fashion_init");
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < kBatch; ++i) {
      const unsigned from = order[(step * kBatch + i) % kTrain];
      memcpy(images + i * kPixels, trainImages + from * kPixels, kPixels);
      labels[i] = trainLabels[from];
    }
    check(fashion_step(&state, images, labels, loss, stepScratch),
          "fashion_step");
    sum += loss[0];
  }
  for (int from = 0; from < kTest; from += kPart) {
    check(fashion_classify(&state, testImages + from * kPixels, classes,
                           classifyScratch),
          "fashion_classify");
    for (int i = 0; i < kPart; ++i)
      right += classes[i] == testLabels[from + i];
  }
  printf("%d steps: loss %.4f, test accuracy %.4f\n", steps, sum / steps,
         right / (double)kTest);
  return 0;
}
