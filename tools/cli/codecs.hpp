#pragma once
#include <cstddef>
#include <span>
#include <string_view>

namespace ordo::cli {

/// BGZF is gzip in members that say how long they are (SAM specification, section 4.1).
enum class compression { none, gzip, bgzf, bzip2, xz, zstd };

/// For messages: "gzip", "BGZF" and so on.
std::string_view name_of(compression how);

/// What a file's name promises, in capitals, too: gzip for .gz, BGZF for .bgz and .bgzf, bzip2 for .bz2, xz for .xz, zstd for
/// .zst and .zstd.
compression compression_named(std::string_view path);

/// The most bytes that are needed to know a compression.
inline constexpr std::size_t longest_magic = 18;
/// What a file is that begins so: its first longest_magic bytes, or all that it has.
compression compression_of(std::span<char const> head);
/// Is this a whole file that ends before all the bytes by which this compression is known?
bool is_cut_magic(compression how, std::span<char const> head);

/// Does a BGZF block begin here? Else what may be a gzip member is one without its length.
bool is_bgzf(std::span<char const> head);

}  // namespace ordo::cli
