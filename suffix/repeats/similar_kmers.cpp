#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include "base/pooled_arena.hpp"
#include "base/threads.hpp"
#include "ordo/cpu.hpp"
#include "ordo/detail/buffer.hpp"
#include "ordo/detail/load.hpp"
#include "ordo/error.hpp"
#include "ordo/sort.hpp"
#include "ordo/suffix/repeats.hpp"

namespace ordo::inline v0::suffix {
namespace {

constexpr std::size_t grain = std::size_t{1} << 14;
constexpr std::uint64_t key_bytes = 2 * sizeof(std::uint64_t);  // bytes of a k-mer while keys are sorted

/// Mixes the bits of a number, so that each one of the result depends on all.
constexpr std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ x >> 32) * 0x9fb21c651e98df25;
  x = (x ^ x >> 29) * 0xd6e8feb86659fd93;
  return x ^ x >> 32;
}

/// The parts that k-mers are divided into, and the choices of parts that may be equal. Two k-mers that differ in at most e
/// letters differ in at most e of s parts, and agree in one of the choices of s - e. (Pigeonhole principle.)
class division {
 public:
  division(std::uint64_t length, unsigned mismatches, unsigned num_parts) : length_(length), parts_(num_parts) {
    unsigned const all = 1U << num_parts;
    for (unsigned choice = 0; choice < all; ++choice)
      if (unsigned(std::popcount(choice)) == num_parts - mismatches) choices_.push_back(choice);
    first_.resize(all);
    for (unsigned dirty = 0; dirty < all; ++dirty)
      while (first_[dirty] < choices_.size() && (choices_[first_[dirty]] & dirty) != 0) ++first_[dirty];
  }

  [[nodiscard]] std::size_t choices() const { return choices_.size(); }
  [[nodiscard]] std::uint64_t part_begin(unsigned part) const { return length_ * part / parts_; }
  [[nodiscard]] unsigned part_at(std::uint64_t offset) const {
    unsigned part = unsigned(offset * parts_ / length_);
    while (part_begin(part + 1) <= offset) ++part;
    return part;
  }
  /// Calls f(begin, end) for the parts of a choice.
  template <class F>
  void each_part(std::size_t choice, F f) const {
    for (unsigned part = 0; part < parts_; ++part)
      if ((choices_[choice] >> part & 1) != 0) f(part_begin(part), part_begin(part + 1));
  }
  /// Returns the first choice that leaves out these parts, given by their bits.
  [[nodiscard]] std::size_t first_without(unsigned parts) const { return first_[parts]; }

 private:
  std::uint64_t length_;
  unsigned parts_;
  std::vector<unsigned> choices_;  // a bit for each part
  std::vector<std::size_t> first_;
};

/// Divides k-mers into few parts, chosen by enough bits that random k-mers seldom agree.
division divided(std::uint64_t length, unsigned mismatches, std::size_t kmers, unsigned letter_bits) {
  unsigned parts = mismatches + 1;
  std::uint64_t const wanted_bits = std::uint64_t(std::bit_width(kmers)) + 2;
  while (parts < mismatches + 4 && parts < length && (parts - mismatches) * (length / parts) * letter_bits < wanted_bits)
    ++parts;
  return {length, mismatches, parts};
}

/// The offsets of letters in which two k-mers differ.
struct differences {
  static constexpr unsigned max = 2;
  unsigned count = 0;  // above the limit if there are more
  std::array<std::uint64_t, max> at{};
};

/// Different k-mers of a text, in suffix order, and what is counted of them.
template <class Residue, class Count>
class similar_kmers {
 public:
  /// @param positions  one for each k-mer @param weights  the weights of all positions: how often their k-mers occur
  /// @param totals  for each k-mer; the counts of similar ones are added
  similar_kmers(text const& input, std::span<Count const> positions, std::span<Count const> weights, std::span<Count> totals,
                std::uint64_t length, unsigned mismatches, division const& parts)
      : residues_(reinterpret_cast<Residue const*>(input.residues.data())),
        positions_(positions),
        weights_(weights),
        totals_(totals),
        length_(length),
        mismatches_(mismatches),
        parts_(parts) {}

  [[nodiscard]] std::size_t size() const { return positions_.size(); }

  /// Returns a hash of the letters of a choice of parts.
  [[nodiscard]] std::uint64_t hash(std::size_t kmer, std::size_t choice) const {
    std::uint64_t hash = 0;
    auto const* const letters = reinterpret_cast<char const*>(at(kmer));
    parts_.each_part(choice, [&](std::uint64_t begin, std::uint64_t end) {
      begin *= sizeof(Residue), end *= sizeof(Residue);
      for (; begin + 8 <= end; begin += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, letters + begin, 8);
        hash = mixed(hash ^ word);
      }
      std::uint64_t word = end - begin;
      std::memcpy(&word, letters + begin, end - begin);
      hash = mixed(hash ^ word);
    });
    return hash;
  }
  void prefetch(std::size_t kmer) const { __builtin_prefetch(at(kmer)); }

  /// Adds up the pairs of a group of k-mers that agree in a choice of parts, unless an earlier choice has them.
  void match(std::vector<std::size_t> const& kmers, std::size_t choice) const {
    std::uint64_t const size = kmers.size();
    std::vector<mask> const masks = size <= few ? std::vector<mask>() : collect_masks(choice);
    if (size <= few || size / 2 <= mask_cost * masks.size() * std::bit_width(size))
      match_pairs(kmers, choice);
    else
      match_masked(kmers, masks);
  }

 private:
  static constexpr std::uint64_t few = 32, mask_cost = 4;

  /// One or two letters that are left out.
  struct mask {
    std::uint64_t first, second;  // equal: one
    [[nodiscard]] bool is_single() const { return first == second; }
    [[nodiscard]] bool has(std::uint64_t offset) const { return offset == first || offset == second; }
  };
  struct masked_kmer {
    std::uint64_t hash;
    std::size_t kmer;
  };

  [[nodiscard]] Residue const* at(std::size_t kmer) const { return residues_ + positions_[kmer]; }
  [[nodiscard]] std::uint64_t weight(std::size_t kmer) const { return weights_[std::size_t(positions_[kmer])]; }
  void add(std::size_t kmer, std::uint64_t count) const {
    if (count != 0) std::atomic_ref<Count>(totals_[kmer]).fetch_add(Count(count), std::memory_order_relaxed);
  }

  [[nodiscard]] differences compare(std::size_t a, std::size_t b, unsigned limit) const {
    differences differences;
    auto const* const x = reinterpret_cast<char const*>(at(a));
    auto const* const y = reinterpret_cast<char const*>(at(b));
    std::uint64_t const bytes = length_ * sizeof(Residue);
    for (std::uint64_t i = 0; i < bytes; i += 8) {
      std::uint64_t left = 0, right = 0;
      std::size_t const part = std::min<std::uint64_t>(8, bytes - i);
      std::memcpy(&left, x + i, part);
      std::memcpy(&right, y + i, part);
      for (std::uint64_t differ = left ^ right; differ != 0;) {
        unsigned const inside = unsigned(std::countr_zero(differ)) / (8 * sizeof(Residue));  // on little-endian machines
        if (differences.count == limit) return {limit + 1, {}};
        differences.at[differences.count++] = i / sizeof(Residue) + inside;
        differ &= ~(std::uint64_t(static_cast<Residue>(~Residue{0})) << (8 * sizeof(Residue) * inside));
      }
    }
    return differences;
  }

  void match_pairs(std::vector<std::size_t> const& kmers, std::size_t choice) const {
    auto const match_one = [&](std::size_t i) {
      std::uint64_t sum = 0;
      for (std::size_t k = 0; k < i; ++k) {
        differences const differences = compare(kmers[i], kmers[k], mismatches_);
        if (differences.count > mismatches_) continue;
        unsigned parts = 0;
        for (unsigned d = 0; d < differences.count; ++d) parts |= 1U << parts_.part_at(differences.at[d]);
        if (parts_.first_without(parts) != choice) continue;
        sum += weight(kmers[k]);
        add(kmers[k], weight(kmers[i]));
      }
      add(kmers[i], sum);
    };
    if (kmers.size() <= 64 * few)
      for (std::size_t i = 1; i < kmers.size(); ++i) match_one(i);
    else
      tbb::parallel_for(std::size_t{1}, kmers.size(), match_one);
  }

  /// Returns the letters in which k-mers of a group may differ, so that no earlier choice has them.
  [[nodiscard]] std::vector<mask> collect_masks(std::size_t choice) const {
    std::vector<mask> masks;
    for (std::uint64_t a = 0; a < length_; ++a) {
      unsigned const part = 1U << parts_.part_at(a);
      if (parts_.first_without(part) == choice) masks.push_back({a, a});
      if (mismatches_ == 2)
        for (std::uint64_t b = a + 1; b < length_; ++b)
          if (parts_.first_without(part | 1U << parts_.part_at(b)) == choice) masks.push_back({a, b});
    }
    return masks;
  }

  /// Compares two k-mers without the letters of a mask.
  [[nodiscard]] int compare(std::size_t a, std::size_t b, mask const& without) const {
    Residue const *const x = at(a), *const y = at(b);
    for (std::uint64_t i = 0; i < length_; ++i)
      if (x[i] != y[i] && !without.has(i)) return x[i] < y[i] ? -1 : 1;
    return 0;
  }

  // Different k-mers that are equal without a letter differ in it. Those that are equal without two letters differ in one of
  // them or in both.
  void match_masked(std::vector<std::size_t> const& kmers, std::vector<mask> const& masks) const {
    constexpr std::uint64_t base = 0x15f3a7c94b2d8e61;
    std::vector<std::uint64_t> powers(length_, 1), hashes(kmers.size());
    for (std::uint64_t i = 1; i < length_; ++i) powers[i] = powers[i - 1] * base;
    auto const term = [&](std::size_t kmer, std::uint64_t i) { return (std::uint64_t(at(kmer)[i]) + 1) * powers[i]; };
    tbb::parallel_for(std::size_t{0}, kmers.size(), [&](std::size_t k) {
      for (std::uint64_t i = 0; i < length_; ++i) hashes[k] += term(kmers[k], i);
    });
    tbb::parallel_for(std::size_t{0}, masks.size(), [&](std::size_t m) {
      mask const& without = masks[m];
      std::vector<masked_kmer> order(kmers.size());
      for (std::size_t k = 0; k < kmers.size(); ++k) {
        std::uint64_t const second = without.is_single() ? 0 : term(kmers[k], without.second);
        order[k] = {mixed(hashes[k] - term(kmers[k], without.first) - second), kmers[k]};
      }
      std::ranges::sort(order, [&](masked_kmer const& a, masked_kmer const& b) {
        return a.hash != b.hash ? a.hash < b.hash : compare(a.kmer, b.kmer, without) < 0;
      });
      for (std::size_t begin = 0; begin < order.size();) {
        std::size_t end = begin + 1;
        while (end < order.size() && order[end].hash == order[begin].hash &&
               compare(order[begin].kmer, order[end].kmer, without) == 0)
          ++end;
        if (end - begin > 1) add_up({order.data() + begin, end - begin}, without);
        begin = end;
      }
    });
  }

  void add_up(std::span<masked_kmer const> equal, mask const& without) const {
    std::uint64_t sum = 0;
    for (masked_kmer const& masked_kmer : equal) sum += weight(masked_kmer.kmer);
    std::map<Residue, std::uint64_t> of_first, of_second;  // sums by letter
    if (!without.is_single())
      for (masked_kmer const& masked_kmer : equal) {
        of_first[at(masked_kmer.kmer)[without.first]] += weight(masked_kmer.kmer);
        of_second[at(masked_kmer.kmer)[without.second]] += weight(masked_kmer.kmer);
      }
    for (masked_kmer const& masked_kmer : equal) {
      std::uint64_t const own = weight(masked_kmer.kmer);
      if (without.is_single())
        add(masked_kmer.kmer, sum - own);
      else
        add(masked_kmer.kmer,
            sum - of_first[at(masked_kmer.kmer)[without.first]] - of_second[at(masked_kmer.kmer)[without.second]] + own);
    }
  }

  Residue const* residues_;
  std::span<Count const> positions_, weights_;
  std::span<Count> totals_;
  std::uint64_t length_;
  unsigned mismatches_;
  division const& parts_;
};

/// Sorts the k-mers by their hashes of a choice of parts, those of one range of hashes, and matches groups of equal ones.
template <class Kmers>
void match_choice(Kmers const& all, std::size_t choice, std::size_t range, std::size_t ranges, unsigned threads) {
  unsigned const id_bits = unsigned(std::bit_width(all.size()));
  std::uint64_t const ids = (std::uint64_t{1} << id_bits) - 1;
  // The lowest bits of a hash give its range; they are no part of a key.
  constexpr unsigned range_bits = 12;
  auto const in_range = [&](std::uint64_t hash) { return (hash & ((1U << range_bits) - 1)) * ranges >> range_bits == range; };
  host_detail::blocks const work(all.size(), grain);
  auto const each_hash = [&](std::size_t begin, std::size_t end, auto f) {
    constexpr std::size_t ahead = 16;
    for (std::size_t kmer = begin; kmer < end; ++kmer) {
      if (kmer + ahead < end) all.prefetch(kmer + ahead);
      std::uint64_t const hash = all.hash(kmer, choice);
      if (in_range(hash)) f((hash & ~ids) | kmer);
    }
  };
  std::vector<std::size_t> begins(work.count + 1);
  if (ranges == 1) {
    work.run([&](std::size_t block, std::size_t begin, std::size_t end) { begins[block + 1] = end - begin; });
  } else {
    work.run([&](std::size_t block, std::size_t begin, std::size_t end) {
      each_hash(begin, end, [&](std::uint64_t) { ++begins[block + 1]; });
    });
  }
  for (std::size_t block = 0; block < work.count; ++block) begins[block + 1] += begins[block];
  std::size_t const count = begins.back();
  host_memory plain;
  buffer<std::uint64_t> const keys(plain, count);
  std::span<std::uint64_t> const key = keys.span();
  work.run([&](std::size_t block, std::size_t begin, std::size_t end) {
    std::size_t next = begins[block];
    each_hash(begin, end, [&](std::uint64_t one) { key[next++] = one; });
  });
  {
    cpu machine({.threads = threads});
    sort_keys(machine, key, {id_bits, 64});
  }
  auto const begins_group = [&](std::size_t i) { return i == 0 || i >= count || (key[i] ^ key[i - 1]) > ids; };
  host_detail::blocks(count, grain).run([&](std::size_t, std::size_t begin, std::size_t end) {
    std::vector<std::size_t> group;
    while (begin < end && !begins_group(begin)) ++begin;
    while (begin < end) {
      std::size_t after = begin + 1;
      while (!begins_group(after)) ++after;
      if (after - begin > 1) {
        group.clear();
        for (; begin < after; ++begin) group.push_back(std::size_t(key[begin] & ids));
        all.match(group, choice);
      }
      begin = after;
    }
  });
}

}  // namespace

template <class Count>
std::uint64_t count_similar(text const& input, entries sa, entries lcp, std::uint64_t length, unsigned mismatches,
                            letter_choice letters, std::span<Count> at, std::string const& name, unsigned threads,
                            std::size_t memory) {
  if (mismatches < 1 || mismatches > differences::max)
    throw usage_error(fmt::format("invalid number: mismatches: {}: similar k-mers differ in 1 or 2 letters", mismatches));
  std::uint64_t const left_out = count_occurrences(input, sa, lcp, length, letters, at, name, threads);
  std::size_t const n = sa.size();
  pooled_arena arena(threads_for(threads));
  arena.execute([&] {
    // Rows that begin with the same k-mer are adjacent. `first` calls f(row) for the first of those in [begin, end).
    auto const each_first = [&](std::size_t begin, std::size_t end, auto f) {
      for (std::size_t row = begin; row < end; ++row)
        if ((row == 0 || lcp[row] < length) && at[std::size_t(sa[row])] != 0) f(row);
    };
    host_detail::blocks const work(n, grain);
    std::vector<std::size_t> begins(work.count + 1);
    work.run([&](std::size_t block, std::size_t begin, std::size_t end) {
      each_first(begin, end, [&](std::size_t) { ++begins[block + 1]; });
    });
    for (std::size_t block = 0; block < work.count; ++block) begins[block + 1] += begins[block];
    std::size_t const kmers = begins.back();
    std::size_t const held = 2 * sizeof(Count) * kmers, min_bytes = held + key_bytes * kmers / 64;
    if (min_bytes > memory)
      throw out_of_memory(
          fmt::format("out of memory: {} different k-mers: {} bytes are needed, {} are allowed", kmers, min_bytes, memory),
          min_bytes);
    host_memory plain;
    buffer<Count> const positions(plain, kmers), totals(plain, kmers);
    work.run([&](std::size_t block, std::size_t begin, std::size_t end) {
      std::size_t kmer = begins[block];
      each_first(begin, end, [&](std::size_t row) {
        positions.data()[kmer] = Count(sa[row]);
        totals.data()[kmer++] = at[std::size_t(sa[row])];
      });
    });
    std::size_t const ranges = std::size_t((key_bytes * kmers) / std::max<std::size_t>(1, memory - held)) + 1;
    division const parts = divided(length, mismatches, kmers, letters == letter_choice::nucleotides ? 2 : 4);
    auto const match_all = [&]<class Residue>(Residue) {
      similar_kmers<Residue, Count> const all(input, positions.span(), at, totals.span(), length, mismatches, parts);
      for (std::size_t choice = 0; choice < parts.choices(); ++choice)
        for (std::size_t range = 0; range < ranges; ++range) match_choice(all, choice, range, ranges, threads);
    };
    if (kmers != 0) {
      if (input.residue_bytes == 1)
        match_all(std::uint8_t{});
      else if (input.residue_bytes == 2)
        match_all(std::uint16_t{});
      else
        match_all(std::uint32_t{});
    }
    // A thread writes the total of a k-mer whose first row is in its block to all positions of the k-mer.
    work.run([&](std::size_t block, std::size_t begin, std::size_t end) {
      std::size_t kmer = begins[block];
      for (std::size_t row = begin; row < end; ++row) {
        if (row != 0 && lcp[row] >= length) continue;
        bool const counted = kmer < begins[block + 1] && positions.data()[kmer] == sa[row];
        if (!counted) continue;
        std::size_t after = row;
        do store_relaxed(at.data() + sa[after], totals.data()[kmer]);
        while (++after < n && lcp[after] >= length);
        ++kmer;
      }
    });
  });
  return left_out;
}

template std::uint64_t count_similar(text const&, entries, entries, std::uint64_t, unsigned, letter_choice,
                                     std::span<std::uint32_t>, std::string const&, unsigned, std::size_t);
template std::uint64_t count_similar(text const&, entries, entries, std::uint64_t, unsigned, letter_choice,
                                     std::span<std::uint64_t>, std::string const&, unsigned, std::size_t);

}  // namespace ordo::inline v0::suffix
