"""HTML that cannot forget to escape: text becomes markup only through `tag`, which escapes it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from thresher.visible import visible


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
    """Element that has no content, such as `<input>`; in SVG, `<path/>`.

    >>> lone("input", type="range", max=3)
    '<input type="range" max="3">'
    """
    return Markup(f"<{name}{_attributes(attributes)}>")


def joined(*content: str | None) -> Markup:
    """Pieces one after the other, what is not markup yet being escaped."""
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
    shown = visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return shown.replace('"', "&quot;").replace("'", "&#x27;")


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
    """The same page without the end tags and quotes that HTML lets one leave out, of which tables have thousands.

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
SHAPE = re.compile("></(?:path|circle|rect|line)>")
UNBROKEN = re.compile(r"(?<=\d) %|(?:\bp )?(?:=|≤|&lt;|&gt;) (?=\d)")
QUOTED = re.compile('="([\\w.#-]+)"(?=[ >])', re.ASCII)


def signed(text: str) -> str:
    """Numbers and intervals with true minus signs, in a sentence too.

    >>> signed("[-0.5, -0.1]"), signed("1.0e-5"), signed("at -∞; --threshold sets another")
    ('[−0.5, −0.1]', '1.0e-5', 'at −∞; --threshold sets another')
    """
    return re.sub(r"(^|[\[ <])-(?=[\d∞])", r"\1−", text)


def breakable(name: str) -> Markup:
    """Name that may be broken after its underscores, dots, slashes and hyphens, but not amid a number.

    >>> breakable("random_forest<2>"), breakable("a.b 0.075")
    ('random_<wbr>forest&lt;2&gt;', 'a.<wbr>b 0.075')
    """
    pieces = re.split(r"(?<=[_/-])(?=[^\W_])|(?<=\.)(?=[^\W\d_])", name)
    return Markup("<wbr>".join(escape(piece) for piece in pieces))
