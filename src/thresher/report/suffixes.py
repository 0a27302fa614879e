"""Which form a file has, by its suffix: the same for reports and for every command."""

from __future__ import annotations

from collections.abc import Sequence

SUFFIXES = {
    ".html": "html",
    ".htm": "html",
    ".md": "markdown",
    ".json": "json",
    ".csv": "csv",
    ".txt": "text",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".trec": "trec",
    ".parquet": "parquet",
    ".tex": "latex",
}
"""Form of a file by its suffix."""


def suffixes_of(forms: Sequence[str]) -> dict[str, str]:
    """Suffixes of some of the forms.

    >>> suffixes_of(["html", "json"])
    {'.html': 'html', '.htm': 'html', '.json': 'json'}
    """
    return {suffix: form for suffix, form in SUFFIXES.items() if form in forms}
