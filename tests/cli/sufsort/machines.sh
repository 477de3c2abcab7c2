# sufsort with every policy and width: each index is checked; with a GPU, GPU and CPU give the same bytes.
# By hand, for other files than the bundled samples:
#   ORDO_FASTA="/data/chr20.fa /data/proteins.fa" tests/run_script.sh tests/cli/sufsort/machines.sh build/release/bin
. "$ORDO_SOURCE/tests/cli/lib.sh"

samples=$ORDO_SOURCE/datasets/samples
files=("$samples"/{cholera_iupac.fa.gz,lambda.fa,human_mt_y.fa.gz,mirna.fa.gz,ecoli_proteins.fa.gz})
[[ -z ${ORDO_FASTA-} ]] || read -ra files <<< "$ORDO_FASTA"
machines=(cpu)
! have_gpu || machines+=(gpu)

# Each policy in one width, so that every strand, ambiguity, mask and sample is used with all three widths.
widths=(32 40 64)
built=0
for file in "${files[@]}"; do
  for strands in forward both; do
    for ambiguous in symbol break skip; do
      for mask in fold keep break; do
        for sample in 1 5; do
          policy=(--strands $strands --ambiguous $ambiguous --mask $mask --sample $sample --width "${widths[(built + built / 6) % 3]}" --lcp)
          [[ $ambiguous == skip || $sample != 1 ]] || policy+=(--bwt)
          for machine in "${machines[@]}"; do
            rm -f "$machine".*
            status=0
            sufsort build "$file" -o "$machine" "${policy[@]}" --device "$machine" > out 2> err || status=$?
            # Some policies reject other letters than nucleotides, with the same message on every machine.
            if [[ $status != 0 ]]; then
              [[ $status == 2 ]] || fail "$file: ${policy[*]}: exit status $status: $(cat err)"
              grep -q nucleotide err || fail "$file: ${policy[*]}: $(cat err)"
              [[ $strands$ambiguous != forwardsymbol ]] || fail "$file: ${policy[*]}: refused"
              mv err "$machine".refused
            fi
          done
          for array in sa lcp bwt seq pieces json refused; do
            for machine in "${machines[@]:1}"; do
              [[ ! -e cpu.$array && ! -e $machine.$array ]] || cmp cpu.$array "$machine".$array
            done
          done
          [[ -e cpu.refused ]] || { expect 0 sufsort check cpu --device "${machines[-1]}"; built=$((built + 1)); }
        done
      done
    done
  done
  echo "${file##*/}: $built indexes so far, on ${machines[*]}"
done
((built > 0)) || fail 'nothing was built'
