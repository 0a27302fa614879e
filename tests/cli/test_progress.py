"""The bar of resampling: seen by a person only, and gone when the work is done."""

import io
from typing import Any

import pytest

import thresher as th
from thresher._util.threads import progress_scope
from thresher.cli import streams
from thresher.inference import bootstrap_interval


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def table() -> Any:
    rows = th.load_example("breast_cancer")
    return th.evaluate(rows["diagnosis"], rows["naive_bayes"], positive="malignant").table


def test_the_watcher_of_a_block_hears_of_every_replicate(table: Any) -> None:
    heard: list[tuple[int, int]] = []
    with progress_scope(lambda done, wanted: heard.append((done, wanted))):
        bootstrap_interval(table, "average_precision", th.Bootstrap(n=50))
    assert heard[-1] == (50, 50)
    bootstrap_interval(table, "average_precision", th.Bootstrap(n=50))
    assert heard[-1] == (50, 50)
    assert len(heard) == len(set(heard))


def test_a_watcher_of_ones_own_comes_first(table: Any) -> None:
    ours: list[int] = []
    theirs: list[int] = []
    with progress_scope(lambda done, _: theirs.append(done)):
        bootstrap_interval(table, "auc", th.Bootstrap(n=50), progress=lambda done, _: ours.append(done))
    assert ours
    assert not theirs


def _bar(monkeypatch: pytest.MonkeyPatch, stderr: Any, *, quiet: bool) -> str:
    from thresher._util.threads import current_progress

    monkeypatch.setattr("sys.stderr", stderr)
    monkeypatch.setattr(streams, "PATIENCE", -1.0)
    with streams.resampling(quiet=quiet):
        current_progress(None)(500, 2000)
        current_progress(None)(2000, 2000)
    return stderr.getvalue()


def test_a_person_sees_a_bar_and_a_file_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    shown = _bar(monkeypatch, Terminal(), quiet=False)
    assert "Resampling" in shown
    assert "500/2000" in shown
    assert _bar(monkeypatch, Terminal(), quiet=True) == ""
    assert _bar(monkeypatch, io.StringIO(), quiet=False) == ""
