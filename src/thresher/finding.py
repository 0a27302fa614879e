"""`Finding`: one sentence of a verdict, with a code for programs and the section that shows it; `Conclusions`: all."""

from __future__ import annotations

from dataclasses import asdict
from typing import Literal

from thresher._util.fast_dataclass import dataclass
from thresher.design_warnings import DesignWarning

Severity = Literal["good", "neutral", "warning"]

Question = Literal["good", "sure", "better", "cut", "watch"]

QUESTIONS: dict[Question, str] = {
    "good": "Is it good?", "sure": "How sure?", "better": "Which is better?", "cut": "Where to cut?",
    "watch": "Watch out",
}  # fmt: skip
"""Questions that a verdict answers, in its order, with their titles."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusions:
    """What a report comes to in words: findings, notes, and warnings, whose texts are among the notes."""

    findings: tuple[Finding, ...]
    notes: tuple[str, ...]
    warnings: tuple[DesignWarning, ...]
