#include "strings/external/chunk_reader.hpp"

#include <algorithm>
#include <cstring>
#include <functional>

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include "base/pooled_arena.hpp"
#include "base/threads.hpp"
#include "ordo/cpu_backend.hpp"
#include "ordo/error.hpp"
#include "sort_core/scoped_machine.hpp"
#include "strings/external/count_bytes.hpp"
#include "strings/external/long_line.hpp"

namespace ordo::inline v0::strings::detail {
namespace {

constexpr std::size_t min_step = std::size_t{64} << 10, max_step = std::size_t{2} << 20;

}  // namespace

bool chunk_reader::next() {
  std::size_t const rest = bytes_.size() - chunk_;
  if (rest != 0) std::memmove(bytes_.data(), bytes_.data() + chunk_, rest);
  bytes_.resize(rest);
  chunk_ = counted_ = lines_ = fitting_ = fitting_lines_ = 0;
  for (;;) {
    // Most texts that fit need no count of their lines.
    if (!fits(bytes_.size(), lines_ + (bytes_.size() - counted_))) {
      count();
      if (!fits(bytes_.size(), lines_)) {
        // A line without an end is counted once, as it is read, and not searched again.
        if (lines_ != 0) {
          cut();
          return true;
        }
      } else {
        fitting_ = counted_;
        fitting_lines_ = lines_;
      }
    }
    if (over_) break;
    read_more();
  }
  chunk_ = bytes_.size();
  chunk_lines_ = lines_ + (bytes_.size() - counted_);
  return chunk_ != 0;
}

std::size_t chunk_reader::lines_in(std::size_t begin, std::size_t end) const {
  pooled_arena arena(threads_for(options_.machine.threads));
  char const* const text = bytes_.data();
  return arena.execute([&] {
    return tbb::parallel_reduce(
        tbb::blocked_range<char const*>(text + begin, text + end, 1 << 20), std::size_t{0},
        [&](auto const& part, std::size_t sum) {
          return sum + count_bytes({part.begin(), part.end()}, options_.delimiter);
        },
        std::plus<>{});
  });
}

void chunk_reader::count() {
  lines_ += lines_in(counted_, bytes_.size());
  counted_ = bytes_.size();
}

// Ends the chunk after the last line that fits besides the bytes read after it, or else after the first line. The bytes
// contain a delimiter.
void chunk_reader::cut() {
  std::string_view const all(bytes_.data(), bytes_.size());
  std::size_t const beside = std::max(limit_ - std::min(limit_, all.size()), limit_ / 4 * 3);
  std::size_t end = fitting_, lines = fitting_lines_;
  for (std::size_t step = (all.size() - end + 1) / 2; step >= 256; step /= 2) {
    std::size_t const more = end + step <= all.size() ? lines_in(end, end + step) : 0;
    if (end + step > all.size() || plan_.beside(end + step, lines + more) > beside) continue;
    end += step;
    lines += more;
  }
  std::size_t const last = end == 0 ? all.npos : all.rfind(options_.delimiter, end - 1);
  chunk_ = (last != all.npos ? last : all.find(options_.delimiter, end)) + 1;
  chunk_lines_ = std::max<std::size_t>(lines, 1);
}

void chunk_reader::read_more() {
  if (!job_.more()) {
    over_ = true;
    return;
  }
  source& open = *job_.open;
  // Steps become smaller towards the limit. A line that is longer than the memory doubles the buffer.
  std::size_t const used = plan_.needed(bytes_.size(), lines_ + (bytes_.size() - counted_) / 32);
  bool const is_long = lines_ == 0 && used >= limit_;
  std::size_t const left = used < limit_ ? limit_ - used : bytes_.size();
  std::size_t step = std::max(left / 4, min_step);
  std::size_t const before = bytes_.size();
  auto const part = ordo::detail::addressed_part(open, step);
  // The read that finds the end needs room for a byte.
  step = part ? std::min(step, std::size_t(part->bytes) + 1) : std::min(step, max_step);
  if (before + step > plan_.max_line)
    throw out_of_memory(
        fmt::format("out of memory: input: a line of more than {} bytes: {} may be taken", before, plan_.max_line),
        before + step);
  if (lines_ == 0 && counted_ != 0)
    grow_line(counted_, [&] { bytes_.resize(before + step); });
  else
    bytes_.resize(before + step);
  machine_options const here{.threads = options_.machine.threads};
  std::size_t const got = with_machine<cpu>(
      here, here.threads, [&](host_backend& backend) { return backend.load(open, bytes_.span().subspan(before)); });
  bytes_.resize(before + got);
  read_ += got;
  if (is_long) limit_ = std::max(limit_, limit_with_long_line());
  if (got == step) return;
  job_.open.reset();
  if (bytes_.empty() || bytes_.span().back() == options_.delimiter) return;
  bytes_.append({&options_.delimiter, 1});
  ++read_;
}

}  // namespace ordo::inline v0::strings::detail
