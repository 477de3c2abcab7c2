#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "spectra/mgf/scan.hpp"
#include "spectra/order/keys.hpp"

namespace ordo::spectra::detail {

/// The spectra that a slice's output has, with their keys; so that they can be taken out of it. A slice begins with a spectrum,
/// but for those before the first one of an input.
class spectrum_records {
 public:
  struct record {
    std::size_t end;        // in the slice's output, behind the empty lines that follow it; it begins where the one before ends
    std::uint64_t number;   // in the slice, those that are left out counted
    std::uint64_t offset;   // in the slice, of BEGIN IONS
    std::size_t title_end;  // in titles()
  };

  /// Before all else. Parameters between spectra are faults of the slice; where the input's first spectrum begins is noted.
  void look_at(std::string_view text, scan_options const& how, scan_result& found);
  /// All spectra, where they are in the text, in which lines may move afterwards.
  void take_all(std::string_view text, order_keys const& keys, scan_result const& found);
  /// The next one that stays. @param peaks  that it has in the output @param end  of it there
  void take(std::string_view text, order_keys const& keys, peak_table const& table, std::size_t s, std::uint64_t peaks,
            std::size_t end);

  [[nodiscard]] std::vector<record> const& all() const noexcept { return all_; }
  [[nodiscard]] std::vector<std::uint64_t> const& codes() const noexcept { return codes_; }
  [[nodiscard]] std::string const& titles() const noexcept { return titles_; }  // one after the other; if they are a key
  /// What stands before the first spectrum, if none came before the slice: all of it, if there is none in it.
  [[nodiscard]] std::size_t head() const noexcept { return head_; }
  [[nodiscard]] bool any_spectra() const noexcept { return any_; }

 private:
  std::vector<record> all_;
  std::vector<std::uint64_t> codes_;
  std::string titles_;
  std::size_t head_ = 0;
  bool any_ = false;
};

}  // namespace ordo::spectra::detail
