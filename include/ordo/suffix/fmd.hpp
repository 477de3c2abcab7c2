#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/io.hpp"
#include "ordo/machine.hpp"
#include "ordo/suffix.hpp"
#include "ordo/suffix/fm_index.hpp"

#pragma GCC visibility push(default)

namespace ordo::inline v0::suffix {

/// Writes a BWT of DNA in the format FMD of fermi and ropebwt: the lengths of its runs in Elias's delta code with three bits
/// for the letter, in blocks of 64 bytes that begin with the counts of the block before; then a table of blocks by rows. One
/// thread.
/// @param bwt  one letter a row, '$' at the starts of records: the ends of records first. Letters other than A, C, G and T are
/// N
/// @throws what the sink throws
void write_fmd(std::string_view bwt, sink& to);

/// Writes a BWT of DNA in the format FMR of ropebwt2 and ropebwt3, to which both can add records: for each letter, the rows
/// whose suffixes begin with it, as runs in the leaves of a B+ tree. The tree is the one that ropebwt3 makes when it appends
/// all runs. One thread. Memory: the size of the file.
/// @param bwt  see write_fmd; the first rows are those of the ends of records
/// @throws what the sink throws; out_of_memory
void write_fmr(std::string_view bwt, sink& to);

enum class run_length_format { fmd, fmr };

/// Records that are indexed as `ropebwt3 build` does: each is followed by its reverse complement, and N comes after T.
class fmd_records {
 public:
  /// Adds a record. Letters other than A, C, G and T, in either case, are N. @throws out_of_memory
  void add(std::string_view letters);

  /// Returns the number of letters of both strands.
  [[nodiscard]] std::uint64_t size() const noexcept { return letters_.size(); }

  /// Writes what `ropebwt3 build -d` writes, which is the same for any number of threads and batches; or what `ropebwt3 build
  /// -b` writes for one file of one batch, of at most 7 G letters of both strands. Memory: 6 bytes for each letter of both
  /// strands, 10 if there are 2^32 or more, besides that of the build.
  /// @throws input_error  if there are no records; as build, and what the sink throws
  build_report write(sink& to, build_options const& options, run_length_format format = run_length_format::fmd) const;

 private:
  std::string letters_;  // A, C, G, T, and Z for N
  std::vector<std::uint64_t> starts_;
};

struct run_length_options {
  machine_options machine = {};  // sorts, inserts and takes samples
  /// Host memory that may be used, for the index and temporary arrays.
  std::size_t memory = ~std::size_t{0};
  /// Letters of both strands that records to come have, as far as known, so that an index that would not fit is refused early.
  std::function<std::uint64_t()> letters_to_come = {};
  /// Called with the name of each phase and the number of letters that it works on. An insertion that goes on while records are
  /// added is a phase from when it is waited for.
  std::function<void(std::string_view, std::uint64_t)> on_phase = {};
  /// end_genome() is called after each genome. Without it, a genome is 262,144 letters of both strands or more.
  bool marks_genomes = false;
  // The result does not depend on these. 0: chosen by the size of the index and by memory.
  std::uint64_t batch_letters = 0;  // records of at least as many letters are inserted together
  std::uint64_t part_letters = 0;   // longer records are cut
  std::uint64_t walk_letters = 0;   // letters of a walk
};

/// An FM index of both strands of many genomes that are alike, as runs of its BWT, as `ropebwt3 build` makes it. Memory follows
/// the number of runs. Records are inserted one batch after another: their rows are found by walks backwards through the index.
class run_length_index {
 public:
  /// How records come into the index. `sort`: all at once, as far as memory suffices. `insert`: one batch after another.
  /// `choose`: by insertion from the first genome on that shares most of its 24-mers with those before it, among the first 64,
  /// or if there is no memory for a sort.
  enum class method { choose, sort, insert };

  explicit run_length_index(run_length_options options = {}, method how = method::choose);
  ~run_length_index();
  run_length_index(run_length_index&&) noexcept;
  run_length_index& operator=(run_length_index&&) noexcept;

  /// Reads an index in the format FMD or FMR.
  /// @pre this is empty
  /// @param name  the name for errors
  /// @throws input_error  for anything else, and for an index of one strand
  void read(source& from, std::string const& name);

  /// Reads the runs of an index that write_index has written. @pre this is empty
  void read(fm_index const& index);

  /// Adds a record and its reverse complement. Letters other than A, C, G and T, in either case, are N.
  /// @throws out_of_memory  if the index does not fit, or will not fit when it grows as it did
  void add(std::string_view letters);
  /// States that a genome ends here. See run_length_options::marks_genomes.
  void end_genome();
  /// Inserts what has been added. The functions below need this first.
  void finish();

  /// Returns the number of records, of which each strand is one.
  [[nodiscard]] std::uint64_t records() const;
  /// Returns the number of rows: of letters of both strands and of records.
  [[nodiscard]] std::uint64_t rows() const;
  [[nodiscard]] std::uint64_t count_runs() const;
  /// Returns true if no batch is waiting and no record is cut, so that write() gives an index of all records so far.
  [[nodiscard]] bool is_complete() const;

  /// Writes the index as `ropebwt3 build -d` or, if the format is FMR, as `ropebwt3 build -b` of one batch, by one
  /// thread.
  void write(sink& to, run_length_format format = run_length_format::fmd) const;
  /// Begins to find what write_samples(to, shift) writes, if a GPU does it, so that write() can go on meanwhile. To be called
  /// after finish(), right before write().
  void begin_samples(unsigned shift = 8);
  /// Writes each 2^shift-th entry of the suffix array as `ropebwt3 ssa -s SHIFT`.
  void write_samples(sink& to, unsigned shift = 8) const;

  /// Calls f(letter, rows) for each run of the BWT, in order: '$' for ends of records, A, C, G, T and N.
  void each_run(std::function<void(char, std::uint64_t)> const& f) const;
  /// Writes an index that searches map into memory, as the file of an fm_index: blocks of runs with counts, and the position of
  /// each `sample`-th row. The text that positions refer to is all records, each followed by its reverse complement. Takes a
  /// step for each letter. The bytes follow from the records alone. Memory: a second index, and 8 bytes for each sampled row.
  /// @param width  the bits of an entry: 32, 40 or 64; positions and numbers of records fit
  /// @throws usage_error  for an index without records or a sample of 0
  void write_index(sink& to, unsigned width, std::uint64_t sample) const;

  /// Walks through records `first` and `first` + 1, and returns true if they are these letters and their reverse complement.
  /// @pre first + 1 < records()
  [[nodiscard]] bool holds(std::uint64_t first, std::string_view letters) const;
  /// Walks through all records.
  /// @returns true if they have all rows
  [[nodiscard]] bool has_all_rows() const;

  /// The machine of the sort, or of the insertions if there were any, and the bytes that it took of a GPU.
  [[nodiscard]] build_report const& report() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// Walks through all records of an index that run_length_index::write_index has written, and compares lengths and positions
/// with what the walks give. Takes a step for each letter, by `threads` threads (0: all).
/// @param input  the records of the text, whose residues are not read
/// @returns what is wrong
[[nodiscard]] std::optional<std::string> find_fault_of_runs(fm_index const& index, text const& input, unsigned threads = 0);

}  // namespace ordo::inline v0::suffix
#pragma GCC visibility pop
