#include "tools/cli/file_id.hpp"

#include <charconv>
#include <filesystem>
#include <system_error>

#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace ordo::cli {
namespace {

namespace fs = std::filesystem;

constexpr int most_links = 40;  // as many as the kernel follows

fs::path folder_of(fs::path const& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

bool in_proc(fs::path const& path) {
  struct statfs info {};
  return statfs(folder_of(path).c_str(), &info) == 0 && info.f_type == PROC_SUPER_MAGIC;
}

}  // namespace

std::optional<file_id> id_of(struct stat const& info) {
  if (!S_ISREG(info.st_mode)) return std::nullopt;
  return file_id{info.st_dev, info.st_ino, {}};
}

std::optional<file_id> id_of(std::string const& path) {
  struct stat info {};
  if ((path == "-" ? fstat(STDIN_FILENO, &info) : stat(path.c_str(), &info)) == 0) return id_of(info);
  std::optional<std::string> const end = follow_links(path);
  if (!end || stat(folder_of(*end).c_str(), &info) != 0) return std::nullopt;
  return file_id{info.st_dev, info.st_ino, fs::path(*end).filename()};
}

std::optional<std::string> follow_links(std::string const& path) {
  fs::path at = path;
  std::error_code ignored;
  for (int links = 0; fs::is_symlink(fs::symlink_status(at, ignored)) && !in_proc(at); ++links) {
    if (links == most_links) return std::nullopt;
    at = at.parent_path() / fs::read_symlink(at, ignored);
  }
  return at.string();
}

std::optional<unsigned> descriptor_named(std::string const& path) {
  std::string const name = fs::path(path).filename();
  unsigned number = 0;
  auto const [end, bad] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (name.empty() || bad != std::errc{} || end != name.data() + name.size()) return std::nullopt;
  std::error_code ignored;
  fs::path const folder = fs::canonical(folder_of(path), ignored);
  for (char const* own : {"/proc/self/fd", "/proc/thread-self/fd"})
    if (!folder.empty() && folder == fs::canonical(own, ignored)) return number;
  return std::nullopt;
}

}  // namespace ordo::cli
