#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "ordo/backend.hpp"
#include "ordo/error.hpp"
#include "strings/sort/prefix_sort.hpp"
#include "strings/sort/text_job.hpp"
#include "strings/write/selected_lines.hpp"
#include "strings/write/store_lines.hpp"

// Sorting texts in the memory of a backend, from sources to a sink.
namespace ordo::inline v0::strings::detail {

constexpr std::size_t read_beyond = 8;  // word-wise reads read the whole last word (ordo/detail/load.hpp)

struct write_bytes {
  unsigned char* to;
  unsigned char value;
  ORDO_FN void operator()(std::size_t i) const { to[i] = value; }
};

/// Loads addressable texts while there is room for them, each with a delimiter at its end. The first text that is not loaded
/// stays open.
/// @param size  set to the number of bytes of the texts that were loaded
template <Backend B>
void load_texts(B& backend, text_job& job, std::span<unsigned char> to, std::size_t& size) {
  for (; job.more(); job.open.reset()) {
    auto const part = ordo::detail::addressed_part(*job.open, ~std::uint64_t{0});
    if (!part || part->bytes >= to.size() - size) break;
    if (part->bytes == 0) continue;
    std::size_t const end = size + backend.load(*job.open, to.subspan(size, std::size_t(part->bytes)));
    auto const delimiter = static_cast<unsigned char>(job.options.delimiter);
    bool const ends = value_at(backend, std::span<unsigned char const>(to), end - 1) == delimiter;
    if (!ends) backend.each(1, write_bytes{to.data() + end, delimiter});
    size = end + !ends;
  }
}

/// Returns how many sorted lines contain the first `head` lines that are written. @param head  fewer than there are
template <class Offset, Backend B>
std::size_t lines_for_head(B& backend, std::span<std::uint8_t const> repeats, duplicates equal, std::size_t head) {
  if (equal != duplicates::drop) return head;
  auto const firsts = find_first_lines<Offset>(backend, repeats);
  if (head >= firsts.count) return repeats.size();
  return value_at(backend, std::span<Offset const>(firsts.places.span()), head);
}

/// Sorts a text in the backend's memory, which ends with a delimiter, into the sink of the job.
template <class Offset, Backend B>
void sort_to_sink(B& backend, text_job& job, std::span<unsigned char const> text, sort_options const& options,
                  duplicates equal) {
  auto const began = [&](std::uint64_t total) {
    job.now = text_job::stage::writing;
    job.begin(phase::write, total);
    job.report.written = total;
  };
  symbols const all(text.data(), text.size(), static_cast<unsigned char>(options.delimiter));
  auto const delimiters = count_delimiters<Offset>(backend, all);
  std::span<Offset const> const counts = delimiters.span();
  std::size_t const lines = value_at(backend, counts, counts.size() - 1);
  auto order = backend.template buffer<Offset>(lines);
  auto repeats = backend.template buffer<std::uint8_t>(lines);
  order_lines<Offset>(backend, all, text.data(), counts, options, ~std::size_t{0}, order.span(), repeats.span(),
                      no_host_key_types{});
  if (options.head == 0) {
    began(0);
    job.to.expect(0);
    return;
  }
  if (!is_counted(equal)) {
    std::size_t const written =
        options.head < lines ? lines_for_head<Offset>(backend, repeats.span(), equal, std::size_t(options.head)) : lines;
    store_lines(backend, all, text.data(), counts, std::span<Offset const>(order.span()).first(written),
                equal == duplicates::drop ? repeats.data() : nullptr, job.to, began);
    return;
  }
  auto firsts = find_first_lines<Offset>(backend, repeats.span());
  repeats = {};
  counted_lines<Offset> const to_count{order.data(), firsts.places.data(), firsts.count, lines};
  std::uint64_t const max_lines =
      equal == duplicates::by_count ? firsts.count : std::min<std::uint64_t>(options.head, firsts.count);
  auto counted = measure_counted(backend, all, text.data(), counts, to_count, std::size_t(max_lines));
  if (equal == duplicates::count) {
    store_gathered(backend, counted.gather, counted.bytes, job.to, began);
    return;
  }
  // The counted lines are a text, which is sorted again.
  if (counted.bytes > std::numeric_limits<Offset>::max()) throw offsets_too_narrow{};
  std::size_t const size = std::size_t(counted.bytes);
  auto const second_text = backend.template buffer<unsigned char>(size + read_beyond);
  write_counted(backend, counted, second_text.span().first(size));
  backend.each(read_beyond, write_bytes{second_text.data() + size, 0});
  counted.ends = {};
  firsts.places = {};
  order = {};
  sort_options second = options;
  second.by = by_falling_count();
  sort_to_sink<Offset>(backend, job, std::span<unsigned char const>(second_text.span()).first(size), second, duplicates::keep);
}

/// Loads and sorts all texts: see sort_texts_on_cuda.
template <class Offset, Backend B>
bool sort_texts_on(B& backend, text_job& job) {
  auto const text = backend.template buffer<unsigned char>(job.max_bytes() + read_beyond);
  std::size_t size = 0;
  auto const to_host = [&] {
    job.host.resize(size);
    backend.download(std::span<unsigned char const>(text.span()).first(size),
                     std::span<unsigned char>(reinterpret_cast<unsigned char*>(job.host.data()), size));
    job.now = text_job::stage::on_host;
  };
  job.now = text_job::stage::on_gpu;
  try {
    load_texts(backend, job, text.span().first(job.max_bytes()), size);
    if (job.open || size == 0) {
      to_host();
      return false;
    }
    backend.each(read_beyond, write_bytes{text.data() + size, 0});
    job.report.bytes = size;
    job.begin(phase::sort, size);
    sort_to_sink<Offset>(backend, job, std::span<unsigned char const>(text.span()).first(size), job.options, job.equal);
  } catch (offsets_too_narrow const&) {
    to_host();
    return false;
  } catch (out_of_memory const&) {
    if (job.now != text_job::stage::writing) to_host();
    throw;
  }
  job.report.device_memory = backend.pool().peak();
  return true;
}

}  // namespace ordo::inline v0::strings::detail
