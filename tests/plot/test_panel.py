"""The panel: one legend that hides nothing, and a model of one color in every field."""

from itertools import combinations

import numpy as np
import pytest

import thresher as th
from thresher.plot import plot_panel, style
from thresher.plot.looks import short_number

pytestmark = pytest.mark.peer

ROWS = th.load_example("breast_cancer")
OWN = ("logistic_regression", "random_forest", "naive_bayes")


def evaluated(count: int) -> th.Evaluation:
    models = {name: np.asarray(ROWS[name], dtype=float) for name in OWN}
    models |= {f"mixed_with_{share}": models[OWN[0]] * (1 - share) + models[OWN[2]] * share for share in (0.3, 0.6)}
    names = list(models)[:count]
    return th.evaluate(ROWS["diagnosis"], {name: models[name] for name in names}, positive="malignant")


@pytest.mark.parametrize("look", ["default", "paper", "slides"])
@pytest.mark.parametrize("count", [2, 5])
def test_fields_have_one_legend_and_one_color_a_model(count: int, look: str) -> None:
    ev = evaluated(count)
    with style(look):
        figure = plot_panel(ev)
        figure.draw_without_rendering()
    *fields, last = figure.axes
    legend = last.get_legend() or figure.legends[0]
    assert [ax.get_legend() for ax in fields] == [None] * 5
    for place, (name, model) in enumerate(ev.items()):
        drawn = {line.get_color() for ax in fields for line in ax.lines if line.get_label().startswith(name)}
        assert len(drawn) == 1
        text = legend.get_texts()[place].get_text()
        assert text == f"{name}\nAUC {short_number(model.auc.value)}, AP {short_number(model.average_precision.value)}"
        assert legend.legend_handles[place].get_color() in drawn
    boxes = [ax.get_tightbbox() for ax in fields]
    assert not any(a.shrunk(0.99, 0.99).overlaps(b.shrunk(0.99, 0.99)) for a, b in combinations(boxes, 2))
    box = legend.get_window_extent()
    assert not any(box.overlaps(ax.get_window_extent()) for ax in fields)
    assert box.x1 <= figure.bbox.x1 + 1
    assert box.y0 >= -1


def test_positives_have_the_color_of_their_model_and_negatives_are_gray() -> None:
    scores = plot_panel(evaluated(2)).axes[2]
    from matplotlib.colors import to_hex

    shades = [to_hex(patch.get_facecolor()) for patch in scores.patches if patch.get_gid() == "thresher-scores"]
    assert shades == ["#0b5cad", "#767676"]
    assert scores.get_title() == "Scores: logistic_regression"


def test_many_models_have_no_bands() -> None:
    assert [len(plot_panel(evaluated(count)).axes[3].collections) for count in (2, 5)] == [2, 0]


def test_a_paper_panel_is_one_column_wide() -> None:
    with style("paper"):
        assert plot_panel(evaluated(2)).get_figwidth() == pytest.approx(3.45)
