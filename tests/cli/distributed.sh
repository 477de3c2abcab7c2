# Groups of MPI processes: every sort and every library gives the bytes of one machine, and a process that fails ends all others.
# Each chance of each member: tests/faults/every_member.py BIN.
. "$ORDO_SOURCE/tests/cli/lib.sh"
needs_mpi

# Of an mpirun that dies in its own end, the statuses of its processes count, if all of them have one.
mpirun_that_dies() (
  mpirun() (command mpirun "$@" > /dev/null 2>&1; kill -SEGV "$BASHPID")
  set +e
  ranks "$@" 2> err
)
mpirun_that_dies 2 true
! mpirun_that_dies 1 bash -c 'exit 3' || { echo 'a failed process is hidden'; exit 1; }
! mpirun_that_dies 2 bash -c 'kill -9 $PPID' || { echo 'a killed process is hidden'; exit 1; }
# Of one that dies after a process has ended the job, what that process said.
mpirun_that_aborts() (
  mpirun() (printf 'MPI_ABORT was invoked on rank 0 in communicator X\nwith errorcode 5.\n'; kill -SEGV "$BASHPID")
  set +e
  ranks "$@" 2> err
)
status=0
mpirun_that_aborts 2 true || status=$?
((status == 5)) || { echo "status $status in place of that of an abort"; exit 1; }
# One that crashes before runs again, with the same input, and without the output of the first try.
mpirun_that_crashes_once() (
  mpirun() (
    if [[ ! -e crashed ]]; then touch crashed; command mpirun "$@"; rm "${@: -4:1}"/1.status; kill -SEGV "$BASHPID"; fi
    command mpirun "$@"
  )
  ranks "$@" 2> err
)
seq 9 > input
mpirun_that_crashes_once 2 tail -n 2 < input > out
[[ $(< out) == $'8\n9' ]]

seed=${ORDO_SEED:-$RANDOM}
for members in 1 2 3 16; do
  ranks $members ordo_distributed_test sorts $((seed + members)) || { echo "$members members, seed $((seed + members)): wrong"; exit 1; }
done
# Four results of each case: lines, suffix arrays, checks and spectra.
while read -r members cases; do
  ranks $members ordo_distributed_test libraries $seed $cases < /dev/null || { echo "$members members, seed $seed: wrong"; exit 1; }
done << 'END'
2 60
3 60
5 30
16 5
END

for fault in throws dies 'fails 1 2 sorts' 'fails 7 0 libraries' 'fails 60 1 sorts'; do
  begin=$SECONDS
  if mpirun --oversubscribe --allow-run-as-root -n 3 timeout 60 ordo_distributed_test $fault > out 2> err; then echo "$fault: status 0"; exit 1; fi
  ((SECONDS - begin <= 10)) || { echo "$fault: the others went on for $((SECONDS - begin)) s"; exit 1; }
  case $fault in
    throws) grep -q '^member 2: the reason$' err ;;
    dies) grep -qi 'killed' err ;;
    *) grep -q "^member $(cut -d ' ' -f 3 <<< "$fault"): made up$" err ;;
  esac
done
