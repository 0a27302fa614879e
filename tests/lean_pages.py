"""End tags that HTML lets one leave out, for the tests that read a page element by element."""

import re

_ROW = frozenset({"td", "th", "tr"})
CLOSED_BY = {
    "td": _ROW - {"tr"}, "th": _ROW - {"tr"}, "tr": _ROW, "tbody": _ROW | {"thead", "tbody"}, "li": {"li"},
    "dt": {"dt", "dd"}, "dd": {"dt", "dd"}, "option": {"option"},
}  # fmt: skip
"""Open elements that a start tag ends."""
LEFT_OUT = frozenset().union(*CLOSED_BY.values())


def close_before(tag: str, opened: list[str]) -> None:
    """End what a start tag ends."""
    while opened and opened[-1].partition("#")[0] in CLOSED_BY.get(tag, ()):
        opened.pop()


def close_within(tag: str, opened: list[str]) -> None:
    """End what the end tag of an element around it ends."""
    while opened and opened[-1].partition("#")[0] in LEFT_OUT - {tag}:
        opened.pop()


ENDS = r"<(?:t[dhr]|tbody|li|dt|dd)\b|</(?:table|ul|dl|div)"


def full(page: str) -> str:
    """Page with the quotes of its attributes, the end tags of cells, rows and items and plain spaces, for patterns."""
    page = page.replace("\N{NO-BREAK SPACE}", " ")
    page = re.sub(r"<[a-z][^>]*>", lambda tag: re.sub(r"=([\w.#-]+)(?=[ >])", r'="\1"', tag[0], flags=re.ASCII), page)
    page = re.sub(rf"(<(td|th|li|dt|dd)\b(?:(?!{ENDS}).)*)", r"\1</\2>", page)
    return re.sub(r"(<tr\b.*?)(?=<tr\b|<tbody|</table)", r"\1</tr>", page, flags=re.DOTALL)
