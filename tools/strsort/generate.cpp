#include "tools/strsort/generate.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

#include <fmt/format.h>

#include "ordo/detail/config.hpp"
#include "tools/strsort/options.hpp"

namespace ordo::strsort {
namespace {

constexpr std::string_view summary =
    "Write the sorted lines of all FILEs to standard output: byte for byte what LC_ALL=C sort writes, or with --locale=NAME "
    "what LC_ALL=NAME sort writes. Without FILE, or where FILE is -, read standard input. A FILE of gzip, bzip2, xz or zstd "
    "data is decompressed.";
constexpr std::string_view keys =
    "KEYDEF is F[.C][OPTS][,F[.C][OPTS]]: the field and the character in it, both from 1, where the key begins and where it "
    "ends, by default with the line; C of an end is by default the field's last. A field has the blanks in front of it, but "
    "with -t. OPTS are letters of bdfghiMnRrV, for this key and in the place of those given outside of keys.";
constexpr std::string_view sizes =
    "SIZE is a number of K (1024 bytes), or of what follows it: b (bytes), K, M, G, T, P, E, or % of the machine's memory.";
constexpr std::string_view statuses = "0 done, 1 a check found disorder, 2 anything wrong.";

struct titled {
  section where;
  std::string_view title;
};
constexpr titled sections[] = {{section::ordering, "Ordering options"},
                               {section::other, "Other options"},
                               {section::ours, "Options that GNU sort does not have"},
                               {section::common, "Options of all three tools"}};

// Lists a section's options in the order of the alphabet, by the letter where there is one. Our own keep the table's order, as
// the help of one builds on that of the one before.
std::vector<option const*> rows_of(section where) {
  std::vector<option const*> rows;
  for (option const& o : all_options())
    if (o.where == where && !o.help.empty()) rows.push_back(&o);
  auto const letter = [](option const* o) { return std::tolower(o->letter ? o->letter : o->name[0]); };
  if (where != section::ours) std::ranges::stable_sort(rows, std::less<>(), letter);
  return rows;
}

std::string long_form(option const& o) {
  std::string text = o.name.empty() ? "" : fmt::format("--{}", o.name);
  if (o.takes == argument::required) text += fmt::format("={}", o.value);
  if (o.takes == argument::optional) text += fmt::format("[={}]", o.value);
  return text;
}

std::string label(option const& o) {
  std::string const name = long_form(o);
  if (o.letter == 0) return "    " + name;
  return fmt::format("-{}{}{}", o.letter, name.empty() ? "" : ", ", name);
}

// Words in lines of at most `width`, every one but the first behind so many blanks.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width, std::size_t column = 0) {
  std::string made;
  while (!text.empty()) {
    std::string_view const word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (column > indent && column + 1 + word.size() > width) {
      made += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      made += ' ';
      ++column;
    }
    made += word;
    column += word.size();
  }
  return made + '\n';
}

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string made;
  for (char const c : text)
    if (from.find(c) != from.npos)
      made += fmt::format(fmt::runtime(to), c);
    else
      made += c;
  return made;
}

std::string roff(std::string_view text) {
  return replaced(replaced(text, "\\", "{}e"), "-", "\\{}");
}

std::string man_page() {
  std::string page =
      fmt::format(".TH STRSORT 1 \"\" \"Ordo {}\" \"User Commands\"\n.SH NAME\nstrsort \\- sort lines of text\n", version);
  page +=
      ".SH SYNOPSIS\n.B strsort\n[\\fIOPTION\\fR]... [\\fIFILE\\fR]...\n.br\n.B strsort\n[\\fIOPTION\\fR]... "
      "\\-\\-files0\\-from=\\fIF\\fR\n";
  page += fmt::format(".SH DESCRIPTION\n{}\n", roff(summary));
  for (auto const& [where, title] : sections) {
    page += fmt::format(".SS \"{}:\"\n", title);
    for (option const* const o : rows_of(where)) {
      std::string const text = label(*o);
      page += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(text.substr(text.find_first_not_of(' '))), roff(o->help));
    }
  }
  page += fmt::format(".PP\n{}\n.PP\n{}\n", roff(keys), roff(sizes));
  page += fmt::format(".SH \"EXIT STATUS\"\n{}\n", roff(statuses));
  return page + ".SH \"SEE ALSO\"\n.BR sort (1)\n";
}

bool names_file(option const& o) {
  return o.value == "FILE" || o.value == "F";
}

std::string bash_completion() {
  std::string values, flags;
  for (option const& o : all_options()) {
    if (o.help.empty()) continue;
    if (!o.name.empty()) flags += fmt::format(" --{}{}", o.name, o.takes == argument::required ? "=" : "");
    if (o.letter) flags += fmt::format(" -{}", o.letter);
    if (o.takes != argument::required) continue;
    std::string const pattern = !o.letter ? fmt::format("--{}", o.name) : fmt::format("-{}|--{}", o.letter, o.name);
    std::string const reply = !o.choices.empty()  ? fmt::format("compgen -W '{}' -- \"$current\"", o.choices)
                              : names_file(o)     ? "compgen -f -- \"$current\""
                              : o.value == "DIR"  ? "compgen -d -- \"$current\""
                              : o.value == "PROG" ? "compgen -c -- \"$current\""
                                                  : ":";
    values += fmt::format("    {}) COMPREPLY=($({})); return ;;\n", pattern, reply);
  }
  // Bash takes '=' for a word of its own.
  return fmt::format(R"(# bash completion for strsort
_strsort() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}}
  if [[ $current == = ]]; then
    current=
  elif [[ $previous == = ]]; then
    previous=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  case $previous in
{}  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W '{}' -- "$current"))
    [[ ${{COMPREPLY-}} != *= ]] || compopt -o nospace
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}}
complete -o filenames -F _strsort strsort
)",
                     values, flags.substr(1));
}

std::string zsh_completion() {
  std::string text = "#compdef strsort\n_arguments -s -S \\\n";
  for (option const& o : all_options()) {
    if (o.help.empty()) continue;
    std::string const help = replaced(replaced(o.help, "[]:\\", "\\{}"), "'", "'\\{0}{0}");
    std::string value;
    if (o.takes != argument::none)
      value = fmt::format("{}:{}:{}", o.takes == argument::optional ? ":" : "", o.value,
                          !o.choices.empty()  ? fmt::format("({})", o.choices)
                          : names_file(o)     ? "_files"
                          : o.value == "DIR"  ? "_directories"
                          : o.value == "PROG" ? "_command_names"
                                              : " ");
    std::string_view const sign = o.takes == argument::required ? "=" : o.takes == argument::optional ? "=-" : "";
    if (o.letter)
      text += fmt::format("  '*-{}{}[{}]{}' \\\n", o.letter, o.takes == argument::required ? "+" : "", help,
                          o.takes == argument::required ? value : "");
    if (!o.name.empty()) text += fmt::format("  '*--{}{}[{}]{}' \\\n", o.name, sign, help, value);
  }
  return text + "  '*:file:_files'\n";
}

std::string fish_completion() {
  std::string text = "# fish completion for strsort\n";
  for (option const& o : all_options()) {
    if (o.help.empty()) continue;
    text += "complete -c strsort";
    if (o.letter) text += fmt::format(" -s {}", o.letter);
    if (!o.name.empty()) text += fmt::format(" -l {}", o.name);
    if (!o.choices.empty())
      text += fmt::format(" {} -a '{}'", o.takes == argument::required ? "-x" : "-f", o.choices);
    else if (o.takes == argument::required)
      text += names_file(o) ? " -r -F" : o.value == "DIR" ? " -x -a '(__fish_complete_directories)'" : " -x";
    text += fmt::format(" -d '{}'\n", replaced(o.help, "\\'", "\\{}"));
  }
  return text;
}

}  // namespace

std::string help_text(caller const& by) {
  constexpr std::size_t column = 33, width = 112;
  std::string text = fmt::format("Usage: {0} [OPTION]... [FILE]...\n  or:  {0} [OPTION]... --files0-from=F\n", by.name());
  text += wrapped(summary, 0, width);
  for (auto const& [where, title] : sections) {
    text += fmt::format("\n{}:\n", title);
    for (option const* const o : rows_of(where))
      text += fmt::format("  {:<{}}{}", label(*o), column - 2, wrapped(o->help, column, width, column));
  }
  text += '\n' + wrapped(keys, 0, width) + '\n' + wrapped(sizes, 0, width);
  return text + fmt::format("Exit status: {}\n", statuses);
}

std::string generated(std::string_view kind) {
  if (kind == "man") return man_page();
  if (kind == "complete-bash") return bash_completion();
  if (kind == "complete-zsh") return zsh_completion();
  if (kind == "complete-fish") return fish_completion();
  return {};
}

}  // namespace ordo::strsort
