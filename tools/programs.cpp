#include <cstdio>
#include <string_view>
#include <utility>

#include "tools/cli/programs.hpp"
#include "tools/strsort/sort_at_once.hpp"

// All programs in one file, by the name it is called by. Of the code for GPUs, by far the largest part, there is one copy.
int main(int argc, char** argv) {
  // A few lines are sorted here, as strsort does that is a file of its own.
  constexpr auto strsort = [](int count, char** arguments) {
    auto const status = ordo::strsort::sort_at_once(count, arguments);
    return status ? *status : ordo::programs::strsort(count, arguments);
  };
  constexpr std::pair<std::string_view, int (*)(int, char**)> programs[] = {{"sufsort", ordo::programs::sufsort},
                                                                            {"specsort", ordo::programs::specsort},
                                                                            {"strsort", strsort},
                                                                            {"sort", strsort}};
  std::string_view const path = argc > 0 ? argv[0] : "";
  std::string_view const called = path.substr(path.rfind('/') + 1);
  for (auto const& [name, run] : programs)
    if (called == name) return run(argc, argv);
  std::fputs("ordo-tools: call it by a link with the name sufsort, specsort, strsort or sort\n", stderr);
  return 2;
}
