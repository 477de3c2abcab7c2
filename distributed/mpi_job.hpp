#pragma once
#include "ordo/communicator.hpp"

// The interface of the module ordo_mpi.so.

/// Joins the MPI job. Returns this process's member, or null with a message in `why`, of `why_bytes` bytes.
extern "C" ordo::communicator* ordo_mpi_join(int* argc, char*** argv, char* why, std::size_t why_bytes);
/// Leaves the job, when all members do, and deletes the member.
extern "C" void ordo_mpi_leave(ordo::communicator* member);
