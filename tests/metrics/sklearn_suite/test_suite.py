"""scikit-learn's own installed tests, run against thresher's functions: every one that is not excluded passes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.peer

HERE = Path(__file__).parent

# At least so many tests count, and so many functions are ours in the module: a suite that runs nothing proves nothing.
MODULES = {"test_classification": (240, 20), "test_ranking": (240, 12), "test_common": (1700, 31)}
# Our displays are subclasses: what they add is reading estimators, which these tests try.
DISPLAYS = {"metrics._plot.tests.test_common_curve_display": (135, 5)}


@pytest.mark.parametrize("module", MODULES)
def test_installed_module_passes(module, tmp_path, capsys):
    run_installed(f"metrics.tests.{module}", "metrics", MODULES[module], tmp_path, capsys)


@pytest.mark.parametrize("module", DISPLAYS)
def test_installed_module_of_displays_passes(module, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    run_installed(module, "displays", DISPLAYS[module], tmp_path, capsys)


def run_installed(module, of, least, tmp_path, capsys):
    sklearn = pytest.importorskip("sklearn", minversion="1.9")
    result = tmp_path / "result.json"
    source = Path(__import__("thresher").__file__).parents[1]
    command = [sys.executable, "-m", "pytest", "-p", "substitute", "-p", "no:cacheprovider", "-c", os.devnull]
    command += ["--rootdir", str(Path(sklearn.__file__).parent), "-q", "--tb=short", "-W", "ignore"]
    command += ["--pyargs", f"sklearn.{module}"]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(source), str(HERE)]),
        "THRESHER_SUITE_RESULT": str(result),
        "THRESHER_SUITE_OF": of,
        "MPLBACKEND": "agg",
    }
    run = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout[-20_000:] + run.stderr[-5_000:]
    found = json.loads(result.read_text())
    least_passed, least_ours = least
    assert found["counts"]["failed"] == found["counts"]["error"] == 0
    assert found["counts"]["passed"] >= least_passed
    assert len(found["substituted"]) >= least_ours, found["substituted"]
    with capsys.disabled():
        excluded = "; ".join(f"{count} excluded ({why})" for why, count in found["excluded"].items())
        print(f"\n{module}: {found['counts']['passed']} passed, {found['counts']['skipped']} skipped, {excluded}")
