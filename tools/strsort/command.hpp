#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ordo/strings/order.hpp"
#include "tools/cli/options.hpp"
#include "tools/strsort/gnu_messages.hpp"
#include "tools/strsort/keys.hpp"

namespace ordo::strsort {

/// What a command line asks for.
struct command {
  std::vector<std::string> files;
  std::optional<std::string> output, files_from;

  ordering global;              // -b to -V, in front of all keys
  std::vector<given_key> keys;  // -k and +POS -POS
  std::optional<char> separator;
  std::optional<std::string> random_source, locale;
  bool stable = false, unique = false;
  char delimiter = '\n';

  char check = 0;  // 'c', 'C' or none
  bool merge = false, debug = false, count = false, by_count = false;
  std::optional<std::uint64_t> head;  // so many lines of the output, and no more

  std::optional<std::uint64_t> memory, batch_size;  // -S in bytes, --batch-size
  std::vector<std::string> temporary_folders;
  std::optional<std::string> compress_program;
  cli::common_options common;

  /// Help, version or whatever else --generate makes, or (with a status other than 0) what is wrong with a word: to be printed
  /// as it is, in the place of all work.
  struct answer {
    std::string text;
    int status = 0;
  };
  std::optional<answer> instead;

  /// How lines are compared; random_seed is left to the caller. @throws usage_error for options that exclude one another
  [[nodiscard]] strings::order order() const;
};

/// What of the environment changes the meaning of a command line.
struct environment {
  bool posixly_correct = false;   // nothing behind the first file is an option, but for -o
  bool has_obsolete_keys = true;  // is "+1" a key where no "-2" follows?
  static environment here();
};

/// @param arguments  without the program's name
/// @throws usage_error in GNU's words for the first thing wrong
command parse(std::span<char const* const> arguments, caller const& by, environment const& around);

}  // namespace ordo::strsort
