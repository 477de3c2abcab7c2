#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/pooled_arena.hpp"
#include "base/threads.hpp"
#include "ordo/error.hpp"
#include "ordo/suffix/aligner_index.hpp"
#include "suffix/aligners/aligner_parts.hpp"

namespace ordo::inline v0::suffix {
namespace {

using aligners::nucleotide_code, aligners::put, aligners::write_text;

constexpr std::uint64_t max_index_letters = 15, max_bin_bits = 32;
constexpr char end_of_record = 5;
constexpr std::string_view ranked = "EDCBA";  // A, C, G, T, N

// STAR sorts A < C < G < T < N < the end of a record, and equal suffixes by their position. That is the reverse of the order of
// the ranked letters, in which the end is below all letters and equal suffixes are in the order of the records: so the text has
// the records from the last one to the first one, and STAR's array is read from its end.

constexpr unsigned code_of_ranked(char letter) {
  return unsigned('E' - letter);
}

/// Numbers of a fixed width, 8 to 56 bits, one after the other from the lowest bits on, with up to 7 bytes after the last.
class packed_numbers {
 public:
  packed_numbers(std::uint64_t count, unsigned width)
      : width_(width), bytes_((count == 0 ? 0 : (count - 1) * width / 8) + sizeof(std::uint64_t)) {}

  void set(std::uint64_t i, std::uint64_t number) {
    std::uint64_t word = load(i);
    unsigned const shift = bit_shift(i);
    word = (word & ~(mask() << shift)) | number << shift;
    std::memcpy(bytes_.data() + i * width_ / 8, &word, sizeof(word));
  }
  [[nodiscard]] std::uint64_t get(std::uint64_t i) const { return load(i) >> bit_shift(i) & mask(); }
  [[nodiscard]] std::span<char const> bytes() const { return bytes_; }

 private:
  [[nodiscard]] unsigned bit_shift(std::uint64_t i) const { return unsigned(i * width_ % 8); }
  [[nodiscard]] std::uint64_t mask() const { return (std::uint64_t{1} << width_) - 1; }
  [[nodiscard]] std::uint64_t load(std::uint64_t i) const {
    std::uint64_t word;
    std::memcpy(&word, bytes_.data() + i * width_ / 8, sizeof(word));
    return word;
  }

  std::uint64_t width_;
  std::vector<char> bytes_;
};

/// SAindex: for each string of 1 to K letters the first row that begins with it. Rows come in order.
class prefix_table {
 public:
  prefix_table(unsigned letters, unsigned strand_bit)
      : letters_(letters), n_mark_(std::uint64_t{1} << (strand_bit + 1)), absent_(std::uint64_t{1} << (strand_bit + 2)) {
    begins_.push_back(0);
    for (unsigned k = 1; k <= letters; ++k) begins_.push_back(begins_.back() + (std::uint64_t{1} << (2 * k)));
    next_.assign(letters, 0);
    rows_ = packed_numbers(begins_.back(), strand_bit + 3);
  }

  /// Takes the next row. @param code  the code of its first K letters, zeros from the first N or end on
  /// @param known  the letters before that, at most K
  void add(std::uint64_t row, std::uint64_t code, unsigned known) {
    for (unsigned k = known; k-- > 0;) {
      std::uint64_t const prefix = code >> 2 * (letters_ - 1 - k);
      if (prefix < next_[k]) break;  // and so are those of fewer letters
      for (std::uint64_t& i = next_[k]; i < prefix; ++i) rows_.set(begins_[k] + i, row | absent_);
      rows_.set(begins_[k] + next_[k]++, row);
    }
    // Such a suffix is among those of the last string of more letters; if there is none yet, STAR marks the entry before.
    for (unsigned k = std::max(known, 1U); k < letters_; ++k) {
      std::uint64_t const at = begins_[k] + next_[k] - 1;
      rows_.set(at, rows_.get(at) | n_mark_);
    }
  }
  void finish(std::uint64_t rows) {
    for (unsigned k = 0; k < letters_; ++k)
      for (std::uint64_t& i = next_[k]; i < begins_[k + 1] - begins_[k]; ++i) rows_.set(begins_[k] + i, rows | absent_);
  }
  void write(sink& to) const {
    std::string head;
    put(head, std::uint64_t(letters_));
    for (std::uint64_t const begin : begins_) put(head, begin);
    to.expect(head.size() + rows_.bytes().size());
    write_text(to, head);
    to.write(rows_.bytes());
  }

 private:
  unsigned letters_;
  std::uint64_t n_mark_, absent_;
  std::vector<std::uint64_t> begins_, next_;  // for each number of letters: its first entry; the first string not seen yet
  packed_numbers rows_{0, 8};
};

}  // namespace

void star_reference::add(std::string_view header, std::string_view letters) {
  constexpr std::string_view blanks = " \t\v\f\r";
  header.remove_prefix(std::min(header.find_first_not_of(blanks), header.size()));
  records_.push_back({std::string(header.substr(0, header.find_first_of(blanks))), size(), letters.size()});
  letters_.reserve(size() + letters.size());
  for (char const letter : letters) letters_ += ranked[nucleotide_code(letter)];
}

template <class Index>
void star_reference::write_arrays(star_files const& files, std::span<Index const> sa, std::vector<std::uint64_t> const& starts,
                                  shape const& of, unsigned threads) const {
  // Its first strand has the records, the second one their reverse complements from the last one to the first one. A position
  // of the text plus that of its piece is STAR's, modulo 2^64.
  std::vector<std::uint64_t> pieces;
  for (std::size_t piece = 0; piece < starts.size(); ++piece) {
    bool const is_second = piece < records_.size();
    record const& record = records_[is_second ? piece : 2 * records_.size() - 1 - piece];
    std::uint64_t const begin = is_second ? of.strand() | (of.genome - record.begin - record.size) : record.begin;
    pieces.push_back(begin - starts[piece]);
  }
  struct prefix {
    std::uint32_t code, known;
    bool operator==(prefix const&) const = default;
  };
  auto const prefix_at = [&](std::uint64_t p, std::uint64_t end) {
    prefix prefix{};
    for (end = std::min(end, p + of.index_letters); p < end && letters_[p] != ranked.back(); ++p, ++prefix.known)
      prefix.code = prefix.code << 2 | code_of_ranked(letters_[p]);
    prefix.code <<= 2 * (of.index_letters - prefix.known);
    return prefix;
  };
  prefix_table table(of.index_letters, of.strand_bit);
  files.sa.expect(of.array_bytes());
  // Threads pack blocks of rows, which fill whole bytes, into a chunk.
  constexpr std::uint64_t block_rows = 512, chunk_rows = block_rows << 11;
  std::uint64_t const n = sa.size(), block_bytes = block_rows / 8 * of.entry_bits();
  std::vector<prefix> prefixes(std::min(of.rows, chunk_rows));
  std::vector<char> chunk(chunk_rows / block_rows * block_bytes + sizeof(std::uint64_t));
  std::uint64_t const step = (of.rows >> 2 * of.index_letters) + 1;
  prefix last{};
  std::uint64_t last_begin = 0;
  pooled_arena arena(threads_for(threads));
  for (std::uint64_t begin = 0; begin < of.rows; begin += chunk_rows) {
    std::uint64_t const count = std::min(of.rows - begin, chunk_rows);
    auto const pack = [&](std::size_t block) {
      std::uint64_t const first = block * block_rows, rows = std::min(count - first, block_rows);
      packed_numbers packed(rows, of.entry_bits());
      for (std::uint64_t i = 0; i < rows; ++i) {
        constexpr std::uint64_t ahead = 16;
        std::uint64_t const row = begin + first + i, p = sa[n - 1 - row];
        if (row + ahead < of.rows) __builtin_prefetch(letters_.data() + sa[n - 1 - row - ahead]);
        std::size_t const piece = std::size_t(std::ranges::upper_bound(starts, p) - starts.begin()) - 1;
        packed.set(i, p + pieces[piece]);
        prefixes[first + i] = prefix_at(p, piece + 1 < starts.size() ? starts[piece + 1] : n);
      }
      std::size_t const bytes = rows == block_rows && first + rows < count ? block_bytes : packed.bytes().size();
      std::memcpy(chunk.data() + block * block_bytes, packed.bytes().data(), bytes);
    };
    std::size_t const blocks = (count + block_rows - 1) / block_rows;
    arena.execute([&] { host_detail::parallel_each(blocks, 1, pack); });
    for (std::uint64_t i = 0; i < count; ++i) {
      std::uint64_t const row = begin + i;
      if (row != 0 && prefixes[i] == last) continue;
      // STAR goes through rows that begin alike in steps, and so may pass over the last row of all.
      if (row != 0 && row + 1 == of.rows && step > 1 && (row - 1 - last_begin) % step == 0) continue;
      last = prefixes[i];
      last_begin = row;
      table.add(row, last.code, last.known);
    }
    files.sa.write(std::span<char const>(chunk).first(
        begin + count < of.rows ? blocks * block_bytes : of.array_bytes() - begin / block_rows * block_bytes));
  }
  table.finish(of.rows);
  table.write(files.sa_index);
}

build_report star_reference::write(star_files const& files, star_options const& parameters, build_options const& options) {
  std::uint64_t const size = this->size(), rows = 2 * (size - std::uint64_t(std::ranges::count(letters_, ranked.back())));
  if (rows == 0) throw input_error("no letters A, C, G or T: reference: an index needs at least one");
  std::uint64_t const half = std::uint64_t(std::bit_width(size) - 1) / 2,
                      index_letters =
                          parameters.index_letters != 0 ? parameters.index_letters : std::clamp<std::uint64_t>(half, 2, 15) - 1;
  if (index_letters > max_index_letters)
    throw input_error(fmt::format("invalid parameter: index letters: {} are more than {}", index_letters, max_index_letters));
  if (parameters.bin_bits > max_bin_bits)
    throw input_error(fmt::format("invalid parameter: bits of a bin: {} are more than {}", parameters.bin_bits, max_bin_bits));

  // At least one letter lies between two records.
  std::uint64_t const bin = std::uint64_t{1} << parameters.bin_bits;
  std::uint64_t genome = 0;
  auto const pad = [&] { genome = ((genome + 1) / bin + 1) * bin; };
  std::string names, starts, lengths, names_lengths, part;
  for (record& record : records_) {
    if (genome != 0) pad();
    names += record.name + '\n';
    starts += fmt::format("{}\n", genome);
    lengths += fmt::format("{}\n", record.size);
    names_lengths += fmt::format("{}\t{}\n", record.name, record.size);
    record.begin = genome;
    genome += record.size;
  }
  pad();
  starts += fmt::format("{}\n", genome);
  write_text(files.names, names);
  write_text(files.starts, starts);
  write_text(files.lengths, lengths);
  write_text(files.names_lengths, names_lengths);
  files.genome.expect(genome);
  std::uint64_t at = 0, written = 0;
  auto const fill_to = [&](std::uint64_t end) {
    while (written < end) {
      std::uint64_t const more = std::min<std::uint64_t>(end - written, std::uint64_t{1} << 20);
      part.append(more, end_of_record);
      written += more;
      aligners::write_if_large(files.genome, part);
    }
  };
  for (record const& record : records_) {
    fill_to(record.begin);
    for (std::uint64_t i = 0; i < record.size; ++i) {
      part += static_cast<char>(code_of_ranked(letters_[at++]));
      aligners::write_if_large(files.genome, part);
    }
    written += record.size;
  }
  fill_to(genome);
  write_text(files.genome, part);

  constexpr std::uint64_t inserted = 201'000'000;  // letters of junctions that STAR may add
  shape const of{genome, rows, std::max(32U, unsigned(std::bit_width(genome + inserted))), unsigned(index_letters)};
  std::string fasta;
  for (std::string const& file : parameters.files) fasta += file + ' ';
  write_text(files.parameters, fmt::format("### sufsort aligner-index --for=star\n"
                                           "### GstrandBit {}\n"
                                           "versionGenome\t2.7.4a\n"
                                           "genomeType\tFull\n"
                                           "genomeFastaFiles\t{}\n"
                                           "genomeSAindexNbases\t{}\n"
                                           "genomeChrBinNbits\t{}\n"
                                           "genomeSAsparseD\t1\n"
                                           "genomeTransformType\tNone\n"
                                           "genomeTransformVCF\t-\n"
                                           "sjdbOverhang\t0\n"
                                           "sjdbFileChrStartEnd\t- \n"
                                           "sjdbGTFfile\t-\n"
                                           "sjdbGTFchrPrefix\t-\n"
                                           "sjdbGTFfeatureExon\texon\n"
                                           "sjdbGTFtagExonParentTranscript\ttranscript_id\n"
                                           "sjdbGTFtagExonParentGene\tgene_id\n"
                                           "sjdbInsertSave\tBasic\n"
                                           "genomeFileSizes\t{} {}\n",
                                           of.strand_bit, fasta, index_letters, parameters.bin_bits, genome, of.array_bytes()));

  // The pieces of the text: the reverse complements of the records, and the records from the last one to the first one.
  std::vector<std::uint64_t> begins;
  std::string both;
  both.reserve(2 * size);
  at = 0;
  for (record const& record : records_) {
    begins.push_back(both.size());
    at += record.size;
    for (std::uint64_t i = at; i-- > at - record.size;) {
      unsigned const code = code_of_ranked(letters_[i]);
      both += ranked[code == 4 ? code : 3 - code];
    }
  }
  for (std::size_t r = records_.size(); r-- > 0;) {
    begins.push_back(both.size());
    at -= records_[r].size;
    both.append(letters_, at, records_[r].size);
  }
  letters_ = std::move(both);
  return aligners::build_for(text{letters_, begins}, options,
                             [&](auto const& sa) { write_arrays(files, sa, begins, of, options.machine.threads); });
}

}  // namespace ordo::inline v0::suffix
