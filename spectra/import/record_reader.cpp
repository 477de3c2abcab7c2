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
  for (std::size_t line = 0;;) {
    std::string_view const all = text.view();
    std::size_t const end = all.find('\n', line);
    if (end == std::string_view::npos) {
      if (from_.more(text, wanted)) continue;
      text.num_spectra += begins_record_(text.view().substr(line));
      return;
    }
    bool const begins = begins_record_(all.substr(line, end - line));
    if (begins && line >= wanted) {
      from_.cut(text, line);
      ended_ = false;
      return;
    }
    text.num_spectra += begins;
    line = end + 1;
  }
}

}  // namespace ordo::inline v0::spectra::detail
