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
#include <vector>

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

// Returns the number after a word in a file of such pairs.
std::size_t number_after(std::string_view name, fs::path const& path, std::size_t otherwise) {
  std::ifstream file(path);
  for (std::string word; file >> word;)
    if (std::size_t value = 0; word == name && file >> value) return value;
  return otherwise;
}

// Returns the sum of the numbers after these words.
std::size_t sum_after(std::array<std::string_view, 2> const& names, fs::path const& path) {
  std::size_t sum = 0;
  for (std::string_view const name : names) sum += number_after(name, path, 0);
  return sum;
}

// File names in cgroup v1 and v2.
struct version {
  std::string_view file_system, controller;  // file system and controller of the mount, and in /proc/self/cgroup
  std::array<std::string_view, 2> limits;
  std::string_view used;
  std::array<std::string_view, 2> cache;
};
constexpr version first{
    "cgroup", "memory", {"memory.limit_in_bytes", ""}, "memory.usage_in_bytes", {"total_inactive_file", "total_active_file"}};
constexpr version second{"cgroup2", "", {"memory.max", "memory.high"}, "memory.current", {"inactive_file", "active_file"}};

// Returns the memory that the limits of one group leave. Page cache counts as used but can be reclaimed.
std::size_t left_in_group(fs::path const& group, version const& names) {
  std::size_t limit = unlimited;  // version 2 says "max" where there is none
  for (std::string_view const name : names.limits)
    if (!name.empty()) limit = std::min(limit, number_in(group / name, unlimited));
  fs::path const stat = group / "memory.stat";
  limit = std::min(limit, number_after("hierarchical_memory_limit", stat,
                                       unlimited));  // version 1 also states limits of groups out of sight
  if (limit == unlimited) return unlimited;
  return less(limit, less(number_in(group / names.used, 0), sum_after(names.cache, stat)));
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
  explicit group_files(std::string const& root) : groups(read_text(root + "/proc/self/cgroup")) {
    if (!groups.empty()) mounts = read_text(root + "/proc/self/mountinfo");
  }

 private:
  static std::string read_text(std::string const& path) {
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

std::optional<mount> find_mount(group_files const& files, version const& names) {
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

// Returns the folders of the groups of one hierarchy, from the uppermost visible one to that of the process.
std::vector<fs::path> group_folders(std::string const& root, group_files const& files, version const& names) {
  auto const group = group_of_process(files, names);
  if (!group) return {};
  auto const seen = find_mount(files, names);
  if (!seen) return {};
  // In a container the path may lead elsewhere. Its own group is mounted then.
  fs::path inside = fs::path(*group).lexically_relative(seen->top);
  if (inside.empty() || *inside.begin() == "..") inside = ".";
  std::vector<fs::path> folders{root + seen->place};
  for (fs::path const& part : inside)
    if (part != ".") folders.push_back(folders.back() / part);
  return folders;
}

// The control groups of the process, of both versions. A process may move to another group, but hardly does.
class control_groups {
 public:
  explicit control_groups(std::string const& root) {
    group_files const files(root);
    first_ = group_folders(root, files, first);
    second_ = group_folders(root, files, second);
  }
  // Returns the memory that their limits leave.
  [[nodiscard]] std::size_t left() const {
    std::size_t left = unlimited;
    for (fs::path const& folder : first_) left = std::min(left, left_in_group(folder, first));
    for (fs::path const& folder : second_) left = std::min(left, left_in_group(folder, second));
    return left;
  }

 private:
  std::vector<fs::path> first_, second_;
};

control_groups const& own_groups() {
  static auto const& groups = *new control_groups("");  // threads may outlive main
  return groups;
}

// Returns a number of /proc/meminfo in bytes.
std::size_t of_system(std::string_view name, std::string const& root, std::size_t otherwise) {
  std::size_t const kib = number_after(name, root + "/proc/meminfo", unlimited);
  return kib == unlimited ? otherwise : kib * 1024;
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
  std::size_t const left = root.empty() ? own_groups().left() : control_groups(root).left();
  return std::min({of_system("MemAvailable:", root, unlimited), left, left_in_process(root)});
}

std::size_t memory_before_kill() {
  std::size_t const available = of_system("MemAvailable:", "", unlimited);
  std::size_t const system = available == unlimited ? unlimited : available + of_system("SwapFree:", "", 0);
  return std::min(system, own_groups().left());
}

}  // namespace ordo::inline v0::cli
