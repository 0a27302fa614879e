"""Settings of all tests."""

from hypothesis import settings

# A time limit per example fails when the machine is busy, which says nothing about the code.
settings.register_profile("thresher", deadline=None)
settings.load_profile("thresher")
