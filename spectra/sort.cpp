#include <cstring>
#include <functional>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "ordo/spectra.hpp"
#include "ordo/spectra/import.hpp"
#include "ordo/spectra/mzml.hpp"
#include "spectra/mzml/new_document.hpp"
#include "spectra/mzspeclib/writer.hpp"
#include "spectra/pipeline/pipeline.hpp"

namespace ordo::inline v0::spectra {
namespace {

using detail::pipeline, detail::purpose;

std::string_view to_text(std::span<char const> bytes) {
  return {bytes.data(), bytes.size()};
}

bool overlap(std::span<char const> a, std::span<char const> b) {
  std::less<> const before;
  return !a.empty() && !b.empty() && before(a.data(), b.data() + b.size()) && before(b.data(), a.data() + a.size());
}

sort_report sort(source& input, sink& output, sort_options const& options, format from, format to) {
  pipeline work(options, {.goal = purpose::sort, .from = from, .to = to});
  work.run(input, &output);
  return work.report();
}

}  // namespace

sort_report sort_to_mgf(source& input, sink& output, sort_options const& options, format from) {
  return sort(input, output, options, from, format::mgf);
}

sort_report sort_to_msp(source& input, sink& output, sort_options const& options, format from) {
  return sort(input, output, options, from, format::msp);
}

sort_report sort_to_mzspeclib(source& input, sink& output, sort_options const& options, format from) {
  detail::library_sink library(output, options.name);
  sort_report report = sort(input, library, options, from, format::mzspeclib);
  library.end();
  report.written = library.written();
  return report;
}

sort_report sort_to_mzml(source& input, sink& output, sort_options const& options, format from) {
  if (from == format::mzml) return sort_mzml(input, output, options, format::mzml);
  detail::new_document document(output, options.temporary_folder);
  sort_report report = sort(input, document, options, from, format::mzml);
  detail::source_file source{from, options.name, options.path};
  document.end({&source, 1}, from == format::mzxml);
  report.written = document.written();
  return report;
}

check_result check(source& input, sort_options const& options, format from) {
  pipeline work(options, {.goal = purpose::check, .from = from});
  work.run(input, nullptr);
  return {work.first_disorder(), work.report()};
}

sort_report sort(source& input, sink& output, sort_options const& options) {
  return sort(input, output, options, format::mgf, format::mgf);
}

// A chunk is read before it is written, and so is the end of the next one: the output may be the input.
sort_report sort(std::span<char const> input, std::span<char> output, sort_options const& options) {
  if (input.size() != output.size())
    throw usage_error(fmt::format("output of another length: {}: in memory it must be the input's", options.name));
  if (options.select.merge)
    throw usage_error("bad selection: peaks to merge: sums may be longer than the input: sort from a source to a sink");
  if (input.data() != output.data() && overlap(input, output)) {
    std::memmove(output.data(), input.data(), input.size());
    input = output;
  }
  sort_options sized = options;
  sized.input_bytes = input.size();
  memory_source from(to_text(input));
  memory_sink to(output);
  return sort(from, to, sized);
}

sort_report sort_mzml(source& input, sink& output, sort_options const& options, format to) {
  return sort(input, output, options, format::mzml, to);
}

check_result check(source& input, sort_options const& options) {
  return check(input, options, format::mgf);
}

check_result check(std::span<char const> input, sort_options const& options) {
  memory_source from(to_text(input));
  return check(from, options);
}

check_result check_mzml(source& input, sort_options const& options) {
  return check(input, options, format::mzml);
}

}  // namespace ordo::inline v0::spectra
