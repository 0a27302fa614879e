"""JSON, CSV and tables of HTML are each made in one place, whatever result they are of."""

import re
from pathlib import Path

import pytest

import thresher

SOURCE = Path(thresher.__file__).parent
MADE = {
    r"json\.(dumps?\(|JSONEncoder)": ["_util/json_text.py"],
    r"csv\.(Dict)?[Ww]riter\(": ["_util/safe_text.py"],
    r"<table|tag\(\s*\"table\"": ["report/render/html/markup.py"],
    r"<t[rhd][ >]": ["report/render/html/markup.py"],
    r"vars\([^)]*\)\.pop": [],
}
"""Where each is made; the row of a table in `markup.py` is an example of its own."""


@pytest.mark.parametrize("made", MADE)
def test_what_is_written_is_written_in_one_place(made):
    files = [path for path in SOURCE.rglob("*.py") if re.search(made, path.read_text(encoding="utf-8"))]
    assert sorted(path.relative_to(SOURCE).as_posix() for path in files) == MADE[made]


def test_few_names_reach_up():
    from thresher.upward_import import PLACES

    assert len(PLACES) <= 10
