"""The tool that records all outputs: what it rounds, what it compares, and that no output is a crash."""

import importlib.util
import json
import lzma

import numpy as np
import pytest
from click.testing import CliRunner

import thresher.errors
from doc_blocks import ROOT

SPEC = importlib.util.spec_from_file_location("freeze", ROOT / "tools" / "freeze.py")
freeze = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(freeze)


def written(path, **outputs):
    path.write_bytes(lzma.compress(json.dumps(outputs).encode()))
    return str(path)


def compared(*words):
    return CliRunner().invoke(freeze.main, ["compare", *words])


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("auc 0.12345678901249 at 1e-3", "auc 0.123456789012 at 1e-3"),
        ("2.0000000000000004,x", "2,x"),
        ("version 1.23456.7 of a0.1234567", "version 1.23456.7 of a0.1234567"),
        ('"fit_seconds": [0.1, 2e-5], "a": 1', '"fit_seconds": TIME, "a": 1'),
    ],
)
def test_numbers_have_twelve_digits_and_times_are_left_out(text, wanted):
    assert freeze.rounded(text) == wanted


def test_values_are_lines_of_numbers():
    value = {"low": np.float64(1 / 3), "cells": np.array([[1, 2]]), "gone": (float("nan"), None)}
    assert list(freeze.lines_of("", freeze.frozen_value(value))) == [
        "low: 0.333333333333", "cells: 1 items", "cells[0]: 2 items", "cells[0][0]: 1", "cells[0][1]: 2",
        "gone: 2 items", "gone[0]: nan", "gone[1]: None",
    ]  # fmt: skip


def test_only_differences_without_a_reason_fail(tmp_path):
    before = written(tmp_path / "a.xz", same=["1"], moved=["1", "2"], gone=["1"])
    after = written(tmp_path / "b.xz", same=["1"], moved=["1", "3"], new=["1"])
    assert compared(before, before).exit_code == 0
    ran = compared(before, after)
    assert ran.exit_code == 1
    assert "moved (2 lines)\n    -2\n    +3\n" in ran.output
    assert "3 outputs differ without a reason" in ran.output
    allowed = tmp_path / "allowed.toml"
    entries = [f'[[allowed]]\nname = "{name}"\nreason = "renamed"\n' for name in ("mov*", "gone", "new")]
    allowed.write_text("".join(entries))
    ran = compared(before, after, "--allowed", str(allowed))
    assert ran.exit_code == 0
    assert "moved (2 lines): renamed" in ran.output


@pytest.mark.peer
@pytest.mark.slow
def test_no_recorded_output_is_a_crash():
    ours = {name for name in dir(thresher.errors) if name.endswith("Error")}
    crashed = {name: lines[0] for name, lines in freeze.record().items() if (kind := freeze.error_of(lines))
               and kind not in ours}  # fmt: skip
    assert crashed == {}
