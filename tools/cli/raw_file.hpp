#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <sys/types.h>

#include "tools/cli/file_id.hpp"

namespace ordo::cli {

/// The bytes of a file, or of standard input where the path is "-", as they are. Every failure is an input_error that names it.
class raw_file {
 public:
  /// @throws input_error if it is missing, unreadable or a directory
  explicit raw_file(std::string const& path);
  ~raw_file();
  raw_file(raw_file const&) = delete;
  raw_file& operator=(raw_file const&) = delete;

  [[noreturn]] void fail(std::string const& why) const;
  /// What can be had at once; nothing is the end.
  std::size_t read(std::span<char> to);
  /// All of it, counted from where the file stood when opened; for a file with addresses.
  void read_at(std::uint64_t offset, std::span<char> to) const;
  void skip(std::uint64_t bytes);

  [[nodiscard]] std::string const& name() const noexcept { return name_; }
  /// Nothing if it is not a regular file.
  [[nodiscard]] std::optional<file_id> const& id() const noexcept { return id_; }
  /// Its bytes from where it stood when opened, if it is a regular file.
  [[nodiscard]] std::optional<std::uint64_t> size() const noexcept { return size_; }
  /// Can be read at any place. A regular file cannot if its size may be nominal.
  [[nodiscard]] bool has_addresses() const noexcept { return has_addresses_; }
  /// How many bytes have been read or skipped.
  [[nodiscard]] std::uint64_t position() const noexcept { return position_; }

 private:
  bool has_nominal_size() const;
  void close_file() noexcept;

  std::string name_;
  int fd_ = -1;
  std::optional<file_id> id_;
  off_t claimed_size_ = 0;  // when opened
  off_t begin_ = 0;         // where it stood then
  std::optional<std::uint64_t> size_;
  bool has_addresses_ = false;
  std::uint64_t position_ = 0;
  bool at_end_ = false;  // a terminal's end has to be typed once, not at every read
};

}  // namespace ordo::cli
