# Words that docs/glossary.md forbids, in the C++ and CUDA sources that are not tests, and their forms.
python3 -B - "$ORDO_SOURCE" << 'END'
import pathlib, re, sys

root = pathlib.Path(sys.argv[1])
folders = "base sort_core distributed suffix spectra strings tools include python/src bench fuzz".split()
forbidden = {
    r"//.*\b[Bb]ehind\b(?! bars)": "after, for an order",
    r"[;,{)] +// (of|those|that|by) ": "a comment that stands alone: name what the line declares",
    r"@param \w+(, \w+)*  (of|as) ": "the noun before 'of', 'see' in place of 'as'",
    r"(?<!\w)(?!(find_(first|last)(_not)?|all|any|none)_of\()\w+_of\(": "a verb, or a noun: to_digit, read_term, block_size",
    r"\b(take|put)_[a-z]": "a verb that says what happens: read, consume, append, write",
    r"(auto|const|[>&*]) (found|one|what)( =|[;,){])": "the noun",
    r"/// (?!@).*\S @returns ": "a line of its own for @returns",
    r"Returns whether\b": "Returns true if",
    r"\bso (many|much)\b": "how many, or the number",
    r"\b(most|least)_[a-z]": "max_, min_",
    r"\b(xml_fault|speaks|cross_and_sort|tell_single_items|lent_arena|mpi_group)\b": "the new name",
    r"\bordo::group\b": "ordo::communicator",
}
wrong = []
for folder in folders:
    for path in sorted((root / folder).rglob("*")):
        if path.suffix not in (".hpp", ".cpp", ".cu", ".cuh", ".h") or not path.is_file():
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            for pattern, better in forbidden.items():
                if re.search(pattern, line) and "left behind" not in line:
                    wrong.append(f"{path.relative_to(root)}:{number}: {line.strip()[:90]}  -> {better}")
print(*wrong, sep="\n", end="\n" if wrong else "")
sys.exit(bool(wrong))
END
