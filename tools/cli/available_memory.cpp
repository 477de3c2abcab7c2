#include "tools/cli/available_memory.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <sstream>
#include <string_view>

#include <sys/resource.h>
#include <unistd.h>

namespace ordo::inline v0::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

std::size_t less(std::size_t from, std::size_t what) {
  return from - std::min(from, what);
}

// Returns the whole number in a file of /sys, or `otherwise`.
std::size_t number_in(fs::path const& path, std::size_t otherwise) {
  std::size_t value = 0;
  return std::ifstream(path) >> value ? value : otherwise;
}

// Returns the number behind a word in a file of such pairs.
std::size_t number_after(std::string_view name, fs::path const& path, std::size_t otherwise) {
  std::ifstream file(path);
  for (std::string word; file >> word;)
    if (std::size_t value = 0; word == name && file >> value) return value;
  return otherwise;
}

// How the two versions name things.
struct version {
  std::string_view file_system, controller;  // of the mount, and in /proc/self/cgroup
  std::array<std::string_view, 2> limits;
  std::string_view used, cache;
};
constexpr version first{"cgroup", "memory", {"memory.limit_in_bytes", ""}, "memory.usage_in_bytes", "total_inactive_file"};
constexpr version second{"cgroup2", "", {"memory.max", "memory.high"}, "memory.current", "inactive_file"};

// Returns the memory that the limits of one group leave. Page cache counts as used but can be reclaimed.
std::size_t left_in_group(fs::path const& group, version const& names) {
  std::size_t limit = unlimited;  // version 2 says "max" where there is none
  for (std::string_view const name : names.limits)
    if (!name.empty()) limit = std::min(limit, number_in(group / name, unlimited));
  fs::path const stat = group / "memory.stat";
  limit =
      std::min(limit, number_after("hierarchical_memory_limit", stat, unlimited));  // of version 1: groups out of sight, too
  if (limit == unlimited) return unlimited;
  return less(limit, less(number_in(group / names.used, 0), number_after(names.cache, stat, 0)));
}

bool is_listed(std::string_view name, std::string_view list) {
  for (;;) {
    std::size_t const comma = list.find(',');
    if (list.substr(0, comma) == name) return true;
    if (comma == list.npos) return false;
    list.remove_prefix(comma + 1);
  }
}

// Returns the control groups of the process, as /proc lists them.
struct group_files {
  std::string groups, mounts;
  explicit group_files(std::string const& root) : groups(text_of(root + "/proc/self/cgroup")) {
    if (!groups.empty()) mounts = text_of(root + "/proc/self/mountinfo");
  }

 private:
  static std::string text_of(std::string const& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

// Returns the group of the process in the hierarchy of version 2, or of the memory controller of version 1, as a path.
std::optional<std::string> group_of_process(group_files const& files, version const& names) {
  std::istringstream file(files.groups);
  for (std::string line; std::getline(file, line);) {  // number:controller,controller:path
    std::size_t const a = line.find(':'), b = line.find(':', a + 1);
    if (a == line.npos || b == line.npos) continue;
    std::string_view const controllers = std::string_view(line).substr(a + 1, b - a - 1);
    if (names.controller.empty() ? controllers.empty() : is_listed(names.controller, controllers)) return line.substr(b + 1);
  }
  return std::nullopt;
}

// Blanks in the names of /proc/self/mountinfo are written \040.
std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      plain += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

struct mount {
  std::string top;    // the group that is seen at
  std::string place;  // this folder
};

std::optional<mount> mount_of(group_files const& files, version const& names) {
  std::istringstream file(files.mounts);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string skip, top, place, word, type, source, options;
    words >> skip >> skip >> skip >> top >> place;
    while (words >> word && word != "-") {}
    words >> type >> source >> options;
    if (type != names.file_system) continue;
    if (names.controller.empty() || is_listed(names.controller, options)) return mount{unescaped(top), unescaped(place)};
  }
  return std::nullopt;
}

// Returns the memory that the groups of one hierarchy leave, from that of the process to the uppermost visible one.
std::size_t left_in_groups(std::string const& root, group_files const& files, version const& names) {
  auto const group = group_of_process(files, names);
  if (!group) return unlimited;
  auto const seen = mount_of(files, names);
  if (!seen) return unlimited;
  // In a container the path may lead elsewhere. Its own group is mounted then.
  fs::path inside = fs::path(*group).lexically_relative(seen->top);
  if (inside.empty() || *inside.begin() == "..") inside = ".";
  fs::path at = root + seen->place;
  std::size_t left = left_in_group(at, names);
  for (fs::path const& part : inside) left = std::min(left, left_in_group(at /= part, names));
  return left;
}

// Returns the memory that the limits of the process leave. /proc/self/statm counts pages.
std::size_t left_in_process(std::string const& root) {
  std::array<std::size_t, 6> pages{};  // all, resident, shared, text, library, data and stack
  std::ifstream statm(root + "/proc/self/statm");
  for (std::size_t& number : pages) statm >> number;
  auto const left = [&](int which, std::size_t used) {
    rlimit limit{};
    if (getrlimit(static_cast<__rlimit_resource_t>(which), &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
    return less(limit.rlim_cur, used * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
  };
  return std::min(left(RLIMIT_AS, pages[0]), left(RLIMIT_DATA, pages[5]));
}

}  // namespace

std::size_t available_memory(std::string const& root) {
  std::size_t const kib = number_after("MemAvailable:", root + "/proc/meminfo", unlimited);
  group_files const groups(root);
  return std::min({kib == unlimited ? unlimited : kib * 1024, left_in_groups(root, groups, first),
                   left_in_groups(root, groups, second), left_in_process(root)});
}

}  // namespace ordo::inline v0::cli
