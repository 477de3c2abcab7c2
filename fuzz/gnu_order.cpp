// Lines and keys. The sort writes what the installed sort writes.
#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz/keys_of.hpp"
#include "ordo/strings.hpp"

using namespace ordo;

namespace {

// The order as options of sort.
std::vector<std::string> to_arguments(strings::order const& by) {
  std::vector<std::string> words{"sort"};
  if (by.reverse) words.push_back("-r");
  if (!by.last_resort) words.push_back("-s");
  if (by.separator) words.push_back(fmt::format("-t{}", *by.separator));
  for (strings::key const& k : by.keys) {
    std::string flags(1, "-ngjMV"[std::size_t(k.type)]);
    if (k.type == strings::key_type::bytes) flags.clear();
    if (k.type == strings::key_type::human_number) flags = "h";
    if (k.fold_case) flags += 'f';
    if (k.dictionary) flags += 'd';
    if (k.ignore_unprinted) flags += 'i';
    if (k.reverse) flags += 'r';
    // A key without letters has those of the command: -r.
    if (by.reverse && flags.empty() && !k.skip_blanks_at_first && !k.skip_blanks_at_end) flags = "";
    std::string word =
        fmt::format("-k{}.{}{}{}", k.first_field + 1, k.first_character + 1, flags, k.skip_blanks_at_first ? "b" : "");
    if (k.last_field != strings::key::to_the_end)
      word += fmt::format(",{}.{}{}", k.last_field + 1, k.end_character, k.skip_blanks_at_end ? "b" : "");
    words.push_back(word);
  }
  return words;
}

class memory_file {
 public:
  memory_file() : fd_(memfd_create("fuzz", MFD_CLOEXEC)) {}
  ~memory_file() { close(fd_); }
  memory_file(memory_file const&) = delete;
  memory_file& operator=(memory_file const&) = delete;
  operator int() const { return fd_; }

 private:
  int fd_;
};

std::string output_of_sort(strings::order const& by, std::string_view text) {
  memory_file const in, out;
  fuzz::require(write(in, text.data(), text.size()) == ssize_t(text.size()) && lseek(in, 0, SEEK_SET) == 0, "a file of memory");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in, 0);
  posix_spawn_file_actions_adddup2(&actions, out, 1);
  std::vector<std::string> words = to_arguments(by);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  char locale[] = "LC_ALL=C";
  std::array<char*, 2> environment{locale, nullptr};
  pid_t child = 0;
  fuzz::require(posix_spawn(&child, "/usr/bin/sort", &actions, nullptr, arguments.data(), environment.data()) == 0,
                "sort starts");
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  fuzz::require(status == 0, "sort succeeds");
  std::string result(std::size_t(lseek(out, 0, SEEK_END)), '\0');
  fuzz::require(pread(out, result.data(), result.size(), 0) == ssize_t(result.size()), "a file of memory is read");
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  fuzz::fuzzed_bytes bytes(data, size);
  strings::sort_options options;
  options.by = fuzz::make_order(bytes);
  options.machine = fuzz::one_thread();
  for (strings::key& k : options.by.keys) {
    // Releases of sort differ in versions; and a long double of a "nan" may hold any bits.
    if (k.type == strings::key_type::version) k.type = strings::key_type::number;
    // A key without letters of its own has those of the command, -r.
    if (k.type == strings::key_type::bytes && !k.fold_case && !k.dictionary && !k.ignore_unprinted && !k.reverse &&
        !k.skip_blanks_at_first && !k.skip_blanks_at_end)
      k.reverse = options.by.reverse;
  }
  std::string_view const text = bytes.rest().substr(0, 4096);
  auto const is_general = [](strings::key const& k) { return k.type == strings::key_type::general_number; };
  auto const is_human = [](strings::key const& k) { return k.type == strings::key_type::human_number; };
  if (std::ranges::any_of(options.by.keys, is_general) && text.find_first_of("nN") != text.npos) return 0;
  if (std::ranges::any_of(options.by.keys, is_human) && text.find_first_of("RQ") != text.npos) return 0;
  // In 9.1 this byte separates thousands.
  auto const is_decimal = [&](strings::key const& k) { return k.type == strings::key_type::number || is_human(k); };
  if (std::ranges::any_of(options.by.keys, is_decimal) && text.find('\x80') != text.npos) return 0;

  auto const sorted = strings::sort(text, options);
  std::string output;
  for (std::size_t k = 0; k < sorted.size(); ++k) output.append(sorted[k]).push_back('\n');
  fuzz::require(output == output_of_sort(options.by, text), "lines are in the order of the installed sort");
  return 0;
}
