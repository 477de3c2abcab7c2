#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "distributed/first_look.hpp"
#include "distributed/parts.hpp"

namespace ordo::inline v0::detail {

template <class K>
struct write_bucket_begin {
  code_at<K> code;  // codes of keys in the order of their digits
  std::size_t n;
  unsigned shift;
  K digits;  // a power of two
  std::uint64_t* begins;
  ORDO_FN void operator()(std::size_t digit) const {
    std::size_t low = 0, high = n;
    while (low != high) {
      std::size_t const middle = low + (high - low) / 2;
      if (std::size_t(K(code(middle) >> shift) & K(digits - 1)) < digit)
        low = middle + 1;
      else
        high = middle;
    }
    begins[digit] = low;
  }
};

template <class K>
struct difference_from {
  code_at<K> code;
  K reference;
  ORDO_FN std::uint64_t operator()(std::size_t i) const { return code(i) ^ reference; }
};
/// Marks the buckets in which two adjacent codes differ. A mark stands for one bucket, or for several adjacent ones.
template <class K>
struct mark_if_different {
  code_at<K> code;
  unsigned shift, bits_per_mark;
  K digits;  // a power of two
  ORDO_FN std::uint64_t operator()(std::size_t i) const {
    K const a = code(i), b = code(i + 1);
    auto const digit = unsigned(K(a >> shift) & K(digits - 1));
    return a != b && digit == unsigned(K(b >> shift) & K(digits - 1)) ? std::uint64_t{1} << (digit >> bits_per_mark) : 0;
  }
};

template <class K>
struct write_equal_key {
  K key;
  K* to;
  ORDO_FN void operator()(std::size_t i) const { to[i] = key; }
};

/// A distributed sort that divides before it sorts, on one member. Each share is distributed into buckets by one digit of the
/// codes. A bucket on the border between two outputs is sorted, to find the exact split. Then buckets cross, one in each round,
/// and a member sorts those that have arrived while the others are on their way. Nothing is merged. (Partition first, exchange
/// and sort: as in sample sort on distributed memory, Blelloch et al., SPAA 1991; here by digits.)
///
/// A bucket of equal keys is not sorted. Its splits follow from its lengths, and only its values cross: who receives them
/// writes the keys.
template <Backend B, class K>
class divided_sort {
 public:
  /// @param samples  see first_look
  divided_sort(communicator& members, machine& on, B& backend, sort_task const& task, share_lengths const& lengths,
               std::span<code_sample<K> const> samples)
      : members_(members),
        on_(on),
        backend_(backend),
        task_(task),
        lengths_(lengths),
        samples_(samples),
        p_(members.size()),
        n_(task.keys_in_given),
        less_{codes_for<K>(task), bit_mask<K>(clipped<K>(task.bits))} {}

  /// Returns how many buckets fill a message of each member.
  static std::uint64_t buckets_for(communicator const& members, share_lengths const& lengths) {
    return lengths.out_ends.back() * sizeof(K) / members.size() / members.long_message();
  }

  /// Sorts, and returns true. Returns false, on every member, if it is faster to sort the shares first: many items are in the
  /// buckets on borders. Nothing has been written then.
  bool operator()() {
    if (!choose_digit()) return false;
    divide();
    find_equal_buckets();
    if (items_on_borders() > total() / 3) return false;  // the samples have not seen keys that are rare
    find_cuts();
    exchange_and_sort();
    return true;
  }

 private:
  using digit_begins = std::vector<std::uint64_t>;  // where each bucket of a member begins, and where the last ends
  /// A bucket on a border between outputs, and where it begins among all such buckets of each member.
  struct border {
    std::size_t digit;
    std::vector<std::uint64_t> begins;
  };

  [[nodiscard]] std::uint64_t total() const { return lengths_.out_ends.back(); }
  /// Returns true if there are no values, and no -0 and 0, which are equal and differ.
  [[nodiscard]] bool keys_alone() const { return task_.value_bytes == 0 && !task_.equal_zeros; }
  /// Returns true if several buckets may cross as one, for each copy takes the host's time. The same on all members.
  [[nodiscard]] bool several_may_cross() const { return members_.moves_device_memory() && keys_alone(); }
  [[nodiscard]] std::size_t to_digit(K code) const { return std::size_t(K(code >> shift_) & K(digits_ - 1)); }

  bool choose_digit() {
    // A message carries what one member has of a bucket. With more than 64 buckets, their sorts and the division took longer on
    // two GPUs, but borders need them where members are many; and small buckets on borders pay where several cross as one.
    unsigned const wanted = several_may_cross() ? 8u : std::clamp(unsigned(std::bit_width(4 * p_ - 1)), 6u, 8u);
    unsigned const bits = std::min(wanted, unsigned(std::bit_width(buckets_for(members_, lengths_))) - 1);
    digits_ = std::size_t{1} << bits;

    K different = 0;
    for (code_sample<K> const& x : samples_) different |= K(x.code ^ samples_[0].code);
    // The sample may have a prefix in common that some key does not have.
    if ((different & code_at<K>::top) == 0) {
      difference_from<K> const difference{less_.code_in(task_.keys_in), samples_[0].code};
      std::uint64_t const own = n_ == 0 ? 0 : backend_.reduce(n_, difference, std::uint64_t{0}, bitwise_or{});
      for (std::uint64_t const x : members_.all_gather(own)) different |= K(x);
    }
    auto const width = unsigned(std::bit_width(different));
    shift_ = width > bits ? width - bits : 0;

    std::vector<double> weights(digits_);
    std::vector<K> first(digits_);
    std::vector<bool> seems_equal(digits_, true);
    for (code_sample<K> const& x : samples_) {
      std::size_t const digit = to_digit(x.code);
      if (weights[digit] == 0) first[digit] = x.code;
      if (first[digit] != x.code) seems_equal[digit] = false;
      weights[digit] += x.weight;
    }
    double on_borders = 0, before = 0, equal = 0;
    std::size_t target = 0;
    for (std::size_t digit = 0; digit < digits_; ++digit) {
      double const end = before + weights[digit];
      bool is_on_border = false;
      for (; target + 1 < p_ && double(lengths_.out_ends[target]) < end; ++target)
        is_on_border |= double(lengths_.out_ends[target]) > before;
      if (seems_equal[digit])
        equal += weights[digit];
      else if (is_on_border)
        on_borders += weights[digit];
      before = end;
    }
    looks_for_equal_ = equal >= double(total()) / 8;  // else reading the keys once more costs more than it saves
    return on_borders <= double(total()) / 4;
  }

  /// Orders the share by the digit, and tells all members where the buckets begin.
  void divide() {
    keys_ = backend_.template buffer<K>(n_);
    values_ = backend_.template buffer<char>(n_ * task_.value_bytes);
    auto const begins = backend_.template buffer<std::uint64_t>(digits_ + 1);
    if (!divide_in_any_order(begins.data())) {
      sort_task by_digit = task_;
      by_digit.bits = {shift_, unsigned(shift_ + std::bit_width(digits_) - 1)};
      by_digit.keys = keys_.data();
      by_digit.values = values_.data();
      by_digit.n = n_;
      by_digit.values_given = by_digit.values_in_given = task_.value_bytes == 0 ? 0 : n_;
      on_.run(by_digit);
      backend_.each(digits_ + 1, write_bucket_begin<K>{less_.code_in(keys_.data()), n_, shift_, K(digits_), begins.data()});
    }
    digit_begins own(digits_ + 1), all(p_ * own.size());
    backend_.download(std::span<std::uint64_t const>(begins.span()), std::span(own));
    members_.all_gather(std::as_bytes(std::span(own)), std::as_writable_bytes(std::span(all)));
    for (std::size_t m = 0; m < p_; ++m)
      begins_.emplace_back(all.begin() + std::ptrdiff_t(m * own.size()), all.begin() + std::ptrdiff_t((m + 1) * own.size()));
    begins_of_all_.assign(digits_ + 1, 0);
    for (digit_begins const& own : begins_)
      for (std::size_t digit = 0; digit <= digits_; ++digit) begins_of_all_[digit] += own[digit];
  }

  /// Divides the share faster than a stable sort does, if the machine can, and equal codes are equal keys.
  bool divide_in_any_order(std::uint64_t* begins) {
    std::span const from(static_cast<K const*>(task_.keys_in), n_);
    key_code<K> const code = less_.code.code;
    if constexpr (requires { backend_.divide_keys(from, keys_.data(), code, shift_, unsigned(digits_), begins); }) {
      bool const all_bits_count = less_.mask == K(~K{0}) && K(task_.max_magnitude) >= K(~code_at<K>::top);
      if (!keys_alone() || !all_bits_count) return false;
      backend_.divide_keys(from, keys_.data(), code, shift_, unsigned(digits_), begins);
      return true;
    }
    return false;
  }

  /// Finds the buckets in which all keys of all members are equal.
  void find_equal_buckets() {
    is_equal_.assign(digits_, false);
    if (!looks_for_equal_) return;
    auto const bits = unsigned(std::bit_width(digits_ - 1));
    unsigned const bits_per_mark = bits > 6 ? bits - 6 : 0;
    mark_if_different<K> const mark{less_.code_in(keys_.data()), shift_, bits_per_mark, K(digits_)};
    std::vector<std::uint64_t> own(digits_ + 1), all(p_ * own.size());
    if (n_ != 0) own[digits_] = backend_.reduce(n_ - 1, mark, std::uint64_t{0}, bitwise_or{});
    digit_begins const& begins = begins_[members_.rank()];
    std::vector<std::uint64_t> positions;  // the first of each bucket, or for an empty one any
    for (std::size_t digit = 0; digit < digits_ && n_ != 0; ++digit)
      positions.push_back(std::min<std::uint64_t>(begins[digit], n_ - 1));
    std::vector<K> first(positions.size());
    share_fetcher<B, K>{backend_, keys_.span()}(positions, std::span(first));
    std::copy(first.begin(), first.end(), own.begin());
    members_.all_gather(std::as_bytes(std::span(own)), std::as_writable_bytes(std::span(all)));
    equal_keys_.resize(digits_);
    for (std::size_t digit = 0; digit < digits_; ++digit) {
      bool is_equal = true, is_empty = true;
      for (std::size_t m = 0; m < p_; ++m) {
        if (begins_[m][digit] == begins_[m][digit + 1]) continue;
        K const key = K(all[m * own.size() + digit]);
        if (is_empty) equal_keys_[digit] = key;
        is_empty = false;
        is_equal &= (all[m * own.size() + digits_] >> (digit >> bits_per_mark) & 1) == 0 &&
                    less_.encode(key) == less_.encode(equal_keys_[digit]);
      }
      is_equal_[digit] = is_equal;
    }
  }

  /// Returns the number of items in buckets that must be sorted to be divided.
  [[nodiscard]] std::uint64_t items_on_borders() const {
    std::uint64_t items = 0;
    std::size_t last = digits_;
    for (std::size_t q = 0; q + 1 < p_; ++q) {
      std::size_t const digit = bucket_at(lengths_.out_ends[q]);
      if (digit == last || !must_be_sorted(digit, lengths_.out_ends[q])) continue;
      items += size_of_all(digit);
      last = digit;
    }
    return items;
  }

  /// Finds the position of the end of each output in each share.
  void find_cuts() {
    cuts_.assign((p_ + 1) * p_, 0);
    for (std::size_t m = 0; m < p_; ++m) cuts_[p_ * p_ + m] = lengths_.in[m];
    // The buckets on borders, one after the other, are searched for all cuts at once: a search takes a few rounds, which cost
    // more time than their work.
    std::vector<border> borders;
    std::vector<std::uint64_t> lengths(p_), targets;
    std::vector<std::size_t> border_by_target, outputs;  // one per target
    std::uint64_t before = 0;                            // items of all members in the borders before the last one
    for (std::size_t q = 1; q < p_; ++q) {
      std::uint64_t const target = lengths_.out_ends[q - 1];
      std::size_t const digit = bucket_at(target);
      if (!must_be_sorted(digit, target)) {  // equal keys are split by their position
        std::uint64_t rest = target - begins_of_all_[digit];
        for (std::size_t m = 0; m < p_; ++m) {
          std::uint64_t const part = std::min(rest, begins_[m][digit + 1] - begins_[m][digit]);
          cuts_[q * p_ + m] = begins_[m][digit] + part;
          rest -= part;
        }
        continue;
      }
      if (borders.empty() || borders.back().digit != digit) {
        if (!borders.empty()) before += size_of_all(borders.back().digit);
        borders.push_back({digit, lengths});
        for (std::size_t m = 0; m < p_; ++m) lengths[m] += begins_[m][digit + 1] - begins_[m][digit];
        sort_bucket(digit);
      }
      targets.push_back(before + target - begins_of_all_[digit]);
      border_by_target.push_back(borders.size() - 1);
      outputs.push_back(q);
    }
    wait_for(backend_, keys_.span());
    std::size_t const rank = members_.rank();
    auto const fetch = [&](std::span<std::uint64_t const> positions, std::span<K> items) {
      std::vector<std::uint64_t> in_share;
      for (std::uint64_t const at : positions) {
        auto const next_border =
            std::find_if(borders.begin(), borders.end(), [&](border const& b) { return b.begins[rank] > at; });
        // The last border that begins at or before `at`, which is not empty.
        border const& b = *(next_border - 1);
        in_share.push_back(begins_[rank][b.digit] + at - b.begins[rank]);
      }
      share_fetcher<B, K>{backend_, keys_.span()}(in_share, items);
    };
    auto const within = share_splitter<K, code_less<K>>(members_, lengths, targets, less_).cuts(fetch);
    for (std::size_t s = 0; s < targets.size(); ++s)
      for (std::size_t m = 0; m < p_; ++m) {
        border const& b = borders[border_by_target[s]];
        cuts_[outputs[s] * p_ + m] = begins_[m][b.digit] + within[s * p_ + m] - b.begins[m];
      }
  }
  /// Returns the bucket that holds item `position` of all, or the last one for their number.
  [[nodiscard]] std::size_t bucket_at(std::uint64_t position) const {
    auto const after = std::upper_bound(begins_of_all_.begin() + 1, begins_of_all_.end() - 1, position);
    return std::size_t(after - begins_of_all_.begin()) - 1;
  }
  /// Returns true if the bucket must be sorted to find its first items, up to item `end` of all.
  [[nodiscard]] bool must_be_sorted(std::size_t digit, std::uint64_t end) const {
    return end != begins_of_all_[digit] && end != begins_of_all_[digit + 1] && !is_equal_[digit];
  }
  [[nodiscard]] std::uint64_t size_of_all(std::size_t digit) const { return begins_of_all_[digit + 1] - begins_of_all_[digit]; }
  void sort_bucket(std::size_t digit) {
    std::uint64_t const first = begins_[members_.rank()][digit], end = begins_[members_.rank()][digit + 1];
    run_in_place({reinterpret_cast<char*>(keys_.data() + first), values_.data() + first * task_.value_bytes},
                 std::size_t(end - first), [](sort_task&) {});
  }

  struct arrays {
    char *keys, *values;
  };
  /// Sorts n items in place as the task does, after change(task).
  template <class Change>
  void run_in_place(arrays items, std::size_t n, Change change) {
    sort_task sort = task_;
    sort.out_of_place = false;
    sort.keys = items.keys;
    sort.values = items.values;
    sort.n = n;
    sort.values_given = task_.value_bytes == 0 ? 0 : n;
    // The width of values divides what has been added to their address.
    std::size_t const divides = task_.value_bytes & (~task_.value_bytes + 1);
    if (divides != 0) sort.value_alignment = std::min(sort.value_alignment, divides);
    change(sort);
    if (n != 0) on_.run(sort);
  }

  /// The buckets of member q's output: `count` from `first` on.
  struct bucket_range {
    std::size_t first = 0, count = 0;
  };
  [[nodiscard]] bucket_range find_buckets(std::size_t q) const {
    std::uint64_t const begin = q == 0 ? 0 : lengths_.out_ends[q - 1], end = lengths_.out_ends[q];
    if (begin == end) return {};
    std::size_t const first = bucket_at(begin);
    return {first, bucket_at(end - 1) - first + 1};
  }
  /// Returns true if the keys of a bucket do not cross, because one key stands for all. Equal codes are equal keys then.
  [[nodiscard]] bool is_written_by_receiver(std::size_t digit) const {
    return is_equal_[digit] && !task_.equal_zeros && K(task_.max_magnitude) >= K(~code_at<K>::top);
  }
  /// The items of member m that are in some buckets and in the output of member q.
  struct part {
    std::uint64_t begin, size;
  };
  [[nodiscard]] part part_at(std::size_t m, std::size_t q, bucket_range const& buckets) const {
    std::uint64_t const begin = std::max(begins_[m][buckets.first], cuts_[q * p_ + m]);
    std::uint64_t const end = std::min(begins_[m][buckets.first + buckets.count], cuts_[(q + 1) * p_ + m]);
    return {begin, end > begin ? end - begin : 0};
  }

  void exchange_and_sort() {
    std::size_t const rank = members_.rank(), n_out = task_.n;
    std::vector<bucket_range> buckets;
    std::size_t rounds = 0;
    for (std::size_t q = 0; q < p_; ++q) rounds = std::max(rounds, buckets.emplace_back(find_buckets(q)).count);
    // A GPU sorts many keys alone faster as one array than bucket by bucket.
    bool const sorts_whole = on_.kind() == device::gpu && keys_alone();
    std::size_t const at_once = several_may_cross() && !looks_for_equal_ ? std::max<std::size_t>(1, rounds / 16) : 1;
    rounds = (rounds + at_once - 1) / at_once;
    auto const buckets_at = [&](std::size_t q, std::size_t round) -> bucket_range {
      std::size_t const before = std::min(round * at_once, buckets[q].count);
      return {buckets[q].first + before, std::min(at_once, buckets[q].count - before)};
    };

    // A part of the output that is sorted at once, with a segment for each bucket that needs a sort: a sixteenth, and then as
    // much as there was before, up to a third. Large parts are sorted faster, but the first should arrive soon.
    struct batch {
      std::size_t end_round, first_segment, segments;
      std::uint64_t begin, size, longest, in_segments;
    };
    std::vector<batch> batches;
    auto const is_full = [&](batch const& b) {
      // A round may fall short of its share of the output by a little.
      return b.size + b.size / 64 > std::clamp<std::uint64_t>(b.begin, n_out / 16, n_out / 3);
    };
    std::vector<std::uint64_t> begins, ends;  // a batch's segments, from the begin of the batch on
    std::vector<std::uint64_t> round_begins{0};
    rounds_of_moves moves, key_moves;
    for (std::size_t round = 0; round < rounds; ++round) {
      for (std::size_t q = 0; q < p_; ++q) {
        bucket_range const some = buckets_at(q, round);
        part const sent = part_at(rank, q, some);
        moves.sends.push_back({sent.begin, sent.size});
        bool const crosses = sent.size != 0 && !is_written_by_receiver(some.first);
        key_moves.sends.push_back({sent.begin, crosses ? sent.size : 0});
      }
      std::uint64_t const begin = round_begins.back();
      bucket_range const own = buckets_at(rank, round);
      std::uint64_t at = begin;
      for (std::size_t m = 0; m < p_; ++m) {
        std::uint64_t const size = part_at(m, rank, own).size;
        moves.receives.push_back({at, size});
        key_moves.receives.push_back({at, size != 0 && !is_written_by_receiver(own.first) ? size : 0});
        at += size;
      }
      round_begins.push_back(at);
      if (batches.empty() || is_full(batches.back())) batches.push_back({round, begins.size(), 0, begin, 0, 0, 0});
      batch& last = batches.back();
      last.end_round = round + 1;
      last.size += at - begin;
      if (at == begin || is_equal_[own.first]) continue;
      ++last.segments;
      last.longest = std::max(last.longest, at - begin);
      last.in_segments += at - begin;
      begins.push_back(begin - last.begin);
      ends.push_back(at - last.begin);
    }
    auto const device_begins = backend_.upload(std::span<std::uint64_t const>(begins));
    auto const device_ends = backend_.upload(std::span<std::uint64_t const>(ends));
    std::size_t next = 0;
    auto const finish = [&](std::size_t round) {
      K* const keys = static_cast<K*>(task_.keys) + round_begins[round];
      std::uint64_t const size = round_begins[round + 1] - round_begins[round];
      std::size_t const bucket = buckets_at(rank, round).first;
      if (size != 0 && is_written_by_receiver(bucket)) backend_.each(size, write_equal_key<K>{equal_keys_[bucket], keys});
      batch const& arrived = batches[next];
      if (round + 1 != arrived.end_round) return;
      ++next;
      if (arrived.segments == 0) return;
      K* const sorted = static_cast<K*>(task_.keys) + arrived.begin;
      if (sorts_whole && arrived.in_segments == arrived.size) {
        // Keys at multiples of 16 bytes are sorted faster. Those in front of these are sorted, and smaller.
        auto const in_front =
            std::size_t(std::min<std::uint64_t>(arrived.begin, reinterpret_cast<std::uintptr_t>(sorted) % 16 / sizeof(K)));
        char* const aligned = reinterpret_cast<char*>(sorted - in_front);
        return run_in_place({aligned, nullptr}, arrived.size + in_front, [](sort_task&) {});
      }
      char* const to_values = static_cast<char*>(task_.values) + arrived.begin * task_.value_bytes;
      run_in_place({reinterpret_cast<char*>(sorted), to_values}, arrived.size, [&](sort_task& sort) {
        sort.kind = sort_task::operation::segments;
        sort.begins = device_begins.data() + arrived.first_segment;
        sort.ends = device_ends.data() + arrived.first_segment;
        sort.offset_bytes = sizeof(std::uint64_t);
        sort.segments = sort.ends_given = arrived.segments;
        sort.max_length = arrived.longest;
      });
    };
    std::vector<moved_array> moved;
    std::span<char const> const key_bytes(reinterpret_cast<char const*>(keys_.data()), n_ * sizeof(K));
    moved.push_back({key_bytes, {static_cast<char*>(task_.keys), n_out * sizeof(K)}, sizeof(K), key_moves});
    std::span<char> const values(static_cast<char*>(task_.values), n_out * task_.value_bytes);
    if (task_.value_bytes != 0) moved.push_back({values_.span(), values, task_.value_bytes, moves});
    exchange_rounds<B>(members_, backend_, on_.kind() == device::gpu, moved, finish);
    wait_for(backend_, std::span(static_cast<K*>(task_.keys), n_out));
    wait_for(backend_, std::span(static_cast<char*>(task_.values), task_.value_bytes * n_out));
  }

  communicator& members_;
  machine& on_;
  B& backend_;
  sort_task const& task_;
  share_lengths const& lengths_;
  std::span<code_sample<K> const> samples_;
  std::size_t p_, n_;  // members, and items of this one
  code_less<K> less_;
  std::size_t digits_ = 0;
  unsigned shift_ = 0;
  bool looks_for_equal_ = false;
  buffer<K> keys_;  // the share by digits
  buffer<char> values_;
  std::vector<digit_begins> begins_;  // one per member
  digit_begins begins_of_all_;
  std::vector<bool> is_equal_;       // a bucket's keys have one code, on all members
  std::vector<K> equal_keys_;        // one of them
  std::vector<std::uint64_t> cuts_;  // cuts_[q * p_ + m]: the items of member m before the output of member q
};

}  // namespace ordo::inline v0::detail
