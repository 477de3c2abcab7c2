#pragma once
#include "tools/specsort/work.hpp"

/// The modes of specsort, each in a file of modes/. They return the exit status.
namespace ordo::inline v0::specsort {

/// Sorts the peaks of one input.
int sort_file(work& w, session& here);
/// Orders the spectra of all inputs, or writes parts, or origins.
int order(work& w, session& here);
/// Sorts or orders each input into a file of --out-dir.
int each_input(work& w, session& here);
/// Writes the spectra of each compensation voltage to a file of their own.
int split_by_voltage(work& w, session& here);
/// Looks for the first peak out of order.
int check(work& w, session& here);
/// Prints summaries, or writes a report.
int summarize(work& w, session& here);
/// Writes the pairs of similar spectra.
int compare(work& w, session& here);
/// Writes one spectrum for each cluster of similar spectra.
int write_consensus(work& w, session& here);
/// Works as another process than the first one of a job.
int help(int argc, char** argv, cli::job const& job);

}  // namespace ordo::inline v0::specsort
