#include "ordo/spectra/distributed_sort.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/streams.hpp"
#include "distributed/output_part.hpp"
#include "ordo/error.hpp"
#include "spectra/chunk/reports.hpp"
#include "spectra/mgf/cutter.hpp"

namespace ordo::inline v0::spectra {
namespace {

/// A distributed sort.
class divided_sort {
 public:
  divided_sort(communicator& members, source const& input, output_opener const& open, sort_options const& options,
               std::size_t max_part)
      : members_(members),
        input_(input),
        open_(open),
        options_(options),
        max_part_(std::max<std::size_t>(max_part, 1)),
        size_(*input.size()),
        done_(std::min(size_, input.position())),
        drops_(!options.choice.empty() || !options.select.empty()) {
    options_.on_warning = {};
    options_.members = nullptr;
  }

  std::optional<distributed_report> run() {
    sink* const to = open_(drops_ ? std::nullopt : std::optional(size_ - done_));
    std::optional<part_sink> output;
    while (done_ < size_) {
      find_parts();
      if (to) output.emplace(*to, drops_ ? placed_ : done_ - input_.position(), to->addressable());
      bool const is_right = drops_ ? sort_to_memory(output) : sort_in_place(output);
      if (!is_right) return std::nullopt;
      done_ = round_end_;
    }
    detail::add_others(members_, report_.sort);
    return std::move(report_);
  }

 private:
  /// Returns the offset of the last spectrum that begins before `offset`, but not before what is done.
  [[nodiscard]] std::uint64_t cut_before(std::uint64_t offset) const {
    return offset >= size_ ? size_ : std::max(done_, detail::last_spectrum_before(input_, done_, offset));
  }

  /// Finds the parts of all members in the next round. All find the same ends.
  void find_parts() {
    std::uint64_t const p = members_.size(), rank = members_.rank();
    // The parts of the last rounds are equally long, too.
    for (std::uint64_t part = std::min<std::uint64_t>(max_part_, (size_ - done_ + p - 1) / p);; part *= 2) {
      round_end_ = cut_before(done_ + p * part);
      if (round_end_ == done_) continue;  // a spectrum is longer than the parts of all members
      begin_ = rank == 0 ? done_ : std::min(round_end_, cut_before(done_ + rank * part));
      end_ = rank + 1 == p ? round_end_ : std::min(round_end_, cut_before(done_ + (rank + 1) * part));
      return;
    }
  }

  /// Sorts this member's part.
  /// @returns false, for all members, if one of them has something to say. Collective.
  bool sort_part(sink& to) {
    bool is_right = true;
    if (begin_ != end_) {
      part_source part(input_, begin_, end_ - begin_);
      sort_options here = options_;
      here.input_bytes = options_.input_bytes == 0 ? 0 : end_ - begin_;
      if (options_.on_progress)
        here.on_progress = [&](std::uint64_t bytes) { options_.on_progress(done_ + bytes * members_.size()); };
      try {
        sort_report const done = spectra::sort(part, to, here);
        detail::add(report_.sort, done);
        if (done.reordered != 0) report_.sort.machine = done.machine;
        is_right = done.warnings == 0;
      } catch (input_error const&) {
        is_right = false;
      }
    }
    return members_.reduce(is_right, reduction::min) != 0;
  }

  /// Sorts a part of which all bytes are kept.
  bool sort_in_place(std::optional<part_sink>& output) {
    ordo::detail::output_part part(members_, members_.all_gather(end_ - begin_), output ? &*output : nullptr);
    if (!sort_part(part.writer())) return false;
    if (part.is_direct()) report_.own_bytes += end_ - begin_;
    part.finish();
    return true;
  }

  /// Sorts a part that may become shorter.
  bool sort_to_memory(std::optional<part_sink>& output) {
    growing_sink memory;
    if (!sort_part(memory)) return false;
    std::span<char const> const bytes = memory.bytes();
    std::vector<std::uint64_t> const sizes = members_.all_gather(std::uint64_t(bytes.size()));
    ordo::detail::output_part part(members_, sizes, output ? &*output : nullptr);
    if (!bytes.empty()) part.writer().write_at(0, bytes);
    if (part.is_direct()) report_.own_bytes += bytes.size();
    part.finish();
    for (std::uint64_t const size : sizes) placed_ += size;
    return true;
  }

  communicator& members_;
  source const& input_;
  output_opener const& open_;
  sort_options options_;
  std::size_t max_part_;
  std::uint64_t size_, done_;  // bytes of the input, and those that are done
  bool drops_;                 // whether the output may be shorter
  std::uint64_t placed_ = 0;   // bytes of output, if so
  std::uint64_t begin_ = 0, end_ = 0,
                round_end_ = 0;  // the range of this member's part, and the end of all parts of this round
  distributed_report report_;
};

}  // namespace

bool can_be_divided(sort_options const& options) {
  return !options.choice.needs_numbers();
}

std::optional<distributed_report> sort(communicator& members, source const& input, output_opener const& open,
                                       sort_options const& options, std::size_t max_part) {
  if (!input.size()) throw usage_error("cannot divide: spectra: the input is not addressable");
  if (!can_be_divided(options)) throw usage_error("cannot divide: spectra: a rule of the choice needs numbers of spectra");
  if (members.reduce(*input.size(), reduction::min) != members.reduce(*input.size(), reduction::max))
    throw input_error(fmt::format("different inputs: {}: the file must be the same on all hosts", options.name));
  return divided_sort(members, input, open, options, max_part).run();
}

}  // namespace ordo::inline v0::spectra
