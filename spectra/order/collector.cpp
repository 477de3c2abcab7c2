#include "spectra/order/collector.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

#include <fmt/format.h>

#include "base/quantity.hpp"
#include "spectra/mgf/line.hpp"

namespace ordo::inline v0::spectra::detail {

std::optional<std::string> warning_of_titles(std::vector<std::size_t> titles) {
  std::uint64_t const repeated = count_repeated(titles);
  if (repeated == 0) return {};
  return quantity(repeated, "spectrum has", "spectra have") + " the title of another one: --map records the input of each";
}

void spectrum_collector::read(spectrum_inputs::opened const& opened, std::size_t input, bool begun) {
  input_ = input;
  name_ = opened.name;
  head_.clear();
  begun_ = begun;
  sort_report const report = reader_.read(opened, {.to = to_, .keys = &keys_, .receiver = this, .several = several_});
  if (!begun_) carried_ += on_head_(input_, head_, false, name_);
  reader_.add(report);
}

void spectrum_collector::take(chunk const& chunk) {
  std::string_view const text(chunk.output().data(), chunk.output().size());
  spectrum_records const& records = chunk.records;
  std::size_t begin = 0;
  if (!begun_) {
    begin = records.head;
    head_ += text.substr(0, begin);
    if (records.marked) {
      head_ = byte_order_mark;
      if (text.starts_with(byte_order_mark)) begin = byte_order_mark.size();  // it was dropped with the first spectrum
    }
    if (!records.any_spectra) return;
    begun_ = true;
    carried_ += on_head_(input_, head_, true, name_);
    head_.clear();
  }
  // The warning is not worth memory that spectra need.
  std::size_t const max_titles = reader_.memory() / 16 / sizeof(std::size_t);
  auto const& hashes = records.title_hashes();
  titles_.insert(titles_.end(), hashes.begin(),
                 hashes.begin() + std::ptrdiff_t(std::min(hashes.size(), max_titles - std::min(max_titles, titles_.size()))));
  if (!records.all().empty()) {
    std::size_t const end = records.all().back().end;
    store(records, begin, text.substr(begin, end - begin));
    begin = end;
  }
  carried_ += text.substr(begin);
}

// Stores the spectra of a chunk. @param text  the text of all of them @param skipped  bytes of the output before it
void spectrum_collector::store(spectrum_records const& records, std::size_t skipped, std::string_view text) {
  std::size_t const size = carried_.size() + text.size(), titles = records.titles().size(), count = records.all().size();
  if (!store_.has_room(size + titles, count) && !store_.empty()) make_room_();
  char* const memory = store_.place(size + titles);
  std::ranges::copy(records.titles(), std::ranges::copy(text, std::ranges::copy(carried_, memory).out).out);
  ordered_spectrum spectrum;
  spectrum.input = std::uint32_t(input_);
  std::size_t end = 0, title = 0;
  for (std::size_t r = 0; r < count; ++r) {
    auto const& record = records.all()[r];
    std::size_t const begin = std::exchange(end, record.end - skipped + carried_.size());
    spectrum.text = memory + begin;
    spectrum.bytes = end - begin;
    spectrum.number = records.first_number + record.number;
    spectrum.offset = records.first_offset + record.offset;
    auto const codes = std::span(records.codes()).subspan(r * keys_.count(), keys_.count());
    for (std::size_t k = 0; k < codes.size(); ++k) reader_.done.missing[k] += codes[k] == order_keys::missing;
    store_.add(spectrum, codes, {memory + size + title, record.title_end - title});
    title = record.title_end;
  }
  carried_.clear();
}

}  // namespace ordo::inline v0::spectra::detail
