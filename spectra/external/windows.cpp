#include "spectra/external/windows.hpp"

#include <algorithm>

#include "base/external/ordered_write.hpp"
#include "ordo/memory.hpp"

namespace ordo::inline v0::spectra::detail {
namespace {

host_memory memory;

void load(ordered_spectra const& from, order_window& window) {
  if (window.text.size() < window.bytes) window.text = buffer<char>(memory, std::size_t(window.bytes));
  std::copy(window.front.begin(), window.front.end(), window.text.data());
  from.load(window.all, window.text.data() + window.front.size());
  if (window.addressed) window.to->write_at(window.at, window.text.span().first(std::size_t(window.bytes)));
}

}  // namespace

void write_windows(ordered_spectra const& from, std::function<bool(order_window&)> const& plan,
                   std::function<void(order_window&)> const& end) {
  external::write_windows<order_window>(
      [&](order_window& window) {
        window.clear();
        return plan(window);
      },
      [&](order_window& window) { load(from, window); },
      [&](order_window& window) {
        if (!window.addressed) window.to->write(window.text.span().first(std::size_t(window.bytes)));
        end(window);
      });
}

}  // namespace ordo::inline v0::spectra::detail
