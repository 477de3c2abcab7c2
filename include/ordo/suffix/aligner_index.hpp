#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/host_bytes.hpp"
#include "ordo/io.hpp"
#include "ordo/suffix.hpp"

#pragma GCC visibility push(default)

/// Indexes that aligners of reads use, as their own programs write them.
namespace ordo::inline v0::suffix {

/// The sinks of the files of a bwa index, by the ends of their names.
struct bwa_files {
  sink &amb, &ann, &pac, &bwt, &sa;
};

/// The same of a bwa-mem2 index: letters for .0123, bwt for .bwt.2bit.64.
struct bwa_mem2_files {
  sink &amb, &ann, &pac, &letters, &bwt;
};

/// The same of a minibwa index.
struct minibwa_files {
  sink &l2b, &mbw;
};

/// The same of a bowtie index: .1, .2, .3, .4, .rev.1 and .rev.2.
struct bowtie_files {
  sink &first, &second, &third, &fourth, &mirror_first, &mirror_second;
};

/// The same of a folder of STAR: Genome, SA, SAindex, chrName.txt, chrStart.txt, chrLength.txt, chrNameLength.txt and
/// genomeParameters.txt.
struct star_files {
  sink &genome, &sa, &sa_index, &names, &starts, &lengths, &names_lengths, &parameters;
};

/// A reference as bwa packs it: all records end to end, letters other than A, C, G and T replaced by random nucleotides. The
/// numbers are those of lrand48 with seed 11, as in bwa, so that the index is the same to the byte.
class bwa_reference {
 public:
  /// Adds a record. @param comment  what follows the first blank of the header; empty: none
  /// @throws out_of_memory
  void add(std::string_view name, std::string_view comment, std::string_view letters);

  /// Returns the number of letters.
  [[nodiscard]] std::uint64_t size() const noexcept { return nucleotides_.size(); }
  [[nodiscard]] std::uint64_t records() const noexcept { return records_.size(); }

  /// Writes what `bwa index` 0.7.17 writes: the names and ambiguous letters, the packed letters, and the BWT and each 32nd
  /// entry of the suffix array of all letters followed by their reverse complement, which are one string to bwa. Adds the
  /// reverse complement to this, so that this can be called once.
  /// @param options  the options of the build, which has rows for all suffixes. Memory besides: 11 bytes for each letter of the
  /// reference,
  ///     19 if there are 2^31 or more
  /// @throws input_error  for a reference without letters; as build, and what the sinks throw
  build_report write(bwa_files const& files, build_options const& options);

  /// Writes what `bwa-mem2 index` 2.2 to 2.3 writes: the same names and letters; both strands with a byte a letter; the BWT by
  /// blocks of 64 letters with counts, and each 8th entry of the suffix array. Otherwise as for bwa, with 13 bytes, or 21.
  build_report write(bwa_mem2_files const& files, build_options const& options);

 private:
  struct record {
    std::string name, comment;
    std::uint64_t begin, size, holes;
  };
  struct hole {
    std::uint64_t begin, size;
    char letter;
  };
  [[nodiscard]] unsigned random_nucleotide() noexcept;
  void write_names(sink& amb, sink& ann) const;
  void write_letters(bwa_files const& files, std::uint64_t n, unsigned threads) const;
  void write_letters(bwa_mem2_files const& files, std::uint64_t n, unsigned threads) const;
  void write_packed(sink& to, std::uint64_t n, unsigned threads) const;
  template <class Files>
  build_report write_all(Files const& files, build_options const& options);
  template <class Index>
  void write_arrays(bwa_files const& files, std::span<Index const> sa, unsigned threads) const;
  template <class Index>
  void write_arrays(bwa_mem2_files const& files, std::span<Index const> sa, unsigned threads) const;

  host_bytes nucleotides_;  // A, C, G, T
  std::vector<record> records_;
  std::vector<hole> holes_;  // runs of one ambiguous letter
  std::uint64_t random_ = (std::uint64_t{11} << 16) + 0x330e;
};

/// A reference as minibwa packs it: as in bwa, but the random nucleotides are those of SplitMix64 with seed 11, and the ranges
/// of replaced and of lower-case letters are kept, except those that extend to the end of their record, which minibwa loses.
class minibwa_reference {
 public:
  /// Adds a record, as bwa_reference::add does.
  void add(std::string_view name, std::string_view comment, std::string_view letters);

  [[nodiscard]] std::uint64_t size() const noexcept { return nucleotides_.size(); }

  /// Writes what `minibwa index` 0.7 writes: names, ranges and letters (.l2b), and the BWT of both strands with each 16th entry
  /// of the suffix array (.mbw). As bwa_reference::write otherwise.
  build_report write(minibwa_files const& files, build_options const& options);

 private:
  struct range {
    std::uint64_t begin, end;
  };
  [[nodiscard]] unsigned random_nucleotide() noexcept;
  void write_letters(sink& to) const;
  template <class Index>
  void write_arrays(sink& to, std::span<Index const> sa, unsigned threads) const;

  host_bytes nucleotides_;        // A, C, G, T
  std::string names_, comments_;  // each ends with NUL
  std::vector<std::uint64_t> lengths_;
  std::vector<range> ambiguous_, masked_;
  std::uint64_t random_ = 11;
};

/// Offsets of 32 bits (.ebwt), or of 64 bits (.ebwtl).
enum class bowtie_size { small, large };

/// A reference as bowtie packs it: the runs of A, C, G and T of all records, end to end.
class bowtie_reference {
 public:
  /// Adds a record. @param header  all that follows the '>'
  /// @throws input_error  for a record without letters and for letters that are no nucleotides, such as U: bowtie-build would
  ///     lose a name, or move all positions after it @throws out_of_memory
  void add(std::string_view header, std::string_view letters);

  /// Returns the number of letters A, C, G and T.
  [[nodiscard]] std::uint64_t size() const noexcept { return complement_.size(); }

  /// Writes what `bowtie-build` 1.3 writes: the BWT of the letters with counts, a table of the first rows of all strings of ten
  /// letters and names (.1), each 32nd entry of the suffix array (.2), the same of the letters with each run backwards (.rev.1,
  /// .rev.2), and runs and letters (.3, .4). Two arrays are built, one after the other. Can be called once. Memory besides: 5
  /// bytes a letter, 9 if there are 2^32 or more.
  /// @throws input_error  for a reference without such letters, and for a small index of too many; as build, and what the sinks
  ///     throw
  build_report write(bowtie_files const& files, bowtie_size size, build_options const& options);

 private:
  struct run {
    std::uint64_t gap, size;  // letters that are left out, and those after them
    bool is_first;            // true for the first piece of its record
  };
  template <class Offset>
  build_report write_all(bowtie_files const& files, build_options const& options);

  std::string complement_;  // complement of the letters
  std::vector<run> runs_;
  std::vector<std::uint64_t> lengths_;  // lengths of records with such letters
  std::string names_;                   // names of these records, each with LF
};

/// The parameters of STAR --runMode genomeGenerate.
struct star_options {
  std::uint64_t index_letters = 0;  // genomeSAindexNbases; 0: what STAR's manual advises, min(14, log2(letters) / 2 - 1)
  std::uint64_t bin_bits = 18;      // genomeChrBinNbits: records begin at multiples of 2^bin_bits
  std::vector<std::string> files;   // genomeFastaFiles
};

/// A reference as STAR packs it: letters other than A, C, G and T are N.
class star_reference {
 public:
  /// Adds a record. @param header  its first word is the name @throws out_of_memory
  void add(std::string_view header, std::string_view letters);

  /// Returns the number of letters.
  [[nodiscard]] std::uint64_t size() const noexcept { return letters_.size(); }

  /// Writes what `STAR --runMode genomeGenerate` 2.7.10b writes without annotations. Both strands of each record are
  /// sorted; suffixes that begin with N have no entry, and others are compared through N. Can be called once. Memory besides: 6
  /// bytes for each letter of both strands, 10 if there are 2^31 or more, and that of SAindex: 1.6 GB for 14 letters.
  /// @throws input_error  for a reference without letters A, C, G and T, and for parameters out of range; as build, and what
  ///     the sinks throw
  build_report write(star_files const& files, star_options const& parameters, build_options const& options);

 private:
  struct record {
    std::string name;
    std::uint64_t begin, size;
  };
  struct shape {
    std::uint64_t genome, rows;  // letters with those between records; entries of the array
    unsigned strand_bit, index_letters;

    [[nodiscard]] std::uint64_t strand() const { return std::uint64_t{1} << strand_bit; }
    [[nodiscard]] unsigned entry_bits() const { return strand_bit + 1; }
    [[nodiscard]] std::uint64_t array_bytes() const { return (rows - 1) * entry_bits() / 8 + sizeof(std::uint64_t); }
  };
  template <class Index>
  void write_arrays(star_files const& files, std::span<Index const> sa, std::vector<std::uint64_t> const& starts,
                    shape const& of, unsigned threads) const;

  std::string letters_;  // 'A' for N, 'B' for T, 'C' for G, 'D' for C and 'E' for A
  std::vector<record> records_;
};

}  // namespace ordo::inline v0::suffix
#pragma GCC visibility pop
