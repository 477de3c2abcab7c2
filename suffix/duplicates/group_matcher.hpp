#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include "ordo/suffix/duplicates.hpp"
#include "ordo/suffix/records.hpp"
#include "suffix/duplicates/copy_bits.hpp"
#include "suffix/duplicates/entry_file.hpp"
#include "suffix/duplicates/stored_bits.hpp"
#include "suffix/duplicates/window_scan.hpp"
#include "suffix/text/common_prefix.hpp"

namespace ordo::inline v0::suffix::detail {

/// One or two texts, end to end: the other one first, whose windows are not marked.
class joined_texts {
 public:
  /// @param has_records  whether record_at() is needed, which takes memory
  joined_texts(text const& input, text const* other, bool has_records)
      : input_(input), other_(other), begin_(other ? other->size() : 0) {
    if (has_records) record_at_.emplace(input);
  }

  [[nodiscard]] std::uint64_t size() const { return begin_ + input_.size(); }
  [[nodiscard]] bool has_other() const { return other_ != nullptr; }
  /// Returns the position of the input that a position of both is.
  [[nodiscard]] std::uint64_t in_input(std::uint64_t p) const { return p - begin_; }
  [[nodiscard]] bool is_in_input(std::uint64_t p) const { return p >= begin_; }
  /// Returns the record of a position of the input.
  [[nodiscard]] std::size_t record_at(std::uint64_t p) const { return (*record_at_)(in_input(p)); }
  /// Returns the number by which the record of a position of the input is kept.
  [[nodiscard]] std::uint64_t record_order(std::uint64_t p, duplicate_options const& options) const {
    return detail::record_order(input_, options, record_at(p));
  }
  /// Returns true if a position and the one before it are in the same text.
  [[nodiscard]] bool is_adjacent(std::uint64_t p) const { return p != begin_; }
  /// Returns the residues at a position.
  template <class Residue>
  [[nodiscard]] Residue const* at(std::uint64_t p) const {
    bool const own = is_in_input(p);
    return reinterpret_cast<Residue const*>((own ? input_ : *other_).residues.data()) + (own ? p - begin_ : p);
  }
  /// Tells the system whether windows are read in no order, for texts that are mapped files.
  void expect_random_reads(bool are_random) const {
    for (text const* each : {&input_, other_})
      if (each) advise(each->residues, are_random ? MADV_RANDOM : MADV_NORMAL);
  }
  /// Tells the system that the windows at these positions will be read. @param positions  get another order
  void prefetch(std::vector<std::uint64_t>& positions, std::uint64_t length) const {
    std::ranges::sort(positions);
    std::uint64_t const size = input_.residue_bytes;
    for (std::size_t i = 0, after; i < positions.size(); i = after) {
      constexpr std::uint64_t max_gap = 4096;
      std::uint64_t const first = positions[i];
      std::uint64_t end = first + length;
      for (after = i + 1; after < positions.size() && positions[after] < end + max_gap / size &&
                          is_in_input(positions[after]) == is_in_input(first);
           ++after)
        end = positions[after] + length;
      std::string_view const bytes = (is_in_input(first) ? input_ : *other_).residues;
      advise(
          bytes.substr(std::size_t((is_in_input(first) ? in_input(first) : first) * size), std::size_t((end - first) * size)),
          MADV_WILLNEED);
    }
  }
  /// Calls f(text, base, begin, end) for the positions [begin, end) of each text that lie in [from, to) of both.
  template <class F>
  void parts(std::uint64_t from, std::uint64_t to, F f) const {
    if (from < std::min(to, begin_)) f(*other_, std::uint64_t{0}, from, std::min(to, begin_));
    if (std::max(from, begin_) < to) f(input_, begin_, std::max(from, begin_) - begin_, to - begin_);
  }

 private:
  text const& input_;
  text const* other_;
  std::uint64_t begin_;
  std::optional<record_finder> record_at_;

  /// Passes advice for the pages of some bytes to the system. A failure costs time only.
  static void advise(std::string_view bytes, int advice) {
    if (bytes.empty()) return;
    static auto const page = std::uintptr_t(sysconf(_SC_PAGESIZE));
    auto const begin = reinterpret_cast<std::uintptr_t>(bytes.data()), first = begin / page * page;
    madvise(reinterpret_cast<void*>(first), begin - first + bytes.size(), advice);
  }
};

/// Finds the copies among windows whose minimizers have the same hash, and marks them.
template <class Residue>
class group_matcher {
 public:
  /// @param max_slots  the maximum number of slots of a table
  group_matcher(joined_texts const& texts, duplicate_options const& options, stored_bits& bits, std::size_t max_slots)
      : texts_(texts), options_(options), length_(options.min_length), mark_(bits), max_slots_(max_slots), hash_(length_) {}

  void operator()(std::span<group_entry const> group) {
    if (group.size() == 1 && group[0].has_one_minimizer()) return;  // different windows
    if (compares_records(options_) && !texts_.has_other()) {
      // The windows of the record that is kept come first, as if it were the first one of the text.
      ordered_.assign(group.begin(), group.end());
      std::ranges::stable_sort(ordered_, {},
                               [&](group_entry const& entry) { return texts_.record_order(entry.first(), options_); });
      group = ordered_;
    }
    bool const simple = std::ranges::all_of(group, &group_entry::has_one_minimizer);
    if (simple && group.size() <= max_pairs)
      match_pairs(group);
    else
      match_by_table(group);
  }
  /// Completes the marks.
  void finish() { mark_.flush(); }

 private:
  static constexpr std::size_t max_pairs = 24, num_models = 4;
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  /// A class of equal windows.
  struct slot {
    std::uint64_t hash = 0, first = none, latest = none;
  };
  /// Windows of two entries that are equal: adjacent ones.
  struct equal_windows {
    std::uint64_t first_a = 0, first_b = 0, count = 0;
  };

  [[nodiscard]] bool keeps_one() const { return options_.keep != kept_copies::none; }

  /// Returns the equal windows of two entries, which have one minimizer each.
  [[nodiscard]] equal_windows matched(group_entry const& a, group_entry const& b) const {
    std::uint64_t const at_a = a.minimizer(), at_b = b.minimizer(), size = sizeof(Residue);
    // Windows are named by the distance from their first residue to the minimizer.
    auto const nearest = [](group_entry const& entry, std::uint64_t at) {
      std::uint64_t const last = entry.first() + entry.count() - 1;
      return at - std::min(at, last);
    };
    std::uint64_t const near = std::max(nearest(a, at_a), nearest(b, at_b)), far = std::min(at_a - a.first(), at_b - b.first());
    if (near > far) return {};
    auto const* const text_a = reinterpret_cast<char const*>(texts_.at<Residue>(at_a));
    auto const* const text_b = reinterpret_cast<char const*>(texts_.at<Residue>(at_b));
    std::uint64_t const before = common_suffix(text_a, text_b, far * size) / size,
                        after = common_prefix(text_a, text_b, (length_ - near) * size) / size,
                        from = std::max(near, length_ - after), to = std::min(far, before);
    if (from > to) return {};
    return {at_a - to, at_b - to, to - from + 1};
  }

  /// Returns true if a window is a copy of an earlier one that is equal.
  [[nodiscard]] bool is_copy(std::uint64_t earlier, std::uint64_t p) const {
    if (texts_.has_other()) return !texts_.is_in_input(earlier) && texts_.is_in_input(p);
    if (options_.scope == copy_scope::anywhere) return true;
    return (texts_.record_at(earlier) == texts_.record_at(p)) == (options_.scope == copy_scope::within);
  }

  void mark_windows(std::uint64_t p, std::uint64_t count) { mark_(texts_.in_input(p), count); }
  void mark_windows(equal_windows const& windows) {
    mark_windows(windows.first_b, windows.count);
    if (!keeps_one() && !texts_.has_other()) mark_windows(windows.first_a, windows.count);
  }

  void match_pairs(std::span<group_entry const> group) {
    for (std::size_t b = 1; b < group.size(); ++b)
      for (std::size_t a = b; a-- > 0;) {
        if (!is_copy(group[a].first(), group[b].first())) continue;
        equal_windows const windows = matched(group[a], group[b]);
        if (windows.count == 0) continue;
        mark_windows(windows);
        // All of b are marked. Earlier copies of them are, too, since that of a is one of them.
        if (windows.count == group[b].count() && options_.scope == copy_scope::anywhere) break;
      }
  }

  void match_by_table(std::span<group_entry const> group) {
    // If there are too many different windows for a table, the hashes are divided into more parts.
    for (unsigned part_bits = 0;; ++part_bits) {
      bool fits = true;
      for (std::uint64_t part = 0; fits && part < std::uint64_t{1} << part_bits; ++part)
        fits = match_part(group, part_bits, part);
      if (fits) return;
    }
  }

  /// Marks the copies among windows whose hashes begin with the bits of `part`.
  /// @returns false if the table is too small
  bool match_part(std::span<group_entry const> group, unsigned part_bits, std::uint64_t part) {
    table_.assign(min_slots, {});
    used_ = 0;
    bool const by_record = options_.scope != copy_scope::anywhere, has_models = !by_record && !texts_.has_other();
    bool const marks_late = options_.scope == copy_scope::across && !keeps_one();
    std::array<group_entry const*, num_models> models{};  // entries all windows of which are in the table
    walker walk(*this, part_bits, part);
    for (group_entry const& entry : group) {
      if (has_models && entry.has_one_minimizer()) {
        if (is_like_model(models, entry)) continue;
        std::rotate(models.begin(), models.end() - 1, models.end());
        models[0] = &entry;
      }
      bool const fits = walk(entry, [&](std::uint64_t p, std::uint64_t hash, std::uint64_t const* chain) -> std::uint64_t {
        slot& slot = find(hash, p, chain);
        if (slot.latest == none) {
          slot = {hash, p, p};
          if (++used_ > table_.size() / 2 && !grow()) return full;
          return none;
        }
        std::uint64_t const latest = slot.latest;
        if (!marks_late) mark_copy(slot, p);
        slot.latest = p;
        return latest;
      });
      if (!fits) return false;
    }
    mark_run();
    if (!marks_late) return true;
    walker again(*this, part_bits, part);
    for (group_entry const& entry : group)
      again(entry, [&](std::uint64_t p, std::uint64_t hash, std::uint64_t const* chain) -> std::uint64_t {
        slot const& slot = find(hash, p, chain);
        if (texts_.record_at(slot.first) != texts_.record_at(slot.latest)) mark_later(p);
        return slot.latest;
      });
    mark_run();
    return true;
  }

  /// Marks the windows of an entry if one of the last models has them all.
  bool is_like_model(std::array<group_entry const*, num_models>& models, group_entry const& entry) {
    for (std::size_t i = 0; i < num_models && models[i] != nullptr; ++i) {
      equal_windows const windows = matched(*models[i], entry);
      if (windows.count != entry.count()) continue;
      mark_windows(windows);
      std::rotate(models.begin(), models.begin() + std::ptrdiff_t(i), models.begin() + std::ptrdiff_t(i) + 1);
      return true;
    }
    return false;
  }

  /// Marks a window once it is known whether the next one follows it.
  void mark_later(std::uint64_t p) {
    if (p != run_begin_ + run_size_ || run_size_ == 0) {
      mark_run();
      run_begin_ = p;
    }
    ++run_size_;
  }
  void mark_run() {
    if (run_size_ != 0) mark_windows(run_begin_, run_size_);
    run_size_ = 0;
  }

  /// Marks a window that the table has, and for kept_copies::none the latest one that is equal to it.
  void mark_copy(slot const& same, std::uint64_t p) {
    // Windows come in order of position: if any earlier one is in the same record, the latest one is; if any is in another
    // record, the first one is.
    std::uint64_t const earlier = texts_.has_other() || options_.scope == copy_scope::across ? same.first : same.latest;
    if (!is_copy(earlier, p)) return;
    mark_later(p);
    if (!keeps_one() && !texts_.has_other()) mark_windows(earlier, 1);
  }

  static constexpr std::uint64_t full = none - 1;
  static constexpr std::size_t min_slots = 64;

  /// Goes through the windows of entries, which come in order of position.
  class walker {
   public:
    walker(group_matcher const& of, unsigned part_bits, std::uint64_t part) : of_(of), part_bits_(part_bits), part_(part) {}

    /// Calls look(position, hash, chain) for the windows of the part. It returns an equal window, or none, or `full` to stop.
    /// The window after the last one that was returned is at *chain; it is equal to this one if their last residues are.
    /// @returns true if it went through all of them
    template <class Look>
    bool operator()(group_entry const& entry, Look look) {
      std::uint64_t const first = entry.first(), end = first + entry.count();
      if (next_ != first || !texts().is_adjacent(first)) {
        rolling_ = of_.hash_.of(texts().template at<Residue>(first));
        equal_ = none;
      } else {
        rolling_ = of_.hash_.next(rolling_, texts().template at<Residue>(first - 1));
      }
      for (std::uint64_t p = first; p < end; ++p) {
        if (p != first) rolling_ = of_.hash_.next(rolling_, texts().template at<Residue>(p - 1));
        std::uint64_t const hash = mixed(rolling_);
        if (part_bits_ != 0 && hash >> (64 - part_bits_) != part_) {
          equal_ = none;
          continue;
        }
        if (equal_ != none) ++equal_;
        equal_ = look(p, hash, equal_ == none ? nullptr : &equal_);
        if (equal_ == full) return false;
      }
      next_ = end;
      return true;
    }

   private:
    [[nodiscard]] joined_texts const& texts() const { return of_.texts_; }

    group_matcher const& of_;
    unsigned part_bits_;
    std::uint64_t part_;
    std::uint64_t next_ = none, rolling_ = 0, equal_ = none;
  };

  /// Returns true if two windows are equal. @param chain  see walker
  [[nodiscard]] bool equal(std::uint64_t p, std::uint64_t q, std::uint64_t const* chain) const {
    if (p == q) return true;
    Residue const *const a = texts_.at<Residue>(p), *const b = texts_.at<Residue>(q);
    if (chain != nullptr && *chain == q) return a[length_ - 1] == b[length_ - 1];
    return std::memcmp(a, b, length_ * sizeof(Residue)) == 0;
  }

  /// Returns the slot of the windows that are equal to the one at p, or an empty one.
  slot& find(std::uint64_t hash, std::uint64_t p, std::uint64_t const* chain) {
    for (std::size_t mask = table_.size() - 1, i = std::size_t(hash) & mask;; i = (i + 1) & mask) {
      slot& here = table_[i];
      if (here.latest == none || (here.hash == hash && equal(p, here.latest, chain))) return here;
    }
  }

  /// Doubles the table.
  /// @returns false if it would have too many slots
  bool grow() {
    if (table_.size() > max_slots_ / 2) return false;
    std::vector<slot> old(2 * table_.size());
    old.swap(table_);
    for (slot const& slot : old) {
      if (slot.latest == none) continue;
      std::size_t const mask = table_.size() - 1;
      std::size_t i = std::size_t(slot.hash) & mask;
      while (table_[i].latest != none) i = (i + 1) & mask;
      table_[i] = slot;
    }
    return true;
  }

  joined_texts const& texts_;
  duplicate_options const& options_;
  std::uint64_t length_;
  stored_bits::marker mark_;
  std::size_t max_slots_;
  rolling_hash<Residue, prime_numbers> hash_;
  std::vector<slot> table_;
  std::size_t used_ = 0;
  std::vector<group_entry> ordered_;
  std::uint64_t run_begin_ = 0, run_size_ = 0;  // windows to mark
};

}  // namespace ordo::inline v0::suffix::detail
