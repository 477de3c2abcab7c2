#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <cuda_runtime.h>
#include <dlfcn.h>

#include "distributed/device_member.hpp"
#include "ordo/gpu.hpp"
#include "sort_core/cuda/runtime/devices.hpp"
#include "sort_core/cuda/runtime/error.cuh"
#include "sort_core/cuda/runtime/streams.hpp"

// The engine of members that are GPUs of one process: a host thread each, and copies from GPU to GPU by the copy engines or by
// NCCL.
namespace ordo::inline v0 {
namespace {

/// Returns the functions of the library that is found at run time, or null if there is none.
detail::nccl_calls const* find_nccl() {
  static detail::nccl_calls calls;
  static bool const is_complete = [] {
    void* const library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);  // stays open until the process ends
    if (!library) return false;
    auto const load = [&]<class Function>(char const* name, Function*& function) {
      function = reinterpret_cast<Function*>(dlsym(library, name));
      return function != nullptr;
    };
    load("ncclCommInitRankConfig", calls.init_rank_config);
    load("ncclCommGetAsyncError", calls.async_error);
    return load("ncclGetUniqueId", calls.get_unique_id) && load("ncclCommInitRank", calls.init_rank) &&
           load("ncclCommDestroy", calls.destroy) && load("ncclCommAbort", calls.abort) &&
           load("ncclGroupStart", calls.group_start) && load("ncclGroupEnd", calls.group_end) && load("ncclSend", calls.send) &&
           load("ncclRecv", calls.receive) && load("ncclGetErrorString", calls.error_string);
  }();
  return is_complete ? &calls : nullptr;
}

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

/// A GPU of a communicator, as device_member takes it.
class member_gpu {
 public:
  member_gpu(std::span<unsigned const> gpus, gpu& on, bool peers) : gpus_(gpus), on_(on) {
    cuda_detail::device_scope const current(on_.index());
    from_this_gpu_ = std::make_unique<cuda_detail::own_stream>(true);
    from_others_ = std::make_unique<cuda_detail::own_stream>(true);
    if (peers)
      for (unsigned const other : gpus)
        if (other != on_.index()) enable_peer(other);
  }
  [[nodiscard]] cuda_detail::device_scope make_current() const { return cuda_detail::device_scope(on_.index()); }
  void synchronize() { on_.synchronize(); }
  void settle() noexcept {
    try {
      auto const current = make_current();
      static_cast<void>(cudaDeviceSynchronize());
    } catch (error const&) {  // the device is lost
    }
  }
  void make_events(std::size_t n) {
    while (events_.size() < n) {
      events_.push_back(std::make_unique<cuda_detail::own_event>());
      static_cast<void>(events_.back()->get());
    }
  }
  void copy(std::size_t m, std::span<std::byte const> from, std::span<std::byte> to) {
    ORDO_CUDA(cudaMemcpyPeerAsync(to.data(), int(on_.index()), from.data(), int(gpus_[m]), from.size(), stream_for(m)));
  }
  void record(std::size_t event, std::size_t m) { ORDO_CUDA(cudaEventRecord(events_[event]->get(), stream_for(m))); }
  void hold_until(std::size_t event) { ORDO_CUDA(cudaStreamWaitEvent(on_.stream(), events_[event]->get(), 0)); }
  bool has_passed(std::size_t event) {
    cudaError_t const status = cudaEventQuery(events_[event]->get());
    if (status == cudaErrorNotReady) {
      static_cast<void>(cudaGetLastError());
      return false;
    }
    ORDO_CUDA(status);
    return true;
  }
  [[nodiscard]] void* stream(std::size_t m) const { return stream_for(m); }

 private:
  /// Returns the stream of copies from a member. One copy at a time comes over the link.
  [[nodiscard]] cudaStream_t stream_for(std::size_t m) const {
    return gpus_[m] == on_.index() ? from_this_gpu_->handle : from_others_->handle;
  }

  std::span<unsigned const> gpus_;
  gpu& on_;
  std::unique_ptr<cuda_detail::own_stream> from_this_gpu_, from_others_;
  std::vector<std::unique_ptr<cuda_detail::own_event>> events_;
};

}  // namespace

bool nccl_present() {
  return find_nccl() != nullptr;
}

void run_members(std::span<unsigned const> indices, std::function<void(communicator&, gpu&)> const& work,
                 gpu_exchange exchange) {
  std::vector<unsigned> const gpus(indices.begin(), indices.end());
  if (gpus.empty()) throw usage_error("bad communicator: run_members: no GPUs");
  std::size_t const present = ordo::gpus().size();
  for (unsigned const index : gpus)
    if (index >= present)
      throw usage_error("bad communicator: run_members: GPU " + std::to_string(index) + " of " + std::to_string(present));
  bool const peers = all_are_peers(gpus);
  if (exchange == gpu_exchange::automatic) exchange = peers || !nccl_present() ? gpu_exchange::peer_copies : gpu_exchange::nccl;
  if (exchange == gpu_exchange::nccl && !nccl_present())
    throw usage_error("bad communicator: run_members: there is no libnccl.so.2 of version 2.7 or newer");
  // The machines outlive all threads, because members may read each other's memory until the last one has ended.
  std::vector<gpu> machines;
  machines.reserve(gpus.size());
  for (unsigned const index : gpus) machines.emplace_back(gpu_options{.device = index});
  detail::nccl_calls const* const nccl = exchange == gpu_exchange::nccl ? find_nccl() : nullptr;
  detail::meeting_point shared(gpus.size());
  detail::run_threads(gpus.size(), shared, [&](std::size_t rank) {
    detail::device_member<member_gpu> member(gpus.size(), rank, shared, nccl, gpus, machines[rank], peers);
    work(member, machines[rank]);
  });
}

}  // namespace ordo::inline v0
