"""Draws plots as SVG, without dependencies: the same data gives the same bytes, in a line for each series.

line_plot draws one frame with names at its right; panels, small frames that share their axes; dots, a line for each row with a
mark for each contender. Names in COLOURS look the same in every plot. Rivals are dashed, and every series has a mark of its
own, so that colour is not needed. On a dark page each colour is replaced by the one in DARK.
"""

import html
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

WIDTH, HEIGHT = 760, 400
LEFT, RIGHT, TOP, BOTTOM = 66, 168, 36, 48
COLOURS = {
    "copy": "#767676",
    "Ordo": "#0072b2",
    "Ordo, CPU": "#5aa0d8",
    "Ordo, keys alone": "#5aa0d8",
    "CUB": "#d55e00",
    "CUB seg": "#d55e00",
    "cuSPARSE": "#d55e00",
    "Thrust": "#009e73",
    "STA": "#009e73",
    "tlx": "#009e73",
    "packed": "#aa4499",
    "seg radix": "#b8860b",
    "cuSPARSE 3": "#b8860b",
    "bb_segsort": "#6b4f2a",
    "ModernGPU": "#808000",
}
MORE = ["#0072b2", "#d55e00", "#009e73", "#aa4499", "#b8860b", "#5aa0d8"]
MARKS = [
    "M-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0Z",
    "M-2.7-2.7h5.4v5.4h-5.4Z",
    "M0-3.6L3.6 2.9h-7.2Z",
    "M0-3.8L3.8 0 0 3.8-3.8 0Z",
    "M0 3.6L3.6-2.9h-7.2Z",
    "M-3.4 0h6.8M0-3.4v6.8",
]
PAPER, GREY, RULE, INK = "#ffffff", "#e4e4e4", "#b0b0b0", "#222222"
SHADES = ["#d9601a", "#deebf7", "#b5d4ea", "#7fb6dc", "#4292c6", "#2171b5", "#08306b"]  # of a heat map, from low to high
DARK = {
    **{shade: shade for shade in SHADES},
    PAPER: "#1e2129",
    GREY: "#3a3f4b",
    RULE: "#6b7280",
    INK: "#d8dbe2",
    "#767676": "#9a9a9a",
    "#0072b2": "#4fb0ec",
    "#5aa0d8": "#9ccbf0",
    "#d55e00": "#ff8a3d",
    "#009e73": "#35c79c",
    "#aa4499": "#da82cb",
    "#b8860b": "#e0b03c",
    "#6b4f2a": "#c49a6c",
    "#808000": "#bcbc3a",
}
MAX_MARKS = 32  # longer series have no marks
MIN_X, MIN_Y = 34, 18  # distance of ticks, so that their labels do not overlap


@dataclass
class Series:
    name: str
    points: list[tuple[float, float]]
    dashed: bool = False


@dataclass
class Axis:
    label: str
    log: bool = False
    low: float | None = None
    ticks: list[float] = field(default_factory=list)


@dataclass
class Frame:
    left: float
    right: float
    top: float
    bottom: float


def number(value: float) -> str:
    if value >= 1e9 and value % 1e9 == 0:
        return f"{value / 1e9:g} G"
    if value >= 1e6 and value % 1e6 == 0:
        return f"{value / 1e6:g} M"
    return f"{value:g}"


def power_of_two(value: float) -> str:
    return "2" + str(round(math.log2(value))).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def _width_of(text: str) -> float:
    """Estimates the width in a sans-serif font of 12 pixels."""
    return sum(4 if c in " .,:'()filjtI1" else 10.5 if c in "mwMWG@%" else 7.2 for c in text)


def _right_of_names(names: Iterable[str], begin: float) -> float:
    """Returns the right end of a drawing whose names of series begin at `begin`."""
    return round(max(map(_width_of, names), default=0) + begin) + 10


def _round_step(span: float) -> float:
    """Returns 1, 2 or 5 times a power of ten, about a fifth of the span."""
    power = 10 ** math.floor(math.log10(span / 5))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= span / 5)


def _steps_of_log(low: float, high: float) -> list[float]:
    """Returns 1, 2 and 5 times the powers of ten that enclose low and high."""
    steps = [m * 10.0**e for e in range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 2) for m in (1, 2, 5)]
    begin = max(i for i, step in enumerate(steps) if step <= low * 1.001)
    end = min(i for i, step in enumerate(steps) if step >= high / 1.001)
    return [round(step, 9) for step in steps[begin : end + 1]]


def _apart(ticks: list[float], at: Callable[[float], float], distance: float) -> list[float]:
    """Returns the powers of ten, and the other ticks whose labels have room between them."""
    stay = [tick for tick in ticks if math.log10(tick).is_integer()]
    for tick in ticks:
        if all(abs(at(tick) - at(other)) >= distance for other in stay):
            stay.append(tick)
    return sorted(stay)


class _Scale:
    """Maps values of an axis to coordinates between two ends."""

    def __init__(self, axis: Axis, values: list[float], begin: float, end: float):
        self.log, self.begin, self.end = axis.log, begin, end
        self.low, self.high = min(values), max(values)
        if axis.ticks:
            self.ticks = axis.ticks
        elif axis.log:
            self.ticks = _steps_of_log(self.low, self.high)
        else:
            self.low = axis.low if axis.low is not None else self.low
            step = _round_step((self.high - self.low) or 1)
            self.ticks = [self.low + step * i for i in range(math.ceil((self.high - self.low) / step - 1e-9) + 1)]
        self.low, self.high = min(self.low, self.ticks[0]), max(self.high, self.ticks[-1])
        if axis.log and not axis.ticks:
            self.ticks = _apart(self.ticks, self, MIN_X if end > begin else MIN_Y)  # the y axis begins below

    def __call__(self, value: float) -> float:
        low, high, at = (math.log(v) if self.log else v for v in (self.low, self.high, value))
        return self.begin + (self.end - self.begin) * ((at - low) / (high - low) if high > low else 0)


def _colour(name: str, spare: str) -> str:
    """Returns the colour of a name, or of its part before a comma."""
    return COLOURS.get(name) or COLOURS.get(name.split(",")[0], spare)


def _styled(series: list[Series]) -> list[tuple[Series, str, str]]:
    """Returns each series with its colour and its mark."""
    spare = [colour for colour in MORE if colour not in {_colour(one.name, "") for one in series}]
    return [(one, _colour(one.name, spare[i % len(spare)]), MARKS[i % len(MARKS)]) for i, one in enumerate(series)]


def _is_marked(one: Series) -> bool:
    return len(one.points) <= MAX_MARKS and not one.name.startswith("copy")


def _line(one: Series, colour: str, mark: str, at: list[tuple[float, float]]) -> str:
    dash = ' stroke-dasharray="5 4"' if one.dashed else ""
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in at)
    parts = [f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="1.7"{dash}/>']
    if _is_marked(one):
        parts += [f'<path d="{mark}" transform="translate({x:.1f} {y:.1f})" fill="{colour}" stroke="{colour}"/>' for x, y in at]
    return "".join(parts)


def _frame(frame: Frame, x: _Scale, y: _Scale, series: list[Series], tick_name, y_ticks: bool = True) -> list[str]:
    """Draws grid, ticks and lines, the first series on top."""
    parts = []
    for tick in x.ticks:
        parts.append(f'<path d="M{x(tick):.1f} {frame.top:.0f}V{frame.bottom:.0f}" stroke="{GREY}"/>')
        parts.append(f'<text x="{x(tick):.1f}" y="{frame.bottom + 16:.0f}" text-anchor="middle">{tick_name(tick)}</text>')
    for tick in y.ticks:
        parts.append(f'<path d="M{frame.left:.0f} {y(tick):.1f}H{frame.right:.0f}" stroke="{GREY}"/>')
        if y_ticks:
            parts.append(
                f'<text x="{frame.left - 6:.0f}" y="{y(tick) + 4:.1f}" text-anchor="end">{number(round(tick, 6))}</text>'
            )
    lines = [_line(one, *style, [(x(a), y(b)) for a, b in one.points]) for one, *style in reversed(_styled(series)) if one.points]
    return ["".join(parts), *lines]


def _names(series: list[Series], left: float, top: float) -> list[str]:
    parts = []
    for i, (one, colour, mark) in enumerate(_styled(series)):
        at = top + 20 * i
        key = _line(one, colour, mark, [(left, at), (left + 26, at)])
        parts.append(f'{key}<text x="{left + 34:.0f}" y="{at + 4:.0f}">{html.escape(one.name)}</text>')
    return parts


def _style(parts: list[str]) -> str:
    """Returns the colours of a dark page, of those that the plot has."""
    rules = []
    for light, dark in DARK.items():
        for what in ("fill", "stroke"):
            if any(f'{what}="{light}"' in part for part in parts):
                rules.append(f'[{what}="{light}"]{{{what}:{dark}}}')
    return f"<style>@media(prefers-color-scheme:dark){{{''.join(rules)}}}</style>"


def _document(title: str, width: float, height: float, x_label: tuple[float, str], y_label: str, parts: list[str]) -> str:
    head = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12" '
            f'fill="{INK}" role="img">'
        ),
        f"<title>{html.escape(title)}</title>",
        f'<rect width="{width}" height="{height}" fill="{PAPER}"/>',
        f'<text x="{LEFT}" y="20" font-size="14">{html.escape(title)}</text>',
        f'<text x="{x_label[0]:.0f}" y="{height - 10}" text-anchor="middle">{html.escape(x_label[1])}</text>',
        (
            f'<text transform="translate(16 {(TOP + height - BOTTOM) / 2:.0f}) rotate(-90)" text-anchor="middle">'
            f"{html.escape(y_label)}</text>"
        ),
    ]
    head.insert(2, _style(head + parts))
    return "\n".join(head + parts) + "\n</svg>\n"


def line_plot(title: str, x_axis: Axis, y_axis: Axis, series: list[Series], tick_name=number) -> str:
    frame = Frame(LEFT, WIDTH - RIGHT, TOP, HEIGHT - BOTTOM)
    x = _Scale(x_axis, [p[0] for s in series for p in s.points], frame.left, frame.right)
    y = _Scale(y_axis, [p[1] for s in series for p in s.points], frame.bottom, frame.top)
    parts = _frame(frame, x, y, series, tick_name) + _names(series, frame.right + 22, TOP + 8)
    width = max(WIDTH, _right_of_names([one.name for one in series], frame.right + 56))
    return _document(title, width, HEIGHT, ((frame.left + frame.right) / 2, x_axis.label), y_axis.label, parts)


def panels(title: str, x_axis: Axis, y_axis: Axis, of: dict[str, list[Series]], tick_name=number) -> str:
    """Draws three frames a line, each with its name above it, with common axes and a common legend."""
    names = {one.name: one.dashed for series in of.values() for one in series}
    of = {  # a series that a frame lacks keeps its place, so that colours and marks are the same in every frame
        heading: [next((one for one in series if one.name == name), Series(name, [], dashed)) for name, dashed in names.items()]
        for heading, series in of.items()
    }
    wide, high, gap_x, gap_y, top = 200, 150, 34, 52, TOP + 24
    lines = math.ceil(len(of) / 3)
    height = top + lines * (high + gap_y) - gap_y + BOTTOM
    points = [p for series in of.values() for s in series for p in s.points]
    parts = []
    for i, (heading, series) in enumerate(of.items()):
        left, above = LEFT + i % 3 * (wide + gap_x), top + i // 3 * (high + gap_y)
        frame = Frame(left, left + wide, above, above + high)
        x = _Scale(x_axis, [p[0] for p in points], frame.left, frame.right)
        y = _Scale(y_axis, [p[1] for p in points], frame.bottom, frame.top)
        parts.append(f'<text x="{left}" y="{above - 7}" font-weight="bold">{html.escape(heading)}</text>')
        parts += _frame(frame, x, y, series, tick_name, y_ticks=i % 3 == 0)
    right = LEFT + 3 * wide + 2 * gap_x
    series = next(iter(of.values()))
    parts += _names(series, right + 16, top + 8)
    width = _right_of_names(names, right + 50)
    return _document(title, width, height, ((LEFT + right) / 2, x_axis.label), y_axis.label, parts)


def dots(title: str, x_axis: Axis, of: dict[str, dict[str, float]]) -> str:
    """Draws {row: {contender: value}}."""
    who = list(dict.fromkeys(name for values in of.values() for name in values))
    series = [Series(name, [(values[name], i) for i, values in enumerate(of.values()) if name in values]) for name in who]
    left = max(LEFT, round(max(map(_width_of, of))) + 18)
    right, step = WIDTH - RIGHT, 24
    bottom = TOP + step * len(of)
    x = _Scale(x_axis, [value for values in of.values() for value in values.values()], left, right)
    grid, rows, marks, names = [], [], [], []
    for tick in x.ticks:
        colour = INK if tick == 1 and x.low < 1 else GREY  # at 1 a ratio changes sides
        grid.append(f'<path d="M{x(tick):.1f} {TOP}V{bottom}" stroke="{colour}"/>')
        grid.append(f'<text x="{x(tick):.1f}" y="{bottom + 16}" text-anchor="middle">{number(tick)}</text>')
    for i, (name, values) in enumerate(of.items()):
        y = TOP + step * (i + 0.5)
        ends = [x(value) for value in values.values()]
        line = f'<path d="M{min(ends):.1f} {y:.1f}H{max(ends):.1f}" stroke="{RULE}"/>'
        rows.append(f'{line}<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{html.escape(name)}</text>')
    for one, colour, mark in reversed(_styled(series)):
        for value, i in one.points:
            at = f"{x(value):.1f} {TOP + step * (i + 0.5):.1f}"
            marks.append(f'<path d="{mark}" transform="translate({at}) scale(1.25)" fill="{colour}" stroke="{colour}"/>')
    for i, (one, colour, mark) in enumerate(_styled(series)):
        y = TOP + 8 + 20 * i
        key = f'<path d="{mark}" transform="translate({right + 20} {y}) scale(1.25)" fill="{colour}" stroke="{colour}"/>'
        names.append(f'{key}<text x="{right + 34}" y="{y + 4}">{html.escape(one.name)}</text>')
    parts = ["".join(grid), *rows, "".join(marks), *names]
    width = max(WIDTH, _right_of_names(who, right + 34))
    return _document(title, width, bottom + BOTTOM, ((left + right) / 2, x_axis.label), "", parts)


def heat_map(title: str, x_label: str, y_label: str, columns: list[str], rows: dict[str, list[float]]) -> str:
    """Draws a cell for each value of {row: values}, darker for larger ones, with the bounds of the shades at the right. Each
    third column and every row has its name."""
    bounds = [0, 1, 1.5, 2, 3, 5, 10]
    wide, high = 14, 16
    bottom = TOP + high * len(rows)
    parts = []
    for i, (name, values) in enumerate(rows.items()):
        y = TOP + high * i
        cells = [f'<text x="{LEFT - 6}" y="{y + 12}" text-anchor="end">{html.escape(name)}</text>']
        for k, value in enumerate(values):
            shade = SHADES[max(s for s, bound in enumerate(bounds) if value >= bound)]
            cells.append(f'<path d="M{LEFT + wide * k} {y}h{wide - 1}v{high - 1}h{1 - wide}Z" fill="{shade}"/>')
        parts.append("".join(cells))
    for k in range(0, len(columns), 3):
        at = f'x="{LEFT + wide * k + 7}" y="{bottom + 14}"'
        parts.append(f'<text {at} text-anchor="middle" font-size="10">{columns[k]}</text>')
    right = LEFT + wide * len(columns)
    for s, (bound, shade) in enumerate(zip(bounds, SHADES)):
        y = TOP + 20 * s
        name = "below 1" if s == 0 else f"{bound:g} and more"
        parts.append(f'<path d="M{right + 20} {y}h14v14h-14Z" fill="{shade}"/>')
        parts.append(f'<text x="{right + 42}" y="{y + 12}">{name}</text>')
    return _document(title, right + 140, bottom + BOTTOM, ((LEFT + right) / 2, x_label), y_label, parts)
