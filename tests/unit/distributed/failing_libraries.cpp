#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/streams.hpp"
#include "ordo/spectra/distributed_sort.hpp"
#include "ordo/strings/distributed_sort.hpp"
#include "ordo/suffix/distributed_build.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/distributed/fail_at_each.hpp"
#include "tests/unit/io_ends.hpp"

namespace {

using namespace ordo;
using namespace distributed_checks;

std::string make_mgf() {
  std::string mgf;
  for (int i = 0; i < 12; ++i) mgf += "BEGIN IONS\nTITLE=t" + std::to_string(i) + "\n3.5 1\n2.5 2\n1 3\nEND IONS\n";
  return mgf;
}

/// The callbacks that a member passes to a library; each of their calls can fail.
struct callbacks {
  communicator const& member;
  chances& left;
  bool all_write;  // or the first member alone, a sequential output
  failing_sink out{left, all_write};

  [[nodiscard]] std::unique_ptr<source> make_source(std::string_view text, bool addressed) const {
    left.take();
    return std::make_unique<failing_source>(text, left, addressed);
  }
  sink* open() {
    left.take();
    return all_write || member.rank() == 0 ? &out : nullptr;
  }
};

}  // namespace

TEST_CASE("A member that fails in a sort of lines, suffixes or spectra ends the others", "[distributed]") {
  watchdog const guards;
  std::size_t tried = 0;
  std::string const lines = "b\na\nc\nb\nabc\n\nx\ny\n";
  std::string const letters = "ACGTACGTTTGACCAGTACGTACGA";
  std::string const mgf = make_mgf();
  for (std::size_t const members : {2u, 3u, 5u}) {
    tried += fail_at_each(members, [&](communicator& all, chances& left) {
      failing_member member(all, left);
      growing_sink out;
      strings::texts const texts{1, 0, [&](std::size_t) { return std::make_unique<memory_source>(lines); }};
      strings::sort(
          member, texts, [&](std::uint64_t) { return member.rank() == 0 ? &out : nullptr; }, {}, strings::duplicates::keep);
    });
    tried += fail_at_each(members, [&](communicator& all, chances& left) {
      failing_member member(all, left);
      std::map<std::string, growing_sink, std::less<>> out;
      std::vector<std::uint64_t> const starts{0, 7};
      suffix::build_into<std::uint32_t>(
          member, {letters, starts}, {true, true},
          [&](std::string_view array, std::uint64_t) { return member.rank() == 0 ? &out[std::string(array)] : nullptr; }, 0,
          {});
    });
    tried += fail_at_each(members, [&](communicator& all, chances& left) {
      failing_member member(all, left);
      growing_sink out;
      memory_source input{std::string_view(mgf)};
      static_cast<void>(spectra::sort(
          member, input, [&](std::optional<std::uint64_t>) { return member.rank() == 0 ? &out : nullptr; }, {}, 100));
    });
    tried += fail_at_each(members, [&](communicator& all, chances& left) {
      failing_member member(all, left);
      growing_sink out;
      memory_source input{std::string_view(mgf)};
      spectra::sort_options options;
      options.members = &member;
      options.chunk_bytes = 60;
      spectra::sort(input, out, options);
    });
  }
  CHECK(tried > 100);
}

TEST_CASE("A member whose source or sink fails ends the others", "[distributed]") {
  watchdog const guards;
  std::size_t tried = 0;
  std::string const lines = "b\na\nc\nb\nabc\n\nx\ny\n", letters = "ACGTACGTTTGACCAGTACGTACGA", mgf = make_mgf();
  auto const try_each = [&](auto const& sort) {
    for (std::size_t const members : {2u, 3u, 7u})
      for (bool const all_write : {true, false})
        tried += fail_at_each(
            members,
            [&](communicator& all, chances& left) {
              callbacks with{all, left, all_write};
              cpu on({.threads = 1});
              sort(all, on, with);
            },
            false);
  };
  try_each([&](communicator& all, cpu& on, callbacks& with) {
    strings::texts const texts{2, 0, [&](std::size_t k) { return with.make_source(lines, k == 0); }};
    strings::sort_options options;
    options.machine.on = &on;
    strings::sort(
        all, texts, [&](std::uint64_t) { return with.open(); }, options, strings::duplicates::keep);
  });
  try_each([&](communicator& all, cpu& on, callbacks& with) {
    std::vector<std::uint64_t> const starts{0, 7};
    suffix::build_options options;
    options.machine.on = &on;
    suffix::build_into<std::uint32_t>(
        all, {letters, starts}, {true, true}, [&](std::string_view, std::uint64_t) { return with.open(); }, 0, options);
  });
  try_each([&](communicator& all, cpu& on, callbacks& with) {
    auto const input = with.make_source(mgf, true);
    spectra::sort_options options;
    options.machine.on = &on;
    options.select.top = 2;
    static_cast<void>(spectra::sort(
        all, *input, [&](std::optional<std::uint64_t>) { return with.open(); }, options, 100));
  });
  try_each([&](communicator& all, cpu& on, callbacks& with) {
    spectra::spectrum_inputs const inputs{2, [&](std::size_t k) {
                                            return spectra::spectrum_inputs::opened{with.make_source(mgf, true),
                                                                                    std::to_string(k), mgf.size(),
                                                                                    spectra::format::mgf};
                                          }};
    spectra::sort_options options;
    options.machine.on = &on;
    spectra::order_options order;
    order.order.by = {spectra::spectrum_key::title};
    static_cast<void>(spectra::order_spectra(
        all, inputs, [&](std::optional<std::uint64_t>) { return with.open(); }, options, order));
  });
  CHECK(tried > 100);
}

TEST_CASE("An error of a sort of spectra is not replaced by that of the others' end", "[distributed]") {
  watchdog const guards;
  std::string mgf;
  for (int i = 0; i < 12; ++i) mgf += "BEGIN IONS\nTITLE=t\n3.5 1\n2.5 2\nEND IONS\n";
  std::string wrong;
  for (std::size_t n = 1; n < 12; ++n) {
    try {
      run_members(
          2,
          [&](communicator& all, cpu&) {
            chances left(all.rank() == 0 ? n : 0);
            failing_member member(all, left);
            test_sink full(false, 0);
            growing_sink out;
            memory_source input{std::string_view(mgf)};
            spectra::sort_options options;
            options.members = &member;
            options.chunk_bytes = 60;
            spectra::sort(input, member.rank() == 0 ? static_cast<sink&>(full) : out, options);
          },
          1);
      wrong += " none";
    } catch (output_error const&) {
    } catch (made_up const&) {
      if (n > 2) wrong += " " + std::to_string(n);  // two verbs come before anything is written
    }
    watchdog::end();
  }
  CHECK(wrong == "");
}
