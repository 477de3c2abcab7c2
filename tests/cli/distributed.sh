# Groups of MPI processes: every sort and every library gives the bytes of one machine, and a process that fails ends all others.
# Each chance of each member: tests/faults/every_member.py BIN.
if ! command -v ordo_distributed_test > /dev/null || ! command -v mpirun > /dev/null; then
  echo 'the build has no MPI'
  exit 77
fi
ranks() { mpirun --oversubscribe --allow-run-as-root -n "$@"; }

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
  if ranks 3 timeout 60 ordo_distributed_test $fault > out 2> err; then echo "$fault: status 0"; exit 1; fi
  ((SECONDS - begin <= 10)) || { echo "$fault: the others went on for $((SECONDS - begin)) s"; exit 1; }
  case $fault in
    throws) grep -q '^member 2: the reason$' err ;;
    dies) grep -qi 'killed' err ;;
    *) grep -q "^member $(cut -d ' ' -f 3 <<< "$fault"): made up$" err ;;
  esac
done
