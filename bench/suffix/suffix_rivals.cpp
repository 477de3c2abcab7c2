#include "bench/suffix/suffix_rivals.hpp"

#include <cstdint>
#include <limits>

#include <divsufsort.h>
#include <fmt/format.h>

#include "bench/host_bench.hpp"
#include "ordo/error.hpp"
#ifdef ORDO_LIBSAIS
#include <libsais.h>
#include <libsais64.h>
#endif
#ifdef ORDO_LIBCUBWT
#include <cuda_runtime_api.h>
#include <libcubwt.cuh>
#endif

namespace ordo::inline v0::bench {
namespace {

constexpr std::size_t max_int32 = std::numeric_limits<std::int32_t>::max();

unsigned char const* as_bytes(std::string_view text) {
  return reinterpret_cast<unsigned char const*>(text.data());
}

/// Returns the time of call(), and throws if it returns a negative number.
template <class Call>
double time_checked(std::string_view name, Call call) {
  std::int64_t status = 0;
  double const seconds = time_seconds([&] { status = std::int64_t(call()); });
  if (status < 0) throw error(fmt::format("{} fails with {}", name, status));
  return seconds;
}

suffix_rival libdivsufsort() {
  return {.name = "libdivsufsort",
          .version = divsufsort_version(),
          .max_length = max_int32,
          .build = [](std::string_view text, void* out, unsigned) {
            return time_checked("libdivsufsort",
                                [&] { return divsufsort(as_bytes(text), static_cast<saidx_t*>(out), saidx_t(text.size())); });
          }};
}

#ifdef ORDO_LIBSAIS
suffix_rival libsais_32() {
  return {.name = "libsais",
          .version = LIBSAIS_VERSION_STRING,
          .max_length = max_int32,
          .build = [](std::string_view text, void* out, unsigned threads) {
            return time_checked("libsais", [&] {
              return libsais_omp(as_bytes(text), static_cast<std::int32_t*>(out), std::int32_t(text.size()), 0, nullptr,
                                 std::int32_t(threads));
            });
          }};
}

suffix_rival libsais_64() {
  return {.name = "libsais64",
          .version = LIBSAIS_VERSION_STRING,
          .entry_bytes = 8,
          .min_length = max_int32 + 1,
          .max_length = std::numeric_limits<std::int64_t>::max(),
          .by_name_only = true,
          .build = [](std::string_view text, void* out, unsigned threads) {
            return time_checked("libsais64", [&] {
              return libsais64_omp(as_bytes(text), static_cast<std::int64_t*>(out), std::int64_t(text.size()), 0, nullptr,
                                   std::int64_t(threads));
            });
          }};
}
#endif

#ifdef ORDO_LIBCUBWT
/// Its temporary memory, which is allocated and freed outside the timed part, as its user may keep it.
class libcubwt_storage {
 public:
  explicit libcubwt_storage(std::size_t letters) {
    std::size_t before = 0, after = 0, total = 0;
    static_cast<void>(cudaMemGetInfo(&before, &total));
    if (auto const status = libcubwt_allocate_device_storage(&storage_, std::int64_t(letters)); status != LIBCUBWT_NO_ERROR)
      throw error(fmt::format("libcubwt cannot allocate its memory: {}", status));
    static_cast<void>(cudaMemGetInfo(&after, &total));
    bytes_ = before - after;
  }
  ~libcubwt_storage() { static_cast<void>(libcubwt_free_device_storage(storage_)); }
  libcubwt_storage(libcubwt_storage const&) = delete;
  libcubwt_storage& operator=(libcubwt_storage const&) = delete;
  [[nodiscard]] void* get() const { return storage_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  void* storage_ = nullptr;
  std::size_t bytes_ = 0;
};

suffix_rival libcubwt() {
  auto const memory = std::make_shared<std::size_t>(0);
  return {.name = "libcubwt",
          .version = LIBCUBWT_VERSION_STRING,
          .entry_bytes = 1,
          .min_length = 16,
          .max_length = max_int32 - 4096,
          .on_gpu = true,
          .build =
              [memory](std::string_view text, void* out, unsigned) {
                libcubwt_storage const storage(text.size());
                *memory = storage.bytes();
                return time_checked("libcubwt", [&] {
                  return libcubwt_bwt(storage.get(), as_bytes(text), static_cast<std::uint8_t*>(out),
                                      std::int64_t(text.size()));
                });
              },
          .device_memory = [memory] { return *memory; }};
}
#endif

}  // namespace

std::vector<suffix_rival> suffix_rivals() {
  std::vector<suffix_rival> all;
#ifdef ORDO_LIBCUBWT
  int devices = 0;
  if (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0) all.push_back(libcubwt());
#endif
#ifdef ORDO_LIBSAIS
  all.push_back(libsais_32());
  all.push_back(libsais_64());
#endif
  all.push_back(libdivsufsort());
  return all;
}

}  // namespace ordo::inline v0::bench
