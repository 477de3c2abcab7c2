#include "ordo/suffix/fmd.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ordo/error.hpp"
#include "suffix/aligners/run_files.hpp"

namespace ordo::inline v0::suffix {

void write_fmd(std::string_view bwt, sink& to) {
  write_fmd_runs([&](dna_run& run) { return consume_run(bwt, run); }, to);
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
