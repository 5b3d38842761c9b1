// Memory of the actual size, which the header checks.
#include "net.hpp"
#include <cstdio>
#include <vector>

int main() {
  net::State state;
  std::vector<float> x(7 * 8, 1), w(8, 2);
  net::Array<float> y(7 * 8);
  const bool isRight =
      state.scale(x, w, y, 7) == net::Status::Ok && y[55] == 2 &&
      state.scale(x, w, y, 8) == net::Status::ErrorSize &&
      state.scale(x, w, y, 0) == net::Status::ErrorSize &&
      state.scale(x, w, y, INT64_MAX) == net::Status::ErrorSize;
  std::printf(isRight ? "passed\n" : "failed\n");
}
