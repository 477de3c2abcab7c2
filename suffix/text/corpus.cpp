#include "ordo/suffix/corpus.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "base/utf8.hpp"
#include "ordo/error.hpp"
#include "suffix/text/jsonl.hpp"

namespace ordo::inline v0::suffix {
namespace {

constexpr std::size_t read_at_once = std::size_t{16} << 20;

void check_name(std::string const& name) {
  auto const refuse = [&](char const* why) {
    throw input_error(fmt::format("bad file name: {}: records are printed by the name of their file, which {}", name, why));
  };
  if (std::ranges::any_of(name, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }))
    refuse("holds a control character");
  if (!is_utf8(name)) refuse("is not UTF-8");
}

/// Appends all bytes of a source.
void read_all(corpus& to, std::string const& name, source& from, corpus_options const& options) {
  auto const check_memory = [&](std::size_t bytes) {
    if (bytes > options.memory)
      throw out_of_memory(
          fmt::format("out of memory: records of {}: {} bytes are needed, {} are allowed", name, bytes, options.memory), bytes);
  };
  std::size_t const before = to.residues.size(), held = before + to.starts.size() * sizeof(std::uint64_t);
  if (auto const rest = ordo::detail::addressed_part(from, ~std::uint64_t{0})) {
    check_memory(held + std::size_t(rest->bytes));
    to.residues.reserve(before + std::size_t(rest->bytes) + 1);  // the end is found behind the last byte
  } else if (options.expected != 0) {
    std::size_t const left = options.memory - std::min(held, options.memory);
    to.residues.reserve(before + std::size_t(std::min<std::uint64_t>(options.expected, left)));
  }
  for (bool more = true; more;) {
    std::span<char> const room = to.residues.room(1);
    std::span<char> const part = room.first(std::min(room.size(), read_at_once));
    std::size_t const got = from.read(part);
    more = got == part.size();
    to.residues.resize(to.residues.size() + got);
    check_memory(held + to.residues.size() - before);
    if (options.on_progress) options.on_progress(to.residues.size() - before);
  }
}

/// Makes records of the bytes from `begin` on, each of which a separator ends, and removes the separators.
void split(corpus& to, std::size_t begin, std::string_view separator) {
  char* const data = to.residues.data();
  std::size_t const end = to.residues.size();
  std::size_t written = begin;
  for (std::size_t at = begin; at < end;) {
    auto const* const found =
        static_cast<char const*>(separator.size() == 1 ? std::memchr(data + at, separator[0], end - at)
                                                       : memmem(data + at, end - at, separator.data(), separator.size()));
    std::size_t const stop = found ? std::size_t(found - data) : end;
    to.starts.push_back(written);
    std::memmove(data + written, data + at, stop - at);
    written += stop - at;
    at = found ? stop + separator.size() : end;
  }
  to.residues.resize(written);
}

}  // namespace

void append_corpus(corpus& to, std::string const& name, source& from, corpus_options const& options) {
  bool const lines = has_lines(options.format);
  if (options.format == input_format::fasta) throw usage_error("no corpus: FASTA: append_fasta reads it");
  if (lines && !options.separator.empty()) throw usage_error("no separator: lines: LF ends them");
  check_name(name);
  std::size_t const begin = to.residues.size(), records = to.starts.size();
  read_all(to, name, from, options);
  if (std::string_view const separator = lines ? "\n" : std::string_view(options.separator); separator.empty())
    to.starts.push_back(begin);
  else
    split(to, begin, separator);
  if (options.format == input_format::jsonl) detail::take_strings(to, records, name, options.field);
  std::size_t const bytes = to.residues.size() + to.starts.size() * sizeof(std::uint64_t);
  if (bytes > options.memory)
    throw out_of_memory(fmt::format("out of memory: {} records up to {}: {} bytes are needed, {} are allowed", to.starts.size(),
                                    name, bytes, options.memory),
                        bytes);
  to.files.push_back({name, to.starts.size() - records, records});
}

}  // namespace ordo::inline v0::suffix
