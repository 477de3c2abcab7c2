#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "tools/cli/files/output.hpp"
#include "tools/cli/run_main.hpp"

namespace ordo::inline v0::specsort {

inline constexpr std::string_view tool = "specsort";

/// The output. A sequential write that fails ends the process at once, because the input may wait for bytes that never come.
class prompt_output final : public sink {
 public:
  explicit prompt_output(cli::output& out) : out_(out) {}
  void write(std::span<char const> data) override {
    cli::run_beside(tool, [&] { out_.write(data); });
  }
  bool expect(std::uint64_t bytes) override { return out_.expect(bytes); }
  bool expect_unknown() override { return out_.expect_unknown(); }
  [[nodiscard]] bool addressable() const override { return out_.addressable(); }
  void write_at(std::uint64_t offset, std::span<char const> data) override { out_.write_at(offset, data); }

 private:
  cli::output& out_;
};

}  // namespace ordo::inline v0::specsort
