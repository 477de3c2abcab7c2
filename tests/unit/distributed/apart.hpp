#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "ordo/communicator.hpp"
#include "ordo/error.hpp"

/// A member of another communicator that shares no memory: sorts exchange their data, and it counts what they exchange.
class apart : public ordo::communicator {
 public:
  /// @param long_message  with few bytes, sorts divide small arrays, too
  /// @param on_gpus  whether it says that it moves memory of GPUs; if the other one does not, there is none to move
  /// @param of_host  or it is the host's memory that stands for theirs
  apart(ordo::communicator& member, std::size_t long_message, bool on_gpus = false, bool of_host = false)
      : communicator(member.size(), member.rank()),
        member_(member),
        long_message_(long_message),
        on_gpus_(on_gpus),
        of_host_(of_host) {}
  using communicator::all_gather;
  using communicator::all_to_all;
  using communicator::reduce;
  void broadcast(std::span<std::byte> data, std::size_t root) override { member_.broadcast(data, root); }
  void all_gather(std::span<std::byte const> own, std::span<std::byte> all) override { member_.all_gather(own, all); }
  void all_to_all(std::span<std::span<std::byte const> const> sends, std::span<std::span<std::byte> const> receives,
                  std::function<void(std::size_t)> const& arrived) override {
    if (on_gpus_ && !of_host_ && !member_.moves_device_memory())
      throw ordo::usage_error("all_to_all of the host's memory over GPUs");
    for (std::size_t i = 0; i < sends.size(); ++i)
      if (i % size() != rank()) crossed_ += sends[i].size();
    member_.all_to_all(sends, receives, arrived);
  }
  [[nodiscard]] bool moves_device_memory() const noexcept override { return on_gpus_; }
  [[nodiscard]] std::size_t long_message() const noexcept override { return long_message_; }
  void reduce(std::span<std::uint64_t> values, ordo::reduction by) override { member_.reduce(values, by); }
  void barrier() override { member_.barrier(); }
  void fail(std::string const& why) noexcept override { member_.fail(why); }

  /// Returns the bytes that all members have sent to others since the last call. Collective.
  std::uint64_t crossed() {
    std::uint64_t const all = reduce(crossed_, ordo::reduction::sum);
    crossed_ = 0;
    return all;
  }

 private:
  ordo::communicator& member_;
  std::size_t long_message_;
  bool on_gpus_, of_host_;
  std::uint64_t crossed_ = 0;
};
