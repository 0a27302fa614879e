"""`thresher compare`: its table and sentences, its forms, and what it refuses."""

import json

import pytest

ROWS = [
    (1, 0.9, 0.7, "x"), (0, 0.2, 0.6, "x"), (1, 0.8, 0.4, "y"), (0, 0.3, 0.5, "y"), (1, 0.6, 0.9, "x"),
    (0, 0.7, 0.1, "y"), (1, 0.55, 0.3, "x"), (0, 0.1, 0.2, "x"), (1, 0.95, 0.8, "y"), (0, 0.4, 0.35, "y"),
]  # fmt: skip
TEXT = "outcome,a,b,site,half\n" + "".join(f"{y},{a},{b},{site},{i % 2}\n" for i, (y, a, b, site) in enumerate(ROWS))
pytestmark = pytest.mark.usefixtures("rows")


@pytest.fixture
def rows(write):  # type: ignore[no-untyped-def]
    return write("rows.csv", TEXT)


def test_numbers_are_those_of_python(run) -> None:  # type: ignore[no-untyped-def]
    import thresher as th

    given = ("--measure", "auc", "--measure", "accuracy", "--margin", "0.1", "--format", "json")
    done = run("compare", "rows.csv", "--label", "outcome", "--score", "a", "--score", "b", *given)
    found = json.loads(done.out)["comparisons"]
    y, a, b, _ = zip(*ROWS, strict=True)
    evaluation = th.evaluate(list(y), {"a": list(a), "b": list(b)})
    want = [evaluation.compare("a", "b", measure=m, margin=0.1).to_dict() for m in ("auc", "accuracy")]
    assert found == json.loads(json.dumps(want))
    assert "threshold 0.5 was assumed" in done.err
    assert "--threshold" in done.err


def test_counts_by_group_are_compared_as_rows_are(run) -> None:  # type: ignore[no-untyped-def]
    columns = ("--label", "outcome", "--score", "a", "--score", "b", "--by", "site")
    run("count", "rows.csv", *columns, "--pairs", "-o", "c.parquet")
    done = run("compare", "c.parquet", "--by", "site", "--format", "json")
    assert done.code == 0, done.err
    of_counts, of_rows = (
        json.loads(out)["comparisons"]
        for out in (done.out, run("compare", "rows.csv", *columns, "--format", "json").out)
    )
    assert [one["group"] for one in of_counts] == [None, "site x", "site y", None, None]
    for one, want in zip(of_counts, of_rows, strict=True):
        assert one["groups"] == want["groups"]
        for name in ("difference", "low", "p_value"):
            assert one[name] == pytest.approx(want[name], abs=1e-4)
    other = run("compare", "c.parquet", "--by", "ward")
    assert other.code == 2
    assert "these counts are not grouped by 'ward': they are by site" in other.err
