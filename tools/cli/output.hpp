#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ordo/io.hpp"
#include "tools/cli/codecs.hpp"
#include "tools/cli/encoder.hpp"
#include "tools/cli/file_id.hpp"
#include "tools/cli/reserved_range.hpp"
#include "tools/cli/staged_file.hpp"

namespace ordo::cli {

class input;
class temporary;

/// A file that appears whole or not at all, or standard output where the path is "-".
/// A regular file is written beside its place, without a name or under a hidden one (staged_file), and takes its place in
/// commit(); until then what was there stays, so it may be read all the while, and may be the input. It keeps the mode, the
/// extended attributes and the access control list and, each where allowed, the group and the owner of the file it replaces; a
/// symbolic link stays, and what it leads to is replaced.
/// In these cases the whole of it is written first, and commit() copies it over the old content: the file has other names (hard
/// links); nothing can be renamed, as the folder is not writable or sticky, or the file is a mount point; the new file cannot
/// get the old one's attributes; or there is no room beside the old file, but in TMPDIR. There is no way back once copying has
/// begun: the file that is copied has a name by then, and keeps it if the copy fails or the process is killed. A full disk is
/// found before, where the file system can tell.
/// Pipes, terminals, devices, and descriptors by name (/dev/stdout, /dev/fd/5) are written directly. A regular file that is
/// written directly keeps what stands before and behind; if a large result cannot be completed, it is as long as before.
/// What is written is compressed as the path's name says (compression_named).
/// Of the outputs of a process no two may be the same regular file: one would replace the other.
/// What is uncompressed and written elsewhere first, or directly to a regular file that does not append, has addresses once its
/// size is announced (a large one in the latter case); all else is written in order. Every failure is an output_error that
/// names the path.
class output final : public sink {
 public:
  /// Whether other names of a file that is replaced show the new content, too, or keep the old one.
  enum class hard_links { keep, replace };

  /// Finds out whether the path can be written. @throws output_error if not
  /// @param threads  that make BGZF and xz, 0: all that the process may use
  explicit output(std::string const& path, unsigned threads = 0) : output(path, compression_named(path), threads) {}
  output(std::string const& path, compression how, unsigned threads = 0);
  output(std::string const& path, hard_links links);
  /// Without a commit() nothing has happened.
  ~output() override;
  output(output&& other) noexcept;
  output(output const&) = delete;
  output& operator=(output const&) = delete;

  /// Does the path ("-": standard input) lead to the regular file that this writes?
  [[nodiscard]] bool is_file(std::string const& path) const { return claimed_ && claimed_ == id_of(path); }
  /// For an input that is still read while this is written. @throws output_error if it would read what is written here
  void refuse_loop(input const& in) const;

  void write(std::span<char const> data) override;
  template <std::size_t N>
  void write(char const (&)[N]) = delete;  // would count a literal's NUL: say std::string_view
  /// What is written in the end has to be so many bytes, else finish() fails.
  bool expect(std::uint64_t bytes) override;
  /// Only of what is written elsewhere first; no room is made in advance. Holes make finish() fail.
  bool expect_unknown() override;
  [[nodiscard]] bool addressable() const override { return expected_.has_value() || any_size_; }
  void write_at(std::uint64_t offset, std::span<char const> data) override;
  /// Everything is written, but not yet in its place: so that outputs which belong together take their places together. Nothing
  /// can be written afterwards. What replaces a file is on the disk then, so that a power failure leaves the old one or the new
  /// one; a new file reaches the disk when the system likes, as a copy by cp does.
  void finish();
  /// Opens what finish() has completed, until commit(); empty where it was written directly.
  [[nodiscard]] std::string staged() const { return staged_.path(); }
  /// Gives what is written this name beside its place until commit(). @returns false if commit() will not rename it
  bool take_name(std::string const& name);
  /// Lets the file with that name stay; there is no commit() then. @returns its path
  std::string release() noexcept;
  /// Where a regular file goes: the path with its symbolic links followed. Empty: written directly.
  [[nodiscard]] std::string const& target() const noexcept { return target_; }
  /// What is in the place now goes, so that it is not taken for a part of what will come; if it cannot be removed it is
  /// emptied.
  void withdraw_old() noexcept;
  /// Everything is written and in its place. Call once, last.
  void commit();

  /// The path, or "standard output".
  [[nodiscard]] std::string const& name() const noexcept { return name_; }
  /// Bytes given to write() and write_at() so far.
  [[nodiscard]] std::uint64_t written() const noexcept { return written_; }

 private:
  output(std::string const& path, compression how, unsigned threads, hard_links links);
  [[noreturn]] void fail(int error) const;
  void open_target(std::string const& path, hard_links links);
  void open_descriptor(int number);
  void open_staged();
  void stage_elsewhere(int why);
  void claim(std::optional<file_id> id);
  void copy_over_old();
  void put(std::span<char const> data);
  void flush();
  void put_directly(std::span<char const> data);
  bool reserve(std::uint64_t bytes);
  int close_file() noexcept;
  void discard() noexcept;

  std::string name_;
  std::string target_;     // where it goes; empty: written directly
  staged_file staged_;     // where it is until then
  bool replaces_ = false;  // there is a file in its place, and it can be written
  bool beside_ = true;     // staged where it can be renamed from
  bool copies_ = false;    // commit() copies it over the old content
  std::optional<file_id> claimed_;
  temporary* ticket_ = nullptr;       // of range_
  int fd_ = -1;                       // of staged_, if there is one
  std::uint64_t put_ = 0;             // bytes written in order
  std::unique_ptr<encoder> encoder_;  // nothing: written as it is
  std::vector<char> buffer_;
  std::optional<std::uint64_t> expected_;  // where write_at can be used
  bool any_size_ = false;                  // there, too
  std::atomic<std::uint64_t> written_{0};
  std::optional<reserved_range> range_;  // of a file that is written directly, but not in order
  std::uint64_t in_order_ = 0;           // bytes of it that write() was given
};

}  // namespace ordo::cli
