#include "spectra/mzml/document/documents.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "spectra/mzml/document/head.hpp"

namespace ordo::inline v0::spectra::detail {
namespace {

constexpr std::size_t batch_bytes = std::size_t{1} << 20, max_origins = std::size_t{1} << 12;
constexpr std::size_t max_digits = 20;   // maximum digits of a number
constexpr std::size_t tail_bytes = 600;  // no more are after the lists, but for the entries of the index

// The bytes of an entry of the index, at most.
std::size_t entry_bytes(std::size_t name, std::size_t prefix) {
  return name + 2 * prefix + max_digits + std::string_view("\n      <offset idRef=></offset>").size();
}

// Returns the value of an attribute with its quotation marks; empty if there is none.
std::string_view quoted_value(std::string_view tag, std::string_view name) {
  auto const result = attribute_in(tag, name);
  return result ? tag.substr(result->begin - 1, result->size + 2) : std::string_view();
}

// Calls f(text, number) for the text before the number of an element, and that after it.
template <class F>
void with_number(std::string_view text, markup const& tag, std::uint64_t number, F f) {
  auto const index = attribute_in(text.substr(tag.begin, tag.end - tag.begin), "index");
  if (!index) return f(text);
  std::size_t const at = tag.begin + index->begin;
  f(text.substr(0, at));
  f(fmt::format("{}", number));
  f(text.substr(at + index->size));
}

}  // namespace

document_writer::document_writer(output_parts& to, order_options const& options, document_frame frame,
                                 chromatogram_source chromatograms)
    : to_(to),
      options_(options),
      frame_(std::move(frame)),
      chromatograms_(std::move(chromatograms)),
      blanks_(blanks_before(frame_.head, frame_.head.size())),
      spool_(options.folders.empty() ? std::string() : options.folders.front()) {
  frame_.head.resize(frame_.head.size() - blanks_.size());
  if (blanks_.empty()) blanks_ += '\n';
}

// Returns the part of the next spectrum. With a number of parts, it depends on the bytes of spectra before it.
std::size_t document_writer::choose_part(std::size_t bytes) const {
  std::size_t const now = parts_ == 0 ? 0 : parts_ - 1;
  if (options_.part_bytes) return count_ != 0 && expected_ + bytes > *options_.part_bytes ? now + 1 : now;
  if (!options_.parts || frame_.spectra_bytes == 0) return now;
  __extension__ using wide = unsigned __int128;
  return std::max(now, std::size_t(wide(planned_) * *options_.parts / frame_.spectra_bytes));
}

void document_writer::open() {
  part_ = &to_.open(parts_++);
  digest_ = sha1_digest();
  spectra_ = listed_chromatograms_ = {};
  at_ = held_ = count_ = 0;
  bool const first = parts_ == 1;
  expected_ = frame_.head.size() + frame_.spectrum_list.size() + 4 * blanks_.size() + tail_bytes;
  if (first) expected_ += frame_.chromatogram_list.size() + frame_.chromatogram_bytes;
  put(frame_.head);
  if (!splits() && !frame_.spectrum_list.empty()) write_list(frame_.spectrum_list, frame_.spectra);
}

// Writes the tag of a list with the number of its elements.
void document_writer::write_list(std::string const& tag, std::uint64_t count) {
  std::string_view const all = tag;
  if (auto const at = attribute_in(tag, "count")) {
    put(fmt::format("{}{}{}{}", blanks_, all.substr(0, at->begin), count, all.substr(at->begin + at->size)));
  } else {
    std::size_t const name = tag.find_first_of(" \t\r\n/>");
    put(fmt::format("{}{} count=\"{}\"{}", blanks_, all.substr(0, name), count, all.substr(name)));
  }
}

void document_writer::add(ordered_spectrum const& about, std::string_view text) {
  markup const tag = element_tag(text, "spectrum");
  std::string_view const name = quoted_value(text.substr(tag.begin, tag.end - tag.begin), "id");
  std::size_t const bytes = text.size() + max_digits + entry_bytes(name.size(), frame_.prefix.size());
  std::size_t const part = choose_part(bytes);
  while (parts_ <= part) {  // parts in between stay empty
    if (parts_ != 0) close();
    open();
  }
  if (options_.on_written) origins_.push_back({parts_ - 1, about.input, about.number, about.offset});
  spectra_.add(0, name, 0, (splits() ? held_ : at_) + tag.begin);
  with_number(text, tag, count_, [&](std::string_view some) { write_spectra(some); });
  ++count_;
  expected_ += bytes;
  planned_ += about.bytes;
  if (origins_.size() >= max_origins) report_origins();
}

void document_writer::write_spectra(std::string_view text) {
  if (!splits()) return put(text);
  held_ += text.size();
  spool_.put(text);
}

void document_writer::put(std::string_view text) {
  at_ += text.size();
  written_ += text.size();
  if (batch_.size() + text.size() > batch_bytes) flush();
  if (text.size() >= batch_bytes) {
    digest_.add(text);
    return part_->write(text);
  }
  batch_ += text;
}

void document_writer::flush() {
  digest_.add(batch_);
  part_->write(batch_);
  batch_.clear();
}

void document_writer::report_origins() {
  if (!origins_.empty()) options_.on_written(origins_);
  origins_.clear();
}

void document_writer::close() {
  std::string const& prefix = frame_.prefix;
  if (!frame_.spectrum_list.empty()) {
    if (splits()) {
      write_list(frame_.spectrum_list, count_);
      spectra_.move(0, at_);
      spool_.drain([this](std::string_view text) { put(text); });
    }
    put(fmt::format("{}</{}spectrumList>", blanks_, prefix));
  }
  if (parts_ == 1 && !frame_.chromatogram_list.empty()) {
    write_list(frame_.chromatogram_list, frame_.chromatograms);
    std::uint64_t number = 0;
    chromatograms_([&](std::string_view text) {
      markup const tag = element_tag(text, "chromatogram");
      listed_chromatograms_.add(0, quoted_value(text.substr(tag.begin, tag.end - tag.begin), "id"), 0, at_ + tag.begin);
      with_number(text, tag, number++, [&](std::string_view some) { put(some); });
    });
    put(fmt::format("{}</{}chromatogramList>", blanks_, prefix));
  }
  put(fmt::format("\n  </{0}run>\n  </{0}mzML>", prefix));
  bool const any_spectra = spectra_.any(), any_chromatograms = listed_chromatograms_.any();
  if (any_spectra || any_chromatograms) {
    put("\n  ");
    std::uint64_t const list = at_;
    put(fmt::format("<{}indexList count=\"{}\">", prefix, int(any_spectra) + int(any_chromatograms)));
    if (any_spectra) write_index(spectra_, "spectrum");
    if (any_chromatograms) write_index(listed_chromatograms_, "chromatogram");
    put(fmt::format("\n  </{0}indexList>\n  <{0}indexListOffset>{1}</{0}indexListOffset>", prefix, list));
  }
  put(fmt::format("\n  <{}fileChecksum>", prefix));
  flush();
  put(fmt::format("{0}</{1}fileChecksum>\n</{1}indexedmzML>\n", digest_.hex(), prefix));
  flush();
  if (options_.on_written) report_origins();
  to_.close(parts_ - 1);
}

void document_writer::write_index(indexed_elements& elements, std::string_view name) {
  std::string const& prefix = frame_.prefix;
  put(fmt::format("\n    <{}index name=\"{}\">", prefix, name));
  while (auto const one = elements.next())
    if (!one->name.empty()) put(fmt::format("\n      <{0}offset idRef={1}>{2}</{0}offset>", prefix, one->name, one->at));
  put(fmt::format("\n    </{}index>", prefix));
}

void document_writer::finish() {
  std::size_t const wanted = options_.parts ? std::size_t(*options_.parts) : 1;
  while (parts_ < wanted) {
    if (parts_ != 0) close();
    open();
  }
  close();
}

}  // namespace ordo::inline v0::spectra::detail
