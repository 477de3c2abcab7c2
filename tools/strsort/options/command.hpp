#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ordo/strings/order.hpp"
#include "tools/cli/options/options.hpp"
#include "tools/strsort/options/gnu_messages.hpp"
#include "tools/strsort/options/keys.hpp"

namespace ordo::inline v0::strsort {

/// The settings of a command line.
struct command {
  std::vector<std::string> files;
  std::optional<std::string> output, files_from;
  std::string out_dir;  // --out-dir; empty: one output

  ordering global;              // -b to -V, outside of keys
  std::vector<given_key> keys;  // -k and +POS -POS
  std::optional<char> separator;
  std::optional<std::string> random_source;
  std::optional<std::string> locale;  // empty: of the environment
  strings::gnu_rules rules = strings::gnu_rules::current;
  bool stable = false, unique = false;
  char delimiter = '\n';

  std::optional<std::uint64_t> header;  // the number of header lines
  std::optional<char> quoted;           // --csv: the separator
  bool tabs = false;                    // --tsv
  bool json = false;                    // --jsonl
  std::string preset;                   // --as
  char names = 0;                       // --as: 'n' if SAM is ordered by the names of reads, 'N' if by their bytes
  std::vector<strings::key_type> own;   // --natural to --order-file, outside of keys
  std::optional<std::string> order_file, date_format;
  bool names_keys = false, explain = false;  // names_keys: keys may be columns of the header
  bool has_preset_keys = false;              // the keys are those of the preset
  std::optional<std::uint64_t> record_bytes;  // --record-bytes
  [[nodiscard]] bool has_records() const { return header.value_or(0) != 0 || quoted || json || !preset.empty(); }

  char check = 0;  // 'c', 'C' or none
  bool merge = false, debug = false, count = false, by_count = false, estimate = false, keep_order = false;
  bool checksum = false;
  std::optional<std::uint64_t> head;   // maximum number of lines of the output
  std::optional<std::uint64_t> parts;  // --split-output

  std::optional<std::uint64_t> memory, batch_size;  // -S in bytes, --batch-size
  std::vector<std::string> temporary_folders;
  std::optional<std::string> compress_program;
  cli::common_options common;

  /// Help, the version or a generated page; or, with a status other than 0, an error. The program prints it and ends.
  struct text_and_status {
    std::string text;
    int status = 0;
  };
  std::optional<text_and_status> answer;

  /// Returns the order of lines without random_seed. @throws usage_error  if options exclude one another
  [[nodiscard]] strings::order order() const;
  /// As above, without the regular expressions of keys.
  [[nodiscard]] strings::order order_without_patterns() const;
};

/// Returns the locale of the environment, from LC_ALL, the variable of each category, and LANG: a name, or a name of glibc with
/// the locale of each category if they differ.
std::string environment_locale();

/// The variables of the environment that change the meaning of a command line.
struct environment {
  bool posixly_correct = false;   // no argument after the first file is an option, except -o
  bool has_obsolete_keys = true;  // "+1" is a key even if no "-2" follows
  static environment here();
};

/// Reads a command line. @param arguments  without the program's name
/// @throws usage_error  in GNU's words, for the first error
command parse(std::span<char const* const> arguments, caller const& by, environment const& around);

}  // namespace ordo::inline v0::strsort
