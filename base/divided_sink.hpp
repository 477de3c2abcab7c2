#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "ordo/io.hpp"

// Outputs that are divided among several sinks, in their order.
namespace ordo::inline v0 {

/// Returns the number of the first item of part `part` if `items` items are divided among `parts` parts of about equal size.
constexpr std::uint64_t first_of_part(std::uint64_t items, std::size_t parts, std::size_t part) {
  __extension__ using wide = unsigned __int128;
  return std::uint64_t(wide(items) * part / parts);
}

/// Calls put(part, offset in the part, bytes) for each part into which the bytes at `offset` fall.
/// @param begins  where the parts begin, in their order; those that are not known yet are past the bytes
template <class Begins, class Put>
void divide(std::uint64_t offset, std::span<char const> data, Begins const& begins, Put put) {
  while (!data.empty()) {
    // There may be parts without bytes before the one that begins last.
    auto const after = std::upper_bound(std::begin(begins), std::end(begins), offset,
                                        [](std::uint64_t at, auto const& begin) { return at < std::uint64_t{begin}; });
    std::uint64_t const end = after == std::end(begins) ? ~std::uint64_t{0} : std::uint64_t{*after};
    auto const part = std::size_t(after - std::begin(begins)) - 1;
    auto const some = data.first(std::size_t(std::min<std::uint64_t>(data.size(), end - offset)));
    put(part, offset - std::uint64_t{begins[part]}, some);
    offset += some.size();
    data = data.subspan(some.size());
  }
}

/// A sink that divides its bytes, whose number must be announced, among other sinks of about equal size. Each part but the last
/// is a multiple of some size. Several threads write at the same time if all parts are addressable.
class divided_sink final : public sink {
 public:
  /// @param parts  must outlive this one @param unit  each part begins at a multiple of so many bytes
  divided_sink(std::vector<sink*> parts, std::uint64_t unit) : parts_(std::move(parts)), unit_(unit) {}

  bool expect(std::uint64_t bytes) override {
    begins_.clear();
    for (std::size_t k = 0; k < parts_.size(); ++k) begins_.push_back(first_of_part(bytes / unit_, parts_.size(), k) * unit_);
    addressed_ = true;
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      bool const now = parts_[k]->expect((k + 1 == parts_.size() ? bytes : begins_[k + 1]) - begins_[k]);
      addressed_ = addressed_ && (now || parts_[k]->addressable());
    }
    return addressed_;
  }
  [[nodiscard]] bool addressable() const override { return addressed_; }
  void write(std::span<char const> data) override {
    write_at(written_, data);
    written_ += data.size();
  }
  void write_at(std::uint64_t offset, std::span<char const> data) override {
    if (begins_.empty()) throw std::logic_error("divided sink: the size is not known");
    divide(offset, data, begins_, [&](std::size_t part, std::uint64_t at, std::span<char const> some) {
      if (addressed_)
        parts_[part]->write_at(at, some);
      else
        parts_[part]->write(some);
    });
  }

 private:
  std::vector<sink*> parts_;
  std::uint64_t unit_;
  std::vector<std::uint64_t> begins_;
  std::uint64_t written_ = 0;  // bytes that write() has stored
  bool addressed_ = false;
};

}  // namespace ordo::inline v0
