#include "tools/sufsort/building/distributed_build.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <sys/stat.h>

#include "ordo/error.hpp"
#include "ordo/host_bytes.hpp"
#include "tools/cli/files/input.hpp"

namespace ordo::inline v0::sufsort {
namespace {

/// A source over memory of its own.
class held_bytes final : public source {
 public:
  explicit held_bytes(host_bytes bytes) : bytes_(std::move(bytes)), from_({bytes_.data(), bytes_.size()}) {}
  std::size_t read(std::span<char> to) override { return from_.read(to); }
  [[nodiscard]] std::optional<std::uint64_t> size() const override { return from_.size(); }
  void read_at(std::uint64_t offset, std::span<char> to) const override { from_.read_at(offset, to); }
  [[nodiscard]] std::uint64_t position() const override { return from_.position(); }
  void skip(std::uint64_t bytes) override { from_.skip(bytes); }

 private:
  host_bytes bytes_;
  memory_source from_;
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
  return {path == "-" ? "standard input" : path, std::make_unique<held_bytes>(std::move(bytes)), 0, size, std::move(front)};
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

sink* shared_arrays::open(std::string_view name, std::uint64_t bytes) {
  sink* const whole = writer_ ? writer_->to(std::string(name)) : nullptr;
  if (whole) whole->expect(bytes);
  array& one = arrays_.emplace_back();
  one.name = name;
  one.file = cli::shared_output::open(members_, writer_ ? &writer_->file(std::string(name)) : nullptr);
  if (!one.file) return whole;
  one.sums = std::make_unique<suffix::checksum_sink>(*one.file);
  return one.sums.get();
}

void shared_arrays::finish() {
  for (array const& array : arrays_) {
    written_part own;
    if (array.sums) {
      suffix::index_array const part = array.sums->of(array.name, array.sums->begin());
      own = {array.sums->begin(), part.bytes, part.crc32};
    }
    for (written_part const& part : members_.all_gather(own))
      if (writer_ && part.bytes != 0)
        writer_->add_part(array.name, part.begin, {array.name, part.bytes, std::uint32_t(part.crc32)});
  }
}

}  // namespace ordo::inline v0::sufsort
