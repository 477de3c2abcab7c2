#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/streams.hpp"
#include "ordo/communicator.hpp"
#include "ordo/cpu.hpp"
#include "ordo/error.hpp"
#include "ordo/spectra/import.hpp"
#include "ordo/spectra/mzml.hpp"
#include "ordo/spectra/order.hpp"
#include "spectra/chunk/value_message.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/distributed/apart.hpp"
#include "tests/unit/inputs.hpp"
#include "tests/unit/io_ends.hpp"
#include "tests/unit/spectra/mzml/cases.hpp"

using namespace ordo;

namespace {

using spectra::format;

/// What a call gives.
struct outcome {
  std::vector<std::string> parts;
  std::vector<std::string> warnings;
  std::string error;
  spectra::sort_report report;
  std::uint64_t sent = 0;  // by the others
  bool operator==(outcome const& other) const {
    auto const counts = [](spectra::sort_report const& one) {
      return std::vector{one.bytes,        one.lines,      one.spectra,           one.peaks,   one.reordered, one.written,
                         one.spectra_kept, one.peaks_kept, one.missing_precursor, one.warnings};
    };
    return parts == other.parts && warnings == other.warnings && error == other.error && counts(report) == counts(other.report);
  }
};

struct memory_parts final : spectra::output_parts {
  sink& open(std::size_t part) override {
    while (all.size() <= part) all.push_back(std::make_unique<growing_sink>());
    return *all[part];
  }
  std::vector<std::unique_ptr<growing_sink>> all;
};

/// The work on some inputs of one format.
struct job {
  std::vector<std::string> texts;
  format from = format::mgf, to = format::mgf;
  bool orders = false, splits = false;
  spectra::sort_options options;
  spectra::order_options order;

  [[nodiscard]] spectra::sort_report run(spectra::sort_options const& here, memory_parts& out) const {
    if (!orders) {
      memory_source input{std::string_view(texts[0])};
      sink& to_part = out.open(0);
      if (from == format::mgf) return spectra::sort(input, to_part, here);
      if (from == format::mzml) return spectra::sort_mzml(input, to_part, here, to);
      return spectra::sort_to_mgf(input, to_part, here, from);
    }
    spectra::spectrum_inputs inputs;
    inputs.count = texts.size();
    inputs.open = [&](std::size_t k) {
      spectra::spectrum_inputs::opened one;
      one.from = std::make_unique<memory_source>(std::string_view(texts[k]));
      one.name = fmt::format("input {}", k);
      one.from_format = from;
      return one;
    };
    if (to == format::mgf) return spectra::order_spectra(inputs, out, here, order).done;
    if (texts.size() > 1 || splits) return spectra::order_mzml(inputs, out, here, order).done;
    memory_source input{std::string_view(texts[0])};
    return spectra::order_mzml(input, out.open(0), here, order).done;
  }

  /// @param members  1: one machine, without a group
  [[nodiscard]] outcome with(std::size_t members, bool others_read_another = false) const {
    outcome made;
    memory_parts out;
    std::atomic<std::uint64_t> sent = 0;
    auto const work = [&](communicator* all, cpu* on) {
      spectra::sort_options here = options;
      here.members = all;
      here.machine.on = on;
      if (!on) here.machine.device = device::cpu;  // so that its chunks have the size of the members'
      bool const is_first = !all || all->rank() == 0;
      here.on_warning = [&](std::string const& message) {
        if (!is_first) throw std::logic_error("a warning of another member");
        made.warnings.push_back(message);
      };
      memory_parts none;
      job other = *this;
      if (!is_first && others_read_another) other.texts[0].insert(other.texts[0].size() / 2, " ");
      spectra::sort_report const report = other.run(here, is_first ? out : none);
      if (is_first)
        made.report = report;
      else
        sent += report.sent;
      // Members are threads, in which Catch2 must not check. An exception here is an outcome that no test expects.
      for (auto const& part : none.all)
        if (!part->text().empty()) throw std::logic_error("an output of another member");
    };
    try {
      if (members == 1)
        work(nullptr, nullptr);
      else
        run_members(
            members, [&](communicator& all, cpu& on) { work(&all, &on); }, 1);
    } catch (error const& e) {
      made.error = e.what();
      return made;
    }
    for (auto const& part : out.all) made.parts.emplace_back(part->text());
    made.sent = sent;
    return made;
  }
};

std::string random_mgf(random_numbers& random) {
  std::string text = "COM=some\n";
  for (std::size_t spectra = random.below(40); spectra-- != 0;) {
    text += fmt::format("BEGIN IONS\nTITLE=t{}\nPEPMASS={}.5\nCHARGE={}+\n", random.below(100), 100 + random.below(800),
                        1 + random.below(3));
    for (std::size_t peaks = random.below(20); peaks-- != 0;)
      text += fmt::format("{}.5 {}\n", 100 + random.below(1000), random.below(100));
    text += random.below(200) == 0 ? "100 nan\nEND IONS\n" : random.below(400) == 0 ? "wrong line\n" : "END IONS\n\n";
  }
  return text;
}

std::string random_msp(random_numbers& random) {
  std::string text;
  for (std::size_t spectra = random.below(30); spectra-- != 0;) {
    std::size_t const peaks = random.below(9);
    text += fmt::format("Name: n{}/2\nPrecursorMZ: {}.25\nNum peaks: {}\n", random.below(100), random.below(900), peaks);
    for (std::size_t i = 0; i < peaks; ++i) text += fmt::format("{}.5\t{}\n", 100 + random.below(1000), random.below(100));
    text += '\n';
  }
  return text;
}

std::string random_mzml(random_numbers& random) {
  mzml::document made;
  made.indexed = random.below(3) != 0;
  made.right_offsets = random.below(5) != 0;
  for (std::size_t spectra = random.below(30); spectra-- != 0;) {
    mzml::spectrum one;
    std::vector<double> mz, intensity;
    bool const sorted = random.below(2) == 0;
    for (std::size_t peaks = random.below(12); peaks-- != 0;) {
      mz.push_back(sorted ? 100.0 + double(mz.size()) : 100.0 + double(random.below(1000)));
      intensity.push_back(double(random.below(100)));
    }
    auto const packing = random.below(2) == 0 ? mzml::packing::zlib : mzml::packing::none;
    one.arrays = {mzml::mz(mz, mzml::number_type::float64, packing), mzml::intensity(intensity)};
    one.level = random.below(4) == 0 ? 1 : 2;
    if (random.below(12) == 0) one.ion.clear();
    made.spectra.push_back(one);
  }
  std::string text = mzml::text_of(made);
  if (random.below(25) == 0) text.resize(random.below(text.size()));  // truncated
  return text;
}

}  // namespace

TEST_CASE("Members that share chunks make what one machine makes, and find the same faults",
          "[spectra][distributed][members]") {
  random_numbers random(17);
  std::size_t errors = 0, warned = 0, shared = 0;
  for (int trial = 0; trial < 300; ++trial) {
    job one;
    constexpr format formats[] = {format::mgf, format::mzml, format::mzml, format::msp};
    one.from = formats[random.below(4)];
    one.orders = random.below(2) == 0;
    one.to = one.from == format::mzml && random.below(3) != 0 ? format::mzml : format::mgf;
    one.texts.resize(one.orders ? 1 + random.below(3) : 1);
    for (std::string& text : one.texts)
      text = one.from == format::mgf ? random_mgf(random) : one.from == format::msp ? random_msp(random) : random_mzml(random);
    one.options.chunk_bytes = 1 + random.below(4000);
    one.options.machine.threads = 2;  // more of them leave short inputs to the first member
    one.options.lenient = random.below(2) == 0;
    one.options.descending = random.below(4) == 0;
    if (random.below(3) == 0) one.options.select.top = 1 + random.below(8);
    if (random.below(5) == 0) one.options.select.min_peaks = 1 + random.below(8);
    if (random.below(4) == 0) one.options.choice.charges.ranges = {{2, 3}};
    if (random.below(6) == 0)
      one.options.choice.numbers = std::make_shared<std::vector<std::uint64_t> const>(std::vector<std::uint64_t>{1, 4, 9});
    if (one.orders) {
      if (random.below(2) == 0) one.order.order.by.push_back(spectra::spectrum_key::title);
      if (random.below(2) == 0) one.order.order.by.push_back(spectra::spectrum_key::pepmass);
      if (random.below(4) == 0) one.order.memory = 20000;
      if ((one.splits = random.below(4) == 0)) one.order.parts = 3;
    }
    outcome const expected = one.with(1);
    errors += !expected.error.empty();
    warned += expected.error.empty() && !expected.warnings.empty();
    std::size_t const size = 2 + random.below(7);
    outcome const made = one.with(size);
    INFO("trial " << trial << ", " << size << " members: " << expected.error << " / " << made.error);
    REQUIRE((made == expected));
    shared += made.sent != 0;
    if (trial % 4 == 0 && expected.error.empty() && !one.orders) REQUIRE((one.with(size, true) == expected));
  }
  CHECK(errors > 10);
  CHECK(warned > 10);
  CHECK(shared > 150);
}

TEST_CASE("Members that are GPUs of one process share no chunks", "[spectra][distributed][members]") {
  auto const sort = [] {
    run_members(
        2,
        [](communicator& threads, cpu& on) {
          apart members(threads, 1, true);
          spectra::sort_options options;
          options.members = &members;
          options.machine.on = &on;
          memory_source input("BEGIN IONS\n2 1\n1 1\nEND IONS\n");
          growing_sink output;
          spectra::sort(input, output, options);
        },
        1);
  };
  CHECK_THROWS_MATCHES(sort(), usage_error,
                       Catch::Matchers::Message("cannot share: spectra: the members are GPUs of one process"));
}

TEST_CASE("What another member cannot read is left to the first", "[spectra][distributed][members]") {
  std::string text;
  for (std::size_t i = 0; i < 5000; ++i) text += fmt::format("BEGIN IONS\nPEPMASS={}\n200 1\n100 2\nEND IONS\n", i + 1);
  spectra::sort_options options;
  options.chunk_bytes = std::size_t{64} << 10;
  memory_source input{std::string_view(text)};
  growing_sink expected, output;
  spectra::sort(input, expected, options);
  run_members(
      2,
      [&](communicator& members, cpu& on) {
        bool const is_first = members.rank() == 0;
        spectra::sort_options here = options;
        here.members = &members;
        here.machine.on = &on;
        test_source from(text, true, is_first ? ~std::uint64_t{0} : 1000);  // in the middle of a chunk
        growing_sink none;
        spectra::sort(from, is_first ? output : none, here);
      },
      1);
  CHECK((output.text() == expected.text()));
}

TEST_CASE("A message that ends too early is refused", "[spectra][distributed][members]") {
  using spectra::detail::value_reader;
  std::vector<char> bytes;
  spectra::detail::value_writer to(bytes);
  to.put(std::uint32_t{7}, std::string("abc"), std::vector<std::uint64_t>{1, 2});
  std::uint32_t number = 0;
  std::string text;
  std::vector<std::uint64_t> values;
  value_reader(bytes).take(number, text, values);
  CHECK((number == 7 && text == "abc" && values == std::vector<std::uint64_t>{1, 2}));
  for (std::size_t size = 0; size < bytes.size(); ++size)
    CHECK_THROWS_MATCHES(value_reader(std::span(bytes).first(size)).take(number, text, values), input_error,
                         Catch::Matchers::Message("cannot read: message: it is too short"));
}
