# In the documents every relative link leads to a file and a heading that are there, every path in backticks exists, and every
# program of README.md and of the pages on libraries is one of tests/install, which are compiled. Pages have short lines and
# paragraphs, guides have no figures of speed, and the site lists every page.
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
    for program, shown in re.findall(r"^```c(?:pp)?\n(.*?)^```\n\n```text\n(.*?)^```$", (root / name).read_text(), re.M | re.S):
        outputs = [file.with_suffix(".out") for file in (root / "tests/install").glob("*.c*") if file.read_text() == program]
        if any(out.read_text() != shown for out in outputs):
            wrong.append(f"{name}: the output of a program is not {outputs[0].relative_to(root)}")
# The form: lines, paragraphs, the README, guides without figures, and the changelog.
MAX_LINE, MAX_PARAGRAPH, MAX_README, MAX_ENTRY = 128, 6, 130, 20
names = "sufsort", "specsort", "strsort", "scaling", "libraries", "guarantees", "building", "install", "faq", "comparison"
guides = {f"docs/{name}.md" for name in names}
guides |= {"README.md", "CHANGELOG.md", "python/README.md", "docs/sort_core.md", "docs/sort_core_internals.md",
           *(str(page.relative_to(root)) for page in (root / "docs/reference").glob("*.md"))}
speed = re.compile(r"\b\d[\d.,]* (?:ms|microseconds|[GM]B/s)\b|\b\d\.\d+ s\b|\btimes (?:as|so) fast\b|\bless time\b")
for page in [*root.glob("*.md"), root / "python/README.md", *(root / "docs").rglob("*.md")]:
    name, length, in_code = str(page.relative_to(root)), 0, False
    text = page.read_text()
    for number, line in enumerate(text.splitlines(), 1):
        is_command = re.fullmatch(r"- `[^`]*`:", line)  # of a benchmark: it cannot be broken
        if len(line) > MAX_LINE and not line.startswith("|") and not is_command:
            wrong.append(f"{name}:{number}: {len(line)} columns, at most {MAX_LINE}")
        in_code ^= line.startswith("```")
        begins = re.match(r"\s*(?:-|\d+\.) ", line)
        length = 0 if in_code or not line.strip() or line.startswith(("|", "#", "```")) else 1 if begins else length + 1
        if length == MAX_PARAGRAPH + 1:
            wrong.append(f"{name}:{number}: a paragraph of more than {MAX_PARAGRAPH} lines")
    prose = re.sub(r"^```.*?^```|<!-- make.py writes.*?<!-- to here -->", "", text, flags=re.M | re.S)
    if name in guides and (found := speed.search(prose)):
        wrong.append(f"{name}: a figure of speed, which belongs to docs/benchmarks: {found[0]}")
readme = (root / "README.md").read_text()
if len(readme.splitlines()) > MAX_README:
    wrong.append(f"README.md: {len(readme.splitlines())} lines, at most {MAX_README}")
for command in "tools/demo.sh", "tools/test.sh":
    if command not in "\n".join(readme.splitlines()[:40]):
        wrong.append(f"README.md: {command} is not near its top")
for entry in re.findall(r"^- (.*(?:\n  .*)*)", (root / "CHANGELOG.md").read_text(), re.M):
    if len(entry.split()) > MAX_ENTRY:
        wrong.append(f"CHANGELOG.md: {len(entry.split())} words, at most {MAX_ENTRY}: {entry}")

# The site lists every page that docs/site.sh makes, and nothing else.
nav = (root / "mkdocs.yml").read_text().partition("\nnav:\n")[2]
listed = set(re.findall(r"[\w/]+\.md", nav))
made = {str(page.relative_to(root)).removeprefix("docs/") for page in (root / "docs").rglob("*.md")}
made |= {page.name.lower() for page in root.glob("*.md") if page.name != "README.md"}
made |= {"index.md", "datasets.md", "python.md", "api/index.md", "options.md"}
wrong += [f"mkdocs.yml: nav lacks {page}" for page in sorted(made - listed)]
wrong += [f"mkdocs.yml: nav lists {page}, which is not made" for page in sorted(listed - made)]
hidden = re.search(r"^not_in_nav:.*\n((?:  .*\n)*)", (root / "mkdocs.yml").read_text(), re.M)[1].split()
if hidden != ["/files/"]:
    wrong.append(f"mkdocs.yml: pages outside the navigation: {hidden}")

# Plots and drawings have colours for a dark page, too: each that they use is replaced.
for drawing in sorted((root / "docs").rglob("*.svg")):
    style, _, body = drawing.read_text().partition("</style>")
    for what, colour in sorted(set(re.findall(r'(fill|stroke)="(#\w+)"', style.partition("<style>")[0] + body))):
        if f'[{what}="{colour}"]{{' not in style:
            wrong.append(f"{drawing.relative_to(root)}: {what} {colour} has no colour for a dark page")

print(*wrong, sep="\n", end="\n" if wrong else "")
sys.exit(bool(wrong))
END
