#pragma once
#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/error.hpp"
#include "ordo/spectra.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/devices.hpp"

/// Gives a text to the streaming functions, and takes one from them.
struct text_stream {
  std::string_view rest;
  std::string written;

  ordo::spectra::reader reader() {
    return [this](std::span<char> to) {
      std::size_t const n = std::min(to.size(), rest.size());
      std::copy_n(rest.begin(), n, to.begin());
      rest.remove_prefix(n);
      return n;
    };
  }
  ordo::spectra::writer writer() {
    return [this](std::span<char const> from) { written.append(from.data(), from.size()); };
  }
};

inline std::vector<std::size_t> block_sizes() {
  return {1, 60, 1000, std::size_t{1} << 20};
}

/// What sorting makes of a text. It must not matter where it is done, in memory or as a stream, in which blocks, by how many
/// threads.
inline std::string sorted(std::string_view text, ordo::spectra::options how = {}) {
  std::optional<std::string> first;
  for (ordo::device where : devices()) {
    how.machine = {where, 2};
    for (std::size_t block : block_sizes()) {
      how.block_bytes = block;
      std::string out(text.size(), '?');
      auto const in_memory = ordo::spectra::sort(std::span<char const>(text), out, how);
      out.resize(in_memory.written);
      if (!first) first = out;
      CHECK(out == *first);
      CHECK(in_memory.bytes == text.size());

      text_stream stream{text, {}};
      auto const streamed = ordo::spectra::sort(stream.reader(), stream.writer(), how);
      CHECK(stream.written == *first);
      CHECK(streamed.lines == in_memory.lines);
      CHECK(streamed.spectra == in_memory.spectra);
      CHECK(streamed.peaks == in_memory.peaks);
      CHECK(streamed.reordered == in_memory.reordered);
      CHECK(streamed.warnings == in_memory.warnings);
      CHECK(streamed.written == in_memory.written);
      CHECK(streamed.spectra_left == in_memory.spectra_left);
      CHECK(streamed.peaks_left == in_memory.peaks_left);
      CHECK(streamed.without_precursor == in_memory.without_precursor);
    }
  }
  return *first;
}

inline ordo::spectra::options lenient() {
  ordo::spectra::options how;
  how.lenient = true;
  return how;
}

inline ordo::spectra::options by_intensity(bool descending = false) {
  ordo::spectra::options how;
  how.by = ordo::spectra::sort_key::intensity;
  how.descending = descending;
  return how;
}

/// The message with which a text is refused, by sorting and by checking; empty if it is not.
inline std::string refusal(std::string_view text, ordo::spectra::options how = {}) {
  how.name = "f.mgf";
  std::optional<std::string> first;
  for (std::size_t block : block_sizes()) {
    how.block_bytes = block;
    std::string out(text.size(), '?'), message;
    try {
      ordo::spectra::sort(std::span<char const>(text), out, how);
    } catch (ordo::input_error const& e) {
      message = e.what();
    }
    if (!first) first = message;
    CHECK(message == *first);
  }
  return *first;
}

/// The warnings that a text gives rise to, the first ten.
inline std::vector<std::string> warnings(std::string_view text, ordo::spectra::options how = {}) {
  how.name = "f.mgf";
  std::optional<std::vector<std::string>> first;
  for (std::size_t block : block_sizes()) {
    how.block_bytes = block;
    std::vector<std::string> all;
    how.on_warning = [&](std::string const& message) { all.push_back(message); };
    std::string out(text.size(), '?');
    auto const done = ordo::spectra::sort(std::span<char const>(text), out, how);
    CHECK(all.size() == std::min<std::size_t>(done.warnings, how.warnings_shown));
    if (!first) first = all;
    CHECK(all == *first);
  }
  return *first;
}

using lines = std::vector<std::string>;
