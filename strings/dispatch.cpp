#include "ordo/strings.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include "base/pooled_arena.hpp"
#include "base/threads.hpp"
#include "ordo/cpu_backend.hpp"
#include "ordo/detail/config.hpp"
#include "ordo/error.hpp"
#include "sort_core/gpu_threshold.hpp"
#include "sort_core/scoped_machine.hpp"
#include "strings/external/long_line.hpp"
#include "strings/keys/compiled_keys.hpp"
#include "strings/sort/line_sort.hpp"
#include "strings/sort/text_job.hpp"

namespace ordo::inline v0::strings {
namespace {

bool is_narrow(std::size_t bytes) {
  return bytes <= std::numeric_limits<std::uint32_t>::max();
}

std::size_t count_lines(std::string_view text, char delimiter, unsigned threads) {
  pooled_arena arena(threads_for(threads));
  return arena.execute([&] {
    return 1 + tbb::parallel_reduce(
                   tbb::blocked_range<char const*>(text.data(), text.data() + text.size(), 1 << 20), std::size_t{0},
                   [=](auto const& part, std::size_t count) {
                     return count + std::size_t(std::count(part.begin(), part.end(), delimiter));
                   },
                   std::plus<>{});
  });
}

}  // namespace

std::size_t sort_memory(device kind, std::size_t bytes, std::size_t lines, order const& by, char delimiter) {
  bool const narrow = is_narrow(bytes);
  if constexpr (cuda_enabled)
    if (kind == device::gpu)
      return narrow ? detail::memory_on_cuda<std::uint32_t>(bytes, lines, by, delimiter)
                    : detail::memory_on_cuda<std::uint64_t>(bytes, lines, by, delimiter);
  return narrow ? detail::memory_on_host<std::uint32_t>(bytes, lines, by, delimiter)
                : detail::memory_on_host<std::uint64_t>(bytes, lines, by, delimiter);
}

namespace {

/// Returns true if a key has to be searched for, or takes long to read. Whole lines as numbers or without case take little
/// time.
bool has_costly_keys(order const& by) {
  return std::ranges::any_of(by.keys, [](key const& k) {
    return k.last_field != key::to_the_end || k.first_field != 0 || k.type == key_type::version;
  });
}

}  // namespace

machine_choice detail::choose_machine(sort_options const& options, std::size_t bytes,
                                      std::function<std::size_t()> const& lines) {
  if (detail::compiled_keys const keys(options.by, static_cast<unsigned char>(options.delimiter)); keys.needs_host()) {
    // A user who required a GPU gets a warning.
    bool const other = options.machine.kind() == device::gpu;
    bool const has_general_numbers = std::ranges::count(options.by.keys, key_type::general_number, &strings::key::type) != 0;
    return {device::cpu,
            options.by.is_collated() ? "lines in the order of locale " + options.by.locale + ": the CPU compares them"
            : options.by.quoted      ? "fields may have quotes: the CPU reads them"
            : has_general_numbers    ? "general numbers are long double: the CPU reads them"
                                     : "the CPU reads keys of this type",
            other, !other};
  }
  throughput const rates = has_costly_keys(options.by) ? throughput{126e6, 862e6, 3416e6} : throughput{312e6, 1426e6, 3190e6};
  constexpr std::size_t never_worth_it = std::size_t{1} << 20;  // for any number of threads, which need not be counted then
  std::size_t const worthwhile = !cuda_enabled || bytes < never_worth_it ? std::numeric_limits<std::size_t>::max()
                                                                         : gpu_crossover_bytes(rates, options.machine.threads);
  return choose_machine(options.machine, bytes, worthwhile, [&](gpu_info const&) {
    return sort_memory(device::gpu, bytes, lines(), options.by, options.delimiter);
  });
}

void detail::check_memory(std::size_t bytes, std::size_t lines, std::size_t needed, std::size_t limit) {
  if (needed > limit)
    throw out_of_memory(fmt::format("out of memory: sorting {} lines of {} bytes: {} more bytes are needed, {} are available",
                                    lines, bytes, needed, limit),
                        needed);
}

void detail::check_delimiter(char delimiter) {
  if (static_cast<unsigned char>(delimiter) >= 0x80)
    throw usage_error("bad delimiter: lines: it must be a character below 0x80");
}

sorted_lines sort(std::string_view text, sort_options const& options) {
  detail::check_delimiter(options.delimiter);
  sorted_lines result;
  result.text_ = text;
  result.delimiter_ = options.delimiter;
  result.by_ = options.by;
  result.machine_ = detail::choose_machine(options, text.size(),
                                           [&] { return count_lines(text, options.delimiter, options.machine.threads); });
  auto const run = [&]<class Offset>(buffer<Offset>& starts) {
    detail::line_sort<Offset> sorted;
    run_with_fallback(
        result.machine_, [&] { sorted = detail::sort_on_cuda<Offset>(text, options, result.machine_.gpu_index); },
        [&] { sorted = detail::sort_on_host<Offset>(text, options); });
    if (result.machine_.device == device::gpu) result.device_memory_ = sorted.peak_memory;
    result.size_ = sorted.lines;
    starts = std::move(sorted.starts);
    result.duplicates_ = std::move(sorted.repeats);
  };
  if (is_narrow(text.size())) {
    try {
      run(result.narrow_);
      return result;
    } catch (detail::offsets_too_narrow const&) {}
  }
  run(result.wide_);
  return result;
}

namespace {

using detail::text_job;

// The memory for the text and, with lines of about 60 bytes, for sorting it. The exact figure is known once all is read.
constexpr std::size_t memory_per_byte = 2;
constexpr std::size_t usual_line = 64;   // bytes, for an estimate of the number of lines
constexpr std::size_t beside_text = 16;  // this part of the memory is for reading: buffers, whole huge pages
constexpr std::size_t min_room = std::size_t{256} << 10, step = std::size_t{32} << 20;

[[noreturn]] void refuse(std::size_t limit, std::size_t bytes) {
  throw out_of_memory(fmt::format("out of memory: input: more than the {} bytes that fit", limit), bytes);
}

// Appends all of a text.
void append(host_backend& backend, source& from, host_bytes& to, std::size_t limit) {
  if (auto const part = ordo::detail::addressed_part(from, std::numeric_limits<std::uint64_t>::max())) {
    if (part->bytes > limit - std::min(limit, to.size())) refuse(limit, to.size() + part->bytes);
    std::size_t const before = to.size();
    to.resize(before + std::size_t(part->bytes));
    backend.load(from, to.span().subspan(before));
    return;
  }
  for (;;) {
    std::span<char> room = to.room(min_room);
    // A byte beyond the limit shows that the text is longer.
    room = room.first(std::min({room.size(), step, limit - std::min(limit, to.size()) + 1}));
    std::size_t const got = backend.load(from, room);
    to.resize(to.size() + got);
    if (to.size() > limit) refuse(limit, to.size());
    if (got < room.size()) return;
  }
}

// Appends the texts that no machine has loaded yet to the host's memory.
void load_rest(text_job& job) {
  machine_options const here{.threads = job.options.machine.threads};
  with_machine<cpu>(here, here.threads, [&](host_backend& backend) {
    std::size_t const limit = job.options.memory - job.options.memory / beside_text;
    // The read that finds the end needs room for one more byte.
    std::size_t const known = std::size_t(std::min<std::uint64_t>(job.from.bytes, limit));
    job.host.reserve(std::max(job.host.size(), known) + min_room);
    while (job.more()) {
      std::size_t const before = job.host.size();
      append(backend, *job.open, job.host, limit);
      job.end_text(before);
    }
  });
}

}  // namespace

bool detail::sorted_on_gpu(text_job& job) {
  machine_choice& machine = job.report.machine;
  std::size_t const bytes = std::size_t(job.from.bytes);
  // A text that can only be read in order goes to the host's memory first. Meanwhile the GPU starts.
  if (cuda_enabled && job.options.machine.device == device::gpu && !job.options.machine.on && job.more() && !job.open->size()) {
    machine = {device::gpu, "requested", false, true, job.options.machine.gpu_index.value_or(0)};
    return false;
  }
  machine = choose_machine(job.options, bytes, [&] { return bytes / usual_line; });
  if (!cuda_enabled || machine.device != device::gpu || bytes == 0) return false;
  if constexpr (cuda_enabled) {
    bool const narrow = job.max_bytes() <= std::numeric_limits<std::uint32_t>::max();
    try {
      return narrow ? sort_texts_on_cuda<std::uint32_t>(job, machine.gpu_index)
                    : sort_texts_on_cuda<std::uint64_t>(job, machine.gpu_index);
    } catch (out_of_memory const& e) {
      if (machine.required || job.now != text_job::stage::on_host) throw;
      machine = {device::cpu, e.what(), true, false, 0};
    }
  }
  return false;
}

sort_report sort(texts const& from, sink& to, sort_options const& options, duplicates equal, phase_observer const& began) {
  detail::check_delimiter(options.delimiter);
  text_job job{from, to, options, equal, began};
  job.begin(phase::read, from.bytes);
  if (detail::sorted_on_gpu(job)) return std::move(job.report);
  if (from.bytes > options.memory / memory_per_byte)
    throw out_of_memory(fmt::format("out of memory: input: {} bytes need {} of memory, {} are available", from.bytes,
                                    from.bytes * memory_per_byte, options.memory),
                        std::size_t(from.bytes * memory_per_byte));
  machine_choice& machine = job.report.machine;
  load_rest(job);
  job.report.bytes = job.host.size();
  job.begin(phase::sort, job.host.size());
  sort_options here = options;
  here.memory = options.memory - std::min(options.memory, job.host.size());
  if (machine.fell_back) here.machine = {device::cpu, options.machine.threads};
  auto const lines = sort(std::string_view(job.host.data(), job.host.size()), here);
  if (!machine.fell_back) machine = lines.machine();
  job.report.device_memory = lines.device_memory();
  job.begin(phase::write, job.host.size());
  job.report.written = write(lines, equal, options.machine.threads, to, options.head);
  return std::move(job.report);
}

std::string_view sorted_lines::operator[](std::size_t k) const {
  char const* const begin = text_.data() + start(k);
  char const* const end = text_.data() + text_.size();
  void const* const delimiter = std::memchr(begin, delimiter_, std::size_t(end - begin));
  return {begin, delimiter ? static_cast<char const*>(delimiter) : end};
}

order_check::order_check(sort_options const& options, bool strict)
    : compare_(options.by, options.delimiter), strict_(strict), delimiter_(options.delimiter) {}

bool order_check::take(std::string_view line, std::string_view before) {
  if (lines_++ == 0) return true;
  int const order = compare_(before, line);
  return strict_ ? order < 0 : order <= 0;
}

bool order_check::feed(std::string_view piece) {
  std::string_view rest = piece, before = previous_;
  std::string joined;
  while (true) {
    std::size_t const length = rest.find(delimiter_);
    if (length == rest.npos) break;
    std::string_view line = rest.substr(0, length);
    rest.remove_prefix(length + 1);
    if (!unfinished_.empty()) {
      joined = std::move(unfinished_.append(line));
      unfinished_.clear();
      line = joined;
    }
    if (!take(line, before)) {
      previous_ = line;
      return false;
    }
    before = line;
  }
  if (before.data() != previous_.data()) previous_ = std::string(before);
  detail::grow_line(unfinished_.size(), [&] { unfinished_ += rest; });
  return true;
}

bool order_check::finish() {
  if (unfinished_.empty()) return true;
  bool const in_order = take(unfinished_, previous_);
  previous_ = std::move(unfinished_);
  return in_order;
}

}  // namespace ordo::inline v0::strings
