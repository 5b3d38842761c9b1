/* Loads and saves the state of the library of library.mlir: files of others,
 * damaged files, all truncations and flipped bits. With SANITIZED, the
 * functions are those of StateFile.c, compiled with sanitizers, on the same
 * state.
 *
 *     state-file [FILE-TO-WRITE] */
#define _GNU_SOURCE
#include "net.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifdef SANITIZED
#include "StateFile.h"
static const char kHeader[] =
    "{\"bias\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]},"
    "\"weight\":{\"dtype\":\"F32\",\"shape\":[16,4],\"data_offsets\":[4,260]}}"
    "      ";
static const int64_t kMembers[] = {0, 4, 4, 3,  18, 0, 256, 4, 0,  7,
                                   6, 4, 3, 18, 2,  0, 256, 0, 16, 4};
static StateFile makeFile(char *header) {
  const int64_t bytes = (int64_t)(sizeof kHeader - 1) / 8 * 8;
  StateFile file = {kMembers,  2,   "biasF32weight",   header,
                    bytes + 8, 260, sizeof(net_state), NET_ALIGNMENT};
  memset(header, 0, 8);
  header[0] = (char)bytes;
  memcpy(header + 8, kHeader, (size_t)bytes);
  return file;
}
#define net_load loadState
#define net_save saveState
static int loadState(net_state *state, const void *bytes, size_t size) {
  char header[256];
  const StateFile file = makeFile(header);
  int64_t *places = malloc(2 * sizeof *places);
  const int status = tgStateLoad((char *)state, bytes, size, &file, places);
  free(places);
  return status;
}
static int saveState(const net_state *state, void *bytes, size_t size,
                     size_t *needed) {
  char header[256];
  uint64_t all = 0;
  const StateFile file = makeFile(header);
  const int status =
      tgStateSave((const char *)state, bytes, size, needed ? &all : 0, &file);
  if (needed)
    *needed = (size_t)all;
  return status;
}
#endif

static int failures;
#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      ++failures;                                                              \
      printf("line %d: %s\n", __LINE__, #condition);                           \
    }                                                                          \
  } while (0)

static NET_ALIGNED net_state state, before, other;

/* Loads bytes behind which no memory is: a page that cannot be read. */
static int load(const char *bytes, size_t size) {
  static char *end;
  if (!end) {
    end = (char *)mmap(0, 1 << 17, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) +
          (1 << 16);
    mprotect(end, 1 << 16, PROT_NONE);
  }
  memcpy(end - size, bytes, size);
#ifdef SANITIZED
  char *copy = malloc(size ? size : 1);
  memcpy(copy, bytes, size);
  const int status = net_load(&state, size ? copy : end, size);
  free(copy);
  return status;
#else
  return net_load(&state, end - size, size);
#endif
}

/* Makes a file of a header and 65 numbers: 0, 1, .. */
static size_t makeFileOf(const char *json, char *bytes) {
  const size_t length = strlen(json);
  memset(bytes, 0, 8);
  bytes[0] = (char)length;
  bytes[1] = (char)(length >> 8);
  memcpy(bytes + 8, json, length);
  for (int i = 0; i < 65; ++i) {
    const float number = (float)i;
    memcpy(bytes + 8 + length + 4 * i, &number, 4);
  }
  return 8 + length + 260;
}

static int loadJson(const char *json) {
  char bytes[2048];
  const size_t size = makeFileOf(json, bytes);
  memset(&state, 0x3C, sizeof state);
  memcpy(&before, &state, sizeof state);
  const int status = load(bytes, size);
  /* All or nothing. */
  if (status != NET_OK)
    CHECK(memcmp(&before, &state, sizeof state) == 0);
  return status;
}

#define WEIGHT "\"dtype\":\"F32\",\"shape\":[16,4]"
#define BIAS "\"dtype\":\"F32\",\"shape\":[]"

static void loadFilesOfOthers(void) {
  CHECK(loadJson("{\"weight\":{" WEIGHT ",\"data_offsets\":[0,256]},"
                 "\"bias\":{" BIAS ",\"data_offsets\":[256,260]}}") == NET_OK);
  CHECK(state.weight[15][3] == 63 && state.weight[0][0] == 0 &&
        state.bias[0] == 64);
  /* Another order, fields in another order, spaces, metadata, escapes. */
  CHECK(loadJson(" { \"__metadata__\" : { \"by\" : \"a \\\" \\u00e9 }\" } ,\n"
                 "\t\"\\u0062i\\u0061s\" : { \"data_offsets\" : [ 0 , 4 ] , "
                 "\"shape\" : [ ] , \"dtype\" : \"F32\" } ,\r\n"
                 "\"weight\":{\"shape\":[16, 4],\"dtype\":\"F32\","
                 "\"data_offsets\":[4,260]} }   ") == NET_OK);
  CHECK(state.weight[15][3] == 64 && state.bias[0] == 0);
  CHECK(loadJson("{\"__metadata__\":{},\"weight\":{" WEIGHT
                 ",\"data_offsets\":[0,256]},\"bias\":{" BIAS
                 ",\"data_offsets\":[256,260]}}") == NET_OK);
}

static void refuseOtherStates(void) {
  CHECK(loadJson("{}") == NET_ERROR_NAMES);
  CHECK(loadJson("{\"weight\":{" WEIGHT ",\"data_offsets\":[0,256]}}") ==
        NET_ERROR_NAMES);
  CHECK(loadJson("{\"weight\":{" WEIGHT ",\"data_offsets\":[0,256]},"
                 "\"bias2\":{" BIAS
                 ",\"data_offsets\":[256,260]}}") == NET_ERROR_NAMES);
  CHECK(loadJson("{\"weight\":{" WEIGHT ",\"data_offsets\":[0,256]},"
                 "\"bia\":{" BIAS
                 ",\"data_offsets\":[256,260]}}") == NET_ERROR_NAMES);
  CHECK(loadJson("{\"weight\":{\"dtype\":\"F32\",\"shape\":[4,16],"
                 "\"data_offsets\":[0,256]},\"bias\":{" BIAS
                 ",\"data_offsets\":[256,260]}}") == NET_ERROR_TENSOR);
  CHECK(loadJson("{\"weight\":{\"dtype\":\"I32\",\"shape\":[16,4],"
                 "\"data_offsets\":[0,256]},\"bias\":{" BIAS
                 ",\"data_offsets\":[256,260]}}") == NET_ERROR_TENSOR);
  CHECK(loadJson("{\"weight\":{\"dtype\":\"F32\",\"shape\":[16,4,1],"
                 "\"data_offsets\":[0,256]},\"bias\":{" BIAS
                 ",\"data_offsets\":[256,260]}}") == NET_ERROR_TENSOR);
  CHECK(loadJson("{\"weight\":{" WEIGHT ",\"data_offsets\":[0,256]},\"bias\":{"
                 "\"dtype\":\"F32\",\"shape\":[1],"
                 "\"data_offsets\":[256,260]}}") == NET_ERROR_TENSOR);
}

static void refuseMistakes(void) {
  static const char *const mistakes[] = {
      /* One tensor twice, overlapping elements, a hole, offsets out of the
       * file, backwards, or of another size. */
      "{\"weight\":{" WEIGHT ",\"data_offsets\":[0,256]},\"weight\":{" WEIGHT
      ",\"data_offsets\":[0,256]}}",
      "{\"weight\":{" WEIGHT ",\"data_offsets\":[0,256]},\"bias\":{" BIAS
      ",\"data_offsets\":[0,4]}}",
      "{\"weight\":{" WEIGHT ",\"data_offsets\":[0,256]},\"bias\":{" BIAS
      ",\"data_offsets\":[257,261]}}",
      "{\"weight\":{" WEIGHT ",\"data_offsets\":[0,256]},\"bias\":{" BIAS
      ",\"data_offsets\":[260,256]}}",
      "{\"weight\":{" WEIGHT ",\"data_offsets\":[0,252]},\"bias\":{" BIAS
      ",\"data_offsets\":[252,260]}}",
      "{\"weight\":{" WEIGHT
      ",\"data_offsets\":[0,99999999999999999999]},\"bias\":{" BIAS
      ",\"data_offsets\":[256,260]}}",
      /* No JSON, or not what the format has. */
      "", "{", "[]", "{\"weight\"", "{\"weight\":", "{\"weight\":{}}",
      "{\"weight\":{" WEIGHT "}}",
      "{\"weight\":{" WEIGHT ",\"data_offsets\":[0,256],\"more\":1}}",
      "{\"weight\":{" WEIGHT ",\"dtype\":\"F32\",\"data_offsets\":[0,256]}}",
      "{\"weight\":{\"dtype\":\"F32\",\"shape\":[16,04],"
      "\"data_offsets\":[0,256]}}",
      "{\"weight\":{\"dtype\":\"F32\",\"shape\":[16,4.0],"
      "\"data_offsets\":[0,256]}}",
      "{\"weight\":{\"dtype\":\"F32\",\"shape\":[-16,4],"
      "\"data_offsets\":[0,256]}}",
      "{\"weight\":{\"dtype\":\"F32\",\"shape\":[16,],"
      "\"data_offsets\":[0,256]}}",
      "{\"we\\x69ght\":1}", "{\"we\\u00g9ght\":1}", "{\"we\night\":1}",
      "{\"__metadata__\":{\"a\":1}}", "{\"__metadata__\":{\"a\":\"b\",}}",
      "{\"weight\":{" WEIGHT ",\"data_offsets\":[0,256]},\"bias\":{" BIAS
      ",\"data_offsets\":[256,260]}} x",
      "{\"weight\":{" WEIGHT ",\"data_offsets\":[0,256]},\"bias\":{" BIAS
      ",\"data_offsets\":[256,260]},}"};
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; ++i)
    if (loadJson(mistakes[i]) != NET_ERROR_FORMAT) {
      printf("accepted, or another error: %s\n", mistakes[i]);
      ++failures;
    }
}

int main(int argc, char **argv) {
  char file[NET_STATE_FILE_BYTES], again[NET_STATE_FILE_BYTES];
  size_t needed = 0;
  int codes[10] = {0};
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 4; ++j)
      state.weight[i][j] = (float)(i * 4 + j) / 3;
  state.bias[0] = -7;
  CHECK(net_save(&state, 0, 0, &needed) == NET_ERROR_BUFFER);
  CHECK(needed == sizeof file);
  memset(file, 0x11, sizeof file);
  CHECK(net_save(&state, file, sizeof file - 1, 0) == NET_ERROR_BUFFER);
  CHECK(file[0] == 0x11 && file[sizeof file - 2] == 0x11);
  CHECK(net_save(&state, file, sizeof file, &needed) == NET_OK);
  CHECK(needed == sizeof file);
  if (argc > 1) {
    FILE *out = fopen(argv[1], "wb");
    CHECK(out && fwrite(file, 1, sizeof file, out) == sizeof file);
    if (out)
      fclose(out);
  }
  memcpy(&other, &state, sizeof state);
  memset(&state, 0, sizeof state);
  CHECK(load(file, sizeof file) == NET_OK);
  CHECK(memcmp(state.weight, other.weight, sizeof state.weight) == 0);
  CHECK(state.bias[0] == -7);
  CHECK(net_save(&state, again, sizeof again, 0) == NET_OK);
  CHECK(memcmp(file, again, sizeof file) == 0);

  CHECK(net_load(0, file, sizeof file) == NET_ERROR_NULL);
  CHECK(net_load(&state, 0, 0) == NET_ERROR_NULL);
  CHECK(net_load((net_state *)(void *)((char *)&state + 4), file,
                 sizeof file) == NET_ERROR_ALIGNMENT);
  CHECK(net_load(&state, &state, sizeof state) == NET_ERROR_OVERLAP);
  CHECK(net_save(0, file, sizeof file, 0) == NET_ERROR_NULL);
  CHECK(net_save(&state, 0, sizeof file, 0) == NET_ERROR_NULL);
  CHECK(net_save(&state, &state, sizeof state, 0) == NET_ERROR_OVERLAP);

  loadFilesOfOthers();
  refuseOtherStates();
  refuseMistakes();

  /* Every truncation, and every change of a byte of the header. */
  memcpy(&state, &other, sizeof state);
  for (size_t size = 0; size < sizeof file; ++size)
    CHECK(load(file, size) == NET_ERROR_FORMAT);
  CHECK(load(file, sizeof file) == NET_OK);
  for (size_t i = 0; i < sizeof file - 260; ++i)
    for (int change = 1; change < 256; ++change) {
      memset(&state, 0x3C, sizeof state);
      memcpy(&before, &state, sizeof state);
      file[i] ^= (char)change;
      const int status = load(file, sizeof file);
      file[i] ^= (char)change;
      CHECK(status >= 0 && status < 10);
      ++codes[status < 0 || status > 9 ? 0 : status];
      if (status != NET_OK)
        CHECK(memcmp(&before, &state, sizeof state) == 0);
      else /* Space for space. */
        CHECK(memcmp(state.weight, other.weight, sizeof state.weight) == 0);
    }
  CHECK(codes[NET_ERROR_FORMAT] > 1000 && codes[NET_ERROR_NAMES] > 100 &&
        codes[NET_ERROR_TENSOR] > 10);
  printf("%s\n", failures ? "failed" : "passed");
  return failures != 0;
}
