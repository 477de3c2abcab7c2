#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <limits>
#include <string>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include "ordo/error.hpp"
#include "tools/cli/options/option_pages.hpp"
#include "tools/strsort/options/options.hpp"
#include "tools/strsort/options/pattern.hpp"

namespace ordo::inline v0::strsort {
namespace {

constexpr std::uint64_t max_number = std::numeric_limits<std::uint64_t>::max();

[[noreturn]] void invalid(option_value const& given, std::string_view problem = "invalid") {
  throw usage_error(fmt::format("{} {} argument '{}'", problem, given.option, given.value));
}

std::string too_large(option_value const& given) {
  return fmt::format("{} argument '{}' too large", given.option, given.value);
}

std::uint64_t times(std::uint64_t value, std::uint64_t factor, bool& overflow) {
  std::uint64_t product = 0;
  overflow |= __builtin_mul_overflow(value, factor, &product);
  return product;
}

number read_count(option_value const& given) {
  number const read = read_number(given.value);
  if (read.digits == 0) invalid(given);
  if (!read.rest.empty()) invalid(given, "invalid suffix in");
  return read;
}

// Returns the memory of the computer, of which -S takes a share.
double physical_memory() {
  return double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE));
}

// GNU sort's rules. Abbreviations of its options mean what they mean there, whatever other options there are.
class gnu_parser final : public cli::argument_parser {
 public:
  gnu_parser(caller const& by, environment const& around) : by_(by), around_(around) {}

  void name_keys() { command_.names_keys = true; }
  command finish() && { return std::move(command_); }

 private:
  bool ends_options(std::string_view argument) const override {
    if (!around_.posixly_correct || command_.files.empty()) return false;
    bool const is_output = around_.has_obsolete_keys && command_.check == 0 && argument.starts_with("-o") &&
                           (argument.size() > 2 || rest().size() > 1);
    return !is_output;
  }
  bool is_complete() const override { return command_.answer.has_value(); }
  // -y is ignored, with a number after it.
  bool accepts_next(cli::option const& given, std::string_view next) const override {
    return given.letter != 'y' || std::ranges::all_of(next, [](unsigned char c) { return std::isdigit(c); });
  }

  void add_operand(std::string_view operand, bool literal) override {
    if (!literal && operand.starts_with('+')) {
      std::string_view const next = rest().empty() ? "" : rest().front();
      bool const ends = next.size() > 1 && next[0] == '-' && std::isdigit(static_cast<unsigned char>(next[1]));
      given_key key;
      // After one pair "+1 -2", "+1" alone is a key, too.
      around_.has_obsolete_keys |= ends && !around_.posixly_correct;
      if (around_.has_obsolete_keys && parse_obsolete_key(operand, ends ? next : "", key)) {
        if (ends) skip();
        command_.keys.push_back(key);
        return;
      }
    }
    command_.files.emplace_back(operand);
  }

  cli::option const* find(char letter) const override {
    auto const it = std::ranges::find(table_.options, letter, &cli::option::letter);
    return it == table_.options.end() || letter == 0 ? nullptr : &*it;
  }
  cli::option const* find(std::string_view name, std::string_view argument) const override {
    auto const& options = table_.options;
    if (auto const exact = std::ranges::find(options, name, &cli::option::name); exact != options.end() && !name.empty())
      return &*exact;
    for (bool const gnu : {true, false}) {
      std::vector<cli::option const*> possible;
      for (cli::option const& o : options)
        if (is_gnu(o) == gnu && !o.name.empty() && o.name.starts_with(name)) possible.push_back(&o);
      if (possible.size() == 1) return possible.front();
      if (possible.empty()) continue;
      std::string names;
      for (cli::option const* const o : possible) names += fmt::format(" '--{}'", o->name);
      throw by_.misuse(fmt::format("option '--{}' is ambiguous; possibilities:{}", argument, names));
    }
    return nullptr;
  }

  void apply(cli::option const& given, std::string_view spelling, std::string_view value) override {
    if (given.set) return given.set(spelling, value);
    if (given.name == "help") command_.answer = {cli::help_text(table_, by_.name()), 0};
    if (given.name == "version")
      command_.answer = {cli::version_text(table_.name) + fmt::format("rules: GNU coreutils {}\n", newest_rules), 0};
    if (given.name != "generate") return;
    command_.answer = {cli::generated(table_, table_, value), 0};
    if (command_.answer->text.empty()) throw by_.misuse(fmt::format("invalid --generate argument {}", quote(value)));
  }

  void refuse(misuse kind, cli::option const*, std::string_view argument) override {
    switch (kind) {
      case misuse::unknown_option: {
        auto const near = by_.is_gnu() ? std::nullopt : cli::nearest_option(table_, argument);
        if (near) throw usage_error(fmt::format("unrecognized option '{}': did you mean '{}'?", argument, *near));
        throw by_.misuse(fmt::format("unrecognized option '{}'", argument));
      }
      case misuse::unknown_letter:
        throw by_.misuse(fmt::format("invalid option -- '{}'", argument.substr(1)));
      case misuse::unexpected_value:
        throw by_.misuse(fmt::format("option '{}' doesn't allow an argument", argument));
      case misuse::missing_value:
        throw by_.misuse(fmt::format("option '{}' requires an argument", argument));
      case misuse::missing_value_of_letter:
        throw by_.misuse(fmt::format("option requires an argument -- '{}'", argument.substr(1)));
    }
  }

  caller const& by_;
  environment around_;
  command command_;
  cli::command_table table_ = make_table(command_, by_);
};

}  // namespace

std::uint64_t parse_size(option_value const& given) {
  constexpr std::string_view powers = "KMGTPEZYRQ", letters = "kKmMgGtTPEZYRQ";  // powers and letters of 1024
  number read = read_number(given.value);
  bool const has_digits = read.digits != 0;
  if (!has_digits) read.value = 1;  // a suffix alone counts as 1
  bool overflow = read.too_large;
  std::string_view const suffix = read.rest;
  if (suffix.empty() && has_digits) {
    read.value = times(read.value, 1024, overflow);
  } else if (suffix.size() == 1 && letters.find(suffix[0]) != letters.npos) {
    for (auto power = powers.find(char(std::toupper(suffix[0]))) + 1; power != 0; --power)
      read.value = times(read.value, 1024, overflow);
  } else if (!has_digits && (suffix.empty() || letters.find(suffix[0]) == letters.npos)) {
    invalid(given);
  } else if (suffix.size() == 1 && has_digits && !overflow && (suffix[0] == 'b' || suffix[0] == '%')) {
    if (suffix[0] == '%') {
      double const part = physical_memory() * double(read.value) / 100;
      overflow = part >= double(max_number);
      if (!overflow) read.value = std::uint64_t(part);
    }
  } else {
    invalid(given, "invalid suffix in");
  }
  if (overflow) throw usage_error(too_large(given));
  return read.value;
}

unsigned parse_parallel(option_value const& given) {
  number const read = read_count(given);
  if (read.value == 0) throw usage_error("number in parallel must be nonzero");
  return unsigned(std::min<std::uint64_t>(read.value, std::max(1u, std::thread::hardware_concurrency())));
}

std::uint64_t parse_batch_size(option_value const& given) {
  constexpr std::uint64_t min_inputs = 2, standard_descriptors = 3;
  number const read = read_count(given);
  rlimit limit{};
  bool const limited = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  std::uint64_t const max_inputs =
      limited ? limit.rlim_cur - std::min<std::uint64_t>(limit.rlim_cur, standard_descriptors) : max_number;
  auto const refuse = [&](std::string const& message, std::string const& bound) -> usage_error {
    return usage_error(given.by.lines(message, given.by.is_gnu() ? fmt::format("{}: {}", given.by.name(), bound) : bound));
  };
  if (read.value < min_inputs)
    throw refuse(fmt::format("invalid {} argument '{}'", given.option, given.value),
                 fmt::format("minimum {} argument is '{}'", given.option, min_inputs));
  if (read.too_large || read.value > max_inputs)
    throw refuse(too_large(given), fmt::format("maximum {} argument with current rlimit is {}", given.option, max_inputs));
  return read.value;
}

std::uint64_t parse_head(option_value const& given) {
  bool const digits = !given.value.empty() && std::ranges::all_of(given.value, [](char c) { return c >= '0' && c <= '9'; });
  if (!digits) throw usage_error(fmt::format("invalid number: {}: '{}'", given.option, given.value));
  return read_number(given.value).value;
}

std::uint64_t parse_positive(option_value const& given, std::uint64_t max) {
  std::uint64_t const value = parse_head(given);
  if (value == 0 || value > max)
    throw usage_error(fmt::format("invalid number: {}: '{}': it must be from 1 to {}", given.option, given.value, max));
  return value;
}

command parse(std::span<char const* const> arguments, caller const& by, environment const& around) {
  gnu_parser parser(by, around);
  constexpr std::string_view with_header[] = {"--header", "--csv", "--tsv", "--jsonl", "--as"};
  for (std::string_view const argument : arguments)
    if (std::ranges::any_of(with_header, [&](auto option) { return argument.starts_with(option); })) parser.name_keys();
  parser.parse(arguments);
  return std::move(parser).finish();
}

strings::order command::order() const {
  strings::order result = order_without_patterns();
  add_patterns(keys, result.keys, result.locale);
  return result;
}

}  // namespace ordo::inline v0::strsort
