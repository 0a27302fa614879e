"""Every term of the field, concepts included: its meaning, call and page; `th.find` and `thresher measures`."""

from __future__ import annotations

import difflib
import re
import unicodedata
from importlib import resources

from thresher._util.fast_dataclass import dataclass
from thresher.errors import UnknownMeasureError, capital
from thresher.measures.registry import cached_until_changed

_GREEK = str.maketrans(
    {"α": "alpha", "β": "beta", "γ": "gamma", "π": "pi", "κ": "kappa", "λ": "lambda", "²": "2", "×": "x"}
)


@dataclass(frozen=True, kw_only=True)
class Term:
    """One term: its other names, one line about it, the call that gives it, and the page of the documentation."""

    name: str
    names: tuple[str, ...]
    text: str
    call: str
    page: str

    def __str__(self) -> str:
        also = [f"also called: {', '.join(self.names)}"] if self.names else []
        return "\n  ".join([self.name, self.text, *also, f"call: {self.call}", f"page: {self.page}"])


def find(term: str) -> Term:
    """Term of the field by any of its names; case, spaces, hyphens, underscores and plurals do not matter.

    Measures come first, then concepts.

    Raises:
        UnknownMeasureError: there is none; the message offers the nearest.

    >>> print(find("ROCCHs"))
    convex hull
      Thresholds that are the cheapest for some costs.
      also called: ROCCH, ROC convex hull, hull, upper hull
      call: ev["m"].hull
      page: docs/decisions.md
    >>> find("F_1").name, find("fall out").name, find("63.2%").name
    ('f1', 'false_positive_rate', '63.2 %')
    """
    known = _by_key()
    for key in _keys(term):
        if key in known:
            return known[key]
    near = difflib.get_close_matches(_keys(term)[0], known, n=3, cutoff=0.7)
    names = (next((n for n in known[key].names if key in _keys(n)), known[key].name) for key in near)
    hint = f" Did you mean {' or '.join(map(repr, names))}?" if near else ""
    raise UnknownMeasureError(f"no measure or term is called {term!r}.{hint} `thresher measures` lists all measures.")


def counted_measure(term: str) -> str | None:
    """Name of the measure of counts or scores that a term is; None where it is something else.

    >>> counted_measure("F-1"), counted_measure("fall-outs"), counted_measure("ROCCH")
    ('f1', 'false_positive_rate', None)
    """
    found = next((_by_key()[key] for key in _keys(term) if key in _by_key()), None)
    return found.name if found in _measures() else None


def concepts() -> tuple[Term, ...]:
    """Terms that are not registered measures, in the order of the subject."""
    text = resources.files("thresher").joinpath("data", "terms.txt").read_text(encoding="utf-8")
    rows = [re.split(r" \| ", line) for line in text.splitlines() if not line.startswith("#")]
    return tuple(
        Term(name=name, names=tuple(names.split("; ")) if names else (), text=about, call=call, page=f"docs/{page}.md")
        for name, names, about, call, page in rows
    )


def _keys(name: str) -> tuple[str, str]:
    """Return the keys of a name: its letters, digits and signs; then the same without plurals."""
    plain = unicodedata.normalize("NFKC", name).lower().translate(_GREEK)
    plain = re.sub(r"\blr([+\-−])", lambda sign: "lr plus" if sign[1] == "+" else "lr minus", plain)
    words = [word for word in re.split(r"[\s_\-–—'’.,()/&]+", re.sub(r"['’]s(?=[\s_\-])", "", plain)) if word]
    singular = [
        word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word for word in words
    ]
    return "".join(words), "".join(singular)


@cached_until_changed
def _by_key() -> dict[str, Term]:
    """Index terms by key; of two with one key the first stays: measures, then concepts."""
    found: dict[str, Term] = {}
    # Names as they are before plurals, and each kind's own names before its other names.
    for place in (0, 1):
        for kind in (_measures(), concepts(), _other_measures()):
            names = [(term.name, term) for term in kind] + [(name, term) for term in kind for name in term.names]
            for name, term in names:
                found.setdefault(_keys(name)[place], term)
    return found


def _measures() -> tuple[Term, ...]:
    from thresher.measures import measures

    found: list[Term] = []
    for entry in measures():
        summary = capital(entry.summary)
        call = f"matrix.{entry.name}" if entry.needs != "table" else f'ev["m"].{entry.name}'
        found.append(_term(entry.name, entry.aliases, summary, call + ("(…)" if entry.parameters else ""), "measures"))
    return tuple(found)


def _other_measures() -> tuple[Term, ...]:
    from thresher.measures import measures

    found: list[Term] = []
    for entry in measures("posteriors", "label sets"):
        found.append(_term(entry.name, entry.aliases, entry.summary, f'ev["m"].{entry.name}', "multiclass"))
    for entry in measures("ranked lists"):
        summary = f"{entry.summary.split('. ')[0]}."
        found.append(_term(entry.name, entry.aliases, summary, f"thresher rank -m {entry.name} QRELS RUN", "retrieval"))
    return tuple(found)


def _term(name: str, names: list[str] | tuple[str, ...], text: str, call: str, page: str) -> Term:
    return Term(name=name, names=tuple(names), text=text, call=call, page=f"docs/{page}.md")


def page() -> str:
    """Terms as a page of the documentation.

    `python -m thresher.terms` prints it; a test holds the file equal.
    """
    lines = [
        "# Terms", "<!-- Generated by `python -m thresher.terms`: do not edit. -->",
        "Concepts of the field and their calls; measures are on [their own page](measures.md). "
        "`thresher measures TERM` and `th.find(TERM)` answer each of these names.",
        "| term | also called | meaning | call |\n|---|---|---|---|",
    ]  # fmt: skip
    rows = [
        (f"[{term.name}]({term.page.removeprefix('docs/')})", ", ".join(term.names), term.text, f"`{term.call}`")
        for term in concepts()
    ]
    cells = ([cell.replace("|", "\\|") for cell in row] for row in rows)
    return "\n\n".join(lines) + "\n" + "".join(f"| {' | '.join(row)} |\n" for row in cells)


if __name__ == "__main__":
    import sys

    sys.stdout.write(page())
