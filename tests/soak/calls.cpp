/// ordo_soak_calls [--device gpu] [--seconds N] [CALLS] [SEED]: calls the libraries CALLS times on the CPU, or on the first
/// GPU, from eight threads: sorts of the core, suffix arrays, spectra and lines, of random kinds and sizes, some of which must
/// fail. Each thread keeps one machine; one more machine goes from thread to thread. Each result is checked. After each tenth
/// it prints what the process holds and the CPU time of a call. The last line has a checksum of all results, which depends on
/// CALLS and SEED alone: it is the same on a GPU. --seconds ends each tenth of the calls after a tenth of the time. The exit
/// status is 1 if a result is wrong, or if memory, that of the GPU, open files or threads grow in the second half. Memory
/// settles in the first 100,000 calls, so fewer than some 500,000 say nothing about it.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "ordo/cpu.hpp"
#include "ordo/gpu.hpp"
#include "ordo/memory.hpp"
#include "ordo/merge.hpp"
#include "ordo/rows.hpp"
#include "ordo/sort.hpp"
#include "ordo/spectra.hpp"
#include "ordo/spectra/arrays.hpp"
#include "ordo/strings.hpp"
#include "ordo/suffix.hpp"
#include "ordo/top_k.hpp"
#include "sort_core/cuda/runtime/devices.hpp"
#include "tests/soak/pinned.hpp"
#include "tools/generate/random.hpp"

namespace {

using random_source = ordo::generate::random_source;

class wrong_result : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

void require(bool holds, char const* what) {
  if (!holds) throw wrong_result(what);
}

/// FNV-1a over words.
std::uint64_t hash_of(void const* data, std::size_t bytes, std::uint64_t hash = 0xcbf29ce484222325) {
  auto const* byte = static_cast<unsigned char const*>(data);
  for (std::size_t i = 0; i < bytes; i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, byte + i, std::min<std::size_t>(8, bytes - i));
    hash = (hash ^ word) * 0x100000001b3;
    hash ^= hash >> 29;
  }
  return hash;
}

/// The arrays of a machine are on the heap, or, if all machines are GPUs, in memory that the GPUs reach, too.
bool arrays_for_gpu = false;

template <class T>
struct array_memory {
  using value_type = T;
  array_memory() = default;
  template <class U>
  array_memory(array_memory<U> const&) noexcept {}

  /// Each thread has a pool. An array ends in the thread that made it.
  static ordo::pool& pool() {
    thread_local std::unique_ptr<ordo::memory_resource> const source = ordo::soak::pinned_memory();
    thread_local ordo::pool blocks(*source);
    return blocks;
  }
  T* allocate(std::size_t n) {
    if (!arrays_for_gpu) return std::allocator<T>().allocate(n);
    return static_cast<T*>(pool().allocate(n * sizeof(T)));
  }
  void deallocate(T* block, std::size_t n) noexcept {
    if (!arrays_for_gpu) return std::allocator<T>().deallocate(block, n);
    pool().deallocate(block, n * sizeof(T));
  }
  friend bool operator==(array_memory const&, array_memory const&) { return true; }
};

template <class T>
using array = std::vector<T, array_memory<T>>;

/// Waits until a call has ended.
void finish(ordo::machine& on) {
  if (auto* const gpu = dynamic_cast<ordo::gpu*>(&on)) gpu->synchronize();
}

template <class T, class Memory>
std::uint64_t hash_of(std::vector<T, Memory> const& of) {
  return hash_of(of.data(), of.size() * sizeof(T));
}

/// Most sizes are small, as calls in a loop have them; one in a thousand is large.
std::size_t random_size(random_source& random) {
  if (random.below(1000) == 0) return random.below(std::size_t{1} << 18);
  return random.below(std::size_t{2} << random.below(14));
}

/// Random keys, at times few distinct ones.
template <class K>
array<K> random_keys(random_source& random, std::size_t n) {
  array<K> keys(n);
  std::uint64_t const distinct = random.chance(0.3) ? 1 + random.below(50) : ~std::uint64_t{0};
  for (K& key : keys) {
    std::uint64_t const bits = random() % distinct;
    if constexpr (std::is_floating_point_v<K>)
      key = static_cast<K>(static_cast<std::int64_t>(bits)) / 7;
    else
      key = static_cast<K>(bits);
  }
  return keys;
}

/// Ascending offsets from 0 to n, with empty segments.
array<std::uint32_t> random_offsets(random_source& random, std::size_t n) {
  array<std::uint32_t> offsets(2 + random.below(n / 4 + 2));
  for (auto& offset : offsets) offset = static_cast<std::uint32_t>(random.below(n + 1));
  offsets.front() = 0;
  offsets.back() = static_cast<std::uint32_t>(n);
  std::sort(offsets.begin(), offsets.end());
  return offsets;
}

/// The positions of [begin, end) by their keys, those of equal keys ascending: what a stable sort must find.
template <class K>
void require_stable_order(array<K> const& keys, std::span<std::uint32_t const> index, std::size_t begin, std::size_t end,
                          bool descending = false) {
  std::vector<std::uint8_t> seen(end - begin);
  for (std::size_t i = begin; i < end; ++i) {
    require(index[i] >= begin && index[i] < end && !seen[index[i] - begin], "positions: no permutation");
    seen[index[i] - begin] = 1;
    if (i == begin) continue;
    K const before = keys[index[i - 1]], here = keys[index[i]];
    require(descending ? before > here || (before == here && index[i - 1] < index[i])
                       : before < here || (before == here && index[i - 1] < index[i]),
            "positions: not in the stable order of the keys");
  }
}

template <class K>
std::uint64_t sort_of_core(ordo::machine& on, random_source& random) {
  std::size_t const n = random_size(random);
  array<K> const keys = random_keys<K>(random, n);
  array<K> sorted = keys;
  array<std::uint32_t> index(n);
  std::iota(index.begin(), index.end(), 0u);
  auto const gathered = [&] {
    for (std::size_t i = 0; i < n; ++i) require(sorted[i] == keys[index[i]], "keys: not those of the positions");
  };
  auto const expected = [&] {
    array<K> order = keys;
    std::sort(order.begin(), order.end());
    return order;
  };
  switch (random.below(9)) {
    case 0:
      ordo::sort_keys(on, sorted);
      finish(on);
      require(sorted == expected(), "sort_keys: not the order of std::sort");
      return hash_of(sorted);
    case 1:
      ordo::sort_pairs(on, sorted, index);
      finish(on);
      gathered();
      require_stable_order(keys, index, 0, n);
      return hash_of(index);
    case 2:
      ordo::argsort<ordo::sort_order::descending>(on, keys, index);
      finish(on);
      require_stable_order(keys, index, 0, n, true);
      return hash_of(index);
    case 3: {
      auto const offsets = random_offsets(random, n);
      ordo::sort_segments(on, sorted, index, ordo::segments_from_offsets(std::span(offsets)));
      finish(on);
      gathered();
      for (std::size_t s = 0; s + 1 < offsets.size(); ++s) require_stable_order(keys, index, offsets[s], offsets[s + 1]);
      return hash_of(index);
    }
    case 4: {
      auto const offsets = random_offsets(random, n);
      ordo::argsort_segments(on, keys, ordo::segments_from_offsets(std::span(offsets)), index);
      finish(on);
      for (std::size_t s = 0; s + 1 < offsets.size(); ++s) require_stable_order(keys, index, offsets[s], offsets[s + 1]);
      return hash_of(index);
    }
    case 5: {
      std::size_t const length = 1 + random.below(200), arrays = n / length;
      ordo::sort_arrays(on, std::span(sorted).first(arrays * length), ordo::uniform_segments(arrays, length));
      finish(on);
      array<K> order = keys;
      for (std::size_t a = 0; a < arrays; ++a)
        std::sort(order.begin() + static_cast<std::ptrdiff_t>(a * length),
                  order.begin() + static_cast<std::ptrdiff_t>((a + 1) * length));
      require(sorted == order, "sort_arrays: not the order of std::sort");
      return hash_of(sorted);
    }
    case 6: {
      std::size_t const k = random.below(n + 1);
      ordo::top_k(on, keys, k, std::span(sorted).first(k), {.largest = false});
      finish(on);
      require(std::equal(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(k), expected().begin()),
              "top_k: not the smallest keys");
      return hash_of(sorted.data(), k * sizeof(K));
    }
    case 7: {
      array<K> const order = expected();
      array<K> distinct(n);
      std::size_t const groups = ordo::unique(on, order, std::span(distinct));
      finish(on);
      distinct.resize(groups);
      array<K> wanted = order;
      wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
      require(distinct == wanted, "unique: not the keys of std::unique");
      array<K> merged(n + distinct.size()), wanted_merged;
      ordo::merge(on, order, std::span<K const>(distinct), std::span(merged));
      finish(on);
      std::merge(order.begin(), order.end(), distinct.begin(), distinct.end(), std::back_inserter(wanted_merged));
      require(merged == wanted_merged, "merge: not the keys of std::merge");
      return hash_of(merged);
    }
    default: {
      ordo::row_key const rows[] = {ordo::key_column(keys)};
      ordo::argsort_rows(on, rows, index);
      finish(on);
      require_stable_order(keys, index, 0, n);
      ordo::gather(on, keys, index, std::span(sorted));
      finish(on);
      gathered();
      return hash_of(index);
    }
  }
}

std::uint64_t suffix_array(ordo::machine& on, random_source& random) {
  std::size_t const n = 1 + random_size(random) / 4;
  std::string residues(n, 'A');
  for (char& residue : residues) residue = "ACGT"[random.below(4)];
  ordo::suffix::build_options options;
  options.machine.on = &on;
  auto const built = ordo::suffix::build<std::uint32_t>({residues}, {.lcp = true, .bwt = true}, options);
  std::vector<std::uint8_t> seen(n);
  std::string_view const text = residues;
  for (std::size_t i = 0; i < n; ++i) {
    require(built.sa[i] < n && !seen[built.sa[i]], "suffix array: no permutation");
    seen[built.sa[i]] = 1;
    if (i == 0) continue;
    std::string_view const before = text.substr(built.sa[i - 1]), here = text.substr(built.sa[i]);
    require(before < here, "suffix array: not in order");
    std::size_t const common =
        static_cast<std::size_t>(std::mismatch(before.begin(), before.end(), here.begin(), here.end()).first - before.begin());
    require(built.lcp[i] == common, "LCP: not the length of the common prefix");
  }
  return hash_of(built.sa) ^ hash_of(built.lcp) ^ hash_of(built.bwt.data(), built.bwt.size());
}

std::uint64_t lines(ordo::machine& on, random_source& random) {
  std::string text;
  for (std::size_t k = random_size(random) / 4; k > 0; --k) {
    for (std::size_t length = random.below(30); length > 0; --length) text += static_cast<char>('a' + random.below(3));
    text += '\n';
  }
  ordo::strings::sort_options options;
  options.machine.on = &on;
  auto const sorted = ordo::strings::sort(text, options);
  std::vector<std::size_t> starts;
  std::uint64_t hash = 0;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    starts.push_back(sorted.start(k));
    require(k == 0 || sorted[k - 1] < sorted[k] || (sorted[k - 1] == sorted[k] && starts[k - 1] < starts[k]),
            "lines: not in order");
  }
  hash = hash_of(starts);
  std::sort(starts.begin(), starts.end());
  std::size_t next = 0;
  for (std::size_t const start : starts) {
    require(start == next, "lines: one is missing");
    next = text.find('\n', start) + 1;
  }
  require(next == text.size(), "lines: the last is missing");
  return hash;
}

/// Titles are numbers, and m/z too, so that what must come out is known: intensities follow their m/z.
std::uint64_t spectra(ordo::machine& on, random_source& random) {
  std::string mgf, wanted;
  for (std::size_t s = random.below(20); s > 0; --s) {
    std::string const head = "BEGIN IONS\nTITLE=" + std::to_string(s) + "\nPEPMASS=500.5\n";
    std::vector<std::uint64_t> peaks(random.below(100));
    for (auto& mz : peaks) mz = 100 + random.below(1900);
    auto const append = [&](std::string& to) {
      to += head;
      for (std::uint64_t const mz : peaks) to += std::to_string(mz) + ".25 " + std::to_string(mz * 7) + '\n';
      to += "END IONS\n";
    };
    append(mgf);
    std::sort(peaks.begin(), peaks.end());
    append(wanted);
  }
  ordo::spectra::sort_options options;
  options.machine.on = &on;
  std::string out = mgf;
  ordo::spectra::sort(mgf, out, options);
  require(out == wanted, "spectra: not in order");
  return hash_of(out.data(), out.size());
}

std::uint64_t peaks_in_arrays(ordo::machine& on, random_source& random) {
  std::size_t const n = random_size(random);
  auto offsets = random_offsets(random, n);
  array<double> mz(n);
  array<float> intensity(n);
  for (std::size_t i = 0; i < n; ++i) {
    mz[i] = static_cast<double>(random.below(100'000));
    intensity[i] = static_cast<float>(mz[i]) / 2;
  }
  std::size_t const kept =
      ordo::spectra::top(on, std::span(mz), std::span(intensity), std::span(offsets), 1 + random.below(50));
  ordo::spectra::sort_peaks(on, std::span(mz).first(kept), std::span(intensity).first(kept),
                            std::span<std::uint32_t const>(offsets));
  finish(on);
  require(offsets.back() == kept, "top: offsets do not end at the last peak");
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
    for (std::size_t i = offsets[s]; i < offsets[s + 1]; ++i) {
      require(intensity[i] == static_cast<float>(mz[i]) / 2, "sort_peaks: an intensity left its m/z");
      require(i == offsets[s] || mz[i - 1] <= mz[i], "sort_peaks: not in order");
    }
  return hash_of(mz.data(), kept * sizeof(double));
}

/// Calls that must fail, and leave nothing after.
std::uint64_t failing_call(ordo::machine& on, random_source& random) {
  array<std::uint32_t> keys = random_keys<std::uint32_t>(random, 100 + random.below(1000));
  try {
    switch (random.below(4)) {
      case 0: {
        array<std::uint32_t> const offsets{0, 50, 20, static_cast<std::uint32_t>(keys.size())};
        auto const segments = ordo::segments_from_offsets(std::span(offsets));
        if (on.kind() == ordo::device::gpu)
          ordo::check_segments(on, keys.size(), segments);  // the sort does not wait for a GPU, and does not check
        else
          ordo::sort_segments(on, keys, segments);
        break;
      }
      case 1: {
        array<std::uint32_t> values(keys.size() - 1);
        ordo::sort_pairs(on, keys, values);
        break;
      }
      case 2: {
        std::string mgf = "BEGIN IONS\nTITLE=x\n100 1\nno peak\nEND IONS\n", out = mgf;
        ordo::spectra::sort_options options;
        options.machine.on = &on;
        ordo::spectra::sort(mgf, out, options);
        break;
      }
      default: {
        ordo::cpu small({.threads = 1, .memory_limit = 64});
        array<std::uint64_t> many = random_keys<std::uint64_t>(random, 20'000);
        array<std::uint64_t> values = many;
        ordo::sort_pairs(small, many, values);
        break;
      }
    }
  } catch (ordo::error const&) {
    return 1;
  }
  throw wrong_result("a call that must fail: succeeded");
}

std::uint64_t call(ordo::machine& on, random_source& random) {
  switch (random.below(14)) {
    case 0:
      return sort_of_core<std::uint8_t>(on, random);
    case 1:
      return sort_of_core<std::uint16_t>(on, random);
    case 2:
      return sort_of_core<std::uint32_t>(on, random);
    case 3:
      return sort_of_core<std::int32_t>(on, random);
    case 4:
      return sort_of_core<std::uint64_t>(on, random);
    case 5:
      return sort_of_core<std::int64_t>(on, random);
    case 6:
      return sort_of_core<float>(on, random);
    case 7:
      return sort_of_core<double>(on, random);
    case 8:
      return suffix_array(on, random);
    case 9:
      return lines(on, random);
    case 10:
      return spectra(on, random);
    case 11:
      return peaks_in_arrays(on, random);
    case 12:
      return failing_call(on, random);
    default:
      on.trim(random.below(1 << 20));
      return sort_of_core<std::uint32_t>(on, random);
  }
}

/// Memory, files and threads of the process; on a GPU, the memory of all processes there.
struct holdings {
  double resident_mb, gpu_mb;
  std::size_t files, threads;
};

holdings held_now([[maybe_unused]] bool on_gpu) {
  std::size_t total = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  auto const count = [](char const* folder) {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
  };
  double gpu_mb = 0;
  if constexpr (ordo::cuda_enabled) {
    if (on_gpu) {
      ordo::cuda_detail::gpu_state const state = ordo::cuda_detail::state_of_gpu(0);
      if (!state.unusable.empty()) throw std::runtime_error(state.unusable);
      gpu_mb = static_cast<double>(ordo::gpus().at(0).memory - state.free_memory) / 1e6;
    }
  }
  return {static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6, gpu_mb, count("/proc/self/fd"),
          count("/proc/self/task")};
}

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

}  // namespace

int main(int argc, char** argv) try {
  std::uint64_t numbers[] = {1'000'000, 1};
  double seconds = std::numeric_limits<double>::infinity();
  bool on_gpu = false;
  std::size_t given = 0;
  for (int k = 1; k < argc; ++k) {
    std::string_view const word = argv[k];
    char const* const value = k + 1 < argc ? argv[k + 1] : "";
    if (word == "--device" && (value == std::string_view("cpu") || value == std::string_view("gpu"))) {
      on_gpu = arrays_for_gpu = value == std::string_view("gpu");
      ++k;
    } else if (word == "--seconds" && std::atof(value) > 0) {
      seconds = std::atof(value);
      ++k;
    } else if (given < std::size(numbers) && std::strtoull(argv[k], nullptr, 10) > 0) {
      numbers[given++] = std::strtoull(argv[k], nullptr, 10);
    } else {
      std::fprintf(stderr, "ordo_soak_calls: %s: not an option, or without its value\n", argv[k]);
      return 2;
    }
  }
  auto const [calls, seed] = std::pair(numbers[0], numbers[1]);
  constexpr unsigned threads_of[] = {1, 2, 0, 1, 2, 0, 1, 0};  // of the machine of each thread
  auto const make_machine = [&](unsigned threads) -> std::unique_ptr<ordo::machine> {
    if (on_gpu) return std::make_unique<ordo::gpu>();
    return std::make_unique<ordo::cpu>(ordo::cpu_options{.threads = threads});
  };
  std::unique_ptr<ordo::machine> const shared = make_machine(0);
  std::vector<std::unique_ptr<ordo::machine>> machines;
  for (unsigned const threads : threads_of) machines.push_back(make_machine(threads));
  std::mutex turn;
  std::atomic<std::uint64_t> checksum{0}, next{0}, done{0};
  std::atomic<bool> failed{false};
  std::vector<holdings> held;
  std::printf("calls\tresident MB\tMB on the GPU\tfiles\tthreads\tCPU microseconds a call\n");
  double before = cpu_seconds();
  auto const start = std::chrono::steady_clock::now();
  for (std::uint64_t tenth = 1; tenth <= 10; ++tenth) {
    std::uint64_t const end = calls * tenth / 10, done_before = done;
    auto const in_time = [&, until = seconds * static_cast<double>(tenth) / 10] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < until;
    };
    std::vector<std::thread> threads;
    for (auto const& own : machines)
      threads.emplace_back([&, on = own.get()] {
        for (std::uint64_t number = next++; number < end && !failed && in_time(); number = next++) {
          random_source random(seed << 40 ^ number);
          try {
            std::uint64_t result = 0;
            if (random.below(16) == 0) {
              std::lock_guard const lock(turn);
              result = call(*shared, random);
            } else {
              result = call(*on, random);
            }
            checksum += result * (2 * number + 1);
            ++done;
          } catch (std::exception const& e) {
            failed = true;
            std::fprintf(stderr, "ordo_soak_calls: call %llu: %s\n", static_cast<unsigned long long>(number), e.what());
          }
        }
      });
    for (auto& thread : threads) thread.join();
    if (failed) return 1;
    next = end;
    held.push_back(held_now(on_gpu));
    double const now = cpu_seconds();
    std::printf("%llu\t%.1f\t%.1f\t%zu\t%zu\t%.1f\n", static_cast<unsigned long long>(done), held.back().resident_mb,
                held.back().gpu_mb, held.back().files, held.back().threads,
                (now - before) * 1e6 / static_cast<double>(std::max<std::uint64_t>(1, done - done_before)));
    std::fflush(stdout);
    before = now;
  }
  std::printf("checksum\t%016llx\n", static_cast<unsigned long long>(checksum.load()));
  // Memory after a tenth varies by some MB with the large calls that were the last ones, so the halves' maxima are compared.
  auto const maximum = [&](std::size_t first, auto member) {
    auto value = held[first].*member;
    for (std::size_t tenth = first; tenth < first + 5; ++tenth) value = std::max(value, held[tenth].*member);
    return value;
  };
  bool const grew = maximum(5, &holdings::resident_mb) > maximum(0, &holdings::resident_mb) * 1.1 + 8 ||
                    maximum(5, &holdings::gpu_mb) > maximum(0, &holdings::gpu_mb) * 1.1 + 8 ||
                    maximum(5, &holdings::files) > maximum(0, &holdings::files) ||
                    maximum(5, &holdings::threads) > maximum(0, &holdings::threads);
  if (grew) std::fprintf(stderr, "ordo_soak_calls: memory, files or threads grew\n");
  return grew ? 1 : 0;
} catch (std::exception const& e) {
  std::fprintf(stderr, "ordo_soak_calls: %s\n", e.what());
  return 1;
}
