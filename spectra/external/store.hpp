#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ordo/detail/buffer.hpp"
#include "spectra/external/keys.hpp"
#include "spectra/external/ordered_spectra.hpp"

namespace ordo::inline v0::spectra::detail {

/// A store of spectra in memory, in the order of the inputs.
class spectrum_store {
 public:
  /// @param limit  maximum memory in bytes, which only a single larger chunk exceeds
  spectrum_store(order_keys const& keys, std::size_t limit);

  /// Returns true if there is room for more spectra, whose texts and titles are contiguous.
  [[nodiscard]] bool has_room(std::size_t bytes, std::size_t spectra);
  /// Returns memory that stays valid until clear().
  [[nodiscard]] char* place(std::size_t bytes);
  void add(ordered_spectrum const& spectrum, std::span<std::uint64_t const> codes, std::string_view title);

  /// Puts text before that of the first spectrum.
  void prepend(std::string_view text);

  [[nodiscard]] bool empty() const noexcept { return all_.empty(); }
  [[nodiscard]] std::uint64_t text_bytes() const noexcept { return text_bytes_; }
  void clear() noexcept;
  /// Clears the store, and frees its memory.
  void release() noexcept;
  /// Frees the memory of texts and titles before that of spectrum `first`, as far as blocks hold nothing else. Only release()
  /// may follow.
  void release_before(std::size_t first) noexcept;

  [[nodiscard]] order_keys const& keys() const noexcept { return keys_; }
  [[nodiscard]] std::vector<ordered_spectrum> const& all() const noexcept { return all_; }
  [[nodiscard]] key_table const& table() const noexcept { return table_; }

 private:
  [[nodiscard]] std::size_t new_block(std::size_t bytes) const;

  order_keys const& keys_;
  std::size_t limit_, block_;
  std::vector<buffer<char>> blocks_;
  std::size_t blocks_used_ = 0, used_ = 0;  // blocks in use, and bytes in use of the last of them
  std::vector<std::size_t> ends_;           // the end of the spectra in each block in use but the last
  std::size_t released_ = 0;                // blocks
  std::size_t taken_ = 0;                   // bytes of all blocks
  std::uint64_t text_bytes_ = 0;
  std::vector<ordered_spectrum> all_;
  key_table table_;
};

/// The spectra of a store in an order.
class stored_in_order final : public ordered_spectra {
 public:
  stored_in_order(spectrum_store const& from, std::vector<std::uint32_t> order) : from_(from), order_(std::move(order)) {}
  bool next(ordered_spectrum& to) override;
  void append_index(std::string& to) const override;
  void load(std::span<ordered_spectrum const> all, char* to) const override;

 private:
  spectrum_store const& from_;
  std::vector<std::uint32_t> order_;
  std::size_t next_ = 0;
};

}  // namespace ordo::inline v0::spectra::detail
