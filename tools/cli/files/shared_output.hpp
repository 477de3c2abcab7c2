#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "ordo/communicator.hpp"
#include "ordo/io.hpp"
#include "tools/cli/files/output.hpp"

namespace ordo::inline v0::cli {

/// Returns the number of members on this one's host, this one among them. Collective.
std::size_t members_on_host(communicator& members);

/// The output of the first process of a job, as another process of its host writes it.
class shared_output final : public sink {
 public:
  /// @param name  the name of the output, for messages
  shared_output(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {}
  ~shared_output() override;
  shared_output(shared_output const&) = delete;
  shared_output& operator=(shared_output const&) = delete;

  void write(std::span<char const> data) override;
  [[nodiscard]] bool addressable() const override { return true; }
  void write_at(std::uint64_t offset, std::span<char const> data) override;

  /// Opens the output for all members that can write it. Collective. Returns nothing where member 0 must write: on other hosts,
  /// and for outputs that are not regular files, or compressed.
  /// @param out  the output of member 0, with its size announced; null on the others
  static std::unique_ptr<shared_output> open(communicator& members, output* out);

 private:
  int descriptor_;
  std::string name_;
};

}  // namespace ordo::inline v0::cli
