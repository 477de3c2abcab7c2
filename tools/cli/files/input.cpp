#include "tools/cli/files/input.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "ordo/error.hpp"

namespace ordo::inline v0::cli {
namespace {

constexpr std::size_t min_room = std::size_t{256} << 10;
constexpr std::size_t progress_step = std::size_t{32} << 20;  // progress step of read_all

}  // namespace

input::input(std::string const& path, unsigned threads) : input(path, std::nullopt, threads) {}

input::input(std::string const& path, compression format, unsigned threads) : input(path, std::optional(format), threads) {}

input::input(std::string const& path, std::optional<compression> format, unsigned threads)
    : file_(std::make_unique<raw_file>(path)) {
  from_ = std::make_unique<lookahead>([file = file_.get()](std::span<char> to) { return file->read(to); });
  if (format) {
    format_ = *format;
  } else {
    auto const head = from_->peek(longest_magic);
    format_ = detect_compression(head);
    if (auto const named = compression_named(path); format_ == compression::none && is_cut_magic(named, head))
      file_->fail(fmt::format("truncated {} data", compression_name(named)));
  }
  decoder_ = make_decoder(format_, *from_, threads);
}

std::string_view input::front(std::size_t max_bytes) {
  if (auto const all = size()) {
    front_.resize(std::size_t(std::min<std::uint64_t>(max_bytes, *all - std::min(*all, position()))));
    read_at(position(), front_);
    front_read_ = front_.size();
  } else if (front_.empty()) {
    std::string looked(max_bytes, '\0');
    looked.resize(read(looked));
    front_ = std::move(looked);
    front_read_ = 0;
  }
  return front_;
}

std::size_t input::read(std::span<char> to) {
  if (front_read_ != front_.size()) {
    std::size_t const again = std::min(to.size(), front_.size() - front_read_);
    std::copy_n(front_.begin() + std::ptrdiff_t(front_read_), again, to.begin());
    front_read_ += again;
    return again == to.size() ? again : again + read(to.subspan(again));
  }
  try {
    return decoder_->read(to);
  } catch (decode_error const& e) {
    file_->fail(e.what());
  }
}

std::optional<std::uint64_t> input::size() const {
  return file_->has_addresses() && !compressed() ? file_->size() : std::nullopt;
}

void input::skip(std::uint64_t bytes) {
  auto const waiting = std::min<std::uint64_t>(bytes, from_->waiting());
  from_->use(static_cast<std::size_t>(waiting));
  file_->skip(bytes - waiting);
}

void read_all(input& from, host_bytes& to, std::size_t limit, std::function<void()> const& progress) {
  auto const left = from.file_size() ? *from.file_size() - std::min(*from.file_size(), from.file_read()) : 0;
  // One byte more than is expected: the read that finds the end needs a place.
  std::size_t const expected = from.compressed() ? 4 * left : left + min_room;
  try {
    to.reserve(to.size() + std::min(expected, limit - std::min(limit, to.size())));
  } catch (out_of_memory const&) {  // it may be less than is expected: it grows as it is read
  }
  for (;;) {
    std::span<char> room = to.room(min_room);
    room = room.first(std::min(room.size(), progress_step));
    std::size_t const got = from.read(room);
    if (progress) progress();
    to.resize(to.size() + got);
    if (to.size() > limit)
      throw out_of_memory(fmt::format("out of memory: {}: more than the {} bytes that fit", from.name(), limit), to.size());
    if (got < room.size()) return;
  }
}

host_bytes read_all(std::string const& path) {
  input from(path);
  host_bytes all;
  read_all(from, all);
  return all;
}

}  // namespace ordo::inline v0::cli
