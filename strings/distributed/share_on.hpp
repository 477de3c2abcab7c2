#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "distributed/owners.hpp"
#include "distributed/splitters.hpp"
#include "strings/distributed/share_task.hpp"
#include "strings/distributed/shares.hpp"
#include "strings/sort/sort_texts.hpp"

// A distributed sort on one member whose backend's memory holds its lines: they never are in the host's memory.
namespace ordo::inline v0::strings::detail {

template <class Offset>
struct start_of_line {
  Offset const* order;
  ORDO_FN Offset operator()(std::size_t k) const { return order[k]; }
};

/// A sample's line, as key_sample, without its bytes: where it begins and its length.
struct found_sample {
  std::uint64_t line, start, length;
};

/// Finds the line at the middle of the i-th of equal numbers of bytes.
template <class Offset>
struct find_sample_line {
  Offset const* starts;
  Offset const* ends;
  std::size_t lines;
  std::uint64_t step;
  found_sample* to;
  ORDO_FN void operator()(std::size_t i) const {
    std::size_t const k = line_ending_behind(ends, lines, std::size_t(i * step + step / 2), 0);
    to[i] = {k, starts[k], std::uint64_t(ends[k]) - (k == 0 ? 0 : ends[k - 1]) - 1};
  }
};

/// Stores where line i ends, if all are in the order of the text.
template <class Offset>
struct end_in_text {
  Offset const* starts;
  std::size_t lines, size;
  Offset* ends;
  ORDO_FN void operator()(std::size_t i) const { ends[i] = i + 1 == lines ? Offset(size) : starts[i + 1]; }
};

template <class Offset>
struct write_number {
  Offset* to;
  ORDO_FN void operator()(std::size_t i) const { to[i] = Offset(i); }
};

/// Returns the bytes of the k-th line in a new order.
template <class Offset>
struct length_of_line {
  Offset const *numbers, *starts, *ends;  // starts, ends: in the order of the text
  ORDO_FN Offset operator()(std::size_t k) const { return ends[numbers[k]] - starts[numbers[k]]; }
};

/// Finds the member that sorts line i: the number of splitters that are not after it.
template <class Offset>
struct find_member {
  line_order lines,
      keys;  // lines and keys of the text; of the splitters, each of which begins at a start and ends with a delimiter
  Offset const* line_starts;
  std::uint64_t const* key_starts;
  std::uint64_t const* equal_before;  // a line equal to a splitter is before it if its number is lower
  std::size_t splitters;
  std::uint32_t* members;

  ORDO_FN void operator()(std::size_t i) const {
    std::size_t low = 0, high = splitters;
    while (low < high) {
      std::size_t const middle = low + (high - low) / 2;
      if (is_before(i, middle))
        high = middle;
      else
        low = middle + 1;
    }
    members[i] = std::uint32_t(low);
  }

 private:
  ORDO_FN bool is_before(std::size_t i, std::size_t splitter) const {
    for (std::size_t p = line_starts[i], q = key_starts[splitter];; p += 8, q += 8) {
      std::uint64_t const a = lines.key(p), b = keys.key(q);
      if (a != b) return a < b;
      if (lines.ended(a)) return i < equal_before[splitter];
    }
  }
};

/// The lines of a member's text, in the memory of a backend, in the order of the members that they go to. Whole lines, each of
/// which is written, are first divided and then sorted by the members that receive them. Otherwise a member sorts its lines
/// first: keys are made only once then, and of lines that are dropped only the first is sent.
template <Backend B, class Offset>
class share_on {
 public:
  /// @param text  ends with a delimiter if it is not empty
  /// @throws offsets_too_narrow
  share_on(B& backend, std::span<unsigned char const> text, sort_options const& options, duplicates equal)
      : backend_(backend),
        text_(text),
        all_(text.data(), text.size(), static_cast<unsigned char>(options.delimiter)),
        options_(options),
        equal_(equal),
        is_sorted_(!options.by.is_plain() || equal != duplicates::keep) {
    if (text.empty()) return;
    delimiters_ = count_delimiters<Offset>(backend, all_);
    std::span<Offset const> const counts = delimiters_.span();
    lines_ = value_at(backend, counts, counts.size() - 1);
    order_ = backend.template buffer<Offset>(lines_);
    if (is_sorted_) {
      sort();
      ends_ = backend.template buffer<Offset>(lines_);
      backend.scan(lines_, written_bytes<Offset>{{all_, counts.data()}, order_.data(), nullptr}, ends_.span(), plus{});
    } else {
      write_starts(backend, all_, counts, order_.span());
      ends_ = backend.template buffer<Offset>(lines_);
      backend.each(lines_, end_in_text<Offset>{order_.data(), lines_, text.size(), ends_.data()});
    }
  }

  /// Returns the number of bytes of the first `lines` lines.
  [[nodiscard]] std::uint64_t bytes_before(std::size_t lines) {
    return lines == 0 ? 0 : value_at(backend_, std::span<Offset const>(ends_.span()), lines - 1);
  }

  /// Draws samples that stand for equal numbers of bytes.
  std::vector<ordo::detail::key_sample> draw(std::size_t members) {
    std::uint64_t const bytes = bytes_before(lines_);
    if (bytes == 0) return {};
    std::uint64_t const enough = is_sorted_ ? ordo::detail::samples_wanted(members) : unsorted_samples(members, bytes);
    std::size_t const max_length = ordo::detail::max_sample_length(members, enough);
    std::uint64_t const wanted = std::min(enough, bytes);
    std::uint64_t const step = bytes / wanted;
    auto const on_backend = backend_.template buffer<found_sample>(std::size_t(wanted));
    backend_.each(std::size_t(wanted), find_sample_line<Offset>{order_.data(), ends_.data(), lines_, step, on_backend.data()});
    std::vector<found_sample> result(std::size_t{wanted});
    backend_.download(std::span<found_sample const>(on_backend.span()), std::span(result));
    std::vector<ordo::detail::key_sample> samples;
    std::vector<Offset> starts, ends;
    for (found_sample const& sample : result) {
      if (!samples.empty() && samples.back().position == sample.line) {  // a long line stands for several
        samples.back().bytes += step;
        continue;
      }
      samples.push_back({sample.line, step, {}});
      starts.push_back(Offset(sample.start));
      ends.push_back(Offset((ends.empty() ? 0 : ends.back()) + std::min<std::uint64_t>(sample.length, max_length)));
    }
    std::string keys(std::size_t(ends.back()), '\0');
    if (!keys.empty()) {
      auto const from = backend_.upload(std::span<Offset const>(starts)), to = backend_.upload(std::span<Offset const>(ends));
      auto const gathered = gather(from.span(), to.span(), keys.size());
      backend_.download(std::span<unsigned char const>(gathered.span()),
                        std::span(reinterpret_cast<unsigned char*>(keys.data()), keys.size()));
    }
    for (std::size_t k = 0; k < samples.size(); ++k) {
      std::size_t const begin = k == 0 ? 0 : std::size_t(ends[k - 1]);
      samples[k].key = keys.substr(begin, std::size_t(ends[k]) - begin);
    }
    return samples;
  }

  /// Divides the lines among the members.
  /// @returns for each member the number of lines that go to it and to those before it
  std::vector<std::size_t> divide(communicator const& members, std::span<ordo::detail::splitter const> splitters,
                                  line_comparison& compare) {
    if (is_sorted_)
      return ordo::detail::cuts_at(
          members, lines_, [&](std::size_t k) { return line(k); }, splitters, compare, equal_ != duplicates::keep);
    std::vector<std::size_t> cuts(members.size(), lines_);
    if (lines_ == 0) return cuts;
    auto const begins = move_to_members(members, splitters);
    std::copy(begins.begin() + 1, begins.end(), cuts.begin());
    return cuts;
  }

  /// Returns all lines in order, each with its delimiter, and frees what it knows of them.
  buffer<unsigned char> gather() {
    auto gathered = gather(order_.span(), ends_.span(), std::size_t(bytes_before(lines_)));
    order_ = {};
    ends_ = {};
    return gathered;
  }

 private:
  /// Returns how many samples each member draws of unsorted lines. The bytes between two of them may go to any member: with
  /// 2048 the shares vary by 2 %. Fewer of long lines, so that each may be four times as long as lines are.
  [[nodiscard]] std::uint64_t unsorted_samples(std::size_t members, std::uint64_t bytes) const {
    std::uint64_t const few = ordo::detail::samples_wanted(members), many = std::max<std::uint64_t>(2048, few);
    return std::clamp((std::uint64_t{4} << 20) * lines_ / (bytes * members), few, many);
  }
  void sort() {
    auto const repeats = backend_.template buffer<std::uint8_t>(lines_);
    order_lines<Offset>(backend_, all_, text_.data(), std::span<Offset const>(delimiters_.span()), options_, ~std::size_t{0},
                        order_.span(), repeats.span(), no_host_key_types{});
    if (equal_ != duplicates::drop) return;
    auto firsts = backend_.template buffer<Offset>(lines_);
    lines_ = backend_.select(lines_, is_first{repeats.data()}, start_of_line<Offset>{order_.data()}, firsts.span());
    order_ = std::move(firsts);
  }
  /// Puts the lines, which are in the order of the text, into that of the members.
  /// @returns as sort_by_owner
  std::vector<std::uint64_t> move_to_members(communicator const& members, std::span<ordo::detail::splitter const> splitters) {
    std::string keys;
    std::vector<std::uint64_t> starts, equal_before;
    std::size_t const rank = members.rank();
    for (ordo::detail::splitter const& splitter : splitters) {
      starts.push_back(keys.size());
      (keys += splitter.key) += options_.delimiter;
      equal_before.push_back(rank < splitter.member ? lines_ : rank > splitter.member ? 0 : splitter.position);
    }
    auto const key_bytes =
        backend_.upload(std::span<unsigned char const>(reinterpret_cast<unsigned char const*>(keys.data()), keys.size()));
    auto const key_starts = backend_.upload(std::span<std::uint64_t const>(starts));
    auto const before = backend_.upload(std::span<std::uint64_t const>(equal_before));
    auto const owners = backend_.template buffer<std::uint32_t>(lines_);
    std::uint64_t const flip = flip_mask(options_.by.reverse);
    symbols const of_keys(key_bytes.data(), key_bytes.size(), static_cast<unsigned char>(options_.delimiter));
    backend_.each(
        lines_,
        find_member<Offset>{
            {all_, flip}, {of_keys, flip}, order_.data(), key_starts.data(), before.data(), splitters.size(), owners.data()});
    auto const numbers = backend_.template buffer<Offset>(lines_);
    backend_.each(lines_, write_number<Offset>{numbers.data()});
    auto begins = ordo::detail::sort_by_owner(backend_, members.size(), owners.span(), numbers.span());
    auto order = backend_.template buffer<Offset>(lines_), ends = backend_.template buffer<Offset>(lines_);
    backend_.gather(std::span<Offset const>(order_.span()), std::span<Offset const>(numbers.span()), order.span());
    backend_.scan(lines_, length_of_line<Offset>{numbers.data(), order_.data(), ends_.data()}, ends.span(), plus{});
    order_ = std::move(order);
    ends_ = std::move(ends);
    return begins;
  }
  /// Returns parts of the text one after another. @param starts  where they begin @param ends  where they end in the result
  buffer<unsigned char> gather(std::span<Offset const> starts, std::span<Offset const> ends, std::size_t bytes) {
    auto gathered = backend_.template buffer<unsigned char>(bytes);
    gather_bytes<Offset> const copy{text_.data(), starts.data(), ends.data(), ends.size(), 0, bytes, gathered.data()};
    backend_.each((bytes + copy.at_once - 1) / copy.at_once, copy);
    return gathered;
  }
  /// Returns the k-th line, without its delimiter.
  std::string line(std::size_t k) {
    std::uint64_t const begin = bytes_before(k), end = bytes_before(k + 1);
    std::string bytes(std::size_t(end - begin - 1), '\0');
    if (!bytes.empty())
      backend_.download(text_.subspan(std::size_t(value_at(backend_, std::span<Offset const>(order_.span()), k)), bytes.size()),
                        std::span(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size()));
    return bytes;
  }

  B& backend_;
  std::span<unsigned char const> text_;
  symbols all_;
  sort_options const& options_;
  duplicates equal_;
  bool is_sorted_;
  std::size_t lines_ = 0;
  buffer<Offset> delimiters_, order_, ends_;  // order, ends: where the lines begin in the text, and end in their order
};

/// Calls run(Offset{}) with a type of offsets that is wide enough.
template <class Run>
auto with_offsets(std::uint64_t bytes, Run run) {
  if (bytes <= std::numeric_limits<std::uint32_t>::max()) try {
      return run(std::uint32_t{});
    } catch (offsets_too_narrow const&) {}
  return run(std::uint64_t{});
}

/// Divides this member's lines, exchanges them, and sorts those that arrive into the sink.
template <Backend B>
void sort_share_on(B& backend, share_task& task) {
  communicator& members = task.members;
  std::size_t const p = members.size();
  sort_report& report = task.report.sort;
  auto const zeros_behind = [&](std::span<unsigned char> text, std::size_t size) {
    backend.each(read_beyond, write_bytes{text.data() + size, 0});
  };

  buffer<unsigned char> divided;
  std::vector<std::uint64_t> begins{0};  // where each member's part of the divided share begins, and where the last ends
  {
    text_job loading{task.share, task.to, task.options, task.equal, {}};
    auto const text = backend.template buffer<unsigned char>(loading.max_bytes() + read_beyond);
    std::size_t size = 0;
    load_texts(backend, loading, text.span().first(loading.max_bytes()), size);
    if (loading.open) throw input_error("cannot read: input: a regular file has changed");
    zeros_behind(text.span(), size);
    report.bytes = size;
    if (task.began) task.began(phase::sort, size);
    with_offsets(size, [&]<class Offset>(Offset) {
      share_on<B, Offset> share(backend, std::span<unsigned char const>(text.span()).first(size), task.options, task.equal);
      line_comparison compare(task.options.by, task.options.delimiter);
      auto const splitters = ordo::detail::find_splitters(members, share.draw(p), compare);
      for (std::size_t const cut : share.divide(members, splitters, compare)) begins.push_back(share.bytes_before(cut));
      divided = share.gather();
    });
  }
  std::vector<std::uint64_t> all(p * begins.size());
  members.all_gather(std::as_bytes(std::span(begins)), std::as_writable_bytes(std::span(all)));
  std::vector<std::span<std::byte const>> sends;
  std::vector<std::span<std::byte>> receives;
  std::vector<std::uint64_t> ends{0};
  for (std::size_t m = 0; m < p; ++m) {
    std::uint64_t const* const of_m = all.data() + m * begins.size() + members.rank();
    ends.push_back(ends.back() + of_m[1] - of_m[0]);
  }
  std::size_t const arriving = std::size_t(ends.back());
  auto const received = backend.template buffer<unsigned char>(arriving + read_beyond);
  for (std::size_t m = 0; m < p; ++m) {
    sends.push_back(std::as_bytes(std::span<unsigned char const>(divided.span())
                                      .subspan(std::size_t(begins[m]), std::size_t(begins[m + 1] - begins[m]))));
    receives.push_back(
        std::as_writable_bytes(received.span().subspan(std::size_t(ends[m]), std::size_t(ends[m + 1] - ends[m]))));
  }
  members.all_to_all(sends, receives);
  task.report.exchanged = begins.back() - sends[members.rank()].size();
  task.report.received_text = arriving;
  divided = {};

  zeros_behind(received.span(), arriving);
  if (arriving == 0) {
    task.to.expect(0);
  } else {
    text_job writing{task.share, task.to, task.options, task.equal, {}};
    with_offsets(arriving, [&]<class Offset>(Offset) {
      sort_to_sink<Offset>(backend, writing, std::span<unsigned char const>(received.span()).first(arriving), task.options,
                           task.equal);
    });
  }
  report.device_memory = backend.pool().peak();
}

}  // namespace ordo::inline v0::strings::detail
