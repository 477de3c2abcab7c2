#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "ordo/detail/config.hpp"
#include "ordo/error.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/environment.hpp"
#include "tests/unit/temporary_folder.hpp"
#include "tools/cli/files/input.hpp"
#include "tools/cli/gpu_start.hpp"
#include "tools/cli/options/options.hpp"
#include "tools/cli/progress.hpp"
#include "tools/cli/stats.hpp"

using namespace ordo;

namespace {

// Parses with a table of a required operand, a list, a text, and the common options.
struct parsed {
  cli::common_options common;
  std::vector<std::string> operands, list;
  std::string text;

  explicit parsed(std::vector<char const*> arguments, std::string* spelling = nullptr) {
    cli::command_table table{.name = "tool",
                             .summary = "do something",
                             .usage = {"[OPTION]... [FILE]..."},
                             .description = "Do something.",
                             .operands = {{"FILE", "a file", 0, 3, [this](auto value) { operands.emplace_back(value); }}},
                             .options = {{.letter = 'l',
                                          .name = "list",
                                          .value = "ITEM",
                                          .group = "Options",
                                          .help = "add an item",
                                          .repeatable = true,
                                          .set = cli::append_to(list)},
                                         {.letter = 't',
                                          .name = "text",
                                          .value = "TEXT",
                                          .group = "Options",
                                          .help = "set a text",
                                          .set = [&, spelling](std::string_view name, std::string_view value) {
                                            text = value;
                                            if (spelling) *spelling = name;
                                          }}}};
    cli::add_common_options(table, common);
    arguments.insert(arguments.begin(), "tool");
    if (cli::parse(table, static_cast<int>(arguments.size()), arguments.data()).status) throw std::logic_error("answered");
  }
};

std::string refusal(std::vector<char const*> const& arguments) try {
  parsed const accepted(arguments);
  return "";
} catch (usage_error const& e) {
  return e.what();
}

}  // namespace

TEST_CASE("common options") {
  environment const automatic("ORDO_DEVICE", "");
  CHECK(parsed({}).common.machine().device == device::automatic);
  cli::common_options const o = parsed({"--device", "cpu", "--threads=3", "-q", "--verbose", "--stats", "f.json"}).common;
  CHECK(o.machine().device == device::cpu);
  CHECK(o.machine().threads == 3);
  CHECK(o.quiet);
  CHECK(o.verbose);
  CHECK(o.stats == "f.json");
  for (char const* bad : {"", "0x10", "+1", " 1", "1 ", "1_0", "1e1", "010x", "-1", "x", "99999999999"}) {
    INFO(bad);
    CHECK_THROWS_AS(parsed({"--threads", bad}), usage_error);
  }
  CHECK(parsed({"--threads", "010"}).common.threads == 10);
  for (std::vector<char const*> const& bad :
       std::vector<std::vector<char const*>>{{"--device", "tpu"}, {"--stats"}, {"--stats", ""}, {"--threads="}, {"--quiet=no"}})
    CHECK_THROWS_AS(parsed(bad), usage_error);
}

TEST_CASE("the forms of options") {
  for (std::vector<char const*> const& form : std::vector<std::vector<char const*>>{
           {"-t", "x"}, {"-tx"}, {"-qtx"}, {"-qt", "x"}, {"--text", "x"}, {"--text=x"}, {"a", "--text=x", "b"}}) {
    std::string spelling;
    CHECK(parsed(form, &spelling).text == "x");
    CHECK(spelling == "--text");
  }
  CHECK(parsed({"-t=x"}).text == "=x");
  CHECK(parsed({"--text=a=b"}).text == "a=b");
  CHECK(parsed({"-t", "-q"}).text == "-q");
  CHECK(parsed({"-t", "--"}).text == "--");
  CHECK(parsed({"-t", ""}).text.empty());
  CHECK(parsed({"-la", "-l", "b", "--list=c", "--list", "d"}).list == std::vector<std::string>{"a", "b", "c", "d"});
  CHECK(parsed({"-q", "-q"}).common.quiet);
  CHECK(parsed({"-", "-1", "--", "-q"}).operands == std::vector<std::string>{"-", "-1", "-q"});
  for (char const* word : {"[x]", "[a,b]", "[]", "++", "{}", "%%", "\"q\"", "'", "a,b", " ", "", "\\"}) {
    INFO(word);
    parsed const p({word, "--text", word});
    CHECK(p.operands == std::vector<std::string>{word});
    CHECK(p.text == word);
  }
}

TEST_CASE("refused command lines name the argument") {
  CHECK(refusal({"--tex=x"}) == "unknown option: --tex=x: did you mean --text?");
  CHECK(refusal({"--lits"}) == "unknown option: --lits: did you mean --list?");
  CHECK(refusal({"--bogus"}) == "unknown option: --bogus: see tool --help");
  CHECK(refusal({"-qx"}) == "unknown option: -x: see tool --help");
  CHECK(refusal({"--bogus", "--threads", "x"}) == "invalid number: --threads: 'x'");
  CHECK(refusal({"-t"}) == "missing value: -t: TEXT must follow");
  CHECK(refusal({"--text"}) == "missing value: --text: TEXT must follow");
  CHECK(refusal({"--text="}) == "empty value: --text=: nothing follows the '='");
  CHECK(refusal({"-ta", "--text=a"}) == "repeated option: --text: give it once");
  CHECK(refusal({"--quiet=no"}) == "unexpected value: --quiet: the option takes none");
  CHECK(refusal({"a", "b", "c", "d"}) == "unexpected operand: 'd': see tool --help");
  CHECK(refusal({"--generate=csh"}) ==
        "invalid value: --generate: 'csh': choose from man, complete-bash, complete-zsh, complete-fish");
}

TEST_CASE("options that conflict") {
  auto const refusal_of = [](std::vector<char const*> arguments) -> std::string {
    auto const ignored = [](std::string_view, std::string_view) {};
    auto const row = [&](char letter, std::string_view name, std::string_view value) {
      return cli::option{.letter = letter, .name = name, .value = value, .group = "Options", .help = "do it", .set = ignored};
    };
    cli::command_table const table{
        .name = "tool",
        .summary = "do something",
        .usage = {"[OPTION]..."},
        .description = "Do something.",
        .options = {row('a', "all", ""), row(0, "one", ""), row('f', "format", "NAME"), row(0, "step", "N")},
        .conflicts = {{.options = {"--all", "--one"}, .why = "choose"},
                      {.options = {"--all"}, .with = {"--format=text", "--step!=1"}, .why = "it is not for {--format}"},
                      {.options = {"--one"}, .unless = {"--format"}, .why = "it needs a format", .names = "--one, --many"}}};
    arguments.insert(arguments.begin(), "tool");
    try {
      static_cast<void>(cli::parse(table, static_cast<int>(arguments.size()), arguments.data()));
    } catch (usage_error const& e) {
      return e.what();
    }
    return "";
  };
  CHECK(refusal_of({}).empty());
  CHECK(refusal_of({"-a", "--format=json", "--step=1"}).empty());
  CHECK(refusal_of({"--one", "--format=text"}).empty());
  CHECK(refusal_of({"--one", "-a"}) == "conflicting options: --all, --one: choose");
  CHECK(refusal_of({"-a", "-f", "text"}) == "conflicting options: --all: it is not for text");
  CHECK(refusal_of({"--step=2", "-a"}) == "conflicting options: --all: it is not for ");
  CHECK(refusal_of({"--one"}) == "conflicting options: --one, --many: it needs a format");
  CHECK(refusal_of({"--one", "--bad"}) == "unknown option: --bad: see tool --help");
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
  std::string const old = "{\n  \"tool\": \"tool\"\n}\n";
  folder.write("in", old);
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
  CHECK(folder.read("in") == old);
  for (char const* other : {">a", "{", "{\"tool\": 1}\n{}\n"}) {
    folder.write("in", other);
    cli::common_options options;
    options.stats = folder.path("link");
    CHECK_THROWS_WITH(cli::stats("tool", 1, argv, options), contains_text("is no report"));
    CHECK(folder.read("in") == other);
  }
}

TEST_CASE("sizes for people") {
  CHECK(cli::human_bytes(0) == "0 B");
  CHECK(cli::human_bytes(999) == "999 B");
  CHECK(cli::human_bytes(1000) == "1.0 kB");
  CHECK(cli::human_bytes(1500000) == "1.5 MB");
  CHECK(cli::human_bytes(999600) == "1.0 MB");
  CHECK(cli::human_bytes(472293188) == "472 MB");
}

TEST_CASE("the driver is shown the GPUs of a command alone", "[cli]") {
  struct row {
    char const* list;  // null: CUDA_VISIBLE_DEVICES is not set
    unsigned present, first, last;
    std::optional<std::string> shown;
  };
  std::optional<std::string> const unchanged;
  std::string const uuid = "GPU-1f9e1d4c-0d4b-5d3a-8c1a-52b5a6f3e6c1";
  std::string const both = "1," + uuid, numbers_and_uuid = uuid + " ,3";
  row const rows[] = {{nullptr, 4, 0, 0, "0"},
                      {nullptr, 4, 3, 3, "3"},
                      {nullptr, 4, 1, 3, "1,2,3"},
                      {nullptr, 4, 4, 4, unchanged},
                      {nullptr, 4, 2, 4, unchanged},
                      {nullptr, 0, 0, 0, unchanged},
                      {nullptr, 1, 0, 0, "0"},
                      {nullptr, 4, 2, 1, unchanged},
                      {"2,0,3", 4, 0, 0, "2"},
                      {"2,0,3", 4, 1, 2, "0,3"},
                      {"2,0,3", 4, 3, 3, unchanged},
                      {" 1 , 2", 4, 0, 1, "1,2"},
                      {both.c_str(), 4, 1, 1, uuid},
                      {numbers_and_uuid.c_str(), 4, 0, 1, uuid + ",3"},
                      {"MIG-8b1e", 1, 0, 0, "MIG-8b1e"},
                      {"", 4, 0, 0, unchanged},
                      {"-1", 4, 0, 0, unchanged},
                      {"0,-1,1", 4, 0, 0, "0"},
                      {"0,-1,1", 4, 1, 1, unchanged},
                      {"0,9,1", 4, 1, 1, unchanged},
                      {"0,0", 4, 0, 0, unchanged},
                      {"NoDevFiles", 4, 0, 0, unchanged},
                      {"99999999999999999999", 4, 0, 0, unchanged}};
  for (row const& r : rows) {
    INFO((r.list ? r.list : "not set") << ": " << r.present << " GPUs, " << r.first << " to " << r.last);
    CHECK(cli::visible_gpus(r.list, r.present, r.first, r.last) == r.shown);
  }
  temporary_folder const folder;
  CHECK(cli::count_gpus(folder.path("missing")) == 0);
  CHECK(cli::count_gpus(folder.path("")) == 0);
  for (char const* gpu : {"0000:00:06.0", "0000:00:07.0"}) std::filesystem::create_directory(folder.path(gpu));
  CHECK(cli::count_gpus(folder.path("")) == 2);
}

TEST_CASE("ORDO_DEVICE chooses the device if no option does", "[cli]") {
  environment const wish("ORDO_DEVICE", "gpu:2-3");
  CHECK(parsed({}).common.machine().gpu_index == 2u);  // of several, the first
  CHECK(parsed({}).common.wanted_gpus() == std::pair(2u, 2u));
  CHECK(parsed({"--device", "gpu:1"}).common.machine().gpu_index == 1u);
  CHECK(parsed({"--device", "cpu"}).common.machine().device == device::cpu);
  cli::common_options several;
  several.may_be_several = true;
  CHECK(several.wanted_gpus() == std::pair(2u, 3u));
}

TEST_CASE("The fewest GPUs hold a job", "[cli]") {
  std::vector<gpu_info> gpus(4);
  for (gpu_info& gpu : gpus) gpu.memory = 800;
  auto const fewest = [&](std::size_t bytes) {
    return cli::fewest_gpus(gpus, [&](std::size_t count) { return bytes / count; });
  };
  CHECK(fewest(0) == 1);
  CHECK(fewest(700) == 1);  // an eighth is spare
  CHECK(fewest(701) == 2);
  CHECK(fewest(2000) == 3);
  CHECK(fewest(2800) == 4);
  CHECK(fewest(10'000) == 4);  // as many as there are
  gpus[1].memory = 80;
  CHECK(fewest(701) == 4);  // the smallest one holds as much as the others
  CHECK(cli::fewest_gpus({}, [](std::size_t) { return std::size_t{0}; }) == 0);
}

TEST_CASE("GPUs are counted from the first that the driver is shown", "[cli]") {
  cli::common_options common;
  common.may_be_several = true;
  common.where = "cpu";
  CHECK_FALSE(common.wanted_gpus());
  common.where = "all";
  CHECK_FALSE(common.wanted_gpus());
  common.where = "gpu:2-3";
  CHECK(common.wanted_gpus() == std::pair(2u, 3u));
  common.hide_gpus_before(2);
  CHECK(common.machines()[0].gpu_index == 0u);
  CHECK(common.machines()[1].gpu_index == 1u);
  common.where = "gpu";
  CHECK_FALSE(common.machine().gpu_index);
  common.hide_gpus_before(0);
  CHECK(common.wanted_gpus() == std::pair(0u, 0u));
}
