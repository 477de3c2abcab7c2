#include "ordo/strings/distinct.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <span>
#include <string>
#include <string_view>

#include <tbb/enumerable_thread_specific.h>

#include "base/threads.hpp"
#include "strings/external/line_blocks.hpp"
#include "strings/external/line_table.hpp"
#include "strings/sort/line_sort.hpp"
#include "strings/sort/text_job.hpp"

namespace ordo::inline v0::strings {
namespace {

using namespace detail;

constexpr std::size_t block_bytes = std::size_t{16} << 20, part_bytes = std::size_t{256} << 10;

// The registers of HyperLogLog: of the hashes that begin with a register's number, the most zeros before a one, plus one.
class registers {
 public:
  void add(std::uint64_t hash) {
    auto const rank = static_cast<unsigned char>(std::min<int>(std::countl_zero(hash << index_bits), rank_bits) + 1);
    unsigned char& old = (*ranks_)[hash >> rank_bits];
    old = std::max(old, rank);
  }
  void add(registers const& others) {
    for (std::size_t i = 0; i < size; ++i) (*ranks_)[i] = std::max((*ranks_)[i], (*others.ranks_)[i]);
  }
  // Ertl, New cardinality estimation algorithms for HyperLogLog sketches, algorithm 6.
  [[nodiscard]] double estimate() const {
    std::array<double, rank_bits + 2> counts{};
    for (unsigned char const rank : *ranks_) ++counts[rank];
    double z = double(size) * tau(1 - counts[rank_bits + 1] / double(size));
    for (std::size_t rank = rank_bits; rank > 0; --rank) z = (z + counts[rank]) / 2;
    z += double(size) * sigma(counts[0] / double(size));
    return double(size) * double(size) / (2 * std::numbers::ln2 * z);
  }

 private:
  static constexpr int index_bits = 16, rank_bits = 64 - index_bits;
  static constexpr std::size_t size = std::size_t{1} << index_bits;

  static double sigma(double x) {
    double sum = x, before = -1;
    for (double y = 1; sum != before && x != 1; y *= 2) {
      x *= x;
      before = sum;
      sum += x * y;
    }
    return x == 1 ? std::numeric_limits<double>::infinity() : sum;
  }
  static double tau(double x) {
    if (x == 0 || x == 1) return 0;
    double sum = 1 - x, before = -1;
    for (double y = 0.5; sum != before; y /= 2) {
      x = std::sqrt(x);
      before = sum;
      sum -= (1 - x) * (1 - x) * y;
    }
    return sum / 3;
  }

  std::unique_ptr<std::array<unsigned char, size>> ranks_ = std::make_unique<std::array<unsigned char, size>>();
};

// Takes nothing: no line is written.
class no_sink final : public sink {
 public:
  void write(std::span<char const>) override {}
};

// Returns an order whose codes are the same for equal keys only. Codes of collated keys are cut; those of random keys are the
// hash of what is collated.
order by_whole_codes(order by) {
  by.last_resort = false;
  if (by.is_collated())
    for (key& k : by.keys)
      if (k.type == key_type::bytes) k.type = key_type::random;
  return by;
}

}  // namespace

distinct_estimate estimate_distinct(texts const& from, sort_options const& options, phase_observer const& began) {
  check_delimiter(options.delimiter);
  no_sink nowhere;
  text_job job{from, nowhere, options, duplicates::count, began};
  job.begin(phase::read, from.bytes);
  key_encoder const encode(by_whole_codes(options.by), options.delimiter);
  bool const plain = options.by.keys.empty();
  threads_for(options.machine.threads);  // starts oneTBB
  tbb::enumerable_thread_specific<registers> specific;
  line_blocks blocks(job, block_bytes);
  while (blocks.read()) {
    std::size_t const parts = (blocks.lines().size() + part_bytes - 1) / part_bytes;
    each_part(blocks.lines(), parts, options.delimiter, options.machine.threads, [&](std::size_t, std::string_view part) {
      registers& own = specific.local();
      std::string codes;
      each_line(part, options.delimiter, [&](std::string_view line) {
        codes.clear();
        if (!plain) encode.append(line, codes);
        own.add(hash_text(plain ? line : std::string_view(codes), 0));
      });
    });
    blocks.drop();
  }
  registers all;
  for (registers const& r : specific) all.add(r);
  return {std::uint64_t(std::llround(all.estimate())), blocks.count()};
}

}  // namespace ordo::inline v0::strings
