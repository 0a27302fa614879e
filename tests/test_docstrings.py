"""Every example in a public docstring runs and prints what it says."""

import doctest
import importlib
import pkgutil

import pytest

import thresher
from shares import few

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(thresher.__path__, "thresher.")
    if not module.name.endswith(("__main__", "._native")) and "native" not in module.name
)


NEED_PEERS = ("thresher.displays", "thresher.integrations", "thresher.metrics.scorer")
PLAIN = [name for name in MODULES if not name.startswith(NEED_PEERS)]
OTHERS = [pytest.param(name, marks=pytest.mark.peer) for name in MODULES if name.startswith(NEED_PEERS)]


@pytest.mark.parametrize("name", [*few(PLAIN, 100), *OTHERS])
def test_examples_of_module_run(name):
    module = importlib.import_module(name)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    for test in doctest.DocTestFinder().find(module, name):
        found = getattr(module, test.name.rpartition(".")[2], None)
        if not (hasattr(module, "__path__") and hasattr(found, "__wrapped__")):  # tested in the module that defines it
            runner.run(test)
    assert runner.failures == 0
