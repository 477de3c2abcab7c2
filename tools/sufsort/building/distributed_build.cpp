#include "tools/sufsort/building/distributed_build.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/streams.hpp"
#include "ordo/error.hpp"
#include "ordo/host_bytes.hpp"
#include "suffix/index/index_parts.hpp"
#include "tools/cli/files/input.hpp"

namespace ordo::inline v0::sufsort {
namespace {

struct held_bytes {
  host_bytes bytes;
  memory_source from{{bytes.data(), bytes.size()}};
};

constexpr std::size_t max_front = 4096;

bool is_regular(std::string const& path) {
  struct stat info {};
  return path != "-" && stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

/// What a member wrote of an array.
struct written_part {
  std::uint64_t begin = 0, bytes = 0, crc32 = 0;
};

}  // namespace

opened_file open_file(std::string const& path, unsigned threads, bool raw, communicator* members) {
  auto const open_here = [&] {
    auto in =
        raw ? std::make_unique<cli::input>(path, cli::compression::none, threads) : std::make_unique<cli::input>(path, threads);
    std::uint64_t const size = in->file_size().value_or(0), expected = in->compressed() ? 4 * size : 0;
    std::string name = in->name(), front(in->front(max_front));
    return opened_file{std::move(name), std::move(in), expected, std::max(expected, size), std::move(front)};
  };
  if (!members || members->reduce(std::uint64_t(members->rank() != 0 || is_regular(path)), reduction::min) == 1)
    return open_here();
  host_bytes bytes;
  if (members->rank() == 0) {
    cli::input in = raw ? cli::input(path, cli::compression::none, threads) : cli::input(path, threads);
    cli::read_all(in, bytes);
  }
  std::uint64_t size = bytes.size();
  members->broadcast(std::as_writable_bytes(std::span(&size, 1)), 0);
  bytes.resize(std::size_t(size));
  members->broadcast(std::as_writable_bytes(bytes.span()), 0);
  std::string front(bytes.data(), std::min(bytes.size(), max_front));
  auto const held = std::make_shared<held_bytes>(held_bytes{std::move(bytes)});
  auto from = std::make_unique<part_source>(std::shared_ptr<source const>(held, &held->from), 0, size);
  return {path == "-" ? "standard input" : path, std::move(from), 0, size, std::move(front)};
}

void check_same_text(communicator& members, suffix::text const& input, unsigned threads) {
  std::span<std::uint64_t const> const starts = input.starts;
  std::uint64_t const own[] = {
      input.residues.size(), starts.size(), suffix::compute_crc32(input.residues, threads),
      suffix::compute_crc32({reinterpret_cast<char const*>(starts.data()), starts.size_bytes()}, threads)};
  for (std::uint64_t const value : own)
    if (members.reduce(value, reduction::min) != members.reduce(value, reduction::max))
      throw input_error(
          "different inputs: the processes of the job have not read the same text: files must be the same on all hosts");
}

sink* shared_arrays::open_file(std::string name) {
  cli::output* const file = writer_ ? &writer_->file(name) : nullptr;
  shared_file& added = files_.emplace_back(shared_file{std::move(name), cli::shared_output::open(members_, file)});
  if (!added.file) return nullptr;
  added.sums = std::make_unique<suffix::checksum_sink>(*added.file);
  return added.sums.get();
}

sink* shared_arrays::open(std::string_view name, std::uint64_t bytes) {
  sink* const whole = writer_ ? writer_->to(std::string(name)) : nullptr;
  if (whole) whole->expect(bytes);
  if (parts_ == 0 || name != "sa") {
    sink* const own = open_file(std::string(name));
    return own ? own : whole;
  }
  std::vector<sink*> parts;
  for (std::size_t k = 1; k <= parts_; ++k)
    if (sink* const part = open_file(suffix::name_of_part(name, k))) parts.push_back(part);
  if (parts.size() != parts_) return whole;
  divided_.emplace_back(std::move(parts), suffix::entries_of_part * (width_ / 8)).expect(bytes);
  return &divided_.back();
}

void shared_arrays::finish() {
  for (shared_file const& file : files_) {
    written_part own;
    if (file.sums) {
      suffix::index_array const part = file.sums->of(file.name, file.sums->begin());
      own = {file.sums->begin(), part.bytes, part.crc32};
    }
    for (written_part const& part : members_.all_gather(own))
      if (writer_ && part.bytes != 0)
        writer_->add_part(file.name, part.begin, {file.name, part.bytes, std::uint32_t(part.crc32)});
  }
}

}  // namespace ordo::inline v0::sufsort
