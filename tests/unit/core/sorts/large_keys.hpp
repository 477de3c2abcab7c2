#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ordo/detail/fn.hpp"
#include "ordo/radix_key.hpp"
#include "tests/unit/mixed.hpp"

// Keys for sorts that are too large for a check on the host. Each is a function of its original position, so that results can
// be checked on the machine.

enum class key_kind {
  uniform,
  few,
  equal,
  narrow,
  uneven,
  ordered,
  even_floats,  // the bits of floats in [-1, 1), and of some arbitrary floats, with NaNs
  zeros,        // the same, but every third one is a zero of either sign
  in_range,     // even in a range that is no power of two
  in_values,    // the bits of floats in [-1, 1)
  often,        // even, but every twentieth is the same
  gaps,         // even, but one of the bits after the first eleven is never set
  bell,         // means of four even keys
  bell_values   // the bits of floats: sums of two even ones
};

/// Returns the key that is at i at first.
template <class K>
struct large_key {
  key_kind what;
  ORDO_FN K operator()(std::size_t i) const {
    std::uint64_t const x = mixed(i);
    switch (what) {
      case key_kind::uniform:
        return K(x);
      case key_kind::few:
        return K(mixed(x % 16));
      case key_kind::equal:
        return K(7);
      case key_kind::narrow:
        return K(x & 0xfffff);
      case key_kind::uneven:
        return K(x & mixed(x) & mixed(x + 1) & mixed(x + 2) & mixed(x + 3));
      case key_kind::ordered:
        return K(i / 3);
      case key_kind::in_range:
        return K(1000 + x % 1'000'000'007);
      case key_kind::in_values: {
        using real = std::conditional_t<sizeof(K) == 4, float, double>;
        return std::bit_cast<K>(real(double(std::int64_t(x)) * 0x1p-63));
      }
      case key_kind::often:
        return x % 20 == 0 ? K(12345) : K(mixed(x));
      case key_kind::gaps:
        return K(K(x) & ~(K{1} << (8 * sizeof(K) - 12)));
      case key_kind::bell:
        return K(((x >> 2) + (mixed(x) >> 2) + (mixed(x + 1) >> 2) + (mixed(x + 2) >> 2)) >> (64 - 8 * sizeof(K)));
      case key_kind::bell_values: {
        using real = std::conditional_t<sizeof(K) == 4, float, double>;
        return std::bit_cast<K>(real(double(std::int64_t(x)) * 0x1p-63 + double(std::int64_t(mixed(x))) * 0x1p-63));
      }
      case key_kind::zeros:
        if (x % 3 == 0) return K(x >> 32 << (8 * sizeof(K) - 1));
        [[fallthrough]];
      case key_kind::even_floats: {
        using real = std::conditional_t<sizeof(K) == 4, float, double>;
        return x % 1024 == 0 ? K(mixed(x)) : std::bit_cast<K>(real(double(std::int64_t(x)) * 0x1p-63));
      }
    }
    return 0;
  }
};

/// Returns the encoding of keys of a kind: that of floats for floats.
template <class K>
ordo::key_code<K> code_of_large(key_kind what, bool descending = false) {
  if (what != key_kind::even_floats && what != key_kind::zeros && what != key_kind::in_values && what != key_kind::bell_values)
    return {};
  using real = std::conditional_t<sizeof(K) == 4, float, double>;
  return descending ? ordo::radix_key<real, ordo::sort_order::descending>::code : ordo::radix_key<real>::code;
}

/// Writes key i, with the value i.
template <class K, class V>
struct fill_large {
  large_key<K> key;
  K* keys;
  V* values;  // null for keys alone
  ORDO_FN void operator()(std::size_t i) const {
    keys[i] = key(i);
    if (values) values[i] = V(i);
  }
};
