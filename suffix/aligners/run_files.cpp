#include "suffix/aligners/run_files.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "suffix/aligners/dna_codes.hpp"
#include "suffix/aligners/fmd_blocks.hpp"

namespace ordo::inline v0::suffix {
namespace {

/// A file that is read from front to back.
class run_file {
 public:
  run_file(source& from, std::string const& name) : from_(from), name_(name) {}

  [[noreturn]] void fail(std::string_view why) const {
    throw input_error(fmt::format("cannot read: {}: byte {}: {}", name_, offset_, why));
  }
  void read(void* to, std::size_t size) {
    auto* at = static_cast<char*>(to);
    offset_ += size;
    while (size != 0) {
      if (begin_ == end_) {
        end_ = from_.read(buffer_);
        begin_ = 0;
        if (end_ == 0) fail("the file is truncated");
      }
      std::size_t const some = std::min(size, end_ - begin_);
      std::memcpy(at, buffer_.data() + begin_, some);
      at += some;
      begin_ += some;
      size -= some;
    }
  }
  template <class Number>
  Number number() {
    Number value;
    read(&value, sizeof(value));  // on little-endian machines
    return value;
  }
  void skip(std::uint64_t size) {
    std::array<char, 4096> some;
    for (; size != 0; size -= std::min<std::uint64_t>(size, some.size()))
      read(some.data(), std::min<std::uint64_t>(size, some.size()));
  }
  void expect_end() {
    if (begin_ != end_ || from_.read(buffer_) != 0) fail("bytes follow the index");
  }

 private:
  source& from_;
  std::string const& name_;
  std::vector<char> buffer_ = std::vector<char>(std::size_t{1} << 20);
  std::size_t begin_ = 0, end_ = 0;
  std::uint64_t offset_ = 0;
};

/// More rows than any run of genomes has. A damaged length could take all memory.
constexpr std::uint64_t max_run = std::uint64_t{1} << 40;

using run_consumer = std::function<void(unsigned, std::uint64_t)>;

/// Reads the bits of some words, the highest first. Zeros follow.
class bit_reader {
 public:
  explicit bit_reader(std::span<std::uint64_t const> words) : words_(words) {}
  [[nodiscard]] std::uint64_t peek() const {
    std::size_t const word = at_ / 64, shift = at_ % 64;
    if (word >= words_.size()) return 0;
    std::uint64_t const next = shift != 0 && word + 1 < words_.size() ? words_[word + 1] >> (64 - shift) : 0;
    return words_[word] << shift | next;
  }
  void skip(unsigned bits) { at_ += bits; }
  [[nodiscard]] bool is_over() const { return at_ > 64 * words_.size(); }

 private:
  std::span<std::uint64_t const> words_;
  std::size_t at_ = 0;
};

void read_fmd(run_file& in, run_consumer const& consume) {
  auto const shape = in.number<std::uint32_t>();
  if (shape >> 16 != fmd::num_letters || (shape & 0xffff) != 3) in.fail("an index of other letters than $, A, C, G, T and N");
  auto const extra = in.number<std::uint64_t>();
  auto const bytes = in.number<std::uint64_t>(), frames = in.number<std::uint64_t>();
  fmd::counts expected, counted{};
  for (std::uint64_t& count : expected) count = in.number<std::uint64_t>();
  if (extra != 0 || bytes % 8 != 0 || bytes < 8 * fmd::block_words || frames > bytes) in.fail("a damaged header");
  std::uint64_t const words = bytes / 8, blocks = words / fmd::block_words;
  fmd::counts before{};  // counts of the block before
  for (std::uint64_t block = 0; block < blocks; ++block) {
    std::array<std::uint64_t, fmd::block_words> all;
    in.read(all.data(), sizeof(all));
    std::uint64_t const kind = all[0] >> 62, end = (block + 1) * fmd::block_words;
    if (kind > 2) in.fail("a damaged block");
    std::size_t const head = kind == 0 ? 2 : kind == 1 ? 4 : 7;
    for (std::size_t c = 0; c < fmd::num_letters; ++c) {
      std::uint64_t count = 0;
      std::size_t const width = 2U << kind;
      std::memcpy(&count, reinterpret_cast<char const*>(all.data()) + (c + 1) * width, width);
      if (kind == 1) count &= 0x3fffffff;  // the kind is in the highest bits of the first word
      if (count != before[c]) in.fail("a damaged block");
    }
    before = {};
    std::size_t const unused = end % fmd::group_words == 0 ? 1 : 0;
    bit_reader bits(std::span<std::uint64_t const>(all).subspan(head, all.size() - head - unused));
    while (true) {
      std::uint64_t const word = bits.peek();
      if (word >> 58 == 0) break;  // no code begins with six zeros
      unsigned const zeros = unsigned(std::countl_zero(word));
      unsigned const size = unsigned(word >> (63 - 2 * zeros) & ((2U << zeros) - 1));  // bits of the number
      if (size > 48) in.fail("a damaged block");
      bits.skip(2 * zeros + 1);
      std::uint64_t const number = std::uint64_t{1} << (size - 1) | (size == 1 ? 0 : bits.peek() >> (65 - size));
      bits.skip(size - 1);
      unsigned const letter = unsigned(bits.peek() >> 61);
      bits.skip(fmd::letter_bits);
      if (letter >= fmd::num_letters || bits.is_over() || number > max_run) in.fail("a damaged block");
      counted[letter] += number;
      before[letter] += number;
      if (counted[letter] > expected[letter]) in.fail("more letters than the header counts");
      consume(letter, number);
    }
  }
  if (counted != expected) in.fail("the runs have other letters than the header counts");
  in.skip(8 * (words % fmd::block_words));
  in.skip(8 * (fmd::num_letters + 1) * frames);
  in.expect_end();
}

class fmr_reader {
 public:
  fmr_reader(run_file& in, run_consumer const& consume) : in_(in), consume_(consume) {}

  void read() {
    if (in_.number<char>() != 0) in_.fail("an index of sorted records; records can only be added to one in input order");
    for (std::size_t tree = 0; tree < num_dna_codes; ++tree) {
      in_.skip(sizeof(std::uint32_t));
      block_bytes_ = in_.number<std::uint32_t>();
      if (block_bytes_ > 0xffff) in_.fail("a damaged tree");
      read_node(0);
    }
    in_.expect_end();
  }

 private:
  void read_node(unsigned depth) {
    if (depth > 32) in_.fail("a damaged tree");
    auto const has_leaves = in_.number<std::uint8_t>();
    auto const children = in_.number<std::int16_t>();
    if (has_leaves > 1 || children < 1) in_.fail("a damaged tree");
    for (int k = 0; k < children; ++k)
      if (has_leaves != 0)
        read_leaf();
      else
        read_node(depth + 1);
  }
  void read_leaf() {
    std::array<std::uint64_t, num_dna_codes> expected, counted{};
    for (std::uint64_t& count : expected) count = in_.number<std::uint64_t>();
    leaf_.resize(in_.number<std::uint16_t>());
    if (leaf_.size() > block_bytes_) in_.fail("a damaged tree");
    in_.read(leaf_.data(), leaf_.size());
    runs_.clear();
    for (std::size_t at = 0; at < leaf_.size();) {
      unsigned const first = static_cast<unsigned char>(leaf_[at]), letter = first & 7;
      std::size_t const bytes = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 4 : 8;
      std::uint64_t length = first < 0x80 ? first >> 3 : first < 0xe0 ? first >> 3 & 3 : first >> 3 & 1;
      if (letter >= num_dna_codes || at + bytes > leaf_.size() || (first >= 0x80 && first < 0xc0)) in_.fail("a damaged leaf");
      for (std::size_t k = 1; k < bytes; ++k) length = length << 6 | (static_cast<unsigned char>(leaf_[at + k]) & 0x3f);
      at += bytes;
      counted[letter] += length;
      if (length != 0) runs_.emplace_back(letter, length);
    }
    if (counted != expected) in_.fail("a damaged leaf");
    for (dna_run const& run : runs_) {
      if (run.rows() > max_run) in_.fail("a damaged leaf");
      consume_(run.letter(), run.rows());
    }
  }

  run_file& in_;
  run_consumer const& consume_;
  std::uint32_t block_bytes_ = 0;
  std::string leaf_;
  std::vector<dna_run> runs_;
};

}  // namespace

void read_runs(source& from, std::string const& name, run_consumer const& consume) {
  run_file in(from, name);
  std::array<char, 3> magic;
  in.read(magic.data(), magic.size());
  std::string_view const begin(magic.data(), magic.size());
  if (begin == "RB\2") return fmr_reader(in, consume).read();
  if (begin != "RLD" || in.number<char>() != 3) in.fail("neither an FMD nor an FMR index of ropebwt3");
  read_fmd(in, consume);
}

void write_fmd_runs(std::function<bool(run_list&)> const& next, each_of const& each, sink& to) {
  fmd::encoder encoder(each);
  while (next(encoder.runs())) encoder.encode();
  encoder.write(to);
}

}  // namespace ordo::inline v0::suffix
