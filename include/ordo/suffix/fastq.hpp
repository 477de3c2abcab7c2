#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "ordo/io.hpp"

#pragma GCC visibility push(default)

namespace ordo::inline v0::suffix {

/// Returns true if a file that begins with these bytes is FASTQ: its first letter, after a byte order mark and blanks, is '@'.
bool is_fastq(std::string_view begin) noexcept;

/// A source of FASTA that is made of FASTQ, four lines a read. Names and letters stay as they are; the two other lines of a
/// read become empty, so that readers of FASTA name the right lines. Empty lines between reads are skipped. Memory: the longest
/// line twice, at least some megabytes.
class fastq_source final : public source {
 public:
  /// @param name  for messages @param from  read from its position on
  fastq_source(std::string name, std::unique_ptr<source> from);

  /// @throws input_error  naming file and line: a read that does not begin with '@', that has no line with '+', or not one
  /// quality
  ///     for each letter, that ends early, or whose letters begin as FASTA's headers and comments do
  /// @throws what `from` throws
  std::size_t read(std::span<char> to) override;

 private:
  enum class part { header, letters, plus, qualities };

  bool read_more();
  void convert_line(std::string_view line, bool ended);
  [[noreturn]] void fail(std::string const& why) const;

  std::string name_;
  std::unique_ptr<source> from_;
  std::string text_;  // read, from begin_ on not yet converted
  std::size_t begin_ = 0;
  bool at_end_ = false;
  std::string made_;  // converted, from given_ on not yet returned
  std::size_t given_ = 0;
  part next_ = part::header;
  std::uint64_t line_ = 0;   // the number of lines before
  std::string read_;         // the name of the read
  std::size_t letters_ = 0;  // letters of the read
};

}  // namespace ordo::inline v0::suffix
#pragma GCC visibility pop
