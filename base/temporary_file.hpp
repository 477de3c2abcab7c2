#pragma once
#include <cstdint>
#include <span>
#include <string>

namespace ordo {

/// A file without a name: the system removes it when the process ends, however that happens.
class temporary_file {
 public:
  /// @throws output_error if there can be no such file in the folder
  explicit temporary_file(std::string const& folder);
  temporary_file(temporary_file&& other) noexcept;
  temporary_file& operator=(temporary_file&& other) = delete;
  ~temporary_file();

  /// Room for these bytes, so that a full disk is found now; nothing where the file system has no such call.
  /// @throws output_error
  void reserve(std::uint64_t offset, std::uint64_t bytes);
  /// All of it. Any number of threads at a time. @throws output_error
  void write_at(std::uint64_t offset, std::span<char const> data);
  /// All of it, which must be there. Any number of threads at a time. @throws input_error
  void read_at(std::uint64_t offset, std::span<char> to) const;
  /// These bytes are not needed any more: the disk may have their place, if the file system can do that.
  void discard(std::uint64_t offset, std::uint64_t bytes) noexcept;

  [[nodiscard]] int descriptor() const noexcept { return fd_; }
  /// For messages: "temporary file in FOLDER".
  [[nodiscard]] std::string const& name() const noexcept { return name_; }

 private:
  [[noreturn]] void fail_to_write() const;

  std::string name_;
  int fd_;
};

}  // namespace ordo
