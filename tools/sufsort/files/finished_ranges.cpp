#include "tools/sufsort/files/finished_ranges.hpp"

#include <cstring>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "ordo/error.hpp"
#include "tools/cli/files/output.hpp"
#include "tools/cli/files/sync.hpp"

namespace ordo::inline v0::sufsort {
namespace {

/// The begin of the file. The words of marks follow.
struct header {
  char magic[16] = {'O', 'r', 'd', 'o', ' ', 'd', 'u', 'p', 'l', 'i', 'c', 'a', 't', 'e', 's', '2'};
  std::uint32_t identity = 0;
  std::uint32_t crc32 = 0;  // crc32 of the rest of the file
  std::uint64_t finished = 0, words = 0;
};

std::uint32_t compute_checksum(header const& head, std::span<std::uint64_t const> marks, unsigned threads = 1) {
  std::uint32_t const parts[] = {
      suffix::compute_crc32({reinterpret_cast<char const*>(&head.finished), 2 * sizeof(std::uint64_t)}, 1),
      suffix::compute_crc32({reinterpret_cast<char const*>(marks.data()), marks.size_bytes()}, threads)};
  return suffix::compute_crc32({reinterpret_cast<char const*>(parts), sizeof(parts)}, 1);
}

}  // namespace

std::optional<finished_ranges> load_finished(std::string const& path, std::uint32_t identity) {
  if (access(path.c_str(), F_OK) != 0) return std::nullopt;
  suffix::mapped_file file(path);
  std::span<char const> const bytes = file.bytes();
  auto const refuse = [&](char const* why) {
    throw input_error(fmt::format("no finished ranges: {}: {}: remove it, or name another file", path, why));
  };
  header head;
  header const expected;
  if (bytes.size() < sizeof(head) || std::memcmp(bytes.data(), expected.magic, sizeof(expected.magic)) != 0) {
    bool const is_other_version =
        bytes.size() >= sizeof(head) && std::memcmp(bytes.data(), expected.magic, sizeof(expected.magic) - 1) == 0;
    refuse(is_other_version ? "another version of Ordo wrote the file" : "another program wrote the file");
  }
  std::memcpy(&head, bytes.data(), sizeof(head));
  if (head.identity != identity) refuse("it is of another index, or of other options");
  std::size_t const rest = bytes.size() - sizeof(head);
  if (rest % sizeof(std::uint64_t) != 0 || head.words != rest / sizeof(std::uint64_t)) refuse("it is damaged");
  static_assert(sizeof(header) % sizeof(std::uint64_t) == 0);
  std::span const marks(reinterpret_cast<std::uint64_t const*>(bytes.data() + sizeof(head)), std::size_t(head.words));
  if (compute_checksum(head, marks, 0) != head.crc32) refuse("it is damaged");
  finished_ranges ranges{std::move(file), std::size_t(head.finished), marks};
  return ranges;
}

void save_finished(std::string const& path, std::uint32_t identity, std::size_t finished,
                   std::span<std::uint64_t const> marks) {
  header head;
  head.identity = identity;
  head.finished = finished;
  head.words = marks.size();
  head.crc32 = compute_checksum(head, marks, 0);
  cli::output out(path, cli::compression::none, 1);
  out.write({reinterpret_cast<char const*>(&head), sizeof(head)});
  out.write({reinterpret_cast<char const*>(marks.data()), marks.size_bytes()});
  // A new file, too: it is for interruptions, a loss of power among them.
  out.finish();
  if (int const error = cli::sync_file(out.staged().c_str()))
    throw output_error(fmt::format("cannot write: {}: {}", path, std::strerror(error)));
  out.commit();
}

}  // namespace ordo::inline v0::sufsort
