#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <getopt.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sort_core/error.hpp"
#include "strings/strings.hpp"
#include "tools/cli/available_memory.hpp"
#include "tools/cli/input.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/output.hpp"
#include "tools/cli/progress.hpp"
#include "tools/cli/run_main.hpp"
#include "tools/cli/stats.hpp"
#include "tools/cli/watched.hpp"

// The options, their errors and the order of all checks are those of GNU sort 9 (src/sort.c, main).
namespace {

using namespace ordo;

struct command {
  bool reverse = false, unique = false;
  char delimiter = '\n';
  char check = 0;  // 'c', 'C' or none
  std::optional<std::string> output, files_from;
  std::vector<std::string> files;
  cli::common_options common;

  [[nodiscard]] strings::options options() const {
    strings::options how;
    how.by.reverse = reverse;
    how.delimiter = delimiter;
    how.machine = common.machine();
    return how;
  }
};

enum : int { option_check = 2000, option_files_from, option_parallel, option_help, option_version, option_refused };

// GNU sort's, so that abbreviations mean what they mean there, and ours. "st" and "sta", which --stats would make ambiguous,
// stay --stable.
constexpr option long_options[] = {{"batch-size", required_argument, nullptr, option_refused},
                                   {"buffer-size", required_argument, nullptr, option_refused},
                                   {"check", optional_argument, nullptr, option_check},
                                   {"compress-program", required_argument, nullptr, option_refused},
                                   {"debug", no_argument, nullptr, option_refused},
                                   {"dictionary-order", no_argument, nullptr, option_refused},
                                   {"field-separator", required_argument, nullptr, option_refused},
                                   {"files0-from", required_argument, nullptr, option_files_from},
                                   {"general-numeric-sort", no_argument, nullptr, option_refused},
                                   {"human-numeric-sort", no_argument, nullptr, option_refused},
                                   {"ignore-case", no_argument, nullptr, option_refused},
                                   {"ignore-leading-blanks", no_argument, nullptr, option_refused},
                                   {"ignore-nonprinting", no_argument, nullptr, option_refused},
                                   {"key", required_argument, nullptr, option_refused},
                                   {"merge", no_argument, nullptr, option_refused},
                                   {"month-sort", no_argument, nullptr, option_refused},
                                   {"numeric-sort", no_argument, nullptr, option_refused},
                                   {"output", required_argument, nullptr, 'o'},
                                   {"parallel", required_argument, nullptr, option_parallel},
                                   {"random-sort", no_argument, nullptr, option_refused},
                                   {"random-source", required_argument, nullptr, option_refused},
                                   {"reverse", no_argument, nullptr, 'r'},
                                   {"sort", required_argument, nullptr, option_refused},
                                   {"st", no_argument, nullptr, 's'},
                                   {"sta", no_argument, nullptr, 's'},
                                   {"stable", no_argument, nullptr, 's'},
                                   {"temporary-directory", required_argument, nullptr, option_refused},
                                   {"unique", no_argument, nullptr, 'u'},
                                   {"version-sort", no_argument, nullptr, option_refused},
                                   {"zero-terminated", no_argument, nullptr, 'z'},
                                   {"device", required_argument, nullptr, cli::option_device},
                                   {"quiet", no_argument, nullptr, cli::option_quiet},
                                   {"stats", required_argument, nullptr, cli::option_stats},
                                   {"threads", required_argument, nullptr, cli::option_threads},
                                   {"verbose", no_argument, nullptr, cli::option_verbose},
                                   {"help", no_argument, nullptr, option_help},
                                   {"version", no_argument, nullptr, option_version},
                                   {nullptr, 0, nullptr, 0}};
// '-' in front: operands come in their turn, as 1. ':' next: getopt prints nothing itself.
constexpr char short_options[] = "-:bcCdfghik:mMno:rRsS:t:T:uVy:z";

constexpr char help_text[] = R"(Usage: strsort [OPTION]... [FILE]...
  or:  strsort [OPTION]... --files0-from=F
Write the sorted lines of all FILEs to standard output: byte for byte what LC_ALL=C sort writes, whatever the
locale. Without FILE, or where FILE is -, read standard input. A FILE of gzip, bzip2, xz or zstd data is
decompressed.

  -r, --reverse           the greatest line first
  -u, --unique            of equal lines only the first; with -c, equal lines are out of order
  -s, --stable            equal lines in the order of the input; they always are
  -z, --zero-terminated   lines end with NUL, not newline
  -c, --check             check that the one FILE is sorted; say where it is not, and exit with 1
  -C, --check=quiet       the same without a word
  -o, --output=FILE       write to FILE, which may be one of the inputs; compressed if it is named .gz, .bgz,
                          .bz2, .xz or .zst [-: standard output]
      --parallel=N        GNU's name for --threads
      --files0-from=F     read the files that F names, each name ended by NUL; - is standard input
{}      --help              print this and exit
      --version           print version, compiler and devices

GNU sort's other options are known, and refused. The input has to fit in memory.
Exit status: 0 done, 1 a check found disorder, 2 anything wrong.
)";

[[noreturn]] void bad_usage(std::string const& what) {
  throw usage_error(what + " (see strsort --help)");
}

char parse_check(char const* word) {
  if (!word) return 'c';
  std::string_view const given = word;
  std::string kinds;
  for (std::string_view const name : {"quiet", "silent", "diagnose-first"})
    if (!given.empty() && name.starts_with(given)) kinds += name == "diagnose-first" ? 'c' : 'C';
  if (kinds.size() != 1) bad_usage(fmt::format("invalid argument '{}' for '--check'", given));
  return kinds.front();
}

// More threads than processors gain nothing.
unsigned parse_parallel(char const* text) {
  std::string_view digits = text;
  while (!digits.empty() && std::isspace(static_cast<unsigned char>(digits.front()))) digits.remove_prefix(1);
  if (digits.starts_with('+')) digits.remove_prefix(1);
  unsigned const most = std::max(1u, std::thread::hardware_concurrency());
  std::size_t number = 0;
  for (char const c : digits) {
    if (!std::isdigit(static_cast<unsigned char>(c))) bad_usage(fmt::format("invalid --parallel argument '{}'", text));
    number = std::min<std::size_t>(10 * number + std::size_t(c - '0'), most);
  }
  if (digits.empty()) bad_usage(fmt::format("invalid --parallel argument '{}'", text));
  if (number == 0) throw usage_error("number in parallel must be nonzero");
  return unsigned(number);
}

void set_check(command& made, char kind) {
  if (made.check != 0 && made.check != kind) throw usage_error("options '-cC' are incompatible");
  made.check = kind;
}

void add_operand(command& made, std::string_view operand) {
  if (operand.size() > 1 && operand[0] == '+' && std::isdigit(static_cast<unsigned char>(operand[1])))
    throw usage_error(fmt::format("key {} is not supported yet: a file of that name is ./{}", operand, operand));
  made.files.emplace_back(operand);
}

// Nothing where help or version was asked for, and printed.
std::optional<command> parse(int argc, char** argv) {
  command made;
  bool const posixly_correct = std::getenv("POSIXLY_CORRECT") != nullptr;
  auto const is_output = [&] {
    return made.check == 0 && optind != argc && std::strncmp(argv[optind], "-o", 2) == 0 &&
           (argv[optind][2] != 0 || optind + 1 != argc);
  };
  for (int code = 0;;) {
    int row = -1;
    // With POSIXLY_CORRECT everything behind the first operand is one too, but for -o.
    if (code == -1 || (posixly_correct && !made.files.empty() && !is_output()) ||
        (code = getopt_long(argc, argv, short_options, long_options, &row)) == -1) {
      if (optind >= argc) break;
      made.files.emplace_back(argv[optind++]);
      continue;
    }
    char const* const value = optarg;
    if (cli::take_common_option(code, value, made.common)) continue;
    switch (code) {
      case 1:
        add_operand(made, value);
        break;
      case 'c':
      case 'C':
        set_check(made, char(code));
        break;
      case option_check:
        set_check(made, parse_check(value));
        break;
      case 'o':
        if (made.output && *made.output != value) throw usage_error("multiple output files specified");
        made.output = value;
        break;
      case 'r':
        made.reverse = true;
        break;
      case 's':  // equal lines are the same bytes, and the sort is stable
        break;
      case 'u':
        made.unique = true;
        break;
      case 'z':
        made.delimiter = '\0';
        break;
      case option_files_from:
        made.files_from = value;
        break;
      case option_parallel:
        made.common.threads = parse_parallel(value);
        break;
      case option_help:
        fmt::print(help_text, cli::common_help());
        return {};
      case option_version:
        fmt::print("{}", cli::version_text("strsort"));
        return {};
      case ':':
        bad_usage(fmt::format("option requires an argument: {}", argv[optind - 1]));
      case '?':
        bad_usage(optopt > 0 && optopt < 256 ? fmt::format("invalid option: -{}", char(optopt))
                                             : fmt::format("invalid or ambiguous option: {}", argv[optind - 1]));
      case option_refused:
        throw usage_error(fmt::format("option --{} is not supported yet", long_options[row].name));
      default:
        throw usage_error(fmt::format("option -{} is not supported yet", char(code)));
    }
  }
  return made;
}

void read_file_names(command& made) {
  if (!made.files_from) return;
  std::string const& from = *made.files_from;
  if (!made.files.empty())
    bad_usage(fmt::format("extra operand '{}': file operands cannot be combined with --files0-from", made.files.front()));
  cli::bytes const names = cli::read_all(from);
  std::string_view rest(names.data(), names.size());
  while (!rest.empty()) {
    std::string_view const name = rest.substr(0, rest.find('\0'));
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
    if (name == "-") throw input_error(fmt::format("{}: no file name of '-' allowed", from));
    if (name.empty()) throw input_error(fmt::format("{}:{}: invalid zero-length file name", from, made.files.size() + 1));
    made.files.emplace_back(name);
  }
  if (made.files.empty()) throw input_error(fmt::format("no input from '{}'", from));
}

int check(command const& made, cli::stats& stats) {
  std::string const& path = made.files.front();
  cli::progress progress("strsort", made.common, made.files, "");
  cli::input in(path, made.common.threads);
  progress.phase("checking", in.file_size().value_or(0));
  stats.phase("check");
  strings::order_check order(made.options(), made.unique);
  std::vector<char> block(std::size_t{1} << 20);
  bool in_order = true;
  for (std::size_t got = block.size(); in_order && got == block.size();) {
    got = in.read(block);
    stats.input(got);
    stats.bytes(got);
    in_order = order.feed({block.data(), got}) && (got == block.size() || order.finish());
    progress.at(in.file_read());
  }
  if (in_order) return 0;
  if (made.check == 'c')
    cli::tell(fmt::format("strsort: {}:{}: disorder: {}{}", path, order.number(), order.line(), made.delimiter));
  return 1;
}

// What regular files among them have left to read, together.
std::uint64_t known_bytes(std::vector<std::string> const& files) {
  std::uint64_t sum = 0;
  for (std::string const& file : files) {
    struct stat info {};
    int const failed = file == "-" ? fstat(STDIN_FILENO, &info) : stat(file.c_str(), &info);
    if (failed != 0 || !S_ISREG(info.st_mode)) continue;
    off_t const at = file == "-" ? std::max<off_t>(lseek(STDIN_FILENO, 0, SEEK_CUR), 0) : 0;
    sum += std::uint64_t(std::max<off_t>(info.st_size - at, 0));
  }
  return sum;
}

int sort(command const& made, cli::stats& stats) {
  for (std::string const& file : made.files)
    if (file != "-" && faccessat(AT_FDCWD, file.c_str(), R_OK, AT_EACCESS) != 0)
      throw input_error(fmt::format("cannot read: {}: {}", file, std::strerror(errno)));
  cli::output out(made.output.value_or("-"), made.common.threads);
  cli::progress progress("strsort", made.common, made.files, made.output.value_or("-"));

  std::atomic<std::uint64_t> read = 0;
  strings::texts const files{made.files.size(), known_bytes(made.files), [&](std::size_t k) {
                               return std::make_unique<cli::watched_input>(made.files[k], made.common.threads, progress, read);
                             }};
  cli::watched_output watched(out, progress);
  auto const began = [&](strings::phase what, std::uint64_t bytes) {
    constexpr std::string_view names[] = {"read", "sort", "write"}, shown[] = {"reading", "sorting", "writing"};
    auto const row = static_cast<std::size_t>(what);
    progress.phase(shown[row], what == strings::phase::sort ? 0 : bytes);
    stats.phase(names[row]);
  };
  strings::options how = made.options();
  how.memory = cli::available_memory();
  auto const done = strings::sort(files, watched, how, made.unique ? strings::repeated::drop : strings::repeated::keep, began);
  out.commit();
  stats.bytes(done.written);
  stats.phase("sort");
  stats.bytes(done.bytes);
  stats.phase("read");
  stats.bytes(done.bytes);
  stats.input(done.bytes);
  stats.machine(done.machine);
  stats.device_memory(done.device_memory);
  return 0;
}

int run(int argc, char** argv) {
  std::optional<command> const parsed = parse(argc, argv);
  if (!parsed) return 0;
  command made = *parsed;
  read_file_names(made);
  if (made.files.empty()) made.files = {"-"};
  if (made.check != 0 && made.files.size() > 1)
    throw usage_error(fmt::format("extra operand '{}' not allowed with -{}", made.files[1], made.check));
  if (made.check != 0 && made.output) throw usage_error(fmt::format("options '-{}o' are incompatible", made.check));
  made.common.check_machine();
  cli::stats stats("strsort", argc, argv, made.common);
  stats.refuse_inputs(made.files);
  if (made.files_from) stats.refuse_inputs({*made.files_from});
  int const status = made.check != 0 ? check(made, stats) : sort(made, stats);
  stats.finish();
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  return ordo::cli::run_main("strsort", [&] { return run(argc, argv); });
}
