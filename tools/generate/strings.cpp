#include "tools/generate/strings.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "tools/generate/random.hpp"
#include "tools/generate/string_sets.hpp"

namespace ordo::inline v0::generate {
namespace {

void write_artificial_2(std::size_t count, random_source&, sink& out) {
  for (std::size_t i = 0; i != count; ++i) {
    out.text().append(101, 'A');
    out.end_line();
  }
}

// Nine letters, each 0.15 times as likely as the one before; lengths fall off exponentially, to 100 at most.
void write_artificial_4(std::size_t count, random_source& random, sink& out) {
  std::array<double, 9> weights{1};
  for (std::size_t i = 1; i != weights.size(); ++i) weights[i] = 0.15 * weights[i - 1];
  weighted_index const letter(weights);
  for (std::size_t i = 0; i != count; ++i) {
    auto const length = 1 + static_cast<std::size_t>(std::min(random.exponential(15) + 0.5, 99.0));
    for (std::size_t j = 0; j != length; ++j) out.text() += static_cast<char>('a' + letter(random));
    out.end_line();
  }
}

void write_artificial_5(std::size_t count, random_source&, sink& out) {
  for (std::size_t i = 0; i != count; ++i) {
    out.text().append(1 + i % 100, 'A');
    out.end_line();
  }
}

void write_random(std::size_t count, random_source& random, sink& out) {
  for (std::size_t i = 0; i != count; ++i) {
    for (std::size_t j = 0; j != 100; ++j) out.text() += static_cast<char>('!' + random.below(94));
    out.end_line();
  }
}

// Every 9-mer of a random sequence in which A and T make up 59 %.
void write_genome_words(std::size_t count, random_source& random, sink& out) {
  auto const base = [&] { return (random.chance(0.59) ? "AT" : "CG")[random.below(2)]; };
  std::string window(9, ' ');
  for (char& c : window) c = base();
  for (std::size_t i = 0; i != count; ++i) {
    out.text() += window;
    out.end_line();
    std::rotate(window.begin(), window.begin() + 1, window.end());
    window.back() = base();
  }
}

struct string_set {
  string_set_facts facts;
  void (*write)(std::size_t count, random_source& random, sink& out);
};

constexpr std::array sets{
    string_set{{"artificial-2", 1'000'000}, write_artificial_2},
    string_set{{"artificial-4", 10'000'000}, write_artificial_4},
    string_set{{"artificial-5", 1'000'000}, write_artificial_5},
    string_set{{"dictcalls", 100'188}, write_dictcalls},
    string_set{{"random", 1'000'000}, write_random},
    string_set{{"words", 10'000'000}, write_words},
    string_set{{"url", 10'000'000}, write_urls},
    string_set{{"genome", 31'623'000}, write_genome_words},
    string_set{{"sentences", 1'800'000}, write_sentences},
    string_set{{"filelist", 10'000'000}, write_filelist},
};

}  // namespace

std::vector<string_set_facts> string_sets() {
  std::vector<string_set_facts> facts;
  for (auto const& set : sets) facts.push_back(set.facts);
  return facts;
}

std::size_t write_strings(strings_options const& options, sink& out) {
  auto const it = std::find_if(sets.begin(), sets.end(), [&](auto const& set) { return set.facts.name == options.set; });
  if (it == sets.end()) {
    std::vector<std::string_view> names;
    for (auto const& set : sets) names.push_back(set.facts.name);
    throw usage_error(fmt::format("unknown set: --set: '{}': choose from {}", options.set, fmt::join(names, ", ")));
  }
  double const count = std::floor(options.scale * static_cast<double>(it->facts.lines) + 0.5);
  if (!(count >= 0 && count < 0x1p53))
    throw usage_error(fmt::format("strings: --scale: not a number of lines: {}", options.scale));
  random_source random(options.seed);
  it->write(static_cast<std::size_t>(count), random, out);
  return static_cast<std::size_t>(count);
}

}  // namespace ordo::inline v0::generate
