"""Count words of a private dialect in docstrings, messages and documentation, per 1,000 words.

    python tools/english.py            # the rates of src, and of docs with README and CONTRIBUTING
    python tools/english.py --check    # fail where a rate is above tools/english.toml, which only falls
    python tools/english.py --list "is no" docs     # where a kind occurs

Plain English of the field has a compound noun ("resampled rows") where the dialect has a clause ("rows that are
drawn"), and "not a" where it has "is no". scikit-learn and narwhals have at most 0.3 of each kind in docstrings.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
KINDS = {
    "relative what": r"\bwhat\b(?![^.?!]*\?)",
    "of which, whose": r"\b(?:of which|whose)\b",
    "that of, those of": r"\b(?:that|those) of\b",
    "is no, has no": r"(?<!there )\b(?:is|are|was|were|has|have|had) (?-i:no|none)\b",
    "said, told, asked": r"\b(?:said|told|asked|wanted)\b",
    "stands, lies": r"\b(?:stands?|stood|lies?|lay)\b",
    "as many, so many": r"\b(?:as|so) many\b(?! as\b)",
    "likewise, let alone": r"\b(?:likewise|let alone|but for|as far as)\b",
}
Text = tuple[str, int, str]


def strings(path: Path) -> Iterator[Text]:
    """Docstrings and messages of a module: constants of at least three words, with their lines."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.count(" ") >= 2:
            prose = re.sub(r"^\s*(?:>>>|\.\.\.).*$", "", node.value, flags=re.MULTILINE)
            yield str(path.relative_to(ROOT)), node.lineno, prose


def pages(path: Path) -> Iterator[Text]:
    """Paragraphs of a page, without its code."""
    text = path.read_text(encoding="utf-8")
    text = re.sub(r"^(```|~~~).*?^\1$", lambda block: "\n" * block.group().count("\n"), text, flags=re.M | re.S)
    for number, line in enumerate(text.splitlines(), 1):
        yield str(path.relative_to(ROOT)), number, re.sub(r"`[^`]*`", "CODE", line)


def texts() -> dict[str, list[Text]]:
    """All texts, of the sources and of the documentation."""
    written = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "ARCHITECTURE.md", *(ROOT / "docs").rglob("*.md")]
    return {
        "src": [text for path in sorted((ROOT / "src").rglob("*.py")) for text in strings(path)],
        "docs": [text for path in sorted(written) for text in pages(path)],
    }


def rates(found: list[Text]) -> dict[str, float]:
    """Occurrences of each kind per 1,000 words."""
    words = sum(len(re.findall(r"[A-Za-z]+", text)) for _, _, text in found)
    count = {kind: sum(len(re.findall(p, text, re.I)) for _, _, text in found) for kind, p in KINDS.items()}
    return {kind: round(1000 * n / words, 2) for kind, n in count.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="fail where a rate has risen")
    parser.add_argument("--list", nargs="+", metavar=("KIND", "PART"), help="print the places of one kind")
    given = parser.parse_args()
    found = texts()
    if given.list:
        pattern = next(p for kind, p in KINDS.items() if given.list[0] in kind)
        for file, line, text in (t for part in given.list[1:] or found for t in found[part]):
            for hit in re.finditer(pattern, text, re.I):
                around = text[max(hit.start() - 60, 0) : hit.end() + 60].replace("\n", " ")
                print(f"{file}:{line}: …{around}…")
        return 0
    allowed = tomllib.loads((ROOT / "tools" / "english.toml").read_text(encoding="utf-8")) if given.check else {}
    risen = 0
    for part, each in found.items():
        for kind, rate in rates(each).items():
            most = allowed.get(part, {}).get(kind)
            over = most is not None and rate > most
            risen += over
            if over or not given.check:
                print(f"{part:5}{kind:22}{rate:6.2f}" + (f"   above {most:.2f}: plainer words, please" if over else ""))
    return int(risen > 0)


if __name__ == "__main__":
    sys.exit(main())
