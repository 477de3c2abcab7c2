#include <utility>

#include <fmt/format.h>

#include "spectra/encoding/xml.hpp"
#include "spectra/mzml/writer.hpp"

// The index of mzml_writer.
namespace ordo::inline v0::spectra::detail {
namespace {

// Returns the name of a tag with its prefix.
std::string_view full_name(std::string_view tag) {
  std::size_t const begin = tag.starts_with("</") ? 2 : 1;
  return tag.substr(begin, tag.find_first_of(" \t\r\n/>", begin) - begin);
}

std::string namespace_prefix(std::string_view tag) {
  std::string_view const name = full_name(tag);
  return std::string(name.substr(0, name.find(':') + 1));  // without prefix npos + 1 is 0
}

std::string entry_text(std::string_view blanks, std::string_view prefix, indexed_elements::element const& of) {
  return fmt::format("{0}<{1}offset idRef={2}>{3}</{1}offset>", blanks, prefix, of.name, of.at);
}

// Returns the blanks before a tag that is one level deeper.
std::string deeper(std::string_view blanks) {
  return blanks.find('\n') == std::string_view::npos ? std::string(blanks) : std::string(blanks) + ' ';
}

}  // namespace

// The list states the number of its indexes before them, and indexes may be missing.
void mzml_writer::begin_list(index_mark const& list, index_mark const* next) {
  list_at_ = written_ + (list.tag - done_);
  list_read_at_ = piece_at_ + list.at;
  list_seen_ = true;
  std::string_view const tag = tag_text(list);
  prefix_ = namespace_prefix(tag);
  blanks_ = deeper(text_.substr(before_blanks(list.tag), list.tag - before_blanks(list.tag)));
  auto const will_exist = [&](indexed_elements const& elements, index_mark::subject subject) {
    return std::size_t(elements.any() || (next && next->what == index_mark::kind::index && next->of == subject));
  };
  std::size_t const min_count =
      will_exist(spectra_, index_mark::subject::spectra) + will_exist(chromatograms_, index_mark::subject::chromatograms);
  auto const count = attribute_in(tag, "count");
  if (count && number<std::size_t>(tag.substr(count->begin, count->size)).value_or(0) < min_count) {
    write_up_to(list.tag + count->begin);
    replace(list.tag + count->begin + count->size, fmt::format("{}", min_count));
  }
  if (min_count != 0) open_empty(list, list_end_);
}

// Turns an empty-element tag into a start tag.
void mzml_writer::open_empty(index_mark const& mark, std::string& to_close) {
  if (!is_closed(mark)) return;
  write_up_to(mark.begin - 2);
  replace(mark.begin, ">");
  to_close = fmt::format("</{}>", full_name(tag_text(mark)));
}

void mzml_writer::begin_index(index_mark const& index) {
  using enum index_mark::subject;
  indexes_spectra_ = index.of == spectra;
  bool const again = index.of == other || std::exchange(indexes_spectra_ ? spectra_indexed_ : chromatograms_indexed_, true);
  index_ = again ? nullptr : indexes_spectra_ ? &spectra_ : &chromatograms_;
  prefix_ = namespace_prefix(tag_text(index));
  std::size_t const begin = before_blanks(index.tag);
  blanks_ = deeper(text_.substr(begin, index.tag - begin));
  if (index_ && index_->any()) open_empty(index, index_end_);
}

void mzml_writer::check_entry(index_mark const& mark) {
  std::size_t const begin = before_blanks(mark.tag);
  if (!index_) {  // only its offsets are corrected
    indexed_elements* of = &spectra_;
    auto it = of->find(mark.id);
    if (!it) it = (of = &chromatograms_)->find(mark.id);
    if (it && of->place_at(*it) != indexed_elements::dropped) return set_entry(mark, of->place_at(*it));
    differences_.surplus += !it;
    return drop_entry(mark);
  }
  auto const it = index_->find(mark.id);
  if (!it || *it < index_->next_number()) {  // no element, or one that has its entry already
    if (it && index_->pop_added(*it)) {
      --differences_.missing;
      ++differences_.moved;
    } else if (!it || index_->place_at(*it) != indexed_elements::dropped) {
      ++differences_.surplus;
    }
    return drop_entry(mark);
  }
  blanks_ = text_.substr(begin, mark.tag - begin);
  write_up_to(begin);
  add_entries(*it);
  indexed_elements::element const element = *index_->next();
  if (element.at == indexed_elements::dropped) return drop_entry(mark);
  compare_offset(mark, element.read_at);
  if (ordering_ && indexes_spectra_)
    keep_entry(mark, element.at);
  else
    set_entry(mark, element.at);
}

// Writes an entry up to its number, with the number.
void mzml_writer::set_entry(index_mark const& mark, std::uint64_t at) {
  if (is_closed(mark)) {
    write_up_to(mark.begin - 2);
    replace(mark.begin, fmt::format(">{}</{}>", at, full_name(tag_text(mark))));
  } else {
    write_up_to(mark.begin);
    replace(mark.end, fmt::format("{}", at));
  }
}

// Leaves out an entry, and the blanks before it.
void mzml_writer::drop_entry(index_mark const& mark) {
  write_up_to(before_blanks(mark.tag));
  done_ = end_of_entry(mark);
}

void mzml_writer::compare_offset(index_mark const& mark, std::uint64_t read_at) {
  std::string_view const stated = is_closed(mark) ? std::string_view() : text_.substr(mark.begin, mark.end - mark.begin);
  differences_.wrong += number<std::uint64_t>(stated) != read_at;
}

// Adds the entries of the elements up to a number, which the index lacks.
void mzml_writer::add_entries(std::size_t end) {
  while (index_->next_number() < end) {
    indexed_elements::element const element = *index_->next();
    if (element.at == indexed_elements::dropped || element.name.empty()) continue;
    ++differences_.missing;
    index_->note_added(element.number);
    std::string const text = entry_text(blanks_, prefix_, element);
    if (ordering_ && indexes_spectra_) {
      hold_entries(done_);
      keep_entry(std::exchange(ordering_->carried, {}) + text, element.at);
    } else {
      put(text);
    }
  }
}

void mzml_writer::end_index(index_mark const& mark) {
  if (index_ && index_->next_number() != index_->size()) {
    write_up_to(before_blanks(mark.tag));
    add_entries(index_->size());
  }
  release_entries();
  index_ = nullptr;
  if (index_end_.empty()) return;
  write_up_to(mark.tag);
  put(std::exchange(index_end_, {}));
}

// Adds an index that the list lacks.
void mzml_writer::add_index(indexed_elements& of, std::string_view name, std::string const& blanks) {
  put(fmt::format("{}<{}index name=\"{}\">", blanks, prefix_, name));
  index_ = &of;
  indexes_spectra_ = &of == &spectra_;
  blanks_ = deeper(blanks);
  add_entries(of.size());
  release_entries();
  index_ = nullptr;
  put(fmt::format("{}</{}index>", blanks, prefix_));
}

void mzml_writer::end_list(index_mark const& mark) {
  bool const lacks_spectra = spectra_.any() && !std::exchange(spectra_indexed_, true);
  bool const lacks_chromatograms = chromatograms_.any() && !std::exchange(chromatograms_indexed_, true);
  if (lacks_spectra || lacks_chromatograms) {
    std::size_t const begin = before_blanks(mark.tag);
    std::string const blanks = deeper(text_.substr(begin, mark.tag - begin));
    write_up_to(begin);
    if (lacks_spectra) add_index(spectra_, "spectrum", blanks);
    if (lacks_chromatograms) add_index(chromatograms_, "chromatogram", blanks);
  }
  if (list_end_.empty()) return;
  write_up_to(mark.tag);
  put(std::exchange(list_end_, {}));
}

// Adds the list of indexes, its offset and the checksum, if the document lacks them.
void mzml_writer::add_list(index_mark const& before, bool and_checksum) {
  bool const adds_list = !std::exchange(list_seen_, true) && (spectra_.any() || chromatograms_.any());
  bool const has_list = adds_list || list_at_ != 0;
  bool const adds_offset = has_list && !offset_seen_ && before.what != index_mark::kind::list_offset;
  bool const adds_checksum = and_checksum && !checksum_seen_;
  if (!adds_list && !adds_offset && !adds_checksum) return;
  offset_seen_ |= adds_offset;
  checksum_seen_ |= adds_checksum;
  std::size_t const begin = before_blanks(before.tag);
  std::string const blanks(text_.substr(begin, before.tag - begin));
  std::string_view const tag = before.what == index_mark::kind::document_end ? text_.substr(before.tag) : tag_text(before);
  prefix_ = namespace_prefix(tag);
  write_up_to(begin);
  if (adds_list) {
    put(blanks);
    list_at_ = written_;
    std::size_t const count = std::size_t(spectra_.any()) + std::size_t(chromatograms_.any());
    put(fmt::format("<{}indexList count=\"{}\">", prefix_, count));
    std::string const inner = deeper(blanks);
    if (spectra_.any()) add_index(spectra_, "spectrum", inner);
    if (chromatograms_.any()) add_index(chromatograms_, "chromatogram", inner);
    put(fmt::format("{}</{}indexList>", blanks, prefix_));
  }
  if (adds_offset) put(fmt::format("{0}<{1}indexListOffset>{2}</{1}indexListOffset>", blanks, prefix_, list_at_));
  if (adds_checksum) {
    put(fmt::format("{}<{}fileChecksum>", blanks, prefix_));
    put(digest_.hex());
    put(fmt::format("</{}fileChecksum>", prefix_));
  }
}

std::string mzml_writer::index_differences() const {
  std::string text;
  auto const add = [&](std::uint64_t count, std::string_view what) {
    if (count != 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
  };
  add(differences_.missing, "entries missing");
  add(differences_.surplus, "entries of nothing in the document");
  add(differences_.moved, "entries in another order");
  add(differences_.wrong, "wrong offsets");
  return text;
}

}  // namespace ordo::inline v0::spectra::detail
