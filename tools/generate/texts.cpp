#include "tools/generate/texts.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "ordo/error.hpp"
#include "tools/generate/random.hpp"

namespace ordo::inline v0::generate {

std::string uniform_text(std::size_t length, std::string_view letters, std::uint64_t seed) {
  if (letters.empty()) throw usage_error("uniform: --letters: none given");
  random_source random(seed);
  std::string text(length, '\0');
  for (char& c : text) c = letters[random.below(letters.size())];
  return text;
}

std::string homopolymer_text(std::size_t length, char letter) {
  return std::string(length, letter);
}

std::string fibonacci_text(std::size_t length, std::string_view letters) {
  if (letters.size() != 2) throw usage_error("fibonacci: --letters: two are needed");
  std::string text = {letters[0], letters[1]};
  text.reserve(std::max(length, text.size()));
  for (std::size_t previous = 1; text.size() < length;) {  // f(k + 1) is f(k), then f(k - 1), a prefix of it
    std::size_t const size = text.size();
    text.append(text, 0, std::min(previous, length - size));
    previous = size;
  }
  text.resize(length);
  return text;
}

void shuffle_lines(std::span<char const> text, std::uint64_t seed, sink& out) {
  std::vector<std::string_view> lines;
  for (std::string_view rest(text.data(), text.size()); !rest.empty();) {
    std::size_t const end = std::min(rest.find('\n'), rest.size());
    lines.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  random_source random(seed);
  for (std::size_t i = lines.size(); i > 1; --i) std::swap(lines[i - 1], lines[random.below(i)]);
  for (auto const line : lines) {
    out.text() += line;
    out.end_line();
  }
}

}  // namespace ordo::inline v0::generate
