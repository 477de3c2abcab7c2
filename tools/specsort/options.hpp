#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ordo/spectra.hpp"
#include "ordo/spectra/order.hpp"
#include "ordo/spectra/similarity.hpp"
#include "tools/cli/options/options.hpp"

namespace ordo::inline v0::specsort {

/// The options that select peaks and spectra, as they were given; empty: not given.
struct selection_options {
  std::string preset, mz_range, min_intensity, remove_precursor, min_relative, dedupe, merge, top, per, around, min_peaks;
  bool drop_zero = false, all_charges = false, merge_first = false;

  /// Returns the preset, if one was named, with the numbers that were given. @throws usage_error  for an invalid value
  [[nodiscard]] spectra::selection selection() const;
};

/// The options that choose spectra, as they were given; empty: not given.
struct choice_options {
  std::string ms_level, rt, scan, charge, polarity, precursor, title, native_id, index, sample, seed, filter_ms_level;
  std::string faims_cv, collision_energy, activation, isolation_width, instrument, base_peak, tic, psms;
  std::string unique;  // empty: not given; "identical", or TOL,F[,PEAK-TOL]

  /// Returns true if spectra are chosen.
  [[nodiscard]] bool any() const;
  /// Returns the rules but those that depend on the inputs: the index, and a sample of a number of spectra.
  /// @throws usage_error  for an invalid value
  [[nodiscard]] spectra::spectrum_choice choice() const;
  /// Returns the MS levels whose spectra are filtered. @throws usage_error
  [[nodiscard]] spectra::range_rule<std::uint64_t> select_levels() const;
  /// Returns the number of spectra to sample, if that is no share. @throws usage_error
  [[nodiscard]] std::optional<std::uint64_t> sample_size() const;
  [[nodiscard]] std::uint64_t seed_value() const;
  /// Returns the rule by which spectra repeat others, if they are left out. @throws usage_error
  [[nodiscard]] std::optional<spectra::duplicate_rule> duplicates() const;
  /// Returns the options that choose spectra, with their values, in the order in which they do.
  /// @throws usage_error  for an invalid value
  [[nodiscard]] std::vector<std::pair<std::string_view, std::string_view>> steps() const;
  [[nodiscard]] bool inverse_sample() const { return sample.starts_with('!'); }
};

/// The numbers of spectra in a list: one a line, from 1 on, or rows of a table as --map writes it.
class spectrum_lists {
 public:
  spectrum_lists() = default;
  /// Reads a list, and a table of matches. @param path, matches  with a leading '!' or without it; empty: none
  /// @param inputs  the names of all inputs @throws input_error  naming the line
  spectrum_lists(std::string_view path, std::string_view matches, std::vector<std::string> const& inputs);
  /// Returns the list of one input, for a command that reads it alone.
  [[nodiscard]] spectrum_lists only(std::size_t k) const {
    spectrum_lists one;
    if (!lists_.empty()) one.lists_ = {lists_[k]};
    if (!named_.empty()) one.named_ = {named_[k]};
    return one;
  }
  /// Returns the numbers of spectra of an input, from 0 on; nullptr without a list.
  [[nodiscard]] std::shared_ptr<std::vector<std::uint64_t> const> of_input(std::size_t k) const {
    return lists_.empty() ? nullptr : lists_[k];
  }
  /// Returns the spectra of an input that a table of matches names; nullptr without a table.
  [[nodiscard]] std::shared_ptr<spectra::named_spectra const> named_in(std::size_t k) const {
    return named_.empty() ? nullptr : named_[k];
  }
  /// Returns the numbers of the spectra of an input that repeat others; nullptr if these are not left out.
  [[nodiscard]] std::shared_ptr<std::vector<std::uint64_t> const> duplicates_in(std::size_t k) const {
    return duplicates.empty() ? nullptr : duplicates[k];
  }
  std::vector<std::shared_ptr<std::vector<std::uint64_t> const>> duplicates;

 private:
  std::vector<std::shared_ptr<std::vector<std::uint64_t> const>> lists_;
  std::vector<std::shared_ptr<spectra::named_spectra const>> named_;
};

/// Returns a text with the letters of ASCII in lower case.
std::string lower_case(std::string_view text);

/// Parses a distance in m/z: 0.5, 0.5Da or 20ppm. @throws usage_error
spectra::tolerance parse_tolerance(std::string_view option, std::string_view text);

/// Returns the rows of these options.
std::vector<cli::option> choice_rows(choice_options& to);

/// The options that order spectra and split the output into parts, as they were given.
struct order_options {
  std::string by, memory, map, split_size, split_count, split_by;
  std::vector<std::string> folders;
  bool descending = false, renumber = false;

  /// Returns true if spectra are ordered or the output is split.
  [[nodiscard]] bool any() const { return !by.empty() || splits(); }
  [[nodiscard]] bool splits() const { return !split_size.empty() || !split_count.empty(); }
  /// @param several  there are several inputs @param compares  spectra are compared with one another
  /// @throws usage_error  for invalid numbers, and for options that need others
  [[nodiscard]] spectra::order_options order(bool several, bool compares) const;
};

/// The options that compare spectra with one another, as they were given; empty: not given.
struct similarity_options {
  std::string pairs, clusters, similar;
  bool analogues = false;

  /// Returns true if spectra are compared.
  [[nodiscard]] bool any() const { return !pairs.empty() || !clusters.empty(); }
  /// Returns true if spectra are made of clusters.
  [[nodiscard]] bool makes_consensus() const { return clusters.ends_with("consensus"); }
  [[nodiscard]] spectra::cluster_method method() const {
    return clusters.starts_with("greedy") ? spectra::cluster_method::greedy : spectra::cluster_method::connected;
  }
  /// @throws usage_error  for an invalid value
  [[nodiscard]] spectra::similarity_rule rule() const;
  /// @throws usage_error  for options that need others, and another name of a file of pairs
  void check() const;
};

/// Returns the rows of these options.
std::vector<cli::option> similarity_rows(similarity_options& to);

/// The settings of a command line.
struct command {
  std::vector<std::string> inputs;
  std::string output = "-", out_dir, by = "mz", to, summary, report;
  std::string isolation_target, precursors, rt_unit, title_template, encode;
  bool descending = false, check = false, lenient = false, explain = false, keep_metadata = false, has_output = false;
  choice_options choice;
  selection_options selection;
  order_options order;
  similarity_options similarity;
  cli::common_options common;

  /// Returns true if spectra are written.
  [[nodiscard]] bool writes() const {
    return !check && summary.empty() && ((report.empty() && similarity.pairs.empty()) || has_output || !out_dir.empty());
  }
  /// Returns the encoding of arrays of mzML. @throws usage_error  for an invalid value
  [[nodiscard]] spectra::array_encoding encoding() const;
  [[nodiscard]] spectra::sort_key key() const { return by == "mz" ? spectra::sort_key::mz : spectra::sort_key::intensity; }
};

/// Returns specsort's options. Their actions refer to `to`.
cli::command_table make_table(command& to);

/// Returns the steps that are applied to each spectrum, in order, a line each: the output of --explain.
/// @throws usage_error  for invalid values
std::string explained(command const& of);

}  // namespace ordo::inline v0::specsort
