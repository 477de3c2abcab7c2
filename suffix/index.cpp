#include "suffix/index.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <unistd.h>
#include <zlib.h>
#include <nlohmann/json.hpp>

#include "sort_core/config.hpp"
#include "sort_core/error.hpp"
#include "sort_core/host/threads.hpp"

namespace ordo::suffix {
namespace {

static_assert(std::endian::native == std::endian::little, "the arrays are written as they lie in memory");

constexpr unsigned format = 1;
constexpr char const* order =
    "bytes, unsigned; a suffix ends with its record; one that ends is smaller than one that goes on; equal ones by position";

std::string json_string(std::string_view text) {
  return nlohmann::json(text).dump();
}

// The bytes that an array must have; nothing for a name that is none.
std::optional<std::uint64_t> bytes_of(index_description const& about, std::string_view array) {
  if (array == "sa" || array == "lcp") return about.residues * (about.width / 8);
  if (array == "seq") return about.residues;
  if (array == "bwt") return about.residues + about.names.size();
  return std::nullopt;
}

// What is wrong with a description, if anything.
std::optional<std::string> flaw_in(index_description const& about) {
  if (about.width != 32 && about.width != 64) return fmt::format("a width of {} bits", about.width);
  if (about.starts.empty()) return "no records";
  if (about.starts.front() != 0 || !std::ranges::is_sorted(about.starts) || about.starts.back() > about.residues)
    return "the records' starts are out of order";
  if (!index_fits(about.width / 8, about.residues, about.starts.size())) return "the width is too small";
  for (char const* name : {"sa", "seq"})
    if (!about.find(name)) return fmt::format("no array {}", name);
  for (index_array const& array : about.arrays) {
    auto const bytes = bytes_of(about, array.name);
    if (!bytes) return fmt::format("an unknown array {}", json_string(array.name));
    if (*bytes != array.bytes) return fmt::format("array {} of {} bytes, {} expected", array.name, array.bytes, *bytes);
  }
  return std::nullopt;
}

}  // namespace

index_array const* index_description::find(std::string_view array) const {
  auto const found = std::ranges::find(arrays, array, &index_array::name);
  return found == arrays.end() ? nullptr : &*found;
}

std::string to_json(index_description const& about) {
  std::string text = fmt::format(
      "{{\n  \"format\": \"ordo suffix index\",\n  \"format_version\": {},\n  \"version\": {},\n  \"residues\": {},\n"
      "  \"width\": {},\n  \"order\": {},\n  \"case\": \"{}\",\n  \"arrays\": [",
      format, json_string(version), about.residues, about.width, json_string(order),
      about.keep_case ? "kept" : "folded to upper");
  for (std::size_t i = 0; i < about.arrays.size(); ++i)
    text += fmt::format("{}\n    {{\"name\": {}, \"bytes\": {}, \"crc32\": \"{:08x}\"}}", i == 0 ? "" : ",",
                        json_string(about.arrays[i].name), about.arrays[i].bytes, about.arrays[i].crc32);
  text += "\n  ],\n  \"records\": [";
  for (std::size_t r = 0; r < about.names.size(); ++r)
    text +=
        fmt::format("{}\n    {{\"name\": {}, \"start\": {}}}", r == 0 ? "" : ",", json_string(about.names[r]), about.starts[r]);
  return text + "\n  ]\n}\n";
}

index_description from_json(std::string_view json, std::string const& name) {
  index_description about;
  std::optional<std::string> flaw;
  try {
    auto const root = nlohmann::json::parse(json);
    if (root.at("format") != "ordo suffix index") throw input_error(fmt::format("bad index: {}: not a suffix index", name));
    if (auto const found = root.at("format_version").get<unsigned>(); found != format)
      throw input_error(fmt::format("bad index: {}: version {} of the format, {} expected", name, found, format));
    about.residues = root.at("residues").get<std::uint64_t>();
    about.width = root.at("width").get<unsigned>();
    about.keep_case = root.at("case") == "kept";
    for (auto const& array : root.at("arrays"))
      about.arrays.push_back({array.at("name").get<std::string>(), array.at("bytes").get<std::uint64_t>(),
                              std::uint32_t(std::stoul(array.at("crc32").get<std::string>(), nullptr, 16))});
    for (auto const& record : root.at("records")) {
      about.names.push_back(record.at("name").get<std::string>());
      about.starts.push_back(record.at("start").get<std::uint64_t>());
    }
    flaw = flaw_in(about);
  } catch (nlohmann::json::exception const& e) {
    flaw = e.what();
  } catch (std::logic_error const&) {  // of std::stoul
    flaw = "a bad checksum";
  }
  if (flaw) throw input_error(fmt::format("bad index: {}: {}", name, *flaw));
  return about;
}

std::uint32_t crc32_of(std::span<char const> bytes, unsigned threads) {
  constexpr std::size_t block = std::size_t{16} << 20;
  std::vector<uLong> sums((bytes.size() + block - 1) / block);
  auto const part = [&](std::size_t b) { return bytes.subspan(b * block, std::min(block, bytes.size() - b * block)); };
  tbb::task_arena arena(ordo::detail::threads_for(threads));
  arena.execute([&] {
    tbb::parallel_for(std::size_t{0}, sums.size(), [&](std::size_t b) {
      sums[b] = crc32_z(0, reinterpret_cast<Bytef const*>(part(b).data()), part(b).size());
    });
  });
  uLong all = crc32_z(0, nullptr, 0);
  for (std::size_t b = 0; b < sums.size(); ++b) all = crc32_combine(all, sums[b], z_off_t(part(b).size()));
  return std::uint32_t(all);
}

mapped_file::mapped_file(std::string const& path) {
  auto const fail = [&](int error) { throw input_error(fmt::format("cannot read: {}: {}", path, std::strerror(error))); };
  int const fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) fail(errno);
  struct stat info {};
  int error = fstat(fd, &info) != 0 ? errno : S_ISDIR(info.st_mode) ? EISDIR : 0;
  if (error == 0 && info.st_size > 0) {
    size_ = std::size_t(info.st_size);
    void* const block = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd, 0);
    if (block == MAP_FAILED)
      error = errno;
    else
      data_ = static_cast<char const*>(block);
  }
  close(fd);
  if (error != 0) fail(error);
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

stored_index::stored_index(std::string prefix) {
  std::string const description = prefix + ".json";
  mapped_file const json(description);
  about_ = from_json({json.bytes().data(), json.bytes().size()}, description);
  for (index_array const& array : about_.arrays) {
    std::string const path = prefix + "." + array.name;
    mapped_file file(path);
    if (file.bytes().size() != array.bytes)
      throw input_error(fmt::format("bad index: {}: {} bytes, {} were written", path, file.bytes().size(), array.bytes));
    files_.push_back(std::move(file));
  }
}

std::span<char const> stored_index::bytes(std::string_view array) const noexcept {
  for (std::size_t i = 0; i < files_.size(); ++i)
    if (about_.arrays[i].name == array) return files_[i].bytes();
  return {};
}

std::optional<std::string> stored_index::altered(unsigned threads) const {
  for (index_array const& array : about_.arrays)
    if (crc32_of(bytes(array.name), threads) != array.crc32) return array.name;
  return std::nullopt;
}

}  // namespace ordo::suffix
