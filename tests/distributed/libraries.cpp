#include "tests/distributed/libraries.hpp"

#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/streams.hpp"
#include "ordo/cpu.hpp"
#include "ordo/error.hpp"
#include "ordo/spectra/distributed_sort.hpp"
#include "ordo/strings/distributed_sort.hpp"
#include "ordo/suffix/distributed_build.hpp"
#include "tests/unit/inputs.hpp"

namespace distributed_checks {
namespace {

using namespace ordo;

/// Returns few or many letters of an alphabet; often a repetition.
std::string random_text(random_numbers& random, std::string_view alphabet, std::size_t max) {
  std::string text(random.below(random.below(4) == 0 ? 4 : max), '\0');
  std::size_t const period = random.below(3) == 0 ? 1 + random.below(9) : text.size();
  for (std::size_t i = 0; i < text.size(); ++i)
    text[i] = i < period ? alphabet[random.below(alphabet.size())] : text[i - period];
  return text;
}

/// A case: this member, its machine, and a result that member 0 compares.
struct context {
  communicator& members;
  cpu& on;
  random_numbers& random;

  template <class Options>
  [[nodiscard]] Options with_machine(Options options) const {
    options.machine.on = &on;
    return options;
  }
  [[nodiscard]] sink* if_first(sink& to) const { return members.rank() == 0 ? &to : nullptr; }
};

bool lines_are_right(context const& c) {
  random_numbers& random = c.random;
  std::vector<std::string> inputs(1 + random.below(3));
  for (std::string& input : inputs) input = random_text(random, random.below(2) == 0 ? "\nab" : "\n\n0127\t a", 300);
  strings::texts const texts{inputs.size(), 0, [&](std::size_t k) { return std::make_unique<memory_source>(inputs[k]); }};
  strings::sort_options options;
  options.by.reverse = random.below(2) == 0;
  if (random.below(3) == 0) options.by.keys = {{.first_field = 1, .type = strings::key_type::number}};
  auto const equal = strings::duplicates(random.below(3));
  if (equal != strings::duplicates::keep) options.by.last_resort = false;
  growing_sink made, expected;
  strings::sort(
      c.members, texts, [&](std::uint64_t) { return c.if_first(made); }, c.with_machine(options), equal);
  if (c.members.rank() != 0) return true;
  strings::sort(texts, expected, c.with_machine(options), equal);
  return made.text() == expected.text();
}

bool suffixes_are_right(context const& c) {
  random_numbers& random = c.random;
  std::string const letters = random_text(random, random.below(2) == 0 ? "ACGT" : "ab", 400);
  std::vector<std::uint64_t> starts{0};
  for (std::size_t records = random.below(4); records-- != 0;)
    starts.push_back(starts.back() + random.below(letters.size() - starts.back() + 1));
  suffix::text const text{letters, starts};
  auto const options = c.with_machine(suffix::build_options{});
  auto all = suffix::build<std::uint32_t>(text, {true, true}, options);
  std::map<std::string, growing_sink, std::less<>> made;
  auto const open = [&](std::string_view array, std::uint64_t) { return c.if_first(made[std::string(array)]); };
  suffix::build_into<std::uint32_t>(c.members, text, {true, true}, open, 0, options);
  auto const is_same = [&](char const* array, auto const& expected) {
    std::span const bytes = std::as_bytes(std::span(expected));
    return made[array].text() == std::string_view(reinterpret_cast<char const*>(bytes.data()), bytes.size());
  };
  bool right = c.members.rank() != 0 || (is_same("sa", all.sa) && is_same("lcp", all.lcp) && is_same("bwt", all.bwt));

  for (std::size_t faults = letters.empty() ? 0 : random.below(3); faults-- != 0;) {
    std::size_t const row = random.below(letters.size()), other = random.below(letters.size());
    if (random.below(3) == 0)
      std::swap(all.sa[row], all.sa[other]);
    else if (random.below(2) == 0)
      all.sa[row] = all.sa[other];
    else
      all.lcp[row] += 1;
  }
  suffix::arrays<std::uint32_t const> const arrays{all.sa, all.lcp, all.bwt};
  auto const expected = suffix::check(text, arrays, options);
  auto const found =
      suffix::check(c.members, text, suffix::share_of_rows(arrays, text.records(), c.members.size(), c.members.rank()), options)
          .first_mismatch;
  right &= found.has_value() == expected.has_value();
  return right &&
         (!found || (found->array == expected->array && found->row == expected->row && found->reason == expected->reason));
}

bool spectra_are_right(context const& c) {
  random_numbers& random = c.random;
  std::string text = random.below(2) == 0 ? "COM=x\n" : "";
  for (std::size_t spectra = random.below(12); spectra-- != 0;) {
    text += "BEGIN IONS\nTITLE=BEGIN IONS\n";
    for (std::size_t peaks = random.below(9); peaks-- != 0;)
      text += std::to_string(random.below(100)) + " " + std::to_string(random.below(10)) + "\n";
    text += random.below(60) == 0 ? "wrong\nEND IONS\n" : "END IONS\n\n";
  }
  spectra::sort_options options;
  if (random.below(2) == 0) options.select.top = 1 + random.below(4);
  growing_sink made, expected;
  memory_source input{std::string_view(text)};
  auto const open = [&](std::optional<std::uint64_t>) { return c.if_first(made); };
  bool const done = spectra::sort(c.members, input, open, c.with_machine(options), 1 + random.below(200)).has_value();
  // Members that share chunks have nothing to leave to one of them.
  growing_sink of_chunks;
  bool fails = false;
  try {
    memory_source again{std::string_view(text)};
    spectra::sort_options shared = c.with_machine(options);
    shared.members = &c.members;
    shared.chunk_bytes = 1 + random.below(300);
    spectra::sort(again, of_chunks, shared);
  } catch (input_error const&) {
    fails = true;
  } catch (member_lost const&) {}
  if (c.members.rank() != 0) return true;
  try {
    bool const is_clean = spectra::sort(input, expected, c.with_machine(options)).warnings == 0;
    return done == is_clean && (!done || made.text() == expected.text()) && !fails && of_chunks.text() == expected.text();
  } catch (input_error const&) {
    return !done && fails;
  }
}

struct kind {
  char const* name;
  bool (*is_right)(context const&);
};
constexpr kind kinds[] = {{"lines", lines_are_right}, {"suffixes", suffixes_are_right}, {"spectra", spectra_are_right}};

}  // namespace

std::uint64_t wrong_results(communicator& members, std::uint64_t seed, std::uint64_t cases) {
  cpu on({.threads = 1});
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < cases; ++i)
    for (kind const& one : kinds) {
      random_numbers random(seed + i);
      if (one.is_right({members, on, random})) continue;
      ++wrong;
      std::printf("member %zu of %zu: %s of seed %llu are wrong\n", members.rank(), members.size(), one.name,
                  static_cast<unsigned long long>(seed + i));
    }
  return wrong;
}

}  // namespace distributed_checks
