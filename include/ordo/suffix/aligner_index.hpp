#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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
  /// @param options  of the build, which has rows for all suffixes. Memory besides: 11 bytes for each letter of the reference,
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
  void write_letters(sink& to) const;
  template <class Files>
  build_report write_all(Files const& files, build_options const& options);
  template <class Index>
  void write_arrays(bwa_files const& files, std::vector<Index> const& sa, unsigned threads) const;
  template <class Index>
  void write_arrays(bwa_mem2_files const& files, std::vector<Index> const& sa, unsigned threads) const;

  std::string nucleotides_;  // A, C, G, T
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
  void write_arrays(sink& to, std::vector<Index> const& sa, unsigned threads) const;

  std::string nucleotides_;       // A, C, G, T
  std::string names_, comments_;  // each ends with NUL
  std::vector<std::uint64_t> lengths_;
  std::vector<range> ambiguous_, masked_;
  std::uint64_t random_ = 11;
};

}  // namespace ordo::inline v0::suffix
#pragma GCC visibility pop
