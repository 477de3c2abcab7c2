#include "spectra/order/runs.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "ordo/detail/buffer.hpp"
#include "ordo/error.hpp"
#include "spectra/order/windows.hpp"

namespace ordo::spectra::detail {
namespace {

host_memory plain;

[[noreturn]] void fail_damaged(temporary_file const& file) {
  throw input_error(fmt::format("cannot read: {}: it is not what was written to it", file.name()));
}

// The texts of a run as they are written.
class run_sink final : public sink {
 public:
  run_sink(temporary_file& file, std::uint64_t begin) : file_(file), begin_(begin) {}
  void write(std::span<char const> data) override { write_at(std::exchange(end_, end_ + data.size()), data); }
  [[nodiscard]] bool addressable() const override { return true; }
  void write_at(std::uint64_t offset, std::span<char const> data) override {
    file_.write_at(begin_ + offset, data);
    sum_.add(offset, data);
  }
  [[nodiscard]] stored_range made(std::uint64_t bytes) const {
    stored_range one;
    one.file = &file_;
    one.begin = begin_;
    one.bytes = bytes;
    one.sum = sum_.sum();
    return one;
  }

 private:
  temporary_file& file_;
  std::uint64_t begin_, end_ = 0;
  place_sum sum_;
};

}  // namespace

void stored_range::check() const {
  if (loaded->bytes() == bytes && loaded->sum() != sum) fail_damaged(*file);
}

spectrum_run run_files::write(ordered_spectra& from, std::uint64_t bytes) {
  if (folders_.empty()) throw usage_error("no folder for temporary files");
  places_.resize(folders_.size());
  std::size_t const turn = turn_++ % folders_.size();
  if (!places_[turn]) places_[turn].reset(new place{temporary_file(folders_[turn]), temporary_file(folders_[turn])});
  place& in = *places_[turn];
  in.texts.reserve(in.texts_end, bytes);
  run_sink texts(in.texts, in.texts_end), index(in.index, in.index_end);
  std::uint64_t at = 0, indexed = 0;
  spectrum_run made;
  bool any = true;
  ordered_spectrum one;
  auto const plan = [&](order_window& window) {
    window.to = &texts;
    window.addressed = true;
    window.at = at;
    while (window.bytes < window_ && any) {
      any = from.next(one);
      if (!any) break;
      window.all.push_back(one);
      window.bytes += one.bytes;
      made.most_bytes = std::max(made.most_bytes, one.bytes);
      made.last_input = std::max(made.last_input, one.input);
      from.append_index(window.index);
    }
    at += window.bytes;
    return !window.all.empty();
  };
  write_windows(from, plan, [&](order_window& window) {
    index.write(window.index);
    indexed += window.index.size();
  });
  in.texts_end += at;
  in.index_end += indexed;
  made.texts = texts.made(at);
  made.index = index.made(indexed);
  return made;
}

void run_files::discard(spectrum_run& run) noexcept {
  for (stored_range* const one : {&run.texts, &run.index}) one->file->discard(one->begin, one->bytes);
}

index_reader::index_reader(spectrum_run const& run, order_keys const& keys, std::size_t buffer)
    : run_(run), index_(run.index), buffer_(buffer), codes_(keys.count()) {}

void index_reader::take(char* to, std::size_t size) {
  while (size != 0) {
    if (used_ == filled_) {
      filled_ = std::size_t(std::min<std::uint64_t>(buffer_.size(), index_.bytes - read_));
      if (filled_ == 0) fail_damaged(*index_.file);
      index_.load(read_, std::span(buffer_).first(filled_));
      read_ += filled_;
      used_ = 0;
    }
    std::size_t const part = std::min(size, filled_ - used_);
    std::memcpy(to, buffer_.data() + used_, part);
    used_ += part;
    to += part;
    size -= part;
  }
}

bool index_reader::next() {
  text_at_ += entry_.bytes;
  if (used_ == filled_ && read_ == index_.bytes) return false;
  take(reinterpret_cast<char*>(&entry_), sizeof(entry_));
  take(reinterpret_cast<char*>(codes_.data()), codes_.size() * sizeof(std::uint64_t));
  // No spectrum is without text.
  if (entry_.bytes == 0 || entry_.bytes > run_.most_bytes || entry_.bytes > run_.texts.bytes - text_at_ ||
      entry_.input > run_.last_input || entry_.title_bytes > index_.bytes)
    fail_damaged(*index_.file);
  title_.resize(entry_.title_bytes);
  take(title_.data(), title_.size());
  return true;
}

void index_reader::append(std::string& to) const {
  to.append(reinterpret_cast<char const*>(&entry_), sizeof(entry_));
  to.append(reinterpret_cast<char const*>(codes_.data()), codes_.size() * sizeof(std::uint64_t));
  to.append(title_);
}

merged_runs::merged_runs(std::vector<spectrum_run*> runs, order_keys const& keys, std::size_t buffer)
    : runs_(std::move(runs)), keys_(keys) {
  readers_.reserve(runs_.size());
  for (spectrum_run const* const run : runs_) readers_.emplace_back(*run, keys, buffer);
}

bool merged_runs::before(std::size_t a, std::size_t b) const {
  int const order = keys_.compare(readers_[a].values(), readers_[b].values());
  return order != 0 ? order < 0 : a < b;
}

bool merged_runs::next(ordered_spectrum& to) {
  auto const later = [this](std::size_t a, std::size_t b) { return before(b, a); };
  if (!std::exchange(begun_, true)) {
    for (std::size_t k = 0; k < readers_.size(); ++k)
      if (readers_[k].next()) heap_.push_back(k);
    std::ranges::make_heap(heap_, later);
  } else if (!heap_.empty()) {  // the last one was left in the heap, for its index
    std::ranges::pop_heap(heap_, later);
    if (readers_[heap_.back()].next())
      std::ranges::push_heap(heap_, later);
    else
      heap_.pop_back();
  }
  if (heap_.empty()) return false;
  last_ = heap_.front();
  index_reader const& reader = readers_[last_];
  index_entry const& entry = reader.entry();
  to = {entry.bytes, entry.number, entry.offset, entry.input, std::uint32_t(last_), nullptr, reader.text_at()};
  return true;
}

// Of each run the spectra follow one another: they are read at once, and then put where they belong.
void merged_runs::load(std::span<ordered_spectrum const> all, char* to) const {
  std::vector<std::uint64_t> at(runs_.size(), 0), bytes(runs_.size(), 0);
  std::size_t sum = 0;
  for (ordered_spectrum const& one : all) {
    if (bytes[one.run] == 0) at[one.run] = one.at;
    bytes[one.run] += one.bytes;
    sum += std::size_t(one.bytes);
  }
  buffer<char> const text(plain, sum);
  std::vector<char const*> from(runs_.size());
  std::size_t used = 0;
  for (std::size_t k = 0; k < runs_.size(); ++k) {
    if (bytes[k] == 0) continue;
    std::span<char> const room = text.span().subspan(used, std::size_t(bytes[k]));
    runs_[k]->texts.load(at[k], room);
    from[k] = room.data();
    used += room.size();
  }
  for (ordered_spectrum const& one : all) {
    std::memcpy(to, from[one.run], one.bytes);
    from[one.run] += one.bytes;
    to += one.bytes;
  }
}

std::uint64_t merged_runs::bytes() const {
  std::uint64_t sum = 0;
  for (spectrum_run const* const run : runs_) sum += run->texts.bytes;
  return sum;
}

void merged_runs::check() const {
  for (spectrum_run const* const run : runs_) {
    run->texts.check();
    run->index.check();
  }
}

}  // namespace ordo::spectra::detail
