"""Reports as files: the suffix chooses, the file is whole or not there, and a refusal is a sentence."""

import os
import stat

import pytest

from report_cases import breast_cancer, case, fresh_breast_cancer
from shares import few
from thresher.errors import OptionError
from thresher.report import files
from thresher.report.files import FORMS, render, write_report
from thresher.report.forms import suffixes_of


@pytest.mark.parametrize("suffix", [*suffixes_of(FORMS), ".HTML"])
def test_suffix_chooses_the_form(tmp_path, suffix):
    path = tmp_path / f"report{suffix}"
    evaluation = case("unicode")
    assert evaluation.report(path, title="T") == path
    form = suffixes_of(FORMS)[suffix.lower()]
    assert path.read_bytes() == render(evaluation, form, title="T", width=100).encode("utf-8")
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize("name", ["report", "report.pdf", "report.html.gz"])
def test_other_suffix_is_refused_with_the_list(tmp_path, name):
    with pytest.raises(OptionError, match=r"a report ends in one of \.html, \.htm, \.md, \.json, \.csv, \.txt"):
        write_report(case("plain"), tmp_path / name)
    assert os.listdir(tmp_path) == []


def test_folder_in_the_place_is_said(tmp_path):
    (tmp_path / "a.html").mkdir()
    with pytest.raises(OptionError, match="cannot write the report"):
        write_report(case("plain"), tmp_path / "a.html")
    assert os.listdir(tmp_path) == ["a.html"]


def test_failure_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    path = tmp_path / "a.json"
    path.write_text("old")

    def full(*_arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "replace", full)
    with pytest.raises(OptionError, match="no space left on device"):
        write_report(case("plain"), path)
    assert (path.read_text(), os.listdir(tmp_path)) == ("old", ["a.json"])


def test_modes_are_kept_and_links_followed(tmp_path):
    real = tmp_path / "real.csv"
    real.write_text("old")
    real.chmod(0o640)
    link = tmp_path / "link.csv"
    link.symlink_to(real)
    write_report(case("plain"), link)
    assert link.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert real.read_text().startswith("model,group,measure")
    umask = os.umask(0o022)
    os.umask(umask)
    write_report(case("plain"), tmp_path / "new.csv")
    assert stat.S_IMODE((tmp_path / "new.csv").stat().st_mode) == 0o666 & ~umask


@pytest.mark.parametrize("form", few(FORMS, 2))
def test_same_input_gives_the_same_bytes(form):
    assert render(fresh_breast_cancer(), form, width=100) == render(breast_cancer(), form, width=100)
