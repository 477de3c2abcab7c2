#pragma once
#include <cstddef>
#include <exception>
#include <system_error>

#include <pthread.h>

/// Calls f() in a thread with a stack of `bytes` and waits. Rethrows the exception of f().
template <class F>
void with_small_stack(std::size_t bytes, F f) {
  struct task {
    F f;
    std::exception_ptr error;
  } run{f, nullptr};
  auto const check = [](int error) {
    if (error) throw std::system_error(error, std::generic_category(), "a thread with a small stack");
  };
  pthread_attr_t attributes;
  check(pthread_attr_init(&attributes));
  check(pthread_attr_setstacksize(&attributes, bytes));
  pthread_t thread{};
  check(pthread_create(
      &thread, &attributes,
      [](void* argument) -> void* {
        auto& task_here = *static_cast<task*>(argument);
        try {
          task_here.f();
        } catch (...) {
          task_here.error = std::current_exception();
        }
        return nullptr;
      },
      &run));
  check(pthread_join(thread, nullptr));
  pthread_attr_destroy(&attributes);
  if (run.error) std::rethrow_exception(run.error);
}
