"""Tests of scikit-learn that say nothing about thresher's metrics, each with the reason."""

EXCLUDED: tuple[tuple[str, str], ...] = (
    ("*array_api*", "array API: thresher takes NumPy arrays and what converts to them"),
    (
        "test_roc_auc_score_multiclass_error?msg2-kwargs2?",
        "refuses weights in one-vs-one AUC, which work here (an empty list of weights is of the wrong length)",
    ),
    ("test_display_validate_plot_params*", "calls a private method of the displays"),
    ("*PredictionErrorDisplay*", "a display of regression"),
)
