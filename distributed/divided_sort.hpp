#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

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
  K one;
  ORDO_FN std::uint64_t operator()(std::size_t i) const { return code(i) ^ one; }
};
struct bitwise_or {
  ORDO_FN std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return a | b; }
};

/// A distributed sort that divides before it sorts, on one member. Each share is distributed into buckets by one digit of the
/// codes. A bucket on the border between two outputs is sorted, to find the exact split. Then buckets cross, one in each round,
/// and a member sorts those that have arrived while the others are on their way. Nothing is merged. (Partition first, exchange
/// and sort: as in sample sort on distributed memory, Blelloch et al., SPAA 1991; here by digits.)
template <Backend B, class K>
class divided_sort {
 public:
  divided_sort(communicator& members, machine& on, B& backend, sort_task const& task, share_lengths const& lengths)
      : members_(members),
        on_(on),
        backend_(backend),
        task_(task),
        lengths_(lengths),
        p_(members.size()),
        n_(task.keys_in_given),
        less_{codes_for<K>(task), bit_mask<K>(clipped<K>(task.bits))} {}

  /// Sorts, and returns true. Returns false, on every member, if it is faster to sort the shares first: there are few keys, or
  /// they have many of their items in the buckets on borders. Nothing has been written then.
  bool operator()() {
    if (!choose_digit()) return false;
    divide();
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
  [[nodiscard]] std::size_t to_digit(K code) const { return std::size_t(K(code >> shift_) & K(digits_ - 1)); }

  bool choose_digit() {
    // A message carries what one member has of a bucket. With more than 64 buckets, their sorts and the division took longer on
    // two GPUs, but borders need them where members are many.
    std::uint64_t const buckets = total() * sizeof(K) / p_ / members_.long_message();
    if (buckets < 2 * p_) return false;
    unsigned const wanted = std::clamp(unsigned(std::bit_width(4 * p_ - 1)), 6u, 8u);
    unsigned const bits = std::min(wanted, unsigned(std::bit_width(buckets)) - 1);
    digits_ = std::size_t{1} << bits;

    auto const samples = sample_codes();
    K different = 0;
    for (auto const& [code, weight] : samples) different |= K(code ^ samples[0].first);
    // The sample may have a prefix in common that some key does not have.
    if ((different & code_at<K>::top) == 0) {
      difference_from<K> const difference{less_.code_in(task_.keys_in), samples[0].first};
      std::uint64_t const own = n_ == 0 ? 0 : backend_.reduce(n_, difference, std::uint64_t{0}, bitwise_or{});
      for (std::uint64_t const x : members_.all_gather(own)) different |= K(x);
    }
    auto const width = unsigned(std::bit_width(different));
    shift_ = width > bits ? width - bits : 0;

    std::vector<double> weights(digits_);
    for (auto const& [code, weight] : samples) weights[to_digit(code)] += weight;
    double on_borders = 0, before = 0;
    std::size_t target = 0;
    for (std::size_t digit = 0; digit < digits_; ++digit) {
      double const end = before + weights[digit];
      bool is_on_border = false;
      for (; target + 1 < p_ && double(lengths_.out_ends[target]) < end; ++target)
        is_on_border |= double(lengths_.out_ends[target]) > before;
      if (is_on_border) on_borders += weights[digit];
      before = end;
    }
    return on_borders <= double(total()) / 4;
  }

  /// Returns the codes of evenly spaced keys of all members, each with the number of keys for which it stands.
  std::vector<std::pair<K, double>> sample_codes() {
    struct sample {
      std::uint64_t size;
      std::array<K, 1024> codes;
    };
    sample own{};
    own.size = std::min<std::uint64_t>(n_, own.codes.size());
    std::vector<std::uint64_t> positions;
    for (std::uint64_t i = 0; i < own.size; ++i) positions.push_back(n_ / own.size * i + n_ % own.size * i / own.size);
    std::span const codes(own.codes.data(), own.size);
    share_fetcher<B, K>{backend_, {static_cast<K const*>(task_.keys_in), n_}}(positions, codes);
    for (K& code : codes) code = less_.encode(code);
    std::vector<std::pair<K, double>> all;
    auto const samples = members_.all_gather(own);
    for (std::size_t m = 0; m < p_; ++m)
      for (std::uint64_t i = 0; i < samples[m].size; ++i)
        all.emplace_back(samples[m].codes[i], double(lengths_.in[m]) / double(samples[m].size));
    return all;
  }

  /// Orders the share by the digit, and tells all members where the buckets begin.
  void divide() {
    keys_ = backend_.template buffer<K>(n_);
    values_ = backend_.template buffer<char>(n_ * task_.value_bytes);
    sort_task by_digit = task_;
    by_digit.bits = {shift_, unsigned(shift_ + std::bit_width(digits_) - 1)};
    by_digit.keys = keys_.data();
    by_digit.values = values_.data();
    by_digit.n = n_;
    by_digit.values_given = by_digit.values_in_given = task_.value_bytes == 0 ? 0 : n_;
    on_.run(by_digit);
    auto const begins = backend_.template buffer<std::uint64_t>(digits_ + 1);
    backend_.each(digits_ + 1, write_bucket_begin<K>{less_.code_in(keys_.data()), n_, shift_, K(digits_), begins.data()});
    digit_begins own(digits_ + 1), all(p_ * own.size());
    backend_.download(std::span<std::uint64_t const>(begins.span()), std::span(own));
    members_.all_gather(std::as_bytes(std::span(own)), std::as_writable_bytes(std::span(all)));
    for (std::size_t m = 0; m < p_; ++m)
      begins_.emplace_back(all.begin() + std::ptrdiff_t(m * own.size()), all.begin() + std::ptrdiff_t((m + 1) * own.size()));
    begins_of_all_.assign(digits_ + 1, 0);
    for (digit_begins const& own : begins_)
      for (std::size_t digit = 0; digit <= digits_; ++digit) begins_of_all_[digit] += own[digit];
  }

  /// Finds the position of the end of each output in each share.
  void find_cuts() {
    cuts_.assign((p_ + 1) * p_, 0);
    for (std::size_t m = 0; m < p_; ++m) cuts_[p_ * p_ + m] = lengths_.in[m];
    // The buckets on borders, one after the other, are searched for all cuts at once: a search takes a few rounds, which cost
    // more time than their work.
    std::vector<border> borders;
    std::vector<std::uint64_t> lengths(p_), targets;
    std::vector<std::size_t> border_by_target, outputs;  // by target
    std::uint64_t before = 0;                     // items of all members in the borders before the last one
    for (std::size_t q = 1; q < p_; ++q) {
      std::uint64_t const target = lengths_.out_ends[q - 1];
      std::size_t const digit = bucket_at(target);
      if (target == begins_of_all_[digit]) {
        for (std::size_t m = 0; m < p_; ++m) cuts_[q * p_ + m] = begins_[m][digit];
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
  [[nodiscard]] bucket_range buckets_for(std::size_t q) const {
    std::uint64_t const begin = q == 0 ? 0 : lengths_.out_ends[q - 1], end = lengths_.out_ends[q];
    if (begin == end) return {};
    std::size_t const first = bucket_at(begin);
    return {first, bucket_at(end - 1) - first + 1};
  }
  /// The items of member m that are in a bucket and in the output of member q.
  struct part {
    std::uint64_t begin, size;
  };
  [[nodiscard]] part part_at(std::size_t m, std::size_t q, std::size_t digit) const {
    std::uint64_t const begin = std::max(begins_[m][digit], cuts_[q * p_ + m]);
    std::uint64_t const end = std::min(begins_[m][digit + 1], cuts_[(q + 1) * p_ + m]);
    return {begin, end > begin ? end - begin : 0};
  }

  void exchange_and_sort() {
    std::size_t const rank = members_.rank(), n_out = task_.n;
    std::vector<bucket_range> buckets;
    std::size_t rounds = 0;
    for (std::size_t q = 0; q < p_; ++q) rounds = std::max(rounds, buckets.emplace_back(buckets_for(q)).count);
    bucket_range const own = buckets[rank];

    // What is sorted at a time: some eighth of the output, in segments, one for each bucket.
    struct batch {
      std::size_t first_bucket, buckets;
      std::uint64_t begin, size, longest;
    };
    std::vector<batch> batches;
    std::vector<std::uint64_t> offsets;  // offsets of each batch, from its begin on
    std::uint64_t at = 0;
    rounds_of_moves moves;
    for (std::size_t round = 0; round < rounds; ++round) {
      for (std::size_t q = 0; q < p_; ++q) {
        part const sent = round < buckets[q].count ? part_at(rank, q, buckets[q].first + round) : part{0, 0};
        moves.sends.push_back({sent.begin, sent.size});
      }
      std::uint64_t const begin = at;
      for (std::size_t m = 0; m < p_; ++m) {
        std::uint64_t const size = round < own.count ? part_at(m, rank, own.first + round).size : 0;
        moves.receives.push_back({at, size});
        at += size;
      }
      if (batches.empty() || batches.back().size >= n_out / 8 + 1) {
        batches.push_back({round, 0, begin, 0, 0});
        offsets.push_back(0);
      }
      batch& last = batches.back();
      ++last.buckets;
      last.size += at - begin;
      last.longest = std::max(last.longest, at - begin);
      offsets.push_back(last.size);
    }
    auto const device_offsets = backend_.upload(std::span<std::uint64_t const>(offsets));
    std::size_t next = 0;
    auto const sort_batch = [&](std::size_t round) {
      batch const& arrived = batches[next];
      if (round + 1 != arrived.first_bucket + arrived.buckets) return;
      std::uint64_t const* const begins = device_offsets.data() + arrived.first_bucket + next;
      ++next;
      char* const to_values = static_cast<char*>(task_.values) + arrived.begin * task_.value_bytes;
      run_in_place({static_cast<char*>(task_.keys) + arrived.begin * sizeof(K), to_values}, arrived.size, [&](sort_task& sort) {
        sort.what = sort_task::operation::segments;
        sort.begins = begins;
        sort.ends = begins + 1;
        sort.offset_bytes = sizeof(std::uint64_t);
        sort.segments = sort.ends_given = arrived.buckets;
        sort.max_length = arrived.longest;
      });
    };
    std::vector<moved_array> moved;
    std::span<char const> const key_bytes(reinterpret_cast<char const*>(keys_.data()), n_ * sizeof(K));
    moved.push_back({key_bytes, {static_cast<char*>(task_.keys), n_out * sizeof(K)}, sizeof(K)});
    if (task_.value_bytes != 0)
      moved.push_back({values_.span(), {static_cast<char*>(task_.values), n_out * task_.value_bytes}, task_.value_bytes});
    exchange_rounds<B>(members_, backend_, on_.kind() == device::gpu, moves, moved, sort_batch);
    wait_for(backend_, std::span(static_cast<K*>(task_.keys), n_out));
    wait_for(backend_, std::span(static_cast<char*>(task_.values), task_.value_bytes * n_out));
  }

  communicator& members_;
  machine& on_;
  B& backend_;
  sort_task const& task_;
  share_lengths const& lengths_;
  std::size_t p_, n_;  // members, and items of this one
  code_less<K> less_;
  std::size_t digits_ = 0;
  unsigned shift_ = 0;
  buffer<K> keys_;  // the share by digits
  buffer<char> values_;
  std::vector<digit_begins> begins_;  // by member
  digit_begins begins_of_all_;
  std::vector<std::uint64_t> cuts_;  // cuts_[q * p_ + m]: the items of member m before the output of member q
};

}  // namespace ordo::inline v0::detail
