#pragma once
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/unit/inputs.hpp"

/// The lines of a text, as the contract of ordo/strings.hpp has them.
inline std::vector<std::string_view> lines_of(std::string_view text, char delimiter) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    lines.push_back(text.substr(0, text.find(delimiter)));
    text.remove_prefix(std::min(text.size(), lines.back().size() + 1));
  }
  return lines;
}

/// The oracle: a stable comparison sort.
inline std::vector<std::string_view> sorted_lines_of(std::string_view text, char delimiter, bool reverse) {
  auto lines = lines_of(text, delimiter);
  std::stable_sort(lines.begin(), lines.end(), [=](auto a, auto b) { return reverse ? b < a : a < b; });
  return lines;
}

/// Texts of many shapes: name and bytes. The last line of some has no delimiter. `small`: of fewer and shorter lines.
inline std::vector<std::pair<std::string, std::string>> line_texts(char delimiter, bool small = false) {
  std::vector<std::pair<std::string, std::string>> all;
  random_numbers random(42);
  auto const add = [&](std::string name, std::vector<std::string> lines, bool ended = true) {
    for (std::size_t i = lines.size(); i > 1; --i) std::swap(lines[i - 1], lines[random.below(i)]);
    std::string text;
    for (std::string const& line : lines) text += line + delimiter;
    if (!ended && !text.empty()) text.pop_back();
    all.emplace_back(std::move(name), std::move(text));
  };
  auto const make = [=](std::size_t n, auto line) {
    std::vector<std::string> lines(small ? std::min<std::size_t>(n, 257) : n);
    for (std::size_t i = 0; i < lines.size(); ++i) lines[i] = line(i);
    return lines;
  };
  // A random line of bytes of which `letters` differ, never the delimiter.
  auto const letters = [&](std::size_t length, unsigned count, unsigned first) {
    std::string line(length, 0);
    for (char& c : line) do
        c = char(first + random.below(count));
      while (c == delimiter);
    return line;
  };
  add("no lines", {});
  add("one empty line", {""});
  add("one line", {"word"}, false);
  add("empty lines", make(1000, [](auto) { return ""; }));
  for (std::size_t n : {2u, 15u, 16u, 17u, 33u, 255u, 256u, 257u})
    add(std::to_string(n) + " lines", make(n, [&](auto) { return letters(random.below(4), 3, 'a'); }), n % 2 == 0);
  for (std::size_t length = 0; length <= 18; ++length)
    add("length about " + std::to_string(length), make(300, [&](auto) { return letters(length + random.below(2), 2, 'x'); }),
        length % 2 == 0);
  add("all equal, short", make(3000, [](auto) { return "tie"; }));
  add("all equal, long", make(500, [](auto) { return std::string(777, 'q'); }), false);
  add("all equal but one", make(500, [](auto i) { return std::string(200, 'q') + (i == 77 ? "a" : ""); }));
  add("nested prefixes", make(400, [](auto i) { return std::string(i % 200, 'A'); }));
  add("bytes of all values", make(4000, [&](auto) { return letters(random.below(20), 256, 0); }), false);
  add("NULs and ends", make(4000, [&](auto) { return letters(random.below(20), 2, 0); }));
  add("bytes round the delimiter", make(4000, [&](auto) { return letters(random.below(12), 3, delimiter == 0 ? 0 : 9); }));
  add("high bytes", make(2000, [&](auto) { return letters(random.below(10), 4, 0x7e); }));
  std::string const shared = letters(small ? 700 : 5000, 26, 'a');
  add("a prefix of all, longer than any window", make(300, [&](auto i) { return shared + std::to_string(i * 7919 % 97); }));
  add("prefixes of a long line", make(300, [&](auto i) { return shared.substr(0, i * 31 % shared.size()); }));
  add("few long ties", make(12, [&](auto i) { return shared + shared + (i % 3 == 0 ? "x" : i % 3 == 1 ? "y" : ""); }));
  add("directories", make(20000, [&](auto) {
        std::string path = "/usr/share/";
        for (std::size_t depth = random.below(6); depth > 0; --depth)
          path += "some directory " + std::to_string(random.below(4)) + "/";
        return path + std::to_string(random.below(1000));
      }));
  add("many distinct words", make(70000, [&](auto) { return letters(3 + random.below(8), 26, 'a'); }), false);
  add("one huge line among short ones", [&] {
    auto lines = make(2000, [&](auto) { return letters(random.below(3), 2, 'a'); });
    std::string const huge(small ? 1200 : 200000, 'a');
    lines[lines.size() / 2] = huge;
    lines[lines.size() / 4 * 3] = huge + "b";
    return lines;
  }());
  return all;
}
