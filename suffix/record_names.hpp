#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace ordo::suffix {

/// The names of records, in order. They lie in one piece: there may be millions, of a few bytes each.
class record_names {
 public:
  record_names() = default;
  record_names(std::initializer_list<std::string_view> names) {
    for (std::string_view const name : names) push_back(name);
  }

  void push_back(std::string_view name) {
    bytes_ += name;
    ends_.push_back(bytes_.size());
  }
  [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }
  /// Of record r in [0, size()); valid until the next push_back.
  [[nodiscard]] std::string_view operator[](std::size_t r) const noexcept {
    std::size_t const begin = r == 0 ? 0 : ends_[r - 1];
    return std::string_view(bytes_).substr(begin, ends_[r] - begin);
  }
  friend bool operator==(record_names const&, record_names const&) = default;

 private:
  std::string bytes_;
  std::vector<std::uint64_t> ends_;
};

}  // namespace ordo::suffix
