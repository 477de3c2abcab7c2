#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/suffix.hpp"
#include "ordo/suffix/input_format.hpp"
#include "ordo/suffix/policy.hpp"
#include "tools/sufsort/kmer_words.hpp"
#include "tools/sufsort/memory_limits.hpp"

namespace ordo::inline v0::sufsort {

/// The index that is built, and its inputs.
struct build_options {
  std::string prefix;   // empty: out_dir
  std::string out_dir;  // the folder of an index for each file
  std::vector<std::string> files;
  suffix::extra_arrays extra;
  std::string width = "auto";
  suffix::input_format format = suffix::input_format::fasta;
  bool has_format = false;  // --format; without it, files say what they are
  std::string separator;    // separator of records, as it was given: with escapes, or as tokens
  std::string field;        // field of JSON; empty: text
  std::string lengths;      // a file of the lengths of records; empty: none
  bool big_endian = false;  // tokens of raw files
  std::string bad_lines;    // the file that gets lines of JSON which cannot be read; empty: they are errors
  bool strict = false;      // whether such lines make the exit status 2
  suffix::policy policy;
  memory_limits memory;
  bool plan = false;
  bool has_mask = false;  // --mask was given
  kmer_options kmers;
  bool fm = false;                            // add an FM index
  bool fm_runs = false;                       // make an FM index of runs instead of all arrays
  std::size_t parts = 0;                      // files among which the suffix array is divided; 0: it is one
  bool without_sa = false;                    // leave out the suffix array
  bool text_only = false;                     // and everything else but the text and its records
  std::uint64_t fm_sample = 0;                // the FM index stores the position of every fm_sample-th row; 0: the preset
  std::optional<std::uint32_t> expected_sum;  // checksum of the description of the index that the new one replaces, if it must

  static constexpr std::uint64_t preset_sample = 32, preset_sample_of_runs = 256;
  [[nodiscard]] std::uint64_t sample() const {
    return fm_sample != 0 ? fm_sample : fm_runs ? preset_sample_of_runs : preset_sample;
  }

  /// Returns the names of the arrays that the index gets. @param sa  with the suffix array
  [[nodiscard]] std::vector<std::string_view> arrays(bool sa) const;
};

}  // namespace ordo::inline v0::sufsort
