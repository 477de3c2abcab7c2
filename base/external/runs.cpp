#include "base/external/runs.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <sys/resource.h>

#include "base/external/filter_process.hpp"
#include "ordo/error.hpp"

namespace ordo::inline v0::external {
namespace {

// Writes a run after `offset` of a file.
class run_sink final : public sink {
 public:
  run_sink(temporary_file& file, std::uint64_t offset) : file_(file), offset_(offset) {}

  void write(std::span<char const> data) override { write_at(std::exchange(end_, end_ + data.size()), data); }
  bool expect(std::uint64_t bytes) override {
    file_.reserve(offset_, bytes);
    expected_ = bytes;
    return true;
  }
  [[nodiscard]] bool addressable() const override { return expected_.has_value(); }
  void write_at(std::uint64_t offset, std::span<char const> data) override {
    file_.write_at(offset_ + offset, data);
    checksum_.add(offset, data);
  }
  [[nodiscard]] stored_range finish() const {
    stored_range run;
    run.file = &file_;
    run.offset = offset_;
    run.bytes = expected_.value_or(end_);
    run.checksum = checksum_.sum();
    run.loaded = std::make_unique<positional_checksum>();
    return run;
  }

 private:
  temporary_file& file_;
  std::uint64_t offset_, end_ = 0;
  std::optional<std::uint64_t> expected_;
  positional_checksum checksum_;
};

}  // namespace

void stored_range::load_at(std::uint64_t at, std::span<char> to) const {
  constexpr std::size_t cached = std::size_t{256} << 10;  // bytes that are still in a core's cache when they have been read
  while (!to.empty()) {
    auto const part = to.first(std::min(to.size(), cached));
    read_at(at, part);
    loaded->add(at, part);
    at += part.size();
    to = to.subspan(part.size());
  }
}

void stored_range::check() const {
  if (loaded && loaded->bytes() == bytes && loaded->sum() != checksum) fail();
}

void stored_range::fail() const {
  throw input_error(fmt::format("cannot read: {}: it is not what was written to it", file->name()));
}

void stored_range::discard() noexcept {
  if (file) file->discard(offset, bytes);
  *this = {};
}

ranges_source::ranges_source(std::vector<run_range> ranges) : ranges_(std::move(ranges)) {
  std::erase_if(ranges_, [](run_range const& r) { return r.bytes() == 0; });
  std::uint64_t end = 0;
  for (run_range const& r : ranges_) ends_.push_back(end += r.bytes());
}

std::size_t ranges_source::read(std::span<char> to) {
  std::uint64_t const left = *size() - position_;
  auto const part = to.first(std::size_t(std::min<std::uint64_t>(to.size(), left)));
  read_at(position_, part);
  position_ += part.size();
  return part.size();
}

void ranges_source::read_at(std::uint64_t offset, std::span<char> to) const {
  auto k = std::size_t(std::upper_bound(ends_.begin(), ends_.end(), offset) - ends_.begin());
  for (; !to.empty(); ++k) {
    run_range const& range = ranges_[k];
    std::uint64_t const left = ends_[k] - offset;
    auto const part = to.first(std::size_t(std::min<std::uint64_t>(to.size(), left)));
    range.run->load_at(range.end - left, part);
    offset += part.size();
    to = to.subspan(part.size());
  }
}

run_files::run_files(std::vector<std::string> folders, std::string compress_program,
                     std::function<void(std::string const&)> on_no_program)
    : folders_(std::move(folders)), compress_program_(std::move(compress_program)), on_no_program_(std::move(on_no_program)) {
  if (!on_no_program_ || compress_program_.empty()) return;
  if (int const error = find_program(compress_program_)) {
    why_no_program_ = std::strerror(error);
    compress_program_.clear();
  }
}

stored_range run_files::write(std::function<void(sink&)> const& fill) {
  if (folders_.empty()) throw usage_error("no folder for temporary files");
  if (!why_no_program_.empty()) on_no_program_(std::exchange(why_no_program_, {}));
  std::size_t const k = turn_++ % folders_.size();
  if (compresses()) {
    stored_range run;
    run.compressed = std::make_unique<temporary_file>(folders_[k]);
    compressing_sink sink(compress_program_, *run.compressed);
    fill(sink);
    run.bytes = sink.finish();
    return run;
  }
  files_.resize(folders_.size());
  if (!files_[k]) files_[k] = std::make_unique<folder_file>(folder_file{temporary_file(folders_[k])});
  run_sink sink(files_[k]->file, files_[k]->end);
  fill(sink);
  stored_range run = sink.finish();
  files_[k]->end += run.bytes;
  return run;
}

std::unique_ptr<source> run_files::open(stored_range const& run) const {
  if (run.compressed) return std::make_unique<decompressing_source>(compress_program_, *run.compressed, run.bytes);
  return std::make_unique<ranges_source>(std::vector{run_range{&run, 0, run.bytes}});
}

std::size_t run_files::max_merged(std::size_t wanted) const {
  constexpr rlim_t other_files = 10, files_of_compressed = 4;  // files on each of two levels, and a pipe
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    rlim_t const left = limit.rlim_cur - std::min(limit.rlim_cur, other_files);
    wanted = std::min<std::size_t>(wanted, compresses() ? left / files_of_compressed : left);
  }
  return std::max<std::size_t>(wanted, 2);
}

}  // namespace ordo::inline v0::external
