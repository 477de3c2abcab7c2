#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <tbb/task_arena.h>

#include "base/threads.hpp"
#include "ordo/host_bytes.hpp"
#include "tools/cli/files/input.hpp"
#include "tools/cli/options/options.hpp"
#include "tools/sufsort/files/reference_reader.hpp"

/// Records of files of FASTA, of which some are read while those before are worked on.
namespace ordo::inline v0::sufsort {

class records_ahead {
 public:
  /// @param memory  a sixteenth of it may hold records, and no more than an eighth of the files is in it
  /// @param opened  called with each file before its records are read, by any thread
  records_ahead(std::vector<std::string> const& files, cli::common_options const& common, std::size_t memory,
                std::function<void(cli::input&)> opened)
      : files_(files),
        threads_(common.threads),
        arena_(threads_for(common.threads)),
        reader_(arena_),
        opened_(std::move(opened)),
        max_record_(memory / 8),
        chunk_letters_(std::clamp(std::min(memory / 32, count_bytes(files) / 16), min_chunk, max_chunk)) {}

  /// Calls take(header, letters, read) for each record, and end(read) after those of each file, by the caller's thread.
  /// `read` is a number of bytes of the file. @throws input_error
  template <class Take, class End>
  void each(Take take, End end) {
    chunk now, next;
    fill(now);
    while (true) {
      // A record is in memory as a whole, and a second one only if there is plenty for it.
      bool const is_small = now.letters.size() <= max_record_;
      std::future<void> reading;
      if (!now.is_last && !now.failure && is_small && arena_.max_concurrency() > 1) reading = std::async([&] { fill(next); });
      for (std::size_t at = 0; item const& of : now.items) {
        if (of.ends_file) {
          end(of.read);
          continue;
        }
        take(std::string_view(of.header), std::string_view(now.letters.data() + at, of.size), of.read);
        at += of.size;
      }
      if (now.failure) std::rethrow_exception(now.failure);
      if (now.is_last) return;
      if (reading.valid())
        reading.get();  // reads now if no thread is available
      else
        fill(next);
      std::swap(now, next);
    }
  }

 private:
  static constexpr std::size_t min_chunk = std::size_t{1} << 20, max_chunk = std::size_t{1} << 30;

  struct item {
    std::string header = {};
    std::size_t size = 0;
    std::uint64_t read = 0;
    bool ends_file = false;
  };
  struct chunk {
    host_bytes letters;
    std::vector<item> items;
    bool is_last = false;
    std::exception_ptr failure;  // after these records
  };

  static std::size_t count_bytes(std::vector<std::string> const& files) {
    std::size_t sum = 0;
    for (std::string const& file : files)
      if (std::error_code error; std::filesystem::is_regular_file(file, error)) sum += std::filesystem::file_size(file, error);
    return sum;
  }
  void fill(chunk& to) {
    to.items.clear();
    try {
      read(to);
    } catch (...) {
      to.failure = std::current_exception();
    }
    reader_.hand_over(to.letters);
  }
  void read(chunk& to) {
    for (std::size_t letters = 0, enough = 1; letters < enough;) {
      if (!in_) {
        to.is_last = next_file_ == files_.size();
        if (to.is_last) return;
        in_.emplace(files_[next_file_++], threads_);
        opened_(*in_);
        reader_.begin(*in_);
      }
      enough = in_->file_size() ? chunk_letters_ : 1;  // what comes through a pipe is not held back
      bool const more = reader_.read_block(*in_, [&](std::string_view header, std::string_view of_record) {
        to.items.push_back({.header = std::string(header), .size = of_record.size(), .read = in_->file_read()});
        letters += of_record.size();
      });
      if (more) continue;
      to.items.push_back({.read = in_->file_read(), .ends_file = true});
      in_.reset();
    }
  }

  std::vector<std::string> const& files_;
  unsigned threads_;
  tbb::task_arena arena_;
  reference_reader reader_;
  std::function<void(cli::input&)> opened_;
  std::size_t max_record_, chunk_letters_;
  std::optional<cli::input> in_;
  std::size_t next_file_ = 0;
};

}  // namespace ordo::inline v0::sufsort
