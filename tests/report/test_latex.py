"""LaTeX tables: every sign that LaTeX reads is escaped, and every table is whole."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from thresher.report.render.latex import escaped, latex_table

COMMAND = re.compile(r"\\(?:[A-Za-z]+|[^A-Za-z])")


def check(text):
    """Environments close in order, braces and dollars pair, every row has as many cells as columns; give the tables."""
    lines = [line for line in text.splitlines() if line and not line.startswith("%")]
    opened, columns, tables = [], 0, 0
    for line in lines:
        for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", line):
            if kind == "begin":
                opened.append(name)
            else:
                assert opened.pop() == name
        if spec := re.fullmatch(r"\\begin\{tabular\}\{([lr]+)\}", line):
            columns, tables = len(spec[1]), tables + 1
        elif line.endswith(r" \\"):
            assert len(re.sub(r"\\.", "", line).split("&")) == columns, line
        bare = COMMAND.sub("", line)
        assert bare.count("{") == bare.count("}")
        assert bare.count("$") % 2 == 0
        assert not set("#~^") & set(bare)
    assert opened == []
    assert [text.count(rule) for rule in (r"\toprule", r"\midrule", r"\bottomrule")] == [tables] * 3
    return tables


@given(st.text(max_size=30))
def test_any_text_is_one_cell(text):
    assert check(latex_table(["a", text], [[text, "1"]], [False, True], caption=text, said=[text])) == 1
    assert "\n" not in escaped(text)


# What LaTeX's own fonts have of what is not ASCII: letters of Latin-1 and Latin Extended-A, dashes, quotation marks.
SET = re.compile("[\\x20-\\x7eÀ-ÖØ-öø-ſ–—‘’“”]*")


def test_every_sign_of_a_measure_has_its_command():
    for entry in (*th.measures.measures(), *th.measures.measures("posteriors")):
        for text in (entry.text, entry.title, entry.summary, *entry.undefined):
            assert SET.fullmatch(escaped(text)), text


def unescaped(text):
    back = {r"\textbackslash{}": "\\", r"\textasciitilde{}": "~", r"\textasciicircum{}": "^", r"\textless{}": "<",
            r"\textgreater{}": ">", r"\textbar{}": "|", r"\textquotedbl{}": '"', "{[}": "[", "{]}": "]"}  # fmt: skip
    parts = re.split("(" + "|".join(map(re.escape, back)) + r"|\\[{}$&%#_])", text)
    return "".join(back.get(part, part.lstrip("\\") if len(part) == 2 else part) for part in parts)


@given(st.text(alphabet='ab\\{}$&%#_~^<>|"[]', max_size=20))
def test_what_is_escaped_can_be_read_back(text):
    assert unescaped(escaped(text)) == text


@pytest.fixture(scope="module")
def evaluation():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 40)
    return th.evaluate(y, {"a_1": y + rng.normal(size=40), "b & c": rng.normal(size=40), "d": rng.normal(size=40)})


@pytest.mark.slow
def test_a_report_is_its_tables(evaluation, tmp_path):
    text = evaluation.report(tmp_path / "all.tex").read_text(encoding="utf-8")
    assert text == evaluation.to_latex()
    assert check(text) > 3
    assert r"b \& c" in text
    assert re.search(r"AUC.* & .*\{\[\}", text)
