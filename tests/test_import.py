"""Importing thresher stays light, and its public names are what it says."""

import subprocess
import sys

import thresher

SLOW = ("scipy", "duckdb", "narwhals", "nanoarrow", "rich", "click", "pandas", "matplotlib", "sklearn")


def test_import_loads_nothing_slow():
    code = "import sys, thresher; print([m for m in sys.argv[1:] if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code, *SLOW], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_evaluating_arrays_loads_nothing_slow():
    code = (
        "import sys, thresher; thresher.evaluate([0, 1], [0.1, 0.9]).auc;"
        "print([m for m in sys.argv[1:] if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code, *SLOW], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_public_names_are_sorted_and_load():
    names = [name for name in thresher.__all__ if not name.startswith("__")]
    assert names == sorted(names)
    assert all(hasattr(thresher, name) for name in names)
    assert set(thresher.__all__) == set(dir(thresher))


def test_evaluate_is_the_function_whatever_was_imported_first():
    code = "import thresher.evaluation, thresher as th; print(th.evaluate([1, 0], [0.9, 0.1]).auc.value)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "1.0"
