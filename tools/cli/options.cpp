#include "tools/cli/options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <sstream>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "ordo/detail/config.hpp"
#include "ordo/error.hpp"

namespace ordo::cli {
namespace {

constexpr std::string_view device_help =
    "where to work: auto, cpu, gpu, or gpu:N for one of several [auto: ORDO_DEVICE, or what suits the input]";
constexpr std::string_view threads_help = "threads of the CPU machine [0: all]";
constexpr std::string_view quiet_help = "print errors only";
constexpr std::string_view verbose_help = "say what was decided, and end with the figures";
constexpr std::string_view stats_help = "write a report as JSON: version, machine, phases, memory";

// What is wrong with the name of a device, if anything is.
std::string refusal_of_device(std::string const& name) try {
  parse_device(name);
  return {};
} catch (usage_error const& e) {
  return e.what();
}

// CLI11 leaves two empty lines here and there, and one newline too many or none at the end.
std::string tidy(std::string text) {
  for (std::size_t at = 0; (at = text.find("\n\n\n", at)) != std::string::npos;) text.erase(at, 1);
  while (text.ends_with('\n')) text.pop_back();
  return text + '\n';
}

// CLI11 rewrites values: it takes brackets for a list, "++" for the end of a subcommand, later versions know "{}" and "%%".
// So it sees every value with a NUL before it, which no argument of a command line can hold.
constexpr char mark = '\0';

std::string without_mark(std::string value) {
  if (value.starts_with(mark)) value.erase(0, 1);
  return value;
}

void take_literally(CLI::App& app) {
  for (CLI::Option* const option : app.get_options()) {
    option->transform(without_mark);
    if (option->get_type_name().empty()) option->disable_flag_override();  // --quiet=false; but not --summary[=json]
  }
  for (CLI::App* const subcommand : app.get_subcommands({})) take_literally(*subcommand);
}

// The arguments behind argv[0], last first, as CLI11 wants them. It loses sight of "--" in a subcommand: that goes, as behind
// it even what begins with '-' is marked.
std::vector<std::string> marked(CLI::App& app, int argc, char const* const* argv) {
  auto const is_subcommand = [&](std::string const& name) {
    return std::ranges::any_of(app.get_subcommands({}), [&](CLI::App const* sub) { return sub->check_name(name); });
  };
  std::vector<std::string> arguments;
  bool options = true;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (options && argument == "--") {
      options = false;
      continue;
    }
    // CLI11 would take the next argument for the value.
    if (options && argument.starts_with("--") && argument.find('=') == argument.size() - 1)
      throw usage_error(fmt::format("no value: {}: nothing follows the '=' (see {} --help)", argument, app.get_name()));
    bool const value = !options || (!argument.starts_with('-') && !is_subcommand(argument));
    arguments.push_back(value ? mark + argument : argument);
  }
  std::ranges::reverse(arguments);
  return arguments;
}

std::string file_name(std::string_view option, std::string value) {
  if (value.empty()) throw usage_error(fmt::format("no file name: {}: ''", option));
  return value;
}

}  // namespace

machine_options common_options::machine() const {
  machine_options how = parse_device(where);
  how.threads = threads;
  return how;
}

void common_options::check_machine() const {
  static_cast<void>(
      choose_machine(machine(), 0, std::numeric_limits<std::size_t>::max(), [](gpu_info const&) { return std::size_t{0}; }));
}

std::string version_text(std::string_view tool) {
  return fmt::format("{} (Ordo) {}\n{}", tool, version, describe_build());
}

template <class Number>
Number parse_count(std::string_view option, std::string_view text) {
  Number value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    throw usage_error(fmt::format("invalid number: {}: '{}'", option, text));
  return value;
}
template unsigned parse_count(std::string_view, std::string_view);
template std::uint64_t parse_count(std::string_view, std::string_view);

void refuse_empty(CLI::Option& option) {
  auto const refusal = [name = option.get_name()](std::string const& value) -> std::string {
    if (value.empty()) throw usage_error(fmt::format("no value: {}: ''", name));
    return {};
  };
  option.check(CLI::Validator(refusal, ""));
}

void add_common_options(CLI::App& app, common_options& options) {
  std::string const group = "Common options";
  app.set_help_flag("-h,--help", "print this and exit")->group(group);
  app.set_version_flag(
         "--version", [name = app.get_name()] { return version_text(name); }, "print version, compiler and devices")
      ->group(group);
  app.add_option("--device", options.where, std::string(device_help))
      ->check(CLI::Validator(refusal_of_device, ""))
      ->type_name("NAME")
      ->group(group);
  // CLI11's own numbers may be hexadecimal or empty.
  app.add_option_function<std::string>(
         "--threads", [&options](std::string const& value) { options.threads = parse_count("--threads", value); },
         std::string(threads_help))
      ->type_name("N")
      ->group(group);
  app.add_flag("-q,--quiet", options.quiet, std::string(quiet_help))->group(group);
  app.add_flag("-v,--verbose", options.verbose, std::string(verbose_help))->group(group);
  app.add_option_function<std::string>(
         "--stats", [&options](std::string const& value) { options.stats = file_name("--stats", value); },
         std::string(stats_help))
      ->type_name("FILE")
      ->group(group);
}

std::optional<int> parse(CLI::App& app, int argc, char const* const* argv) {
  take_literally(app);
  try {
    app.parse(marked(app, argc, argv));
    return {};
  } catch (CLI::Success const& e) {  // help or version was asked for
    std::ostringstream text;
    int const status = app.exit(e, text);
    fmt::print("{}", tidy(text.str()));
    return status;
  } catch (CLI::ExtrasError const&) {
    auto const extra = app.remaining(true);
    throw usage_error(fmt::format("unexpected argument: {} (see {} --help)", extra.empty() ? "" : without_mark(extra.front()),
                                  app.get_name()));
  } catch (CLI::ParseError const& e) {
    throw usage_error(fmt::format("{} (see {} --help)", e.what(), app.get_name()));
  }
}

std::span<common_row const> common_rows() {
  static constexpr std::array<common_row, 5> rows{
      {{"device", "NAME", "auto cpu gpu", device_help,
        [](common_options& options, std::string_view value) {
          parse_device(value);
          options.where = value;
        }},
       {"threads",
        "N",
        {},
        threads_help,
        [](common_options& options, std::string_view value) { options.threads = parse_count("--threads", value); }},
       {"quiet", {}, {}, quiet_help, [](common_options& options, std::string_view) { options.quiet = true; }},
       {"verbose", {}, {}, verbose_help, [](common_options& options, std::string_view) { options.verbose = true; }},
       {"stats", "FILE", {}, stats_help, [](common_options& options, std::string_view value) {
          options.stats = file_name("--stats", std::string(value));
        }}}};
  return rows;
}

}  // namespace ordo::cli
