"""Distributions as inline SVG."""

from collections.abc import Sequence
from html import escape

BINS = 20
_WIDTH, _HEIGHT, _FOOT = 320, 120, 18


def histogram(values: Sequence[float], end: float, unit: str = "") -> str:
    """Counts of ``values`` from 0 to ``end`` in 20 equal bins, the last one closed, as an SVG element.

    Each bar says its range and count when it is pointed at. ``end`` must be above 0.
    """
    counts = [0] * BINS
    for value in values:
        counts[min(int(value / end * BINS), BINS - 1)] += 1
    highest, step = max(counts) or 1, _WIDTH / BINS
    bars = "".join(
        f'<rect x="{at * step + 1:.1f}" y="{_HEIGHT - height:.1f}" width="{step - 2:.1f}" height="{height:.1f}">'
        f"<title>{at * end / BINS:.3g} to {(at + 1) * end / BINS:.3g}{escape(unit)}: {count:,}</title></rect>"
        for at, count in enumerate(counts)
        for height in [count / highest * (_HEIGHT - 14)]
    )
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT + _FOOT}" width="{_WIDTH}" height="{_HEIGHT + _FOOT}" role="img">'
        f'{bars}<line x1="0" x2="{_WIDTH}" y1="{_HEIGHT}" y2="{_HEIGHT}"/>'
        f'<text x="0" y="{_HEIGHT + 14}">0</text>'
        f'<text x="{_WIDTH}" y="{_HEIGHT + 14}" text-anchor="end">{end:.3g}{escape(unit)}</text>'
        f'<text x="{_WIDTH}" y="10" text-anchor="end">tallest: {highest:,}</text></svg>'
    )
