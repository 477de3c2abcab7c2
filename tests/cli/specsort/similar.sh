# specsort --pairs and --clusters, against a brute force in plain Python that follows matchms's CosineGreedy.
. "$ORDO_SOURCE/tests/cli/lib.sh"

spectrum() { printf "BEGIN IONS\nTITLE=$1\nPEPMASS=$2\n$3\nEND IONS\n"; }
titles() { sed -n 's/^TITLE=//p' "$@" | tr '\n' ' '; }
edges() { sed 1d "$@" | cut -f 1,2,5,9 | tr '\t\n' ', '; }
columns=$'CLUSTERID1\tCLUSTERID2\tDeltaMZ\tMEH\tCosine\tOtherScore\tComponentIndex\tEdgeAnnotation\tMatchedPeaks'

# Bounds are included: of precursors and of the cosine, which is 0.6 for b. Spectra without intensities are similar to none.
{
  spectrum a 500 '100 3\n200 4'; spectrum b 500.01 '100 7'; spectrum c 500 '200 8\n100 6'; spectrum 'd&<' 600 '100 3\n200 4'
  spectrum e 500 '100 0\n200 0'; spectrum f 500 ''; spectrum g 0 '100 3\n200 4'
} > in.mgf
expect 0 specsort in.mgf --pairs=out.tsv --similar=20ppm,0.6
[[ $(head -1 out.tsv) == "$columns" && $(edges out.tsv) == '1,2,0.6,1 1,3,1,2 2,3,0.6,1 ' ]] || fail "pairs: $(< out.tsv)"
[[ ! -s out && $(sed -n '2s/.*/&|/p' out.tsv | cut -f 3,4,6-8) == $'-0.009999999999990905\t\t\t1\t' ]] || fail "a row: $(< out.tsv)"
expect 0 specsort in.mgf --pairs=- --similar=20ppm,0.61; [[ $(edges out) == '1,3,1,2 ' ]] || fail "above 0.6: $(< out)"
expect 0 specsort in.mgf --pairs=- --similar=any,1
[[ $(edges out) == '1,3,1,2 1,4,1,2 1,7,1,2 3,4,1,2 3,7,1,2 4,7,1,2 ' ]] || fail "any precursor: $(< out)"
# Of the spectra that are chosen, of the peaks that are kept, of several inputs.
expect 0 specsort in.mgf in.mgf --pairs=- --title '[!b]' --similar=0,1 --quiet; [[ $(edges out) == '' ]] || fail "chosen: $(< out)"
expect 0 specsort in.mgf in.mgf --pairs=- --title '?' --min-peaks=1 --drop-zero --top=1 --similar=0,1
[[ $(edges out) == '1,3,1,1 1,5,1,1 1,7,1,1 2,6,1,1 3,5,1,1 3,7,1,1 5,7,1,1 ' ]] || fail "kept: $(edges out)"
# As GraphML, which names each spectrum, with spectra of clusters; compressed.
expect 0 specsort in.mgf --pairs=out.graphml.gz --similar=20ppm,0.6 --clusters=greedy
gzip -dc out.graphml.gz > out.graphml
grep -q '<node id="4"><data key="title">d&amp;&lt;</data><data key="input">in.mgf</data><data key="number">4</data><data key="componentindex">-1</data><data key="cluster">4</data><data key="precursor_mz">600</data></node>' out.graphml || fail "a node: $(< out.graphml)"
grep -q '<edge source="1" target="2"><data key="cosine_score">0.6</data>.*<data key="matched_peaks">1</data></edge>' out.graphml || fail "an edge: $(< out.graphml)"
if [[ $(command -v python3) ]]; then python3 -c 'import xml.dom.minidom as x; assert len(x.parse("out.graphml").getElementsByTagName("node")) == 7'; fi

# The modified cosine: all peaks are shifted by the difference of the precursors.
{ spectrum a 500 '100 3\n200 4'; spectrum b 514 '114 3\n214 4'; spectrum c 528 '100 3\n228 4'; } > analogues.mgf
expect 0 specsort analogues.mgf --pairs=- --similar=any,0.1; [[ $(edges out) == '1,3,0.36,1 ' ]] || fail "plain: $(< out)"
expect 0 specsort analogues.mgf --pairs=- --similar=100,0.1 --analogues
[[ $(edges out) == '1,2,1,2 1,3,1,2 2,3,0.64,1 ' ]] || fail "analogues: $(< out)"
expect 0 specsort analogues.mgf --pairs=- --similar=20,0.1 --analogues; [[ $(edges out) == '1,2,1,2 2,3,0.64,1 ' ]] || fail "near: $(< out)"

# Clusters: chains are connected; greedy ones are not. One of each stays as it is, or one is made of all.
chain() { spectrum a 500 '100 10\n200 1'; spectrum b 500 '100 10\n200 6'; spectrum c 500 '100 10\n200 15'; spectrum x 700 '1 1'; spectrum d 500 '200 5\n100 1'; }
chain > chain.mgf
expect 0 specsort chain.mgf --pairs=- --similar=0,0.85; [[ $(cut -f 1,2 out | sed 1d | tr '\t\n' ', ') == '1,2 2,3 3,5 ' ]] || fail "chain: $(< out)"
expect 0 specsort chain.mgf --clusters --similar=0,0.85; [[ $(titles out) == 'c x ' ]] || fail "connected: $(titles out)"
expect 0 specsort chain.mgf --clusters=greedy --similar=0,0.85; [[ $(titles out) == 'b x d ' ]] || fail "greedy: $(titles out)"
expect 0 specsort chain.mgf --clusters=greedy --similar=0,0.85 --map=map.tsv -o out.mgf
[[ $(grep -c -- '--clusters greedy$' map.tsv) == 2 && $(titles out.mgf) == 'b x d ' ]] || fail "--map: $(< map.tsv)"
expect 0 specsort chain.mgf --clusters --pairs=both.tsv --similar=0,0.85 --spectra-by pepmass --descending-spectra -o out.mgf
[[ $(titles out.mgf) == 'x c ' && $(sed -n 4p both.tsv | cut -f 7,10,11) == $'1\t3\t3' ]] || fail "both: $(< both.tsv)"
expect 0 specsort chain.mgf --clusters=connected,consensus --similar=0,0.85
[[ $(titles out) == 'c x ' ]] && grep -q '^100 ' out && grep -q '^1 1$' out || fail "consensus: $(< out)"
{ spectrum a 500 '100 3\n200 4\n300.5 1e-3'; spectrum b 500 '100.02 30\n200 40'; spectrum c 500 '100.01 3\n200 4'; } > same.mgf
expect 0 specsort same.mgf --clusters=greedy,consensus --quiet --to msp
grep -q '^Num Peaks: 2$' out && grep -q '^100.01[ 	]3$' out && grep -q '^200[ 	]4$' out || fail "of three: $(< out)"
gzip -dc "$ORDO_SOURCE/datasets/samples/openms_ecoli_25.mzML.gz" > run.mzML
expect 0 specsort run.mzML run.mzML --clusters --similar=20ppm,0.99 --to=mzml -o out.mzML
grep -q '<spectrumList count="2[0-5]"' out.mzML || fail "of mzML: $(grep '<spectrumList' out.mzML)"
expect 0 specsort - --pairs=- < chain.mgf

expect 0 specsort chain.mgf --clusters --explain; grep -q -- '--clusters connected' out || fail "--explain: $(< out)"
for bad in --similar=20ppm,0.7 --analogues '--pairs=x.csv' '--pairs=' '--pairs=a.tsv --similar=1' '--pairs=a.tsv --similar=1,0' \
    '--pairs=a.tsv --similar=x,1' '--pairs=a.tsv --similar=1,1.1' '--pairs=a.tsv --similar=1,1,1,1' '--pairs=a.tsv --similar=any,nan' \
    '--pairs=a.tsv --check' '--pairs=a.tsv --summary' '--pairs=a.tsv --out-dir=d' '--pairs=- -o -' '--clusters=some' \
    '--clusters --unique-spectra' '--clusters=greedy,consensus --map=m' '--clusters=greedy,consensus --to=mzml' \
    '--pairs=a.tsv --memory=1' '--pairs=a.tsv --similar=1,1,600000ppm' '--pairs=chain.mgf' '--pairs=a.tsv -o a.tsv'; do
  # shellcheck disable=SC2086
  expect_error specsort chain.mgf $bad
  [[ ! -e a.tsv && ! -e m && ! -e d ]] || fail "something is left of $bad"
done
# A file of pairs in the place of an input, by any name.
mkdir inner; cp chain.mgf chain.tsv; ln -s ../chain.tsv inner/link.tsv
for pairs in chain.tsv ./chain.tsv inner/link.tsv; do
  expect_error specsort chain.mgf chain.tsv --pairs=$pairs -o x.mgf
  grep -qx 'specsort: cannot write: --pairs: it would replace the input chain.tsv' err || fail "--pairs=$pairs: $(< err)"
  cmp chain.tsv chain.mgf; [[ ! -e x.mgf && -L inner/link.tsv ]] || fail "something is left of --pairs=$pairs"
done
expect_error specsort chain.mgf --map=-; grep -q 'conflicting options: --output, --map: both would be standard output' err || fail "$(< err)"
expect_error specsort chain.mgf --map=- --pairs=- -o two.mgf; [[ ! -e two.mgf && ! -s out ]] || fail "two outputs"
expect 0 specsort chain.mgf --map=- -o out.mgf; cmp <(cut -f 2 out | sed 1d) <(seq "$(grep -c BEGIN chain.mgf)") || fail "a map: $(< out)"
expect_error specsort - --clusters < chain.mgf
grep -q 'need a file' err || fail "a stream: $(< err)"

# All pairs of random spectra are those that brute force finds.
[[ ! $(command -v python3) ]] || "$ORDO_SOURCE/tests/reference/specsort_pairs_reference.py" random 11 50
no_leftovers
