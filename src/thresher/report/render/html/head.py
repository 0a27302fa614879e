"""Head of a self-contained page: its style, and a policy that permits its own scripts only."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from thresher import __version__
from thresher._util.palette import DARK, LIGHT
from thresher.report.render.html.markup import Markup, lean, lone, tag, unbroken

ICON = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath d='M2 14C2 5 5 2 14 2'"
    " fill='none' stroke='%230b5cad' stroke-width='2.5'/%3E%3Cpath d='M2 14 14 2' stroke='%23999'/%3E%3C/svg%3E"
)

_SIGNS = "[=<>?:,;{}()&|*]"
_SPACE = re.compile(rf" (?={_SIGNS})|(?<={_SIGNS}) ")
_BLANK = re.compile(r"\s+(?=[{};,])|(?<=[{};,])\s+|(?<=:) ")
_TEXT = re.compile("[\"'`/]")

STYLES = ("report.css",)


def whole_page(
    title: str,
    lead: str,
    main: Iterable[Markup],
    foot: Markup | None,
    *,
    script: str | None = None,
    data: Markup | None = None,
    version: str = __version__,
) -> str:
    """Self-contained page: title and lead, the sections of `main`, a foot, and the only script with its `data`."""
    head = tag("header", tag("h1", title), tag("p", lead, class_="lead"))
    inside = tag("div", head, tag("main", *main, id="main"), foot, class_="page")
    skip = tag("a", "Skip to the answers", class_="skip", href="#main")
    runs = None if script is None else Markup(f"<script>{script}</script>")
    body = tag("body", skip, unbroken(lean(inside)), data, runs)
    return f"<!doctype html>\n{tag('html', page_head(title, script=script, version=version), body, lang='en')}\n"


def page_head(
    title: str, *, script: str | None = None, version: str = __version__, styles: tuple[str, ...] = STYLES
) -> Markup:
    """Head of a page with the report's style; `script` is the only one that its policy lets run."""
    style = _tight(palette() + "".join(map(asset, styles)))
    runs = "" if script is None else f"script-src '{_digest(script)}'; "
    policy = (
        f"default-src 'none'; img-src data:; style-src '{_digest(style)}'; {runs}base-uri 'none'; form-action 'none'"
    )
    return tag(
        "head",
        lone("meta", charset="utf-8"),
        lone("meta", http_equiv="Content-Security-Policy", content=policy),
        lone("meta", name="viewport", content="width=device-width, initial-scale=1"),
        lone("meta", name="color-scheme", content="light dark"),
        lone("meta", name="referrer", content="no-referrer"),
        lone("meta", name="generator", content=f"thresher {version}"),
        tag("title", title),
        lone("link", rel="icon", href=ICON),
        Markup(f"<style>{style}</style>"),
    )


@cache
def palette() -> str:
    """Return the style of the models' colors, `--c0` to `--c7`, on a light and on a dark background."""
    light, dark = (
        ":root {" + "".join(f"--c{i}:{color};" for i, color in enumerate(each)) + "}" for each in (LIGHT, DARK)
    )
    return f"{light}\n@media (prefers-color-scheme: dark) {{{dark}}}\n"


@cache
def asset(name: str) -> str:
    """Style sheet or script of the page, as it is hashed and written: without indents and lines of comment."""
    text = Path(__file__).with_name(name).read_text(encoding="utf-8")
    lines = (line.strip() for line in text.splitlines())
    kept = (line for line in lines if line and not line.startswith(("//", "/**")))
    return "".join(f"{_dense(line) if name.endswith('.js') else line}\n" for line in kept)


def _dense(line: str) -> str:
    """Return a line of a script without the spaces around signs; unchanged where it holds a text.

    >>> _dense("const f = (a, b) => { g(a); };"), _dense("f(' = ') ;")
    ('const f=(a,b)=>{g(a);};', "f(' = ') ;")
    """
    return line if _TEXT.search(line) else _SPACE.sub("", line)


@cache
def _tight(style: str) -> str:
    """Style sheet without the spaces that say nothing."""
    return _BLANK.sub("", style)


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
