#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include "sort_core/host/threads.hpp"
#include "strings/strings.hpp"

namespace ordo::strings {
namespace {

constexpr std::size_t batch_bytes = std::size_t{1} << 20, most_lines = std::size_t{1} << 14;
constexpr std::size_t long_line = 4096;  // from this length on a line is not copied before it is written
constexpr std::size_t look_ahead = 16;

// Lines gathered on one thread. Short ones are copied together; each long one is a piece of its own.
struct batch {
  struct piece {
    std::size_t copied;  // end of what goes out before it, in `text`
    std::string_view line;
  };
  std::string text;
  std::vector<piece> pieces;

  void gather(sorted_lines const& lines, std::size_t first, std::size_t last, repeated equal) {
    text.clear();
    pieces.clear();
    char const* const from = lines.text().data();
    for (std::size_t k = first; k < last; ++k) {
      if (k + look_ahead < last) __builtin_prefetch(from + lines.start(k + look_ahead));
      if (equal == repeated::drop && lines.repeats(k)) continue;
      std::string_view const line = lines[k];
      bool const ends = line.data() + line.size() != from + lines.text().size();  // else no delimiter follows
      std::string_view const whole(line.data(), line.size() + ends);
      if (whole.size() < long_line)
        text.append(whole);
      else
        pieces.push_back({text.size(), whole});
      if (!ends) text.push_back(lines.delimiter());
    }
  }

  template <class Sink>
  void put(Sink const& sink) const {
    std::size_t done = 0;
    auto const copied = [&](std::size_t end) {
      if (end != done) sink(std::string_view(text).substr(done, end - done));
      done = end;
    };
    for (piece const& p : pieces) {
      copied(p.copied);
      sink(p.line);
    }
    copied(text.size());
  }
};

}  // namespace

void write(sorted_lines const& lines, repeated equal, unsigned threads, std::function<void(std::string_view)> const& sink) {
  if (lines.size() == 0) return;
  tbb::task_arena arena(threads_for(threads));
  std::size_t const length = lines.text().size() / lines.size() + 1;
  std::size_t const step = std::clamp<std::size_t>(batch_bytes / length, 1, most_lines);
  std::size_t const tokens = 2 * std::size_t(arena.max_concurrency());
  // Batches go out in order and only so many are on their way: when a batch begins, the one `tokens` before it is out.
  std::vector<batch> batches(tokens);
  std::size_t next = 0;
  auto const count_off = [&](tbb::flow_control& control) {
    if (next * step >= lines.size()) control.stop();
    return next++;
  };
  auto const gather = [&](std::size_t b) {
    batches[b % tokens].gather(lines, b * step, std::min((b + 1) * step, lines.size()), equal);
    return b;
  };
  auto const put = [&](std::size_t b) { batches[b % tokens].put(sink); };
  using tbb::filter_mode;
  arena.execute([&] {
    tbb::parallel_pipeline(tokens, tbb::make_filter<void, std::size_t>(filter_mode::serial_in_order, count_off) &
                                       tbb::make_filter<std::size_t, std::size_t>(filter_mode::parallel, gather) &
                                       tbb::make_filter<std::size_t, void>(filter_mode::serial_in_order, put));
  });
}

}  // namespace ordo::strings
