#!/usr/bin/env python3
"""docs/house.py [--check]: draws docs/architecture.svg from the includes of the tree, and checks the law of arrows.

A room is a folder, together with its headers in include/ordo. Prints the floors, from the top, with the rooms of each. With
--check it draws nothing, and exits with 1 if rooms or files include each other in a circle, if an include points up, names no
file, or leads from one library to another, if two files define a class of one name, if a folder holds more than 25 files, if
the picture is not what it would draw, or if docs/architecture.md has no line for a room.
"""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = (".c", ".h", ".hpp", ".cpp", ".cu", ".cuh")
MAX_FILES = 25
LIBRARIES = ("suffix", "spectra", "strings")
# The storeys, from the ground. Folders of one storey never include each other.
STOREYS = {"include": 0, "base": 1, "sort_core": 2, "distributed": 3, **dict.fromkeys(LIBRARIES, 4),
           "tools": 5, "python": 6, "bench": 6, "fuzz": 6}
GENERATED = {"ordo/detail/config.hpp"}
# Public headers that include a backend. CMake installs them with the headers that these include.
BACKEND_HEADERS = {"include/ordo/cpu_backend.hpp", "include/ordo/gpu.cuh"}


def all_files():
    """Returns the names of the files of all storeys."""
    paths = (path for storey in STOREYS for path in (ROOT / storey).rglob("*"))
    return sorted(path.relative_to(ROOT).as_posix() for path in paths if path.is_file() and "__pycache__" not in path.parts)


def room(name):
    """Returns the room of a file: its folder; for a public header of a library, the headers of that library."""
    if name in BACKEND_HEADERS:
        return "include/ordo (backends)"
    parts = name.split("/")
    if parts[0] != "include":
        return str(pathlib.PurePosixPath(name).parent)
    library = pathlib.PurePosixPath(parts[2]).stem if len(parts) > 2 else ""
    return f"include/ordo/{library}" if library in LIBRARIES else "include/ordo"


def includes(files):
    """Returns the pairs (file, file that it includes), and the includes that name no file."""
    known, edges, missing = set(files), set(), []
    for name in files:
        text = (ROOT / name).read_text(errors="replace")
        for wanted in re.findall(r'^\s*#\s*include\s*["<]([^">]+)[">]', text, re.M):
            places = (wanted, "include/" + wanted, str(pathlib.PurePosixPath(name).parent / wanted))
            target = next((place for place in places if place in known), None)
            if target and target != name:
                edges.add((name, target))
            elif not target and wanted.split("/")[0] in {*STOREYS, "ordo"} and wanted not in GENERATED:
                missing.append(f"{name} includes {wanted}, which does not exist")
    return edges, missing


def floors(edges, nodes):
    """Returns the floor of each node, one above the highest that it includes, and the nodes that lie on a circle."""
    below = collections.defaultdict(set)
    for a, b in edges:
        if a != b:
            below[a].add(b)
    floor, left = {}, set(nodes)
    while True:
        ready = {node for node in left if below[node] <= floor.keys()}
        if not ready:
            break
        for node in ready:
            floor[node] = 1 + max((floor[b] for b in below[node]), default=0)
        left -= ready
    while True:  # what only leads to a circle is not part of one
        ends = {node for node in left if not any(node in below[other] for other in left)}
        if not ends:
            return floor, left
        left -= ends


def points_up(a, b):
    """Returns true if the include of file b in file a points up, or to the library next door."""
    if a in BACKEND_HEADERS:
        return False
    from_folder, to_folder = a.split("/")[0], b.split("/")[0]
    if from_folder != to_folder:
        return STOREYS[from_folder] <= STOREYS[to_folder]
    if from_folder in (*LIBRARIES, "sort_core"):  # the files of the folder itself stand above its rooms
        return room(b) == from_folder and room(a) != from_folder
    return room(a).startswith("tools/cli") and not room(b).startswith("tools/cli")


def same_names(files):
    """Returns the classes that two files define under one name. No compiler sees that, and a linker mixes them."""
    places = collections.defaultdict(set)
    for name in files:
        spaces = []
        for line in (ROOT / name).read_text(errors="replace").splitlines():
            opened = re.match(r"namespace\b ?([\w: ]*?) ?\{$", line)
            defined = re.match(r"(?:template <.*> )?(?:struct|class|union|enum class) (\w+)(?: final)?(?: :[^:].*)? \{", line)
            if opened:
                spaces.append(opened[1].replace("inline ", ""))
            elif line.startswith("}  // namespace") and spaces:
                spaces.pop()
            elif defined and "" not in spaces:  # one without a name is the file's own
                places["::".join([*spaces, defined[1]])].add(name)
    return [f"{name} is defined in {' and '.join(sorted(where))}" for name, where in sorted(places.items()) if len(where) > 1]


def cells(rooms, edges, folder):
    """Returns the rooms of a folder in rows by floor, the top first, as (name within the folder, files)."""
    inside = sorted(name for name in rooms if name == folder or name.startswith(folder + "/"))
    floor, _ = floors({(a, b) for a, b in edges if a in inside and b in inside}, inside)
    rows = collections.defaultdict(list)
    for name in inside:
        rows[floor[name]].append((name[len(folder) + 1:] or "·", rooms[name]))
    return [rows[level] for level in sorted(rows, reverse=True)]


ROW, CHAR = 26, 7.4
DARK = {"#222222": "#d8dbe2", "#666666": "#a0a6b3", "#777777": "#9aa0ad", "#888888": "#9aa0ad", "#ffffff": "#1e2129",
        "#f3f3f3": "#2b2f38",
        "#fff8e1": "#3a3420", "#e8f3fb": "#1f3342", "#f4ecfa": "#33263d", "#eaf5ea": "#233a27", "#8a6d00": "#cfa72a",
        "#1a6fa8": "#5db4ea", "#7a4a9c": "#c49ae0", "#3b7d3b": "#7cc47c"}  # each colour on a dark page
COLOURS = {"tools": ("#8a6d00", "#fff8e1"), "suffix": ("#1a6fa8", "#e8f3fb"), "spectra": ("#1a6fa8", "#e8f3fb"),
           "strings": ("#1a6fa8", "#e8f3fb"), "distributed": ("#7a4a9c", "#f4ecfa"), "sort_core": ("#3b7d3b", "#eaf5ea"),
           "base": ("#666666", "#f3f3f3"), "include": ("#666666", "#ffffff")}


def box(folder, rows, x, y, width):
    """Returns the drawing of a folder, and its height."""
    lines, row = [], []
    for cell in rows:
        used = 0
        for name, count in cell:
            size = CHAR * len(name) + 44
            if row and used + size > width - 20:
                lines.append(row)
                row, used = [], 0
            row.append((x + 10 + used, name, count, size - 6))
            used += size
        lines.append(row)
        row = []
    edge, fill = COLOURS[folder]
    height = 34 + ROW * len(lines)
    total = sum(count for cell in rows for _, count in cell)
    out = [f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6" fill="{fill}" stroke="{edge}"/>',
           f'<text x="{x + 12}" y="{y + 20}" font-weight="bold">{folder}/</text>',
           f'<text x="{x + width - 12}" y="{y + 20}" text-anchor="end" fill="#666666">{total} files</text>']
    for number, line in enumerate(lines):
        top = y + 30 + ROW * number
        for left, name, count, size in line:
            out.append(f'<rect x="{left:.0f}" y="{top}" width="{size:.0f}" height="20" rx="4" fill="#ffffff" stroke="{edge}"/>'
                       f'<text x="{left + 7:.0f}" y="{top + 14}" font-size="12">{name} '
                       f'<tspan fill="#888888">{count}</tspan></text>')
    return out, height


def picture(rooms, edges):
    """Returns the house as SVG: a box for each folder, a row in it for each floor of its rooms."""
    out, y, gap = [], 16, 22
    for storey in (["tools"], list(LIBRARIES), ["distributed"], ["sort_core"], ["base"], ["include"]):
        width = (760 - 14 * (len(storey) - 1)) // len(storey)
        heights = []
        for number, folder in enumerate(storey):
            drawn, height = box(folder, cells(rooms, edges, folder), 16 + (width + 14) * number, y, width)
            out += drawn
            heights.append(height)
        y += max(heights)
        if storey != ["include"]:
            for number in range(len(storey)):
                x = 16 + (width + 14) * number + width // 2
                top = y - max(heights) + heights[number] + 3
                out.append(f'<path d="M{x} {top}V{y + gap - 3}" stroke="#777777" marker-end="url(#down)"/>')
        y += gap
    dark = "".join(f'[{what}="{light}"]{{{what}:{colour}}}' for light, colour in DARK.items() for what in ("fill", "stroke"))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 792 {y}" font-family="sans-serif" font-size="14" '
            'fill="#222222" stroke-width="1" role="img">\n<title>The folders of Ordo, their rooms, and the files of each</title>\n'
            '<defs><marker id="down" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto">'
            '<path d="M0 0L10 5L0 10z" fill="#777777"/></marker></defs>\n'
            f'<style>@media(prefers-color-scheme:dark){{{dark}}}</style>\n<rect width="792" height="{y}" fill="#ffffff"/>\n' +
            "\n".join(out) + "\n</svg>\n")


def main():
    names = all_files()
    files = [name for name in names if name.endswith(SOURCES)]
    edges, wrong = includes(files)
    room_edges = {(room(a), room(b)) for a, b in edges if room(a) != room(b)}
    rooms = collections.Counter(map(room, files))
    floor, circle = floors(room_edges, rooms)
    wrong += [f"rooms in a circle: {', '.join(sorted(circle))}"] if circle else []
    file_circle = floors(edges, files)[1]
    wrong += [f"files in a circle: {', '.join(sorted(file_circle))}"] if file_circle else []
    wrong += [f"{a} includes {b}, which points up" for a, b in sorted(edges) if points_up(a, b)]
    wrong += same_names(files)
    flat = collections.Counter(room(name) if name in BACKEND_HEADERS else str(pathlib.PurePosixPath(name).parent)
                               for name in names)
    wrong += [f"{folder}: {count} files, more than {MAX_FILES}" for folder, count in sorted(flat.items())
              if count > MAX_FILES and not folder.startswith("bench/results")]
    text = (ROOT / "docs/architecture.md").read_text()
    wrong += [f"docs/architecture.md has no line for {name}" for name in sorted(rooms)
              if not name.startswith("include") and f"| `{name}` |" not in text]
    for level in sorted(set(floor.values()), reverse=True):
        print(f"{level:3}  " + "  ".join(sorted(name for name in rooms if floor.get(name) == level)))
    drawing = ROOT / "docs/architecture.svg"
    if not circle:
        drawn = picture(rooms, room_edges)
        if "--check" not in sys.argv[1:]:
            drawing.write_text(drawn)
        elif drawing.read_text() != drawn:
            wrong.append("docs/architecture.svg is not of this tree: run docs/house.py")
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
