// The files of an index, with some bytes changed, cut or added, and with sizes and checksums that are mended afterwards, or
// not. Every search ends with a result or an error, and reads nothing outside the files.
#include <array>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <unistd.h>

#include "fuzz/fuzz.hpp"
#include "ordo/suffix.hpp"
#include "ordo/suffix/index.hpp"
#include "ordo/suffix/matches.hpp"
#include "ordo/suffix/pieces.hpp"
#include "ordo/suffix/search.hpp"

using namespace ordo;

namespace {

constexpr std::array names{"json", "seq", "sa", "lcp", "kmers", "fm", "pieces"};
using files = std::array<std::string, names.size()>;

template <class T>
std::string to_bytes(std::vector<T> const& values) {
  return {reinterpret_cast<char const*>(values.data()), values.size() * sizeof(T)};
}

// An index of a small text of two records, cut into pieces on both strands or not, with everything that it can have.
// @param protein  more letters, for which ranks are counted otherwise
files valid_index(bool cut, unsigned width, bool protein = false) {
  suffix::index_description about;
  about.width = width;
  suffix::fasta read;
  memory_source from(protein ? ">first\nMKVLAAGIVRSTNDEQHFWYCMKVLAAGIV\n>second\nGATTACAMKVLAW\n"
                             : ">first\nGATTACAGATTACANNACGTACGTTTTTTTTGCA\n>second\nGATTACANCCCCCCAAAT\n");
  suffix::fasta_options options;
  options.machine = fuzz::one_thread();
  suffix::append_fasta(read, "x", from, options);
  about.names = read.names;
  files all;
  std::string residues(read.view().residues);
  std::vector<std::uint64_t> starts = read.starts;
  about.starts = read.starts;
  if (cut) {
    about.policy.strands = suffix::strands::both;
    about.policy.ambiguous = suffix::ambiguous_letters::breaks;
    suffix::cut_text const text = suffix::cut_records(read, about.policy, std::size_t{1} << 30, 1);
    for (std::size_t k = 0; k < read.starts.size(); ++k)
      about.lengths.push_back((k + 1 < read.starts.size() ? read.starts[k + 1] : residues.size()) - read.starts[k]);
    residues = text.view().residues;
    starts.assign(text.pieces().begins().begin(), text.pieces().begins().end());
    about.starts.clear();
    for (std::size_t k = 0; k < text.pieces().size(); ++k)
      if (k == 0 || text.pieces().source_record(k) != text.pieces().source_record(k - 1)) about.starts.push_back(starts[k]);
    all[6] = to_bytes(text.columns);
  }
  suffix::text const text{residues, starts};
  suffix::build_options build;
  build.machine = fuzz::one_thread();
  auto const fill = [&]<class Index>(Index) {
    auto const made = suffix::build<Index>(text, {true, false}, build);
    all[2] = to_bytes(made.sa);
    all[3] = to_bytes(made.lcp);
  };
  if (width == 32)
    fill(std::uint32_t{});
  else
    fill(std::uint64_t{});
  suffix::entries const sa(all[2], width);
  about.residues = residues.size();
  about.kmers = {2, "ACGT"};
  about.fm_sample = 4;
  all[1] = residues;
  auto const kmers = suffix::make_kmer_table(text, sa, about.kmers, "sa", 1);
  all[4].assign(kmers.begin(), kmers.end());
  auto const fm = suffix::make_fm_index(text, sa, about.fm_sample, "sa", 1);
  all[5].assign(fm.begin(), fm.end());
  about.fm_letters = std::size_t(std::ranges::count_if(std::string_view("ACDEFGHIKLMNPQRSTVWY"),
                                                       [&](char c) { return residues.find(c) != residues.npos; }));
  for (std::size_t k = 1; k < names.size(); ++k)
    if (!all[k].empty()) about.arrays.push_back({names[k], all[k].size(), suffix::compute_crc32(all[k], 1)});
  all[0] = suffix::to_json(about);
  return all;
}

// Sets sizes and checksums in a description to those of the arrays. One that cannot be read stays as it is.
void mend_index(files& all) {
  fuzz::catch_error([&] {
    suffix::index_description about = suffix::from_json(all[0], "x.json");
    for (suffix::index_array& array : about.arrays)
      for (std::size_t k = 1; k < names.size(); ++k)
        if (array.name == names[k]) array = {array.name, all[k].size(), suffix::compute_crc32(all[k], 1)};
    all[0] = suffix::to_json(about);
  });
}

// A folder that ends with the process.
class temporary_folder {
 public:
  temporary_folder() : path_(std::filesystem::exists("/dev/shm") ? "/dev/shm/ordo-fuzz-XXXXXX" : "/tmp/ordo-fuzz-XXXXXX") {
    fuzz::require(mkdtemp(path_.data()) != nullptr, "a folder is made");
  }
  ~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  temporary_folder(temporary_folder const&) = delete;
  temporary_folder& operator=(temporary_folder const&) = delete;
  [[nodiscard]] std::string const& path() const { return path_; }

 private:
  std::string path_;
};

void search(suffix::searcher const& rows, suffix::text const& text, std::string_view pattern) {
  auto const locate = [&](std::string_view of) {
    fuzz::catch_error([&] {
      for (std::uint64_t const p : rows.locate(of)) {
        fuzz::require(p < text.size(), "a hit is in the text");
        fuzz::require(rows.record_at(p) < text.records(), "a hit is in a record");
      }
    });
  };
  for (std::string_view const of : {std::string_view("GATTACA"), std::string_view("N"), std::string_view("CC"), pattern})
    locate(of);
  fuzz::catch_error([&] {
    std::string_view const queries[] = {"GATTACAN", pattern};
    std::uint64_t lengths[2];
    rows.find_longest(queries, lengths);
  });
  fuzz::catch_error([&] { static_cast<void>(suffix::match_finder(text, rows, {}, {4}).find("GATTACAGATTACCCCCCACGT")); });
  fuzz::catch_error([&] {
    std::vector<suffix::match> matches;
    suffix::match_finder(text, rows, {}, {4}).find_super_maximal("GATTACAGATTACCCCCCACGT", 0, 22, matches);
  });
  // Occurrences are counted; each string is searched for; and rows are looked up as if some were missing.
  std::string_view const repeated = "GATTACAGATTACAGATTACAGATTACATTTTTTTTTTTTTTTTTTCCCCCCCCCCCC";
  for (suffix::match_options const& rare : {suffix::match_options{4, 2, 64}, suffix::match_options{3, 0, 1}})
    fuzz::catch_error([&] {
      auto repeated_matches = suffix::match_finder(text, rows, {}, rare).find(repeated);
      auto unique = repeated_matches;
      suffix::keep_unique_in_query(unique, text, std::vector<bool>(text.records(), true));
      suffix::keep_super_maximal(repeated_matches);
    });
  fuzz::catch_error([&] {
    std::vector<std::uint64_t> lengths(repeated.size());
    suffix::matching_statistics(rows, repeated, 0, lengths);
  });
  for (suffix::row_selection const some : {suffix::row_selection{true, 1}, suffix::row_selection{false, 2}})
    for (std::string_view const of : {std::string_view("NNACG"), std::string_view("TTACA"), pattern})
      fuzz::catch_error([&] { static_cast<void>(suffix::sampled_searcher(text, rows, some).locate(of)); });
  fuzz::catch_error([&] {
    std::vector<std::uint64_t> lengths(22);
    suffix::matching_statistics(rows, "GATTACAGATTACCCCCCACGT", 0, lengths);
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  static std::array const valid{valid_index(false, 32), valid_index(true, 32), valid_index(false, 64), valid_index(true, 64),
                                valid_index(false, 32, true)};
  fuzz::fuzzed_bytes bytes(data, size);
  std::size_t const option = bytes.number(256);
  files all = valid[option % valid.size()];
  std::string_view const pattern = bytes.text(option / 4 % 8);
  while (!bytes.rest().empty()) {
    std::string& file = all[bytes.number(names.size())];
    std::size_t const at = std::min(file.size(), bytes.number(256) * 256 + bytes.number(256));
    switch (bytes.number(4)) {
      case 0:
        file.resize(at);
        break;
      case 1:
        file.insert(at, bytes.text(bytes.number(24)));
        break;
      default: {
        std::string_view const now = bytes.text(1 + bytes.number(12));
        file.replace(at, now.size(), now);
      }
    }
  }
  if (option >= 128) mend_index(all);
  static temporary_folder const folder;
  std::string const prefix = folder.path() + "/x";
  for (std::size_t k = 0; k < names.size(); ++k) {
    std::string const path = fmt::format("{}.{}", prefix, names[k]);
    if (all[k].empty() && k != 0)
      unlink(path.c_str());
    else
      std::ofstream(path, std::ios::binary) << all[k];
  }
  fuzz::catch_error([&] {
    suffix::stored_index const index(prefix);
    static_cast<void>(index.altered_array(1));
    static_cast<void>(index.unlisted_array());
    index.expect_few_reads();
    suffix::text const text = index.view();
    if (index.has_sa())
      fuzz::catch_error([&] {
        search(suffix::searcher(text, index.array("sa"), "sa"), text, pattern);
        search(suffix::searcher(text, index.array("sa"), "sa", index.kmers()), text, pattern);
        if (index.kmers().length() != 0)
          static_cast<void>(
              suffix::find_wrong_kmer(text, index.array("sa"), index.description().kmers, index.array("kmers"), "sa", 1));
        static_cast<void>(suffix::frequent_letters(text.residues));
      });
    fuzz::catch_error([&] {
      suffix::fm_index const fm = index.fm();
      if (fm.empty()) return;
      search(suffix::searcher(fm, text), text, pattern);
      for (std::size_t row = 0; row < text.size(); row += 5)
        fuzz::catch_error([&] {
          fuzz::require(fm.position(row) < text.size(), "a row holds a position of the text");
          fuzz::require(fm.rows_before('C', row) <= text.size(), "a string has a place among the rows");
        });
    });
    suffix::pieces const pieces = index.pieces();
    if (index.description().policy.cuts()) suffix::find_contradiction(text, pieces, index.description().policy, 1);
    for (std::size_t p = 0; p < text.size(); p += 7) static_cast<void>(pieces.to_location(text, text.record_at(p), p, 1));
    suffix::build_options build;
    build.machine = fuzz::one_thread();
    auto const check = [&]<class Index>(Index) { suffix::check<Index>(text, index.arrays<Index>(), build); };
    if (index.description().width == 32)
      check(std::uint32_t{});
    else if (index.description().width == 64)
      check(std::uint64_t{});
  });
  return 0;
}
