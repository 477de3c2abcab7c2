#include "bench/strings/string_rival.hpp"

namespace ordo::inline v0::bench {

std::string_view string_rival() {
  return {};
}
void sort_by_rival(std::vector<unsigned char const*>&) {}

}  // namespace ordo::inline v0::bench
