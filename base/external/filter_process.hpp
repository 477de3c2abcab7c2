#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <sys/types.h>

#include "base/temporary_file.hpp"
#include "ordo/io.hpp"

// Temporary files that a program compresses, as with --compress-program of GNU sort.
namespace ordo::inline v0::external {

/// Searches PATH for a program. Returns 0, or the number of the error if there is none that may be executed.
int find_program(std::string const& program);

/// A program that runs beside this process, connected to a file on one side and to a pipe on the other. The destructor ends it.
class filter_process {
 public:
  enum class end { input, output };
  /// @param file_end  the side of the program on which the file is. The file is used from its beginning
  /// @throws output_error if the program cannot be started
  filter_process(std::string const& program, bool decompress, temporary_file const& file, end file_end);
  ~filter_process();
  filter_process(filter_process const&) = delete;
  filter_process& operator=(filter_process const&) = delete;

  /// Writes to the program. @throws output_error if the program does not read on
  void write(std::span<char const> data);
  /// Reads the bytes that are available. Returns 0 at the end.
  std::size_t read(std::span<char> to);
  /// Closes the pipe and waits for the program. @throws output_error unless its exit status is 0
  void finish();
  [[noreturn]] void fail(std::string const& why) const;

 private:
  std::string name_;
  pid_t process_ = -1;
  int pipe_ = -1;
};

class compressing_sink final : public sink {
 public:
  compressing_sink(std::string const& program, temporary_file const& file)
      : process_(program, false, file, filter_process::end::output) {}
  void write(std::span<char const> data) override {
    process_.write(data);
    taken_ += data.size();
  }
  /// Ends the input. Returns its size.
  std::uint64_t finish() {
    process_.finish();
    return taken_;
  }

 private:
  filter_process process_;
  std::uint64_t taken_ = 0;
};

class decompressing_source final : public source {
 public:
  /// @param bytes  the size of the decompressed data
  decompressing_source(std::string const& program, temporary_file const& file, std::uint64_t bytes)
      : process_(program, true, file, filter_process::end::input), left_(bytes) {}
  std::size_t read(std::span<char> to) override;

 private:
  filter_process process_;
  std::uint64_t left_;
  bool over_ = false;
};

}  // namespace ordo::inline v0::external
