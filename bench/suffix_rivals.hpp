#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

// What else makes suffix arrays: libdivsufsort, and what the reader has named when this was configured.
namespace ordo::bench {

struct suffix_rival {
  std::string name, version;
  std::size_t entry_bytes = 4;            // of its suffix array; 1: it makes a Burrows-Wheeler transform, and no array
  std::size_t shortest = 1, longest = 0;  // letters that it takes
  bool on_card = false;
  bool by_name_only = false;  // does not run unless it is asked for
  /// Builds into `out`, which has room for an entry a letter. @returns the seconds that count @throws error if it fails
  std::function<double(std::string_view text, void* out, unsigned threads)> build;
  std::function<std::size_t()> device_memory = [] { return std::size_t{0}; };  // of the last build, in bytes
};

/// Those that were built in.
std::vector<suffix_rival> suffix_rivals();

}  // namespace ordo::bench
