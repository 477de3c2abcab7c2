#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/error.hpp"
#include "ordo/io.hpp"
#include "ordo/machine.hpp"

/// Helpers of the fuzz targets. A target calls a library as a program would. An ordo::error is a result. Any other exception, a
/// false statement or a sanitizer's report ends the process.
namespace fuzz {

inline void require(bool holds, char const* statement) {
  if (holds) return;
  std::fprintf(stderr, "not true: %s\n", statement);
  std::abort();
}

/// Ends the process if two ways to read an input end with different errors. @param same_message  or else only one of them fails
inline void require_same(std::optional<std::string> const& one, std::optional<std::string> const& other,
                         bool same_message = true) {
  if (same_message ? one == other : one.has_value() == other.has_value()) return;
  std::fprintf(stderr, "one error: %s\nanother one: %s\n", one.value_or("none").c_str(), other.value_or("none").c_str());
  std::abort();
}

/// Options, and then a text: takes the options from the front of an input.
class fuzzed_bytes {
 public:
  fuzzed_bytes(std::uint8_t const* data, std::size_t size) : rest_(reinterpret_cast<char const*>(data), size) {}

  /// Returns a number of [0, values), values at most 256; 0 at the end.
  std::size_t number(std::size_t values) {
    if (rest_.empty()) return 0;
    auto const byte = static_cast<unsigned char>(rest_[0]);
    rest_.remove_prefix(1);
    return byte % values;
  }
  bool flag() { return number(2) != 0; }
  /// Returns at most this many bytes.
  std::string_view text(std::size_t max_bytes) {
    std::string_view const front = rest_.substr(0, max_bytes);
    rest_.remove_prefix(front.size());
    return front;
  }
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

/// A source without addresses, as a pipe.
class sequential_source final : public ordo::source {
 public:
  explicit sequential_source(std::string_view text) : all_(text) {}
  std::size_t read(std::span<char> to) override { return all_.read(to); }

 private:
  ordo::memory_source all_;
};

/// A sink without addresses.
class string_sink final : public ordo::sink {
 public:
  void write(std::span<char const> data) override { text_.append(data.data(), data.size()); }
  [[nodiscard]] std::string const& text() const { return text_; }

 private:
  std::string text_;
};

/// Calls f().
/// @returns the message of its error; nothing without one
template <class F>
std::optional<std::string> catch_error(F const& f) {
  try {
    f();
  } catch (ordo::error const& e) {
    return e.what();
  }
  return std::nullopt;
}

/// One thread of the CPU: libFuzzer runs many processes instead.
inline ordo::machine_options one_thread() {
  ordo::machine_options options;
  options.device = ordo::device::cpu;
  options.threads = 1;
  return options;
}

}  // namespace fuzz
