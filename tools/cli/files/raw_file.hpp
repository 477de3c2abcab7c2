#pragma once
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <sys/stat.h>
#include <sys/types.h>

namespace ordo::inline v0::cli {

/// Identifies the file that a path leads to, whatever its names. A file that does not exist yet is identified by its folder and
/// its future name.
struct file_id {
  dev_t device = 0;
  ino_t inode = 0;
  std::string name;  // empty: device and inode are the file's own

  bool operator==(file_id const&) const = default;
};

/// Returns nothing for pipes, terminals and devices: they accept bytes from several writers and lose none.
std::optional<file_id> find_file_id(struct stat const& info);
/// Returns the identity of the file at `path` or, if there is none, of the one that would be created. "-" is standard input.
std::optional<file_id> find_file_id(std::string const& path);

/// Returns true if this process has opened the file as an input (raw_file).
bool was_read(file_id const& id);

/// Returns the end of a chain of symbolic links, whether a file exists there or not; nothing for a circle of links. Links in
/// /proc are not followed: they lead to open files, not to the names that they show.
std::optional<std::string> follow_links(std::string const& path);

/// Returns the descriptor of this process that a path of followed links names, as /dev/fd/5 does.
std::optional<unsigned> descriptor_named(std::string const& path);

/// Measures the time that its thread waits for the system to read or write a file: its own lifetime.
class file_wait {
 public:
  file_wait() = default;
  ~file_wait() { all_ += std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin_).count(); }
  file_wait(file_wait const&) = delete;
  file_wait& operator=(file_wait const&) = delete;

  /// Returns the sum of all threads of the process so far.
  static double seconds() noexcept { return static_cast<double>(all_.load()) * 1e-9; }

 private:
  inline static std::atomic<std::int64_t> all_{0};
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// The bytes of a file, or of standard input if the path is "-", as they are. Every failure is an input_error that names it.
class raw_file {
 public:
  /// @throws input_error  if it is missing, unreadable or a directory
  explicit raw_file(std::string const& path);
  ~raw_file();
  raw_file(raw_file const&) = delete;
  raw_file& operator=(raw_file const&) = delete;

  [[noreturn]] void fail(std::string const& why) const;
  /// Reads the bytes that are available at once. 0 is the end.
  std::size_t read(std::span<char> to);
  /// Fills `to` from an addressable file. Offsets count from the position of the file when it was opened.
  void read_at(std::uint64_t offset, std::span<char> to) const;
  void skip(std::uint64_t bytes);

  [[nodiscard]] std::string const& name() const noexcept { return name_; }
  /// Returns nothing if it is not a regular file.
  [[nodiscard]] std::optional<file_id> const& id() const noexcept { return id_; }
  /// Returns the bytes of a regular file from its position when it was opened.
  [[nodiscard]] std::optional<std::uint64_t> size() const noexcept { return size_; }
  /// Returns true if it can be read at any offset. A regular file cannot if its size may be nominal.
  [[nodiscard]] bool has_addresses() const noexcept { return has_addresses_; }
  /// Returns the number of bytes that have been read or skipped.
  [[nodiscard]] std::uint64_t position() const noexcept { return position_; }

 private:
  bool has_nominal_size() const;
  void close_file() noexcept;

  std::string name_;
  int fd_ = -1;
  std::optional<file_id> id_;
  off_t claimed_size_ = 0;  // when opened
  off_t begin_ = 0;         // where it stood before
  std::optional<std::uint64_t> size_;
  bool has_addresses_ = false;
  std::uint64_t position_ = 0;
  bool at_end_ = false;  // a terminal's end has to be typed once, not at every read
};

}  // namespace ordo::inline v0::cli
