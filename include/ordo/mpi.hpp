#pragma once
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "ordo/communicator.hpp"
#include "ordo/error.hpp"

#pragma GCC visibility push(default)

namespace ordo::inline v0 {

/// A communicator over an MPI communicator: each process is a member. The header is compiled with the caller's MPI, of
/// version 3 or newer; the libraries do not depend on one. Data of more than a gigabyte cross in parts, so that no count
/// exceeds MPI's 31 bits. Launchers (mpirun, srun) start the processes.
///
/// Spans are in the host's memory; sorts on a GPU move theirs through it. MPI must have been initialised, and members are used
/// by the thread that MPI allows (MPI_THREAD_FUNNELED suffices for the main thread; spectra::sort_options::members takes
/// MPI_THREAD_SERIALIZED). A process that ends with an exception must
/// call fail(), or the others wait for it.
/// @code
///   MPI_Init(nullptr, nullptr);
///   {
///     ordo::mpi_communicator members(MPI_COMM_WORLD);
///     ordo::cpu cpu;
///     ordo::sort_keys(members, cpu, share);
///   }
///   MPI_Finalize();
/// @endcode
class mpi_communicator final : public communicator {
 public:
  /// Duplicates the comm, so that messages never mix with the caller's. Collective.
  /// @param max_message  the maximum of bytes that cross at a time, from 8 to 2^31 - 1
  /// @throws member_lost  if MPI fails
  explicit mpi_communicator(MPI_Comm comm, std::size_t max_message = std::size_t{1} << 30)
      : communicator(comm_size(comm), comm_rank(comm)), max_message_(max_message) {
    if (max_message < 8 || max_message >= std::size_t{1} << 31)
      throw usage_error("bad communicator: MPI: messages of at most " + std::to_string(max_message) + " bytes");
    check(MPI_Comm_dup(comm, &comm_), "MPI_Comm_dup");
    check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  }
  ~mpi_communicator() override {
    int is_finalized = 0;
    if (MPI_Finalized(&is_finalized) == MPI_SUCCESS && !is_finalized) MPI_Comm_free(&comm_);
  }

  using communicator::all_gather;
  using communicator::all_to_all;
  using communicator::reduce;
  void broadcast(std::span<std::byte> data, std::size_t root) override {
    check_root(root);
    for (std::size_t at = 0; at < data.size(); at += max_message_) {
      int const bytes = int(std::min(max_message_, data.size() - at));
      run([&](MPI_Request* r) { return MPI_Ibcast(data.data() + at, bytes, MPI_BYTE, int(root), comm_, r); }, "MPI_Ibcast");
    }
  }
  void all_gather(std::span<std::byte const> own, std::span<std::byte> all) override {
    check_gather(own.size(), all.size());
    std::size_t const part = std::max<std::size_t>(1, max_message_ / size());
    if (own.size() <= part) {
      gather_part(own, all.data());
      return;
    }
    std::vector<std::byte> parts(part * size());
    for (std::size_t at = 0; at < own.size(); at += part) {
      std::size_t const bytes = std::min(part, own.size() - at);
      gather_part(own.subspan(at, bytes), parts.data());
      for (std::size_t m = 0; m < size(); ++m) std::memcpy(all.data() + m * own.size() + at, parts.data() + m * bytes, bytes);
    }
  }
  void all_to_all(std::span<std::span<std::byte const> const> sends, std::span<std::span<std::byte> const> receives,
                  std::function<void(std::size_t)> const& arrived) override {
    check_lists(sends.size(), receives.size());
    for (std::size_t at = 0; at < sends.size(); at += size()) {
      exchange(sends.subspan(at, size()), receives.subspan(at, size()));
      arrived(at / size());
    }
  }
  void reduce(std::span<std::uint64_t> values, reduction by) override {
    MPI_Op const op = by == reduction::sum ? MPI_SUM : by == reduction::min ? MPI_MIN : MPI_MAX;
    std::size_t const part = max_message_ / sizeof(std::uint64_t);
    for (std::size_t at = 0; at < values.size(); at += part)
      run(
          [&](MPI_Request* r) {
            return MPI_Iallreduce(MPI_IN_PLACE, values.data() + at, int(std::min(part, values.size() - at)), MPI_UINT64_T, op,
                                  comm_, r);
          },
          "MPI_Iallreduce");
  }
  void barrier() override {
    run([&](MPI_Request* r) { return MPI_Ibarrier(comm_, r); }, "MPI_Ibarrier");
  }
  void fail(std::string const& /*why*/) noexcept override { MPI_Abort(comm_, 2); }

 private:
  static std::size_t comm_size(MPI_Comm comm) {
    int size = 0;
    check(MPI_Comm_size(comm, &size), "MPI_Comm_size");
    return std::size_t(size);
  }
  static std::size_t comm_rank(MPI_Comm comm) {
    int rank = 0;
    check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
    return std::size_t(rank);
  }
  static void check(int result, char const* call) {
    if (result == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(result, text, &length);
    throw member_lost(std::string("MPI: ") + call + ": " + std::string(text, std::size_t(length)));
  }
  /// Waits as long as it takes. Where nothing but a signal is expected, the core is left to other members of the host; data
  /// cross faster if MPI is polled all the time.
  static void wait(std::span<MPI_Request> requests, bool is_data) {
    for (unsigned polls = 0;; ++polls) {
      int is_done = 0;
      check(MPI_Testall(int(requests.size()), requests.data(), &is_done, MPI_STATUSES_IGNORE), "MPI_Testall");
      if (is_done) return;
      if (is_data || polls < 100)
        std::this_thread::yield();
      else
        std::this_thread::sleep_for(std::chrono::microseconds(std::min(polls, 1000u) / 10));
    }
  }
  /// Starts a call of MPI and waits until it is done.
  template <class Start>
  static void run(Start start, char const* call) {
    MPI_Request request;
    check(start(&request), call);
    wait(std::span(&request, 1), false);
  }
  void gather_part(std::span<std::byte const> own, std::byte* all) {
    run(
        [&](MPI_Request* r) {
          return MPI_Iallgather(own.data(), int(own.size()), MPI_BYTE, all, int(own.size()), MPI_BYTE, comm_, r);
        },
        "MPI_Iallgather");
  }
  /// Messages on their way. If an error leaves their scope, none arrives any more: what it would be written to may be freed.
  class messages {
   public:
    messages() = default;
    ~messages() {
      for (MPI_Request& request : requests_)
        if (request != MPI_REQUEST_NULL) {
          MPI_Cancel(&request);
          MPI_Request_free(&request);
        }
    }
    messages(messages const&) = delete;
    messages& operator=(messages const&) = delete;
    void reserve(std::size_t n) { requests_.reserve(n); }
    /// Starts one by start(request).
    template <class Start>
    void add(Start start, char const* call) {
      requests_.push_back(MPI_REQUEST_NULL);
      check(start(&requests_.back()), call);
    }
    [[nodiscard]] std::span<MPI_Request> all() { return requests_; }

   private:
    std::vector<MPI_Request> requests_;
  };
  void exchange(std::span<std::span<std::byte const> const> sends, std::span<std::span<std::byte> const> receives) {
    std::size_t parts = 0;
    for (std::size_t m = 0; m < size(); ++m) parts += count_parts(sends[m].size()) + count_parts(receives[m].size());
    messages sent;
    sent.reserve(parts);  // nothing but MPI can fail once there are messages
    for (std::size_t i = 1; i < size(); ++i) {
      std::size_t const from = (rank() + size() - i) % size();
      for_each_part(receives[from], [&](std::byte* data, int bytes) {
        sent.add([&](MPI_Request* r) { return MPI_Irecv(data, bytes, MPI_BYTE, int(from), 0, comm_, r); }, "MPI_Irecv");
      });
    }
    for (std::size_t i = 1; i < size(); ++i) {
      std::size_t const to = (rank() + i) % size();
      for_each_part(sends[to], [&](std::byte const* data, int bytes) {
        sent.add([&](MPI_Request* r) { return MPI_Isend(data, bytes, MPI_BYTE, int(to), 0, comm_, r); }, "MPI_Isend");
      });
    }
    auto const own = sends[rank()];
    bool const matches = own.size() == receives[rank()].size();
    if (matches && !own.empty()) std::memcpy(receives[rank()].data(), own.data(), own.size());
    wait(sent.all(), true);
    if (!matches)
      throw usage_error("bad length: all_to_all: member " + std::to_string(rank()) + " sends itself " +
                        std::to_string(own.size()) + " bytes, and receives " + std::to_string(receives[rank()].size()));
  }
  [[nodiscard]] std::size_t count_parts(std::size_t bytes) const { return bytes / max_message_ + (bytes % max_message_ != 0); }
  template <class Byte, class F>
  void for_each_part(std::span<Byte> data, F f) const {
    for (std::size_t at = 0; at < data.size(); at += max_message_)
      f(data.data() + at, int(std::min(max_message_, data.size() - at)));
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  std::size_t max_message_;
};

}  // namespace ordo::inline v0
#pragma GCC visibility pop
