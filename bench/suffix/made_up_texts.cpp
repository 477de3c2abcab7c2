#include "bench/suffix/made_up_texts.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "tools/cli/options/option_rows.hpp"
#include "tools/generate/genome.hpp"
#include "tools/generate/texts.hpp"

namespace ordo::inline v0::bench {
namespace {

host_bytes to_bytes(std::string const& text) {
  host_bytes bytes(text.size());
  bytes.append(text);
  return bytes;
}

host_bytes genome_bytes(generate::genome_options const& options) {
  host_bytes bytes;
  bytes.resize(options.length * options.copies);
  generate::make_genome(options, bytes.span());
  return bytes;
}

struct kind {
  std::string_view name, description;
  host_bytes (*make)(std::size_t length);
};

constexpr std::array kinds{
    kind{"random-dna", "four letters, equally likely",
         [](std::size_t n) { return to_bytes(generate::uniform_text(n, "ACGT", 1)); }},
    kind{"random-protein", "twenty letters, equally likely",
         [](std::size_t n) { return to_bytes(generate::uniform_text(n, "ACDEFGHIKLMNPQRSTVWY", 1)); }},
    kind{"equal", "one letter", [](std::size_t n) { return to_bytes(generate::homopolymer_text(n, 'A')); }},
    kind{"fibonacci", "the Fibonacci word", [](std::size_t n) { return to_bytes(generate::fibonacci_text(n, "AC")); }},
    kind{"genome", "the output of ordo_generate genome, with repeats and stretches of N",
         [](std::size_t n) { return genome_bytes({.length = n}); }},
    kind{"genomes", "four genomes that differ in one letter of a thousand, without N",
         [](std::size_t n) { return genome_bytes({.length = n / 4, .n_runs = 0, .copies = 4}); }},
};

}  // namespace

std::string made_up_kinds() {
  std::string all;
  for (auto const& kind : kinds) all += fmt::format("{}{} ({})", all.empty() ? "" : ", ", kind.name, kind.description);
  return all;
}

std::function<host_bytes()> made_up_text(std::string const& kind_and_length) {
  std::size_t const colon = kind_and_length.find(':');
  auto const it =
      std::find_if(kinds.begin(), kinds.end(), [&](kind const& one) { return one.name == kind_and_length.substr(0, colon); });
  if (it == kinds.end()) throw usage_error(fmt::format("--made-up: no such text: {}", kind_and_length));
  std::uint64_t const length =
      colon == kind_and_length.npos ? 0 : cli::parse_scaled("--made-up", kind_and_length.substr(colon + 1));
  if (length == 0) throw usage_error(fmt::format("--made-up: no length: {}", kind_and_length));
  return [make = it->make, length] { return make(length); };
}

}  // namespace ordo::inline v0::bench
