"""Latency over corpus size as an SVG, both axes logarithmic, without a library."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

WIDTH, HEIGHT = 720, 420
LEFT, RIGHT, TOP, BOTTOM = 70, 150, 30, 50
COLOURS = ("#0b6e4f", "#2f6db5", "#b5482f", "#8a5fb0", "#7a7a7a")

Points = Sequence[tuple[float, float]]  # (passages, milliseconds)


def plot(series: Mapping[str, Points], title: str) -> str:
    """Return the drawing; every value is above 0."""
    xs = [x for points in series.values() for x, _y in points]
    ys = [y for points in series.values() for _x, y in points]
    across = _Axis(xs, LEFT, WIDTH - RIGHT)
    up = _Axis(ys, HEIGHT - BOTTOM, TOP)
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
            ' font-family="sans-serif" font-size="13" role="img">'
        ),
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="18" fill="#222">{escape(title)}</text>',
        *_grid(across, up),
    ]
    for colour, (name, points) in zip(COLOURS, series.items(), strict=False):
        places = [(across.at(x), up.at(y)) for x, y in points]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        end = places[-1]
        parts += [
            (
                f'<polyline points="{line}" fill="none" stroke="{colour}"'
                ' stroke-width="2"/>'
            ),
            *(
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>'
                for x, y in places
            ),
            (
                f'<text x="{end[0] + 8:.1f}" y="{end[1] + 4:.1f}" fill="{colour}">'
                f"{escape(name)}</text>"
            ),
        ]
    return "\n".join([*parts, "</svg>", ""])


class _Axis:
    """Whole powers of ten around the values, spread between two places."""

    def __init__(self, values: Sequence[float], begin: float, end: float) -> None:
        self.low = math.floor(math.log10(min(values)))
        self.high = max(math.ceil(math.log10(max(values))), self.low + 1)
        self.begin, self.end = begin, end

    def at(self, value: float) -> float:
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return self.begin + share * (self.end - self.begin)

    @property
    def marks(self) -> list[float]:
        return [10.0**power for power in range(self.low, self.high + 1)]


def _grid(across: _Axis, up: _Axis) -> list[str]:
    drawn = []
    for value in across.marks:
        x = across.at(value)
        drawn += [
            (
                f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{HEIGHT - BOTTOM}"'
                ' stroke="#ddd"/>'
            ),
            (
                f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle"'
                f' fill="#444">{value:,.0f}</text>'
            ),
        ]
    for value in up.marks:
        y = up.at(value)
        drawn += [
            (
                f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}"'
                ' stroke="#ddd"/>'
            ),
            (
                f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end" fill="#444">'
                f"{value:g}</text>"
            ),
        ]
    middle = (LEFT + WIDTH - RIGHT) / 2
    drawn.append(
        f'<text x="{middle}" y="{HEIGHT - 10}" text-anchor="middle" fill="#444">'
        "passages</text>"
    )
    return drawn
