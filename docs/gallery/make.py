"""Draws the gallery: `python docs/gallery/make.py` writes its pictures, its page and what its tests compare with.

A picture is one entry of `entries.py`. The tests run every entry and compare its lines, without any text, with a small
gray one in `tests/gallery/lines`: fonts may change, curves may not.
"""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np

matplotlib.use("Agg")
from entries import ENTRIES, PARTS, Entry  # beside this file
from matplotlib import pyplot
from matplotlib.legend import Legend
from matplotlib.text import Text

from thresher.plot.legends import shrink

DOCS = Path(__file__).parents[1]
PICTURES = DOCS / "images" / "gallery"
LINES = DOCS.parent / "tests" / "gallery" / "lines"

DPI, LOW_DPI = 90, 20

HEAD = """# Gallery

Every picture, and the code that draws it on bundled data. `ax` is matplotlib's; pass one to draw on it, and save with `ax.figure.savefig("figure.svg")`. More about each: [pictures](pictures.md).

"""


def drawn(entry: Entry) -> Any:
    """Figure that the code of an entry draws."""
    pyplot.close("all")
    exec(compile(entry.code, entry.name, "exec"), {})  # our own lines, which readers are to paste
    return pyplot.gcf()


def picture(figure: Any) -> bytes:
    """PNG of a figure in few colors, as the page shows it."""
    from PIL import Image

    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=DPI)
    small = io.BytesIO()
    Image.open(buffer).convert("RGB").quantize(64).save(small, format="png", optimize=True)
    return small.getvalue()


def lines(figure: Any) -> np.ndarray:
    """Shades of gray of a figure at a low resolution, without its text, and the ticks, of which fonts say how many."""
    for ax in figure.axes:
        shrink(ax)  # fonts say how large a legend is
    for text in figure.findobj(lambda artist: isinstance(artist, Text | Legend)):
        text.set_visible(False)
    for ax in figure.axes:
        ax.grid(False)
        ax.tick_params(which="both", length=0)
    figure.set_dpi(2 * LOW_DPI)
    figure.canvas.draw()
    gray = np.asarray(figure.canvas.buffer_rgba())[:, :, :3].mean(axis=2)
    height, width = (2 * (size // 2) for size in gray.shape)
    blocks = gray[:height, :width].reshape(height // 2, 2, width // 2, 2)
    return np.rint(blocks.mean(axis=(1, 3))).astype(np.uint8)


def moved(first: np.ndarray, second: np.ndarray) -> float:
    """Share of the ink of two pictures that does not lie in the same place, in [0, 1]; 1 where their sizes differ."""
    if first.shape != second.shape:
        return 1.0
    ink = [255.0 - each for each in (first, second)]
    return float(np.abs(ink[0] - ink[1]).sum() / max(1.0, ink[0].sum() + ink[1].sum()))


def page() -> str:
    """The page of the gallery: title, code and picture of every entry, by parts."""
    parts = [f'<div class="thumbs">\n{"".join(map(_thumb, ENTRIES))}</div>\n']
    for part in PARTS:
        parts.append(f"## {part}\n")
        for entry in (each for each in ENTRIES if each.part == part):
            parts.append(f"({_anchor(entry)})=\n### {entry.title}\n\n```python\n{_spaced(entry.code)}```\n")
            parts.append(f"![{entry.alt}](images/gallery/{entry.name}.png)\n")
    return HEAD + "\n".join(parts)


def _anchor(entry: Entry) -> str:
    return entry.name.replace("_", "-")


def _thumb(entry: Entry) -> str:
    """Small picture of an entry that leads to its lines."""
    source = f'src="_images/{entry.name}.png" alt="" loading="lazy"'
    return f'<a href="#{_anchor(entry)}"><img {source}>{entry.title}</a>\n'


def _spaced(code: str) -> str:
    """Code with an empty line after its imports, as the formatter has it."""
    return re.sub(r"(?m)^((?:import|from) .*\n)(?!import|from)", r"\1\n", code)


def main(names: list[str]) -> None:
    """Write the page, and the pictures of the entries named or of all."""
    from PIL import Image

    for folder in (PICTURES, LINES):
        folder.mkdir(parents=True, exist_ok=True)
    for entry in ENTRIES:
        if names and entry.name not in names:
            continue
        figure = drawn(entry)
        (PICTURES / f"{entry.name}.png").write_bytes(picture(figure))
        Image.fromarray(lines(figure)).save(LINES / f"{entry.name}.png", optimize=True)
    (DOCS / "gallery.md").write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
