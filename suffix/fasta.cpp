#include "suffix/fasta.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <htslib/bgzf.h>
#include <htslib/hts.h>
#include <htslib/hts_log.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sort_core/error.hpp"
#include "suffix/utf8.hpp"

namespace ordo::suffix {
namespace {

constexpr std::size_t block_size = std::size_t{1} << 20;

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
class inflated_file {
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
  std::size_t read(std::span<char> to) {
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

// What the parser does with each byte of a line of residues: other values are the residue that it stands for.
constexpr unsigned char skipped = 0, refused = 1;

std::array<unsigned char, 256> residue_table(bool keep_case) {
  std::array<unsigned char, 256> table;
  table.fill(refused);
  for (unsigned char blank : {' ', '\t', '\v', '\f'}) table[blank] = skipped;
  for (unsigned char mark : {'*', '-', '.'}) table[mark] = mark;
  for (unsigned char c = 'A'; c <= 'Z'; ++c) table[c] = c;
  for (unsigned char c = 'a'; c <= 'z'; ++c) table[c] = keep_case ? c : static_cast<unsigned char>(c - 'a' + 'A');
  return table;
}

// Takes a file block by block: a line of residues may be as long as a chromosome.
class parser {
 public:
  parser(fasta& to, bool keep_case, std::string const& file)
      : to_(to), table_(residue_table(keep_case)), file_(file), records_before_(to.names.size()) {}

  void take(std::string_view block) {
    std::size_t const before = to_.residues.size();
    to_.residues.resize(before + block.size());
    next_ = to_.residues.data() + before;
    while (!block.empty()) {
      if (where_ == place::line_begin) begin_line(block);
      std::size_t const end = std::min(block.find('\n'), block.size());
      bool const whole = end < block.size();
      if (where_ == place::header)
        header_.append(block.substr(0, end));
      else if (where_ == place::residues)
        add_residues(block.substr(0, end));
      block.remove_prefix(end);
      if (whole) {
        end_line();
        block.remove_prefix(1);
      }
    }
    to_.residues.resize(std::size_t(next_ - to_.residues.data()));
  }

  void end() {
    next_ = to_.residues.data() + to_.residues.size();
    end_line();
    if (to_.names.size() == records_before_) throw input_error(fmt::format("bad FASTA: {}: no records", file_));
  }

 private:
  enum class place { line_begin, header, comment, residues };

  [[noreturn]] void fail(std::string const& why) const {
    throw input_error(fmt::format("bad FASTA: {}:{}: {}", file_, line_, why));
  }

  void begin_line(std::string_view& block) {
    where_ = block.front() == '>' ? place::header : block.front() == ';' ? place::comment : place::residues;
    if (where_ != place::header) return;
    header_.clear();
    block.remove_prefix(1);
  }

  void end_line() {
    if (where_ == place::header) end_header();
    where_ = place::line_begin;
    after_return_ = false;
    ++line_;
  }

  void end_header() {
    if (header_.ends_with('\r')) header_.pop_back();
    if (header_.find('\r') != header_.npos) fail("a carriage return inside a line; are all lines ended by CR alone?");
    header_.resize(std::min(header_.find_first_of(" \t"), header_.size()));
    if (!is_utf8(header_)) fail("the record's name is not UTF-8");
    to_.names.push_back(header_);
    to_.starts.push_back(std::size_t(next_ - to_.residues.data()));
  }

  void add_residues(std::string_view part) {
    if (part.empty()) return;
    if (after_return_) fail("a carriage return inside a line");
    if (part.ends_with('\r')) {
      after_return_ = true;
      part.remove_suffix(1);
    }
    char* const begin = next_;
    bool bad = false;
    for (char const c : part) {
      unsigned char const residue = table_[static_cast<unsigned char>(c)];
      *next_ = static_cast<char>(residue);
      next_ += residue > refused;
      bad |= residue == refused;
    }
    if (to_.names.size() == records_before_ && (bad || next_ != begin)) fail("text before the first '>'");
    if (bad) refuse(part);
  }

  [[noreturn]] void refuse(std::string_view part) const {
    auto const found = std::ranges::find_if(part, [&](char c) { return table_[static_cast<unsigned char>(c)] == refused; });
    auto const byte = static_cast<unsigned char>(*found);
    if (byte == '\r') fail("a carriage return inside a line");
    if (byte > 0x20 && byte < 0x7f) fail(fmt::format("'{}' is no residue", *found));
    fail(fmt::format("byte 0x{:02x} is no residue", byte));
  }

  fasta& to_;
  std::array<unsigned char, 256> table_;
  std::string const& file_;
  std::size_t records_before_;
  place where_ = place::line_begin;
  bool after_return_ = false;
  std::string header_;
  std::size_t line_ = 1;
  char* next_ = nullptr;  // where the next residue goes
};

}  // namespace

void append_fasta(fasta& to, std::string const& name, fasta_text const& text, std::size_t expected, fasta_options const& how) {
  std::string block(block_size, '\0');
  std::uint64_t bytes = 0;
  to.residues.reserve(to.residues.size() + expected + block_size);
  parser lines(to, how.keep_case, name);
  for (std::size_t got = block.size(); got == block.size();) {
    got = text(block);
    lines.take(std::string_view(block).substr(0, got));
    bytes += got;
    if (how.on_progress) how.on_progress(bytes);
  }
  lines.end();
}

void append_fasta(fasta& to, std::string const& path, fasta_options const& how) {
  quiet_htslib const quiet;
  unsigned const most = std::max(1u, std::thread::hardware_concurrency());  // more gain nothing, and may not be had
  inflated_file file(path, how.threads == 0 ? most : std::min(how.threads, most));
  append_fasta(
      to, file.name(), [&](std::span<char> part) { return file.read(part); }, file.expected_size(), how);
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
