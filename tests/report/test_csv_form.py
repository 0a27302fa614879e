"""The CSV form: one row a value, numbers that read back as the same numbers."""

import csv
import io
import math

import pytest

from report_cases import breast_cancer_in_parts, case, named
from thresher.report.files import render
from thresher.report.render.json import COLUMNS


def rows(evaluation):
    return list(csv.DictReader(io.StringIO(render(evaluation, "csv"))))


@pytest.mark.slow
def test_every_value_of_every_part_reads_back():
    evaluation = breast_cancer_in_parts()
    found = {(row["model"], row["group"], row["measure"]): row for row in rows(evaluation)}
    parts = {"": evaluation}
    parts |= {f"nucleus_size={value}": part for value, part in evaluation.groups.items()}
    parts |= {f"fold={value}": part for value, part in evaluation.folds.items()}
    count = 0
    for group, part in parts.items():
        for name, model in part.items():
            for measure, estimate in model.measures.items():
                row = found[name, group, measure]
                count += 1
                for field in ("value", "low", "high", "level"):
                    value = getattr(estimate, field)
                    expected = "" if value is None or math.isnan(value) else repr(float(value))
                    assert row[field] == expected
                assert row["method"] == (estimate.method or "")
    assert len(found) == count == len(rows(evaluation))


@pytest.mark.parametrize("name", named())
def test_every_case_has_all_columns_and_a_reason_where_empty(name):
    for row in rows(case(name)):
        assert tuple(row) == COLUMNS
        assert None not in row.values()
        assert row["value"] or row["reason"]


def test_infinity_is_written_as_such():
    found = {
        row["measure"]: row
        for row in rows(breast_cancer_in_parts())
        if row["model"] == "naive_bayes" and not row["group"]
    }
    assert found["log_loss"]["value"] == "inf"
