#include "strings/external/runs.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "ordo/error.hpp"

namespace ordo::strings::detail {
namespace {

constexpr std::uint64_t least_block = std::uint64_t{16} << 10, most_blocks = 4096;
constexpr std::size_t page = 4096, most_read = std::size_t{1} << 20;

}  // namespace

double run::lines(std::uint64_t begin, std::uint64_t end) const {
  if (begin >= end) return 0;
  double sum = 0;
  for (std::uint64_t b = begin / block; b * block < end; ++b) {
    std::uint64_t const first = std::max(begin, b * block), last = std::min({end, (b + 1) * block, bytes});
    std::uint64_t const size = std::min(block, bytes - b * block);
    sum += double(lines_in_block[b]) * double(last - first) / double(size);
  }
  return sum;
}

void run::check() const {
  if (loaded && loaded->bytes() == bytes && loaded->sum() != sum)
    throw input_error(fmt::format("cannot read: {}: it is not what was written to it", file->name()));
}

run_sink::run_sink(temporary_file& file, std::uint64_t offset, std::uint64_t most_bytes, char delimiter)
    : file_(file),
      offset_(offset),
      block_(std::max(least_block, most_bytes / most_blocks + 1)),
      delimiter_(delimiter),
      lines_(most_bytes / block_ + 1) {}

bool run_sink::expect(std::uint64_t bytes) {
  file_.reserve(offset_, bytes);
  expected_ = bytes;
  return true;
}

void run_sink::write(std::span<char const> data) {
  write_at(end_, data);
  end_ += data.size();
}

void run_sink::write_at(std::uint64_t offset, std::span<char const> data) {
  file_.write_at(offset_ + offset, data);
  sum_.add(offset, data);
  while (!data.empty()) {
    std::uint64_t const block = offset / block_;
    auto const part = data.first(std::size_t(std::min<std::uint64_t>(data.size(), (block + 1) * block_ - offset)));
    lines_.at(block).fetch_add(std::uint32_t(std::count(part.begin(), part.end(), delimiter_)), std::memory_order_relaxed);
    offset += part.size();
    data = data.subspan(part.size());
  }
}

run run_sink::finish() {
  run made{&file_, offset_, expected_.value_or(end_), block_, {}, sum_.sum(), std::make_shared<place_sum>()};
  made.lines_in_block.assign(lines_.begin(), lines_.begin() + std::ptrdiff_t((made.bytes + block_ - 1) / block_));
  return made;
}

slices_source::slices_source(std::vector<slice> slices) : slices_(std::move(slices)) {
  std::erase_if(slices_, [](slice const& s) { return s.bytes() == 0; });
  std::uint64_t end = 0;
  for (slice const& s : slices_) ends_.push_back(end += s.bytes());
}

std::size_t slices_source::read(std::span<char> to) {
  std::uint64_t const left = *size() - position_;
  auto const part = to.first(std::size_t(std::min<std::uint64_t>(to.size(), left)));
  read_at(position_, part);
  position_ += part.size();
  return part.size();
}

void slices_source::read_at(std::uint64_t offset, std::span<char> to) const {
  auto k = std::size_t(std::upper_bound(ends_.begin(), ends_.end(), offset) - ends_.begin());
  for (; !to.empty(); ++k) {
    slice const& from = slices_[k];
    std::uint64_t const left = ends_[k] - offset;
    auto const part = to.first(std::size_t(std::min<std::uint64_t>(to.size(), left)));
    from.of->load_at(from.end - left, part);
    offset += part.size();
    to = to.subspan(part.size());
  }
}

// What can be had from `at` on: `least` bytes or more, or all up to the run's end.
std::span<char const> run_reader::window(std::uint64_t at, std::size_t least) {
  std::size_t const wanted = std::size_t(std::min<std::uint64_t>(least, run_->bytes - at));
  if (at < begin_ || at + wanted > begin_ + bytes_.size()) {
    // Whole pages, as the system reads them anyway.
    std::uint64_t const in_page = page - (run_->offset + at) % page;
    std::size_t const size = std::size_t(std::min<std::uint64_t>(std::max<std::uint64_t>(wanted, in_page), run_->bytes - at));
    bytes_.resize(size);
    run_->read_at(at, bytes_);
    begin_ = at;
  }
  return std::span<char const>(bytes_).subspan(std::size_t(at - begin_));
}

std::uint64_t run_reader::first_line(std::uint64_t at, std::uint64_t end) {
  if (at == 0) return 0;
  std::size_t least = 1;
  for (std::uint64_t from = at - 1; from + 1 < end; least = std::min(4 * std::max(least, page), most_read)) {
    auto const bytes = window(from, least);
    auto const seen = bytes.first(std::size_t(std::min<std::uint64_t>(bytes.size(), end - 1 - from)));
    if (void const* const found = std::memchr(seen.data(), delimiter_, seen.size()))
      return from + std::uint64_t(static_cast<char const*>(found) - seen.data()) + 1;
    from += seen.size();
  }
  return end;
}

std::uint64_t run_reader::line_around(std::uint64_t at, std::uint64_t begin) {
  for (std::size_t size = page / 8; at != begin; size = std::min(4 * size, most_read)) {
    std::uint64_t const from = at - std::min<std::uint64_t>(at - begin, size);
    auto const bytes = window(from, std::size_t(at - from)).first(std::size_t(at - from));
    if (void const* const found = memrchr(bytes.data(), delimiter_, bytes.size()))
      return from + std::uint64_t(static_cast<char const*>(found) - bytes.data()) + 1;
    at = from;
  }
  return begin;
}

std::string_view run_reader::line(std::uint64_t begin, std::size_t most) {
  std::size_t searched = 0;
  for (std::size_t least = 1;; least = 2 * searched) {
    auto const bytes = window(begin, least);
    auto const seen = bytes.first(std::min(bytes.size(), most));
    if (void const* const found = std::memchr(seen.data() + searched, delimiter_, seen.size() - searched))
      return {seen.data(), static_cast<char const*>(found)};
    searched = seen.size();
    // A run ends with a delimiter; one that does not is damaged, and what is left of it a line.
    if (searched == most || begin + searched == run_->bytes) return {seen.data(), searched};
  }
}

}  // namespace ordo::strings::detail
