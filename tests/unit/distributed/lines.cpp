#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/streams.hpp"
#include "ordo/cpu_backend.hpp"
#include "ordo/strings/distributed_sort.hpp"
#include "strings/distributed/share_on.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/distributed/apart.hpp"
#include "tests/unit/inputs.hpp"
#include "tests/unit/io_ends.hpp"
#include "tests/unit/temporary_folder.hpp"
#include "tools/cli/parts.hpp"

using namespace ordo;

namespace {

struct result {
  std::string text;
  std::uint64_t exchanged = 0, largest_share = 0;
};

strings::texts texts_of(std::vector<std::string> const& inputs, std::size_t piped_input) {
  return {inputs.size(), 0, [&inputs, piped_input](std::size_t k) -> std::unique_ptr<source> {
            if (k == piped_input) return std::make_unique<test_source>(inputs[k], false);
            return std::make_unique<memory_source>(inputs[k]);
          }};
}

enum class writer { first, most, all };

result sort_together(std::size_t size, std::vector<std::string> const& inputs, strings::sort_options const& options,
                     strings::duplicates equal = strings::duplicates::keep, std::size_t piped_input = ~std::size_t{0},
                     writer written_by = writer::first) {
  result all;
  std::mutex mutex;
  growing_sink out;
  std::string shared;
  run_members(size, [&](communicator& members, cpu& on) {
    // Into one memory by all members, all but the second, or by the first in order.
    std::optional<memory_sink> mine_of_shared;
    auto const open = [&](std::uint64_t bytes) -> sink* {
      if (written_by == writer::first) return members.rank() == 0 ? &out : nullptr;
      if (members.rank() == 0) shared.resize(bytes);
      members.barrier();
      if (written_by == writer::most && members.rank() == 1) return nullptr;
      return &mine_of_shared.emplace(std::span(shared));
    };
    strings::sort_options mine = options;
    mine.machine.on = &on;
    auto const report = strings::sort(members, texts_of(inputs, piped_input), open, mine, equal);
    std::lock_guard const lock(mutex);
    all.exchanged += report.exchanged;
    all.largest_share = std::max(all.largest_share, report.received_text);
  });
  all.text = written_by == writer::first ? out.text() : std::string_view(shared);
  return all;
}

/// Sorts as GPUs of one process do, in the memory of CPUs.
result sort_in_their_memory(std::size_t size, std::vector<std::string> const& inputs, strings::sort_options const& options,
                            strings::duplicates equal, sink& out, std::size_t piped_input = ~std::size_t{0}) {
  result all;
  std::mutex mutex;
  strings::texts const texts = texts_of(inputs, piped_input);
  strings::detail::common_texts const common(texts);
  run_members(size, [&](communicator& members, cpu& on) {
    auto const report =
        strings::detail::sort_share(members, on, common, out, options, equal, {}, [&](strings::detail::share_task& task) {
          with_backend(on, [&](host_backend& backend) { strings::detail::sort_share_on(backend, task); });
        });
    std::lock_guard const lock(mutex);
    all.exchanged += report.exchanged;
    all.largest_share = std::max(all.largest_share, report.received_text);
  });
  return all;
}
result sort_in_their_memory(std::size_t size, std::vector<std::string> const& inputs, strings::sort_options const& options,
                            strings::duplicates equal, std::size_t piped_input = ~std::size_t{0}) {
  growing_sink out;
  result all = sort_in_their_memory(size, inputs, options, equal, out, piped_input);
  all.text = out.text();
  return all;
}

/// A member of another communicator that gets other bytes than those that were sent.
class damaging final : public apart {
 public:
  explicit damaging(communicator& member) : apart(member, member.long_message()) {}
  using apart::all_to_all;
  void all_to_all(std::span<std::span<std::byte const> const> sends, std::span<std::span<std::byte> const> receives,
                  std::function<void(std::size_t)> const& arrived) override {
    apart::all_to_all(sends, receives, arrived);
    for (std::span<std::byte> const part : receives)
      if (!part.empty()) part[0] = std::byte{127};
  }
};

std::string sort_alone(std::vector<std::string> const& inputs, strings::sort_options const& options,
                       strings::duplicates equal = strings::duplicates::keep) {
  growing_sink out;
  strings::sort(texts_of(inputs, ~std::size_t{0}), out, options, equal);
  return std::string(out.text());
}

}  // namespace

TEST_CASE("Lines over a communicator are the bytes of one process", "[distributed]") {
  random_numbers random(7);
  for (std::size_t const size : {2u, 3u, 8u})
    for (unsigned trial = 0; trial < 12; ++trial) {
      std::vector<std::string> inputs(random.below(4));
      for (std::string& input : inputs) {
        for (std::size_t n = random.below(trial % 2 == 0 ? 10 : 300); n != 0; --n) {
          std::string line(random.below(8), 'a');
          for (char& c : line) c = "ab \t0719"[random.below(8)];
          input += line + '\n';
        }
        if (random.below(2) == 0) input += "end";
      }
      strings::sort_options options;
      if (trial % 4 == 1) options.by.keys = {{.first_field = 1, .type = strings::key_type::number}};
      if (trial % 4 == 2) options.by.keys = {{.last_field = 0}}, options.by.last_resort = false;
      options.by.reverse = trial % 3 == 1;
      auto const equal = strings::duplicates(trial % 3);
      if (equal != strings::duplicates::keep) options.by.last_resort = false;
      INFO(size << " members, trial " << trial);
      std::size_t const piped_input = inputs.empty() ? 0 : random.below(2 * inputs.size());
      if (trial % 5 == 3) options.head = random.below(100);
      std::string const expected = sort_alone(inputs, options, equal);
      CHECK(sort_together(size, inputs, options, equal, piped_input, writer(trial % 3)).text == expected);
      CHECK(sort_together(size, inputs, options, equal, piped_input, writer(trial / 3 % 3)).text == expected);
      if (strings::can_be_divided(options, equal))
        CHECK(sort_in_their_memory(size, inputs, options, equal, piped_input).text == expected);
    }
}

TEST_CASE("Shares of lines are balanced, and cross without their common prefixes", "[distributed]") {
  std::size_t const size = 4;
  random_numbers random(3);
  std::string equal, ascending, urls, long_lines;
  for (std::size_t i = 0; i < 20'000; ++i) {
    equal += "the same line\n";
    ascending += std::to_string(1'000'000 + i) + "\n";
    urls += "https://www.example.org/a/rather/long/path/" + std::to_string(random.below(50)) + "/" +
            std::to_string(random.below(100'000)) + "\n";
  }
  for (std::size_t i = 0; i < 400; ++i)
    (long_lines += std::string(9000, 'p')) += std::to_string(random.below(1'000'000)) + "\n";
  for (std::string const& text : {equal, ascending, urls, long_lines}) {
    result const all = sort_together(size, {text}, {});
    CHECK(all.text == sort_alone({text}, {}));
    CHECK(double(all.largest_share) <= 1.1 * double(text.size()) / double(size));
    result const there = sort_in_their_memory(size, {text}, {}, strings::duplicates::keep);
    CHECK(there.text == all.text);
    CHECK(double(there.largest_share) <= 1.1 * double(text.size()) / double(size));
  }
  CHECK(sort_together(size, {urls}, {}).exchanged < urls.size() / 4);
}

TEST_CASE("Whole lines are divided among members before any sort", "[distributed]") {
  random_numbers random(19);
  for (std::size_t const size : {2u, 3u, 7u})
    for (unsigned trial = 0; trial < 24; ++trial) {
      // Short lines; few different ones; prefixes longer than a sample, or than eight symbols; bytes around the delimiter.
      std::size_t const prefix = trial % 6 == 3 ? 70'000 : trial % 6 == 4 ? random.below(20) : 0;
      std::size_t const different = trial % 6 == 1 ? 3 : 1'000'000;
      strings::sort_options options;
      options.by.reverse = trial % 4 >= 2;
      options.delimiter = trial % 2 == 0 ? '\n' : '\0';
      std::vector<std::string> inputs(1 + random.below(3));
      for (std::string& input : inputs)
        for (std::size_t n = random.below(prefix > 1000 ? 40 : 1000); n != 0; --n) {
          std::string line(prefix, 'p');
          if (trial % 6 == 5)
            for (std::size_t k = random.below(12); k != 0; --k) line += char("\x01\x09\x0b\x7f\x80\xff"[random.below(6)]);
          else if (std::size_t const number = random.below(different); number % 10 != 0)
            line += std::to_string(number);
          (input += line) += options.delimiter;
        }
      if (random.below(2) == 0) inputs.back() += "end";
      INFO(size << " members, trial " << trial);
      auto const there = sort_in_their_memory(size, inputs, options, strings::duplicates::keep);
      CHECK((there.text == sort_alone(inputs, options)));
    }
}

TEST_CASE("GPUs of one process send the lines that leave, once", "[distributed]") {
  random_numbers random(29);
  for (std::size_t const size : {2u, 3u, 7u}) {
    std::string input;
    for (std::size_t n = 2000; n != 0; --n) input += std::to_string(random.below(1000)) + "/" + std::to_string(n) + "\n";
    for (bool const sorted : {false, true}) {
      if (sorted) input = sort_alone({input}, {});
      std::vector<std::string> const inputs{input};
      strings::texts const texts = texts_of(inputs, 9);
      strings::detail::common_texts const common(texts);
      growing_sink out;
      std::vector<std::string> shares(size);
      std::vector<std::uint64_t> written(size);
      std::uint64_t crossed = 0;
      run_members(size, [&](communicator& members, cpu& on) {
        apart counting(members, 1, false);
        strings::texts const share = common.share(members, '\n');
        for (std::size_t k = 0; k < share.count; ++k) {
          host_bytes bytes;
          strings::detail::append_all(*share.open(k), bytes);
          shares[members.rank()].append(bytes.data(), bytes.size());
        }
        auto const report = strings::detail::sort_share(
            counting, on, common, out, {}, strings::duplicates::keep, {}, [&](strings::detail::share_task& task) {
              with_backend(on, [&](host_backend& backend) { strings::detail::sort_share_on(backend, task); });
              std::uint64_t const all = counting.crossed();
              if (members.rank() == 0) crossed = all;
            });
        written[members.rank()] = report.own_bytes;
      });
      std::uint64_t leaving = 0, begin = 0;
      for (std::size_t m = 0; m < size; ++m) {
        std::string_view part = std::string_view(out.text()).substr(begin, written[m]);
        begin += written[m];
        std::string const own = "\n" + shares[m];
        while (!part.empty()) {
          std::string_view const line = part.substr(0, part.find('\n') + 1);
          part.remove_prefix(line.size());
          if (own.find("\n" + std::string(line)) == std::string::npos) leaving += line.size();  // no two lines are equal
        }
      }
      INFO(size << " members, " << (sorted ? "sorted" : "unsorted"));
      CHECK((out.text() == sort_alone(inputs, {})));
      CHECK(crossed == leaving);
    }
  }
}

TEST_CASE("Parts of a divided output are announced with the begins of lines", "[distributed]") {
  temporary_folder const folder;
  cli::split_output files(folder.path("parts"), {.parts = 2, .folder = folder.path("")});
  unsigned refused = 0;
  run_members(1, [&](communicator& members, cpu&) {
    strings::output_opener const open = [&](std::uint64_t) { return &files; };
    strings::phase_observer const began;
    strings::detail::member_sink part(members, open, began, &files);
    try {
      part.expect(100);
    } catch (usage_error const&) {
      ++refused;
    }
  });
  CHECK(refused == 1);
}

TEST_CASE("GPUs of one process write the files of one machine", "[distributed]") {
  random_numbers random(23);
  for (std::size_t const size : {2u, 3u, 7u})
    for (std::size_t const parts : {1u, 2u, 3u, 8u})
      for (unsigned kind = 0; kind < 5; ++kind) {
        // No lines; few; many; long and short ones; of which one is most of all.
        std::string input;
        for (std::size_t n = std::array{0, 2, 3000, 300, 40}[kind]; n != 0; --n)
          input += std::string(kind == 3 ? random.below(400) : 0, 'x') + std::to_string(random.below(5000)) + "\n";
        if (kind == 4) input += std::string(20'000, '5') + "\n";
        auto const equal = strings::duplicates(random.below(3));
        temporary_folder const folder;
        cli::split_output together(folder.path("together"), {.parts = parts, .folder = folder.path("")});
        cli::split_output alone(folder.path("alone"), {.parts = parts, .folder = folder.path("")});
        sort_in_their_memory(size, {input}, {}, equal, together);
        together.commit();
        strings::sort(texts_of({input}, 9), alone, {}, equal);
        alone.commit();
        INFO(size << " members, " << parts << " files, kind " << kind);
        CHECK(folder.count() == 2 * parts);
        for (std::size_t k = 1; k <= parts; ++k)
          CHECK((folder.read(cli::name_of_part("together", k, parts)) == folder.read(cli::name_of_part("alone", k, parts))));
      }
}

TEST_CASE("GPUs of one process sort lines to the bytes of one machine", "[distributed][strings]") {
  auto const present = gpus();
  if (present.empty()) return;
  random_numbers random(11);
  std::string urls, others;
  for (std::size_t i = 0; i < 200'000; ++i)
    urls += "https://www.example.org/" + std::to_string(random.below(50)) + "/" + std::to_string(random.below(100'000)) + "\n";
  for (std::size_t i = 0; i < 50'000; ++i) others += std::to_string(random.below(1000)) + "\tx\n";
  std::vector<machine_options> all;
  for (auto const& one : present) all.push_back({.device = device::gpu, .gpu_index = one.index});
  for (auto const& machines : {std::vector(2, all[0]), std::vector(3, all[0]), all})
    for (unsigned kind = 0; kind < 6; ++kind) {
      auto const equal = strings::duplicates(kind % 3);
      strings::sort_options options;
      if (kind >= 3) options.by.keys = {{.last_field = 0, .type = strings::key_type::number}};
      options.by.last_resort = equal == strings::duplicates::keep;
      growing_sink out;
      strings::sort(machines, texts_of({urls, "", others, "end"}, kind == 4 ? 0 : 9), out, options, equal);
      INFO(machines.size() << " members, kind " << kind);
      options.machine.device = device::cpu;
      CHECK((out.text() == sort_alone({urls, "", others, "end"}, options, equal)));
    }
}

TEST_CASE("Sorts of lines over a communicator say what is wrong", "[distributed]") {
  using Catch::Matchers::Message;
  std::vector<std::string> const inputs{"d\nb\n", "c\na\n"};
  strings::output_opener const nowhere = [](std::uint64_t) -> sink* { return nullptr; };
  auto const sort = [&](std::size_t size, strings::texts const& from, strings::duplicates equal, bool damages) {
    run_members(
        size,
        [&](communicator& members, cpu& on) {
          damaging other(members);
          strings::sort_options options;
          options.machine.on = &on;
          strings::sort(damages ? static_cast<communicator&>(other) : members, from, nowhere, options, equal);
        },
        1);
  };
  strings::texts const texts = texts_of(inputs, 9);
  CHECK_THROWS_MATCHES(sort(2, texts, strings::duplicates::by_count, false), usage_error,
                       Message("bad duplicates: distributed sort: lines cannot be ordered by their counts"));
  // Each line begins with the number of bytes that it shares with the one before it.
  CHECK_THROWS_MATCHES(sort(2, texts, strings::duplicates::keep, true), ordo::error,
                       Message("exchange of lines: the bytes that arrived are damaged"));
  std::atomic<unsigned> opened = 0;
  strings::texts const no_more{1, 0, [&](std::size_t) { return std::make_unique<test_source>(inputs[0], opened++ == 0); }};
  CHECK_THROWS_MATCHES(sort(1, no_more, strings::duplicates::keep, false), input_error,
                       Message("cannot read: input 1: it is a regular file no more"));
  growing_sink out;
  CHECK_THROWS_MATCHES(strings::sort(std::vector<machine_options>(), texts, out, {}, strings::duplicates::keep), usage_error,
                       Message("bad machines: sort: there are none"));
}
