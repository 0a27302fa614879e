"""Outcomes of checks as text, JSON, GitHub annotations and JUnit XML."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from xml.etree import ElementTree

from thresher._util.front_door import guarded
from thresher._util.json_text import to_json
from thresher._util.safe_text import csv_lines, escape_lines
from thresher.gate.check import Check
from thresher.report.render.grid import Marked, pipe_table

SCHEMA = 1

ORDER = ("name", "model", "place", "passed", "value", "low", "high", "limit", "level", "method", "message")
"""Columns of CSV."""


def text(checks: Sequence[Check]) -> str:
    """One line a check, and how many failed."""
    lines = [f"{'passed' if check.passed else 'FAILED'}  {check.message}" for check in checks]
    failed = sum(not check.passed for check in checks)
    total = f"{len(checks)} check{'' if len(checks) == 1 else 's'}"
    return "\n".join([*lines, f"{total}, {failed} failed" if failed else f"{total}, all passed"]) + "\n"


def json_text(checks: Sequence[Check]) -> str:
    """Checks as JSON."""
    document = {"schema": SCHEMA, "passed": all(c.passed for c in checks), "checks": [c.to_dict() for c in checks]}
    return to_json(document)


def github(checks: Sequence[Check]) -> str:
    """Workflow commands that GitHub shows as annotations."""
    lines = []
    for check in checks:
        title = _escaped(f"thresher: {check.name}").replace(":", "%3A").replace(",", "%2C")
        lines.append(f"::{'notice' if check.passed else 'error'} title={title}::{_escaped(check.message)}")
    return "\n".join(lines) + "\n"


@guarded
def junit_text(checks: Sequence[Check]) -> str:
    """JUnit XML, a test case a check, which most build servers read."""
    failed = sum(not check.passed for check in checks)
    counts = {"tests": str(len(checks)), "failures": str(failed), "errors": "0"}
    root = ElementTree.Element("testsuites", counts)
    suite = ElementTree.SubElement(root, "testsuite", {"name": "thresher check", **counts, "skipped": "0"})
    for check in checks:
        name = check.name if check.place is None else f"{check.name} ({check.place})"
        case = ElementTree.SubElement(
            suite, "testcase", {"classname": escape_lines(check.model), "name": escape_lines(name)}
        )
        if check.passed:
            ElementTree.SubElement(case, "system-out").text = escape_lines(check.message)
        else:
            ElementTree.SubElement(case, "failure", {"message": escape_lines(check.message), "type": "threshold"})
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _escaped(message: str) -> str:
    return escape_lines(message).replace("%", "%25").replace("\n", "%0A")


def csv_text(checks: Sequence[Check]) -> str:
    """Return CSV with a line for each check, under the names of its fields; undefined values are empty."""
    found = [check.to_dict() for check in checks]
    return csv_lines([ORDER, *([each[name] for name in ORDER] for each in found)])


def markdown(checks: Sequence[Check]) -> str:
    """A table for a pull request or a job's summary: outcome and finding, which names the model."""
    rows = [("passed" if check.passed else Marked("**FAILED**"), check.message) for check in checks]
    lines = pipe_table(["", "finding"], rows)
    return "\n".join([*lines, "", text(checks).splitlines()[-1]]) + "\n"


FORMS: dict[str, Callable[[Sequence[Check]], str]] = {
    "text": text,
    "json": json_text,
    "csv": csv_text,
    "markdown": markdown,
    "github": github,
}
"""How each form is written."""
