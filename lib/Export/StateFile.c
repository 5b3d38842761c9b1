/*===- StateFile.c - the state of a library as a safetensors file
 * -----------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===------------------------------------------------------------------------===
 *
 * What NAME_load and NAME_save of a library do. The build compiles this file to
 * bitcode, which becomes a part of each library that has these functions, on
 * any processor: so it uses nothing of the C library but memcpy, and integers
 * of fixed sizes. It allocates nothing, and is bounded by the size of the file.
 *
 * A file has 8 bytes with the size of a header, the header in JSON, and the
 * elements:
 *
 *     {"w":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}, ...}
 *
 *===------------------------------------------------------------------------===*/

#include "StateFile.h"

/* As in Interface.h. */
enum {
  OK,
  NULL_POINTER,
  ALIGNMENT,
  OVERLAP = 4,
  FORMAT = 6,
  NAMES,
  TENSOR,
  SIZE
};

enum { HEADER_SIZE_BYTES = 8 };

/* Text that is being read. */
typedef struct Reader {
  const unsigned char *at, *end;
} Reader;

/* The inside of a JSON string, whose escapes are valid. */
typedef struct Text {
  const unsigned char *begin, *end;
} Text;

static void skipSpace(Reader *reader) {
  while (reader->at < reader->end &&
         (*reader->at == ' ' || *reader->at == '\t' || *reader->at == '\n' ||
          *reader->at == '\r'))
    ++reader->at;
}

/* Whether the next character, behind space, is this one, which is taken. */
static int take(Reader *reader, unsigned char c) {
  skipSpace(reader);
  if (reader->at == reader->end || *reader->at != c)
    return 0;
  ++reader->at;
  return 1;
}

static int getHexDigit(unsigned char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  c |= 0x20;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int takeString(Reader *reader, Text *text) {
  if (!take(reader, '"'))
    return 0;
  text->begin = reader->at;
  while (reader->at < reader->end) {
    const unsigned char c = *reader->at++;
    if (c == '"') {
      text->end = reader->at - 1;
      return 1;
    }
    if (c < 0x20)
      return 0;
    if (c != '\\')
      continue;
    if (reader->at == reader->end)
      return 0;
    switch (*reader->at++) {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't':
      break;
    case 'u':
      if (reader->end - reader->at < 4)
        return 0;
      for (int i = 0; i < 4; ++i)
        if (getHexDigit(*reader->at++) < 0)
          return 0;
      break;
    default:
      return 0;
    }
  }
  return 0;
}

/* The next character of a string, which is not at its end. Those that names of
 * members cannot have are 0. */
static unsigned nextCharacter(Text *text) {
  const unsigned char c = *text->begin++;
  unsigned code = 0;
  if (c != '\\')
    return c < 0x80 ? c : 0;
  if (*text->begin++ != 'u')
    return 0;
  for (int i = 0; i < 4; ++i)
    code = code << 4 | (unsigned)getHexDigit(*text->begin++);
  return code < 0x80 ? code : 0;
}

static int isEqual(Text text, const char *name, int64_t length) {
  int64_t i = 0;
  for (; i < length && text.begin < text.end; ++i)
    if (nextCharacter(&text) != (unsigned char)name[i])
      return 0;
  return i == length && text.begin == text.end;
}

/* A number of at most 18 digits, which has no sign, fraction or exponent. */
static int takeNumber(Reader *reader, int64_t *number) {
  int digits = 0;
  skipSpace(reader);
  *number = 0;
  while (reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9') {
    /* No number begins with a zero but 0. */
    if (++digits > 18 || (digits > 1 && *number == 0))
      return 0;
    *number = *number * 10 + (*reader->at++ - '0');
  }
  return digits > 0;
}

/* {"key": "value", ..}, whose contents do not matter. */
static int takeMetadata(Reader *reader) {
  Text text;
  if (!take(reader, '{'))
    return 0;
  if (take(reader, '}'))
    return 1;
  do {
    if (!takeString(reader, &text) || !take(reader, ':') ||
        !takeString(reader, &text))
      return 0;
  } while (take(reader, ','));
  return take(reader, '}');
}

/* The member of this name, most likely the one behind the last. */
static int64_t findMember(const StateFile *file, Text name, int64_t guess) {
  for (int64_t i = 0; i < file->count; ++i) {
    const int64_t number =
        guess + i < file->count ? guess + i : guess + i - file->count;
    const int64_t *member = file->members + number * kStateFileFields;
    if (isEqual(name, file->text + member[kStateFileName],
                member[kStateFileNameLength]))
      return number;
  }
  return -1;
}

static int takeShape(Reader *reader, const int64_t *sizes, int64_t rank,
                     int *differs) {
  int64_t number = 0, found = 0;
  if (!take(reader, '['))
    return FORMAT;
  if (take(reader, ']')) {
    *differs |= rank != 0;
    return OK;
  }
  do {
    if (!takeNumber(reader, &number))
      return FORMAT;
    *differs |= found >= rank || sizes[found] != number;
    ++found;
  } while (take(reader, ','));
  *differs |= found != rank;
  return take(reader, ']') ? OK : FORMAT;
}

/* {"dtype":..,"shape":..,"data_offsets":..} in any order. */
static int takeTensor(Reader *reader, const StateFile *file,
                      const int64_t *member, int64_t dataBytes,
                      int64_t *place) {
  enum { DTYPE = 1, SHAPE = 2, OFFSETS = 4 };
  int seen = 0, differs = 0, field = 0;
  int64_t begin = 0, end = 0;
  Text key, dtype;
  if (!take(reader, '{'))
    return FORMAT;
  do {
    if (!takeString(reader, &key) || !take(reader, ':'))
      return FORMAT;
    if (isEqual(key, "dtype", 5)) {
      field = DTYPE;
      if (!takeString(reader, &dtype))
        return FORMAT;
      differs |= !isEqual(dtype, file->text + member[kStateFileDType],
                          member[kStateFileDTypeLength]);
    } else if (isEqual(key, "shape", 5)) {
      field = SHAPE;
      if (takeShape(reader, file->members + member[kStateFileSizes],
                    member[kStateFileRank], &differs) != OK)
        return FORMAT;
    } else if (isEqual(key, "data_offsets", 12)) {
      field = OFFSETS;
      if (!take(reader, '[') || !takeNumber(reader, &begin) ||
          !take(reader, ',') || !takeNumber(reader, &end) || !take(reader, ']'))
        return FORMAT;
    } else {
      return FORMAT;
    }
    if (seen & field)
      return FORMAT;
    seen |= field;
  } while (take(reader, ','));
  if (!take(reader, '}') || seen != (DTYPE | SHAPE | OFFSETS) || begin > end ||
      end > dataBytes)
    return FORMAT;
  if (differs)
    return TENSOR;
  if (end - begin != member[kStateFileBytes])
    return FORMAT;
  *place = begin;
  return OK;
}

/* Where each member's elements are. */
static int readHeader(Reader *reader, const StateFile *file, int64_t dataBytes,
                      int64_t *places) {
  int64_t guess = 0, number = 0, found = 0;
  int result = OK;
  Text name;
  for (int64_t i = 0; i < file->count; ++i)
    places[i] = -1;
  if (!take(reader, '{'))
    return FORMAT;
  if (!take(reader, '}')) {
    do {
      if (!takeString(reader, &name) || !take(reader, ':'))
        return FORMAT;
      if (isEqual(name, "__metadata__", 12)) {
        if (!takeMetadata(reader))
          return FORMAT;
        continue;
      }
      number = findMember(file, name, guess);
      if (number < 0)
        return NAMES;
      if (places[number] >= 0)
        return FORMAT;
      const int status =
          takeTensor(reader, file, file->members + number * kStateFileFields,
                     dataBytes, &places[number]);
      if (status == FORMAT)
        return FORMAT;
      /* It counts as read. */
      if (status != OK) {
        places[number] = 0;
        result = status;
      }
      ++found;
      guess = number + 1 < file->count ? number + 1 : 0;
    } while (take(reader, ','));
    if (!take(reader, '}'))
      return FORMAT;
  }
  skipSpace(reader);
  if (reader->at != reader->end)
    return FORMAT;
  return found != file->count ? NAMES : result;
}

/* Whether the elements of two members are in the same bytes. */
static int overlap(const StateFile *file, const int64_t *places) {
  for (int64_t i = 0; i < file->count; ++i)
    for (int64_t j = 0; j < i; ++j) {
      const int64_t a = file->members[i * kStateFileFields + kStateFileBytes],
                    b = file->members[j * kStateFileFields + kStateFileBytes];
      if (places[i] < places[j] + b && places[j] < places[i] + a)
        return 1;
    }
  return 0;
}

static int checkMemory(const StateFile *file, const void *state,
                       const void *bytes, uint64_t size) {
  const uint64_t a = (uint64_t)(uintptr_t)state, b = (uint64_t)(uintptr_t)bytes;
  if (!state || !bytes)
    return NULL_POINTER;
  if (a % (uint64_t)file->alignment != 0)
    return ALIGNMENT;
  if (size > UINT64_MAX / 2 ||
      (a < b + size && b < a + (uint64_t)file->stateBytes))
    return size > UINT64_MAX / 2 ? SIZE : OVERLAP;
  return OK;
}

int32_t tgStateLoad(char *state, const unsigned char *bytes, uint64_t size,
                    const StateFile *file, int64_t *places) {
  uint64_t headerBytes = 0;
  int status = checkMemory(file, state, bytes, size);
  if (status != OK)
    return status;
  if (size < HEADER_SIZE_BYTES)
    return FORMAT;
  for (int i = 0; i < HEADER_SIZE_BYTES; ++i)
    headerBytes |= (uint64_t)bytes[i] << (8 * i);
  if (headerBytes > size - HEADER_SIZE_BYTES)
    return FORMAT;
  const unsigned char *header = bytes + HEADER_SIZE_BYTES,
                      *data = header + headerBytes;
  const int64_t dataBytes = (int64_t)(size - HEADER_SIZE_BYTES - headerBytes);
  Reader reader = {header, data};
  status = readHeader(&reader, file, dataBytes, places);
  if (status != OK)
    return status;
  if (dataBytes != file->dataBytes || overlap(file, places))
    return FORMAT;
  for (int64_t i = 0; i < file->count; ++i) {
    const int64_t *member = file->members + i * kStateFileFields;
    /* Code for bools relies on their values. */
    if (member[kStateFileIsBool])
      for (int64_t k = 0; k < member[kStateFileBytes]; ++k)
        if (data[places[i] + k] > 1)
          return FORMAT;
  }
  for (int64_t i = 0; i < file->count; ++i) {
    const int64_t *member = file->members + i * kStateFileFields;
    __builtin_memcpy(state + member[kStateFilePlace], data + places[i],
                     (size_t)member[kStateFileBytes]);
  }
  return OK;
}

int32_t tgStateSave(const char *state, unsigned char *bytes, uint64_t size,
                    uint64_t *needed, const StateFile *file) {
  const uint64_t all = (uint64_t)(file->headerBytes + file->dataBytes);
  if (needed)
    *needed = all;
  if (!bytes && size == 0)
    return state ? SIZE : NULL_POINTER;
  const int status = checkMemory(file, state, bytes, size);
  if (status != OK)
    return status;
  if (size < all)
    return SIZE;
  __builtin_memcpy(bytes, file->header, (size_t)file->headerBytes);
  bytes += file->headerBytes;
  for (int64_t i = 0; i < file->count; ++i) {
    const int64_t *member = file->members + i * kStateFileFields;
    __builtin_memcpy(bytes, state + member[kStateFilePlace],
                     (size_t)member[kStateFileBytes]);
    bytes += member[kStateFileBytes];
  }
  return OK;
}
