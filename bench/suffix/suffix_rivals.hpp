#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

// Other suffix array builders: libdivsufsort, and those whose sources were given to CMake.
namespace ordo::inline v0::bench {

struct suffix_rival {
  std::string name, version;
  std::size_t entry_bytes = 4;  // bytes of an entry of its suffix array; 1: it computes a Burrows-Wheeler transform instead
  std::size_t min_length = 1, max_length = 0;  // length of its texts
  bool on_gpu = false;
  bool by_name_only = false;  // runs only if --rivals names it
  /// Builds into `out`, which has room for an entry a letter. Returns the seconds. @throws error
  std::function<double(std::string_view text, void* out, unsigned threads)> build;
  std::function<std::size_t()> device_memory = [] { return std::size_t{0}; };  // bytes in the last build
};

/// Returns the rivals of this build.
std::vector<suffix_rival> suffix_rivals();

}  // namespace ordo::inline v0::bench
