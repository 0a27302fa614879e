"""Importing thresher stays light, and its public names are what it says."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import thresher
from public_names import listed_packages

PACKAGES = [name.partition(".")[2] for name in listed_packages() if name.count(".") == 1]
SLOW = ("scipy", "duckdb", "narwhals", "nanoarrow", "rich", "click", "pandas", "matplotlib", "sklearn")


def test_evaluating_arrays_loads_nothing_slow():
    code = (
        "import sys, thresher; thresher.evaluate([0, 1], [0.1, 0.9]).auc;"
        "print([m for m in sys.argv[1:] if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code, *SLOW], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.slow
def test_a_report_of_a_small_file_loads_what_it_needs(tmp_path):
    rows = "".join(f"{i % 2},{(i * 37 % 101 + 30 * (i % 2)) / 131}\n" for i in range(200))
    (tmp_path / "rows.csv").write_text(f"y,s\n{rows}", encoding="utf-8")
    code = (
        "import sys; from thresher.cli.main import cli\n"
        "try: cli(sys.argv[1].split())\n"
        "except SystemExit as end: assert not end.code\n"
        "print([m for m in sys.argv[2:] if m in sys.modules])"
    )
    needless = (
        "scipy", "duckdb", "narwhals", "nanoarrow", "rich", "numpy.ma", "zipfile", "tempfile", "shutil", "gzip",
        "importlib.resources", "traceback", "thresher.kernel.reference", "thresher.kernel.classes",
        "thresher.counts.collected", "thresher.counts.least_cells", "thresher.counts.ranked", "thresher.plot",
        "thresher.evaluation.partitions", "thresher.resampling", "thresher.ranking",
        "thresher.inference.comparing.rows", "thresher.inference.auc.tests", "thresher.decisions.reject",
        "thresher.inference.differences.several_models",
        "thresher.curves.regions",
    )  # fmt: skip
    command = f"report {tmp_path}/rows.csv --label y --score s --quiet -o {tmp_path}/page.html"
    done = subprocess.run([sys.executable, "-c", code, command, *needless], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]", done.stdout


@pytest.mark.slow
def test_the_first_report_of_the_readme_loads_few_of_our_modules(tmp_path):
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    command = readme.split("pip install . && thresher ")[1].split("```")[0].replace("\\\n", " ").split()
    code = (
        "import sys; from thresher.cli.main import cli\n"
        "try: cli(sys.argv[1:])\n"
        "except SystemExit as end: assert not end.code\n"
        "print(sum(name.partition('.')[0] == 'thresher' for name in sys.modules))"
    )
    command[command.index("-o") + 1] = str(tmp_path / "report.html")
    done = subprocess.run(
        [sys.executable, "-c", code, *command, "--quiet"],
        capture_output=True, text=True, check=True, cwd=Path(__file__).parents[1],
    )  # fmt: skip
    assert int(done.stdout) <= 218


@pytest.mark.slow
def test_an_area_of_a_part_is_a_measure_before_anything_else_was_asked():
    """It was unknown until something else had loaded the module of partial areas."""
    code = "import thresher; print(thresher.evaluate([0, 1], [0.1, 0.9])['score'].estimate('fpr<=0.5').value)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "0.5"


def test_public_names_are_sorted_and_load():
    names = [name for name in thresher.__all__ if not name.startswith("__")]
    assert names == sorted(names)
    assert all(hasattr(thresher, name) for name in names)
    assert set(dir(thresher)) == {*thresher.__all__, *PACKAGES}


def test_a_public_package_needs_no_import_of_its_own():
    for name in PACKAGES:
        assert thresher.__getattr__(name) is import_module(f"thresher.{name}")
    code = "import thresher as th; print(th.inference.wilson_interval(9, 10).low < 0.6, th.no_such_name)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "no attribute 'no_such_name'" in done.stderr
    assert "inference" not in done.stderr


def test_evaluate_is_the_function_whatever_was_imported_first():
    code = "import thresher.evaluation, thresher as th; print(th.evaluate([1, 0], [0.9, 0.1]).auc.value)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "1.0"


def test_a_module_does_not_hide_the_public_name_that_it_is_called_by():
    code = (
        "import thresher.curves.measure_curve, thresher.decisions.dominance as d, thresher.decisions as decisions\n"
        "import thresher.curves\n"
        "print([f.__name__ for f in (thresher.curves.measure_curve, decisions.dominance, decisions.h_measure)])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['measure_curve', 'dominance', 'h_measure']"


def test_one_name_of_a_package_does_not_load_the_others():
    code = (
        "import sys; from thresher.decisions.costs import Costs; from thresher.curves import roc_curve;"
        "print([m for m in sys.argv[1:] if m in sys.modules])"
    )
    others = [f"thresher.{name}" for name in ("decisions.isometrics", "decisions.dominance", "curves.cost_curves")]
    done = subprocess.run([sys.executable, "-c", code, *others], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


STUBS = [
    pytest.param(path, id=path.parent.name, marks=pytest.mark.peer if path.parent.name == "displays" else ())
    for path in sorted(Path(thresher.__file__).parent.rglob("__init__.pyi"))
]


@pytest.mark.parametrize("stub", STUBS)
def test_what_type_checkers_see_of_a_lazy_package_is_what_it_has(stub):
    name = "thresher" if stub.parent.name == "thresher" else f"thresher.{stub.parent.name}"
    package = import_module(name)
    imports = [node for node in ast.parse(stub.read_text("utf-8")).body if isinstance(node, ast.ImportFrom)]
    seen = {alias.name: node.module for node in imports for alias in node.names}
    assert all(alias.asname == alias.name for node in imports for alias in node.names)
    assert sorted(seen) == sorted({*dir(package)} - {"__version__"})
    for one, module in seen.items():
        own, found = getattr(import_module(module), one), getattr(package, one)
        assert found is own or found.__wrapped__ is own  # wrapped for the user's calls only
