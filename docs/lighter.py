"""What is mended in the theme: parts that no page uses are left out, and buttons without a name get one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

SHEET = Path("_static/styles/pydata-sphinx-theme.css")
ICONS = re.compile(r'[ ]*<script defer src="[^"]*/scripts/fontawesome\.js[^"]*"></script>\n')
"""The theme draws its icons from a font; this script would draw others, and there are none."""
UNNAMED = re.compile(r'(<a class="reference internal" href="[^"]*">([^<]*)</a><details[^>]*><summary)>')
"""Button of the navigation that folds the pages below one, without a name for those who cannot see it."""


def lighten(site: Path) -> None:
    """Rewrite the style sheet and pages of a built site; rules stay whose classes stand in a page or in a script."""
    used: set[str] = set()
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        for names in re.findall(r'class="([^"]*)"', text):
            used.update(names.split())
        mended = UNNAMED.sub(r'\1 aria-label="Pages of \2">', ICONS.sub("", text))
        if mended != text:
            page.write_text(mended, encoding="utf-8")
    for script in site.rglob("*.js"):
        if script.name not in ("searchindex.js", "fontawesome.js"):
            used.update(re.findall(r"[A-Za-z][\w-]+", script.read_text(encoding="utf-8")))
    sheet = site / SHEET
    sheet.write_text(lighter(sheet.read_text(encoding="utf-8"), used), encoding="utf-8")


def lighter(style: str, used: set[str]) -> str:
    """Style sheet without the rules of which every selector names a class that is not used.

    >>> lighter("a.b{x:y}.c,.b .d{z:w}@media print{.c{p:q}}@font-face{s:t}", {"b"})
    'a.b{x:y}@font-face{s:t}'
    """
    kept = []
    for head, body in _rules(style):
        name = re.sub(r"/\*.*?\*/", "", head, flags=re.S).strip()
        if name.startswith(("@media", "@supports")):
            inner = lighter(body, used)
            kept.append(f"{name}{{{inner}}}" if inner else "")
        elif name.startswith("@") and "{" not in name:
            kept.append(f"{name}{{{body}}}")
        else:
            selectors = [each for each in re.split(r",(?![^()]*\))", name) if _is_used(each, used)]
            kept.append(f"{','.join(selectors)}{{{body}}}" if selectors else "")
    return "".join(kept)


def _is_used(selector: str, used: set[str]) -> bool:
    plain = re.sub(r":(not|is|where)\([^)]*\)", "", selector)
    return all(name in used for name in re.findall(r"\.(-?[A-Za-z_][\w-]*)", plain))


def _rules(style: str) -> Iterator[tuple[str, str]]:
    """Each rule as what stands before its braces and between them."""
    place = 0
    while (start := style.find("{", place)) >= 0:
        depth, end = 1, start + 1
        while depth:
            depth += {"{": 1, "}": -1}.get(style[end], 0)
            end += 1
        yield style[place:start], style[start + 1 : end - 1]
        place = end
