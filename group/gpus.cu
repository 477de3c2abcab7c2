#include <array>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <cuda_runtime.h>
#include <dlfcn.h>

#include "group/members.hpp"
#include "ordo/gpu.hpp"
#include "sort_core/cuda/devices.hpp"
#include "sort_core/cuda/error.cuh"
#include "sort_core/cuda/streams.hpp"

// The engine of members that are GPUs of one process: a host thread each, and copies from GPU to GPU by the copy engines or by
// NCCL.
namespace ordo::inline v0 {
namespace {

/// The functions of NCCL that an exchange takes, from the library that is found at run time. Its interface is stable since 2.7.
class nccl {
 public:
  struct unique_id {
    char bytes[128];
  };
  using communicator = void*;
  static constexpr int success = 0, bytes = 0;  // ncclSuccess, ncclInt8

  int (*get_unique_id)(unique_id*) = nullptr;
  int (*init_rank)(communicator*, int, unique_id, int) = nullptr;
  int (*destroy)(communicator) = nullptr;
  int (*abort)(communicator) = nullptr;
  int (*group_start)() = nullptr;
  int (*group_end)() = nullptr;
  int (*send)(void const*, std::size_t, int, int, communicator, cudaStream_t) = nullptr;
  int (*receive)(void*, std::size_t, int, int, communicator, cudaStream_t) = nullptr;
  char const* (*error_string)(int) = nullptr;

  /// Returns the library, or null if there is none.
  static nccl const* get() {
    static nccl const library;
    return library.complete_ ? &library : nullptr;
  }
  void check(int result, char const* call) const {
    if (result != success) throw device_error(std::string("NCCL: ") + call + ": " + error_string(result));
  }

 private:
  nccl() {
    void* const library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);  // stays open until the process ends
    if (!library) return;
    complete_ = load(library, "ncclGetUniqueId", get_unique_id) && load(library, "ncclCommInitRank", init_rank) &&
                load(library, "ncclCommDestroy", destroy) && load(library, "ncclCommAbort", abort) &&
                load(library, "ncclGroupStart", group_start) && load(library, "ncclGroupEnd", group_end) &&
                load(library, "ncclSend", send) && load(library, "ncclRecv", receive) &&
                load(library, "ncclGetErrorString", error_string);
  }
  template <class Function>
  static bool load(void* library, char const* name, Function*& function) {
    function = reinterpret_cast<Function*>(dlsym(library, name));
    return function != nullptr;
  }
  bool complete_ = false;
};

/// Lets kernels and copies of the current device access the memory of another.
void enable_peer(unsigned peer) {
  cudaError_t const status = cudaDeviceEnablePeerAccess(int(peer), 0);
  if (status == cudaErrorPeerAccessAlreadyEnabled)
    static_cast<void>(cudaGetLastError());
  else
    ORDO_CUDA(status);
}

bool all_are_peers(std::span<unsigned const> gpus) {
  for (unsigned const a : gpus)
    for (unsigned const b : gpus) {
      int possible = 1;
      if (a != b) ORDO_CUDA(cudaDeviceCanAccessPeer(&possible, int(a), int(b)));
      if (possible == 0) return false;
    }
  return true;
}

class gpu_member final : public detail::thread_member {
 public:
  using group::all_to_all;
  gpu_member(std::span<unsigned const> gpus, std::size_t rank, detail::meeting_point& shared, gpu& on, gpu_exchange exchange,
             bool peers)
      : thread_member(gpus.size(), rank, shared), gpus_(gpus), on_(on) {
    cuda_detail::device_scope const current(on_.index());
    for (std::size_t m = 0; m < gpus.size(); ++m) streams_.push_back(std::make_unique<cuda_detail::own_stream>(true));
    if (peers)
      for (unsigned const other : gpus)
        if (other != on_.index()) enable_peer(other);
    shared.wait();
    if (exchange == gpu_exchange::nccl) {
      nccl const& library = *nccl::get();
      nccl::unique_id id{};
      if (rank == 0) library.check(library.get_unique_id(&id), "ncclGetUniqueId");
      broadcast(std::as_writable_bytes(std::span(&id, 1)), 0);
      library.check(library.init_rank(&communicator_, int(size()), id, int(rank)), "ncclCommInitRank");
    }
  }
  ~gpu_member() override {
    if (!communicator_) return;
    try {
      cuda_detail::device_scope const current(on_.index());
      // After an error, another member may never do its part.
      static_cast<void>((in_exchange_ || std::uncaught_exceptions() != 0) ? nccl::get()->abort(communicator_)
                                                                          : nccl::get()->destroy(communicator_));
    } catch (error const&) {  // the device is lost
    }
  }

  void barrier() override {
    on_.synchronize();
    thread_member::barrier();
  }
  void all_to_all(std::span<std::span<std::byte const> const> sends, std::span<std::span<std::byte> const> receives,
                  std::function<void(std::size_t)> const& arrived) override {
    check_lists(sends.size(), receives.size());
    in_exchange_ = true;
    publish(sends);  // after the work that is queued
    cuda_detail::device_scope const current(on_.index());
    std::string wrong;
    auto const from = sent_by_all(receives, wrong);
    end_verb(wrong);
    std::size_t const rounds = receives.size() / size();
    while (copied_.size() < receives.size()) copied_.push_back(std::make_unique<cuda_detail::own_event>());
    try {
      for (std::size_t round = 0; round < rounds; ++round) {
        std::size_t const at = round * size();
        copy(std::span(from).subspan(at, size()), receives.subspan(at, size()));
        if (communicator_) send_and_receive(sends.subspan(at, size()), receives.subspan(at, size()));
        for (std::size_t m = 0; m < size(); ++m) ORDO_CUDA(cudaEventRecord(copied_[at + m]->get(), streams_[m]->handle));
      }
      for (std::size_t round = 0; round < rounds; ++round) {
        for (std::size_t m = 0; m < size(); ++m)
          ORDO_CUDA(cudaStreamWaitEvent(on_.stream(), copied_[round * size() + m]->get(), 0));
        arrived(round);
      }
    } catch (...) {  // what is received may be freed
      static_cast<void>(cudaDeviceSynchronize());
      throw;
    }
    on_.synchronize();
    end_verb({});
    in_exchange_ = false;
  }
  /// Four megabytes cross in 10 microseconds; a copy starts in some.
  [[nodiscard]] std::size_t long_message() const noexcept override { return std::size_t{1} << 22; }
  [[nodiscard]] bool moves_device_memory() const noexcept override { return true; }
  /// False: merges by way of the link took up to twice as long as an exchange before them.
  [[nodiscard]] bool shares_memory() const noexcept override { return false; }

 private:
  /// Copies from all members, beginning with the next one. Copy engines take copies in the order of their start: in the same
  /// order on every GPU, all would read from one at a time, and share its link. With NCCL, copies from this member only.
  void copy(std::span<std::span<std::byte const> const> from, std::span<std::span<std::byte> const> to) {
    for (std::size_t i = 1; i <= size(); ++i) {
      std::size_t const m = (rank() + i) % size();
      if (!from[m].empty() && (!communicator_ || m == rank()))
        ORDO_CUDA(cudaMemcpyPeerAsync(to[m].data(), int(gpus_[rank()]), from[m].data(), int(gpus_[m]), from[m].size(),
                                      streams_[m]->handle));
    }
  }
  void send_and_receive(std::span<std::span<std::byte const> const> sends, std::span<std::span<std::byte> const> to) {
    nccl const& library = *nccl::get();
    cudaStream_t const stream = streams_[(rank() + 1) % size()]->handle;
    library.check(library.group_start(), "ncclGroupStart");
    for (std::size_t m = 0; m < size(); ++m) {
      if (m == rank()) continue;
      if (!sends[m].empty())
        library.check(library.send(sends[m].data(), sends[m].size(), nccl::bytes, int(m), communicator_, stream), "ncclSend");
      if (!to[m].empty())
        library.check(library.receive(to[m].data(), to[m].size(), nccl::bytes, int(m), communicator_, stream), "ncclRecv");
    }
    library.check(library.group_end(), "ncclGroupEnd");
  }

  std::span<unsigned const> gpus_;
  gpu& on_;
  std::vector<std::unique_ptr<cuda_detail::own_stream>> streams_;  // of copies from each member
  std::vector<std::unique_ptr<cuda_detail::own_event>> copied_;    // by round and member
  nccl::communicator communicator_ = nullptr;
  bool in_exchange_ = false;  // an exception left an exchange
};

}  // namespace

bool nccl_present() {
  return nccl::get() != nullptr;
}

void run_members(std::span<unsigned const> indices, std::function<void(group&, gpu&)> const& work, gpu_exchange exchange) {
  std::vector<unsigned> const gpus(indices.begin(), indices.end());
  if (gpus.empty()) throw usage_error("bad group: run_members: no GPUs");
  std::size_t const present = ordo::gpus().size();
  for (unsigned const index : gpus)
    if (index >= present)
      throw usage_error("bad group: run_members: GPU " + std::to_string(index) + " of " + std::to_string(present));
  bool const peers = all_are_peers(gpus);
  if (exchange == gpu_exchange::automatic) exchange = peers || !nccl_present() ? gpu_exchange::peer_copies : gpu_exchange::nccl;
  if (exchange == gpu_exchange::nccl && !nccl_present())
    throw usage_error("bad group: run_members: there is no libnccl.so.2 of version 2.7 or newer");
  // The machines outlive all threads, because members may read each other's memory until the last one has ended.
  std::vector<gpu> machines;
  machines.reserve(gpus.size());
  for (unsigned const index : gpus) machines.emplace_back(gpu_options{.device = index});
  detail::meeting_point shared(gpus.size());
  detail::run_threads(gpus.size(), shared, [&](std::size_t rank) {
    gpu_member member(gpus, rank, shared, machines[rank], exchange, peers);
    work(member, machines[rank]);
  });
}

}  // namespace ordo::inline v0
