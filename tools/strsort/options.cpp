#include "tools/strsort/options.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "tools/strsort/generate.hpp"

namespace ordo::strsort {
namespace {

struct word {
  std::string_view name;
  char letter;
};

// The letter of the word that the value abbreviates, or 0 and a message in the command's place. Words of one letter mean the
// same.
char letter_of(std::span<word const> words, std::string_view choices, command& made, value_of const& given) {
  std::string found;
  for (word const& w : words) {
    if (w.name == given.value) return w.letter;
    if (w.name.starts_with(given.value) && found.find(w.letter) == found.npos) found += w.letter;
  }
  if (found.size() == 1) return found.front();
  // GNU sort takes a bad word for the failure of another program, and exits with 1. That is a check's disorder everywhere else.
  made.instead = {given.by.bad_word(fmt::format("{} argument {} for {}", found.empty() ? "invalid" : "ambiguous",
                                                quoted(given.value), quoted(given.option)),
                                    choices),
                  given.by.is_gnu() ? 1 : 2};
  return 0;
}

void set_check(command& made, char kind) {
  if (made.check != 0 && made.check != kind) throw usage_error("options '-cC' are incompatible");
  made.check = kind;
}

void check_by_word(command& made, value_of const& given) {
  static constexpr std::array<word, 3> words{{{"quiet", 'C'}, {"silent", 'C'}, {"diagnose-first", 'c'}}};
  if (given.value.data() == nullptr) return set_check(made, 'c');
  if (char const kind = letter_of(words, "  - 'quiet', 'silent'\n  - 'diagnose-first'", made, given)) set_check(made, kind);
}

void sort_by_word(command& made, value_of const& given) {
  static constexpr std::array<word, 6> words{
      {{"general-numeric", 'g'}, {"human-numeric", 'h'}, {"month", 'M'}, {"numeric", 'n'}, {"random", 'R'}, {"version", 'V'}}};
  made.global.set(
      letter_of(words, "  - 'general-numeric'\n  - 'human-numeric'\n  - 'month'\n  - 'numeric'\n  - 'random'\n  - 'version'",
                made, given));
}

void set_separator(command& made, value_of const& given) {
  if (given.value.empty()) throw usage_error("empty tab");
  bool const is_nul = given.value == "\\0";
  if (given.value.size() > 1 && !is_nul) throw usage_error(fmt::format("multi-character tab {}", quoted(given.value)));
  char const separator = is_nul ? '\0' : given.value[0];
  if (made.separator && *made.separator != separator) throw usage_error("incompatible tabs");
  made.separator = separator;
}

void set_once(std::optional<std::string>& place, std::string_view value, std::string_view what) {
  if (place && *place != value) throw usage_error(fmt::format("multiple {} specified", what));
  place = value;
}

using setter = std::function<void(command& made, value_of const& given)>;

// An option of one letter that changes how lines are compared.
option orders(char letter, std::string_view name, std::string_view help) {
  return {letter, name, {}, argument::none, section::ordering, {}, help, [letter](command& made, value_of const&) {
            made.global.set(letter);
          }};
}
option flag(char letter, std::string_view name, section where, std::string_view help, setter set) {
  return {letter, name, {}, argument::none, where, {}, help, std::move(set)};
}
option flag(char letter, std::string_view name, section where, std::string_view help, bool command::*set) {
  return flag(letter, name, where, help, [set](command& made, value_of const&) { made.*set = true; });
}
option valued(char letter, std::string_view name, std::string_view value, section where, std::string_view help, setter set,
              std::string_view choices = {}) {
  return {letter, name, value, argument::required, where, choices, help, std::move(set)};
}

std::vector<option> make_table() {
  using enum section;
  std::vector<option> rows{
      orders('b', "ignore-leading-blanks", "keys begin and end behind the blanks of their fields"),
      {'c', "check", "WORD", argument::optional, other, "diagnose-first quiet silent",
       "check that the one FILE is in order; say where it is not, or (quiet) do not, and exit with 1", check_by_word},
      flag('C', {}, other, "the same as --check=quiet", [](command& made, value_of const&) { set_check(made, 'C'); }),
      valued(0, "compress-program", "PROG", other, "compress temporary files by PROG, decompress them by PROG -d",
             [](command& made, value_of const& given) { set_once(made.compress_program, given.value, "compress programs"); }),
      flag(0, "debug", other, "underline the keys of each line, and say on stderr what looks like a mistake", &command::debug),
      orders('d', "dictionary-order", "compare letters, digits and blanks only"),
      orders('f', "ignore-case", "compare small letters as capitals"),
      valued(0, "files0-from", "F", other, "read the files that F names, each name ended by NUL; - is standard input",
             [](command& made, value_of const& given) { made.files_from = given.value; }),
      orders('g', "general-numeric-sort", "compare numbers of any form, with exponents, inf and nan"),
      orders('i', "ignore-nonprinting", "compare printing characters only"),
      valued('k', "key", "KEYDEF", other, "compare by this part of the line; the first of several keys goes first",
             [](command& made, value_of const& given) { made.keys.push_back(parse_key(given.value)); }),
      flag('m', "merge", other, "merge files that are in order", &command::merge),
      orders('M', "month-sort", "compare months: what is none, JAN to DEC"),
      orders('n', "numeric-sort", "compare decimal numbers of any length, exactly"),
      orders('h', "human-numeric-sort", "compare numbers with units: 512, 2K, 1G"),
      orders('V', "version-sort", "compare numbers inside of text as versions have them"),
      orders('R', "random-sort", "shuffle, with equal keys in one place"),
      valued(0, "random-source", "FILE", ordering, "shuffle by the first bytes of FILE",
             [](command& made, value_of const& given) { set_once(made.random_source, given.value, "random sources"); }),
      valued(0, "sort", "WORD", ordering,
             "general-numeric is -g, human-numeric -h, month -M, numeric -n, random -R, version -V", sort_by_word,
             "general-numeric human-numeric month numeric random version"),
      valued('o', "output", "FILE", other,
             "write to FILE, which may be one of the inputs; compressed if it is named .gz, .bgz, .bz2, .xz or .zst",
             [](command& made, value_of const& given) {
               if (given.value.empty() && !given.by.is_gnu()) throw usage_error("no file name: --output: ''");
               set_once(made.output, given.value == "-" && given.by.is_gnu() ? "./-" : given.value, "output files");
             }),
      orders('r', "reverse", "the greatest first"),
      flag('s', "stable", other, "keep lines with equal keys in the order of the input", &command::stable),
      valued(0, "batch-size", "NMERGE", other, "merge at most NMERGE inputs at a time, by temporary files",
             [](command& made, value_of const& given) { made.batch_size = parse_batch_size(given); }),
      valued('S', "buffer-size", "SIZE", other, "use SIZE of memory, temporary files beyond it [what there is]",
             [](command& made, value_of const& given) { made.memory = std::max(made.memory.value_or(0), parse_size(given)); }),
      valued('t', "field-separator", "SEP", other, "fields end at SEP, not where blanks begin; '\\0' is NUL", set_separator),
      valued('T', "temporary-directory", "DIR", other,
             "temporary files go to DIR; given more than once, to all of them [TMPDIR, or /tmp]",
             [](command& made, value_of const& given) { made.temporary_folders.emplace_back(given.value); }),
      flag('u', "unique", other, "of lines with equal keys only the first; with -c, equal lines are out of order",
           &command::unique),
      valued('y', {}, "N", other, {}, [](command&, value_of const&) {}),
      flag('z', "zero-terminated", other, "lines end with NUL, not newline",
           [](command& made, value_of const&) { made.delimiter = '\0'; }),
      valued(0, "parallel", "N", other, "GNU's name for --threads",
             [](command& made, value_of const& given) { made.common.threads = parse_parallel(given); }),
      flag(0, "help", other, "print this and exit",
           [](command& made, value_of const& given) {
             made.instead = {help_text(given.by), 0};
           }),
      flag(0, "version", other, "print version, compiler and devices",
           [](command& made, value_of const&) {
             made.instead = {cli::version_text("strsort"), 0};
           }),

      flag(0, "count", ours, "of lines with equal keys only the first, behind their number, as uniq -c writes it",
           &command::count),
      flag(0, "by-count", ours, "the lines of --count with the greatest number first, as sort -rn puts what uniq -c writes",
           [](command& made, value_of const&) { made.count = made.by_count = true; }),
      valued(0, "head", "N", ours, "write the first N lines only of what would be written",
             [](command& made, value_of const& given) { made.head = parse_head(given); }),
      valued(0, "locale", "NAME", ours, "compare as LC_ALL=NAME sort does [C]",
             [](command& made, value_of const& given) { made.locale = given.value; }),
      valued(
          0, "generate", "KIND", ours, "print the man page or a shell's completions and exit",
          [](command& made, value_of const& given) {
            made.instead = {generated(given.value), 0};
            if (made.instead->text.empty())
              throw given.by.misuse(fmt::format("invalid --generate argument {}", quoted(given.value)));
          },
          generated_kinds),
  };
  for (cli::common_row const& row : cli::common_rows())
    rows.push_back({0, row.name, row.value, row.value.empty() ? argument::none : argument::required, common, row.choices,
                    row.help, [&row](command& made, value_of const& given) { row.set(made.common, given.value); }});
  return rows;
}

}  // namespace

std::span<option const> all_options() {
  static std::vector<option> const table = make_table();
  return table;
}

}  // namespace ordo::strsort
