#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "ordo/error.hpp"
#include "ordo/machine.hpp"

#pragma GCC visibility push(default)

/// Members that work on one job together: threads with a CPU or a GPU each, in one process (run_members), or the processes of
/// an MPI job (mpi.hpp). distributed_sort.hpp has the sorts.
namespace ordo::inline v0 {

class cpu;
class gpu;
struct gpu_options;

/// Another member of a communicator has failed. The error of that member is the one to report.
class member_lost : public error {
 public:
  using error::error;
};

/// How reduce combines the values of all members.
enum class reduction { sum, min, max };

/// One member's handle of a communicator. Every verb is collective: all members call it, in the same order and with sizes that
/// match, and it returns when this member's part is done. Each throws member_lost if another member has failed, and may be
/// called from one thread at a time. A verb that throws has ended the communicator: all later verbs of all members throw.
///
/// Spans are in the host's memory, except those of all_to_all in a communicator whose moves_device_memory() is true.
class communicator {
 public:
  virtual ~communicator() = default;
  communicator(communicator const&) = delete;
  communicator& operator=(communicator const&) = delete;

  /// Returns the number of members, at least 1.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// Returns the number of this member, in [0, size()).
  [[nodiscard]] std::size_t rank() const noexcept { return rank_; }

  /// Copies `data` of the member `root` to all others. It has the same length on every member.
  virtual void broadcast(std::span<std::byte> data, std::size_t root) = 0;
  /// Writes the data of member m to all[m * own.size(), (m + 1) * own.size()). `own` has the same length on every member.
  virtual void all_gather(std::span<std::byte const> own, std::span<std::byte> all) = 0;
  /// Copies sends[m] to member m, which finds it in its receives[r] for this member's rank r, of the same length. Both lists
  /// have size() spans. No span that is received overlaps a span that is sent.
  void all_to_all(std::span<std::span<std::byte const> const> sends, std::span<std::span<std::byte> const> receives) {
    all_to_all(sends, receives, [](std::size_t) {});
  }
  /// Does the same in rounds, as many on every member. Round i has the spans [i * size(), (i + 1) * size()) of both lists.
  /// Calls arrived(i), in the order of rounds, when what this member receives in round i may be used, by work that is queued on
  /// its machine from then on. A communicator of GPUs copies later rounds beside that work. Returns when all rounds are done.
  /// If arrived() throws, so does the verb; in one process, only when no member reads another's memory any more.
  virtual void all_to_all(std::span<std::span<std::byte const> const> sends, std::span<std::span<std::byte> const> receives,
                          std::function<void(std::size_t)> const& arrived) = 0;
  /// Replaces values[i] by the sum, minimum or maximum of all members' values[i]. Sums wrap around.
  virtual void reduce(std::span<std::uint64_t> values, reduction by) = 0;
  /// Returns when all members have called it. In a communicator of GPUs it first waits for the work queued on this member's
  /// GPU.
  virtual void barrier() = 0;

  /// Ends the work of all members after an error of this one. The members of one process throw member_lost from the verb that
  /// they call next or wait in. Processes of an MPI job are ended, this one among them, with exit status 2.
  virtual void fail(std::string const& why) noexcept = 0;

  /// Returns true if all_to_all takes memory of the members' GPUs. If not, it takes the host's.
  [[nodiscard]] virtual bool moves_device_memory() const noexcept { return false; }
  /// Returns a length of messages, in bytes, from which the time of one is not that of its start.
  [[nodiscard]] virtual std::size_t long_message() const noexcept { return std::size_t{1} << 20; }
  /// Returns true if every member can read the memory of every other member's machine.
  [[nodiscard]] virtual bool shares_memory() const noexcept { return false; }

  /// Calls use(all) on every member of one process, with `own` of member m in all[m]. While its use runs, each may read what
  /// the others' pointers lead to. All leave when no use runs any more, also if one throws: that member with its exception, the
  /// others with member_lost. An engine that does not override it is safe only if no use throws.
  virtual void share(void const* own, std::function<void(std::span<void const* const> all)> const& use);

  /// Returns the values of all members, by rank.
  template <class T>
  requires std::is_trivially_copyable_v<T> std::vector<T> all_gather(T const& own) {
    std::vector<T> all(size_, own);
    all_gather(std::as_bytes(std::span(&own, 1)), std::as_writable_bytes(std::span(all)));
    return all;
  }
  /// Returns the sum, minimum or maximum of all members' values.
  std::uint64_t reduce(std::uint64_t value, reduction by) {
    reduce(std::span(&value, 1), by);
    return value;
  }

 protected:
  /// @throws usage_error  unless rank < size
  communicator(std::size_t size, std::size_t rank);

  /// Check the arguments of the verbs. @throws usage_error
  void check_root(std::size_t root) const;
  void check_gather(std::size_t own, std::size_t all) const;
  void check_lists(std::size_t sends, std::size_t receives) const;

 private:
  std::size_t size_, rank_;
};

/// Returns the number of items of member `rank` if `total` items are shared as evenly as possible: the first members have one
/// more.
constexpr std::uint64_t even_share(std::uint64_t total, std::size_t size, std::size_t rank) {
  return total / size + (rank < total % size);
}
/// Returns the number of items of all members before `rank`.
constexpr std::uint64_t even_offset(std::uint64_t total, std::size_t size, std::size_t rank) {
  return total / size * rank + (rank < total % size ? rank : total % size);
}

/// Runs work(member, machine) for `size` members, each in a thread of its own with a CPU machine of its own, and returns when
/// all have ended. Members share memory. A member that waits for one that has ended throws member_lost.
/// @param threads  the number of threads of each machine; 0 shares out the threads that the process may use
/// @throws usage_error  if size is 0
/// @throws  what a member throws; of several, the first
/// @code
///   ordo::run_members(4, [&](ordo::communicator& members, ordo::cpu& on) { ordo::sort_keys(members, on,
///   shares[members.rank()]); });
/// @endcode
void run_members(std::size_t size, std::function<void(communicator&, cpu&)> const& work, unsigned threads = 0);

/// How the GPUs of one process exchange data.
enum class gpu_exchange {
  /// peer_copies if each GPU can access each other's memory, else nccl if it can be loaded, else peer_copies by way of the host
  automatic,
  /// Copies from GPU to GPU by the copy engines.
  peer_copies,
  /// Sends of NCCL, which is loaded from libnccl.so.2 at run time.
  nccl,
};

/// Runs work(member, machine) for the GPUs with these indices, as above. An index may occur more than once; its members then
/// share the GPU.
/// @throws usage_error  if there are none, if the build has no GPU support, if a GPU does not exist, or if the kind of exchange
///     is not possible
/// @code
///   ordo::run_members(std::array{0u, 1u}, [&](ordo::communicator& members, ordo::gpu& on) { ... });
/// @endcode
void run_members(std::span<unsigned const> gpus, std::function<void(communicator&, gpu&)> const& work,
                 gpu_exchange exchange = gpu_exchange::automatic);

/// Returns true if NCCL can be loaded. False without GPU support.
bool nccl_present();

}  // namespace ordo::inline v0
#pragma GCC visibility pop
