#include "spectra/mzml/writer.hpp"
#include "spectra/encoding/text_fault.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

namespace ordo::inline v0::spectra::detail {

namespace {

constexpr std::size_t batch_bytes = std::size_t{1} << 20;

}  // namespace

mzml_writer::mzml_writer(sink& to, std::string const* folder)
    : to_(to), spool_(folder ? std::make_unique<spool>(*folder) : nullptr) {}
mzml_writer::~mzml_writer() = default;

void mzml_writer::put(std::string_view text) {
  if (ordering_ && (holds_ || ordering_->holds_entries)) {
    ordering_->carried += text;
    return;
  }
  written_ += text.size();
  if (holds_)
    spool_->put(text);
  else
    send(text);
}

void mzml_writer::send(std::string_view text) {
  if (indexed_) digest_.add(text);
  to_.write(text);
}

// Writes the text of the chunk up to `end`.
void mzml_writer::write_up_to(std::size_t end) {
  put(text_.substr(done_, end - done_));
  done_ = end;
}

// Writes `by` for the rest of the text before `end`.
void mzml_writer::replace(std::size_t end, std::string_view by) {
  put(by);
  done_ = end;
}

void mzml_writer::write(mzml_chunk const& chunk) {
  indexed_ = chunk.text.indexed;
  text_ = chunk.output_text();
  done_ = 0;
  if (!document_at_) document_at_ = chunk.text.offset;
  piece_at_ = chunk.text.offset - *document_at_;
  if (indexed_ || spool_ || ordering_) {
    std::size_t next = 0;
    auto const add_spectra = [&](std::size_t end) {
      for (; next != chunk.starts.size() && chunk.starts[next].at < end; ++next) take(chunk, next);
    };
    auto const& marks = chunk.text.marks;
    for (std::size_t i = 0; i < marks.size(); ++i) {
      add_spectra(marks[i].tag);
      take(marks[i], i + 1 < marks.size() ? &marks[i + 1] : nullptr);
    }
    add_spectra(text_.size() + 1);
    references_.add(chunk.references);
  }
  write_up_to(text_.size());
}

void mzml_writer::take(mzml_chunk const& from, std::size_t spectrum) {
  if (ordering_ && holds_) return keep_spectrum(from, spectrum);
  auto const& spectrum_start = from.starts[spectrum];
  if (ordering_) ++ordering_->read;
  if (indexed_)
    spectra_.add(spectrum_start.id, spectrum_start.name, piece_at_ + spectrum_start.read_at,
                 spectrum_start.dropped ? indexed_elements::dropped : written_ + (spectrum_start.at - done_));
  if (spectrum_start.dropped) return references_.drop(spectrum_start.id);
  if (!spool_) return;
  if (spectrum_start.index) {
    write_up_to(*spectrum_start.index);
    replace(*spectrum_start.index + spectrum_start.index_size, fmt::format("{}", numbered_));
  }
  ++numbered_;
  std::string_view const rest = text_.substr(done_, spectrum_start.end - done_);
  if (auto const named = references_.name(rest, named_); named.data() != rest.data()) replace(spectrum_start.end, named);
}

void mzml_writer::take(index_mark const& mark, index_mark const* next) {
  if (mark.type != index_mark::kind::entry && mark.type != index_mark::kind::index_end) release_entries();
  release();  // the memory of what follows the list
  switch (mark.type) {
    case index_mark::kind::spectra:
      if (ordering_)
        keep_list(mark);
      else if (spool_)
        hold(mark);
      break;
    case index_mark::kind::chromatogram:
      if (indexed_) {
        auto const id = attribute_in(tag_text(mark), "id");
        chromatograms_.add(mark.id, id ? tag_text(mark).substr(id->begin - 1, id->size + 2) : std::string_view(),
                           piece_at_ + mark.at, written_ + (mark.tag - done_));
      }
      break;
    case index_mark::kind::list:
      begin_list(mark, next);
      break;
    case index_mark::kind::index:
      begin_index(mark);
      break;
    case index_mark::kind::entry:
      check_entry(mark);
      break;
    case index_mark::kind::index_end:
      end_index(mark);
      break;
    case index_mark::kind::list_end:
      end_list(mark);
      break;
    case index_mark::kind::list_offset:
      add_list(mark, false);
      offset_seen_ = true;
      write_up_to(mark.begin);
      if (is_closed(mark)) break;
      compare_offset(mark, list_read_at_);
      replace(mark.end, fmt::format("{}", list_at_));
      break;
    case index_mark::kind::checksum:
      add_list(mark, false);
      checksum_seen_ = true;
      write_up_to(mark.begin);
      if (!is_closed(mark)) replace(mark.end, digest_.hex());
      break;
    case index_mark::kind::document_end:
      add_list(mark, true);
      break;
  }
}

std::string_view mzml_writer::tag_text(index_mark const& mark) const {
  return text_.substr(mark.tag, mark.begin - mark.tag);
}

// Returns where the blanks before a place begin, in the text that is not yet written.
std::size_t mzml_writer::before_blanks(std::size_t at) const {
  while (at > done_ && is_space(text_[at - 1])) --at;
  return at;
}

// <offset/>, which has no place for a number.
bool mzml_writer::is_closed(index_mark const& mark) const {
  return text_.substr(0, mark.begin).ends_with("/>");
}

std::size_t mzml_writer::end_of_entry(index_mark const& mark) const {
  if (is_closed(mark)) return mark.end;
  auto const closing = next_markup(text_, mark.end);
  if (!closing || closing->kind != markup_kind::end || closing->name != "offset")
    throw text_fault(mark.at, "wrong index", "an entry with tags in it");
  return closing->end;
}

// Holds back the output from the number of spectra in the tag of their list on.
void mzml_writer::hold(index_mark const& list) {
  numbered_ = 0;
  auto const count = attribute_in(text_.substr(list.tag, list.begin - list.tag), "count");
  if (!count) return;
  write_up_to(list.tag + count->begin);
  done_ += count->size;
  first_held_ = spectra_.size();
  holds_ = true;
}

void mzml_writer::release() {
  if (!std::exchange(holds_, false)) return;
  if (ordering_) return release_spectra();
  std::string const count = fmt::format("{}", numbered_);
  send(count);
  written_ += count.size();
  spectra_.move(first_held_, count.size());
  spool_->drain([&](std::string_view text) { send(text); });
}

void mzml_writer::end() {
  release();
  release_entries();
}

// The order of spectra.

mzml_writer::mzml_writer(sink& to, order_keys const& keys, order_options const& options, machine_options const& machine)
    : mzml_writer(to, nullptr) {
  ordering_ = std::make_unique<mzml_ordering>(keys, options, machine);
}

void mzml_writer::report(order_report& to) const {
  to.missing = ordering_->missing;
  to.runs = ordering_->spectra.runs() + ordering_->entries.runs();
  to.passes = ordering_->spectra.passes() + ordering_->entries.passes();
}

// From here on all text but that of spectra is carried.
void mzml_writer::keep_list(index_mark const& list) {
  auto const count = attribute_in(text_.substr(list.tag, list.begin - list.tag), "count");
  ordering_->counts = count.has_value();
  if (count) {
    write_up_to(list.tag + count->begin);
    done_ += count->size;
  }
  ordering_->list_rest = text_.substr(done_, list.begin - done_);
  done_ = list.begin;
  ordering_->placed = numbered_ = 0;
  holds_ = true;
}

void mzml_writer::keep_spectrum(mzml_chunk const& from, std::size_t spectrum) {
  mzml_ordering& to = *ordering_;
  auto const& spectrum_start = from.starts[spectrum];
  ordered_spectrum about;
  about.number = to.read++;
  about.offset = from.text.offset + spectrum_start.read_at;
  if (indexed_)
    spectra_.add(spectrum_start.id, spectrum_start.name, piece_at_ + spectrum_start.read_at,
                 spectrum_start.dropped ? indexed_elements::dropped : 0);
  if (spectrum_start.dropped) return references_.drop(spectrum_start.id);
  std::size_t const count = to.keys.count();
  auto const codes = std::span(from.keys.codes).subspan(spectrum * count, count);
  for (std::size_t k = 0; k < count; ++k) to.missing[k] += codes[k] == order_keys::missing;
  to.spectra.add(to.carried, references_.name(text_.substr(done_, spectrum_start.end - done_), named_), about, codes,
                 from.keys.titles[spectrum]);
  to.carried.clear();
  done_ = spectrum_start.end;
  ++numbered_;
}

void mzml_writer::release_spectra() {
  std::string const tail = std::exchange(ordering_->carried, {});
  if (ordering_->counts) put(fmt::format("{}", numbered_));
  put(ordering_->list_rest);
  ordering_->spectra.drain([this](ordered_spectrum const& about, std::string_view text) { number_spectrum(about, text); });
  send_batch();
  put(tail);
}

void mzml_writer::number_spectrum(ordered_spectrum const& about, std::string_view text) {
  markup const tag = element_tag(text, "spectrum");
  if (indexed_) spectra_.place(about.number, written_ + tag.begin);
  std::uint64_t const number = ordering_->placed++;
  if (ordering_->options.on_written) ordering_->origins.push_back({0, 0, about.number, about.offset});
  if (auto const index = attribute_in(text.substr(tag.begin, tag.end - tag.begin), "index")) {
    batch(text.substr(0, tag.begin + index->begin));
    batch(fmt::format("{}", number));
    text.remove_prefix(tag.begin + index->begin + index->size);
  }
  batch(text);
}

void mzml_writer::batch(std::string_view text) {
  ordering_->batch += text;
  written_ += text.size();
  if (ordering_->batch.size() >= batch_bytes) send_batch();
}

void mzml_writer::send_batch() {
  send(ordering_->batch);
  ordering_->batch.clear();
  if (!ordering_->origins.empty()) ordering_->options.on_written(ordering_->origins);
  ordering_->origins.clear();
}

// Holds back the entries from there on.
void mzml_writer::hold_entries(std::size_t from) {
  if (ordering_->holds_entries) return;
  write_up_to(from);
  ordering_->holds_entries = true;
}

// Keeps an entry with the text between it and the tag before.
void mzml_writer::keep_entry(index_mark const& mark, std::uint64_t at) {
  hold_entries(before_blanks(mark.tag));
  set_entry(mark, at);
  write_up_to(end_of_entry(mark));
  keep_entry(std::exchange(ordering_->carried, {}), at);
}

void mzml_writer::keep_entry(std::string const& text, std::uint64_t at) {
  ordering_->entries.add(text, {}, {}, {&at, 1});
}

void mzml_writer::release_entries() {
  if (!ordering_ || !std::exchange(ordering_->holds_entries, false)) return;
  std::string const tail = std::exchange(ordering_->carried, {});
  ordering_->entries.drain([this](ordered_spectrum const&, std::string_view text) { batch(text); });
  send_batch();
  put(tail);
}

}  // namespace ordo::inline v0::spectra::detail
