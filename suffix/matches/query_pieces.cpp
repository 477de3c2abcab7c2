#include "suffix/matches/query_pieces.hpp"

#include <algorithm>
#include <cstring>

#include <tbb/task_arena.h>

#include "base/threads.hpp"

namespace ordo::inline v0::suffix::detail {
namespace {

struct part_offsets {
  std::uint64_t begin, end;
  bool has_letter_before;  // the piece needs the letter before it

  part_offsets(query_part const& part, bool with_slots)
      : begin(std::min<std::uint64_t>(part.begin, part.query.size())),
        end(std::clamp<std::uint64_t>(part.end, begin, part.query.size())),
        has_letter_before(with_slots && begin != 0) {}
  [[nodiscard]] std::uint64_t size() const { return end - begin; }
  [[nodiscard]] std::uint64_t first_letter() const { return begin - (has_letter_before ? 1 : 0); }
};

}  // namespace

query_pieces::query_pieces(std::span<query_part const> parts, bool with_slots) : places_(parts.size()) {
  struct target {
    std::size_t piece;
    std::uint64_t letters_at, letters;  // letters that are copied for the part
  };
  buffer<target> const targets(host_memory::shared(), parts.size());
  std::size_t pieces = 0, last = parts.size();  // the last part with letters
  std::uint64_t letters = 0;
  auto const copy_of_last = [&](std::uint64_t end) {
    if (last == parts.size()) return;
    target& to = targets.data()[last];
    to.letters = end - part_offsets(parts[last], with_slots).first_letter();
    letters += to.letters;
  };
  for (std::size_t p = 0; p < parts.size(); ++p) {
    query_part const& part = parts[p];
    part_offsets const offsets(part, with_slots);
    if (offsets.size() != 0) {
      bool const goes_on = last != parts.size() && parts[last].query.data() == part.query.data() &&
                           parts[last].query.size() == part.query.size() &&
                           part_offsets(parts[last], with_slots).first_letter() <= offsets.first_letter();
      // A match may go on to the end of the query.
      copy_of_last(goes_on ? offsets.first_letter() : last == parts.size() ? 0 : parts[last].query.size());
      last = p;
    }
    std::size_t const count = std::size_t((offsets.size() + letters_of_piece - 1) / letters_of_piece);
    std::uint64_t const slots = with_slots ? offsets.size() + count : offsets.size();
    targets.data()[p] = {pieces, letters, 0};
    places_[p] = {offsets.begin, slots_, slots};
    pieces += count;
    slots_ += slots;
  }
  if (last != parts.size()) copy_of_last(parts[last].query.size());

  letters_ = buffer<char>(host_memory::shared(), std::size_t(letters));
  pieces_ = buffer<query_piece>(host_memory::shared(), pieces);
  auto const fill = [&](std::size_t p) {
    target const& to = targets.data()[p];
    part_offsets const offsets(parts[p], with_slots);
    if (offsets.size() == 0) return;
    std::uint64_t const origin = offsets.first_letter(), size = parts[p].query.size() - origin, end = offsets.end - origin;
    std::memcpy(letters_.data() + to.letters_at, parts[p].query.data() + origin, std::size_t(to.letters));
    query_piece* piece = pieces_.data() + to.piece;
    std::uint64_t slot = places_[p].slot;
    bool has_letter_before = offsets.has_letter_before;
    for (std::uint64_t at = offsets.begin - origin; at < end; ++piece) {
      std::uint64_t const next = std::min(end, at + letters_of_piece);
      *piece = {to.letters_at, size, has_letter_before ? at - 1 : at, at, next, slot};
      slot += next - at + (with_slots ? 1 : 0);
      at = next;
      has_letter_before = with_slots;
    }
  };
  constexpr std::size_t min_parts = 64;  // parts of a thread
  tbb::this_task_arena::isolate([&] { host_detail::parallel_each(parts.size(), min_parts, fill); });
}

void found_strings::append(std::span<part_place const> places, std::vector<match>& matches, std::span<std::size_t> ends) const {
  auto const all = strings.span();
  auto const first_from = [&](std::uint64_t slot) {
    return std::size_t(
        std::ranges::partition_point(all, [&](found_string const& found_string) { return found_string.slot < slot; }) -
        all.begin());
  };
  if (places.empty()) return;
  std::size_t s = first_from(places.front().slot);
  std::size_t const end = first_from(places.back().slot + places.back().slots);
  std::uint64_t at = s == 0 ? 0 : all[s - 1].positions_end;
  if (s != end) matches.reserve(matches.size() + std::size_t(all[end - 1].positions_end - at));
  for (std::size_t p = 0; p < places.size(); ++p) {
    part_place const& place = places[p];
    for (; s != end && all[s].slot - place.slot < place.slots; ++s) {
      constexpr std::uint64_t slots_of_piece = query_pieces::letters_of_piece + 1;
      std::uint64_t const slot = all[s].slot - place.slot;
      std::uint64_t const offset =
          place.begin + slot / slots_of_piece * query_pieces::letters_of_piece + slot % slots_of_piece - 1;
      auto const first = std::ptrdiff_t(matches.size());
      for (std::size_t i = std::size_t(at); i < all[s].positions_end; ++i)
        matches.push_back({offset, positions.data()[i], lengths.size() == 0 ? all[s].length : lengths.data()[i]});
      std::sort(matches.begin() + first, matches.end());
      at = all[s].positions_end;
    }
    ends[p] = matches.size();
  }
}

}  // namespace ordo::inline v0::suffix::detail
