#include "spectra/mzml/format.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/count_bytes.hpp"
#include "ordo/error.hpp"
#include "spectra/encoding/text_fault.hpp"
#include "spectra/mzml/document/merged_head.hpp"
#include "spectra/mzml/writer.hpp"

namespace ordo::inline v0::spectra::detail {
namespace {

// A NaN is in no order.
bool in_order(std::span<double const> values, bool descending) {
  bool ordered = true;
  if (descending) {
    for (std::size_t i = 1; i < values.size(); ++i) ordered &= values[i - 1] >= values[i];
  } else {
    for (std::size_t i = 1; i < values.size(); ++i) ordered &= values[i - 1] <= values[i];
  }
  return ordered;
}

bool is_single(binary_array const& array) {
  return array.type == number_type::float32;
}

// Returns a text as the value of an attribute in any encoding.
std::string escaped(std::string_view text) {
  std::string made;
  for (char const c : text) {
    auto const byte = static_cast<unsigned char>(c);
    if (c == '&')
      made += "&amp;";
    else if (c == '<')
      made += "&lt;";
    else if (c == '"')
      made += "&quot;";
    else
      made += byte < 0x20 || byte > 0x7e ? '?' : c;
  }
  return made;
}

void check_size(std::size_t num_peaks, mzml_spectrum const& spectrum) {
  if (num_peaks > ~std::uint32_t{0})
    throw text_fault(spectrum.begin, "too large", "more than 2^32 peaks in spectra that follow one another");
}

}  // namespace

bool mzml_chunk::next(mzml_cutter& cutter, std::size_t wanted) {
  restart();
  disorder.reset();
  warned = {};
  starts.clear();
  keys = {};
  references.clear();
  chosen_spectra = 0;
  record.reset();
  joined = {};
  replaced_ = false;
  bool const any = timed(reading, 0, [&] { return cutter.next(text, wanted); });
  if (any) add_bytes(reading, text.size);
  return any;
}

bool mzml_chunk::parse() {
  std::exception_ptr reader_failure;  // after what is wrong in the spectra before
  timed(parsing, text.size, [&] {
    counted.bytes = text.size;
    counted.lines = count_bytes(text.view(), '\n');
    try {
      reader_.read(text);
    } catch (...) {
      reader_failure = std::current_exception();
    }
    warned.repaired = text.repaired + reader_.repaired();
  });
  timed(unpacking, text.size, [&] { unpack(); });
  if (!failure) failure = reader_failure ? reader_failure : text.failure;
  return !failure && !disorder;
}

bool mzml_chunk::save(value_writer& to) const {
  if (failure || disorder || !composed) return false;
  std::vector<std::size_t> name_places;
  for (start const& start : starts)
    name_places.push_back(start.name.empty() ? 0 : std::size_t(start.name.data() - text.view().data()));
  std::vector<std::size_t> title_sizes;
  std::string titles;
  for (std::string_view const title : keys.titles) {
    titles += title;
    title_sizes.push_back(title.size());
  }
  save_counts(to);
  to.put(text.marks, starts, name_places, keys.codes, title_sizes, titles, chosen_spectra, references, warned, joined.begin,
         replaced_);
  if (replaced_) to.put(out_);
  return true;
}

void mzml_chunk::load(value_reader& from) {
  std::vector<std::size_t> name_places, title_sizes;
  load_counts(from);
  from.take(text.marks, starts, name_places, keys.codes, title_sizes, titles_, chosen_spectra, references, warned, joined.begin,
            replaced_);
  for (std::size_t i = 0; i < starts.size(); ++i)
    starts[i].name = text.view().substr(name_places[i], starts[i].name.size());  // in place of a view of another process
  keys.titles.clear();
  for (std::size_t at = 0; std::size_t const size : title_sizes) {
    keys.titles.push_back(std::string_view(titles_).substr(at, size));
    at += size;
  }
  if (replaced_) from.take(out_);
}

void mzml_chunk::unpack() {
  jobs_.clear();
  mz_.clear();
  intensity_.clear();
  std::vector<mzml_spectrum> const& all = reader_.all();
  left_out_.clear();
  for (std::size_t i = 0; i < all.size() && !disorder; ++i) {
    if (task_.chooses_by_time()) require_time(all[i]);
    ++counted.spectra;
    bool const is_chosen = choose(task_, all[i].header, text.first_spectrum, i, all[i].begin);
    if (task_.choice) left_out_.push_back(!is_chosen);
    // A spectrum that is left out for another m/z counts, too.
    if (task_.uses_precursors() && task_.goal != purpose::choose && all[i].has_target &&
        (is_chosen || task_.choice->precursor_mz.is_set()) && !(task_.print && all[i].header.ms_level.value_or(0) < 2))
      ++warned.targets;
    if (!is_chosen && !task_.reads_others()) {
      if (binary_array const* const mz = all[i].find(array_kind::mz)) counted.peaks += mz->count;
      continue;
    }
    if (task_.goal == purpose::choose) continue;
    if (task_.needs_time() && !task_.chooses_by_time()) check_time(all[i]);
    ++chosen_spectra;
    if (task_.reads_all())
      read_all(all[i], text.first_spectrum + i);
    else if (task_.reads_peaks())
      read_peaks(i);
    else
      read_key(i);
  }
  if (!task_.reads_peaks()) return;
  peaks.mz = mz_;
  peaks.intensity = intensity_;
  peaks.first.push_back(std::uint32_t(mz_.size()));
  if (task_.select && task_.select->remove_precursor)
    for (job const& job : jobs_) peaks.headers.push_back(&all[job.spectrum].header);
}

void mzml_chunk::check_time(mzml_spectrum const& spectrum) {
  if (task_.print && (spectrum.header.ms_level.value_or(0) < 2 || spectrum.ions.empty())) return;  // it is left out
  require_time(spectrum);
}

void mzml_chunk::require_time(mzml_spectrum const& spectrum) {
  if (spectrum.bad_time) throw text_fault(*spectrum.bad_time);
  warned.times_without_unit += spectrum.time_without_unit;
}

void mzml_chunk::read_key(std::size_t index) {
  mzml_spectrum const& spectrum = reader_.all()[index];
  std::size_t num_peaks = 0;
  if (binary_array const* const mz = spectrum.find(array_kind::mz)) num_peaks = mz->count;
  counted.peaks += num_peaks;
  keep_unselected(num_peaks);
  bool const descending = task_.options->descending;
  binary_array const* const array = spectrum.find(task_.options->by == sort_key::mz ? array_kind::mz : array_kind::intensity);
  if (!array) return;
  to_doubles(array->type, codec_.unpack(*array, text.view()), values_);
  if (values_.size() < 2 || in_order(values_, descending)) return;
  if (spectrum.transitions || follows_axis(spectrum, array->count)) {
    ++warned.fixed_order;
    return;
  }
  std::size_t const begin = peaks.codes.size();
  check_size(begin + values_.size(), spectrum);
  std::ranges::transform(values_, std::back_inserter(peaks.codes), peak_code(descending));
  if (std::is_sorted(peaks.codes.begin() + std::ptrdiff_t(begin), peaks.codes.end())) {  // it ends with NaNs
    peaks.codes.resize(begin);
    return;
  }
  jobs_.push_back({index, array->count, peaks.bounds.size() - 1});
  peaks.end_disordered();
  ++counted.reordered;
  if (task_.goal == purpose::check) note_disorder(index);
}

void mzml_chunk::read_peaks(std::size_t index) {
  mzml_spectrum const& spectrum = reader_.all()[index];
  bool const prints = task_.print;
  if (prints && (spectrum.header.ms_level.value_or(0) < 2 || spectrum.ions.empty())) {
    ++(spectrum.header.ms_level.value_or(0) < 2 ? warned.level_1 : warned.no_precursor);
    if (task_.reasons) dropped.push_back({index, spectrum.begin, task_.reasons->not_printed()});
    return;
  }
  binary_array const *mz = spectrum.find(array_kind::mz), *intensity = spectrum.find(array_kind::intensity);
  // An empty array may be alone.
  if (prints && !mz != !intensity && (mz ? mz : intensity)->count == 0) mz = intensity = nullptr;
  std::size_t const count = mz ? mz->count : 0;
  counted.peaks += count;
  if ((!mz != !intensity) || (intensity && intensity->count != count)) {
    if (!prints) return keep_unselected(count);
    throw text_fault(spectrum.begin, "no peaks", "the spectrum has not as many m/z as intensities");
  }
  if (!prints && spectrum.transitions) {
    ++warned.fixed_order;
    return keep_unselected(count);
  }
  check_size(mz_.size() + count, spectrum);
  job made{index, count, jobs_.size(), true};
  peaks.first.push_back(std::uint32_t(mz_.size()));
  peaks.fixed.push_back(mz && !prints && follows_axis(spectrum, count));
  if (task_.select && task_.options->select_levels.is_set()) peaks.whole.push_back(!is_selected(task_, spectrum.header));
  if (mz) {
    to_doubles(mz->type, codec_.unpack(*mz, text.view()), values_);
    mz_.insert(mz_.end(), values_.begin(), values_.end());
    if (!prints && task_.select && !(made.row < peaks.whole.size() && peaks.whole[made.row]))
      warned.not_finite += std::uint64_t(std::ranges::count_if(values_, [](double value) { return std::isnan(value); }));
    to_doubles(intensity->type, codec_.unpack(*intensity, text.view()), values_);
    intensity_.insert(intensity_.end(), values_.begin(), values_.end());
    made.digits = {is_single(*mz), is_single(*intensity)};
    if (prints) {  // what is printed has no peaks that are not finite, and no rule may count them
      std::size_t kept = peaks.first.back();
      for (std::size_t i = kept; i < mz_.size(); ++i) {
        if (!std::isfinite(mz_[i]) || !std::isfinite(intensity_[i])) continue;
        mz_[kept] = mz_[i];
        intensity_[kept++] = intensity_[i];
      }
      warned.not_finite += mz_.size() - kept;
      made.count -= mz_.size() - kept;
      mz_.resize(kept);
      intensity_.resize(kept);
    }
  }
  jobs_.push_back(made);
}

// Keeps a spectrum to which no selection applies.
void mzml_chunk::keep_unselected(std::size_t num_peaks) {
  ++counted.spectra_kept;
  counted.peaks_kept += num_peaks;
}

void mzml_chunk::read_all(mzml_spectrum const& spectrum, std::uint64_t number) {
  binary_array const *const mz = spectrum.find(array_kind::mz), *const intensity = spectrum.find(array_kind::intensity);
  mz_.clear();
  if (mz) to_doubles(mz->type, codec_.unpack(*mz, text.view()), mz_);
  bool const complete = !mz == !intensity && (!intensity || intensity->count == mz_.size());
  if (intensity && intensity->count == mz_.size()) {
    to_doubles(intensity->type, codec_.unpack(*intensity, text.view()), intensity_);
  } else {
    intensity_.assign(mz_.size(), std::numeric_limits<double>::quiet_NaN());
  }
  bool const is_printed = spectrum.header.ms_level.value_or(0) >= 2 && !spectrum.ions.empty();
  // Transitions that stay in mzML keep their peaks.
  add(task_, {spectrum.header, {mz_, intensity_, {}}, {}, 0}, number, complete && (task_.print || !spectrum.transitions),
      is_printed);
}

// Returns true if the spectrum is in the order of another axis. The points of a combined ion mobility spectrum ascend in m/z at
// each mobility only.
bool mzml_chunk::follows_axis(mzml_spectrum const& spectrum, std::size_t count) {
  if (count < 2) return false;
  for (auto const& array : spectrum.arrays) {
    if (array.kind != array_kind::axis || array.count != count) continue;
    to_doubles(array.type, codec_.unpack(array, text.view()), axis_);
    bool const constant = axis_.front() == axis_.back();
    if (!constant && (in_order(axis_, false) || in_order(axis_, true))) return true;
  }
  return false;
}

void mzml_chunk::note_disorder(std::size_t index) {
  mzml_spectrum const& spectrum = reader_.all()[index];
  peak_code const code(task_.options->descending);
  std::size_t peak = 1;
  while (code(values_[peak - 1]) <= code(values_[peak])) ++peak;
  std::string line;
  for (array_kind const kind : {array_kind::mz, array_kind::intensity}) {
    binary_array const* const array = spectrum.find(kind);
    if (!array || array->count <= peak) continue;
    to_doubles(array->type, codec_.unpack(*array, text.view()), values_);
    if (!line.empty()) line += ' ';
    line += is_single(*array) ? fmt::format("{}", float(values_[peak])) : fmt::format("{}", values_[peak]);
  }
  disorder = {spectrum.begin, index, spectrum.title, line};
}

namespace {

class mzml_format final : public input_format {
 public:
  mzml_format(source& input, sink* output, chunk_task const& task, diagnostics& diagnostics)
      : task_(task),
        cutter_(input, task_.records() || task_.merged, task.options->lenient),
        found_(diagnostics),
        findings_(diagnostics, task.options->name) {
    if (!output) return;
    if (task.order)
      writer_.emplace(*output, *task.keys, *task.order, task.options->machine);
    else
      writer_.emplace(*output, task_.renumbers() ? &task.options->temporary_folder : nullptr);
  }

  [[nodiscard]] step_names const& steps() const override {
    static constexpr step_names names{"read", "parse", "unpack", "sort", "pack", "write"};
    return names;
  }
  [[nodiscard]] std::unique_ptr<chunk> make_chunk() const override { return std::make_unique<mzml_chunk>(task_); }

  bool next(chunk& chunk, std::size_t wanted) override {
    auto& part = static_cast<mzml_chunk&>(chunk);
    if (!part.next(cutter_, wanted)) return false;
    if (task_.records() && part.text.head) record_ = record_head(part.text);
    part.record = record_;
    if (task_.merged && !part.text.failure) join(part);
    return true;
  }

  bool accept(chunk& chunk) override {
    auto& part = static_cast<mzml_chunk&>(chunk);
    count(part);  // its warnings, before what is wrong in it
    return findings_.accept(part);
  }

  [[nodiscard]] bool follows() const override { return task_.goal != purpose::choose && !task_.lists; }

  // Compares the SHA-1 of an indexedmzML with its fileChecksum: of all bytes up to the text of that.
  void follow(chunk const& chunk) override {
    mzml_text const& text = static_cast<mzml_chunk const&>(chunk).text;
    if (!text.indexed || checksum_read_) return;
    auto const mark = std::ranges::find(text.marks, index_mark::kind::checksum, &index_mark::type);
    if (mark == text.marks.end()) return digest_.add(text.view());
    checksum_read_ = true;
    auto const tag = next_markup(text.view(), mark->at);
    if (!tag || tag->kind != markup_kind::start) return;
    digest_.add(text.view().substr(0, tag->end));
    std::string_view stated = text.view().substr(tag->end);
    stated = stated.substr(0, stated.find('<'));
    while (!stated.empty() && is_space(stated.front())) stated.remove_prefix(1);
    while (!stated.empty() && is_space(stated.back())) stated.remove_suffix(1);
    if (stated.find_first_not_of('0') == std::string_view::npos) return;  // a placeholder
    std::string const right = digest_.hex();
    if (!std::ranges::equal(stated, right, {}, [](char c) { return c >= 'A' && c <= 'F' ? char(c - 'A' + 'a') : c; }))
      wrong_checksum_ = fmt::format("fileChecksum is '{}', and the SHA-1 of the document is {}", stated.substr(0, 60), right);
  }

  void write(chunk& chunk, sink& output) override {
    if (!writer_) return output.write(chunk.output());
    auto& part = static_cast<mzml_chunk&>(chunk);
    try {
      writer_->write(part);
    } catch (text_fault const&) {
      findings_.fail(std::current_exception(), part.text.view());
    }
  }

  void end() override {
    if (!wrong_checksum_.empty() && task_.goal == purpose::check)
      throw input_error(fmt::format("wrong checksum: {}: {}", task_.options->name, wrong_checksum_));
    std::uint64_t strays = 0;
    std::string differences;  // text about an index that differs
    if (writer_) {
      writer_->end();
      strays = writer_->count_strays();
      differences = writer_->index_differences();
      if (!differences.empty())
        found_.warn(fmt::format("{}: the index was wrong and is made anew: {}", task_.options->name, differences));
      if (task_.ordered) writer_->report(*task_.ordered);
    }
    if (!wrong_checksum_.empty() && differences.empty())  // a wrong index says enough
      found_.warn(fmt::format("{}: {}: it was changed after it was written", task_.options->name, wrong_checksum_));
    warn_at_end(strays);
  }

 private:
  // Returns where the head ends, with the blanks after it: at the first list, or where the run does.
  static std::size_t end_of_head(std::string_view text) {
    auto result = next_markup(text, 0);
    auto const ends = [&] {
      bool const end = result->kind == markup_kind::end;
      return end ? result->name == "run" || result->name == "mzML"
                 : result->name == "spectrumList" || result->name == "chromatogramList" || result->name == "spectrum";
    };
    while (result && !ends()) result = next_markup(text, result->end);
    return result ? result->begin : text.size();
  }

  // Makes the document a part of another one.
  void join(mzml_chunk& part) {
    merged_head& merged = *task_.merged;
    std::string_view const text = part.text.view();
    if (part.text.head) {
      std::size_t const end = end_of_head(text);
      part.joined.begin = end;
      std::vector<text_edit> edits;
      if (record_)
        for (text_edit const& edit : record_->edits) {
          if (edit.end > end) break;  // in the tag of the list
          edits.push_back(edit);
          part.joined.begin += edit.text.size() - (edit.end - edit.begin);
        }
      std::string const& encoding = part.text.context->encoding;
      mzml_renames renames = merged.add(edited(text.substr(0, end), edits), task_.options->name, task_.options->path, encoding);
      renames_ = std::make_shared<mzml_renames const>(std::move(renames));
    }
    part.joined.now = lists_;
    std::size_t at = 0;
    for (auto const& spectrum : part.text.spectra) {
      follow_lists(text.substr(at, spectrum.begin - at));
      at = spectrum.end;
    }
    follow_lists(text.substr(at));
    part.joined.stated = merged.processing();
    if (merged.several()) part.joined.renames = renames_;
  }

  // Notes the lists of spectra and chromatograms in a text between spectra.
  void follow_lists(std::string_view text) {
    for (auto result = next_markup(text, 0); result; result = next_markup(text, result->end)) {
      auto named = list_processing(*result, text.substr(result->begin, result->end - result->begin));
      if (!named) continue;
      bool const of_spectra = result->name == "spectrumList";
      if (of_spectra && record_ && *named == record_->before) named = record_->after;
      std::string& now = of_spectra ? lists_.spectra : lists_.chromatograms;
      now = renames_->of(id_kind::processing, *named);
      task_.merged->note_list(of_spectra, now);
    }
  }

  // Records the processing, if the document has spectra.
  [[nodiscard]] std::shared_ptr<processing_record const> record_head(mzml_text const& head) const {
    auto const list = std::ranges::find(head.marks, index_mark::kind::spectra, &index_mark::type);
    if (list == head.marks.end() || !list->is_parsed) return nullptr;  // faults after the head do not matter
    std::vector<std::pair<std::string, std::string>> step;
    if (task_.choice) step = as_options(*task_.choice);
    if (task_.select) {
      if (auto const& levels = task_.options->select_levels; levels.is_set())
        step.emplace_back("--filter-ms-level", to_text(levels));
      std::ranges::move(as_options(*task_.select), std::back_inserter(step));
    }
    for (auto& attribute : step) attribute.second = escaped(attribute.second);
    step.emplace_back("--by", task_.options->by == sort_key::mz ? "mz" : "intensity");
    if (task_.options->descending) step.emplace_back("--descending", "");
    return std::make_shared<processing_record const>(record_processing(head.view().substr(0, list->begin), step));
  }

  void count(mzml_chunk const& part) {
    chosen_spectra_ += part.chosen_spectra;
    warned_.fixed_order += part.warned.fixed_order + part.counted.fixed_order;
    warned_.level_1 += part.warned.level_1;
    warned_.no_precursor += part.warned.no_precursor;
    warned_.targets += part.warned.targets;
    warned_.several_ions += part.warned.several_ions;
    warned_.not_finite += part.warned.not_finite;
    warned_.times_without_unit += part.warned.times_without_unit;
    warned_.repaired += part.warned.repaired;
    warned_.own_processing += part.warned.own_processing;
    if (part.text.head && part.record && !part.record->lacks.empty())
      found_.warn(fmt::format("{}: no processing step is recorded: {}", task_.options->name, part.record->lacks));
  }

  void warn_at_end(std::uint64_t strays) {
    found_.warn_of_count(warned_.fixed_order,
                         "spectrum stays as it is: transitions, or in the order of ion mobility or another axis",
                         "spectra stay as they are: transitions, or in the order of ion mobility or another axis");
    found_.warn_of_count(warned_.no_precursor, "spectrum of MS level 2 or above has no selected ion and is left out",
                         "spectra of MS level 2 or above have no selected ion and are left out");
    if (task_.options->isolation == isolation_target::fallback_with_warning)
      found_.warn_of_count(warned_.targets,
                           "spectrum has no selected ion: the target of its isolation window counts as the precursor",
                           "spectra have no selected ion: the target of their isolation window counts as the precursor");
    found_.warn_of_count(warned_.several_ions, "spectrum has several selected ions, of which the first is written",
                         "spectra have several selected ions, of which the first is written");
    found_.warn_of_count(warned_.not_finite, "peak is not finite and is left out", "peaks are not finite and are left out");
    found_.warn_of_count(strays, "reference to a spectrum that was left out stays",
                         "references to spectra that were left out stay");
    found_.warn_of_count(warned_.times_without_unit, "retention time has no unit, and counts as seconds",
                         "retention times have no unit, and count as seconds");
    if (task_.writes() && !task_.print)
      found_.warn_of_count(warned_.repaired, "byte is no UTF-8: it is read as Windows-1252, and stays as it is",
                           "bytes are no UTF-8: they are read as Windows-1252, and stay as they are");
    else
      found_.warn_of_count(warned_.repaired, "byte is no UTF-8, and is read as Windows-1252",
                           "bytes are no UTF-8, and are read as Windows-1252");
    found_.warn_of_count(warned_.own_processing, "spectrum refers to a dataProcessing of its own, where no step is recorded",
                         "spectra refer to a dataProcessing of their own, where no step is recorded");
    if (task_.print) found_.warn_of_levels(task_.choice != nullptr, chosen_spectra_, warned_.level_1);
  }

  mzml_task task_;
  mzml_cutter cutter_;
  diagnostics& found_;
  located_findings findings_;
  std::optional<mzml_writer> writer_;
  sha1_digest digest_;  // digest of the input so far
  bool checksum_read_ = false;
  std::string wrong_checksum_;  // how the checksum differs from the right one
  std::shared_ptr<processing_record const> record_;
  std::shared_ptr<mzml_renames const> renames_;  // renames of a document that is joined with others
  default_processing lists_;                     // the default processing of its lists, by their names in the output
  mzml_chunk::warning_counts warned_;
  std::uint64_t chosen_spectra_ = 0;
};

}  // namespace

std::unique_ptr<input_format> make_mzml_format(source& input, sink* output, chunk_task const& task, diagnostics& diagnostics) {
  return std::make_unique<mzml_format>(input, output, task, diagnostics);
}

}  // namespace ordo::inline v0::spectra::detail
