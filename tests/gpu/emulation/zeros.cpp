#include "tests/gpu/emulation/machine.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "ordo/radix_key.hpp"
#include "sort_core/cuda/primitives/zeros.cuh"
#include "tests/unit/catch.hpp"

// Ordering of zeros by sign in sorted floats.
namespace {

void check_zeros(std::size_t below, std::size_t zeros, std::size_t above, unsigned negative_in) {
  INFO(below << " below, " << zeros << " zeros, " << above << " above, one of " << negative_in << " zeros is negative");
  using word = std::uint32_t;
  using limits = std::numeric_limits<float>;
  auto const code = ordo::radix_key<float>::code;
  std::mt19937 random(4);
  auto const bits = [](float x) { return std::bit_cast<word>(x); };
  std::vector<word> given;
  for (std::size_t i = 0; i < below; ++i) given.push_back(i == 0 ? bits(-limits::denorm_min()) : word(0x80000000u | random()));
  std::sort(given.begin(), given.end(), [&](word a, word b) { return code.encode(a) < code.encode(b); });
  for (std::size_t i = 0; i < zeros; ++i) given.push_back(bits(negative_in != 0 && random() % negative_in == 0 ? -0.0f : 0.0f));
  for (std::size_t i = 0; i < above; ++i) given.push_back(i == 0 ? bits(limits::denorm_min()) : word(random() | 1) >> 1 | 1);
  std::sort(given.end() - std::ptrdiff_t(above), given.end());
  std::vector<word> expected = given;
  std::sort(expected.begin(), expected.end(), [&](word a, word b) { return code.encode(a) < code.encode(b); });

  emulation::machine machine;
  auto const keys = machine.buffer<word>(given.size());
  auto const negative = machine.buffer<unsigned long long>(1);
  std::copy(given.begin(), given.end(), keys.data());
  *negative.data() = 0;
  ordo::cuda_detail::launch_cooperative<ordo::cuda_detail::order_zeros<word>>(machine.kernels(), 256, 0, keys.data(),
                                                                              given.size(), code, negative.data());
  REQUIRE(std::equal(expected.begin(), expected.end(), keys.data()));
}

}  // namespace

TEST_CASE("emulation: zeros among floats are put in order by their signs", "[emulation]") {
  for (unsigned negative_in : {0, 1, 2, 100})
    for (std::size_t zeros : {0, 1, 2, 33, 1000, 5000})
      for (std::size_t others : {0, 1, 31, 32, 33, 1023, 1024, 1025, 3000}) {
        check_zeros(others, zeros, 0, negative_in);
        check_zeros(0, zeros, others, negative_in);
        check_zeros(others, zeros, others + 7, negative_in);
      }
}
