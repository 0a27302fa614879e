"""Estimators from text: what is read, what is refused and where, and that nothing else is ever called."""

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shares import examples
from thresher.errors import OptionError
from thresher.resampling.estimator_text import EstimatorText, estimator_from_text, parse_estimator

HERE = "resampling.named_estimators"


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("a.b:C", EstimatorText("a.b", "C")),
        ("  a.b:C( )  ", EstimatorText("a.b", "C")),
        ("a:C(1, 'x', n=-2.5e3, flag=True, none=None)", EstimatorText(
            "a", "C", (1, "x"), {"n": -2500.0, "flag": True, "none": None})),
        ("a:C(b.c:D(1), e = [f:G, (1,), {'k': h:I(2)}],)", EstimatorText(
            "a", "C", (EstimatorText("b.c", "D", (1,)),),
            {"e": [EstimatorText("f", "G"), (1,), {"k": EstimatorText("h", "I", (2,))}]})),
        ('a:C(s="it\'s, (ok)")', EstimatorText("a", "C", (), {"s": "it's, (ok)"})),
        ("a:C((1))", EstimatorText("a", "C", (1,))),
        ("a:C(())", EstimatorText("a", "C", ((),))),
    ],
)  # fmt: skip
def test_text_is_read(text, want):
    assert parse_estimator(text) == want


LITERALS = st.recursive(
    st.one_of(
        st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.booleans(), st.none(),
        st.text(st.characters(codec="utf-8"), max_size=8),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(st.text("abc", max_size=3), inner, max_size=3),
    ),
    max_leaves=8,
)  # fmt: skip


@settings(max_examples=examples(50))
@given(LITERALS)
def test_any_literal_is_read_as_python_reads_it(value):
    text = repr(value)
    assert parse_estimator(f"m:C(x={text})").kwargs["x"] == ast.literal_eval(text)
    found = parse_estimator(f"m:C({text}, d=n:E({text}))")
    assert parse_estimator(str(found)) == found


@given(st.text("ab.:(),=[]{}'\"1-_ #\\\n", max_size=30))
def test_any_text_is_read_or_refused_in_a_sentence(text):
    try:
        found = parse_estimator(text)
    except OptionError as error:
        found = error
    if isinstance(found, OptionError):
        assert "character " in str(found)
    else:
        assert parse_estimator(str(found)) == found


@pytest.mark.parametrize(("text", "character", "words"), [
    ("", 1, "module:Name(argument=value)"), ("RandomForestClassifier()", 1, "module:Name(argument=value)"),
    ("a:C(n=1+2)", 7, "no expression is evaluated"),
    ("a:C(n=__import__('os'))", 7, "An argument is a number, a text in quotes"),
    ("a:C(n=len)", 7, "'len' is not allowed"), ("  a:C('é',\n n=len)", 15, "'len' is not allowed"),
    ("a:C(f'{x}')", 5, "is not allowed"), ("a:C(b'x')", 5, "is not allowed"), ("a:C(-True)", 5, "is not allowed"),
    ("a:C(*x)", 5, "is not allowed"), ("a:C(**x)", 5, "is not allowed"), ("a@C()", 2, "'@' is not allowed"),
    ("a:C(lambda: 1)", 5, "is not allowed"), ("a:C([1, 2)", 10, "does not match opening parenthesis"),
    ("a:C(1, n=2, 3)", 14, "positional argument follows keyword argument"), ("a:C(n=1, n=2)", 10, "n is given twice"),
    ("a:C(b:D(1)", 4, "never closed"), ("a:C() + 1", 1, "module:Name(argument=value)"),
    ("a:C(1)(2)", 1, "module:Name(argument=value)"), ("a:C(n=007)", 7, "leading zeros"),
    ("a:C({[1]: 2})", 6, "key of a dictionary"), ("a:C({'k'})", 5, "is not allowed"),
    ("a:C({1: 2, 1: 3})", 12, "the key 1 is given twice"), ("a:C(" + "(" * 4000, 204, "too many"),
])  # fmt: skip
def test_errors_name_the_place_and_what_is_allowed(text, character, words):
    with pytest.raises(OptionError, match="estimator") as caught:
        parse_estimator(text)
    assert f"character {character}:" in str(caught.value)
    assert words in str(caught.value)


def test_parsing_imports_nothing(monkeypatch):
    import thresher.resampling.estimator_text as module

    monkeypatch.setattr(module, "import_module", lambda name: pytest.fail(f"{name} was imported"))
    parse_estimator("antigravity:Flyer(os:System('x'))")


def test_estimators_are_built_inside_out():
    found = estimator_from_text(f"{HERE}:Mean({HERE}:Mean(size=2), size=[{HERE}:Mean(), 3])")
    assert found.inner.size == 2
    assert found.size[0].size == 1
    assert found.size[1] == 3


@pytest.mark.peer
def test_pipeline_of_scikit_learn():
    made = estimator_from_text(
        "sklearn.pipeline:make_pipeline(sklearn.preprocessing:StandardScaler(), "
        "sklearn.linear_model:LogisticRegression(C=0.5))"
    )
    assert [name for name, _ in made.steps] == ["standardscaler", "logisticregression"]
    assert made[-1].C == 0.5
    kernel = estimator_from_text(
        "sklearn.gaussian_process:GaussianProcessClassifier(sklearn.gaussian_process.kernels:RBF(2.0))"
    )
    assert kernel.kernel.length_scale == 2.0
