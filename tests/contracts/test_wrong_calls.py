"""Every public function and method, called wrongly: a `ThresherError` with a sentence, never a bare error of Python."""

import inspect
import pickle

import numpy as np
import pytest

import thresher as th
from contracts import wrong_calls
from thresher._util.front_door import guarded
from thresher.counts import ConfusionMatrix
from thresher.curves import value_at
from thresher.decisions import joint_hull, slide
from thresher.errors import ArgumentError, InputError, OptionError, ThresherError
from thresher.measures import accuracy, average_cost, f_beta
from thresher.registration import Registration

OWNERS = list(wrong_calls.values())
ALWAYS = {"unknown keyword": inspect.Parameter.VAR_KEYWORD, "too many values": inspect.Parameter.VAR_POSITIONAL}
"""Calls that no function takes but one with such a parameter."""


def outcomes(function, picked):
    """What was wrong in a call, and the error it raised or None."""
    for place, (what, args, named) in enumerate(wrong_calls.calls(function)):
        if what in ALWAYS or what == "nothing" or picked(place):
            try:
                made = function(*args, **named)
            except ThresherError as error:
                yield what, error
            else:
                if isinstance(made, Registration):  # of a callable that does for a formula
                    made.undo()
                yield what, None


def check(name, function, picked):
    takes_any = {p.kind for p in inspect.signature(function).parameters.values()}
    for what, error in outcomes(function, picked):
        if error is None:
            assert what not in ALWAYS or ALWAYS[what] in takes_any, (name, what)
            continue
        said = str(error)
        assert said.endswith((".", "?", "!", "…")), (name, what, said)
        assert not said.endswith(("?.", "..")), (name, what, said)
        assert len(said.split()) > 3, (name, what, said)


def few(name):
    """A tenth of the wrong arguments, another one for each function."""
    start = sum(map(ord, name))
    return lambda place: (place + start) % 10 == 0


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("package", wrong_calls.PACKAGES)
def test_functions_say_what_is_wrong(package):
    for name, function in wrong_calls.functions():
        if name.rpartition(".")[0] == package or (name.startswith(f"{package}.") and name[len(package) + 1].isupper()):
            check(name, function, few(name))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("owner", OWNERS)
def test_methods_say_what_is_wrong(owner):
    for name, method in wrong_calls.methods():
        if name.partition(".")[0] == owner:
            check(name, method, few(name))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_every_wrong_argument_of_every_function():
    for name, function in (*wrong_calls.functions(), *wrong_calls.methods()):
        check(name, function, lambda _place: True)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Away from the sources, as some methods write a file where they are told."""
    monkeypatch.chdir(tmp_path)


MATRIX = ConfusionMatrix.from_counts([[5, 2], [1, 9]], labels=["p", "n"], positive="p")
TABLE = th.ScoreTable.from_scores(wrong_calls.TRUTH, wrong_calls.SCORE)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: f_beta(2), "F-beta needs a ConfusionMatrix or a ThresholdTable, not 2"),
        (lambda: MATRIX.f_beta(2, 3), "F-beta takes its parameters by name: beta=…"),
        (lambda: MATRIX.f_beta(2, beta=3), "F-beta takes its parameters by name: beta=…"),
        (lambda: average_cost(MATRIX, 1, 10, cost_fn=2), "expected cost takes its parameters by name: cost_fp=…"),
        (lambda: average_cost(1, 10), "expected cost needs a ConfusionMatrix"),
        (lambda: th.ScoreTable(scores=[1.0], positive=[1], negative=[0]), "takes scores: NDArray[np.float64]"),
        (lambda: slide(joint_hull({"a": TABLE}), 1.0), "takes measure: str, not 1.0"),
        (lambda: value_at(TABLE, "recall", at="fpr", valeu=0.1), "did you mean value=…"),
        (lambda: value_at(TABLE, "recall", "fpr", 0.1), "given 4 values by place, and takes 2; name the others"),
        (lambda: value_at(TABLE, "recall"), "needs at and value"),
        (lambda: th.ScoreTable.of_rows([1.0], "s"), "takes rows: Predictions, not a list"),
        (lambda: accuracy.ratio(3), "cannot work with statistic=…, 3"),
        (lambda: f_beta.on(None, beta=2), "cannot work with statistic=…, None"),
        (lambda: joint_hull(tables=[1.0]), "takes tables: Mapping[str, Any], not a list"),
        (lambda: th.evaluate(wrong_calls.TRUTH, wrong_calls.SCORE).at(0.5, treshold=1), "does not take treshold=…"),
    ],
)  # fmt: skip
def test_the_sentence_says_what_to_use(call, said):
    with pytest.raises(ArgumentError) as caught:
        call()
    assert said in str(caught.value)
    assert isinstance(caught.value, OptionError | TypeError)


def test_what_is_not_about_the_arguments_stays_what_it_is():
    @guarded
    def broken(x: float) -> float:
        raise ZeroDivisionError(f"inside of {x}")

    @guarded
    def faulty(x: float) -> float:
        return x.no_such_attribute

    with pytest.raises(ZeroDivisionError, match="inside"):
        broken(1.0)
    with pytest.raises(AttributeError, match="no_such_attribute"):
        faulty(np.float64(1.0))


def test_a_guarded_function_is_still_itself():
    assert pickle.loads(pickle.dumps(value_at)) is value_at
    assert pickle.loads(pickle.dumps(th.evaluate)) is th.evaluate
    assert list(inspect.signature(value_at).parameters)[:2] == ["table", "measure"]
    assert value_at.__doc__.startswith("Read a measure")
    assert guarded(value_at) is value_at
    assert pickle.loads(pickle.dumps(TABLE)) == TABLE


def test_a_missing_model_is_told_as_a_key_error():
    evaluation = wrong_calls.values()["evaluation"]
    assert evaluation.get("z") is None


@pytest.mark.peer
def test_series_in_another_order_are_refused_everywhere():
    pandas = pytest.importorskip("pandas")
    y, s = pandas.Series(wrong_calls.TRUTH), pandas.Series(wrong_calls.SCORE)
    for call in (
        lambda b: th.ScoreTable.from_scores(y, b),
        lambda b: th.inference.delong_test(y, s, b),
        lambda b: th.ScoreTable.from_scores(y, s, weights=b),
        lambda b: ConfusionMatrix.from_predictions(y, (b > 0.5).astype(int)),
        lambda b: th.calibration.fit_map(y, b),
        lambda b: th.evaluate(y, s, weights=b),
    ):
        call(s)
        call(pandas.Series(wrong_calls.SCORE, index=range(100, 108)))
        with pytest.raises(InputError, match=r"index.* in (another|different) order"):
            call(s[::-1])
