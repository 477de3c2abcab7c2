#!/usr/bin/env bash
# datasets/fetch.sh [FOLDER] SET...: real data, through the packages of Debian 12. FOLDER: datasets/large, unless given.
#   small    the samples again, from their packages (all but massbank_cc0.mgf.gz)                        3 MB
#   medium   genomes of 4 to 24 Mbp, E. coli to D. melanogaster; 20,000 proteins; miRNA                 140 MB
#   large    human chr20 and 70 Mbp of chrX, contigs, 712 Mbp of marker genes                           1.1 GB
#   protein  486,000 proteins of UniProt (python3)                                                      186 MB
#   ms       proteomics runs as MGF (python3)                                                            10 MB
#   words    word lists: English, German, Polish, Ukrainian                                             107 MB
#   web      10,000 URLs of a crawl, three books                                                          2 MB
#   paths    7.3 and 12.9 million file paths; the first also shuffled                                   1.6 GB
#   urls     478,000 URLs of the archive                                                                 40 MB
#   text     211,000 sentences                                                                           23 MB
# What is there and right is not fetched again. All but the last three are checked against SHA256SUMS; those three are the
# archive's indexes of the day. No root is needed, and nothing of the system's apt is touched.
# Every set needs a Debian mirror. On another system, Ubuntu 24.04 say: apt-get install debian-archive-keyring, and set
# DEB_MIRROR to one (https://www.debian.org/mirror/list).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
all_sets=' small medium large protein ms words web paths urls text '

say() { printf 'fetch.sh: %s\n' "$*" >&2; }
fail() { say "$*"; exit 2; }
usage() { sed -n '2,/^set -/{/^# /s/^# //p}' "$0"; }

case ${1-} in -h | --help) usage; exit ;; '') usage >&2; exit 2 ;; esac
out=$here/large
if [[ $all_sets != *" $1 "* ]]; then out=$1; shift; fi
(($#)) || fail 'no set is named (see --help)'
for name in "$@"; do [[ $all_sets == *" $name "* ]] || fail "no set is called $name (see --help)"; done
mkdir -p "$out"; out=$(cd "$out" && pwd)
work=$(mktemp -d "$out/.fetch.XXXXXX"); trap 'rm -rf "$work"' EXIT

# --- apt, with lists and a cache of our own ---

find_mirror() {
  if [[ ${DEB_MIRROR-} ]]; then printf '%s\n' "${DEB_MIRROR%/}"; return; fi
  . /etc/os-release
  [[ $ID == debian ]] || fail "this system is not Debian: set DEB_MIRROR to a Debian mirror (see --help)"
  apt-get update --print-uris 2> /dev/null |
    sed -nE "s,^'(.*)/dists/[a-z]+/InRelease'.*,\1,p" | sed -n 1p | grep . || fail 'apt names no Debian mirror: set DEB_MIRROR'
}

private() { # COMMAND...: apt-get or apt-helper in our own world
  local tool=$1; shift
  APT_CONFIG=$work/apt.conf "$tool" -q "$@"
}

mirror='' options=()
use() { # [COMPONENT...]: make the indexes ready, of binaries and sources; options are for them
  local wanted="${*:-main} ${options[*]-}" keyring=/usr/share/keyrings/debian-archive-keyring.gpg kind
  [[ $(cat "$work/ready" 2> /dev/null) != "$wanted" ]] || return 0
  [[ -r $keyring ]] || fail "$keyring is missing: install debian-archive-keyring"
  mirror=$(find_mirror)
  mkdir -p "$work"/{lists/partial,cache/archives/partial,parts,packages}
  cat > "$work/apt.conf" << END
Dir::Etc::SourceList "$work/sources.list"; Dir::Etc::SourceParts "$work/parts";
Dir::State::Lists "$work/lists"; Dir::Cache "$work/cache"; APT::Sandbox::User ""; Acquire::Retries "3";
Acquire::Languages "none"; APT::Update::Error-Mode "any";
Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled "false";
END
  for kind in deb deb-src; do echo "$kind [signed-by=$keyring] $mirror bookworm ${*:-main}"; done > "$work/sources.list"
  private apt-get "${options[@]}" update > "$work/log" 2>&1 || { cat "$work/log" >&2; fail "apt-get update failed: $mirror"; }
  printf '%s\n' "$wanted" > "$work/ready" # a file: most callers are subshells
}

package() { # NAME: have its .deb in $work/packages
  compgen -G "$work/packages/$1_*.deb" > /dev/null && return
  use
  (cd "$work/packages" && private apt-get download "$1" > "$work/log" 2>&1) || { cat "$work/log" >&2; fail "cannot download: $1"; }
}

unpacked() { # PACKAGE PATH: one file of a package, decompressed by its name
  package "$1"
  dpkg-deb --fsys-tarfile "$work/packages/$1"_*.deb | tar -xOf - "./$2" | case $2 in *.gz) gzip -dc ;; *) cat ;; esac
}

original() { # PACKAGE PATTERN: one file of a source package's original archive
  use
  local folder=$work/source/$1
  if [[ ! -d $folder ]]; then
    mkdir -p "$folder"
    (cd "$folder" && private apt-get source --download-only --tar-only "$1" > "$work/log" 2>&1) ||
      { cat "$work/log" >&2; fail "cannot download: source of $1"; }
  fi
  tar -xOf "$folder/$1"_*.orig.tar.* --wildcards "$2"
}

# --- what is kept ---

sum_of() { sed -nE "s,^([0-9a-f]{64})  [a-z]+/${1//./\\.}\$,\1,p" "$here/SHA256SUMS" | sed -n 1p; }

right() { # NAME: it is there, and its checksum is right
  [[ -f $out/$1 && $(sha256sum < "$out/$1") == "$(sum_of "$1")  -" ]]
}

place() { # NAME: $work/new becomes it
  mv "$work/new" "$out/$1"
  printf '%s  %s bytes\n' "$1" "$(stat -c %s "$out/$1")"
}

keep() { # NAME COMMAND...: the command's output, if its checksum is right
  local name=$1 expected actual; shift
  expected=$(sum_of "$name")
  [[ $expected ]] || fail "SHA256SUMS has no $name"
  if right "$name"; then printf '%s  is here\n' "$name"; return; fi
  "$@" > "$work/new"
  actual=$(sha256sum < "$work/new")
  [[ ${actual%% *} == "$expected" ]] || fail "wrong checksum: $name: ${actual%% *}, not $expected"
  place "$name"
}

take() { keep "$3" unpacked "$1" "$2"; } # PACKAGE PATH NAME

zipped() { "$@" | gzip -9n; }
shuffled() { # lines on stdin, in an order that is always the same
  awk '{x = (NR == 1 ? 1 : x) * 16807 % 2147483647; printf "%d\t%s\n", x, $0}' | LC_ALL=C sort -T "$work" -s -n -k 1,1 | cut -f 2-
}
mgf_of() { # PACKAGE PATH [LEVEL]
  unpacked "$1" "$2" > "$work/spectra.mzML"
  python3 "$here/mzml_to_mgf.py" "$work/spectra.mzML" "${3:-2}"
}
first_spectra() { # COUNT PACKAGE PATH: an mzML file with so many spectra
  unpacked "$2" "$3" | awk -v most="$1" '
    /<spectrumList / {sub(/count="[0-9]+"/, "count=\"" most "\"")}
    /<spectrum / {inside = ++n > most}
    !inside
    /<\/spectrum>/ {inside = 0}'
}

# --- the sets ---

doc=usr/share/doc

cholera_with_iupac() { # 30,000 residues around most of the ambiguity codes
  printf '>AE003852.1:1561402-1591401 Vibrio cholerae O1 chromosome I, part\n'
  unpacked ragout-examples $doc/ragout/examples/V.Cholerae/references/O1_biovar.fasta.gz |
    awk '/^>/ {n++; next}
         n == 1 {residues = residues $0}
         END {for (i = 0; i < 30000; i += 70) print substr(residues, 1561402 + i, i + 70 <= 30000 ? 70 : 30000 - i)}'
}
records() { awk -v first="$1" -v last="$2" '/^>/ {n++} n >= first && n <= last'; }
hairpins() { unpacked seqkit-examples $doc/seqkit-examples/tests/hairpin.fa.gz | records 1391 1790; }
coli_proteins() {
  unpacked openms-doc $doc/openms/examples/TOPPAS/data/Identification/target_decoy_Ecoli_K12_TaxID_83333.proteomes.fasta |
    records 1301 1400
}
yeast() { original tandem-mass '*/bin/test_spectra.mgf' | awk 'n < 200; /^END IONS/ {n++}'; }
polish() { unpacked wpolish usr/share/dict/polish | shuffled | sed -n 1,5000p; }

fetch_small() {
  keep ecoli_k12.fa.gz zipped unpacked ragout-examples $doc/ragout/examples/E.Coli/references/MG1655-K12.fasta.gz
  take python3-pbcore usr/lib/python3/dist-packages/pbcore/data/lambdaNEB.fa lambda.fa
  keep human_mt_y.fa.gz zipped unpacked cnvkit $doc/cnvkit/examples/test/formats/chrM-Y-trunc.hg19.fa
  keep macaque_chr20.fa.gz zipped unpacked augustus-doc $doc/augustus/tutorial-cgp/data/genomes/rheMac3.fa
  keep cholera_iupac.fa.gz zipped cholera_with_iupac
  keep mirna.fa.gz zipped hairpins
  keep ecoli_proteins.fa.gz zipped coli_proteins
  keep xtandem_yeast.mgf.gz zipped yeast
  keep openms_ecoli.mgf.gz zipped mgf_of openms-doc $doc/openms/examples/ID/Ecoli_MS2_small.mzML
  keep openms_ecoli_25.mzML.gz zipped first_spectra 25 openms-doc $doc/openms/examples/ID/Ecoli_MS2_small.mzML
  keep urls.txt.gz zipped original snappy '*/testdata/urls.10K'
  keep words_pl_5000.txt.gz zipped polish
}

fetch_medium() {
  local name
  take ragout-examples $doc/ragout/examples/E.Coli/references/MG1655-K12.fasta.gz ecoli_k12.fa
  take ragout-examples $doc/ragout/examples/V.Cholerae/references/O1_biovar.fasta.gz vcholerae_iupac.fa
  for name in H37Rv H37RvBD H37RvMA2 BCG; do # four nearly identical genomes: the longest common prefixes of all
    take tnseq-transit usr/lib/python3/dist-packages/pytransit/genomes/$name.fna tb_$name.fa
  done
  take sibelia-examples $doc/sibelia/examples/Sibelia/Staphylococcus_aureus/Staphylococcus.fasta.gz saureus4.fa
  take augustus-doc $doc/augustus/tutorial/data/chr2R.fa dmel_chr2R.fa
  take smalt-examples $doc/smalt/test/data/genome_1.fa.gz pfalciparum.fa
  take r-bioc-bsgenome usr/lib/R/site-library/BSgenome/extdata/ce2chrX.fa.gz celegans_chrX.fa
  take seqkit-examples $doc/seqkit-examples/tests/hairpin.fa.gz mirbase_hairpin_rna.fa
  take mmseqs2-examples $doc/mmseqs2/example-data/DB.fasta.gz uniprot20k.faa
}

fetch_large() {
  take vt-examples $doc/vt/examples/ref/20.fa.gz human_chr20.fa
  take smalt-examples $doc/smalt/test/data/hs37chrXtrunc.fa.gz human_chrX_70M.fa
  take smalt-examples $doc/smalt/test/data/contigs.fa.gz contigs_117M.fa
  take r-bioc-biostrings usr/lib/R/site-library/Biostrings/extdata/dm3_upstream2000.fa.gz dm3_upstream2000.fa
  take metaphlan2-data var/lib/metaphlan2-data/markers.fasta metaphlan2_markers.fa
}

uniprot_residues() { # a BLAST volume, version 4: offsets in .pin, residues as small numbers in .psq
  local base=usr/share/metastudent-data/dataset_201401/BPO/goasp.fasta
  unpacked metastudent-data $base.pin > "$work/volume.pin"
  unpacked metastudent-data $base.psq > "$work/volume.psq"
  python3 - "$work/volume" << 'END'
import struct, sys
pin = open(sys.argv[1] + ".pin", "rb").read()
position = 8
for _ in "title", "date":
    position += 4 + struct.unpack_from(">i", pin, position)[0]
count, = struct.unpack_from(">i", pin, position)
starts = struct.unpack_from(f">{count + 1}i", pin, position + 16 + 4 * (count + 1))
residues = open(sys.argv[1] + ".psq", "rb").read().translate(b"-ABCDEFGHIKLMNPQRSTVWXYZU*OJ" + b"?" * 228)
for i in range(count):
    protein = residues[starts[i]:starts[i + 1] - 1]
    lines = b"".join(protein[j:j + 60] + b"\n" for j in range(0, len(protein), 60))
    sys.stdout.buffer.write(b">s%d\n" % i + lines)
END
}
fetch_protein() { keep uniprot486k.faa uniprot_residues; }

fetch_ms() {
  local run
  for run in BSA1 BSA2 BSA3; do keep $run.mgf mgf_of openms-doc $doc/openms/examples/BSA/$run.mzML; done
  keep profile_120k.mgf mgf_of openms-doc $doc/openms/examples/peakpicker_tutorial_1.mzML 1
  keep tandem_test_spectra.mgf original tandem-mass '*/bin/test_spectra.mgf'
}

fetch_words() {
  take wamerican-insane usr/share/dict/american-english-insane words_en.txt
  take wngerman usr/share/dict/ngerman words_de.txt
  take wpolish usr/share/dict/polish words_pl.txt
  take wukrainian usr/share/dict/ukrainian words_uk.txt
}

fetch_web() {
  local name
  for name in urls.10K alice29.txt plrabn12.txt lcet10.txt; do keep $name original snappy "*/testdata/$name"; done
}

indexes() { # PATTERN: the text of the indexes whose names match
  local file
  for file in "$work"/lists/*; do
    if [[ $file =~ $1 ]]; then private /usr/lib/apt/apt-helper cat-file "$file"; echo; fi
  done
}

fetch_paths() {
  local kind name=Acquire::IndexTargets
  options=()
  for kind in 'deb::Contents-deb:$(ARCHITECTURE)' deb-src::Contents-dsc:source; do
    options+=(-o "$name::${kind%:*}::MetaKey=\$(COMPONENT)/Contents-${kind##*:}" -o "$name::${kind%:*}::DefaultEnabled=true"
              -o "$name::${kind%:*}::ShortDescription=Contents" -o "$name::${kind%:*}::Description=Contents"
              -o "$name::${kind%:*}::KeepCompressed=true" -o APT::Architecture=amd64)
  done
  use
  indexes 'Contents-(amd64|all)' | sed -nE 's/[[:space:]]+[^[:space:]]+$//p' > "$work/new"; place paths_binary.txt
  indexes 'Contents-source' | sed -nE 's/[[:space:]]+[^[:space:]]+$//p' > "$work/new"; place paths_source.txt
  options=()
  shuffled < "$out/paths_binary.txt" > "$work/new"; place paths_shuffled.txt
}

fetch_urls() { # of every .deb and source file, and every Homepage and Vcs-*
  local architecture
  options=()
  for architecture in amd64 arm64 armhf armel i386 mips64el ppc64el s390x; do options+=(-o "APT::Architectures::=$architecture"); done
  use main contrib non-free non-free-firmware
  indexes '_(Packages|Sources)' | awk -v mirror="$mirror/" '
    /^Filename: / {print mirror $2}
    /^(Homepage|Vcs-Browser|Vcs-Git): / {print $2}
    /^Directory: / {folder = $2}
    /^Files:/ {inside = 1; next}
    /^[^ ]/ {inside = 0}
    inside && NF == 3 {names[++count] = $3}
    /^$/ {for (i = 1; i <= count; i++) print mirror folder "/" names[i]; count = 0}' | LC_ALL=C sort -u > "$work/new"
  place archive_urls.txt
  options=()
}

fetch_text() { # the descriptions of all packages, cut into sentences
  options=(-o Acquire::Languages=en)
  use
  indexes '_i18n_Translation-en' | awk '
    function flush(  n, i, words, sentence) {
      n = split(paragraph, words, " ")
      for (i = 1; i <= n; i++) {
        sentence = sentence (sentence == "" ? "" : " ") words[i]
        if (words[i] ~ /[.!?]$/ && words[i + 1] ~ /^[A-Z]/) {print sentence; sentence = ""}
      }
      if (length(sentence) > 10) print sentence
      paragraph = ""
    }
    /^Description-en: / {inside = 1; next}
    /^ \.$/ {flush(); next}
    inside && /^ / {sub(/^ +/, ""); paragraph = paragraph " " $0; next}
    {flush(); inside = 0}' > "$work/new"
  place sentences.txt
  options=()
}

for name in "$@"; do "fetch_$name"; done
