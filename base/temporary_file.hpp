#pragma once
#include <cstdint>
#include <span>
#include <string>

namespace ordo {

/// A file without a name. The system removes it when the process ends, in any way.
class temporary_file {
 public:
  /// @throws output_error if the folder cannot hold such a file
  explicit temporary_file(std::string const& folder);
  temporary_file(temporary_file&& other) noexcept;
  temporary_file& operator=(temporary_file&& other) = delete;
  ~temporary_file();

  /// Reserves space, so that a full disk is found now. Does nothing if the file system has no such call. @throws output_error
  void reserve(std::uint64_t offset, std::uint64_t bytes);
  /// Writes all bytes. May be called by several threads at a time. @throws output_error
  void write_at(std::uint64_t offset, std::span<char const> data);
  /// Reads all bytes, which must exist. May be called by several threads at a time. @throws input_error
  void read_at(std::uint64_t offset, std::span<char> to) const;
  /// Gives the space of these bytes back to the disk, if the file system can.
  void discard(std::uint64_t offset, std::uint64_t bytes) noexcept;

  [[nodiscard]] int descriptor() const noexcept { return fd_; }
  /// Returns a name for messages: "temporary file in FOLDER".
  [[nodiscard]] std::string const& name() const noexcept { return name_; }

 private:
  [[noreturn]] void fail_to_write() const;

  std::string name_;
  int fd_;
};

}  // namespace ordo
