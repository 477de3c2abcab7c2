#include "tools/cli/input.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sort_core/error.hpp"

namespace ordo::cli {
namespace {

constexpr std::size_t buffer_size = std::size_t{256} << 10;
constexpr std::size_t largest_read = std::size_t{1} << 30;    // Linux gives no more than 2 GiB at once
constexpr std::size_t progress_step = std::size_t{32} << 20;  // of read_all
constexpr std::string_view magic = "\x1f\x8b";
constexpr std::size_t bgzf_header = 18;

bool starts_with(std::span<char const> data, std::string_view text) {
  return data.size() >= text.size() && std::equal(text.begin(), text.end(), data.begin());
}

// Nothing, or a first byte that may be gzip's.
bool cut_magic(std::span<char const> data) {
  return data.size() < magic.size() && std::equal(data.begin(), data.end(), magic.begin());
}

}  // namespace

input::input(std::string const& path) : name_(path == "-" ? "standard input" : path) {
  fd_ = path == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (fd_ < 0) fail(std::strerror(errno));
  try {
    struct stat info {};
    if (fstat(fd_, &info) != 0) fail(std::strerror(errno));
    if (S_ISDIR(info.st_mode)) fail(std::strerror(EISDIR));
    id_ = id_of(info);
    claimed_size_ = info.st_size;
    if (S_ISREG(info.st_mode) && info.st_size > 0)  // the files of /proc have size 0
      if (off_t const at = lseek(fd_, 0, SEEK_CUR); at >= 0) {
        file_size_ = std::max<off_t>(info.st_size - at, 0);
        begin_ = at;
        has_addresses_ = info.st_blocks > 0;  // else its size may be nominal
      }
    posix_fadvise(fd_, 0, 0, POSIX_FADV_SEQUENTIAL);
    buffer_.resize(buffer_size);
    if (wait_for(bgzf_header); starts_with(waiting_, magic)) {
      inflater_ = std::make_unique<inflater>();
      has_addresses_ = false;
      bgzf_ = is_bgzf(waiting_);
    } else if (compression_named(path) != compression::none && cut_magic(waiting_)) {
      fail("truncated gzip data");
    }
  } catch (...) {
    close(fd_);
    throw;
  }
}

input::~input() {
  if (fd_ >= 0) close(fd_);
}

input::input(input&& other) noexcept
    : name_(std::move(other.name_)),
      fd_(std::exchange(other.fd_, -1)),
      id_(std::move(other.id_)),
      claimed_size_(other.claimed_size_),
      file_size_(other.file_size_),
      begin_(other.begin_),
      has_addresses_(other.has_addresses_),
      file_read_(other.file_read_),
      at_end_(other.at_end_),
      buffer_(std::move(other.buffer_)),
      waiting_(other.waiting_),
      inflater_(std::move(other.inflater_)),
      inside_member_(other.inside_member_),
      bgzf_(other.bgzf_),
      member_bytes_(other.member_bytes_) {}

void input::fail(std::string const& why) const {
  throw input_error(fmt::format("cannot read: {}: {}", name_, why));
}

// Files of /sys and its like claim a page, hold less, and no block of a disk. A file that was made shorter claims less now.
bool input::has_nominal_size() const {
  struct stat now {};
  return fstat(fd_, &now) == 0 && now.st_blocks == 0 && now.st_size == claimed_size_;
}

std::size_t input::read_file(std::span<char> to) {
  if (at_end_) return 0;
  for (;;) {
    ssize_t const got = ::read(fd_, to.data(), std::min(to.size(), largest_read));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(std::strerror(errno));
    if (got == 0 && file_size_ && file_read_ < *file_size_) {
      if (!has_nominal_size()) fail(fmt::format("short read: {} of {} bytes", file_read_, *file_size_));
      file_size_ = file_read_;
    }
    file_read_ += static_cast<std::size_t>(got);
    at_end_ = got == 0 && !to.empty();
    return static_cast<std::size_t>(got);
  }
}

// Reads until at least `least` bytes wait, or the file ends. Returns how many wait.
std::size_t input::wait_for(std::size_t least) {
  if (waiting_.size() >= least) return waiting_.size();
  std::copy(waiting_.begin(), waiting_.end(), buffer_.begin());
  std::size_t have = waiting_.size();
  while (have < least) {
    std::size_t const got = read_file(std::span(buffer_).subspan(have));
    if (got == 0) break;
    have += got;
  }
  waiting_ = std::span<char const>(buffer_).first(have);
  return have;
}

// Between two members: is there another?
bool input::next_member() {
  wait_for(bgzf_header);
  bool const another = starts_with(waiting_, magic);
  // BGZF ends with an empty block, whatever follows it.
  bool const was_bgzf = std::exchange(bgzf_, another && is_bgzf(waiting_));
  if (was_bgzf && !bgzf_ && member_bytes_ != 0) fail("truncated BGZF data: the end marker is missing");
  if (another) {
    inflater_->reset();
    member_bytes_ = 0;
    return inside_member_ = true;
  }
  if (!waiting_.empty() && cut_magic(waiting_)) fail("truncated gzip data");
  for (; wait_for(1) != 0; waiting_ = {})  // zeros fill up blocks of tapes and disks; gzip passes over them too
    if (std::any_of(waiting_.begin(), waiting_.end(), [](char c) { return c != 0; })) fail("garbage after gzip data");
  return false;
}

std::size_t input::inflate(std::span<char> to) {
  std::span<char> out = to;
  while (!out.empty() && (inside_member_ || next_member())) {
    if (wait_for(1) == 0) fail("truncated gzip data");
    std::size_t const before = out.size();
    try {
      inside_member_ = !inflater_->step(waiting_, out);
    } catch (std::runtime_error const& e) {
      fail(fmt::format("corrupt gzip data: {}", e.what()));
    }
    member_bytes_ += before - out.size();
  }
  return to.size() - out.size();
}

std::size_t input::read(std::span<char> to) {
  if (inflater_) return inflate(to);
  std::size_t done = std::min(to.size(), waiting_.size());
  std::copy_n(waiting_.begin(), done, to.begin());
  waiting_ = waiting_.subspan(done);
  while (done < to.size()) {
    std::size_t const got = read_file(to.subspan(done));
    if (got == 0) break;
    done += got;
  }
  return done;
}

std::optional<std::uint64_t> input::size() const {
  return has_addresses_ ? file_size_ : std::nullopt;
}

void input::read_at(std::uint64_t offset, std::span<char> to) const {
  while (!to.empty()) {
    ssize_t const got = pread(fd_, to.data(), std::min(to.size(), largest_read), begin_ + static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(std::strerror(errno));
    if (got == 0) {  // somebody made it shorter, by more than this thread knows
      struct stat now {};
      if (fstat(fd_, &now) == 0)
        offset = std::min(offset, static_cast<std::uint64_t>(std::max<off_t>(now.st_size - begin_, 0)));
      fail(fmt::format("short read: {} of {} bytes", offset, *file_size_));
    }
    to = to.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
}

void input::skip(std::uint64_t bytes) {
  std::uint64_t const waited = std::min<std::uint64_t>(bytes, waiting_.size());
  waiting_ = waiting_.subspan(static_cast<std::size_t>(waited));
  // The descriptor may be shared with a process that goes on reading where this one ends.
  if (bytes != waited && lseek(fd_, static_cast<off_t>(bytes - waited), SEEK_CUR) < 0) fail(std::strerror(errno));
  file_read_ += bytes - waited;
}

void read_all(input& from, bytes& to, std::size_t limit, std::function<void()> const& progress) {
  auto const left = from.file_size() ? *from.file_size() - std::min(*from.file_size(), from.file_read()) : 0;
  // One byte more than is expected: the read that finds the end needs a place.
  std::size_t const expected = from.compressed() ? 4 * left : left + buffer_size;
  to.reserve(to.size() + std::min(expected, limit - std::min(limit, to.size())));
  for (;;) {
    std::span<char> room = to.room(buffer_size);
    room = room.first(std::min(room.size(), progress_step));
    std::size_t const got = from.read(room);
    if (progress) progress();
    to.resize(to.size() + got);
    if (to.size() > limit)
      throw out_of_memory(fmt::format("out of memory: {}: more than the {} bytes that fit", from.name(), limit), to.size());
    if (got < room.size()) return;
  }
}

bytes read_all(std::string const& path) {
  input from(path);
  bytes all;
  read_all(from, all);
  return all;
}

}  // namespace ordo::cli
