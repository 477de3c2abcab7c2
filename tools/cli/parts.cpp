#include "tools/cli/parts.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "base/streams.hpp"
#include "ordo/error.hpp"
#include "tools/cli/files/codecs.hpp"
#include "tools/cli/files/temporary.hpp"

namespace ordo::inline v0::cli {

std::string name_with(std::string const& file, std::string_view part) {
  std::filesystem::path front = file;
  std::string after;
  if (compression_named(file) != compression::none) {
    after = front.extension().string();
    front.replace_extension();
  }
  after = front.extension().string() + after;
  front.replace_extension();
  return fmt::format("{}.{}{}", front.string(), part, after);
}

std::string name_of_part(std::string const& file, std::size_t number, std::size_t parts) {
  constexpr std::size_t min_digits = 4;
  return name_with(file, fmt::format("{:0{}}", number, std::max(min_digits, fmt::format("{}", parts).size())));
}

void commit_parts(std::vector<output*> parts) {
  if (parts.empty()) return;
  joint_commit commit(std::move(parts));
  held_signals const held;
  commit.remove_first();
  try {
    commit.place();
  } catch (...) {
    for (output const* const part : commit.placed()) unlink(part->name().c_str());
    throw;
  }
}

split_output::split_output(std::string const& path, options const& how) : how_(how), begins_(how.parts) {
  if (std::string const more = name_of_part(path, how.parts + 1, how.parts); std::filesystem::exists(more))
    throw usage_error(fmt::format("cannot write: {}: it would be taken for a part of this output: remove it", more));
  for (std::size_t k = 0; k < how.parts; ++k) files_.emplace_back(name_of_part(path, k + 1, how.parts), how.threads);
  for (auto& begin : begins_) begin = unknown;
  begins_[0] = 0;
}

void split_output::refuse_inputs(std::span<std::string const> paths) const {
  for (output const& file : files_) file.refuse_inputs(paths);
}

std::uint64_t split_output::nominal(std::size_t part, std::uint64_t bytes) const {
  std::uint64_t const begin = first_of_part(how_.item_bytes == 0 ? bytes : bytes / how_.item_bytes, how_.parts, part);
  return how_.item_bytes == 0 ? begin : begin * how_.item_bytes;
}

void split_output::set_size(std::uint64_t bytes) {
  size_ = bytes;
  if (how_.item_bytes == 0) return;
  for (std::size_t k = 1; k < how_.parts; ++k) begins_[k] = nominal(k, bytes);
  placed_ = how_.parts;
}

bool split_output::open_files() {
  addressed_ = true;
  for (std::size_t k = 0; k < how_.parts; ++k) {
    bool const now = placed_ == how_.parts
                         ? files_[k].expect((k + 1 == how_.parts ? *size_ : begins_[k + 1].load()) - begins_[k])
                         : files_[k].expect_unknown();
    addressed_ = addressed_ && now;
  }
  return addressed_;
}

bool split_output::expect(std::uint64_t bytes) {
  // Without place() the begin of a part that ends with a line is not known when bytes after it are written.
  return how_.item_bytes != 0 ? expect_placed(bytes) : (set_size(bytes), false);
}

bool split_output::expect_placed(std::uint64_t bytes) {
  set_size(bytes);
  return open_files();
}

std::vector<std::uint64_t> split_output::divisions(std::uint64_t bytes) const {
  std::vector<std::uint64_t> all;
  if (how_.item_bytes == 0)
    for (std::size_t k = 1; k < how_.parts; ++k) all.push_back(nominal(k, bytes));
  return all;
}

bool split_output::expect_divided(std::uint64_t bytes, std::span<std::uint64_t const> begins) {
  if (begins.empty()) return expect(bytes);
  size_ = bytes;
  std::ranges::copy(begins, begins_.begin() + 1);
  placed_ = how_.parts;
  return open_files();
}

void split_output::place(std::uint64_t offset, std::span<char const> data) {
  std::uint64_t const end = offset + data.size();
  for (; placed_ != how_.parts; ++placed_) {
    // An item begins after each delimiter.
    if (nominal(placed_, *size_) == 0) {
      begins_[placed_] = 0;
      continue;
    }
    std::uint64_t const from = nominal(placed_, *size_) - 1;
    if (from >= end) return;
    auto const skip = std::size_t(std::max(from, offset) - offset);
    void const* const delimiter = std::memchr(data.data() + skip, how_.delimiter, data.size() - skip);
    if (!delimiter) return;
    begins_[placed_] = offset + std::uint64_t(static_cast<char const*>(delimiter) - data.data()) + 1;
  }
}

void split_output::put(std::uint64_t offset, std::span<char const> data) {
  divide(offset, data, begins_, [&](std::size_t part, std::uint64_t at, std::span<char const> some) {
    if (addressed_)
      files_[part].write_at(at, some);
    else
      files_[part].write(some);
  });
}

void split_output::write_at(std::uint64_t offset, std::span<char const> data) {
  put(offset, data);
}

void split_output::write(std::span<char const> data) {
  std::uint64_t const offset = std::exchange(end_, end_ + data.size());
  if (!size_) {
    if (!waiting_) waiting_ = std::make_unique<temporary_file>(how_.folder);
    return waiting_->write_at(offset, data);
  }
  place(offset, data);
  put(offset, data);
}

void split_output::commit() {
  if (!size_) {
    std::uint64_t const all = std::exchange(end_, 0);
    set_size(all);
    std::vector<char> block(std::size_t(std::min<std::uint64_t>(all, std::uint64_t{1} << 20)));
    for (std::uint64_t at = 0; at < all;) {
      auto const some = std::span(block).first(std::size_t(std::min<std::uint64_t>(block.size(), all - at)));
      waiting_->read_at(at, some);
      write(some);
      at += some.size();
    }
  }
  std::vector<output*> parts;
  for (output& file : files_) parts.push_back(&file);
  commit_parts(std::move(parts));
}

std::uint64_t split_output::written() const noexcept {
  std::uint64_t sum = 0;
  for (output const& file : files_) sum += file.written();
  return sum;
}

}  // namespace ordo::inline v0::cli
