#include "ordo/strings/line_comparison.hpp"

#include <algorithm>
#include <cstring>

#include "strings/keys/line_keys.hpp"
#include "strings/keys/whole_codes.hpp"

namespace ordo::inline v0::strings {

namespace {

using detail::append_bytes;
using detail::as_piece;
using detail::compiled_key;
using detail::key_rules;
using detail::line_fields;
using detail::text_piece;

/// Stores codes on the stack, unless there are many.
class codes {
 public:
  void put(unsigned code) {
    if (size_ < sizeof few_)
      few_[size_++] = static_cast<unsigned char>(code);
    else
      write_many(code);
  }
  void write_word(std::uint64_t word, std::size_t count) {
    for (; count != 0; --count, word <<= 8) put(unsigned(word >> 56));
  }
  void write_bytes(compiled_key const& by, text_piece const& of) { append_bytes(by, of, *this); }
  [[nodiscard]] std::string_view view() const {
    return many_.empty() ? std::string_view(reinterpret_cast<char const*>(few_), size_) : std::string_view(many_);
  }

 private:
  void write_many(unsigned code) {
    if (many_.empty()) many_.assign(reinterpret_cast<char const*>(few_), size_);
    many_.push_back(static_cast<char>(code));
  }

  unsigned char few_[120];
  std::size_t size_ = 0;
  std::string many_;
};

int to_sign(int difference) {
  return (difference > 0) - (difference < 0);
}

// Compares pieces whose codes have the order of their bytes.
int compare_direct(compiled_key const& by, text_piece const& a, text_piece const& b) {
  std::size_t const lengths[] = {std::size_t(a.last - a.first), std::size_t(b.last - b.first)};
  std::size_t const shorter = std::min(lengths[0], lengths[1]);
  int difference = shorter == 0 ? 0 : std::memcmp(a.first, b.first, shorter);
  if (difference == 0) difference = (lengths[0] > lengths[1]) - (lengths[0] < lengths[1]);
  return by.reverse ? -to_sign(difference) : to_sign(difference);
}

// Compares pieces by the codes of their bytes. Bytes after the first difference are not read.
int compare_mapped(compiled_key const& by, text_piece a, text_piece b) {
  auto const next = [&](text_piece& of) -> unsigned {
    while (of.first != of.last)
      if (unsigned const code = by.codes[*of.first++]; code != 0) return code;
    return by.ended && by.reverse ? 255 : 0;
  };
  while (true) {
    bool const both_end = a.first == a.last && b.first == b.last;
    unsigned const of_a = next(a), of_b = next(b);
    if (of_a != of_b) return int(of_a & 255) - int(of_b & 255) != 0 ? int(of_a & 255) - int(of_b & 255) : int(of_a) - int(of_b);
    if (both_end) return 0;
  }
}

int compare_key(compiled_key const& by, key_rules const& rules, text_piece const& a, text_piece const& b) {
  if (by.inner) {
    detail::inner_piece const of_a(by, rules, a), of_b(by, rules, b);
    if (by.empty != empty_values::by_type) {
      unsigned const places[] = {of_a.place(by, rules), of_b.place(by, rules)};
      if (places[0] != places[1]) {
        int const difference = int(places[0]) - int(places[1]);
        return by.reverse && by.empty == empty_values::first ? -difference : difference;
      }
      if (places[0] != 2) return 0;
    }
    return compare_key(*by.inner, rules, of_a.piece(), of_b.piece());
  }
  if (by.type == key_type::bytes && by.collated) return detail::collate(by, a, b);
  if (by.type == key_type::bytes) return by.direct ? compare_direct(by, a, b) : compare_mapped(by, a, b);
  codes of_a, of_b;
  write_key(by, rules, a, of_a, detail::host_key_types{});
  write_key(by, rules, b, of_b, detail::host_key_types{});
  return of_a.view().compare(of_b.view());
}

}  // namespace

line_comparison::line_comparison(order const& by, char delimiter, collation_by how)
    : keys_(std::make_shared<detail::compiled_keys>(by, static_cast<unsigned char>(delimiter), 0, 0, how)),
      count_(by.keys.empty() ? keys_->keys().size() : by.keys.size()),
      collated_(by.is_collated()),
      reverse_(by.reverse),
      last_resort_(by.last_resort) {}

int line_comparison::by_first(std::size_t count, std::string_view a, std::string_view b) const {
  key_rules const& rules = keys_->rules().front();
  text_piece const whole_a = as_piece(a), whole_b = as_piece(b);
  line_fields fields_of_a(rules, whole_a), fields_of_b(rules, whole_b);
  for (compiled_key const& key : keys_->keys().first(count))
    if (int const difference = compare_key(key, rules, fields_of_a(key), fields_of_b(key)); difference != 0) return difference;
  return 0;
}

int line_comparison::by_keys(std::string_view a, std::string_view b) const {
  if (count_ == 0) return reverse_ ? b.compare(a) : a.compare(b);
  return by_first(count_, a, b);
}

int line_comparison::operator()(std::string_view a, std::string_view b) const {
  if (collated_) return by_first(keys_->keys().size(), a, b);
  int const difference = by_keys(a, b);
  if (difference != 0 || !last_resort_) return difference;
  return reverse_ ? b.compare(a) : a.compare(b);
}

key_encoder::key_encoder(order const& by, char delimiter)
    : keys_(std::make_shared<detail::compiled_keys>(by, static_cast<unsigned char>(delimiter))) {}

void key_encoder::append(std::string_view line, std::string& to) const {
  detail::appended_codes out(to);
  write_keys(keys_->view(), as_piece(line), out, detail::host_key_types{});
}

}  // namespace ordo::inline v0::strings
