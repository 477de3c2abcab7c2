#include "tools/strsort/options.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "sort_core/error.hpp"
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

template <char letter>
void set_ordering(command& made, value_of const&) {
  made.global.set(letter);
}

std::vector<option> make_table() {
  using enum section;
  constexpr auto required = argument::required;
  std::vector<option> rows{
      {'b',
       "ignore-leading-blanks",
       {},
       {},
       ordering,
       {},
       "keys begin and end behind the blanks of their fields",
       set_ordering<'b'>},
      {'c', "check", "WORD", argument::optional, other, "diagnose-first quiet silent",
       "check that the one FILE is in order; say where it is not, or (quiet) do not, and exit with 1", check_by_word},
      {'C', {}, {}, {}, other, {}, "the same as --check=quiet", [](command& made, value_of const&) { set_check(made, 'C'); }},
      {0,
       "compress-program",
       "PROG",
       required,
       other,
       {},
       "compress temporary files by PROG, decompress them by PROG -d",
       [](command& made, value_of const& given) { set_once(made.compress_program, given.value, "compress programs"); }},
      {0,
       "debug",
       {},
       {},
       other,
       {},
       "underline the keys of each line, and say on stderr what looks like a mistake",
       [](command& made, value_of const&) { made.debug = true; }},
      {'d', "dictionary-order", {}, {}, ordering, {}, "compare letters, digits and blanks only", set_ordering<'d'>},
      {'f', "ignore-case", {}, {}, ordering, {}, "compare small letters as capitals", set_ordering<'f'>},
      {0,
       "files0-from",
       "F",
       required,
       other,
       {},
       "read the files that F names, each name ended by NUL; - is standard input",
       [](command& made, value_of const& given) { made.files_from = given.value; }},
      {'g',
       "general-numeric-sort",
       {},
       {},
       ordering,
       {},
       "compare numbers of any form, with exponents, inf and nan",
       set_ordering<'g'>},
      {'i', "ignore-nonprinting", {}, {}, ordering, {}, "compare printing characters only", set_ordering<'i'>},
      {'k',
       "key",
       "KEYDEF",
       required,
       other,
       {},
       "compare by this part of the line; the first of several keys goes first",
       [](command& made, value_of const& given) { made.keys.push_back(parse_key(given.value)); }},
      {'m',
       "merge",
       {},
       {},
       other,
       {},
       "merge files that are in order",
       [](command& made, value_of const&) { made.merge = true; }},
      {'M', "month-sort", {}, {}, ordering, {}, "compare months: what is none, JAN to DEC", set_ordering<'M'>},
      {'n', "numeric-sort", {}, {}, ordering, {}, "compare decimal numbers of any length, exactly", set_ordering<'n'>},
      {'h', "human-numeric-sort", {}, {}, ordering, {}, "compare numbers with units: 512, 2K, 1G", set_ordering<'h'>},
      {'V', "version-sort", {}, {}, ordering, {}, "compare numbers inside of text as versions have them", set_ordering<'V'>},
      {'R', "random-sort", {}, {}, ordering, {}, "shuffle, with equal keys in one place", set_ordering<'R'>},
      {0,
       "random-source",
       "FILE",
       required,
       ordering,
       {},
       "shuffle by the first bytes of FILE",
       [](command& made, value_of const& given) { set_once(made.random_source, given.value, "random sources"); }},
      {0, "sort", "WORD", required, ordering, "general-numeric human-numeric month numeric random version",
       "general-numeric is -g, human-numeric -h, month -M, numeric -n, random -R, version -V", sort_by_word},
      {'o',
       "output",
       "FILE",
       required,
       other,
       {},
       "write to FILE, which may be one of the inputs; compressed if it is named .gz, .bgz, .bz2, .xz or .zst",
       [](command& made, value_of const& given) {
         set_once(made.output, given.value == "-" && given.by.is_gnu() ? "./-" : given.value, "output files");
       }},
      {'r', "reverse", {}, {}, ordering, {}, "the greatest first", set_ordering<'r'>},
      {'s',
       "stable",
       {},
       {},
       other,
       {},
       "keep lines with equal keys in the order of the input",
       [](command& made, value_of const&) { made.stable = true; }},
      {0,
       "batch-size",
       "NMERGE",
       required,
       other,
       {},
       "merge at most NMERGE inputs at a time, by temporary files",
       [](command& made, value_of const& given) { made.batch_size = parse_batch_size(given); }},
      {'S',
       "buffer-size",
       "SIZE",
       required,
       other,
       {},
       "use SIZE of memory, temporary files beyond it [what there is]",
       [](command& made, value_of const& given) { made.memory = std::max(made.memory.value_or(0), parse_size(given)); }},
      {'t',
       "field-separator",
       "SEP",
       required,
       other,
       {},
       "fields end at SEP, not where blanks begin; '\\0' is NUL",
       set_separator},
      {'T',
       "temporary-directory",
       "DIR",
       required,
       other,
       {},
       "temporary files go to DIR; given more than once, to all of them [TMPDIR, or /tmp]",
       [](command& made, value_of const& given) { made.temporary_folders.emplace_back(given.value); }},
      {'u',
       "unique",
       {},
       {},
       other,
       {},
       "of lines with equal keys only the first; with -c, equal lines are out of order",
       [](command& made, value_of const&) { made.unique = true; }},
      {'y', {}, "N", required, other, {}, {}, [](command&, value_of const&) {}},
      {'z',
       "zero-terminated",
       {},
       {},
       other,
       {},
       "lines end with NUL, not newline",
       [](command& made, value_of const&) { made.delimiter = '\0'; }},
      {0,
       "parallel",
       "N",
       required,
       other,
       {},
       "GNU's name for --threads",
       [](command& made, value_of const& given) { made.common.threads = parse_parallel(given); }},
      {0,
       "help",
       {},
       {},
       other,
       {},
       "print this and exit",
       [](command& made, value_of const& given) {
         made.instead = {help_text(given.by), 0};
       }},
      {0,
       "version",
       {},
       {},
       other,
       {},
       "print version, compiler and devices",
       [](command& made, value_of const&) {
         made.instead = {cli::version_text("strsort"), 0};
       }},

      {0,
       "count",
       {},
       {},
       ours,
       {},
       "write their number in front of the first of lines with equal keys, as uniq -c does",
       [](command& made, value_of const&) { made.count = true; }},
      {0,
       "by-count",
       {},
       {},
       ours,
       {},
       "the same, with the greatest number first",
       [](command& made, value_of const&) { made.count = made.by_count = true; }},
      {0,
       "head",
       "N",
       required,
       ours,
       {},
       "write the first N lines of the result only",
       [](command& made, value_of const& given) { made.head = parse_head(given); }},
      {0,
       "locale",
       "NAME",
       required,
       ours,
       {},
       "compare as LC_ALL=NAME sort does [C]",
       [](command& made, value_of const& given) { made.locale = given.value; }},
      {0, "generate", "KIND", required, ours, generated_kinds, "print the man page or a shell's completions and exit",
       [](command& made, value_of const& given) {
         made.instead = {generated(given.value), 0};
         if (made.instead->text.empty())
           throw given.by.misuse(fmt::format("invalid --generate argument {}", quoted(given.value)));
       }},
  };
  for (cli::common_row const& row : cli::common_rows())
    rows.push_back({0, row.name, row.value, row.value.empty() ? argument::none : required, common, row.choices, row.help,
                    [&row](command& made, value_of const& given) { row.set(made.common, given.value); }});
  return rows;
}

}  // namespace

std::span<option const> all_options() {
  static std::vector<option> const table = make_table();
  return table;
}

}  // namespace ordo::strsort
