#include <tlx/sort/strings_parallel.hpp>

#include "bench/strings/string_rival.hpp"

namespace ordo::inline v0::bench {

std::string_view string_rival() {
  return "tlx";
}

/// Calls Bingmann's parallel string sample sort.
void sort_by_rival(std::vector<unsigned char const*>& strings) {
  tlx::sort_strings_parallel(strings);
}

}  // namespace ordo::inline v0::bench
