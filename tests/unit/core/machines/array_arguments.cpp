#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "ordo/cpu.hpp"
#include "ordo/gpu.hpp"
#include "tests/unit/catch.hpp"

// What the sorts take as arrays, and what must not compile.
namespace {

template <class T>
T declare() noexcept;

template <class Keys>
concept sorts_keys = requires(ordo::machine& on) {
  ordo::sort_keys(on, declare<Keys>());
};
template <class Keys, class Values>
concept sorts_pairs = requires(ordo::machine& on) {
  ordo::sort_pairs(on, declare<Keys>(), declare<Values>());
};
template <class Keys, class Index>
concept sorts_index = requires(ordo::machine& on) {
  ordo::argsort(on, declare<Keys>(), declare<Index>());
};
template <class Keys, class Heads>
concept marks_heads = requires(ordo::machine& on, ordo::segment_list<std::uint32_t> segments) {
  ordo::sort_segments(on, declare<Keys>(), segments, declare<Heads>());
};
template <class Offsets>
concept makes_segments = requires {
  ordo::segments_from_offsets(declare<Offsets>());
};
template <class Begins, class Ends>
concept bounds_segments = requires {
  ordo::segments_from_bounds(declare<Begins>(), declare<Ends>());
};

using floats = std::vector<float>;
using words = std::vector<std::uint32_t>;

static_assert(sorts_keys<floats&> && sorts_keys<std::array<float, 4>&> && sorts_keys<float (&)[4]> &&
              sorts_keys<std::span<float>> && sorts_keys<std::span<float>&> && sorts_keys<std::span<float> const&> &&
              sorts_keys<std::span<float, 4>> && sorts_keys<std::span<ordo::half>> && sorts_keys<std::span<ordo::bfloat16>> &&
              sorts_keys<std::span<bool>> && sorts_keys<std::span<std::byte>> && sorts_keys<std::span<ordo::device>>);
// Containers that end with the call, keys that cannot be written, and what is no array of keys.
static_assert(!sorts_keys<floats> && !sorts_keys<std::array<float, 4>> && !sorts_keys<floats const&> &&
              !sorts_keys<std::span<float const>> && !sorts_keys<std::span<float volatile>> && !sorts_keys<float*> &&
              !sorts_keys<std::vector<bool>&> && !sorts_keys<std::span<long double>> && !sorts_keys<std::span<floats>> &&
              !sorts_keys<std::span<float*>> && !sorts_keys<std::span<std::array<float, 2>>>);
static_assert(sorts_pairs<floats&, words&> && sorts_pairs<std::span<float>, std::array<double, 4>&>);
static_assert(!sorts_pairs<floats&, words> && !sorts_pairs<floats&, words const&> && !sorts_pairs<floats const&, words&> &&
              !sorts_pairs<floats&, std::span<floats>>);
static_assert(sorts_index<floats&, words&> && sorts_index<floats const&, std::vector<int>&> &&
              sorts_index<std::span<float const>, std::span<std::int64_t>> && sorts_index<floats&, std::vector<long long>&>);
static_assert(!sorts_index<floats, words&> && !sorts_index<floats&, words const&> &&
              !sorts_index<floats&, std::vector<std::int16_t>&> && !sorts_index<floats&, floats&> &&
              !sorts_index<floats&, std::span<bool>>);
static_assert(marks_heads<floats&, std::vector<std::uint8_t>&> && marks_heads<floats&, std::span<bool>> &&
              marks_heads<floats&, std::span<char>>);
static_assert(!marks_heads<floats&, std::vector<std::uint8_t>> && !marks_heads<floats&, words&> &&
              !marks_heads<floats&, std::span<std::uint8_t const>> && !marks_heads<floats&, std::vector<bool>&>);
static_assert(makes_segments<words&> && makes_segments<words const&> && makes_segments<std::vector<std::int32_t>&> &&
              makes_segments<std::span<std::int64_t>> && makes_segments<std::array<long long, 3> const&> &&
              makes_segments<std::uint64_t const (&)[3]>);
static_assert(!makes_segments<words> && !makes_segments<floats&> && !makes_segments<std::vector<std::int16_t>&> &&
              !makes_segments<std::span<bool>>);
static_assert(bounds_segments<words&, std::vector<std::int32_t>&> && bounds_segments<words const&, std::span<std::uint32_t>>);
static_assert(!bounds_segments<words&, std::vector<std::int64_t>&> && !bounds_segments<words&, words>);

}  // namespace

TEST_CASE("sorts take vectors, arrays, C arrays and spans", "[public_sorts][small]") {
  ordo::cpu cpu;
  std::vector<float> keys{3, 1, 2};
  std::array<double, 3> values{30, 10, 20};
  ordo::sort_pairs(cpu, keys, values);
  CHECK(keys == std::vector<float>{1, 2, 3});
  CHECK(values == std::array<double, 3>{10, 20, 30});
  ordo::sort_keys<ordo::sort_order::descending>(cpu, keys);
  CHECK(keys == std::vector<float>{3, 2, 1});
  int const read[] = {5, -6, 4};
  std::int64_t index[3];
  ordo::argsort(cpu, read, index);
  CHECK(std::vector<std::int64_t>(index, index + 3) == std::vector<std::int64_t>{1, 2, 0});

  std::vector<std::int16_t> shorts{4, 3, 2, 1, 1, 0};
  std::vector<std::int64_t> const offsets{0, 2, 6};
  bool heads[6];
  ordo::sort_segments(cpu, shorts, ordo::segments_from_offsets(offsets), heads);
  CHECK(shorts == std::vector<std::int16_t>{3, 4, 0, 1, 1, 2});
  CHECK(std::vector<bool>(heads, heads + 6) == std::vector<bool>{true, true, true, true, false, true});
  std::array<std::int32_t, 2> const begins{0, 3}, ends{2, 6};
  std::vector<std::uint32_t> order{0, 1, 2, 3, 4, 5};
  ordo::sort_segments<ordo::sort_order::descending>(cpu, std::as_const(shorts), order,
                                                    ordo::segments_from_bounds(begins, ends));
  CHECK(order == std::vector<std::uint32_t>{1, 0, 2, 5, 3, 4});
  ordo::sort_arrays(cpu, shorts, order, ordo::uniform_segments(1, 6));
  CHECK(shorts == std::vector<std::int16_t>{0, 1, 1, 2, 3, 4});
}
