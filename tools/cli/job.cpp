#include "tools/cli/job.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include "distributed/mpi_job.hpp"
#include "ordo/error.hpp"
#include "tools/cli/run_main.hpp"

namespace ordo::inline v0::cli {
namespace {

/// Returns the number of processes that the launcher says it has started; 1 without a launcher.
unsigned long processes() {
  for (char const* const name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"})
    if (char const* const value = std::getenv(name)) return std::strtoul(value, nullptr, 10);
  return 1;
}

/// Returns true if a launcher of MPI is the parent of this process: what a script of the job starts has another.
bool is_started_by_launcher() {
  std::ifstream file("/proc/" + std::to_string(getppid()) + "/comm");
  std::string name;
  std::getline(file, name);
  constexpr std::array launchers{"mpirun", "mpiexec", "orterun", "orted",      "prterun",         "prted",
                                 "prte",   "prun",    "srun",    "slurmstepd", "hydra_pmi_proxy", "mpiexec.hydra"};
  return std::ranges::any_of(launchers, [&](std::string_view launcher) { return name == launcher.substr(0, 15); });
}

/// Returns this process's command line and folder.
std::string join_command(int argc, char** argv) {
  std::string command(4096, '\0');
  if (!getcwd(command.data(), command.size())) command.clear();
  for (int i = 1; i < argc; ++i) command += std::string(1, '\0') + argv[i];
  return command;
}

bool all_have(communicator& members, std::string const& command) {
  std::uint64_t const length = command.size();
  if (members.reduce(length, reduction::min) != members.reduce(length, reduction::max)) return false;
  std::string first = command;
  members.broadcast(std::as_writable_bytes(std::span(first)), 0);
  return members.reduce(std::uint64_t(first == command), reduction::min) == 1;
}

}  // namespace

job::job(int argc, char** argv) {
  char const* const wish = std::getenv("ORDO_MPI");
  if ((wish && std::string_view(wish) == "off") || processes() < 2 || !is_started_by_launcher()) return;
  // MPI's own plug-ins look for its symbols among all of the process.
  void* module = dlopen("$ORIGIN/" ORDO_MPI_MODULE, RTLD_NOW | RTLD_GLOBAL);
  // Or beside the program, which another file has started.
  if (!module) module = dlopen("$ORIGIN/ordo_mpi.so", RTLD_NOW | RTLD_GLOBAL);
  if (!module)
    throw usage_error(
        fmt::format("cannot join the MPI job: {}: build with an MPI, or set ORDO_MPI=off to let each process work "
                    "alone",
                    dlerror()));
  auto const join = reinterpret_cast<decltype(&ordo_mpi_join)>(dlsym(module, "ordo_mpi_join"));
  leave_ = reinterpret_cast<decltype(&ordo_mpi_leave)>(dlsym(module, "ordo_mpi_leave"));
  if (!join || !leave_) throw usage_error("cannot join the MPI job: ordo_mpi.so: it is of another version");
  char why[256] = "";
  joined_ = join(&argc, &argv, why, sizeof(why));
  if (!joined_) throw usage_error(fmt::format("cannot join the MPI job: {}", why));
  if (joined_->size() == 1) {
    leave();
    throw usage_error(
        "cannot join the MPI job: the launcher started several processes, but MPI sees one: use a launcher of the same MPI "
        "(srun "
        "--mpi=pmix), or set ORDO_MPI=off to let each process work alone");
  }
  if (all_have(*joined_, join_command(argc, argv))) members_ = joined_;
}

job::~job() {
  leave();
}

void job::leave() noexcept {
  if (!joined_) return;
  try {
    leave_(joined_);
  } catch (...) {  // the process ends in any case
  }
  joined_ = members_ = nullptr;
}

int job::run(std::string_view tool, std::function<int()> const& work,
             std::function<std::string(std::string_view)> const& reworded) {
  if (!members_) return work();
  try {
    return work();
  } catch (...) {
    // Member 0 reports errors that all members share.
    if (!is_first()) std::this_thread::sleep_for(std::chrono::milliseconds(300));
    print_exception(is_first() ? std::string(tool) : fmt::format("{}: process {}", tool, members_->rank()), reworded);
    members_->fail("");
    std::_Exit(2);
  }
}

}  // namespace ordo::inline v0::cli
