#pragma once
#include <cstddef>
#include <deque>
#include <string>

#include "tools/cli/files/output.hpp"

/// Files that belong together and take their places together.
namespace ordo::inline v0::sufsort {

/// Locks a folder against other processes that put files in their places there, if its file system has locks. The end of a
/// process releases its lock.
class folder_lock {
 public:
  /// @param waits  for other processes; else the folder may remain unlocked
  explicit folder_lock(std::string const& folder, bool waits = true);
  ~folder_lock();
  folder_lock(folder_lock const&) = delete;
  folder_lock& operator=(folder_lock const&) = delete;

  [[nodiscard]] bool is_locked() const noexcept { return locked_; }

 private:
  int fd_;
  bool locked_ = false;
};

/// Returns the folder of a path.
std::string parent_folder(std::string const& path);

/// Commits outputs of one folder (output::replacing::by_rename). Nothing changes before all of them are complete and have
/// hidden names, so that a full disk leaves the old files. Their programs open them one by one: the file that a program opens
/// first is removed first and renamed last, so that a program that finds some old files and some new ones fails instead of
/// using them (cli::joint_commit).
/// @param first_opened  the number of that file
/// @throws output_error
void commit_together(std::deque<cli::output>& files, std::size_t first_opened);

/// The folder of some outputs, which is made with all of them in it if there is none.
class output_folder {
 public:
  /// @throws output_error  if it is no folder, and cannot become one
  explicit output_folder(std::string path);

  /// Returns where its outputs are staged, as for cli::output.
  [[nodiscard]] std::string const& staging() const noexcept { return staging_; }
  /// Commits the outputs: a new folder appears with all of them, an old one takes them as by commit_together.
  void commit(std::deque<cli::output>& files, std::size_t first_opened) const;

 private:
  std::string path_, staging_;
  bool is_new_ = false;
};

}  // namespace ordo::inline v0::sufsort
