"""A pytest plugin that puts thresher's metrics or displays in scikit-learn's place, before its own tests are imported.

`pytest -p substitute --pyargs sklearn.metrics.tests.test_classification` then runs scikit-learn's installed tests
against thresher's metrics; with THRESHER_SUITE_OF=displays its tests of displays run against ours, and compare them
with scikit-learn's own numbers. Nothing of scikit-learn is copied; what is left out is listed, with reasons, in
`exclusions.py`.
"""

import json
import os
from collections import Counter
from fnmatch import fnmatch
from pathlib import Path

import exclusions
import sklearn.calibration
import sklearn.metrics
import sklearn.metrics._classification
import sklearn.metrics._ranking

import thresher.displays
import thresher.metrics

METRICS = (sklearn.metrics, sklearn.metrics._classification, sklearn.metrics._ranking)
OURS, HOMES = {
    "metrics": (thresher.metrics, METRICS),
    "displays": (thresher.displays, (sklearn.metrics, sklearn.calibration)),
}[os.environ.get("THRESHER_SUITE_OF", "metrics")]

SUBSTITUTED = {
    name: getattr(OURS, name)
    for name in OURS.__all__
    if callable(getattr(sklearn.metrics, name, None)) or OURS is thresher.displays
}

for _name, _function in SUBSTITUTED.items():
    for _home in HOMES:
        if hasattr(_home, _name):
            setattr(_home, _name, _function)


def reason_for(name: str) -> str | None:
    """Why a test is left out; None for one that counts."""
    return next((why for pattern, why in exclusions.EXCLUDED if fnmatch(name, pattern)), None)


def pytest_collection_modifyitems(config, items):
    dropped = [item for item in items if reason_for(item.name)]
    config.thresher_excluded = dict(Counter(reason_for(item.name) for item in dropped))
    config.thresher_seen = {
        name
        for module in {item.module for item in items}
        for name, function in SUBSTITUTED.items()
        if getattr(module, name, None) is function
    }
    items[:] = [item for item in items if reason_for(item.name) is None]
    config.hook.pytest_deselected(items=dropped)


def pytest_sessionfinish(session):
    path = os.environ.get("THRESHER_SUITE_RESULT")
    if not path:
        return
    stats = session.config.pluginmanager.get_plugin("terminalreporter").stats
    kinds = ("passed", "failed", "error", "skipped", "xfailed", "xpassed")
    result = {
        "counts": {kind: len(stats.get(kind, [])) for kind in kinds},
        "excluded": session.config.thresher_excluded,
        "substituted": sorted(session.config.thresher_seen),
    }
    Path(path).write_text(json.dumps(result))
