#pragma once

/// The programs, as functions. Each returns the exit status, handles the signals of the process and may change how its C library
/// allocates: a process runs one of them, once, and then ends.
namespace ordo::programs {

int sufsort(int argc, char** argv);
int specsort(int argc, char** argv);
int strsort(int argc, char** argv);

}  // namespace ordo::programs
