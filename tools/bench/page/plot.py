"""Line plots as SVG: the same data gives the same bytes, with nothing to install."""

import html
import math
from dataclasses import dataclass, field

WIDTH, HEIGHT = 720, 400
LEFT, RIGHT, TOP, BOTTOM = 62, 168, 34, 46
COLOURS = ["#0b62a4", "#d9631e", "#3a8f3a", "#8653a6", "#7a5a4a", "#c23b6e"]


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


def _number(value: float) -> str:
    if value >= 1e9 and value % 1e9 == 0:
        return f"{value / 1e9:g} G"
    if value >= 1e6 and value % 1e6 == 0:
        return f"{value / 1e6:g} M"
    return f"{value:g}"


def _round_step(span: float) -> float:
    """A step of 1, 2 or 5 times a power of ten, of which some five fit the span."""
    power = 10 ** math.floor(math.log10(span / 5))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= span / 5)


class _Scale:
    """Maps values of an axis to coordinates between two ends."""

    def __init__(self, axis: Axis, values: list[float], begin: float, end: float):
        self.log, self.begin, self.end = axis.log, begin, end
        low, high = min(values), max(values)
        if axis.log:
            self.low, self.high = low, high
            self.ticks = axis.ticks or [10.0**e for e in range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)]
        else:
            self.low = axis.low if axis.low is not None else low
            step = _round_step(high - self.low)
            self.high = math.ceil(high / step) * step
            self.ticks = axis.ticks or [self.low + step * i for i in range(round((self.high - self.low) / step) + 1)]

    def __call__(self, value: float) -> float:
        low, high = (math.log(self.low), math.log(self.high)) if self.log else (self.low, self.high)
        at = math.log(value) if self.log else value
        return self.begin + (self.end - self.begin) * ((at - low) / (high - low) if high > low else 0)


def line_plot(title: str, x_axis: Axis, y_axis: Axis, series: list[Series], tick_name=_number) -> str:
    x = _Scale(x_axis, [p[0] for s in series for p in s.points], LEFT, WIDTH - RIGHT)
    y = _Scale(y_axis, [p[1] for s in series for p in s.points], HEIGHT - BOTTOM, TOP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        f'<text x="{LEFT}" y="20" font-size="14">{html.escape(title)}</text>',
    ]
    for tick in x.ticks:
        parts.append(f'<path d="M{x(tick):.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#e4e4e4"/>')
        parts.append(f'<text x="{x(tick):.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{tick_name(tick)}</text>')
    for tick in y.ticks:
        parts.append(f'<path d="M{LEFT} {y(tick):.1f}H{WIDTH - RIGHT}" stroke="#e4e4e4"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y(tick) + 4:.1f}" text-anchor="end">{_number(round(tick, 6))}</text>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<text x="{middle:.0f}" y="{HEIGHT - 10}" text-anchor="middle">{html.escape(x_axis.label)}</text>')
    parts.append(
        f'<text transform="translate(16 {(TOP + HEIGHT - BOTTOM) / 2:.0f}) rotate(-90)" text-anchor="middle">'
        f"{html.escape(y_axis.label)}</text>"
    )
    for i, one in enumerate(series):
        colour = COLOURS[i % len(COLOURS)]
        dash = ' stroke-dasharray="5 4"' if one.dashed else ""
        path = "L".join(f"{x(a):.1f} {y(b):.1f}" for a, b in one.points)
        parts.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="1.6"{dash}/>')
        if len(one.points) < 32:
            parts += [f'<circle cx="{x(a):.1f}" cy="{y(b):.1f}" r="2.6" fill="{colour}"/>' for a, b in one.points]
        at = TOP + 14 + 20 * i
        begin = WIDTH - RIGHT + 10
        parts.append(f'<path d="M{begin} {at - 4}h22" stroke="{colour}" stroke-width="2"{dash}/>')
        parts.append(f'<text x="{begin + 28}" y="{at}">{html.escape(one.name)}</text>')
    return "\n".join(parts) + "\n</svg>\n"
