#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/external/positional_checksum.hpp"
#include "base/temporary_file.hpp"
#include "spectra/order/keys.hpp"
#include "spectra/order/ordered_spectra.hpp"

// Spectra in order on disk.
namespace ordo::spectra::detail {

/// A part of a temporary file. What was read of it is compared with what was written when all is read.
struct stored_range {
  temporary_file* file = nullptr;
  std::uint64_t begin = 0, bytes = 0;
  std::uint64_t sum = 0;
  std::unique_ptr<place_sum> loaded = std::make_unique<place_sum>();

  /// Each byte once.
  void load(std::uint64_t at, std::span<char> to) const {
    file->read_at(begin + at, to);
    loaded->add(at, to);
  }
  /// @throws input_error if all was loaded, and it is not what was written
  void check() const;
};

/// Spectra in order: their texts, one after the other, and an index_entry of each, with codes and title.
struct spectrum_run {
  stored_range texts, index;
  // What no entry is above: an index is used before all of it is read and compared.
  std::uint64_t most_bytes = 0;
  std::uint32_t last_input = 0;
};

/// Makes runs.
class run_files {
 public:
  /// @param window  bytes that are written at a time
  run_files(std::vector<std::string> const& folders, std::size_t window) : folders_(folders), window_(window) {}

  /// @param bytes  of all texts. @throws output_error
  spectrum_run write(ordered_spectra& from, std::uint64_t bytes);
  /// The disk may have its place.
  static void discard(spectrum_run& run) noexcept;

 private:
  struct place {
    temporary_file texts, index;
    std::uint64_t texts_end = 0, index_end = 0;
  };
  std::vector<std::string> const& folders_;
  std::size_t window_;
  std::size_t turn_ = 0;
  std::vector<std::unique_ptr<place>> places_;  // one in each folder
};

/// Reads the index of a run.
class index_reader {
 public:
  index_reader(spectrum_run const& run, order_keys const& keys, std::size_t buffer);
  /// @returns false at the end. @throws input_error for an entry that cannot have been written
  bool next();
  [[nodiscard]] index_entry const& entry() const noexcept { return entry_; }
  [[nodiscard]] order_keys::values values() const noexcept { return {codes_.data(), title_}; }
  [[nodiscard]] std::uint64_t text_at() const noexcept { return text_at_; }
  void append(std::string& to) const;

 private:
  void take(char* to, std::size_t size);

  spectrum_run const& run_;
  stored_range const& index_;
  std::vector<char> buffer_;
  std::size_t used_ = 0, filled_ = 0;
  std::uint64_t read_ = 0;
  index_entry entry_{};
  std::vector<std::uint64_t> codes_;
  std::string title_;
  std::uint64_t text_at_ = 0;
};

/// Runs merged; of equal spectra those of the first run come first.
class merged_runs final : public ordered_spectra {
 public:
  /// @param runs  must outlive it
  merged_runs(std::vector<spectrum_run*> runs, order_keys const& keys, std::size_t buffer);
  bool next(ordered_spectrum& to) override;
  void append_index(std::string& to) const override { readers_[last_].append(to); }
  void load(std::span<ordered_spectrum const> all, char* to) const override;
  [[nodiscard]] std::uint64_t bytes() const;
  /// @throws input_error if the runs are not what was written
  void check() const;

 private:
  [[nodiscard]] bool before(std::size_t a, std::size_t b) const;

  std::vector<spectrum_run*> runs_;
  order_keys const& keys_;
  std::vector<index_reader> readers_;
  std::vector<std::size_t> heap_;  // runs with their next spectrum, the last to come at the front
  std::size_t last_ = 0;           // where the last one came from
  bool begun_ = false;
};

}  // namespace ordo::spectra::detail
