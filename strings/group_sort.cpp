#include "ordo/strings/group_sort.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "group/gather_strings.hpp"
#include "group/output_part.hpp"
#include "ordo/host_bytes.hpp"

namespace ordo::inline v0::strings {
namespace {

/// The largest part of a text that is read at a time.
constexpr std::size_t max_part = std::size_t{64} << 20;
constexpr std::uint64_t sequential = ~std::uint64_t{0};

/// The bytes of a text that is addressable: from its position on.
struct text_range {
  std::uint64_t begin, size;
};

/// Returns the first begin of a line at or behind `offset` of a text, or its end.
std::uint64_t line_begin(source const& text, text_range const& range, std::uint64_t offset, char delimiter) {
  if (offset == 0 || offset >= range.size) return std::min(offset, range.size);
  std::vector<char> block(std::size_t{1} << 16);
  for (std::uint64_t at = offset - 1; at < range.size;) {
    std::size_t const n = std::size_t(std::min<std::uint64_t>(block.size(), range.size - at));
    text.read_at(range.begin + at, {block.data(), n});
    if (void const* const found = std::memchr(block.data(), delimiter, n))
      return at + std::uint64_t(static_cast<char const*>(found) - block.data()) + 1;
    at += n;
  }
  return range.size;
}

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

/// Appends a sequential text.
void append_all(source& text, host_bytes& to) {
  for (;;) {
    auto const room = to.room(std::size_t{1} << 20);
    std::size_t const got = text.read(room);
    to.resize(to.size() + got);
    if (got < room.size()) return;
  }
}

/// Reads this member's lines.
host_bytes read_share(group& members, texts const& from, char delimiter) {
  std::size_t const p = members.size(), rank = members.rank();
  // Member 0 alone opens what may be a pipe, which can be read once.
  std::vector<text_range> ranges(from.count, {0, sequential});
  std::vector<host_bytes> piped(from.count);
  if (rank == 0)
    for (std::size_t k = 0; k < from.count; ++k) {
      auto const text = from.open(k);
      if (auto const size = text->size())
        ranges[k] = {text->position(), *size - std::min(*size, text->position())};
      else
        append_all(*text, piped[k]);
    }
  members.broadcast(std::as_writable_bytes(std::span(ranges)), 0);

  std::size_t first_shared = from.count;  // the texts before it are member 0's
  while (first_shared != 0 && ranges[first_shared - 1].size != sequential) --first_shared;
  std::uint64_t total = 0;
  for (std::size_t k = first_shared; k < from.count; ++k) total += ranges[k].size;
  std::uint64_t const begin = even_offset(total, p, rank), end = begin + even_share(total, p, rank);

  host_bytes share;
  std::uint64_t offset = 0;  // of a text among all that are shared
  for (std::size_t k = 0; k < from.count; ++k) {
    text_range const& range = ranges[k];
    if (k < first_shared) {
      if (rank != 0) continue;
      if (range.size == sequential)
        share.append(piped[k].span());
      else
        append_range(*from.open(k), range.begin, range.begin + range.size, share);
      piped[k] = {};
    } else {
      // A line belongs to the member in whose range it begins.
      std::uint64_t const low = std::clamp(begin, offset, offset + range.size) - offset,
                          high = std::clamp(end, offset, offset + range.size) - offset;
      offset += range.size;
      if (low == high) continue;
      auto const text = from.open(k);
      if (!text->size()) throw input_error("cannot read: input " + std::to_string(k + 1) + ": it is a regular file no more");
      std::uint64_t const first = line_begin(*text, range, low, delimiter), last = line_begin(*text, range, high, delimiter);
      append_range(*text, range.begin + first, range.begin + last, share);
    }
    end_last_line(share, delimiter);
  }
  return share;
}

void put_number(std::uint64_t x, host_bytes& to) {
  char digits[10];
  std::size_t n = 0;
  for (; x >= 0x80; x >>= 7) digits[n++] = char(x | 0x80);
  digits[n++] = char(x);
  to.append({digits, n});
}
std::uint64_t take_number(char const*& from, char const* end) {
  std::uint64_t x = 0;
  for (unsigned shift = 0; from != end && shift < 64; shift += 7) {
    unsigned char const digit = static_cast<unsigned char>(*from++);
    x |= std::uint64_t(digit & 0x7f) << shift;
    if (digit < 0x80) return x;
  }
  throw error("exchange of lines: the bytes that arrived are damaged");
}

struct splitter {
  std::string_view line;
  std::uint64_t member, position;
};

/// One sort over a group, on one member.
class line_exchange {
 public:
  line_exchange(group& members, sort_options const& options, duplicates equal)
      : members_(members), options_(options), compare_(options.by, options.delimiter), equal_(equal) {}

  /// Returns the lines of this member's part of the order, by the member that they come from. `text` is freed.
  host_bytes operator()(host_bytes text, sort_report& report, std::uint64_t& sent_bytes) {
    host_bytes packed;
    std::vector<std::uint64_t> ends;
    {
      sorted_lines const lines = strings::sort({text.data(), text.size()}, options_);
      report.machine = lines.machine();
      report.device_memory = lines.device_memory();
      ends = pack(lines, cuts_of(lines, find_splitters(lines)), packed);
    }
    text = {};
    std::size_t const p = members_.size();
    std::vector<std::uint64_t> sizes(p), all(p * p);
    for (std::size_t m = 0; m < p; ++m) sizes[m] = ends[m] - (m == 0 ? 0 : ends[m - 1]);
    members_.all_gather(std::as_bytes(std::span(sizes)), std::as_writable_bytes(std::span(all)));
    std::uint64_t arriving = 0;
    for (std::size_t m = 0; m < p; ++m) arriving += all[m * p + members_.rank()];
    host_bytes received;
    received.resize(arriving);
    std::vector<std::span<std::byte const>> sends;
    std::vector<std::span<std::byte>> receives;
    std::uint64_t at = 0;
    for (std::size_t m = 0; m < p; ++m) {
      sends.push_back(std::as_bytes(packed.span()).subspan(ends[m] - sizes[m], sizes[m]));
      std::uint64_t const n = all[m * p + members_.rank()];
      receives.push_back(std::as_writable_bytes(received.span()).subspan(at, n));
      at += n;
    }
    members_.all_to_all(sends, receives);
    sent_bytes = ends.back() - sizes[members_.rank()];
    packed = {};
    host_bytes lines;
    for (auto const& from : receives) unpack(from, lines);
    return lines;
  }

 private:
  /// Returns true if a line is not sent, because an equal one is.
  [[nodiscard]] bool is_dropped(sorted_lines const& lines, std::size_t k) const {
    return equal_ == duplicates::drop && lines.is_duplicate(k);
  }

  /// Draws samples that stand for equal numbers of bytes, and returns the samples of all that split the bytes into equal parts.
  std::vector<splitter> find_splitters(sorted_lines const& lines) {
    std::size_t const p = members_.size();
    // 20 samples a part: each of p members is wrong by at most one sample's bytes, a twentieth of a part in all.
    std::uint64_t const wanted = std::max<std::uint64_t>(64, 20 * p);
    std::size_t const max_length = std::max<std::size_t>(256, (std::size_t{16} << 20) / (wanted * p));
    std::string own;
    std::uint64_t bytes = 0;
    for (std::size_t k = 0; k < lines.size(); ++k)
      if (!is_dropped(lines, k)) bytes += lines[k].size() + 1;
    std::uint64_t const step = std::max<std::uint64_t>(1, bytes / wanted);
    std::uint64_t passed = 0, next = step / 2;
    auto const put = [&](std::uint64_t x) { own.append(reinterpret_cast<char const*>(&x), sizeof(x)); };
    for (std::size_t k = 0; k < lines.size(); ++k) {
      if (is_dropped(lines, k)) continue;
      std::string_view const line = lines[k];
      passed += line.size() + 1;
      if (passed <= next) continue;
      std::string_view const sample = line.substr(0, max_length);
      std::uint64_t const steps = (passed - next - 1) / step + 1;  // a long line stands for several
      put(k), put(steps * step), put(sample.size());
      own += sample;
      next += steps * step;
    }
    samples_ = ordo::detail::gather_strings(members_, own);
    struct weighed {
      splitter at;
      std::uint64_t bytes;
    };
    std::vector<weighed> all;
    for (std::size_t m = 0; m < p; ++m)
      for (std::size_t i = 0; i < samples_[m].size();) {
        std::uint64_t head[3];
        std::memcpy(head, samples_[m].data() + i, sizeof(head));
        i += sizeof(head);
        all.push_back({{std::string_view(samples_[m]).substr(i, head[2]), m, head[0]}, head[1]});
        i += head[2];
      }
    std::ranges::sort(all, [&](weighed const& a, weighed const& b) {
      if (int const order = compare_(a.at.line, b.at.line)) return order < 0;
      return a.at.member != b.at.member ? a.at.member < b.at.member : a.at.position < b.at.position;
    });
    std::uint64_t total = 0, sum = 0;
    for (weighed const& x : all) total += x.bytes;
    std::vector<splitter> splitters;
    for (weighed const& x : all) {
      while (splitters.size() + 1 < p && sum + x.bytes / 2 >= even_offset(total, p, splitters.size() + 1))
        splitters.push_back(x.at);
      sum += x.bytes;
    }
    return splitters;  // fewer than p - 1 if there are few samples: the last members get nothing
  }

  /// Returns the number of this member's lines before each splitter.
  std::vector<std::size_t> cuts_of(sorted_lines const& lines, std::vector<splitter> const& splitters) {
    std::vector<std::size_t> cuts;
    for (splitter const& s : splitters) {
      auto const first = [&](auto is_before) {
        std::size_t low = cuts.empty() ? 0 : cuts.back(), high = lines.size();
        while (low < high) {
          std::size_t const middle = low + (high - low) / 2;
          if (is_before(lines[middle]))
            low = middle + 1;
          else
            high = middle;
        }
        return low;
      };
      std::size_t const begin = first([&](std::string_view line) { return compare_(line, s.line) < 0; });
      std::size_t const rank = members_.rank();
      // Lines that are dropped or counted stay together.
      if (equal_ != duplicates::keep || rank > s.member) {
        cuts.push_back(begin);
        continue;
      }
      std::size_t const end = first([&](std::string_view line) { return compare_(line, s.line) <= 0; });
      cuts.push_back(rank < s.member ? end : std::clamp(std::size_t(s.position), begin, end));
    }
    cuts.resize(members_.size(), lines.size());
    return cuts;
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
        put_number(shared, to);
        put_number(line.size() - shared, to);
        to.append(line.substr(shared));
        before = line;
      }
      ends.push_back(to.size());
    }
    return ends;
  }

  void unpack(std::span<std::byte const> packed, host_bytes& to) const {
    char const* from = reinterpret_cast<char const*>(packed.data());
    char const* const end = from + packed.size();
    std::size_t before = 0, length = 0;  // the line before: its begin in `to`, and its length
    while (from != end) {
      std::uint64_t const shared = take_number(from, end), rest = take_number(from, end);
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

  group& members_;
  sort_options const& options_;
  line_comparison compare_;
  duplicates equal_;
  std::vector<std::string> samples_;  // to which splitters refer
};

/// A sink to memory.
class bytes_sink final : public sink {
 public:
  void write(std::span<char const> data) override { bytes.append(data); }
  host_bytes bytes;
};

/// Cuts off the lines behind the first options.head of all members.
void keep_head(group& members, host_bytes& lines, sort_options const& options) {
  char const* const end = lines.data() + lines.size();
  auto const counts = members.all_gather(std::uint64_t(std::count(std::as_const(lines).data(), end, options.delimiter)));
  std::uint64_t left = options.head;
  for (std::size_t m = 0; m < members.rank(); ++m) left -= std::min(left, counts[m]);
  if (left >= counts[members.rank()]) return;
  char const* at = lines.data();
  for (; left != 0; --left) at = std::find(at, end, options.delimiter) + 1;
  lines.resize(std::size_t(at - lines.data()));
}

}  // namespace

group_report sort(group& members, texts const& from, group_output const& open, sort_options const& options, duplicates equal,
                  phase_observer const& began) {
  group_report report;
  if (equal == duplicates::by_count)
    throw usage_error("bad duplicates: sort over a group: lines cannot be ordered by their counts");
  auto const begin = [&](phase what, std::uint64_t bytes) {
    if (began) began(what, bytes);
  };
  begin(phase::read, from.bytes / members.size());
  host_bytes text = read_share(members, from, options.delimiter);
  report.sort.bytes = text.size();
  begin(phase::sort, 0);
  text = line_exchange(members, options, equal)(std::move(text), report.sort, report.exchanged);
  report.received_text = text.size();
  sorted_lines const lines = sort({text.data(), text.size()}, options);
  // The number of bytes must be known before the first is written.
  bool const is_known = equal == duplicates::keep && options.head == sort_options{}.head;
  bytes_sink own;
  if (!is_known) {
    write(lines, equal, options.machine.threads, own);
    keep_head(members, own.bytes, options);
  }
  auto const sizes = members.all_gather(std::uint64_t(is_known ? text.size() : own.bytes.size()));
  report.own_bytes = sizes[members.rank()];
  report.sort.written = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
  begin(phase::write, report.sort.written);
  ordo::detail::output_part part(members, sizes, open(report.sort.written));
  if (is_known)
    write(lines, equal, options.machine.threads, part.writer());
  else
    part.writer().write(own.bytes.span());
  part.finish();
  return report;
}

}  // namespace ordo::inline v0::strings
