"""`Finding`: one sentence of a verdict, with the question that it answers; `Conclusions`: all that a report says."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from thresher._util.fast_dataclass import asdict, dataclass
from thresher.design_warnings import DesignWarning
from thresher.errors import Note

Severity = Literal["good", "neutral", "warning"]

Question = Literal["good", "sure", "better", "cut", "watch"]

QUESTIONS: dict[Question, str] = {
    "good": "Is it good?", "sure": "How sure?", "better": "Which is better?", "cut": "Where to cut?",
    "watch": "Watch out",
}  # fmt: skip
"""Questions that a verdict answers, in its order, with their titles."""

SENTENCES = 4
"""Most sentences of a verdict; other findings go to the notes."""


INTERVAL = "interval"
"""Code of the finding that puts an interval into words; sentences have it in brackets."""
BESIDE = (INTERVAL, "tested-by")
"""Codes of findings that a verdict never shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One sentence of the verdict, with the question that it answers and a short answer to that question.

    `code` is for programs, and `evidence` is the key of the section that shows it. `headline` has at most about seven
    words.
    """

    code: str
    severity: Severity
    question: Question
    headline: str
    text: str
    evidence: str

    def to_dict(self) -> dict[str, str]:
        """Fields as a plain dictionary."""
        return asdict(self)

    def __str__(self) -> str:
        return self.text


def sorted_findings(facts: Iterable[Finding], found: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return facts that explain the rest, then findings by question; warnings before other things to watch.

    A fact replaces other answers to its question.
    """
    first = tuple(facts)
    answered = {each.question for each in first} - {"watch"}
    rest = [each for each in found if each.question not in answered]
    places = list(QUESTIONS)

    def place(each: Finding) -> tuple[int, bool]:
        return places.index(each.question), each.question == "watch" and each.severity != "warning"

    return (*first, *sorted(rest, key=place))


def in_short(found: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Return the sentences of a verdict: the first answer to every question, then others up to the limit.

    The first answer has the interval, and the notes name the test.
    """
    chief = {each.question: each for each in reversed(found)}
    lines = [each for each in found if chief[each.question] is each and each.code not in BESIDE]
    rest = sorted((each for each in found if each not in lines and each.code not in BESIDE), key=_weight)
    kept = [*sorted(lines, key=_weight)[:SENTENCES], *rest][:SENTENCES] if len(lines) > SENTENCES else [*lines, *rest]
    return tuple(each for each in found if each in kept[:SENTENCES])


def lesser(found: tuple[Finding, ...]) -> tuple[str, ...]:
    """Return sentences beyond the limit of a verdict, which go to the notes."""
    told = in_short(found)
    return tuple(each.text for each in found if each not in told and each.code != INTERVAL)


def _weight(found: Finding) -> int:
    return ("warning", "good", "neutral").index(found.severity)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusions:
    """Conclusions of a report in words: findings, notes, and warnings, which are among the notes too."""

    findings: tuple[Finding, ...]
    notes: tuple[Note, ...]
    warnings: tuple[DesignWarning, ...]
