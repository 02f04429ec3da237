"""The harness's findings as a picture: a bar a choice of numbers, its regions side by side, and the limit."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path as FilePath

from pspllm.checks import Path, text_path
from pspllm.harness import Plan

# The large ones' are safe for the colour-blind (Okabe and Ito 2008).
_COLOURS = {
    "system": "#999999",
    "program": "#555555",
    "kept back": "#BBBBBB",
    "weights": "#0072B2",
    "key_cache": "#E69F00",
    "value_cache": "#F0C27B",
    "rope_table": "#009E73",
    "activations": "#CC79A7",
    "scores": "#7F3C8D",
    "logits": "#56B4E9",
    "sampler": "#A9DDF7",
    "tokenizer": "#D55E00",
    "draft_table": "#F0E442",
    "text": "#000000",
}
_MEBIBYTE = 2**20


@dataclass(frozen=True)
class Segment:
    """A region's stretch of a bar, in MiB."""

    name: str
    start: float
    length: float
    colour: str


def segments_of(plan: Plan) -> list[Segment]:
    """Regions in their order; those that are small on their own still add up."""
    return [
        Segment(region.name, region.offset / _MEBIBYTE, region.bytes / _MEBIBYTE, _COLOURS[region.name])
        for region in plan.budget.regions
    ]


def write_picture(path: Path, plans: Sequence[Plan], memory: int, title: str) -> None:
    """An .svg file, or whatever else matplotlib writes (.png, .pdf). Raises ValueError where that is not
    installed."""
    place = FilePath(text_path(path))
    if place.suffix == ".svg":
        place.write_text(svg_text(plans, memory, title), encoding="utf-8")
    else:
        _write_with_matplotlib(place, plans, memory, title)


def _legend(plans: Sequence[Plan]) -> dict[str, str]:
    return {segment.name: segment.colour for plan in plans for segment in segments_of(plan)}


def svg_text(plans: Sequence[Plan], memory: int, title: str) -> str:
    """A whole SVG document without outside resources."""
    left, width, bar, top = 120, 640, 26, 50
    limit = memory / _MEBIBYTE
    longest = max(limit, *(plan.budget.needed_bytes / _MEBIBYTE for plan in plans)) * 1.05
    scale = width / longest
    bottom = top + len(plans) * (bar + 12)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 20}" height="{bottom + 70}" '
        'font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="{left}" y="22" font-size="14">{escape(title)}</text>',
    ]
    for index, plan in enumerate(plans):
        y = top + index * (bar + 12)
        lines.append(f'<text x="{left - 8}" y="{y + 17}" text-anchor="end">{escape(plan.label)}</text>')
        for segment in segments_of(plan):
            lines.append(
                f'<rect x="{left + segment.start * scale:.2f}" y="{y}" width="{segment.length * scale:.2f}" '
                f'height="{bar}" fill="{segment.colour}"><title>{escape(segment.name)} '
                f"{segment.length:.2f} MiB</title></rect>"
            )
    x = left + limit * scale
    lines.append(
        f'<line x1="{x:.2f}" x2="{x:.2f}" y1="{top - 10}" y2="{bottom}" stroke="red" stroke-width="2"/>'
    )
    lines.append(
        f'<text x="{x:.2f}" y="{bottom + 14}" text-anchor="middle" fill="red">{limit:.3g} MiB</text>'
    )
    for index, (name, colour) in enumerate(_legend(plans).items()):
        column, row = index % 6, index // 6
        x0, y0 = left + column * 106, bottom + 28 + row * 18
        lines.append(f'<rect x="{x0}" y="{y0}" width="10" height="10" fill="{colour}"/>')
        lines.append(f'<text x="{x0 + 14}" y="{y0 + 10}">{escape(name)}</text>')
    return "\n".join([*lines, "</svg>", ""])


def _write_with_matplotlib(path: FilePath, plans: Sequence[Plan], memory: int, title: str) -> None:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ValueError(
            f"{path} needs matplotlib, which is not installed; name a .svg file instead"
        ) from None
    figure = Figure(figsize=(8, 1.8 + 0.5 * len(plans)), layout="constrained")
    axes = figure.add_subplot()
    for index, plan in enumerate(plans):
        for segment in segments_of(plan):
            axes.barh(index, segment.length, left=segment.start, color=segment.colour)
    axes.axvline(memory / _MEBIBYTE, color="red")
    axes.set_yticks(range(len(plans)), [plan.label for plan in plans])
    axes.invert_yaxis()
    axes.set_xlabel(f"MiB; red: the limit of {memory / _MEBIBYTE:.3g} MiB")
    axes.set_title(title)
    handles = [axes.barh(0, 0, color=colour, label=name) for name, colour in _legend(plans).items()]
    figure.legend(handles=handles, loc="outside lower center", ncols=6, fontsize="small")
    figure.savefig(path)
