#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "ordo/detail/config.hpp"
#include "ordo/error.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/temporary_folder.hpp"
#include "tools/cli/input.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/progress.hpp"
#include "tools/cli/stats.hpp"

using namespace ordo;

namespace {

cli::common_options parsed(std::vector<char const*> arguments) {
  cli::common_options options;
  CLI::App app("test", "test");
  cli::add_common_options(app, options);
  arguments.insert(arguments.begin(), "test");
  if (cli::parse(app, static_cast<int>(arguments.size()), arguments.data())) throw std::logic_error("help or version");
  return options;
}

// By the rows that a parser other than CLI11 has.
void set(std::string_view name, std::string_view value, cli::common_options* options = nullptr) {
  cli::common_options none;
  for (cli::common_row const& row : cli::common_rows())
    if (row.name == name) return row.set(options ? *options : none, value);
  throw std::logic_error("no such option");
}

}  // namespace

TEST_CASE("common options, read by CLI11") {
  CHECK(parsed({}).machine().device == device::automatic);
  cli::common_options const o = parsed({"--device", "cpu", "--threads=3", "-q", "--verbose", "--stats", "f.json"});
  CHECK(o.machine().device == device::cpu);
  CHECK(o.machine().threads == 3);
  CHECK(o.quiet);
  CHECK(o.verbose);
  CHECK(o.stats == "f.json");
  for (std::vector<char const*> const& bad : std::vector<std::vector<char const*>>{{"--device", "tpu"},
                                                                                   {"--threads", "-1"},
                                                                                   {"--threads", "x"},
                                                                                   {"--nonsense"},
                                                                                   {"operand"},
                                                                                   {"--stats"},
                                                                                   {"--stats", ""}})
    CHECK_THROWS_AS(parsed(bad), usage_error);
}

TEST_CASE("numbers and file names that CLI11 would take, and the other parser would not") {
  for (char const* bad : {"", "0x10", "+1", " 1", "1 ", "1_0", "1e1", "010x", "99999999999"}) {
    INFO(bad);
    CHECK_THROWS_AS(parsed({"--threads", bad}), usage_error);
    CHECK_THROWS_AS(set("threads", bad), usage_error);
  }
  CHECK(parsed({"--threads", "010"}).threads == 10);
  for (char const* bad : {"--threads=", "--stats=", "--quiet=false", "--verbose=0"})
    CHECK_THROWS_AS(parsed({bad}), usage_error);
  CHECK_THROWS_AS(parsed({"--stats", ""}), usage_error);
  CHECK_THROWS_AS(set("stats", ""), usage_error);
}

TEST_CASE("values are what they say, not CLI11's lists") {
  std::vector<char const*> const words{"[x]",   "[a,b]", "[[x]]", "[]", "++", "{}", "%%",
                                       "\"q\"", "'",     "a,b",   " ",  "",   "\\", "sub"};
  for (char const* word : words) {
    INFO(word);
    std::vector<std::string> operands;
    std::string value;
    cli::common_options options;
    CLI::App app("test", "test");
    CLI::App* const sub = app.add_subcommand("sub", "sub")->fallthrough();
    sub->add_option("operands", operands, "any");
    sub->add_option("--value", value, "any");
    cli::add_common_options(app, options);
    std::vector<char const*> const line{"test", "sub", word, "--stats", "[s]", "--value", word, "--", "-", word, "-[x]"};
    REQUIRE_FALSE(cli::parse(app, static_cast<int>(line.size()), line.data()));
    CHECK(operands == std::vector<std::string>{word, "-", word, "-[x]"});
    CHECK(value == word);
    CHECK(options.stats == "[s]");
  }
}

TEST_CASE("common options, set by another parser") {
  cli::common_options o;
  set("device", "gpu", &o);
  set("threads", "7", &o);
  set("quiet", "", &o);
  CHECK(o.machine().device == device::gpu);
  CHECK(o.machine().threads == 7);
  CHECK(o.quiet);
  CHECK_THROWS_AS(set("device", "tpu"), usage_error);
  CHECK_THROWS_AS(set("stats", ""), usage_error);
  for (char const* bad : {"", "-1", "x", "3x", "99999999999"}) CHECK_THROWS_AS(set("threads", bad), usage_error);
}

TEST_CASE("progress for people") {
  constexpr std::uint64_t mb = 1000000, gb = 1000 * mb;
  CHECK(cli::progress_text("sorting", 0, 0, 0.9) == "sorting");
  CHECK(cli::progress_text("sorting", 0, 0, 12.9) == "sorting, 12 s");
  CHECK(cli::progress_text("sort", 0, 64 * mb, 130) == "sort 64 MB, 2 min");
  CHECK(cli::progress_text("reading", 1200 * mb, 3100 * mb, 0.5) == "reading 1.2 of 3.1 GB");
  CHECK(cli::progress_text("reading", 1200 * mb, 3100 * mb, 1.5) == "reading 1.2 of 3.1 GB, 800 MB/s, 2 s left");
  CHECK(cli::progress_text("reading", 950 * mb, 3 * gb, 1) == "reading 950 MB of 3.0 GB, 950 MB/s, 2 s left");
  CHECK(cli::progress_text("reading", 950, 3000, 1) == "reading 950 B of 3.0 kB, 950 B/s, 2 s left");
  CHECK(cli::progress_text("reading", 3 * gb, 3 * gb, 2) == "reading 3.0 of 3.0 GB, 1.5 GB/s, 0 s left");
  CHECK(cli::progress_text("reading", 1, 10000, 1) == "reading 1 B of 10 kB, 1 B/s, 2 h 46 min left");
  CHECK(cli::progress_text("reading", 1200 * mb, 0, 2) == "reading 1.2 GB, 600 MB/s");
  CHECK(cli::progress_text("reading", 1200 * mb, 1 * gb, 2) == "reading 1.2 GB, 600 MB/s");  // the file has grown
}

TEST_CASE("version names the tool and the compiler") {
  std::string const text = cli::version_text("sufsort");
  CHECK(text.rfind("sufsort (Ordo) " + std::string(version) + "\n", 0) == 0);
  CHECK(text.size() > 30);
}

TEST_CASE("the report is JSON with every phase once") {
  temporary_folder folder;
  cli::common_options options;
  options.stats = folder.path("report.json");
  folder.write("in", "text");
  char const* const argv[] = {"tool", "-o", "a \"quoted\"\tname", "\xff"};
  cli::stats report("tool", 4, argv, options);
  report.phase("read");
  report.bytes(10);
  report.phase("sort");
  report.phase("read");
  CHECK(cli::read_all(folder.path("in")).size() == 4);
  report.bytes(5);
  report.input(15);
  report.machine({device::cpu, "no GPU here", false});
  report.overlapping("scan", 2, 0.5, 7);
  report.overlapping("scan", 1, 0.25, 8);
  CHECK(!std::filesystem::exists(options.stats));
  report.finish();
  std::string const text = folder.read("report.json");
  auto const json = nlohmann::json::parse(text);
  CHECK(json["command"] == "tool -o a \"quoted\"\tname \xef\xbf\xbd");  // what is not UTF-8 is replaced
  CHECK(json["device"] == "cpu");
  CHECK(json["input_bytes"] == 15);
  REQUIRE(json["phases"].size() == 3);
  CHECK(json["phases"][0]["name"] == "read");
  CHECK(json["phases"][0]["bytes"] == 15);
  CHECK(json["phases"][0]["waited"] > 0);  // for the file
  CHECK(json["phases"][1]["name"] == "sort");
  CHECK(json["phases"][1]["waited"] == 0);
  CHECK(json["phases"][2] == nlohmann::json{{"name", "scan"}, {"seconds", 3}, {"waited", 0.75}, {"bytes", 15}});
}

TEST_CASE("the report replaces nothing that the command needs") {
  temporary_folder folder;
  folder.write("in", "text");
  std::filesystem::create_symlink("in", folder.path("link"));
  char const* const argv[] = {"tool"};
  for (char const* name : {"in", "link", "new"}) {
    cli::common_options options;
    options.stats = folder.path(name);
    cli::stats const report("tool", 1, argv, options);
    CHECK_THROWS_WITH(report.refuse_inputs({folder.path("other"), folder.path(name)}), contains_text("it would replace"));
    CHECK_NOTHROW(report.refuse_inputs({folder.path("other")}));
    CHECK_THROWS_AS(cli::output(folder.path(name)), output_error);
  }
  CHECK(folder.read("in") == "text");
}

TEST_CASE("sizes for people") {
  CHECK(cli::human_bytes(0) == "0 B");
  CHECK(cli::human_bytes(999) == "999 B");
  CHECK(cli::human_bytes(1000) == "1.0 kB");
  CHECK(cli::human_bytes(1500000) == "1.5 MB");
  CHECK(cli::human_bytes(999600) == "1.0 MB");
  CHECK(cli::human_bytes(472293188) == "472 MB");
}
