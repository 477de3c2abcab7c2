#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "tools/cli/files/input.hpp"
#include "tools/cli/options/options.hpp"
#include "tools/specsort/match_table.hpp"
#include "tools/specsort/options.hpp"

namespace ordo::inline v0::specsort {
namespace {

constexpr std::string_view choice_group = "Choosing spectra (a leading ! chooses all others)",
                           settings_group = "Choosing spectra by settings and sums (a leading !, too)";

// Takes a leading '!' off a value.
bool consume_inverse(std::string_view& text) {
  bool const inverse = text.starts_with('!');
  if (inverse) text.remove_prefix(1);
  return inverse;
}

// Returns the whole text as a number.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  Number value{};
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  if constexpr (std::is_floating_point_v<Number>)
    if (!std::isfinite(value)) return {};
  return value;
}

// Calls part(text) for each part of a list with commas.
template <class F>
void each_part(std::string_view list, F part) {
  for (bool more = true; more;) {
    std::size_t const comma = list.find(',');
    part(list.substr(0, comma));
    more = comma != list.npos;
    list.remove_prefix(more ? comma + 1 : 0);
  }
}

[[noreturn]] void refuse(std::string_view option, std::string_view text, std::string_view examples) {
  throw usage_error(fmt::format("invalid range: {}: '{}'; write {}", option, text, examples));
}

// Returns a charge, with its sign before it or, as in MGF, after it.
std::optional<int> parse_charge(std::string_view text) {
  bool const negative = text.ends_with('-');
  if (!negative && !text.ends_with('+')) return parse_number<int>(text);
  text.remove_suffix(1);
  if (text.starts_with('+') || text.starts_with('-')) return {};
  auto const value = parse_number<int>(text);
  return value && negative ? std::optional(-*value) : value;
}

// Parses whole numbers: "2", "2-4" (of numbers without a sign), "-4:-2", "2:".
// @param parse  returns the number that a whole text is
template <class Number, class Parse>
spectra::range_rule<Number> whole_ranges(std::string_view option, std::string_view text, std::string_view examples,
                                         Parse parse) {
  spectra::range_rule<Number> rule;
  if (text.empty()) return rule;
  std::string_view const given = text;
  rule.inverse = consume_inverse(text);
  each_part(text, [&](std::string_view part) {
    std::size_t separator = part.find(':');
    if (separator == part.npos && !parse(part)) {  // the '-' with a number on either side
      separator = part.find('-', 1);
      while (separator != part.npos && !(parse(part.substr(0, separator)) && parse(part.substr(separator + 1))))
        separator = part.find('-', separator + 1);
    }
    std::string_view const first = part.substr(0, separator);
    std::string_view const last = separator == part.npos ? first : part.substr(separator + 1);
    bool const open = separator != part.npos && part[separator] == ':' && part.size() > 1;
    auto const begin = first.empty() && open ? std::numeric_limits<Number>::min() : parse(first);
    auto const end = last.empty() && open ? std::numeric_limits<Number>::max() : parse(last);
    if (!begin || !end || *begin > *end) refuse(option, given, examples);
    rule.ranges.push_back({*begin, *end});
  });
  return rule;
}

spectra::range_rule<std::uint64_t> whole_ranges(std::string_view option, std::string_view text, std::string_view examples) {
  return whole_ranges<std::uint64_t>(option, text, examples, parse_number<std::uint64_t>);
}

struct unit {
  std::string_view name;
  double factor;
};

// Takes a unit off the end of a number, and returns its factor; nothing if it has none.
std::optional<double> consume_unit(std::string_view& text, std::span<unit const> units) {
  std::size_t const end = text.find_last_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
  std::string const name = lower_case(text.substr(end == text.npos ? 0 : end + 1));
  auto const it = std::ranges::find(units, name, &unit::name);
  if (it == units.end()) return {};
  text.remove_suffix(name.size());
  while (text.ends_with(' ')) text.remove_suffix(1);
  return it->factor;
}

// Parses ranges of numbers: "A:B", "A:", ":B". A bound without a unit has that of the other one.
// @param single  a range may be one number
spectra::range_rule<double> real_ranges(std::string_view option, std::string_view text, std::string_view examples,
                                        std::span<unit const> units = {}, bool single = false) {
  spectra::range_rule<double> rule;
  if (text.empty()) return rule;
  std::string_view const given = text;
  rule.inverse = consume_inverse(text);
  each_part(text, [&](std::string_view part) {
    std::size_t const colon = part.find(':');
    if (auto const value = single ? parse_number<double>(part) : std::nullopt) return rule.ranges.push_back({*value, *value});
    if (colon == part.npos || part.size() == 1) refuse(option, given, examples);
    std::string_view first = part.substr(0, colon), last = part.substr(colon + 1);
    std::optional<double> const first_unit = consume_unit(first, units), last_unit = consume_unit(last, units);
    spectra::closed_range<double> range{-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    auto const set = [&](double& bound, std::string_view digits, double factor) {
      auto const value = parse_number<double>(digits);
      if (!value) refuse(option, given, examples);
      bound = *value * factor;
    };
    if (colon != 0) set(range.first, first, first_unit.value_or(last_unit.value_or(1)));
    if (colon + 1 != part.size()) set(range.last, last, last_unit.value_or(first_unit.value_or(1)));
    if (!(range.first <= range.last)) refuse(option, given, examples);
    rule.ranges.push_back(range);
  });
  return rule;
}

spectra::pattern_rule parse_pattern(std::string_view text) {
  spectra::pattern_rule rule;
  if (text.empty()) return rule;
  rule.inverse = consume_inverse(text);
  rule.pattern = text;
  return rule;
}

// Returns the share that a sample is given by: "1%" is 0.01.
std::optional<double> sample_share(std::string_view text) {
  consume_inverse(text);
  if (!text.ends_with('%')) return {};
  text.remove_suffix(1);
  auto const percent = parse_number<double>(text);
  return percent ? *percent / 100 : std::numeric_limits<double>::quiet_NaN();
}

constexpr std::string_view sample_examples = "1000, 1% or !1000";

cli::option row(std::string_view name, std::string_view value, std::string help, std::string& to, std::string details = {}) {
  return {.name = name,
          .value = value,
          .group = choice_group,
          .help = std::move(help),
          .details = std::move(details),
          .set = cli::store_nonempty(to)};
}

// Undoes the escapes of a field that --map writes.
std::string unescaped(std::string_view field) {
  std::string text;
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (field[i] == '\\' && i + 1 < field.size()) {
      ++i;
      text += field[i] == 't' ? '\t' : field[i] == 'n' ? '\n' : field[i];
    } else {
      text += field[i];
    }
  }
  return text;
}

}  // namespace

bool choice_options::any() const {
  return std::ranges::any_of(
      std::array{&ms_level, &rt, &scan, &charge, &polarity, &precursor, &title, &native_id, &faims_cv, &collision_energy,
                 &activation, &isolation_width, &instrument, &base_peak, &tic, &psms, &index, &sample, &unique},
      [](std::string const* list) { return !list->empty(); });
}

spectra::spectrum_choice choice_options::choice() const {
  constexpr std::array<unit, 5> times{{{"s", 1}, {"sec", 1}, {"min", 60}, {"h", 3600}, {"ms", 0.001}}};
  constexpr std::string_view levels = "2, 2-3 or !1";
  spectra::spectrum_choice choice;
  choice.ms_levels = whole_ranges("--ms-level", ms_level, levels);
  choice.rt_seconds = real_ranges("--rt", rt, "600:1200, 10min:20min or 3600:", times);
  choice.scans = whole_ranges("--scan", scan, "7, 100-200 or 1,3,8:");
  choice.charges = whole_ranges<int>("--charge", charge, "2, 2+, 2-4, 0,2 or -3:-1", parse_charge);
  if (!polarity.empty()) {
    std::string const lower = lower_case(polarity);
    std::string_view name = lower;
    choice.inverse_polarity = consume_inverse(name);
    if (name != "positive" && name != "negative")
      throw usage_error(fmt::format("invalid value: --polarity: '{}'; choose from positive and negative", polarity));
    choice.polarity = name == "positive" ? spectra::ion_polarity::positive : spectra::ion_polarity::negative;
  }
  choice.precursor_mz = real_ranges("--precursor", precursor, "400:600, 400: or !:300");
  choice.title = parse_pattern(title);
  choice.native_id = parse_pattern(native_id);
  choice.inverse_numbers = index.starts_with('!');
  choice.compensation_voltage = real_ranges("--faims-cv", faims_cv, "-45, -45,-60 or -60:-40", {}, true);
  choice.collision_energy = real_ranges("--collision-energy", collision_energy, "30, 25:35 or 30:", {}, true);
  choice.isolation_width = real_ranges("--isolation-width", isolation_width, "1.6, 1:2 or :2", {}, true);
  choice.base_peak = real_ranges("--base-peak", base_peak, "1e4: or 1e4:1e6");
  choice.total_ion_current = real_ranges("--tic", tic, "1e6: or 1e6:1e9");
  choice.activation = parse_pattern(activation);
  choice.instrument = parse_pattern(instrument);
  choice.inverse_named = psms.starts_with('!');
  if (!seed.empty() && sample.empty()) throw usage_error("missing option: --seed: it needs --sample");
  std::uint64_t const seed_number = seed_value();
  if (!sample.empty()) static_cast<void>(sample_size());
  if (auto const share = sample_share(sample)) {
    // The share of the 2^64 ranks.
    double const ranks = *share * 0x1p64;
    choice.sample = {.seed = seed_number,
                     .max_rank = ranks >= 0x1p64 ? std::numeric_limits<std::uint64_t>::max()
                                                 : std::max<std::uint64_t>(std::uint64_t(ranks), 1) - 1,
                     .inverse = inverse_sample()};
  }
  choice.check();
  return choice;
}

std::optional<spectra::duplicate_rule> choice_options::duplicates() const {
  constexpr std::string_view option = "--unique-spectra";
  if (unique.empty()) return {};
  spectra::duplicate_rule rule;
  if (unique == "identical") return rule;
  auto const fail = [&] {
    throw usage_error(fmt::format("invalid value: {}: '{}'; write identical, 20ppm,0.95 or 20ppm,0.95,0.02Da", option, unique));
  };
  std::vector<std::string_view> parts;
  for (std::string_view rest = unique;;) {
    std::size_t const comma = rest.find(',');
    parts.push_back(rest.substr(0, comma));
    if (comma == rest.npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (parts.size() < 2 || parts.size() > 3) fail();
  rule.precursor = parse_tolerance(option, parts[0]);
  auto const min_cosine = parse_number<double>(parts[1]);
  if (!min_cosine || !(*min_cosine > 0 && *min_cosine <= 1)) fail();
  rule.min_cosine = *min_cosine;
  if (parts.size() == 3) rule.peaks = parse_tolerance(option, parts[2]);
  return rule;
}

spectra::range_rule<std::uint64_t> choice_options::select_levels() const {
  return whole_ranges("--filter-ms-level", filter_ms_level, "2, 2-3 or !1");
}

std::optional<std::uint64_t> choice_options::sample_size() const {
  std::string_view text = sample;
  if (text.empty()) return {};
  consume_inverse(text);
  if (auto const share = sample_share(sample)) {
    if (!(*share > 0 && *share <= 1))
      throw usage_error(fmt::format("invalid sample: --sample: '{}'; write {}", sample, sample_examples));
    return {};
  }
  auto const count = parse_number<std::uint64_t>(text);
  if (!count || *count == 0)
    throw usage_error(fmt::format("invalid sample: --sample: '{}'; write {}", sample, sample_examples));
  return count;
}

std::vector<std::pair<std::string_view, std::string_view>> choice_options::steps() const {
  static_cast<void>(choice());
  static_cast<void>(duplicates());
  static_cast<void>(select_levels());
  std::vector<std::pair<std::string_view, std::string_view>> all{{"--ms-level", ms_level},
                                                                 {"--rt", rt},
                                                                 {"--scan", scan},
                                                                 {"--charge", charge},
                                                                 {"--polarity", polarity},
                                                                 {"--precursor", precursor},
                                                                 {"--title", title},
                                                                 {"--native-id", native_id},
                                                                 {"--faims-cv", faims_cv},
                                                                 {"--collision-energy", collision_energy},
                                                                 {"--activation", activation},
                                                                 {"--isolation-width", isolation_width},
                                                                 {"--instrument", instrument},
                                                                 {"--base-peak", base_peak},
                                                                 {"--tic", tic},
                                                                 {"--psms", psms},
                                                                 {"--index", index},
                                                                 {"--sample", sample},
                                                                 {"--unique-spectra", unique}};
  std::erase_if(all, [](auto const& entry) { return entry.second.empty(); });
  return all;
}

std::uint64_t choice_options::seed_value() const {
  return seed.empty() ? 0 : cli::parse_count<std::uint64_t>("--seed", seed);
}

namespace {

cli::option unique_row(std::string& to) {
  cli::option option =
      row("unique-spectra", "TOL,F",
          "leave out spectra that repeat an earlier one: identical ones, or those whose precursors are within TOL "
          "and whose cosine is F or more",
          to,
          "Give it as --unique-spectra=20ppm,0.95 or as --unique-spectra alone, which means identical: the same "
          "precursor, charge, MS level and peaks. A third value is the tolerance of peaks (0.05). Charges and MS "
          "levels must be the same. The inputs are read twice. Peaks that do not fit in --memory go to temporary files.");
  option.optional_value = true;
  option.set = [&to](std::string_view, std::string_view value) {
    to = value.empty() || lower_case(value) == "identical" ? std::string_view("identical") : value;
  };
  return option;
}

// Rows of what mzML states besides the header of MGF.
std::vector<cli::option> settings_rows(choice_options& to) {
  std::vector<cli::option> rows{
      row("faims-cv", "LIST", "choose spectra of these compensation voltages, as -45", to.faims_cv),
      row("collision-energy", "A:B", "choose spectra of these collision energies, as 25:35", to.collision_energy,
          "Energies are in the unit of the input."),
      row("activation", "LIST", "choose spectra of any of these, as HCD,EThcD", to.activation),
      row("isolation-width", "A:B", "choose spectra whose isolation window has this width", to.isolation_width),
      row("instrument", "PATTERN", "choose spectra by the id of the configuration", to.instrument),
      row("base-peak", "A:B", "choose spectra by the intensity of the base peak", to.base_peak),
      row("tic", "A:B", "choose spectra of a total ion current of A to B", to.tic,
          "Base peak and total ion current are those that mzML and mzXML state; in MGF and MSP, those of the peaks.")};
  for (cli::option& one : rows) one.group = settings_group;
  return rows;
}

}  // namespace

std::vector<cli::option> choice_rows(choice_options& to) {
  std::vector<cli::option> rows{
      row("ms-level", "LIST", "choose spectra of these MS levels, as 2-3", to.ms_level,
          "Spectra that do not state a value are not chosen by the option that names it, but are by its inverse. A "
          "warning counts them. All options that are given must choose a spectrum."),
      row("rt", "A:B", "choose spectra of retention times A to B, in seconds, or as 10min:20min", to.rt),
      row("scan", "LIST", "choose spectra of these scan numbers, as 1-100,205", to.scan),
      row("charge", "LIST", "choose spectra with a precursor of these charges, as 2-4; 0 stands for none", to.charge),
      row("polarity", "NAME", "choose spectra of positive or negative ions", to.polarity),
      row("precursor", "A:B", "choose spectra whose precursor has an m/z of A to B", to.precursor),
      row("title", "PATTERN", "choose spectra of matching titles; * is any text, ? any byte, \\ quotes", to.title),
      row("native-id", "PATTERN", "choose spectra of matching native ids", to.native_id,
          "In MGF the id is the NativeID:\"...\" of the title."),
      row("psms", "TABLE", "choose the spectra of a table of matches, and write their sequences as SEQ=", to.psms,
          "TABLE is a list of USIs, mzTab, or has tabs between its columns and a row of names, such as scan, spectrum, "
          "filename and peptide."),
      row("index", "LIST-FILE", "choose the spectra of a list: their numbers, one a line, or rows that --map wrote", to.index,
          "Numbers count the spectra of the input from 1 on. They choose, and do not order."),
      row("sample", "N", "choose N of the spectra that the other options choose at random, or a share of them, as 1%",
          to.sample, "The input is read twice for N spectra, once for a share."),
      row("seed", "S", "make another sample for another number S", to.seed),
      unique_row(to.unique),
      row("filter-ms-level", "LIST", "apply the peak filters to spectra of these MS levels; others keep all peaks",
          to.filter_ms_level)};
  for (cli::option& one : settings_rows(to)) rows.push_back(std::move(one));
  return rows;
}

spectrum_lists::spectrum_lists(std::string_view path, std::string_view matches, std::vector<std::string> const& inputs) {
  if (!matches.empty()) {
    consume_inverse(matches);
    if (matches.empty()) throw usage_error("missing file: --psms: '!'");
    named_ = read_matches(std::string(matches), inputs);
  }
  if (path.empty()) return;
  consume_inverse(path);
  if (path.empty()) throw usage_error("missing file: --index: '!'");
  std::map<std::string, std::vector<std::uint64_t>, std::less<>> of_name;
  std::vector<std::uint64_t> plain;
  std::uint64_t rows = 0, line_number = 0;
  host_bytes const bytes = cli::read_all(std::string(path));
  std::string_view text(bytes.data(), bytes.size());
  auto const fail = [&](std::string_view why) {
    throw input_error(fmt::format("not a list of spectra: {}:{}: {}", path, line_number, why));
  };
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++line_number;
    if (line.empty() || line.starts_with('#')) continue;
    std::array<std::string_view, 6> fields;
    std::size_t count = 0;
    for (std::string_view rest = line; count < fields.size();) {
      std::size_t const tab = rest.find('\t');
      fields[count++] = rest.substr(0, tab);
      if (tab == rest.npos) break;
      rest.remove_prefix(tab + 1);
    }
    if (count == fields.size() && !fields[5].empty() && fields[0].empty()) continue;  // a spectrum that was dropped
    if (line_number == 1 && count >= 5 && fields[2] == "input" && fields[3] == "number") continue;
    if (count != 1 && count < 4) fail("neither a number nor a row as --map writes it");
    std::string_view const digits = count == 1 ? fields[0] : fields[3];
    auto const number = parse_number<std::uint64_t>(digits);
    if (!number || *number == 0) fail(fmt::format("'{}' is not the number of a spectrum, from 1 on", digits));
    if (count == 1) {
      plain.push_back(*number - 1);
    } else {
      ++rows;
      of_name[unescaped(fields[2])].push_back(*number - 1);
    }
  }
  if (!plain.empty() && inputs.size() > 1)
    throw input_error(fmt::format("not a list of spectra: {}: numbers without the input, where there are several", path));
  bool any = false;
  for (std::string const& name : inputs) {
    std::vector<std::uint64_t> all = plain;
    if (auto const it = of_name.find(name); it != of_name.end()) {
      any = true;
      all.insert(all.end(), it->second.begin(), it->second.end());
    }
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    lists_.push_back(std::make_shared<std::vector<std::uint64_t> const>(std::move(all)));
  }
  if (rows != 0 && !any)
    throw input_error(fmt::format("not a list of these spectra: {}: no row has the input {}", path, inputs.front()));
}

}  // namespace ordo::inline v0::specsort
