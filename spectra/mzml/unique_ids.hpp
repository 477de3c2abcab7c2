#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ordo::inline v0::spectra::detail {

/// Finds suffixes for the ids of inputs whose spectra become those of one output. Memory: 16 to 32 bytes for each id.
class unique_ids {
 public:
  /// Adds an id of the input that is read. @param hash  id_hash() of it
  void add(std::size_t hash) { now_.push_back(hash); }
  /// Ends the input. Finds the suffix of all its ids and keeps it: none if no input before has one of them; else " file=N",
  /// with the number of the input, from 1 on, or the first one above that makes all of them new.
  void end_input();
  [[nodiscard]] std::string const& suffix(std::size_t input) const { return suffixes_[input]; }

 private:
  [[nodiscard]] bool holds(std::size_t hash) const;
  void insert(std::size_t hash);

  std::vector<std::size_t> now_;
  std::vector<std::size_t> table_;  // open addressing; 0: free
  std::size_t used_ = 0;
  std::vector<std::string> suffixes_;
};

}  // namespace ordo::inline v0::spectra::detail
