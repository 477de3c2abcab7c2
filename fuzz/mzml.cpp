// mzML. Read from memory and from a pipe, in chunks of any size, it has the same output or the same error. The output is in
// order, and is sorted to itself.
#include "ordo/spectra/mzml.hpp"
#include "fuzz/fuzz.hpp"
#include "ordo/spectra/read.hpp"

using namespace ordo;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  fuzz::fuzzed_bytes bytes(data, size);
  std::size_t const option = bytes.number(256), chunk = 1 + 7 * bytes.number(256), more = bytes.number(256);
  spectra::sort_options options;
  options.machine = fuzz::one_thread();
  options.lenient = option & 1;
  options.descending = option & 2;
  options.by = option & 4 ? spectra::sort_key::intensity : spectra::sort_key::mz;
  if (option & 8) options.select.top = 1 + more % 8;
  if (option & 16) options.select.min_peaks = more % 4;
  options.keep_metadata = option & 32;
  auto const to = option & 64 ? spectra::format::mgf : spectra::format::mzml;
  std::string_view const text = bytes.rest();

  fuzz::string_sink whole, chunked, again;
  memory_source from_memory(text);
  auto const error = fuzz::error_of([&] { spectra::sort_mzml(from_memory, whole, options, to); });
  spectra::sort_options in_chunks = options;
  if (chunk > 1) in_chunks.chunk_bytes = chunk;
  fuzz::sequential_source from_pipe(text);
  auto const other_error = fuzz::error_of([&] { spectra::sort_mzml(from_pipe, chunked, in_chunks, to); });
  // If an input has several errors, the chunk size decides which of them is found first.
  fuzz::require_same(error, other_error, in_chunks.chunk_bytes == options.chunk_bytes);
  memory_source to_summarize(text), to_read(text);
  fuzz::error_of([&] { spectra::summarize_mzml(to_summarize, options); });
  fuzz::error_of([&] { spectra::read_mzml_spectra(to_read, options); });
  if (error) return 0;
  fuzz::require(whole.text() == chunked.text(), "chunks are sorted as a whole document is");
  if (to == spectra::format::mgf) return 0;
  memory_source sorted(whole.text()), to_sort(whole.text());
  if (options.select.empty()) fuzz::require(!spectra::check_mzml(sorted, options).first, "an output is in order");
  auto const third_error = fuzz::error_of([&] { spectra::sort_mzml(to_sort, again, options); });
  fuzz::require(!third_error, "an output is a valid input");
  if (options.select.empty()) fuzz::require(again.text() == whole.text(), "an output is sorted to itself");
  spectra::order_options order;
  order.order.by = {spectra::spectrum_key(more % 7)};
  if (more & 128) order.memory = chunk;
  memory_source to_order(text);
  fuzz::string_sink ordered;
  fuzz::error_of([&] { spectra::order_mzml(to_order, ordered, in_chunks, order); });
  return 0;
}
