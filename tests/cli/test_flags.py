"""Keywords that a sentence of the library speaks of: fields of the error, spelled as options by the command."""

import ast
import copy
import pickle
import re
from pathlib import Path

import pytest

import thresher
from thresher.cli.exit import FLAGS, PHRASES, as_flags
from thresher.conventions import option, positive_label
from thresher.errors import OptionError, Sentence, choice, joined, keyword

SOURCE = Path(thresher.__file__).parent
NOT_SENTENCES = ("cli", "metrics", "errors.py", "did_you_mean.py", "json_text.py", "estimator_text.py")


@pytest.mark.parametrize(
    ("said", "flagged"),
    [
        ("Name it with " + keyword("positive", "…") + "; only", "Name it with --positive …; only"),
        ("leave them out with " + choice("missing", "drop") + ", which", "leave them out with --missing drop, which"),
        (choice("rest", "negative") + " needs " + keyword("positive", "…"), "--rest negative needs --positive …"),
        (keyword("positive", "'ill'") + " is not among the labels", "--positive 'ill' is not among the labels"),
        (choice("direction", "lower") + " would give 0.8", "--lower-is-positive would give 0.8"),
        (keyword("normalize", "True") + " divides", "--normalize divides"),
        ("give " + keyword("costs") + ".", "give --cost-fp with --cost-fn."),
        ("set another with " + keyword("threshold"), "set another with --threshold"),
        ("give " + joined(" or ", [keyword("top_k"), keyword("maximize")]), "give --top or --max"),
        (keyword("skew", "2") + " is Python's alone", "skew=2 is Python's alone"),
        ("the label column 'positive=x' is empty", "the label column 'positive=x' is empty"),
        ("column 'score=0.7/x', " + keyword("label", "…"), "column 'score=0.7/x', --label …"),
    ],
)  # fmt: skip
def test_a_keyword_becomes_an_option_and_nothing_else_does(said: str, flagged: str) -> None:
    assert as_flags(said) == flagged


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("it holds text. Convert it. If labels, " + choice("predicted", "x") + ".", "it holds text. Convert it."),
        ("p is small; " + choice("rate_interval", "wald") + " keeps it; or not.", "p is small; or not."),
        ("p is small; " + choice("rate_interval", "wald") + " keeps it", "p is small"),
        ("count with " + keyword("cluster", "…") + ". Or not.", "count with cluster=…. Or not."),
        ("it holds text. Name it with " + keyword("positive", "…") + ".", "it holds text. Name it with --positive …."),
        (keyword("cluster", "…") + " is not for a query.", "--cluster … is not for a query."),
        ("see " + keyword("skew", "2") + "; or " + keyword("skew", "3") + ".", "see skew=2; or skew=3."),
    ],
)  # fmt: skip
def test_advice_of_an_option_that_a_command_lacks_is_left_out(said: str, left: str) -> None:
    """`count` and `compare` advised --predicted and --rate-interval, which they do not have."""
    assert as_flags(said, {"--positive"}) == left.replace(" cluster=…", " --cluster …")


def test_count_and_compare_advise_their_own_options_alone(run, write) -> None:  # type: ignore[no-untyped-def]
    write("p.csv", "y,a,b\n1,x,0.2\n0,z,0.4\n1,x,0.8\n0,x,0.3\n")
    refused = run("count", "p.csv", "--label", "y", "--score", "a", "-o", "c.parquet").err
    assert refused.endswith("Convert the column to numbers, or name another one.\n")
    assert "--predicted a" in run("report", "p.csv", "--label", "y", "--score", "a").err
    write("q.csv", "y,a,b\n1,0.1,0.2\n0,0.4,0.4\n1,0.9,0.8\n0,0.2,0.3\n")
    few = run("compare", "q.csv", "--label", "y", "--score", "a", "--score", "b").err
    assert "p values may be too small" in few
    assert "--rate-interval" not in few


def test_an_error_carries_its_keywords_through_pickles_and_copies() -> None:
    with pytest.raises(OptionError) as caught:
        positive_label(("a", "b"), None)
    for error in (caught.value, pickle.loads(pickle.dumps(caught.value)), copy.deepcopy(caught.value)):
        assert error.keywords == ("positive",)
        assert str(error).startswith("which of the labels 'a', 'b' is positive? Name it with positive=…; only")
        assert "Name it with --positive …; only" in as_flags(error.sentence)
    with pytest.raises(OptionError) as caught:
        option("weight_kind", "x", ("importance",))
    assert caught.value.keywords == ("weight_kind",)
    assert OptionError("plain").keywords == ()
    kept = pickle.loads(pickle.dumps("a " + keyword("by", "…") + " b"))
    assert isinstance(kept, Sentence)
    assert kept.keywords == ("by",)


def test_names_of_users_that_look_like_keywords_are_left_alone(run, write) -> None:  # type: ignore[no-untyped-def]
    write("k.csv", "y,score=0.7/x\n0,0.1\n1,\n")
    done = run("report", "k.csv", "--label", "y", "--score", "score=0.7/x")
    assert done.code == 2
    assert "the score column 'score=0.7/x' is empty in row 2 of k.csv." in done.err
    assert "leave such rows out with --missing drop, which" in done.err
    assert "there is no file by=a/level=2.csv" in run("report", "by=a/level=2.csv").err


NAMED = set(re.findall(r'(?:keyword|choice)\(\s*"(\w+)"', "".join(p.read_text("utf-8") for p in SOURCE.rglob("*.py"))))
"""Keywords that some sentence names as fields."""

# In one function `scores` is true or false.
WORDS = re.compile(rf"(?<![\w\"'.-])({'|'.join(sorted(NAMED & {*FLAGS, 'costs'}))})=(?!True)(?=…|\[|'[a-z]|$|[ ,.;:)])")
QUICK = re.compile(WORDS.pattern.replace(r"\"'.-", "").replace("|$|", r"|[\"']|"))
"""Finds more than that, in a whole file."""


def literals(path: Path) -> list[tuple[int, str]]:
    """Text of a module that is no docstring, with its line; none is looked for where no word stands."""
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source if QUICK.search(source) else "")
    bare = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    found = [n for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    return [(n.lineno, n.value) for n in found if id(n) not in bare]


def test_sentences_of_the_library_name_keywords_as_fields() -> None:
    plain = [
        f"{path.relative_to(SOURCE)}:{line}: {text}"
        for path in sorted(SOURCE.rglob("*.py"))
        if not set(path.relative_to(SOURCE).parts) & set(NOT_SENTENCES)
        for line, text in literals(path)
        if WORDS.search(text)
    ]
    assert plain == []


def test_every_option_that_a_keyword_becomes_is_one() -> None:
    from thresher.cli.main import COMMANDS, cli

    context = cli.make_context("thresher", ["doctor"])
    options = [p for c in COMMANDS for p in cli.get_command(context, c).params]  # type: ignore[union-attr]
    known = {name for p in options for name in (*p.opts, *p.secondary_opts)}
    assert {flag for said in (*FLAGS.values(), *PHRASES.values()) for flag in said.split() if flag != "with"} <= known
    assert not [name for name in NAMED - FLAGS.keys() if f"--{name.replace('_', '-')}" in known]
