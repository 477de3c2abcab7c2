#include <charconv>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "tools/cli/options/options.hpp"
#include "tools/specsort/options.hpp"
#include "tools/specsort/pair_file.hpp"

namespace ordo::inline v0::specsort {
namespace {

constexpr std::string_view similarity_group = "Comparing spectra";

}  // namespace

spectra::similarity_rule similarity_options::rule() const {
  constexpr std::string_view option = "--similar";
  spectra::similarity_rule rule;
  rule.modified = analogues;
  if (similar.empty()) return rule;
  std::vector<std::string_view> parts;
  for (std::string_view rest = similar;;) {
    std::size_t const comma = rest.find(',');
    parts.push_back(rest.substr(0, comma));
    if (comma == rest.npos) break;
    rest.remove_prefix(comma + 1);
  }
  double cosine = 0;
  std::string_view const bound = parts.size() < 2 ? "" : parts[1];
  auto const [end, error] = std::from_chars(bound.data(), bound.data() + bound.size(), cosine);
  if (parts.size() < 2 || parts.size() > 3 || error != std::errc{} || end != bound.data() + bound.size() ||
      !(cosine > 0 && cosine <= 1))
    throw usage_error(fmt::format("invalid value: {}: '{}'; write 20ppm,0.7, any,0.7 or 20ppm,0.7,0.02Da", option, similar));
  rule.min_cosine = cosine;
  if (lower_case(parts[0]) == "any")
    rule.precursor.reset();
  else
    rule.precursor = parse_tolerance(option, parts[0]);
  if (parts.size() == 3) rule.peaks = parse_tolerance(option, parts[2]);
  return rule;
}

void similarity_options::check() const {
  static_cast<void>(rule());
  for (auto const& [name, given] : {std::pair("--similar", !similar.empty()), std::pair("--analogues", analogues)})
    if (given && !any()) throw usage_error(fmt::format("missing option: {}: it needs --pairs or --clusters", name));
  if (!pairs.empty()) static_cast<void>(is_graphml(pairs));
}

std::vector<cli::option> similarity_rows(similarity_options& to) {
  return {{.name = "pairs",
           .value = "FILE",
           .group = similarity_group,
           .help = "write all pairs of similar spectra to FILE, as a table of GNPS (.tsv) or as GraphML (.graphml)",
           .details = "Spectra have their numbers, from 1 on, among those that are chosen of all inputs. Their peaks are those "
                      "that are kept. Spectra are written only with --output; --renumber writes these numbers to it.",
           .set = cli::store_nonempty(to.pairs)},
          {.name = "clusters",
           .value = "HOW",
           .group = similarity_group,
           .help = "write one spectrum of each cluster of similar ones: connected, greedy, or ...,consensus",
           .details =
               "Spectra are in one connected cluster if pairs lead from one to the other. A greedy cluster is a spectrum with "
               "all that are similar to it, those with the most pairs first. The spectrum is one that represents the cluster, "
               "as it is, or is made of all of them (connected,consensus and greedy,consensus; not in mzML).",
           .choices = "connected greedy connected,consensus greedy,consensus",
           .only_choices = true,
           .ignores_case = true,
           .optional_value = true,
           .set = [&to](std::string_view,
                        std::string_view value) { to.clusters = value.empty() ? "connected" : lower_case(value); }},
          {.name = "similar",
           .value = "TOL,F",
           .group = similarity_group,
           .help = "call spectra similar whose precursors are within TOL, or any, and whose cosine is F or more",
           .preset = "20ppm,0.7,0.05",
           .details = "A third value is the tolerance of peaks. The cosine is that of matchms's CosineGreedy.",
           .set = cli::store_nonempty(to.similar)},
          cli::flag("analogues", similarity_group,
                    "compare by the modified cosine: peaks may be shifted by the difference of the precursors", to.analogues,
                    "TOL of --similar is the largest difference of analogues then, as in --similar=200,0.7.")};
}

}  // namespace ordo::inline v0::specsort
