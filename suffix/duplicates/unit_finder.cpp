#include "suffix/duplicates/unit_finder.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include "ordo/error.hpp"
#include "suffix/duplicates/copy_bits.hpp"
#include "suffix/duplicates/window_scan.hpp"

namespace ordo::inline v0::suffix::detail {
namespace {

constexpr std::size_t max_strings = 20;
constexpr std::uint64_t part_size = std::uint64_t{1} << 20;  // residues that a thread scans at a time
constexpr std::uint64_t word_base = 0x9e3779b97f4a7c15;      // base of the polynomial of the hashes of words

bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

std::uint64_t hash_bytes(std::string_view bytes) {
  return mixed(std::hash<std::string_view>()(bytes));
}

/// Lines and paragraphs of a record: [begin, end) of a text of bytes. A line ends with LF. Lines of blanks stand between
/// paragraphs. The content of either has no blanks at its begin and end.
class record_units {
 public:
  record_units(text const& input, std::size_t record, copied_unit unit)
      : bytes_(input.residues), begin_(input.begin(record)), end_(input.end(record)), unit_(unit) {}

  /// Calls use(begin, end) for the contents, but for empty ones, of the units that begin in [from, to).
  template <class Use>
  void each(std::uint64_t from, std::uint64_t to, Use use) const {
    std::uint64_t p = begin_;
    if (from > begin_) {
      p = bytes_[from - 1] == '\n' ? from : after_line(from);
      if (unit_ == copied_unit::paragraphs && p > begin_ && p < end_ && !is_blank_line(line_before(p)))
        while (p < end_ && !is_blank_line(p)) p = after_line(p);  // it began before
    }
    for (to = std::min(to, end_); p < to;) {
      if (is_blank_line(p)) {
        p = after_line(p);
        continue;
      }
      std::uint64_t const first = content_begin(p), last = content_end(first);
      use(first, last);
      p = after_line(last);
    }
  }
  /// Returns the end of the content that begins at p.
  [[nodiscard]] std::uint64_t content_end(std::uint64_t p) const {
    std::uint64_t end = line_end(p);
    if (unit_ == copied_unit::paragraphs)
      for (std::uint64_t next = end + 1; next < end_ && !is_blank_line(next); next = end + 1) end = line_end(next);
    while (is_blank(bytes_[end - 1])) --end;
    return end;
  }
  /// Returns the unit whose content is [first, last), with its end of line, and with the blank lines after a paragraph.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> whole(std::uint64_t first, std::uint64_t last) const {
    while (first > begin_ && bytes_[first - 1] != '\n' && is_blank(bytes_[first - 1])) --first;
    last = after_line(last);
    if (unit_ == copied_unit::paragraphs)
      while (last < end_ && is_blank_line(last)) last = after_line(last);
    return {first, last};
  }

 private:
  [[nodiscard]] std::uint64_t line_end(std::uint64_t p) const {
    return std::min<std::uint64_t>(end_, bytes_.substr(0, end_).find('\n', p));
  }
  [[nodiscard]] std::uint64_t after_line(std::uint64_t p) const { return std::min(end_, line_end(p) + 1); }
  [[nodiscard]] std::uint64_t content_begin(std::uint64_t p) const {
    while (is_blank(bytes_[p])) ++p;
    return p;
  }
  [[nodiscard]] bool is_blank_line(std::uint64_t p) const {
    while (p < end_ && bytes_[p] != '\n' && is_blank(bytes_[p])) ++p;
    return p == end_ || bytes_[p] == '\n';
  }
  /// Returns the begin of the line before the one that begins at p.
  [[nodiscard]] std::uint64_t line_before(std::uint64_t p) const {
    --p;
    while (p > begin_ && bytes_[p - 1] != '\n') --p;
    return p;
  }

  std::string_view bytes_;
  std::uint64_t begin_, end_;
  copied_unit unit_;
};

/// Words of some bytes: their places, and the hash of all words before each.
struct word_list {
  struct word {
    std::uint64_t begin, end, hash_before;
  };
  std::vector<word> words;
  std::uint64_t hash = 0;  // hash of all words

  void clear() {
    words.clear();
    hash = 0;
  }
  /// Appends the word at p.
  /// @returns its end
  std::uint64_t add(std::string_view bytes, std::uint64_t p) {
    std::uint64_t end = p;
    while (end < bytes.size() && !is_blank(bytes[end])) ++end;
    words.push_back({p, end, hash});
    hash = hash * word_base + hash_bytes(bytes.substr(p, end - p));
    return end;
  }
  /// Returns the hash of words [first, first + count). @param power  word_base^count
  [[nodiscard]] std::uint64_t hash_of_words(std::size_t first, std::size_t count, std::uint64_t power) const {
    std::uint64_t const after = first + count == words.size() ? hash : words[first + count].hash_before;
    return mixed(after - words[first].hash_before * power);
  }
};

std::uint64_t raise_base(std::uint64_t exponent) {
  std::uint64_t power = 1;
  for (std::uint64_t k = 0; k < exponent; ++k) power *= word_base;
  return power;
}

/// Returns the word that a text begins with, and removes it and the blanks after it.
std::string_view consume_word(std::string_view& text) {
  std::size_t size = 0, next;
  while (size < text.size() && !is_blank(text[size])) ++size;
  for (next = size; next < text.size() && is_blank(text[next]);) ++next;
  std::string_view const word = text.substr(0, size);
  text.remove_prefix(next);
  return word;
}

/// Returns true if the first words of two texts are equal.
bool are_equal_words(std::string_view a, std::string_view b, std::uint64_t words) {
  for (; words != 0; --words)
    if (consume_word(a) != consume_word(b)) return false;
  return true;
}

bool comes_first(repeated_string const& a, repeated_string const& b) {
  return std::tuple(b.count, b.length, a.position) < std::tuple(a.count, a.length, b.position);
}

void set_longest(repeated_strings& to, repeated_string const& string) {
  if (std::tuple(string.length, to.longest.position) > std::tuple(to.longest.length, string.position)) to.longest = string;
}

void add_string(repeated_strings& to, repeated_string const& string) {
  set_longest(to, string);
  to.frequent.insert(std::ranges::upper_bound(to.frequent, string, comes_first), string);
  if (to.frequent.size() > max_strings) to.frequent.pop_back();
}

}  // namespace

/// Marks the units of a class of equal ones, for a thread.
class unit_finder::marker {
 public:
  explicit marker(unit_finder& of) : of_(of), mark_(of.bits_) {}

  /// @param group  units with the same hash, in order of position
  void operator()(std::span<entry const> group) {
    if (group.size() == 1) return;
    rest_.assign(group.begin(), group.end());
    while (rest_.size() > 1) {
      std::string_view const first = content(rest_.front().where);
      auto const others =
          std::stable_partition(rest_.begin(), rest_.end(), [&](entry const& each) { return content(each.where) == first; });
      mark_class({rest_.begin(), others}, first.size() / of_.input_.residue_bytes);
      rest_.erase(rest_.begin(), others);
    }
  }
  void finish() { mark_.flush(); }
  repeated_strings repeated;

 private:
  [[nodiscard]] std::string_view content(std::uint64_t where) const {
    bool const own = of_.texts_.is_in_input(where);
    text const& from = own ? of_.input_ : *of_.other_;
    std::uint64_t const p = own ? of_.texts_.in_input(where) : where;
    std::size_t const record = own ? of_.texts_.record_at(where) : from.record_at(p);
    std::uint64_t const end = of_.options_.unit == copied_unit::records
                                  ? from.end(record)
                                  : record_units(from, record, of_.options_.unit).content_end(p);
    return from.residues.substr(p * from.residue_bytes, (end - p) * from.residue_bytes);
  }

  void mark(std::uint64_t where, std::uint64_t length) {
    std::uint64_t const p = of_.texts_.in_input(where);
    std::size_t const record = of_.texts_.record_at(where);
    if (of_.options_.unit == copied_unit::records) return mark_(p, length);
    auto const [begin, end] = record_units(of_.input_, record, of_.options_.unit).whole(p, p + length);
    mark_(begin, end - begin);
  }

  void mark_class(std::span<entry const> all, std::uint64_t length) {
    if (all.size() == 1) return;
    if (of_.texts_.has_other()) {
      if (of_.texts_.is_in_input(all.front().where)) return;
      for (entry const& each : all)
        if (of_.texts_.is_in_input(each.where)) mark(each.where, length);
      return;
    }
    add_string(repeated, {all.front().where, length, all.size()});
    kept_copies const keep = of_.options_.keep;
    auto const record = [&](entry const& of) { return of_.texts_.record_at(of.where); };
    auto const order = [&](entry const& of) { return record_order(of_.input_, of_.options_, record(of)); };
    if (of_.options_.scope == copy_scope::within) {
      for (std::size_t k = 0, after; k < all.size(); k = after) {
        for (after = k + 1; after < all.size() && record(all[after]) == record(all[k]);) ++after;
        for (std::size_t i = k + (keep != kept_copies::none); after - k > 1 && i < after; ++i) mark(all[i].where, length);
      }
      return;
    }
    bool const across = of_.options_.scope == copy_scope::across;
    if (across && record(all.front()) == record(all.back())) return;
    entry const& kept =
        *std::ranges::min_element(all, {}, [&](entry const& each) { return std::pair(order(each), each.where); });
    for (entry const& each : all) {
      bool const stays = across ? record(each) == record(kept) : each.where == kept.where;
      if (keep == kept_copies::none || !stays) mark(each.where, length);
    }
  }

  unit_finder& of_;
  stored_bits::marker mark_;
  std::vector<entry> rest_;
};

/// Calls use(entry, local) for the units of both texts, in parallel, and done(local) at the end of each part.
template <class Local, class Use, class Done>
void unit_finder::scan(progress const& on_progress, Use use, Done done) const {
  std::uint64_t const parts = (texts_.size() + part_size - 1) / part_size;
  tbb::parallel_for(std::uint64_t{0}, parts, [&](std::uint64_t i) {
    Local local{};
    std::uint64_t const last = std::min(texts_.size(), (i + 1) * part_size);
    texts_.parts(i * part_size, last, [&](text const& text, std::uint64_t base, std::uint64_t from, std::uint64_t to) {
      std::size_t const size = text.residue_bytes;
      auto const add = [&](std::uint64_t begin, std::uint64_t end) {
        if (end - begin >= options_.min_length)
          use(entry{hash_bytes(text.residues.substr(begin * size, (end - begin) * size)), base + begin}, local);
      };
      for (std::size_t r = text.record_at(from); r < text.records() && text.begin(r) < to; ++r) {
        if (options_.unit != copied_unit::records)
          record_units(text, r, options_.unit).each(from, to, add);
        else if (text.begin(r) >= from)
          add(text.begin(r), text.end(r));
      }
    });
    done(local);
    if (on_progress) on_progress(last - i * part_size);
  });
}

namespace {

std::size_t find_bucket(std::uint64_t hash) {
  return std::size_t(hash >> (64 - bucket_bits));
}

}  // namespace

void unit_finder::count(progress const& on_progress) {
  sizes_.assign(copy_finder::num_buckets, 0);
  scan<std::vector<std::uint32_t>>(
      on_progress,
      [](entry const& entry, std::vector<std::uint32_t>& local) { local.push_back(std::uint32_t(find_bucket(entry.hash))); },
      [&](std::vector<std::uint32_t> const& local) {
        for (std::uint32_t const bucket : local) std::atomic_ref(sizes_[bucket]).fetch_add(1, std::memory_order_relaxed);
      });
}

std::size_t unit_finder::range_end(std::size_t begin, std::size_t max_buckets) const {
  if (is_of_words()) return copy_finder::num_buckets;
  std::size_t const stop = begin + std::min(max_buckets, copy_finder::num_buckets - begin),
                    max_entries = memory_ / sizeof(entry);
  std::size_t end = begin;
  for (std::uint64_t entries = 0; end < stop; ++end) {
    entries += sizes_[end];
    if (entries <= max_entries) continue;
    if (end != begin) break;
    std::size_t const needed = std::size_t(*std::ranges::max_element(sizes_)) * sizeof(entry);
    throw out_of_memory(fmt::format("out of memory: duplicates: {} bytes are needed, {} are allowed", needed, memory_), needed);
  }
  return end;
}

std::size_t unit_finder::count_ranges(std::size_t finished, std::size_t max_buckets, progress const& on_progress) {
  if (!is_of_words() && sizes_.empty()) count(on_progress);
  std::size_t ranges = 0;
  for (std::size_t at = finished; at < copy_finder::num_buckets; at = range_end(at, max_buckets)) ++ranges;
  return ranges;
}

std::size_t unit_finder::next_range(std::size_t finished, std::size_t max_buckets, progress const& on_progress,
                                    std::string const& name) {
  if (is_of_words()) {
    read_grams();
    find_grams(on_progress);
    bits_.apply();
    return copy_finder::num_buckets;
  }
  if (sizes_.empty()) count({});
  std::size_t const end = range_end(finished, max_buckets);
  std::uint64_t size = 0;
  for (std::size_t b = finished; b < end; ++b) size += sizes_[b];
  auto const entries = std::make_unique_for_overwrite<entry[]>(std::size_t(size));
  std::atomic<std::uint64_t> next = 0;
  scan<std::vector<entry>>(
      on_progress,
      [&](entry const& each, std::vector<entry>& local) {
        if (find_bucket(each.hash) >= finished && find_bucket(each.hash) < end) local.push_back(each);
      },
      [&](std::vector<entry> const& local) {
        std::uint64_t const at = next.fetch_add(local.size());
        if (at + local.size() <= size) std::ranges::copy(local, entries.get() + at);
      });
  if (next != size)
    throw input_error(fmt::format("changed input: {}: the text differs from when its units were counted", name));
  tbb::parallel_sort(entries.get(), entries.get() + size);
  tbb::enumerable_thread_specific<marker> markers([this] { return marker(*this); });
  tbb::parallel_for(tbb::blocked_range<std::uint64_t>(0, size, 4096), [&](tbb::blocked_range<std::uint64_t> const& some) {
    marker& own = markers.local();
    std::uint64_t k = some.begin();
    while (k != 0 && k < some.end() && entries[k].hash == entries[k - 1].hash) ++k;  // skips a group that began before
    for (std::uint64_t after; k < some.end(); k = after) {
      for (after = k + 1; after < size && entries[after].hash == entries[k].hash;) ++after;
      own(std::span<entry const>(&entries[k], std::size_t(after - k)));
    }
  });
  for (marker& each : markers) {
    each.finish();
    set_longest(repeated_, each.repeated.longest);
    for (repeated_string const& one : each.repeated.frequent) add_string(repeated_, one);
  }
  if (end == copy_finder::num_buckets || bits_.is_full()) bits_.apply();
  return end;
}

/// Reads the n-grams of the other text, and those of its records that have fewer words.
void unit_finder::read_grams() {
  std::uint64_t const n = options_.min_length, power = raise_base(n);
  std::mutex adding;
  tbb::parallel_for(
      tbb::blocked_range<std::size_t>(0, other_->records(), 64), [&](tbb::blocked_range<std::size_t> const& some) {
        word_list list;
        std::vector<gram> grams;
        std::uint64_t too_short = 0;
        for (std::size_t r = some.begin(); r < some.end(); ++r) {
          list.clear();
          std::uint64_t const end = other_->end(r);
          std::string_view const bytes = other_->residues.substr(0, end);
          for (std::uint64_t p = other_->begin(r); p < end;) p = is_blank(bytes[p]) ? p + 1 : list.add(bytes, p);
          std::size_t const count = list.words.size();
          if (count >= n)
            for (std::size_t k = 0; k + n <= count; ++k)
              grams.push_back({list.hash_of_words(k, n, power), list.words[k].begin, n});
          else if (options_.min_words != 0 && count >= options_.min_words)
            grams.push_back({list.hash_of_words(0, count, raise_base(count)), list.words[0].begin, count});
          else
            too_short += count != 0;
        }
        std::lock_guard const lock(adding);
        short_records_ += too_short;
        if (std::size_t const needed = (grams_.size() + grams.size()) * 2 * sizeof(gram); needed > memory_)
          throw out_of_memory(
              fmt::format("out of memory: duplicates: {} bytes are needed or more, {} are allowed", needed, memory_), needed);
        grams_.insert(grams_.end(), grams.begin(), grams.end());
      });
  tbb::parallel_sort(grams_.begin(), grams_.end());
  auto const is_same = [&](gram const& a, gram const& b) {
    return a.hash == b.hash && a.words == b.words && are_equal_words(words_in_other(a.where), words_in_other(b.where), a.words);
  };
  grams_.erase(std::unique(grams_.begin(), grams_.end(), is_same), grams_.end());
  for (gram const& each : grams_)
    if (std::ranges::find(lengths_, each.words) == lengths_.end()) lengths_.push_back(each.words);
  std::ranges::sort(lengths_);
  filter_.assign(std::bit_ceil(grams_.size() / 4 + 1), 0);
  for (gram const& each : grams_) filter_[(each.hash >> 6) & (filter_.size() - 1)] |= std::uint64_t{1} << (each.hash & 63);
}

/// Returns true if the other text has the words at a place of the input.
bool unit_finder::has_gram(std::uint64_t hash, std::uint64_t words, std::string_view at) const {
  if ((filter_[(hash >> 6) & (filter_.size() - 1)] >> (hash & 63) & 1) == 0) return false;
  for (auto it = std::ranges::lower_bound(grams_, hash, {}, &gram::hash); it != grams_.end() && it->hash == hash; ++it)
    if (it->words == words && are_equal_words(at, words_in_other(it->where), words)) return true;
  return false;
}

void unit_finder::find_grams(progress const& on_progress) {
  if (grams_.empty()) return;
  std::vector<std::uint64_t> powers;
  for (std::uint64_t const words : lengths_) powers.push_back(raise_base(words));
  std::size_t const most = std::size_t(lengths_.back());
  tbb::enumerable_thread_specific<stored_bits::marker> markers([this] { return stored_bits::marker(bits_); });
  std::uint64_t const parts = (input_.size() + part_size - 1) / part_size;
  tbb::parallel_for(std::uint64_t{0}, parts, [&](std::uint64_t i) {
    stored_bits::marker& mark = markers.local();
    word_list list;
    std::uint64_t const from = i * part_size, to = std::min<std::uint64_t>(input_.size(), from + part_size);
    for (std::size_t r = input_.record_at(from); r < input_.records() && input_.begin(r) < to; ++r) {
      list.clear();
      std::uint64_t const end = input_.end(r);
      std::string_view const bytes = input_.residues.substr(0, end);
      std::uint64_t p = std::max<std::uint64_t>(from, input_.begin(r));
      if (p > input_.begin(r) && !is_blank(bytes[p - 1]))
        while (p < end && !is_blank(bytes[p])) ++p;  // a word that began before
      std::size_t own = 0;                           // words that begin in this part
      while (p < end && (p < to || list.words.size() < own + most - 1)) {
        if (is_blank(bytes[p])) {
          ++p;
          continue;
        }
        own += p < to;
        p = list.add(bytes, p);
      }
      for (std::size_t l = 0; l < lengths_.size(); ++l)
        for (std::size_t k = 0, words = std::size_t(lengths_[l]); k < own && k + words <= list.words.size(); ++k)
          if (has_gram(list.hash_of_words(k, words, powers[l]), words, bytes.substr(list.words[k].begin)))
            mark(list.words[k].begin, list.words[k + words - 1].end - list.words[k].begin);
    }
    if (on_progress) on_progress(to - from);
  });
  for (auto& each : markers) each.flush();
}

}  // namespace ordo::inline v0::suffix::detail
