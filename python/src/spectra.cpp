#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "base/processes/fork_delay.hpp"
#include "ordo/spectra/arrays.hpp"
#include "ordo/spectra/import.hpp"
#include "ordo/spectra/similarity.hpp"
#include "python/src/machine.hpp"
#include "python/src/module.hpp"
#include "spectra/mgf/writer.hpp"

namespace ordo_python {
namespace {

namespace spectra = ordo::spectra;

/// A source over a Python file, read by its method readinto.
class file_source final : public ordo::source {
 public:
  explicit file_source(nb::object file) : readinto_(file.attr("readinto")) {}
  ~file_source() override {
    ordo::work_pause const pause;
    nb::gil_scoped_acquire const acquired;
    readinto_.reset();
  }

  std::size_t read(std::span<char> to) override {
    ordo::work_pause const pause;
    nb::gil_scoped_acquire const acquired;
    std::size_t done = 0;
    while (done < to.size()) {
      nb::object const view = nb::steal(PyMemoryView_FromMemory(to.data() + done, Py_ssize_t(to.size() - done), PyBUF_WRITE));
      nb::object const got = readinto_(view);
      if (got.is_none()) throw ordo::input_error("cannot read: input: it has no data yet");
      auto const bytes = nb::cast<std::size_t>(got);
      if (bytes == 0) break;
      done += bytes;
    }
    return done;
  }

 private:
  nb::object readinto_;
};

/// Returns an array of NumPy that owns a vector.
template <class T>
nb::object make_array(std::vector<T>&& items) {
  auto owned = std::make_unique<std::vector<T>>(std::move(items));
  T* const data = owned->data();
  std::size_t const size = owned->size();
  nb::capsule const owner(owned.get(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  static_cast<void>(owned.release());
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {size}, owner));
}

constexpr std::pair<std::string_view, spectra::format> formats[] = {{"mgf", spectra::format::mgf},
                                                                    {"mzml", spectra::format::mzml},
                                                                    {"mzxml", spectra::format::mzxml},
                                                                    {"msp", spectra::format::msp},
                                                                    {"mzspeclib", spectra::format::mzspeclib}};

spectra::format format_named(std::string const& name) {
  for (auto const& [known, format] : formats)
    if (known == name) return format;
  throw ordo::usage_error("bad format: " + name + ": none of mgf, mzml, mzxml, msp and mzspeclib");
}

/// Returns the columns of spectra as arrays of NumPy, and their titles.
nb::dict make_columns(spectra::spectrum_columns all) {
  auto const to_list = [](spectra::string_column const& strings) {
    nb::list list;
    for (std::size_t s = 0; s + 1 < strings.offsets.size(); ++s)
      list.append(nb::steal(PyUnicode_DecodeUTF8(strings[s].data(), Py_ssize_t(strings[s].size()), "surrogateescape")));
    return list;
  };
  nb::dict columns;
  columns["mz"] = make_array(std::move(all.mz));
  columns["intensity"] = make_array(std::move(all.intensity));
  columns["offsets"] = make_array(std::vector<std::int64_t>(all.offsets.begin(), all.offsets.end()));
  columns["precursor_mz"] = make_array(std::move(all.precursor_mz));
  columns["charge"] = make_array(std::move(all.charge));
  columns["rt_seconds"] = make_array(std::move(all.rt_seconds));
  columns["ms_level"] = make_array(std::vector<std::int32_t>(all.ms_level.begin(), all.ms_level.end()));
  columns["scan"] = make_array(std::move(all.scan));
  columns["ion_mobility"] = make_array(std::move(all.ion_mobility));
  columns["polarity"] = make_array(std::move(all.polarity));
  columns["titles"] = to_list(all.titles);
  columns["native_ids"] = to_list(all.native_ids);
  columns["sequences"] = to_list(all.sequences);
  return columns;
}

/// Reads spectra from bytes, or from a file with readinto. @param rt_unit  "s", "min", or empty
/// @param on_spectra  called with the columns of some spectra at a time, which are not returned then; None: all are returned
nb::object read(machines& on, nb::object input, std::string const& format, std::string const& name, bool lenient,
                std::string const& rt_unit, nb::object on_warning, nb::handle on_spectra) {
  spectra::sort_options options;
  options.name = name;
  options.lenient = lenient;
  if (!rt_unit.empty() && rt_unit != "s" && rt_unit != "min")
    throw ordo::usage_error("bad unit: rt_unit '" + rt_unit + "': neither s nor min");
  if (!rt_unit.empty()) options.rt_unit_seconds = rt_unit == "min" ? 60 : 1;
  options.machine.threads = on.threads();
  std::vector<std::string> warnings;
  options.on_warning = [&](std::string const& text) { warnings.push_back(text); };
  spectra::format const from = format_named(format);
  spectra::spectrum_columns all;
  std::optional<array> bytes;
  std::unique_ptr<ordo::source> source;
  if (PyObject_CheckBuffer(input.ptr())) {
    bytes.emplace(input, "input", false);
    source = std::make_unique<ordo::memory_source>(std::string_view(static_cast<char const*>(bytes->data()), bytes->size()));
  } else {
    source = std::make_unique<file_source>(input);
  }
  {
    bool const returns = on_spectra.is_none();
    nb::gil_scoped_release const released;
    if (returns)
      all = spectra::read_spectra(*source, options, from);
    else
      spectra::read_spectra(*source, options, from, [&](spectra::spectrum_columns const& some) {
        ordo::work_pause const pause;
        nb::gil_scoped_acquire const acquired;
        on_spectra(make_columns(some));
      });
  }
  source.reset();
  for (std::string const& text : warnings) on_warning(nb::str(text.data(), text.size()));
  return on_spectra.is_none() ? nb::object(make_columns(std::move(all))) : nb::object(nb::none());
}

std::string detect(nb::bytes const& front) {
  std::string_view const text(static_cast<char const*>(front.data()), front.size());
  spectra::format const detected = spectra::detect_format(text);
  return std::string(std::ranges::find(formats, detected, [](auto const& known) { return known.second; })->first);
}

/// Calls f(span of mz, span of intensity) with the types of both.
template <class F>
void with_peaks(array const& mz, array const& intensity, F f) {
  auto const with = [](array const& a, char const* name, auto g) {
    if (a.type() == ORDO_FLOAT32)
      g(std::span<float>(static_cast<float*>(a.data()), a.size()));
    else if (a.type() == ORDO_FLOAT64)
      g(std::span<double>(static_cast<double*>(a.data()), a.size()));
    else
      throw ordo::usage_error(std::string("bad ") + name + ": neither float32 nor float64");
  };
  with(mz, "mz", [&](auto first) { with(intensity, "intensity", [&](auto second) { f(first, second); }); });
}

/// Calls f(span of offsets); signed ones count as unsigned.
template <class F>
void with_offsets(array const& offsets, F f) {
  if (offsets.item_bytes() == 4)
    f(std::span<std::uint32_t>(static_cast<std::uint32_t*>(offsets.data()), offsets.size()));
  else if (offsets.item_bytes() == 8)
    f(std::span<std::uint64_t>(static_cast<std::uint64_t*>(offsets.data()), offsets.size()));
  else
    throw ordo::usage_error("bad offsets: neither 32 nor 64 bits");
}

void check_places(array const& mz, array const& intensity, array const& offsets) {
  if (mz.gpu() != intensity.gpu() || mz.gpu() != offsets.gpu()) throw ordo::usage_error("bad arrays: not on one device");
}

void sort_peaks(machines& on, nb::handle mz_given, nb::handle intensity_given, nb::handle offsets_given, bool by_intensity,
                bool descending, std::uintptr_t stream) {
  array const mz(mz_given, "mz", true, stream), intensity(intensity_given, "intensity", true, stream),
      offsets(offsets_given, "offsets", false, stream);
  check_places(mz, intensity, offsets);
  on.run(mz.gpu(), stream, [&](ordo_machine* machine) {
    with_peaks(mz, intensity, [&](auto first, auto second) {
      with_offsets(offsets, [&]<class Offset>(std::span<Offset> bounds) {
        spectra::sort_peaks(*machine->machine, first, second, std::span<Offset const>(bounds),
                            by_intensity ? spectra::sort_key::intensity : spectra::sort_key::mz, descending);
      });
    });
    return ordo_status(ORDO_OK);
  });
}

std::optional<spectra::tolerance> parse_tolerance(nb::handle given) {
  if (given.is_none()) return std::nullopt;
  if (nb::isinstance<nb::tuple>(given)) {
    nb::tuple const pair = nb::cast<nb::tuple>(given);
    return spectra::tolerance{nb::cast<double>(pair[0]), nb::cast<std::string>(pair[1]) == "ppm"};
  }
  return spectra::tolerance{nb::cast<double>(given), false};
}

/// Selects the peaks in place.
/// @returns the number of kept peaks
std::size_t select(machines& on, nb::handle mz_given, nb::handle intensity_given, nb::handle offsets_given,
                   nb::list const& rules, std::string const& preset, nb::handle precursor_given, nb::handle charge_given,
                   std::uintptr_t stream) {
  spectra::selection chosen;
  if (!preset.empty()) {
    auto const given = spectra::preset(preset);
    if (!given) throw ordo::usage_error("unknown preset: " + preset);
    chosen = *given;
  }
  for (nb::handle item : rules) {
    auto const pair = nb::cast<nb::tuple>(item);
    auto const rule = nb::cast<std::string>(pair[0]);
    nb::object const value = pair[1];
    if (value.is_none()) continue;
    if (rule == "min_mz")
      chosen.min_mz = nb::cast<double>(value);
    else if (rule == "max_mz")
      chosen.max_mz = nb::cast<double>(value);
    else if (rule == "drop_zero")
      chosen.drop_zero = nb::cast<bool>(value);
    else if (rule == "min_intensity")
      chosen.min_intensity = nb::cast<double>(value);
    else if (rule == "remove_precursor")
      chosen.remove_precursor = parse_tolerance(value);
    else if (rule == "remove_precursor_above")
      chosen.remove_precursor_above = parse_tolerance(value);
    else if (rule == "all_charges")
      chosen.all_charges = nb::cast<bool>(value);
    else if (rule == "min_relative")
      chosen.min_relative = nb::cast<double>(value);
    else if (rule == "dedupe")
      chosen.dedupe = parse_tolerance(value);
    else if (rule == "merge")
      chosen.merge = parse_tolerance(value);
    else if (rule == "top")
      chosen.top = nb::cast<std::size_t>(value);
    else if (rule == "per")
      chosen.per = nb::cast<double>(value);
    else if (rule == "around")
      chosen.around = nb::cast<double>(value);
    else if (rule == "min_peaks")
      chosen.min_peaks = nb::cast<std::size_t>(value);
    else
      throw ordo::usage_error("unknown rule: " + rule);
  }
  array const mz(mz_given, "mz", true, stream), intensity(intensity_given, "intensity", true, stream),
      offsets(offsets_given, "offsets", true, stream);
  check_places(mz, intensity, offsets);
  std::optional<array> precursor, charge;
  spectra::precursors ions;
  auto const add = [&](std::optional<array>& held, nb::handle given, char const* name, ordo_type type) {
    if (given.is_none()) return;
    held.emplace(given, name, false, stream);
    if (held->gpu() != mz.gpu() || held->type() != type || held->size() + 1 != std::max<std::size_t>(offsets.size(), 1))
      throw ordo::usage_error(std::string("bad ") + name + ": type, length or device");
  };
  add(precursor, precursor_given, "precursor_mz", ORDO_FLOAT64);
  add(charge, charge_given, "charge", ORDO_INT32);
  if (precursor) ions.mz = {static_cast<double const*>(precursor->data()), precursor->size()};
  if (charge) ions.charge = {static_cast<std::int32_t const*>(charge->data()), charge->size()};
  std::size_t kept = 0;
  on.run(mz.gpu(), stream, [&](ordo_machine* machine) {
    with_peaks(mz, intensity, [&](auto first, auto second) {
      with_offsets(offsets,
                   [&](auto bounds) { kept = spectra::select(*machine->machine, first, second, bounds, chosen, ions); });
    });
    return ordo_status(ORDO_OK);
  });
  return kept;
}

/// Returns the columns of pairs of similar spectra. @param precursor  None: any
nb::dict find_pairs(machines& on, nb::handle mz_given, nb::handle intensity_given, nb::handle offsets_given,
                    nb::handle precursor_given, nb::handle precursor, double min_cosine, nb::handle peaks, bool modified) {
  array const mz(mz_given, "mz", false), intensity(intensity_given, "intensity", false),
      offsets(offsets_given, "offsets", false), precursors(precursor_given, "precursor_mz", false);
  spectra::similarity_rule rule;
  rule.precursor = parse_tolerance(precursor);
  rule.min_cosine = min_cosine;
  rule.peaks = parse_tolerance(peaks).value_or(rule.peaks);
  rule.modified = modified;
  auto const reals = [](array const& a) { return std::span(static_cast<double const*>(a.data()), a.size()); };
  std::vector<spectra::similar_pair> pairs;
  {
    nb::gil_scoped_release const released;
    pairs =
        spectra::find_pairs({reals(mz), reals(intensity),
                             std::span(static_cast<std::uint64_t const*>(offsets.data()), offsets.size()), reals(precursors)},
                            rule, on.options());
  }
  std::vector<std::int64_t> first, second, matches;
  std::vector<double> cosine;
  for (spectra::similar_pair const& pair : pairs) {
    first.push_back(std::int64_t(pair.first));
    second.push_back(std::int64_t(pair.second));
    cosine.push_back(pair.cosine);
    matches.push_back(std::int64_t(pair.matches));
  }
  nb::dict columns;
  columns["first"] = make_array(std::move(first));
  columns["second"] = make_array(std::move(second));
  columns["cosine"] = make_array(std::move(cosine));
  columns["matches"] = make_array(std::move(matches));
  return columns;
}

/// Returns the representative of each spectrum.
nb::object find_clusters(std::uint64_t count, nb::handle first_given, nb::handle second_given, nb::handle cosine_given,
                         bool greedy) {
  array const first(first_given, "first", false), second(second_given, "second", false), cosine(cosine_given, "cosine", false);
  std::vector<spectra::similar_pair> pairs;
  for (std::size_t k = 0; k < first.size(); ++k)
    pairs.push_back({static_cast<std::uint64_t const*>(first.data())[k], static_cast<std::uint64_t const*>(second.data())[k],
                     static_cast<double const*>(cosine.data())[k], 0});
  auto const method = greedy ? spectra::cluster_method::greedy : spectra::cluster_method::connected;
  auto const clusters = spectra::find_clusters(std::size_t(count), pairs, method);
  return make_array(std::vector<std::int64_t>(clusters.begin(), clusters.end()));
}

/// Returns spectra as the text of MGF. Missing values of columns are NaN, 0, or -1 for scans; missing strings "".
nb::bytes to_mgf(nb::handle mz_given, nb::handle intensity_given, nb::handle offsets_given, nb::handle precursor_given,
                 nb::handle charge_given, nb::handle rt_given, nb::handle level_given, nb::handle scan_given,
                 nb::handle mobility_given, nb::handle polarity_given, nb::list const& titles, nb::list const& sequences,
                 bool mz_single, bool intensity_single) {
  array const mz(mz_given, "mz", false), intensity(intensity_given, "intensity", false),
      offsets(offsets_given, "offsets", false), precursor(precursor_given, "precursor_mz", false),
      charge(charge_given, "charge", false), rt(rt_given, "rt_seconds", false), level(level_given, "ms_level", false),
      scan(scan_given, "scan", false), mobility(mobility_given, "ion_mobility", false),
      polarity(polarity_given, "polarity", false);
  auto const column = [](array const& a, ordo_type type, std::size_t size, char const* name) {
    if (a.gpu() || a.type() != type || a.size() != size)
      throw ordo::usage_error(std::string("bad ") + name + ": type or length");
  };
  std::size_t const spectra_given = offsets.size() == 0 ? 0 : offsets.size() - 1;
  column(mz, ORDO_FLOAT64, mz.size(), "mz");
  column(intensity, ORDO_FLOAT64, mz.size(), "intensity");
  column(offsets, ORDO_INT64, offsets.size(), "offsets");
  column(precursor, ORDO_FLOAT64, spectra_given, "precursor_mz");
  column(charge, ORDO_INT32, spectra_given, "charge");
  column(rt, ORDO_FLOAT64, spectra_given, "rt_seconds");
  column(level, ORDO_INT32, spectra_given, "ms_level");
  column(scan, ORDO_INT64, spectra_given, "scan");
  column(mobility, ORDO_FLOAT64, spectra_given, "ion_mobility");
  column(polarity, ORDO_INT8, spectra_given, "polarity");
  auto const to_strings = [&](nb::list const& texts, char const* name) {
    std::vector<std::string> strings;
    for (nb::handle text : texts)
      strings.emplace_back(static_cast<char const*>(nb::cast<nb::bytes>(text).data()), nb::cast<nb::bytes>(text).size());
    if (strings.size() != spectra_given) throw ordo::usage_error(std::string("bad ") + name + ": not as long as the spectra");
    return strings;
  };
  std::vector<std::string> const names = to_strings(titles, "titles"), peptides = to_strings(sequences, "sequences");
  auto const* const bounds = static_cast<std::int64_t const*>(offsets.data());
  std::string text;
  {
    nb::gil_scoped_release const released;
    auto const at = [](array const& a, std::size_t i) { return static_cast<double const*>(a.data())[i]; };
    std::vector<std::uint32_t> order;
    std::vector<spectra::detail::metadata_entry> metadata;
    for (std::size_t s = 0; s < spectra_given; ++s) {
      if (bounds[s] < 0 || bounds[s] > bounds[s + 1] || std::size_t(bounds[s + 1]) > mz.size() ||
          bounds[s + 1] - bounds[s] > std::int64_t{~std::uint32_t{0}})
        throw ordo::usage_error("bad offsets: spectrum " + std::to_string(s));
      auto const begin = std::size_t(bounds[s]), size = std::size_t(bounds[s + 1] - bounds[s]);
      spectra::spectrum_header header;
      if (!names[s].empty()) header.title = names[s];
      if (at(precursor, s) > 0) header.precursor_mz = at(precursor, s);
      if (at(rt, s) == at(rt, s)) header.rt_seconds = at(rt, s);
      if (int const z = static_cast<std::int32_t const*>(charge.data())[s]; z != 0) header.charges.push_back(z);
      if (auto const number = static_cast<std::int64_t const*>(scan.data())[s]; number >= 0)
        header.scan = std::uint64_t(number);
      if (int const n = static_cast<std::int32_t const*>(level.data())[s]; n > 0) header.ms_level = unsigned(n);
      if (at(mobility, s) == at(mobility, s)) header.ion_mobility = at(mobility, s);
      metadata.clear();
      // Readers take the polarity from the charge.
      int const sign = static_cast<std::int8_t const*>(polarity.data())[s];
      if (sign != 0 && (header.charges.empty() || (header.charges.front() < 0) != (sign < 0)))
        metadata.push_back({"IONMODE", sign < 0 ? "negative" : "positive"});
      if (!peptides[s].empty()) metadata.push_back({"SEQ", peptides[s]});
      order.resize(size);
      std::iota(order.begin(), order.end(), 0u);
      std::string title;
      spectra::peak_list const peaks{{static_cast<double const*>(mz.data()) + begin, size},
                                     {static_cast<double const*>(intensity.data()) + begin, size},
                                     {}};
      spectra::detail::print_mgf({header, peaks, order, {mz_single, intensity_single}, metadata}, {}, title, text);
    }
  }
  return nb::bytes(text.data(), text.size());
}

}  // namespace

void add_spectra(nb::module_& module) {
  module.def("read_spectra", &read, nb::arg("machine"), nb::arg("input"), nb::arg("format"), nb::arg("name"),
             nb::arg("lenient"), nb::arg("rt_unit"), nb::arg("on_warning"), nb::arg("on_spectra").none());
  module.def("detect_format", &detect);
  module.def("sort_peaks", &sort_peaks);
  module.def("select_peaks", &select, nb::arg("machine"), nb::arg("mz"), nb::arg("intensity"), nb::arg("offsets"),
             nb::arg("rules"), nb::arg("preset"), nb::arg("precursor_mz").none(), nb::arg("charge").none(), nb::arg("stream"));
  module.def("to_mgf", &to_mgf);
  module.def("find_pairs", &find_pairs, nb::arg("machine"), nb::arg("mz"), nb::arg("intensity"), nb::arg("offsets"),
             nb::arg("precursor_mz"), nb::arg("precursor").none(), nb::arg("min_cosine"), nb::arg("peaks"),
             nb::arg("modified"));
  module.def("find_clusters", &find_clusters);
}

}  // namespace ordo_python
