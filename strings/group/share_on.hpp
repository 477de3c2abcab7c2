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

#include "group/splitters.hpp"
#include "strings/group/share_task.hpp"
#include "strings/group/shares.hpp"
#include "strings/sort_texts.hpp"

// A sort over a group on one member whose backend's memory holds its lines: they never are in the host's memory.
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

/// The sorted lines of a member's text, in the memory of a backend.
template <Backend B, class Offset>
class share_on {
 public:
  /// Sorts the text, which ends with a delimiter if it is not empty. Of lines that are dropped only the first is kept.
  /// @throws offsets_too_narrow
  share_on(B& backend, std::span<unsigned char const> text, sort_options const& options, duplicates equal)
      : backend_(backend), text_(text) {
    if (text.empty()) return;
    symbols const all(text.data(), text.size(), static_cast<unsigned char>(options.delimiter));
    auto const delimiters = count_delimiters<Offset>(backend, all);
    std::span<Offset const> const counts = delimiters.span();
    lines_ = value_at(backend, counts, counts.size() - 1);
    order_ = backend.template buffer<Offset>(lines_);
    {
      auto const repeats = backend.template buffer<std::uint8_t>(lines_);
      order_lines<Offset>(backend, all, text.data(), counts, options, ~std::size_t{0}, order_.span(), repeats.span(),
                          no_host_key_types{});
      if (equal == duplicates::drop) {
        auto firsts = backend.template buffer<Offset>(lines_);
        lines_ = backend.select(lines_, is_first{repeats.data()}, start_of_line<Offset>{order_.data()}, firsts.span());
        order_ = std::move(firsts);
      }
    }
    ends_ = backend.template buffer<Offset>(lines_);
    backend.scan(lines_, written_bytes<Offset>{{all, counts.data()}, order_.data(), nullptr}, ends_.span(), plus{});
  }

  [[nodiscard]] std::size_t lines() const { return lines_; }
  /// Returns the number of bytes of the first `lines` lines.
  [[nodiscard]] std::uint64_t bytes_before(std::size_t lines) {
    return lines == 0 ? 0 : value_at(backend_, std::span<Offset const>(ends_.span()), lines - 1);
  }

  /// Draws samples that stand for equal numbers of bytes.
  std::vector<ordo::detail::key_sample> draw(std::size_t members) {
    std::uint64_t const bytes = bytes_before(lines_), wanted = std::min(ordo::detail::samples_wanted(members), bytes);
    if (wanted == 0) return {};
    std::uint64_t const step = bytes / wanted;
    auto const on_backend = backend_.template buffer<found_sample>(std::size_t(wanted));
    backend_.each(std::size_t(wanted), find_sample_line<Offset>{order_.data(), ends_.data(), lines_, step, on_backend.data()});
    std::vector<found_sample> found(std::size_t{wanted});
    backend_.download(std::span<found_sample const>(on_backend.span()), std::span(found));
    std::vector<ordo::detail::key_sample> samples;
    for (found_sample const& one : found) {
      if (!samples.empty() && samples.back().position == one.line) {  // a long line stands for several
        samples.back().bytes += step;
        continue;
      }
      samples.push_back(
          {one.line, step, bytes_of(one.start, std::min<std::uint64_t>(one.length, ordo::detail::max_sample_length(members)))});
    }
    return samples;
  }
  /// Returns the k-th line, without its delimiter.
  std::string line(std::size_t k) {
    std::uint64_t const begin = bytes_before(k), end = bytes_before(k + 1);
    return bytes_of(value_at(backend_, std::span<Offset const>(order_.span()), k), end - begin - 1);
  }

  /// Returns all lines in order, each with its delimiter, and frees what it knows of them.
  buffer<unsigned char> gather() {
    std::size_t const bytes = std::size_t(bytes_before(lines_));
    auto gathered = backend_.template buffer<unsigned char>(bytes);
    gather_bytes<Offset> const gather{text_.data(), order_.data(), ends_.data(), lines_, 0, bytes, gathered.data()};
    backend_.each((bytes + gather.at_once - 1) / gather.at_once, gather);
    order_ = {};
    ends_ = {};
    return gathered;
  }

 private:
  std::string bytes_of(std::uint64_t start, std::uint64_t length) {
    std::string bytes(std::size_t(length), '\0');
    if (length != 0)
      backend_.download(text_.subspan(std::size_t(start), bytes.size()),
                        std::span(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size()));
    return bytes;
  }

  B& backend_;
  std::span<unsigned char const> text_;
  std::size_t lines_ = 0;
  buffer<Offset> order_, ends_;  // where the lines begin in the text, and where they end in their order
};

/// Calls run(Offset{}) with a type of offsets that is wide enough.
template <class Run>
auto with_offsets(std::uint64_t bytes, Run run) {
  if (bytes <= std::numeric_limits<std::uint32_t>::max()) try {
      return run(std::uint32_t{});
    } catch (offsets_too_narrow const&) {}
  return run(std::uint64_t{});
}

/// Sorts this member's share, exchanges lines, and sorts those that arrive into the sink.
template <Backend B>
void sort_share_on(B& backend, share_task& task) {
  group& members = task.members;
  std::size_t const p = members.size();
  sort_report& report = task.report.sort;
  auto const zeros_behind = [&](std::span<unsigned char> text, std::size_t size) {
    backend.each(read_beyond, write_bytes{text.data() + size, 0});
  };

  buffer<unsigned char> sorted;
  std::vector<std::uint64_t> begins{0};  // of each member's part of the sorted share, and their end
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
      auto const cuts = ordo::detail::cuts_at(
          members, share.lines(), [&](std::size_t k) { return share.line(k); }, splitters, compare,
          task.equal != duplicates::keep);
      for (std::size_t const cut : cuts) begins.push_back(share.bytes_before(cut));
      sorted = share.gather();
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
    sends.push_back(std::as_bytes(
        std::span<unsigned char const>(sorted.span()).subspan(std::size_t(begins[m]), std::size_t(begins[m + 1] - begins[m]))));
    receives.push_back(
        std::as_writable_bytes(received.span().subspan(std::size_t(ends[m]), std::size_t(ends[m + 1] - ends[m]))));
  }
  members.all_to_all(sends, receives);
  task.report.exchanged = begins.back() - sends[members.rank()].size();
  task.report.received_text = arriving;
  sorted = {};

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
