"""What a report wrote, parsed form by form and held against the slow reading and against each other."""

import csv
import io
import json
import math
import re
from functools import cache
from html.parser import HTMLParser
from itertools import accumulate
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from fuzz.slow_reading import Counted
from lean_pages import close_before, close_within
from thresher.report.render.json import schema

VOID = {"meta", "link", "br", "hr", "img", "input", "col", "wbr"}
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")


@cache
def _validator() -> Any:
    return jsonschema.Draft202012Validator(schema())


def near(a: float | None, b: float | None) -> bool:
    """Equal but for rounding, or both nothing."""
    return a is b if a is None or b is None else math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)


def check_json(text: str) -> Any:
    """The schema holds, limits do not cross, and what is undefined says why."""
    found = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))
    _validator().validate(found)
    for name, model in found["models"].items():
        for measure, estimate in model["measures"].items():
            low, value, high = (estimate[key] for key in ("low", "value", "high"))
            if low is not None and value is not None and high is not None:
                assert low <= high, (name, measure, estimate)
            assert value is not None or estimate["reason"], (name, measure, estimate)
    return found


def check_values(found: Any, counted: dict[str, Counted], lower: bool, stand_in: float | None) -> None:
    """The numbers are those of the slow reading; what is undefined may have a number that stands in for it."""
    for name, model in counted.items():
        measures = found["models"][name]["measures"]
        slow = {"auc": model.auc(), "average_precision": model.average_precision()}
        slow |= {"brier_score": None if lower else model.brier()} if "brier_score" in measures else {}
        for measure, value in slow.items():
            got = measures[measure]["value"]
            assert near(got, value) or (value is None and near(got, stand_in)), (name, measure, got, value)


def check_matrices(found: Any, counted: dict[str, Counted], lower: bool) -> None:
    """Each model's confusion matrix is that at its threshold."""
    for name, model in counted.items():
        part = found["models"][name]
        if part["threshold"] is None:
            continue
        tp, fp = model.above(-part["threshold"] if lower else part["threshold"])
        wanted = [[tp, model.total(True) - tp], [fp, model.total(False) - fp]]
        for mine, theirs in zip(part["confusion_matrix"]["counts"], wanted, strict=True):
            assert mine == pytest.approx(theirs, rel=1e-9, abs=1e-9 * (1 + model.total(True) + model.total(False)))


def check_csv(text: str, found: Any) -> None:
    """Every measure of every model stands in the CSV with the value of the JSON."""
    lines = list(csv.DictReader(io.StringIO(text, newline="")))
    mine = {(line["model"], line["measure"]): line for line in lines if not line["group"]}
    for name, model in found["models"].items():
        for measure, estimate in model["measures"].items():
            line = mine[name, measure]
            for key in ("value", "low", "high"):
                wanted = estimate[key]
                got = float(line[key]) if line[key] else None
                assert got == wanted or (wanted is None and math.isinf(got)), (name, measure, key, got, wanted)


def check_text(text: str, found: Any) -> None:
    """The ROC AUC of every model is shown, with the two to four decimals that an interval carries."""
    line = " ".join(line for line in text.splitlines() if line.startswith("ROC AUC "))
    for name, model in found["models"].items():
        value = model["measures"]["auc"]["value"]
        # Half a last digit may be rounded to either side.
        near = [] if value is None else [value * (1 + by) for by in (-1e-12, 1e-12)]
        shown = [_shown(each, digits) for each in near for digits in (2, 3, 4)] or ["undefined"]
        # A number is not the beginning of one with more decimals.
        assert any(re.search(rf"(?<![\d.>]){re.escape(each)}(?!\d)", line) for each in shown), (name, value, line)
    assert not re.search(r"\bnan\b|\bNone\b|\x1b|Traceback", text)


def _shown(value: float, digits: int) -> str:
    """As a report writes it: what is not 0 or 1 is not rounded to them."""
    half = 0.5 * 10**-digits
    if 0 < value < half:
        return ""
    return ">0." + "9" * digits if 1 - half <= value < 1 else f"{value:.{digits}f}"


def check_markdown(text: str) -> None:
    """Tables have as many cells in every line."""
    for table in re.findall(r"(?:^\|.*\|$\n?)+", text, re.M):
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}) == 1, table


class _Page(HTMLParser):
    """Elements that open and close, ids, the data, and where drawings draw."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.boxes: list[tuple[float, float]] = []
        self.data = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        if named.get("id"):
            self.ids.append(str(named["id"]))
        if tag == "svg":
            width, height = str(named["viewbox"]).split()[2:] if "viewbox" in named else ("inf", "inf")
            self.boxes.append((float(width), float(height)))
        if tag == "path" and self.boxes:
            self._drawn(str(named["d"]))
        close_before(tag, self.open)
        if tag not in VOID:
            self.open.append(f"{tag}#{named.get('id')}")

    def handle_endtag(self, tag: str) -> None:
        close_within(tag, self.open)
        last = self.open.pop().split("#")[0]
        assert last == tag, (last, tag, self.getpos())
        if tag == "svg":
            self.boxes.pop()

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script#data":
            self.data += data

    def _drawn(self, path: str) -> None:
        """A path is numbers, all of them in its drawing."""
        assert not re.sub(r"[MLHVZmlhv]|-?\d+(?:\.\d+)?(?:e-?\d+)?|[ ,]", "", path), path
        at, (width, height) = [0.0, 0.0], self.boxes[-1]
        for command, rest in re.findall(r"([MLHVmlhv])([^MLHVZmlhv]*)", path):
            for i, value in enumerate(float(each) for each in NUMBER.findall(rest)):
                axis = "HV".find(command.upper()) if command in "HVhv" else i % 2
                at[axis] = value + (at[axis] if command.islower() else 0.0)
                assert -1 <= at[axis] <= (width, height)[axis] + 1, path


def page_data(text: str) -> Any:
    """Data of a page that is well formed."""
    page = _Page()
    page.feed(text)
    page.close()
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))
    return json.loads(page.data, parse_constant=lambda name: pytest.fail(f"{name} on the page")) if page.data else None


def check_page(text: str, counted: dict[str, Counted], lower: bool) -> None:
    """The page is well formed, and the counts that its sliders read are those of the rows."""
    data = page_data(text)
    for part in data["models"]:
        model = counted[part["name"]]
        thresholds = [float(t) if isinstance(t, str) else t for t in part["thresholds"]]
        columns = part["tp"], part["fp"]
        counts = [list(accumulate(map(int, c["steps"]))) if isinstance(c, dict) else c for c in columns]
        for threshold, tp, fp in list(zip(thresholds, *counts, strict=True))[:: 1 + len(thresholds) // 12]:
            wanted = model.above(-threshold if lower else threshold)
            assert (tp, fp) == pytest.approx(wanted, rel=1e-9, abs=1e-9 * (1 + sum(w for _, _, w in model.rows)))


def check_forms(folder: Path) -> Any:
    """Every form is well made, and says what the JSON says."""
    found = check_well_made(folder)
    check_text((folder / "r.txt").read_text(encoding="utf-8"), found)
    return found


def check_well_made(folder: Path) -> Any:
    """Every form is well made, whatever it is about."""
    texts = {form: (folder / f"r.{form}").read_text(encoding="utf-8") for form in ("json", "csv", "md", "html", "txt")}
    found = check_json(texts["json"])
    check_csv(texts["csv"], found)
    check_markdown(texts["md"])
    page_data(texts["html"])
    assert not re.search(r"\bnan\b|\bNone\b|\x1b|Traceback", texts["txt"])
    return found


def check_all(
    folder: Path, counted: dict[str, Counted], lower: bool, stand_in: float | None, repeats: bool = False
) -> None:
    """Everything that a run wrote, against the rows, which weights may repeat."""
    found = check_forms(folder)
    for model in counted.values():
        assert found["n"] == (model.total(True) + model.total(False) if repeats else len(model.rows))
    check_values(found, counted, lower, stand_in)
    check_matrices(found, counted, lower)
    check_page((folder / "r.html").read_text(encoding="utf-8"), counted, lower)
