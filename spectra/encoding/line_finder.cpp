#include "spectra/encoding/line_finder.hpp"

#include <algorithm>

namespace ordo::inline v0::spectra::detail {

std::optional<line_finder::line> line_finder::find(std::string_view text, std::size_t from, bool last) {
  lf_ = std::max(lf_, from);
  lf_ = std::min(text.find('\n', lf_), text.size());
  std::size_t const cr = text.substr(0, lf_).find('\r', from);
  if (cr != std::string_view::npos) {
    if (cr + 1 == text.size() && !last) return std::nullopt;  // an LF may follow
    return line{cr, cr + 1 == lf_ && lf_ != text.size() ? cr + 2 : cr + 1};
  }
  if (lf_ != text.size()) return line{lf_, lf_ + 1};
  return last ? std::optional(line{lf_, lf_}) : std::nullopt;
}

}  // namespace ordo::inline v0::spectra::detail
