#include "strings/sort/small_sort.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/strings/line_comparison.hpp"
#include "strings/external/count_lines.hpp"
#include "strings/write/count_field.hpp"

namespace ordo::strings::detail {
namespace {

constexpr std::size_t most_bytes = std::size_t{16} << 10;

class string_sink final : public sink {
 public:
  void write(std::span<char const> data) override { text.append(data.data(), data.size()); }
  bool expect(std::uint64_t) override { return false; }
  std::string text;
};

// All texts, if that is no more than `most_bytes`.
bool read_small(text_job& job) {
  for (; job.more(); job.open.reset()) {
    std::size_t const before = job.host.size();
    std::span<char> const room = job.host.room(most_bytes + 1).first(most_bytes + 1 - before);
    std::size_t const got = job.open->read(room);
    job.host.resize(before + got);
    if (got == room.size()) return false;
    if (got != 0 && job.host.span().back() != job.how.delimiter) job.host.append({&job.how.delimiter, 1});
    if (job.host.size() > most_bytes) {
      job.open.reset();
      return false;
    }
  }
  return true;
}

// The text ends with a delimiter, or is empty.
std::string in_order(std::string_view text, order const& by, char delimiter, bool drop) {
  std::vector<std::string_view> lines;
  for (std::size_t end = 0; !text.empty(); text.remove_prefix(end + 1)) {
    end = text.find(delimiter);
    lines.push_back(text.substr(0, end));
  }
  line_comparison const compare(by, delimiter);
  std::ranges::stable_sort(lines, [&](std::string_view a, std::string_view b) { return compare(a, b) < 0; });
  std::string sorted;
  for (std::size_t k = 0; k < lines.size(); ++k)
    if (!drop || k == 0 || compare.by_keys(lines[k - 1], lines[k]) != 0) sorted.append(lines[k]).push_back(delimiter);
  return sorted;
}

std::string selected(text_job const& job) {
  options const& how = job.how;
  std::string_view const text(job.host.data(), job.host.size());
  std::string all = in_order(text, how.by, how.delimiter, job.equal == repeated::drop);
  if (is_counted(job.equal)) {
    string_sink counted;
    counting_sink counter(counted, how);
    counter.write(all);
    counter.finish();
    all = std::move(counted.text);
  }
  if (job.equal == repeated::by_count) {
    order second = by_falling_count();
    second.locale = how.by.locale;
    all = in_order(all, second, how.delimiter, false);
  }
  std::size_t end = 0;
  for (std::uint64_t left = how.head; left != 0 && end != all.size(); --left) end = all.find(how.delimiter, end) + 1;
  all.resize(end);
  return all;
}

}  // namespace

bool sorted_small(text_job& job) {
  if (job.report.machine.device == device::gpu || job.how.machine.on || job.from.bytes > most_bytes || !read_small(job))
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

}  // namespace ordo::strings::detail
