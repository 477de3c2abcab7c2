#include "tools/specsort/options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/parse_bytes.hpp"
#include "ordo/error.hpp"
#include "ordo/machine.hpp"
#include "tools/cli/available_memory.hpp"
#include "tools/cli/files/codecs.hpp"

namespace ordo::inline v0::specsort {
using spectra::tolerance;

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
  return lower;
}

tolerance parse_tolerance(std::string_view option, std::string_view text) {
  std::string const lower = lower_case(text);
  std::string_view number = lower;
  bool const ppm = number.ends_with("ppm");
  if (ppm)
    number.remove_suffix(3);
  else if (number.ends_with("da"))
    number.remove_suffix(2);
  while (number.ends_with(' ')) number.remove_suffix(1);
  double value = 0;
  auto const [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error != std::errc{} || end != number.data() + number.size() || !(value >= 0) || !std::isfinite(value))
    throw usage_error(fmt::format("invalid tolerance: {}: '{}'; write 0.5, 0.5Da or 20ppm", option, text));
  return {value, ppm};
}

namespace {

double parse_real(std::string_view option, std::string_view text) {
  double value = 0;
  std::string_view digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size() || !std::isfinite(value))
    throw usage_error(fmt::format("invalid number: {}: '{}'", option, text));
  return value;
}

void parse_range(std::string_view text, spectra::selection& to) {
  constexpr std::string_view option = "--mz-range";
  std::size_t const colon = text.find(':');
  if (colon == std::string_view::npos || text.size() == 1)
    throw usage_error(fmt::format("invalid range: {}: '{}'; write 50:2500, 150: or :2000", option, text));
  to.min_mz.reset();
  to.max_mz.reset();
  if (colon != 0) to.min_mz = parse_real(option, text.substr(0, colon));
  if (colon + 1 != text.size()) to.max_mz = parse_real(option, text.substr(colon + 1));
}

void parse_precursor(std::string_view text, spectra::selection& to) {
  constexpr std::string_view option = "--remove-precursor";
  std::size_t const colon = text.find(':');
  to.remove_precursor = parse_tolerance(option, text.substr(0, colon));
  to.remove_precursor_above.reset();
  if (colon == text.npos) return;
  std::string_view const above = text.substr(colon + 1);
  to.remove_precursor_above =
      lower_case(above) == "inf" ? tolerance{std::numeric_limits<double>::infinity(), false} : parse_tolerance(option, above);
}

std::string number(double value) {
  return fmt::format("{}", value);
}

std::string distance(tolerance const& given) {
  return number(given.value) + (given.ppm ? " ppm" : " Da");
}

std::string preset_list() {
  std::string all;
  for (std::string_view const name : spectra::preset_names())
    all += (all.empty() ? "" : name == spectra::preset_names().back() ? " or " : ", ") + std::string(name);
  return all;
}

// Returns "5.0 to 5.2", "1.2" or "".
std::string format_versions(spectra::preset_info const& info) {
  return info.first == info.last ? std::string(info.first) : fmt::format("{} to {}", info.first, info.last);
}

spectra::preset_info const& preset_named(std::string_view given) {
  std::string const lower = lower_case(given);
  if (auto const* const result = spectra::find_preset(lower)) return *result;
  std::string_view const name = std::string_view(lower).substr(0, lower.find('@'));
  std::string versions;
  for (auto const& preset : spectra::presets())
    if (preset.name == name)
      versions += (versions.empty() ? "" : ", ") + (preset.first.empty() ? "no versions" : format_versions(preset));
  if (versions.empty()) throw usage_error(fmt::format("no such preset: --preset: '{}'; choose from {}", given, preset_list()));
  throw usage_error(fmt::format("no such version: --preset: '{}'; known of {}: {}", given, name, versions));
}

// Breaks a text into lines of at most 100 characters, with two blanks before all but the first.
std::string wrapped(std::string_view text) {
  constexpr std::size_t max_line = 100;
  std::string lines;
  std::size_t column = 0;
  while (!text.empty()) {
    std::size_t const end = std::min(text.find(' '), text.size());
    if (column != 0 && column + 1 + end > max_line) {
      lines += "\n  ";
      column = 2;
    } else if (column != 0) {
      lines += ' ';
      ++column;
    }
    lines += text.substr(0, end);
    column += end;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines + '\n';
}

std::vector<spectra::spectrum_key> parse_keys(std::string_view list) {
  std::vector<spectra::spectrum_key> all;
  for (bool more = true; more;) {
    std::size_t const comma = list.find(',');
    std::string_view const name = list.substr(0, comma);
    auto const key = spectra::parse_spectrum_key(lower_case(name));
    if (!key)
      throw usage_error(
          fmt::format("no such key: --spectra-by: '{}'; choose from pepmass, mass, rt, scan, charge, title and peaks", name));
    all.push_back(*key);
    more = comma != list.npos;
    list.remove_prefix(more ? comma + 1 : 0);
  }
  return all;
}

std::uint64_t parse_size(std::string_view option, std::string const& text) try {
  std::uint64_t const bytes = parse_bytes(text);
  if (bytes == 0) throw usage_error("");
  return bytes;
} catch (usage_error const&) {
  throw usage_error(fmt::format("invalid size: {}: '{}'; write 500000, 64M or 8G", option, text));
}

constexpr std::string_view sort_group = "Sorting peaks", other_group = "Other tasks",
                           select_group = "Selecting peaks and spectra (steps are applied in this order)",
                           order_group = "Ordering spectra", split_group = "Splitting the output";

// Rows of the selection and of the order: a value, which is not empty.
cli::option valued(std::string_view name, std::string_view value, std::string_view group, std::string help, std::string& to,
                   std::string details = {}) {
  return {.name = name,
          .value = value,
          .group = group,
          .help = std::move(help),
          .details = std::move(details),
          .set = cli::store_nonempty(to)};
}

std::vector<cli::option> sort_rows(command& to) {
  return {
      {.letter = 'o',
       .name = "output",
       .value = "FILE",
       .group = sort_group,
       .help = "write to FILE; compress it if its name ends in .gz, .bgz, .bz2, .xz or .zst",
       .preset = "standard output",
       .details = "FILE is replaced when the output is complete. After an error it is unchanged.",
       .set =
           [&to](std::string_view, std::string_view value) {
             to.output = value;
             to.has_output = true;
           }},
      {.name = "out-dir",
       .value = "DIR",
       .group = sort_group,
       .help = "write each FILE to a file of its own in DIR, of the same name, and with the extension of --to",
       .details =
           "DIR is made if it is missing. No two FILEs may have the same name, and none may be replaced. A FILE that cannot "
           "be read is reported and the others are written; the exit status is 2 then. Options apply to each FILE alone.",
       .set = cli::store_nonempty(to.out_dir)},
      {.name = "to",
       .value = "FORMAT",
       .group = sort_group,
       .help = "write mgf, mzml, mzspeclib or msp; msp-massbank and msp-matchms have the keys of MassBank and matchms",
       .preset = "by the name of FILE, or as the input",
       .details = "The names .mgf, .mzML, .msp and .mzspeclib decide, with .gz or the like after them or not. MSP has the keys "
                  "of NIST. parquet and arrow are for the specsort of the Python package, with pyarrow.",
       .choices = "mgf mzml msp msp-massbank msp-matchms mzspeclib parquet arrow",
       .only_choices = true,
       .ignores_case = true,
       .set = cli::store(to.to)},
      {.name = "isolation-target",
       .value = "USE",
       .group = sort_group,
       .help = "in mzML, use the target of the isolation window if there is no selected ion (fallback), or never",
       .preset = "fallback, with a warning",
       .choices = "fallback never",
       .only_choices = true,
       .ignores_case = true,
       .set = cli::store(to.isolation_target)},
      {.name = "precursors",
       .value = "WHICH",
       .group = sort_group,
       .help = "write mzML spectra with several selected ions to MGF for the first ion, or once for all ions each",
       .preset = "first, with a warning",
       .details =
           "The titles of the second ion and those after it end in \" ion=2\" and so on. Peaks are filtered by the first.",
       .choices = "first all",
       .only_choices = true,
       .ignores_case = true,
       .set = cli::store(to.precursors)},
      {.name = "by",
       .value = "KEY",
       .group = sort_group,
       .help = "sort peaks by mz or intensity",
       .preset = "mz",
       .choices = "mz intensity",
       .only_choices = true,
       .ignores_case = true,
       .set = cli::store(to.by)},
      cli::flag("descending", sort_group, "sort peaks in descending order; peaks without intensity still come last",
                to.descending),
      cli::flag(
          "lenient", sort_group, "accept invalid lines of MGF and MSP, with a warning, and mzML that is not UTF-8", to.lenient,
          "Invalid lines of MGF stay where they are. Those of MSP are left out, and Num Peaks may be wrong. Bytes that are "
          "not UTF-8 are read as Windows-1252."),
      {.name = "rt-unit",
       .value = "UNIT",
       .group = sort_group,
       .help = "read retention times of MSP that state no unit in s or min",
       .preset = "s for RETENTION_TIME, min for RT and RETENTIONTIME, with a warning",
       .choices = "s min",
       .only_choices = true,
       .set = cli::store(to.rt_unit)},
      valued("title-template", "TEXT", sort_group,
             "write titles to MGF, MSP and mzSpecLib as TEXT, such as '{run}.{scan}.{scan}.{charge}'", to.title_template,
             "Fields are {run} (the name of FILE without extensions), {file}, {index} (from 0), {scan}, {charge}, {mz}, {rt} "
             "(seconds), {level}, {id} (native id) and {title}. Values that a spectrum lacks are empty."),
      valued("encode", "LIST", sort_group,
             "in mzML, encode arrays as zlib, zstd or none, mz32, mz64, intensity32, intensity64, or by MS-Numpress", to.encode,
             "LIST has commas, as in zstd,mz64,intensity32. MS-Numpress rounds: mz-linear, intensity-slof, intensity-pic. "
             "What is not named stays; arrays of mzML that is made of other formats are of 64 bits, unless they were of 32, in "
             "zlib."),
      cli::flag("check", other_group, "print the first peak out of order and exit with 1; write nothing", to.check),
      {.name = "summary",
       .value = "json",
       .group = other_group,
       .help = "print a summary of the input, and of what filters leave, as a table or as JSON; write nothing",
       .details = "Of several FILEs it is a row for each, and for their total. Each is summarized on its own.",
       .choices = "true table json",
       .only_choices = true,
       .ignores_case = true,
       .optional_value = true,
       .set = [&to](std::string_view, std::string_view value) { to.summary = value.empty() ? "true" : value; }},
      {.name = "report",
       .value = "FILE",
       .group = other_group,
       .help = "write a page of HTML with histograms and maps of the input, before and after filters",
       .details = "The page needs no other file. It shows what each filter took away. Spectra are written only with --output, "
                  "beside which the inputs are read once more for the page.",
       .set = cli::store_nonempty(to.report)},
      cli::flag("explain", other_group, "print the steps that would be applied to each spectrum, and exit", to.explain)};
}

std::vector<cli::option> selection_rows(command& to) {
  selection_options& select = to.selection;
  std::string const presets = fmt::format("{}", fmt::join(spectra::preset_names(), " "));
  cli::option preset = valued(
      "preset", "NAME[@VERSION]", select_group,
      fmt::format("filter peaks as a program does: {}; other options replace its numbers", preset_list()), select.preset,
      "A version may follow, as in casanovo@4.3; without one it is the newest that is known. --explain states the versions, "
      "what changed between them, and what is left to the program.");
  preset.choices = presets;
  return {
      std::move(preset),
      valued("mz-range", "A:B", select_group, "drop peaks outside m/z A to B; A or B may be omitted", select.mz_range),
      cli::flag("drop-zero", select_group, "drop peaks of intensity 0", select.drop_zero),
      valued("min-intensity", "X", select_group, "drop peaks of intensity below X", select.min_intensity),
      valued("remove-precursor", "TOL", select_group, "drop peaks within TOL of the precursor's m/z, as 0.5 (Da) or 20ppm",
             select.remove_precursor,
             "Spectra of MS level 1 have no precursor. BELOW:ABOVE, as 17:15, gives two distances; ABOVE may be inf."),
      cli::flag("all-charges", select_group, "with --remove-precursor, also drop peaks near its m/z at each smaller charge",
                select.all_charges),
      valued("min-relative", "F", select_group, "drop peaks below F times the highest remaining intensity, as 0.01",
             select.min_relative),
      valued("dedupe", "TOL", select_group, "keep the highest of peaks within TOL of each other, as 0.01 (Da) or 20ppm",
             select.dedupe),
      valued("merge", "TOL", select_group,
             "merge peaks within TOL of each other: the highest stays, with the sum of intensities", select.merge,
             "From the highest peak down. The sum is made in double precision; lines that get one are printed anew."),
      cli::flag("merge-first", select_group, "with --merge, merge before the other filters of intensity, which then see sums",
                select.merge_first),
      valued("top", "N", select_group, "keep the N highest peaks; of equal ones those of lower m/z", select.top),
      valued("per", "WIDTH", select_group, "with --top, keep the N highest in each window of WIDTH m/z, from 0 on", select.per),
      valued("around", "WIDTH", select_group,
             "with --top, keep each peak that is among the N highest of those less than WIDTH m/z away", select.around,
             "Equal intensities share a rank."),
      valued("min-peaks", "N", select_group, "drop spectra with fewer than N remaining peaks", select.min_peaks,
             "They are dropped whole, whatever their MS level. References to them stay."),
      cli::flag("keep-metadata", select_group, "keep metadata of mzML that dropped peaks make wrong", to.keep_metadata,
                "These are the total ion current, the base peak, the observed m/z and the lists of software and processing.")};
}

std::vector<cli::option> order_rows(command& to) {
  order_options& order = to.order;
  return {valued("spectra-by", "KEY[,KEY...]", order_group,
                 "order spectra by pepmass, mass, rt, scan, charge, title or peaks; equal ones keep their order, and spectra "
                 "without a KEY come last",
                 order.by,
                 "pepmass is the m/z of the precursor, mass its neutral mass, peaks the number of peaks that are kept. Several "
                 "inputs become one output, in MGF or, of inputs in mzML, in mzML (--to=mzml). Without this option they "
                 "follow one another."),
          cli::flag("descending-spectra", order_group, "order spectra in descending order; those without a KEY still come last",
                    order.descending),
          valued("map", "FILE", order_group,
                 "write the origin of each spectrum to FILE, and the spectra that were dropped, with the option that did it",
                 order.map,
                 "The columns are output, number in it, input, number in it, offset, and the option that dropped the spectrum. "
                 "Numbers count from 1."),
          cli::flag("renumber", order_group, "write SCANS=1, 2 and so on to MGF and MSP, in the order of the output",
                    order.renumber),
          {.name = "memory",
           .value = "SIZE",
           .group = order_group,
           .help = "use at most SIZE of memory for spectra, as 8G; sort the others on disk",
           .preset = "three quarters of the free memory",
           .set = cli::store_nonempty(order.memory)},
          {.letter = 'T',
           .name = "temporary-directory",
           .value = "DIR",
           .group = order_group,
           .help = "put temporary files into DIR; if repeated, into all of them",
           .preset = "TMPDIR, or /tmp",
           .repeatable = true,
           .set =
               [&order](std::string_view spelling, std::string_view value) {
                 if (value.empty()) throw usage_error(fmt::format("empty value: {}: ''", spelling));
                 order.folders.emplace_back(value);
               }},
          valued("split-size", "SIZE", split_group, "write parts of at most SIZE bytes, counted before compression",
                 order.split_size,
                 "-o out.mgf writes out.0001.mgf and so on. No spectrum is cut. Parts of mzML are complete documents."),
          valued("split-count", "N", split_group, "write N parts of about the same size", order.split_count),
          {.name = "split-by",
           .value = "KEY",
           .group = split_group,
           .help = "write a file for each compensation voltage of FAIMS (faims-cv): -o out.mgf writes out.cv-45.mgf and so on",
           .details = "The inputs are read once more for each voltage.",
           .choices = "faims-cv",
           .only_choices = true,
           .ignores_case = true,
           .set = cli::store_nonempty(order.split_by)}};
}

std::vector<cli::conflict> conflicts() {
  constexpr std::string_view tasks = "--output, --check, --summary, --report", exclusive = "they are mutually exclusive";
  std::vector<cli::conflict> all{
      {.options = {"--out-dir"}, .with = {"--output"}, .why = "give one of them", .names = "--out-dir, --output"},
      {.options = {"--out-dir"},
       .with = {"--check", "--summary"},
       .why = "--check and --summary write no spectra",
       .names = "--out-dir, --check, --summary"},
      {.options = {"--out-dir"},
       .with = {"--map", "--split-size", "--split-count", "--split-by"},
       .why = "each input becomes one file",
       .names = "--out-dir, --map, --split-size, --split-count, --split-by"},
      {.options = {"--split-by"},
       .with = {"--map", "--split-size", "--split-count", "--report"},
       .why = "each voltage becomes one file",
       .names = "--split-by, --map, --split-size, --split-count, --report"},
      {.options = {"--check"},
       .with = {"--output", "--report", "--summary"},
       .why = "give one of them, or --report with --output",
       .names = tasks},
      {.options = {"--summary"},
       .with = {"--output", "--report"},
       .why = "give one of them, or --report with --output",
       .names = tasks},
      {.options = {"--pairs"},
       .with = {"--check", "--summary", "--report", "--out-dir", "--split-by"},
       .why = "they read each input alone, or once",
       .names = "--pairs, --check, --summary, --report, --out-dir, --split-by"},
      {.options = {"--clusters"},
       .with = {"--check", "--summary", "--report", "--unique-spectra"},
       .why = "give one of them",
       .names = "--clusters, --check, --summary, --report, --unique-spectra"},
      {.options = {"--per", "--around"}, .why = std::string(exclusive)},
      {.options = {"--split-size", "--split-count"}, .unless = {"--explain"}, .why = std::string(exclusive)},
      {.options = {"--check"},
       .with = {"--ms-level", "--rt", "--scan", "--charge", "--polarity", "--precursor", "--title", "--native-id", "--index",
                "--sample", "--unique-spectra", "--faims-cv", "--collision-energy", "--activation", "--isolation-width",
                "--instrument", "--base-peak", "--tic", "--psms"},
       .unless = {"--explain"},
       .why = "it reads all spectra, of which other options choose some"}};
  for (std::string_view const reads : {"--check", "--summary", "--report"})
    all.push_back({.options = {reads},
                   .with = {"--spectra-by", "--split-size", "--split-count", "--split-by", "--map", "--renumber",
                            "--title-template", "--encode"},
                   .unless = {"--output", "--out-dir", "--explain"},
                   .why = "they write no spectra, which others order, split or list",
                   .names = "--check, --summary, --report without --output"});
  return all;
}

}  // namespace

cli::command_table make_table(command& to) {
  cli::command_table table{
      .name = "specsort",
      .summary = "sort the peaks of mass spectra",
      .usage = {"[OPTION]... FILE...", "[OPTION]... --out-dir=DIR FILE..."},
      .description =
          "Sort the peaks of each spectrum of an MGF, mzML, mzXML, MSP or mzSpecLib file. In MGF the lines of peaks change "
          "places within their spectrum, in mzML the values of its arrays; all else stays as it is. Options can also choose "
          "spectra, drop peaks, order the spectra, and split the output.",
      .operands =
          {{"FILE",
            "an MGF, mzML, mzXML, MSP or mzSpecLib file, plain or compressed, known by its content; - is standard input", 0,
            std::size_t(-1), [&to](std::string_view value) { to.inputs.emplace_back(value); }}},
      .notes =
          {{"Ordered spectra",
            "Every line keeps its bytes. The lines before the first spectrum of the first FILE come first, in every part; "
            "their parameters must be the same in all FILEs, except COM, USERNAME and USEREMAIL. Empty lines after a "
            "spectrum stay after it. Other lines between spectra stay before the spectrum that follows."},
           {"Several mzML files in one",
            "If a FILE has an id of a spectrum that a FILE before has, too, its ids end in \" file=N\". The head is that of "
            "the first FILE, with the source files, software, instruments and processings that the others add; each "
            "spectrum refers to its own."}},
      .examples = {{"Sort the peaks of all spectra by m/z", "specsort run.mgf.gz -o sorted.mgf.gz"},
                   {"Keep the 150 highest peaks of each spectrum, and order spectra by precursor m/z",
                    "specsort run.mzML --top=150 --spectra-by=pepmass -o sorted.mgf"},
                   {"Keep the spectra of MS level 2 from 10 to 20 minutes",
                    "specsort run.mzML --ms-level=2 --rt=10min:20min -o part.mzML"},
                   {"Convert a folder of runs", "specsort runs/*.mzML --to=mgf --out-dir=converted"},
                   {"Merge runs into one, ordered by retention time", "specsort a.mzML b.mzML --spectra-by=rt -o merged.mzML"},
                   {"Find similar spectra of a library", "specsort library.msp --pairs=edges.graphml --similar=20ppm,0.8"},
                   {"See what a file holds", "specsort --summary run.mzML"}}};
  for (auto rows : {sort_rows(to), choice_rows(to.choice), selection_rows(to), similarity_rows(to.similarity), order_rows(to)})
    for (cli::option& row : rows) table.options.push_back(std::move(row));
  cli::add_common_options(table, to.common);
  table.conflicts = conflicts();
  return table;
}

spectra::selection selection_options::selection() const {
  spectra::selection selection;
  if (!preset.empty()) {
    selection = preset_named(preset).select;
  }
  if (!mz_range.empty()) parse_range(mz_range, selection);
  if (drop_zero) selection.drop_zero = true;
  if (!min_intensity.empty()) selection.min_intensity = parse_real("--min-intensity", min_intensity);
  if (!remove_precursor.empty()) parse_precursor(remove_precursor, selection);
  if (all_charges) selection.all_charges = true;
  if (!min_relative.empty()) selection.min_relative = parse_real("--min-relative", min_relative);
  if (!dedupe.empty()) {
    selection.dedupe = parse_tolerance("--dedupe", dedupe);
    selection.merge.reset();  // the preset's value
  }
  if (!merge.empty()) selection.merge = parse_tolerance("--merge", merge);
  if (merge_first && !selection.merge) throw usage_error("missing option: --merge-first: it needs --merge");
  selection.merge_first |= merge_first;
  if (!top.empty()) selection.top = cli::parse_count("--top", top);
  if (selection.top == 0u) throw usage_error("invalid number: --top: '0' would leave every spectrum empty");
  if (!per.empty()) {
    selection.per = parse_real("--per", per);
    selection.around.reset();  // the preset's value
  }
  if (!around.empty()) {
    selection.around = parse_real("--around", around);
    selection.per.reset();
  }
  if (!min_peaks.empty()) selection.min_peaks = cli::parse_count("--min-peaks", min_peaks);
  selection.check();
  return selection;
}

spectra::array_encoding command::encoding() const {
  using spectra::array_encoding;
  array_encoding made;
  std::string const lower = lower_case(encode);
  std::array<std::string_view, 3> given;  // compression, m/z, intensity
  for (std::string_view rest = lower; !rest.empty();) {
    std::size_t const comma = rest.find(',');
    std::string_view const name = rest.substr(0, comma);
    rest.remove_prefix(comma == rest.npos ? rest.size() : comma + 1);
    if (name == "none")
      made.packing = array_encoding::compression::none;
    else if (name == "zlib")
      made.packing = array_encoding::compression::zlib;
    else if (name == "zstd")
      made.packing = array_encoding::compression::zstd;
    else if (name == "mz32" || name == "mz64")
      made.mz_bits = name == "mz32" ? 32 : 64;
    else if (name == "intensity32" || name == "intensity64")
      made.intensity_bits = name == "intensity32" ? 32 : 64;
    else if (name == "mz-linear")
      made.mz = array_encoding::numpress::linear;
    else if (name == "intensity-slof")
      made.intensity = array_encoding::numpress::slof;
    else if (name == "intensity-pic")
      made.intensity = array_encoding::numpress::pic;
    else
      throw usage_error(
          fmt::format("no such encoding: --encode: '{}'; choose from zlib, zstd, none, mz32, mz64, intensity32, "
                      "intensity64, mz-linear, intensity-slof and intensity-pic",
                      name));
    std::string_view& before = given[name.starts_with("mz") ? 1 : name.starts_with("intensity") ? 2 : 0];
    if (!before.empty() && before != name)
      throw usage_error(fmt::format("conflicting values: --encode: '{}': give one of {} and {}", encode, before, name));
    before = name;
  }
  return made;
}

std::string explained(command const& of) {
  std::string const& preset = of.selection.preset;
  spectra::selection const select = of.selection.selection();
  std::string text = "The steps apply to each spectrum in this order:\n";
  std::size_t step = 0;
  auto const add = [&](std::string const& option, std::string const& details) {
    text += fmt::format("{:2}. {:<28} {}\n", ++step, option, details);
  };
  auto const tolerance_value = [](tolerance const& given) { return number(given.value) + (given.ppm ? "ppm" : ""); };
  for (auto const& [option, value] : of.choice.steps())
    add(fmt::format("{} {}", option, value),
        option == "--unique-spectra" ? "spectra that repeat an earlier one go" : "spectra that it does not choose go");
  of.similarity.check();
  if (!of.similarity.clusters.empty())
    add("--clusters " + of.similarity.clusters, of.similarity.makes_consensus()
                                                    ? "one spectrum is made of each cluster of those with the peaks below"
                                                    : "spectra go that another one represents, by the peaks that stay below");
  if (!of.choice.filter_ms_level.empty())
    add("--filter-ms-level " + of.choice.filter_ms_level, "filters below apply to these MS levels; others keep all peaks");
  if (select.min_mz || select.max_mz) {
    std::string const least = select.min_mz ? number(*select.min_mz) : "", most = select.max_mz ? number(*select.max_mz) : "";
    add(fmt::format("--mz-range {}:{}", least, most), most.empty() ? fmt::format("peaks below m/z {} go", least)
                                                      : least.empty()
                                                          ? fmt::format("peaks above m/z {} go", most)
                                                          : fmt::format("peaks below m/z {} and above {} go", least, most));
  }
  auto const add_merge = [&] {
    add("--merge " + tolerance_value(*select.merge),
        fmt::format("peaks within {} of a greater one that stays go; it gets the sum", distance(*select.merge)));
  };
  if (select.merge_first) add_merge();
  if (select.drop_zero) add("--drop-zero", "peaks of intensity 0 go");
  if (select.min_intensity)
    add("--min-intensity " + number(*select.min_intensity), "peaks of less intensity go, and those without");
  if (select.remove_precursor) {
    auto const& above = select.remove_precursor_above;
    std::string const far = above ? fmt::format("{} below and {} above", distance(*select.remove_precursor), distance(*above))
                                  : fmt::format("{}", distance(*select.remove_precursor));
    add("--remove-precursor " + tolerance_value(*select.remove_precursor) + (above ? ':' + tolerance_value(*above) : ""),
        above ? fmt::format("peaks from {} the precursor go (MS level 1: none)", far)
              : fmt::format("peaks within {} of the precursor go (MS level 1: none)", far));
    if (select.all_charges)
      add("--all-charges", above ? fmt::format("and those from {} it at each smaller charge", far)
                                 : fmt::format("and those within {} of it at each smaller charge", far));
  }
  if (select.min_relative)
    add("--min-relative " + number(*select.min_relative),
        fmt::format("peaks of less than {}% of the greatest intensity left go",
                    fmt::format("{:g}", *select.min_relative * 100)));
  if (select.dedupe)
    add("--dedupe " + tolerance_value(*select.dedupe),
        fmt::format("peaks within {} of a greater one that stays go", distance(*select.dedupe)));
  if (select.merge && !select.merge_first) add_merge();
  if (select.top) {
    std::string const option = fmt::format("--top {}", *select.top);
    if (select.per)
      add(option + " --per " + number(*select.per),
          fmt::format("the {} greatest of each {} m/z stay", *select.top, number(*select.per)));
    else if (select.around)
      add(option + " --around " + number(*select.around),
          fmt::format("peaks stay that are among the {} greatest less than {} m/z away", *select.top, number(*select.around)));
    else
      add(option, fmt::format("the {} greatest stay; of equal ones those of less m/z", *select.top));
  }
  if (select.min_peaks != 0)
    add(fmt::format("--min-peaks {}", select.min_peaks),
        fmt::format("a spectrum with fewer than {} peaks left goes", select.min_peaks));
  add(fmt::format("--by {}{}", of.by, of.descending ? " --descending" : ""),
      select.merge ? "the lines of what stays are put in order, every byte but sums as it was"
                   : "the lines of what stays are put in order, every byte as it was");
  text += select.merge ? "No other number is changed: intensities are neither scaled nor normalised.\n"
                       : "No number is changed: intensities are neither scaled nor normalised.\n";
  if (preset.empty()) return text;
  spectra::preset_info const& named = preset_named(preset);
  std::string const versions = format_versions(named);
  std::string_view const before = versions.empty() ? "" : named.first == named.last ? ", version " : ", versions ";
  text += wrapped(fmt::format("Preset {}{}{}: {}.", named.name, before, versions, named.program));
  for (std::string_view const more : {named.changed, named.then})
    if (!more.empty()) text += wrapped(more);
  return text;
}

spectra::order_options order_options::order(bool several, bool compares) const {
  spectra::order_options options;
  bool const is_order = any() || several || !map.empty() || renumber;
  if (!is_order && !compares) {
    for (auto const& [name, given] :
         {std::pair("--memory", !memory.empty()), std::pair("--temporary-directory", !folders.empty())})
      if (given)
        throw usage_error(
            fmt::format("missing option: {}: it needs --spectra-by, --map, --split-size, --split-count, --unique-spectra, "
                        "--pairs, --clusters "
                        "or several inputs",
                        name));
  }
  if (descending && by.empty()) throw usage_error("missing option: --descending-spectra: it needs --spectra-by");
  if (!is_order && !compares) return options;
  if (!by.empty()) options.order = {parse_keys(by), descending};
  if (!split_size.empty()) options.part_bytes = parse_size("--split-size", split_size);
  if (!split_count.empty()) {
    options.parts = cli::parse_count("--split-count", split_count);
    if (*options.parts == 0) throw usage_error("invalid number: --split-count: '0'");
    constexpr std::uint64_t max_parts = 100000;  // each is a file, and takes memory until all are complete
    if (*options.parts > max_parts)
      throw usage_error(fmt::format("invalid number: --split-count: '{}': at most {} parts", split_count, max_parts));
  }
  options.memory = cli::available_memory() / 4 * 3;
  if (!memory.empty()) options.memory = std::min<std::uint64_t>(options.memory, parse_size("--memory", memory));
  char const* const folder = std::getenv("TMPDIR");
  if (folder && *folder) options.folders = {folder};
  if (!folders.empty()) options.folders = folders;
  return options;
}

}  // namespace ordo::inline v0::specsort
