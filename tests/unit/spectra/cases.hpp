#pragma once
#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/error.hpp"
#include "ordo/io.hpp"
#include "ordo/spectra.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/devices.hpp"

/// A sequential source that holds a text, and a sequential sink.
struct text_stream final : ordo::source, ordo::sink {
  std::string_view rest;
  std::string written;

  explicit text_stream(std::string_view text) : rest(text) {}
  std::size_t read(std::span<char> output) override {
    std::size_t const n = std::min(output.size(), rest.size());
    std::copy_n(rest.begin(), n, output.begin());
    rest.remove_prefix(n);
    return n;
  }
  void write(std::span<char const> data) override { written.append(data.data(), data.size()); }
};

inline std::vector<std::size_t> block_sizes() {
  return {1, 60, 1000, std::size_t{1} << 20};
}

/// Sorts a text. The machine, the number of threads, the size of chunks, and whether it is in memory or a stream must not
/// matter.
inline std::string sorted(std::string_view text, ordo::spectra::sort_options options = {}) {
  std::optional<std::string> first;
  for (ordo::device where : devices()) {
    options.machine = {where, 2};
    for (std::size_t block : block_sizes()) {
      options.chunk_bytes = block;
      std::string out(text.size(), '?');
      auto const in_memory = ordo::spectra::sort(std::span<char const>(text), out, options);
      out.resize(in_memory.written);
      if (!first) first = out;
      CHECK(out == *first);
      CHECK(in_memory.bytes == text.size());

      text_stream stream(text);
      auto const streamed = ordo::spectra::sort(stream, stream, options);
      CHECK(stream.written == *first);
      CHECK(streamed.lines == in_memory.lines);
      CHECK(streamed.spectra == in_memory.spectra);
      CHECK(streamed.peaks == in_memory.peaks);
      CHECK(streamed.reordered == in_memory.reordered);
      CHECK(streamed.warnings == in_memory.warnings);
      CHECK(streamed.written == in_memory.written);
      CHECK(streamed.spectra_kept == in_memory.spectra_kept);
      CHECK(streamed.peaks_kept == in_memory.peaks_kept);
      CHECK(streamed.missing_precursor == in_memory.missing_precursor);
    }
  }
  return *first;
}

inline ordo::spectra::sort_options lenient() {
  ordo::spectra::sort_options options;
  options.lenient = true;
  return options;
}

inline ordo::spectra::sort_options by_intensity(bool descending = false) {
  ordo::spectra::sort_options options;
  options.by = ordo::spectra::sort_key::intensity;
  options.descending = descending;
  return options;
}

/// Returns the error message of a text; empty if there is none.
inline std::string refusal(std::string_view text, ordo::spectra::sort_options options = {}) {
  options.name = "f.mgf";
  std::optional<std::string> first;
  for (std::size_t block : block_sizes()) {
    options.chunk_bytes = block;
    std::string out(text.size(), '?'), message;
    try {
      ordo::spectra::sort(std::span<char const>(text), out, options);
    } catch (ordo::input_error const& e) {
      message = e.what();
    }
    if (!first) first = message;
    CHECK(message == *first);
  }
  return *first;
}

/// Returns the first ten warnings of a text.
inline std::vector<std::string> warnings(std::string_view text, ordo::spectra::sort_options options = {}) {
  options.name = "f.mgf";
  std::optional<std::vector<std::string>> first;
  for (std::size_t block : block_sizes()) {
    options.chunk_bytes = block;
    std::vector<std::string> all;
    options.on_warning = [&](std::string const& message) { all.push_back(message); };
    std::string out(text.size(), '?');
    auto const done = ordo::spectra::sort(std::span<char const>(text), out, options);
    CHECK(all.size() == std::min<std::size_t>(done.warnings, options.warnings_shown));
    if (!first) first = all;
    CHECK(all == *first);
  }
  return *first;
}

using lines = std::vector<std::string>;
