"""Random files: whatever they hold the command ends in a value that brute force confirms, or in a sentence."""

import json
import math
from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shares import examples

quickly = settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])

SCORES = ["0", "1", "0.5", "-0.0", "-3", "1e3", "1e-300", "inf", "-inf", ""]
ODD = [
    "0", "1", "0.5", "", " ", "nan", "NA", "true", "a", " a", '"', 'x"y', "0,5", ";", "\t", "é", "\x00", "\ufeff",
    "1_0",
]  # fmt: skip


@quickly
@given(
    rows=st.lists(st.tuples(st.booleans(), st.sampled_from(SCORES), st.integers(0, 3)), min_size=1, max_size=15),
    labels=st.sampled_from([("1", "0"), ("yes", "no"), ("true", "false"), ("é", "e")]),
    weighted=st.sampled_from([None, "importance", "frequency"]),
    lower=st.booleans(),
    cut=st.sampled_from([-3.0, 0.0, 0.5, 1.0]),
)
def test_auc_and_counts_are_those_of_their_definition(run, write, rows, labels, weighted, lower, cut) -> None:  # type: ignore[no-untyped-def]
    lines = "".join(f"{labels[not positive]},{score},{weight}\n" for positive, score, weight in rows)
    write("a.csv", "y,p,w\n" + lines)
    options = ["--label", "y", "--score", "p", "--positive", labels[0], "--missing", "drop", "--threshold", str(cut)]
    options += ["--weight", "w", "--weight-kind", weighted] if weighted else []
    done = run("report", "a.csv", *options, *(["--lower-is-positive"] if lower else []), "--format", "json")
    kept = [(y, float(s), w if weighted else 1) for y, s, w in rows if s and (w or not weighted)]
    if not kept:
        assert (done.code, done.out) == (2, "")
        return
    assert done.code == 0, done.err
    result = json.loads(done.out)
    model = result["models"]["p"]
    assert result["n"] == (sum(w for *_, w in kept) if weighted == "frequency" else len(kept))
    assert model["measures"]["auc"]["value"] == pytest.approx(concordance(kept, lower))
    said = [(y, (s <= cut if lower else s >= cut), w) for y, s, w in kept]
    cells = [
        [sum(w for y, hit, w in said if (y, hit) == cell) for cell in ((t, True), (t, False))] for t in (True, False)
    ]
    assert model["confusion_matrix"]["counts"] == cells


def concordance(rows: list[tuple[bool, float, int]], lower: bool) -> float | None:
    """Share of pairs in the right order, ties one half; None without pairs."""
    sign = -1 if lower else 1
    positives = [(sign * s, w) for y, s, w in rows if y]
    negatives = [(sign * s, w) for y, s, w in rows if not y]
    pairs = list(product(positives, negatives))
    total = sum(v * w for (_, v), (_, w) in pairs)
    right = math.fsum(v * w * ((a > b) + 0.5 * (a == b)) for (a, v), (b, w) in pairs)
    return right / total if total else None


@pytest.mark.slow
@quickly
@given(
    content=st.one_of(
        st.binary(max_size=200),
        st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")),
        st.lists(st.lists(st.sampled_from(ODD), min_size=1, max_size=4), max_size=6).map(
            lambda rows: ("y,p\n" + "\n".join(map(",".join, rows))).encode()
        ),
        st.lists(
            st.dictionaries(st.sampled_from(["y", "p"]), st.sampled_from([*ODD, 0, 1, 0.5, None, True, [], {}]))
        ).map(lambda rows: "\n".join(map(json.dumps, rows)).encode()),
    ),
    suffix=st.sampled_from(["csv", "tsv", "jsonl", "parquet", "csv.gz", "dat"]),
    command=st.sampled_from([["report", "--format", "json"], ["table"], ["table", "--by-row"]]),
    told=st.sampled_from([[], ["--label", "y", "--score", "p"], ["--label", "y", "--score", "p", "--positive", "a"]]),
)
def test_any_bytes_end_in_a_value_or_a_sentence(run, write, content, suffix, command, told) -> None:  # type: ignore[no-untyped-def]
    write(f"a.{suffix}", content)
    done = run(*command, f"a.{suffix}", *told)
    assert done.code in (0, 2), done.err
    if done.code == 2:
        assert done.out == ""
        assert done.err.startswith("thresher: ")
        assert "\x1b" not in done.err
    elif command[0] == "report":
        assert json.loads(done.out)["schema"] == 1
