#include "strings/distributed/shares.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>

#include "ordo/error.hpp"

namespace ordo::inline v0::strings::detail {
namespace {

/// Returns the first begin of a line at or after `offset` of a text, or its end.
std::uint64_t line_begin(source const& text, text_range const& range, std::uint64_t offset, char delimiter) {
  if (offset == 0 || offset >= range.size) return std::min(offset, range.size);
  std::vector<char> block(std::size_t{1} << 16);
  for (std::uint64_t at = offset - 1; at < range.size;) {
    std::size_t const n = std::size_t(std::min<std::uint64_t>(block.size(), range.size - at));
    text.read_at(range.begin + at, {block.data(), n});
    if (void const* const result = std::memchr(block.data(), delimiter, n))
      return at + std::uint64_t(static_cast<char const*>(result) - block.data()) + 1;
    at += n;
  }
  return range.size;
}

}  // namespace

text_range text_range::of(source const& text) {
  auto const size = text.size();
  if (!size) return {};
  return {text.position(), *size - std::min(*size, text.position())};
}

void append_all(source& text, host_bytes& to) {
  for (;;) {
    auto const room = to.room(std::size_t{1} << 20);
    std::size_t const got = text.read(room);
    to.resize(to.size() + got);
    if (got < room.size()) return;
  }
}

std::vector<line_piece> collect_pieces(texts const& from, std::size_t first, std::span<text_range const> ranges,
                                       std::size_t members, std::size_t rank, char delimiter) {
  std::uint64_t total = 0;
  for (text_range const& range : ranges.subspan(first)) total += range.size;
  std::uint64_t const begin = even_offset(total, members, rank), end = begin + even_share(total, members, rank);
  std::vector<line_piece> pieces;
  std::uint64_t offset = 0;  // where a text begins among all
  for (std::size_t k = first; k < ranges.size(); offset += ranges[k++].size) {
    text_range const& range = ranges[k];
    std::uint64_t const low = std::clamp(begin, offset, offset + range.size) - offset,
                        high = std::clamp(end, offset, offset + range.size) - offset;
    if (low == high) continue;
    auto const text = from.open(k);
    if (!text->size()) throw input_error("cannot read: input " + std::to_string(k + 1) + ": it is a regular file no more");
    std::uint64_t const from_line = line_begin(*text, range, low, delimiter),
                        to_line = line_begin(*text, range, high, delimiter);
    if (from_line != to_line) pieces.push_back({k, range.begin + from_line, range.begin + to_line});
  }
  return pieces;
}

bool member_sink::expect(std::uint64_t bytes) {
  if (!divisions(bytes).empty())
    throw usage_error("bad output: part of a divided output: the begins of its lines are not known");
  return expect_divided(bytes, {});
}

std::vector<std::uint64_t> member_sink::divisions(std::uint64_t bytes) const {
  sizes_ = members_.all_gather(bytes);
  if (!whole_) return {};
  std::uint64_t const begin =
      std::accumulate(sizes_.begin(), sizes_.begin() + std::ptrdiff_t(members_.rank()), std::uint64_t{0});
  std::vector<std::uint64_t> own;
  for (std::uint64_t const at : divisions_in(*whole_, std::accumulate(sizes_.begin(), sizes_.end(), std::uint64_t{0})))
    if (begin < at && at <= begin + bytes) own.push_back(at - begin);
  return own;
}

bool member_sink::expect_divided(std::uint64_t bytes, std::span<std::uint64_t const> begins) {
  own_bytes_ = bytes;
  all_bytes_ = std::accumulate(sizes_.begin(), sizes_.end(), std::uint64_t{0});
  if (whole_) {
    std::uint64_t const begin =
        std::accumulate(sizes_.begin(), sizes_.begin() + std::ptrdiff_t(members_.rank()), std::uint64_t{0});
    begins_ = divisions_in(*whole_, all_bytes_);
    std::size_t next = 0;
    for (std::uint64_t& at : begins_) at = begin < at && at <= begin + bytes ? begin + begins[next++] : 0;
    if (!begins_.empty()) members_.reduce(begins_, reduction::sum);  // each is found by one member
  }
  if (began_) began_(phase::write, all_bytes_);
  part_.emplace(members_, sizes_, open_(all_bytes_));
  return true;
}

}  // namespace ordo::inline v0::strings::detail
