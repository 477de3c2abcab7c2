#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "ordo/host_bytes.hpp"
#include "strings/sort/text_job.hpp"

namespace ordo::inline v0::strings::detail {

/// Reads the texts of a job in blocks of whole lines. Memory: a block, or the longest line.
class line_blocks {
 public:
  /// Begins with the bytes in the job's host memory. @param block_bytes  the maximum number of bytes that are read at a time
  line_blocks(text_job& job, std::size_t block_bytes);

  /// Reads more bytes. Returns false at the end of all texts.
  bool read();
  /// Returns the whole lines of the block; none while a long line is being read.
  [[nodiscard]] std::string_view lines() const { return {bytes_.data(), whole_}; }
  /// Drops the lines of the block.
  void drop();
  /// Returns all bytes of the block.
  [[nodiscard]] host_bytes& bytes() { return bytes_; }
  /// Returns the number of bytes that were read, with the delimiters that were added.
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  void find_whole(std::size_t from);

  text_job& job_;
  std::size_t block_bytes_;
  host_bytes bytes_;
  std::size_t whole_ = 0;
  std::uint64_t count_;
};

/// Calls on_part(p, lines) for `parts` parts of whole lines, from several threads. Part p follows part p - 1, and may be empty.
void each_part(std::string_view lines, std::size_t parts, char delimiter, unsigned threads,
               std::function<void(std::size_t, std::string_view)> const& on_part);

/// Calls on_line(line) for each of whole lines.
template <class OnLine>
void each_line(std::string_view lines, char delimiter, OnLine on_line) {
  while (!lines.empty()) {
    std::size_t const length = lines.find(delimiter);
    on_line(lines.substr(0, length));
    lines.remove_prefix(length + 1);
  }
}

}  // namespace ordo::inline v0::strings::detail
