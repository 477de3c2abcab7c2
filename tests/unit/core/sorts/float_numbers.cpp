#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "ordo/radix_key.hpp"
#include "sort_core/cuda/primitives/float_numbers.hpp"
#include "tests/unit/catch.hpp"

// The numbers by which the GPU divides large segments of floats.
namespace {

using ordo::cuda_detail::float_numbers;

}  // namespace

TEST_CASE("numbers of floats: the order of codes, and the bits in which codes of equal numbers differ") {
  auto const check = [](auto some, auto make_code) {
    using real = decltype(some);
    using limits = std::numeric_limits<real>;
    using word = typename ordo::radix_key<real>::type;
    ordo::key_code<word> const code = make_code;
    std::mt19937_64 random(5);
    std::vector<std::uint64_t> codes;
    auto const add = [&](real x) { codes.push_back(code.encode(std::bit_cast<word>(x))); };
    for (unsigned i = 0; i < 1000; ++i) add(real(double(std::int64_t(random())) * 0x1p-62 + 0.25));
    std::sort(codes.begin(), codes.end());
    auto const numbers = float_numbers::suiting(codes.data(), codes.size(), code);
    REQUIRE(numbers.wanted());
    CHECK(numbers(word(codes[15]), code) < 0x08000000);
    CHECK(numbers(word(codes[500]), code) - 0x70000000u < 0x20000000u);
    CHECK(numbers(word(codes[985]), code) > 0xf8000000);
    for (real x : {real(0), limits::infinity(), limits::quiet_NaN(), limits::max(), limits::min(), limits::denorm_min()}) {
      add(x);
      add(-x);
    }
    for (unsigned i = 0; i < 10000; ++i) codes.push_back(word(random()));
    std::sort(codes.begin(), codes.end());
    CHECK(std::is_sorted(codes.begin(), codes.end(),
                         [&](std::uint64_t a, std::uint64_t b) { return numbers(word(a), code) < numbers(word(b), code); }));
    // The bits in which keys of one digit differ.
    for (unsigned const width : {4, 6, 8}) {
      unsigned const shift = 32 - width;
      std::uint64_t saved = 0;
      for (std::size_t begin = 0, end = 0; begin < codes.size(); begin = end) {
        unsigned const digit = numbers(word(codes[begin]), code) >> shift;
        while (end < codes.size() && numbers(word(codes[end]), code) >> shift == digit) ++end;
        unsigned const bits = numbers.template bits_within<word>(digit, width, float_numbers::choose_rotation(code));
        REQUIRE(bits <= 8 * sizeof(word));
        REQUIRE(unsigned(std::bit_width(codes[begin] ^ codes[end - 1])) <= bits);
        saved += 8 * sizeof(word) - bits;
      }
      CHECK(saved > (1u << width));
    }
  };
  check(float{}, ordo::radix_key<float>::code);
  check(double{}, ordo::radix_key<double>::code);
  check(float{}, ordo::radix_key<float, ordo::sort_order::descending>::code);
  check(double{}, ordo::radix_key<double, ordo::sort_order::descending>::code);
  auto const check_nans_last = [&]<class K, ordo::sort_order Order>(K some, ordo::radix_key<K, Order>) {
    auto code = ordo::radix_key<K, Order>::code;
    code.rotate = ordo::radix_key<K, Order>::nans;
    check(some, code);
  };
  check_nans_last(float{}, ordo::radix_key<float>{});
  check_nans_last(double{}, ordo::radix_key<double>{});
  check_nans_last(float{}, ordo::radix_key<float, ordo::sort_order::descending>{});
  check_nans_last(double{}, ordo::radix_key<double, ordo::sort_order::descending>{});
  auto const check_nans_first = [&]<class K>(K some) {
    using encoding = ordo::radix_key<K, ordo::sort_order::descending>;
    auto code = encoding::code;
    code.rotate = typename encoding::type(0 - encoding::nans);
    check(some, code);
  };
  check_nans_first(float{});
  check_nans_first(double{});
}

TEST_CASE("numbers of floats: not wanted if they are no more even than codes, or unknown") {
  auto const suiting = [](auto make) {
    std::mt19937_64 random(1);
    std::vector<std::uint64_t> sample(1024);
    for (auto& x : sample) x = make(random);
    std::sort(sample.begin(), sample.end());
    return float_numbers::suiting(sample.data(), sample.size(), ordo::radix_key<float>::code).wanted();
  };
  auto const code_of = [](double x) { return std::uint64_t(ordo::radix_key<float>::encode(float(x))); };
  CHECK_FALSE(suiting([&](auto&) { return code_of(3); }));
  CHECK_FALSE(suiting([&](auto& r) { return code_of(1 + double(r() >> 32) * 0x1p-33); }));
  CHECK_FALSE(suiting([&](auto& r) { return code_of(r() % 3 == 0 ? INFINITY : double(r())); }));
  CHECK_FALSE(suiting([&](auto& r) { return code_of(r() % 3 == 0 ? NAN : -double(r())); }));
  CHECK(suiting([&](auto& r) { return code_of(double(r())); }));
}
