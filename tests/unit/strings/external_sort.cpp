#include "ordo/strings/external_sort.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/external/positional_checksum.hpp"
#include "ordo/error.hpp"
#include "ordo/strings/line_comparison.hpp"
#include "strings/external/partition.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/io_ends.hpp"
#include "tests/unit/strings/lines.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace strings = ordo::strings;

namespace {

constexpr std::size_t little = std::size_t{2} << 20;  // the least memory there is

// The texts as one, with all delimiters.
std::string whole_of(std::vector<std::string> const& parts, char delimiter) {
  std::string whole;
  for (std::string const& part : parts) {
    whole += part;
    if (!part.empty() && part.back() != delimiter) whole += delimiter;
  }
  return whole;
}

std::string sorted_text(std::string const& whole, strings::sort_options const& how, strings::duplicates equal) {
  std::string text;
  std::string_view last;
  for (std::string_view const line : sorted_lines_of(whole, how.delimiter, how.by.reverse)) {
    if (equal == strings::duplicates::drop && !text.empty() && line == last) continue;
    text.append(line).push_back(how.delimiter);
    last = line;
  }
  return text;
}

strings::texts texts_of(std::vector<std::string> const& parts, bool addressed) {
  std::uint64_t known = 0;
  for (std::string const& part : parts) known += addressed ? part.size() : 0;
  return {parts.size(), known,
          [&parts, addressed](std::size_t k) { return std::make_unique<test_source>(parts[k], addressed); }};
}

strings::sort_options on_cpu(std::size_t memory = little) {
  strings::sort_options how;
  how.machine.device = ordo::device::cpu;
  how.memory = memory;
  return how;
}

void check(std::vector<std::string> const& parts, strings::sort_options const& how, strings::spill_options const& where = {}) {
  std::string const whole = whole_of(parts, how.delimiter);
  for (auto const equal : {strings::duplicates::keep, strings::duplicates::drop}) {
    std::string const want = sorted_text(whole, how, equal);
    for (bool const addressed : {true, false}) {
      test_sink to(addressed);
      auto const done = strings::sort_external(texts_of(parts, addressed), to, how, equal, where);
      CHECK((to.text() == want));
      CHECK(to.taken() == want.size());
      CHECK(done.written == want.size());
      CHECK(done.bytes == whole.size());
    }
  }
}

std::string random_text(std::size_t bytes, char delimiter, unsigned seed, std::size_t longest = 40, unsigned letters = 26) {
  random_numbers random(seed);
  std::string text;
  while (text.size() < bytes) {
    for (std::size_t n = random.below(longest); n > 0; --n) text += char('a' + random.below(letters));
    text += delimiter;
  }
  return text;
}

std::size_t open_files() {
  return std::size_t(std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
}

}  // namespace

TEST_CASE("texts of all shapes are sorted in little memory", "[external]") {
  for (char const delimiter : {'\n', '\0'}) {
    for (auto const& [name, text] : line_texts(delimiter)) {
      INFO(name);
      strings::sort_options how = on_cpu();
      how.delimiter = delimiter;
      how.by.reverse = delimiter == '\0';
      check({text}, how);
    }
  }
}

TEST_CASE("many runs, and runs of runs", "[external]") {
  std::size_t const before = open_files();
  temporary_folder const one, two;
  std::string const text = random_text(3'000'000, '\n', 5);
  for (std::size_t const batch : {0, 2, 3, 100}) {
    INFO("batch " << batch);
    strings::spill_options where{{one.path("."), two.path(".")}, "", batch};
    check({text}, on_cpu(), where);
  }
  CHECK(one.count() + two.count() == 0);
  CHECK(open_files() == before);
}

TEST_CASE("texts in and out of order, and with few distinct lines", "[external]") {
  strings::sort_options how = on_cpu();
  std::string const text = random_text(1'500'000, '\n', 6);
  check({sorted_text(text, how, strings::duplicates::keep)}, how);
  how.by.reverse = true;
  check({sorted_text(text, how, strings::duplicates::keep)}, how);
  how.by.reverse = false;
  check({sorted_text(text, how, strings::duplicates::drop)}, how);
  check({random_text(1'000'000, '\n', 7, 2, 1)}, how);
  check({random_text(1'500'000, '\n', 8, 3, 2)}, how);
  check({std::string(400'000, '\n')}, how);
  std::string equal;
  for (int i = 0; i < 20'000; ++i) equal += "the same line, longer than what fits into a sample of eight bytes\n";
  check({equal}, how);
  check({equal + text + equal}, how);
}

TEST_CASE("lines longer than the memory", "[external]") {
  std::string const huge(little, 'h');
  std::string const text = random_text(300'000, '\n', 9);
  check({huge}, on_cpu());
  check({text + huge + "\n" + huge + "b\n" + text + huge + "a\n" + huge + "\n" + text}, on_cpu());
  check({huge, text, huge, "\n", huge}, on_cpu());
  std::string several;  // of which some fit at a time
  for (int i = 0; i < 20; ++i) several += std::string(little / 5, char('a' + i * 7 % 26)) + std::to_string(i % 3) + "\n";
  check({several}, on_cpu());
  // Lines over several blocks of a run, of which those without an end are not read, among others that are short.
  check({random_text(1'500'000, '\n', 31, 60'000, 1) + random_text(200'000, '\n', 32) +
         random_text(1'500'000, '\n', 33, 90'000, 2)},
        on_cpu());
  // A little that follows a long line shares the memory that the line took: no file is written, and none could be.
  strings::spill_options nowhere;
  nowhere.folders = {"/no/such/folder"};
  check({huge + huge + huge + "\n" + random_text(10'000, '\n', 9)}, on_cpu(), nowhere);
}

TEST_CASE("long lines that begin alike, end within one another, or are equal", "[external]") {
  random_numbers random(12);
  std::string base(130'000, 'a');
  for (char& c : base) c = static_cast<char>('a' + random.below(26));
  base[70'000] = '\0';
  for (char const delimiter : {'\n', '\x01'}) {
    std::vector<std::string> parts(3);
    for (int i = 0; i < 60; ++i) {
      std::string line = base.substr(0, 60'000 + random.below(5) * 17'408);
      for (std::size_t n = random.below(3); n > 0; --n) line += static_cast<char>(random.below(2) == 0 ? 'b' : 0xff);
      (parts[random.below(3)] += line) += delimiter;
      if (i % 20 == 0) parts[0] += delimiter;
    }
    parts[2].pop_back();
    for (bool const reverse : {false, true}) {
      strings::sort_options how = on_cpu();
      how.delimiter = delimiter;
      how.by.reverse = reverse;
      check(parts, how);
    }
  }
}

TEST_CASE("an order by keys, with equal keys in the order of the texts", "[external]") {
  random_numbers random(14);
  std::string text;
  while (text.size() < 700'000)
    text += std::to_string(random.below(300)) + '\t' + std::to_string(random()) + (random.below(9) == 0 ? "x" : "") + '\n';
  for (auto const as : {strings::key_type::number, strings::key_type::bytes, strings::key_type::version}) {
    for (bool const last_resort : {true, false}) {
      strings::sort_options how = on_cpu(std::size_t{6} << 20);
      how.by.separator = '\t';
      how.by.last_resort = last_resort;
      how.by.keys.push_back({.first_field = 0, .last_field = 0, .type = as, .reverse = last_resort});
      if (last_resort) how.by.keys.push_back({.first_field = 1, .last_field = 1, .end_character = 2});
      strings::line_comparison const compare(how.by, how.delimiter);
      auto lines = lines_of(text, '\n');
      std::stable_sort(lines.begin(), lines.end(), [&](auto a, auto b) { return compare(a, b) < 0; });
      for (auto const equal : {strings::duplicates::keep, strings::duplicates::drop}) {
        std::string want;
        for (std::size_t k = 0; k < lines.size(); ++k)
          if (equal == strings::duplicates::keep || k == 0 || compare(lines[k - 1], lines[k]) != 0)
            want.append(lines[k]) += '\n';
        for (std::string const program : {"", "gzip"}) {
          test_sink to(true);
          strings::sort_external(texts_of({text}, true), to, how, equal, {{"/tmp"}, program, 0});
          CHECK((to.text() == want));
        }
      }
    }
  }
}

TEST_CASE("many texts: each ends its last line", "[external]") {
  random_numbers random(10);
  std::vector<std::string> parts;
  for (int k = 0; k < 400; ++k) {
    std::string part = random_text(random.below(6000), '\n', unsigned(k), 30, 3);
    if (random.below(3) == 0) part.clear();
    if (!part.empty() && random.below(2) == 0) part.pop_back();
    parts.push_back(part);
  }
  check(parts, on_cpu());
  check({}, on_cpu());
  check({"", "", ""}, on_cpu());
  check({"", "b", "a"}, on_cpu());
}

TEST_CASE("sizes about that of a chunk", "[external]") {
  // So many lines of one length fit the memory, about.
  std::string text;
  while (text.size() < 12 * 40'000) text += std::to_string(10'000'000'000 + text.size() * 7919 % 1'000'000) + "\n";
  strings::sort_options const how = on_cpu();
  std::string const want = sorted_text(text, how, strings::duplicates::keep);
  for (std::size_t lines = 1; lines < 40'000; lines += lines / 7 + 1) {
    std::string const part = text.substr(0, 12 * lines - lines % 2);  // with the last delimiter, and without
    test_sink to(true);
    strings::sort_external(texts_of({part}, lines % 3 != 0), to, how, strings::duplicates::keep, {});
    CHECK((to.text() == sorted_text(whole_of({part}, '\n'), how, strings::duplicates::keep)));
  }
}

TEST_CASE("a program compresses runs", "[external]") {
  std::size_t const before = open_files();
  std::string const text = random_text(1'500'000, '\n', 11);
  for (std::size_t const batch : {0, 3}) check({text, text.substr(0, 100'000)}, on_cpu(), {{"/tmp"}, "gzip", batch});
  temporary_folder const folder;
  auto const program = [&](std::string const& name, std::string const& script) {
    std::string const path = folder.write(name, "#!/bin/sh\n" + script + "\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  };
  for (std::string const& bad : {folder.path("missing"), program("fails", "cat > /dev/null; exit 3"), program("ends", "exit 0"),
                                 program("no-d", "test \"$1\" != -d && cat"), program("half", "head -c 100000; exit 0"),
                                 program("killed", "kill -9 $$")}) {
    INFO(bad);
    test_sink to(true);
    CHECK_THROWS_AS(strings::sort_external(texts_of({text}, true), to, on_cpu(), strings::duplicates::keep, {{"/tmp"}, bad, 0}),
                    ordo::output_error);
  }
  CHECK(open_files() == before);
}

TEST_CASE("bytes by their places have one sum, in whatever order and parts, and others another", "[external]") {
  using ordo::positional_checksum;
  random_numbers random(15);
  std::string text(5'000, ' ');
  for (char& byte : text) byte = static_cast<char>(random());
  auto const sum_of = [](std::string const& of) {
    positional_checksum sum;
    sum.add(0, of);
    return sum.sum();
  };
  std::uint64_t const whole = sum_of(text);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::size_t> cuts{0, text.size()};
    for (int k = 0; k < 30; ++k) cuts.push_back(random.below(text.size()));
    std::sort(cuts.begin(), cuts.end());
    positional_checksum forward, backward;
    for (std::size_t k = 1; k < cuts.size(); ++k) {
      forward.add(cuts[k - 1], std::string_view(text).substr(cuts[k - 1], cuts[k] - cuts[k - 1]));
      std::size_t const j = cuts.size() - k;
      backward.add(cuts[j - 1], std::string_view(text).substr(cuts[j - 1], cuts[j] - cuts[j - 1]));
    }
    CHECK(forward.sum() == whole);
    CHECK(backward.sum() == whole);
    CHECK(forward.bytes() == text.size());
    std::string changed = text;
    changed[random.below(text.size())] ^= static_cast<char>(1u << round % 8);
    CHECK(sum_of(changed) != whole);
    std::string swapped = text;
    std::rotate(swapped.begin() + 8 * round, swapped.begin() + 8 * round + 8, swapped.begin() + 8 * round + 16);
    CHECK(sum_of(swapped) != whole);
  }
}

TEST_CASE("a temporary file that cannot be made or written", "[external]") {
  std::string const text = random_text(1'000'000, '\n', 12);
  test_sink to(true);
  strings::sort_options how = on_cpu();
  CHECK_THROWS_AS(
      strings::sort_external(texts_of({text}, true), to, how, strings::duplicates::keep, {{"/no/such/folder"}, "", 0}),
      ordo::output_error);
  CHECK_THROWS_AS(strings::sort_external(texts_of({text}, true), to, how, strings::duplicates::keep, {{"/proc"}, "", 0}),
                  ordo::output_error);
  CHECK_THROWS_AS(strings::sort_external(texts_of({text}, true), to, how, strings::duplicates::keep, {{}, "", 0}),
                  ordo::usage_error);
  // A line that is longer than one may be.
  std::string const long_line(4'000'000, 'x');
  CHECK_THROWS_AS(strings::sort_external(texts_of({long_line}, true), to, how, strings::duplicates::keep, {{"/tmp"}, "", 0}),
                  ordo::out_of_memory);
  CHECK_THROWS_WITH(strings::sort_external(texts_of({long_line}, true), to, how, strings::duplicates::keep, {{"/tmp"}, "", 0}),
                    StartsWith("out of memory: input: a line of more than ") && EndsWith(" bytes: 2097152 may be taken"));
  // A text that fits needs no file.
  how.memory = std::size_t{1} << 30;
  check({text}, how, {{"/no/such/folder"}, "", 0});
}

TEST_CASE("what sources and sinks throw comes through", "[external]") {
  std::string const text = random_text(1'000'000, '\n', 13);
  for (bool const addressed : {true, false}) {
    strings::texts const bad{1, text.size(),
                             [&](std::size_t) { return std::make_unique<test_source>(text, addressed, 900'000); }};
    test_sink to(addressed);
    CHECK_THROWS_AS(strings::sort_external(bad, to, on_cpu(), strings::duplicates::keep, {}), ordo::input_error);
    CHECK(to.taken() == 0);
    test_sink full(addressed, 500'000);
    CHECK_THROWS_AS(strings::sort_external(texts_of({text}, true), full, on_cpu(), strings::duplicates::keep, {}),
                    ordo::output_error);
  }
}

TEST_CASE("A plan has the fewest runs that fit the memory", "[strings]") {
  strings::sort_options options;
  options.memory = std::size_t{64} << 20;
  strings::spill_options spill;
  spill.available_memory = [] { return std::size_t{32} << 20; };
  auto const memory = strings::detail::make_memory_plan(options, spill);
  CHECK(memory.limit == (std::size_t{30} << 20));
  for (std::uint64_t const line : {2u, 30u, 1000u})
    for (std::uint64_t const bytes : {std::uint64_t{1} << 20, std::uint64_t{200} << 20, std::uint64_t{1} << 40}) {
      auto const plan = strings::detail::plan_sort(memory, bytes, bytes / line);
      CHECK((plan.runs == 0) == (plan.memory <= memory.limit));
      if (plan.runs == 0) continue;
      std::uint64_t const run = bytes / plan.runs, longer = bytes / (plan.runs - 1);
      CHECK(plan.runs > 1);
      CHECK(memory.fits(run, run / line));
      CHECK_FALSE(memory.fits(longer + line, longer / line + 3));
    }
}
