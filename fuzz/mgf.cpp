// MGF. Read from memory and from a pipe, in chunks of any size, it has the same output or the same error. The output is in
// order. After a NUL there is another input, whose spectra are put in order with those of the first.
#include <sstream>

#include "fuzz/fuzz.hpp"
#include "ordo/spectra.hpp"
#include "ordo/spectra/order.hpp"
#include "ordo/spectra/read.hpp"
#include "ordo/spectra/summary.hpp"

using namespace ordo;

namespace {

// Bytes of a text, whatever their order.
std::string sorted_bytes(std::string text) {
  std::ranges::sort(text);
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  fuzz::fuzzed_bytes bytes(data, size);
  std::size_t const option = bytes.number(256), chunk = 1 + 7 * bytes.number(256), more = bytes.number(256);
  spectra::sort_options options;
  options.machine = fuzz::one_thread();
  options.lenient = option & 1;
  options.descending = option & 2;
  options.by = option & 4 ? spectra::sort_key::intensity : spectra::sort_key::mz;
  if (option & 8) options.select.top = 1 + more % 8;
  if (option & 16) options.select.min_intensity = more;
  if (option & 32)
    (more & 2 ? options.select.merge : options.select.dedupe) = spectra::tolerance{double(more) / 16, bool(more & 1)};
  if (option & 64) options.select.remove_precursor = spectra::tolerance{double(more), bool(more & 1)};
  if (option & 128) options.select.min_peaks = more % 4;
  std::string_view text = bytes.rest(), other;
  if (std::size_t const end = text.find('\0'); end != text.npos) {
    other = text.substr(end + 1);
    text = text.substr(0, end);
  }
  spectra::detect_format(text.substr(0, 4096));
  spectra::foreign_format(text.substr(0, 4096));

  fuzz::string_sink whole, chunked;
  memory_source from_memory(text);
  auto const error = fuzz::catch_error([&] { spectra::sort(from_memory, whole, options); });
  spectra::sort_options in_chunks = options;
  if (chunk > 1) in_chunks.chunk_bytes = chunk;
  fuzz::sequential_source from_pipe(text);
  auto const other_error = fuzz::catch_error([&] { spectra::sort(from_pipe, chunked, in_chunks); });
  // If an input has several errors, the chunk size decides which of them is found first.
  fuzz::require_same(error, other_error, in_chunks.chunk_bytes == options.chunk_bytes);
  memory_source to_summarize(text), to_read(text), to_check(text);
  fuzz::catch_error([&] { spectra::check(to_check, options); });
  auto const summary_error = fuzz::catch_error([&] { spectra::summarize(to_summarize, options); });
  auto const read_error = fuzz::catch_error([&] { spectra::read_spectra(to_read, options); });
  fuzz::require_same(summary_error, read_error);
  if (error) return 0;
  fuzz::require(whole.text() == chunked.text(), "chunks are sorted as a whole text is");
  if (options.select.empty()) {
    fuzz::require(sorted_bytes(whole.text()) == sorted_bytes(std::string(text)), "bytes change their places only");
    memory_source sorted(whole.text());
    fuzz::require(!spectra::check(sorted, options).first, "an output is in order");
  }
  // The order of spectra.
  spectra::order_options order;
  order.order.by = {spectra::spectrum_key(more % 7)};
  order.order.descending = option & 2;
  if (more & 128) order.memory = chunk;
  if (more & 64) {
    in_chunks.choice.polarity = spectra::ion_polarity::positive;
    in_chunks.choice.scans.ranges = {{1, chunk}};
    in_chunks.choice.rt_seconds.ranges = {{0, double(chunk)}};
    in_chunks.choice.inverse_polarity = more & 1;
    in_chunks.choice.sample = spectra::sample_rule{more, ~std::uint64_t{0} / 2, false};
  }
  spectra::spectrum_inputs inputs{
      other.empty() ? std::size_t{1} : std::size_t{2}, [&](std::size_t k) {
        std::string_view const from = k == 0 ? text : other;
        return spectra::spectrum_inputs::opened{std::make_unique<memory_source>(from), "x", from.size(), spectra::format::mgf};
      }};
  fuzz::string_sink ordered;
  fuzz::catch_error([&] { spectra::order_spectra(inputs, ordered, in_chunks, order); });
  return 0;
}
