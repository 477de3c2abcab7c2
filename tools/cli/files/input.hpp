#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ordo/host_bytes.hpp"
#include "ordo/io.hpp"
#include "tools/cli/files/codecs.hpp"
#include "tools/cli/files/raw_file.hpp"

namespace ordo::inline v0::cli {

/// A file, or standard input if the path is "-", read from front to back. gzip, BGZF, bzip2, xz and zstd are recognised by
/// their bytes, not by names; truncated or corrupt data, and other bytes after it, are errors (see make_decoder). A regular
/// file that is not compressed is addressable from its position to its end at the time when it was opened. If it has grown
/// since, only read() reads the rest. Every failure is an input_error that names the file.
class input final : public source {
 public:
  /// Opens the file and identifies its compression. @param threads  that inflate BGZF, 0: all that the process may use
  /// @throws input_error  if it is missing, unreadable or a directory
  explicit input(std::string const& path, unsigned threads = 0);
  /// Opens a file as compressed in this format, whatever its first bytes; for none, its bytes are read as they are.
  input(std::string const& path, compression format, unsigned threads = 0);

  /// Returns the next max_bytes bytes, or all that are left. To be called before anything is read; read() returns them again.
  std::string_view front(std::size_t max_bytes);
  /// Reads until `to` is full or the input ends. A return value below to.size() is the end.
  std::size_t read(std::span<char> to) override;
  [[nodiscard]] std::optional<std::uint64_t> size() const override;
  void read_at(std::uint64_t offset, std::span<char> to) const override { file_->read_at(offset, to); }
  [[nodiscard]] std::uint64_t position() const override { return file_->position() - from_->waiting(); }
  void skip(std::uint64_t bytes) override;

  /// Returns the path, or "standard input".
  [[nodiscard]] std::string const& name() const noexcept { return file_->name(); }
  /// Returns nothing if it is not a regular file.
  [[nodiscard]] std::optional<file_id> const& id() const noexcept { return file_->id(); }
  [[nodiscard]] bool compressed() const noexcept { return format_ != compression::none; }
  /// Returns the bytes of a regular file, compressed or not, from its position when it was opened.
  [[nodiscard]] std::optional<std::uint64_t> file_size() const noexcept { return file_->size(); }
  /// Returns the number of bytes of the file, compressed or not, that have been read.
  [[nodiscard]] std::uint64_t file_read() const noexcept { return file_->position(); }

 private:
  input(std::string const& path, std::optional<compression> format, unsigned threads);

  // Each refers to the one before it.
  std::unique_ptr<raw_file> file_;
  std::unique_ptr<lookahead> from_;
  compression format_ = compression::none;
  std::unique_ptr<decoder> decoder_;
  std::string front_;  // front of a sequential file: bytes returned by front(), not yet read from front_read_ on
  std::size_t front_read_ = 0;
};

/// Appends the rest of the input. Calls `progress`, if any, now and then.
/// @throws input_error; out_of_memory  if there are more than `limit` bytes
void read_all(input& from, host_bytes& to, std::size_t limit = std::numeric_limits<std::size_t>::max(),
              std::function<void()> const& progress = {});
host_bytes read_all(std::string const& path);

}  // namespace ordo::inline v0::cli
