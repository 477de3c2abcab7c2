#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ordo/communicator.hpp"
#include "ordo/machine.hpp"
#include "ordo/suffix/build_fasta.hpp"
#include "ordo/suffix/corpus.hpp"
#include "ordo/suffix/index.hpp"
#include "tools/cli/options/options.hpp"
#include "tools/sufsort/building/build_options.hpp"
#include "tools/sufsort/index_files.hpp"
#include "tools/sufsort/reporter.hpp"

// The records of files, of which an index is built.
namespace ordo::inline v0::sufsort {

/// Returns the size of a regular file; nothing for standard input, whose beginning opening would read.
std::optional<std::uint64_t> size_of_regular(std::string const& file);

/// Returns true if the bytes of a file are read as they are. Tokens may have any bytes, also those with which compressed files
/// begin: the name says whether they are compressed, unless files are tokens by their content.
bool is_raw(build_options const& options, std::string const& file);

/// Returns the bytes of the separator. @throws usage_error
std::string parse_separator(build_options const& options);

/// Reads files that are no FASTA, by append(files, options for reading).
/// @param records  where append adds them
/// @returns the field of JSON
std::string read_corpus(build_options const& options, std::string const& separator, cli::common_options const& common,
                        reporter& report, suffix::corpus const& records,
                        std::function<void(suffix::corpus_files const&, suffix::corpus_options const&)> const& append);

/// Returns true if a file has more than one record.
bool has_cut_files(suffix::corpus const& records);

/// Completes the description of a corpus.
/// @param separator, field  as for index_description @param is_cut  has_cut_files
void describe_corpus(suffix::corpus const& records, std::string const& separator, std::string const& field, bool is_cut,
                     suffix::index_description& about);

/// Stores the starts of the records of a corpus.
void store_starts(suffix::corpus const& records, index_writer& writer, unsigned threads);

/// Records of files that are no FASTA, in host memory.
class loaded_corpus {
 public:
  /// Reads all files.
  loaded_corpus(build_options const& options, cli::common_options const& common, reporter& report,
                communicator* members = nullptr);

  [[nodiscard]] suffix::text view() const { return all_.view(); }
  [[nodiscard]] std::size_t size() const { return all_.view().size(); }
  [[nodiscard]] std::size_t records() const { return all_.starts.size(); }
  [[nodiscard]] std::string_view residues() const { return all_.view().residues; }
  [[nodiscard]] static suffix::pieces pieces() { return {}; }

  /// Builds the arrays as suffix::build_into, and writes the residues to a sink at the same time.
  template <class Index>
  suffix::build_report build_into(suffix::sinks const& out, sink& residues, suffix::build_options options) const {
    options.machine = machine_;
    options.rows = rows_;
    residues.expect(all_.residues.size());
    std::future<void> writing = std::async([&] { suffix::store(all_.residues.span(), residues, machine_.threads); });
    suffix::build_report const done = suffix::build_into<Index>(all_.view(), out, options);
    writing.get();
    return done;
  }

  friend std::size_t bytes_of_names(loaded_corpus const&) { return 0; }
  friend std::span<std::uint64_t const> starts_of_text(loaded_corpus const& from, suffix::index_description const&) {
    return from.all_.starts;
  }
  friend void describe_records(loaded_corpus const& from, suffix::index_description& about) {
    describe_corpus(from.all_, from.separator_, from.field_, from.is_cut_, about);
  }
  friend void describe(loaded_corpus const& from, suffix::index_description& about, index_writer& writer) {
    describe_records(from, about);
    store_starts(from.all_, writer, from.machine_.threads);
  }

 private:
  suffix::corpus all_;
  std::string separator_, field_;
  bool is_cut_ = false;  // whether a file has more than one record
  machine_options machine_;
  suffix::row_selection rows_;
};

// The same of records of FASTA.
std::size_t bytes_of_names(suffix::loaded_fasta const& records);
std::span<std::uint64_t const> starts_of_text(suffix::loaded_fasta const& from, suffix::index_description const& about);
void describe_records(suffix::loaded_fasta const& from, suffix::index_description& about);
void describe(suffix::loaded_fasta const& from, suffix::index_description& about, index_writer& writer);

/// Reads all records to the machine that will sort them; to the host if several do. @param members  as of open_file
suffix::loaded_fasta read_files(build_options const& options, cli::common_options const& common, reporter& report,
                                communicator* members = nullptr);

/// Warns of duplicate and of empty names, once each: hits are printed by the names of records.
void warn_of_names(suffix::record_names const& names, unsigned threads);

}  // namespace ordo::inline v0::sufsort
