#include "tools/sufsort/search/circular_records.hpp"

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "ordo/suffix/index.hpp"

namespace ordo::inline v0::sufsort {

circular_records::circular_records(searched_index const& index, std::vector<std::string> const& names)
    : input_(index.input), pieces_(index.pieces) {
  if (names.empty()) return;
  suffix::index_description const& about = index.stored.description();
  if (!index.is_fasta())
    throw usage_error(fmt::format("conflicting options: --circular: {}: records of FASTA are circular, no others",
                                  index.stored.path("json")));
  if (index.stored.has_runs())
    throw input_error(
        fmt::format("no text: {}: --circular reads it, and an index of runs has none", index.stored.path("json")));
  if (about.policy.breaks())
    throw input_error(
        fmt::format("no whole records: {}: --circular needs records that are not cut: build the index without "
                    "--ambiguous=break and --mask=break",
                    index.stored.path("json")));
  circular_.resize(input_.records());
  std::vector<bool> result(names.size());
  std::string name;
  for (std::size_t record = 0; record < input_.records(); ++record) {
    name.clear();
    about.append_name(name, index.pieces.source_record(record));
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == "all" || names[i] == name) circular_[record] = result[i] = true;
  }
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!result[i])
      throw usage_error(
          fmt::format("no such record: --circular: '{}': {} has none of this name", names[i], index.stored.path("json")));
}

suffix::location circular_records::to_location(std::size_t record, std::uint64_t p, std::uint64_t length) const {
  std::uint64_t const size = input_.end(record) - input_.begin(record), offset = p - input_.begin(record);
  if (!pieces_.is_reverse(record)) return {pieces_.source_record(record), offset, false};
  // The first letters of a reverse complement are after its last ones, around the end, too.
  return {pieces_.source_record(record), (size - (offset + length) % size) % size, true};
}

std::vector<std::uint64_t> circular_records::locate(std::string_view pattern) const {
  std::vector<std::uint64_t> hits;
  std::size_t const length = pattern.size();
  std::string turn;
  for (std::size_t record = 0; length > 1 && record < circular_.size(); ++record) {
    std::size_t const begin = input_.begin(record), end = input_.end(record);
    if (!circular_[record] || end - begin < length) continue;
    std::size_t const first = end - (length - 1);
    turn = input_.residues.substr(first, length - 1);
    turn += input_.residues.substr(begin, length - 1);
    for (std::size_t at = turn.find(pattern); at != turn.npos; at = turn.find(pattern, at + 1)) hits.push_back(first + at);
  }
  return hits;
}

}  // namespace ordo::inline v0::sufsort
