"""`AssessedModels`: what resampling found about one or several models, and every prediction that it rests on."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Any

from thresher.cached import cached_property
from thresher.conventions import LEVEL, SEED
from thresher.dataclass import dataclass
from thresher.design_warnings import DesignWarning
from thresher.evaluation import Evaluation
from thresher.frames import to_frame
from thresher.frozen import rebuilt
from thresher.measures.shown import DECIDING
from thresher.plain import plain
from thresher.predictions import Predictions
from thresher.resampling.methods import Method
from thresher.resampling.model import ModelAssessment, judged_evaluation
from thresher.resampling.records import Judged, SplitTable
from thresher.resampling.remarks import design_warnings
from thresher.resampling.values import JudgedRows
from thresher.results import Estimate


@dataclass(frozen=True, eq=False, kw_only=True)
class AssessedModels(Mapping[str, ModelAssessment]):
    """What an assessment holds, by model: what it compares, saves and shows is read from here."""

    rows: Predictions
    splits: SplitTable
    judged: Mapping[str, Judged]
    method: Method
    level: float = LEVEL
    rng: int = SEED
    measures: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    is_interrupted: bool = False

    def __getitem__(self, name: str) -> Any:
        """Model's assessment; with one model also the estimate of a measure."""
        if name in self.judged:
            return self._models[name]
        if len(self.judged) == 1:
            return self[next(iter(self.judged))][name]
        models = ", ".join(map(repr, self.judged))
        raise KeyError(
            f"no model {name!r}; the models are {models}, and a measure is read as assessment[MODEL][MEASURE]"
        )

    @cached_property
    def _models(self) -> dict[str, ModelAssessment]:
        """One value for each model, so that what it has computed stays."""
        return {
            name: ModelAssessment(
                source=JudgedRows(rows=self.rows, splits=self.splits, judged=judged),
                method=self.method,
                level=self.level,
                rng=self.rng,
                shown=self.measures,
            )
            for name, judged in self.judged.items()
        }

    def __iter__(self) -> Iterator[str]:
        return iter(self.judged)

    def __len__(self) -> int:
        return len(self.judged)

    @property
    def n(self) -> int:
        """Rows that count."""
        return len(self.rows)

    @property
    def classes(self) -> tuple[Hashable, ...]:
        """Labels; of two the negative one first."""
        return self.rows.classes

    @property
    def warnings(self) -> tuple[DesignWarning, ...]:
        """Warnings with a code about the design, which `notes` say in words."""
        return design_warnings(self.rows, self.method, len(self.splits.sampled))

    @property
    def is_complete(self) -> bool:
        """Whether every fit was done and none failed."""
        return not self.is_interrupted and all(model.done.all() for model in self.judged.values())

    @property
    def has_folds(self) -> bool:
        """Whether repeats part the rows into folds, so that there are pooled predictions beside the fold means."""
        return next(iter(self._models.values())).has_folds

    def rescore(self, measure: str, *, level: float | None = None) -> dict[str, Estimate]:
        """Estimate of any measure for every model, from the predictions that were kept."""
        return {name: self[name].estimate(measure, level=level) for name in self}

    def estimates(self, *measures: str) -> dict[str, dict[str, Estimate]]:
        """Estimates by model and measure; those shown by default when none is named."""
        return {name: {m: self[name][m] for m in measures or self.measures} for name in self}

    @cached_property
    def headline(self) -> str:
        """Measure that the verdict, `compare` and mean ranks judge by: AUC, accuracy, else the first shown.

        Measures that are undefined for a model are passed over.
        """
        order = (*(name for name in DECIDING if name in self.measures), *self.measures)
        return next((m for m in order if all(self[name][m].is_defined for name in self)), self.measures[0])

    @cached_property
    def evaluation(self) -> Evaluation:
        """`Evaluation` of held-out predictions: each row once, by the first model that had not learned from it.

        With one repeat these are the pooled predictions of all folds; with several, those of the first repeat.
        """
        return judged_evaluation(self.rows, self.splits, tuple(self.judged.values()), self.method, self.level, self.rng)

    def folds_frame(self, *measures: str, backend: str | None = None) -> Any:
        """Dataframe with a row for each model and split and a column for each measure (none named: those shown)."""
        columns: dict[str, list[Any]] = {}
        for name in self:
            part = self[name].fold_columns(*measures)
            columns.setdefault("model", []).extend([name] * len(part["repeat"]))
            for key, values in part.items():
                columns.setdefault(key, []).extend(values)
        return to_frame(columns, backend or self.rows.backend)

    @property
    def folds(self) -> Any:
        """Dataframe with a row for each model and split."""
        return self.folds_frame()

    def to_frame(self, backend: str | None = None) -> Any:
        """One row per model and measure shown: value, interval, method; sd over the splits, and pooled value.

        `backend` names the dataframe library, else it is that of X or y, or the first installed.
        """
        found = [(name, measure, e) for name, parts in self.estimates().items() for measure, e in parts.items()]
        columns: dict[str, list[Any]] = {"model": [name for name, *_ in found]}
        for key in ("name", "value", "standard_error", "low", "high", "level", "method", "reason"):
            columns["measure" if key == "name" else key] = [getattr(e, key) for *_, e in found]
        columns["fold_sd"] = [self[name].fold_sd(measure) for name, measure, _ in found]
        if self.has_folds:
            pooled = [self[name].pooled(measure) for name, measure, _ in found]
            columns |= {"pooled": [e.value for e in pooled]}
            columns |= {f"pooled_{end}": [getattr(e, end) for e in pooled] for end in ("low", "high")}
        return to_frame(columns, backend or self.rows.backend)

    def to_dict(self) -> dict[str, Any]:
        """Method, estimates, folds and notes as JSON types."""
        return {
            "method": self.method.summary,
            "rows": self.n,
            "label": self.rows.label,
            "classes": plain(self.classes),
            "rng": self.rng,
            "level": self.level,
            "is_complete": self.is_complete,
            "notes": list(self.notes),
            "warnings": [warning.to_dict() for warning in self.warnings],
            "models": {name: self[name].to_dict() for name in self},
        }

    __reduce__ = rebuilt
    __hash__ = None  # type: ignore[assignment]
