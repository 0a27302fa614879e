"""Weighted kappa of text on the command line: `--classes` gives the order, and without it the command asks."""

from __future__ import annotations

import pytest

import thresher as th

ROWS = [
    ("low", "low"),
    ("low", "mid"),
    ("mid", "mid"),
    ("mid", "low"),
    ("high", "high"),
    ("high", "mid"),
    ("low", "low"),
]
LINEAR, ORDER = "weighted_kappa:weights=linear", ("low", "mid", "high")
COLUMNS = ("--label", "y", "--predicted", "a", "--predicted", "b")


@pytest.mark.parametrize(
    "asked", [("compare", "--measure", LINEAR), ("check", "--fail-under", f"{LINEAR}=0.05", "--on", "value")]
)
def test_the_order_is_asked_for(run, write, asked):
    write("rows.csv", "y,a,b\n" + "".join(f"{y},{a},{y}\n" for y, a in ROWS * 4))
    command, *how = asked
    done = run(command, "rows.csv", *COLUMNS, *how)
    assert done.code == 2
    assert "weighted kappa needs ordered classes, and text is unordered: 'high', 'low', 'mid'." in done.err
    assert "Name all classes with --classes …, the lowest first" in done.err
    done = run(command, "rows.csv", *COLUMNS, *how, "--classes", "low,mid,high")
    assert done.code == 0, done.err
    truth, decided = zip(*ROWS * 4, strict=True)
    expected = th.ConfusionMatrix.from_predictions(truth, decided, labels=ORDER).weighted_kappa(weights="linear")
    assert any(f"{expected:.{places}f}" in done.out for places in (3, 4))
