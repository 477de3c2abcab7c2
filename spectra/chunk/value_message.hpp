#pragma once
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "ordo/error.hpp"

// Messages between processes of the same program.
namespace ordo::inline v0::spectra::detail {

template <class T>
inline constexpr bool is_plain_value = std::is_trivially_copyable_v<T> && !std::is_same_v<T, std::string_view>;

/// Appends values to a message.
class value_writer {
 public:
  explicit value_writer(std::vector<char>& to) : to_(to) {}

  template <class... T>
  void put(T const&... values) {
    (write_value(values), ...);
  }

 private:
  template <class T>
  requires is_plain_value<T>
  void write_value(T const& value) { append(&value, sizeof(T)); }
  void write_value(std::string_view text) {
    write_value(text.size());
    append(text.data(), text.size());
  }
  void write_value(std::string const& text) { write_value(std::string_view(text)); }
  template <class T>
  requires is_plain_value<T>
  void write_value(std::vector<T> const& values) {
    write_value(values.size());
    append(values.data(), values.size() * sizeof(T));
  }
  void append(void const* data, std::size_t size) {
    to_.insert(to_.end(), static_cast<char const*>(data), static_cast<char const*>(data) + size);
  }

  std::vector<char>& to_;
};

/// Takes the values of a message in the order in which they were put. @throws input_error  for a message that is too short
class value_reader {
 public:
  explicit value_reader(std::span<char const> from) : from_(from) {}

  template <class... T>
  void take(T&... values) {
    (read_value(values), ...);
  }
  /// Returns a text, which stays in the message.
  [[nodiscard]] std::string_view text() {
    std::size_t size = 0;
    read_value(size);
    auto const bytes = next(size, 1);
    return {bytes.data(), bytes.size()};
  }

 private:
  template <class T>
  requires is_plain_value<T>
  void read_value(T& value) { std::memcpy(&value, next(1, sizeof(T)).data(), sizeof(T)); }
  void read_value(std::string& to) { to = text(); }
  template <class T>
  requires is_plain_value<T>
  void read_value(std::vector<T>& to) {
    std::size_t count = 0;
    read_value(count);
    auto const bytes = next(count, sizeof(T));
    to.resize(count);
    if (count != 0) std::memcpy(to.data(), bytes.data(), bytes.size());
  }
  std::span<char const> next(std::size_t count, std::size_t size) {
    if (count > from_.size() / size) throw input_error("cannot read: message: it is too short");
    auto const bytes = from_.first(count * size);
    from_ = from_.subspan(count * size);
    return bytes;
  }

  std::span<char const> from_;
};

}  // namespace ordo::inline v0::spectra::detail
