#!/usr/bin/env bash
# fuzz/coverage.sh [TARGET...]: the lines of each parser that its corpus and its seeds reach: all targets, or those that are named, as
# fuzz/run.sh has built them. A row for each file: target, file, lines, lines reached, per cent; and one for all files of a
# target. At the end a row for each target's files with what all targets that ran reach of them: a parser has more than one caller.
# Needs llvm-profdata and llvm-cov of the same version as clang.
set -euo pipefail
cd "$(dirname "$0")/.."
[[ ${1-} != -* ]] || { sed -n '2,5s/^# \{0,1\}//p' "$0"; exit; }
targets=("$@")
(($# > 0)) || for program in build/fuzz/bin/fuzz_*; do targets+=("${program##*/fuzz_}"); done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What a target is for; other parts of a library that it calls are another's. Collation needs locales that a system may lack: the
# tests compare it with strcoll.
declare -A sources=(
  [fasta]='suffix/text/(fasta.cpp|read_fasta.hpp|pieces.cpp)' [fastq]='suffix/text/fastq.*'
  [corpus]='suffix/text/(corpus|json|text_chunks|token_alphabet).*' [description]='suffix/index/description.cpp'
  [index]='suffix/index/(index|fm_index|kmer_table|search).cpp' [import]='spectra/import/.*' [matches]='suffix/matches/(matches|matching_statistics).cpp' [mgf]='spectra/mgf/.*'
  [mzml]='spectra/(mzml|encoding)/.*' [keys]='strings/keys/(?!collation).*' [gnu_order]='strings/keys/(?!collation).*' [codecs]='tools/cli/files/(codecs|filters).*'
  [threads]='strings/keys/(?!collation).*' [options]='tools/strsort/(keys|options|parse).cpp|tools/cli/options/option_table.cpp')

# rows TARGET OBJECT...: of the files of a target, as the profile of this name says.
rows() {
  local target=$1 profile=$2
  shift 2
  llvm-cov export -summary-only -instr-profile="$work/$profile.profdata" "$@" > "$work/$profile.json"
  python3 - "$target" "${sources[$target]}" "$work/$profile.json" "$profile" <<'PYTHON'
import json, os, re, sys

name, pattern, report, profile = sys.argv[1:]
lines = reached = 0

def row(file, lines, reached):
    print(name, file, lines, reached, f"{100 * reached / max(1, lines):.1f}", sep="\t", flush=True)

with open(report, encoding="utf-8") as file:
    files = json.load(file)["data"][0]["files"]
for each in sorted(files, key=lambda each: each["filename"]):
    path = os.path.relpath(each["filename"])
    if re.fullmatch(pattern, path):
        of_file = each["summary"]["lines"]
        if profile == name:
            row(path, of_file["count"], of_file["covered"])
        lines, reached = lines + of_file["count"], reached + of_file["covered"]
row("all" if profile == name else "all, by all targets", lines, reached)
PYTHON
}

printf 'target\tfile\tlines\treached\tper cent\n'
programs=()
for name in "${targets[@]}"; do
  program=build/fuzz/bin/fuzz_$name
  [[ -x $program && ${sources[$name]-} ]] || { echo "coverage.sh: $name: no such target, or it is not built" >&2; exit 2; }
  mkdir -p "build/fuzz/corpus/$name"
  LLVM_PROFILE_FILE=$work/$name.profraw "$program" -runs=0 -close_fd_mask=1 "build/fuzz/corpus/$name" "build/fuzz/seeds/$name" \
    > "$work/log" 2>&1 || { tail -n 5 "$work/log" >&2; exit 1; }
  llvm-profdata merge -sparse "$work/$name.profraw" -o "$work/$name.profdata"
  rows "$name" "$name" "$program"
  programs+=(${programs:+-object} "$program")
done
((${#targets[@]} > 1)) || exit 0
llvm-profdata merge -sparse "$work"/*.profdata -o "$work/together.profdata"
for name in "${targets[@]}"; do rows "$name" together "${programs[@]}"; done
