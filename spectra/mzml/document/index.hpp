#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ordo::inline v0::spectra::detail {

/// The elements of a document that an index lists, spectra or chromatograms. They are added in the order of the document, and
/// visited in it once, while the entries of the index are looked up. Memory: 16 bytes each, and the difference of its id to the
/// one before; 8 more if the index has another order.
class indexed_elements {
 public:
  static constexpr std::uint64_t dropped =
      std::numeric_limits<std::uint64_t>::max();  // the place of an element that is not in the output
  struct element {
    std::string_view name;      // its id as it is written, between quotes, valid until the next call; empty: none
    std::uint64_t read_at, at;  // its places in the input and in the output
    std::size_t number;
  };

  void add(std::size_t id, std::string_view name, std::uint64_t read_at, std::uint64_t at);
  [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }
  [[nodiscard]] bool any() const noexcept { return staying_ != 0; }
  void place(std::size_t number, std::uint64_t at) { all_[number].at = at; }
  /// Moves the places of the elements from a number on.
  void move(std::size_t from, std::uint64_t by);

  [[nodiscard]] std::size_t next_number() const noexcept { return next_; }
  /// Visits the next element.
  /// @returns nothing if all were visited
  std::optional<element> next();
  /// Finds an element by its id: the first one that is not yet visited, else one that is.
  std::optional<std::size_t> find(std::size_t id);
  [[nodiscard]] std::uint64_t place_at(std::size_t number) const { return all_[number].at; }

  /// Notes that an element got an entry that the index lacked.
  void note_added(std::size_t number);
  /// Returns true if an element got such an entry, and forgets it.
  bool pop_added(std::size_t number);

 private:
  struct place_of_id {
    std::size_t id;
    std::uint64_t at;
  };
  std::vector<place_of_id> all_;
  std::size_t staying_ = 0;
  std::vector<std::size_t> by_id_;  // numbers
  std::vector<bool> added_;

  // Names and places in the input, each as the difference to the one before.
  struct known {
    std::string name;
    std::uint64_t read_at = 0;
  };
  std::string log_;
  known last_, visited_;
  std::size_t next_ = 0, log_at_ = 0;
};

}  // namespace ordo::inline v0::spectra::detail
