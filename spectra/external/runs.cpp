#include "spectra/external/runs.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "ordo/detail/buffer.hpp"
#include "spectra/external/windows.hpp"

namespace ordo::inline v0::spectra::detail {
namespace {

host_memory plain;

std::vector<index_reader> open_readers(std::span<spectrum_run const> runs, order_keys const& keys, std::size_t buffer) {
  std::vector<index_reader> readers;
  readers.reserve(runs.size());
  for (spectrum_run const& run : runs) readers.emplace_back(run, keys, buffer);
  return readers;
}

}  // namespace

spectrum_run spectrum_run_files::write(ordered_spectra& from, std::uint64_t bytes) {
  spectrum_run run;
  std::uint64_t at = 0;
  bool any = true;
  ordered_spectrum spectrum;
  auto const write_both = [&](sink& texts, sink& index) {
    auto const plan = [&](order_window& window) {
      window.to = &texts;
      window.addressed = true;
      window.at = at;
      while (window.bytes < window_ && any) {
        any = from.next(spectrum);
        if (!any) break;
        window.all.push_back(spectrum);
        window.bytes += spectrum.bytes;
        run.max_bytes = std::max(run.max_bytes, spectrum.bytes);
        run.last_input = std::max(run.last_input, spectrum.input);
        from.append_index(window.index);
      }
      at += window.bytes;
      return !window.all.empty();
    };
    write_windows(from, plan, [&](order_window& window) { index.write(window.index); });
  };
  run.texts = texts_.write([&](sink& texts) {
    texts.expect(bytes);
    run.index = indexes_.write([&](sink& index) { write_both(texts, index); });
  });
  return run;
}

index_reader::index_reader(spectrum_run const& run, order_keys const& keys, std::size_t buffer)
    : run_(run), buffer_(buffer), codes_(keys.count()) {}

void index_reader::take(char* to, std::size_t size) {
  while (size != 0) {
    if (used_ == filled_) {
      filled_ = std::size_t(std::min<std::uint64_t>(buffer_.size(), run_.index.bytes - read_));
      if (filled_ == 0) run_.index.fail();
      run_.index.load_at(read_, std::span(buffer_).first(filled_));
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
  if (used_ == filled_ && read_ == run_.index.bytes) return false;
  take(reinterpret_cast<char*>(&entry_), sizeof(entry_));
  take(reinterpret_cast<char*>(codes_.data()), codes_.size() * sizeof(std::uint64_t));
  // No spectrum is without text.
  if (entry_.bytes == 0 || entry_.bytes > run_.max_bytes || entry_.bytes > run_.texts.bytes - text_at_ ||
      entry_.input > run_.last_input || entry_.title_bytes > run_.index.bytes)
    run_.index.fail();
  title_.resize(entry_.title_bytes);
  take(title_.data(), title_.size());
  return true;
}

void index_reader::append(std::string& to) const {
  to.append(reinterpret_cast<char const*>(&entry_), sizeof(entry_));
  to.append(reinterpret_cast<char const*>(codes_.data()), codes_.size() * sizeof(std::uint64_t));
  to.append(title_);
}

merged_runs::merged_runs(std::span<spectrum_run const> runs, order_keys const& keys, std::size_t buffer)
    : runs_(runs), entries_(open_readers(runs, keys, buffer), comparison{&keys}) {}

bool merged_runs::next(ordered_spectrum& to) {
  index_reader const* const reader = entries_.next();
  if (!reader) return false;
  index_entry const& entry = reader->entry();
  auto const run = std::uint32_t(entries_.winner());
  to = {entry.bytes, entry.number, entry.offset, entry.input, run, nullptr, reader->text_at()};
  return true;
}

// The spectra of one run are adjacent in it: they are read at once, and then copied to their places.
void merged_runs::load(std::span<ordered_spectrum const> all, char* to) const {
  std::vector<std::uint64_t> at(runs_.size(), 0), bytes(runs_.size(), 0);
  std::size_t sum = 0;
  for (ordered_spectrum const& spectrum : all) {
    if (bytes[spectrum.run] == 0) at[spectrum.run] = spectrum.at;
    bytes[spectrum.run] += spectrum.bytes;
    sum += std::size_t(spectrum.bytes);
  }
  buffer<char> const text(plain, sum);
  std::vector<char const*> from(runs_.size());
  std::size_t used = 0;
  for (std::size_t k = 0; k < runs_.size(); ++k) {
    if (bytes[k] == 0) continue;
    std::span<char> const room = text.span().subspan(used, std::size_t(bytes[k]));
    runs_[k].texts.load_at(at[k], room);
    from[k] = room.data();
    used += room.size();
  }
  for (ordered_spectrum const& spectrum : all) {
    std::memcpy(to, from[spectrum.run], spectrum.bytes);
    from[spectrum.run] += spectrum.bytes;
    to += spectrum.bytes;
  }
}

std::uint64_t merged_runs::bytes() const {
  std::uint64_t sum = 0;
  for (spectrum_run const& run : runs_) sum += run.texts.bytes;
  return sum;
}

void merged_runs::check() const {
  for (spectrum_run const& run : runs_) run.check();
}

}  // namespace ordo::inline v0::spectra::detail
