"""Evaluations of ranked results as files: the suffix chooses the form, as it does for reports."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thresher import __version__
from thresher.errors import OptionError
from thresher.report.files import write_whole
from thresher.report.html.ranking import ranking_page
from thresher.report.ranking import ranking_markdown
from thresher.report.suffixes import suffixes_of

if TYPE_CHECKING:
    from thresher.inference.compare import Comparison
    from thresher.ranking.evaluation import RankEvaluation

SUFFIXES = suffixes_of(("html", "markdown", "json"))


def write_ranking_report(
    evaluation: RankEvaluation, path: Any, compared: Sequence[Comparison] = (), *, per_query: bool = False
) -> Path:
    """Write an evaluation and what was compared, and return the path.

    Raises:
        OptionError: another suffix, or the file cannot be written.
    """
    target = Path(os.fspath(path))
    form = SUFFIXES.get(target.suffix.lower())
    if form is None:
        raise OptionError(f"{str(path)!r}: a report ends in one of {', '.join(SUFFIXES)}, which chooses its form.")
    write = {"html": ranking_page, "markdown": ranking_markdown, "json": ranking_json}[form]
    write_whole(target, write(evaluation, compared, per_query=per_query))
    return target


def ranking_json(evaluation: RankEvaluation, compared: Sequence[Comparison] = (), *, per_query: bool = False) -> str:
    """Evaluation, what was compared, and who wins on how many queries, as the schema beside this file has them."""
    document = evaluation.to_dict(per_query=per_query)
    if compared:
        document["comparisons"] = [item.to_dict() | _outcomes(evaluation, item) for item in compared]
    document["thresher"] = __version__
    return json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def _outcomes(evaluation: RankEvaluation, item: Comparison) -> dict[str, int]:
    found = evaluation.outcomes(*item.models, measure=item.measure)
    return {"wins": found.wins, "ties": found.ties, "losses": found.losses}
