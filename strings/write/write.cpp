#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ordered_turns.hpp"
#include "base/pooled_arena.hpp"
#include "base/shared_ranges.hpp"
#include "base/threads.hpp"
#include "ordo/strings.hpp"
#include "strings/write/selected_lines.hpp"

namespace ordo::inline v0::strings {
namespace {

using detail::append_count;
using detail::selected_lines;

constexpr std::size_t batch_bytes = std::size_t{1} << 20, max_lines = std::size_t{1} << 14;
constexpr std::size_t long_line = 4096;  // bytes; a line of this length is not copied before it is written
constexpr std::size_t look_ahead = 16, cache_line = 64, max_prefetched = 255;

// Gathers lines on one thread. Short lines are copied into a text, long lines are written from where they are.
class batch {
 public:
  void gather(sorted_lines const& lines, selected_lines const& selected, std::size_t first, std::size_t last) {
    text_.clear();
    pieces_.clear();
    size_ = 0;
    char const* const from = lines.text().data();
    std::size_t const near = std::min(lines.text().size() / lines.size(), max_prefetched);
    for (std::size_t k = first; k < last; ++k) {
      if (k + look_ahead < last) prefetch(from + lines.start(selected.line(k + look_ahead)), near);
      if (selected.is_left_out(k)) continue;
      if (std::uint64_t const count = selected.count(k)) append_count(text_, count);
      std::string_view const line = lines[selected.line(k)];
      bool const ends = line.data() + line.size() != from + lines.text().size();  // otherwise no delimiter follows
      std::string_view const whole(line.data(), line.size() + ends);
      if (whole.size() < long_line) {
        text_.append(whole);
      } else {
        pieces_.push_back({text_.size(), whole});
        size_ += whole.size();
      }
      if (!ends) text_.push_back(lines.delimiter());
    }
    size_ += text_.size();
  }
  [[nodiscard]] std::size_t size() const { return size_; }

  /// Calls put(bytes) for every piece, in order.
  template <class Put>
  void each_piece(Put put) const {
    std::size_t done = 0;
    auto const copied = [&](std::size_t end) {
      if (end != done) put(std::string_view(text_).substr(done, end - done));
      done = end;
    };
    for (piece const& p : pieces_) {
      copied(p.copied);
      put(p.line);
    }
    copied(text_.size());
  }

 private:
  // Prefetches the first `near` bytes of a line, and the rest of their last cache line.
  static void prefetch(char const* line, std::size_t near) {
    for (std::size_t at = 0; at <= near; at += cache_line) __builtin_prefetch(line + at);
  }

  struct piece {
    std::size_t copied;  // bytes of text_ that come before the line
    std::string_view line;
  };
  std::string text_;
  std::vector<piece> pieces_;
  std::size_t size_ = 0;
};

}  // namespace

std::uint64_t write(sorted_lines const& lines, duplicates equal, unsigned threads, sink& to, std::uint64_t head) {
  if (lines.size() == 0 || head == 0) {
    to.expect(0);
    return 0;
  }
  pooled_arena arena(threads_for(threads));
  std::optional<selected_lines> selected;
  std::uint64_t const total = arena.execute([&] { return selected.emplace(lines, equal, head).bytes(); });
  bool const addressed = to.expect_placed(total);
  std::size_t const length = lines.text().size() / lines.size() + 1;
  std::size_t const step = std::clamp<std::size_t>(batch_bytes / length, 1, max_lines);
  ordo::detail::shared_ranges batches(selected->size(), step);
  ordered_turns in_order;
  std::uint64_t end = 0;  // where the batches end that have had their turn
  batches.share(arena.get(), unsigned(arena.max_concurrency()), [&](unsigned) {
    try {
      batch lines_here;
      while (auto const p = batches.next()) {
        lines_here.gather(lines, *selected, p->at, p->at + p->size);
        std::uint64_t at = 0;
        bool const had_turn = in_order.take(p->at / step, [&] {
          at = end;
          end += lines_here.size();
          if (!addressed) lines_here.each_piece([&](std::string_view piece) { to.write(piece); });
          if (addressed)
            lines_here.each_piece([&, place = at](std::string_view piece) mutable {
              to.place(place, piece);
              place += piece.size();
            });
        });
        if (!had_turn) return;
        if (!addressed) continue;
        lines_here.each_piece([&](std::string_view piece) {
          to.write_at(at, piece);
          at += piece.size();
        });
      }
    } catch (...) {
      in_order.stop();
      throw;
    }
  });
  return total;
}

}  // namespace ordo::inline v0::strings
