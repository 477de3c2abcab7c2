#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "base/streams.hpp"
#include "ordo/communicator.hpp"
#include "ordo/io.hpp"
#include "ordo/suffix.hpp"
#include "ordo/suffix/index.hpp"
#include "tools/cli/files/shared_output.hpp"
#include "tools/sufsort/index_files.hpp"

// sufsort build as the processes of an MPI job.
namespace ordo::inline v0::sufsort {

/// A file that is read.
struct opened_file {
  std::string name;  // for messages
  std::unique_ptr<source> from;
  std::uint64_t expected = 0;      // uncompressed bytes of a compressed file, as far as known
  std::uint64_t likely_bytes = 0;  // likely bytes of any file
  std::string front;               // its first bytes, at most 4096
};

/// Opens a file. Processes of a job each read a regular file; all others are read by the first one, to the end, for all.
/// Collective if there are members.
/// @param threads  see cli::input @param raw  its bytes are read as they are, also if they look compressed
/// @param members  null: this process works alone
opened_file open_file(std::string const& path, unsigned threads, bool raw, communicator* members);

/// Checks that all processes have read the same text. Collective. @throws input_error
void check_same_text(communicator& members, suffix::text const& input, unsigned threads);

/// The arrays of an index that the processes of a job write together.
class shared_arrays {
 public:
  /// @param writer  the writer of the first process; null on the others
  /// @param parts  files among which the suffix array is divided; 0: it is one @param width  bits of its entries
  shared_arrays(communicator& members, index_writer* writer, std::size_t parts, unsigned width)
      : members_(members), writer_(writer), parts_(parts), width_(width) {}

  /// Opens an array, as suffix::output_opener.
  sink* open(std::string_view array, std::uint64_t bytes);
  /// Adds the sizes and checksums of what others have written. Collective.
  void finish();

 private:
  struct shared_file {
    std::string name;                               // name of an array, or of a part of one
    std::unique_ptr<cli::shared_output> file;       // null: the first process writes this one's part
    std::unique_ptr<suffix::checksum_sink> sums{};  // sums of that file
  };
  sink* open_file(std::string name);

  communicator& members_;
  index_writer* writer_;
  std::size_t parts_;
  unsigned width_;
  std::deque<shared_file> files_;
  std::deque<divided_sink> divided_;
};

}  // namespace ordo::inline v0::sufsort
