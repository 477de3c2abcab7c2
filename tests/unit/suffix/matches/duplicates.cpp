#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ordo/error.hpp"
#include "ordo/suffix.hpp"
#include "ordo/suffix/duplicates.hpp"
#include "suffix/duplicates/window_scan.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/suffix/text/texts.hpp"

using namespace ordo;

namespace {

suffix::entries entries_of(std::vector<std::uint32_t> const& values) {
  return suffix::entries(std::span<std::uint32_t const>(values));
}

// The places of each string of min_length letters.
std::map<std::string_view, std::vector<std::size_t>> plain_strings(suffix::text const& text, std::size_t min_length) {
  std::map<std::string_view, std::vector<std::size_t>> at;
  for (std::size_t r = 0; r < text.records(); ++r)
    for (std::size_t p = text.begin(r); p + min_length <= text.end(r); ++p)
      at[text.residues.substr(p, min_length)].push_back(p);
  return at;
}

// The definition: marks each copy of min_length letters.
std::vector<bool> plain_copies(suffix::text const& text, std::size_t min_length, suffix::kept_copies keep,
                               suffix::copy_scope scope = suffix::copy_scope::anywhere,
                               std::vector<double> const& scores = {}) {
  using enum suffix::copy_scope;
  std::vector<std::size_t> record_at;
  for (std::size_t r = 0; r < text.records(); ++r) record_at.resize(text.end(r), r);
  auto const comes_first = [&](std::size_t q, std::size_t p) {
    using enum suffix::kept_copies;
    auto const length = [&](std::size_t at) { return text.end(record_at[at]) - text.begin(record_at[at]); };
    if (keep == longest && length(q) != length(p)) return length(q) > length(p);
    double const other = keep == best ? scores[record_at[q]] : 0, own = keep == best ? scores[record_at[p]] : 0;
    return keep == none || (other != own ? other > own : q < p);
  };
  std::vector<bool> copies(text.size());
  for (auto const& [word, places] : plain_strings(text, min_length))
    for (std::size_t const p : places) {
      bool const is_copy = std::ranges::any_of(places, [&](std::size_t q) {
        if (p == q) return false;
        bool const same = record_at[q] == record_at[p];
        return (scope == anywhere || same == (scope == within)) && comes_first(q, p);
      });
      for (std::size_t i = 0; is_copy && i < min_length; ++i) copies[p + i] = true;
    }
  return copies;
}

/// Finds all copies in as little memory as the finder accepts, by a new finder for each range, which goes on where the last one
/// was.
struct found_copies {
  std::vector<suffix::duplicate_range> ranges;
  std::uint64_t residues = 0;
  std::size_t finders = 0;
};
found_copies find_copies(suffix::text const& text, suffix::duplicate_options const& options,
                         suffix::text const* other = nullptr, std::size_t memory = 1024, std::string const& folder = {}) {
  found_copies all;
  std::vector<std::uint64_t> marks(text.size() / 64 + 1);
  for (std::size_t finished = 0; finished != suffix::copy_finder::num_buckets; ++all.finders) {
    suffix::copy_finder finder(text, options, memory, other, folder);
    finder.resume(finished, marks);
    try {
      std::size_t const max_buckets = all.finders % 2 == 0 ? suffix::copy_finder::num_buckets : 1500;
      std::size_t const ranges = finder.count_ranges(max_buckets);
      finder.next_range(max_buckets);
      REQUIRE(finder.count_ranges(max_buckets) == ranges - 1);
    } catch (out_of_memory const& e) {
      REQUIRE(e.bytes() > memory);
      memory = e.bytes();  // which suffices
      continue;
    }
    REQUIRE(finder.finished() > finished);
    finished = finder.finished();
    marks.assign(finder.marks().begin(), finder.marks().end());
    if (finished == suffix::copy_finder::num_buckets)
      all.residues = finder.report([&](suffix::duplicate_range const& range) { all.ranges.push_back(range); });
  }
  return all;
}

void expect(std::vector<std::string> const& records, std::size_t min_length) {
  stored_text const all(records);
  suffix::text const text = all.view();
  auto const made = suffix::build<std::uint32_t>(text, {.lcp = true});
  using enum suffix::copy_scope;
  std::vector<double> scores(text.records());
  for (std::size_t r = 0; r < scores.size(); ++r) scores[r] = double(r * 7 % 3) - 1;
  for (suffix::kept_copies const keep :
       {suffix::kept_copies::none, suffix::kept_copies::first, suffix::kept_copies::longest, suffix::kept_copies::best})
    for (auto const& [scope, threads] : {std::pair{anywhere, 1u}, {anywhere, 4u}, {within, 4u}, {across, 4u}}) {
      std::vector<bool> copies(text.size());
      std::uint64_t count = 0, last_end = 0;
      std::size_t last_record = 0;
      suffix::duplicate_options options{min_length, keep, false, threads, scope};
      options.scores = scores;
      std::vector<suffix::duplicate_range> ranges;
      std::uint64_t const found = suffix::find_duplicates(
          text, entries_of(made.sa), entries_of(made.lcp), options, [&](suffix::duplicate_range const& range) {
            ranges.push_back(range);
            REQUIRE(range.begin < range.end);
            REQUIRE(range.begin >= text.begin(range.record));
            REQUIRE(range.end <= text.end(range.record));
            REQUIRE((count == 0 || range.begin > last_end || range.record > last_record));
            for (std::uint64_t p = range.begin; p < range.end; ++p) copies[p] = true;
            count += range.end - range.begin;
            last_end = range.end;
            last_record = range.record;
          });
      REQUIRE(found == count);
      REQUIRE((copies == plain_copies(text, min_length, keep, scope, scores)));
      auto const same = find_copies(text, options);
      REQUIRE((same.ranges == ranges));
      REQUIRE(same.residues == found);
    }
}

}  // namespace

TEST_CASE("exact duplicates of random records", "[suffix][duplicates]") {
  random_numbers random(1);
  for (std::string const& alphabet : {std::string("a"), std::string("ab"), std::string("ab$"), all_bytes()})
    for (int times = 0; times < 30; ++times) {
      std::vector<std::string> records;
      for (std::size_t r = 0, count = 1 + random.below(6); r < count; ++r)
        records.push_back(r != 0 && random.below(3) == 0 ? records[random.below(r)]
                                                         : random_letters(random, alphabet, random.below(200)));
      expect(records, 1 + random.below(20));
    }
}

TEST_CASE("exact duplicates round words of bits, and across the parts of threads", "[suffix][duplicates]") {
  random_numbers random(2);
  for (std::size_t const n : {0, 1, 62, 63, 64, 65, 127, 128, 129}) {
    expect({std::string(n, 'a')}, 3);
    expect({std::string(n, 'a'), std::string(n, 'a')}, 1);
    expect({random_letters(random, "abc", n), "", random_letters(random, "abc", n)}, 4);
  }
  std::string const once = random_letters(random, "abcdefgh", 20000);
  expect({std::string(17000, 'a') + once, once + "b" + once}, 50);
}

namespace {

void expect_shared(std::vector<std::string> const& records, std::vector<std::string> const& others, std::size_t min_length) {
  stored_text const one(records), two(others);
  suffix::text const text = one.view(), other = two.view();
  auto const sorted = suffix::build<std::uint32_t>(text, {.lcp = true}), sorted_other = suffix::build<std::uint32_t>(other);
  auto const strings = plain_strings(other, min_length);
  std::vector<bool> plain(text.size());
  for (auto const& [word, places] : plain_strings(text, min_length))
    for (std::size_t const p : places)
      for (std::size_t i = 0; strings.contains(word) && i < min_length; ++i) plain[p + i] = true;
  for (unsigned const threads : {1u, 4u}) {
    std::vector<bool> shared(text.size());
    suffix::duplicate_options const options{.min_length = min_length, .threads = threads};
    std::vector<suffix::duplicate_range> ranges;
    std::uint64_t const count =
        suffix::find_shared(text, entries_of(sorted.sa), entries_of(sorted.lcp), other, entries_of(sorted_other.sa), options,
                            [&](suffix::duplicate_range const& range) {
                              ranges.push_back(range);
                              std::fill(shared.begin() + long(range.begin), shared.begin() + long(range.end), true);
                            });
    REQUIRE((shared == plain));
    REQUIRE(count == std::uint64_t(std::ranges::count(plain, true)));
    auto const same = find_copies(text, options, &other);
    REQUIRE((same.ranges == ranges));
    REQUIRE(same.residues == count);
  }
}

// The definition: each string that occurs more than once, and that a letter more, on either side, occurs less often.
suffix::repeated_strings plain_repeats(suffix::text const& text, std::size_t min_length) {
  suffix::repeated_strings all;
  for (auto const& [word, places] : plain_strings(text, min_length)) {
    if (places.size() == 1) continue;
    std::size_t const first = places[0];
    auto const letter_at = [&](std::size_t p, std::size_t i) {  // a different number at the end of each record
      return p + i < text.end(text.record_at(p)) ? int(static_cast<unsigned char>(text.residues[p + i])) : -1 - int(p);
    };
    std::size_t length = min_length;
    while (std::ranges::all_of(places, [&](std::size_t p) { return letter_at(p, length) == letter_at(first, length); }))
      ++length;
    auto const before = [&](std::size_t p) {
      return p == text.begin(text.record_at(p)) ? -1 - int(p) : int(static_cast<unsigned char>(text.residues[p - 1]));
    };
    if (std::ranges::all_of(places, [&](std::size_t p) { return before(p) == before(first); })) continue;
    all.frequent.push_back({first, length, places.size()});
  }
  std::ranges::sort(all.frequent, [](auto const& a, auto const& b) {
    return std::tuple(b.count, b.length, a.position) < std::tuple(a.count, a.length, b.position);
  });
  for (std::size_t length = min_length; length <= text.size(); ++length)
    for (auto const& [word, places] : plain_strings(text, length))
      if (places.size() > 1 && length > all.longest.length) all.longest = {places[0], length, places.size()};
  return all;
}

}  // namespace

TEST_CASE("what a text shares with another one", "[suffix][duplicates]") {
  random_numbers random(3);
  for (std::string const& alphabet : {std::string("a"), std::string("ab"), std::string("abcd"), all_bytes()})
    for (int times = 0; times < 30; ++times) {
      std::vector<std::string> records, others;
      for (std::size_t r = 0, count = 1 + random.below(6); r < count; ++r)
        records.push_back(random_letters(random, alphabet, random.below(200)));
      for (std::size_t r = 0, count = 1 + random.below(6); r < count; ++r)
        others.push_back(random.below(3) == 0 ? records[random.below(records.size())].substr(0, random.below(50))
                                              : random_letters(random, alphabet, random.below(100)));
      expect_shared(records, others, 1 + random.below(20));
    }
  std::string const once = random_letters(random, "abcdefgh", 20000);
  expect_shared({once, "", once + "i"}, {"x", once.substr(100, 12000)}, 30);
  expect_shared({once}, {once.substr(7, 29), once.substr(500, 30), ""}, 30);
  expect_shared({""}, {"a"}, 1);
  expect_shared({"a"}, {"", ""}, 1);

  stored_text const one(std::vector<std::string>{"abcabc"});
  auto const made = suffix::build<std::uint32_t>(one.view(), {.lcp = true});
  std::vector<std::uint32_t> wrong{0, 9, 1};
  auto const ignore = [](suffix::duplicate_range const&) {};
  auto const shared = [&](suffix::text const& other, std::vector<std::uint32_t> const& sa) {
    return suffix::find_shared(one.view(), entries_of(made.sa), entries_of(made.lcp), other, entries_of(sa), {2}, ignore);
  };
  CHECK_THROWS_AS(shared({"abc"}, wrong), input_error);
  CHECK_THROWS_AS(shared({"ab"}, wrong), usage_error);
  std::vector<std::uint16_t> const tokens{1, 2, 3};
  CHECK_THROWS_AS(shared(suffix::make_text(tokens), wrong), usage_error);
  CHECK_THROWS_WITH(shared(suffix::make_text(tokens), wrong), "conflicting residues: duplicates: of 1 and of 2 bytes");
}

TEST_CASE("the longest and the most frequent strings", "[suffix][duplicates]") {
  random_numbers random(4);
  for (std::string const& alphabet : {std::string("a"), std::string("ab"), std::string("abcd"), all_bytes()})
    for (int times = 0; times < 20; ++times) {
      std::vector<std::string> records;
      for (std::size_t r = 0, count = 1 + random.below(5); r < count; ++r)
        records.push_back(r != 0 && random.below(3) == 0 ? records[random.below(r)]
                                                         : random_letters(random, alphabet, random.below(40)));
      std::size_t const min_length = 1 + random.below(8), max_strings = random.below(6);
      stored_text const all(records);
      auto const made = suffix::build<std::uint32_t>(all.view(), {.lcp = true});
      auto const found =
          suffix::find_repeated_strings(all.view(), entries_of(made.sa), entries_of(made.lcp), min_length, max_strings);
      auto plain = plain_repeats(all.view(), min_length);
      if (plain.frequent.size() > max_strings) plain.frequent.resize(max_strings);
      REQUIRE((found.frequent == plain.frequent));
      // Of strings of the greatest length, both report the first in suffix order.
      REQUIRE(found.longest == plain.longest);
      // The same without arrays of the text.
      suffix::copy_finder copies(all.view(), {min_length, suffix::kept_copies::none, false, 1}, std::size_t{1} << 20);
      while (copies.finished() != suffix::copy_finder::num_buckets) copies.next_range();
      auto const without = suffix::find_repeated_strings(all.view(), copies, min_length, max_strings);
      REQUIRE((without.frequent == plain.frequent));
      REQUIRE(without.longest == plain.longest);
      suffix::build_options small;
      small.memory = 8;
      if (plain.longest.count != 0)
        REQUIRE_THROWS_AS(suffix::find_repeated_strings(all.view(), copies, min_length, max_strings, small), out_of_memory);
    }
}

TEST_CASE("duplicates of whole characters", "[suffix][duplicates]") {
  // Two letters with the same first byte, and a byte that continues no character.
  std::string const residues = "x\xc3\xa4y\xc3\xa4\xc3\xb6\x80";
  suffix::text const text{residues};
  auto const made = suffix::build<std::uint32_t>(text, {.lcp = true});
  std::vector<suffix::duplicate_range> found;
  auto const add = [&](suffix::duplicate_range const& range) { found.push_back(range); };
  suffix::find_duplicates(text, entries_of(made.sa), entries_of(made.lcp), {1, suffix::kept_copies::first, false, 1}, add);
  CHECK(found == std::vector<suffix::duplicate_range>{{0, 4, 7}});
  found.clear();
  suffix::find_duplicates(text, entries_of(made.sa), entries_of(made.lcp), {1, suffix::kept_copies::first, true, 1}, add);
  CHECK(found == std::vector<suffix::duplicate_range>{{0, 4, 6}});
}

namespace {

/// Compares copy_finder with a suffix array, for all options.
void expect_as_array(suffix::text const& text, std::size_t min_length, std::size_t memory) {
  auto const made = suffix::build<std::uint32_t>(text, {.lcp = true});
  for (suffix::kept_copies const keep : {suffix::kept_copies::none, suffix::kept_copies::first, suffix::kept_copies::longest})
    for (suffix::copy_scope const scope :
         {suffix::copy_scope::anywhere, suffix::copy_scope::within, suffix::copy_scope::across}) {
      suffix::duplicate_options const options{min_length, keep, false, 4, scope};
      std::vector<suffix::duplicate_range> ranges;
      suffix::find_duplicates(text, entries_of(made.sa), entries_of(made.lcp), options,
                              [&](suffix::duplicate_range const& range) { ranges.push_back(range); });
      REQUIRE((find_copies(text, options, nullptr, memory).ranges == ranges));
      // On disk: minimizers, in several passes if they are many, and bits of large texts.
      REQUIRE((find_copies(text, options, nullptr, std::size_t{1} << 16, "/tmp").ranges == ranges));
    }
}

}  // namespace

TEST_CASE("duplicates without a suffix array", "[suffix][duplicates]") {
  random_numbers random(5);
  // Strings that follow each other in many ways: many windows share a minimizer, and few of them are equal.
  std::vector<std::string> parts(40);
  for (std::string& part : parts) part = random_letters(random, "abcd", 20);
  std::vector<std::string> records(3);
  for (std::string& record : records)
    for (int k = 0; k < 900; ++k) record += parts[random.below(4)] + random_letters(random, "abcd", random.below(20));
  stored_text const many(records);
  expect_as_array(many.view(), 40, 1 << 20);
  expect_as_array(many.view(), 40, std::size_t{1} << 28);
  REQUIRE(find_copies(many.view(), {.min_length = 40}, nullptr, 1 << 16).finders > 2);  // several ranges
  // Periods, whose windows are equal to their neighbours, next to long repeats of another text.
  std::string const once = random_letters(random, "abcdefgh", 5000);
  std::string periodic;
  for (std::size_t period : {1, 2, 3, 7, 50, 200}) {
    std::string const part = random_letters(random, "abc", period);
    for (std::size_t size = 0; size < 1500; size += period) periodic += part;
  }
  stored_text const long_ones(std::vector<std::string>{once + periodic, "", periodic.substr(3) + "x" + once, once.substr(1)});
  for (std::size_t const min_length : {1, 2, 17, 100, 4000, 4999, 5001})
    expect_as_array(long_ones.view(), min_length, std::size_t{1} << 24);
  // Bits of positions on disk: more than fit into a fourth of the memory.
  std::vector<std::string> large;
  for (int k = 0; k < 60; ++k) {
    large.push_back(random_letters(random, "abcdefgh", 5000));
    if (k > 5) large.back() += large[random.below(std::size_t(k))].substr(random.below(3000), 700);
  }
  stored_text const large_text(large);
  REQUIRE(suffix::copy_finder::make_plan(large_text.view(), 50, 1 << 16).disk_bytes > large_text.view().size());
  expect_as_array(large_text.view(), 50, std::size_t{1} << 24);
  expect_as_array(large_text.view(), 9, std::size_t{1} << 24);
  // Each token makes the hash of the last k ones a little larger, so that most windows have a minimizer of their own: more than
  // the disk space is planned for.
  std::size_t const k = 20;
  suffix::detail::rolling_hash<std::uint16_t, suffix::detail::word_numbers> const hash(k);
  auto const order = [](std::uint64_t x) { return ((x ^ x >> 32) * 0xff51afd7ed558ccd) >> 12; };
  std::vector<std::uint16_t> rising(k + 1);
  for (std::uint64_t last = hash.of(rising.data()); rising.size() < 15000; rising.push_back(0)) {
    auto const next = [&](unsigned token) {
      rising.back() = std::uint16_t(token);
      return hash.next(last, rising.data() + rising.size() - k - 1);
    };
    unsigned best = 0;
    for (unsigned token = 1; token < 2000; token += 7)
      if (order(next(token)) - order(last) - 1 < order(next(best)) - order(last) - 1) best = token;
    last = next(best);
  }
  for (std::size_t from = 3000; from < 9000; ++from) rising.push_back(rising[from]);
  std::vector<std::uint64_t> const two_records{0, 15000};
  expect_as_array(suffix::make_text(rising, two_records), 40, std::size_t{1} << 24);
  // Tokens, those with the same low byte among them.
  std::vector<std::uint16_t> small;
  std::vector<std::uint32_t> wide;
  for (int k = 0; k < 7000; ++k) {
    if (k > 5000 && random.below(50) == 0)
      for (std::size_t from = random.below(4000), i = from; i < from + 60; ++i) small.push_back(std::uint16_t(small[i]));
    small.push_back(std::uint16_t(random.below(3) * 256));
  }
  for (std::uint16_t const token : small) wide.push_back(token * 256u);
  std::vector<std::uint64_t> const starts{0, 5, 5, 3000, 8001};
  for (std::size_t const min_length : {1, 11, 50}) {
    expect_as_array(suffix::make_text(small, starts), min_length, std::size_t{1} << 24);
    expect_as_array(suffix::make_text(wide, starts), min_length, std::size_t{1} << 24);
  }
  // Wrong calls.
  suffix::text const text{"abab"};
  CHECK_THROWS_AS(suffix::copy_finder(text, {0}, 1 << 20), usage_error);
  suffix::text const tokens = suffix::make_text(small);
  CHECK_THROWS_AS(suffix::copy_finder(text, {2}, 1 << 20, &tokens), usage_error);
  suffix::copy_finder finder(text, {2}, 1 << 20);
  CHECK_THROWS_AS(finder.resume(5000, finder.marks()), usage_error);
  CHECK_THROWS_AS(finder.resume(0, {}), usage_error);
  while (finder.finished() != suffix::copy_finder::num_buckets) finder.next_range();
  finder.next_range();
  CHECK(finder.marks()[0] == 4);
  suffix::duplicate_options const characters{.min_length = 2, .whole_characters = true};
  CHECK_THROWS_AS(suffix::copy_finder(tokens, characters, 1 << 20), usage_error);
  CHECK_THROWS_WITH(suffix::copy_finder(tokens, characters, 1 << 20),
                    "no characters: duplicates: characters consist of bytes, not of tokens");
  suffix::text const too_large{std::string_view(text.residues.data(), std::size_t{1} << 40)};  // its letters are not read
  CHECK_THROWS_AS(suffix::copy_finder(too_large, {2}, 1 << 20), usage_error);
  CHECK_THROWS_WITH(suffix::copy_finder(too_large, {2}, 1 << 20),
                    "too large: duplicates: 1099511627776 residues, but positions have 40 bits");
  // A text that changes before its windows, which memory does not hold, are read again.
  std::string changing = random_letters(random, "abcd", 30000);
  suffix::text const text_that_changes{changing};
  suffix::copy_finder of_changing(text_that_changes, {20}, std::size_t{1} << 16);
  CHECK(of_changing.count_ranges() > 1);
  std::ranges::fill(changing, 'a');
  CHECK_THROWS_AS(of_changing.next_range(), input_error);
  CHECK_THROWS_WITH(of_changing.next_range(suffix::copy_finder::num_buckets, {}, "some.txt"),
                    "changed input: some.txt: the text differs from when its windows were counted");
}

TEST_CASE("duplicates that are refused", "[suffix][duplicates]") {
  std::vector<std::uint32_t> sa{2, 1, 0}, lcp{0, 1, 2};
  suffix::text const text{"aaa"};
  auto const ignore = [](suffix::duplicate_range const&) {};
  auto const of = [&](suffix::duplicate_options const& options) {
    return suffix::find_duplicates(text, entries_of(sa), entries_of(lcp), options, ignore);
  };
  CHECK(of({1}) == 2);
  CHECK_THROWS_AS(of({0}), usage_error);
  sa[1] = 3;
  CHECK_THROWS_AS(of({1}), input_error);
  sa[1] = 1;
  lcp[2] = 1000;  // a wrong LCP: nothing outside the record
  CHECK(of({500}) <= 3);
  auto const repeated = [&] { return suffix::find_repeated_strings(text, entries_of(sa), entries_of(lcp), 1, 5, "f.lcp"); };
  CHECK_THROWS_AS(repeated(), input_error);
  CHECK_THROWS_WITH(repeated(), "bad index: f.lcp: row 2: LCP of 1000 in 3 residues");
  suffix::duplicate_options of_lines{1};
  of_lines.unit = suffix::copied_unit::lines;
  CHECK_THROWS_AS(of(of_lines), usage_error);
  CHECK_THROWS_WITH(of(of_lines), "no strings: duplicates: copy_finder alone finds other units");
  lcp.pop_back();
  CHECK_THROWS_AS(of({1}), usage_error);
}
