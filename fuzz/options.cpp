// Command lines: arguments that end with NUL. strsort's under its own name and under that of sort; and keys by the names of
// columns.
#include "fuzz/fuzz.hpp"
#include "tools/specsort/options.hpp"
#include "tools/strsort/options/keys.hpp"
#include "tools/strsort/options/options.hpp"

using namespace ordo;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  fuzz::fuzzed_bytes bytes(data, size);
  std::size_t const option = bytes.number(4);
  std::string const text(bytes.rest());
  std::vector<char const*> arguments;
  for (std::size_t begin = 0; begin < text.size() && arguments.size() < 64; begin = text.find('\0', begin) + 1) {
    arguments.push_back(text.c_str() + begin);
    if (text.find('\0', begin) == text.npos) break;
  }
  for (std::string_view const key : arguments)
    fuzz::catch_error([&] { strsort::parse_named_key(key, {"a", "b c", "a", "q\"", "a:b"}); });
  if (option < 3) {
    strsort::caller const called(option == 1 ? "sort" : "strsort");
    fuzz::catch_error([&] {
      strsort::command const made = strsort::parse(arguments, called, {option == 2, option != 2});
      if (!made.answer) static_cast<void>(made.order());
    });
  } else {
    specsort::command made;
    auto const table = specsort::make_table(made);
    arguments.insert(arguments.begin(), "specsort");
    fuzz::catch_error([&] {
      if (cli::parse(table, int(arguments.size()), arguments.data()).status) return;
      made.selection.selection().check();
      static_cast<void>(made.order.order(made.inputs.size() > 1, !made.choice.unique.empty()));
    });
  }
  return 0;
}
