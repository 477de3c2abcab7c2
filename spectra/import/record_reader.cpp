#include "spectra/import/record_reader.hpp"

#include <algorithm>
#include <utility>

namespace ordo::inline v0::spectra::detail {

bool record_reader::next(import_text& text, std::size_t wanted) {
  text.failure = nullptr;
  text.scans.clear();
  text.num_spectra = 0;
  text.size = 0;
  if (std::exchange(ended_, true)) return false;
  text.first_spectrum = spectra_;
  try {
    cut(text, std::clamp<std::size_t>(wanted, 1, chunk_text::max_bytes / 2));
    if (!std::exchange(front_read_, true)) read_front(text.view());
  } catch (...) {
    text.failure = std::current_exception();
  }
  spectra_ += text.num_spectra;
  return true;
}

// Cuts before the first record that begins at `wanted` bytes or later.
void record_reader::cut(import_text& text, std::size_t wanted) {
  from_.begin(text);
  begin_text();
  line_finder lines;
  bool last = false;
  for (std::size_t at = 0; !last || at < text.size;) {
    auto const it = lines.find(text.view(), at, last);
    if (!it) {
      last = !from_.more(text, wanted);
      continue;
    }
    bool const begins = begins_record(text.view().substr(at, it->end - at));
    if (begins && at >= wanted) {
      from_.cut(text, at);
      ended_ = false;
      return;
    }
    text.num_spectra += begins;
    at = it->next;
  }
}

}  // namespace ordo::inline v0::spectra::detail
