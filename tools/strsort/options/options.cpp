#include "tools/strsort/options/options.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "tools/cli/options/option_pages.hpp"

namespace ordo::inline v0::strsort {
namespace {

using action = cli::option::action;

struct word {
  std::string_view name;
  char letter;
};

// Returns the letter of the word that the value abbreviates, or 0 and an answer. Words of one letter mean the same.
char parse_letter(std::span<word const> words, std::string_view choices, command& to, option_value const& given) {
  std::string result;
  for (word const& w : words) {
    if (w.name == given.value) return w.letter;
    if (w.name.starts_with(given.value) && result.find(w.letter) == result.npos) result += w.letter;
  }
  if (result.size() == 1) return result.front();
  // GNU sort treats a bad word as the failure of another program and exits with 1, the status of a check that found disorder.
  to.answer = {given.by.bad_word(fmt::format("{} argument {} for {}", result.empty() ? "invalid" : "ambiguous",
                                             quote(given.value), quote(given.option)),
                                 choices),
               given.by.is_gnu() ? 1 : 2};
  return 0;
}

void set_check(command& to, char kind) {
  if (to.check != 0 && to.check != kind) throw usage_error("options '-cC' are incompatible");
  to.check = kind;
}

void check_by_word(command& to, option_value const& given) {
  static constexpr std::array<word, 3> words{{{"quiet", 'C'}, {"silent", 'C'}, {"diagnose-first", 'c'}}};
  if (given.value.data() == nullptr) return set_check(to, 'c');
  if (char const kind = parse_letter(words, "  - 'quiet', 'silent'\n  - 'diagnose-first'", to, given)) set_check(to, kind);
}

void sort_by_word(command& to, option_value const& given) {
  static constexpr std::array<word, 6> words{
      {{"general-numeric", 'g'}, {"human-numeric", 'h'}, {"month", 'M'}, {"numeric", 'n'}, {"random", 'R'}, {"version", 'V'}}};
  to.global.set(parse_letter(
      words, "  - 'general-numeric'\n  - 'human-numeric'\n  - 'month'\n  - 'numeric'\n  - 'random'\n  - 'version'", to, given));
}

void set_separator(command& to, std::string_view value) {
  if (value.empty()) throw usage_error("empty tab");
  bool const is_nul = value == "\\0";
  if (value.size() > 1 && !is_nul) throw usage_error(fmt::format("multi-character tab {}", quote(value)));
  char const separator = is_nul ? '\0' : value[0];
  if (to.separator && *to.separator != separator) throw usage_error("incompatible tabs");
  to.separator = separator;
}

void set_once(std::optional<std::string>& to, std::string_view value, std::string_view name) {
  if (to && *to != value) throw usage_error(fmt::format("multiple {} specified", name));
  to = value;
}

void set_output(command& to, option_value const& given) {
  if (given.value.empty() && !given.by.is_gnu()) throw usage_error("no file name: --output: ''");
  set_once(to.output, given.value == "-" && given.by.is_gnu() ? "./-" : given.value, "output files");
}

void set_own(command& to, std::string_view name) {
  strings::key_type const type = std::ranges::find(own_orders, name, &own_order::name)->type;
  if (std::ranges::count(to.own, type) == 0) to.own.push_back(type);
}

// Parses a key. If it is none, it may name a column of the header, which has not been read yet.
void add_key(command& to, option_value const& given) {
  bool const may_be_name = to.names_keys && !given.value.starts_with('/');
  try {
    to.keys.push_back(parse_key(given.value));
    to.keys.back().text = given.value;
  } catch (usage_error const&) {
    if (!may_be_name && !given.by.is_gnu()) refuse_words(given.value, {});
    if (!may_be_name) throw;
    to.keys.emplace_back().text = given.value;
    to.keys.back().name = given.value;
  }
}

void set_csv(command& to, option_value const& given) {
  char separator = ',';
  if (given.value.data() != nullptr) {
    if (given.value != "\\t" &&
        (given.value.size() != 1 || std::string_view("\"\r\n\0", 4).find(given.value[0]) != given.value.npos))
      throw usage_error(fmt::format("invalid separator: {}: {}: it must be one character, and no quote or end of a line",
                                    given.option, quote(given.value)));
    separator = given.value == "\\t" ? '\t' : given.value[0];
  }
  to.quoted = separator;
}

void set_preset(command& to, option_value const& given) {
  constexpr std::string_view known[] = {"bed", "gff", "vcf", "sam", "sam-name", "sam-name-bytes"};
  if (std::ranges::find(known, given.value) == std::end(known))
    throw usage_error(
        fmt::format("unknown format: {}: {}: none of {}", given.option, quote(given.value), fmt::join(known, ", ")));
  to.preset = given.value.substr(0, given.value.find('-'));
  to.names = given.value == "sam-name" ? 'n' : given.value == "sam-name-bytes" ? 'N' : 0;
}

void set_locale(command& to, option_value const& given) {
  if (given.value.data() != nullptr && given.value.empty())
    throw usage_error("unknown locale '': the system has none of this name (see locale -a)");
  to.locale = given.value;
}

void set_rules(command& to, option_value const& given) {
  if (given.value != newest_rules && given.value != oldest_rules)
    throw usage_error(
        fmt::format("unknown rules: {}: '{}': neither {} nor {}", given.option, given.value, oldest_rules, newest_rules));
  to.rules = given.value == oldest_rules ? strings::gnu_rules::v9_1 : strings::gnu_rules::current;
}

// A record has an address in memory, and each part is an open file.
constexpr std::uint64_t max_record_bytes = std::uint64_t{1} << 40, max_parts = 10'000;

std::vector<cli::option> make_options(command& to, caller const& by) {
  auto const orders = [&to](char letter, std::string_view name, std::string help) {
    return cli::option{.letter = letter,
                       .name = name,
                       .group = ordering_group,
                       .help = std::move(help),
                       .set = [&to, letter](std::string_view, std::string_view) { to.global.set(letter); }};
  };
  auto const flag = [](char letter, std::string_view name, std::string help, action set, std::string_view group = other_group) {
    return cli::option{.letter = letter, .name = name, .group = group, .help = std::move(help), .set = std::move(set)};
  };
  auto const valued = [](char letter, std::string_view name, std::string_view value, std::string help, action set,
                         std::string preset = {}, std::string_view group = other_group) {
    return cli::option{.letter = letter,
                       .name = name,
                       .value = value,
                       .group = group,
                       .help = std::move(help),
                       .preset = std::move(preset),
                       .set = std::move(set)};
  };
  auto const own = [&to](std::string_view name, std::string help) {
    return cli::option{
        .name = name, .group = own_group, .help = std::move(help), .set = [&to, name](std::string_view, std::string_view) {
          set_own(to, name);
        }};
  };
  // An action by a function of the value alone, and by one of the option and the value.
  auto const with = [](auto f) { return [f](std::string_view, std::string_view value) { f(value); }; };
  auto const given = [&by](auto f) {
    return [f, &by](std::string_view spelling, std::string_view value) { f(option_value{spelling, value, by}); };
  };

  std::vector<cli::option> rows{
      orders('b', "ignore-leading-blanks", "ignore blanks at the start of fields"),
      {.letter = 'c',
       .name = "check",
       .value = "WORD",
       .group = other_group,
       .help = "check that FILE is sorted and exit with 1 if it is not; do not sort",
       .details = "WORD is diagnose-first, which prints the first line out of order, or quiet or silent, which print nothing.",
       .choices = "diagnose-first quiet silent",
       .optional_value = true,
       .set = given([&to](option_value const& v) { check_by_word(to, v); })},
      flag('C', {}, "check as --check=quiet does", with([&to](auto) { set_check(to, 'C'); })),
      valued(0, "compress-program", "PROG", "compress temporary files with PROG; decompress them with PROG -d",
             with([&to](auto v) { set_once(to.compress_program, v, "compress programs"); })),
      flag(0, "debug", "underline the keys of each line, and warn of options that look like mistakes", cli::enable(to.debug)),
      orders('d', "dictionary-order", "compare letters, digits and blanks only"),
      orders('f', "ignore-case", "compare lower-case letters as upper-case ones"),
      valued(0, "files0-from", "F", "read the names of input files from F, each ended by NUL; - is standard input",
             with([&to](auto v) { to.files_from = v; })),
      orders('g', "general-numeric-sort", "compare numbers of any form, with exponents, inf and nan"),
      orders('i', "ignore-nonprinting", "compare printable characters only"),
      valued('k', "key", "KEYDEF", "compare by this part of the line; the first of several keys counts most",
             given([&to](option_value const& v) { add_key(to, v); })),
      flag('m', "merge", "merge files that are sorted already", cli::enable(to.merge)),
      orders('M', "month-sort", "compare months: other text, then JAN to DEC"),
      orders('n', "numeric-sort", "compare decimal numbers of any length, exactly"),
      orders('h', "human-numeric-sort", "compare numbers with units: 512, 2K, 1G"),
      orders('V', "version-sort", "compare numbers within text, as in version numbers"),
      orders('R', "random-sort", "shuffle, but keep lines with equal keys together"),
      valued(0, "random-source", "FILE", "shuffle by the first bytes of FILE",
             with([&to](auto v) { set_once(to.random_source, v, "random sources"); }), {}, ordering_group),
      {.name = "sort",
       .value = "WORD",
       .group = ordering_group,
       .help = "compare as the option named WORD does: general-numeric, human-numeric, month, numeric, random or version",
       .choices = "general-numeric human-numeric month numeric random version",
       .set = given([&to](option_value const& v) { sort_by_word(to, v); })},
      {.letter = 'o',
       .name = "output",
       .value = "FILE",
       .group = other_group,
       .help = "write to FILE, which may be an input; compress it if its name ends in .gz, .bgz, .bz2, .xz or .zst",
       .preset = "standard output",
       .details = "FILE is replaced when the output is complete. After an error it is unchanged.",
       .set = given([&to](option_value const& v) { set_output(to, v); })},
      orders('r', "reverse", "reverse the order"),
      flag('s', "stable", "keep lines with equal keys in the order of the input", cli::enable(to.stable)),
      valued(0, "batch-size", "NMERGE", "merge at most NMERGE files at a time",
             given([&to](option_value const& v) { to.batch_size = parse_batch_size(v); })),
      valued('S', "buffer-size", "SIZE", "use at most SIZE of memory, then temporary files",
             given([&to](option_value const& v) { to.memory = std::max(to.memory.value_or(0), parse_size(v)); }),
             "the free memory"),
      valued('t', "field-separator", "SEP", "separate fields by the character SEP; '\\0' is NUL",
             with([&to](auto v) { set_separator(to, v); }), "the start of blanks"),
      valued('T', "temporary-directory", "DIR", "put temporary files into DIR; if repeated, into all of them",
             cli::append_to(to.temporary_folders), "TMPDIR, or /tmp"),
      flag('u', "unique", "write only the first of lines with equal keys; with -c, treat equal lines as disorder",
           cli::enable(to.unique)),
      {.letter = 'y', .value = "N", .group = other_group, .set = [](std::string_view, std::string_view) {}},
      flag('z', "zero-terminated", "end lines with NUL instead of newline", with([&to](auto) { to.delimiter = '\0'; })),
      valued(0, "parallel", "N", "use N threads; GNU's name for --threads",
             given([&to](option_value const& v) { to.common.threads = parse_parallel(v); })),
      flag(0, "help", "print this help and exit", {}),
      flag(0, "version", "print version, compiler and devices, and exit", {}),

      flag(0, "count", "write only the first of lines with equal keys, after their number, as uniq -c does",
           cli::enable(to.count), own_group),
      flag(0, "by-count", "write the lines of --count, the highest number first, as uniq -c | sort -rn does",
           with([&to](auto) { to.count = to.by_count = true; }), own_group),
      flag(0, "unique-keep-order", "do not sort: write the first of lines with equal keys, in the order of the input",
           with([&to](auto) { to.unique = to.keep_order = true; }), own_group),
      flag(0, "distinct-estimate", "write only an estimate of the number of distinct lines, or keys, in constant memory",
           cli::enable(to.estimate), own_group),
      {.name = "out-dir",
       .value = "DIR",
       .group = own_group,
       .help = "sort each FILE alone, to a file of the same name in DIR, which may be the folder of the FILEs",
       .details = "DIR is made if it is missing. The machine is started once. No two FILEs may have the same name. A FILE that "
                  "cannot be read is reported and the others are sorted; the exit status is 2 then.",
       .set = cli::store_nonempty(to.out_dir)},
      {.name = "record-bytes",
       .value = "N",
       .group = own_group,
       .help = "read records of N bytes each, without delimiters, and compare bytes",
       .details = "Keys are ranges of bytes in field 1, as -k 1.1,1.10 and -k 1.11,1.12r. An input whose size is no multiple of "
                  "N is an error. Inputs are not decompressed.",
       .set = given([&to](option_value const& v) { to.record_bytes = parse_positive(v, max_record_bytes); })},
      {.name = "split-output",
       .value = "N",
       .group = own_group,
       .help = "write N files of about equal size, whose order is that of the output",
       .details = "With -o out.txt they are out.0001.txt, out.0002.txt and so on; each line is in one file. Several threads "
                  "write them at once. All of them appear, or none; the first one appears last.",
       .set = given([&to](option_value const& v) { to.parts = parse_positive(v, max_parts); })},
      flag(0, "checksum",
           "do not sort: print the number of lines and a checksum that is the same in any order; with -c, check the order, too",
           cli::enable(to.checksum), own_group),
      {.name = "header",
       .value = "N",
       .group = own_group,
       .help = "keep the first N lines of the input first, once, if there are several inputs",
       .preset = "1 with --csv and --tsv, else 0",
       .details = "Without N, one line. Keys may be named by the fields of the first line: -k NAME or -k NAME:OPTS.",
       .optional_value = true,
       .set = given([&to](option_value const& v) { to.header = v.value.data() == nullptr ? 1 : parse_head(v); })},
      {.name = "csv",
       .value = "SEP",
       .group = own_group,
       .help = "read fields that may have quotes, as in RFC 4180, with separators and newlines inside",
       .details = "SEP is the separator, a comma by default. Records are written as they were read. The first one is a header, "
                  "unless --header=0 is given.",
       .optional_value = true,
       .set = given([&to](option_value const& v) { set_csv(to, v); })},
      flag(0, "tsv", "read fields that tabs separate, without quotes, after a header", cli::enable(to.tabs), own_group),
      flag(0, "jsonl", "read a JSON object in each line; keys are paths in it, as user.name", cli::enable(to.json), own_group),
      {.name = "as",
       .value = "FORMAT",
       .group = own_group,
       .help = "sort bed, gff, vcf or sam by sequence and position, and keep the header lines first",
       .details =
           "Sequences are in the order of the header in vcf and sam, of --order-file if it is given, or else by their bytes. "
           "sam-name is SAM by the names of its reads, as samtools sort -n orders them, with the numbers in them by their "
           "values; sam-name-bytes is SAM by the bytes of the names, as samtools sort -N. -k as, the first of several keys, "
           "stands for the keys of FORMAT.",
       .choices = "bed gff vcf sam sam-name sam-name-bytes",
       .set = given([&to](option_value const& v) { set_preset(to, v); })},
      own("natural", "compare numbers within text by their values, and all other bytes as they are"),
      own("human-time", "compare times: 90s, 1h30m, 2 days, 1:30:00, 2-12:00:00"),
      own("ip", "compare addresses: IPv4, then IPv6, with or without the length of a prefix"),
      {.name = "date",
       .value = "FORMAT",
       .group = own_group,
       .help = "compare dates of FORMAT, as strptime reads it; %f is a fraction of a second",
       .preset = "ISO 8601",
       .optional_value = true,
       .set = given([&to](option_value const& v) {
         set_own(to, "date");
         if (v.value.data() != nullptr) set_once(to.date_format, v.value, "date formats");
       })},
      {.name = "order-file",
       .value = "FILE",
       .group = own_group,
       .help = "compare by the lines of FILE, up to a tab: as they are listed, then all other text",
       .details = "Like --date, it is for keys without OPTS, or for those that name it, if some do.",
       .set = given([&to](option_value const& v) {
         set_own(to, "order-file");
         set_once(to.order_file, v.value, "order files");
       })},
      flag(0, "explain", "print what each key compares and what sorting takes, and exit", cli::enable(to.explain), own_group),
      valued(0, "head", "N", "write only the first N lines of the output",
             given([&to](option_value const& v) { to.head = parse_head(v); }), {}, own_group),
      {.name = "locale",
       .value = "NAME",
       .group = own_group,
       .help = "compare as sort does with LC_ALL=NAME; without NAME, by the locale of the environment",
       .preset = "C",
       .optional_value = true,
       .set = given([&to](option_value const& v) { set_locale(to, v); })},
      {.name = "compat",
       .value = "RELEASE",
       .group = own_group,
       .help = "follow the rules of this release of GNU coreutils: 9.11 or 9.1",
       .preset = std::string(newest_rules),
       .details = "In 9.1 numbers have no units R and Q, .0 sorts after .A as a version, NaNs are in the order of their bytes, "
                  "and a program of --compress-program that cannot be started is an error.",
       .choices = fmt::format("{} {}", newest_rules, oldest_rules),
       .set = given([&to](option_value const& v) { set_rules(to, v); })},
      {.name = "generate",
       .value = "KIND",
       .group = own_group,
       .help = "print the manual page or completions for a shell, and exit",
       .details = "KIND is man, complete-bash, complete-zsh or complete-fish.",
       .choices = std::string(cli::generated_kinds)},
  };
  to.common.may_be_several = true;
  for (cli::option& row : cli::common_rows(to.common, false)) rows.push_back(std::move(row));
  return rows;
}

}  // namespace

cli::command_table make_table(command& to, caller const& by) {
  return {
      .name = "strsort",
      .summary = "sort lines of text",
      .usage = {"[OPTION]... [FILE]...", "[OPTION]... --files0-from=F"},
      .description =
          "Write the sorted lines of all FILEs to standard output: the bytes that LC_ALL=C sort writes or, with "
          "--locale=NAME, those that LC_ALL=NAME sort writes. Without FILE, or if FILE is -, read standard input. "
          "Decompress gzip, BGZF, bzip2, xz and zstd.",
      .groups = {{ordering_group, true}, {other_group, true}, {own_group}, {cli::common_group, true}},
      .options = make_options(to, by),
      .notes =
          {{"KEYDEF",
            "F[.C][OPTS][,F[.C][OPTS]] names the field and the character, both counted from 1, at which the key "
            "begins and ends. The key ends with the line by default, and an end without C with its field. "
            "A field includes the blanks before it, unless -t is given. OPTS are letters of bdfghiMnRrV, which "
            "replace the ordering options given outside of keys. Behind a colon, words with commas between them are "
            "orders that have no letter, as in 2,2:ip,r: natural, human-time, date, ip, order-file and length; and last, which "
            "puts empty values after all others, also with r. With --header, --csv or --tsv, NAME[:OPTS] is the column of this "
            "name. With --jsonl, PATH[:OPTS] is the value at names with dots between them, as user.name; null and missing "
            "values come first, or last with r or last. With /REGEX/[OPTS] after them, a field, a range or a name is searched "
            "for a regular expression, as in Perl, and alone it is searched for in the line. The key is then the first group "
            "or, if there is none, what the expression matches; it is empty if nothing matches. The expression ends at "
            "the last slash."},
           {"SIZE",
            "A number of units of 1024 bytes, or with a suffix: b (bytes), K, M, G, T, P, E, Z, Y, R, Q, or % of the memory "
            "of the machine."}},
      .examples = {{"Sort a file by its third field, the largest number first", "strsort -k 3,3nr table.txt -o sorted.txt"},
                   {"Sort a compressed file of any size in 8 GB of memory", "strsort -S 8G access.log.zst -o sorted.zst"},
                   {"List the ten most frequent lines", "strsort --by-count --head=10 words.txt"},
                   {"Sort a CSV file by two of its columns", "strsort --csv -k city -k price:nr offers.csv"},
                   {"Sort JSON Lines by a name, then by the largest price",
                    "strsort --jsonl -k user.name -k price:nr orders.jsonl"},
                   {"Sort lines by the number after id=", "strsort -k '/\\bid=(\\d+)/n' access.log"},
                   {"Sort BED by the order of a genome file", "strsort --as bed --order-file genome.txt peaks.bed"}}};
}

}  // namespace ordo::inline v0::strsort
