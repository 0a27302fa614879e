"""HTML that cannot forget to escape: text becomes markup only through `tag`; tables of it, and the head of a page."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from pathlib import Path

from thresher import __version__
from thresher._util.safe_text import escape_controls
from thresher.conventions import DARK_COLORS, LIGHT_COLORS
from thresher.counts import ConfusionMatrix
from thresher.report.render.grid import batch_text, matrix_cells, remarks


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def tag(name: str, /, *content: str | None, **attributes: str | int | bool | None) -> Markup:
    """Element with its content: text is escaped, `Markup` is taken as it is, None is nothing.

    Attributes lose a trailing underscore and get hyphens; True gives one without a value, None and False give none.

    >>> tag("td", "a < b", class_="num", data_cell="tp", hidden=True)
    '<td class="num" data-cell="tp" hidden>a &lt; b</td>'
    """
    return Markup(f"<{name}{_attributes(attributes)}>{joined(*content)}</{name}>")


def lone(name: str, /, **attributes: str | int | bool | None) -> Markup:
    """Return an empty element, such as `<input>`; in SVG, `<path/>`."""
    return Markup(f"<{name}{_attributes(attributes)}>")


def joined(*content: str | None) -> Markup:
    """Join pieces, and escape those that are not markup yet."""
    return Markup("".join(piece if isinstance(piece, Markup) else escape(piece) for piece in content if piece))


def bullets(sentences: Sequence[str], class_: str | None = None) -> Markup | None:
    """Sentences as a list, numbers with true minus signs; None without any."""
    return tag("ul", *(tag("li", signed(text)) for text in sentences), class_=class_) if sentences else None


@lru_cache(4096)
def escape(text: str) -> str:
    """Text safe inside an element and inside a quoted attribute, its control characters spelled out.

    >>> escape('<b> & "q"')
    '&lt;b&gt; &amp; &quot;q&quot;'
    """
    return html.escape(escape_controls(text))


def _attributes(attributes: dict[str, str | int | bool | None]) -> str:
    written = []
    for key, value in attributes.items():
        if value is True:
            written.append(f" {_hyphenated(key)}")
        elif value is not None and value is not False:
            written.append(f' {_hyphenated(key)}="{escape(str(value))}"')
    return "".join(written)


@lru_cache(256)
def _hyphenated(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def lean(markup: Markup) -> Markup:
    """Return the page without the optional end tags and quotes of HTML; tables have thousands of them.

    Text cannot be taken for them, as its angle brackets and quotes are escaped.

    >>> lean(tag("tr", tag("td", "</td>", class_="num"), tag("td", tag("b", 'a="b"'))))
    '<tr><td class=num>&lt;/td&gt;<td><b>a=&quot;b&quot;</b>'
    """
    return Markup(QUOTED.sub(lambda found: "=" + found[1], SHAPE.sub("/>", OPTIONAL.sub("", markup))))


def unbroken(markup: Markup) -> Markup:
    """The same page with spaces that no line ends at: between a number and its per cent sign, and within a p value.

    >>> unbroken(tag("p", "37.3 % of all, p < 0.01")).split(" ")
    ['<p>37.3\\xa0%', 'of', 'all,', 'p\\xa0&lt;\\xa00.01</p>']
    """
    return Markup(UNBROKEN.sub(lambda found: found[0].replace(" ", "\N{NO-BREAK SPACE}"), markup))


OPTIONAL = re.compile("</(?:td|th|tr|li|dt|dd|option|thead|tbody)>")
SHAPE = re.compile('(?<=")></(?:path|circle|rect|line)>')
UNBROKEN = re.compile(r"(?<=\d) %|(?:\bp )?(?:=|≤|&lt;|&gt;) (?=\d)")
HEADING = re.compile(r"(</?h)([2-5])(?=[ >])")
QUOTED = re.compile('="([\\w.#-]+)"(?=[ >])', re.ASCII)


def signed(text: str) -> str:
    """Numbers and intervals with true minus signs, in a sentence too.

    >>> signed("[-0.5, -0.1]"), signed("1.0e-5"), signed("at -∞; --threshold sets another")
    ('[−0.5, −0.1]', '1.0e-5', 'at −∞; --threshold sets another')
    """
    return re.sub(r"(^|[\[ <])-(?=[\d∞])", r"\1−", text)


def breakable(name: str) -> Markup:
    """Long name that may be broken after its underscores, dots, slashes and hyphens, but not amid a number.

    >>> breakable("random_forest<2>"), breakable("forests.b 0.075"), breakable("model_a")
    ('random_<wbr>forest&lt;2&gt;', 'forests.<wbr>b 0.075', 'model_a')
    """
    if len(name) <= SHORT:
        return Markup(escape(name))
    pieces = re.split(r"(?<=[_/-])(?=[^\W_])|(?<=\.)(?=[^\W\d_])", name)
    return Markup("<wbr>".join(escape(piece) for piece in pieces))


SHORT = 12
"""Letters of a name that is never broken."""

LEFT = "text-align:left"
"""Style of row heads that are sentences rather than names of classes."""


def table(
    head: Markup | Sequence[Markup],
    rows: Iterable[Markup],
    *,
    caption: str | None = None,
    is_captioned: bool = False,
    class_: str | None = None,
    data_pairs: int | None = None,
) -> Markup:
    """Table of heads and rows; the caption is for who cannot see the table, unless `is_captioned`."""
    said = None if caption is None else tag("caption", caption, class_=None if is_captioned else "vh")
    heads = [head] if isinstance(head, Markup) else head
    return tag("table", said, tag("thead", *heads), tag("tbody", *rows), class_=class_, data_pairs=data_pairs)


def scrolling(shown: Markup, label: str, *, is_tall: bool = False) -> Markup:
    """Table that scrolls sideways on a narrow screen, by keyboard too; a tall one also down, under its head."""
    return tag("div", shown, class_="scroll tall" if is_tall else "scroll", tabindex=0, role="group", aria_label=label)


def heads(titles: Iterable[str]) -> Markup:
    """Row of the heads of columns."""
    return tag("tr", *(tag("th", title, scope="col") for title in titles))


def text_table(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    caption: str | None = None,
    class_: str | None = None,
    style: str | None = None,
) -> Markup:
    """Table of texts with row and column heads, as a notebook shows it; `style` is of the row heads."""
    body = (
        tag("tr", tag("th", first, scope="row", style=style), *(tag("td", signed(cell)) for cell in rest))
        for first, *rest in rows
    )
    return table(heads(header), body, caption=caption, is_captioned=True, class_=class_)


def matrix_html(matrix: ConfusionMatrix) -> str:
    """Confusion matrix as an HTML table with a caption and row and column heads, in the colors of the page."""
    if matrix.counts.ndim > 2:
        return tag("p", batch_text(matrix))
    header, *rows = matrix_cells(matrix)
    caption = " ".join(["Confusion matrix: rows are the true class, columns the predicted one.", *remarks(matrix)])
    return text_table(header, rows, caption=caption, class_="thresher-matrix")


def part(name: str, *content: Markup | None, class_: str | None = None, is_inner: bool = False) -> Markup:
    """Section of a page named by its heading; inside a chapter a group, its headings one level lower."""
    if is_inner:
        return lowered(tag("div", *content, class_=class_ or "part", role="group", aria_labelledby=name))
    return tag("section", *content, class_=class_, aria_labelledby=name)


def folded(title: str, name: str, *content: Markup | None, is_printed: bool = False, is_inner: bool = False) -> Markup:
    """Part that is closed until a reader opens it, or prints it where it is to be on paper."""
    heading = tag("summary", tag("h2", title, id=name))
    inside = tag("details", heading, *content, class_="printed" if is_printed else None)
    return part(name, inside, class_="folded", is_inner=is_inner)


def lowered(markup: Markup) -> Markup:
    """The same with every heading one level lower.

    >>> lowered(tag("div", tag("h2", "a", id="b"), tag("h3", "c")))
    '<div><h3 id="b">a</h3><h4>c</h4></div>'
    """
    return Markup(HEADING.sub(lambda found: f"{found[1]}{int(found[2]) + 1}", markup))


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
        ":root {" + "".join(f"--c{i}:{color};" for i, color in enumerate(each)) + "}"
        for each in (LIGHT_COLORS, DARK_COLORS)
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
