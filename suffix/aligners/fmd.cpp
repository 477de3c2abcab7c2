#include "ordo/suffix/fmd.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ordo/error.hpp"
#include "suffix/aligners/run_files.hpp"

namespace ordo::inline v0::suffix {

void write_fmd(std::string_view bwt, sink& to) {
  constexpr std::size_t at_a_time = std::size_t{1} << 16;
  auto const next = [&](run_list& runs) {
    std::size_t const first = runs.size();
    for (dna_run run; runs.size() - first < at_a_time && consume_run(bwt, run);) runs.push_back(run);
    return runs.size() != first;
  };
  auto const each = [](std::size_t n, std::function<void(std::size_t)> const& f) {
    for (std::size_t i = 0; i < n; ++i) f(i);
  };
  write_fmd_runs(next, each, to);
}

void fmd_records::add(std::string_view letters) {
  constexpr std::string_view from = "acgtACGT", forward = "ACGTACGT", reverse = "TGCATGCA";
  starts_.push_back(letters_.size());
  letters_.reserve(letters_.size() + 2 * letters.size());
  auto const append = [&](char letter, std::string_view as) {
    std::size_t const at = from.find(letter);
    letters_ += at == from.npos ? 'Z' : as[at];
  };
  for (char const letter : letters) append(letter, forward);
  starts_.push_back(letters_.size());
  for (std::size_t i = letters.size(); i-- > 0;) append(letters[i], reverse);
}

build_report fmd_records::write(sink& to, build_options const& options, run_length_format format) const {
  if (starts_.empty()) throw input_error("no records: reference: an index needs at least one");
  text const input{letters_, starts_};
  std::string bwt(input.size() + input.records(), '\0');
  build_report const report = index_fits(4, input.size(), input.records())
                                  ? build(input, arrays<std::uint32_t>{{}, {}, bwt}, options)
                                  : build(input, arrays<std::uint64_t>{{}, {}, bwt}, options);
  if (options.on_phase) options.on_phase("write", bwt.size());
  if (format == run_length_format::fmd)
    write_fmd(bwt, to);
  else
    write_fmr(bwt, to);
  return report;
}

}  // namespace ordo::inline v0::suffix
