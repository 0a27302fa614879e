"""Settings of all tests."""

import gc
import sys

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

# A time limit per example fails when the machine is busy, which says nothing about the code.
# The gate tries the same examples each time: what is submitted is judged, and not the luck of the day.
settings.register_profile("whole", deadline=None, max_examples=100, derandomize=True)
# By default a property is tried on a part of them.
settings.register_profile("few", settings.get_profile("whole"), max_examples=15)
# Other examples each time, for a search by hand: pytest -m hypothesis --hypothesis-profile=search
settings.register_profile("search", deadline=None, max_examples=300)
settings.load_profile("few")


def pytest_configure(config):
    """Hypothesis mixes in constants of the modules that are loaded: which, depends on the tests a worker had before."""
    if config.getoption("hypothesis_profile", None) != "search":
        providers._get_local_constants = providers.Constants


# Thousands of tests are never garbage: looking through them takes a third of the collection, and then of each search.
gc.disable()


def pytest_runtest_teardown():
    """Pictures that a test drew are closed with it: matplotlib warns of the twenty-first that is open."""
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture(scope="session", autouse=True)
def _one_database():
    """To open a database for each file would take a quarter of the time."""
    from thresher.counts.saved import _connected
    from thresher.database import shared
    from thresher.readers.session import session

    with shared():
        with session(), _connected():  # now, as a test may put temporary files elsewhere
            pass
        yield


@pytest.fixture
def databases_end():
    """Databases end where they do for users, and not with the tests."""
    from thresher import database

    token = database._shared.set(None)
    yield
    database._shared.reset(token)


@pytest.fixture
def quick_collections():
    """What exists is not looked through by the collections that a test asks for, many times."""
    gc.collect()
    gc.freeze()


def pytest_collection_finish():
    gc.freeze()
    gc.enable()
