#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "strings/strings.hpp"

namespace ordo::strings::detail {

/// What a machine makes of a text: see sorted_lines.
template <class Offset>
struct line_sort {
  std::size_t lines = 0;
  std::unique_ptr<Offset[]> starts;
  std::unique_ptr<std::uint8_t[]> repeats;
  std::size_t peak_memory = 0;  // of the machine
};

/// The text is below 2^32 bytes where Offset has 32 bits. Instantiated for 32 and 64.
template <class Offset>
line_sort<Offset> sort_on_host(std::string_view text, options const& how);
template <class Offset>
line_sort<Offset> sort_on_cuda(std::string_view text, options const& how);

/// Bytes that a line takes while it is sorted, the result included.
template <class Offset>
constexpr std::size_t line_memory = 6 + 13 * sizeof(Offset);

/// @throws out_of_memory if sorting takes more host memory than it may
void check_memory(std::size_t bytes, std::size_t lines, options const& how);

}  // namespace ordo::strings::detail
