#include "tools/strsort/sort_at_once.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "ordo/strings/line_comparison.hpp"
#include "strings/sort/few_lines.hpp"
#include "tools/cli/files/read_input.hpp"
#include "tools/cli/options/option_table.hpp"
#include "tools/strsort/options/command.hpp"

namespace ordo::inline v0::strsort {
namespace {

constexpr std::size_t max_bytes = std::size_t{256} << 10;
constexpr std::size_t min_room = std::size_t{16} << 10;

// Thrown if the program has to do the work.
struct for_the_program {};

// The options of plain command lines, with the letters that stand for them.
struct plain_option {
  char letter;
  std::string_view name;
  bool has_value = false, has_optional_value = false;
};
constexpr plain_option plain_options[] = {{'b', "ignore-leading-blanks"},
                                          {'c', "check", false, true},
                                          {'C', {}},
                                          {'d', "dictionary-order"},
                                          {'f', "ignore-case"},
                                          {'g', "general-numeric-sort"},
                                          {'h', "human-numeric-sort"},
                                          {'i', "ignore-nonprinting"},
                                          {'k', "key", true},
                                          {'M', "month-sort"},
                                          {'n', "numeric-sort"},
                                          {'r', "reverse"},
                                          {'s', "stable"},
                                          {'S', "buffer-size", true},
                                          {'t', "field-separator", true},
                                          {'T', "temporary-directory", true},
                                          {'u', "unique"},
                                          {'V', "version-sort"},
                                          {'z', "zero-terminated"},
                                          {0, "parallel", true},
                                          {0, "locale", false, true}};

bool is_small_number(std::string_view text) {
  return !text.empty() && text.size() < 6 && text[0] != '0' && text.find_first_not_of("0123456789") == text.npos;
}

// Reads command lines that need nothing but the sort. All others, wrong ones among them, are for the program.
class plain_parser final : public cli::argument_parser {
 public:
  plain_parser() {
    for (plain_option const& o : plain_options)
      options_.push_back({.letter = o.letter,
                          .name = o.name,
                          .value = o.has_value || o.has_optional_value ? "VALUE" : "",
                          .optional_value = o.has_optional_value});
  }
  // Returns nothing if the program has to do the work: the first exception of a process takes longer than reading its
  // arguments.
  std::optional<command> finish() && { return plain_ ? std::optional(std::move(command_)) : std::nullopt; }

 private:
  bool is_complete() const override { return !plain_; }
  cli::option const* find(char letter) const override {
    auto const it = std::ranges::find(options_, letter, &cli::option::letter);
    return it == options_.end() || letter == 0 ? nullptr : &*it;
  }
  cli::option const* find(std::string_view name, std::string_view) const override {
    auto const it = std::ranges::find(options_, name, &cli::option::name);
    return it == options_.end() || name.empty() ? nullptr : &*it;
  }
  void apply(cli::option const& given, std::string_view, std::string_view value) override {
    auto const need = [this](bool condition) { plain_ &= condition; };
    switch (given.letter) {
      case 'c':
      case 'C':
        need(value.data() == nullptr && (command_.check == 0 || command_.check == given.letter));
        command_.check = given.letter;
        break;
      case 'k':
        command_.keys.push_back(parse_key(value));
        break;
      case 's':
        command_.stable = true;
        break;
      case 'S': {
        std::string_view const number = value.substr(0, std::min(value.find_first_not_of("0123456789"), value.size()));
        std::string_view const unit = value.substr(number.size());
        need(is_small_number(number) &&
             (unit.empty() || (unit.size() == 1 && std::string_view("KMGb%").find(unit[0]) != unit.npos)));
        break;
      }
      case 't':
        need(value.size() == 1 && command_.separator.value_or(value[0]) == value[0]);
        command_.separator = value[0];
        break;
      case 'T':
        break;
      case 'u':
        command_.unique = true;
        break;
      case 'z':
        command_.delimiter = '\0';
        break;
      case 0:
        if (given.name == "parallel") {
          need(is_small_number(value));
        } else {
          need(value.data() == nullptr || !value.empty());
          command_.locale = value;
        }
        break;
      default:
        need(command_.global.set(given.letter));
    }
  }
  void add_operand(std::string_view operand, bool literal) override {
    if (!literal && operand.starts_with('+')) plain_ = false;  // it may be a key
    command_.files.emplace_back(operand);
  }
  void refuse(misuse, cli::option const*, std::string_view) override { plain_ = false; }

  std::vector<cli::option> options_;
  command command_;
  bool plain_ = true;
};

// Returns the order of a command line, for the locale that the program would use.
strings::order plain_order(command const& made, caller const& called) {
  if (!std::ranges::all_of(made.keys, [](given_key const& key) { return !key.pattern && !key.options.own; }))
    throw for_the_program{};
  strings::order by = made.order_without_patterns();
  if (!made.locale) {
    strings::order around;
    around.locale = environment_locale();
    bool const is_c = around.locale == "C" || around.locale == "POSIX";
    if (!called.is_gnu() && around.is_collated() && isatty(STDERR_FILENO)) throw for_the_program{};  // which warns of it
    if (called.is_gnu() && !is_c && (!by.keys.empty() || around.is_collated())) by.locale = around.locale;
  }
  for (strings::key const& key : by.keys)
    if (key.type == strings::key_type::random) throw for_the_program{};
  return by;
}

// Returns true if the environment may change what the program does.
bool is_special_environment() {
  for (char** variable = environ; variable && *variable; ++variable) {
    std::string_view const text = *variable;
    for (std::string_view const name : {"ORDO_DEVICE=", "ORDO_READ_INPUT=", "POSIXLY_CORRECT=", "_POSIX2_VERSION=",
                                        "OMPI_COMM_WORLD_SIZE=", "PMI_SIZE=", "SLURM_NTASKS="})
      if (text.starts_with(name) && text != "ORDO_DEVICE=cpu") return true;
  }
  return false;
}

// Returns true if the program would inflate a file.
bool may_be_compressed(std::string_view bytes, std::string_view path) {
  for (std::string_view const magic : {"\x1f\x8b", "BZh",
                                       "\xfd"
                                       "7zXZ",
                                       "\x28\xb5\x2f\xfd", "\x2a\x4d\x18"})
    if (bytes.starts_with(magic) || (bytes.size() > 1 && bytes.substr(1).starts_with(magic))) return true;
  std::size_t const dot = path.rfind('.');
  if (dot == path.npos || bytes.size() > 18) return false;
  std::string ending(path.substr(dot + 1));
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  constexpr std::string_view known[] = {"gz", "bgz", "bgzf", "bz2", "xz", "zst", "zstd"};
  return std::ranges::find(known, ending) != std::end(known);
}

// The texts of a command line, each with a delimiter at its end.
class input_texts {
 public:
  explicit input_texts(char delimiter) : delimiter_(delimiter) {}

  // Reads a regular file, or standard input.
  void add(std::string const& path, bool may_inflate) {
    struct stat info {};
    // A pipe that is opened and closed again would end its writer.
    if (path != "-" && (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode))) throw for_the_program{};
    int const fd = path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
    try {
      if (fd < 0 || fstat(fd, &info) != 0 || (path != "-" && fd <= STDERR_FILENO)) throw for_the_program{};
      // The end of a terminal would have to be typed twice if the program reads it, too.
      if (path == "-" && S_ISCHR(info.st_mode) && isatty(fd)) throw for_the_program{};
      std::size_t const begin = text_.size();
      read(fd, info, path == "-");
      if (may_inflate && may_be_compressed(std::string_view(text_).substr(begin), path)) throw for_the_program{};
      if (text_.size() != begin && text_.back() != delimiter_) text_.push_back(delimiter_);
    } catch (...) {
      if (fd > STDERR_FILENO) close(fd);
      throw;
    }
    if (path != "-") close(fd);
  }
  [[nodiscard]] std::string_view view() const { return text_; }
  // Lets the program read all of standard input. @returns false, with errno, if it cannot
  bool give_back() const noexcept {
    if (input_at_ >= 0) return lseek(STDIN_FILENO, input_at_, SEEK_SET) == input_at_;
    return cli::keep_for_reader(std::string_view(text_).substr(input_begin_, input_bytes_));
  }

 private:
  void read(int fd, struct stat const& info, bool is_standard_input) {
    bool const is_file = S_ISREG(info.st_mode);
    off_t const at = !is_file ? -1 : is_standard_input ? lseek(fd, 0, SEEK_CUR) : 0;
    if (is_file && (at < 0 || info.st_size <= at || std::size_t(info.st_size - at) > max_bytes - text_.size())) {
      // The files of /proc have no size.
      if (at < 0 || info.st_size != at || info.st_blocks != 0 || info.st_size != 0) throw for_the_program{};
    }
    std::size_t const begin = text_.size();
    if (is_standard_input && input_bytes_ == 0) {
      input_at_ = at;
      input_begin_ = begin;
    }
    for (std::size_t end = begin;;) {
      std::size_t const room = is_file ? std::size_t(info.st_size - at) - (end - begin) + 1 : min_room;
      text_.resize(end + room);
      ssize_t const got = ::read(fd, text_.data() + end, room);
      text_.resize(end + std::size_t(std::max<ssize_t>(got, 0)));
      if (is_standard_input) input_bytes_ += text_.size() - end;
      end = text_.size();
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 || end > max_bytes) throw for_the_program{};
      if (got == 0) break;
    }
    if (is_file && text_.size() - begin != std::size_t(info.st_size - at)) throw for_the_program{};
  }

  std::string text_;
  char delimiter_;
  off_t input_at_ = -1;                            // where standard input stood, if it is a file
  std::size_t input_begin_ = 0, input_bytes_ = 0;  // the part of text_ that was read from standard input
};

// Returns false if nothing was written. @throws std::string  the reason of the system for an output that is not complete
bool write_out(std::string_view text) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that becomes too large is an error
  for (bool first = true; !text.empty();) {
    ssize_t const done = write(STDOUT_FILENO, text.data(), text.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0 && first) return false;
    if (done < 0) throw std::string(std::strerror(errno));
    text.remove_prefix(std::size_t(done));
    first = false;
  }
  // Some file systems report a failed write only to close(). Closing a copy leaves the descriptor open for others.
  errno = 0;
  if (int const copy = dup(STDOUT_FILENO); copy >= 0 && close(copy) != 0) throw std::string(std::strerror(errno ? errno : EIO));
  return true;
}

// Returns the number of the first line that is out of order, from 1 on, and the line; or 0.
std::pair<std::size_t, std::string_view> find_disorder(std::string_view text, command const& made, strings::order const& by) {
  auto const lines = std::size_t(std::ranges::count(text, made.delimiter));
  strings::line_comparison const compare(by, made.delimiter, strings::detail::collation_for(lines));
  std::string_view before;
  for (std::size_t number = 1; !text.empty(); ++number) {
    std::string_view const line = text.substr(0, text.find(made.delimiter));
    if (number != 1 && (made.unique ? compare.by_keys(before, line) >= 0 : compare(before, line) > 0)) return {number, line};
    before = line;
    text.remove_prefix(line.size() + 1);
  }
  return {};
}

std::optional<int> sort_or_throw(std::span<char const* const> arguments, caller const& called,
                                 std::optional<input_texts>& texts) {
  plain_parser parser;
  parser.parse(arguments);
  std::optional<command> parsed = std::move(parser).finish();
  if (!parsed) return std::nullopt;
  command& made = *parsed;
  if (made.files.empty()) made.files = {"-"};
  if ((made.check != 0 && made.files.size() > 1) || std::ranges::count(made.files, "-") > 1) return std::nullopt;
  strings::order const by = plain_order(made, called);
  for (int const fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(fd, F_GETFD) == -1) return std::nullopt;
  texts.emplace(made.delimiter);
  for (std::string const& file : made.files) texts->add(file, !called.is_gnu());
  if (made.check != 0) {
    auto const [number, line] = find_disorder(texts->view(), made, by);
    if (number == 0) return 0;
    if (made.check == 'c') {
      std::string const said =
          fmt::format("{}: {}:{}: disorder: {}{}", called.name(), made.files[0], number, line, made.delimiter);
      if (std::fwrite(said.data(), 1, said.size(), stderr) != said.size()) throw for_the_program{};
    }
    return 1;
  }
  std::string const sorted = strings::detail::sort_few_lines(texts->view(), by, made.delimiter, made.unique);
  if (!write_out(sorted)) throw for_the_program{};
  return 0;
}

}  // namespace

std::optional<int> sort_at_once(int argc, char** argv) noexcept {
  if (argc < 1 || is_special_environment()) return std::nullopt;
  std::optional<input_texts> texts;
  try {
    caller const called(argv[0]);
    try {
      return sort_or_throw({argv + 1, argv + argc}, called, texts);
    } catch (std::string const& why) {
      std::string const message = called.reworded("cannot write: standard output: " + why, true);
      std::fprintf(stderr, "%s: %s\n", called.name().c_str(), message.c_str());
      return 2;
    }
  } catch (...) {
    if (!texts || texts->give_back()) return std::nullopt;
    std::fprintf(stderr, "%s: cannot read: standard input: %s\n", argv[0], std::strerror(errno));
    return 2;
  }
}

}  // namespace ordo::inline v0::strsort
