#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/streams.hpp"
#include "ordo/io.hpp"
#include "ordo/suffix/index.hpp"
#include "tools/cli/files/output.hpp"

namespace ordo::inline v0::sufsort {
/// Returns the names of all files that an index can have. Parts of the suffix array are among them as far as they are there.
/// @param parts  the number of parts that the index gets: these are among them in any case
std::vector<std::string> index_file_names(std::string const& prefix, std::size_t parts = 0);

/// Throws input_error if the prefix names a file instead of an index, with advice how to build one. Accepts a damaged or
/// missing index: opening it fails. @param for_duplicates  the command needs no array of suffixes
void expect_index(std::string const& prefix, bool for_duplicates);

/// Replaces an index, or some of its arrays. Whenever the process ends, stored_index finds the old index or the new one:
/// 1. All files are complete, in the file systems of their places. Then the new arrays get hidden names, which include the
///    checksum of the new description.
/// 2. The description is moved to its place. From then on the new index is valid. A hidden file tells readers where its arrays
///    are (suffix/index/index_parts.hpp). An array whose place is a symbolic link stays beside the end of that link; then its
///    hidden name is a link to it.
/// 3. The arrays are moved to their places, and arrays that the new index does not have are removed, as are parts of the old
///    suffix array. The next command that writes or reads the index completes an interrupted exchange first.
/// An error before the description has moved leaves the old index. If there is an old index, the files and names of each step
/// are on the disk before the next one, so that a loss of power is as an end of the process.
/// @param arrays    the arrays, or parts, that change, with their names ("sa", "sa.0001"); they and the description are
/// replaced by_rename
/// @param unwanted  arrays that the new index does not have
/// @param expected_sum   checksum of the description to which the unchanged arrays belong
/// @throws output_error  if another description has taken its place
void exchange_index(std::string const& prefix, std::string_view description, cli::output& json,
                    std::vector<std::pair<std::string, cli::output*>> const& arrays, std::vector<std::string> const& unwanted,
                    std::optional<std::uint32_t> expected_sum = std::nullopt);

/// Completes an exchange that was interrupted, or removes its hidden files if it had not moved its description. Does nothing if
/// the folder cannot be written, or while another process works in it.
void recover_index(std::string const& prefix);

/// Returns the checksum of the description; nothing if there is none.
std::optional<std::uint32_t> sum_of_description(std::string const& prefix);

/// Throws usage_error unless files can have names that begin with the value of --output.
void expect_prefix(std::string const& prefix);

/// Throws output_error if the index would replace one of its inputs. @param parts  see index_file_names
void refuse_inputs(std::string const& prefix, std::vector<std::string> const& inputs, std::size_t parts = 0);

/// Throws output_error if standard output is a file of the index.
void refuse_stdout(std::string const& prefix);

/// Throws output_error if the output is a file of the index.
void refuse_output(std::string const& prefix, cli::output const& out);

/// Returns the path of a file that an index was made of: its name as it was given then, or, if there is none from here on, that
/// name in the folder of the index.
std::string resolve_input(suffix::stored_index const& index, std::string const& name);

/// Throws output_error if the output is a file that the index was made of.
void refuse_sources(suffix::stored_index const& index, cli::output const& out);

/// The files of an index, which appear together: all are written, then they replace the old ones (exchange_index). Other names
/// (hard links) of an old file keep its content.
class index_writer {
 public:
  /// @param arrays  the names of those that the index has, as "seq" and "sa" @throws output_error  if a file cannot be written
  /// @param parts  the number of files among which the suffix array is divided; 0: it is one file
  index_writer(std::string prefix, std::vector<std::string_view> const& arrays, std::size_t parts = 0);

  /// Sets the width of entries, in bits. Needed before anything is written to a suffix array in parts.
  void set_width(unsigned width);
  /// Returns the sink of an array, or null if it is not wanted. Valid until the end.
  sink* to(std::string const& name);
  /// Returns a file of an array that is wanted: by the name of the array, or of a part of it.
  [[nodiscard]] cli::output& file(std::string const& name) { return files_[file_number(name)]; }
  /// Adds some bytes that another process wrote to such a file. @param part  their size and checksum
  void add_part(std::string const& name, std::uint64_t offset, suffix::index_array const& part);
  /// Returns the arrays that have been written.
  [[nodiscard]] std::vector<suffix::index_array> written() const;
  /// Completes an array and maps it for reading. @throws output_error, input_error
  [[nodiscard]] suffix::mapped_file completed(std::string const& name);
  /// Returns the final path of an array, for messages, as stored_index::path().
  [[nodiscard]] std::string path(std::string const& name) const {
    return prefix_ + "." + name + (is_in_parts(name) ? ".*" : "");
  }

  /// Leaves out an array that only others were made from.
  void discard(std::string const& name);

  /// @param expected_sum  see exchange_index
  void commit(suffix::index_description const& about, std::optional<std::uint32_t> expected_sum = std::nullopt);

 private:
  [[nodiscard]] std::size_t file_number(std::string const& name) const;
  [[nodiscard]] bool is_in_parts(std::string const& name) const { return parts_ != 0 && name == "sa"; }
  [[nodiscard]] bool is_discarded(std::size_t file) const;
  void finish(std::size_t file);
  [[nodiscard]] std::string finished_path(std::size_t file);

  std::string prefix_;
  std::size_t parts_;
  std::vector<std::string> unwanted_;  // arrays that the index does not have
  std::vector<std::string> names_;     // names of the files: of arrays, or of parts of one
  std::deque<cli::output> files_;
  std::deque<suffix::checksum_sink> sums_;
  std::optional<divided_sink> divided_;  // the suffix array in parts
  std::vector<bool> finished_;
  cli::output json_;
};

}  // namespace ordo::inline v0::sufsort
