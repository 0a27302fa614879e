"""The keywords of scikit-learn's functions are answered with what they are called here, by every public function."""

import inspect
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import pytest

import thresher as th
from contracts.wrong_calls import is_guarded
from thresher._util.did_you_mean import ALIASES_OF, ATTRIBUTES, ELSEWHERE, KEYWORDS
from thresher.errors import ThresherError

WORDS = ("pos_label", "sample_weight", "y_true", "y_score", "y_pred", "cv", "scoring", "average", "n_jobs", "labels",
         "zero_division", "max_fpr", "multi_class", "random_state", "normalize", "drop_intermediate")  # fmt: skip
PACKAGES = ("calibration", "curves", "decisions", "inference", "multiclass", "ranking", "resampling", "gate", "plot")
EV = th.evaluate([1, 0, 1, 0, 1, 0], {"a": [0.9, 0.6, 0.4, 0.1, 0.3, 0.2], "b": [0.8, 0.3, 0.5, 0.2, 0.9, 0.1]})


def public() -> Iterator[tuple[str, Callable[..., Any]]]:
    for name in th.__all__:
        yield f"th.{name}", getattr(th, name)
    for package in PACKAGES:
        module = import_module(f"thresher.{package}")
        for name in getattr(module, "__all__", ()):
            yield f"{package}.{name}", getattr(module, name)
    for owner in (EV, EV["a"], th.load_example("cancer"), EV["a"].scores, EV["a"].table, EV["a"].roc):
        for name, method in inspect.getmembers(type(owner), inspect.isfunction):
            if not name.startswith("_") and method.__module__.startswith("thresher") and is_guarded(method):
                yield f"{type(owner).__name__}.{name}", getattr(owner, name)


def is_called(value: Any) -> bool:
    is_error = isinstance(value, type) and issubclass(value, BaseException)
    return callable(value) and not is_error and not getattr(value, "_is_protocol", False)


CALLS = {name: value for name, value in public() if is_called(value)}


def lacks(function: Callable[..., Any], word: str) -> bool:
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False
    takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    is_alias = word in ALIASES_OF.get(function.__name__, {})
    return word not in parameters and not takes_any and not is_alias


def test_no_public_function_ends_in_a_bare_type_error() -> None:
    for name, call in CALLS.items():
        for word in WORDS:
            if lacks(call, word):
                with pytest.raises((ThresherError,)) as caught:
                    call(**{word: None})
                assert word in str(caught.value), name


def test_words_lead_to_what_is_there() -> None:
    taken = {
        p for f in CALLS.values() if callable(f) and not isinstance(f, type) for p in inspect.signature(f).parameters
    }
    for word, here in KEYWORDS.items():
        assert taken.intersection(here), word
    assert "max_fpr" in ELSEWHERE


@pytest.mark.parametrize("name", [name for name in ATTRIBUTES if name not in ("ci", "thresholds")])
def test_attributes_that_are_tried_first_say_what_serves(name: str) -> None:
    for owner in (EV, EV["a"], th.evaluate([1, 0], [0.9, 0.1])):
        with pytest.raises(AttributeError) as caught:
            getattr(owner, name)
        assert ATTRIBUTES[name] in str(caught.value)
