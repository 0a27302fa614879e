"""Tests of scikit-learn that say nothing about thresher's metrics, each with the reason."""

EXCLUDED: tuple[tuple[str, str], ...] = (
    ("*array_api*", "array API: thresher takes NumPy arrays and what converts to them"),
)
