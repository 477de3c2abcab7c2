#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "spectra/encoding/xml.hpp"
#include "spectra/import/format.hpp"

// mzXML (Pedrioli et al., Nature Biotechnology 22, 2004), versions 1 to 3.2. The tags are few beside the peaks, so that the
// reader parses all of them while it cuts the text. Peaks are decoded in parallel. The index of scans is not read.
namespace ordo::inline v0::spectra::detail {
namespace {

[[noreturn]] void not_mzxml(std::string const& why) {
  throw text_fault(text_fault::here, "not mzXML", why);
}

// Reads a duration of XML Schema without years and months: PT1H2M3.5S; or seconds alone.
std::optional<double> duration(std::string_view text) {
  if (!text.starts_with('P') && !text.starts_with("-P")) return number<double>(text);
  bool const negative = text.front() == '-';
  text.remove_prefix(negative ? 2 : 1);
  double seconds = 0;
  bool in_time = false, any = false;
  while (!text.empty()) {
    if (text.front() == 'T' && !std::exchange(in_time, true)) {
      text.remove_prefix(1);
      continue;
    }
    std::size_t const end = text.find_first_not_of("0123456789.");
    if (end == std::string_view::npos) return std::nullopt;
    auto const value = number<double>(text.substr(0, end));
    char const unit = text[end];
    double const factor = unit == 'D' && !in_time  ? 86400
                          : unit == 'H' && in_time ? 3600
                          : unit == 'M' && in_time ? 60
                          : unit == 'S' && in_time ? 1
                                                   : 0;
    if (!value || factor == 0) return std::nullopt;
    seconds += *value * factor;
    any = true;
    text.remove_prefix(end + 1);
  }
  if (!any) return std::nullopt;
  return negative ? -seconds : seconds;
}

template <class T>
void append_pairs(std::span<char const> bytes, std::vector<double>& mz, std::vector<double>& intensity) {
  using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  auto const number_at = [&](std::size_t at) {
    bits value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return double(std::bit_cast<T>(value));
  };
  for (std::size_t at = 0; at < bytes.size(); at += 2 * sizeof(T)) {
    mz.push_back(number_at(at));
    intensity.push_back(number_at(at + sizeof(T)));
  }
}

class mzxml_parser final : public import_parser {
 public:
  void parse(import_text const& text, imported_spectra& to) override {
    for (auto const& scan : text.scans) {
      binary_array pairs = scan.peaks;
      pairs.count = 2 * scan.num_peaks;
      if (scan.num_peaks == 0) {
        check_empty(pairs, text.view());
      } else if (pairs.width() == 4) {
        append_pairs<float>(codec_.unpack(pairs, text.view()), to.mz, to.intensity);
      } else {
        append_pairs<double>(codec_.unpack(pairs, text.view()), to.mz, to.intensity);
      }
      to.add(scan.spectrum);
    }
  }

 private:
  // Converters write nothing, or a pair of zeros, for a scan without peaks.
  void check_empty(binary_array pairs, std::string_view text) {
    try {
      codec_.unpack(pairs, text);
      return;
    } catch (text_fault const&) {
      pairs.count = 2;
    }
    if (std::ranges::any_of(codec_.unpack(pairs, text), [](char c) { return c != 0; }))
      throw text_fault(pairs.begin, "not a binary array", "it holds peaks, where peaksCount is 0");
  }

  array_codec codec_;
};

class mzxml_reader final : public import_reader, private xml_handler {
 public:
  mzxml_reader(source& input, bool lenient) : from_(input), parser_(*this, true, {}, lenient) {}

  bool next(import_text& text, std::size_t wanted) override {
    text.scans.clear();
    text.failure = nullptr;
    text.num_spectra = 0;
    text.size = 0;
    if (std::exchange(ended_, true)) return false;
    text.first_spectrum = spectra_;
    text_ = &text;
    given_ = 0;
    places_.clear();
    try {
      cut(text, std::clamp<std::size_t>(wanted, 1, chunk_text::max_bytes / 2));
    } catch (...) {
      text.failure = std::current_exception();
    }
    spectra_ += text.num_spectra = text.scans.size();
    return true;
  }
  [[nodiscard]] std::unique_ptr<import_parser> make_parser() const override { return std::make_unique<mzxml_parser>(); }
  [[nodiscard]] bool is_run() const override { return true; }
  [[nodiscard]] std::uint64_t repaired() const override { return parser_.repaired(); }

 private:
  // Lets the parser read up to `end`.
  void give(std::size_t end, bool last = false) {
    if (given_ != end || last) parser_.parse(text_->view().substr(given_, end - given_), given_, last);
    given_ = end;
  }

  void cut(import_text& text, std::size_t wanted) {
    from_.begin(text);
    bool in_peaks = false, in_scan = false;
    std::size_t tag = 0;  // the tag of the open peaks or scan
    for (std::size_t searched = 0;;) {
      auto const result = next_markup(text.view(), searched);
      if (!result) {
        if (from_.more(text, wanted)) continue;
        if (in_peaks || in_scan) throw text_fault(tag, "truncated", "the input ends inside the scan that begins here");
        give(text.size, true);
        if (!begun_) not_mzxml("it has no tags");
        return;
      }
      searched = result->end;
      if (in_peaks) {
        if (result->kind != markup_kind::end || result->name != "peaks")
          throw text_fault(result->begin, "not mzXML", "a tag between <peaks> and </peaks>");
        peaks_end_ = given_ = result->begin;
        give(searched);
        in_peaks = in_scan = false;
      } else if (result->name == "peaks" && result->kind == markup_kind::start) {
        in_peaks = true;
        peaks_begin_ = searched;
        peaks_tag_ = result->begin;
        give(searched);
      } else if (result->name == "peaks" && result->kind == markup_kind::empty) {
        peaks_begin_ = peaks_end_ = searched;
        peaks_tag_ = result->begin;
        give(searched);
        in_scan = false;
      } else if (result->name == "scan") {
        in_scan = result->kind == markup_kind::start;
        tag = result->begin;
        if (result->kind != markup_kind::end) places_.push_back(result->begin);
      }
      if (searched < wanted || in_peaks || in_scan) continue;
      give(searched);
      from_.cut(text, searched);
      ended_ = false;
      return;
    }
  }

  void start(std::string_view name, attributes const& all) override {
    if (!begun_ && name != "mzXML" && name != "msRun") not_mzxml(fmt::format("its first tag is <{}>", name));
    begun_ = true;
    if (name == "scan") {
      start_scan(all);
    } else if (name == "peaks") {
      start_peaks(all);
    } else if (name == "precursorMz") {
      start_precursor(all);
    } else if (name == "parentFile" && file_.empty()) {
      std::string_view path = all.get("fileName");
      path.remove_prefix(path.find_last_of("/\\") == std::string_view::npos ? 0 : path.find_last_of("/\\") + 1);
      file_ = path.substr(0, path.find_last_of('.'));
    }
  }

  void end(std::string_view name) override {
    if (name == "scan" && scan_) {
      end_scan();
    } else if (name == "peaks" && scan_) {
      scan_->peaks.begin = peaks_begin_;
      scan_->peaks.end = peaks_end_;
      end_scan();
    } else if (name == "precursorMz" && in_precursor_) {
      in_precursor_ = false;
      parser_.want_characters(false);
      auto& mz = scan_->spectrum.header.precursor_mz;
      mz = parse_number<double>("precursorMz", precursor_);
      if (mz && !(*mz > 0 && std::isfinite(*mz))) mz.reset();
    }
  }

  void characters(std::string_view text) override {
    if (in_precursor_) precursor_ += text;
  }

  void start_scan(attributes const& all) {
    if (scan_) end_scan();  // a scan without peaks, but with others in it
    if (places_.empty()) not_mzxml("a scan where none can be");
    scan_.emplace();
    imported_spectrum& imported_spectrum = scan_->spectrum;
    imported_spectrum.begin = places_.front();
    places_.pop_front();
    auto const count = parse_number<std::size_t>("peaksCount", all.get("peaksCount"));
    if (!count) not_mzxml("a scan without peaksCount");
    if (*count > ~std::uint32_t{0}) not_mzxml(fmt::format("a scan of {} peaks", *count));
    scan_->num_peaks = *count;
    imported_spectrum.header.scan = parse_number<std::uint64_t>("num", all.get("num"));
    imported_spectrum.header.ms_level = parse_number<unsigned>("msLevel", all.get("msLevel"));
    if (std::string_view const time = all.get("retentionTime"); !time.empty()) {
      imported_spectrum.header.rt_seconds = duration(time);
      if (!imported_spectrum.header.rt_seconds)
        throw text_fault(text_fault::here, "not a duration", fmt::format("retentionTime is '{}'", time));
    }
    imported_spectrum.header.compensation_voltage = number<double>(all.get("compensationVoltage"));
    imported_spectrum.header.collision_energy = number<double>(all.get("collisionEnergy"));
    imported_spectrum.header.total_ion_current = number<double>(all.get("totIonCurrent"));
    imported_spectrum.header.base_peak = number<double>(all.get("basePeakIntensity"));
    std::string_view const polarity = all.get("polarity");
    if (polarity == "+") imported_spectrum.header.polarity = ion_polarity::positive;
    if (polarity == "-") imported_spectrum.header.polarity = ion_polarity::negative;
    precursors_ = 0;
    charge_.clear();
  }

  void start_precursor(attributes const& all) {
    if (!scan_ || precursors_++ != 0) return;  // the first one counts
    spectrum_header& header = scan_->spectrum.header;
    header.precursor_intensity = parse_number<double>("precursorIntensity", all.get("precursorIntensity"));
    header.isolation_width = number<double>(all.get("windowWideness"));
    scan_->spectrum.activation = all.get("activationMethod");
    auto const charge = parse_number<int>("precursorCharge", all.get("precursorCharge"));
    if (charge && *charge != 0) {
      bool const negative = header.polarity == ion_polarity::negative;
      header.charges.push_back(negative ? -std::abs(*charge) : *charge);
      charge_ = fmt::format("{}", *charge);
    }
    in_precursor_ = true;
    precursor_.clear();
    parser_.want_characters(true);
  }

  void start_peaks(attributes const& all) {
    if (!scan_) not_mzxml("peaks outside of a scan, or several in one");
    auto const refuse = [&](std::string_view subject, std::string_view value) {
      throw text_fault(peaks_tag_, "peaks not supported", fmt::format("{} is '{}'", subject, value));
    };
    binary_array& peaks = scan_->peaks;
    peaks.tag = peaks_tag_;
    std::string_view const precision = all.get("precision"), order = all.get("byteOrder");
    if (precision != "32" && precision != "64" && !precision.empty()) refuse("precision", precision);
    peaks.type = precision == "64" ? number_type::float64 : number_type::float32;
    scan_->spectrum.digits = {precision != "64", precision != "64"};
    if (order != "network" && !order.empty()) refuse("byteOrder", order);
    for (std::string_view const name : {"contentType", "pairOrder"})
      if (std::string_view const content = all.get(name); content != "m/z-int" && !content.empty()) refuse(name, content);
    std::string_view const compression = all.get("compressionType");
    if (compression != "none" && compression != "zlib" && !compression.empty()) refuse("compressionType", compression);
    peaks.compression = compression == "zlib" ? packing::zlib : packing::none;
  }

  void end_scan() {
    imported_spectrum& imported_spectrum = scan_->spectrum;
    std::string const number = imported_spectrum.header.scan ? fmt::format("{}", *imported_spectrum.header.scan) : "";
    imported_spectrum.native_id = fmt::format("scan={}", number);
    imported_spectrum.title =
        file_.empty() ? imported_spectrum.native_id : fmt::format("{}.{}.{}.{}", file_, number, number, charge_);
    if (scan_->peaks.type == number_type::unknown) {  // there were none
      scan_->peaks.type = number_type::float32;
      scan_->peaks.compression = packing::none;
      scan_->peaks.begin = scan_->peaks.end = imported_spectrum.begin;
    }
    text_->scans.push_back(*std::exchange(scan_, std::nullopt));
  }

  text_reader from_;
  xml_parser parser_;
  bool begun_ = false, ended_ = false;
  std::uint64_t spectra_ = 0;
  std::string file_;  // without its extension

  // State of the text that is being cut.
  import_text* text_ = nullptr;
  std::size_t given_ = 0;           // to the parser
  std::deque<std::size_t> places_;  // places of scans that the parser has not read
  std::size_t peaks_tag_ = 0, peaks_begin_ = 0, peaks_end_ = 0;
  std::optional<import_text::scan> scan_;  // its peaks are still to come
  std::size_t precursors_ = 0;
  bool in_precursor_ = false;
  std::string precursor_, charge_;
};

}  // namespace

std::unique_ptr<import_reader> make_mzxml_reader(source& input, bool lenient) {
  return std::make_unique<mzxml_reader>(input, lenient);
}

}  // namespace ordo::inline v0::spectra::detail
