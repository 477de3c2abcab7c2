#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ordo::spectra::detail {

/// The elements of a document that an index is of, spectra or chromatograms: added in the document's order, then visited in it
/// once, while the entries of the index are looked up. Memory: 16 bytes each and what its id differs by from the one before; 8
/// more where an index has them in another order.
class indexed_elements {
 public:
  static constexpr std::uint64_t gone = std::numeric_limits<std::uint64_t>::max();  // the place of one that left
  struct element {
    std::string_view name;      // its id as it is written, between quotes; empty: it has none. Until the next call
    std::uint64_t read_at, at;  // where it begins in the input, and in the output
    std::size_t number;
  };

  void add(std::size_t id, std::string_view name, std::uint64_t read_at, std::uint64_t at);
  [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }
  [[nodiscard]] bool any() const noexcept { return staying_ != 0; }
  void place(std::size_t number, std::uint64_t at) { all_[number].at = at; }
  /// Moves the places of those from a number on.
  void move(std::size_t from, std::uint64_t by);

  [[nodiscard]] std::size_t next_number() const noexcept { return next_; }
  /// @returns nothing if all were visited
  std::optional<element> next();
  /// The number of the first that is not yet visited and has this id; else of one that was.
  std::optional<std::size_t> find(std::size_t id);
  [[nodiscard]] std::uint64_t place_of(std::size_t number) const { return all_[number].at; }

  /// Returns true if a visited element has an entry that the index lacked.
  void note_added(std::size_t number);
  /// @returns whether it had, which is then forgotten
  bool take_added(std::size_t number);

 private:
  struct place_of_id {
    std::size_t id;
    std::uint64_t at;
  };
  std::vector<place_of_id> all_;
  std::size_t staying_ = 0;
  std::vector<std::size_t> by_id_;  // numbers
  std::vector<bool> added_;

  // Names and places in the input, each by what it differs by from the one before.
  struct known {
    std::string name;
    std::uint64_t read_at = 0;
  };
  std::string log_;
  known last_, visited_;
  std::size_t next_ = 0, log_at_ = 0;
};

}  // namespace ordo::spectra::detail
