#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "ordo/io.hpp"
#include "tools/cli/files/codecs.hpp"
#include "tools/cli/files/raw_file.hpp"
#include "tools/cli/files/reserved_range.hpp"
#include "tools/cli/files/staged_file.hpp"

namespace ordo::inline v0::cli {

class input;
class temporary;

/// A file that appears whole or not at all, or standard output if the path is "-". Every failure is an output_error that names
/// the path. The output is compressed as the path's name says (compression_named). No two outputs of a process may be the same
/// regular file: one would replace the other.
///
/// A regular file is staged: written beside its place, without a name or under a hidden one (staged_file). commit() moves it to
/// its place. Until then the old file is unchanged and can be read, also as the input. The new file keeps the mode, extended
/// attributes and access control list of the old one, and its group and owner if allowed. A symbolic link stays; its target is
/// replaced.
///
/// commit() copies the staged file over the old content if the old file has other names (hard links); if nothing can be
/// renamed, because the folder is read-only or sticky or the file is a mount point; if the new file cannot get the attributes
/// of the old one; or if there is space only in TMPDIR. A copy cannot be undone: the staged file has a name by then and keeps
/// it if the copy fails or the process is killed. That is the only output that can be seen half written: warn() says so
/// before. The next output for that place names what a killed process left, and removes it once its own is there,
/// unless this process has read the half written file. A full disk is detected before the copy if the file system can report
/// it.
///
/// Pipes, terminals, devices, and descriptors by name (/dev/stdout, /dev/fd/5) are written directly. A regular file written
/// directly keeps the bytes before and after the output; if a large output cannot be completed, the file is as long as before.
///
/// An uncompressed output is addressable once its size is announced if it is staged, or large and written directly to a regular
/// file that was not opened to append. Other outputs are written in order.
class output final : public sink {
 public:
  /// How commit() replaces an old file. `any_way`: by a rename or, where that cannot be, by a copy over the old content.
  /// `by_rename`: by a rename alone, for files that belong together: a copy that fails, or is interrupted, would leave half of
  /// them. Files that cannot be renamed over are errors, and other names (hard links) of the old file keep its content.
  enum class replacing { any_way, by_rename };

  /// Checks that the path can be written. @throws output_error  if it cannot
  /// @param threads  that compress BGZF and xz, 0: all that the process may use
  explicit output(std::string const& path, unsigned threads = 0) : output(path, compression_named(path), threads) {}
  output(std::string const& path, compression how, unsigned threads = 0);
  /// @param folder  where the file is staged, in the file system of its place; empty: beside its place
  output(std::string const& path, replacing how, std::string folder = {});
  /// Without a commit(), leaves everything as it was.
  ~output() override;
  output(output&& other) noexcept;
  output(output const&) = delete;
  output& operator=(output const&) = delete;

  /// Returns true if the path ("-": standard input) leads to the regular file that this writes.
  [[nodiscard]] bool is_file(std::string const& path) const { return claimed_ && claimed_ == find_file_id(path); }
  /// Checks that no input of a command is the regular file that this writes. @throws output_error
  void refuse_inputs(std::span<std::string const> paths) const;
  /// Checks an input that is read while this is written. @throws output_error  if it would read this output
  void refuse_loop(input const& in) const;

  void write(std::span<char const> data) override;
  template <std::size_t N>
  void write(char const (&)[N]) = delete;  // would write the NUL of a literal; use std::string_view
  /// Announces the size. finish() fails if another number of bytes was written.
  bool expect(std::uint64_t bytes) override;
  /// Makes a staged output addressable without allocating space in advance. finish() fails if there are holes.
  bool expect_unknown() override;
  [[nodiscard]] bool addressable() const override { return expected_.has_value() || any_size_; }
  void write_at(std::uint64_t offset, std::span<char const> data) override;
  /// Returns a path by which other processes of this host can open the file that is being written, if it is addressable and
  /// staged; else nothing. What they write counts if count_others() is called.
  [[nodiscard]] std::string path_for_others() const;
  void count_others(std::uint64_t bytes) noexcept { written_ += bytes; }
  /// Completes the output without moving it to its place, so that outputs that belong together can take their places together.
  /// Nothing can be written afterwards, and further calls do nothing. An output that replaces a file is synced to disk, so that
  /// a power failure leaves the old file or the new one. A new file is not, as with cp.
  void finish();
  /// Returns a path of the output between finish() and commit(); empty if it was written directly.
  [[nodiscard]] std::string staged() const { return staged_.path(); }
  /// Gives a file that is replaced by a rename this name in the folder where it is staged, until commit().
  void assign_name(std::string const& name);
  /// Keeps the file of that name instead of a commit().
  /// @returns its path
  std::string release() noexcept;
  /// Returns the path of a regular file with symbolic links followed; empty if it is written directly.
  [[nodiscard]] std::string const& target() const noexcept { return target_; }
  /// Removes the old file before commit(), so that nobody takes it for the new one. @throws output_error  if that fails
  void remove_old() const;
  /// Changes the folder in which commit() puts the file, to one of the same file system.
  void redirect(std::string const& folder);
  /// Completes the output and moves it to its place. To be called once, last.
  void commit();

  /// Returns the path, or "standard output".
  [[nodiscard]] std::string const& name() const noexcept { return name_; }
  /// Returns the bytes given to write() and write_at() so far.
  [[nodiscard]] std::uint64_t written() const noexcept { return written_; }

 private:
  output(std::string const& path, compression how, unsigned threads, replacing replaces, std::string folder = {});
  [[noreturn]] void fail(int error) const;
  void open_target(std::string const& path);
  void open_descriptor(int number);
  void open_staged();
  void stage_elsewhere(int why);
  void claim(std::optional<file_id> id);
  void copy_over_old();
  void warn_of_copy() const;
  void find_left_behind();
  void put(std::span<char const> data);
  void flush();
  void write_directly(std::span<char const> data);
  void begin_writeback(std::uint64_t offset, std::size_t bytes) const noexcept;
  bool reserve(std::uint64_t bytes);
  int close_file() noexcept;
  void discard() noexcept;

  std::string name_;
  bool by_rename_;
  std::string folder_;                    // where it is staged; empty: beside its place
  std::string target_;                    // path of its place; empty: written directly
  staged_file staged_;                    // until commit()
  bool replaces_ = false;                 // a file exists in its place and can be written
  bool beside_ = true;                    // staged in a folder from which it can be renamed
  bool copies_ = false;                   // commit() copies it over the old content
  std::vector<std::string> left_behind_;  // files of processes that were killed
  std::optional<file_id> claimed_;
  temporary* ticket_ = nullptr;       // ticket of range_
  int fd_ = -1;                       // fd of staged_, if there is one
  std::uint64_t put_ = 0;             // bytes written in order
  std::unique_ptr<encoder> encoder_;  // null: not compressed
  std::vector<char> buffer_;
  std::optional<std::uint64_t> expected_;  // size of an addressable output
  bool any_size_ = false;                  // addressable, of unknown size
  std::atomic<std::uint64_t> written_{0};
  std::optional<reserved_range> range_;  // range of a file that is written directly and out of order
  std::uint64_t in_order_ = 0;           // bytes of the range given to write()
};

/// Outputs that take their places together. Nothing changes before all of them are complete. The first one is removed before
/// the others are moved to their places, and moved last, so that nobody takes old files for new ones. If files are replaced,
/// each of these steps is on the disk before the next one: the power may fail in between.
class joint_commit {
 public:
  /// Completes the outputs, which outlive this. @throws output_error
  explicit joint_commit(std::vector<output*> files);

  /// Does the first step, which may be called alone. @throws output_error
  void remove_first() const { files_[0]->remove_old(); }
  /// Does the other steps. @throws output_error
  void place();
  /// Returns those that are in their places, if place() has thrown.
  [[nodiscard]] std::span<output* const> placed() const { return std::span(files_).last(placed_); }

 private:
  std::vector<output*> files_;
  std::set<std::string> folders_;  // folders of files that are replaced, or none
  std::size_t placed_ = 0;
};

}  // namespace ordo::inline v0::cli
