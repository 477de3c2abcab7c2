#include "bench/made_up_texts.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "tools/cli/option_rows.hpp"
#include "tools/generate/genome.hpp"
#include "tools/generate/texts.hpp"

namespace ordo::bench {
namespace {

host_bytes of(std::string const& text) {
  host_bytes bytes(text.size());
  bytes.append(text);
  return bytes;
}

host_bytes genome_of(generate::genome_options const& options) {
  host_bytes bytes;
  bytes.resize(options.length * options.copies);
  generate::make_genome(options, bytes.span());
  return bytes;
}

struct kind {
  std::string_view name, words;
  host_bytes (*make)(std::size_t length);
};

constexpr std::array kinds{
    kind{"random-dna", "four letters, equally likely", [](std::size_t n) { return of(generate::uniform_text(n, "ACGT", 1)); }},
    kind{"random-protein", "twenty", [](std::size_t n) { return of(generate::uniform_text(n, "ACDEFGHIKLMNPQRSTVWY", 1)); }},
    kind{"equal", "one letter", [](std::size_t n) { return of(generate::homopolymer_text(n, 'A')); }},
    kind{"fibonacci", "the Fibonacci word", [](std::size_t n) { return of(generate::fibonacci_text(n, "AC")); }},
    kind{"genome", "as ordo_generate genome makes it, with repeats and runs of N",
         [](std::size_t n) { return genome_of({.length = n}); }},
    kind{"genomes", "four that differ in one letter of a thousand, without N",
         [](std::size_t n) { return genome_of({.length = n / 4, .n_runs = 0, .copies = 4}); }},
};

}  // namespace

std::string made_up_kinds() {
  std::string all;
  for (auto const& one : kinds) all += fmt::format("{}{} ({})", all.empty() ? "" : ", ", one.name, one.words);
  return all;
}

std::function<host_bytes()> made_up_text(std::string const& what) {
  std::size_t const colon = what.find(':');
  auto const found =
      std::find_if(kinds.begin(), kinds.end(), [&](kind const& one) { return one.name == what.substr(0, colon); });
  if (found == kinds.end()) throw usage_error(fmt::format("--made-up: no such text: {}", what));
  std::uint64_t const length = colon == what.npos ? 0 : cli::parse_scaled("--made-up", what.substr(colon + 1));
  if (length == 0) throw usage_error(fmt::format("--made-up: no length: {}", what));
  return [make = found->make, length] { return make(length); };
}

}  // namespace ordo::bench
