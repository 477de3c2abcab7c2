#pragma once
#include <string>

#include <sys/stat.h>

namespace ordo::cli {

class temporary;

/// A regular file that is written before it takes its place. Where the file system has O_TMPFILE, it has no name until then, so
/// that nothing is left of it, however the process ends. Elsewhere it has a hidden name, which a signal that ends the process
/// removes, and SIGKILL does not. Functions return 0 or an errno.
class staged_file {
 public:
  staged_file() = default;
  ~staged_file() { discard(); }
  staged_file(staged_file&& other) noexcept { swap(other); }
  staged_file& operator=(staged_file&& other) noexcept {
    swap(other);
    return *this;
  }

  /// Makes an empty file in `folder` for a place of that name. Call once.
  int create(std::string const& folder, std::string const& name, mode_t mode);
  [[nodiscard]] explicit operator bool() const noexcept { return fd_ >= 0 || !path_.empty(); }
  /// Open for reading and writing; -1 after finish() of a file that has a name.
  [[nodiscard]] int descriptor() const noexcept { return fd_; }
  /// Opens the file's content.
  [[nodiscard]] std::string path() const;

  /// Reports what a failed close would. A file without a name stays open, unless few descriptors are left: then it gets one.
  int finish();
  /// Gives it a name of its own beside its place, which stays after a SIGKILL.
  int take_name();
  /// Gives it this name in its folder, in the place of a file that has it.
  int take_name(std::string const& name);
  /// Renames it to `target`, in one step. Where it has no name and `target` exists, it has the name .NAME.ordo.tmp for a
  /// moment: a SIGKILL then leaves the whole file under it, which the next file for that place removes.
  int move_to(std::string const& target);
  /// Lets the named file stay. @returns its path
  std::string release() noexcept;
  void discard() noexcept;

  /// Tests set this to false, for files as on a file system without O_TMPFILE.
  static inline bool can_be_nameless = true;

 private:
  void swap(staged_file& other) noexcept;
  [[nodiscard]] std::string hidden_path(unsigned attempt) const;
  int create_named(mode_t mode);
  int link_at(std::string const& path);
  int copy_to_named();
  void close_descriptor() noexcept;

  std::string folder_, name_;
  std::string path_;  // empty: no name
  temporary* ticket_ = nullptr;
  int fd_ = -1;
};

/// Copies `bytes` from the beginning of one file to that of another, whose place is behind them then.
int copy_bytes(int from, int to, off_t bytes);

/// Gives the file `to` the group, the owner and the mode of `from`, and its extended attributes and access control list; each
/// where allowed. A file that cannot be given to the group gives it no more than everybody has. An attribute that belongs to
/// the content (capabilities, checksums of it) is left out.
/// @returns whether `to` is open to nobody but those who could use `from`, and no attribute of a user's is missing
bool copy_attributes(std::string const& from, struct stat const& old, int to);

}  // namespace ordo::cli
