#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/strings/external_sort.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/io_ends.hpp"
#include "tests/unit/strings/lines.hpp"

namespace strings = ordo::strings;

namespace {

std::string merged(std::vector<std::string> const& parts, strings::sort_options const& how, strings::duplicates equal,
                   strings::spill_options const& where = {}) {
  strings::texts const from{parts.size(), 0,
                            [&](std::size_t k) { return std::make_unique<test_source>(parts[k], k % 2 == 0); }};
  test_sink to(false);
  auto const done = strings::merge(from, to, how, equal, where);
  CHECK(done.written == to.text().size());
  return to.text();
}

// The least of the texts' next lines, again and again.
std::string merged_simply(std::vector<std::string> const& parts, bool unique) {
  std::vector<std::vector<std::string_view>> texts;
  for (std::string const& part : parts) texts.push_back(lines_of(part, '\n'));
  std::vector<std::size_t> next(texts.size());
  std::string out, last;
  bool first = true;
  for (;;) {
    std::size_t least = texts.size();
    for (std::size_t k = 0; k < texts.size(); ++k)
      if (next[k] < texts[k].size() && (least == texts.size() || texts[k][next[k]] < texts[least][next[least]])) least = k;
    if (least == texts.size()) return out;
    std::string const line(texts[least][next[least]++]);
    if (unique && !first && line == last) continue;
    first = false;
    out += (last = line) + "\n";
  }
}

std::vector<std::string> sorted_parts(std::size_t count, unsigned seed, bool reverse) {
  random_numbers random(seed);
  std::vector<std::string> parts(count);
  for (std::string& part : parts) {
    std::string text;
    for (std::size_t lines = random.below(300); lines > 0; --lines) {
      for (std::size_t n = random.below(12); n > 0; --n) text += char(random.below(3) * 50);
      text += '\n';
    }
    for (std::string_view const line : sorted_lines_of(text, '\n', reverse)) part.append(line) += '\n';
    if (!part.empty() && random.below(2) == 0) part.pop_back();
  }
  return parts;
}

}  // namespace

TEST_CASE("texts in order are merged", "[merge]") {
  strings::sort_options how;
  for (bool const reverse : {false, true}) {
    how.by.reverse = reverse;
    for (std::size_t const count : {0, 1, 2, 3, 15, 16, 17, 31, 33, 100, 257}) {
      auto const parts = sorted_parts(count, unsigned(count), reverse);
      std::string whole, all, unique;
      for (std::string const& part : parts) whole += part.empty() || part.back() == '\n' ? part : part + '\n';
      std::string_view last;
      for (std::string_view const line : sorted_lines_of(whole, '\n', reverse)) {
        all.append(line) += '\n';
        if (unique.empty() || line != last) unique.append(line) += '\n';
        last = line;
      }
      for (std::size_t const batch : {0, 2, 3, 16, 1000}) {
        INFO(count << " texts, batch " << batch << ", reverse " << reverse);
        CHECK((merged(parts, how, strings::duplicates::keep, {{"/tmp"}, "", batch}) == all));
        CHECK((merged(parts, how, strings::duplicates::drop, {{"/tmp"}, "", batch}) == unique));
      }
      if (count == 17) CHECK((merged(parts, how, strings::duplicates::keep, {{"/tmp"}, "gzip", 3}) == all));
    }
  }
}

TEST_CASE("texts out of order come out as their first lines are", "[merge]") {
  random_numbers random(3);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::string> parts(1 + random.below(16));
    for (std::string& part : parts)
      for (std::size_t lines = random.below(40); lines > 0; --lines) part += std::to_string(random.below(30)) + "\n";
    CHECK((merged(parts, {}, strings::duplicates::keep) == merged_simply(parts, false)));
    CHECK((merged(parts, {}, strings::duplicates::drop) == merged_simply(parts, true)));
  }
}

TEST_CASE("lines longer than what is read ahead are merged", "[merge]") {
  std::string const huge(300'000, 'h');
  strings::sort_options how;
  how.memory = 1;
  CHECK((merged({huge + "\n" + huge + "b", "a\n" + huge + "a\nz\n"}, how, strings::duplicates::keep) ==
         "a\n" + huge + "\n" + huge + "a\n" + huge + "b\nz\n"));
}
