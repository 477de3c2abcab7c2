#include "ordo/strings/distributed_sort.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "distributed/splitters.hpp"
#include "ordo/cpu.hpp"
#include "ordo/detail/config.hpp"
#include "ordo/gpu.hpp"
#include "ordo/host_bytes.hpp"
#include "strings/distributed/share_task.hpp"
#include "strings/distributed/shares.hpp"
#include "strings/keys/compiled_keys.hpp"
#include "strings/sort/line_sort.hpp"

namespace ordo::inline v0::strings {
namespace {

using detail::member_sink, detail::line_piece, detail::text_range;

/// The largest part of a text that is read at a time.
constexpr std::size_t max_part = std::size_t{64} << 20;

void end_last_line(host_bytes& text, char delimiter) {
  if (!text.empty() && text.data()[text.size() - 1] != delimiter) text.append({&delimiter, 1});
}

/// Appends [begin, end) of a text. Both are begins of lines, or the end.
void append_range(source const& text, std::uint64_t begin, std::uint64_t end, host_bytes& to) {
  for (std::uint64_t at = begin; at < end;) {
    std::size_t const n = std::size_t(std::min<std::uint64_t>(max_part, end - at));
    text.read_at(at, to.room(n).first(n));
    to.resize(to.size() + n);
    at += n;
  }
}

/// Reads this member's lines.
host_bytes read_share(communicator& members, texts const& from, char delimiter) {
  std::size_t const rank = members.rank();
  // Member 0 alone opens what may be a pipe, which can be read once.
  std::vector<text_range> ranges(from.count);
  std::vector<host_bytes> piped(from.count);
  if (rank == 0)
    for (std::size_t k = 0; k < from.count; ++k) {
      auto const text = from.open(k);
      ranges[k] = text_range::of(*text);
      if (ranges[k].size == text_range::sequential) detail::append_all(*text, piped[k]);
    }
  members.broadcast(std::as_writable_bytes(std::span(ranges)), 0);

  std::size_t first_shared = from.count;  // the texts before it are member 0's
  while (first_shared != 0 && ranges[first_shared - 1].size != text_range::sequential) --first_shared;
  host_bytes share;
  for (std::size_t k = 0; rank == 0 && k < first_shared; ++k) {
    if (ranges[k].size == text_range::sequential)
      share.append(piped[k].span());
    else
      append_range(*from.open(k), ranges[k].begin, ranges[k].begin + ranges[k].size, share);
    piped[k] = {};
    end_last_line(share, delimiter);
  }
  for (line_piece const& piece : detail::collect_pieces(from, first_shared, ranges, members.size(), rank, delimiter)) {
    append_range(*from.open(piece.text), piece.begin, piece.end, share);
    end_last_line(share, delimiter);
  }
  return share;
}

void append_number(std::uint64_t x, host_bytes& to) {
  char digits[10];
  std::size_t n = 0;
  for (; x >= 0x80; x >>= 7) digits[n++] = char(x | 0x80);
  digits[n++] = char(x);
  to.append({digits, n});
}
std::uint64_t read_number(char const*& from, char const* end) {
  std::uint64_t x = 0;
  for (unsigned shift = 0; from != end && shift < 64; shift += 7) {
    unsigned char const digit = static_cast<unsigned char>(*from++);
    x |= std::uint64_t(digit & 0x7f) << shift;
    if (digit < 0x80) return x;
  }
  throw error("exchange of lines: the bytes that arrived are damaged");
}

/// One distributed sort, on one member.
class line_exchange {
 public:
  line_exchange(communicator& members, sort_options const& options, duplicates equal)
      : members_(members), options_(options), compare_(options.by, options.delimiter), equal_(equal) {}

  /// Returns the lines of this member's part of the order, by the member that they come from. `text` is freed.
  host_bytes operator()(host_bytes text, sort_report& report, std::uint64_t& sent_bytes) {
    host_bytes packed;
    std::vector<std::uint64_t> ends;
    {
      sorted_lines const lines = strings::sort({text.data(), text.size()}, options_);
      report.machine = lines.machine();
      report.device_memory = lines.device_memory();
      auto const splitters = ordo::detail::find_splitters(members_, draw(lines), compare_);
      // Lines that are dropped or counted stay together.
      ends = pack(
          lines,
          ordo::detail::cuts_at(
              members_, lines.size(), [&](std::size_t k) { return lines[k]; }, splitters, compare_, equal_ != duplicates::keep),
          packed);
    }
    text = {};
    std::vector<std::uint64_t> sizes;  // by member
    host_bytes const received = ordo::detail::exchange_parts(members_, packed.span(), ends, sizes);
    std::size_t const rank = members_.rank();
    sent_bytes = ends.back() - (ends[rank] - (rank == 0 ? 0 : ends[rank - 1]));
    packed = {};
    host_bytes lines;
    std::size_t at = 0;
    for (std::uint64_t const size : sizes) {
      unpack(received.span().subspan(at, std::size_t(size)), lines);
      at += std::size_t(size);
    }
    return lines;
  }

 private:
  /// Returns true if a line is not sent, because an equal one is.
  [[nodiscard]] bool is_dropped(sorted_lines const& lines, std::size_t k) const {
    return equal_ == duplicates::drop && lines.is_duplicate(k);
  }

  /// Draws samples that stand for equal numbers of bytes.
  std::vector<ordo::detail::key_sample> draw(sorted_lines const& lines) const {
    auto const bytes_at = [&](std::size_t k) { return is_dropped(lines, k) ? 0 : std::uint64_t(lines[k].size() + 1); };
    return ordo::detail::draw_samples(members_.size(), lines.size(), bytes_at, [&](std::size_t k) { return lines[k]; });
  }

  /// Writes each line as two numbers, the bytes that it shares with the line before it and those that follow, and the latter.
  /// @returns the ends of the members' parts
  std::vector<std::uint64_t> pack(sorted_lines const& lines, std::vector<std::size_t> const& cuts, host_bytes& to) const {
    std::vector<std::uint64_t> ends;
    std::size_t k = 0;
    for (std::size_t const end : cuts) {
      std::string_view before;
      for (; k < end; ++k) {
        if (is_dropped(lines, k)) continue;
        std::string_view const line = lines[k];
        std::size_t const shared = std::size_t(std::ranges::mismatch(before, line).in1 - before.begin());
        append_number(shared, to);
        append_number(line.size() - shared, to);
        to.append(line.substr(shared));
        before = line;
      }
      ends.push_back(to.size());
    }
    return ends;
  }

  void unpack(std::span<char const> packed, host_bytes& to) const {
    char const* from = packed.data();
    char const* const end = from + packed.size();
    std::size_t before = 0, length = 0;  // the line before: its begin in `to`, and its length
    while (from != end) {
      std::uint64_t const shared = read_number(from, end), rest = read_number(from, end);
      if (shared > length || rest > std::uint64_t(end - from))
        throw error("exchange of lines: the bytes that arrived are damaged");
      std::size_t const line = to.size();
      char* const room = to.room(shared + rest + 1).data();
      std::memcpy(room, to.data() + before, shared);
      std::memcpy(room + shared, from, rest);
      room[shared + rest] = options_.delimiter;
      from += rest;
      to.resize(line + shared + rest + 1);
      before = line;
      length = shared + rest;
    }
  }

  communicator& members_;
  sort_options const& options_;
  line_comparison compare_;
  duplicates equal_;
};

/// Returns how many lines this member writes of the first `head` of all members.
std::uint64_t own_head(communicator& members, sorted_lines const& lines, duplicates equal, std::uint64_t head) {
  if (head == sort_options{}.head) return head;
  std::uint64_t own = lines.size();
  if (equal != duplicates::keep)
    for (std::size_t k = 0; k < lines.size(); ++k) own -= lines.is_duplicate(k);
  auto const counts = members.all_gather(own);
  for (std::size_t m = 0; m < members.rank(); ++m) head -= std::min(head, counts[m]);
  return head;
}

}  // namespace

distributed_report sort(communicator& members, texts const& from, output_opener const& open, sort_options const& options,
                        duplicates equal, phase_observer const& began) {
  distributed_report report;
  if (equal == duplicates::by_count)
    throw usage_error("bad duplicates: distributed sort: lines cannot be ordered by their counts");
  auto const begin = [&](phase phase, std::uint64_t bytes) {
    if (began) began(phase, bytes);
  };
  begin(phase::read, from.bytes / members.size());
  host_bytes text = read_share(members, from, options.delimiter);
  report.sort.bytes = text.size();
  begin(phase::sort, 0);
  text = line_exchange(members, options, equal)(std::move(text), report.sort, report.exchanged);
  report.received_text = text.size();
  sorted_lines const lines = sort({text.data(), text.size()}, options);
  member_sink to(members, open, began);
  write(lines, equal, options.machine.threads, to, own_head(members, lines, equal, options.head));
  to.finish();
  report.own_bytes = to.own_bytes();
  report.sort.written = to.all_bytes();
  return report;
}

bool can_be_divided(sort_options const& options, duplicates equal) {
  detail::compiled_keys const keys(options.by, static_cast<unsigned char>(options.delimiter));
  return equal != duplicates::by_count && options.head == sort_options{}.head && !keys.needs_host();
}

sort_report sort(std::span<machine_options const> machines, texts const& from, sink& to, sort_options const& options,
                 duplicates equal, phase_observer const& began) {
  if (machines.empty()) throw usage_error("bad machines: sort: there are none");
  detail::check_delimiter(options.delimiter);
  std::vector<unsigned> gpus;
  for (machine_options const& machine : machines)
    if (machine.device == device::gpu && !machine.on) gpus.push_back(machine.gpu_index.value_or(0));
  if (machines.size() == 1 || gpus.size() != machines.size() || !can_be_divided(options, equal)) {
    sort_options first = options;
    first.machine = machines.front();
    return sort(from, to, first, equal, began);
  }
  if (began) began(phase::read, from.bytes);
  detail::common_texts const all(from);
  sort_report report;
  std::mutex mutex;
  run_members(gpus, [&](communicator& members, gpu& on) {
    sort_options here = options;
    here.machine = machines[members.rank()];
    distributed_report const own = detail::sort_share(members, on, all, to, here, equal, began, [](detail::share_task& task) {
      if constexpr (cuda_enabled) detail::sort_share_on_cuda(task);
    });
    std::lock_guard const lock(mutex);
    if (members.rank() == 0) report.machine = own.sort.machine, report.written = own.sort.written;
    report.bytes += own.sort.bytes;
    report.device_memory = std::max(report.device_memory, own.sort.device_memory);
  });
  return report;
}

}  // namespace ordo::inline v0::strings
