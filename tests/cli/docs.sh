# In the documents every relative link leads to a file and a heading that are there, every path in backticks exists, and every
# program of README.md and of the pages on libraries is one of tests/install, which are compiled.
python3 -B - "$ORDO_SOURCE" << 'END'
import pathlib, re, sys
root = pathlib.Path(sys.argv[1])
pages = [page for page in root.rglob("*.md")
         if not {"build", "dist", "templates"} & set(page.relative_to(root).parts)]
rooms = "base|bench|cmake|datasets|debian|docs|distributed|include|man|packaging|sort_core|spectra|strings|suffix|tests|tools"
is_path = re.compile(rf"(?:{rooms})/[\w./*{{}},-]*")
is_header = re.compile(r"ordo/[\w./]+\.(?:hpp|cuh)")
wrong = []

def anchors(page):
    titles = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}

def exists(path):
    folder, _, choices = path.partition("{")
    if choices:  # the shell's braces
        inside, _, rest = choices.partition("}")
        return all(exists(folder + choice + rest) for choice in inside.split(","))
    return any(root.glob(path.rstrip("/"))) or path.startswith(("man/", "datasets/large"))  # made by the build, fetched

for page in pages:
    text = page.read_text()
    prose = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    for link in re.findall(r"\]\(([^)\s]+)\)", prose):
        file, _, anchor = link.partition("#")
        if re.match(r"[a-z]+:", link):
            continue
        target = (page.parent / file) if file else page
        if not target.exists():
            wrong.append(f"{page.relative_to(root)}: no {link}")
        elif anchor and anchor not in anchors(target):
            wrong.append(f"{page.relative_to(root)}: no heading {link}")
    for word in (word for span in re.findall(r"`([^`\n]+)`", prose) for word in span.split()):
        if is_path.fullmatch(word) and not exists(word):
            wrong.append(f"{page.relative_to(root)}: no `{word}`")
        if is_header.fullmatch(word) and not (root / "include" / word).exists():
            wrong.append(f"{page.relative_to(root)}: no header `{word}`")

programs = {file.read_text() for kind in ("*.c", "*.cpp", "*.cu") for file in (root / "tests/install").glob(kind)}
for name in "README.md", "docs/libraries.md", "docs/other_libraries.md":
    for program in re.findall(r"^```c(?:pp)?\n(.*?)^```$", (root / name).read_text(), re.M | re.S):
        if program not in programs:
            wrong.append(f"{name}: no program of tests/install: {program.splitlines()[0]} ...")
print(*wrong, sep="\n", end="\n" if wrong else "")
sys.exit(bool(wrong))
END
