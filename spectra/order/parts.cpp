#include "spectra/order/parts.hpp"

#include <algorithm>

namespace ordo::spectra::detail {

void part_writer::open() {
  {
    std::lock_guard const lock(calling_);
    part_ = &to_.open(parts_++);
  }
  bool const one = !how_.part_bytes && !how_.parts;
  // The size of a single output is known; that of a part only when it is full.
  addressed_ = one && total_ ? part_->expect(front_.size() + *total_ + tail_) : !one && part_->expect_unknown();
  part_bytes_ = 0;
  any_in_part_ = false;
}

// Returns the part of a spectrum. With a number of parts, the bytes of the spectra before it decide.
std::size_t part_writer::part_of(ordered_spectrum const& one) const {
  std::size_t const now = parts_ == 0 ? 0 : parts_ - 1;
  if (how_.part_bytes) return any_in_part_ && part_bytes_ + one.bytes > *how_.part_bytes ? now + 1 : now;
  if (!how_.parts || *total_ == 0) return now;
  __extension__ using wide = unsigned __int128;
  return std::max(now, std::size_t(wide(planned_) * *how_.parts / *total_));
}

bool part_writer::plan(ordered_spectra& from, order_window& window, std::size_t most) {
  while (window.bytes < most) {
    if (!next_) {
      ordered_spectrum one;
      if (!from.next(one)) break;
      next_ = one;
    }
    if (std::size_t const part = part_of(*next_); parts_ == 0 || part != parts_ - 1) {
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
    if (part_of(*next_) != window.part) break;  // a part that stays empty
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
  if (!how_.on_placed) return;
  origins_.clear();
  for (ordered_spectrum const& one : window.all) origins_.push_back({window.part, one.input, one.number, one.offset});
  how_.on_placed(origins_);
}

void part_writer::write(ordered_spectra& from, std::size_t window) {
  write_windows(
      from, [&](order_window& one) { return plan(from, one, window); }, [&](order_window& one) { end(one); });
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
  std::size_t const wanted = how_.parts ? std::size_t(*how_.parts) : 1;
  do {
    if (parts_ != 0 && parts_ >= wanted) break;
    if (parts_ != 0) to_.close(parts_ - 1);
    open();
    put(front_);
  } while (parts_ < wanted);
  put(tail);
  to_.close(parts_ - 1);
}

}  // namespace ordo::spectra::detail
