"""A page of reference for each public header, from its doc comments and the declarations after them. Names in detail namespaces,
private members and what has no doc comment are left out."""
import pathlib
import re

HEADERS = pathlib.Path("include/ordo")
DESCRIPTIONS = {
    header: line[0].upper() + line[1:] + "."
    for header, line in re.findall(
        r"^\| \[`<(.*?)>`\]\(.*?\) \| (.*?) \|$", pathlib.Path("docs/reference/headers.md").read_text(), re.M
    )
}
ENTITY = re.compile(r"(?:class|struct|concept|enum class|namespace|using)\s+([\w:]+)")


def name_of(code):
    while (shorter := re.sub(r"<[^<>]*>", "", code)) != code:  # template parameters and arguments
        code = shorter
    code = re.sub(r"\[\[.*?\]\]|^\s*template\b|\bORDO_\w+", "", code, flags=re.M)
    if found := ENTITY.search(code):
        return found[1]
    before = re.split(r"\(|=|\{|;", code, maxsplit=1)[0].split()
    return before[-1].lstrip("&*") if before else ""


def prose(lines):
    """A doc comment as Markdown: @param and its like become a list, @code a block."""
    text, out, in_code = [line.removeprefix("///").removeprefix(" ") for line in lines], [], False
    for line in text:
        if "@code" in line or "@endcode" in line:
            in_code = not in_code
            out.append("```cpp" if in_code else "```")
        elif in_code:
            out.append(line)
        else:
            line = re.sub(r"@t?param\s+(\S+)", r"\n- **\1**", line)
            line = re.sub(r"@throws\s+(\S+)", r"\n- throws `\1`", line)
            line = re.sub(r"@returns?\b", "\n- returns", line)
            out += re.sub(r"<(?=\w)", r"\\<", line).split("\n")
    return re.sub(r"^((?!- ).+)\n(?=- )", r"\1\n\n", "\n".join(out), flags=re.M)  # a list begins after an empty line


def entries(text):
    """(depth, doc lines, declaration) of a header. Depth counts classes, not namespaces."""
    doc, declaration, scopes = [], [], []  # a scope: "namespace", "class", "hidden" or "body"
    for line in text.splitlines():
        code = line.strip()
        hidden = "hidden" in scopes or "body" in scopes
        if code.startswith("///"):
            if not hidden:
                doc.append(code)
            continue
        if code in ("private:", "protected:", "public:") and scopes:
            scopes[-1] = "class" if code == "public:" else "hidden"
            continue
        plain = re.sub(r"//.*$|\"(?:\\.|[^\"\\])*\"|'\\?.'", "", line)
        if not code or (code.startswith(("#", "//")) and not declaration):
            doc = [] if not declaration else doc
            continue
        if not hidden:
            declaration.append(line)
        opened = plain.count("{") - plain.count("}")
        whole = " ".join(declaration)
        ended = opened > 0 or plain.rstrip().endswith((";", "}", "{}"))
        if ended and declaration and not hidden:
            depth, kind = scopes.count("class"), "body"
            if re.search(r"\bnamespace\b", whole):
                kind = "hidden" if "detail" in whole else "namespace"
            elif re.search(r"\b(class|struct)\s+(\[\[.*?\]\]\s*)?\w+[^;()]*\{", whole):
                kind = "hidden" if re.match(r"\s*class\b|.*>\s*class\b", whole) else "class"
            if doc or (opened > 0 and re.search(r"\b(class|struct)\s+\w+[^;()]*\{", whole)):
                yield depth, doc, "\n".join(declaration)
            doc, declaration = [], []
        else:
            kind = "body"
        scopes += [kind] * max(opened, 0)
        for _ in range(max(-opened, 0)):
            if scopes:
                scopes.pop()


def page_of(path):
    """Returns the page of a public header of C++."""
    page = [f"# &lt;ordo/{path}&gt;", "", DESCRIPTIONS[f"ordo/{path}"], ""]
    for depth, doc, code in entries((HEADERS / path).read_text()):
        if re.match(r"\s*namespace", code):
            page += [prose(doc), ""]
            continue
        short = re.sub(r"\s*(\{[^{}]*\}?|\{)?\s*$", "", code) if "{" in code else code
        indent = len(short) - len(short.lstrip())
        short = "\n".join(line[indent:] if line.startswith(" " * indent) else line for line in short.splitlines())
        page += [f"{'#' * (2 + min(depth, 2))} {name_of(code)}", "", "```cpp", short, "```", "", prose(doc), ""]
    return "\n".join(page)


def page_of_c(name):
    """Returns the page of a header of C: each comment before a declaration, and the declaration."""
    page = [f"# &lt;{name}&gt;", ""]
    text = re.sub(r"^#(?:if.*|ifdef.*|ifndef.*|endif.*|else|include.*|pragma.*)\n|^extern \"C\" \{\n|^\}\n", "",
                  (HEADERS.parent / name).read_text(), flags=re.M)
    for part in re.split(r"\n{2,}", re.sub(r"(?<!^)^/\*", r"\n/*", text, flags=re.M)):
        found = re.match(r"/\*\s*(.*?)\s*\*/\n?(.*)", part.strip(), re.S)
        doc, code = (found[1], found[2]) if found else ("", part.strip())
        if doc:
            page += [re.sub(r"\*(?=\w)", r"\\*", re.sub(r"^ \* ?", "", doc, flags=re.M)), ""]
        if code and not re.fullmatch(r"#define \w+", code):
            page += ["```c", code, "```", ""]
    return "\n".join(page)


def write(folder):
    """Writes a page for each public header. Returns the page of each."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = {"ordo.h": "ordo_h.md"}
    (folder / pages["ordo.h"]).write_text(page_of_c("ordo.h"))
    for header in sorted([*HEADERS.rglob("*.hpp"), *HEADERS.glob("*.cuh")]):
        path = header.relative_to(HEADERS)
        if path.parts[0] != "detail":
            pages[f"ordo/{path}"] = str(path.with_suffix("")).replace("/", "_") + header.suffix.replace(".", "_") + ".md"
            (folder / pages[f"ordo/{path}"]).write_text(page_of(path))
    return pages


def groups(pages):
    """Returns the navigation: the sections of docs/reference/headers.md, and the page of each header in them."""
    sections = re.split(r"^## ", pathlib.Path("docs/reference/headers.md").read_text(), flags=re.M)[1:]
    listed = [(part.partition("\n")[0], re.findall(r"^\| \[`<(.*?)>`\]", part, re.M)) for part in sections]
    return [("Overview", "reference/headers.md")] + [
        (title, [(header.removeprefix("ordo/"), f"api/{pages[header]}") for header in headers]) for title, headers in listed
    ]
