// mzXML, MSP and mzSpecLib. Read from memory and from a pipe, in chunks of any size, each has the same output or the same
// error. The output is MGF in order, and is sorted to itself. As MGF from the start, or by way of the order of spectra, it is
// the same.
#include "fuzz/fuzz.hpp"
#include "ordo/spectra/import.hpp"
#include "ordo/spectra/order.hpp"
#include "ordo/spectra/read.hpp"
#include "ordo/spectra/summary.hpp"

using namespace ordo;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  fuzz::fuzzed_bytes bytes(data, size);
  constexpr spectra::format formats[] = {spectra::format::mzxml, spectra::format::msp, spectra::format::mzspeclib};
  auto const from = formats[bytes.number(3)];
  std::size_t const option = bytes.number(256), chunk = 1 + 7 * bytes.number(256), more = bytes.number(256);
  spectra::sort_options options;
  options.machine = fuzz::one_thread();
  options.lenient = option & 1;
  options.descending = option & 2;
  options.by = option & 4 ? spectra::sort_key::intensity : spectra::sort_key::mz;
  if (option & 8) options.select.top = 1 + more % 8;
  if (option & 16) options.select.min_peaks = more % 4;
  if (option & 32) options.choice.charges.ranges = {{-2, int(more % 4)}};
  std::string_view const text = bytes.rest();
  spectra::detect_format(text.substr(0, 4096));

  fuzz::string_sink whole, chunked, again, ordered;
  memory_source from_memory(text);
  auto const error = fuzz::catch_error([&] { spectra::sort_to_mgf(from_memory, whole, options, from); });
  spectra::sort_options in_chunks = options;
  if (chunk > 1) in_chunks.chunk_bytes = chunk;
  fuzz::sequential_source from_pipe(text);
  auto const other_error = fuzz::catch_error([&] { spectra::sort_to_mgf(from_pipe, chunked, in_chunks, from); });
  // If an input has several errors, the chunk size decides which of them is found first.
  fuzz::require_same(error, other_error, in_chunks.chunk_bytes == options.chunk_bytes);
  memory_source to_summarize(text), to_read(text), to_check(text);
  fuzz::catch_error([&] { spectra::check(to_check, options, from); });
  fuzz::catch_error([&] { spectra::summarize(to_summarize, options, from); });
  fuzz::catch_error([&] { spectra::read_spectra(to_read, options, from); });
  spectra::order_options order;
  if (more & 128) order.memory = chunk;
  spectra::spectrum_inputs inputs{
      1, [&](std::size_t) {
        return spectra::spectrum_inputs::opened{std::make_unique<memory_source>(text), "x", text.size(), from};
      }};
  auto const order_error = fuzz::catch_error([&] { spectra::order_spectra(inputs, ordered, in_chunks, order); });
  fuzz::require(error.has_value() == order_error.has_value(), "the order of the input is an order");
  if (error) return 0;
  fuzz::require(whole.text() == chunked.text(), "chunks are written as a whole input is");
  fuzz::require(whole.text() == ordered.text(), "spectra in the order of the input are the input");
  spectra::sort_options plain = options;
  plain.select = {};
  plain.choice = {};
  memory_source sorted(whole.text()), to_sort(whole.text());
  fuzz::require(!spectra::check(sorted, plain).first, "an output is in order");
  auto const third_error = fuzz::catch_error([&] { spectra::sort(to_sort, again, plain); });
  fuzz::require(!third_error, "an output is valid MGF");
  fuzz::require(again.text() == whole.text(), "an output is sorted to itself");
  return 0;
}
