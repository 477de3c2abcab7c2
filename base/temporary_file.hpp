#pragma once
#include <cstdint>
#include <span>
#include <string>

namespace ordo::inline v0 {

/// A file without a name. The system removes it when the process ends, even if it is killed.
class temporary_file {
 public:
  /// Creates a file in `folder`. @throws output_error  if that fails
  explicit temporary_file(std::string const& folder);
  temporary_file(temporary_file&& other) noexcept;
  temporary_file& operator=(temporary_file&& other) = delete;
  ~temporary_file();

  /// Reserves disk space for these bytes, which finds a full disk early. Does nothing if the file system does not support it.
  /// @throws output_error
  void reserve(std::uint64_t offset, std::uint64_t bytes);
  /// Writes all of `data`. May be called by any number of threads at a time. @throws output_error
  void write_at(std::uint64_t offset, std::span<char const> data);
  /// Fills `to` with bytes that were written before. May be called by any number of threads at a time. @throws input_error
  void read_at(std::uint64_t offset, std::span<char> to) const;
  /// Frees the disk space of bytes that are no longer needed, if the file system supports it.
  void discard(std::uint64_t offset, std::uint64_t bytes) noexcept;

  [[nodiscard]] int descriptor() const noexcept { return fd_; }
  /// Returns "temporary file in FOLDER", for messages.
  [[nodiscard]] std::string const& name() const noexcept { return name_; }

 private:
  [[noreturn]] void fail_to_write() const;

  std::string name_;
  int fd_;
};

}  // namespace ordo::inline v0
