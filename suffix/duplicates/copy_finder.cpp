#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include "base/pooled_arena.hpp"
#include "base/threads.hpp"
#include "ordo/error.hpp"
#include "ordo/suffix/duplicates.hpp"
#include "ordo/suffix/records.hpp"
#include "suffix/duplicates/copy_bits.hpp"
#include "suffix/duplicates/window_scan.hpp"
#include "suffix/text/common_prefix.hpp"

namespace ordo::inline v0::suffix {
namespace {

using detail::copy_bits, detail::mark, detail::window_group;

/// A window_group as it is sorted: by the hash of its minimizer, then by position.
struct group_entry {
  static constexpr std::uint64_t max_positions = std::uint64_t{1} << 40;
  static constexpr std::uint64_t several = 4095;  // the offset of a group with several minimizers

  group_entry() = default;
  group_entry(window_group const& group, std::uint64_t base)
      : hash(detail::mixed(group.hash)),
        where((base + group.first) << 24 | (group.same ? group.minimizer - group.first : several) << 12 | group.count) {}

  [[nodiscard]] std::size_t bucket() const { return std::size_t(hash >> (64 - std::bit_width(copy_finder::num_buckets - 1))); }
  [[nodiscard]] std::uint64_t first() const { return where >> 24; }
  [[nodiscard]] std::uint64_t count() const { return where & 4095; }
  [[nodiscard]] bool has_one_minimizer() const { return offset() != several; }
  [[nodiscard]] std::uint64_t minimizer() const { return first() + offset(); }
  friend auto operator<=>(group_entry const&, group_entry const&) = default;

  std::uint64_t hash;   // minima are small: mixed once more, they are distributed evenly
  std::uint64_t where;  // 40 bits of the first position, 12 of the offset of the minimizer, 12 of the number of windows

 private:
  [[nodiscard]] std::uint64_t offset() const { return where >> 12 & 4095; }
};

/// One or two texts, end to end: the other one first, whose windows are not marked.
class joined_texts {
 public:
  joined_texts(text const& input, text const* other)
      : input_(input), other_(other), begin_(other ? other->size() : 0), record_at_(input) {}

  [[nodiscard]] std::uint64_t size() const { return begin_ + input_.size(); }
  [[nodiscard]] bool has_other() const { return other_ != nullptr; }
  /// Returns the position of the input that a position of both is.
  [[nodiscard]] std::uint64_t in_input(std::uint64_t p) const { return p - begin_; }
  [[nodiscard]] bool is_in_input(std::uint64_t p) const { return p >= begin_; }
  /// Returns the record of a position of the input.
  [[nodiscard]] std::size_t record_at(std::uint64_t p) const { return record_at_(in_input(p)); }
  /// Returns true if a position and the one before it are in the same text.
  [[nodiscard]] bool is_adjacent(std::uint64_t p) const { return p != begin_; }
  /// Returns the residues at a position.
  template <class Residue>
  [[nodiscard]] Residue const* at(std::uint64_t p) const {
    bool const own = is_in_input(p);
    return reinterpret_cast<Residue const*>((own ? input_ : *other_).residues.data()) + (own ? p - begin_ : p);
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
  record_finder record_at_;
};

/// Finds the copies among windows whose minimizers have the same hash, and marks them.
template <class Residue>
class group_matcher {
 public:
  /// @param max_slots  the maximum number of slots of a table
  group_matcher(joined_texts const& texts, duplicate_options const& options, copy_bits& bits, std::size_t max_slots)
      : texts_(texts), options_(options), length_(options.min_length), bits_(bits), max_slots_(max_slots), hash_(length_) {}

  void operator()(std::span<group_entry const> group) {
    if (group.size() == 1 && group[0].has_one_minimizer()) return;  // different windows
    bool const simple = std::ranges::all_of(group, &group_entry::has_one_minimizer);
    if (simple && group.size() <= max_pairs)
      match_pairs(group);
    else
      match_by_table(group);
  }

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

  [[nodiscard]] bool keeps_first() const { return options_.keep == kept_copies::first; }

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

  void mark_windows(std::uint64_t p, std::uint64_t count) { mark(bits_, texts_.in_input(p), count); }
  void mark_windows(equal_windows const& windows) {
    mark_windows(windows.first_b, windows.count);
    if (!keeps_first() && !texts_.has_other()) mark_windows(windows.first_a, windows.count);
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
    bool const marks_late = options_.scope == copy_scope::across && !keeps_first();
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
    if (!keeps_first() && !texts_.has_other()) mark_windows(earlier, 1);
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
        std::uint64_t const hash = detail::mixed(rolling_);
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

  /// Returns true if two windows are equal. @param chain  as for walker
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
  copy_bits& bits_;
  std::size_t max_slots_;
  detail::rolling_hash<Residue, detail::prime_numbers> hash_;
  std::vector<slot> table_;
  std::size_t used_ = 0;
  std::uint64_t run_begin_ = 0, run_size_ = 0;  // windows to mark
};

}  // namespace

struct copy_finder::state {
  state(text const& in, duplicate_options const& chosen, std::size_t bytes, text const* beside)
      : input(in),
        options(chosen),
        memory(bytes),
        other(beside ? std::optional(*beside) : std::nullopt),
        texts(input, other ? &*other : nullptr),
        arena(threads_for(options.threads)) {}

  template <class F>
  void with_residue(F f) const {
    if (input.residue_bytes == 1) return f(static_cast<unsigned char>(0));
    if (input.residue_bytes == 2) return f(std::uint16_t{});
    f(std::uint32_t{});
  }

  /// Calls use(entry, local) for the groups of windows of both texts, in parallel, and done(local) at the end of each part.
  template <class Local, class Use, class Done>
  void scan(progress const& on_progress, Use use, Done done) const {
    std::uint64_t const part = std::max<std::uint64_t>(std::uint64_t{1} << 20, 8 * options.min_length);
    std::uint64_t const parts = (texts.size() + part - 1) / part;
    with_residue([&]<class Residue>(Residue) {
      tbb::enumerable_thread_specific<detail::window_scan<Residue>> scans(
          [&] { return detail::window_scan<Residue>(options.min_length); });
      tbb::parallel_for(std::uint64_t{0}, parts, [&](std::uint64_t i) {
        Local local{};
        auto& windows = scans.local();
        std::uint64_t const last = std::min(texts.size(), (i + 1) * part);
        texts.parts(i * part, last, [&](text const& text, std::uint64_t base, std::uint64_t from, std::uint64_t to) {
          auto const* const residues = reinterpret_cast<Residue const*>(text.residues.data());
          for (std::size_t r = text.record_at(from); r < text.records() && text.begin(r) < to; ++r) {
            std::uint64_t const begin = text.begin(r), end = text.end(r);
            if (end - begin < options.min_length) continue;
            windows(residues, std::max(begin, from), std::min(end - options.min_length + 1, to),
                    [&](window_group const& group) { use(group_entry(group, base), local); });
          }
        });
        done(local);
        if (on_progress) on_progress(last - i * part);
      });
    });
  }

  /// Counts the entries of each bucket. Keeps the entries while there is room, so that ranges need not look for them again.
  void count(progress const& on_progress) {
    struct part {
      std::vector<std::uint64_t> counts = std::vector<std::uint64_t>(num_buckets);
      std::vector<group_entry> entries;
    };
    sizes.assign(num_buckets, 0);
    std::size_t const max_kept = (memory - table_bytes()) / 2 / sizeof(group_entry);
    std::atomic<std::size_t> num_kept = 0;
    std::mutex keeping;
    scan<part>(
        on_progress,
        [&](group_entry const& entry, part& local) {
          ++local.counts[entry.bucket()];
          if (num_kept.load(std::memory_order_relaxed) + local.entries.size() < max_kept) local.entries.push_back(entry);
        },
        [&](part& local) {
          std::size_t all = 0;
          for (std::size_t b = 0; b < num_buckets; ++b) {
            if (local.counts[b] != 0) std::atomic_ref(sizes[b]).fetch_add(local.counts[b], std::memory_order_relaxed);
            all += local.counts[b];
          }
          num_kept.fetch_add(all, std::memory_order_relaxed);
          local.entries.shrink_to_fit();
          std::lock_guard const lock(keeping);
          kept.push_back(std::move(local.entries));
          if (num_kept > max_kept) kept.clear();
        });
    kept_bytes = num_kept * sizeof(group_entry);
    if (num_kept <= max_kept) return;
    kept.clear();
    kept_bytes = 0;
  }

  /// Collects the entries of some buckets, one after the other.
  [[nodiscard]] std::unique_ptr<group_entry[]> collect(std::size_t begin, std::size_t end,
                                                       std::vector<std::uint64_t> const& begins, std::string const& name,
                                                       progress const& on_progress) {
    // Not initialised: they may take gigabytes.
    auto entries = std::make_unique_for_overwrite<group_entry[]>(std::size_t(begins.back()));
    std::vector<std::uint64_t> at(begins.begin(), begins.end() - 1);
    std::atomic<bool> differs = false;
    auto const is_in_range = [&](group_entry const& entry) { return entry.bucket() >= begin && entry.bucket() < end; };
    auto const distribute = [&](std::vector<group_entry> const& some) {
      // Those of a bucket are written together: one by one, each would miss the caches.
      std::vector<std::size_t> ends(end - begin + 1);
      for (group_entry const& entry : some)
        if (is_in_range(entry)) ++ends[entry.bucket() - begin + 1];
      for (std::size_t b = 1; b < ends.size(); ++b) ends[b] += ends[b - 1];
      std::vector<group_entry> sorted(ends.back());
      for (group_entry const& entry : some)
        if (is_in_range(entry)) sorted[ends[entry.bucket() - begin]++] = entry;
      for (std::size_t b = 0, first = 0; b + 1 < ends.size(); first = ends[b++]) {
        std::size_t const count = ends[b] - first;
        if (count == 0) continue;
        std::uint64_t const row = std::atomic_ref(at[b]).fetch_add(count, std::memory_order_relaxed);
        if (row + count <= begins[b + 1])
          std::copy_n(&sorted[first], count, &entries[row]);
        else
          differs.store(true, std::memory_order_relaxed);
      }
    };
    if (!kept.empty()) {
      bool const is_last = end == num_buckets;
      tbb::parallel_for(std::size_t{0}, kept.size(), [&](std::size_t i) {
        distribute(kept[i]);
        if (is_last) std::vector<group_entry>().swap(kept[i]);
      });
      if (on_progress) on_progress(texts.size());
    } else {
      scan<std::vector<group_entry>>(
          on_progress,
          [&](group_entry const& entry, std::vector<group_entry>& local) {
            if (is_in_range(entry)) local.push_back(entry);
          },
          distribute);
    }
    for (std::size_t b = 0; b < at.size(); ++b)
      if (differs || at[b] != begins[b + 1])
        throw input_error(fmt::format("changed input: {}: the text differs from when its windows were counted", name));
    return entries;
  }

  [[nodiscard]] std::size_t table_bytes() const { return memory / 4; }

  /// Returns the end of the range that begins with a bucket.
  [[nodiscard]] std::size_t range_end(std::size_t begin, std::size_t max_buckets) const {
    std::size_t const max_entries = (memory - table_bytes() - kept_bytes) / sizeof(group_entry);
    std::size_t end = begin;
    for (std::uint64_t entries = 0; end < num_buckets && end - begin < max_buckets; ++end) {
      entries += sizes[end];
      if (entries <= max_entries) continue;
      if (end != begin) break;
      std::size_t const needed = std::size_t(*std::ranges::max_element(sizes)) * sizeof(group_entry) / 3 * 4 + 64;
      throw out_of_memory(fmt::format("out of memory: duplicates: {} bytes are needed, {} are allowed", needed, memory),
                          needed);
    }
    return end;
  }

  std::size_t count_ranges(std::size_t max_buckets, progress const& on_progress) {
    if (sizes.empty()) count(on_progress);
    std::size_t ranges = 0;
    for (std::size_t at = finished; at < num_buckets; at = range_end(at, max_buckets)) ++ranges;
    return ranges;
  }

  void next_range(std::size_t max_buckets, progress const& on_progress, std::string const& name) {
    if (sizes.empty()) count({});
    std::size_t const end = range_end(finished, max_buckets);
    std::vector<std::uint64_t> begins{0};
    for (std::size_t b = finished; b < end; ++b) begins.push_back(begins.back() + sizes[b]);
    std::unique_ptr<group_entry[]> const entries = collect(finished, end, begins, name, on_progress);
    std::size_t const max_slots =
        std::bit_floor(std::max<std::size_t>(table_bytes() / std::size_t(arena.max_concurrency()) / 24, 4096));
    with_residue([&]<class Residue>(Residue) {
      using matcher = group_matcher<Residue>;
      tbb::enumerable_thread_specific<matcher> matchers([&] { return matcher(texts, options, bits, max_slots); });
      tbb::parallel_for(std::size_t{0}, end - finished, [&](std::size_t b) {
        std::span<group_entry> const bucket(&entries[begins[b]], std::size_t(begins[b + 1] - begins[b]));
        std::ranges::sort(bucket);
        auto& match = matchers.local();
        for (std::size_t i = 0, after; i < bucket.size(); i = after) {
          for (after = i + 1; after < bucket.size() && bucket[after].hash == bucket[i].hash;) ++after;
          match(bucket.subspan(i, after - i));
        }
      });
    });
    finished = end;
  }

  text input;
  duplicate_options options;
  std::size_t memory;
  std::optional<text> other;
  joined_texts texts;
  pooled_arena arena;
  copy_bits bits;
  std::size_t finished = 0;
  std::vector<std::uint64_t> sizes;            // sizes of buckets, in entries; empty: not counted yet
  std::vector<std::vector<group_entry>> kept;  // all entries, of parts of the text; empty if they take too much memory
  std::size_t kept_bytes = 0;
};

copy_finder::copy_finder(text const& input, duplicate_options const& options, std::size_t memory, text const* other) {
  detail::check(input, options);
  if (other != nullptr && input.residue_bytes != other->residue_bytes)
    throw usage_error(
        fmt::format("conflicting residues: duplicates: of {} and of {} bytes", input.residue_bytes, other->residue_bytes));
  std::uint64_t const all = input.size() + (other ? other->size() : 0);
  if (all >= group_entry::max_positions)
    throw usage_error(fmt::format("too large: duplicates: {} residues, but positions have 40 bits", all));
  state_ = std::make_unique<state>(input, options, memory, other);
  state_->bits.resize(input.size() / 64 + 1);
  if (other != nullptr) state_->options.scope = copy_scope::anywhere;
}

copy_finder::~copy_finder() = default;

std::size_t copy_finder::finished() const noexcept {
  return state_->finished;
}

std::size_t copy_finder::count_ranges(std::size_t max_buckets, progress const& on_progress) {
  return state_->arena.execute([&] { return state_->count_ranges(std::max<std::size_t>(max_buckets, 1), on_progress); });
}

void copy_finder::next_range(std::size_t max_buckets, progress const& on_progress, std::string const& name) {
  if (state_->finished != num_buckets)
    state_->arena.execute([&] { state_->next_range(std::max<std::size_t>(max_buckets, 1), on_progress, name); });
}

std::span<std::uint64_t const> copy_finder::marks() const noexcept {
  return state_->bits;
}

void copy_finder::resume(std::size_t finished, std::span<std::uint64_t const> marks) {
  if (finished > num_buckets || marks.size() != state_->bits.size())
    throw usage_error("invalid progress: duplicates: it is of another text");
  std::ranges::copy(marks, state_->bits.begin());
  state_->finished = finished;
}

std::uint64_t copy_finder::report(std::function<void(duplicate_range const&)> const& on_range) const {
  return report(0, state_->input.records(), on_range);
}

std::uint64_t copy_finder::report(std::size_t first_record, std::size_t last_record,
                                  std::function<void(duplicate_range const&)> const& on_range) const {
  return detail::report_ranges(state_->bits, state_->input, state_->options, first_record, last_record, on_range);
}

}  // namespace ordo::inline v0::suffix
