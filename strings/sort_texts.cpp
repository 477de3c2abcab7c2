#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "ordo/cpu_backend.hpp"
#include "ordo/detail/config.hpp"
#include "ordo/error.hpp"
#include "ordo/strings.hpp"
#include "sort_core/gpu_threshold.hpp"
#include "sort_core/scoped_machine.hpp"
#include "strings/sort/line_sort.hpp"
#include "strings/sort/text_job.hpp"

namespace ordo::strings {
namespace {

using detail::text_job;

// Memory for the text and, at lines of about 60 bytes, for sorting it. When all is read, the true figure is known.
constexpr std::size_t memory_per_byte = 2;
constexpr std::size_t usual_line = 64;   // bytes, to guess how many lines there are
constexpr std::size_t beside_text = 16;  // this part of the memory is for what reading takes: buffers, whole huge pages
constexpr std::size_t least_room = std::size_t{256} << 10, step = std::size_t{32} << 20;

[[noreturn]] void refuse(std::size_t limit, std::size_t bytes) {
  throw out_of_memory(fmt::format("out of memory: input: more than the {} bytes that fit", limit), bytes);
}

// All of a text behind what is there.
void append(host_backend& machine, source& from, host_bytes& to, std::size_t limit) {
  if (auto const part = ordo::detail::addressed_part(from, std::numeric_limits<std::uint64_t>::max())) {
    if (part->bytes > limit - std::min(limit, to.size())) refuse(limit, to.size() + part->bytes);
    std::size_t const before = to.size();
    to.resize(before + std::size_t(part->bytes));
    machine.load(from, to.span().subspan(before));
    return;
  }
  for (;;) {
    std::span<char> room = to.room(least_room);
    // A byte beyond the limit shows that there is more.
    room = room.first(std::min({room.size(), step, limit - std::min(limit, to.size()) + 1}));
    std::size_t const got = machine.load(from, room);
    to.resize(to.size() + got);
    if (to.size() > limit) refuse(limit, to.size());
    if (got < room.size()) return;
  }
}

// The texts that no machine has loaded yet, to the host's memory.
void load_rest(text_job& job) {
  machine_options const here{.threads = job.how.machine.threads};
  work_on<cpu>(here, here.threads, [&](host_backend& machine) {
    std::size_t const limit = job.how.memory - job.how.memory / beside_text;
    // One byte more than is expected: the read that finds the end needs a place.
    std::size_t const known = std::size_t(std::min<std::uint64_t>(job.from.bytes, limit));
    job.host.reserve(std::max(job.host.size(), known) + least_room);
    for (; job.more(); job.open.reset()) {
      std::size_t const before = job.host.size();
      append(machine, *job.open, job.host, limit);
      if (job.host.size() != before && job.host.span().back() != job.how.delimiter) job.host.append({&job.how.delimiter, 1});
    }
  });
}

}  // namespace

bool detail::sorted_on_gpu(text_job& job) {
  machine_choice& machine = job.report.machine;
  std::size_t const bytes = std::size_t(job.from.bytes);
  machine = choose_machine(job.how, bytes, [&] { return bytes / usual_line; });
  if (!cuda_enabled || machine.device != device::gpu || bytes == 0) return false;
  if constexpr (cuda_enabled) {
    bool const narrow = job.most_bytes() <= std::numeric_limits<std::uint32_t>::max();
    try {
      return narrow ? sort_texts_on_cuda<std::uint32_t>(job, machine.gpu_index)
                    : sort_texts_on_cuda<std::uint64_t>(job, machine.gpu_index);
    } catch (out_of_memory const& e) {
      if (machine.required || job.writing || job.on_device) throw;
      machine = {device::cpu, e.what(), true, false, 0};
    }
  }
  return false;
}

sort_report sort(texts const& from, sink& to, options const& how, repeated equal, phase_observer const& began) {
  detail::check_delimiter(how.delimiter);
  text_job job{from, to, how, equal, began};
  job.begin(phase::read, from.bytes);
  if (detail::sorted_on_gpu(job)) return std::move(job.report);
  if (from.bytes > how.memory / memory_per_byte)
    throw out_of_memory(fmt::format("out of memory: input: {} bytes need {} of memory, {} are available", from.bytes,
                                    from.bytes * memory_per_byte, how.memory),
                        std::size_t(from.bytes * memory_per_byte));
  machine_choice& machine = job.report.machine;
  load_rest(job);
  job.report.bytes = job.host.size();
  job.begin(phase::sort, job.host.size());
  options here = how;
  here.memory = how.memory - std::min(how.memory, job.host.size());
  if (machine.fell_back) here.machine = {device::cpu, how.machine.threads};
  auto const lines = sort(std::string_view(job.host.data(), job.host.size()), here);
  if (!machine.fell_back) machine = lines.machine();
  job.report.device_memory = lines.device_memory();
  job.begin(phase::write, job.host.size());
  job.report.written = write(lines, equal, how.machine.threads, to, how.head);
  return std::move(job.report);
}

}  // namespace ordo::strings
