"""A pytest plugin that puts thresher's metrics in scikit-learn's place, before its own tests are imported.

`pytest -p substitute --pyargs sklearn.metrics.tests.test_classification` then runs scikit-learn's installed tests
against thresher. Nothing of scikit-learn is copied; what is left out is listed, with reasons, in `exclusions.py`.
"""

from __future__ import annotations

import json
import os
from fnmatch import fnmatch

import exclusions
import sklearn.metrics
import sklearn.metrics._classification
import sklearn.metrics._ranking

import thresher.metrics

HOMES = (sklearn.metrics, sklearn.metrics._classification, sklearn.metrics._ranking)

SUBSTITUTED = [
    name
    for name in thresher.metrics.__all__
    if hasattr(sklearn.metrics, name) and callable(getattr(sklearn.metrics, name))
]

for _name in SUBSTITUTED:
    for _home in HOMES:
        if hasattr(_home, _name):
            setattr(_home, _name, getattr(thresher.metrics, _name))


def reason_for(name: str) -> str | None:
    """Why a test is left out; None for one that counts."""
    return next((why for pattern, why in exclusions.EXCLUDED if fnmatch(name, pattern)), None)


def pytest_collection_modifyitems(config, items):
    kept, dropped = [], {}
    for item in items:
        why = reason_for(item.name)
        if why is None:
            kept.append(item)
        else:
            dropped.setdefault(why, []).append(item.name)
    config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
    items[:] = kept
    config.stash_of_thresher = {why: len(names) for why, names in dropped.items()}


def pytest_sessionfinish(session):
    path = os.environ.get("THRESHER_SUITE_RESULT")
    if path:
        reporter = session.config.pluginmanager.get_plugin("terminalreporter")
        counts = {
            kind: len(reporter.stats.get(kind, [])) for kind in ("passed", "failed", "error", "skipped", "xfailed")
        }
        result = {"counts": counts, "excluded": session.config.stash_of_thresher, "substituted": SUBSTITUTED}
        with open(path, "w") as file:
            json.dump(result, file)
