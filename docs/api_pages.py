#!/usr/bin/env python3
"""api_pages.py FOLDER: writes a page of reference for each public header, from its doc comments (///) and the declarations after
them. Names in detail namespaces, private members and what has no doc comment are left out."""
import pathlib, re, sys

HEADERS = pathlib.Path("include/ordo")
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
    return "\n".join(out)


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


folder = pathlib.Path(sys.argv[1])
index = ["# Public headers", ""]
for header in sorted([*HEADERS.rglob("*.hpp"), *HEADERS.glob("*.cuh")]):
    path = header.relative_to(HEADERS)
    if path.parts[0] == "detail":
        continue
    page = [f"# &lt;ordo/{path}&gt;", ""]
    for depth, doc, code in entries(header.read_text()):
        if re.match(r"\s*namespace", code):
            page += [prose(doc), ""]
            continue
        short = re.sub(r"\s*(\{[^{}]*\}?|\{)?\s*$", "", code) if "{" in code else code
        indent = len(short) - len(short.lstrip())
        short = "\n".join(line[indent:] if line.startswith(" " * indent) else line for line in short.splitlines())
        page += [f"{'#' * (2 + min(depth, 2))} {name_of(code)}", "", "```cpp", short, "```", "", prose(doc), ""]
    out = folder / "api" / (str(path.with_suffix("")).replace("/", "_") + ".md")
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text("\n".join(page))
    index.append(f"- [`<ordo/{path}>`]({out.name})")
(folder / "api" / "index.md").write_text("\n".join(index) + "\n")
