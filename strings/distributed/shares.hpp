#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/dividing_sink.hpp"
#include "distributed/output_part.hpp"
#include "ordo/communicator.hpp"
#include "ordo/host_bytes.hpp"
#include "ordo/io.hpp"
#include "ordo/strings.hpp"
#include "ordo/strings/distributed_sort.hpp"

// What the members of a communicator read of the texts, and what they write of the output.
namespace ordo::inline v0::strings::detail {

/// The bytes of a text: from its position on, or, if it is sequential, an unknown number.
struct text_range {
  static constexpr std::uint64_t sequential = ~std::uint64_t{0};
  std::uint64_t begin = 0, size = sequential;

  [[nodiscard]] static text_range of(source const& text);
};

/// Appends the rest of a sequential text.
void append_all(source& text, host_bytes& to);

/// Whole lines of an addressable text, or the end of it that no delimiter ends.
struct line_piece {
  std::size_t text;
  std::uint64_t begin, end;
};

/// Divides addressable texts from `first` on into shares of about equally many bytes, and returns the pieces of one. A line
/// belongs to the member in whose part it begins. @throws input_error  if a text is no longer addressable
std::vector<line_piece> collect_pieces(texts const& from, std::size_t first, std::span<text_range const> ranges,
                                       std::size_t members, std::size_t rank, char delimiter);

/// The part of the output that a member writes. expect() is collective, or divisions() and then expect_divided().
class member_sink final : public dividing_sink {
 public:
  /// @param began  called for phase::write with the bytes that all members write
  /// @param whole  if not null, the whole output, which may divide it: see begins()
  member_sink(communicator& members, output_opener const& open, phase_observer const& began, sink const* whole = nullptr)
      : members_(members), open_(open), began_(began), whole_(whole) {}

  void write(std::span<char const> data) override { part_->writer().write(data); }
  /// A part in which the whole output is not divided, as one without bytes, may be announced by this function.
  /// @throws usage_error  if it is divided there
  bool expect(std::uint64_t bytes) override;
  [[nodiscard]] std::vector<std::uint64_t> divisions(std::uint64_t bytes) const override;
  bool expect_divided(std::uint64_t bytes, std::span<std::uint64_t const> begins) override;
  /// When the output is opened: where lines begin at the divisions of the whole output.
  [[nodiscard]] std::span<std::uint64_t const> begins() const { return begins_; }
  [[nodiscard]] bool addressable() const override { return true; }
  void write_at(std::uint64_t offset, std::span<char const> data) override { part_->writer().write_at(offset, data); }

  /// Completes the output. Collective.
  void finish() { part_->finish(); }
  /// After expect(): the bytes of this member, and of all.
  [[nodiscard]] std::uint64_t own_bytes() const { return own_bytes_; }
  [[nodiscard]] std::uint64_t all_bytes() const { return all_bytes_; }

 private:
  communicator& members_;
  output_opener const& open_;
  phase_observer const& began_;
  sink const* whole_;
  mutable std::vector<std::uint64_t> sizes_;  // bytes of each member's part
  std::vector<std::uint64_t> begins_;
  std::optional<ordo::detail::output_part> part_;
  std::uint64_t own_bytes_ = 0, all_bytes_ = 0;
};

}  // namespace ordo::inline v0::strings::detail
