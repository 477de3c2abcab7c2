#include "ordo/suffix/pieces.hpp"

#include <algorithm>
#include <atomic>
#include <string_view>

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include "base/threads.hpp"
#include "ordo/suffix/complement.hpp"
#include "suffix/text/ending_letters.hpp"

namespace ordo::suffix {
namespace {

/// The first position of [0, n) for which wrong(p), by all threads.
template <class Wrong>
std::optional<std::size_t> first_wrong_letter(std::size_t n, Wrong wrong) {
  std::atomic<std::size_t> least{n};
  host_detail::blocks(n, detail::letters_at_once).run([&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) {
      if (!wrong(p)) continue;
      std::size_t known = least;
      while (p < known && !least.compare_exchange_weak(known, p)) {}
      return;
    }
  });
  return least == n ? std::nullopt : std::optional<std::size_t>(least);
}

}  // namespace

std::optional<std::string> flaw_in(pieces const& all, std::uint64_t residues, std::span<std::uint64_t const> starts,
                                   std::span<std::uint64_t const> lengths, policy const& which) {
  std::size_t const count = all.size(), records = starts.size();
  auto const begins = all.begins();
  if (count == 0 || begins[0] != 0 || !std::ranges::is_sorted(begins) || begins[count - 1] > residues)
    return "the pieces' begins are out of order";
  auto const length_of = [&](std::size_t i) { return (i + 1 < count ? begins[i + 1] : residues) - begins[i]; };
  auto const is_of = [&](std::size_t i, std::size_t record, bool reverse) {
    return i < count && all.record_of(i) == record && all.is_reverse(i) == reverse;
  };
  bool const both = which.strands == strands::both;
  std::size_t next = 0;
  for (std::size_t r = 0; r < records; ++r) {
    std::size_t const first = next;
    auto const bad = [&](char const* why) { return fmt::format("record {}: {}", r, why); };
    std::uint64_t reached = 0;
    for (; is_of(next, r, false); ++next) {
      std::uint64_t const offset = all.offset_of(next), length = length_of(next);
      if (offset < reached || offset > lengths[r] || length > lengths[r] - offset) return bad("pieces that are not of it");
      if (length == 0 && (offset != 0 || next != first)) return bad("a piece of no letters");
      reached = offset + length + 1;  // pieces do not touch
    }
    std::size_t const own = next - first;
    if (own == 0 || begins[first] != starts[r]) return bad("no piece where it begins");
    if (own > 1 && length_of(first) == 0) return bad("a piece of no letters");
    if (!which.breaks() && (own != 1 || length_of(first) != lengths[r])) return bad("pieces that are not all of it");
    for (std::size_t i = own; both && i-- != 0; ++next)
      if (!is_of(next, r, true) || all.offset_of(next) != all.offset_of(first + i) || length_of(next) != length_of(first + i))
        return bad("other pieces on the other strand");
  }
  if (next != count) return "pieces of no record";
  return std::nullopt;
}

std::optional<std::string> contradiction_in(text const& input, pieces const& all, policy const& which, unsigned threads) {
  std::optional<std::string> found;
  tbb::task_arena arena(threads_for(threads));
  arena.execute([&] {
    auto const byte = [&](std::size_t p) { return static_cast<unsigned char>(input.residues[p]); };
    auto const is_lower = [&](std::size_t p) { return byte(p) >= 'a' && byte(p) <= 'z'; };
    if (auto const p = which.masked == masked_letters::fold ? first_wrong_letter(input.size(), is_lower) : std::nullopt) {
      found = fmt::format("position {}: '{}' is lower case, which was folded", *p, input.residues[*p]);
      return;
    }
    if (which.breaks()) {
      auto const ends = detail::ending_letters(which);
      if (auto const p = first_wrong_letter(input.size(), [&](std::size_t q) { return ends[byte(q)]; })) {
        found = fmt::format("position {}: '{}' is a letter that ends records", *p, input.residues[*p]);
        return;
      }
    }
    if (which.strands != strands::both) return;
    auto const occurs = [&](std::string_view letters) { return input.residues.find_first_of(letters) != input.residues.npos; };
    complement const other(!occurs("Tt") && occurs("Uu"));
    for (std::size_t first = 0; first < all.size();) {
      std::size_t own = 0;  // of the record on each strand
      while (first + own < all.size() && !all.is_reverse(first + own) && all.record_of(first + own) == all.record_of(first))
        ++own;
      // The other strand of these pieces, read backwards, is that of one stretch of letters.
      std::size_t const begin = input.begin_of(first), letters = input.end_of(first + own - 1) - begin;
      std::size_t const last = begin + 2 * letters - 1;
      auto const wrong = first_wrong_letter(
          letters, [&](std::size_t k) { return input.residues[last - k] != other(input.residues[begin + k]); });
      if (wrong) {
        found = fmt::format("position {}: '{}' is not the complement of '{}' at {}", last - *wrong,
                            input.residues[last - *wrong], input.residues[begin + *wrong], begin + *wrong);
        return;
      }
      first += 2 * own;
    }
  });
  return found;
}

}  // namespace ordo::suffix
