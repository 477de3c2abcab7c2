#pragma once
#include <algorithm>
#include <any>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

// A replacement for the parts of oneTBB that Ordo uses, for the thread sanitizer only. Distributions build oneTBB without the
// sanitizer, which then does not see its synchronisation nor, with oneTBB suppressed, races in the loop bodies. Here each loop
// starts and joins threads, and the bookkeeping uses relaxed atomics, so that the sanitizer sees only the order that a loop
// guarantees.
namespace tbb {
namespace threads {

inline thread_local int arena_size = 0;  // of this thread's arena; 0 outside of any
inline std::atomic<int> running{0};      // threads other than the callers
inline constexpr int most_running = 24;

inline std::size_t next_number() {
  static std::atomic<std::size_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace threads

namespace info {
/// More threads than most machines for continuous integration have, so that races can occur.
inline int default_concurrency() {
  return 4;
}
}  // namespace info

namespace this_task_arena {
inline int max_concurrency() {
  return threads::arena_size ? threads::arena_size : info::default_concurrency();
}
template <class F>
decltype(auto) isolate(F&& f) {
  return f();
}
}  // namespace this_task_arena

class task_arena {
 public:
  static constexpr int automatic = -1;
  explicit task_arena(int size = automatic) : size_(size < 1 ? info::default_concurrency() : size) {}
  [[nodiscard]] int max_concurrency() const { return size_; }
  template <class F>
  decltype(auto) execute(F&& f) {
    struct enter {
      int before;
      explicit enter(int size) : before(std::exchange(threads::arena_size, size)) {}
      ~enter() { threads::arena_size = before; }
    } const here(size_);
    return f();
  }

 private:
  int size_;
};

namespace threads {

/// Calls f(i) for i in [0, count), on as many threads as the arena has.
template <class F>
void run(std::size_t count, F const& f) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stopped{false};
  int const size = this_task_arena::max_concurrency();
  auto const work = [&](std::exception_ptr& error) {
    try {
      for (std::size_t i; !stopped.load(std::memory_order_relaxed);) {
        if ((i = next.fetch_add(1, std::memory_order_relaxed)) >= count) return;
        f(i);
      }
    } catch (...) {
      error = std::current_exception();
      stopped.store(true, std::memory_order_relaxed);
    }
  };
  std::vector<std::exception_ptr> errors(std::min<std::size_t>(std::size_t(size), count));
  {
    std::vector<std::jthread> others;
    for (std::size_t k = 1; k < errors.size() && running.fetch_add(1, std::memory_order_relaxed) < most_running; ++k)
      others.emplace_back([&, k] {
        arena_size = size;
        work(errors[k]);
      });
    if (others.size() + 1 < errors.size()) running.fetch_sub(1, std::memory_order_relaxed);  // the thread beyond the limit
    if (!errors.empty()) work(errors[0]);
    running.fetch_sub(int(others.size()), std::memory_order_relaxed);
  }
  for (auto const& error : errors)
    if (error) std::rethrow_exception(error);
}

}  // namespace threads

template <class T>
class blocked_range {
 public:
  blocked_range(T begin, T end, std::size_t grain = 1) : begin_(begin), end_(end), grain_(grain) {}
  [[nodiscard]] T begin() const { return begin_; }
  [[nodiscard]] T end() const { return end_; }
  [[nodiscard]] std::size_t size() const { return std::size_t(end_ - begin_); }
  [[nodiscard]] bool empty() const { return !(begin_ < end_); }

  /// Returns the number of parts, of a grain at least; below, part k of them.
  [[nodiscard]] std::size_t parts() const {
    return empty() ? 0 : std::clamp<std::size_t>(size() / grain_, 1, 8 * std::size_t(this_task_arena::max_concurrency()));
  }
  [[nodiscard]] blocked_range part(std::size_t k) const {
    std::size_t const n = size(), count = parts();
    auto const at = [&](std::size_t j) { return T(begin_ + n / count * j + std::min(j, n % count)); };
    return {at(k), at(k + 1), grain_};
  }

 private:
  T begin_, end_;
  std::size_t grain_;
};

template <class Iterator, class Less = std::less<>>
void parallel_sort(Iterator first, Iterator last, Less const& less = {}) {
  Iterator const middle = first + (last - first) / 2;
  threads::run(2, [&](std::size_t half) { std::sort(half == 0 ? first : middle, half == 0 ? middle : last, less); });
  std::inplace_merge(first, middle, last, less);
}

template <class Range, class Less = std::less<>>
requires requires(Range& range) { range.begin(); }
void parallel_sort(Range& range, Less const& less = {}) {
  parallel_sort(range.begin(), range.end(), less);
}

struct simple_partitioner {};

template <class T, class F>
void parallel_for(blocked_range<T> const& range, F const& f) {
  threads::run(range.parts(), [&](std::size_t k) { f(range.part(k)); });
}

template <class Index, class F>
void parallel_for(Index first, Index last, F const& f) {
  if (first < last) threads::run(std::size_t(last - first), [&](std::size_t i) { f(Index(first + Index(i))); });
}
template <class T, class F>
void parallel_for(blocked_range<T> const& range, F const& f, simple_partitioner) {
  parallel_for(range, f);
}

template <class F, class G>
void parallel_invoke(F const& f, G const& g) {
  threads::run(2, [&](std::size_t i) { i == 0 ? f() : g(); });
}

/// Takes the items that a call adds to a loop.
template <class T>
class feeder {
 public:
  void add(T const& item) { added_.push_back(item); }
  [[nodiscard]] std::vector<T> const& added() const { return added_; }

 private:
  std::vector<T> added_;
};

/// Calls f(item, feeder) for each item, and then for those that were added.
template <class Iterator, class F>
void parallel_for_each(Iterator first, Iterator last, F const& f) {
  using item = typename std::iterator_traits<Iterator>::value_type;
  for (std::vector<item> items(first, last); !items.empty();) {
    std::vector<feeder<item>> more(items.size());
    threads::run(items.size(), [&](std::size_t i) { f(items[i], more[i]); });
    items.clear();
    for (auto const& one : more) items.insert(items.end(), one.added().begin(), one.added().end());
  }
}

template <class T, class Value, class F, class Reduce>
Value parallel_reduce(blocked_range<T> const& range, Value const& identity, F const& f, Reduce const& reduce) {
  std::vector<Value> values(range.parts(), identity);
  threads::run(values.size(), [&](std::size_t k) { values[k] = f(range.part(k), identity); });
  Value all = identity;
  for (Value const& value : values) all = reduce(all, value);
  return all;
}

/// A T for each thread that uses it.
template <class T>
class enumerable_thread_specific {
 public:
  enumerable_thread_specific() : make_([] { return std::make_unique<T>(); }) {}
  template <class Make>
  explicit enumerable_thread_specific(Make make) : make_([make] { return std::unique_ptr<T>(new T(make())); }) {}

  T& local() {
    thread_local std::unordered_map<std::size_t, T*> known;  // so that each thread takes the lock only once
    T*& mine = known[number_];
    if (!mine) {
      std::lock_guard const lock(mutex_);
      mine = all_.emplace_back(make_()).get();
    }
    return *mine;
  }
  template <class F>
  void combine_each(F f) {
    for (auto const& one : all_) f(*one);
  }

  class iterator {
   public:
    explicit iterator(std::unique_ptr<T> const* at) : at_(at) {}
    T& operator*() const { return **at_; }
    iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(iterator const&) const = default;

   private:
    std::unique_ptr<T> const* at_;
  };
  [[nodiscard]] iterator begin() const { return iterator(all_.data()); }
  [[nodiscard]] iterator end() const { return iterator(all_.data() + all_.size()); }

 private:
  std::function<std::unique_ptr<T>()> make_;
  std::size_t const number_ = threads::next_number();
  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> all_;
};
template <class T>
using combinable = enumerable_thread_specific<T>;

enum class filter_mode { parallel, serial_in_order };

class flow_control {
 public:
  void stop() { stopped_ = true; }
  [[nodiscard]] bool stopped() const { return stopped_; }

 private:
  bool stopped_ = false;
};

/// One filter of a pipeline, or several in sequence.
template <class In, class Out>
struct filter {
  struct step {
    filter_mode mode;
    std::function<std::any(std::any, flow_control&)> f;
  };
  std::vector<step> steps;
};

template <class In, class Out, class F>
filter<In, Out> make_filter(filter_mode mode, F f) {
  auto const call = [f](std::any item, flow_control& control) -> std::any {
    auto const result = [&] {
      if constexpr (std::is_void_v<In>)
        return f(control);
      else
        return f(std::any_cast<In>(std::move(item)));
    };
    if constexpr (std::is_void_v<Out>) {
      result();
      return {};
    } else {
      return std::any(Out(result()));
    }
  };
  return {{{mode, call}}};
}

template <class A, class B, class C>
filter<A, C> operator&(filter<A, B> const& before, filter<B, C> const& behind) {
  filter<A, C> all;
  for (auto const& one : before.steps) all.steps.push_back({one.mode, one.f});
  for (auto const& one : behind.steps) all.steps.push_back({one.mode, one.f});
  return all;
}

/// Passes `tokens` items at a time through the filters. Each thread takes one item from the first to the last one, so that the
/// sanitizer sees what oneTBB orders alone: the filters of an item, and the items of a serial filter.
inline void parallel_pipeline(std::size_t tokens, filter<void, void> const& line) {
  struct turns {
    std::mutex mutex;
    std::condition_variable changed;
    std::size_t next = 0;
  };
  std::vector<turns> all(line.steps.size());
  bool stopped = false;  // under the mutex of the first filter
  std::atomic<bool> failed{false};
  auto const pass_one = [&] {
    std::any item;
    std::size_t number = 0;
    flow_control control;
    {
      std::lock_guard const lock(all[0].mutex);
      if (stopped || failed.load(std::memory_order_relaxed)) return false;
      item = line.steps[0].f({}, control);
      stopped = control.stopped();
      if (stopped) return false;
      number = all[0].next++;
    }
    for (std::size_t s = 1; s < line.steps.size(); ++s) {
      auto const& [mode, f] = line.steps[s];
      if (mode == filter_mode::parallel) {
        item = f(std::move(item), control);
        continue;
      }
      std::unique_lock lock(all[s].mutex);
      all[s].changed.wait(lock, [&] { return all[s].next == number || failed.load(std::memory_order_relaxed); });
      if (failed.load(std::memory_order_relaxed)) return false;
      item = f(std::move(item), control);
      ++all[s].next;
      all[s].changed.notify_all();
    }
    return true;
  };
  threads::run(tokens, [&](std::size_t) {
    try {
      while (pass_one()) {}
    } catch (...) {
      failed.store(true, std::memory_order_relaxed);
      for (turns& each : all) {
        std::lock_guard const lock(each.mutex);  // nobody is between the test and the wait
        each.changed.notify_all();
      }
      throw;
    }
  });
}

}  // namespace tbb
