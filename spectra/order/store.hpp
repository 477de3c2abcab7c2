#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ordo/detail/buffer.hpp"
#include "spectra/order/keys.hpp"
#include "spectra/order/ordered_spectra.hpp"

namespace ordo::spectra::detail {

/// Spectra in memory, in the order of the inputs.
class spectrum_store {
 public:
  /// @param limit  bytes that it shall take at most; it takes more for a single slice that is larger
  spectrum_store(order_keys const& keys, std::size_t limit);

  /// Is there room for so many bytes in one piece, titles counted, and so many spectra more?
  [[nodiscard]] bool has_room(std::size_t bytes, std::size_t spectra);
  /// Memory for so many bytes, which stays until clear().
  [[nodiscard]] char* place(std::size_t bytes);
  void add(ordered_spectrum const& one, std::span<std::uint64_t const> codes, std::string_view title);

  [[nodiscard]] bool empty() const noexcept { return all_.empty(); }
  [[nodiscard]] std::uint64_t text_bytes() const noexcept { return text_bytes_; }
  void clear() noexcept;
  /// And gives all memory back.
  void release() noexcept;

  [[nodiscard]] order_keys const& keys() const noexcept { return keys_; }
  [[nodiscard]] std::vector<ordered_spectrum> const& all() const noexcept { return all_; }
  [[nodiscard]] key_table const& table() const noexcept { return table_; }

 private:
  [[nodiscard]] std::size_t new_block(std::size_t bytes) const;

  order_keys const& keys_;
  std::size_t limit_, block_;
  std::vector<buffer<char>> blocks_;
  std::size_t blocks_used_ = 0, used_ = 0;  // of the blocks, and bytes of the last of them
  std::size_t taken_ = 0;                   // bytes of all blocks
  std::uint64_t text_bytes_ = 0;
  std::vector<ordered_spectrum> all_;
  key_table table_;
};

/// Those of a store in an order.
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

}  // namespace ordo::spectra::detail
