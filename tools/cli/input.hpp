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

#include "ordo/io.hpp"
#include "tools/cli/bytes.hpp"
#include "tools/cli/codecs.hpp"
#include "tools/cli/decoder.hpp"
#include "tools/cli/file_id.hpp"
#include "tools/cli/raw_file.hpp"

namespace ordo::cli {

/// A file, or standard input where the path is "-", read from front to back. gzip, BGZF, bzip2, xz and zstd are known by their
/// bytes, not their names; what is truncated, corrupt, or followed by anything else is an error (make_decoder says more).
/// A regular file that is not compressed has addresses, from where it stood when opened to where it ended then; what it has
/// grown by since, read() alone finds. Every failure is an input_error that names the file.
class input final : public source {
 public:
  /// Opens the file and looks at its first bytes. @param threads  that inflate BGZF, 0: all that the process may use
  /// @throws input_error if it is missing, unreadable or a directory
  explicit input(std::string const& path, unsigned threads = 0);
  /// A file that is known to be compressed so, whatever it looks like; of none, the bytes are taken as they are.
  input(std::string const& path, compression how, unsigned threads = 0);

  /// The next bytes, `most` of them or all that are left: to be looked at before anything is read; read() gives them all the
  /// same.
  std::string_view front(std::size_t most);
  /// Fills `to`, or what of it the rest of the input fills: less than to.size() is the end.
  std::size_t read(std::span<char> to) override;
  [[nodiscard]] std::optional<std::uint64_t> size() const override;
  void read_at(std::uint64_t offset, std::span<char> to) const override { file_->read_at(offset, to); }
  [[nodiscard]] std::uint64_t position() const override { return file_->position() - from_->waiting(); }
  void skip(std::uint64_t bytes) override;

  /// The path, or "standard input".
  [[nodiscard]] std::string const& name() const noexcept { return file_->name(); }
  /// Nothing if it is not a regular file.
  [[nodiscard]] std::optional<file_id> const& id() const noexcept { return file_->id(); }
  [[nodiscard]] bool compressed() const noexcept { return how_ != compression::none; }
  /// Of the file itself, compressed or not: its bytes (from where it stood when opened; regular files only), and how many
  /// have been read.
  [[nodiscard]] std::optional<std::uint64_t> file_size() const noexcept { return file_->size(); }
  [[nodiscard]] std::uint64_t file_read() const noexcept { return file_->position(); }

 private:
  input(std::string const& path, std::optional<compression> how, unsigned threads);

  // Each keeps the one before it.
  std::unique_ptr<raw_file> file_;
  std::unique_ptr<lookahead> from_;
  compression how_ = compression::none;
  std::unique_ptr<decoder> decoder_;
  std::string front_;  // looked at; of what has no addresses, and was not yet read: from front_read_ on
  std::size_t front_read_ = 0;
};

/// All of the rest of the input, appended; `progress`, if any, is called now and then.
/// @throws input_error; out_of_memory if that makes it more than `limit` bytes
void read_all(input& from, bytes& to, std::size_t limit = std::numeric_limits<std::size_t>::max(),
              std::function<void()> const& progress = {});
bytes read_all(std::string const& path);

}  // namespace ordo::cli
