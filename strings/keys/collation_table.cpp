#include "strings/keys/collation_table.hpp"

#include <langinfo.h>
#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <utility>

namespace ordo::inline v0::strings::detail {

namespace {

// Codes of append_codes().
constexpr char level_end = 1;
constexpr char text_end = 1, passed_over_end = 2;  // the latter: nothing in the text has a weight, but it is not empty

// In a level without positions most weights are the lowest: a letter without accent, in lower case. A number of them is a code:
// the greater the higher if the level ends after them, and the lower if another weight follows, which begins with a code above
// those.
constexpr unsigned char lowest_weight = 2;
constexpr unsigned max_lowest = 100, many_lowest = 128, lowest_before_other = 250, other_weight = 251;
// In a level with positions, the code of a weight is below these.
constexpr char passed_over_before = static_cast<char>(254), next_weight = static_cast<char>(255);

constexpr std::size_t few = 64;

int to_sign(int x) {
  return (x > 0) - (x < 0);
}

std::string_view until_nul(std::string_view text) {
  return text.substr(0, text.find('\0'));
}

// glibc aligns entries of its lists to four bytes.
std::uint32_t aligned(std::uint32_t bytes) {
  return (bytes + 3) / 4 * 4;
}

// Weights are numbers in the form of UTF-8.
std::size_t weight_size(std::span<unsigned char const> weights) {
  unsigned const first = weights[0];
  return first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}
std::uint32_t weight_number(std::span<unsigned char const> weight) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number = number << 8 | (i < weight.size() ? weight[i] : 0);
  return number;
}

class random_numbers {
 public:
  explicit random_numbers(std::uint32_t seed) : state_(seed) {}
  std::uint32_t below(std::uint32_t limit) { return ((state_ = state_ * 1664525 + 1013904223) >> 8) % limit; }

 private:
  std::uint32_t state_;
};

}  // namespace

collation_table const* collation_table::find(locale_t in) {
  static std::mutex guard;
  static std::map<locale_t, std::unique_ptr<collation_table>> known;
  std::lock_guard const lock(guard);
  auto const [place, is_new] = known.try_emplace(in);
  if (is_new) {
    std::unique_ptr<collation_table> table(new collation_table(in));
    if (table->read() && table->is_confirmed(300, 1)) place->second = std::move(table);
  }
  return place->second.get();
}

collation_table::collation_table(locale_t in) : in_(in) {}

#ifdef __GLIBC__

bool collation_table::read() {
  auto const item = [&](nl_item which) { return nl_langinfo_l(which, in_); };
  // This result is a number, though its type is a pointer.
  num_levels_ = unsigned(reinterpret_cast<std::uintptr_t>(item(_NL_COLLATE_NRULES)));
  rules_ = reinterpret_cast<unsigned char const*>(item(_NL_COLLATE_RULESETS));
  table_ = reinterpret_cast<std::int32_t const*>(item(_NL_COLLATE_TABLEMB));
  weights_ = reinterpret_cast<unsigned char const*>(item(_NL_COLLATE_WEIGHTMB));
  lists_ = reinterpret_cast<unsigned char const*>(item(_NL_COLLATE_EXTRAMB));
  indirect_ = reinterpret_cast<std::int32_t const*>(item(_NL_COLLATE_INDIRECTMB));
  if (num_levels_ == 0 || num_levels_ > 16 || !rules_ || !table_ || !weights_ || !lists_ || !indirect_) return false;
  has_positions_.assign(num_levels_, 2);
  of_byte_.resize(256);
  for (unsigned byte = 1; byte < 256; ++byte) {
    if (table_[byte] >= 0) {
      if (!add_rules(element(table_[byte]))) return false;
      of_byte_[byte].what = element(table_[byte]);
    } else if (!read_list(byte, std::uint32_t(-std::int64_t{table_[byte]}))) {
      return false;
    }
  }
  usual_weights_.resize(num_levels_);
  for (unsigned level = 0; level < num_levels_; ++level)
    if (level == 0 || has_positions_[level] != 0) find_usual_weights(level);
  set_codes();
  return true;
}

#else

bool collation_table::read() {
  return false;
}

#endif

// Reads the elements that begin with a byte. glibc takes the first of its list that matches, which has longer ones first.
bool collation_table::read_list(unsigned byte, std::uint32_t at) {
  if (of_two_.size() == 255 * 256) return false;
  std::size_t const list = of_two_.size() / 256;
  of_two_.resize(of_two_.size() + 256);
  std::span<start> const starts = std::span(of_two_).last(256);
  while (true) {
    entry const e = entry_at(at);
    if (e.number >= 0 ? !add_rules(element(e.number)) : !add_rules(element(indirect_[-std::int64_t{e.number}]))) return false;
    if (e.num_bytes == 0) {
      if (e.number < 0) return false;
      of_byte_[byte].list = static_cast<unsigned char>(list + 1);
      of_byte_[byte].what = element(e.number);
      break;
    }
    for (unsigned next = e.first[0]; next <= e.last[0]; ++next) {
      start& of = starts[next];
      if (e.num_bytes == 1) {
        if (of.is_unused) of.what = element(e.number >= 0 ? e.number : indirect_[-std::int64_t{e.number} + next - e.first[0]]);
        of.num_bytes = 2;
        of.is_unused = false;
        continue;
      }
      if (!of.is_unused) return false;
      if (of.end == 0) of.begin = at;
      of.end = e.next;
    }
    at = e.next;
  }
  // No element begins with the two bytes: the first one is an element.
  for (start& of : starts)
    if (of.is_unused) of.what = of_byte_[byte].what;
  return true;
}

// Finds the weights of what is usual in texts: ASCII, and the letters of Greek and Cyrillic in UTF-8.
void collation_table::find_usual_weights(unsigned level) {
  constexpr std::size_t max_usual = 125;  // so that the codes of them, and of what lies between them, are below 254
  auto& usual = usual_weights_[level];
  auto const add = [&](std::string_view text) {
    auto const* p = reinterpret_cast<unsigned char const*>(text.data());
    auto const some = weights(next(p, p + text.size()), level);
    if (some.empty() || weight_size(some) != some.size()) return;
    std::uint32_t const number = weight_number(some);
    auto const place = std::ranges::lower_bound(usual, number);
    if (usual.size() < max_usual && (place == usual.end() || *place != number)) usual.insert(place, number);
  };
  for (char c = '0'; c <= 'z'; ++c) add({&c, 1});
  for (char c = ' '; c < '0'; ++c) add({&c, 1});
  auto const add_letters = [&](unsigned first, unsigned last) {
    for (unsigned letter = first; letter <= last; ++letter) {
      char const bytes[] = {static_cast<char>(0xc0 | letter >> 6), static_cast<char>(0x80 | (letter & 0x3f))};
      add({bytes, 2});
    }
  };
  add_letters(0x430, 0x45f);
  add_letters(0x3b1, 0x3c9);
}

void collation_table::set_codes(start& of) const {
  char codes[max_codes];
  std::size_t const size = write_codes(weights(of.what, 0), 0, codes);
  of.num_codes = size <= of.codes.size() ? static_cast<unsigned char>(size) : start::many;
  if (of.num_codes != start::many) std::copy_n(codes, size, of.codes.begin());
}

void collation_table::set_codes() {
  for (start& of : std::span(of_byte_).subspan(1)) {
    set_codes(of);
    if (of.list == 0) continue;
    for (start& two : std::span(of_two_).subspan((of.list - 1) * std::size_t{256}, 256)) {
      two.codes = of.codes;
      two.num_codes = of.num_codes;
      if (!two.is_unused) set_codes(two);
    }
  }
  plain_size_.fill(not_plain);
  for (std::size_t byte = 1; byte < 128; ++byte) {
    start const& of = of_byte_[byte];
    if (of.num_codes > 1) continue;
    // start_at() of a byte with a list, before another byte below 128, has to be the byte itself.
    auto const is_alone = [](start const& two) { return two.end == 0 && two.num_bytes == 1; };
    std::size_t const list = of.list * std::size_t{256};
    if (of.list != 0 && !std::ranges::all_of(std::span(of_two_).subspan(list - 256, 128), is_alone)) continue;
    plain_size_[byte] = of.num_codes;
    plain_code_[byte] = of.codes[0];
  }
}

collation_table::entry collation_table::entry_at(std::uint32_t at) const {
  entry e{};
  std::memcpy(&e.number, lists_ + at, sizeof e.number);
  e.num_bytes = lists_[at + sizeof e.number];
  e.first = lists_ + at + sizeof e.number + 1;
  e.last = e.number < 0 ? e.first + e.num_bytes : e.first;
  e.next = at + std::uint32_t(sizeof e.number) + aligned(1 + (e.number < 0 ? 2 : 1) * e.num_bytes);
  return e;
}

// The weights have to be whole, those of the first level to be read forwards, and a level to have positions in all sets of
// rules or in none.
bool collation_table::add_rules(element what) {
  for (unsigned level = 0; level < num_levels_; ++level)
    for (auto some = weights(what, level); !some.empty();) {
      std::size_t const size = weight_size(some);
      if (size > some.size() || some[0] < lowest_weight) return false;
      some = some.subspan(size);
    }
  for (unsigned level = 0; level < num_levels_; ++level) {
    unsigned char const has = (rule(what, level) & position) != 0;
    if (level == 0 && (has || is_backward(what, 0))) return false;
    if (has_positions_[level] != 2 && has_positions_[level] != has) return false;
    has_positions_[level] = has;
  }
  return true;
}

std::span<unsigned char const> collation_table::weights(element of, unsigned level) const {
  unsigned char const* p = weights_ + (of & 0xffffff);
  for (; level != 0; --level) p += 1 + *p;
  return {p + 1, *p};
}

collation_table::start const* collation_table::start_at(unsigned char const* p, unsigned char const* last) const {
  start const& single = of_byte_[*p];
  return single.list == 0 ? &single : &of_two_[(single.list - 1) * std::size_t{256} + (last - p > 1 ? p[1] : 0)];
}

// Returns the element at p, which ends after it.
collation_table::element collation_table::next(unsigned char const*& p, unsigned char const* last) const {
  start const* const at_p = start_at(p, last);
  if (at_p->end != 0) return longer(*at_p, p, last);
  p += at_p->num_bytes;
  return at_p->what;
}

collation_table::element collation_table::longer(start const& of, unsigned char const*& p, unsigned char const* last) const {
  std::size_t const left = std::size_t(last - p - 1);
  for (std::uint32_t at = of.begin; at != of.end;) {
    entry const e = entry_at(at);
    at = e.next;
    if (e.num_bytes > left) continue;
    unsigned char const* const bytes = p + 1;
    if (e.number >= 0) {
      if (std::memcmp(e.first, bytes, e.num_bytes) != 0) continue;
      p += 1 + e.num_bytes;
      return element(e.number);
    }
    if (std::memcmp(e.first, bytes, e.num_bytes) > 0 || std::memcmp(e.last, bytes, e.num_bytes) < 0) continue;
    // Numbers of base 256, after the bytes that agree, with borrows.
    std::int64_t offset = 0;
    for (std::uint32_t i = 0; i < e.num_bytes; ++i) offset = offset * 256 + bytes[i] - e.first[i];
    p += 1 + e.num_bytes;
    return element(indirect_[-std::int64_t{e.number} + offset]);
  }
  p += of.num_bytes;
  return of.what;
}

// Writes the codes of weights of the first level: a code for a usual weight, and for another one a code that stands between
// those of the usual weights around it, and its bytes.
std::size_t collation_table::write_codes(std::span<unsigned char const> weights, unsigned level, char* to) const {
  std::span<std::uint32_t const> const usual_weights = usual_weights_[level];
  char* const begin = to;
  while (!weights.empty()) {
    std::size_t const size = weight_size(weights);
    std::uint32_t const number = weight_number(weights.first(size));
    auto const next = std::ranges::lower_bound(usual_weights, number);
    auto const before = static_cast<unsigned>(next - usual_weights.begin());
    bool const usual = next != usual_weights.end() && *next == number;
    *to++ = static_cast<char>(2 + 2 * before + (usual ? 1 : 0));
    if (!usual) to = std::copy_n(weights.begin(), size, to);
    weights = weights.subspan(size);
  }
  return std::size_t(to - begin);
}

template <bool Writes>
std::size_t collation_table::write_first_level(unsigned char const*& p, unsigned char const* last, std::size_t max_size,
                                               [[maybe_unused]] char* to) const {
  std::size_t size = 0;
  while (size < max_size) {
    while (last - p > 8 && size < max_size && p[8] < 128) {
      unsigned sizes = 0;
      std::size_t end = size;
      for (std::size_t k = 0; k < 8; ++k) {
        unsigned const n = plain_size_[p[k]];
        sizes |= n;
        if constexpr (Writes) to[end] = plain_code_[p[k]];
        end += n;
      }
      if (sizes >= not_plain) break;
      size = end;
      p += 8;
    }
    // Up to the byte that stopped the loop above, if there is one.
    for (std::size_t k = 0; k < 8 && size < max_size; ++k) {
      if (p == last || *p == 0) return size;
      start const* const at_p = start_at(p, last);
      if (at_p->end == 0 && at_p->num_codes != start::many) {
        if constexpr (Writes) std::memcpy(to + size, at_p->codes.data(), at_p->codes.size());
        size += at_p->num_codes;
        p += at_p->num_bytes;
        continue;
      }
      char unwritten[max_codes];
      char* const codes = Writes ? to + size : unwritten;
      size += write_codes(weights(next(p, last), 0), 0, codes);
    }
  }
  return size;
}

std::size_t collation_table::write_first_level(std::string_view text, std::size_t max_size, char* to) const {
  auto const* p = reinterpret_cast<unsigned char const*>(text.data());
  return write_first_level<true>(p, p + text.size(), max_size, to);
}

std::size_t collation_table::first_level_size(std::string_view text, std::size_t max_size) const {
  auto const* p = reinterpret_cast<unsigned char const*>(text.data());
  return write_first_level<false>(p, p + text.size(), max_size, nullptr);
}

int collation_table::compare_first_level(std::string_view a, std::string_view b) const {
  struct reader {
    reader(collation_table const& by, std::string_view text)
        : table(by), p(reinterpret_cast<unsigned char const*>(text.data())), last(p + text.size()) {}

    collation_table const& table;
    unsigned char const* p;
    unsigned char const* last;
    std::size_t at = 0, size = 0;
    char codes[few + max_codes];  // the next ones

    bool more() {
      if (at != size) return true;
      at = 0;
      size = table.write_first_level<true>(p, last, few, codes);
      return size != 0;
    }
  };
  reader of_a(*this, a), of_b(*this, b);
  while (true) {
    bool const more_a = of_a.more(), more_b = of_b.more();
    if (!more_a || !more_b) return int(more_a) - int(more_b);
    std::size_t const both = std::min(of_a.size - of_a.at, of_b.size - of_b.at);
    if (int const difference = std::memcmp(of_a.codes + of_a.at, of_b.codes + of_b.at, both); difference != 0)
      return difference;
    of_a.at += both;
    of_b.at += both;
  }
}

int collation_table::compare(std::string_view a, std::string_view b) const {
  a = until_nul(a);
  b = until_nul(b);
  if (a.empty() || b.empty()) return int(!a.empty()) - int(!b.empty());
  if (a == b) return 0;
  if (int const difference = compare_first_level(a, b); difference != 0) return to_sign(difference);
  if (!knows_all_levels()) return to_sign(strcoll_l(std::string(a).c_str(), std::string(b).c_str(), in_));
  int difference = 0;
  with_elements(a, [&](std::span<element const> of_a) {
    with_elements(b, [&](std::span<element const> of_b) {
      std::string codes_a, codes_b;
      for (unsigned level = 1; level < num_levels_ && difference == 0; ++level) {
        codes_a.clear();
        codes_b.clear();
        append_level(of_a, level, codes_a);
        append_level(of_b, level, codes_b);
        difference = to_sign(codes_a.compare(codes_b));
      }
    });
  });
  return difference;
}

// Calls on_elements(elements) with the elements of a text.
template <class OnElements>
void collation_table::with_elements(std::string_view text, OnElements on_elements) const {
  auto const* p = reinterpret_cast<unsigned char const*>(text.data());
  unsigned char const* const last = p + text.size();
  element some[2 * few];
  std::vector<element> many;
  if (text.size() > std::size(some)) many.resize(text.size());
  element* const begin = many.empty() ? some : many.data();
  element* end = begin;
  while (p != last) *end++ = next(p, last);
  on_elements(std::span<element const>(begin, end));
}

// Appends codes of the weights of a level, and of its end, in the order in which strcoll reads them. Elements that count
// backwards are read from the last one of them to the first. What strcoll of glibc 2.28 to 2.41 has of its own: if an element
// that counts forwards follows them, the last but one is left out; and after the last one, they are counted from where the
// element before them that has a weight ends. If the level has positions, an element after others without a weight comes after
// all elements with fewer of them before, and one whose weights begin with those of another after that.
void collation_table::append_level(std::span<element const> text, unsigned level, std::string& to) const {
  bool const has_positions = has_positions_[level] != 0;
  std::size_t passed_over = 0, beginning = 0;  // the latter: where the elements begin that are counted backwards
  unsigned lowest = 0;
  auto const append_weights = [&](std::span<unsigned char const> some) {
    for (unsigned char const byte : some) {
      if (byte == lowest_weight) {
        if (++lowest != max_lowest) continue;
        to += static_cast<char>(many_lowest);
        lowest = 0;
        continue;
      }
      if (lowest != 0) to += static_cast<char>(lowest_before_other - std::exchange(lowest, 0));
      to += static_cast<char>(other_weight);
      to += static_cast<char>(byte);
    }
  };
  auto const append_position = [&](std::span<unsigned char const> some) {
    constexpr std::size_t max_number = 250;
    if (std::size_t number = passed_over; number > 1) {
      to += passed_over_before;
      for (; number > max_number; number -= max_number - 1) to += static_cast<char>(max_number + 1);
      to += static_cast<char>(number);
    }
    while (true) {
      std::size_t const size = weight_size(some);
      char codes[few];
      to.append(codes, write_codes(some.first(size), level, codes));
      some = some.subspan(size);
      if (some.empty()) break;
      to += next_weight;
    }
  };
  auto const append = [&](element what, std::size_t end) {
    ++passed_over;
    auto const some = weights(what, level);
    if (some.empty()) return;
    if (has_positions)
      append_position(some);
    else
      append_weights(some);
    passed_over = 0;
    beginning = end;
  };
  for (std::size_t at = 0; at != text.size();) {
    if (!is_backward(text[at], level)) {
      append(text[at], at + 1);
      ++at;
      continue;
    }
    std::size_t last = at + 1;
    while (last != text.size() && is_backward(text[last], level)) ++last;
    bool const ends = last == text.size();
    std::size_t const count = last - at, end = ends ? last : last + 1;
    std::size_t const from = std::exchange(beginning, end);
    append(text[last - 1], end);
    for (std::size_t k = ends ? count - 1 : std::max<std::size_t>(count, 2) - 2; k != 0; --k) append(text[from + k - 1], end);
    if (!ends) append(text[last], end);
    at = end;
  }
  if (lowest != 0) to += static_cast<char>(lowest_weight + lowest);
  to += level_end;
}

bool collation_table::knows_all_levels() const {
  std::call_once(confirmed_, [this] { all_levels_ = is_confirmed(1000, 2); });
  return all_levels_;
}

void collation_table::append_codes(std::string_view text, std::string& to) const {
  text = until_nul(text);
  std::size_t const before = to.size();
  auto const* p = reinterpret_cast<unsigned char const*>(text.data());
  unsigned char const* const last = p + text.size();
  while (p != last) {
    char codes[few + max_codes];
    to.append(codes, write_first_level<true>(p, last, few, codes));
  }
  to += level_end;
  with_elements(text, [&](std::span<element const> elements) {
    for (unsigned level = 1; level < num_levels_; ++level) append_level(elements, level, to);
  });
  to += !text.empty() && to.size() - before == num_levels_ ? passed_over_end : text_end;
}

// Compares texts of the elements that the table has by strcoll and by the table. Half of the pairs differ in little.
bool collation_table::is_confirmed(unsigned num_texts, unsigned seed) const {
  random_numbers random(seed);
  std::vector<std::string> parts;
  std::size_t const usual = 2 * few;
  while (parts.size() < usual) {
    std::string part{static_cast<char>(1 + random.below(parts.size() % 2 == 0 ? 127 : 255))};
    auto const byte = static_cast<unsigned char>(part[0]);
    if (table_[byte] < 0 && random.below(4) != 0) {
      std::uint32_t at = std::uint32_t(-std::int64_t{table_[byte]});
      for (std::uint32_t skip = random.below(few); skip != 0 && entry_at(at).num_bytes != 0; --skip) at = entry_at(at).next;
      entry const e = entry_at(at);
      part.append(reinterpret_cast<char const*>(random.below(2) == 0 ? e.first : e.last), e.num_bytes);
    }
    parts.push_back(part);
  }
  auto const part = [&]() -> std::string const& { return parts[random.below(std::uint32_t(parts.size()))]; };
  std::string codes_a, codes_b;
  for (unsigned i = 0; i < num_texts; ++i) {
    std::string a, b;
    for (std::uint32_t k = 1 + random.below(8); k != 0; --k) a += part();
    b = a;
    switch (random.below(4)) {
      case 0:
        for (std::uint32_t k = 1 + random.below(8); k != 0; --k) b += part();
        break;
      case 1:
        b.insert(random.below(std::uint32_t(b.size() + 1)), part());
        break;
      case 2:
        b.erase(random.below(std::uint32_t(b.size())), 1);
        break;
      default:
        for (char& c : b)
          if (c < 0 ? random.below(8) == 0 : ((c | 32) >= 'a' && (c | 32) <= 'z' && random.below(2) == 0)) c ^= 32;
    }
    int const want = to_sign(strcoll_l(a.c_str(), b.c_str(), in_));
    if (seed == 1) {  // the first level alone
      if (int const got = compare_first_level(until_nul(a), until_nul(b)); got != 0 && to_sign(got) != want) return false;
      continue;
    }
    codes_a.clear();
    codes_b.clear();
    append_codes(a, codes_a);
    append_codes(b, codes_b);
    if (to_sign(codes_a.compare(codes_b)) != want) return false;
  }
  return true;
}

}  // namespace ordo::inline v0::strings::detail
