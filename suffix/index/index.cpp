#include "ordo/suffix/index.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <tbb/parallel_for.h>
#include <unistd.h>
#include <zlib.h>

#include "base/pooled_arena.hpp"
#include "base/threads.hpp"
#include "ordo/cpu_backend.hpp"
#include "ordo/error.hpp"
#include "sort_core/scoped_machine.hpp"
#include "suffix/index/index_parts.hpp"

namespace ordo::inline v0::suffix {

static_assert(std::endian::native == std::endian::little, "arrays are written as they are in memory");

std::uint32_t compute_crc32(std::span<char const> bytes, unsigned threads) {
  constexpr std::size_t block = std::size_t{16} << 20;
  std::vector<uLong> sums((bytes.size() + block - 1) / block);
  auto const part = [&](std::size_t b) { return bytes.subspan(b * block, std::min(block, bytes.size() - b * block)); };
  pooled_arena arena(threads_for(threads));
  arena.execute([&] {
    tbb::parallel_for(std::size_t{0}, sums.size(), [&](std::size_t b) {
      sums[b] = crc32_z(0, reinterpret_cast<Bytef const*>(part(b).data()), part(b).size());
    });
  });
  uLong all = crc32_z(0, nullptr, 0);
  for (std::size_t b = 0; b < sums.size(); ++b) all = crc32_combine(all, sums[b], z_off_t(part(b).size()));
  return std::uint32_t(all);
}

void checksum_sink::add(std::uint64_t offset, std::span<char const> data) {
  auto const crc32 = std::uint32_t(crc32_z(0, reinterpret_cast<Bytef const*>(data.data()), data.size()));
  std::lock_guard const lock(adding_);
  parts_[offset] = {data.size(), crc32};
}

void checksum_sink::write(std::span<char const> data) {
  if (data.empty()) return;
  add(written_, data);
  to_.write(data);
  written_ += data.size();
}

void checksum_sink::write_at(std::uint64_t offset, std::span<char const> data) {
  if (data.empty()) return;
  add(offset, data);  // while it is in a cache
  to_.write_at(offset, data);
}

void checksum_sink::add_part(std::uint64_t offset, index_array const& part) {
  std::lock_guard const lock(adding_);
  parts_[offset] = {part.bytes, part.crc32};
}

index_array checksum_sink::of(std::string name, std::uint64_t begin) const {
  index_array array{std::move(name), 0, std::uint32_t(crc32_z(0, nullptr, 0))};
  for (auto const& [offset, p] : parts_) {
    if (offset != begin + array.bytes) throw std::logic_error("checksum: a part is missing");
    array.crc32 = std::uint32_t(crc32_combine(array.crc32, p.crc32, z_off_t(p.bytes)));
    array.bytes += p.bytes;
  }
  return array;
}

void store(std::span<char const> bytes, sink& to, unsigned threads) {
  to.expect(bytes.size());
  machine_options options;
  options.threads = threads;
  with_machine<cpu>(options, threads, [&](host_backend& backend) { backend.store(bytes, to, 0); });
}

namespace {

[[noreturn]] void fail_to_read(std::string const& path, char const* why) {
  throw input_error(fmt::format("cannot read: {}: {}", path, why));
}

[[noreturn]] void refuse_size(std::string const& path, std::uint64_t bytes, std::uint64_t expected) {
  throw input_error(fmt::format("bad index: {}: {} bytes, expected {}", path, bytes, expected));
}

// A file that is open until it has been mapped.
class open_file {
 public:
  explicit open_file(std::string const& path)
      // Opening a pipe would wait for a writer.
      : path_(path), fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)) {
    if (fd_ < 0) fail_to_read(path, std::strerror(errno));
    struct stat info {};
    char const* const why = fstat(fd_, &info) != 0   ? std::strerror(errno)
                            : S_ISDIR(info.st_mode)  ? std::strerror(EISDIR)
                            : S_ISFIFO(info.st_mode) ? "is a pipe"
                                                     : nullptr;
    if (why) {
      close(fd_);
      fail_to_read(path, why);
    }
    size_ = std::uint64_t(std::max<off_t>(info.st_size, 0));
  }
  ~open_file() { close(fd_); }
  open_file(open_file const&) = delete;
  open_file& operator=(open_file const&) = delete;

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  /// Maps it. @param at  reserved addresses; null: any
  [[nodiscard]] char const* map(void* at = nullptr) const {
    void* const block = mmap(at, std::size_t(size_), PROT_READ, MAP_PRIVATE | (at ? MAP_FIXED : 0), fd_, 0);
    if (block == MAP_FAILED) fail_to_read(path_, std::strerror(errno));
    return static_cast<char const*>(block);
  }

 private:
  std::string const& path_;
  int fd_;
  std::uint64_t size_ = 0;
};

}  // namespace

mapped_file::mapped_file(std::string const& path) {
  open_file const file(path);
  if (file.size() == 0) return;
  data_ = file.map();
  size_ = std::size_t(file.size());
}

mapped_file::mapped_file(std::span<part const> parts) {
  auto const page = std::uint64_t(sysconf(_SC_PAGESIZE));
  std::uint64_t all = 0;
  for (part const& each : parts) {
    if (each.bytes != 0 && all % page != 0) fail_to_read(each.path, "the parts before it are no multiple of the page size");
    all += each.bytes;
  }
  mapped_file whole;  // unmaps what is mapped if a file cannot be
  if (all != 0) {
    void* const block = mmap(nullptr, std::size_t(all), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (block == MAP_FAILED) fail_to_read(parts.front().path, std::strerror(errno));
    whole.data_ = static_cast<char const*>(block);
    whole.size_ = std::size_t(all);
  }
  std::uint64_t at = 0;
  for (part const& each : parts) {
    open_file const file(each.path);
    if (file.size() != each.bytes) refuse_size(each.path, file.size(), each.bytes);
    if (each.bytes != 0) static_cast<void>(file.map(const_cast<char*>(whole.data_ + at)));
    at += each.bytes;
  }
  *this = std::move(whole);
}

mapped_file::~mapped_file() {
  if (data_) munmap(const_cast<char*>(data_), size_);
}

mapped_file::mapped_file(mapped_file&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

mapped_file& mapped_file::operator=(mapped_file&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

namespace {

// Identifies the file that has a name now.
std::array<std::int64_t, 5> identify_file(std::string const& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return {};
  return {std::int64_t(info.st_dev), std::int64_t(info.st_ino), info.st_size, info.st_ctim.tv_sec, info.st_ctim.tv_nsec};
}

}  // namespace

stored_index::stored_index(std::string prefix, std::string_view without) : prefix_(std::move(prefix)) {
  // While another process replaces the index, arrays of both may be opened. They belong together if the description did not
  // change meanwhile.
  constexpr int max_exchanges = 100;
  for (int attempt = 0;; ++attempt) {
    auto const before = identify_file(prefix_ + ".json");
    std::exception_ptr failure;
    try {
      open(without);
    } catch (input_error const&) {
      failure = std::current_exception();
    }
    bool const changes = identify_file(prefix_ + ".json") != before || (failure && exchanging_);
    if (changes && attempt != max_exchanges) continue;
    if (failure) std::rethrow_exception(failure);
    break;
  }
  if (description_.policy.cuts())
    if (auto const flaw =
            find_flaw(pieces(), description_.residues, description_.starts, description_.lengths, description_.policy))
      throw input_error(fmt::format("bad index: {}: {}", path("pieces"), *flaw));
  if (description_.input != input_format::fasta) check_starts();
  check_rows();
}

void stored_index::check_starts() const {
  std::span<std::uint64_t const> const starts = as_span<std::uint64_t>(bytes("starts"));
  if (starts.front() != 0 || starts.back() > description_.residues || !std::ranges::is_sorted(starts))
    throw input_error(fmt::format("bad index: {}: the records' starts are out of order", path("starts")));
}

// Checks the number of rows as far as it follows without the letters.
void stored_index::check_rows() const {
  row_selection const selection = description_.policy.rows();
  if (selection.all()) return;
  text const input = view();
  std::uint64_t max_rows = 0;
  for (std::size_t r = 0; r < input.records(); ++r)
    if (input.begin(r) != input.end(r)) max_rows += (input.end(r) - input.begin(r) - 1) / selection.sample + 1;
  if (description_.rows() > max_rows || (!selection.skip_ambiguous && description_.rows() != max_rows))
    throw input_error(
        fmt::format("bad index: {}: {} rows, but {} positions may have one", path("json"), description_.rows(), max_rows));
}

void stored_index::open(std::string_view without) {
  std::string const description = prefix_ + ".json";
  exchanging_ = false;
  mapped_file const json(description);
  description_ = from_json({json.bytes().data(), json.bytes().size()}, description);
  std::erase_if(description_.arrays, [&](index_array const& array) { return array.name == without; });
  std::uint32_t const sum = compute_crc32(json.bytes(), 1);
  exchanging_ = access(hidden_part(prefix_, "json", sum).c_str(), F_OK) == 0;
  files_.clear();
  auto const find = [&](std::string const& name) {
    // Arrays have these names if a replacement was not completed.
    std::string path = hidden_part(prefix_, name, sum);
    return exchanging_ && access(path.c_str(), F_OK) == 0 ? path : prefix_ + "." + name;
  };
  for (index_array const& array : description_.arrays) {
    if (!array.parts.empty()) {
      std::vector<mapped_file::part> parts;
      for (std::string const& name : names_of_files(array)) parts.push_back({find(name), array.parts[parts.size()].bytes});
      files_.emplace_back(parts);
      continue;
    }
    std::string const path = find(array.name);
    mapped_file file(path);
    if (file.bytes().size() != array.bytes) refuse_size(path, file.bytes().size(), array.bytes);
    files_.push_back(std::move(file));
  }
}

std::string stored_index::path(std::string_view array) const {
  index_array const* const listed = description_.find(array);
  return fmt::format("{}.{}{}", prefix_, array, listed && !listed->parts.empty() ? ".*" : "");
}

std::span<char const> stored_index::bytes(std::string_view array) const noexcept {
  for (std::size_t i = 0; i < files_.size(); ++i)
    if (description_.arrays[i].name == array) return files_[i].bytes();
  return {};
}

void stored_index::refuse_text() const {
  throw input_error(fmt::format("no text: {}: the index is of runs, for count, locate, mem and ms only", path("json")));
}

entries stored_index::array(std::string_view name) const {
  if (name == "sa" && !has_sa())
    throw input_error(fmt::format(
        "no suffix array: {}: {}", path("json"),
        has_runs()                 ? "the index is of runs, for count, locate, mem and ms only"
        : description_.find("fm")  ? "the index has an FM index instead, for count, locate, mem and ms only: build it "
                                     "without --without-sa"
        : description_.find("bwt") ? "the index has a BWT alone: build it without --without-sa"
                                   : "the index is a text, for duplicates only: build it without --text-only"));
  return {bytes(name), description_.width};
}

fm_index stored_index::fm() const {
  char const* const name = description_.find("rlfm") ? "rlfm" : "fm";
  return description_.find(name) ? fm_index(bytes(name), text_of_search(), path(name)) : fm_index();
}

kmer_table stored_index::kmers() const {
  return description_.find("kmers") ? kmer_table(description_.kmers, array("kmers"), path("kmers")) : kmer_table();
}

std::optional<std::string> stored_index::unlisted_array() const {
  if (exchanging_) return std::nullopt;  // the replacement would have removed it
  auto const is_there = [&](std::string const& name) {
    std::error_code missing;
    std::uintmax_t const bytes = std::filesystem::file_size(prefix_ + "." + name, missing);
    return !missing && bytes != 0;
  };
  for (char const* name : {"sa", "lcp", "bwt", "kmers", "fm", "rlfm", "pieces", "starts"}) {
    index_array const* const array = description_.find(name);
    if ((!array || !array->parts.empty()) && is_there(name)) return name;
    if (!array || array->parts.empty()) continue;
    if (std::string next = name_of_part(name, array->parts.size() + 1); is_there(next)) return next;
  }
  return std::nullopt;
}

namespace {

// A file whose checksum the description holds.
struct listed_file {
  std::string name;
  std::span<char const> bytes;
  std::uint32_t crc32;
};

std::vector<listed_file> list_files(stored_index const& index) {
  std::vector<listed_file> all;
  for (index_array const& array : index.description().arrays) {
    std::span<char const> bytes = index.bytes(array.name);
    if (array.parts.empty()) all.push_back({array.name, bytes, array.crc32});
    std::vector<std::string> const names = names_of_files(array);
    for (std::size_t k = 0; k < array.parts.size(); ++k) {
      all.push_back({names[k], bytes.first(std::size_t(array.parts[k].bytes)), array.parts[k].crc32});
      bytes = bytes.subspan(std::size_t(array.parts[k].bytes));
    }
  }
  return all;
}

}  // namespace

void stored_index::expect_few_reads() const noexcept {
  for (mapped_file const& file : files_)
    if (std::span<char const> const bytes = file.bytes(); !bytes.empty())
      madvise(const_cast<char*>(bytes.data()), bytes.size(), MADV_RANDOM);  // advice only: errors do not matter
}

std::optional<std::string> stored_index::altered_array(unsigned threads) const {
  std::vector<std::uint32_t> sums;
  for (listed_file const& file : list_files(*this)) {
    sums.push_back(compute_crc32(file.bytes, threads));
    if (sums.back() != file.crc32) break;
  }
  return altered_array(sums);
}

std::optional<std::string> stored_index::altered_array(communicator& members, unsigned threads) const {
  std::vector<std::uint32_t> sums;
  for (listed_file const& file : list_files(*this)) {
    std::span<char const> const all = file.bytes;
    auto const share_size = [&](std::size_t m) { return std::size_t(even_share(all.size(), members.size(), m)); };
    auto const own =
        all.subspan(std::size_t(even_offset(all.size(), members.size(), members.rank())), share_size(members.rank()));
    uLong sum = crc32_z(0, nullptr, 0);
    std::size_t m = 0;
    for (std::uint32_t const part : members.all_gather(compute_crc32(own, threads)))
      sum = crc32_combine(sum, part, z_off_t(share_size(m++)));
    sums.push_back(std::uint32_t(sum));
  }
  return altered_array(sums);
}

std::optional<std::string> stored_index::altered_array(std::span<std::uint32_t const> sums) const {
  std::vector<listed_file> const files = list_files(*this);
  for (std::size_t i = 0; i < sums.size(); ++i)
    if (sums[i] != files[i].crc32) return files[i].name;
  mapped_file const json(path("json"));
  if (description_.crc32 && is_altered({json.bytes().data(), json.bytes().size()})) return "json";
  return std::nullopt;
}

}  // namespace ordo::inline v0::suffix
