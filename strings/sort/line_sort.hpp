#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "ordo/detail/buffer.hpp"
#include "ordo/strings.hpp"

namespace ordo::inline v0::strings::detail {

/// The result of sorting a text: see sorted_lines.
template <class Offset>
struct line_sort {
  std::size_t lines = 0;
  buffer<Offset> starts;
  buffer<std::uint8_t> repeats;
  std::size_t peak_memory = 0;  // bytes of the backend
};

/// Sorts a text, which has fewer than 2^32 bytes if Offset has 32 bits. Instantiated for 32 and 64 bits. An order that
/// needs_host() is not sorted on a GPU. @throws offsets_too_narrow
template <class Offset>
line_sort<Offset> sort_on_host(std::string_view text, sort_options const& options);
template <class Offset>
line_sort<Offset> sort_on_cuda(std::string_view text, sort_options const& options, unsigned gpu_index);

/// Returns the maximum memory: see sort_memory().
template <class Offset>
std::size_t memory_on_host(std::size_t bytes, std::size_t lines, order const& by, char delimiter);
template <class Offset>
std::size_t memory_on_cuda(std::size_t bytes, std::size_t lines, order const& by, char delimiter);

/// Thrown if the codes of keys are too many for offsets of this width.
struct offsets_too_narrow {};

/// Chooses the machine for a text of `bytes` bytes. @param lines  returns the number of lines; called if a GPU may sort them
/// @throws as choose_machine()
machine_choice choose_machine(sort_options const& options, std::size_t bytes, std::function<std::size_t()> const& lines);

/// Throws usage_error for a delimiter of 0x80 or more.
void check_delimiter(char delimiter);
/// Throws out_of_memory, with all figures, if needed > limit.
void check_memory(std::size_t bytes, std::size_t lines, std::size_t needed, std::size_t limit);

}  // namespace ordo::inline v0::strings::detail
