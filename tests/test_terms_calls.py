"""Every call of the page of terms is made in a process that has imported thresher and nothing of it beyond."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import thresher
from thresher.terms import concepts

# Children of one process, so that 150 calls do not cost 150 starts. Values are made when a call first reads them.
DRIVER = Path(__file__).with_name("fresh_calls.py")


@pytest.mark.slow
def test_every_documented_call_runs_in_a_process_of_its_own(tmp_path: Path) -> None:
    calls = sorted({term.call for term in concepts()})
    driver, path = [sys.executable, str(DRIVER)], {"PYTHONPATH": str(Path(thresher.__file__).parents[1])}
    done = subprocess.run(
        driver, input=json.dumps(calls), cwd=tmp_path, env=os.environ | path, capture_output=True, text=True, check=True
    )
    faults = json.loads(done.stdout.splitlines()[-1])
    assert faults.pop("th.inference.no_such_test(…)").partition(":")[0].endswith("AttributeError")
    assert faults.pop("matrix.no_such_measure").partition(":")[0].endswith("AttributeError")
    assert faults == {}, faults
