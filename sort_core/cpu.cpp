#include "ordo/cpu.hpp"

#include <optional>
#include <utility>

#include "sort_core/check_operation.hpp"
#include "sort_core/host_operations.hpp"
#include "sort_core/host_tasks.hpp"
#include "sort_core/run_stream.hpp"

namespace ordo::inline v0 {

struct cpu::state {
  explicit state(cpu_options const& options)
      : threads(options.threads),
        reuse(options.allocator ? pool::reuse::none : pool::reuse::same_size),
        limited(options.allocator ? *options.allocator : static_cast<memory_resource&>(plain), options.memory_limit) {}

  unsigned threads;
  pool::reuse reuse;
  host_memory plain;
  limited_memory limited;
  std::optional<host_backend> backend;  // created by the first call
};

namespace {

/// Checks the offsets of a task's segments.
void check_segments_of(host_backend& backend, unsigned threads, detail::sort_task const& task) {
  if (task.segments == 0 || detail::check_bounds_of(backend, task)) return;
  host_backend apart(threads);  // memory of the check does not count as that of the sort
  detail::check_overlap_of(apart, task);
}

}  // namespace

cpu::cpu(cpu_options const& options) : state_(std::make_unique<state>(options)) {}
cpu::~cpu() = default;
cpu::cpu(cpu&&) noexcept = default;
cpu& cpu::operator=(cpu&&) noexcept = default;

host_backend& cpu::backend() {
  if (!state_->backend) state_->backend.emplace(state_->threads, state_->limited, state_->reuse);
  return *state_->backend;
}

void cpu::reserve(std::size_t bytes) {
  backend().pool().reserve(bytes);
}

void cpu::trim(std::size_t max_bytes) noexcept {
  if (state_->backend) state_->backend->pool().trim(max_bytes);
}

std::size_t cpu::peak_memory() noexcept {
  return state_->backend ? state_->backend->pool().take_peak() : 0;
}

void cpu::run(detail::sort_task const& task) {
  detail::check_arguments(task);
  check_segments_of(backend(), state_->threads, task);
  detail::run_task(backend(), task);
}

std::size_t cpu::memory_for(detail::sort_task const& task) {
  return detail::memory_of_task(backend(), task);
}

std::uint64_t cpu::run(detail::operation_task const& task) {
  detail::check_operation(task);
  check_segments_of(backend(), state_->threads, task.sort);
  return detail::run_operation(backend(), task);
}

std::size_t cpu::memory_for(detail::operation_task const& task) {
  detail::check_operation_width(task);
  return detail::memory_of_operation(backend(), task);
}

std::uint64_t cpu::stream(detail::stream_task const& task) {
  return detail::run_stream(backend(), task, 1, [](auto const&) {});
}

}  // namespace ordo::inline v0
