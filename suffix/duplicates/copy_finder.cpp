#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include "base/external/bucket_file.hpp"
#include "base/pooled_arena.hpp"
#include "base/threads.hpp"
#include "ordo/error.hpp"
#include "ordo/suffix/duplicates.hpp"
#include "suffix/duplicates/copy_bits.hpp"
#include "suffix/duplicates/entry_file.hpp"
#include "suffix/duplicates/group_matcher.hpp"
#include "suffix/duplicates/stored_bits.hpp"
#include "suffix/duplicates/unit_finder.hpp"
#include "suffix/duplicates/window_scan.hpp"

namespace ordo::inline v0::suffix {
namespace {

using detail::entry_file, detail::group_entry, detail::group_matcher, detail::joined_texts, detail::stored_bits,
    detail::window_group;

constexpr std::size_t min_memory = std::size_t{64} << 10;

/// How a finder divides its memory and disk space.
struct finder_plan {
  copy_finder::plan expected;
  bool bits_on_disk = false;
  std::size_t bit_memory = 0, entry_memory = 0;
  std::uint64_t entry_bytes = 0, max_entry_bytes = 0;  // on disk: of all entries, about, and of those of a pass
};

finder_plan divide_memory(text const& input, text const* other, std::uint64_t min_length, std::size_t memory) {
  finder_plan plan;
  std::uint64_t const residues = input.size() + (other ? other->size() : 0), text_bytes = residues * input.residue_bytes,
                      bit_bytes = (input.size() / 64 + 1) * sizeof(std::uint64_t);
  memory = std::max(memory, min_memory);
  plan.bits_on_disk = bit_bytes > memory / 4;
  plan.bit_memory = plan.bits_on_disk ? memory / 8 : std::size_t(bit_bytes);
  plan.entry_memory = memory - plan.bit_memory;
  // The smallest of w random numbers changes with two of w + 1 steps.
  std::uint64_t const width = detail::window_scan<char>(min_length).width(), entries = residues / (width + 1) * 2;
  plan.entry_bytes = entries * entry_file::entry_bytes;
  std::uint64_t const on_disk_with_bits = plan.bits_on_disk ? 2 * bit_bytes : 0;  // and collected runs of them
  // A part is left for blocks that are not full.
  plan.max_entry_bytes = std::max<std::uint64_t>(text_bytes + text_bytes / 2 - text_bytes / 32 - on_disk_with_bits, min_memory);
  bool const on_disk = entries * sizeof(group_entry) > plan.entry_memory / 8 * 3;
  copy_finder::plan& expected = plan.expected;
  auto const divide = [](std::uint64_t a, std::uint64_t b) { return std::size_t(a / b + (a % b != 0)); };
  expected.minimizers = entries;
  expected.passes = on_disk ? std::max<std::size_t>(1, divide(plan.entry_bytes, plan.max_entry_bytes)) : 1;
  expected.disk_bytes = (on_disk ? std::min(plan.entry_bytes, plan.max_entry_bytes) : 0) + on_disk_with_bits;
  expected.max_disk_bytes = expected.disk_bytes == 0 ? 0 : text_bytes + text_bytes / 2;
  return plan;
}

}  // namespace

struct copy_finder::state {
  state(text const& in, duplicate_options const& chosen, std::size_t bytes, text const* beside, std::string const& where)
      : input(in),
        options(chosen),
        memory(bytes),
        other(beside ? std::optional(*beside) : std::nullopt),
        texts(
            input, other ? &*other : nullptr,
            options.scope != copy_scope::anywhere || detail::compares_records(options) || options.unit != copied_unit::strings),
        folder(where),
        arena(threads_for(options.threads)) {
    reported = options;
    if (options.unit != copied_unit::strings) reported.min_length = 1;  // all residues of units are marked
    if (folder.empty()) {
      bits.emplace(input.size());
      add_units();
      return;
    }
    outlook = divide_memory(input, other ? &*other : nullptr, options.min_length, memory);
    memory = outlook.entry_memory;
    if (outlook.bits_on_disk)
      bits.emplace(input.size(), folder, outlook.bit_memory, arena.max_concurrency());
    else
      bits.emplace(input.size());
    add_units();
  }

  void add_units() {
    if (options.unit != copied_unit::strings) units.emplace(texts, input, other ? &*other : nullptr, options, *bits, memory);
  }

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

  /// Counts the entries of each bucket. Keeps the entries while there is room, so that ranges need not look for them again;
  /// then, with a folder, on disk.
  void count(progress const& on_progress) {
    struct part {
      std::vector<std::uint64_t> counts = std::vector<std::uint64_t>(num_buckets);
      std::vector<group_entry> entries;
    };
    sizes.assign(num_buckets, 0);
    std::size_t const max_kept = (memory - table_bytes()) / 2 / sizeof(group_entry);
    std::size_t num_kept = 0;
    std::atomic<bool> keeps = true;
    std::mutex keeping;
    scan<part>(
        on_progress,
        [&](group_entry const& entry, part& local) {
          std::size_t const bucket = entry.bucket();
          ++local.counts[bucket];
          if (bucket >= finished && keeps.load(std::memory_order_relaxed)) local.entries.push_back(entry);
        },
        [&](part& local) {
          for (std::size_t b = 0; b < num_buckets; ++b)
            if (local.counts[b] != 0) std::atomic_ref(sizes[b]).fetch_add(local.counts[b], std::memory_order_relaxed);
          std::unique_lock lock(keeping);
          if (!disk && keeps) {
            num_kept += local.entries.size();
            if (num_kept <= max_kept) {
              local.entries.shrink_to_fit();
              kept.push_back(std::move(local.entries));
              return;
            }
            if (folder.empty()) {
              keeps = false;
            } else {
              begin_pass();
              for (std::vector<group_entry> const& some : kept) disk->append(some, finished, stored_end);
            }
            std::vector<std::vector<group_entry>>().swap(kept);
          }
          if (!disk) return;
          std::size_t const end = stored_end;
          lock.unlock();
          disk->append(local.entries, finished, end);
          if (disk->disk_bytes() <= outlook.max_entry_bytes) return;
          lock.lock();
          store_less();
        });
    if (disk) {
      disk->flush();
      disk->discard(disk->partition(stored_end - 1) + 1, disk->num_partitions());
    }
    kept_bytes = kept.empty() ? 0 : num_kept * sizeof(group_entry);
  }

  /// Begins to store entries from the bucket `finished` on, as many as the disk space is expected to hold.
  void begin_pass() {
    disk.emplace(folder, std::min(memory / 8, std::size_t{4} << 30));
    std::size_t const left = num_buckets - finished;
    auto const share = std::size_t(double(left) * std::min(1.0, double(outlook.max_entry_bytes) /
                                                                    double(std::max<std::uint64_t>(outlook.entry_bytes, 1))));
    stored_end = finished + share == num_buckets ? num_buckets : whole_partitions(finished, finished + share);
  }

  /// Returns the end of the last whole partition before `end`, or that of the partition in which `begin` is.
  [[nodiscard]] std::size_t whole_partitions(std::size_t begin, std::size_t end) const {
    return disk->first_bucket(std::max(disk->partition(begin) + 1, disk->partition(end)));
  }

  /// Leaves some entries to another pass: there are more than expected.
  void store_less() {
    if (disk->disk_bytes() <= outlook.max_entry_bytes) return;  // another thread did so
    std::size_t const first = disk->partition(finished), last = disk->partition(stored_end - 1);
    if (last == first) return;
    std::size_t const end = last - (last - first) / 8;
    stored_end = disk->first_bucket(end);
    disk->discard(end, last + 1);  // what other threads still add there is discarded at the end of the pass
  }

  /// Reads the texts again for the entries that had no room on disk.
  void next_pass(progress const& on_progress) {
    disk->discard(0, disk->num_partitions());
    std::uint64_t bytes = 0;
    std::size_t end = finished;
    while (end < num_buckets && (bytes += sizes[end] * entry_file::entry_bytes) <= outlook.max_entry_bytes) ++end;
    stored_end = end == num_buckets ? end : whole_partitions(finished, end);
    scan<std::vector<group_entry>>(
        on_progress,
        [&](group_entry const& entry, std::vector<group_entry>& local) {
          if (entry.bucket() >= finished && entry.bucket() < stored_end) local.push_back(entry);
        },
        [&](std::vector<group_entry>& local) { disk->append(local, finished, stored_end); });
    disk->flush();
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
    } else if (disk) {
      disk->each(begin, end, distribute);
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

  /// Returns the end of the buckets from `begin` on whose entries fit into memory, `stop` at most.
  [[nodiscard]] std::size_t memory_end(std::size_t begin, std::size_t stop) const {
    // On disk, the first entry of each group is listed, too.
    std::size_t const entry_bytes = disk ? sizeof(group_entry) + sizeof(group_begin) / 2 : sizeof(group_entry),
                      max_entries = (memory - table_bytes() - kept_bytes) / entry_bytes;
    std::size_t end = begin;
    for (std::uint64_t entries = 0; end < stop; ++end) {
      entries += sizes[end];
      if (entries <= max_entries) continue;
      if (end != begin) break;
      std::size_t needed = std::size_t(*std::ranges::max_element(sizes)) * entry_bytes / 3 * 4 + 64;
      if (!folder.empty()) needed += needed / 2;  // for the bits of positions
      throw out_of_memory(fmt::format("out of memory: duplicates: {} bytes are needed, {} are allowed", needed, memory),
                          needed);
    }
    // A partition is read once for each part that has some of its buckets.
    if (disk && end != stop)
      if (std::size_t const whole = disk->first_bucket(disk->partition(end)); whole > begin) end = whole;
    return end;
  }

  /// Returns the end of the range that begins with a bucket.
  [[nodiscard]] std::size_t range_end(std::size_t begin, std::size_t max_buckets) const {
    std::size_t const stop =
        std::min(begin + std::min(max_buckets, num_buckets), disk && begin < stored_end ? stored_end : num_buckets);
    if (!disk) return memory_end(begin, stop);
    for (std::size_t at = begin; at < stop;) at = memory_end(at, stop);  // throws if one does not fit
    return stop;
  }

  std::size_t count_ranges(std::size_t max_buckets, progress const& on_progress) {
    if (units) return units->count_ranges(finished, max_buckets, on_progress);
    if (sizes.empty()) count(on_progress);
    std::size_t ranges = 0;
    for (std::size_t at = finished; at < num_buckets; at = range_end(at, max_buckets)) ++ranges;
    return ranges;
  }

  /// The entries of some buckets, sorted in each.
  struct sorted_entries {
    std::unique_ptr<group_entry[]> entries;
    std::vector<std::uint64_t> begins{0};

    /// Calls use(group) for the groups of entries with the same hash in a bucket, which it sorts.
    template <class Use>
    void each_group(std::size_t b, Use use) {
      std::span<group_entry> const bucket(&entries[begins[b]], std::size_t(begins[b + 1] - begins[b]));
      std::ranges::sort(bucket);
      for (std::size_t i = 0, after; i < bucket.size(); i = after) {
        for (after = i + 1; after < bucket.size() && bucket[after].hash == bucket[i].hash;) ++after;
        use(std::span<group_entry const>(bucket.subspan(i, after - i)));
      }
    }
  };
  [[nodiscard]] sorted_entries load(std::size_t begin, std::size_t end, progress const& on_progress, std::string const& name) {
    sorted_entries all;
    for (std::size_t b = begin; b < end; ++b) all.begins.push_back(all.begins.back() + sizes[b]);
    all.entries = collect(begin, end, all.begins, name, on_progress);
    return all;
  }

  /// Returns what makes a matcher for each thread.
  template <class Residue>
  [[nodiscard]] auto matchers() {
    std::size_t const max_slots =
        std::bit_floor(std::max<std::size_t>(table_bytes() / std::size_t(arena.max_concurrency()) / 24, 4096));
    return tbb::enumerable_thread_specific<group_matcher<Residue>>(
        [this, max_slots] { return group_matcher<Residue>(texts, options, *bits, max_slots); });
  }

  void next_range(std::size_t max_buckets, progress const& on_progress, std::string const& name) {
    if (units) {
      finished = units->next_range(finished, max_buckets, on_progress, name);
      return;
    }
    if (sizes.empty()) count({});
    if (disk && finished >= stored_end) next_pass({});
    std::size_t const end = range_end(finished, max_buckets);
    if (disk) {
      settle_on_disk(end, on_progress, name);
    } else {
      sorted_entries all = load(finished, end, on_progress, name);
      with_residue([&]<class Residue>(Residue) {
        auto each_matcher = matchers<Residue>();
        tbb::parallel_for(std::size_t{0}, end - finished, [&](std::size_t b) {
          auto& match = each_matcher.local();
          all.each_group(b, [&](std::span<group_entry const> group) { match(group); });
        });
        for (auto& each : each_matcher) each.finish();
      });
    }
    finished = end;
    if (finished == num_buckets) disk.reset();
    if (finished == num_buckets || bits->is_full()) bits->apply();
  }

  /// Compares the windows of buckets [finished, end). The text may be larger than memory. Groups in the order of hashes would
  /// read a page for each entry. So groups of several entries are stored once more, by the region of the text where the first
  /// one is, and compared in the order of positions: those of a copy follow each other, and a page is read about once.
  void settle_on_disk(std::size_t end, progress const& on_progress, std::string const& name) {
    std::size_t const num_regions = std::min<std::size_t>(64, disk->num_partitions());
    std::uint64_t const region_size = texts.size() / num_regions + 1;
    external::bucket_file groups = disk->make_buckets(num_regions);
    std::uint64_t reported = 0;
    auto const report = [&](std::uint64_t read) {
      if (on_progress) on_progress(read - reported);
      reported = read;
    };
    for (std::size_t begin = finished, next; begin < end; begin = next) {
      next = memory_end(begin, end);
      sorted_entries all = load(begin, next, {}, name);
      disk->discard(disk->partition(begin), disk->partition(next));  // groups take this space
      tbb::parallel_for(std::size_t{0}, next - begin, [&](std::size_t b) {
        std::vector<std::span<group_entry const>> here;
        all.each_group(b, [&](std::span<group_entry const> group) {
          if (group.size() != 1 || !group[0].has_one_minimizer()) here.push_back(group);
        });
        std::ranges::sort(here, {}, [](std::span<group_entry const> group) { return group[0].first(); });
        std::vector<std::uint64_t> words;
        for (std::size_t k = 0; k < here.size();) {
          std::size_t const region = std::size_t(here[k][0].first() / region_size);
          words.clear();
          for (; k < here.size() && here[k][0].first() / region_size == region; ++k) {
            words.push_back(here[k].size());
            for (group_entry const& entry : here[k]) words.push_back(entry.where);
          }
          groups.append(region, {reinterpret_cast<char const*>(words.data()), words.size() * word_bytes});
        }
      });
      report(texts.size() / 2 / (end - finished) * (next - finished));
    }
    if (end == num_buckets) disk->discard(0, disk->num_partitions());
    groups.flush();
    texts.expect_random_reads(true);
    with_residue([&]<class Residue>(Residue) {
      auto each_matcher = matchers<Residue>();
      std::size_t const max_words = (memory - table_bytes()) / 16;
      std::vector<std::uint64_t> words;
      std::vector<char> block;
      for (std::size_t region = 0; region < num_regions; ++region) {
        for (external::bucket_file::block const& each : groups.blocks(region)) {
          groups.read(each, block);
          std::size_t const before = words.size();
          words.resize(before + block.size() / word_bytes);
          std::memcpy(&words[before], block.data(), block.size());
          if (words.size() >= max_words) match_in_order<Residue>(words, each_matcher);
        }
        groups.discard(region);
        report(texts.size() / 2 + texts.size() / 2 / num_regions * region);
      }
      match_in_order<Residue>(words, each_matcher);
      for (auto& each : each_matcher) each.finish();
    });
    texts.expect_random_reads(false);
    report(texts.size());
  }

  /// Compares the windows of whole groups, each of which is its size and its entries, and removes these words.
  template <class Residue, class Matchers>
  void match_in_order(std::vector<std::uint64_t>& words, Matchers& each_matcher) {
    std::vector<group_begin> groups;
    std::size_t at = 0;
    for (; at < words.size() && words[at] < words.size() - at; at += 1 + std::size_t(words[at]))
      groups.push_back({words[at + 1] >> 24, at});
    tbb::parallel_sort(groups.begin(), groups.end(),
                       [](group_begin const& a, group_begin const& b) { return a.position < b.position; });
    constexpr std::size_t groups_at_once = 1024;
    tbb::parallel_for(std::size_t{0}, (groups.size() + groups_at_once - 1) / groups_at_once, [&](std::size_t part) {
      std::size_t const first = part * groups_at_once, last = std::min(first + groups_at_once, groups.size());
      std::vector<std::uint64_t> positions;
      for (std::size_t k = first; k < last; ++k) {
        std::size_t const word = groups[k].word, count = std::size_t(words[word]);
        for (std::size_t i = 0; i < std::min<std::size_t>(count, 64); ++i) positions.push_back(words[word + 1 + i] >> 24);
      }
      texts.prefetch(positions, options.min_length);
      auto& match = each_matcher.local();
      std::vector<group_entry> group;
      for (std::size_t k = first; k < last; ++k) {
        std::size_t const word = groups[k].word;
        group.resize(std::size_t(words[word]));
        for (std::size_t i = 0; i < group.size(); ++i) group[i].where = words[word + 1 + i];
        match(group);
      }
    });
    words.erase(words.begin(), words.begin() + std::ptrdiff_t(at));
    if (!bits->is_full()) return;
    for (auto& each : each_matcher) each.finish();
    bits->apply();
  }

  static constexpr std::size_t word_bytes = sizeof(std::uint64_t);

  /// A group of entries with the same hash.
  struct group_begin {
    std::uint64_t position = 0;  // the position of its first window
    std::size_t word = 0;        // where it is
  };

  text input;
  duplicate_options options;
  std::size_t memory;
  std::optional<text> other;
  joined_texts texts;
  std::string folder;  // the folder of temporary files; empty: none
  pooled_arena arena;
  std::optional<stored_bits> bits;
  duplicate_options reported;                // options by which marks become ranges
  std::optional<detail::unit_finder> units;  // for other units than strings
  std::size_t finished = 0;
  std::vector<std::uint64_t> sizes;            // sizes of buckets, in entries; empty: not counted yet
  std::vector<std::vector<group_entry>> kept;  // all entries, of parts of the text; empty if they take too much memory
  std::size_t kept_bytes = 0;
  std::optional<entry_file> disk;  // entries of buckets [finished, stored_end)
  std::size_t stored_end = 0;
  finder_plan outlook;
};

copy_finder::copy_finder(text const& input, duplicate_options const& options, std::size_t memory, text const* other,
                         std::string const& folder) {
  detail::check(input, options);
  if (other != nullptr && input.residue_bytes != other->residue_bytes)
    throw usage_error(
        fmt::format("conflicting residues: duplicates: of {} and of {} bytes", input.residue_bytes, other->residue_bytes));
  if (options.unit == copied_unit::words && other == nullptr)
    throw usage_error("no other text: duplicates: n-grams of words are those of another text");
  std::uint64_t const all = input.size() + (other ? other->size() : 0);
  if (all >= group_entry::max_positions)
    throw usage_error(fmt::format("too large: duplicates: {} residues, but positions have 40 bits", all));
  duplicate_options used = options;
  if (other != nullptr) used.scope = copy_scope::anywhere;
  state_ = std::make_unique<state>(input, used, memory, other, folder);
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

std::span<std::uint64_t const> copy_finder::marks() {
  state_->arena.execute([&] { state_->bits->apply(); });
  return state_->bits->words();
}

void copy_finder::resume(std::size_t finished, std::span<std::uint64_t const> marks) {
  if (finished > num_buckets || marks.size() != state_->bits->words().size())
    throw usage_error("invalid progress: duplicates: it is of another text");
  state_->bits->assign(marks);
  state_->finished = finished;
}

std::uint64_t copy_finder::report(std::function<void(duplicate_range const&)> const& on_range) const {
  return report(0, state_->input.records(), on_range);
}

std::uint64_t copy_finder::report(std::size_t first_record, std::size_t last_record,
                                  std::function<void(duplicate_range const&)> const& on_range) const {
  return detail::report_ranges(state_->bits->words(), state_->input, state_->reported, first_record, last_record, on_range);
}

repeated_strings copy_finder::repeated_units() const {
  return state_->units ? state_->units->repeated() : repeated_strings{};
}

std::uint64_t copy_finder::short_records() const noexcept {
  return state_->units ? state_->units->short_records() : 0;
}

copy_finder::plan copy_finder::make_plan(text const& input, std::uint64_t min_length, std::size_t memory, text const* other) {
  return divide_memory(input, other, min_length, memory).expected;
}

}  // namespace ordo::inline v0::suffix
