#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "ordo/io.hpp"

// Outputs that several files hold, and writers that can tell where the items begin.
namespace ordo::inline v0 {

/// A sink that divides what it gets between items, and must know where they begin before it can be addressed.
class dividing_sink : public sink {
 public:
  /// Returns the offsets at which it would divide `bytes` bytes.
  [[nodiscard]] virtual std::vector<std::uint64_t> divisions(std::uint64_t bytes) const = 0;
  /// Does as expect(), after divisions(bytes). @param begins  the first begin of an item at or after each of those, or `bytes`
  virtual bool expect_divided(std::uint64_t bytes, std::span<std::uint64_t const> begins) = 0;
};

/// Returns the offsets at which a sink would divide `bytes` bytes; none if it does not divide.
inline std::vector<std::uint64_t> divisions_in(sink const& to, std::uint64_t bytes) {
  auto const* const dividing = dynamic_cast<dividing_sink const*>(&to);
  return dividing ? dividing->divisions(bytes) : std::vector<std::uint64_t>{};
}
/// Announces the total number of bytes to any sink. @param begins  see dividing_sink::expect_divided
/// @returns addressable()
inline bool expect_divided(sink& to, std::uint64_t bytes, std::span<std::uint64_t const> begins) {
  auto* const dividing = dynamic_cast<dividing_sink*>(&to);
  return dividing ? dividing->expect_divided(bytes, begins) : to.expect(bytes);
}

}  // namespace ordo::inline v0
