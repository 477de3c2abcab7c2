#include <algorithm>
#include <span>

#include "spectra/encoding/xml.hpp"
#include "spectra/import/format.hpp"

namespace ordo::inline v0::spectra::detail {

void text_reader::begin(import_text& text) {
  text.offset = offset_;
  text.size = rest_.size();
  std::ranges::copy(rest_, text.room(rest_.size() + 1).begin());
  rest_.clear();
}

bool text_reader::more(import_text& text, std::size_t wanted) {
  if (at_end_) return false;
  std::size_t const room = text.size < wanted ? wanted : 2 * text.size + 1;
  if (room > chunk_text::max_bytes) throw text_fault(0, "too large", "a spectrum of more than 2 GiB");
  std::span<char> const to = text.room(room, text.size).subspan(text.size, room - text.size);
  std::size_t const got = from_.read(to);
  at_end_ = got < to.size();
  text.size += got;
  return got != 0;
}

void text_reader::cut(import_text& text, std::size_t size) {
  auto const bytes = text.bytes();
  rest_.assign(bytes.begin() + std::ptrdiff_t(size), bytes.end());
  text.size = size;
  offset_ += size;
}

}  // namespace ordo::inline v0::spectra::detail
