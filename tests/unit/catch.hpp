#pragma once
#include <string>

// Every test includes Catch2 through this header. Debian 12 has version 2; Ubuntu 24.04 and Debian 13 have version 3. Names
// that tests use mean the same with both: the `Contains` of version 3 looks for an element of a range.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
inline auto contains_text(std::string const& part) {
  return Catch::Matchers::ContainsSubstring(part);
}
#else
#include <catch2/catch.hpp>
inline auto contains_text(std::string const& part) {
  return Catch::Matchers::Contains(part);
}
#endif
inline auto Contains(std::string const& part) {
  return contains_text(part);
}
using Catch::Matchers::EndsWith;
using Catch::Matchers::Equals;
using Catch::Matchers::Matches;
using Catch::Matchers::StartsWith;
