// The header for C++ checks how many elements there are.
#include "net.hpp"

#include <vector>

int main() {
  net::State state;
  if (!state || state.init() != net::Status::Ok)
    return 1;
  std::vector<float> x(7 * 8, 1), v(7, 1), shortV(6, 1);
  net::Array<float> y(7 * 4), sums(4), first(7 * 4), last(4), shortY(7 * 4 - 1);
  if (state.step(x, v, y, sums, first, last, 7) != net::Status::Ok || v[6] != 2)
    return 2;
  const net::Status wrong[] = {
      state.step(x, v, y, sums, first, last, 8),
      state.step(x, shortV, y, sums, first, last, 7),
      state.step(x, v, shortY, sums, first, last, 7),
      state.step(x, v, y, sums, first, last, 0),
      state.step(x, v, y, sums, first, last, INT64_MAX)};
  for (net::Status status : wrong)
    if (status != net::Status::ErrorSize)
      return 3;
  return v[6] == 2 ? 0 : 4;
}
