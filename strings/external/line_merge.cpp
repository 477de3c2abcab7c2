#include "strings/external/line_merge.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "ordo/detail/load.hpp"
#include "ordo/host_bytes.hpp"
#include "ordo/strings/line_comparison.hpp"
#include "strings/external/count_lines.hpp"

namespace ordo::strings::detail {
namespace {

constexpr std::size_t least_buffer = std::size_t{16} << 10, most_buffer = std::size_t{1} << 20;
constexpr std::size_t written_at_once = std::size_t{256} << 10;

// The lines of a text, one after the other.
class line_reader {
 public:
  line_reader(std::unique_ptr<source> from, char delimiter, std::size_t buffer)
      : from_(std::move(from)), delimiter_(delimiter) {
    bytes_.resize(buffer);
  }

  /// @returns false if there is none left
  bool next() {
    begin_ = next_;
    std::size_t searched = begin_;
    for (;;) {
      if (void const* const found = std::memchr(bytes_.data() + searched, delimiter_, end_ - searched)) {
        length_ = std::size_t(static_cast<char const*>(found) - bytes_.data()) - begin_;
        next_ = begin_ + length_ + 1;
        return true;
      }
      searched = end_ - begin_;  // in the place that the line is moved to
      if (!from_) break;
      refill();
    }
    length_ = end_ - begin_;
    next_ = end_;
    return length_ != 0;
  }
  [[nodiscard]] std::string_view line() const { return {bytes_.data() + begin_, length_}; }

 private:
  void refill() {
    std::memmove(bytes_.data(), bytes_.data() + begin_, end_ - begin_);
    end_ -= std::exchange(begin_, 0);
    if (end_ == bytes_.size()) bytes_.resize(2 * bytes_.size());
    std::span<char> const room = bytes_.span().subspan(end_);
    std::size_t const got = from_->read(room);
    end_ += got;
    if (got < room.size()) from_.reset();
  }

  std::unique_ptr<source> from_;
  char delimiter_;
  host_bytes bytes_;
  std::size_t begin_ = 0, length_ = 0;  // of the line
  std::size_t next_ = 0, end_ = 0;      // of what was read behind it
};

// Where lines are compared as wholes, eight bytes of each are at hand.
class tournament {
 public:
  tournament(std::vector<line_reader>& texts, options const& how)
      : texts_(texts),
        compare_(how.by, how.delimiter),
        by_bytes_(how.by.is_plain()),
        reverse_(how.by.reverse),
        heads_(texts.size()),
        losers_(texts.size()) {
    if (texts.empty()) return;
    for (std::size_t k = 0; k < texts.size(); ++k) advance(k);
    // Each match is played when its second player is there; what is left is the winner.
    std::vector<std::size_t> winners(2 * texts.size());
    for (std::size_t node = 2 * texts.size() - 1; node > 0; --node) {
      if (node >= texts.size()) {
        winners[node] = node - texts.size();
        continue;
      }
      std::size_t const a = winners[2 * node], b = winners[2 * node + 1];
      bool const first = goes_before(a, b);
      winners[node] = first ? a : b;
      losers_[node] = first ? b : a;
    }
    winner_ = texts.size() > 1 ? winners[1] : 0;
  }

  [[nodiscard]] bool over() const { return texts_.empty() || heads_[winner_].over; }
  [[nodiscard]] std::string_view line() const { return texts_[winner_].line(); }
  void next() {
    advance(winner_);
    for (std::size_t node = (winner_ + texts_.size()) / 2; node > 0; node /= 2)
      if (goes_before(losers_[node], winner_)) std::swap(losers_[node], winner_);
  }

 private:
  struct head {
    std::uint64_t first_bytes = 0;
    bool over = false;
  };

  void advance(std::size_t k) {
    head& now = heads_[k];
    now.over = !texts_[k].next();
    if (now.over || !by_bytes_) return;
    std::string_view const line = texts_[k].line();
    auto const* const bytes = reinterpret_cast<unsigned char const*>(line.data());
    // A line that ends is told from one that goes on with NULs by the whole comparison.
    now.first_bytes = line.empty() ? 0 : load_big_endian(bytes, std::min<std::size_t>(line.size(), 8));
    if (reverse_) now.first_bytes = ~now.first_bytes;
  }

  bool goes_before(std::size_t a, std::size_t b) {
    if (heads_[a].over || heads_[b].over) return !heads_[a].over || (heads_[b].over && a < b);
    if (heads_[a].first_bytes != heads_[b].first_bytes) return heads_[a].first_bytes < heads_[b].first_bytes;
    int const order = compare_(texts_[a].line(), texts_[b].line());
    return order < 0 || (order == 0 && a < b);
  }

  std::vector<line_reader>& texts_;
  line_comparison compare_;
  bool by_bytes_, reverse_;
  std::vector<head> heads_;
  std::vector<std::size_t> losers_;  // of the match at each inner node of a tree whose leaves are the texts
  std::size_t winner_ = 0;
};

}  // namespace

merged merge_lines(std::vector<std::unique_ptr<source>> texts, sink& to, options const& how, repeated equal,
                   std::size_t memory) {
  std::size_t const buffer = std::clamp(memory / (texts.size() + 1), least_buffer, most_buffer);
  std::vector<line_reader> lines;
  lines.reserve(texts.size());
  for (auto& text : texts) lines.emplace_back(std::move(text), how.delimiter, buffer);
  tournament all(lines, how);
  line_comparison compare(how.by, how.delimiter);
  std::string last, out;  // last: with equal lines dropped, the last one written
  bool first = true;
  merged sum;
  try {
    for (; !all.over(); all.next()) {
      std::string_view const line = all.line();
      sum.read += line.size() + 1;
      if (equal == repeated::drop) {
        if (!std::exchange(first, false) && compare(last, line) == 0) continue;
        last = line;
      }
      out.append(line).push_back(how.delimiter);
      if (out.size() < written_at_once) continue;
      sum.written += out.size();
      to.write(out);
      out.clear();
    }
    sum.written += out.size();
    if (!out.empty()) to.write(out);
  } catch (enough_lines const&) {}  // what is behind them need not be read
  return sum;
}

}  // namespace ordo::strings::detail
