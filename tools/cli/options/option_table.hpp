#pragma once
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/error.hpp"

/// The options of a command as one table. Parsing, help, manual pages and completions (option_pages.hpp) are made from it.
namespace ordo::inline v0::cli {

struct option {
  /// Applies the option. @param spelling  "-o" or "--output", for messages @param value  its data() is null if none was given
  using action = std::function<void(std::string_view spelling, std::string_view value)>;

  char letter = 0;              // 0: none
  std::string_view name = {};   // without "--"; empty: the option has only a letter
  std::string_view value = {};  // name of the value, as FILE; empty: the option is a flag
  std::string_view group = {};  // title under which help lists it
  std::string help = {};        // one imperative sentence; empty: accepted, but not documented
  std::string preset = {};      // shown in brackets: what holds without the option
  std::string details = {};     // more sentences, for the manual page
  std::string choices = {};     // values, separated by blanks
  bool only_choices = false;    // refuse every other value
  bool ignores_case = false;    // choices are compared without case: the action gets a value as they are spelt
  bool optional_value = false;  // --name or --name=VALUE
  bool required = false;        // the command needs it
  bool repeatable = false;      // may be given more than once although it has a value
  action set = {};

  /// "--output", or "-C" of an option without a name.
  [[nodiscard]] std::string spelling() const;
  [[nodiscard]] bool is_documented() const { return !help.empty(); }
};

struct operand {
  std::string_view name;  // FILE
  std::string help;
  std::size_t min = 0, max = std::numeric_limits<std::size_t>::max();
  std::function<void(std::string_view value)> add;
};

struct example {
  std::string_view purpose, command;
};

struct note {
  std::string_view title, text;
};

struct option_group {
  std::string_view title;
  bool alphabetical = false;  // in help; else in the order of the table
};

/// Options that are not given together. A condition is an option, as "--lengths", which holds if it is given; with a value, as
/// "--format=text", which holds if it has this value; or as "--sample!=1", which holds if it has another one.
struct conflict {
  std::vector<std::string_view> options;      // the conflict exists if all of these hold
  std::vector<std::string_view> with = {};    // and one of these, unless there are none
  std::vector<std::string_view> unless = {};  // and none of these
  std::string why;                            // ends the message; {--format} stands for the value of --format
  std::string_view names = {};                // the options in the message; empty: `options`
};

/// A command: a program, or a subcommand of one.
struct command_table {
  std::string name;                     // "sufsort build"
  std::string summary;                  // an imperative phrase without a full stop
  std::vector<std::string_view> usage;  // after the name, a line each
  std::string description;              // paragraphs, separated by empty lines
  std::vector<operand> operands = {};
  std::vector<option_group> groups = {};  // in the order of help; those not listed follow as the table has them
  std::vector<option> options = {};
  std::vector<conflict> conflicts = {};  // the first that exists is the error
  std::vector<note> notes = {};
  std::vector<example> examples = {};
  std::vector<command_table> subcommands = {};
  std::string_view other_name = {};  // other name of a subcommand, without that of the program; not listed in help
};

/// Actions of options.
option::action enable(bool& to);
option::action store(std::string& to);
/// Refuses an empty value.
option::action store_nonempty(std::string& to);
option::action append_to(std::vector<std::string>& to);

/// Returns the row of an option without a value.
option flag(std::string_view name, std::string_view group, std::string help, bool& to, std::string details = {});

/// Returns the name among `names` that is most like `name`, if one is near enough to be what was meant.
std::optional<std::string> nearest(std::string_view name, std::vector<std::string> const& names);
/// Returns the documented option of the table that is most like `spelling`, "--name" with or without a value.
std::optional<std::string> nearest_option(command_table const& table, std::string_view spelling);

/// Reads arguments as getopt_long of the GNU C library does: options may follow operands, letters may be joined (-qv, -oFILE),
/// "--" ends options, and the next argument is a value whatever it begins with. Subclasses decide what names and operands mean.
class argument_parser {
 public:
  virtual ~argument_parser() = default;
  void parse(std::span<char const* const> arguments);

 protected:
  enum class misuse { unknown_option, unknown_letter, unexpected_value, missing_value, missing_value_of_letter };

  [[nodiscard]] virtual option const* find(char letter) const = 0;
  /// @param argument  the argument without "--", with its value
  [[nodiscard]] virtual option const* find(std::string_view name, std::string_view argument) const = 0;
  virtual void apply(option const& given, std::string_view spelling, std::string_view value) = 0;
  /// @param literal  it follows "--", or an argument after which there are no options
  virtual void add_operand(std::string_view operand, bool literal) = 0;
  /// Throws, or notes the error to go on.
  virtual void refuse(misuse kind, option const* given, std::string_view argument) = 0;

  [[nodiscard]] virtual bool is_option(std::string_view argument) const { return argument.size() > 1 && argument[0] == '-'; }
  /// Returns true if this argument and all others are operands.
  [[nodiscard]] virtual bool ends_options(std::string_view) const { return false; }
  /// Returns true if no more arguments are read.
  [[nodiscard]] virtual bool is_complete() const { return false; }
  /// Returns true if the letter's value may be the next argument.
  [[nodiscard]] virtual bool accepts_next(option const&, std::string_view) const { return true; }

  /// The arguments that have not been read.
  [[nodiscard]] std::span<char const* const> rest() const { return rest_; }
  void skip() { rest_ = rest_.subspan(1); }

 private:
  void parse_long(std::string_view argument);
  void parse_letters(std::string_view argument);

  std::span<char const* const> rest_;
};

struct parsed_command {
  std::optional<int> status;     // status of a command line that has been answered: help, version, --generate
  command_table const* command;  // the subcommand, or the table itself
};

/// Reads a command line. Names are not abbreviated, and an option with a value is given once. Operands that begin with a digit
/// after '-' are no options. Prints help, the version or a generated page if the line asks for it and has no invalid value.
/// Conflicts are looked for last.
/// @throws usage_error  one line that names the argument
parsed_command parse(command_table const& table, int argc, char const* const* argv);

}  // namespace ordo::inline v0::cli
