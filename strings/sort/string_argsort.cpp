#include "strings/sort/string_argsort.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>
#include <vector>

#include "ordo/cpu_backend.hpp"
#include "sort_core/algorithms/functors.hpp"
#include "sort_core/host/few.hpp"
#include "sort_core/scoped_machine.hpp"
#include "strings/sort/string_orders.hpp"

namespace ordo::inline v0::strings::detail {
namespace {

constexpr std::size_t few_strings = 1024;

/// Sorts a few strings without a machine, whose start takes longer: by the first symbols that they do not share, and then
/// groups with equal ones in the same way.
template <class Order, class Index>
class few_sort {
 public:
  few_sort(Order by, std::span<Index> order, std::span<std::uint8_t> repeats)
      : by_(by), order_(order.data()), repeats_(repeats.data()) {
    for (std::size_t i = 0; i < order.size(); ++i) order_[i] = Index(i);
    if (!order.empty()) sort(0, order.size(), 0);
  }

 private:
  static constexpr Index identical = common_prefix<Index>::identical;

  /// Sorts items [begin, end), which are in the order of the input and share `depth` symbols. Each call for a part of a group
  /// is for fewer items.
  void sort(std::size_t begin, std::size_t end, std::size_t depth) {
    Index shared = identical;
    repeats_[begin] = 0;
    for (std::size_t i = begin + 1; i < end && shared != 0; ++i)
      shared = std::min(shared, by_.common(order_[begin], order_[i], depth, std::size_t(shared)));
    if (shared == identical) return mark(begin, end);
    depth += shared;
    for (std::size_t i = begin; i < end; ++i) keys_[i] = by_.template number<std::uint64_t>(order_[i], depth);
    sort_keys(begin, end - begin);
    for (std::size_t i = begin, j = i; i < end; i = j) {
      do ++j;
      while (j < end && keys_[j] == keys_[i]);
      repeats_[i] = 0;
      if (j == i + 1) continue;
      if (by_.ended(keys_[i], depth))
        mark(i, j);
      else
        sort(i, j, depth + Order::template width<std::uint64_t>);
    }
  }

  /// Sorts n keys from `begin` on, and the numbers of their strings, stably.
  void sort_keys(std::size_t begin, std::size_t n) {
    host_detail::records<std::uint64_t, Index> const all{keys_.data() + begin, order_ + begin};
    if (host_detail::are_few<std::uint64_t, Index>(n))
      return host_detail::sort_few(all, all, n, host_detail::whole<std::uint64_t, host_detail::smaller>{});
    std::vector<std::pair<std::uint64_t, Index>> pairs(n);
    for (std::size_t i = 0; i < n; ++i) pairs[i] = {all.keys[i], all.values[i]};
    std::sort(pairs.begin(), pairs.end());  // the numbers of equal keys ascend
    for (std::size_t i = 0; i < n; ++i) all.set(i, pairs[i].first, pairs[i].second);
  }

  void mark(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) repeats_[i] = i != begin;
  }

  Order by_;
  Index* order_;
  std::uint8_t* repeats_;
  std::array<std::uint64_t, few_strings> keys_;
};

template <class Order, class Index>
void sort_by(machine_options const& options, Order by, std::span<Index> order, std::span<std::uint8_t> repeats) {
  if (order.size() <= few_strings) return void(few_sort<Order, Index>(by, order, repeats));
  with_machine<cpu>(options, options.threads, [&](host_backend& backend) {
    backend.each(order.size(), [=](std::size_t i) {
      order[i] = Index(i);
      repeats[i] = 0;
    });
    sort_depth_first(backend, by, order, repeats);
  });
}

/// The bits that are set in some unit, and one more than the last position of a row that is not zero in some row.
struct used_units {
  std::uint32_t bits = 0;
  std::size_t length = 0;
};
struct combine {
  used_units operator()(used_units const& a, used_units const& b) const {
    return {a.bits | b.bits, std::max(a.length, b.length)};
  }
};

}  // namespace

template <class Index>
void argsort_strings(machine_options const& options, std::span<std::string_view const> strings, bool reverse,
                     std::span<Index> order, std::span<std::uint8_t> repeats) {
  sort_by(options, byte_order{strings.data(), reverse ? ~std::uint64_t{0} : 0}, order, repeats);
}

template <class Index>
void argsort_ucs4(machine_options const& options, std::uint32_t const* units, std::size_t length, bool reverse,
                  std::span<Index> order, std::span<std::uint8_t> repeats) {
  used_units used;
  auto const in_row = [=](std::size_t row) {
    std::uint32_t const* const p = units + row * length;
    used_units of_row;
    std::size_t end = length;
    while (end != 0 && p[end - 1] == 0) --end;
    of_row.length = end;
    for (std::size_t i = 0; i < end; ++i) of_row.bits |= p[i];
    return of_row;
  };
  if (order.size() <= few_strings)
    for (std::size_t row = 0; row < order.size(); ++row) used = combine{}(used, in_row(row));
  else
    used = with_machine<cpu>(options, options.threads, [&](host_backend& backend) {
      return backend.reduce(order.size(), in_row, used_units{}, combine{});
    });
  ucs4_rows const rows{units, length, used.length};
  std::uint64_t const flip = reverse ? ~std::uint64_t{0} : 0;
  if (used.bits <= 0xff)
    sort_by(options, ucs4_order<8>{rows, flip}, order, repeats);
  else if (used.bits <= 0xffff)
    sort_by(options, ucs4_order<16>{rows, flip}, order, repeats);
  else
    sort_by(options, ucs4_order<32>{rows, flip}, order, repeats);
}

#define ORDO_INSTANTIATE(Index)                                                                                    \
  template void argsort_strings(machine_options const&, std::span<std::string_view const>, bool, std::span<Index>, \
                                std::span<std::uint8_t>);                                                          \
  template void argsort_ucs4(machine_options const&, std::uint32_t const*, std::size_t, bool, std::span<Index>,    \
                             std::span<std::uint8_t>);
ORDO_INSTANTIATE(std::uint32_t)
ORDO_INSTANTIATE(std::uint64_t)

}  // namespace ordo::inline v0::strings::detail
