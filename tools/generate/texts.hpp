#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tools/generate/sink.hpp"

namespace ordo::inline v0::generate {

/// `length` letters, each of `letters` equally likely. @throws usage_error if there are no letters
std::string uniform_text(std::size_t length, std::string_view letters, std::uint64_t seed);

/// `length` times one letter: the longest common prefixes there can be.
std::string homopolymer_text(std::size_t length, char letter);

/// The first `length` letters of the Fibonacci word over two letters: every prefix comes again, and again.
/// @throws usage_error if there are not two letters
std::string fibonacci_text(std::size_t length, std::string_view letters);

/// The same lines in random order; a missing last newline is supplied. Memory: 16 bytes a line.
void shuffle_lines(std::span<char const> text, std::uint64_t seed, sink& out);

}  // namespace ordo::inline v0::generate
