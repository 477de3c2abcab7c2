#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "ordo/communicator.hpp"

namespace ordo::inline v0::cli {

/// This process as a member of the MPI job that started it.
class job {
 public:
  /// Joins the job if a launcher (mpirun, mpiexec, srun) started this process as one of several, with the same command line as
  /// the others. A process that a script or another program of the job starts works alone, as do all processes if ORDO_MPI is
  /// "off". Must be called before the process starts threads.
  /// @throws usage_error  if there is a job, but the module for MPI is missing or does not work
  job(int argc, char** argv);
  ~job();
  job(job const&) = delete;
  job& operator=(job const&) = delete;

  /// Returns the members; null if this process works alone.
  [[nodiscard]] communicator* members() const noexcept { return members_; }
  /// Returns true if this process prints what concerns all of them.
  [[nodiscard]] bool is_first() const noexcept { return !members_ || members_->rank() == 0; }

  /// Returns work(). If it throws, prints the message with the number of this member, and ends all members.
  /// @param reworded  see run_main
  int run(std::string_view tool, std::function<int()> const& work,
          std::function<std::string(std::string_view)> const& reworded = {});

 private:
  void leave() noexcept;

  communicator* joined_ = nullptr;   // null: there is no job
  communicator* members_ = nullptr;  // null: this process works alone
  void (*leave_)(communicator*) = nullptr;
};

}  // namespace ordo::inline v0::cli
