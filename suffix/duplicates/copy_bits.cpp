#include "suffix/duplicates/copy_bits.hpp"

#include <algorithm>
#include <string_view>

#include "base/bits.hpp"
#include "ordo/error.hpp"

namespace ordo::inline v0::suffix {
namespace {

/// Returns the first position in [p, end) whose bit is `value`, or end.
std::size_t next(std::span<std::uint64_t const> bits, std::size_t p, std::size_t end, bool value) {
  while (p < end) {
    std::uint64_t const word = (value ? bits[p / 64] : ~bits[p / 64]) >> (p % 64);
    if (word != 0) return std::min<std::size_t>(end, p + trailing_zeros(word));
    p = (p / 64 + 1) * 64;
  }
  return end;
}

/// Shortens a range to whole characters.
void shorten(std::string_view bytes, std::size_t record_end, duplicate_range& range) {
  auto const continues = [&](std::uint64_t p) {
    return p < record_end && (static_cast<unsigned char>(bytes[p]) & 0xc0) == 0x80;
  };
  while (range.begin < range.end && continues(range.begin)) ++range.begin;
  while (range.begin < range.end && continues(range.end)) --range.end;
}

}  // namespace

void detail::check(text const& input, duplicate_options const& options) {
  if (options.min_length == 0) throw usage_error("invalid length: duplicates: a duplicate has at least one residue");
  if (options.whole_characters && input.residue_bytes != 1)
    throw usage_error("no characters: duplicates: characters consist of bytes, not of tokens");
  bool const has_words = options.unit != copied_unit::strings && options.unit != copied_unit::records;
  if (has_words && input.residue_bytes != 1)
    throw usage_error("no text: duplicates: lines, paragraphs and words consist of bytes, not of tokens");
  if (options.keep == kept_copies::best && options.scores.size() != input.records())
    throw usage_error("wrong array size: duplicates: not as many scores as records");
}

std::uint64_t detail::report_ranges(std::span<std::uint64_t const> bits, text const& input, duplicate_options const& options,
                                    std::size_t first_record, std::size_t last_record,
                                    std::function<void(duplicate_range const&)> const& on_range) {
  std::uint64_t all = 0;
  for (std::size_t record = first_record; record < last_record; ++record) {
    std::size_t const end = input.end(record);
    for (std::size_t p = input.begin(record); (p = next(bits, p, end, true)) < end;) {
      std::size_t const last = next(bits, p, end, false) - 1;
      // A wrong LCP may claim more residues than are left.
      duplicate_range range{record, p, last + std::min<std::uint64_t>(options.min_length, end - last)};
      p = last + 1;
      // The next copy may begin inside this one, or after it.
      for (std::size_t limit; p < (limit = std::min<std::size_t>(end, range.end + 1));) {
        std::size_t const further = next(bits, p, limit, true);
        if (further == limit) break;
        std::size_t const after = next(bits, further, end, false);
        range.end = std::max(range.end, after - 1 + std::min<std::uint64_t>(options.min_length, end - after + 1));
        p = after;
      }
      p = std::max(p, std::size_t(range.end));
      if (options.whole_characters) shorten(input.residues, end, range);
      if (range.begin == range.end) continue;
      all += range.end - range.begin;
      on_range(range);
    }
  }
  return all;
}

}  // namespace ordo::inline v0::suffix
