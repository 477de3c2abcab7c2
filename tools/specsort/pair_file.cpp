#include "tools/specsort/pair_file.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include "base/pooled_arena.hpp"
#include "base/threads.hpp"
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

// Adds the difference of the precursors to a text, or nothing if one is missing.
void add_difference(spectra::spectrum_columns const& all, spectra::similar_pair const& pair, std::string& to) {
  double const value = all.precursor_mz[pair.first] - all.precursor_mz[pair.second];
  if (!std::isnan(value)) fmt::format_to(std::back_inserter(to), "{}", value);
}

void add_data(std::string_view name, auto const& value, std::string& to) {
  fmt::format_to(std::back_inserter(to), "<data key=\"{}\">{}</data>", name, value);
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
    : is_graph_(is_graphml(path)), threads_(made.common.threads), inputs_(made.inputs), out_(path, made.common.threads) {
  for (std::string const& input : made.inputs)
    if (out_.is_file(input)) throw usage_error(fmt::format("cannot write: --pairs: it would replace the input {}", input));
}

void pair_file::flush(bool last) {
  constexpr std::size_t enough = std::size_t{1} << 20;
  if (text_.size() < enough && !last) return;
  out_.write(text_);
  text_.clear();
}

// Calls add(pair, text) for all pairs, many at a time, and writes the texts in their order.
template <class Add>
void pair_file::print(std::span<spectra::similar_pair const> pairs, Add add) {
  flush(true);
  constexpr std::size_t some = std::size_t{1} << 14;
  pooled_arena arena(threads_for(threads_));
  std::vector<std::string> texts(std::size_t(arena.max_concurrency()));
  while (!pairs.empty()) {
    arena.execute([&] {
      tbb::parallel_for(std::size_t{0}, texts.size(), [&](std::size_t k) {
        texts[k].clear();
        std::size_t const begin = std::min(k * some, pairs.size()), end = std::min(begin + some, pairs.size());
        for (spectra::similar_pair const& pair : pairs.subspan(begin, end - begin)) add(pair, texts[k]);
      });
    });
    for (std::string const& text : texts) out_.write(text);
    pairs = pairs.subspan(std::min(texts.size() * some, pairs.size()));
  }
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
  print(pairs, [&](spectra::similar_pair const& pair, std::string& to) {
    fmt::format_to(std::back_inserter(to), "{}\t{}\t", pair.first + 1, pair.second + 1);
    add_difference(spectra, pair, to);
    fmt::format_to(std::back_inserter(to), "\t\t{}\t\t{}\t\t{}", pair.cosine, components[pair.first], pair.matches);
    if (!clusters.empty())
      fmt::format_to(std::back_inserter(to), "\t{}\t{}", clusters[pair.first] + 1, clusters[pair.second] + 1);
    to += '\n';
  });
}

void pair_file::write_graph(std::span<spectra::similar_pair const> pairs, spectra::spectrum_columns const& spectra,
                            std::span<std::uint64_t const> clusters, std::vector<std::vector<std::uint64_t>> const& numbers) {
  auto const components = number_components(spectra.size(), pairs);
  text_ = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n";
  auto const key = [&](std::string_view of, std::string_view name, std::string_view type) {
    fmt::format_to(std::back_inserter(text_), "<key id=\"{0}\" for=\"{1}\" attr.name=\"{0}\" attr.type=\"{2}\"/>\n", name, of,
                   type);
  };
  auto const data = [&](std::string_view name, auto const& value) { add_data(name, value, text_); };
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
  print(pairs, [&](spectra::similar_pair const& pair, std::string& to) {
    fmt::format_to(std::back_inserter(to), "<edge source=\"{}\" target=\"{}\">", pair.first + 1, pair.second + 1);
    add_data("cosine_score", pair.cosine, to);
    std::string shift;
    add_difference(spectra, pair, shift);
    if (!shift.empty()) add_data("mass_difference", shift, to);
    add_data("matched_peaks", pair.matches, to);
    to += "</edge>\n";
  });
  text_ += "</graph>\n</graphml>\n";
}

}  // namespace ordo::inline v0::specsort
