#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "ordo/backend.hpp"
#include "ordo/error.hpp"
#include "strings/sort/order_lines.hpp"
#include "strings/sort/text_job.hpp"
#include "strings/write/count_field.hpp"
#include "strings/write/store_counted.hpp"
#include "strings/write/store_lines.hpp"

// From texts to a sink through a machine's memory.
namespace ordo::strings::detail {

constexpr std::size_t read_beyond = 8;  // who reads bytes by words reads the last one whole (ordo/detail/load.hpp)

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

/// How many of the lines in order hold the first `head` that are written. @param head  less than there are
template <class Offset, Backend B>
std::size_t lines_for_head(B& machine, std::span<std::uint8_t const> repeats, repeated equal, std::size_t head) {
  if (equal != repeated::drop) return head;
  auto const firsts = find_first_lines<Offset>(machine, repeats);
  if (head >= firsts.count) return repeats.size();
  return value_at(machine, std::span<Offset const>(firsts.places.span()), head);
}

/// Sorts a text of the machine's memory, which ends with a delimiter, into the job's sink, as `how` and `equal` have it.
template <class Offset, Backend B>
void sort_to_sink(B& machine, text_job& job, std::span<unsigned char const> text, options const& how, repeated equal) {
  auto const began = [&](std::uint64_t total) {
    job.writing = true;
    job.begin(phase::write, total);
    job.report.written = total;
  };
  symbols const all(text.data(), text.size(), static_cast<unsigned char>(how.delimiter));
  auto const delimiters = count_delimiters<Offset>(machine, all);
  std::span<Offset const> const counts = delimiters.span();
  std::size_t const lines = value_at(machine, counts, counts.size() - 1);
  auto order = machine.template buffer<Offset>(lines);
  auto repeats = machine.template buffer<std::uint8_t>(lines);
  order_lines<Offset>(machine, all, text.data(), counts, how, ~std::size_t{0}, order.span(), repeats.span(),
                      no_host_readings{});
  if (how.head == 0) {
    began(0);
    job.to.expect(0);
    return;
  }
  if (!is_counted(equal)) {
    std::size_t const written =
        how.head < lines ? lines_for_head<Offset>(machine, repeats.span(), equal, std::size_t(how.head)) : lines;
    store_lines(machine, all, text.data(), counts, std::span<Offset const>(order.span()).first(written),
                equal == repeated::drop ? repeats.data() : nullptr, job.to, began);
    return;
  }
  auto firsts = find_first_lines<Offset>(machine, repeats.span());
  repeats = {};
  counted_lines<Offset> const to_count{order.data(), firsts.places.data(), firsts.count, lines};
  std::uint64_t const most = equal == repeated::by_count ? firsts.count : std::min<std::uint64_t>(how.head, firsts.count);
  auto counted = measure_counted(machine, all, text.data(), counts, to_count, std::size_t(most));
  if (equal == repeated::count) {
    store_gathered(machine, counted.gather, counted.bytes, job.to, began);
    return;
  }
  // They are a text, which is sorted in its turn.
  if (counted.bytes > std::numeric_limits<Offset>::max()) throw offsets_too_narrow{};
  std::size_t const size = std::size_t(counted.bytes);
  auto const second_text = machine.template buffer<unsigned char>(size + read_beyond);
  write_counted(machine, counted, second_text.span().first(size));
  machine.each(read_beyond, write_bytes{second_text.data() + size, 0});
  counted.ends = {};
  firsts.places = {};
  order = {};
  options second = how;
  second.by = by_falling_count();
  sort_to_sink<Offset>(machine, job, std::span<unsigned char const>(second_text.span()).first(size), second, repeated::keep);
}

/// All of it: see sort_texts_on_cuda.
template <class Offset, Backend B>
bool sort_texts_on(B& machine, text_job& job) {
  auto const text = machine.template buffer<unsigned char>(job.most_bytes() + read_beyond);
  std::size_t size = 0;
  auto const to_host = [&] {
    job.host.resize(size);
    machine.download(std::span<unsigned char const>(text.span()).first(size),
                     std::span<unsigned char>(reinterpret_cast<unsigned char*>(job.host.data()), size));
    job.on_device = false;
  };
  job.on_device = true;
  try {
    load_texts(machine, job, text.span().first(job.most_bytes()), size);
    if (job.open || size == 0) {
      to_host();
      return false;
    }
    machine.each(read_beyond, write_bytes{text.data() + size, 0});
    job.report.bytes = size;
    job.begin(phase::sort, size);
    sort_to_sink<Offset>(machine, job, std::span<unsigned char const>(text.span()).first(size), job.how, job.equal);
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
