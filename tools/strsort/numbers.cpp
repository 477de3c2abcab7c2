#include "tools/strsort/numbers.hpp"

#include <algorithm>
#include <cctype>
#include <limits>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include "ordo/error.hpp"

namespace ordo::strsort {
namespace {

constexpr std::uint64_t greatest = std::numeric_limits<std::uint64_t>::max();

[[noreturn]] void invalid(value_of const& given, std::string_view what = "invalid") {
  throw usage_error(fmt::format("{} {} argument '{}'", what, given.option, given.value));
}

std::string too_large(value_of const& given) {
  return fmt::format("{} argument '{}' too large", given.option, given.value);
}

std::uint64_t times(std::uint64_t value, std::uint64_t factor, bool& overflow) {
  std::uint64_t product = 0;
  overflow |= __builtin_mul_overflow(value, factor, &product);
  return product;
}

number read_count(value_of const& given) {
  number const read = read_number(given.value);
  if (read.digits == 0) invalid(given);
  if (!read.rest.empty()) invalid(given, "invalid suffix in");
  return read;
}

// All of the machine's, of which -S can take a part.
double physical_memory() {
  return double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE));
}

}  // namespace

number read_number(std::string_view text) {
  number read;
  read.rest = text;
  while (!read.rest.empty() && std::isspace(static_cast<unsigned char>(read.rest.front()))) read.rest.remove_prefix(1);
  if (read.rest.starts_with('+')) read.rest.remove_prefix(1);
  for (; !read.rest.empty() && std::isdigit(static_cast<unsigned char>(read.rest.front())); ++read.digits) {
    bool overflow = false;
    std::uint64_t const tens = times(read.value, 10, overflow);
    overflow |= __builtin_add_overflow(tens, std::uint64_t(read.rest.front() - '0'), &read.value);
    read.too_large |= overflow;
    read.rest.remove_prefix(1);
  }
  if (read.digits == 0) read.rest = text;
  if (read.too_large) read.value = greatest;
  return read;
}

std::uint64_t parse_size(value_of const& given) {
  constexpr std::string_view powers = "KMGTPEZY", letters = "kKmMgGtTPEZY";  // of 1024
  number read = read_number(given.value);
  bool const has_digits = read.digits != 0;
  if (!has_digits) read.value = 1;  // of the suffix
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
      overflow = part >= double(greatest);
      if (!overflow) read.value = std::uint64_t(part);
    }
  } else {
    invalid(given, "invalid suffix in");
  }
  if (overflow) throw usage_error(too_large(given));
  return read.value;
}

unsigned parse_parallel(value_of const& given) {
  number const read = read_count(given);
  if (read.value == 0) throw usage_error("number in parallel must be nonzero");
  return unsigned(std::min<std::uint64_t>(read.value, std::max(1u, std::thread::hardware_concurrency())));
}

std::uint64_t parse_batch_size(value_of const& given) {
  constexpr std::uint64_t least = 2, standard_descriptors = 3;
  number const read = read_count(given);
  rlimit limit{};
  bool const limited = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  std::uint64_t const most =
      limited ? limit.rlim_cur - std::min<std::uint64_t>(limit.rlim_cur, standard_descriptors) : greatest;
  auto const refuse = [&](std::string const& message, std::string const& bound) -> usage_error {
    return usage_error(given.by.lines(message, given.by.is_gnu() ? fmt::format("{}: {}", given.by.name(), bound) : bound));
  };
  if (read.value < least)
    throw refuse(fmt::format("invalid {} argument '{}'", given.option, given.value),
                 fmt::format("minimum {} argument is '{}'", given.option, least));
  if (read.too_large || read.value > most)
    throw refuse(too_large(given), fmt::format("maximum {} argument with current rlimit is {}", given.option, most));
  return read.value;
}

std::uint64_t parse_head(value_of const& given) {
  bool const digits = !given.value.empty() && std::ranges::all_of(given.value, [](char c) { return c >= '0' && c <= '9'; });
  if (!digits) throw usage_error(fmt::format("invalid number: {}: '{}'", given.option, given.value));
  return read_number(given.value).value;
}

}  // namespace ordo::strsort
