#pragma once
#include <cstddef>
#include <cstdint>

#include "sort_core/fn.hpp"
#include "tests/mixed.hpp"

// Keys for sorts that are too large for a check on the host: a function of their first place, so that a result can be checked
// where it lies, on the machine.

enum class key_kind { uniform, few, equal, narrow, uneven, ordered };

/// The key that is at i at first.
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
    }
    return 0;
  }
};

/// Writes key i, and i as its value.
template <class K, class V>
struct fill_large {
  large_key<K> key;
  K* keys;
  V* values;  // null: keys alone
  ORDO_FN void operator()(std::size_t i) const {
    keys[i] = key(i);
    if (values) values[i] = V(i);
  }
};
