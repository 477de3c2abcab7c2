#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sort_core/io.hpp"
#include "tools/cli/bytes.hpp"
#include "tools/cli/file_id.hpp"
#include "tools/cli/gzip.hpp"

namespace ordo::cli {

/// A file, or standard input where the path is "-", read from front to back. gzip is known by its bytes, not its name:
/// concatenated members and BGZF too. What is truncated, corrupt, or followed by anything but zeros is an error.
/// A regular file that is not compressed has addresses, from where it stood when opened to where it ended then; what it has
/// grown by since, read() alone finds. Every failure is an input_error that names the file.
class input final : public source {
 public:
  /// Opens the file and looks at its first bytes. @throws input_error if it is missing, unreadable or a directory
  explicit input(std::string const& path);
  ~input() override;
  input(input&& other) noexcept;
  input(input const&) = delete;
  input& operator=(input const&) = delete;

  /// Fills `to`, or what of it the rest of the input fills: less than to.size() is the end.
  std::size_t read(std::span<char> to) override;
  [[nodiscard]] std::optional<std::uint64_t> size() const override;
  void read_at(std::uint64_t offset, std::span<char> to) const override;
  [[nodiscard]] std::uint64_t position() const override { return file_read_ - waiting_.size(); }
  void skip(std::uint64_t bytes) override;

  /// The path, or "standard input".
  [[nodiscard]] std::string const& name() const noexcept { return name_; }
  /// Nothing if it is not a regular file.
  [[nodiscard]] std::optional<file_id> const& id() const noexcept { return id_; }
  [[nodiscard]] bool compressed() const noexcept { return inflater_ != nullptr; }
  /// Of the file itself, compressed or not: its bytes (from where it stood when opened; regular files only), and how many
  /// have been read.
  [[nodiscard]] std::optional<std::uint64_t> file_size() const noexcept { return file_size_; }
  [[nodiscard]] std::uint64_t file_read() const noexcept { return file_read_; }

 private:
  [[noreturn]] void fail(std::string const& why) const;
  bool has_nominal_size() const;
  std::size_t read_file(std::span<char> to);
  std::size_t wait_for(std::size_t least);
  bool next_member();
  std::size_t inflate(std::span<char> to);

  std::string name_;
  int fd_ = -1;
  std::optional<file_id> id_;
  off_t claimed_size_ = 0;  // when opened
  std::optional<std::uint64_t> file_size_;
  off_t begin_ = 0;  // where it stood when opened
  bool has_addresses_ = false;
  std::uint64_t file_read_ = 0;
  bool at_end_ = false;  // of the file: a terminal's end has to be typed once, not at every read
  std::vector<char> buffer_;
  std::span<char const> waiting_;  // in buffer_: read from the file, but not used yet
  std::unique_ptr<inflater> inflater_;
  bool inside_member_ = true;
  bool bgzf_ = false;
  std::uint64_t member_bytes_ = 0;  // that the current member has given
};

/// All of the rest of the input, appended; `progress`, if any, is called now and then.
/// @throws input_error; out_of_memory if that makes it more than `limit` bytes
void read_all(input& from, bytes& to, std::size_t limit = std::numeric_limits<std::size_t>::max(),
              std::function<void()> const& progress = {});
bytes read_all(std::string const& path);

}  // namespace ordo::cli
