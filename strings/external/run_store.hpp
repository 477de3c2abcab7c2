#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "ordo/strings/external_sort.hpp"
#include "strings/external/runs.hpp"

namespace ordo::strings::detail {

/// Lines in order that were put aside: a run, or a file of its own that a program made of it.
struct stored_lines {
  run plain;
  std::unique_ptr<temporary_file> packed;
  std::uint64_t packed_bytes = 0;  // when they are unpacked
};

/// How many texts are merged at a time: as many as asked for, or else `usual`, but no more than the process may have open.
std::size_t batch_of(spill const& where, std::size_t usual);

/// Puts sorted lines aside in temporary files.
class run_store {
 public:
  run_store(spill const& where, char delimiter) : where_(where), delimiter_(delimiter) {}

  /// @param most_bytes  that fill(sink) will write at most
  stored_lines keep(std::uint64_t most_bytes, std::function<void(sink&)> const& fill);
  [[nodiscard]] std::unique_ptr<source> open(stored_lines const& lines) const;
  /// Their place is free for others, if the file system can do that.
  void discard(stored_lines& lines) noexcept;
  [[nodiscard]] bool packs() const { return !where_.compress_program.empty(); }

 private:
  struct place {
    temporary_file file;
    std::uint64_t end = 0;
  };
  std::string const& folder();

  spill const& where_;
  char delimiter_;
  std::size_t turn_ = 0;
  std::vector<std::unique_ptr<place>> places_;  // one in each folder
};

}  // namespace ordo::strings::detail
