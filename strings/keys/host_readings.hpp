#pragma once
#include "strings/keys/code_output.hpp"
#include "strings/keys/collation.hpp"
#include "strings/keys/general_codes.hpp"
#include "strings/keys/key_codes.hpp"
#include "strings/keys/random_codes.hpp"

// Keys that are read by functions of the C library, which the host alone has.
namespace ordo::strings::detail {

/// How an encoder reads them: on the host.
struct host_readings {
  static constexpr bool available = true;

  template <class Out>
  void operator()(compiled_key const& by, key_rules const& rules, text_piece const& of, Out& out) const {
    key_output<Out> const put(out, by.reverse);
    if (by.as == reading::general_number) {
      general_number const number = read_general_number(by, of);
      for (std::size_t i = 0; i < number.size; ++i) put(number.codes[i]);
    } else if (by.as == reading::random) {
      md5 hash(rules.md5_sines);
      for (unsigned char const byte : rules.random_seed) hash.add(byte);
      add_transformed(by, of, hash);
      put_digest(hash, put);
    } else {
      put_first_level(by, of, out);
    }
  }

 private:
  template <class Out>
  static void put_first_level(compiled_key const& by, text_piece const& of, Out& out) {
    key_output<Out> const put(out, by.reverse);
    first_level const level(by, of);
    for (char const code : level.codes()) put(static_cast<unsigned char>(code));
    if (by.reverse) put(1);
  }
  // The room that is kept for it.
  static void put_first_level(compiled_key const& by, text_piece const& of, code_counter& out) {
    out.size += first_level::most(by, of) + by.reverse;
  }
};

/// For orders that have none.
struct no_host_readings {
  static constexpr bool available = false;

  template <class Out>
  ORDO_FN void operator()(compiled_key const&, key_rules const&, text_piece const&, Out&) const {}
};

}  // namespace ordo::strings::detail
