#include "tools/strsort/options/gnu_messages.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

namespace ordo::inline v0::strsort {
namespace {

constexpr std::string_view gnu_name = "sort";

bool is_printed(char c) {
  return c >= ' ' && c <= '~';
}

std::string escape(char c) {
  constexpr std::string_view known = "\a\b\t\n\v\f\r", letters = "abtnvfr";
  if (auto const at = known.find(c); at != known.npos) return {'\\', letters[at]};
  return fmt::format("\\{:03o}", static_cast<unsigned>(static_cast<unsigned char>(c)));
}

bool needs_quotes(std::string_view name) {
  if (name.empty() || name[0] == '#' || name[0] == '~' || name == "{" || name == "}") return true;
  for (char const c : name)
    if (!is_printed(c) || std::string_view(" !\"$&'()*:;<=>?[\\^`|").find(c) != std::string_view::npos) return true;
  return false;
}

// Returns true for a name with an apostrophe whose other characters have no meaning in any shell.
bool suits_double_quotes(std::string_view name) {
  if (name.find('\'') == name.npos) return false;
  if (name[0] == '#' || name[0] == '~') name.remove_prefix(1);
  return std::ranges::all_of(name, [](char c) {
    return is_printed(c) &&
           (std::isalnum(static_cast<unsigned char>(c)) || std::string_view("%'+,-./:@]_ ").find(c) != std::string_view::npos);
  });
}

}  // namespace

caller::caller(std::string_view path) : is_gnu_(path.substr(path.rfind('/') + 1) == gnu_name) {
  name_ = is_gnu_ ? path : path.substr(path.rfind('/') + 1);
  if (name_.empty()) name_ = "strsort";
}

std::string caller::lines(std::string_view message, std::string_view more) const {
  if (more.empty()) return std::string(message);
  return is_gnu_ ? fmt::format("{}\n{}", message, more) : fmt::format("{}: {}", message, more);
}

usage_error caller::misuse(std::string_view message, std::string_view more) const {
  if (is_gnu_) return usage_error(fmt::format("{}\nTry '{} --help' for more information.", lines(message, more), name_));
  return usage_error(fmt::format("{} (see {} --help)", lines(message, more), name_));
}

std::string caller::bad_word(std::string_view message, std::string_view choices) const {
  return misuse(message, is_gnu_ ? fmt::format("Valid arguments are:\n{}", choices) : "").what();
}

std::string caller::reworded(std::string_view message, bool writing) const {
  constexpr std::string_view read = "cannot read: ", in = "standard input: ", write = "cannot write: ",
                             out = "standard output: ";
  if (!is_gnu_) return std::string(message);
  if (message.starts_with(read) && message.substr(read.size()).starts_with(in))
    return fmt::format("read failed: -: {}", message.substr(read.size() + in.size()));
  if (message.starts_with(read) && message.ends_with(std::strerror(EISDIR)))
    return fmt::format("read failed: {}", message.substr(read.size()));
  if (!message.starts_with(write)) return std::string(message);
  message.remove_prefix(write.size());
  if (message.starts_with(out)) return fmt::format("write failed: 'standard output': {}", message.substr(out.size()));
  return fmt::format("{}: {}", writing ? "write failed" : "open failed", message);
}

std::string quote(std::string_view text) {
  std::string made = "'";
  for (char const c : text) {
    if (c == '\\' || c == '\'') made += '\\';
    made += is_printed(c) ? std::string(1, c) : escape(c);
  }
  return made + '\'';
}

std::string always_quoted(std::string_view name) {
  if (suits_double_quotes(name)) return fmt::format("\"{}\"", name);
  std::string made = "'";
  bool escaping = false;
  for (char const c : name) {
    if (c == '\'') {
      made += "'\\''";
      escaping = false;
      continue;
    }
    if (is_printed(c) == escaping) {
      made += escaping ? "''" : "'$'";
      escaping = !escaping;
    }
    made += escaping ? escape(c) : std::string(1, c);
  }
  return made + '\'';
}

std::string file_quoted(std::string_view name) {
  return needs_quotes(name) ? always_quoted(name) : std::string(name);
}

}  // namespace ordo::inline v0::strsort
