#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/cli/gzip.hpp"

namespace ordo::cli {

class temporary;

enum class compression { none, gzip };

/// A file that appears whole or not at all, or standard output where the path is "-".
/// A regular file is written beside its place, under another name, and takes its place in commit(); until then what was there
/// stays, so it may be read all the while, and may be the input. It keeps the mode and, where allowed, the owner of the file
/// it replaces; a symbolic link stays, and what it leads to is replaced. Pipes, terminals and devices are written directly.
/// Every failure is an output_error that names the path.
class output {
 public:
  /// Finds out whether the path can be written. @throws output_error if not
  explicit output(std::string const& path, compression how = compression::none);
  /// Without a commit() nothing has happened.
  ~output();
  output(output&& other) noexcept;
  output(output const&) = delete;
  output& operator=(output const&) = delete;

  void write(std::span<char const> data);
  template <std::size_t N>
  void write(char const (&)[N]) = delete;  // would count a literal's NUL: say std::string_view
  /// Everything is written and on the disk, but not yet in its place: so that outputs which belong together take their places
  /// together. Nothing can be written afterwards.
  void finish();
  /// Everything is written, on the disk, and in its place. Call once, last.
  void commit();

  /// The path, or "standard output".
  [[nodiscard]] std::string const& name() const noexcept { return name_; }
  /// Bytes given to write() so far.
  [[nodiscard]] std::uint64_t written() const noexcept { return written_; }

 private:
  [[noreturn]] void fail(int error) const;
  void open_target(std::string const& path);
  void open_beside();
  void deflate(std::span<char const> data, bool last);
  void put(std::span<char const> data);
  void flush();
  void put_directly(std::span<char const> data);
  void discard() noexcept;

  std::string name_;
  std::string target_, beside_;  // empty: written directly
  temporary* ticket_ = nullptr;
  int fd_ = -1;
  std::unique_ptr<deflater> deflater_;
  std::vector<char> buffer_;
  std::uint64_t written_ = 0;
};

}  // namespace ordo::cli
