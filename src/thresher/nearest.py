"""Names that someone may have meant: close ones, whatever their case, then those that hold what was written."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(name: str, known: Iterable[str], most: int = 3) -> list[str]:
    """Up to `most` of the known names that one may have meant, the nearest first.

    >>> nearest("Diagnosi", ["id", "diagnosis"]), nearest("size", ["nucleus_size", "age"]), nearest("x", ["y", "z"])
    (['diagnosis'], ['nucleus_size'], [])
    """
    import difflib  # asked for by mistakes only

    folded: dict[str, list[str]] = {}
    for each in known:
        folded.setdefault(_folded(each), []).append(each)
    asked = _folded(name)
    found = difflib.get_close_matches(asked, folded, n=most, cutoff=0.6)
    if len(asked) > 2:
        found += sorted((each for each in folded if asked in each), key=len)
    if not found and len(asked) > 1:
        found = [each for each in folded if asked == "".join(word[:1] for word in each.split())]
    return [each for key in dict.fromkeys(found) for each in folded[key]][:most]


def did_you_mean(name: str, known: Iterable[str], most: int = 3) -> str:
    """The question to end a sentence with, a blank before it; empty when nothing is near.

    >>> did_you_mean("RF", ["random_forest", "id"])
    " Did you mean 'random_forest'?"
    """
    near = nearest(name, known, most)
    return f" Did you mean {' or '.join(map(repr, near))}?" if near else ""


def _folded(name: str) -> str:
    return " ".join(name.casefold().replace("_", " ").replace("-", " ").replace(".", " ").split())
