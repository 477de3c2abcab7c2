#include "tools/cli/options/option_pages.hpp"

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ordo/detail/config.hpp"

namespace ordo::inline v0::cli {
namespace {

constexpr std::size_t page_width = 80, help_column = 28;
constexpr std::string_view release_date = ORDO_RELEASE_DATE;  // not the day of the build, which would change its bytes
constexpr std::string_view exit_statuses = "0 if it succeeded, 1 if a check found disorder, 2 if there was an error.";

using rows = std::vector<option const*>;

// The words in place of a command, for every program that has commands.
struct common_word {
  std::string_view name, operand, summary;
};
constexpr common_word common_words[] = {{"help", " [COMMAND]", "print the help of a command"},
                                        {"version", "", "print version, compiler and devices"}};

// Returns the documented options by group.
std::vector<std::pair<std::string_view, rows>> grouped(command_table const& table) {
  std::vector<option_group> groups = table.groups;
  for (option const& o : table.options)
    if (std::ranges::find(groups, o.group, &option_group::title) == groups.end()) groups.push_back({o.group});
  std::vector<std::pair<std::string_view, rows>> all;
  for (option_group const& group : groups) {
    rows listed;
    for (option const& o : table.options)
      if (o.group == group.title && o.is_documented()) listed.push_back(&o);
    auto const letter = [](option const* o) { return std::tolower(o->letter ? o->letter : o->name[0]); };
    if (group.alphabetical) std::ranges::stable_sort(listed, std::less<>(), letter);
    if (!listed.empty()) all.emplace_back(group.title, std::move(listed));
  }
  return all;
}

std::string long_form(option const& o) {
  std::string text = o.name.empty() ? "" : fmt::format("--{}", o.name);
  if (o.value.empty()) return text;
  return text + (o.optional_value ? fmt::format("[={}]", o.value) : fmt::format("={}", o.value));
}

std::string label(option const& o) {
  std::string const name = long_form(o);
  if (o.letter == 0) return "    " + name;
  return fmt::format("-{}{}{}", o.letter, name.empty() ? "" : ", ", name);
}

std::string format_help(option const& o) {
  return o.preset.empty() ? o.help : fmt::format("{} [{}]", o.help, o.preset);
}

// Wraps words: every line but the first begins with `indent` blanks. The first line begins at `column`.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t column = 0) {
  std::string lines;
  while (!text.empty()) {
    std::string_view const word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (column > indent && column + 1 + word.size() > page_width) {
      lines += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      lines += ' ';
      ++column;
    }
    lines += word;
    column += word.size();
  }
  return lines + '\n';
}

// One row of help: a name, and its description beside it or, after a long name, below it.
std::string described(std::string_view name, std::string_view help) {
  if (name.size() + 4 > help_column)
    return fmt::format("  {}\n{:{}}{}", name, "", help_column, wrapped(help, help_column, help_column));
  return fmt::format("  {:<{}}{}", name, help_column - 2, wrapped(help, help_column, help_column));
}

std::vector<std::string_view> paragraphs(std::string_view text) {
  std::vector<std::string_view> all;
  while (!text.empty()) {
    std::size_t const end = std::min(text.find("\n\n"), text.size());
    all.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 2, text.size()));
  }
  return all;
}

// Puts `with` in the place of each of the characters, with {} for the character.
std::string escaped(std::string_view text, std::string_view characters, std::string_view with) {
  std::string result;
  for (char const c : text)
    if (characters.find(c) != characters.npos)
      result += fmt::format(fmt::runtime(with), c);
    else
      result += c;
  return result;
}

std::string roff(std::string_view text) {
  std::string result = escaped(escaped(text, "\\", "{}e"), "-", "\\{}");
  if (result.starts_with('.') || result.starts_with('\'')) result.insert(0, "\\&");
  return result;
}

// The name of a manual page: "sufsort-build".
std::string page_name(std::string_view command) {
  std::string name(command);
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string sentence(std::string text) {
  if (!text.empty()) text[0] = char(std::toupper(static_cast<unsigned char>(text[0])));
  return text.ends_with('.') ? text : text + '.';
}

std::string man_page(command_table const& program, command_table const& command) {
  std::string title = page_name(command.name);
  std::string page = fmt::format(".TH {} 1 \"{}\" \"Ordo {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n",
                                 escaped(title, "-", "\\{}"), release_date, version, roff(title), roff(command.summary));
  for (std::size_t i = 0; i < command.usage.size(); ++i)
    page += fmt::format("{}.B {}\n{}\n", i == 0 ? "" : ".br\n", roff(command.name), roff(command.usage[i]));
  page += ".SH DESCRIPTION\n";
  for (std::string_view const text : paragraphs(command.description))
    page += fmt::format("{}{}\n", page.ends_with("DESCRIPTION\n") ? "" : ".PP\n", roff(text));
  if (!command.subcommands.empty()) page += ".SH COMMANDS\n";
  for (command_table const& sub : command.subcommands)
    page += fmt::format(".TP\n.BR {} (1)\n{}\n", roff(page_name(sub.name)), roff(sentence(sub.summary)));
  if (!command.subcommands.empty())
    for (common_word const& word : common_words)
      page += fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", word.name, word.operand, roff(sentence(std::string(word.summary))));
  if (!command.operands.empty()) page += ".SH OPERANDS\n";
  for (operand const& o : command.operands) page += fmt::format(".TP\n\\fI{}\\fR\n{}\n", roff(o.name), roff(sentence(o.help)));
  page += ".SH OPTIONS\n";
  for (auto const& [group, options] : grouped(command)) {
    page += fmt::format(".SS \"{}\"\n", group);
    for (option const* const o : options) {
      std::string const text = label(*o);
      page += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(text.substr(text.find_first_not_of(' '))), roff(sentence(o->help)));
      if (!o->details.empty()) page += fmt::format("{}\n", roff(o->details));
      if (!o->preset.empty()) page += fmt::format("Default: {}.\n", roff(o->preset));
    }
  }
  for (note const& n : command.notes) {
    page += fmt::format(".SH \"{}\"\n", n.title);
    for (std::string_view const text : paragraphs(n.text))
      page += fmt::format("{}{}\n", page.ends_with("\"\n") ? "" : ".PP\n", roff(text));
  }
  page += fmt::format(".SH \"EXIT STATUS\"\n{}\n", sentence(std::string(exit_statuses)));
  if (!command.examples.empty()) page += ".SH EXAMPLES\n";
  for (example const& e : command.examples)
    page += fmt::format(".TP\n{}\n.B {}\n", roff(sentence(std::string(e.purpose))), roff(e.command));
  std::vector<std::string> others;
  if (&program != &command) {
    others.push_back(program.name);
    for (command_table const& sub : program.subcommands)
      if (&sub != &command) others.push_back(page_name(sub.name));
  } else {  // the commands of a program have a section of their own
    if (program.name == "strsort") others = {"sort", "uniq"};
    for (std::string_view const tool : {"specsort", "strsort", "sufsort"})
      if (tool != program.name) others.emplace_back(tool);
  }
  page += ".SH \"SEE ALSO\"\n";
  for (std::size_t i = 0; i < others.size(); ++i)
    page += fmt::format(".BR {} (1){}\n", roff(others[i]), i + 1 == others.size() ? "" : ",");
  return page;
}

// How a shell completes a value.
enum class completed { nothing, choices, files, folders, programs };
completed completes(option const& o) {
  if (!o.choices.empty()) return completed::choices;
  if (o.value == "FILE" || o.value == "F" || o.value == "PREFIX") return completed::files;
  if (o.value == "DIR") return completed::folders;
  return o.value == "PROG" ? completed::programs : completed::nothing;
}

// The cases of bash's function for one command: completes values, sets `flags`.
std::string bash_options(command_table const& command, std::string_view indent) {
  std::string cases, flags;
  for (option const& o : command.options) {
    if (!o.is_documented()) continue;
    bool const needs_value = !o.value.empty() && !o.optional_value;
    if (!o.name.empty()) flags += fmt::format(" --{}{}", o.name, needs_value ? "=" : "");
    if (o.letter) flags += fmt::format(" -{}", o.letter);
    if (!needs_value) continue;
    std::string const pattern = !o.letter        ? fmt::format("--{}", o.name)
                                : o.name.empty() ? fmt::format("-{}", o.letter)
                                                 : fmt::format("-{}|--{}", o.letter, o.name);
    std::string reply = ":";
    switch (completes(o)) {
      case completed::choices:
        reply = fmt::format("compgen -W '{}' -- \"$current\"", o.choices);
        break;
      case completed::files:
        reply = "compgen -f -- \"$current\"";
        break;
      case completed::folders:
        reply = "compgen -d -- \"$current\"";
        break;
      case completed::programs:
        reply = "compgen -c -- \"$current\"";
        break;
      case completed::nothing:
        break;
    }
    cases += fmt::format("{}  {}) COMPREPLY=($({})); return ;;\n", indent, pattern, reply);
  }
  return fmt::format("{0}case $previous in\n{1}{0}esac\n{0}flags='{2}'\n", indent, cases,
                     flags.substr(std::min<std::size_t>(flags.size(), 1)));
}

std::string_view short_name(command_table const& sub) {
  return std::string_view(sub.name).substr(sub.name.find(' ') + 1);
}

// Returns the names of the commands with blanks between them; empty without commands.
std::string names_of_commands(command_table const& program) {
  std::string names;
  for (command_table const& sub : program.subcommands) names += fmt::format("{}{}", names.empty() ? "" : " ", short_name(sub));
  return names;
}

std::string bash_completion(command_table const& program) {
  std::string const names = names_of_commands(program);
  std::string words = names, body;
  for (common_word const& word : common_words) words += names.empty() ? "" : fmt::format(" {}", word.name);
  if (names.empty()) {
    body = bash_options(program, "  ");
  } else {
    body = fmt::format(
        "  for word in \"${{COMP_WORDS[@]:1:COMP_CWORD-1}}\"; do\n    case $word in {}) command=$word; break ;; esac\n  done\n "
        " case $command in\n",
        escaped(names, " ", "|"));
    for (command_table const& sub : program.subcommands)
      body += fmt::format("    {})\n{}      ;;\n", short_name(sub), bash_options(sub, "      "));
    body += fmt::format("    *)\n{}      ;;\n  esac\n", bash_options(program, "      "));
  }
  // Bash takes '=' for a word of its own.
  return fmt::format(R"(# bash completion for {0}
_{0}() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}} command='' word='' flags=''
  if [[ $current == = ]]; then
    current=
  elif [[ $previous == = ]]; then
    previous=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
{1}  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$current"))
    [[ ${{COMPREPLY-}} != *= ]] || compopt -o nospace
  elif [[ -z $command && -n '{2}' ]]; then
    COMPREPLY=($(compgen -W '{2}' -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}}
complete -o filenames -F _{0} {0}
)",
                     program.name, body, words);
}

std::string zsh_options(command_table const& command, std::string_view indent) {
  std::string text = fmt::format("{}_arguments -s -S \\\n", indent);
  for (option const& o : command.options) {
    if (!o.is_documented()) continue;
    std::string const help = escaped(escaped(o.help, "[]:\\", "\\{}"), "'", "'\\{0}{0}");
    bool const needs_value = !o.value.empty() && !o.optional_value;
    std::string value;
    if (!o.value.empty()) {
      std::string action = " ";
      switch (completes(o)) {
        case completed::choices:
          action = fmt::format("({})", o.choices);
          break;
        case completed::files:
          action = "_files";
          break;
        case completed::folders:
          action = "_directories";
          break;
        case completed::programs:
          action = "_command_names";
          break;
        case completed::nothing:
          break;
      }
      value = fmt::format("{}:{}:{}", o.optional_value ? ":" : "", escaped(o.value, ":", "\\{}"), action);
    }
    std::string_view const sign = needs_value ? "=" : o.optional_value ? "=-" : "";
    if (o.letter)
      text += fmt::format("{}  '*-{}{}[{}]{}' \\\n", indent, o.letter, needs_value ? "+" : "", help, needs_value ? value : "");
    if (!o.name.empty()) text += fmt::format("{}  '*--{}{}[{}]{}' \\\n", indent, o.name, sign, help, value);
  }
  return text + fmt::format("{}  '*:file:_files'\n", indent);
}

std::string zsh_completion(command_table const& program) {
  std::string text = fmt::format("#compdef {}\n", program.name);
  if (program.subcommands.empty()) return text + zsh_options(program, "");
  text += "local -a commands\ncommands=(\n";
  for (command_table const& sub : program.subcommands)
    text += fmt::format("  '{}:{}'\n", short_name(sub), escaped(escaped(sub.summary, ":", "\\{}"), "'", "'\\{0}{0}"));
  for (common_word const& word : common_words) text += fmt::format("  '{}:{}'\n", word.name, word.summary);
  text +=
      ")\nif [[ $CURRENT == 2 && $words[2] != -* || $CURRENT == 3 && $words[2] == help ]]; then\n"
      "  _describe command commands\n  return\nfi\ncase $words[2] in\n";
  for (command_table const& sub : program.subcommands)
    text += fmt::format("  {})\n    shift words\n    ((CURRENT--))\n{}    ;;\n", short_name(sub), zsh_options(sub, "    "));
  return text + fmt::format("  *)\n{}    ;;\nesac\n", zsh_options(program, "    "));
}

std::string fish_options(command_table const& command, std::string_view start) {
  std::string text;
  for (option const& o : command.options) {
    if (!o.is_documented()) continue;
    text += start;
    if (o.letter) text += fmt::format(" -s {}", o.letter);
    if (!o.name.empty()) text += fmt::format(" -l {}", o.name);
    bool const needs_value = !o.value.empty() && !o.optional_value;
    if (!o.choices.empty())
      text += fmt::format(" {} -a '{}'", needs_value ? "-x" : "-f", o.choices);
    else if (needs_value)
      text += completes(o) == completed::files     ? " -r -F"
              : completes(o) == completed::folders ? " -x -a '(__fish_complete_directories)'"
                                                   : " -x";
    text += fmt::format(" -d '{}'\n", escaped(o.help, "\\'", "\\{}"));
  }
  return text;
}

std::string fish_completion(command_table const& program) {
  std::string const start = fmt::format("complete -c {}", program.name);
  std::string text = fmt::format("# fish completion for {}\n", program.name);
  if (program.subcommands.empty()) return text + fish_options(program, start);
  for (command_table const& sub : program.subcommands)
    text += fmt::format("{} -n __fish_use_subcommand -f -a {} -d '{}'\n", start, short_name(sub),
                        escaped(sub.summary, "\\'", "\\{}"));
  for (common_word const& word : common_words)
    text += fmt::format("{} -n __fish_use_subcommand -f -a {} -d '{}'\n", start, word.name, word.summary);
  text += fmt::format("{} -n '__fish_seen_subcommand_from help' -f -a '{}'\n", start, names_of_commands(program));
  text += fish_options(program, start + " -n __fish_use_subcommand");
  for (command_table const& sub : program.subcommands)
    text += fish_options(sub, fmt::format("{} -n '__fish_seen_subcommand_from {}'", start, short_name(sub)));
  return text;
}

std::string format_usage(command_table const& table, std::string_view program) {
  std::string text;
  for (std::string_view const line : table.usage) {
    std::string const start = fmt::format("{}{} ", text.empty() ? "Usage: " : "  or:  ", program);
    text += start + wrapped(line, start.size(), start.size());
  }
  return text;
}

std::string list_commands(command_table const& table) {
  if (table.subcommands.empty()) return {};
  std::string text = "\nCommands:\n";
  for (command_table const& sub : table.subcommands) text += described(short_name(sub), sub.summary);
  for (common_word const& word : common_words) text += described(fmt::format("{}{}", word.name, word.operand), word.summary);
  return text;
}

}  // namespace

std::string command_list(command_table const& table) {
  return format_usage(table, table.name) + list_commands(table);
}

std::string help_text(command_table const& table, std::string_view program) {
  std::string text = format_usage(table, program);
  for (std::string_view const paragraph : paragraphs(table.description)) text += '\n' + wrapped(paragraph, 0);
  if (!table.examples.empty()) text += "\nExamples:\n";
  for (example const& e : table.examples) text += fmt::format("  {}      {}\n", wrapped(e.purpose, 2, 2), e.command);
  text += list_commands(table);
  if (!table.operands.empty()) text += "\nOperands:\n";
  for (operand const& o : table.operands) text += described(o.name, o.help);
  for (auto const& [group, options] : grouped(table)) {
    text += fmt::format("\n{}:\n", group);
    for (option const* const o : options) text += described(label(*o), format_help(*o));
  }
  for (note const& n : table.notes) {
    text += fmt::format("\n{}:\n", n.title);
    for (std::string_view const paragraph : paragraphs(n.text)) text += "  " + wrapped(paragraph, 2, 2);
  }
  return text + '\n' + wrapped(fmt::format("Exit status: {}", exit_statuses), 0);
}

std::string generated(command_table const& program, command_table const& command, std::string_view kind) {
  if (kind == "man") return man_page(program, command);
  if (kind == "complete-bash") return bash_completion(program);
  if (kind == "complete-zsh") return zsh_completion(program);
  if (kind == "complete-fish") return fish_completion(program);
  return {};
}

}  // namespace ordo::inline v0::cli
