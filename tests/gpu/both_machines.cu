#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "ordo/cpu_backend.hpp"
#include "ordo/gpu.cuh"
#include "sort_core/algorithms/functors.hpp"
#include "tests/unit/catch.hpp"

// The algorithms of both backends in one source: their details must not collide.
namespace {

struct by_last_digit {
  ORDO_FN bool operator()(std::uint32_t a, std::uint32_t b) const { return a % 10 < b % 10; }
};

/// The sequence 0, 1, 1, ..., whose prefix sums are 0, 1, 2, ...
struct steps {
  ORDO_FN std::uint32_t operator()(std::size_t i) const { return i != 0; }
};

template <class Machine>
std::vector<std::uint32_t> sorted_on(Machine& on, std::vector<std::uint32_t> items) {
  return ordo::with_backend(on, [&](auto& backend) {
    auto const given = backend.upload(std::span<std::uint32_t const>(items));
    auto const here = backend.template buffer<std::uint32_t>(items.size());
    auto const index = backend.template buffer<std::uint32_t>(items.size());
    backend.scan(items.size(), steps{}, index.span(), ordo::plus{});
    backend.gather(given.span(), std::span<std::uint32_t const>(index.span()), here.span());
    backend.sample_sort(here.span(), by_last_digit{});
    backend.download(std::span<std::uint32_t const>(here.span()), std::span(items));
    return items;
  });
}

}  // namespace

TEST_CASE("sorts by a computed key refuse outputs of other lengths", "[cuda][small]") {
  if (ordo::gpus().empty()) return;
  ordo::gpu gpu;
  ordo::with_backend(gpu, [&](ordo::cuda_backend& backend) {
    auto const keys = backend.buffer<std::uint32_t>(6), index = backend.buffer<std::uint32_t>(6);
    CHECK_THROWS_AS(ordo::sample_sort(gpu, keys.span(), index.span().first(3), by_last_digit{}), ordo::usage_error);
  });
}

TEST_CASE("both machines' algorithms work in one source", "[cuda][small]") {
  std::vector<std::uint32_t> items(1000);
  std::iota(items.begin(), items.end(), 0u);
  std::vector<std::uint32_t> expected;
  for (std::uint32_t digit = 0; digit < 10; ++digit)
    for (std::uint32_t item = digit; item < 1000; item += 10) expected.push_back(item);
  ordo::cpu cpu;
  CHECK(sorted_on(cpu, items) == expected);
  if (ordo::gpus().empty()) return;
  ordo::gpu gpu;
  CHECK(sorted_on(gpu, items) == expected);
}
