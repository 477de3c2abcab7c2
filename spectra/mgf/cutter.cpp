#include "spectra/mgf/cutter.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "spectra/mgf/scan.hpp"

namespace ordo::inline v0::spectra::detail {
namespace {

// Bytes that are read first to find the end of a chunk: more than most spectra have.
constexpr std::size_t first_tail = std::size_t{16} << 10;

// A first line of more bytes is looked at before its end is there.
constexpr std::size_t max_first_line = std::size_t{1} << 20;

// Finds the last place to cut in a part of a source, and reads no more of its end than it must. @param tail  to read it
last_cut find_last_cut(source const& from, std::uint64_t begin, std::uint64_t size, std::vector<char>& tail) {
  for (std::uint64_t looked = first_tail;; looked *= 4) {
    looked = std::min(looked, size);
    tail.resize(std::size_t(looked));
    from.read_at(begin + (size - looked), tail);
    last_cut cut = find_cut({tail.data(), tail.size()});
    // The text before the tail may change the meaning of its first line.
    if (looked != size && (!cut.begin || *cut.begin == 0)) continue;
    cut.at += std::size_t(size - looked);
    if (cut.begin) *cut.begin += std::size_t(size - looked);
    return cut;
  }
}

}  // namespace

std::size_t mgf_text::end_last_line() {
  std::string_view const before = view();
  if (before.empty() || is_line_end(before.back())) return 0;
  std::size_t const last = before.find_last_of("\r\n");
  std::string_view end = "\n";
  if (last != before.npos) end = before.substr(last > 0 && before.substr(last - 1, 2) == "\r\n" ? last - 1 : last).substr(0, 2);
  std::string const added(end.starts_with("\r\n") ? end : end.substr(0, 1));
  std::ranges::copy(added, room(size + added.size(), size).begin() + std::ptrdiff_t(size));
  size += added.size();
  return added.size();
}

bool mgf_cutter::next(mgf_text& chunk, std::size_t wanted) {
  if (std::exchange(at_end_, true)) return false;  // if this call fails there is no next one
  wanted = std::clamp<std::size_t>(wanted, 1, chunk_text::max_bytes / 2);
  chunk.offset = cut_;
  chunk.begun = begun_;
  bool const last = size_ ? find_end(chunk, wanted) : read(chunk, wanted);
  chunk.last = at_end_ = last || chunk.size >= chunk_text::max_bytes;
  cut_ += chunk.size;
  return true;
}

void mgf_cutter::fill(mgf_text& chunk) const {
  if (!size_) return;
  static_cast<void>(chunk.room(chunk.size));
  from_.read_at(begin_ + chunk.offset, chunk.bytes());
}

// @returns true for the last chunk
bool mgf_cutter::find_end(mgf_text& chunk, std::size_t wanted) {
  std::uint64_t const begin = begin_ + cut_, left = *size_ - std::min(*size_, begin);
  for (; wanted < left; wanted *= 2) {
    chunk.size = wanted >= chunk_text::max_bytes ? wanted : cut_at(begin, wanted);
    if (chunk.size != 0) return false;
    if (cut_ != 0 || !may_refuse_ || wanted < max_first_line) continue;
    tail_.resize(max_first_line);
    from_.read_at(begin, tail_);
    if (!refuses({tail_.data(), tail_.size()})) continue;
    chunk.size = max_first_line;
    return true;
  }
  chunk.size = std::size_t(left);
  return true;
}

// @param front  the first bytes of the rest
bool mgf_cutter::refuses(std::string_view front) const {
  if (!may_refuse_ || cut_ != 0 || front.find_first_of("\r\n") != front.npos) return false;
  if (front.starts_with(byte_order_mark)) front.remove_prefix(byte_order_mark.size());
  return is_foreign(trimmed(front));
}

// Finds the last place to cut in a part of the source.
std::size_t mgf_cutter::cut_at(std::uint64_t begin, std::size_t size) {
  last_cut const last_cut = find_last_cut(from_, begin, size, tail_);
  begun_ = begun_ || last_cut.begin;
  return where_ == cut::spectrum && !last_cut.begin ? 0 : chosen(last_cut);
}

std::uint64_t last_spectrum_before(source const& from, std::uint64_t begin, std::uint64_t end) {
  std::vector<char> tail;
  return begin + find_last_cut(from, begin, end - begin, tail).begin.value_or(0);
}

// @returns true for the last chunk
bool mgf_cutter::read(mgf_text& chunk, std::size_t wanted) {
  std::span<char> room = chunk.room(std::max(wanted, 2 * rest_.size()));
  std::copy(rest_.begin(), rest_.end(), room.begin());
  for (std::size_t have = rest_.size();;) {
    std::size_t const got = from_.read(room.subspan(have));
    bool const last = got < room.size() - have;
    have += got;
    last_cut const cut = find_cut({room.data(), have});
    begun_ = begun_ || cut.begin;
    if (!last && have >= max_first_line && refuses({room.data(), max_first_line})) {
      chunk.size = max_first_line;
      return true;
    }
    chunk.size = last || (chosen(cut) == 0 && have >= chunk_text::max_bytes) ? have : chosen(cut);
    if (chunk.size != 0 || last) {
      rest_.assign(room.begin() + std::ptrdiff_t(chunk.size), room.begin() + std::ptrdiff_t(have));
      return last;
    }
    room = chunk.room(2 * have, have);
  }
}

}  // namespace ordo::inline v0::spectra::detail
