#include "spectra/mzml/pieces.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace ordo::spectra::detail {

bool mzml_pieces::next(mzml_piece& made, std::size_t wanted) {
  made.spectra.clear();
  made.marks.clear();
  made.failure = nullptr;
  made.size = 0;
  if (std::exchange(ended_, true)) return false;
  made.first_spectrum = spectra_;
  made.offset = offset_;
  made.head = head_;
  std::uint64_t const repaired = outline_.repaired();
  have_ = searched_ = outside_ = 0;
  try {
    cut(made, std::clamp<std::size_t>(wanted, 1, slices::limit / 2));
    made.context = outline_.context();
  } catch (...) {
    made.failure = std::current_exception();
    if (inside_) made.spectra.pop_back();
    made.context = outline_.context();
    made.size = made.memory.size = have_;
  }
  made.indexed = outline_.indexed() || !outline_.begun();
  made.repaired = outline_.repaired() - repaired;
  spectra_ += made.spectra.size();
  offset_ += made.size;
  return true;
}

// The next bytes: those that were read for the piece before, then the source's. Less than to.size() is the end.
std::size_t mzml_pieces::read(std::span<char> to) {
  std::size_t const kept = std::min(to.size(), rest_.size() - rest_begin_);
  std::copy_n(rest_.begin() + std::ptrdiff_t(rest_begin_), kept, to.begin());
  rest_begin_ += kept;
  return kept == to.size() ? kept : kept + from_.read(to.subspan(kept));
}

// What was read, but not used: `unused` is the last of it.
void mzml_pieces::keep(std::span<char const> unused) {
  if (rest_begin_ != rest_.size()) {  // so all of it was in rest_
    rest_begin_ -= unused.size();
  } else {
    rest_.assign(unused.begin(), unused.end());
    rest_begin_ = 0;
  }
}

// Fills what is left of the room, or makes more. @returns false if there is nothing more to come
bool mzml_pieces::more(mzml_piece& made, std::size_t wanted) {
  if (at_end_) return false;
  std::size_t const room = have_ < wanted ? wanted : 2 * have_;
  if (room > slices::limit)
    throw xml_fault(outside_, "too large",
                    fmt::format("a tag with its text, or a spectrum, of more than {} bytes", have_ - outside_));
  std::span<char> const to = made.memory.room(room, have_).subspan(have_, room - have_);
  std::size_t const got = read(to);
  at_end_ = got < to.size();
  have_ += got;
  made.memory.size = have_;
  return got != 0;
}

void mzml_pieces::cut(mzml_piece& made, std::size_t wanted) {
  outline_.take_marks(made.marks);
  made.memory.size = 0;
  at_end_ = false;
  for (;;) {
    auto const found = next_markup({made.memory.text().data(), have_}, searched_);
    if (found) {
      take(made, *found);
      if (searched_ >= wanted && !inside_ && may_cut_ && !head_) break;
    } else if (!more(made, wanted)) {
      if (inside_) throw xml_fault(outside_, "truncated", "the input ends inside the spectrum that begins here");
      read_outside(made, have_, true);
      made.size = have_;
      return;
    }
  }
  read_outside(made, searched_);
  made.size = searched_;
  keep(made.memory.text().subspan(made.size));
  made.memory.size = made.size;
  ended_ = false;
}

void mzml_pieces::take(mzml_piece& made, markup const& found) {
  constexpr std::string_view spectrum = "spectrum";
  searched_ = found.end;
  if (found.kind == markup_kind::other) return;
  if (inside_) {
    if (found.kind != markup_kind::end || found.name != spectrum) return;
    made.spectra.back().end = outside_ = found.end;
    inside_ = false;
    return;
  }
  bool const begins = found.kind == markup_kind::start, ends = found.kind == markup_kind::end;
  may_cut_ = true;
  head_ &= !(found.name == "spectrumList" || found.name == spectrum || found.name == "chromatogramList" ||
             (ends && (found.name == "run" || found.name == "mzML")));
  if (found.name == spectrum && found.kind != markup_kind::end) {
    read_outside(made, found.begin);
    if (index_seen_) throw xml_fault(found.begin, "not mzML", "a spectrum behind the index");
    made.spectra.push_back({found.begin, found.end});
    outside_ = begins ? found.begin : found.end;
    inside_ = begins;
    return;
  }
  if (!made.marks.empty() && made.marks.back().end == 0) made.marks.back().end = found.begin;
  index_mark mark;
  if (!mark_named(found.name, ends, mark.what)) return;
  index_seen_ |= mark.what == index_mark::kind::list;
  if (index_seen_ && mark.what == index_mark::kind::chromatogram)
    throw xml_fault(found.begin, "not mzML", "a chromatogram behind the index");
  mark.at = mark.tag = found.begin;
  mark.begin = found.end;
  bool const holds_text = begins && mark.what != index_mark::kind::spectra;
  mark.end = holds_text ? 0 : found.end;
  may_cut_ = !holds_text;
  made.marks.push_back(mark);
  // An empty tag ends where it begins.
  if (found.kind != markup_kind::empty || !mark_named(found.name, true, mark.what)) return;
  mark.tag = mark.begin = mark.end = found.end;
  made.marks.push_back(mark);
}

void mzml_pieces::read_outside(mzml_piece& made, std::size_t end, bool last) {
  std::string_view const piece = std::string_view(made.memory.text().data(), end).substr(outside_);
  constexpr std::string_view spaces = " \t\r\n";
  // Between spectra there is nothing else, mostly.
  bool const nothing = outline_.begun() && !last && piece.find_first_not_of(spaces) == std::string_view::npos;
  std::size_t const at = std::exchange(outside_, end);
  if (!nothing) outline_.parse(piece, at, last);
}

}  // namespace ordo::spectra::detail
