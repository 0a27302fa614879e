"""How many threads a call uses: what the process may use, and as many as the rows repay."""

import pytest

from thresher._util import threads as workers
from thresher._util.threads import ordered_map
from thresher.errors import OptionError
from thresher.kernel import checks
from thresher.kernel.checks import ROWS_PER_THREAD, threads

MANY = 100 * ROWS_PER_THREAD


@pytest.fixture(autouse=True)
def sixteen(monkeypatch):
    monkeypatch.setattr(workers, "_affinity", lambda: 16)
    monkeypatch.setattr(workers, "_quota", lambda: None)
    for name in (workers.WISH, workers.OPENMP):
        monkeypatch.delenv(name, raising=False)


def test_a_call_uses_every_processor_that_its_rows_repay():
    assert [threads(None, rows) for rows in (1, ROWS_PER_THREAD, 3 * ROWS_PER_THREAD, MANY)] == [1, 1, 3, 16]


@pytest.mark.parametrize(("value", "most"), [("3", 3), ("3,2", 3), ("", 16), ("auto", 16), ("0", 16), ("99", 16)])
def test_openmp_limits_the_threads_as_in_workers_of_joblib_and_dask(monkeypatch, value, most):
    monkeypatch.setenv("OMP_NUM_THREADS", value)
    assert threads(None, MANY) == most


def test_the_own_variable_takes_the_place_of_all_limits(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setenv("THRESHER_THREADS", "20")
    assert threads(None, MANY) == 20
    monkeypatch.setenv("THRESHER_THREADS", "100")
    assert threads(None, MANY) == checks.MOST_THREADS


@pytest.mark.parametrize("value", ["0", "-1", "all", "1.5"])
def test_a_wrong_number_of_threads_is_refused(monkeypatch, value):
    monkeypatch.setenv("THRESHER_THREADS", value)
    with pytest.raises(OptionError, match=f"THRESHER_THREADS is '{value}'. Set it to a whole number"):
        threads(None, MANY)


@pytest.mark.parametrize(
    ("groups", "files", "want"),
    [
        ("0::/a/b", {"a/b/cpu.max": "max 100000", "a/cpu.max": "250000 100000"}, 3),
        ("0::/", {"cpu.max": "50000 100000"}, 1),
        ("0::/", {"cpu.max": "max 100000"}, None),
        ("0::/a", {}, None),
        ("3:cpu,cpuacct:/a\n0::/", {"cpu,cpuacct/a/cpu.cfs_quota_us": "400000",
                                    "cpu,cpuacct/a/cpu.cfs_period_us": "100000"}, 4),
        ("1:cpu:/lost", {"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, None),
        ("2:memory:/", {"memory/cpu.max": "50000 100000"}, None),
    ],
)  # fmt: skip
def test_the_quota_of_a_container_and_of_those_around_it_counts(tmp_path, groups, files, want):
    (tmp_path / "groups").write_text(groups)
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text + "\n")
    assert workers.quota(tmp_path / "groups", tmp_path) == want
    assert workers.quota(tmp_path / "no such file", tmp_path) is None


def test_work_side_by_side_shares_the_processors():
    """Each of three measures that are compared at once had as many threads as the machine has processors."""
    assert list(ordered_map(lambda _: threads(None, MANY), range(3))) == [5, 5, 5]
    assert list(ordered_map(lambda _: threads(None, MANY), range(100))) == [1] * 100
    assert threads(None, MANY) == 16


@pytest.mark.usefixtures("databases_end")
def test_files_are_read_by_as_many_threads(monkeypatch):
    from thresher.readers.session import session

    monkeypatch.setenv("THRESHER_THREADS", "3")
    with session() as connection:
        assert connection.execute("SELECT current_setting('threads')").fetchall() == [(3,)]


@pytest.mark.slow
def test_a_worker_of_joblib_uses_its_share():
    joblib = pytest.importorskip("joblib")
    with joblib.parallel_config("loky", n_jobs=2, inner_max_num_threads=1):
        assert joblib.Parallel()(joblib.delayed(workers.processors)() for _ in range(2)) == [1, 1]
