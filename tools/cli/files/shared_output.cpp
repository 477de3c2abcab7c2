#include "tools/cli/files/shared_output.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ordo/error.hpp"

namespace ordo::inline v0::cli {
namespace {

/// Returns a string that no other host has.
std::string host_name() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return id;
}

/// What the others have to know of the first process's file.
struct description {
  char path[64] = "", host[64] = "", name[4096] = "";
  dev_t device = 0;
  ino_t number = 0;
};

template <std::size_t N>
void put(char (&to)[N], std::string const& text) {
  text.copy(to, N - 1);
}

}  // namespace

std::size_t members_on_host(communicator& members) {
  std::uint64_t const mine = std::hash<std::string>()(host_name());
  return std::size_t(std::ranges::count(members.all_gather(mine), mine));
}

std::unique_ptr<shared_output> shared_output::open(communicator& members, output* out) {
  description file;
  struct stat info {};
  if (members.rank() == 0 && out) {
    std::string const path = out->path_for_others();
    if (!path.empty() && stat(path.c_str(), &info) == 0) {
      put(file.path, path);
      put(file.host, host_name());
      put(file.name, out->name());
      file.device = info.st_dev;
      file.number = info.st_ino;
    }
  }
  members.broadcast(std::as_writable_bytes(std::span(&file, 1)), 0);
  if (members.rank() == 0 || !file.path[0] || !file.host[0] || file.host != host_name()) return nullptr;
  int const descriptor = ::open(file.path, O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return nullptr;
  // A process in another container may have the same number.
  if (fstat(descriptor, &info) != 0 || info.st_dev != file.device || info.st_ino != file.number) {
    close(descriptor);
    return nullptr;
  }
  return std::make_unique<shared_output>(descriptor, file.name);
}

shared_output::~shared_output() {
  close(descriptor_);
}

void shared_output::write(std::span<char const>) {
  throw output_error(fmt::format("cannot write: {}: internal error: a part without its place", name_));
}

void shared_output::write_at(std::uint64_t offset, std::span<char const> data) {
  while (!data.empty()) {
    ssize_t const done =
        pwrite(descriptor_, data.data(), std::min<std::size_t>(data.size(), std::size_t{1} << 30), static_cast<off_t>(offset));
    if (done < 0 && errno != EINTR) throw output_error(fmt::format("cannot write: {}: {}", name_, std::strerror(errno)));
    if (done <= 0) continue;
    data = data.subspan(std::size_t(done));
    offset += std::uint64_t(done);
  }
}

}  // namespace ordo::inline v0::cli
