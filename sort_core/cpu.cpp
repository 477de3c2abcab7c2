#include "ordo/cpu.hpp"

#include <memory>
#include <new>
#include <utility>

#include "base/processes/fork_delay.hpp"
#include "base/processes/forks.hpp"
#include "sort_core/algorithms/run_stream.hpp"
#include "sort_core/check_operation.hpp"
#include "sort_core/host/backend.hpp"
#include "sort_core/one_user.hpp"
#include "sort_core/operations/run_operation.hpp"

namespace ordo::inline v0 {

struct cpu::state {
  explicit state(cpu_options const& options)
      : threads(options.threads),
        reuse(options.allocator ? pool::reuse::none : pool::reuse::same_size),
        source(options.allocator ? *options.allocator : static_cast<memory_resource&>(plain)),
        memory_limit(options.memory_limit) {}

  unsigned threads;
  pool::reuse reuse;
  host_memory plain;
  memory_resource& source;
  std::size_t memory_limit;

  /// What a call works with. A forked process has its own: the parent's threads may have been working with theirs.
  struct in_process {
    detail::one_user user;
    std::unique_ptr<limited_memory> limited;
    std::unique_ptr<host_backend> backend;  // created by the first call
  };
  per_process<in_process> own;
};

namespace {

/// Checks the offsets of a task's segments.
void check_task_segments(host_backend& backend, unsigned threads, detail::sort_task const& task) {
  if (task.segments == 0 || detail::check_task_bounds(backend, task)) return;
  host_backend check_backend(threads);  // memory of the check does not count as that of the sort
  detail::check_task_overlap(check_backend, task);
}

}  // namespace

cpu::use::use(cpu& on) : user_(on.checked().own.get().user) {
  begin_work();
  try {
    user_.enter("cpu");
  } catch (usage_error const&) {
    end_work();
    throw;
  }
}
cpu::use::~use() {
  user_.leave();
  end_work();
}

cpu::cpu(cpu_options const& options) : state_(std::make_unique<state>(options)) {}
cpu::~cpu() = default;
cpu::cpu(cpu&&) noexcept = default;
cpu& cpu::operator=(cpu&&) noexcept = default;

cpu::state& cpu::checked() const {
  if (!state_) detail::refuse_moved_from("cpu");
  return *state_;
}

host_backend& cpu::backend() {
  state& all = checked();
  auto& own = all.own.get();
  if (!own.backend) {
    own.limited = std::make_unique<limited_memory>(all.source, all.memory_limit);
    own.backend = std::make_unique<host_backend>(all.threads, *own.limited, all.reuse);
  }
  return *own.backend;
}

void cpu::reserve(std::size_t bytes) {
  use const now(*this);
  backend().pool().reserve(bytes);
}

// The memory of a call of another thread is left alone.
void cpu::trim(std::size_t max_bytes) noexcept try {
  if (!state_) return;
  auto& own = state_->own.get();
  if (!own.user.try_enter()) return;
  if (own.backend) own.backend->pool().trim(max_bytes);
  own.user.leave();
} catch (std::bad_alloc const&) {  // a process that was forked just now: it has nothing to free
}

std::size_t cpu::peak_memory() noexcept try {
  if (!state_) return 0;
  auto& own = state_->own.get();
  if (!own.user.try_enter()) return 0;
  std::size_t const peak = own.backend ? own.backend->pool().reset_peak() : 0;
  own.user.leave();
  return peak;
} catch (std::bad_alloc const&) {
  return 0;
}

void cpu::run(detail::sort_task const& task) {
  use const now(*this);
  detail::check_arguments(task);
  if (task.host && task.host->run_few(task)) return;
  check_task_segments(backend(), state_->threads, task);
  detail::run_task(backend(), task);
}

std::size_t cpu::memory_for(detail::sort_task const& task) {
  use const now(*this);
  detail::check_extents(task);
  return detail::memory_of_task(backend(), task);
}

std::uint64_t cpu::run(detail::operation_task const& task) {
  use const now(*this);
  detail::check_operation(task);
  if (task.host->run_few(task)) return 0;
  check_task_segments(backend(), state_->threads, task.sort);
  return detail::run_operation(backend(), task);
}

std::size_t cpu::memory_for(detail::operation_task const& task) {
  use const now(*this);
  detail::check_operation_width(task);
  detail::check_operation_extents(task);
  return detail::memory_of_operation(backend(), task);
}

std::uint64_t cpu::stream(detail::stream_task const& task) {
  use const now(*this);
  return detail::run_stream(backend(), task, 1, [](auto const&) {});
}

}  // namespace ordo::inline v0
