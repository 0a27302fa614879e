"""Sphinx's settings: `python -m sphinx -W docs site` writes the site, without network."""

from __future__ import annotations

import re
import sys
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import thresher as th
from thresher.terms import concepts

sys.path.insert(0, str(Path(__file__).parent))
import fields
import generated
import lighter
import live

project, author = "thresher", "the thresher founders"
release = version = th.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.napoleon"]
exclude_patterns = ["_templates"]
templates_path = ["_templates"]
myst_heading_anchors = 3

html_title = "thresher"
html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_extra_path = [str(Path(th.__file__).parent / "report" / name) for name in generated.SCHEMAS]
html_css_files = ["site.css"]
html_js_files = [("copy.js", {"defer": "defer"})]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "show_toc_level": 2,
    "navigation_depth": 2,
    "header_links_before_dropdown": 6,
    "back_to_top_button": False,  # it would lie on the controls of live pages
}
html_context = {"default_mode": "auto"}
html_sidebars = {"index": []}

PACKAGES = (
    "thresher", "thresher.calibration", "thresher.counts", "thresher.curves", "thresher.decisions",
    "thresher.displays", "thresher.errors", "thresher.evaluation", "thresher.gate", "thresher.inference",
    "thresher.measures", "thresher.metrics", "thresher.multiclass", "thresher.plot", "thresher.predictions",
    "thresher.ranking", "thresher.report.added", "thresher.report.blocks", "thresher.resampling",
    "thresher.testing",
)  # fmt: skip
"""Packages whose `__all__` is public, a page for each name."""
BUILT_IN = "object, str, Mapping, Sequence, Protocol, BaseException"
"""Classes whose own members have no place on our pages."""

autosummary_ignore_module_all = False
autosummary_imported_members = True
autodoc_default_options = {
    "members": True,
    "undoc-members": True,
    "inherited-members": BUILT_IN,
    "exclude-members": "__new__",
}
autodoc_typehints = "signature"
autodoc_type_aliases = {"ArrayLike": "ArrayLike"}  # else NumPy's own union of eight types stands in each signature


def _alike() -> dict[str, str]:
    """Page names of classes that differ from a function in capitals only, as some file systems see no difference."""
    found = {}
    for package in PACKAGES:
        names = import_module(package).__all__
        small = {name for name in names if name.islower()}
        found |= {f"{package}.{name}": f"{package}.{name}-class" for name in names if name.lower() in small - {name}}
    return found


def _top() -> set[str]:
    """Names of the package itself, which have their one page there, but for those that are something else elsewhere."""
    modules = [import_module(package) for package in PACKAGES[1:]]
    same = {(name, getattr(th, name).__doc__) for name in th.__all__}
    return {n for n, _ in same if all((n, getattr(m, n).__doc__) in same for m in modules if n in m.__all__)}


autosummary_filename_map = _alike()
autosummary_context = {"top": _top()}

SAFE_BEFORE, SAFE_AFTER = " \n'\"([{<-/:", " \n'\")]}>-/\\:.,;!?"


def _inline(text: str) -> str:
    """Docstring text as reStructuredText: `code` in double backticks, other marks as they are read."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return re.sub(r"([*|`\\])", r"\\\1", text)
    found = []
    for place, part in enumerate(parts):
        if place % 2:
            before, after = parts[place - 1][-1:], parts[place + 1][:1]
            found.append(
                ("" if before in SAFE_BEFORE else "\\ ") + f"``{part}``" + ("" if after in SAFE_AFTER else "\\ ")
            )
        else:
            marked = re.sub(r"(?m)(?<!^)([*|\\])|^([*|\\])(?! )|(?<=\w)(@)(?=\w)", r"\\\1\2\3", part)
            found.append(re.sub(r"(?<=\w)_(?!\w)", r"\\_", marked))
    return "".join(found)


def restructured(_app: Any, what: str, name: str, value: Any, _options: Any, lines: list[str]) -> None:
    """Our docstrings are written for people and `help()`: turn what reStructuredText would read otherwise."""
    if isinstance(value, dict):
        lines[:] = ["A dictionary by name."]  # else Python's own text about dict stands there
        return
    if what == "attribute" and not any(lines):
        package, owner, field = name.rsplit(".", 2)
        lines[:] = fields.field_lines(getattr(import_module(package), owner), field)
    if what in ("property", "attribute"):
        lines.insert(0, "")  # or Napoleon reads "Text: more" as a type and its description
    blocks = re.split(r"(\n[ ]*\n)", "\n".join(lines))
    lines[:] = "".join(block if block.lstrip().startswith(">>>") else _inline(block) for block in blocks).split("\n")


def without_links_out(app: Any, docname: str, source: list[str]) -> None:
    """Links to files of the repository that are no pages of the site become their text."""
    home = Path(app.srcdir)

    def kept(link: re.Match[str]) -> str:
        target = (home / docname).parent.joinpath(link[2].split("#")[0]).resolve()
        return link[1] if target.exists() and not target.is_relative_to(home) else link[0]

    source[0] = re.sub(r"\[([^\]]+)\]\((\.\.?/[^)\s]+)\)", kept, source[0])


def searched(_app: Any, docname: str, source: list[str]) -> None:
    """Words that people search for are index entries of the page that answers, at its top."""
    if (entries := PHRASES.get(docname)) and source[0].startswith("# "):
        head, line_end, rest = source[0].partition("\n")
        source[0] = f"{head}{line_end}\n```{{index}} {', '.join(f'! {each}' for each in entries)}\n```\n{rest}"


def _phrases() -> dict[str, list[str]]:
    """Phrases of `searched.toml` by page, and the names of each term by the page that the table of terms links."""
    found: dict[str, list[str]] = tomllib.loads((Path(__file__).parent / "searched.toml").read_text(encoding="utf-8"))
    for term in concepts():
        page = term.page.removeprefix("docs/").removesuffix(".md")
        found.setdefault(page, []).extend(each for each in (term.name, *term.names) if not set(each) & set(",;:!"))
    return {page: list(dict.fromkeys(each)) for page, each in found.items()}


def made(_app: Any, docname: str, source: list[str]) -> None:
    """What is made of the product stands at the end of its page."""
    if docname in generated.MADE:
        source[0] += "\n" + generated.MADE[docname]()


def finished(app: Any, failed: Exception | None) -> None:
    """Live pages, and a style sheet of what the pages use."""
    if failed is None and app.builder.name == "html":
        live.write_live(Path(app.outdir))
        lighter.lighten(Path(app.outdir))


PHRASES = _phrases()
"""Index entries by page."""


def setup(app: Any) -> None:
    """Connect what is above."""
    app.connect("autodoc-process-docstring", restructured, priority=400)
    app.connect("source-read", without_links_out)
    app.connect("source-read", made)
    app.connect("source-read", searched)
    app.connect("build-finished", finished)
