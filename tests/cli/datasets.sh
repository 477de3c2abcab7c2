# The samples' checksums, and what of the scripts needs no network.
. "$ORDO_SOURCE/tests/cli/lib.sh"
data=$ORDO_SOURCE/datasets

# --- the samples ---
(cd "$data" && sha256sum --check --quiet --ignore-missing SHA256SUMS) || fail 'samples are not what SHA256SUMS says'
for sample in "$data"/samples/*; do
  grep -q "  samples/${sample##*/}\$" "$data/SHA256SUMS" || fail "no checksum: ${sample##*/}"
  grep -q "${sample##*/}" "$data/README.md" || fail "README.md does not name ${sample##*/}"
  grep -q "${sample##*/}" "$data/LICENCES.txt" || fail "LICENCES.txt does not name ${sample##*/}"
done

# --- fetch.sh ---
fetch=$data/fetch.sh
expect 0 "$fetch" --help
for arguments in '' 'folder' 'folder poems' 'small poems'; do
  expect 2 "$fetch" $arguments
  [[ ! -s out && -s err ]] || fail "fetch.sh $arguments: no complaint"
done
[[ ! -e folder ]] || fail 'fetch.sh: a folder in spite of an error'
mkdir here
gzip -dc "$data/samples/urls.txt.gz" > here/urls.10K
for book in alice29.txt plrabn12.txt lcet10.txt; do echo > "here/$book"; done
DEB_MIRROR=http://127.0.0.1:1 expect 2 "$fetch" here web  # what is right is not fetched again; what is wrong would be
grep -q '^urls.10K  is here$' out || fail 'fetch.sh: does not see what is here'
[[ -z $(find here -name '.fetch*') ]] || fail 'fetch.sh: left something after'

# --- mzml_to_mgf.py ---
if command -v python3 > /dev/null; then
  array() { # KIND BITS DATA
    printf '<binaryDataArray><cvParam accession="%s"/><cvParam accession="%s"/><cvParam accession="%s"/><binary>%s</binary></binaryDataArray>' \
      "$1" "$2" MS:1000576 "$3"
  }
  spectrum() { # LEVEL
    printf '<spectrum id="scan=%s" defaultArrayLength="2"><cvParam accession="MS:1000511" value="%s"/>' "$1" "$1"
    printf '<cvParam accession="MS:1000016" value="1.5" unitAccession="UO:0000031"/><cvParam accession="MS:1000744" value="500.25"/>'
    printf '<cvParam accession="MS:1000041" value="2"/>'
    array MS:1000514 MS:1000523 AAAAAAAAWUBmZmZmZqZpQA==  # 100, 205.2 as 64 bits
    array MS:1000515 MS:1000521 zczMPQAAyEI=              # 0.1, 100 as 32 bits
    printf '</spectrum>'
  }
  printf '<mzML xmlns="http://psi.hupo.org/ms/mzml"><run>%s%s</run></mzML>' "$(spectrum 1)" "$(spectrum 2)" > run.mzML
  expect 0 "$data/mzml_to_mgf.py" run.mzML
  printf 'BEGIN IONS\nTITLE=scan=2\nRTINSECONDS=90\nPEPMASS=500.25\nCHARGE=2+\n100 0.1\n205.2 100\nEND IONS\n\n' | cmp - out
  expect 0 "$data/mzml_to_mgf.py" run.mzML 1
  grep -q '^TITLE=scan=1$' out || fail 'mzml_to_mgf.py: level 1'
fi

# --- the demo: it knows each sample and each format by its name ---
eval "$(sed -n '/^kind_of() {/,/^}/p' "$ORDO_SOURCE/tools/demo.sh")"
for name in genome:a.fa genome:b.FNA.gz genome:c.fastq.zst spectra:d.mzML spectra:e.mzML.gz spectra:f.mzXML spectra:g.MGF.bz2 \
  spectra:h.msp.xz spectra:i.mzlib.txt tokens:j.u16 lines:k.txt lines:l.jsonl.zst lines:m.vcf.bgz unknown:n.raw unknown:README; do
  [[ $(kind_of "${name#*:}") == "${name%%:*}" ]] || fail "demo.sh takes ${name#*:} for $(kind_of "${name#*:}")"
done
for sample in "$data"/samples/*; do [[ $(kind_of "${sample##*/}") != unknown ]] || fail "demo.sh does not know ${sample##*/}"; done
