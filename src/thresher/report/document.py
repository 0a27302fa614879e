"""`Document`: everything a report says, as frozen values; it is built once, and every view only reads it.

It holds counts at no more than a few thousand thresholds and never a row, so that it is as small for ten million rows
as for a hundred.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from thresher._util.fast_dataclass import dataclass, field, replace
from thresher._util.json_values import plain_text
from thresher.analysis.calibration import CalibrationFindings
from thresher.analysis.chosen import AtPrevalence
from thresher.analysis.roc_findings import OptionalFindings
from thresher.analysis.thresholds import SliderPoints, ThresholdFindings
from thresher.counts import ConfusionMatrix
from thresher.design_warnings import DesignWarning
from thresher.errors import Note
from thresher.evaluation.assumptions import ScoreKind
from thresher.measures.baselines import Baselines
from thresher.measures.shown import DECISIONS, RANKING
from thresher.report.numbers import decimals
from thresher.report.request import DecisionOptions
from thresher.results import Estimate

if TYPE_CHECKING:
    from thresher.analysis.class_decisions import ClassDecision
    from thresher.analysis.classes import ClassFindings
    from thresher.analysis.judging import JudgeQuality
    from thresher.decisions.dominance import Dominance
    from thresher.inference.comparing.comparison import Comparison
    from thresher.inference.curves.bands import Band
    from thresher.inference.differences.over_sites import RandomEffects


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ModelPart:
    """One model: its measures, its decisions, and its trivial baselines.

    `decided` is the source of its confusion matrix: its threshold, its predicted labels, or None without a matrix.
    `direction` is "lower" where low scores are positive, and None without scores. `score_kind` is "constant" for
    constant scores, "labels" for scores of 0 and 1 (−1 and 1) alone, and None for others.
    `shown_threshold` is the threshold as texts show it, a short decimal that decides the same rows. `top` has recall,
    precision and lift in the top shares by score, where positives are rare.
    """

    name: str
    task: str
    measures: Mapping[str, Estimate]
    threshold: float | None
    threshold_reason: Note
    decided: Literal["threshold", "labels"] | None = None
    matrix: ConfusionMatrix | None = None
    baselines: Baselines | None = None
    points: SliderPoints | None = None
    classes: ClassFindings | None = None
    decisions: ThresholdFindings | None = None
    calibration: CalibrationFindings | None = None
    optional: OptionalFindings | None = None
    costed: ClassDecision | None = None
    elsewhere: tuple[AtPrevalence, ...] = ()
    direction: str | None = None
    score_kind: ScoreKind | None = None
    band: Band | None = None
    shown_threshold: float | None = None
    top: Mapping[str, Estimate] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SubsetPart:
    """The same models on some of the rows: a group or a fold. `key` reads `column=value`, `by` holds both.

    `class_weights` are weighted sums in the order of `class_counts`; None without weights.
    """

    key: str
    by: Mapping[str, Any]
    n: int
    class_counts: Mapping[str, int]
    class_weights: Mapping[str, float] | None
    models: tuple[ModelPart, ...]
    notes: tuple[Note, ...]

    @property
    def absent(self) -> tuple[str, ...]:
        """Classes that no row of this subset has."""
        return tuple(name for name, rows in self.class_counts.items() if rows == 0)

    @property
    def without(self) -> str:
        """Mark of the absent classes behind a name, such as ` (no ill)`; empty without any."""
        return f" (no {', no '.join(self.absent)})" if self.absent else ""

    @property
    def prevalence(self) -> float | None:
        """Share of the first class, which is the positive one of two, weighted when rows have weights."""
        return _first_share(self.class_weights or self.class_counts)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Document:
    """Results of an evaluation, ready for display.

    `n` counts a row as often as frequency weights repeat it; `rows` once, None where only sums of weights are known.
    `positive` is None with three or more classes. `class_counts` are parts of `n`, the positive class first;
    `class_weights` are weighted sums in the same order, None without weights. `clusters` are their number and their
    column. `direction` is None where the models differ in it. `stand_in` is the user's value for 0/0.
    `over_groups` are means over the groups of counts, each with its model. `added` is the content of added sections,
    by key. `reading` are the words by which a command reads the same rows.
    """

    title: str
    label: str
    positive: Any
    n: int
    rows: int | None
    dropped: int
    class_counts: Mapping[str, int]
    class_weights: Mapping[str, float] | None
    weight_kind: str | None
    clusters: tuple[int, str] | None
    direction: str | None
    source: str | None
    level: float
    stand_in: float | None
    seed: int
    version: str
    notes: tuple[Note, ...]
    models: tuple[ModelPart, ...]
    groups: tuple[SubsetPart, ...]
    folds: tuple[SubsetPart, ...]
    comparisons: tuple[Comparison, ...] = ()
    dominances: tuple[Dominance, ...] = ()
    gaps: tuple[Comparison, ...] = ()
    over_groups: tuple[tuple[str, RandomEffects], ...] = ()
    rate_interval: str = "wilson"
    warnings: tuple[DesignWarning, ...] = ()
    deciding: DecisionOptions = field(default_factory=DecisionOptions)
    added: Mapping[str, Any] = field(default_factory=dict)
    reading: tuple[str, ...] = ()

    @property
    def judge(self) -> JudgeQuality | None:
        """Quality of a judge, who labelled more rows than `n` and `class_counts` have; None without one."""
        return self.added.get("judge")

    @property
    def is_binary(self) -> bool:
        """Whether there are two classes, so that one of them is positive."""
        return len(self.class_counts) == 2 and not self.is_multilabel

    @property
    def decimals(self) -> int:
        """Decimals of measures at any threshold, which the narrowest interval at the own thresholds carries."""
        names = (RANKING[0], *DECISIONS)
        return decimals(*(model.measures[name] for model in self.models for name in names if name in model.measures))

    def without_points(self) -> Document:
        """Return the document without the thresholds of a page's sliders: what is read is the same beside a page."""
        return replace(self, models=tuple(replace(model, points=None) for model in self.models))

    @property
    def repeats(self) -> bool:
        """Whether weights repeat rows, so that `n` and its parts are sums of weights."""
        return self.weight_kind == "frequency"

    @property
    def is_multilabel(self) -> bool:
        """Whether a row may have several labels; `class_counts` are then the rows of each label."""
        return any(model.task == "multilabel" for model in self.models)

    @property
    def prevalence(self) -> float | None:
        """Share of the positive class, weighted when rows have weights; None without rows or with more classes."""
        return _first_share(self.class_weights or self.class_counts) if self.is_binary else None


def _first_share(parts: Mapping[str, float]) -> float | None:
    """Share of the first of some parts; None when they are nothing."""
    total = sum(parts.values())
    return next(iter(parts.values())) / total if total > 0 else None


def named_as_shown(found: Sequence[Comparison]) -> tuple[Comparison, ...]:
    """Return comparisons with model names as the document shows them."""
    return tuple(replace(c, models=(plain_text(c.models[0]), plain_text(c.models[1]))) for c in found)
