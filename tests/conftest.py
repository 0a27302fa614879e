"""Settings of all tests."""

import gc

from hypothesis import settings

# A time limit per example fails when the machine is busy, which says nothing about the code.
settings.register_profile("whole", deadline=None, max_examples=100)
# By default a property is tried on a part of its random examples, other ones each time; the gate tries all of them.
settings.register_profile("few", settings.get_profile("whole"), max_examples=15)
settings.load_profile("few")

# Thousands of tests are never garbage: looking through them takes a third of the collection, and then of each search.
gc.disable()


def pytest_collection_finish():
    gc.freeze()
    gc.enable()
