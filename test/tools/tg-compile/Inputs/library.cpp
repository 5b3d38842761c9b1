// Calls the library of library.mlir through its header for C++.
#include "net.hpp"

#include <array>
#include <cstdio>
#include <cstring>
#include <vector>

static int failures;
#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      ++failures;                                                              \
      std::printf("line %d: %s\n", __LINE__, #condition);                      \
    }                                                                          \
  } while (0)

int main() {
  using net::Status;
  CHECK(net::supported() == Status::Ok);
  net::State state;
  CHECK(state && state->bias[0] == 0);
  CHECK(state.init() == Status::Ok);
  CHECK(state->weight[3][1] == 2 && (*state).bias[0] == 1);

  std::vector<float> x(64 * 16);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>(i % 7);
  net::Array<float> y(64 * 4);
  CHECK(y && y.size() == 256 && y[255] == 0);
  CHECK(state.forward(x, y, 64) == Status::Ok);
  for (std::size_t j = 0; j < 4; ++j) {
    float sum = 1;
    for (std::size_t k = 0; k < 16; ++k)
      sum += x[16 + k] * (static_cast<float>(k) - static_cast<float>(j));
    CHECK(y[4 + j] == sum);
  }

  // A copy goes its own way, and what was moved from has nothing.
  net::State other = state;
  other->bias[0] = 5;
  CHECK(state->bias[0] == 1);
  other = state;
  CHECK(other->bias[0] == 1);
  net::State third = std::move(other);
  CHECK(third && third->bias[0] == 1);
  CHECK(!other && other.forward(x, y, 1) == Status::ErrorNull);
  third->bias[0] = 7;
  other = third; // it has memory again
  CHECK(other && other->bias[0] == 7);
  CHECK(other.forward(x, y, 64) == Status::Ok);
  net::State &same = other;
  other = same;
  CHECK(other && other->bias[0] == 7);
  net::State last = std::move(other);
  third = other; // a copy of what has nothing
  CHECK(last && !third);
  third = last;
  CHECK(third && third->bias[0] == 7);
  net::Array<float> numbers(4), moved = std::move(numbers);
  CHECK(moved.size() == 4 && numbers.size() == 0 &&
        numbers.begin() == numbers.end());
  // More elements than there are addresses, whose bytes would wrap around.
  net::Array<float> wraps(SIZE_MAX / 4 + 2);
  CHECK(!wraps && wraps.size() == 0);

  // Arrays that are too short, and what functions return.
  std::array<float, 5> few{};
  CHECK(state.forward(few, y, 1) == Status::ErrorSize);
  CHECK(state.forward(x, net::Span<float>(y.data(), 3), 1) ==
        Status::ErrorSize);
  CHECK(state.forward(x, y, 65) == Status::ErrorSize);
  CHECK(state.forward(net::Span<const float>(nullptr, 64 * 16), y, 1) ==
        Status::ErrorNull);
  CHECK(std::strcmp(net::message(Status::ErrorNull), "a null pointer") == 0);

#ifdef STATE_FILES
  std::vector<unsigned char> file(NET_STATE_FILE_BYTES);
  std::size_t needed = 0;
  CHECK(state.save(file.data(), file.size(), &needed) == Status::Ok);
  CHECK(needed == file.size());
  third->weight[3][1] = 100;
  CHECK(third.load(file.data(), file.size()) == Status::Ok);
  CHECK(third->weight[3][1] == 2);
  CHECK(third.load(file.data(), 20) == Status::ErrorFormat);
#endif
  std::printf("%s\n", failures ? "failed" : "passed");
  return failures != 0;
}
