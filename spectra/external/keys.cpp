#include "spectra/external/keys.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>

#include <fmt/format.h>

#include "ordo/cpu.hpp"
#include "ordo/error.hpp"
#include "ordo/radix_key.hpp"
#include "ordo/sort.hpp"

namespace ordo::inline v0::spectra {
namespace {

constexpr std::array<std::string_view, 7> names{"pepmass", "mass", "rt", "scan", "charge", "title", "peaks"};

}  // namespace

std::optional<spectrum_key> parse_spectrum_key(std::string_view name) {
  auto const it = std::ranges::find(names, name);
  if (it == names.end()) return {};
  return static_cast<spectrum_key>(it - names.begin());
}

std::string_view to_string(spectrum_key key) {
  return names[static_cast<std::size_t>(key)];
}

}  // namespace ordo::inline v0::spectra

namespace ordo::inline v0::spectra::detail {
namespace {

// Returns the first eight bytes as a number, the first of them in the highest bits. Shorter titles are padded with zeros.
std::uint64_t first_bytes(std::string_view title) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < 8; ++i) word = word << 8 | (i < title.size() ? static_cast<unsigned char>(title[i]) : 0);
  return word;
}

}  // namespace

order_keys::order_keys(spectrum_order const& order) : order_(order) {
  for (auto key = order.by.begin(); key != order.by.end(); ++key)
    if (std::find(order.by.begin(), key, *key) != key)
      throw usage_error(fmt::format("spectra cannot be ordered: {}: the key is there twice", to_string(*key)));
}

bool order_keys::has(spectrum_key key) const noexcept {
  return std::ranges::find(order_.by, key) != order_.by.end();
}

std::uint64_t order_keys::encode_key(spectrum_key key, spectrum_header const& header, std::uint64_t peaks) const {
  std::uint64_t const flip = order_.descending ? ~std::uint64_t{0} : 0;
  // No number has the code of all ones, flipped or not: that is a NaN.
  auto const of_real = [&](std::optional<double> const& value) {
    return value ? radix_key<double>::encode(*value + 0.0) ^ flip : missing;
  };
  // Whole numbers are limited to 63 bits.
  auto const of_whole = [&](std::uint64_t value) {
    constexpr std::uint64_t max_value = missing >> 1;
    value = std::min(value, max_value);
    return order_.descending ? max_value - value : value;
  };
  switch (key) {
    case spectrum_key::pepmass:
      return of_real(header.precursor_mz);
    case spectrum_key::mass:
      return of_real(neutral_mass(header));
    case spectrum_key::rt:
      return of_real(header.rt_seconds);
    case spectrum_key::scan:
      return header.scan ? of_whole(*header.scan) : missing;
    case spectrum_key::charge:
      return header.charges.empty() ? missing : radix_key<std::int64_t>::encode(header.charges.front()) ^ flip;
    case spectrum_key::title:
      return header.title && !header.title->empty() ? (first_bytes(*header.title) ^ flip) >> 1 : missing;
    case spectrum_key::peaks:
      break;
  }
  return of_whole(peaks);
}

void order_keys::encode(spectrum_header const& header, std::uint64_t peaks, std::uint64_t* codes) const {
  for (spectrum_key const key : order_.by) *codes++ = encode_key(key, header, peaks);
}

int order_keys::compare(values const& a, values const& b) const noexcept {
  for (std::size_t k = 0; k < count(); ++k) {
    if (a.codes[k] != b.codes[k]) return a.codes[k] < b.codes[k] ? -1 : 1;
    if (order_.by[k] != spectrum_key::title || a.codes[k] == missing) continue;
    if (title_before(a.title, b.title)) return -1;
    if (title_before(b.title, a.title)) return 1;
  }
  return 0;
}

namespace {

// Sorts spectra by their titles, stably. Titles mostly begin alike: each step sorts a run by the eight bytes after those that
// its titles share, and leaves shorter runs. `codes` is memory for as many codes.
void sort_by_title(cpu& machine, order_keys const& keys, std::span<std::string_view const> titles,
                   std::span<std::uint64_t> codes, std::span<std::uint32_t> order) {
  constexpr std::size_t max_compared = 1024;  // titles: comparing so few takes less time than a step
  std::uint64_t const flip = keys.order().descending ? ~std::uint64_t{0} : 0;
  struct run {
    std::size_t begin, end, shared_bytes;
  };
  std::vector<run> runs{{0, order.size(), 0}};
  while (!runs.empty()) {
    auto [begin, end, shared_bytes] = runs.back();
    runs.pop_back();
    auto const spectra = order.subspan(begin, end - begin);
    auto const compare_titles = [&] {
      std::ranges::stable_sort(spectra,
                               [&](std::uint32_t a, std::uint32_t b) { return keys.title_before(titles[a], titles[b]); });
    };
    if (spectra.size() <= max_compared) {
      compare_titles();
      continue;
    }
    std::string_view shared = titles[spectra.front()].substr(shared_bytes);
    std::size_t max_bytes = 0;
    for (std::uint32_t const spectrum : spectra) {
      std::string_view const title = titles[spectrum].substr(shared_bytes);
      shared = shared.substr(0, std::size_t(std::ranges::mismatch(shared, title).in1 - shared.begin()));
      max_bytes = std::max(max_bytes, title.size());
    }
    if (shared.size() == max_bytes) continue;  // all titles are equal
    shared_bytes += shared.size();
    auto const step = codes.subspan(begin, spectra.size());
    for (std::size_t i = 0; i < step.size(); ++i) step[i] = first_bytes(titles[spectra[i]].substr(shared_bytes)) ^ flip;
    sort_pairs(machine, step, spectra);
    if (step.front() == step.back()) {  // some titles end where others have zeros
      compare_titles();
      continue;
    }
    for (std::size_t first = 0; first < step.size();) {
      std::size_t last = first + 1;
      while (last < step.size() && step[last] == step[first]) ++last;
      if (last - first > 1) runs.push_back({begin + first, begin + last, shared_bytes});
      first = last;
    }
  }
}

}  // namespace

// Sorts from the last key to the first; each pass is stable.
std::vector<std::uint32_t> sorted_order(order_keys const& keys, key_table const& table, std::size_t count,
                                        machine_options const& options) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  if (keys.count() == 0 || count < 2) return order;
  cpu machine({.threads = options.threads});
  std::vector<std::uint64_t> codes(count);
  for (std::size_t k = keys.count(); k-- > 0;) {
    std::uint64_t const* const column = table.codes.data() + k;
    std::size_t const step = keys.count();
    if (keys.order().by[k] == spectrum_key::title) {
      auto const has_title = [&](std::uint32_t spectrum) { return column[spectrum * step] != order_keys::missing; };
      auto const untitled = std::stable_partition(order.begin(), order.end(), has_title);
      sort_by_title(machine, keys, table.titles, codes, std::span(order.begin(), untitled));
      continue;
    }
    for (std::size_t i = 0; i < count; ++i) codes[i] = column[order[i] * step];
    sort_pairs(machine, std::span(codes), std::span(order));
  }
  return order;
}

}  // namespace ordo::inline v0::spectra::detail
