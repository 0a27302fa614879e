import pytest

from thresher.cli import doctor


def test_all_is_well_here(run) -> None:  # type: ignore[no-untyped-def]
    from thresher import __version__, kernel

    done = run("doctor")
    assert (done.code, done.err) == (0, "")
    for words in (__version__, "Python 3.", "numpy ", "duckdb ", f"kernel: {kernel.implementation()}", "0.76", "569"):
        assert words in done.out
    assert "Everything is in order." in done.out
    assert "WRONG" not in done.out


def test_the_threads_in_use_are_shown_with_what_limits_them(run, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert "threads: up to 1 in a call (" in run("doctor").out
    assert "OMP_NUM_THREADS: 1)" in run("doctor").out
    monkeypatch.setenv("THRESHER_THREADS", "none")
    assert "WRONG  threads: THRESHER_THREADS is 'none'." in run("doctor").out


def test_a_kernel_that_miscounts_is_found(run, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(doctor, "TRUTH", (1, 0, 1, 1, 1, 0, 0, 0, 1, 0))
    done = run("doctor")
    assert done.code == 1
    assert "WRONG  kernel self-test" in done.out
    assert "1 of these is wrong." in done.out


def test_a_package_that_is_missing_or_old_is_found(run, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    known = doctor._version
    monkeypatch.setattr(doctor, "_version", lambda name: {"rich": None, "scipy": "1.2"}.get(name, known(name)))
    monkeypatch.setattr(doctor, "_minimum_versions", lambda: {"scipy": "1.15"})
    done = run("doctor")
    assert done.code == 1
    assert "WRONG  rich is not installed: pip install rich" in done.out
    assert "WRONG  scipy 1.2 is older than 1.15: pip install -U scipy" in done.out
    assert "2 of these are wrong." in done.out


def test_an_optional_package_may_be_absent(run, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    known = doctor._version
    monkeypatch.setattr(doctor, "_version", lambda name: None if name in doctor.OPTIONAL else known(name))
    done = run("doctor")
    assert done.code == 0
    assert "pandas is not installed (optional: its dataframes are read)" in done.out


@pytest.mark.slow
@pytest.mark.parametrize("wish", ["reference", "nonsense"])
def test_the_kernel_that_was_asked_for(process, wish: str) -> None:  # type: ignore[no-untyped-def]
    done = process("doctor", THRESHER_KERNEL=wish)
    if wish == "reference":
        assert done.code == 0
        assert "kernel: reference" in done.out
    else:
        assert done.code == 1
        assert "WRONG  kernel: " in done.out
        assert "nonsense" in done.out
    assert "Traceback" not in done.err
    report = process("report", "-", "--label", "y", "--score", "p", stdin=b"y,p\n1,1\n0,0\n", THRESHER_KERNEL=wish)
    assert report.code == (0 if wish == "reference" else 70)
    assert report.err.count("\n") == (0 if wish == "reference" else 1)
    assert wish == "reference" or "thresher doctor" in report.err


def test_versions_compare_as_numbers() -> None:
    assert doctor._numbers("1.9") < doctor._numbers("1.15") <= doctor._numbers("1.15.0rc1")
    assert doctor._numbers("2.0.0") >= doctor._numbers("2")
