"""The result of a warehouse's counting query as `Counts`, from a file or from columns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass, replace
from thresher.conventions import Missing
from thresher.counts import Counts, ScoreTable
from thresher.counts.joint import BITS, CellCounts, JointCells
from thresher.counts.remarks import filter_note
from thresher.errors import InputError, choice, keyword
from thresher.predictions.build import categories
from thresher.predictions.columns import Encoded, counted, places_of
from thresher.predictions.labels import find_classes
from thresher.readers import arrow, series
from thresher.readers.codes import Encoder
from thresher.readers.columns import values_of_texts, with_values
from thresher.readers.files import find_files
from thresher.readers.roles import check_names
from thresher.readers.session import session
from thresher.readers.sql import NUMBERS, OUT, TEXTS, VERSION, CountingQuery
from thresher.readers.tables import literal, quoted

Get = Callable[[str], Any]

CHANGED = "the rows changed while they were counted: write them, or keep them by localCheckpoint, and count those."


def counts_of_file(path: str, *, missing: Missing = "error") -> Counts:
    """Counts from the result of the counting query, which was saved as CSV with a header line, or as Parquet."""
    files = find_files([path])
    name = files[0].name
    as_text, scan = files[0].kind != "parquet", literal(files[0].path)
    if as_text:
        scan = f"read_csv({scan}, header=true, all_varchar=true)"
    with session(files) as connection:
        found = {column.lower(): column for column in connection.sql(f"FROM {scan}").columns}  # Snowflake's are large
        if TEXTS[0] not in found:
            raise InputError(
                f"{name} is not a result of the query of `thresher sql`: it lacks the column {TEXTS[0]!r}: rows "
                "are counted without " + keyword("from_sql", "True") + "."
            )
        check_names(OUT, list(found), name)
        groups = [column for column in found if column.startswith("by_")]
        pairs = [column for column in found if column.startswith("pair_")]
        wanted = [f"{quoted(found[column])}::VARCHAR AS {column}" for column in TEXTS]
        wanted += [f"{quoted(found[column])}::DOUBLE AS {column}" for column in (*NUMBERS, *pairs)]
        wanted += [f"{quoted(found[column])} AS {column}" for column in groups]
        table = arrow.table(connection.sql(f"SELECT {', '.join(wanted)} FROM {scan}"))
        assert table is not None
        batches = list(table[1])
    columns = {each: Chunks([get(each) for get in batches]) for each in (*OUT, *groups, *pairs)}
    return counts_of_result(columns, where=name, missing=missing, as_text=as_text)


class Chunks(list[Any]):
    """A column in pieces."""


def counts_of_result(
    columns: Mapping[str, Any],
    query: CountingQuery | None = None,
    *,
    where: str = "the result",
    missing: Missing = "error",
    as_text: bool = False,
    names: Sequence[str] | None = None,
    positive: Hashable | None = None,
) -> Counts:
    """Return counts from the columns of the result; without `query`, the result describes its query.

    With a query the labels are values, one of them `positive`, and `names` are the names of the scores.
    """
    what, name, label = (_encoded(columns[column], column) for column in TEXTS)
    numbers = {column: _floats(columns[column], column) for column in NUMBERS}
    kinds = {str(kind): np.flatnonzero(what.codes == code) for code, kind in enumerate(what.values)}
    rows = defaultdict(lambda: np.zeros(0, np.intp), kinds)
    if query is None:
        query = _query_of(rows, [*name.values, None], name.codes, numbers["total"], where)
        label, wanted = _of_texts(label, query.positive)
    else:
        wanted, where = positive, ""
    numbered = np.array([int(str(v)) - 1 if str(v).isdigit() else -1 for v in name.values] + [-1])[name.codes]
    _check_whole(rows, numbered, numbers["total"], query, where)
    alone = rows["count"][numbered[rows["count"]] == 0]
    totals = _totals(rows, numbers["total"], alone[label.missing[alone]], missing)
    labels = [replace(label, name=query.label).seen()]
    classes = find_classes(labels, scored=True, positive=wanted, rest="negative" if query.rest else None)
    places = [rows[kind][~label.missing[rows[kind]]] for kind in ("count", "pair")]
    lines, by = np.concatenate(places), dict(zip(query.keys, query.by, strict=True))
    codes = [_groups(columns[key], column, lines, as_text) for key, column in by.items()]
    keys, group = _keys(codes, lines.size)
    truth = np.array([classes.place.get(value, 0) for value in [*label.values, None]], dtype=bool)[label.codes]
    found = _Lines(query, list(query.scores if names is None else names), numbers, truth, where)
    tables = found.tables(places[0], numbered[places[0]], group[: places[0].size])
    columns = {pair: _floats(columns[pair], pair) for pair in query.pair_columns}
    pairs = found.pairs(places[1], group[places[0].size :], keys, columns) if query.pairs else None
    return Counts(
        groups={keys[place]: own for place, own in tables.items()}, by=tuple(query.by), pairs=pairs,
        classes=(classes.labels[0], classes.labels[1]), label=query.label,
        thresholds={name: cuts for name, cuts in found.thresholds.items() if cuts},
        read=totals["counted"] + totals["missing"], dropped=totals["missing"], weightless=totals["weightless"],
        notes=() if query.where is None else (filter_note(query.where),),
    )  # fmt: skip


@dataclass(frozen=True)
class _Lines:
    query: CountingQuery
    names: Sequence[str]
    numbers: Mapping[str, NDArray[np.float64]]
    truth: NDArray[np.bool_]
    where: str

    @property
    def thresholds(self) -> dict[str, tuple[float, ...]]:
        """Thresholds by the name of the score."""
        cuts = self.query.thresholds or [()] * len(self.names)
        return {name: tuple(each) for name, each in zip(self.names, cuts, strict=True)}

    def tables(
        self, lines: NDArray[np.intp], number: NDArray[np.int64], group: NDArray[np.int64]
    ) -> dict[int, dict[str, ScoreTable]]:
        """Tables of every group by the name of the score: a line is a row that is repeated.

        Raises:
            InputError: a line cannot come from a counting query.
        """
        query, many = self.query, len(self.names)
        found: dict[int, dict[str, ScoreTable]] = {}
        for code, own in places_of(group * many + number):
            place, k = divmod(code, many)
            at = lines[own]
            how: dict[str, Any] = {
                "weights": self.weights[at],
                "weight_kind": "frequency",
                "direction": query.directions[k],
            }
            try:
                table = ScoreTable.from_scores(self.truth[at], self.numbers["score"][at] + 0.0, **how)
            except InputError as error:
                raise InputError(f"{self.where} is damaged or was edited: {error}") from error
            table = replace(table, resolution=query.resolution, weight_kind="frequency" if query.weights else None)
            found.setdefault(place, {})[self.names[k]] = table
        return found

    def pairs(
        self, lines: NDArray[np.intp], group: NDArray[np.int64], keys: Sequence[Any], columns: Mapping[str, Any]
    ) -> JointCells:
        """Cells of every group of the scores of all models."""
        weights, truth = self.weights[lines].astype(np.int64), self.truth[lines]
        scores = np.stack([column[lines] for column in columns.values()])
        cells = {
            keys[place]: CellCounts(
                scores=scores[:, own], positive=(weights * truth)[own], negative=(weights * ~truth)[own]
            )
            for place, own in places_of(group)
        }
        ends = dict(zip(self.names, self.query.directions, strict=True))
        return JointCells(directions=ends, groups=cells, thresholds=self.thresholds, bits=BITS[-1]).rounded()

    @property
    def weights(self) -> NDArray[np.float64]:
        """Number of rows of each line."""
        return self.numbers["weight" if self.query.weights else "total"]


def _query_of(rows: Mapping[str, Any], values: Sequence[Any], codes: Any, order: Any, where: str) -> CountingQuery:
    def said(kind: str) -> list[str]:
        return [str(values[codes[i]]) for i in rows[kind][np.argsort(order[rows[kind]])]]

    scores: Any = said("score")
    if said("version") != [VERSION] or len(said("direction")) != len(scores):
        raise InputError(f"{where} is not a complete result of the query of this version's `thresher sql`.")
    one = {kind: next(iter(said(kind)), None) for kind in ("resolution", "rest", "where", "weights")}
    directions: Any = dict(zip(scores, said("direction"), strict=True))
    return CountingQuery(
        table="", label=said("column")[0], positive=said("positive")[0], scores=scores, by=said("by"),
        weights=one["weights"] and "weight", direction=directions, rest=one["rest"],
        where=one["where"], resolution=None if one["resolution"] is None else int(one["resolution"]),
        thresholds=[list(map(float, said(f"threshold {i}"))) for i in range(1, len(scores) + 1)],
        pairs=bool(said("pairs")),
    )  # fmt: skip


def _of_texts(label: Encoded, positive: str) -> tuple[Encoded, Hashable]:
    meaning = values_of_texts([str(value) for value in label.values])
    wanted: Hashable = positive
    if not any(isinstance(value, str) for value in meaning.values()):
        wanted = values_of_texts([positive])[positive]
    return with_values(label, [meaning[str(value)] for value in label.values]), wanted


def _totals(
    rows: Mapping[str, NDArray[np.intp]], total: NDArray[np.float64], unlabelled: NDArray[np.intp], missing: Missing
) -> dict[str, int]:
    """Rows by outcome: counted, missing or of weight 0; rows without a label lack a value too."""
    totals = {kind: int(total[rows[kind]].sum()) for kind in ("refused", "missing", "weightless", "counted")}
    gone = int(total[unlabelled].sum())
    totals |= {"missing": totals["missing"] + gone, "counted": totals["counted"] - gone}
    refused, missed = totals["refused"], totals["missing"]
    if refused:
        raise InputError(
            f"{counted(refused, 'row')} {'has' if refused == 1 else 'have'} a weight that is missing, negative, beyond "
            f"1e-50 to 1e50 or, as a frequency, not whole. A weight is a finite number of at least 0."
        )
    if missed and missing == "error":
        raise InputError(
            f"{counted(missed, 'row')} {'lacks' if missed == 1 else 'lack'} a label or a score. Fill them in, or leave "
            f"such rows out with " + choice("missing", "drop") + ", which reports their number."
        )
    if not totals["counted"]:
        raise InputError("there are no rows that count: all lack a value or weigh 0, or there are none.")
    return totals


def _check_whole(
    rows: Mapping[str, NDArray[np.intp]], numbered: Any, total: NDArray[np.float64], query: CountingQuery, where: str
) -> None:
    """Refuse an incomplete result, such as a client's first page."""
    parts = {f"the score {name!r}": numbered[rows["count"]] == k for k, name in enumerate(query.scores)}
    lines_of = {text: rows["count"][own] for text, own in parts.items()} | (
        {"pairs": rows["pair"]} if query.pairs else {}
    )
    wanted = int(total[rows["counted"]].sum())
    for text, lines in lines_of.items():
        found = int(total[lines].sum())
        if found != wanted and not where:
            raise InputError(CHANGED)
        if found != wanted:
            raise InputError(
                f"{where} holds {found:,} of the {counted(wanted, 'row')} that the query counted by "
                f"{text}: it was cut off or edited. Fetch the whole result."
            )


def _keys(codes: Sequence[Any], size: int) -> tuple[list[Any], NDArray[np.int64]]:
    sizes = [len(each.values) for each in codes]
    code = np.ravel_multi_index([each.codes for each in codes], sizes) if codes else np.zeros(size, np.int64)
    found, group = np.unique(code, return_inverse=True)
    values = zip(*np.unravel_index(found, sizes), strict=True) if codes else [() for _ in found]
    return [tuple(each.values[i] for each, i in zip(codes, own, strict=True)) for own in values], group


def _groups(column: Any, name: str, rows: NDArray[np.intp], as_text: bool) -> Any:
    found = _encoded(column, name)
    if as_text:
        meaning = values_of_texts([str(value) for value in found.values])
        values = [meaning[str(value)] for value in found.values]
        if None not in values:
            found = replace(found, values=tuple(values))
    return categories(Encoded(name, found.codes[rows], found.values).seen())


def _encoded(column: Any, name: str) -> Encoded:
    encoder = Encoder(name, "cluster" if name == "name" else "label")
    for piece in column if isinstance(column, Chunks) else [column]:
        series.encode(piece, encoder)
    return encoder.finish()


def _floats(column: Any, name: str) -> NDArray[np.float64]:
    pieces = column if isinstance(column, Chunks) else [column]
    return np.concatenate([np.zeros(0), *(series.floats(piece, name, "count", []) for piece in pieces)])
