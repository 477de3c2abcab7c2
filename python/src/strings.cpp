#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "ordo/strings/arrays.hpp"
#include "python/src/machine.hpp"
#include "python/src/module.hpp"

namespace ordo_python {
namespace {

/// Writes the order of strings that lie end to end, as int64. `offsets` are int64, one more than there are strings.
void argsort_strings(machines& on, nb::handle bytes_given, nb::handle offsets_given, nb::handle index_given, bool descending,
                     std::size_t memory) {
  array const bytes(bytes_given, "bytes", false), offsets(offsets_given, "offsets", false), index(index_given, "index", true);
  if (bytes.gpu() || offsets.gpu() || index.gpu()) throw ordo::usage_error("bad strings: not in the host's memory");
  if (bytes.item_bytes() != 1 || offsets.type() != ORDO_INT64 || index.type() != ORDO_INT64)
    throw ordo::usage_error("bad strings: bytes, and offsets and an index of int64 are expected");
  if (index.size() + 1 != std::max<std::size_t>(offsets.size(), 1))
    throw ordo::usage_error("bad index: not as long as the strings");
  nb::gil_scoped_release const released;
  ordo::strings::sort_options options;
  options.machine = on.options();
  options.by.reverse = descending;
  if (memory != 0) options.memory = memory;
  std::string_view const text(static_cast<char const*>(bytes.data()), bytes.size());
  std::span<std::int64_t const> const bounds(static_cast<std::int64_t const*>(offsets.data()), offsets.size());
  auto* const to = static_cast<std::int64_t*>(index.data());
  auto const write = [&](auto const& order) { std::ranges::copy(order.permutation, to); };
  if (bytes.size() + offsets.size() < std::numeric_limits<std::uint32_t>::max() / 2)
    write(ordo::strings::sort<std::uint32_t>(text, bounds, options));
  else
    write(ordo::strings::sort<std::uint64_t>(text, bounds, options));
}

}  // namespace

void add_strings(nb::module_& module) {
  module.def("argsort_strings", &argsort_strings);
}

}  // namespace ordo_python
