/// ordo_soak_lines write BYTES [SEED]: writes about BYTES bytes of random lines, and to standard error their number and
/// checksum. ordo_soak_lines check: reads lines, whose order must be that of `LC_ALL=C sort`, and writes their number and
/// checksum. The checksum is the sum of a hash of each line, so that it does not depend on the order. Neither holds more than
/// one line.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/mixed.hpp"

namespace {

struct checksum {
  std::uint64_t lines = 0, bytes = 0, sum = 0;

  void add(std::string_view line) {
    std::uint64_t hash = line.size();
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      word = word << 8 | static_cast<unsigned char>(line[i]);
      if (i % 8 == 7) hash = mixed(hash ^ word);
    }
    ++lines;
    bytes += line.size() + 1;
    sum += mixed(hash ^ word);
  }
};

std::ostream& operator<<(std::ostream& to, checksum const& of) {
  return to << of.lines << ' ' << of.bytes << ' ' << of.sum;
}

[[noreturn]] void fail(std::string const& what) {
  std::cerr << "ordo_soak_lines: " << what << '\n';
  std::exit(2);
}

/// Numbers, words of few letters, and lines with a long common prefix; one in a hundred is equal to many others.
void make_line(std::uint64_t random, std::string& line) {
  line.clear();
  std::uint64_t const kind = random % 8;
  std::uint64_t more = mixed(random);
  if (random % 100 == 0) more %= 1000;
  if (kind < 3) {
    line = std::to_string(more);
  } else if (kind < 6) {
    for (std::size_t k = 0, length = 8 + more % 56; k < length; ++k) {
      if (k % 8 == 0) more = mixed(more);
      line += static_cast<char>('a' + (more >> (k % 8 * 8) & 0xff) % 26);
    }
  } else {
    line = "https://example.org/a/folder/of/many/files/" + std::to_string(more % 100'000) + '/' + std::to_string(more);
  }
}

void write(std::uint64_t bytes, std::uint64_t seed) {
  checksum sum;
  std::string line, block;
  std::size_t const block_bytes = 1 << 20;
  for (std::uint64_t number = seed << 40; sum.bytes < bytes; ++number) {
    make_line(mixed(number), line);
    sum.add(line);
    block.append(line).push_back('\n');
    if (block.size() < block_bytes && sum.bytes < bytes) continue;
    if (std::fwrite(block.data(), 1, block.size(), stdout) != block.size()) fail("standard output: cannot be written");
    block.clear();
  }
  if (std::fflush(stdout) != 0) fail("standard output: cannot be written");
  std::cerr << sum << '\n';
}

void check() {
  checksum sum;
  std::string previous, line;
  std::vector<char> block(std::size_t{1} << 20);
  while (std::size_t const got = std::fread(block.data(), 1, block.size(), stdin)) {
    std::string_view rest(block.data(), got);
    for (std::size_t end = rest.find('\n'); end != rest.npos; end = rest.find('\n')) {
      line.append(rest.substr(0, end));
      rest.remove_prefix(end + 1);
      if (line < previous) fail("line " + std::to_string(sum.lines + 1) + ": less than the one before: " + line);
      sum.add(line);
      previous.swap(line);
      line.clear();
    }
    line.append(rest);
  }
  if (std::ferror(stdin) != 0) fail("standard input: cannot be read");
  if (!line.empty()) fail("the last line: has no end");
  std::cout << sum << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  std::string_view const what = argc > 1 ? argv[1] : "";
  if (what == "write" && argc > 2)
    write(std::strtoull(argv[2], nullptr, 10), argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1);
  else if (what == "check")
    check();
  else
    fail("usage: ordo_soak_lines write BYTES [SEED] | check");
}
