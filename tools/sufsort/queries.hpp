#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cli/files/input.hpp"
#include "tools/cli/files/output.hpp"

namespace ordo::inline v0::sufsort {

/// Patterns and their names in one block of memory.
class query_batch {
 public:
  void clear() {
    bytes_.clear();
    all_.clear();
  }
  void add_name_and_pattern(std::string_view name, std::string_view pattern) {
    all_.push_back({bytes_.size(), name.size(), pattern.size()});
    bytes_ += name;
    bytes_ += pattern;
  }
  [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_.size(); }
  /// Returns pattern i to be changed.
  [[nodiscard]] std::span<char> letters(std::size_t i) noexcept {
    return {bytes_.data() + all_[i].at + all_[i].name, all_[i].pattern};
  }
  /// Returns the name of pattern i. Valid until the next pattern is added.
  [[nodiscard]] std::string_view name(std::size_t i) const noexcept { return {bytes_.data() + all_[i].at, all_[i].name}; }
  [[nodiscard]] std::string_view pattern(std::size_t i) const noexcept {
    return {bytes_.data() + all_[i].at + all_[i].name, all_[i].pattern};
  }

 private:
  struct query {
    std::size_t at, name, pattern;
  };
  std::string bytes_;
  std::vector<query> all_;
};

/// Reads the lines of a text, without their ends.
class line_reader {
 public:
  explicit line_reader(source& from) : from_(from) {}
  /// Returns the next line, or nothing at the end. Valid until the next call.
  std::optional<std::string_view> next();
  /// Returns the number, from 1 on, of the line that next() returned.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }

 private:
  source& from_;
  std::string buffer_, parts_;
  std::size_t at_ = 0, end_ = 0;
  std::uint64_t number_ = 0;
};

/// Reads the patterns of a command: those of the command line, named by themselves, then those of files. After a byte order
/// mark and blanks, a file that begins with '>' or ';' is FASTA, one that begins with '@' is FASTQ (four lines a read), and any
/// other is a list of lines, without the blanks around them. Records and reads without letters, and patterns of files that the
/// index cannot find, become empty patterns. Patterns of any bytes are named as append_printable prints them. Memory: a batch
/// and the longest line.
class query_reader {
 public:
  struct options {
    std::array<char, 256> read_as;  // map of the letters of patterns
    // Returns the bytes of a pattern for a text of any bytes; throws usage_error, which says why, without a place. Then files
    // are lists, and blanks count. Null: patterns are residues.
    std::function<std::string(std::string_view)> parse;
    std::function<bool(std::string_view)> can_find;  // takes a pattern that is not empty; null: every pattern can be found
    unsigned threads = 0;
    bool as_written = false;  // read_as is not applied
  };
  /// @param files  "-": standard input
  /// @param out  the output; it may not be one of the files
  query_reader(std::vector<std::string> patterns, std::vector<std::string> files, options options, cli::output const& out);

  /// Reads the next patterns.
  /// @returns false at the end @throws input_error  naming file and line; output_error
  bool next(query_batch& batch);
  /// Warns of empty patterns, if there are any: where the first one is, and how many.
  void report_empty() const;

 private:
  enum class format { list, fasta, fastq };

  bool open_next();
  void add(query_batch& batch, std::string_view name, std::string_view pattern);
  void add_of_file(query_batch& batch, std::uint64_t line);
  void set_bytes(std::string_view pattern);
  bool read_one(query_batch& batch);
  void read_line_of_list(query_batch& batch, std::string_view line);
  bool read_fasta(query_batch& batch);
  void read_fastq(query_batch& batch, std::string_view line);
  [[nodiscard]] std::string_view name_in(std::string_view header, std::string_view format) const;
  [[noreturn]] void fail(std::string_view problem, std::uint64_t line, std::string_view why) const;
  [[noreturn]] void fail_empty(std::uint64_t line) const;

  std::vector<std::string> patterns_, files_;
  options options_;
  cli::output const& out_;
  std::size_t next_pattern_ = 0, next_file_ = 0;
  std::unique_ptr<cli::input> input_;
  std::optional<line_reader> lines_;
  std::optional<std::string_view> line_;  // read, but not yet used
  format format_ = format::list;
  std::string name_, pattern_;
  std::string first_empty_;
  std::size_t empty_ = 0;
};

}  // namespace ordo::inline v0::sufsort
