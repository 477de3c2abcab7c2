#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <sys/types.h>

#include "base/temporary_file.hpp"
#include "ordo/io.hpp"

// Temporary files that a program compresses, as GNU sort's --compress-program has it.
namespace ordo::external {

/// A program that runs beside this process, one end of it a file and the other a pipe. It has ended when this is gone.
class filter_process {
 public:
  enum class end { input, output };
  /// @param what  which end of the program the file is. It is read and written from its beginning
  /// @throws output_error if the program cannot be started
  filter_process(std::string const& program, bool decompress, temporary_file const& file, end what);
  ~filter_process();
  filter_process(filter_process const&) = delete;
  filter_process& operator=(filter_process const&) = delete;

  /// @throws output_error if the program takes no more
  void write(std::span<char const> data);
  /// What can be had at once; nothing is the end.
  std::size_t read(std::span<char> to);
  /// No more is written or read: waits for the program. @throws output_error unless it ended well
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
  /// @returns how many bytes it took
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
  /// @param bytes  that the program has to give
  decompressing_source(std::string const& program, temporary_file const& file, std::uint64_t bytes)
      : process_(program, true, file, filter_process::end::input), left_(bytes) {}
  std::size_t read(std::span<char> to) override;

 private:
  filter_process process_;
  std::uint64_t left_;
  bool over_ = false;
};

}  // namespace ordo::external
