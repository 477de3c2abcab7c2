#include "tools/cli/programs.hpp"

#include <csignal>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/stl/string.h>

#include "ordo/error.hpp"
#include "python/src/module.hpp"

namespace ordo_python {
namespace {

namespace nb = nanobind;

/// Gives the signals that Python handles the effect that they have on other programs: Python ignores SIGPIPE, and SIGINT becomes
/// an exception between two of its instructions. A process that was started with SIGINT ignored goes on ignoring it.
void restore_signals() {
  std::signal(SIGPIPE, SIG_DFL);
  if (std::signal(SIGINT, SIG_DFL) == SIG_IGN) std::signal(SIGINT, SIG_IGN);
}

/// Runs a program in this process. Arguments are bytes, without the name of the program.
int run_program(std::string const& name, nb::list const& arguments) {
  constexpr std::pair<char const*, int (*)(int, char**)> programs[] = {
      {"sufsort", ordo::programs::sufsort}, {"specsort", ordo::programs::specsort}, {"strsort", ordo::programs::strsort}};
  std::vector<std::string> texts{name};
  for (nb::handle argument : arguments) {
    auto const text = nb::cast<nb::bytes>(argument);
    texts.emplace_back(text.c_str(), text.size());
  }
  std::vector<char*> argv;
  for (std::string& text : texts) argv.push_back(text.data());
  argv.push_back(nullptr);
  for (auto const& [known, run] : programs)
    if (name == known) {
      restore_signals();
      nb::gil_scoped_release const released;
      return run(int(texts.size()), argv.data());
    }
  throw ordo::usage_error("bad program: " + name);
}

}  // namespace

void add_programs(nb::module_& module) { module.def("run_program", &run_program); }

}  // namespace ordo_python
