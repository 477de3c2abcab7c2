#include "spectra/mgf/slices.hpp"

#include <algorithm>
#include <utility>

#include "ordo/memory.hpp"
#include "spectra/mgf/line.hpp"

namespace ordo::spectra::detail {
namespace {

// It has no state, so threads may share it.
host_memory plain;

// What is looked at first for the end of a slice: more than most spectra have.
constexpr std::size_t first_tail = std::size_t{16} << 10;

}  // namespace

std::span<char> slice::room(std::size_t wanted, std::size_t kept) {
  if (memory_.size() < wanted) {
    buffer<char> larger(plain, wanted);
    std::copy_n(memory_.data(), kept, larger.data());
    memory_ = std::move(larger);
  }
  return memory_.span();
}

std::size_t slice::end_last_line() {
  std::string_view const before(memory_.data(), size);
  if (before.empty() || is_line_end(before.back())) return 0;
  std::size_t const last = before.find_last_of("\r\n");
  std::string_view end = "\n";
  if (last != before.npos) end = before.substr(last > 0 && before.substr(last - 1, 2) == "\r\n" ? last - 1 : last).substr(0, 2);
  std::string const added(end.starts_with("\r\n") ? end : end.substr(0, 1));
  std::span<char> const all = room(size + added.size(), size);
  std::copy(added.begin(), added.end(), all.begin() + std::ptrdiff_t(size));
  size += added.size();
  return added.size();
}

bool slices::next(slice& made, std::size_t wanted) {
  if (std::exchange(at_end_, true)) return false;  // and if this fails it was the last
  wanted = std::clamp<std::size_t>(wanted, 1, limit / 2);
  made.offset = done_;
  made.begun = begun_;
  bool const last = size_ ? find_end(made, wanted) : read(made, wanted);
  made.last = at_end_ = last || made.size >= limit;
  done_ += made.size;
  return true;
}

void slices::fill(slice& made) const {
  if (!size_) return;
  static_cast<void>(made.room(made.size));
  from_.read_at(begin_ + made.offset, made.text());
}

// @returns whether it is the last
bool slices::find_end(slice& made, std::size_t wanted) {
  std::uint64_t const begin = begin_ + done_, left = *size_ - std::min(*size_, begin);
  for (; wanted < left; wanted *= 2) {
    made.size = wanted >= limit ? wanted : cut_at(begin, wanted);
    if (made.size != 0) return false;
  }
  made.size = std::size_t(left);
  return true;
}

// whole_spectra of that part of the source, by no more of its end than must be looked at.
std::size_t slices::cut_at(std::uint64_t begin, std::size_t size) {
  for (std::size_t looked = first_tail;; looked *= 4) {
    looked = std::min(looked, size);
    tail_.resize(looked);
    from_.read_at(begin + (size - looked), tail_);
    last_cut const found = find_cut({tail_.data(), looked});
    // What comes before the tail may make another line of its first one.
    bool const certain = looked == size || (found.begin && *found.begin != 0);
    begun_ = begun_ || (certain && found.begin);
    if (certain) return where_ == cut::spectrum && !found.begin ? 0 : size - looked + chosen(found);
  }
}

// @returns whether it is the last
bool slices::read(slice& made, std::size_t wanted) {
  std::span<char> room = made.room(std::max(wanted, 2 * rest_.size()));
  std::copy(rest_.begin(), rest_.end(), room.begin());
  for (std::size_t have = rest_.size();;) {
    std::size_t const got = from_.read(room.subspan(have));
    bool const last = got < room.size() - have;
    have += got;
    last_cut const found = find_cut({room.data(), have});
    begun_ = begun_ || found.begin;
    made.size = last || (chosen(found) == 0 && have >= limit) ? have : chosen(found);
    if (made.size != 0 || last) {
      rest_.assign(room.begin() + std::ptrdiff_t(made.size), room.begin() + std::ptrdiff_t(have));
      return last;
    }
    room = made.room(2 * have, have);
  }
}

}  // namespace ordo::spectra::detail
