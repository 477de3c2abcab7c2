#include "spectra/mzml/cutter.hpp"
#include "spectra/encoding/text_fault.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace ordo::inline v0::spectra::detail {

bool mzml_cutter::next(mzml_text& chunk, std::size_t wanted) {
  chunk.spectra.clear();
  chunk.marks.clear();
  chunk.failure = nullptr;
  chunk.size = 0;
  if (std::exchange(ended_, true)) return false;
  chunk.first_spectrum = spectra_;
  chunk.offset = offset_;
  chunk.head = head_;
  std::uint64_t const repaired = outline_.repaired();
  have_ = searched_ = outside_ = 0;
  try {
    cut(chunk, std::clamp<std::size_t>(wanted, 1, chunk_text::max_bytes / 2));
    chunk.context = outline_.context();
  } catch (...) {
    chunk.failure = std::current_exception();
    if (inside_) chunk.spectra.pop_back();
    chunk.context = outline_.context();
    chunk.size = have_;
  }
  chunk.indexed = outline_.indexed() || !outline_.begun();
  chunk.repaired = outline_.repaired() - repaired;
  spectra_ += chunk.spectra.size();
  offset_ += chunk.size;
  return true;
}

// Reads the next bytes: those that were read for the chunk before, then the source's. Less than output.size() is the end.
std::size_t mzml_cutter::read(std::span<char> output) {
  std::size_t const kept = std::min(output.size(), rest_.size() - rest_begin_);
  std::copy_n(rest_.begin() + std::ptrdiff_t(rest_begin_), kept, output.begin());
  rest_begin_ += kept;
  return kept == output.size() ? kept : kept + from_.read(output.subspan(kept));
}

// Keeps the last bytes read, which were not used, for the next chunk.
void mzml_cutter::keep(std::span<char const> unused) {
  if (rest_begin_ != rest_.size()) {  // so all of it was in rest_
    rest_begin_ -= unused.size();
  } else {
    rest_.assign(unused.begin(), unused.end());
    rest_begin_ = 0;
  }
}

// Reads more into the chunk, and makes room for it. @returns false at the end of the source
bool mzml_cutter::more(mzml_text& chunk, std::size_t wanted) {
  if (at_end_) return false;
  std::size_t const room = have_ < wanted ? wanted : 2 * have_;
  if (room > chunk_text::max_bytes)
    throw text_fault(outside_, "too large",
                     fmt::format("a tag with its text, or a spectrum, of more than {} bytes", have_ - outside_));
  std::span<char> const to = chunk.room(room, have_).subspan(have_, room - have_);
  std::size_t const got = read(to);
  at_end_ = got < to.size();
  have_ += got;
  chunk.size = have_;
  return got != 0;
}

void mzml_cutter::cut(mzml_text& chunk, std::size_t wanted) {
  outline_.set_marks(chunk.marks);
  chunk.size = 0;
  at_end_ = false;
  for (;;) {
    std::string_view const text(chunk.bytes().data(), have_);
    // Only the ends of spectra matter here.
    auto const result = inside_ ? next_markup_but_starts(text, searched_) : next_markup(text, searched_);
    if (result) {
      take(chunk, *result);
      if (searched_ >= wanted && !inside_ && may_cut_ && !head_) break;
    } else if (!more(chunk, wanted)) {
      if (inside_) throw text_fault(outside_, "truncated", "the input ends inside the spectrum that begins here");
      read_outside(chunk, have_, true);
      chunk.size = have_;
      return;
    }
  }
  read_outside(chunk, searched_);
  keep(chunk.bytes().subspan(searched_));
  chunk.size = searched_;
  ended_ = false;
}

void mzml_cutter::take(mzml_text& chunk, markup const& markup) {
  constexpr std::string_view spectrum = "spectrum";
  searched_ = markup.end;
  if (markup.kind == markup_kind::other) return;
  if (inside_) {
    if (markup.kind != markup_kind::end || markup.name != spectrum) return;
    chunk.spectra.back().end = outside_ = markup.end;
    inside_ = false;
    return;
  }
  bool const begins = markup.kind == markup_kind::start, ends = markup.kind == markup_kind::end;
  may_cut_ = true;
  head_ &= !(markup.name == "spectrumList" || markup.name == spectrum || markup.name == "chromatogramList" ||
             (ends && (markup.name == "run" || markup.name == "mzML")));
  if (markup.name == spectrum && markup.kind != markup_kind::end) {
    read_outside(chunk, markup.begin);
    if (index_seen_) throw text_fault(markup.begin, "not mzML", "a spectrum after the index");
    chunk.spectra.push_back({markup.begin, markup.end});
    outside_ = begins ? markup.begin : markup.end;
    inside_ = begins;
    return;
  }
  if (!chunk.marks.empty() && chunk.marks.back().end == 0) chunk.marks.back().end = markup.begin;
  index_mark mark;
  if (!mark_named(markup.name, ends, mark.what)) return;
  index_seen_ |= mark.what == index_mark::kind::list;
  if (index_seen_ && mark.what == index_mark::kind::chromatogram)
    throw text_fault(markup.begin, "not mzML", "a chromatogram after the index");
  mark.at = mark.tag = markup.begin;
  mark.begin = markup.end;
  bool const holds_text = begins && mark.what != index_mark::kind::spectra;
  mark.end = holds_text ? 0 : markup.end;
  may_cut_ = !holds_text;
  chunk.marks.push_back(mark);
  // An empty tag ends where it begins.
  if (markup.kind != markup_kind::empty || !mark_named(markup.name, true, mark.what)) return;
  mark.tag = mark.begin = mark.end = markup.end;
  chunk.marks.push_back(mark);
}

void mzml_cutter::read_outside(mzml_text& chunk, std::size_t end, bool last) {
  std::string_view const piece = std::string_view(chunk.bytes().data(), end).substr(outside_);
  constexpr std::string_view spaces = " \t\r\n";
  // Mostly there is nothing else between spectra.
  bool const nothing = outline_.begun() && !last && piece.find_first_not_of(spaces) == std::string_view::npos;
  std::size_t const at = std::exchange(outside_, end);
  if (!nothing) outline_.parse(piece, at, last);
}

}  // namespace ordo::inline v0::spectra::detail
