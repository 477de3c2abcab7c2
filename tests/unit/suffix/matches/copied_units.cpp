#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ordo/error.hpp"
#include "ordo/suffix/duplicates.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/suffix/text/texts.hpp"

using namespace ordo;

namespace {

using range = suffix::duplicate_range;
using enum suffix::copied_unit;

/// A unit of a text: its content, and the positions that it takes.
struct plain_unit {
  std::string content;
  std::size_t record, begin, end;
};

bool is_blank(std::string const& line) {
  return line.find_first_not_of(" \t\n\v\f\r") == line.npos;
}

std::string stripped(std::string text) {
  std::size_t const begin = text.find_first_not_of(" \t\n\v\f\r"), end = text.find_last_not_of(" \t\n\v\f\r");
  return begin == text.npos ? std::string() : text.substr(begin, end - begin + 1);
}

std::vector<plain_unit> plain_units(suffix::text const& text, suffix::copied_unit unit) {
  std::vector<plain_unit> all;
  for (std::size_t r = 0; r < text.records(); ++r) {
    std::size_t const begin = text.begin(r), end = text.end(r);
    std::string const record(text.residues.substr(begin, end - begin));
    if (unit == records) {
      if (!record.empty()) all.push_back({record, r, begin, end});
      continue;
    }
    bool after_paragraph = false;  // blank lines belong to the paragraph before them
    bool open = false;
    for (std::size_t at = 0; at < record.size();) {
      std::size_t const next = std::min(record.find('\n', at), record.size() - 1) + 1;
      std::string const line = record.substr(at, next - at);
      if (unit == lines) {
        if (!is_blank(line)) all.push_back({stripped(line), r, begin + at, begin + next});
      } else if (is_blank(line)) {
        open = false;
        if (after_paragraph) all.back().end = begin + next;
      } else if (open) {
        all.back().content += line;
        all.back().end = begin + next;
      } else {
        all.push_back({line, r, begin + at, begin + next});
        open = after_paragraph = true;
      }
      at = next;
    }
  }
  if (unit == paragraphs)
    for (plain_unit& each : all) each.content = stripped(each.content);
  return all;
}

std::vector<bool> plain_copies(suffix::text const& text, suffix::duplicate_options const& options, suffix::text const* other) {
  std::vector<bool> copies(text.size());
  std::map<std::string, std::vector<plain_unit>> same;
  for (plain_unit const& each : plain_units(text, options.unit))
    if (each.content.size() >= options.min_length) same[each.content].push_back(each);
  std::set<std::string> others;
  if (other)
    for (plain_unit const& each : plain_units(*other, options.unit)) others.insert(each.content);
  auto const key = [&](plain_unit const& of) {
    double order = 0;
    if (options.keep == suffix::kept_copies::longest) order = -double(text.end(of.record) - text.begin(of.record));
    if (options.keep == suffix::kept_copies::best)
      order = std::isnan(options.scores[of.record]) ? std::numeric_limits<double>::infinity() : -options.scores[of.record];
    return std::pair(order, of.begin);
  };
  for (auto const& [content, all] : same)
    for (plain_unit const& one : all) {
      bool is_copy = other && others.contains(content);
      for (plain_unit const& two : all) {
        if (other || one.begin == two.begin) continue;
        bool const in_scope = options.scope == suffix::copy_scope::anywhere ||
                              (one.record == two.record) == (options.scope == suffix::copy_scope::within);
        is_copy |= in_scope && (options.keep == suffix::kept_copies::none || key(two) < key(one));
      }
      // Across records, all copies in the record that is kept stay.
      if (is_copy && !other && options.scope == suffix::copy_scope::across && options.keep != suffix::kept_copies::none)
        is_copy = std::ranges::min(all, {}, key).record != one.record;
      if (is_copy) std::fill(copies.begin() + std::ptrdiff_t(one.begin), copies.begin() + std::ptrdiff_t(one.end), true);
    }
  return copies;
}

std::vector<bool> found_copies(suffix::text const& text, suffix::duplicate_options const& options, suffix::text const* other,
                               std::size_t memory, std::string const& folder = {}) {
  suffix::copy_finder finder(text, options, memory, other, folder);
  finder.count_ranges();
  std::size_t ranges = 0;
  while (finder.finished() != suffix::copy_finder::num_buckets) {
    try {
      finder.next_range();
    } catch (out_of_memory const& e) {
      REQUIRE(e.bytes() > memory);
      return found_copies(text, options, other, e.bytes(), folder);
    }
    ++ranges;
  }
  REQUIRE(ranges >= 1);
  std::vector<bool> copies(text.size());
  std::uint64_t last = 0;
  finder.report([&](range const& each) {
    REQUIRE(each.begin < each.end);
    REQUIRE((each.begin > last || each.begin == text.begin(each.record)));
    last = each.end;
    for (std::uint64_t p = each.begin; p < each.end; ++p) copies[p] = true;
  });
  return copies;
}

std::string random_text(random_numbers& random) {
  static constexpr std::array<std::string_view, 12> pieces{"a",    "b",       "a b",  " ",   "\n",  "\n",
                                                           "\n\n", "\n \t\n", "\r\n", "c\n", "a\n", "\v"};
  std::string text;
  for (std::size_t n = random.below(14); n != 0; --n) text += pieces[random.below(pieces.size())];
  return text;
}

std::vector<std::pair<std::size_t, std::size_t>> words_of(std::string const& record) {
  std::vector<std::pair<std::size_t, std::size_t>> all;
  for (std::size_t at = 0; (at = record.find_first_not_of(" \t\n\v\f\r", at)) != record.npos;) {
    std::size_t const end = std::min(record.find_first_of(" \t\n\v\f\r", at), record.size());
    all.emplace_back(at, end);
    at = end;
  }
  return all;
}

std::vector<bool> plain_grams(suffix::text const& text, suffix::text const& other, std::size_t n, std::size_t min_words) {
  auto const record = [](suffix::text const& of, std::size_t r) {
    return std::string(of.residues.substr(of.begin(r), of.end(r) - of.begin(r)));
  };
  auto const gram = [](std::string const& record, auto const& words, std::size_t first, std::size_t count) {
    std::string made;
    for (std::size_t k = first; k < first + count; ++k)
      made += record.substr(words[k].first, words[k].second - words[k].first) + ' ';
    return made;
  };
  std::set<std::string> grams;
  std::set<std::size_t> lengths{n};
  for (std::size_t r = 0; r < other.records(); ++r) {
    std::string const here = record(other, r);
    auto const words = words_of(here);
    std::size_t const count = words.size();
    for (std::size_t k = 0; k + n <= count; ++k) grams.insert(gram(here, words, k, n));
    if (count == 0 || count >= n || min_words == 0 || count < min_words) continue;
    grams.insert(gram(here, words, 0, count));
    lengths.insert(count);
  }
  std::vector<bool> copies(text.size());
  for (std::size_t r = 0; r < text.records(); ++r) {
    std::string const here = record(text, r);
    auto const words = words_of(here);
    for (std::size_t const length : lengths)
      for (std::size_t k = 0; k + length <= words.size(); ++k)
        if (grams.contains(gram(here, words, k, length)))
          for (std::size_t p = words[k].first; p < words[k + length - 1].second; ++p) copies[text.begin(r) + p] = true;
  }
  return copies;
}

}  // namespace

TEST_CASE("lines, paragraphs and records that are copies", "[suffix][duplicates]") {
  random_numbers random(12);
  for (int times = 0; times < 60; ++times) {
    std::vector<std::string> some, others;
    std::vector<double> scores;
    for (std::size_t r = 0, count = 1 + random.below(8); r < count; ++r) {
      some.push_back(r != 0 && random.below(4) == 0 ? some[random.below(r)] : random_text(random));
      scores.push_back(random.below(5) == 0 ? std::numeric_limits<double>::quiet_NaN() : double(random.below(5)) - 2);
    }
    for (int r = 0; r < 3; ++r) others.push_back(random_text(random));
    stored_text const stored(some), stored_others(others);
    suffix::text const text = stored.view(), other = stored_others.view();
    for (suffix::copied_unit const unit : {lines, paragraphs, records}) {
      for (auto const keep :
           {suffix::kept_copies::none, suffix::kept_copies::first, suffix::kept_copies::longest, suffix::kept_copies::best})
        for (auto const scope : {suffix::copy_scope::anywhere, suffix::copy_scope::within, suffix::copy_scope::across}) {
          suffix::duplicate_options options{1 + random.below(2), keep, false, 2, scope};
          options.unit = unit;
          options.scores = scores;
          CAPTURE(times, unit, keep, scope);
          REQUIRE((found_copies(text, options, nullptr, 1 << 20) == plain_copies(text, options, nullptr)));
          REQUIRE((found_copies(text, options, nullptr, 64, "/tmp") == plain_copies(text, options, nullptr)));
        }
      suffix::duplicate_options options{.min_length = 1};
      options.unit = unit;
      REQUIRE((found_copies(text, options, &other, 1 << 20) == plain_copies(text, options, &other)));
    }
  }
}

TEST_CASE("lines and paragraphs across the parts of threads", "[suffix][duplicates]") {
  random_numbers random(13);
  std::string large;
  while (large.size() < 1'060'000) large += random.below(1000) == 0 ? "\n\n" : random_letters(random, "abcde  \n", 40) + '\n';
  large += std::string(1'100'000, 'x') + "\n" + large.substr(1000, 100'000);
  stored_text const stored({large, large.substr(950'000, 300'000), std::string(1'100'000, 'x')});
  suffix::text const text = stored.view();
  for (suffix::copied_unit const unit : {lines, paragraphs}) {
    suffix::duplicate_options options{.min_length = 1};
    options.unit = unit;
    REQUIRE((found_copies(text, options, nullptr, 1 << 24) == plain_copies(text, options, nullptr)));
  }
}

TEST_CASE("n-grams of words of another text", "[suffix][duplicates]") {
  random_numbers random(14);
  for (int times = 0; times < 60; ++times) {
    std::vector<std::string> some, others;
    for (std::size_t r = 0, count = 1 + random.below(5); r < count; ++r) some.push_back(random_text(random));
    for (std::size_t r = 0, count = 1 + random.below(4); r < count; ++r) others.push_back(random_text(random));
    stored_text const stored(some), stored_others(others);
    suffix::text const text = stored.view(), other = stored_others.view();
    for (std::size_t const n : {1, 2, 3, 5})
      for (std::size_t const min_words : {0, 1, 2}) {
        suffix::duplicate_options options{.min_length = n, .threads = 2};
        options.unit = words;
        options.min_words = min_words;
        CAPTURE(times, n, min_words);
        REQUIRE((found_copies(text, options, &other, 1 << 20) == plain_grams(text, other, n, min_words)));
      }
  }
  // Records that touch each other, and the ends of parts.
  std::string large;
  while (large.size() < 1'200'000) large += random_letters(random, "ab", 3) + (random.below(9) == 0 ? "  \n" : " ");
  stored_text const stored({large, "x", large.substr(900'000, 200'000), "aab"}),
      benchmark({large.substr(1'048'550, 60), "xaab"});
  suffix::duplicate_options options{.min_length = 13};
  options.unit = words;
  REQUIRE((found_copies(stored.view(), options, &static_cast<suffix::text const&>(benchmark.view()), 1 << 24) ==
           plain_grams(stored.view(), benchmark.view(), 13, 0)));
}

TEST_CASE("units that repeat, and calls that are refused", "[suffix][duplicates]") {
  stored_text const stored(std::vector<std::string>{"one\ntwo\none\nthree four\n", "two\none\nthree four"});
  suffix::duplicate_options options{.min_length = 1};
  options.unit = lines;
  suffix::copy_finder finder(stored.view(), options, 1 << 20);
  finder.count_ranges();
  while (finder.finished() != suffix::copy_finder::num_buckets) finder.next_range();
  suffix::repeated_strings const repeated = finder.repeated_units();
  CHECK(repeated.longest == suffix::repeated_string{12, 10, 2});
  CHECK(repeated.frequent == std::vector<suffix::repeated_string>{{0, 3, 3}, {12, 10, 2}, {4, 3, 2}});
  suffix::text const text = stored.view();
  options.unit = words;
  CHECK_THROWS_AS(suffix::copy_finder(text, options, 1 << 20), usage_error);
  options = {.min_length = 1, .keep = suffix::kept_copies::best};
  CHECK_THROWS_AS(suffix::copy_finder(text, options, 1 << 20), usage_error);
  std::vector<std::uint16_t> const tokens{1, 2};
  options = {.min_length = 1};
  options.unit = lines;
  CHECK_THROWS_AS(suffix::copy_finder(suffix::make_text(tokens), options, 1 << 20), usage_error);
  options.unit = records;
  CHECK(suffix::copy_finder(suffix::make_text(tokens), options, 1 << 20).finished() == 0);
  // Too little memory for the units of a bucket, or for n-grams: one of three words.
  options.unit = lines;
  suffix::copy_finder of_lines(text, options, 8);
  CHECK_THROWS_AS(of_lines.count_ranges(), out_of_memory);
  CHECK_THROWS_WITH(of_lines.count_ranges(), contains_text("bytes are needed, 8 are allowed"));
  suffix::text const other{"one two three"};
  options.min_length = 3;
  options.unit = words;
  suffix::copy_finder of_words(text, options, 8, &other);
  CHECK_THROWS_AS(of_words.next_range(), out_of_memory);
  CHECK_THROWS_WITH(of_words.next_range(), contains_text("bytes are needed or more, 8 are allowed"));
  // A text that changes before its units are read again.
  std::string changing = "one\ntwo\none\n";
  suffix::text const text_that_changes{changing};
  options = {.min_length = 1};
  options.unit = lines;
  suffix::copy_finder of_changing(text_that_changes, options, 1 << 20);
  CHECK(of_changing.count_ranges() == 1);
  std::ranges::fill(changing, '\n');
  CHECK_THROWS_AS(of_changing.next_range(), input_error);
  CHECK_THROWS_WITH(of_changing.next_range(suffix::copy_finder::num_buckets, {}, "some.txt"),
                    "changed input: some.txt: the text differs from when its units were counted");
}
