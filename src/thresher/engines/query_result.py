"""What the counting query of a warehouse found, as `Counts`: from a file of its result, or from columns."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import Missing, spelled
from thresher.counts import Counts, ScoreTable
from thresher.counts.remarks import WHERE
from thresher.counts.saved_fields import check_table
from thresher.engines import arrow, one_column
from thresher.engines.encode import Encoder
from thresher.engines.files import find_files
from thresher.engines.frame import check_names
from thresher.engines.session import session
from thresher.engines.tables import quoted
from thresher.engines.text_values import values_of_texts
from thresher.engines.warehouse import OUT, SUMS, VERSION
from thresher.errors import InputError
from thresher.predictions.build import categories
from thresher.predictions.columns import Encoded, counted
from thresher.predictions.labels import find_classes
from thresher.sentences import choice

Get = Callable[[str], Any]

TEXTS = OUT[:2]
NUMBERS = OUT[2:]


def counts_of_file(path: str, *, missing: Missing = "error") -> Counts:
    """Counts from the result of the counting query, which was saved as CSV with a header line, or as Parquet.

    Raises:
        InputError: it is no such result, or says that rows lack a value.
    """
    files = find_files([path])
    name = files[0].name
    as_text = files[0].kind != "parquet"
    scan = f"read_csv({_sql(files[0].path)}, header=true, all_varchar=true)" if as_text else f"{_sql(files[0].path)}"
    with session(files) as connection:
        found = {column.lower(): column for column in connection.sql(f"FROM {scan}").columns}  # Snowflake's are large
        if TEXTS[0] not in found:
            raise InputError(
                f"{name} is no result of the query that `thresher sql` prints, as it has no column {TEXTS[0]!r}: rows "
                f"are counted without --from-sql."
            )
        check_names(OUT, list(found), name)
        groups = [column for column in found if column.startswith("by_")]
        wanted = [f"{quoted(found[column])}::VARCHAR AS {column}" for column in TEXTS]
        wanted += [f"{quoted(found[column])}::DOUBLE AS {column}" for column in NUMBERS]
        wanted += [f"{quoted(found[column])} AS {column}" for column in groups]
        table = arrow.table(connection.sql(f"SELECT {', '.join(wanted)} FROM {scan}"))
        assert table is not None
        batches = list(table[1])
    columns = {each: Chunks([get(each) for get in batches]) for each in (*OUT, *groups)}
    return counts_of_result(columns, where=name, missing=missing, as_text=as_text)


class Chunks(list[Any]):
    """A column in pieces."""


def counts_of_result(
    columns: Mapping[str, Any],
    *,
    where: str = "the result",
    missing: Missing = "error",
    as_text: bool = False,
    labels: Mapping[str, Hashable] | None = None,
    names: Sequence[str] | None = None,
) -> Counts:
    """Counts from the columns of the result.

    `labels` are what the texts of the labels mean, where that is known, `names` what the scores are to be called.
    """
    what, name = (_encoded(columns[column], column) for column in TEXTS)
    numbers = {column: _floats(columns[column], column) for column in NUMBERS}

    def rows(kind: str) -> NDArray[np.intp]:
        return np.flatnonzero(what.codes == what.values.index(kind)) if kind in what.values else np.zeros(0, np.intp)

    def said(kind: str) -> list[str]:
        places = rows(kind)
        return [str(name.values[name.codes[i]]) for i in places[np.argsort(numbers["total"][places])]]

    if said("version") != [VERSION]:
        raise InputError(
            f"{where} is no result of the query that `thresher sql` of this version prints, or was cut off."
        )
    totals = {kind: int(numbers["total"][rows(kind)].sum()) for kind in ("refused", "missing", "weightless", "label")}
    _check_totals(totals, missing)
    chosen = rows("label")
    texts = {str(name.values[name.codes[i]]): bool(numbers["positive"][i]) for i in chosen}
    classes = _classes(said("column")[0], texts, said("positive")[0], said("rest"), labels)
    kind = next(iter(said("weights")), None)
    counts, by, scores = rows("count"), said("by"), said("score")
    bits = next(map(int, said("resolution")), None)
    shapes = [
        {"direction": each, "weight_kind": kind, "resolution": bits}
        for each in _directions(said("direction"), len(scores), where)
    ]
    is_fetched = labels is None  # else who counted them checks them
    if is_fetched and not counts.size:
        _check_whole(numbers, counts, counts, totals["label"], scores, kind, where)
    codes = [_groups(columns[f"by_{i}"], each, counts, as_text) for i, each in enumerate(by, 1)]
    sizes = [len(each.values) for each in codes]
    group = np.ravel_multi_index([each.codes for each in codes], sizes) if codes else np.zeros(counts.size, np.int64)
    number = np.array([int(str(v)) - 1 if str(v).isdigit() else -1 for v in name.values] + [-1])[name.codes[counts]]
    away = np.array([-1.0 if each["direction"] == "higher" else 1.0 for each in shapes] + [1.0])
    order = np.lexsort((away[number] * numbers["score"][counts], number, group))
    group, number, counts = group[order], number[order], counts[order]
    groups: dict[tuple[Hashable, ...], dict[str, ScoreTable]] = {}
    for place in np.unique(group):
        values = np.unravel_index(place, sizes) if codes else ()
        key = tuple(each.values[i] for each, i in zip(codes, values, strict=True))
        here = group == place
        own = [counts[here & (number == k)] for k in range(len(scores))]
        groups[key] = {
            score: _table({c: numbers[c][rows] for c in NUMBERS}, shape, where)
            for score, rows, shape in zip(scores if names is None else names, own, shapes, strict=True)
        }
    if is_fetched:
        _check_whole(numbers, counts, number, totals["label"], scores, kind, where)
    return Counts(
        groups=groups, by=tuple(by), classes=classes, label=said("column")[0],
        read=totals["label"] + totals["missing"], dropped=totals["missing"], weightless=totals["weightless"],
        notes=tuple(f"{WHERE}{condition}" for condition in said("where")),
    )  # fmt: skip


def _directions(said: list[str], scores: int, where: str) -> list[str]:
    """Direction of each score, where one may be of all."""
    if len(said) not in (1, scores):
        raise InputError(f"{where} is damaged or was edited: it has {len(said)} directions.")
    return said * (scores // len(said))


def _check_totals(totals: Mapping[str, int], missing: Missing) -> None:
    """Refuse what no count may hold, and gaps unless they are to be left out."""
    refused, missed = totals["refused"], totals["missing"]
    if refused:
        raise InputError(
            f"{counted(refused, 'row')} {'has' if refused == 1 else 'have'} a weight that is missing, negative, beyond "
            f"1e-50 to 1e50 or, as a frequency, not whole. A weight is a finite number of at least 0."
        )
    if missed and missing == "error":
        raise InputError(
            f"{counted(missed, 'row')} {'lacks' if missed == 1 else 'lack'} a label or a score. Fill them in, or leave "
            f"such rows out with " + choice("missing", "drop") + ", which says how many they are."
        )
    if not totals["label"]:
        raise InputError("there are no rows that count: all lack a value or weigh 0, or there are none.")


def _check_whole(
    numbers: Mapping[str, NDArray[np.float64]], counts: NDArray[np.intp], number: NDArray[np.int64], rows: int,
    scores: Sequence[str], kind: str | None, where: str,
) -> None:  # fmt: skip
    """Refuse a result that lacks some of the counts, as one of which a client gave the first lines only."""
    held = numbers["positive"] + numbers["negative"] if kind is None else numbers["total"]
    for k, score in enumerate(scores):
        found = float(held[counts[number == k]].sum())
        if found != rows:
            raise InputError(
                f"{where} holds {found:,.0f} of the {counted(rows, 'row')} that the query counted by the score "
                f"{score!r}: it was cut off or edited. Fetch the whole result."
            )


def _classes(
    column: str, texts: Mapping[str, bool], positive: str, rest: list[str], known: Mapping[str, Hashable] | None
) -> tuple[Hashable, Hashable]:
    """Classes by the labels that there are; the query has compared their texts, which may be written otherwise."""
    meaning = dict(values_of_texts(list(texts)) if known is None else known)
    if known is None and positive not in texts:
        is_text = any(isinstance(value, str) for value in meaning.values())
        meaning[positive] = positive if is_text else values_of_texts([positive])[positive]
    named = next((text for text in texts if text == positive or spelled(meaning[text], positive)), positive)
    wanted = meaning[named]
    labels = Encoded(column, np.zeros(0, dtype=np.uint8), tuple(dict.fromkeys(meaning[text] for text in texts)))
    classes = find_classes([labels], scored=True, positive=wanted, rest="negative" if rest else None)
    for text, is_positive in texts.items():
        if is_positive != (meaning[text] == classes.labels[1]):
            raise InputError(
                f"the query took {positive!r} as positive, and the label column {column!r} writes that label {text!r}: "
                f"print the query with --positive {text!r}."
            )
    return classes.labels[0], classes.labels[1]


def _groups(column: Any, name: str, rows: NDArray[np.intp], as_text: bool) -> Any:
    """Groups of the counts, by what their values mean."""
    found = _encoded(column, name)
    if as_text:
        meaning = values_of_texts([str(value) for value in found.values])
        values = [meaning[str(value)] for value in found.values]
        if None not in values:
            found = Encoded(name, found.codes, tuple(values))
    return categories(Encoded(name, found.codes[rows], found.values).seen())


def _table(found: Mapping[str, NDArray[np.float64]], shape: Mapping[str, Any], where: str) -> ScoreTable:
    """Table of one score of one group."""
    counts: dict[str, Any] = {name: found[name] for name in SUMS}
    if shape["weight_kind"] is None or all(np.array_equal(c, np.rint(c)) for c in counts.values()):
        counts = {name: values.astype(np.int64) for name, values in counts.items()}
    table = ScoreTable(scores=found["score"] + 0.0, **counts, **shape)
    try:
        check_table(table, counts)
    except InputError as error:
        raise InputError(f"{where} is damaged or was edited: {error}.") from error
    return table


def _encoded(column: Any, name: str) -> Encoded:
    encoder = Encoder(name, "cluster" if name == "name" else "label")
    for piece in column if isinstance(column, Chunks) else [column]:
        one_column.encode(piece, encoder)
    return encoder.finish()


def _floats(column: Any, name: str) -> NDArray[np.float64]:
    pieces = column if isinstance(column, Chunks) else [column]
    return np.concatenate([np.zeros(0), *(one_column.floats(piece, name, "count", []) for piece in pieces)])


def _sql(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
