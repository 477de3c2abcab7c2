// Lines, suffix arrays and spectra. One thread and three have the same result or the same error, whatever the memory and the
// chunks.
#include "base/streams.hpp"
#include "fuzz/keys_of.hpp"
#include "ordo/spectra.hpp"
#include "ordo/strings.hpp"
#include "ordo/suffix.hpp"

using namespace ordo;

namespace {

machine_options three_threads() {
  machine_options options = fuzz::one_thread();
  options.threads = 3;
  return options;
}

// Runs make(machine, sink) by one thread and by three.
template <class Make>
void compare(Make make, char const* statement) {
  growing_sink one, three;
  auto const error = fuzz::catch_error([&] { make(fuzz::one_thread(), one); });
  auto const other_error = fuzz::catch_error([&] { make(three_threads(), three); });
  fuzz::require_same(error, other_error);
  fuzz::require(error || one.text() == three.text(), statement);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  fuzz::fuzzed_bytes bytes(data, size);
  std::size_t const subject = bytes.number(3), option = bytes.number(256);
  if (subject == 0) {
    strings::sort_options options;
    options.by = fuzz::make_order(bytes, option & 1);
    if (option & 2) options.head = option;
    auto const equal = option & 4 && !options.by.last_resort ? strings::duplicates::drop : strings::duplicates::keep;
    std::string_view const text = bytes.rest();
    strings::texts const texts{1, text.size(), [&](std::size_t) { return std::make_unique<memory_source>(text); }};
    compare(
        [&](machine_options const& machine, sink& to) {
          options.machine = machine;
          strings::sort(texts, to, options, equal);
        },
        "three threads write the lines of one");
  } else if (subject == 1) {
    std::string const residues(bytes.rest());
    std::vector<std::uint64_t> starts{0};
    for (std::size_t p = 1 + option; p < residues.size(); p += 1 + option * option) starts.push_back(p);
    compare(
        [&](machine_options const& machine, sink& to) {
          suffix::build_options options;
          options.machine = machine;
          auto const made = suffix::build<std::uint32_t>({residues, starts}, {true, true}, options);
          auto const put = [&](auto const& array) {
            auto const raw = std::as_bytes(std::span(array));
            to.write({reinterpret_cast<char const*>(raw.data()), raw.size()});
          };
          put(made.sa);
          put(made.lcp);
          put(made.bwt);
        },
        "three threads build the suffix array of one");
  } else {
    std::string_view const text = bytes.rest();
    compare(
        [&](machine_options const& machine, sink& to) {
          spectra::sort_options options;
          options.machine = machine;
          options.lenient = option & 1;
          if (option & 2) options.select.top = 1 + option / 8;
          options.chunk_bytes = 1 + option;
          memory_source from(text);
          spectra::sort(from, to, options);
        },
        "three threads write the spectra of one");
  }
  return 0;
}
