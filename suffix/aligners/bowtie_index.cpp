#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "ordo/suffix/aligner_index.hpp"
#include "suffix/aligners/aligner_parts.hpp"

namespace ordo::inline v0::suffix {
namespace {

using aligners::nucleotide_code, aligners::counted_blocks, aligners::letter_counts, aligners::put, aligners::write_if_large;
using aligners::write_text;

constexpr std::int32_t byte_order_mark = 1, lines_per_side = 1, bits_of_sample = 5, table_letters = 10, no_flags = -1;
constexpr std::uint64_t table_size = std::uint64_t{1} << (2 * table_letters);

// The order of bowtie has the end of the text above all letters. That is the reverse of the order of the complement, in which
// the end is below all letters: so the array is that of the complement, from its last entry to its first.

/// Two sides of a line each: the letters of the first one from its end to its beginning, those of the second one forward. At
/// the end of each are counts of the letters before the second one: of A and C, of G and T.
template <class Offset>
struct side_pair {
  static constexpr std::int32_t line_bits = sizeof(Offset) == 4 ? 6 : 7;
  static constexpr std::uint64_t side_bytes = std::uint64_t{1} << line_bits, letter_bytes = side_bytes - 2 * sizeof(Offset),
                                 side_letters = 4 * letter_bytes;

  static void set(char* at, std::uint64_t letter, unsigned code) {
    bool const second = letter >= side_letters;
    std::uint64_t const pair = second ? letter - side_letters : side_letters - 1 - letter;
    char& byte = at[(second ? side_bytes : 0) + pair / 4];
    byte = static_cast<char>(static_cast<unsigned char>(byte) | code << (2 * (pair % 4)));
  }
  static void add(char* at, letter_counts const& more) {
    for (std::size_t c = 0; c < more.size(); ++c) {
      char* const to = at + (c / 2) * side_bytes + letter_bytes + (c % 2) * sizeof(Offset);
      Offset count = 0;
      std::memcpy(&count, to, sizeof(count));
      count += Offset(more[c]);
      std::memcpy(to, &count, sizeof(count));
    }
  }
};

/// Returns the table of the first row of each string of ten letters, and the rows of those before which shorter suffixes lie.
template <class Offset>
std::string make_tables(std::string const& complement) {
  constexpr std::uint64_t letters = table_letters;
  std::uint64_t const n = complement.size();
  auto const code_at = [&](std::uint64_t p) { return 3 - nucleotide_code(complement[p]); };
  std::vector<Offset> table(table_size + 1);
  std::uint64_t code = 0;
  for (std::uint64_t p = 0; p < n; ++p) {
    code = (code << 2 | code_at(p)) % table_size;
    if (p + 1 >= letters) ++table[code + 1];
  }
  // A suffix of fewer letters is after all strings that begin with it.
  std::vector<std::uint8_t> shorter(table_size + 1);
  for (std::uint64_t size = 0; size < std::min(letters, n + 1); ++size) {
    std::uint64_t after = 0;
    for (std::uint64_t p = n - size; p < n; ++p) after = after << 2 | code_at(p);
    after = (after + 1) << 2 * (letters - size);
    while (after < table_size && table[after + 1] == 0) ++after;
    ++shorter[after];
  }
  std::array<Offset, 2 * letters> pairs{};
  Offset rows = 0, pair = 0;
  for (std::uint64_t i = 1; i <= table_size; ++i) {
    rows += table[i];
    table[i] = rows;
    if (shorter[i] == 0) continue;
    pairs[2 * pair] = rows;
    pairs[2 * pair + 1] = rows += shorter[i];
    table[i] = Offset(~pair++);
  }
  std::string bytes(reinterpret_cast<char const*>(table.data()), table.size() * sizeof(Offset));
  for (Offset const pair : pairs) put(bytes, pair);
  return bytes;
}

/// Writes an index of a text, whose complement has this suffix array. @param shape, names  as the first file has them
template <class Offset, class Index>
void write_index(sink& first, sink& second, std::string_view shape, std::string_view names, std::string const& complement,
                 std::span<Index const> sa, unsigned threads) {
  using side = side_pair<Offset>;
  constexpr std::uint64_t pair_letters = 2 * side::side_letters, pair_bytes = 2 * side::side_bytes;
  std::uint64_t const n = sa.size(), bytes = n / 4 + 1;
  auto const position = [&](std::uint64_t row) { return row == n ? n : std::uint64_t(sa[n - 1 - row]); };
  std::uint64_t const primary = n - 1 - aligners::row_of_whole(sa, threads);
  auto const fill = [&](std::uint64_t pair, char* at, letter_counts& here) {
    for (std::uint64_t i = 0; i < pair_letters; ++i) {
      if (i == side::side_letters) side::add(at, here);
      std::uint64_t const row = pair * pair_letters + i;
      constexpr std::uint64_t ahead = 32;
      if (row + ahead < n) __builtin_prefetch(complement.data() + position(row + ahead) - (position(row + ahead) != 0));
      if (row == primary) continue;
      // The last pair ends with As, which count.
      unsigned const code = row > n ? 0 : 3 - nucleotide_code(complement[position(row) - 1]);
      side::set(at, i, code);
      ++here[code];
    }
  };
  counted_blocks const bwt((bytes + 2 * side::letter_bytes - 1) / (2 * side::letter_bytes), pair_bytes, threads, fill,
                           side::add);
  std::string head(shape), tail;
  put(tail, Offset(primary));
  letter_counts letters = bwt.all();
  letters[0] -= bwt.blocks() * pair_letters - n - 1;
  Offset below = 0;
  put(tail, below);
  for (std::uint64_t const count : letters) put(tail, below += Offset(count));
  tail += make_tables<Offset>(complement);
  tail += names;
  first.expect(head.size() + bwt.bytes().size() + tail.size());
  write_text(first, head);
  first.write(bwt.bytes());
  write_text(first, tail);

  std::string part;
  put(part, byte_order_mark);
  second.expect(part.size() + ((n >> bits_of_sample) + 1) * sizeof(Offset));
  for (std::uint64_t row = 0; row <= n; row += std::uint64_t{1} << bits_of_sample) {
    put(part, Offset(position(row)));
    write_if_large(second, part);
  }
  write_text(second, part);
}

}  // namespace

void bowtie_reference::add(std::string_view header, std::string_view letters) {
  constexpr std::string_view ambiguous = "BDHKMNRSVWXY-bdhkmnrsvwxy";
  auto const refuse = [&](std::string const& why) {
    throw input_error(fmt::format("cannot index: record '{}': {}", header, why));
  };
  if (letters.empty()) refuse("it has no letters, and bowtie-build would join its name to the next one");
  run open{0, 0, true};
  std::uint64_t known = 0;
  for (char const letter : letters) {
    unsigned const code = nucleotide_code(letter);
    if (code > 3) {
      if (ambiguous.find(letter) == ambiguous.npos) refuse(fmt::format("bowtie-build leaves out the letter '{}'", letter));
      if (open.size != 0) runs_.push_back(std::exchange(open, run{0, 0, false}));
      ++open.gap;
    } else {
      complement_ += aligners::nucleotides[3 - code];
      ++open.size;
      ++known;
    }
  }
  if (known == 0) open.is_first = false;  // it is in no list of records
  runs_.push_back(open);
  if (known == 0) return;
  lengths_.push_back(letters.size());
  names_ += header.empty() ? std::to_string(lengths_.size() - 1) : std::string(header);
  names_ += '\n';
}

template <class Offset>
build_report bowtie_reference::write_all(bowtie_files const& files, build_options const& options) {
  std::string text;
  put(text, byte_order_mark);
  put(text, Offset(runs_.size()));
  for (run const& run : runs_) {
    put(text, Offset(run.gap));
    put(text, Offset(run.size));
    text += static_cast<char>(run.is_first);
  }
  write_text(files.third, text);
  text.assign((size() + 3) / 4, '\0');
  for (std::uint64_t i = 0; i < size(); ++i)
    text[i / 4] =
        static_cast<char>(static_cast<unsigned char>(text[i / 4]) | (3 - nucleotide_code(complement_[i])) << (2 * (i % 4)));
  write_text(files.fourth, text);

  std::string shape;
  put(shape, byte_order_mark);
  put(shape, Offset(size()));
  for (std::int32_t const flag : {side_pair<Offset>::line_bits, lines_per_side, bits_of_sample, table_letters, no_flags})
    put(shape, flag);
  put(shape, Offset(lengths_.size()));
  for (std::uint64_t const length : lengths_) put(shape, Offset(length));
  put(shape, Offset(std::ranges::count_if(runs_, [](run const& run) { return run.size != 0; })));
  std::uint64_t record = 0, offset = 0, begin = 0;
  for (run const& run : runs_) {
    if (run.size == 0) continue;
    if (run.is_first) {
      ++record;
      offset = 0;
    }
    offset += run.gap;
    for (std::uint64_t const number : {begin, record - 1, offset}) put(shape, Offset(number));
    begin += run.size;
    offset += run.size;
  }
  std::string const names = names_ + '\0';
  auto const build_one = [&](sink& first, sink& second) {
    return aligners::build_for(suffix::text{complement_}, options, [&](auto const& sa) {
      write_index<Offset>(first, second, shape, names, complement_, sa, options.machine.threads);
    });
  };
  build_one(files.first, files.second);
  // The mirror index has each run of letters backwards.
  auto at = complement_.begin();
  for (run const& run : runs_) {
    std::reverse(at, at + std::ptrdiff_t(run.size));
    at += std::ptrdiff_t(run.size);
  }
  return build_one(files.mirror_first, files.mirror_second);
}

build_report bowtie_reference::write(bowtie_files const& files, bowtie_size size, build_options const& options) {
  if (complement_.empty()) throw input_error("no letters: reference: an index needs at least one");
  if (size == bowtie_size::large) return write_all<std::uint64_t>(files, options);
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max() - 1;
  std::uint64_t all = 0;
  for (run const& run : runs_) all += run.gap + run.size;
  if (all > most)
    throw input_error(
        fmt::format("too large: reference: a small index of bowtie holds {} letters, and this has {}", most, all));
  return write_all<std::uint32_t>(files, options);
}

}  // namespace ordo::inline v0::suffix
