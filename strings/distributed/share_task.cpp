#include "strings/distributed/share_task.hpp"

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "base/streams.hpp"
#include "strings/sort/line_sort.hpp"

namespace ordo::inline v0::strings::detail {

common_texts::common_texts(texts const& from) : from_(from), ranges_(from.count), piped_(from.count) {
  for (std::size_t k = 0; k < from.count; ++k) {
    auto const text = from.open(k);
    ranges_[k] = text_range::of(*text);
    if (ranges_[k].size != text_range::sequential) continue;
    append_all(*text, piped_[k]);
    ranges_[k] = {0, piped_[k].size()};
  }
}

std::unique_ptr<source> common_texts::open(std::size_t k) const {
  if (!piped_[k].empty()) return std::make_unique<memory_source>(std::string_view(piped_[k].data(), piped_[k].size()));
  std::lock_guard const lock(opening_);
  return from_.open(k);
}

texts common_texts::share(communicator const& members, char delimiter) const {
  texts const all{from_.count, 0, [this](std::size_t k) { return open(k); }};
  auto pieces = collect_pieces(all, 0, ranges_, members.size(), members.rank(), delimiter);
  texts share{pieces.size(), 0, {}};
  for (line_piece const& piece : pieces) share.bytes += piece.end - piece.begin;
  share.open = [this, pieces = std::move(pieces)](std::size_t i) -> std::unique_ptr<source> {
    line_piece const& piece = pieces[i];
    return std::make_unique<part_source>(open(piece.text), piece.begin, piece.end - piece.begin);
  };
  return share;
}

distributed_report sort_share(communicator& members, machine& on, common_texts const& all, sink& to, sort_options options,
                              duplicates equal, phase_observer const& began,
                              std::function<void(share_task&)> const& sort_share) {
  constexpr std::size_t usual_line = 64;  // bytes, for an estimate of the number of lines
  bool const is_first = members.rank() == 0;
  texts const share = all.share(members, options.delimiter);
  distributed_report report;
  report.sort.machine =
      choose_machine(options, std::size_t(share.bytes), [&] { return std::size_t(share.bytes) / usual_line; });
  options.machine.on = &on;
  std::optional<member_sink> part;
  output_opener const open = [&](std::uint64_t bytes) {
    if (is_first) expect_divided(to, bytes, part->begins());
    members.barrier();
    return &to;
  };
  phase_observer const silent, &watched = is_first ? began : silent;
  part.emplace(members, open, watched, &to);
  share_task task{members, share, *part, options, equal, watched, report};
  sort_share(task);
  part->finish();
  report.own_bytes = part->own_bytes();
  report.sort.written = part->all_bytes();
  return report;
}

}  // namespace ordo::inline v0::strings::detail
