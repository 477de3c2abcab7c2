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
  task task{done_.size(), host, device, bytes, nullptr};  // no lock: only this thread assigns numbers
  ORDO_CUDA(cudaEventCreateWithFlags(&task.made, cudaEventDisableTiming));
  try {
    ORDO_CUDA(cudaEventRecord(task.made, stream_));
    std::lock_guard const lock(guard_);
    done_.push_back(false);
    tasks_.insert(first ? tasks_.begin() : tasks_.end(), task);
  } catch (...) {
    static_cast<void>(cudaEventDestroy(task.made));
    throw;
  }
  changed_.notify_all();
  return task.number;
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
    task const task = tasks_.front();
    tasks_.pop_front();
    lock.unlock();
    try {
      device_scope const on(gpu_index);
      if (!failed) {
        ORDO_CUDA(cudaStreamWaitEvent(beside, task.made));
        staging_.download(task.host, task.device, task.bytes, beside);
      }
    } catch (...) {
      failed = std::current_exception();
    }
    static_cast<void>(cudaEventDestroy(task.made));
    lock.lock();
    done_[task.number] = true;
    failure_ = failed;
    changed_.notify_all();
  }
  static_cast<void>(cudaStreamSynchronize(beside));  // after a failure, copies may still be running
}

}  // namespace ordo::inline v0::cuda_detail
