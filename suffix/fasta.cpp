#include "suffix/fasta.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>
#include <string_view>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <htslib/bgzf.h>
#include <htslib/hts.h>
#include <htslib/hts_log.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sort_core/config.hpp"
#include "sort_core/error.hpp"
#include "suffix/append_fasta.hpp"

namespace ordo::suffix {
namespace {

int open_for_reading(std::string const& path) {
  return path == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
}

// htslib prints to stderr what it also returns.
class quiet_htslib {
 public:
  quiet_htslib() { hts_set_log_level(HTS_LOG_OFF); }
  ~quiet_htslib() { hts_set_log_level(before_); }
  quiet_htslib(quiet_htslib const&) = delete;
  quiet_htslib& operator=(quiet_htslib const&) = delete;

 private:
  htsLogLevel before_ = hts_get_log_level();
};

// The bytes of a file, inflated where they are gzip or BGZF.
class inflated_file final : public source {
 public:
  inflated_file(std::string const& path, unsigned threads) : name_(path == "-" ? "standard input" : path) {
    int const fd = open_for_reading(path);
    if (fd < 0) fail(std::strerror(errno));
    struct stat info {};
    if (fstat(fd, &info) != 0 || S_ISDIR(info.st_mode)) {
      int const error = S_ISDIR(info.st_mode) ? EISDIR : errno;
      close(fd);
      fail(std::strerror(error));
    }
    file_.reset(bgzf_dopen(fd, "r"));
    if (!file_) {
      int const error = errno;
      close(fd);
      fail(error == 0 ? "corrupt gzip data" : std::strerror(error));
    }
    compressed_ = bgzf_compression(file_.get()) != no_compression;
    if (S_ISREG(info.st_mode)) size_ = std::size_t(info.st_size);
    // The end marker can be looked up in a file that one can seek in. In a pipe it is noticed when it should come, but only
    // by a reader without threads.
    if (bgzf_compression(file_.get()) == bgzf_compressed) {
      int const marked = bgzf_check_EOF(file_.get());
      if (marked == 0) fail(no_end_marker);
      if (marked == 1 && threads > 1 && bgzf_mt(file_.get(), int(threads), 256) != 0)
        fail(fmt::format("{} threads that inflate it cannot be started", threads));
    }
  }

  // Fills `to`, or what of it the rest of the file fills: less than to.size() is the end.
  std::size_t read(std::span<char> to) override {
    ssize_t const got = bgzf_read(file_.get(), to.data(), to.size());
    if (got < 0) fail(compressed_ ? "truncated or corrupt gzip data" : std::strerror(errno == 0 ? EIO : errno));
    if (std::size_t(got) < to.size() && file_->no_eof_block) fail(no_end_marker);
    return std::size_t(got);
  }

  [[nodiscard]] std::string const& name() const { return name_; }
  // A guess; 0: no idea.
  [[nodiscard]] std::size_t expected_size() const { return compressed_ ? 4 * size_ : size_; }

 private:
  static constexpr int no_compression = 0, bgzf_compressed = 2;  // of bgzf_compression
  static constexpr char const* no_end_marker = "truncated BGZF data: the end marker is missing";
  struct closer {
    void operator()(BGZF* file) const { static_cast<void>(bgzf_close(file)); }
  };

  [[noreturn]] void fail(std::string_view why) const { throw input_error(fmt::format("cannot read: {}: {}", name_, why)); }

  std::string name_;
  std::unique_ptr<BGZF, closer> file_;
  bool compressed_ = false;
  std::size_t size_ = 0;
};

}  // namespace

void append_fasta(fasta& to, std::string const& name, source& from, fasta_options const& how) {
  // A text is parsed on its way to the host's memory: a GPU gains nothing.
  constexpr std::size_t never = std::numeric_limits<std::size_t>::max();
  decision machine = choose(how.machine, 0, never, [](gpu_info const&) { return std::size_t{0}; });
  run_on(
      machine,
      [&] {
        if constexpr (cuda_enabled) detail::append_on_cuda(to, name, from, how, machine.gpu_index);
      },
      [&] { detail::append_on_host(to, name, from, how); });
}

void append_fasta(fasta& to, std::string const& path, fasta_options const& how) {
  quiet_htslib const quiet;
  unsigned const most = std::max(1u, std::thread::hardware_concurrency()), wanted = how.machine.threads;
  inflated_file file(path, wanted == 0 ? most : std::min(wanted, most));  // more gain nothing, and may not be had
  fasta_options one = how;
  one.expected = file.expected_size();
  append_fasta(to, file.name(), file, one);
}

fasta read_fasta(std::span<std::string const> paths, fasta_options const& how) {
  fasta all;
  std::uint64_t before = 0, bytes = 0;
  fasta_options one = how;
  one.on_progress = [&](std::uint64_t more) {
    bytes = more;
    if (how.on_progress) how.on_progress(before + bytes);
  };
  for (std::string const& path : paths) {
    append_fasta(all, path, one);
    before += bytes;
  }
  return all;
}

bool is_whole_bgzf(std::string const& path) {
  constexpr std::string_view end_marker("\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0\x1b\0\x03\0\0\0\0\0\0\0\0\0", 28);
  int const fd = open_for_reading(path);
  if (fd < 0) return false;
  std::array<char, end_marker.size()> head{}, tail{};
  struct stat info {};
  bool const read = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && lseek(fd, 0, SEEK_CUR) == 0 &&
                    pread(fd, head.data(), head.size(), 0) == ssize_t(head.size()) &&
                    pread(fd, tail.data(), tail.size(), info.st_size - off_t(tail.size())) == ssize_t(tail.size());
  close(fd);
  return read && std::string_view(head.data(), 2) == end_marker.substr(0, 2) && (head[3] & 4) != 0 && head[12] == 'B' &&
         head[13] == 'C' && std::string_view(tail.data(), tail.size()) == end_marker;
}

}  // namespace ordo::suffix
