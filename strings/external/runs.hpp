#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/external/positional_checksum.hpp"
#include "base/temporary_file.hpp"
#include "ordo/io.hpp"

// Sorted lines on disk.
namespace ordo::strings::detail {

/// Lines in order, each with its delimiter, somewhere in a file. Offsets in a run are counted from its beginning.
struct run {
  temporary_file const* file = nullptr;
  std::uint64_t offset = 0, bytes = 0;
  std::uint64_t block = 1;                    // bytes, of which
  std::vector<std::uint32_t> lines_in_block;  // tells how many lines end in each
  std::uint64_t sum = 0;                      // of what was written
  std::shared_ptr<place_sum> loaded;          // what was read of it to be written elsewhere

  void read_at(std::uint64_t at, std::span<char> to) const { file->read_at(offset + at, to); }
  /// For what goes on from here: check() knows of it.
  void load_at(std::uint64_t at, std::span<char> to) const {
    read_at(at, to);
    loaded->add(at, to);
  }
  /// @throws input_error if each byte was loaded once and they are not those that were written
  void check() const;
  /// How many lines there are in [begin, end), about.
  [[nodiscard]] double lines(std::uint64_t begin, std::uint64_t end) const;
};

/// Where a run is written: behind `offset` of a file.
class run_sink final : public sink {
 public:
  /// @param most_bytes  that the run will have at most
  run_sink(temporary_file& file, std::uint64_t offset, std::uint64_t most_bytes, char delimiter);

  void write(std::span<char const> data) override;
  bool expect(std::uint64_t bytes) override;
  [[nodiscard]] bool addressable() const override { return expected_.has_value(); }
  void write_at(std::uint64_t offset, std::span<char const> data) override;

  /// All is written.
  [[nodiscard]] run finish();

 private:
  temporary_file& file_;
  std::uint64_t offset_, block_, end_ = 0;
  char delimiter_;
  std::optional<std::uint64_t> expected_;
  place_sum sum_;
  std::vector<std::atomic<std::uint32_t>> lines_;
};

/// Some consecutive lines of a run.
struct slice {
  run const* of = nullptr;
  std::uint64_t begin = 0, end = 0;

  [[nodiscard]] std::uint64_t bytes() const { return end - begin; }
};

/// Slices as one text.
class slices_source final : public source {
 public:
  explicit slices_source(std::vector<slice> slices);

  std::size_t read(std::span<char> to) override;
  [[nodiscard]] std::optional<std::uint64_t> size() const override { return ends_.empty() ? 0 : ends_.back(); }
  void read_at(std::uint64_t offset, std::span<char> to) const override;
  [[nodiscard]] std::uint64_t position() const override { return position_; }
  void skip(std::uint64_t bytes) override { position_ += bytes; }

 private:
  std::vector<slice> slices_;
  std::vector<std::uint64_t> ends_;  // of each, in the text
  std::uint64_t position_ = 0;
};

/// Reads single lines of a run.
class run_reader {
 public:
  run_reader(run const& from, char delimiter) : run_(&from), delimiter_(delimiter) {}

  /// Where the first line begins in [at, end), or end if none does.
  std::uint64_t first_line(std::uint64_t at, std::uint64_t end);
  /// Where the line begins that has the byte at `at`; `begin`, where another begins, is not behind it.
  std::uint64_t line_around(std::uint64_t at, std::uint64_t begin);
  /// The line that begins there without its delimiter, or so many bytes of it. Valid until the next call.
  std::string_view line(std::uint64_t begin, std::size_t most = ~std::size_t{0});

 private:
  std::span<char const> window(std::uint64_t at, std::size_t least);

  run const* run_;
  char delimiter_;
  std::vector<char> bytes_;
  std::uint64_t begin_ = 0;  // of what is in bytes_
};

/// In a slice whose lines for which before(line) holds come first: where the others begin.
/// @param most  as many bytes of a line are enough to tell
template <class Before>
std::uint64_t find_bound(run_reader& reader, std::uint64_t begin, std::uint64_t end, std::size_t most, Before before) {
  std::uint64_t found = end;
  while (begin < end) {  // begin is where a line begins; what begins at or behind `end` is not before
    std::uint64_t const middle = begin + (end - begin) / 2;
    std::uint64_t const at = middle == begin ? begin : reader.first_line(middle, end);
    if (at == end) {
      end = middle;
      continue;
    }
    std::string_view const line = reader.line(at, most);
    if (before(line)) {
      begin = line.size() < most ? at + line.size() + 1 : reader.first_line(at + line.size(), end);
    } else {
      found = at;
      end = middle;
    }
  }
  return found;
}

}  // namespace ordo::strings::detail
