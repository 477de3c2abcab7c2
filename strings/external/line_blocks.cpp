#include "strings/external/line_blocks.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>

#include "base/pooled_arena.hpp"
#include "base/threads.hpp"
#include "ordo/cpu_backend.hpp"
#include "sort_core/scoped_machine.hpp"
#include "strings/external/long_line.hpp"

namespace ordo::inline v0::strings::detail {
line_blocks::line_blocks(text_job& job, std::size_t block_bytes)
    : job_(job), block_bytes_(block_bytes), bytes_(std::move(job.host)), count_(bytes_.size()) {
  find_whole(0);
}

bool line_blocks::read() {
  if (!job_.more()) return false;
  std::size_t const before = bytes_.size();
  grow_line(before, [&] { bytes_.resize(before + block_bytes_); });
  machine_options const machine{.threads = job_.options.machine.threads};
  auto const part = ordo::detail::addressed_part(*job_.open, block_bytes_);
  // The read that finds the end needs room for a byte.
  std::size_t const wanted = part ? std::min(block_bytes_, std::size_t(part->bytes) + 1) : block_bytes_;
  std::size_t const got = with_machine<cpu>(machine, machine.threads, [&](host_backend& backend) {
    return backend.load(*job_.open, bytes_.span().subspan(before, wanted));
  });
  bytes_.resize(before + got);
  count_ += got;
  if (got < wanted) {
    job_.open.reset();
    if (!bytes_.empty() && bytes_.span().back() != job_.options.delimiter) {
      bytes_.append({&job_.options.delimiter, 1});
      ++count_;
    }
  }
  find_whole(before);
  return true;
}

// Finds the end of the whole lines among the bytes from `from` on; those before have none.
void line_blocks::find_whole(std::size_t from) {
  std::string_view const text(bytes_.data(), bytes_.size());
  std::size_t const last = text.substr(std::min(from, text.size())).rfind(job_.options.delimiter);
  if (last != text.npos) whole_ = from + last + 1;
}

void line_blocks::drop() {
  if (whole_ == 0) return;
  std::memmove(bytes_.data(), bytes_.data() + whole_, bytes_.size() - whole_);
  bytes_.resize(bytes_.size() - whole_);
  whole_ = 0;
}

void each_part(std::string_view lines, std::size_t parts, char delimiter, unsigned threads,
               std::function<void(std::size_t, std::string_view)> const& on_part) {
  std::size_t const part_bytes = parts == 0 ? 0 : (lines.size() + parts - 1) / parts;
  // Part p has the lines that begin in it.
  auto const block_begin = [&](std::size_t p) {
    if (p == 0 || p * part_bytes >= lines.size()) return std::min(p * part_bytes, lines.size());
    return lines.find(delimiter, p * part_bytes - 1) + 1;
  };
  pooled_arena arena(threads_for(threads));
  arena.execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, parts, 1),
        [&](tbb::blocked_range<std::size_t> const& range) {
          for (std::size_t p = range.begin(); p != range.end(); ++p) {
            std::size_t const begin = block_begin(p), end = block_begin(p + 1);
            on_part(p, lines.substr(begin, end - begin));
          }
        },
        tbb::simple_partitioner());
  });
}

}  // namespace ordo::inline v0::strings::detail
