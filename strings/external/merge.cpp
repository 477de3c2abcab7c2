#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <utility>

#include "ordo/strings/external_sort.hpp"
#include "strings/external/count_lines.hpp"
#include "strings/external/line_merge.hpp"
#include "strings/external/run_store.hpp"
#include "strings/sort/line_sort.hpp"

namespace ordo::strings {
namespace {

using namespace detail;

constexpr std::size_t usual_batch = 16;
constexpr auto unknown_size = std::numeric_limits<std::uint64_t>::max();
constexpr std::size_t most_memory = std::size_t{256} << 20;  // more is no faster

// A text, or what was merged of some.
struct merge_input {
  std::size_t text = 0;
  stored_lines stored;
  bool is_stored = false;
};

class merging {
 public:
  merging(texts const& from, options const& how, repeated equal, spill const& where)
      : from_(from),
        how_(how),
        equal_(equal),
        store_(where, how.delimiter),
        batch_(batch_of(where, usual_batch)),
        inputs_(from.count) {
    for (std::size_t k = 0; k < from.count; ++k) inputs_[k].text = k;
  }

  merged run(sink& to) {
    while (inputs_.size() > batch_) pass();
    return merge_some(0, inputs_.size(), to);
  }

 private:
  // What comes out of texts that are not in order depends on which are merged when. As GNU sort does: as many full batches
  // as there are, and one more of as few as let all others be part of the next pass's last batch.
  void pass() {
    std::vector<merge_input> next;
    std::size_t done = 0;
    for (; inputs_.size() - done >= batch_; done += batch_) next.push_back(put_aside(done, batch_));
    std::size_t const rest = inputs_.size() - done, free = batch_ - next.size() % batch_;
    if (rest > free) {
      next.push_back(put_aside(done, rest - free + 1));
      done += rest - free + 1;
    }
    std::move(inputs_.begin() + std::ptrdiff_t(done), inputs_.end(), std::back_inserter(next));
    inputs_ = std::move(next);
  }

  merge_input put_aside(std::size_t first, std::size_t count) {
    merge_input made;
    made.is_stored = true;
    made.stored = store_.keep(unknown_size, [&](sink& to) { merge_some(first, count, to); });
    for (std::size_t k = first; k < first + count; ++k) store_.discard(inputs_[k].stored);
    return made;
  }

  merged merge_some(std::size_t first, std::size_t count, sink& to) {
    std::vector<std::unique_ptr<source>> open;
    for (std::size_t k = first; k < first + count; ++k)
      open.push_back(inputs_[k].is_stored ? store_.open(inputs_[k].stored) : from_.open(inputs_[k].text));
    merged const done = merge_lines(std::move(open), to, how_, equal_, std::min(how_.memory, most_memory));
    for (std::size_t k = first; k < first + count; ++k) inputs_[k].stored.plain.check();
    return done;
  }

  texts const& from_;
  options const& how_;
  repeated equal_;
  run_store store_;
  std::size_t batch_;
  std::vector<merge_input> inputs_;
};

}  // namespace

sort_report merge(texts const& from, sink& to, options const& how, repeated equal, spill const& where,
                  phase_observer const& began) {
  check_delimiter(how.delimiter);
  if (began) began(phase::write, from.bytes);
  sort_report report;
  report.written = write_selected(to, how, equal, where, [&](sink& lines) {
    merged const done = merging(from, how, kept_of(equal), where).run(lines);
    report.bytes = done.read;
    return done.written;
  });
  report.machine.reason = "merging is the CPU's work";
  return report;
}

}  // namespace ordo::strings
