#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/external/positional_checksum.hpp"
#include "base/temporary_file.hpp"
#include "ordo/io.hpp"

/// External sorting: sorted runs in temporary files. Nothing here knows what the bytes of a run mean.
namespace ordo::inline v0::external {

/// A run in a temporary file, written once. Offsets count from its first byte.
struct stored_range {
  temporary_file* file = nullptr;
  std::uint64_t offset = 0, bytes = 0;
  std::uint64_t checksum = 0;                   // checksum of the bytes written
  std::unique_ptr<positional_checksum> loaded;  // checksum of the bytes that load_at() has read
  std::unique_ptr<temporary_file> compressed;   // a file of its own, read from front to back only; `bytes` is the size before

  /// Reads bytes that check() does not count.
  void read_at(std::uint64_t at, std::span<char> to) const { file->read_at(offset + at, to); }
  /// Reads bytes that check() counts.
  void load_at(std::uint64_t at, std::span<char> to) const;
  /// Throws input_error if each byte was loaded once and they differ from the bytes written.
  void check() const;
  /// Throws the input_error that check() throws.
  [[noreturn]] void fail() const;
  /// Gives the disk its space back, if the file system can.
  void discard() noexcept;
};

/// A part of a run.
struct run_range {
  stored_range const* run = nullptr;
  std::uint64_t begin = 0, end = 0;

  [[nodiscard]] std::uint64_t bytes() const { return end - begin; }
};

/// Reads parts of runs, one after the other, with load_at(). The runs are not compressed.
class ranges_source final : public source {
 public:
  explicit ranges_source(std::vector<run_range> ranges);

  std::size_t read(std::span<char> to) override;
  [[nodiscard]] std::optional<std::uint64_t> size() const override { return ends_.empty() ? 0 : ends_.back(); }
  void read_at(std::uint64_t offset, std::span<char> to) const override;
  [[nodiscard]] std::uint64_t position() const override { return position_; }
  void skip(std::uint64_t bytes) override { position_ += bytes; }

 private:
  std::vector<run_range> ranges_;
  std::vector<std::uint64_t> ends_;  // the end of each range in the source
  std::uint64_t position_ = 0;
};

/// Writes runs to unnamed files, one in each folder, in rotation. A program that compresses gets a file for each run.
class run_files {
 public:
  /// @param on_no_program  called with the reason by the first write() if the system does not find the program or may not
  /// execute it; runs are not compressed then. Empty: write() throws
  explicit run_files(std::vector<std::string> folders, std::string compress_program = {},
                     std::function<void(std::string const&)> on_no_program = {});

  /// Stores what fill(sink) writes. Unless a program compresses, the sink is addressable after expect().
  /// @throws output_error, and usage_error if there is no folder
  stored_range write(std::function<void(sink&)> const& fill);
  /// Reads a run from its beginning. The run must outlive the source.
  [[nodiscard]] std::unique_ptr<source> open(stored_range const& run) const;
  [[nodiscard]] bool compresses() const noexcept { return !compress_program_.empty(); }
  /// Returns the number of runs that may be merged at a time: `wanted`, or fewer if the process cannot open that many files; at
  /// least 2.
  [[nodiscard]] std::size_t max_merged(std::size_t wanted) const;

 private:
  struct folder_file {
    temporary_file file;
    std::uint64_t end = 0;
  };

  std::vector<std::string> folders_;
  std::string compress_program_, why_no_program_;
  std::function<void(std::string const&)> on_no_program_;
  std::size_t turn_ = 0;
  std::vector<std::unique_ptr<folder_file>> files_;  // one in each folder
};

}  // namespace ordo::inline v0::external
