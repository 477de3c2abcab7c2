#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "ordo/host_bytes.hpp"
#include "ordo/io.hpp"
#include "suffix/aligners/dna_codes.hpp"

namespace ordo::inline v0::suffix {

/// A run, of fewer than 2^61 rows.
class dna_run {
 public:
  dna_run() = default;
  constexpr dna_run(unsigned letter, std::uint64_t rows) : word_(rows << letter_bits | letter) {}

  [[nodiscard]] constexpr unsigned letter() const { return unsigned(word_) & ((1U << letter_bits) - 1); }
  [[nodiscard]] constexpr std::uint64_t rows() const { return word_ >> letter_bits; }
  /// Returns the number of rows and, in the lowest `letter_bits` bits, the letter.
  [[nodiscard]] constexpr std::uint64_t word() const { return word_; }
  void add_rows(std::uint64_t more) { word_ += more << letter_bits; }

  static constexpr unsigned letter_bits = 3;

 private:
  std::uint64_t word_ = 0;
};

/// Runs in memory that grows without a copy, and without being initialised.
class run_list {
 public:
  [[nodiscard]] std::size_t size() const { return bytes_.size() / sizeof(dna_run); }
  [[nodiscard]] bool empty() const { return bytes_.empty(); }
  [[nodiscard]] dna_run* data() { return reinterpret_cast<dna_run*>(bytes_.data()); }
  [[nodiscard]] dna_run const* data() const { return reinterpret_cast<dna_run const*>(bytes_.data()); }
  [[nodiscard]] dna_run const& operator[](std::size_t i) const { return data()[i]; }
  [[nodiscard]] dna_run& back() { return data()[size() - 1]; }

  /// Sets the number of runs. New ones are not initialised. @throws out_of_memory
  void resize(std::size_t size) {
    if (size > this->size()) static_cast<void>(bytes_.room((size - this->size()) * sizeof(dna_run)));
    bytes_.resize(size * sizeof(dna_run));
  }
  void push_back(dna_run run) {
    resize(size() + 1);
    back() = run;
  }

 private:
  host_bytes bytes_;
};

/// Removes the first run from a BWT.
/// @returns false if the BWT is empty
inline bool consume_run(std::string_view& bwt, dna_run& run) {
  if (bwt.empty()) return false;
  char const first = bwt.front();
  unsigned const letter = dna_code(first);
  std::size_t end = 1;
  while (end < bwt.size() && (bwt[end] == first || dna_code(bwt[end]) == letter)) ++end;
  run = {letter, end};
  bwt.remove_prefix(end);
  return true;
}

/// Calls a function for each number below the first argument, on any threads.
using each_of = std::function<void(std::size_t, std::function<void(std::size_t)> const&)>;

/// Reads the runs of a BWT in the format FMD or FMR, which its first bytes tell. Any number of threads decode an FMD.
/// @param name     the name for errors
/// @param consume  takes the next runs, in parts; adjacent ones may have one letter
/// @throws input_error
void read_runs(source& from, std::string const& name, each_of const& each,
               std::function<void(std::span<run_list const>)> const& consume);
/// Writes runs in the format FMD; see write_fmd. Memory: the size of the file, and 32 bytes for each run of a call of next. A
/// thread of its own writes to an addressable sink.
/// @param next  appends the next runs, as many as it likes, each of another letter than the one before; false: there are none
void write_fmd_runs(std::function<bool(run_list&)> const& next, each_of const& each, sink& to);
/// Writes runs in the format FMR; see write_fmr. @param next  sets the next run; false: there is none
void write_fmr_runs(std::function<bool(dna_run&)> const& next, std::uint64_t const (&rows_of_letters)[num_dna_codes], sink& to);

}  // namespace ordo::inline v0::suffix
