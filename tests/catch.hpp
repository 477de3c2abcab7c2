#pragma once
#include <string>

// Catch2 v2 (Debian 12) and v3 (Ubuntu 24.04) by one name.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
inline auto contains_text(std::string const& part) { return Catch::Matchers::ContainsSubstring(part); }
#else
#include <catch2/catch.hpp>
inline auto contains_text(std::string const& part) { return Catch::Matchers::Contains(part); }
#endif
