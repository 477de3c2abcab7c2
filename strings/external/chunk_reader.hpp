#pragma once
#include <algorithm>
#include <cstddef>
#include <utility>

#include "ordo/host_bytes.hpp"
#include "ordo/strings.hpp"
#include "strings/external/partition.hpp"
#include "strings/sort/text_job.hpp"

namespace ordo::inline v0::strings::detail {

/// Reads texts as chunks of whole lines that fit the memory. A line that does not fit is a chunk of its own.
class chunk_reader {
 public:
  /// Reads the bytes in the job's host memory, and then the texts that it has not read.
  chunk_reader(text_job& job, memory_plan const& plan)
      : job_(job), options_(job.options), plan_(plan), limit_(plan.limit), bytes_(std::move(job.host)), read_(bytes_.size()) {
    if (!bytes_.empty()) limit_ = std::max(limit_, limit_with_long_line());
  }

  /// Reads the next chunk, and frees the one before. Returns false if no lines are left.
  bool next();
  /// Returns the chunk, each line with a delimiter. Valid until the next call of next().
  [[nodiscard]] std::string_view chunk() const { return {bytes_.data(), chunk_}; }
  /// Returns an upper bound of the number of lines in the chunk.
  [[nodiscard]] std::size_t lines() const { return chunk_lines_; }
  /// Returns true if this is the last chunk.
  [[nodiscard]] bool at_end() const { return over_ && chunk_ == bytes_.size(); }
  /// Returns the number of bytes read so far, with the delimiters that were added.
  [[nodiscard]] std::uint64_t read() const { return read_; }
  /// Frees the memory.
  void release() { bytes_ = host_bytes(); }

 private:
  // Returns the limit if the bytes read are a long line: the lines after it may use its memory, so that a text that fits there
  // is not written to disk.
  [[nodiscard]] std::size_t limit_with_long_line() const { return plan_.needed(bytes_.size() + bytes_.size() / 16, 1); }
  [[nodiscard]] bool fits(std::uint64_t bytes, std::uint64_t lines) const { return plan_.needed(bytes, lines) <= limit_; }
  void read_more();
  void count();
  void cut();
  [[nodiscard]] std::size_t lines_in(std::size_t begin, std::size_t end) const;

  text_job& job_;
  sort_options const& options_;
  memory_plan const& plan_;
  std::size_t limit_;  // the limit of the plan, or more if a long line took more
  bool over_ = false;
  host_bytes bytes_;  // the chunk, and bytes that were read after it
  std::size_t chunk_ = 0, chunk_lines_ = 0;
  std::size_t counted_ = 0, lines_ = 0;          // lines that end in the first counted_ bytes
  std::size_t fitting_ = 0, fitting_lines_ = 0;  // counts from before, which fit
  std::uint64_t read_ = 0;
};

}  // namespace ordo::inline v0::strings::detail
