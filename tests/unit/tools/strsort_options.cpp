#include <string>
#include <string_view>
#include <vector>

#include "base/streams.hpp"
#include "ordo/error.hpp"
#include "tests/unit/catch.hpp"
#include "tools/cli/options/option_pages.hpp"
#include "tools/strsort/options/command.hpp"
#include "tools/strsort/debug.hpp"
#include "tools/strsort/options/options.hpp"

using namespace ordo;
using strings::key;
using strings::key_type;

namespace {

strsort::command parsed(std::vector<char const*> const& arguments, strsort::environment const& around = {},
                        std::string_view name = "sort") {
  return strsort::parse(arguments, strsort::caller(name), around);
}

// The keys of a command line.
std::vector<key> keys(std::vector<char const*> const& arguments, strsort::environment const& around = {}) {
  return parsed(arguments, around).order().keys;
}

// The messages about a command line.
std::string refusal(std::vector<char const*> const& arguments, std::string_view name = "sort") {
  try {
    strsort::command const made = parsed(arguments, {}, name);
    if (made.answer) return made.answer->text;
    static_cast<void>(made.order());
  } catch (usage_error const& e) {
    return e.what();
  }
  return "";
}

key piece(std::size_t first_field, std::size_t first_character, std::size_t last_field = key::to_the_end,
          std::size_t end_character = 0, key_type as = key_type::bytes) {
  key made;
  made.first_field = first_field;
  made.first_character = first_character;
  made.last_field = last_field;
  made.end_character = end_character;
  made.type = as;
  return made;
}

}  // namespace

TEST_CASE("strsort's keys: positions", "[strsort]") {
  CHECK(keys({"-k1"}) == std::vector{piece(0, 0)});
  CHECK(keys({"-k", "2,3"}) == std::vector{piece(1, 0, 2)});
  CHECK(keys({"-k2.3,4.5"}) == std::vector{piece(1, 2, 3, 5)});
  CHECK(keys({"--key=2,2.0"}) == std::vector{piece(1, 0, 1)});
  CHECK(keys({"-k3", "-sk1,1"}) == std::vector{piece(2, 0), piece(0, 0, 0)});
  std::size_t const most = std::numeric_limits<std::size_t>::max();
  CHECK(keys({"-k99999999999999999999.99999999999999999999,99999999999999999999"}) ==
        std::vector{piece(most - 1, most - 1, most - 1)});

  CHECK(keys({"+1"}) == std::vector{piece(1, 0)});
  CHECK(keys({"+0.2", "-1"}) == std::vector{piece(0, 2, 0)});
  CHECK(keys({"+1.1", "-2.3"}) == std::vector{piece(1, 1, 2, 3)});
  CHECK(keys({"+0", "-0"}) == std::vector{piece(0, 0, 0)});
  CHECK(keys({"file", "+1n"}) == std::vector{piece(1, 0, key::to_the_end, 0, key_type::number)});
}

TEST_CASE("strsort's keys: options, their own and inherited", "[strsort]") {
  key number = piece(0, 0);
  number.type = key_type::number;
  key reversed = number;
  reversed.reverse = true;
  CHECK(keys({}).empty());
  CHECK(keys({"-r", "-s", "-u"}).empty());
  CHECK(keys({"-n"}) == std::vector{number});
  CHECK(keys({"-nr"}) == std::vector{reversed});
  CHECK(keys({"-nr", "-k1"}) == std::vector{reversed});
  CHECK(keys({"-nr", "-k1n"}) == std::vector{number});
  key only_reversed = piece(0, 0);
  only_reversed.reverse = true;
  CHECK(keys({"-n", "-k1r"}) == std::vector{only_reversed});
  CHECK(parsed({"-nr", "-k1n"}).order().reverse);
  CHECK_FALSE(parsed({"-k1nr"}).order().reverse);

  key blanks = piece(0, 0, 1);
  blanks.skip_blanks_at_first = true;
  CHECK(keys({"-n", "-k1b,2"}) == std::vector{blanks});
  blanks.skip_blanks_at_end = true;
  CHECK(keys({"-b", "-k1,2"}) == std::vector{blanks});
  blanks.skip_blanks_at_first = false;
  CHECK(keys({"-k1,2b"}) == std::vector{blanks});
  CHECK(keys({"+0", "-2b"}) == std::vector{blanks});

  key folded = piece(0, 0);
  folded.fold_case = folded.dictionary = true;
  CHECK(keys({"-dif"}) == std::vector{folded});
  CHECK(keys({"-idf"}) == std::vector{folded});
  CHECK(keys({"-k1id,1f"})[0].dictionary);
  CHECK_FALSE(keys({"-k1id,1f"})[0].ignore_unprinted);

  for (auto const& [option, as] : std::vector<std::pair<char const*, key_type>>{{"-g", key_type::general_number},
                                                                                {"-h", key_type::human_number},
                                                                                {"-M", key_type::month},
                                                                                {"-V", key_type::version},
                                                                                {"-R", key_type::random},
                                                                                {"-RV", key_type::random},
                                                                                {"--sort=n", key_type::number},
                                                                                {"--sort=general", key_type::general_number},
                                                                                {"--so=human-numeric", key_type::human_number},
                                                                                {"--sort=mon", key_type::month},
                                                                                {"--sort=v", key_type::version},
                                                                                {"--sort=r", key_type::random}}) {
    INFO(option);
    CHECK(keys({option, "-k1"}).at(0).type == as);
  }
}

TEST_CASE("strsort's command lines", "[strsort]") {
  strsort::command const made = parsed({"a",
                                        "-t:",
                                        "-zusm",
                                        "-o",
                                        "out",
                                        "--comp=x",
                                        "-Tone",
                                        "b",
                                        "-T",
                                        "two",
                                        "-S",
                                        "3b",
                                        "-S2b",
                                        "--batch-size=7",
                                        "--debug",
                                        "--head=5",
                                        "--locale=de",
                                        "--by-c",
                                        "--random-sou=r",
                                        "--device=cpu",
                                        "--quiet",
                                        "-y3",
                                        "-y",
                                        "4",
                                        "-y",
                                        "-",
                                        "--files0-from=f",
                                        "--thr=2",
                                        "--",
                                        "-k0"});
  CHECK(made.files == std::vector<std::string>{"a", "b", "-", "-k0"});
  CHECK(made.order().separator == ':');
  CHECK_FALSE(made.order().last_resort);
  CHECK(made.order().locale == "de");
  CHECK(made.delimiter == '\0');
  CHECK((made.unique && made.stable && made.merge && made.debug && made.count && made.by_count && made.common.quiet));
  CHECK(made.output == "out");
  CHECK(made.compress_program == "x");
  CHECK(made.random_source == "r");
  CHECK(made.files_from == "f");
  CHECK(made.temporary_folders == std::vector<std::string>{"one", "two"});
  CHECK(made.memory == 3u);
  CHECK(made.batch_size == 7u);
  CHECK(made.head == 5u);
  CHECK(made.common.where == "cpu");
  CHECK(made.common.threads == 2);

  CHECK(made.order().rules == strings::gnu_rules::current);
  CHECK(parsed({"--compat=9.1"}).order().rules == strings::gnu_rules::v9_1);
  CHECK(parsed({"--csv"}).order().quoted);
  CHECK(parsed({"--csv=;"}).order().separator == ';');
  CHECK(parsed({"--header"}).header == 1u);
  CHECK(parsed({"--header=7"}).header == 7u);
  CHECK(parsed({"--csv", "-k", "name:n"}).keys.front().name == "name:n");
  CHECK(parsed({"-k2,2:ip,r"}).order().keys.front().type == strings::key_type::address);
  CHECK(parsed({"-k2,2:ip,r"}).order().keys.front().reverse);
  CHECK(parsed({"-t", "\\0"}).separator == '\0');
  CHECK(parsed({"-S1"}).memory == 1024u);
  CHECK(parsed({"-S", "+2m"}).memory == std::uint64_t{2} << 20);
  CHECK(parsed({"-S", "15E"}).memory == std::uint64_t{15} << 60);
  CHECK(parsed({"-SK"}).memory == 1024u);
  CHECK(parsed({"-S1%"}).memory > 1000u);
  CHECK(parsed({"-S200%"}).memory > parsed({"-S100%"}).memory);
  CHECK(parsed({"-o-"}).output == "./-");  // GNU sort knows no standard output by that name
  CHECK(parsed({"-o-"}, {}, "strsort").output == "-");
  CHECK(parsed({"-c"}).check == 'c');
  CHECK(parsed({"-C", "--check=sil"}).check == 'C');
  CHECK(parsed({"--check"}).check == 'c');
  CHECK(parsed({"--help"}).answer->status == 0);
  CHECK(parsed({"-s"}).order().is_plain());
  // Abbreviations mean what they mean for GNU sort, beside options that it does not have.
  CHECK(parsed({"--st", "--g"}).stable);
  CHECK(parsed({"--te=x"}).temporary_folders.size() == 1);
  CHECK(parsed({"--co=x"}).compress_program == "x");
  CHECK(parsed({"--cou"}).count);
  CHECK(parsed({"--generate=man"}).answer->text.starts_with(".TH"));
}

TEST_CASE("strsort's command lines: what the environment changes", "[strsort]") {
  strsort::environment const posix{true, true}, middle{false, false}, both{true, false};
  CHECK(parsed({"f", "-r"}).global.reverse);
  CHECK(parsed({"f", "-r"}, posix).files == std::vector<std::string>{"f", "-r"});
  CHECK(parsed({"f", "-ox", "-o", "x"}, posix).output == "x");
  CHECK(parsed({"f", "--", "-ox"}, posix).files == std::vector<std::string>{"f", "--"});
  CHECK(parsed({"f", "-o"}, posix).files == std::vector<std::string>{"f", "-o"});
  CHECK(parsed({"-c", "f", "-o", "x"}, posix).files.size() == 3);
  CHECK(keys({"+1"}, posix).size() == 1);
  CHECK(keys({"f", "+1"}, posix).empty());
  CHECK(keys({"+1"}, middle).empty());
  CHECK(keys({"+1", "-2"}, middle).size() == 1);
  CHECK_THROWS_AS(parsed({"+1", "f", "-2"}, middle), usage_error);
  CHECK(parsed({"+1", "-2"}, both).files.size() == 2);
}

TEST_CASE("strsort's words for a bad command line are GNU's, and one line under its own name", "[strsort]") {
  CHECK(refusal({"-k1.0"}) == "character offset is zero: invalid field specification '1.0'");
  CHECK(refusal({"-k1.0"}, "/usr/bin/strsort") == "character offset is zero: invalid field specification '1.0'");
  CHECK(refusal({"-k2.,3"}) == "invalid number after '.': invalid count at start of ',3'");
  CHECK(refusal({"-dfgiMnR"}) == "options '-dfgMnR' are incompatible");
  CHECK(refusal({"-ng", "-k1n"}).empty());
  CHECK(refusal({"--foo"}) == "unrecognized option '--foo'\nTry 'sort --help' for more information.");
  CHECK(refusal({"--foo"}, "/bin/sort") == "unrecognized option '--foo'\nTry '/bin/sort --help' for more information.");
  CHECK(refusal({"--foo"}, "./strsort") == "unrecognized option '--foo' (see strsort --help)");
  CHECK(refusal({"--check=x"}, "strsort") == "invalid argument 'x' for '--check' (see strsort --help)");
  CHECK(parsed({"--check=x"}).answer->status == 1);
  CHECK(parsed({"--check=x"}, {}, "strsort").answer->status == 2);
  CHECK(refusal({"--batch-size=1"}) == "invalid --batch-size argument '1'\nsort: minimum --batch-size argument is '2'");
  CHECK(refusal({"--batch-size=1"}, "strsort") == "invalid --batch-size argument '1': minimum --batch-size argument is '2'");
  CHECK(
      refusal({"--ran"}) ==
      "option '--ran' is ambiguous; possibilities: '--random-sort' '--random-source'\nTry 'sort --help' for more information.");
  CHECK(refusal({"--revers-x"}, "strsort") == "unrecognized option '--revers-x': did you mean '--reverse'?");
  CHECK(refusal({"--generate=x"}, "strsort") == "invalid --generate argument 'x' (see strsort --help)");
  CHECK(refusal({"--head=-1"}) == "invalid number: --head: '-1'");
  CHECK(refusal({"--device=tpu"}).find("tpu") != std::string::npos);
}

TEST_CASE("strsort's table gives help, the man page and completions", "[strsort]") {
  strsort::command none;
  strsort::caller const by("strsort");
  cli::command_table const table = strsort::make_table(none, by);
  std::vector<std::string> texts{cli::help_text(table, by.name())};
  CHECK(texts[0].starts_with("Usage: strsort "));
  CHECK(parsed({"--help"}).answer->text.starts_with("Usage: sort "));
  for (char const* kind : {"man", "complete-bash", "complete-zsh", "complete-fish"})
    texts.push_back(cli::generated(table, table, kind));
  CHECK(cli::generated(table, table, "complete-csh").empty());
  for (cli::option const& o : table.options) {
    INFO(o.letter << o.name);
    CHECK((o.is_documented() || o.letter == 'y'));
    CHECK((o.set || o.name == "help" || o.name == "version" || o.name == "generate"));
    if (!o.is_documented()) continue;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      std::string name(o.name);
      for (std::size_t at = 0; i == 1 && (at = name.find('-', at)) != name.npos; at += 2) name.replace(at, 1, "\\-");
      CHECK(texts[i].find(name) != std::string::npos);
    }
  }
}

namespace {

std::vector<std::string> remarks(std::vector<char const*> const& arguments) {
  strsort::command const made = parsed(arguments);
  std::vector<std::string> said = strsort::remarks(made, made.order());
  said.erase(said.begin());  // on the locale
  return said;
}

std::string annotated(std::string_view text, std::vector<char const*> const& arguments, std::size_t piece) {
  strsort::command const made = parsed(arguments);
  strings::order const by = made.order();
  std::string all;
  line_sink lines(made.delimiter, [&](std::string_view line) { all += strsort::annotated(line, by); });
  for (std::size_t at = 0; at < text.size(); at += piece) lines.write({text.data() + at, std::min(piece, text.size() - at)});
  return all;
}

}  // namespace

TEST_CASE("strsort --debug underlines keys", "[strsort]") {
  struct {
    std::vector<char const*> arguments;
    std::string_view text, want;
  } const cases[] = {
      {{}, "b\n\na\tb\n", "b\n_\n\n^ no match for key\na>b\n___\n"},
      {{"-s", "-k2n"}, "1\n2 x\n3 -4.5e\n", "1\n ^ no match for key\n2 x\n  ^ no match for key\n3 -4.5e\n  ____\n"},
      {{"-k2,2", "-k1.2b,1"}, "ab cd\n", "ab cd\n  ___\n _\n_____\n"},
      {{"-u", "-k1h", "-k2M"}, "1.5K jan\n", "1.5K jan\n____\n     ___\n"},
      {{"-sg"}, " 1.1e4x\n\n0x1p2,inf\nnan\n", " 1.1e4x\n _____\n\n^ no match for key\n0x1p2,inf\n_____\nnan\n___\n"},
      {{"-sn"}, "2.,,3\n-\n-.5\n", "2.,,3\n__\n-\n^ no match for key\n-.5\n___\n"},
      {{"-t:", "-k3.2nr,1"}, "a:b:  c\n", "a:b:  c\n     ^ no match for key\n_______\n"},
      {{"-t:", "-k3.2nr,1", "--compat=9.1"}, "a:b:  c\n", "a:b:  c\n      ^ no match for key\n_______\n"},
      {{"-z", "-k2"}, {"a\nb\0\1\200\0", 7}, "a\nb\n _\n__\n\1\200\n ^ no match for key\n_\n"},
  };
  for (auto const& [arguments, text, want] : cases)
    for (std::size_t const piece : {1, 3, 100}) CHECK(annotated(text, arguments, piece) == want);
}

TEST_CASE("strsort --debug remarks", "[strsort]") {
  using lines = std::vector<std::string>;
  lines const blanks{"leading blanks are significant in key 1; consider also specifying 'b'"};
  std::string const spans = "key 1 is numeric and spans multiple fields",
                    point = "numbers use '.' as a decimal point in this locale";
  CHECK(remarks({}).empty());
  CHECK(remarks({"-rb"}).empty());
  CHECK(remarks({"-k1"}) == blanks);
  for (char const* quiet : {"-k1b", "-k1M", "-k1.2,1.2", "-t:"}) CHECK(remarks({"-k1b", quiet}).empty());
  CHECK(remarks({"-k2,1"}) == lines{"key 1 has zero width and will be ignored"});
  CHECK(remarks({"-n"}) == lines{point});
  CHECK(remarks({"-n", "--compat=9.1"}) == lines{"note " + point});
  CHECK(remarks({"-k1n"}) == lines{spans, point});
  CHECK(remarks({"-t.", "-k1n"}) == lines{spans, "field separator '.' is treated as a decimal point in numbers"});
  CHECK(remarks({"-t-", "-k1n"}) == lines{spans, "field separator '-' is treated as a minus sign in numbers", point});
  CHECK(remarks({"-t+", "-k1g"}) == lines{spans, "field separator '+' is treated as a plus sign in numbers", point});
  CHECK(remarks({"-rRVMhgb", "-k1,1n"}) ==
        lines{point, "options '-bghMRV' are ignored", "option '-r' only applies to last-resort comparison"});
  CHECK(remarks({"-srb", "-k1,1n"}) == lines{point, "options '-br' are ignored"});
  CHECK(remarks({"-rb", "-k2n", "+2.2", "-1b"}) ==
        lines{spans, "obsolescent key '+2 -1' used; consider '-k 3,1' instead", "key 2 has zero width and will be ignored",
              point, "option '-b' is ignored", "option '-r' only applies to last-resort comparison"});
}
