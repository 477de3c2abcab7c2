#include "spectra/external/parts.hpp"

#include <algorithm>

#include "ordo/error.hpp"

namespace ordo::inline v0::spectra::detail {

void check_parts(order_options const& order) {
  if (order.parts && order.part_bytes) throw usage_error("a size of parts and a number of parts are mutually exclusive");
  if (order.parts == 0) throw usage_error("the number of parts is 0: there is always one");
}

void part_writer::open() {
  {
    std::lock_guard const lock(calling_);
    part_ = &to_.open(parts_++);
  }
  bool const one = !options_.part_bytes && !options_.parts;
  // The size of a single output is known before; that of a part when it is full.
  addressed_ = one && total_ ? part_->expect(front_.size() + *total_ + tail_) : !one && part_->expect_unknown();
  part_bytes_ = 0;
  any_in_part_ = false;
}

// Returns the part of a spectrum. With a number of parts, it depends on the bytes of spectra before it.
std::size_t part_writer::choose_part(ordered_spectrum const& spectrum) const {
  std::size_t const now = parts_ == 0 ? 0 : parts_ - 1;
  if (options_.part_bytes) return any_in_part_ && part_bytes_ + spectrum.bytes > *options_.part_bytes ? now + 1 : now;
  if (!options_.parts || *total_ == 0) return now;
  __extension__ using wide = unsigned __int128;
  return std::max(now, std::size_t(wide(planned_) * *options_.parts / *total_));
}

bool part_writer::plan(ordered_spectra& from, order_window& window, std::size_t max_bytes) {
  while (window.bytes < max_bytes) {
    if (!next_) {
      ordered_spectrum spectrum;
      if (!from.next(spectrum)) break;
      next_ = spectrum;
    }
    if (std::size_t const part = choose_part(*next_); parts_ == 0 || part != parts_ - 1) {
      if (window.to) break;  // a window is of one part
      open();
      window.opens = true;
      window.front = front_;
      window.bytes = front_.size();
      part_bytes_ = window.bytes;
    }
    if (!window.to) {
      window.to = part_;
      window.addressed = addressed_;
      window.part = parts_ - 1;
      window.at = part_bytes_ - window.bytes;
    }
    if (choose_part(*next_) != window.part) break;  // a part that stays empty
    window.all.push_back(*next_);
    window.bytes += next_->bytes;
    part_bytes_ += next_->bytes;
    planned_ += next_->bytes;
    any_in_part_ = true;
    next_.reset();
  }
  return window.to != nullptr;
}

void part_writer::end(order_window& window) {
  std::lock_guard const lock(calling_);
  if (window.opens && window.part != 0) to_.close(window.part - 1);
  written_ += window.bytes;
  if (!options_.on_written) return;
  origins_.clear();
  for (ordered_spectrum const& spectrum : window.all)
    origins_.push_back({window.part, spectrum.input, spectrum.number, spectrum.offset});
  options_.on_written(origins_);
}

void part_writer::write(ordered_spectra& from, std::size_t window) {
  write_windows(
      from, [&](order_window& order_window) { return plan(from, order_window, window); },
      [&](order_window& window) { end(window); });
}

void part_writer::put(std::string const& text) {
  if (addressed_)
    part_->write_at(part_bytes_, text);
  else
    part_->write(text);
  part_bytes_ += text.size();
  written_ += text.size();
}

void part_writer::finish(std::string const& tail) {
  std::size_t const wanted = options_.parts ? std::size_t(*options_.parts) : 1;
  do {
    if (parts_ != 0 && parts_ >= wanted) break;
    if (parts_ != 0) to_.close(parts_ - 1);
    open();
    put(front_);
  } while (parts_ < wanted);
  put(tail);
  to_.close(parts_ - 1);
}

}  // namespace ordo::inline v0::spectra::detail
