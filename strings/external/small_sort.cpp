#include "strings/external/small_sort.hpp"

#include <limits>
#include <string>
#include <string_view>

#include "base/streams.hpp"
#include "strings/external/count_lines.hpp"
#include "strings/sort/few_lines.hpp"
#include "strings/write/selected_lines.hpp"

namespace ordo::inline v0::strings::detail {
namespace {

constexpr std::size_t max_bytes = std::size_t{16} << 10;

// Reads all texts. Returns false, with the first bytes in job.host, if they have more than `max_bytes`.
bool read_small(text_job& job) {
  while (job.more()) {
    std::size_t const before = job.host.size();
    std::span<char> const room = job.host.room(max_bytes + 1).first(max_bytes + 1 - before);
    std::size_t const got = job.open->read(room);
    job.host.resize(before + got);
    if (got == room.size()) return false;
    job.end_text(before);
    if (job.host.size() > max_bytes) return false;
  }
  return true;
}

std::string selected(text_job const& job) {
  sort_options const& options = job.options;
  std::string_view const text(job.host.data(), job.host.size());
  std::string all = sort_few_lines(text, options.by, options.delimiter, job.equal == duplicates::drop);
  if (is_counted(job.equal)) {
    growing_sink counted;
    counting_sink counter(counted, options);
    counter.write(all);
    counter.finish();
    all = counted.text();
  }
  if (job.equal == duplicates::by_count) {
    order second = by_falling_count();
    second.locale = options.by.locale;
    all = sort_few_lines(all, second, options.delimiter, false);
  }
  std::size_t end = 0;
  for (std::uint64_t left = options.head; left != 0 && end != all.size(); --left) end = all.find(options.delimiter, end) + 1;
  all.resize(end);
  return all;
}

}  // namespace

bool sorted_small(text_job& job) {
  if (job.report.machine.device == device::gpu || job.options.machine.on || job.from.bytes > max_bytes || !read_small(job))
    return false;
  job.report.bytes = job.host.size();
  job.begin(phase::sort, job.host.size());
  std::string const all = selected(job);
  job.begin(phase::write, job.host.size());
  job.report.written = all.size();
  if (job.to.expect(all.size()))
    job.to.write_at(0, all);
  else if (!all.empty())
    job.to.write(all);
  return true;
}

}  // namespace ordo::inline v0::strings::detail
