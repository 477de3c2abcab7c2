#pragma once
#include <cstddef>
#include <utility>

#include "ordo/host_bytes.hpp"
#include "ordo/strings.hpp"
#include "strings/external/partition.hpp"
#include "strings/sort/text_job.hpp"

namespace ordo::strings::detail {

/// Reads texts as chunks of whole lines that fit the memory. A line that alone does not is a chunk.
class chunk_reader {
 public:
  /// What the job has not read yet, behind what is in the host's memory.
  chunk_reader(text_job& job, memory_plan const& plan)
      : job_(job), how_(job.how), plan_(plan), limit_(plan.limit), bytes_(std::move(job.host)), read_(bytes_.size()) {}

  /// The next chunk. @returns false if there are no lines left. The chunk before is gone then
  bool next();
  /// Each of its lines has a delimiter. It stays where it is until the next call.
  [[nodiscard]] std::string_view chunk() const { return {bytes_.data(), chunk_}; }
  /// How many, at most.
  [[nodiscard]] std::size_t lines() const { return chunk_lines_; }
  /// Was that all?
  [[nodiscard]] bool at_end() const { return over_ && chunk_ == bytes_.size(); }
  /// Bytes read so far, delimiters that were added counted.
  [[nodiscard]] std::uint64_t read() const { return read_; }
  /// No more is wanted: give the memory back.
  void release() { bytes_ = host_bytes(); }

 private:
  [[nodiscard]] bool fits(std::uint64_t bytes, std::uint64_t lines) const { return plan_.needed(bytes, lines) <= limit_; }
  void read_more();
  void count();
  void cut();
  [[nodiscard]] std::size_t lines_in(std::size_t begin, std::size_t end) const;

  text_job& job_;
  options const& how_;
  memory_plan const& plan_;
  std::size_t limit_;  // the plan's, or what the longest line has taken
  bool over_ = false;
  host_bytes bytes_;  // the chunk and what was read behind it
  std::size_t chunk_ = 0, chunk_lines_ = 0;
  std::size_t counted_ = 0, lines_ = 0;          // lines that end in bytes_, up to there
  std::size_t fitting_ = 0, fitting_lines_ = 0;  // what was counted before, which fits
  std::uint64_t read_ = 0;
};

}  // namespace ordo::strings::detail
