#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sort_core/backend.hpp"
#include "sort_core/error.hpp"
#include "strings/order_lines.hpp"
#include "strings/store_lines.hpp"
#include "strings/text_job.hpp"

// From texts to a sink through a machine's memory.
namespace ordo::strings::detail {

struct write_bytes {
  unsigned char* to;
  unsigned char value;
  ORDO_FN void operator()(std::size_t i) const { to[i] = value; }
};

/// Loads texts while they have addresses and there is room for them, each with a delimiter at its end, and for that of the
/// next. The next text is open if there is one. @param size  how many bytes of texts that are loaded whole
template <Backend B>
void load_texts(B& machine, text_job& job, std::span<unsigned char> to, std::size_t& size) {
  for (; job.more(); job.open.reset()) {
    auto const part = ordo::detail::addressed_part(*job.open, ~std::uint64_t{0});
    if (!part || part->bytes >= to.size() - size) break;
    if (part->bytes == 0) continue;
    std::size_t const end = size + machine.load(*job.open, to.subspan(size, std::size_t(part->bytes)));
    auto const delimiter = static_cast<unsigned char>(job.how.delimiter);
    bool const ends = value_at(machine, std::span<unsigned char const>(to), end - 1) == delimiter;
    if (!ends) machine.each(1, write_bytes{to.data() + end, delimiter});
    size = end + !ends;
  }
}

/// Sorts a text of the machine's memory, which ends with a delimiter, into the job's sink.
template <class Offset, Backend B>
void sort_to_sink(B& machine, text_job& job, std::span<unsigned char const> text) {
  symbols const all(text.data(), text.size(), static_cast<unsigned char>(job.how.delimiter));
  auto const counts = count_delimiters<Offset>(machine, all);
  std::size_t const lines = value_at(machine, std::span<Offset const>(counts.span()), counts.size() - 1);
  auto const order = machine.template buffer<Offset>(lines);
  auto const repeats = machine.template buffer<std::uint8_t>(lines);
  order_lines<Offset>(machine, all, text.data(), std::span<Offset const>(counts.span()), job.how, ~std::size_t{0}, order.span(),
                      repeats.span(), no_general_numbers{});
  job.report.written =
      store_lines(machine, all, text.data(), std::span<Offset const>(counts.span()), std::span<Offset const>(order.span()),
                  job.equal == repeated::drop ? repeats.data() : nullptr, job.to, [&](std::uint64_t total) {
                    job.writing = true;
                    job.begin(phase::write, total);
                  });
}

/// All of it: see sort_texts_on_cuda.
template <class Offset, Backend B>
bool sort_texts_on(B& machine, text_job& job) {
  constexpr std::size_t word = 8;  // who reads bytes by words reads the last one whole (sort_core/load.hpp)
  auto const text = machine.template buffer<unsigned char>(job.most_bytes() + word);
  std::size_t size = 0;
  auto const to_host = [&] {
    job.host.resize(size);
    machine.download(std::span<unsigned char const>(text.span()).first(size),
                     std::span(reinterpret_cast<unsigned char*>(job.host.data()), size));
    job.on_device = false;
  };
  job.on_device = true;
  try {
    load_texts(machine, job, text.span().first(job.most_bytes()), size);
    if (job.open || size == 0) {
      to_host();
      return false;
    }
    machine.each(word, write_bytes{text.data() + size, 0});
    job.report.bytes = size;
    job.begin(phase::sort, size);
    sort_to_sink<Offset>(machine, job, std::span<unsigned char const>(text.span()).first(size));
  } catch (offsets_too_narrow const&) {
    to_host();
    return false;
  } catch (out_of_memory const&) {
    if (!job.writing) to_host();
    throw;
  }
  job.report.device_memory = machine.pool().peak();
  return true;
}

}  // namespace ordo::strings::detail
