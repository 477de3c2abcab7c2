#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/external/merge.hpp"
#include "base/external/runs.hpp"
#include "spectra/external/keys.hpp"
#include "spectra/external/ordered_spectra.hpp"

// Sorted spectra on disk.
namespace ordo::inline v0::spectra::detail {

/// Spectra in order: their texts, one after the other, and an index_entry of each, with codes and title.
struct spectrum_run {
  external::stored_range texts, index;
  // No entry is above these: an index is used before all of it has been read and checked.
  std::uint64_t max_bytes = 0;
  std::uint32_t last_input = 0;

  /// Throws input_error if the run was read and differs from what was written.
  void check() const {
    texts.check();
    index.check();
  }
  void discard() noexcept {
    texts.discard();
    index.discard();
  }
};

/// Writes runs.
class spectrum_run_files {
 public:
  /// @param window  bytes that are written at a time
  spectrum_run_files(std::vector<std::string> const& folders, std::size_t window)
      : texts_(folders), indexes_(folders), window_(window) {}

  /// @param bytes  size of all texts. @throws output_error
  spectrum_run write(ordered_spectra& from, std::uint64_t bytes);

 private:
  external::run_files texts_, indexes_;
  std::size_t window_;
};

/// Reads the index of a run.
class index_reader {
 public:
  index_reader(spectrum_run const& run, order_keys const& keys, std::size_t buffer);
  /// Reads the next entry. Returns false at the end. @throws input_error for an entry that cannot have been written
  bool next();
  [[nodiscard]] index_entry const& entry() const noexcept { return entry_; }
  [[nodiscard]] order_keys::values values() const noexcept { return {codes_.data(), title_}; }
  [[nodiscard]] std::uint64_t text_at() const noexcept { return text_at_; }
  void append(std::string& to) const;

 private:
  void take(char* to, std::size_t size);

  spectrum_run const& run_;
  std::vector<char> buffer_;
  std::size_t used_ = 0, filled_ = 0;
  std::uint64_t read_ = 0;
  index_entry entry_{};
  std::vector<std::uint64_t> codes_;
  std::string title_;
  std::uint64_t text_at_ = 0;
};

/// Merges runs. Of equal spectra those of the first run come first.
class merged_runs final : public ordered_spectra {
 public:
  /// @param runs  must outlive it. @param buffer  bytes of each index that are read at a time
  merged_runs(std::span<spectrum_run const> runs, order_keys const& keys, std::size_t buffer);
  bool next(ordered_spectrum& to) override;
  void append_index(std::string& to) const override { entries_[entries_.winner()].append(to); }
  void load(std::span<ordered_spectrum const> all, char* to) const override;
  [[nodiscard]] std::uint64_t bytes() const;
  /// Throws input_error if the runs are not what was written.
  void check() const;

 private:
  struct comparison {
    order_keys const* keys;
    int operator()(index_reader const& a, index_reader const& b) const { return keys->compare(a.values(), b.values()); }
  };

  std::span<spectrum_run const> runs_;
  external::loser_tree<index_reader, comparison> entries_;
};

}  // namespace ordo::inline v0::spectra::detail
