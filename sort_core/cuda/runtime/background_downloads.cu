#include "sort_core/cuda/runtime/background_downloads.hpp"

#include <utility>

#include "sort_core/cuda/runtime/devices.hpp"
#include "sort_core/cuda/runtime/error.cuh"

namespace ordo::inline v0::cuda_detail {

background_downloads::~background_downloads() {
  if (!thread_.joinable()) return;
  {
    std::lock_guard const lock(guard_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::size_t background_downloads::add(void* host, void const* device, std::size_t bytes, bool first) {
  if (!thread_.joinable()) {  // before there is a copy that it must make
    int gpu = 0;
    ORDO_CUDA(cudaGetDevice(&gpu));
    thread_ = std::thread([this, gpu, beside = staging_.stream_beside()] { run(unsigned(gpu), beside); });
  }
  task one{done_.size(), host, device, bytes, nullptr};  // no lock: only this thread assigns numbers
  ORDO_CUDA(cudaEventCreateWithFlags(&one.made, cudaEventDisableTiming));
  try {
    ORDO_CUDA(cudaEventRecord(one.made, stream_));
    std::lock_guard const lock(guard_);
    done_.push_back(false);
    tasks_.insert(first ? tasks_.begin() : tasks_.end(), one);
  } catch (...) {
    static_cast<void>(cudaEventDestroy(one.made));
    throw;
  }
  changed_.notify_all();
  return one.number;
}

void background_downloads::wait(std::size_t number) {
  std::unique_lock lock(guard_);
  changed_.wait(lock, [&] { return done_[number]; });
  if (failure_) std::rethrow_exception(failure_);
}

// Runs all copies, also those that are waiting when the object is destroyed. After a failure it skips the rest.
void background_downloads::run(unsigned gpu_index, cudaStream_t beside) {
  std::exception_ptr failed;
  std::unique_lock lock(guard_);
  for (;;) {
    changed_.wait(lock, [&] { return ends_ || !tasks_.empty(); });
    if (tasks_.empty()) break;
    task const one = tasks_.front();
    tasks_.pop_front();
    lock.unlock();
    try {
      device_scope const on(gpu_index);
      if (!failed) {
        ORDO_CUDA(cudaStreamWaitEvent(beside, one.made));
        staging_.download(one.host, one.device, one.bytes, beside);
      }
    } catch (...) {
      failed = std::current_exception();
    }
    static_cast<void>(cudaEventDestroy(one.made));
    lock.lock();
    done_[one.number] = true;
    failure_ = failed;
    changed_.notify_all();
  }
  static_cast<void>(cudaStreamSynchronize(beside));  // after a failure, copies may still be running
}

}  // namespace ordo::inline v0::cuda_detail
