#include "tools/sufsort/files/file_set.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ordo/error.hpp"
#include "tools/cli/files/staged_file.hpp"
#include "tools/cli/files/temporary.hpp"

namespace ordo::inline v0::sufsort {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(std::string const& path, int error) {
  throw output_error(fmt::format("cannot write: {}: {}", path, std::strerror(error)));
}

}  // namespace

folder_lock::folder_lock(std::string const& folder, bool waits)
    : fd_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  int error = fd_ < 0 ? EBADF : EINTR;
  while (error == EINTR) error = flock(fd_, waits ? LOCK_EX : LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
  locked_ = error == 0;
}

folder_lock::~folder_lock() {
  if (fd_ >= 0) close(fd_);
}

std::string parent_folder(std::string const& path) {
  fs::path const folder = fs::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

void commit_together(std::deque<cli::output>& files, std::size_t first_opened) {
  if (files.size() == 1 && files.front().target().empty()) return files.front().commit();  // a link to standard output
  std::vector<cli::output*> all;
  for (cli::output& file : files) all.push_back(&file);
  std::swap(all.front(), all[first_opened]);
  cli::joint_commit commit(all);
  folder_lock const lock(parent_folder(all.front()->name()));
  cli::held_signals const held;
  for (cli::output& file : files) file.assign_name(cli::hidden_name(fs::path(file.target()).filename()));
  commit.remove_first();
  try {
    commit.place();
  } catch (output_error const& e) {
    throw output_error(fmt::format("{}; files of two indexes are there: write them again", e.what()));
  }
}

output_folder::output_folder(std::string path) : path_(std::move(path)) {
  while (path_.size() > 1 && path_.ends_with('/')) path_.pop_back();
  struct stat info {};
  if (stat(path_.c_str(), &info) == 0) {
    if (!S_ISDIR(info.st_mode)) throw output_error(fmt::format("cannot write: {}: it is no folder", path_));
    return;
  }
  int const error = errno;
  if (error != ENOENT || path_.empty()) fail(path_.empty() ? "''" : path_, error);
  staging_ = parent_folder(path_);
  is_new_ = true;
  if (stat(staging_.c_str(), &info) != 0) fail(path_, errno);
  if (fs::is_symlink(path_)) fail(path_, error);  // it leads nowhere
}

void output_folder::commit(std::deque<cli::output>& files, std::size_t first_opened) const {
  if (!is_new_) return commit_together(files, first_opened);
  for (cli::output& file : files) file.finish();
  std::string const hidden = fs::path(staging_) / cli::hidden_name(fs::path(path_).filename());
  folder_lock const lock(staging_);
  cli::held_signals const held;
  std::error_code ignored;
  fs::remove_all(hidden, ignored);  // left by a process that was killed
  if (mkdir(hidden.c_str(), 0777) != 0) fail(path_, errno);
  try {
    for (cli::output& file : files) {
      file.redirect(hidden);
      file.commit();
    }
    if (rename(hidden.c_str(), path_.c_str()) != 0) fail(path_, errno);
  } catch (...) {
    fs::remove_all(hidden, ignored);
    throw;
  }
}

}  // namespace ordo::inline v0::sufsort
