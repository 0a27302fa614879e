"""`Finding`: one sentence of a verdict, with a code for programs and the section that shows it; `Conclusions`: all."""

from __future__ import annotations

from dataclasses import asdict
from typing import Literal

from thresher._util.fast_dataclass import dataclass
from thresher.design_warnings import DesignWarning

Severity = Literal["good", "neutral", "warning"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One sentence of the verdict: its `code` is for programs, `evidence` the key of the section that shows it."""

    code: str
    severity: Severity
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
