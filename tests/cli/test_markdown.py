"""Markdown of every command: names and labels show as they are, whatever is in them."""

import re

import pytest

NAME = "<img src=x>|`a`*b*[l](u)"
POSITIVE = "<b>ill</b>|_x_"
OTHER = "a_b_c"
ROWS = [(POSITIVE, 0.9, 0.4), ("well", 0.2, 0.3), (POSITIVE, 0.6, 0.8), ("well", 0.7, 0.1), ("well", 0.1, 0.6)] * 8
FILE = f"y,{NAME},{OTHER}\n" + "".join(f"{y},{a},{b}\n" for y, a, b in ROWS)
READ = ("h.csv", "--label", "y", "--positive", POSITIVE, "--score", NAME, "--score", OTHER)
CALLS = {
    "report": (), "table": ("--by-row",), "threshold": ("--max", "f1"), "compare": (),
    "check": ("--fail-under", "auc=0.99"),
}  # fmt: skip


@pytest.mark.parametrize("command", CALLS)
def test_names_are_escaped_and_stay_in_their_cells(run, write, command) -> None:  # type: ignore[no-untyped-def]
    write("h.csv", FILE)
    done = run(command, *READ, *CALLS[command], "--format", "markdown")
    assert done.code in (0, 1), done.err
    plain = re.sub(r"\\.", "", done.out)
    assert "<" not in plain
    assert "[" not in plain
    assert "`" not in plain
    assert OTHER not in done.out
    assert r"\<img src=x\>\|\`a\`\*b\*\[l\](u)" in done.out
    for block in re.findall(r"(?:^\|.*\n)+", plain, re.MULTILINE):
        assert len({line.count("|") for line in block.splitlines()}) == 1
