#include "spectra/mzml/ordering.hpp"

#include <span>
#include <utility>

#include <fmt/format.h>

#include "spectra/mzml/writer.hpp"

// The part of mzml_writer that puts spectra in order.
namespace ordo::spectra::detail {
namespace {

constexpr std::size_t batch_bytes = std::size_t{1} << 20;

// The tag of a spectrum, in its text with what stands before it.
markup spectrum_tag(std::string_view text) {
  auto tag = next_markup(text, 0);
  while (tag->name != "spectrum" || (tag->kind != markup_kind::start && tag->kind != markup_kind::empty))
    tag = next_markup(text, tag->end);
  return *tag;
}

}  // namespace

mzml_writer::mzml_writer(sink& to, order_keys const& keys, order_options const& how, machine_options const& machine)
    : mzml_writer(to, nullptr) {
  ordering_ = std::make_unique<mzml_ordering>(keys, how, machine);
}

void mzml_writer::tell(order_report& to) const {
  to.missing = ordering_->missing;
  to.runs = ordering_->spectra.runs() + ordering_->entries.runs();
  to.passes = ordering_->spectra.passes() + ordering_->entries.passes();
}

// From here on all is carried, but for spectra.
void mzml_writer::keep_list(index_mark const& list) {
  auto const count = attribute_in(text_.substr(list.tag, list.begin - list.tag), "count");
  ordering_->counts = count.has_value();
  if (count) {
    put_to(list.tag + count->begin);
    done_ += count->size;
  }
  ordering_->list_rest = text_.substr(done_, list.begin - done_);
  done_ = list.begin;
  ordering_->placed = numbered_ = 0;
  holds_ = true;
}

void mzml_writer::keep_spectrum(mzml_work const& from, std::size_t spectrum) {
  mzml_ordering& to = *ordering_;
  auto const& one = from.starts[spectrum];
  ordered_spectrum about;
  about.number = to.read++;
  about.offset = from.piece.offset + one.read_at;
  if (indexed_) spectra_.add(one.id, one.name, piece_at_ + one.read_at, one.gone ? indexed_elements::gone : 0);
  if (one.gone) return gone_.push_back(one.id);
  std::size_t const count = to.keys.count();
  auto const codes = std::span(from.keys.codes).subspan(spectrum * count, count);
  for (std::size_t k = 0; k < count; ++k) to.missing[k] += codes[k] == order_keys::missing;
  to.spectra.add(to.carried, text_.substr(done_, one.end - done_), about, codes, from.keys.titles[spectrum]);
  to.carried.clear();
  done_ = one.end;
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
  markup const tag = spectrum_tag(text);
  if (indexed_) spectra_.place(about.number, written_ + tag.begin);
  std::uint64_t const number = ordering_->placed++;
  if (ordering_->how.on_placed) ordering_->origins.push_back({0, 0, about.number, about.offset});
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
  if (!ordering_->origins.empty()) ordering_->how.on_placed(ordering_->origins);
  ordering_->origins.clear();
}

// Entries are held back from there on, if they are not already.
void mzml_writer::hold_entries(std::size_t from) {
  if (ordering_->holds_entries) return;
  put_to(from);
  ordering_->holds_entries = true;
}

// An entry goes with what stands between it and the tag before.
void mzml_writer::keep_entry(index_mark const& mark, std::uint64_t at) {
  hold_entries(before_blanks(mark.tag));
  set_entry(mark, at);
  put_to(end_of_entry(mark));
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

}  // namespace ordo::spectra::detail
