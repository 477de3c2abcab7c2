#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tbb/task_arena.h>

#include "spectra/scan.hpp"
#include "spectra/spectra.hpp"

namespace ordo::spectra::detail {

/// Some whole spectra of a block.
struct piece {
  std::span<char const> text;
  scan_result found;
};

/// Scans an input block by block, each in parallel pieces, and reports what is wrong, in the input's order.
class block_scan {
 public:
  block_scan(options const& how, bool check);

  /// The next block, to be run in `arena`. What was found is valid until the next call. After a disorder was found no more.
  /// @throws input_error
  std::span<piece const> scan(std::span<char const> block, bool last, tbb::task_arena& arena);

  /// So far, but for the machine.
  report totals;
  /// The first, if `check`.
  std::optional<disorder> first_disorder;

 private:
  std::span<piece> cut(std::string_view block, std::size_t threads);
  bool take(piece const& part);
  void warn(std::string const& message);
  void forgive(std::string const& message);
  [[nodiscard]] std::string missing_end(std::uint64_t line, std::uint64_t since) const;
  [[nodiscard]] std::string message(finding const& found, std::string_view text) const;

  options const& how_;
  scan_options scan_options_;
  std::vector<piece> pieces_;          // more than the present block has, so that their memory is used again
  std::string_view kind_;              // what the input looks like, if not MGF
  std::optional<std::uint64_t> open_;  // line of the BEGIN IONS that has no END IONS so far
};

}  // namespace ordo::spectra::detail
