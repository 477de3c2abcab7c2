#include "strings/external/count_lines.hpp"

#include <algorithm>
#include <cstring>

#include "base/external/runs.hpp"
#include "strings/write/selected_lines.hpp"

namespace ordo::inline v0::strings::detail {
namespace {

constexpr std::size_t written_at_once = std::size_t{256} << 10;

}  // namespace

void head_sink::write(std::span<char const> data) {
  std::size_t wanted = 0;
  while (left_ != 0 && wanted != data.size()) {
    void const* const result = std::memchr(data.data() + wanted, delimiter_, data.size() - wanted);
    wanted = result ? std::size_t(static_cast<char const*>(result) - data.data()) + 1 : data.size();
    if (result) --left_;
  }
  if (wanted != 0) to_.write(data.first(wanted));
  written_ += wanted;
  if (wanted != data.size()) throw enough_lines{};
}

void counting_sink::write(std::span<char const> data) {
  std::string_view rest(data.data(), data.size());
  while (!rest.empty()) {
    std::size_t const length = rest.find(delimiter_);
    if (length == rest.npos) {
      unfinished_ += rest;
      return;
    }
    if (unfinished_.empty()) {
      take(rest.substr(0, length));
    } else {
      unfinished_ += rest.substr(0, length);
      take(unfinished_);
      unfinished_.clear();
    }
    rest.remove_prefix(length + 1);
  }
}

void counting_sink::take(std::string_view line, std::uint64_t count) {
  if (count_ != 0 && (plain_ ? line == first_ : compare_(line, first_) == 0)) {
    count_ += count;
    return;
  }
  put();
  first_ = line;
  count_ = count;
}

void counting_sink::put() {
  if (count_ != 0) {
    append_count(out_, count_);
    out_.append(first_).push_back(delimiter_);
  }
  if (out_.size() < written_at_once) return;
  to_.write(out_);
  out_.clear();
}

void counting_sink::finish() {
  if (!unfinished_.empty()) take(unfinished_);
  put();
  count_ = 0;
  if (!out_.empty()) to_.write(out_);
  out_.clear();
}

order by_falling_count() {
  order by;
  by.keys.push_back({.type = key_type::number, .reverse = true});
  by.reverse = true;
  return by;
}

std::uint64_t write_selected(sink& to, sort_options const& options, duplicates equal, spill_options const& spill,
                             std::function<std::uint64_t(sink&)> const& fill,
                             std::function<void(counting_sink&)> const& fill_counted) {
  if (equal == duplicates_to_sort(equal) && options.head == sort_options{}.head) return fill(to);
  auto const count_into = [&](sink& counted) {
    counting_sink counter(counted, options);
    if (fill_counted)
      fill_counted(counter);
    else
      fill(counter);
    counter.finish();
  };
  if (equal == duplicates::by_count) {
    external::run_files files(spill.folders, spill.compress_program, spill.on_no_program);
    external::stored_range const counted = files.write(count_into);
    sort_options second = options;
    second.by = by_falling_count();
    second.by.locale = options.by.locale;
    texts const texts{1, counted.compressed ? 0 : counted.bytes, [&](std::size_t) { return files.open(counted); }};
    std::uint64_t const written = sort_external(texts, to, second, duplicates::keep, spill).written;
    counted.check();
    return written;
  }
  head_sink first(to, options.head, options.delimiter);
  try {
    if (equal == duplicates::count)
      count_into(first);
    else
      fill(first);
  } catch (enough_lines const&) {}
  return first.written();
}

}  // namespace ordo::inline v0::strings::detail
