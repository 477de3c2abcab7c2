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
wrong, links = [], 0

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
        links += 1
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
jobs = {f"docs/how-to/{page.name}": page.read_text() for page in (root / "docs/how-to").glob("*.md") if page.name != "README.md"}
for name in "docs/libraries.md", "docs/other_libraries.md", *jobs:
    for program in re.findall(r"^```c(?:pp)?\n(.*?)^```$", (root / name).read_text(), re.M | re.S):
        if program not in programs:
            wrong.append(f"{name}: no program of tests/install: {program.splitlines()[0]} ...")
    for program, shown in re.findall(r"^```c(?:pp)?\n(.*?)^```\n\n```text\n(.*?)^```$", (root / name).read_text(), re.M | re.S):
        outputs = [file.with_suffix(".out") for file in (root / "tests/install").glob("*.c*") if file.read_text() == program]
        if any(out.read_text() != shown for out in outputs):
            wrong.append(f"{name}: the output of a program is not {outputs[0].relative_to(root)}")
# A page of docs/how-to is one job: a heading, a sentence, an example that the tests run, and at most three paragraphs after it.
# The others run each kind: readme.sh, python/tests/test_walk.py and tests/install.
overview = (root / "docs/how-to/README.md").read_text()
for name, text in jobs.items():
    if not re.match(r"# .*\n\n(?!#|```)[^\n][^\n]*(?:\n[^\n]+)?\n\n```(?:console|python|cpp)\n", text) or text.count("\n#") != text.count("\n#include"):
        wrong.append(f"{name}: expected a heading, a sentence and an example that is run")
    if f"[{text.partition(chr(10))[0].removeprefix('# ')}]({name.removeprefix('docs/how-to/')})" not in overview:
        wrong.append(f"docs/how-to/README.md does not list {name} by its heading")
    if re.search(r"^```(?!(?:console|python|cpp|text)?$)", text, re.M):
        wrong.append(f"{name}: an example of a kind that no test runs")
if len(jobs) < 20:
    wrong.append(f"docs/how-to: {len(jobs)} pages")

# docs/reference/headers.md has a line for each public header.
public = {str(file.relative_to(root / "include")) for file in (root / "include").rglob("*.[hc]*") if "detail" not in file.parts}
described = re.findall(r"^\| \[`<(.*?)>`\]\(\.\./\.\./include/\1\) \| \S", (root / "docs/reference/headers.md").read_text(), re.M)
wrong += [f"docs/reference/headers.md: {header}" for header in sorted(public ^ set(described))]

# The form: lines, paragraphs, the README, guides without figures, and the changelog.
MAX_LINE, MAX_PARAGRAPH, MAX_README, MAX_ENTRY = 128, 6, 130, 20
names = "sufsort", "specsort", "strsort", "scaling", "libraries", "guarantees", "building", "install", "faq", "comparison"
guides = {f"docs/{name}.md" for name in names}
guides |= {"README.md", "CHANGELOG.md", "python/README.md", "docs/sort_core.md", "docs/sort_core_internals.md",
           *(str(page.relative_to(root)) for page in (root / "docs/reference").glob("*.md")), *jobs, "docs/how-to/README.md"}
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
for words in "tools/demo.sh", "tools/test.sh", " minutes ":  # the commands, and how long the build takes
    if words not in readme.partition("\n## Install\n")[2].partition("\n## ")[0]:
        wrong.append(f"README.md: {words} is not in its first section, Install")
if re.findall(r"^## .*", readme, re.M)[0] != "## Install":
    wrong.append("README.md does not begin with the installation")
for entry in re.findall(r"^- (.*(?:\n  .*)*)", (root / "CHANGELOG.md").read_text(), re.M):
    if len(entry.split()) > MAX_ENTRY:
        wrong.append(f"CHANGELOG.md: {len(entry.split())} words, at most {MAX_ENTRY}: {entry}")

# The site lists every page that docs/site.sh makes, and nothing else.
nav = (root / "mkdocs.yml").read_text().partition("\nnav:\n")[2]
listed = re.findall(r"[\w/-]+\.md", nav)
wrong += [f"mkdocs.yml: nav lists {page} twice" for page in sorted({page for page in listed if listed.count(page) > 1})]
listed = set(listed)
made = {str(page.relative_to(root)).removeprefix("docs/") for page in (root / "docs").rglob("*.md")}
made |= {page.name.lower() for page in root.glob("*.md") if page.name != "README.md"}
made |= {"index.md", "datasets.md", "python.md"}
made -= {"reference/headers.md"}  # docs/site_pages.py lists it, with the pages of the headers and of the programs
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
print(f"{links} links between {len(pages)} pages")
sys.exit(bool(wrong))
END

# The site, up to what MkDocs does: a page for each command and for each public header, every page in the navigation once, and no
# link between them that leads nowhere.
out=$PWD
(cd "$ORDO_SOURCE" && python3 -B docs/site_pages.py "$(dirname "$(command -v sufsort)")" "$out/pages" "$out/mkdocs.yml")
python3 -B - "$ORDO_SOURCE" << 'END'
import pathlib, re, subprocess, sys
root, pages = pathlib.Path(sys.argv[1]), pathlib.Path("pages")
texts = {str(page.relative_to(pages)): page.read_text() for page in pages.rglob("*.md") if page.parts[1] != "files"}
nav = re.findall(r"[\w/-]+\.md", pathlib.Path("mkdocs.yml").read_text().partition("\nnav:\n")[2])
wrong = [f"not in the navigation once: {page}" for page in sorted(texts) if nav.count(page) != 1]
wrong += [f"in the navigation, and not made: {page}" for page in sorted(set(nav) - set(texts))]
commands = subprocess.run(["sufsort", "--generate=man"], capture_output=True, text=True, check=True).stdout.replace("\\", "")
for command in {"sufsort", "specsort", "strsort", *re.findall(r"^\.BR (sufsort-\S+) \(1\)", commands, re.M)}:
    if "## " not in texts.get(f"man/{command}.md", ""):
        wrong.append(f"no manual page of {command}")
headers = [file for file in (root / "include").rglob("*.[hc]*") if "detail" not in file.parts]
if len(headers) != sum(page.startswith("api/") for page in texts):
    wrong.append(f"{len(headers)} public headers, and another number of pages")
for call in re.findall(r"^\w+ (ordo_\w+)\(", (root / "include/ordo.h").read_text(), re.M):
    if f"{call}(" not in texts["api/ordo_h.md"]:
        wrong.append(f"api/ordo_h.md: no {call}")
links = 0
for name, text in texts.items():
    for link in re.findall(r"\]\(([^)\s#]+)(?:#[^)\s]*)?\)", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)):
        links += 1
        if not re.match("[a-z]+:", link) and not (pages / name).parent.joinpath(link).is_file():
            wrong.append(f"{name}: no {link}")
print(*wrong, sep="\n", end="\n" if wrong else "")
print(f"{links} links between {len(texts)} pages of the site")
sys.exit(bool(wrong))
END
