#include "distributed/mpi_job.hpp"

#include <cstdio>
#include <exception>

#include "ordo/mpi.hpp"

#pragma GCC visibility push(default)

ordo::communicator* ordo_mpi_join(int* argc, char*** argv, char* why, std::size_t why_bytes) {
  try {
    int level = 0;
    if (MPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, &level) != MPI_SUCCESS) throw ordo::member_lost("MPI_Init failed");
    return new ordo::mpi_communicator(MPI_COMM_WORLD);
  } catch (std::exception const& e) {
    std::snprintf(why, why_bytes, "%s", e.what());
    return nullptr;
  }
}

void ordo_mpi_leave(ordo::communicator* member) {
  delete member;
  MPI_Finalize();
}
#pragma GCC visibility pop
