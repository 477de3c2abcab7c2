#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "ordo/strings.hpp"

namespace ordo::strings::detail {

/// What a machine makes of a text: see sorted_lines.
template <class Offset>
struct line_sort {
  std::size_t lines = 0;
  std::unique_ptr<Offset[]> starts;
  std::unique_ptr<std::uint8_t[]> repeats;
  std::size_t peak_memory = 0;  // of the machine
};

/// The text is below 2^32 bytes where Offset has 32 bits. Instantiated for 32 and 64. A GPU takes no order that needs_host.
/// @throws offsets_too_narrow
template <class Offset>
line_sort<Offset> sort_on_host(std::string_view text, options const& how);
template <class Offset>
line_sort<Offset> sort_on_cuda(std::string_view text, options const& how, unsigned gpu_index);

/// See memory_needed.
template <class Offset>
std::size_t memory_on_host(std::size_t bytes, std::size_t lines, order const& by, char delimiter);
template <class Offset>
std::size_t memory_on_cuda(std::size_t bytes, std::size_t lines, order const& by, char delimiter);

/// The codes of keys are too many for the offsets of this width.
struct offsets_too_narrow {};

/// The machine for so many bytes. @param lines  how many lines they are; asked where a GPU may take them. @throws as
/// choose_machine()
machine_choice choose_machine(options const& how, std::size_t bytes, std::function<std::size_t()> const& lines);

/// @throws usage_error
void check_delimiter(char delimiter);
/// @throws out_of_memory, with all the figures, if needed > limit
void check_memory(std::size_t bytes, std::size_t lines, std::size_t needed, std::size_t limit);

}  // namespace ordo::strings::detail
