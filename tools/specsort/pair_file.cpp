#include "tools/specsort/pair_file.hpp"

#include <cmath>
#include <cstddef>
#include <iterator>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "tools/cli/files/codecs.hpp"
#include "tools/cli/html.hpp"

namespace ordo::inline v0::specsort {
namespace {

// Returns the number of each spectrum's component, from 1 on in the order of their first spectra; 0: it is in no pair.
std::vector<std::uint64_t> number_components(std::size_t spectra, std::span<spectra::similar_pair const> pairs) {
  auto const roots = spectra::find_clusters(spectra, pairs, spectra::cluster_method::connected);
  std::vector<std::uint64_t> members(spectra), numbers(spectra), components(spectra);
  for (std::uint64_t const root : roots) ++members[root];
  std::uint64_t count = 0;
  for (std::size_t s = 0; s < spectra; ++s) {
    if (members[roots[s]] < 2) continue;
    if (numbers[roots[s]] == 0) numbers[roots[s]] = ++count;
    components[s] = numbers[roots[s]];
  }
  return components;
}

std::string difference(spectra::spectrum_columns const& all, spectra::similar_pair const& pair) {
  double const value = all.precursor_mz[pair.first] - all.precursor_mz[pair.second];
  return std::isnan(value) ? "" : fmt::format("{}", value);
}

}  // namespace

bool is_graphml(std::string_view path) {
  if (path == "-") return false;
  std::string name = lower_case(path);
  if (cli::compression_named(name) != cli::compression::none) name.resize(name.find_last_of('.'));
  if (name.ends_with(".graphml")) return true;
  if (name.ends_with(".tsv")) return false;
  throw usage_error(fmt::format("unknown kind of file: --pairs: '{}'; name it .tsv or .graphml", path));
}

pair_file::pair_file(std::string const& path, command const& made)
    : is_graph_(is_graphml(path)), inputs_(made.inputs), out_(path, made.common.threads) {
  for (std::string const& input : made.inputs)
    if (out_.is_file(input)) throw usage_error(fmt::format("cannot write: --pairs: it would replace the input {}", input));
}

void pair_file::flush(bool last) {
  constexpr std::size_t enough = std::size_t{1} << 20;
  if (text_.size() < enough && !last) return;
  out_.write(text_);
  text_.clear();
}

void pair_file::write(std::span<spectra::similar_pair const> pairs, spectra::spectrum_columns const& spectra,
                      std::span<std::uint64_t const> clusters, std::vector<std::vector<std::uint64_t>> const& numbers) {
  if (is_graph_)
    write_graph(pairs, spectra, clusters, numbers);
  else
    write_table(pairs, spectra, clusters);
  flush(true);
  out_.finish();
}

void pair_file::write_table(std::span<spectra::similar_pair const> pairs, spectra::spectrum_columns const& spectra,
                            std::span<std::uint64_t const> clusters) {
  auto const components = number_components(spectra.size(), pairs);
  // GNPS's columns, of which two and the last are empty here, and more.
  text_ = "CLUSTERID1\tCLUSTERID2\tDeltaMZ\tMEH\tCosine\tOtherScore\tComponentIndex\tEdgeAnnotation\tMatchedPeaks";
  text_ += clusters.empty() ? "\n" : "\tCluster1\tCluster2\n";
  for (spectra::similar_pair const& pair : pairs) {
    fmt::format_to(std::back_inserter(text_), "{}\t{}\t{}\t\t{}\t\t{}\t\t{}", pair.first + 1, pair.second + 1,
                   difference(spectra, pair), pair.cosine, components[pair.first], pair.matches);
    if (!clusters.empty())
      fmt::format_to(std::back_inserter(text_), "\t{}\t{}", clusters[pair.first] + 1, clusters[pair.second] + 1);
    text_ += '\n';
    flush();
  }
}

void pair_file::write_graph(std::span<spectra::similar_pair const> pairs, spectra::spectrum_columns const& spectra,
                            std::span<std::uint64_t const> clusters, std::vector<std::vector<std::uint64_t>> const& numbers) {
  auto const components = number_components(spectra.size(), pairs);
  text_ = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n";
  auto const key = [&](std::string_view of, std::string_view name, std::string_view type) {
    fmt::format_to(std::back_inserter(text_), "<key id=\"{0}\" for=\"{1}\" attr.name=\"{0}\" attr.type=\"{2}\"/>\n", name, of,
                   type);
  };
  auto const data = [&](std::string_view name, auto const& value) {
    fmt::format_to(std::back_inserter(text_), "<data key=\"{}\">{}</data>", name, value);
  };
  for (std::string_view const name : {"title", "input"}) key("node", name, "string");
  for (std::string_view const name : {"number", "componentindex", "cluster"})
    if (name != "cluster" || !clusters.empty()) key("node", name, "long");
  for (std::string_view const name : {"precursor_mz", "rt_seconds"}) key("node", name, "double");
  key("node", "charge", "int");
  for (std::string_view const name : {"cosine_score", "mass_difference"}) key("edge", name, "double");
  key("edge", "matched_peaks", "long");
  text_ += "<graph edgedefault=\"undirected\">\n";
  std::size_t s = 0;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    std::string const input = cli::escape_html(inputs_[k]);
    for (std::uint64_t const number : numbers[k]) {
      fmt::format_to(std::back_inserter(text_), "<node id=\"{}\">", s + 1);
      if (std::string_view const title = spectra.title(s); !title.empty()) data("title", cli::escape_html(title));
      data("input", input);
      data("number", number + 1);
      data("componentindex", components[s] == 0 ? std::int64_t{-1} : std::int64_t(components[s]));
      if (!clusters.empty()) data("cluster", clusters[s] + 1);
      if (!std::isnan(spectra.precursor_mz[s])) data("precursor_mz", spectra.precursor_mz[s]);
      if (!std::isnan(spectra.rt_seconds[s])) data("rt_seconds", spectra.rt_seconds[s]);
      if (spectra.charge[s] != 0) data("charge", spectra.charge[s]);
      text_ += "</node>\n";
      ++s;
      flush();
    }
  }
  for (spectra::similar_pair const& pair : pairs) {
    fmt::format_to(std::back_inserter(text_), "<edge source=\"{}\" target=\"{}\">", pair.first + 1, pair.second + 1);
    data("cosine_score", pair.cosine);
    if (std::string const shift = difference(spectra, pair); !shift.empty()) data("mass_difference", shift);
    data("matched_peaks", pair.matches);
    text_ += "</edge>\n";
    flush();
  }
  text_ += "</graph>\n</graphml>\n";
}

}  // namespace ordo::inline v0::specsort
