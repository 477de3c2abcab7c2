#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/dividing_sink.hpp"
#include "base/temporary_file.hpp"
#include "ordo/io.hpp"
#include "tools/cli/files/output.hpp"

// The files that an output is split into.
namespace ordo::inline v0::cli {

/// Returns the name of a file with a part in front of its extensions: "out.PART.mgf.gz".
std::string name_with(std::string const& file, std::string_view part);
/// Returns the name of part `number`, from 1 on: out.mgf.gz becomes out.0001.mgf.gz. @param parts  the number of parts, 0 if it
/// is not known
std::string name_of_part(std::string const& file, std::size_t number, std::size_t parts);

/// Moves all parts to their places, the first one last: once it is there, all are. If one cannot be moved, none is there.
/// @throws output_error
void commit_parts(std::vector<output*> parts);

/// An output that is divided, in its order, among a number of files of about equal size, each named by its part (name_of_part).
/// No item is divided: an item belongs to the file in which it begins. All files appear, or none does. Several threads write
/// the files at the same time if they are not compressed.
class split_output final : public dividing_sink {
 public:
  struct options {
    std::size_t parts = 1;
    std::size_t item_bytes = 0;  // the size of an item; 0: an item ends with the delimiter
    char delimiter = '\n';
    unsigned threads = 0;         // see output
    std::string folder = "/tmp";  // the folder of a temporary file, if the size is not announced
  };
  /// @throws output_error  if a file cannot be written; usage_error  if there is a file of one part more, which would be taken
  /// for one of these
  split_output(std::string const& path, options const& how);

  /// Checks that no input of a command is one of the files. @throws output_error
  void refuse_inputs(std::span<std::string const> paths) const;

  void write(std::span<char const> data) override;
  bool expect(std::uint64_t bytes) override;
  bool expect_placed(std::uint64_t bytes) override;
  void place(std::uint64_t offset, std::span<char const> data) override;
  [[nodiscard]] std::vector<std::uint64_t> divisions(std::uint64_t bytes) const override;
  bool expect_divided(std::uint64_t bytes, std::span<std::uint64_t const> begins) override;
  [[nodiscard]] bool addressable() const override { return addressed_; }
  void write_at(std::uint64_t offset, std::span<char const> data) override;
  /// Completes the files and moves them to their places. To be called once, last.
  void commit();

  [[nodiscard]] std::uint64_t written() const noexcept;

 private:
  static constexpr std::uint64_t unknown = ~std::uint64_t{0};

  void set_size(std::uint64_t bytes);
  bool open_files();
  [[nodiscard]] std::uint64_t nominal(std::size_t part, std::uint64_t bytes) const;
  void put(std::uint64_t offset, std::span<char const> data);

  options how_;
  std::deque<output> files_;
  std::vector<std::atomic<std::uint64_t>> begins_;  // where each part begins; unknown until the item before it has ended
  std::size_t placed_ = 1;                          // the first part whose begin is not known
  std::optional<std::uint64_t> size_;
  std::uint64_t end_ = 0;  // the end of what write() has written
  bool addressed_ = false;
  std::unique_ptr<temporary_file> waiting_;  // the output until its size is known
};

}  // namespace ordo::inline v0::cli
