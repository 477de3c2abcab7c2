#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "fuzz/fuzz.hpp"
#include "ordo/spectra.hpp"

// Options and calls that the fuzz targets of spectra share.
namespace fuzz {

/// The header of a fuzz input: bits that select options, the chunk size, and a number for options that take one.
struct spectra_options {
  std::size_t bits, chunk, number;
  ordo::spectra::sort_options options;  // set by the first four bits

  explicit spectra_options(fuzzed_bytes& bytes)
      : bits(bytes.number(256)), chunk(1 + 7 * bytes.number(256)), number(bytes.number(256)) {
    using ordo::spectra::sort_key;
    options.machine = one_thread();
    options.lenient = bits & 1;
    options.descending = bits & 2;
    options.by = bits & 4 ? sort_key::intensity : sort_key::mz;
    if (bits & 8) options.select.top = 1 + number % 8;
  }

  /// Returns the options with the size of chunks.
  [[nodiscard]] ordo::spectra::sort_options in_chunks() const {
    ordo::spectra::sort_options result = options;
    if (chunk > 1) result.chunk_bytes = chunk;
    return result;
  }
};

/// Returns the text before the first NUL, and the one after it.
inline std::pair<std::string_view, std::string_view> two_texts(std::string_view text) {
  std::size_t const end = text.find('\0');
  if (end == text.npos) return {text, {}};
  return {text.substr(0, end), text.substr(end + 1)};
}

/// Calls sort(source, sink, options) for a text in memory, and for a pipe in chunks, and requires that both end alike.
/// @returns the error of the first
template <class Sort>
std::optional<std::string> sort_both(std::string_view text, spectra_options const& chosen, string_sink& whole,
                                     string_sink& chunked, Sort sort) {
  ordo::memory_source from_memory(text);
  sequential_source from_pipe(text);
  ordo::spectra::sort_options const in_chunks = chosen.in_chunks();
  auto error = catch_error([&] { sort(from_memory, whole, chosen.options); });
  auto const other_error = catch_error([&] { sort(from_pipe, chunked, in_chunks); });
  // If an input has several errors, the chunk size decides which of them is found first.
  require_same(error, other_error, in_chunks.chunk_bytes == chosen.options.chunk_bytes);
  return error;
}

}  // namespace fuzz
