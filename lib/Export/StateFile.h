/*===- StateFile.h - the state of a library as a safetensors file
 * -----------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===------------------------------------------------------------------------===
 *
 * What a library says of its state to the functions that load and save it, in C
 * and C++.
 *
 *===------------------------------------------------------------------------===*/

#ifndef TINYGRAD_LIB_EXPORT_STATEFILE_H
#define TINYGRAD_LIB_EXPORT_STATEFILE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers that describe a member. */
enum StateFileField {
  kStateFileName, /* where its name begins in the text, and its length */
  kStateFileNameLength,
  kStateFileDType, /* that of its type */
  kStateFileDTypeLength,
  kStateFileSizes, /* where its sizes begin in the numbers, and how many */
  kStateFileRank,
  kStateFilePlace, /* where it is in the state, in bytes */
  kStateFileBytes,
  kStateFileIsBool,
  kStateFileFields
};

typedef struct StateFile {
  /* Of all members, in the order of the file, then the sizes. */
  const int64_t *members;
  int64_t count;
  const char *text;
  /* What a file begins with, up to the elements. */
  const char *header;
  int64_t headerBytes, dataBytes;
  int64_t stateBytes, alignment;
} StateFile;

/* Fills the state from a file in memory, or leaves it as it is and returns an
 * error. \p places has room for a number for each member. */
int32_t tgStateLoad(char *state, const unsigned char *bytes, uint64_t size,
                    const StateFile *file, int64_t *places);

/* Writes the state as a file, whose size is stored to \p needed unless it is
 * null. Writes nothing if the size is too small. */
int32_t tgStateSave(const char *state, unsigned char *bytes, uint64_t size,
                    uint64_t *needed, const StateFile *file);

#ifdef __cplusplus
}
#endif

#endif /* TINYGRAD_LIB_EXPORT_STATEFILE_H */
