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

  [[noreturn]] void fail(std::string_view why) const { fail(offset_, why); }
  [[noreturn]] void fail(std::uint64_t offset, std::string_view why) const {
    throw input_error(fmt::format("cannot read: {}: byte {}: {}", name_, offset, why));
  }
  /// Returns the number of bytes that were read.
  [[nodiscard]] std::uint64_t offset() const { return offset_; }
  void read(void* to, std::size_t size) {
    auto* at = static_cast<char*>(to);
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
      offset_ += some;
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

using run_consumer = std::function<void(std::span<run_list const>)>;

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

/// Decodes the blocks of an FMD. Each has the counts of the one before.
class fmd_reader {
 public:
  fmd_reader(run_file& in, each_of const& each, run_consumer const& consume) : in_(in), each_(each), consume_(consume) {}

  void read() {
    auto const shape = in_.number<std::uint32_t>();
    if (shape >> 16 != fmd::num_letters || (shape & 0xffff) != 3)
      in_.fail("an index of other letters than $, A, C, G, T and N");
    auto const extra = in_.number<std::uint64_t>();
    auto const bytes = in_.number<std::uint64_t>(), frames = in_.number<std::uint64_t>();
    fmd::counts expected, counted{};
    for (std::uint64_t& count : expected) count = in_.number<std::uint64_t>();
    if (extra != 0 || bytes % 8 != 0 || bytes < 8 * fmd::block_words || frames > bytes) in_.fail("a damaged header");
    std::uint64_t const words = bytes / 8, blocks = words / fmd::block_words;
    fmd::counts before{};
    for (std::uint64_t first = 0; first < blocks; first += parts * part_blocks) {
      std::uint64_t const some = std::min(blocks - first, parts * part_blocks), begin = in_.offset();
      words_.resize(some * fmd::block_words);
      in_.read(words_.data(), some * block_bytes);
      std::size_t const num_parts = (some + part_blocks - 1) / part_blocks;
      each_(num_parts, [&](std::size_t k) {
        decode(first, k * part_blocks, std::min((k + 1) * part_blocks, some), parts_[k], runs_[k]);
      });
      for (std::size_t k = 0; k < num_parts; ++k) {
        part const& of = parts_[k];
        std::uint64_t const first_end = begin + (k * part_blocks + 1) * block_bytes;
        if (of.before != before) in_.fail(first_end, "a damaged block");
        if (of.is_damaged) in_.fail(begin + of.end * block_bytes, "a damaged block");
        for (std::size_t c = 0; c < fmd::num_letters; ++c)
          if (of.all[c] > expected[c] - counted[c])
            in_.fail(begin + of.end * block_bytes, "more letters than the header counts");
          else
            counted[c] += of.all[c];
        before = of.last;
      }
      consume_(std::span(runs_).first(num_parts));
    }
    if (counted != expected) in_.fail("the runs have other letters than the header counts");
    in_.skip(8 * (words % fmd::block_words));
    in_.skip(8 * (fmd::num_letters + 1) * frames);
    in_.expect_end();
  }

 private:
  static constexpr std::size_t parts = 64, part_blocks = 2048, block_bytes = 8 * fmd::block_words;
  static constexpr std::size_t min_head = 2, min_code = 1 + fmd::letter_bits;
  static constexpr std::size_t max_runs = 64 * (fmd::block_words - min_head) / min_code;  // the most that a block has

  struct part {
    fmd::counts before{}, last{}, all{};  // letters of the block before, of the last one, and of all
    std::size_t end = 0;                  // the end of its last block, or of one that is damaged
    bool is_damaged = false;
  };

  /// Decodes blocks [begin, end) of those that were read. @param first  the number of blocks before all of these
  void decode(std::uint64_t first, std::size_t begin, std::size_t end, part& of, run_list& runs) const {
    of = {};
    runs.resize((end - begin) * max_runs);
    dna_run* next = runs.data();
    for (std::size_t block = begin; block < end && !of.is_damaged; ++block) {
      fmd::counts before{}, inside{};
      of.is_damaged = !decode_block(first + block, words_.data() + block * fmd::block_words, before, inside, next);
      if (block == begin)
        of.before = before;
      else
        of.is_damaged |= before != of.last;
      for (std::size_t c = 0; c < fmd::num_letters; ++c) of.all[c] += inside[c];
      of.last = inside;
      of.end = block + 1;
    }
    runs.resize(std::size_t(next - runs.data()));
  }
  /// Decodes a block: the letters of the one before, and its own ones.
  /// @returns false if it is damaged
  static bool decode_block(std::uint64_t block, std::uint64_t const* words, fmd::counts& before, fmd::counts& inside,
                           dna_run*& next) {
    std::uint64_t const kind = words[0] >> 62;
    if (kind > 2) return false;
    std::size_t const head = kind == 0 ? min_head : kind == 1 ? 4 : 7, width = 2U << kind;
    for (std::size_t c = 0; c < fmd::num_letters; ++c) {
      std::memcpy(&before[c], reinterpret_cast<char const*>(words) + (c + 1) * width, width);
      if (kind == 1) before[c] &= 0x3fffffff;  // the kind is in the highest bits of the first word
    }
    std::size_t const unused = (block + 1) * fmd::block_words % fmd::group_words == 0 ? 1 : 0;
    bit_reader bits(std::span(words + head, fmd::block_words - head - unused));
    while (true) {
      std::uint64_t const word = bits.peek();
      if (word >> 58 == 0) return true;  // no code begins with six zeros
      unsigned const zeros = unsigned(std::countl_zero(word));
      unsigned const size = unsigned(word >> (63 - 2 * zeros) & ((2U << zeros) - 1));  // bits of the number
      if (size > 48) return false;
      bits.skip(2 * zeros + 1);
      std::uint64_t const number = std::uint64_t{1} << (size - 1) | (size == 1 ? 0 : bits.peek() >> (65 - size));
      bits.skip(size - 1);
      unsigned const letter = unsigned(bits.peek() >> 61);
      bits.skip(fmd::letter_bits);
      if (letter >= fmd::num_letters || bits.is_over() || number > max_run) return false;
      inside[letter] += number;
      *next++ = {letter, number};
    }
  }

  run_file& in_;
  each_of const& each_;
  run_consumer const& consume_;
  std::vector<std::uint64_t> words_;
  std::vector<part> parts_ = std::vector<part>(parts);
  std::vector<run_list> runs_ = std::vector<run_list>(parts);
};

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
    consume_runs();
    in_.expect_end();
  }

 private:
  static constexpr std::size_t part_runs = std::size_t{1} << 20;

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
    for (std::size_t at = 0; at < leaf_.size();) {
      unsigned const first = static_cast<unsigned char>(leaf_[at]), letter = first & 7;
      std::size_t const bytes = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 4 : 8;
      std::uint64_t length = first < 0x80 ? first >> 3 : first < 0xe0 ? first >> 3 & 3 : first >> 3 & 1;
      if (letter >= num_dna_codes || at + bytes > leaf_.size() || (first >= 0x80 && first < 0xc0)) in_.fail("a damaged leaf");
      for (std::size_t k = 1; k < bytes; ++k) length = length << 6 | (static_cast<unsigned char>(leaf_[at + k]) & 0x3f);
      at += bytes;
      counted[letter] += length;
      if (length > max_run) in_.fail("a damaged leaf");
      if (length != 0) runs_.push_back({letter, length});
    }
    if (counted != expected) in_.fail("a damaged leaf");
    if (runs_.size() >= part_runs) consume_runs();
  }
  void consume_runs() {
    consume_({&runs_, 1});
    runs_.resize(0);
  }

  run_file& in_;
  run_consumer const& consume_;
  std::uint32_t block_bytes_ = 0;
  std::string leaf_;
  run_list runs_;
};

}  // namespace

void read_runs(source& from, std::string const& name, each_of const& each, run_consumer const& consume) {
  run_file in(from, name);
  std::array<char, 3> magic;
  in.read(magic.data(), magic.size());
  std::string_view const begin(magic.data(), magic.size());
  if (begin == "RB\2") return fmr_reader(in, consume).read();
  if (begin != "RLD" || in.number<char>() != 3) in.fail("neither an FMD nor an FMR index of ropebwt3");
  fmd_reader(in, each, consume).read();
}

void write_fmd_runs(std::function<bool(run_list&)> const& next, each_of const& each, sink& to) {
  fmd::encoder(each, to).encode(next);
}

}  // namespace ordo::inline v0::suffix
