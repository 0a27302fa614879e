"""What the gallery shows, read from `figures.toml`: a figure is one entry."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One figure: its code, at most five statements on the shipped examples, and a description in words.

    What is `measured`, such as seconds, looks another way each time it is drawn.
    """

    name: str
    title: str
    code: str
    alt: str
    part: str
    measured: bool = False


_READ = tomllib.loads((Path(__file__).parent / "figures.toml").read_text(encoding="utf-8"))

PARTS: tuple[str, ...] = tuple(_READ["parts"])
ENTRIES = tuple(Entry(**figure) for figure in _READ["figure"])
