#pragma once
#include <string>
#include <vector>

#include <sys/stat.h>

namespace ordo::inline v0::cli {

class temporary;

/// A regular file that is written before it takes its place. On a file system with O_TMPFILE it has no name until then, and
/// disappears however the process ends. Elsewhere it has a hidden name, which a signal that ends the process removes, but
/// SIGKILL does not. Functions return 0 or an errno.
class staged_file {
 public:
  staged_file() = default;
  ~staged_file() { discard(); }
  staged_file(staged_file&& other) noexcept { swap(other); }
  staged_file& operator=(staged_file&& other) noexcept {
    swap(other);
    return *this;
  }

  /// Creates an empty file in `folder` that is to have this name. To be called once.
  int create(std::string const& folder, std::string const& name, mode_t mode);
  [[nodiscard]] explicit operator bool() const noexcept { return fd_ >= 0 || !path_.empty(); }
  /// Returns the descriptor, open for reading and writing; -1 after finish() if few descriptors are left.
  [[nodiscard]] int descriptor() const noexcept { return fd_; }
  [[nodiscard]] bool has_name() const noexcept { return !path_.empty(); }
  /// Returns its hidden name, or the one that assign_name() gives it unless that is taken.
  [[nodiscard]] std::string next_name() const { return path_.empty() ? hidden_path(1) : path_; }
  /// Opens the file's content.
  [[nodiscard]] std::string path() const;

  /// Reports the error of a close. The file stays open; if few descriptors are left it gets a name and is closed.
  int finish();
  /// Gives it a hidden name beside its place, which stays after a SIGKILL.
  int assign_name();
  /// Gives it this name in its folder, and replaces a file of that name.
  int assign_name(std::string const& name);
  /// Renames it to `target` in one step. If it has no name and `target` exists, it has the name .NAME.ordo.tmp for a moment. A
  /// SIGKILL then leaves the whole file under this name, and the next file for that place removes it.
  int move_to(std::string const& target);
  /// Keeps the named file, whatever happens, and its descriptor.
  void keep() noexcept;
  /// Keeps the named file.
  /// @returns its path
  std::string release() noexcept;
  void discard() noexcept;

  /// Returns the files with a hidden name that processes which are gone left for this place: all that this is not sure of, such
  /// as those of other users, are left out. A running process has its own locked, so that one of another host that shares the
  /// folder is not taken for dead. Reads the whole folder.
  [[nodiscard]] static std::vector<std::string> left_behind(std::string const& folder, std::string const& name);

  /// Tests set this to false, to create files as on a file system without O_TMPFILE.
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

/// Returns the hidden name that the new file of this name has for a moment before it replaces the old one: the same for every
/// process, so that the next one removes a file that a killed process left.
std::string hidden_name(std::string const& name);

/// Copies `bytes` from the beginning of one file to that of another, whose position is after them then.
int copy_bytes(int from, int to, off_t bytes);

/// Gives the file `to` the group, owner, mode, extended attributes and access control list of `from`, each if allowed. If it
/// cannot get the group, its group has only the rights of everybody. Attributes of the content (capabilities, checksums) are
/// not copied.
/// @returns true if only those who could use `from` can use `to`, and no attribute of a user is missing
bool copy_attributes(std::string const& from, struct stat const& old, int to);

}  // namespace ordo::inline v0::cli
