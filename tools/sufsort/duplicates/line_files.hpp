#pragma once
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "ordo/suffix/index.hpp"
#include "tools/cli/files/input.hpp"
#include "tools/cli/files/output.hpp"
#include "tools/cli/output_folder.hpp"
#include "tools/sufsort/duplicates/duplicates_report.hpp"

namespace ordo::inline v0::sufsort {

/// Writes the lines of each file of an index: all to one output, or to a file of the same name in a folder, compressed as its
/// name says. Then the output gets a line for each file.
class line_files {
 public:
  /// @param folder  empty: there is none
  line_files(suffix::stored_index const& index, cli::output& out, std::string folder, unsigned threads);
  ~line_files();
  line_files(line_files const&) = delete;
  line_files& operator=(line_files const&) = delete;

  /// Writes all or some lines of a file; files come in their order.
  void write(std::size_t file, std::string& text, duplicate_counts const& counts);

  /// Completes the files in the folder. The output is left to its owner.
  void finish();

  /// Checks an input that is read while this is written.
  void refuse_loop(cli::input const& in) const { out_.refuse_loop(in); }

 private:
  [[nodiscard]] std::vector<suffix::input_file> const& files() const { return index_.description().files; }
  /// Returns the place of a file of this name: as it was given, in the folder.
  [[nodiscard]] std::string target_path(std::string const& name) const;
  void open();
  void close();

  suffix::stored_index const& index_;
  cli::output& out_;
  std::string folder_;
  unsigned threads_;
  std::deque<cli::output_folder> folders_;  // folder_, and the folders of the files in it
  std::string last_folder_;
  std::optional<cli::output> opened_;
  std::size_t next_ = 0;  // the file after the opened one
  duplicate_counts counts_;
  std::string list_;
};

}  // namespace ordo::inline v0::sufsort
