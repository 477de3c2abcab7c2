#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

// MS-Numpress (Teleman et al., Molecular & Cellular Proteomics 13, 2014): numbers as scaled integers in few bytes.
namespace ordo::inline v0::spectra::detail::numpress {

/// - linear: integers, of which all but two are stored as the difference to a straight line through the two before. For m/z.
/// - pic: integers that are not negative. For counts of ions.
/// - slof: logarithms in 16 bits. For intensities.
enum class method { linear, pic, slof };

/// The integers that an array stores, from which its numbers follow.
struct integers {
  double scale = 1;
  std::vector<std::int64_t> values;
};

/// Returns the maximum number of bytes in which `count` numbers are stored.
constexpr std::size_t max_bytes(std::size_t count) {
  return 16 + 5 * count;
}

/// Reads `count` integers, which are all that the bytes hold.
/// @returns the reason why that is impossible, or nothing
std::string_view decode(method how, std::span<unsigned char const> bytes, std::size_t count, integers& to);

/// Makes the integers of numbers, with the greatest scale that the method has for them.
/// @returns the reason why that is impossible, or nothing
std::string_view scale(method how, std::span<double const> numbers, integers& to);

/// Returns the number that an integer stands for.
double number(method how, double scale, std::int64_t value);

/// Writes integers, from which decode() makes the same ones.
/// @returns false if the method cannot store them: linear differences of more than 32 bits
bool encode(method how, integers const& from, std::vector<unsigned char>& to);

}  // namespace ordo::inline v0::spectra::detail::numpress
